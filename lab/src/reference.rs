//! `cargo xtask reference`: random programs with one right result, interpreted as SPIR-V for devices of several kinds
//! and compared with the results of the C compiler; no device is needed. `cargo test` does the same with a few
//! programs.

use crate::system::{self, cargo, step};
use crate::Outcome;

/// Options of the command: which programs.
#[derive(clap::Args)]
pub struct Request {
    /// Number of the first program
    #[arg(long, value_name = "N", default_value_t = 0)]
    first: u64,
    /// Number of programs
    #[arg(long, value_name = "N", default_value_t = 1000)]
    count: u64,
}

/// Runs the command.
pub fn run(Request { first, count }: &Request) -> Outcome {
    let seeds = format!("{first}..{}", first.saturating_add(*count));
    step(&format!("programs {seeds}"));
    let test = ["test", "--release", "-p", "hekla-spirv-interp", "--test", "random_programs"];
    system::run(cargo(&test).env("HEKLA_SEEDS", seeds))
}
