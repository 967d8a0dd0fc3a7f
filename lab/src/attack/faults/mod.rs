//! `attack faults`: a lack of memory, threads and files, sizes that nobody can serve, signals, forks, and invalid
//! handles. A function returns an error that the specification has for it, and later calls work.
//!
//! Most cases are tried while a process runs, many times each ([`cases`], [`huge`]); faults that a process finds when
//! it begins are [`scenes`].

mod cases;
mod huge;
mod scenes;

use super::batch::child::{Child, Verdict};
use super::batch::opencl::World;
use super::batch::random::Random;
use super::batch::{self, known, scene, Batch};
use super::process::Target;
use super::Request;
use crate::platform::attack::{limit, Limit};
use crate::Outcome;
use std::time::Duration;

/// The function that tries a case.
type Run = fn(&World, &mut Random, &mut Child) -> Result<(), Verdict>;

/// A case: its name, its weight among the others, and its function.
type Case = (&'static str, usize, Run);

const CASES: [Case; 13] = [
    ("memory", 24, cases::memory),
    ("files", 6, cases::files),
    ("file size", 4, cases::file_size),
    ("interrupts", 4, cases::interrupts),
    ("wrong handles", 6, cases::wrong_handles),
    ("fork", 3, cases::fork),
    ("cancellation", 2, cases::cancellation),
    ("a source of 3 GB", 2, huge::source),
    ("a kernel of many lines", 1, huge::lines),
    ("options of 1.5 GB", 1, huge::options),
    ("arguments of 3 GB", 2, huge::native_arguments),
    ("binaries and modules of 3 GB", 2, huge::binaries),
    ("lists of millions", 2, huge::lists),
];

/// Runs the attack, or one of its processes.
pub fn run(request: &Request) -> Outcome {
    if request.is_child {
        return scene::once(request).unwrap_or_else(|| child(request));
    }
    let target = Target::of(request)?;
    let batch = Batch {
        kind: "faults",
        target: &target,
        mode: request.with.clone().unwrap_or_default(),
        prepare: &|_| {},
        per_process: 500,
        limit: Duration::from_secs(60),
        // Options of 1.5 GB are the attack's own.
        memory: 6 << 30,
    };
    let cases = batch::attack(request, &batch);
    let scenes = scenes::play(request, &target);
    cases.and(scenes)
}

fn child(request: &Request) -> Outcome {
    let child = Child::open(request)?;
    let world = World::open()?;
    known::run(&world, 1, "").map_err(|verdict| format!("before all: {verdict:?}"))?;
    let total = CASES.iter().map(|case| case.1).sum();
    child.run(request, |seed, child| {
        let mut random = Random::new(seed);
        let (name, case) = choose(random.below(total), &child.mode);
        child.stage(name);
        let verdict = case(&world, &mut random, child);
        for what in [Limit::Memory, Limit::FileSize, Limit::Files] {
            let _ = limit(what, None);
        }
        child.stage("afterwards");
        let after = known::run(&world, seed as u32 % 1000, "");
        match (verdict, after) {
            (Ok(()), Ok(())) => Verdict::Same,
            (Err(Verdict::Wrong(what)), _) => Verdict::Wrong(format!("{name}: {what}")),
            (Err(verdict), Ok(())) => verdict,
            (_, Err(what)) => {
                child.lost = true;
                Verdict::Wrong(format!("{name}: afterwards {what:?}"))
            }
        }
    })
}

/// Returns the case of a number below the sum of all weights, or the named case, if one is named.
fn choose(number: usize, wanted: &str) -> (&'static str, Run) {
    let mut rest = number;
    for (name, often, case) in CASES {
        if wanted == name || wanted.is_empty() && rest < often {
            return (name, case);
        }
        rest = rest.saturating_sub(often);
    }
    (CASES[0].0, CASES[0].2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_are_chosen_by_how_often_they_are_tried_or_by_name() {
        assert_eq!(choose(0, "").0, "memory");
        assert_eq!(choose(23, "").0, "memory");
        assert_eq!(choose(24, "").0, "files");
        let total: usize = CASES.iter().map(|case| case.1).sum();
        assert_eq!(choose(total - 1, "").0, "lists of millions");
        assert_eq!(choose(0, "fork").0, "fork");
    }
}
