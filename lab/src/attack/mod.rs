//! `cargo xtask attack [KIND...] [--minutes N] [--count N] [--seed N] [--jobs N] [--driver NAME] [--library FILE]`:
//! attacks on the library, each of them random and reproducible from its seed.
//!
//! Code that may crash or hang runs in processes of its own ([`process`]): `attack --child KIND` is such a process.

mod batch;
mod binaries;
mod bombs;
mod cache;
mod faults;
mod growth;
mod modules;
mod process;
mod request;
mod sequences;
mod texts;

use crate::system::step;
use crate::Outcome;
pub use request::Request;

/// A kind of attack.
pub struct Kind {
    /// The name on the command line.
    pub name: &'static str,
    /// A description for the person who watches the attack.
    pub about: &'static str,
    /// Runs the attack, or one of its processes where `is_child` is set; returns an error if the library did not hold.
    pub run: fn(&Request) -> Outcome,
}

/// All kinds, in the order in which they run where none is named.
#[rustfmt::skip]
const KINDS: &[Kind] = &[
    Kind { name: "sequences", about: "random sequences of commands against a model", run: sequences::run },
    Kind { name: "binaries", about: "program binaries, changed, with a digest that is right", run: binaries::run },
    Kind { name: "cache", about: "a disk cache with entries damaged, forged and exchanged", run: cache::run },
    Kind { name: "faults", about: "no memory, no threads, no files, huge sizes, signals and forks", run: faults::run },
    Kind { name: "modules", about: "SPIR-V, changed word by word", run: modules::run },
    Kind { name: "texts", about: "OpenCL C, changed token by token, and options", run: texts::run },
    Kind { name: "growth", about: "what the compiler takes for programs of twice the size", run: growth::run },
    Kind { name: "bombs", about: "small programs that want much", run: bombs::run },
];

/// Runs every kind that is named, or all kinds; continues after one that fails.
pub fn run(request: &Request) -> Outcome {
    let wanted =
        |kind: &&Kind| request.kinds.is_empty() || request.kinds.contains(&kind.name.to_string());
    let mut failed = Vec::new();
    for kind in KINDS.iter().filter(wanted) {
        if request.is_child {
            return (kind.run)(request);
        }
        step(&format!("{}: {}", kind.name, kind.about));
        if let Err(message) = (kind.run)(request) {
            eprintln!("{}: {message}", kind.name);
            failed.push(kind.name);
        }
    }
    match failed.is_empty() {
        true => Ok(()),
        false => Err(format!("the library did not hold: {}", failed.join(", "))),
    }
}
