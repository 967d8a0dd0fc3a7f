//! Commands in the documents: their options must be known, and each must be of a kind that is run, or that is not run
//! for a given reason.

use super::markdown::{Document, Shown};
use crate::cli::{self, Cli};
use crate::{artifact, lab, platform, system, Outcome};
use clap::CommandFactory;
use std::path::Path;
use std::process::Command;

/// Whether a command is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Execution {
    /// The command must succeed.
    Run,
    /// The command is not run, for this reason.
    NotRun(&'static str),
}
use Execution::{NotRun, Run};

/// The kinds of commands by their first words; the first kind that fits counts.
const KINDS: [(&str, Execution); 27] = [
    ("cargo xtask run -- pocld", NotRun("it is a server of PoCL, which is built by hand")),
    ("cargo xtask run -- ", Run),
    ("cargo xtask install --prefix", Run),
    ("cargo xtask install", NotRun("it installs into the machine")),
    ("cargo xtask demo", NotRun("it installs packages and shows pictures")),
    ("cargo xtask check", NotRun("this check is a part of it")),
    ("cargo xtask test", NotRun("this check is a part of it")),
    ("cargo xtask package", NotRun("it makes a fresh Debian, for minutes")),
    ("cargo xtask platforms", NotRun("it builds for other machines, for minutes")),
    ("cargo xtask bench", NotRun("it measures for minutes")),
    ("cargo xtask cts", NotRun("it needs the built conformance tests")),
    ("cargo xtask", NotRun("it takes minutes or hours")),
    ("heklac --explain", Run),
    ("heklac --doctor", NotRun("it fails on machines with faults, as it should")),
    ("heklac kernels.spv", NotRun("it needs a module with specialization constants")),
    ("heklac ", Run),
    ("cargo build", NotRun("`cargo xtask test` does it")),
    ("cargo test", NotRun("`cargo xtask test` does it")),
    ("cargo check", NotRun("`cargo xtask platforms` does it")),
    ("cargo run --release -p hekla-vk-backend --example", NotRun("it needs one vendor's GPU")),
    ("git clone", NotRun("it needs the network")),
    ("cmake", NotRun("it needs sources of others")),
    ("ninja", NotRun("it needs sources of others")),
    ("./lab", NotRun("it is for another machine")),
    ("mpirun ", NotRun("it needs an MPI")),
    ("clinfo ", NotRun("it is shown with devices of another machine")),
    ("python -m pytest", NotRun("it needs a source distribution of pyopencl")),
];

/// Commands that change the machine, which documents show to its administrator.
const FOR_ADMINISTRATORS: [&str; 7] =
    ["apt", "pip", "sudo", "reg", "nix-build", "makepkg", "rustup"];

/// Placeholders in documents for words that readers choose, with words to use here.
const STAND_INS: [(&str, &str); 3] =
    [("PROGRAM", "clinfo"), ("ARGS", "--list"), ("DIR", "installed")];

/// A program for commands that compile a program.
const SOURCE: &str = "kernel void saxpy(global float *y, global const float *x, float a) {
    size_t i = get_global_id(0);
    y[i] += a * x[i];
}
";

/// Returns the kind of a command, whatever variables precede it.
fn treatment(text: &str) -> Option<Execution> {
    let command = without_variables(text);
    let first = command.split(' ').next().unwrap_or_default();
    if FOR_ADMINISTRATORS.contains(&first) {
        return Some(NotRun("it changes the machine"));
    }
    // The last word matches like a word with a space behind it.
    let padded = format!("{command} ");
    KINDS.iter().find(|(begins, _)| padded.starts_with(begins)).map(|(_, treatment)| *treatment)
}

/// Returns a command without the variables that precede it.
fn without_variables(text: &str) -> &str {
    let mut rest = text;
    while let Some((word, after)) = rest.split_once(' ') {
        let is_variable = word.split_once('=').is_some_and(|(name, _)| {
            name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
        });
        if !is_variable {
            break;
        }
        rest = after;
    }
    rest
}

/// Returns the commands of no known kind, and those with options that do not exist, one per line.
pub fn faults(documents: &[Document]) -> Result<Vec<String>, String> {
    let known = Known::new()?;
    let mut faults = Vec::new();
    for document in documents {
        for Shown { place, text } in document.commands() {
            if treatment(&text).is_none() {
                faults.push(format!(
                    "{place}: no rule of xtask/src/docs/commands.rs is for `{text}`"
                ));
            }
            faults.extend(known.option_fault(&text).map(|fault| format!("{place}: {fault}")));
        }
        for (line, text) in &document.spans {
            let place = format!("{}:{line}", document.path.display());
            faults.extend(known.option_fault(text).map(|fault| format!("{place}: {fault}")));
        }
    }
    Ok(faults)
}

/// The options of Hekla's commands.
struct Known {
    /// Lines `COMMAND` and `COMMAND --OPTION` of `cargo xtask`.
    xtask: String,
    /// The help text of heklac.
    heklac: String,
}

