//! The command line of `cargo xtask`.

use crate::{
    artifact, checks, demo, docs, header, install, lab, package, platforms, release, sample, test,
    Outcome,
};
use clap::{Parser, Subcommand};

/// Developer commands of Hekla.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", after_help = lab::COMMANDS)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Install what is missing, then run clinfo, a Mandelbrot and clpeak on the best Vulkan device of this machine
    Demo,
    /// Install what is missing, then run every check and test on lavapipe and SwiftShader
    Test(test::Request),
    /// Run the checks of the source that test begins with: format, lints, documentation, imports, the C header
    Check,
    /// Run a program with Hekla as its only OpenCL platform
    Run(artifact::Request),
    /// Install library, hekla.icd, heklac, header and manual pages
    Install(install::Request),
    /// Make packages under target/packages
    Package(package::Request),
    /// Check that what the documents link to is there and that the commands that they show work
    Docs(docs::Request),
    /// Build for 64-bit ARM and Windows and run the compiler's tests in QEMU and Wine; type-check for macOS and Android
    Platforms(platforms::Request),
    /// Print what a release of this version would be, and what is missing for it
    Release(release::Request),
    /// Write include/hekla.h anew
    Header,
    /// Print comments and names of the source, drawn at random, to be judged by a reader
    Sample(sample::Request),
    #[command(external_subcommand)]
    Lab(Vec<String>),
}

impl Cli {
    /// Runs the command.
    pub fn run(self) -> Outcome {
        match self.command {
            Command::Demo => demo::run(),
            Command::Test(request) => test::run(&request),
            Command::Check => checks::run_all(),
            Command::Run(request) => artifact::run_program(&request),
            Command::Install(request) => install::run(request),
            Command::Package(request) => package::run(&request),
            Command::Docs(request) => docs::run(&request),
            Command::Platforms(request) => platforms::run(&request),
            Command::Release(request) => release::run(&request),
            Command::Header => header::write(),
            Command::Sample(request) => sample::run(&request),
            Command::Lab(words) => lab::run(&words),
        }
    }
}

/// Returns the commands of a program and their long options: lines `COMMAND` and `COMMAND --OPTION`.
pub fn options(program: &clap::Command) -> String {
    let mut lines = String::new();
    for command in program.get_subcommands() {
        let name = command.get_name();
        lines.push_str(&format!("{name}\n"));
        for option in command.get_arguments().filter_map(clap::Arg::get_long) {
            lines.push_str(&format!("{name} --{option}\n"));
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
        assert!(options(&Cli::command()).lines().any(|line| line == "install --prefix"));
    }

    #[test]
    fn programs_and_the_laboratory_get_their_own_words() {
        let of = |line: &str| Cli::try_parse_from(line.split(' ')).map(|cli| cli.command);
        assert!(matches!(of("xtask run -- clinfo --list"), Ok(Command::Run(_))));
        assert!(
            matches!(of("xtask bench --only x"), Ok(Command::Lab(words)) if words[1] == "--only")
        );
        assert!(of("xtask install --what x").is_err() && of("xtask install --prefix").is_err());
        assert!(of("xtask test --drivers all --limit-to x").is_err());
    }
}
