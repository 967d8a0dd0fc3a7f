//! The laboratory: commands that measure, compare, attack and run for hours are a program of its own (`lab/`), so that
//! nobody who builds or tests has to build them.

use crate::system::{self, cargo};
use crate::Outcome;

/// The text of `cargo xtask help` about the laboratory.
pub const COMMANDS: &str = "\
Commands of the laboratory, each with --help:
  bench         measure all OpenCL platforms side by side with Hekla
  cts           run Khronos CTS binaries as cts-config/ describes
  corpus        compile every program of hashcat, darktable, CLBlast, llama.cpp and others
  apps          run programs of Debian, PyPI and public repositories, and check their results
  hashcat       hashcat tests itself and cracks an example hash in each of 41 modes
  gpus          compile programs for GPUs that are not here, with those GPUs' own compilers
  instructions  count the host's instructions in launches and in clSetKernelArg
  ulp           measure the errors of the math functions
  differ        run random programs with one right result on all OpenCL platforms
  reference     run the same programs in a SPIR-V interpreter
  soak          create, use and release every kind of object at random, by many threads
  attack        attack the library: texts, modules, binaries, caches, faults
  fuzz          fuzz preprocessor, parser, lowering and IR reader";

/// Runs a command of the laboratory.
pub fn run(words: &[String]) -> Outcome {
    let status = cargo(&["run", "--quiet", "--package", "hekla-lab", "--"])
        .args(words)
        .status()
        .map_err(|error| format!("cannot run the laboratory: {error}"))?;
    match status.code() {
        Some(0) => Ok(()),
        // The laboratory has printed the reason.
        code => std::process::exit(code.unwrap_or(1)),
    }
}

/// Runs a command of the laboratory as a part of another command: its output is shown, and it must succeed.
pub fn part(words: &[&str]) -> Outcome {
    system::run(cargo(&["run", "--quiet", "--package", "hekla-lab", "--"]).args(words))
}

/// Returns the options of the laboratory's commands, one `COMMAND --OPTION` per line, and a line `COMMAND` for each command.
pub fn options() -> Result<String, String> {
    system::capture(&mut cargo(&["run", "--quiet", "--package", "hekla-lab", "--", "options"]))
}