impl Known {
    fn new() -> Result<Known, String> {
        let source = std::fs::read_to_string(system::root().join("icd/src/bin/heklac/main.rs"));
        let source = source.map_err(|e| format!("heklac: {e}"))?;
        let usage = source.split("const USAGE").nth(1).and_then(|text| text.split("\";").next());
        let heklac = usage.ok_or("heklac has no USAGE")?.to_string();
        let xtask = cli::options(&Cli::command()) + &lab::options()?;
        Ok(Known { xtask, heklac })
    }

    /// Returns the option of one of Hekla's commands that the command does not know.
    fn option_fault(&self, text: &str) -> Option<String> {
        let command = without_variables(text);
        let (name, rest) = match command.strip_prefix("cargo xtask ") {
            Some(rest) => (rest.split_whitespace().next()?.trim_end_matches(','), rest),
            None => ("", command.strip_prefix("heklac ")?),
        };
        // The commands' common form, `cargo xtask COMMAND`, and their list.
        if !name.is_empty()
            && (name.chars().all(|c| c.is_ascii_uppercase() || c == '…') || name == "help")
        {
            return None;
        }
        let has_line = |line: &str| self.xtask.lines().any(|known| known == line);
        if !name.is_empty() && !has_line(name) {
            return Some(format!("there is no `cargo xtask {name}`"));
        }
        // Words behind `--` belong to another program.
        let own = rest.split(" -- ").next().unwrap_or_default();
        let words = own.split(|c: char| c.is_whitespace() || "[]()|,".contains(c));
        let mut options = words
            .filter(|word| word.starts_with("--") && word.len() > 2)
            .filter_map(|word| word.split('=').next());
        let is_known = |option: &str| match name {
            "" => self.heklac.contains(option),
            _ => has_line(&format!("{name} {option}")),
        };
        let unknown = options.find(|option| !is_known(option))?;
        Some(format!("`{command}`: there is no option {unknown}"))
    }
}

/// Runs the commands that can be run, in a folder of their own; prints why the others are not run.
pub fn run_all(commands: &[Shown]) -> Outcome {
    let library = artifact::build()?;
    let folder = system::target().join("docs-commands");
    let prepare = || -> std::io::Result<()> {
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder)?;
        platform::link(&system::root().join("examples"), &folder.join("examples"))?;
        std::fs::write(folder.join("saxpy.cl"), SOURCE)
    };
    prepare().map_err(|e| format!("{}: {e}", folder.display()))?;
    for Shown { place, text } in commands {
        match treatment(text) {
            Some(Run) => {
                println!("{place}: {text}");
                run_one(&folder, &library, text).map_err(|e| format!("{place}: {e}"))?;
            }
            Some(NotRun(reason)) => println!("{place}: {text}: not run: {reason}"),
            None => return Err(format!("{place}: `{text}` is of no known kind")),
        }
    }
    std::fs::remove_dir_all(&folder).map_err(|e| e.to_string())
}

/// Runs a command as a reader would; it finds Hekla's programs and a Python with pyopencl first.
fn run_one(folder: &Path, library: &Path, text: &str) -> Outcome {
    let programs = library.parent().unwrap_or(Path::new("."));
    let mut paths = vec![programs.to_path_buf()];
    paths.extend(system::python()?.parent().map(Path::to_path_buf));
    paths.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
    let path = std::env::join_paths(paths).map_err(|e| e.to_string())?;
    let word = |word: &str| {
        let stand_in = STAND_INS.iter().find(|(name, _)| *name == word);
        stand_in.map_or(word, |(_, chosen)| *chosen).to_string()
    };
    let words: Vec<String> = text.split(' ').map(word).collect();
    let mut shell = Command::new("sh");
    shell.args(["-e", "-c", &words.join(" ")]).env("PATH", path).env("HEKLA_CACHE", "0");
    shell.env_remove("DESTDIR").current_dir(folder);
    let output = shell.output().map_err(|e| format!("{text}: {e}"))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(format!("`{text}` fails:\n{}", String::from_utf8_lossy(&output.stderr))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_command_is_of_a_kind() {
        assert_eq!(treatment("A=b cargo xtask run -- clinfo"), Some(Run));
        assert!(matches!(treatment("cargo xtask install"), Some(NotRun(_))));
        assert_eq!(treatment("cargo xtask install --prefix DIR"), Some(Run));
        assert!(matches!(treatment("apt install ./x.deb"), Some(NotRun(_))));
        assert_eq!(treatment("rm -rf ."), None);
    }

    #[test]
    fn options_that_do_not_exist_are_told() {
        let xtask = "run\nsoak\nsoak --minutes\nsoak --race\n".to_string();
        let known = Known { xtask, heklac: "  --emit=KIND".to_string() };
        let option_fault = |text: &str| known.option_fault(text);
        assert_eq!(option_fault("cargo xtask soak --minutes 10 --race"), None);
        assert_eq!(option_fault("cargo xtask run -- clinfo --anything"), None);
        assert_eq!(option_fault("some other --thing"), None);
        assert!(option_fault("cargo xtask soak --hours 10").unwrap().contains("--hours"));
        assert!(option_fault("cargo xtask bake").unwrap().contains("bake"));
        assert!(option_fault("heklac x.cl --emit=ir --fast").unwrap().contains("--fast"));
        assert_eq!(option_fault("heklac FILE.cl [options] --emit=ir:PASS"), None);
    }
}
