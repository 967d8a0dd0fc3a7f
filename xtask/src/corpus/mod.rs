//! `cargo xtask corpus [--dir DIR] [options]`: brings real OpenCL programs here and compiles each;
//! `compiler/examples/corpus.rs` says how.

mod fetch;
mod modules;

use crate::system::{self, cargo, run, step};
use crate::Outcome;
use std::path::PathBuf;

pub fn run_command(args: &[String]) -> Outcome {
    let (folder, rest) = match args {
        [flag, folder, rest @ ..] if flag == "--dir" => (PathBuf::from(folder), rest),
        rest => (system::target().join("corpus"), rest),
    };
    let programs = fetch::all(&folder)?;
    step("compiling");
    let mut command = cargo(&[
        "run",
        "--quiet",
        "--release",
        "-p",
        "hekla-compiler",
        "--example",
        "corpus",
        "--",
    ]);
    run(command.arg(&programs).args(rest))
}
