//! `cargo xtask corpus [--dir DIR] [options]`: brings real OpenCL programs here and compiles each;
//! `compiler/examples/corpus.rs` says how.

mod fetch;
mod modules;

use crate::system::{self, cargo, run, step};
use crate::Outcome;
use std::path::PathBuf;
use std::process::Command;

/// Compiles all programs of the corpus in a folder (`--dir`), else in that of `target`.
pub fn run_command(args: &[String]) -> Outcome {
    let (folder, rest) = match args {
        [flag, folder, rest @ ..] if flag == "--dir" => (PathBuf::from(folder), rest),
        rest => (system::target().join("corpus"), rest),
    };
    let programs = fetch::all(&folder)?;
    step("compiling");
    run(example().arg(&programs).args(rest))
}

/// Returns the folder of the corpus; fetches what is missing.
pub fn fetched() -> Result<PathBuf, String> {
    fetch::all(&system::target().join("corpus"))
}

/// Returns the program that knows the corpus, without its arguments.
pub fn example() -> Command {
    let package = ["run", "--quiet", "--release", "-p", "hekla-compiler"];
    cargo(&[&package[..], &["--example", "corpus", "--"]].concat())
}
