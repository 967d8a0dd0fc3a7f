//! A process that runs sequences, and reports each of them in lines: `seed N`, then `done N` with the numbers of
//! operations and of refused calls, or `wrong N` with a report.

use super::api::Result;
use super::device::Device;
use super::sequence::{self, Base, SHARED};
use super::story::{LAST, STEPS, TOLD};
use crate::attack::Request;
use crate::Outcome;
use std::io::Write;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// The time after which a step counts as hanging.
const LIMIT: Duration = Duration::from_secs(60);

/// Runs the seeds that are asked for; returns an error if one was wrong.
pub fn run(request: &Request) -> Outcome {
    TOLD.store(request.with.as_deref() == Some("story"), Ordering::Relaxed);
    std::thread::spawn(watch);
    let device = Device::first()?;
    let count = request.count.unwrap_or(1);
    let mut base: Option<(u64, Base)> = None;
    let mut wrong = 0;
    for seed in request.seed..request.seed + count {
        tell(&format!("seed {seed}"));
        match run_one(&device, &mut base, seed) {
            Ok(told) => tell(&format!("done {} {}", told.operations, told.refused)),
            Err(report) => {
                wrong += 1;
                tell(&format!("wrong {seed}"));
                report.lines().for_each(|line| tell(&format!("| {line}")));
                // A wrong result must not make later ones wrong.
                base = None;
            }
        }
    }
    drop(base);
    match wrong {
        0 => Ok(()),
        _ => Err(format!("{wrong} sequences are wrong")),
    }
}

fn run_one(device: &Device, base: &mut Option<(u64, Base)>, seed: u64) -> Result<sequence::Counts> {
    let shared = seed / SHARED;
    if base.as_ref().is_none_or(|(of, _)| *of != shared) {
        *base = None;
        *base = Some((shared, Base::new(device, seed)?));
    }
    match base {
        Some((_, base)) => sequence::run(device, base, seed),
        None => Err("no context".to_string()),
    }
}

/// Prints a line at once: a process that crashes prints nothing afterwards.
fn tell(line: &str) {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{line}");
    let _ = out.flush();
}

/// Ends the process when no step ends for too long.
fn watch() {
    let mut before = STEPS.load(Ordering::Relaxed);
    loop {
        std::thread::sleep(LIMIT);
        let now = STEPS.load(Ordering::Relaxed);
        if now == before {
            let last = LAST.lock().map(|last| last.clone()).unwrap_or_default();
            tell(&format!("hang {last}"));
            std::process::abort();
        }
        before = now;
    }
}
