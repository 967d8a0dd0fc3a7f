//! `cargo xtask attack growth | bombs`.

mod bombs;
mod growth;

use crate::Outcome;

/// Runs an attack.
pub fn run(args: &[String]) -> Outcome {
    match args.split_first() {
        Some((name, rest)) if name == "growth" => growth::run(rest),
        Some((name, rest)) if name == "bombs" => bombs::run(rest),
        _ => Err("attack needs a name: growth or bombs".to_string()),
    }
}
