//! `cargo xtask reference`: random programs with one right result, interpreted as SPIR-V for devices of
//! several kinds and compared with what the C compiler makes of them; no device is needed. `cargo test`
//! does the same with a few programs.

use crate::system::{self, cargo, step};
use crate::Outcome;

/// Runs the command.
pub fn run(args: &[String]) -> Outcome {
    let (mut first, mut count) = (0u64, 1000u64);
    let mut words = args.iter();
    while let Some(word) = words.next() {
        let value = words.next().and_then(|value| value.parse().ok());
        let number = value.ok_or_else(|| format!("{word} needs a number"))?;
        match word.as_str() {
            "--first" => first = number,
            "--count" => count = number,
            _ => return Err(format!("unknown option '{word}'")),
        }
    }
    let seeds = format!("{first}..{}", first.saturating_add(count));
    step(&format!("programs {seeds}"));
    let test = ["test", "--release", "-p", "hekla-spirv-interp", "--test", "random_programs"];
    system::run(cargo(&test).env("HEKLA_SEEDS", seeds))
}
