//! The laboratory of Hekla: measurements, comparisons with other drivers, attacks, and tests that run for hours. `cargo
//! xtask COMMAND` runs its commands, too.

mod apps;
mod attack;
mod bench;
mod corpus;
mod cts;
mod differ;
mod fuzz;
mod gpus;
mod hashcat;
mod ingest;
mod instructions;
mod options;
mod platform;
mod reference;
mod soak;
mod ulp;
mod vendors;

use clap::{CommandFactory, Parser, Subcommand};
use hekla_xtask::{artifact, cli, docs, driver, mesa, pool, system, Outcome};
use std::process::ExitCode;

/// The laboratory of Hekla.
#[derive(Parser)]
#[command(name = "lab")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Measure all OpenCL platforms side by side with Hekla
    Bench(bench::Request),
    /// Run Khronos CTS binaries as cts-config/ describes
    Cts(cts::Request),
    /// Compile every program of hashcat, darktable, ufo-filters, silx, pyFAI, clpeak, CLBlast, llama.cpp and Khronos's dumps
    /// of CTS kernels
    Corpus(corpus::Request),
    /// Run programs of Debian, PyPI and public repositories, and check their results
    Apps(apps::Request),
    /// hashcat tests itself and cracks an example hash in each of 41 modes
    Hashcat(hashcat::Request),
    /// Compile programs for GPUs that are not here, and make their pipelines with those GPUs' own compilers
    Gpus(gpus::Request),
    /// Count the host's instructions in launches and in clSetKernelArg, by valgrind
    Instructions(instructions::Request),
    /// Measure the errors of the math functions, for docs/accuracy.md
    Ulp(ulp::Request),
    /// Run random programs with one right result on all OpenCL platforms
    Differ(differ::Request),
    /// Run the same programs in a SPIR-V interpreter, as devices of several kinds, against the C compiler's result
    Reference(reference::Request),
    /// Create, use and release every kind of object at random, by many threads
    Soak(soak::Request),
    /// Attack the library
    Attack(attack::Request),
    /// Fuzz preprocessor, parser, lowering and IR reader
    Fuzz(fuzz::Request),
    /// Print the commands and their options, for the check of the documents
    #[command(hide = true)]
    Options,
}

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Bench(request) => bench::run(&request),
        Command::Cts(request) => cts::run(&request),
        Command::Corpus(request) => corpus::run(&request),
        Command::Apps(request) => apps::run(&request),
        Command::Hashcat(request) => hashcat::run(&request),
        Command::Gpus(request) => gpus::run(&request),
        Command::Instructions(request) => instructions::run(&request),
        Command::Ulp(request) => ulp::run(&request),
        Command::Differ(request) => differ::run(&request),
        Command::Reference(request) => reference::run(&request),
        Command::Soak(request) => soak::run(&request),
        Command::Attack(request) => attack::run(&request),
        Command::Fuzz(request) => fuzz::run(&request),
        Command::Options => {
            print!("{}", cli::options(&Cli::command()));
            Ok(())
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn attacks_take_kinds_and_options_in_any_order() {
        let line = "lab attack cache --seed 7 sequences --count 3 --driver swiftshader";
        let Command::Attack(request) = Cli::try_parse_from(line.split(' ')).unwrap().command else {
            panic!("another command");
        };
        assert_eq!(request.kinds, ["cache", "sequences"]);
        assert_eq!((request.seed, request.count), (7, Some(3)));
        assert_eq!(request.driver, Some(driver::Driver::SwiftShader));
        assert_eq!(request.time(), std::time::Duration::MAX);
        let line = ["lab", "attack", "--minutes", "0.5"];
        let Command::Attack(request) = Cli::try_parse_from(line).unwrap().command else {
            panic!("another command");
        };
        assert_eq!(request.time(), std::time::Duration::from_secs(30));
        let error = |line: &[&str]| {
            let words = ["lab", "attack"].iter().chain(line);
            Cli::try_parse_from(words).err().map(|error| error.to_string()).unwrap_or_default()
        };
        assert!(error(&["everything"]).contains("sequences, binaries, cache"));
        assert!(error(&["--hours", "1"]).contains("--hours"));
        assert!(error(&["--seed"]).contains("a value is required"));
        assert!(error(&["--seed", "x"]).contains("invalid digit"));
        assert!(error(&["--jobs", "0"]).contains("1..=1024"));
    }

    #[test]
    fn every_command_is_in_the_help_of_the_developer_commands() {
        for command in Cli::command().get_subcommands().filter(|command| !command.is_hide_set()) {
            let line = format!("\n  {} ", command.get_name());
            assert!(hekla_xtask::lab::COMMANDS.contains(&line), "{line}");
        }
    }
}
