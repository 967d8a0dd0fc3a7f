//! `cargo xtask corpus [--dir DIR] [options]`: fetches real OpenCL programs and compiles each;
//! `compiler/examples/corpus.rs` describes how.

mod fetch;
mod modules;

use crate::system::{self, cargo, step};
use crate::Outcome;
use std::path::PathBuf;
use std::process::Command;

/// Options of the command: which programs, and how.
#[derive(clap::Args)]
pub struct Request {
    /// The folder of the programs, in place of the one in `target`
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Pass every module to spirv-val
    #[arg(long)]
    validate: bool,
    /// Compile for a device that has no more than it must
    #[arg(long)]
    minimal: bool,
    /// Programs whose names have the text
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// How many programs are compiled at once
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Lanes of vectors that hashcat's kernels are compiled for
    #[arg(long, value_name = "N")]
    vector: Option<u32>,
}

/// Compiles all programs of the corpus.
pub fn run(request: &Request) -> Outcome {
    let folder = request.dir.clone().unwrap_or_else(|| system::target().join("corpus"));
    let programs = fetch::all(&folder)?;
    step("compiling");
    let mut compile = example();
    compile.arg(&programs);
    compile.args(request.validate.then_some("--validate"));
    compile.args(request.minimal.then_some("--minimal"));
    compile.args(request.only.iter().flat_map(|text| ["--only", text]));
    let numbers =
        [("--threads", request.threads), ("--vector", request.vector.map(|n| n as usize))];
    for (option, number) in numbers {
        compile.args(number.iter().flat_map(|n| [option.to_string(), n.to_string()]));
    }
    system::run(&mut compile)
}

/// Returns the folder of the corpus; fetches what is missing.
pub fn fetched() -> Result<PathBuf, String> {
    fetch::all(&system::target().join("corpus"))
}

/// Returns the command that runs the compiler's example `corpus`, without its arguments.
pub fn example() -> Command {
    let package = ["run", "--quiet", "--release", "-p", "hekla-compiler"];
    cargo(&[&package[..], &["--example", "corpus", "--"]].concat())
}
