//! Attacks of many small cases: each case is a seed, and a process tries many of them, one after the other. When a
//! process dies, the case that it was in is tried once more in a process of its own, and counted; the next process
//! continues with the case behind it.

pub mod child;
mod death;
pub mod exercise;
pub mod known;
pub mod opencl;
mod process;
pub mod random;
pub mod scene;
pub mod spirv;
mod tally;

use super::process::Target;
use super::Request;
use crate::Outcome;
use process::End;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::Mutex;
use std::time::{Duration, Instant};
use tally::{Fate, Tally};

/// The number of processes that may end by a fault of the library before an attack stops: each takes seconds, and they
/// report the same.
const MOST: u64 = 40;

/// An attack.
pub struct Batch<'a> {
    /// The name on the command line.
    pub kind: &'static str,
    pub target: &'a Target,
    /// The mode of the children: [`child::Errand::mode`].
    pub mode: String,
    /// Prepares the command of a child.
    pub prepare: &'a (dyn Fn(&mut Command) + Sync),
    /// The number of cases that a process tries.
    pub per_process: u64,
    /// How long a case may take.
    pub limit: Duration,
    /// Bytes of memory that a process may have.
    pub memory: u64,
}

/// Returns the files of a folder with an ending, ordered by name.
pub fn files_in(folder: &Path, ending: &str) -> Result<Vec<PathBuf>, String> {
    let entries = crate::system::read_folder(folder)?;
    let mut all: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    all.retain(|path| path.extension().is_some_and(|extension| extension == ending));
    all.sort();
    Ok(all)
}

/// Attacks that also launch do so with one program of this many.
pub const LAUNCHED: usize = 8;

impl<'a> Batch<'a> {
    /// Returns a batch whose cases each build a small program.
    pub fn of_programs(kind: &'static str, target: &'a Target, request: &Request) -> Batch<'a> {
        Batch {
            kind,
            target,
            mode: request.with.clone().unwrap_or_default(),
            prepare: &|_| {},
            per_process: 10_000,
            limit: Duration::from_secs(30),
            memory: 2 << 30,
        }
    }
}

/// An attack that is running.
struct Attack<'a> {
    batch: &'a Batch<'a>,
    request: &'a Request,
    until: Option<Instant>,
    next: AtomicU64,
    stop: AtomicBool,
    tally: Mutex<Tally>,
}

/// Attacks with as many processes at once as asked for. Returns an error if the library did not hold.
pub fn attack(request: &Request, batch: &Batch<'_>) -> Outcome {
    let attack = Attack {
        batch,
        request,
        until: Instant::now().checked_add(request.time()),
        next: AtomicU64::new(0),
        stop: AtomicBool::new(false),
        tally: Mutex::default(),
    };
    let start = Instant::now();
    let jobs = std::thread::scope(|scope| {
        let job = |number| {
            scope.spawn({
                let attack = &attack;
                move || attack.work(number)
            })
        };
        let jobs: Vec<_> = (0..usize::from(request.jobs)).map(job).collect();
        jobs.into_iter().map(|job| job.join()).collect::<Vec<_>>()
    });
    let tally = attack.tally.into_inner().map_err(|e| e.to_string())?;
    println!("{}; {} s", tally.summary(batch.kind), start.elapsed().as_secs());
    for job in jobs {
        job.map_err(|_| "a thread that watches a process panicked")??;
    }
    match (tally.cases(), tally.faults()) {
        (0, _) => Err("no case was tried".to_string()),
        (_, 0) => Ok(()),
        (_, faults) => Err(format!("{faults} faults")),
    }
}

impl Attack<'_> {
    /// Tries cases with one process after the other.
    fn work(&self, job: usize) -> Outcome {
        let log = self.request.folder(self.batch.kind)?;
        let log = log.join(format!("{}-{job}.log", std::process::id()));
        let count = self.request.count.unwrap_or(u64::MAX);
        let mut result = Ok(());
        while result.is_ok() && !self.stop.load(Ordering::Relaxed) {
            // The last chunks are small, so that all jobs end at the same time.
            let share = (count / u64::from(self.request.jobs) / 2).clamp(1, self.batch.per_process);
            let first = self.next.fetch_add(share, Ordering::Relaxed);
            if first >= count {
                break;
            }
            let seed = self.request.seed.wrapping_add(first);
            result = self.chunk(&log, seed, share.min(count - first));
        }
        if result.is_err() {
            self.stop.store(true, Ordering::Relaxed);
        }
        let _ = std::fs::remove_file(&log);
        let _ = std::fs::remove_file(child::errors_of(&log));
        result
    }

    /// Tries all cases from a seed on.
    fn chunk(&self, log: &std::path::Path, mut seed: u64, mut count: u64) -> Outcome {
        while count > 0 && !self.stop.load(Ordering::Relaxed) {
            let mut each = |seed, fate, took| self.add(seed, &fate, took);
            let last = match process::run(self.batch, log, seed, count, self.until, &mut each)? {
                End::Done { last } => last,
                End::Late => {
                    self.stop.store(true, Ordering::Relaxed);
                    return Ok(());
                }
                End::InCase { seed: at, fate, took } => {
                    let fate = match at == seed {
                        true => fate,
                        false => self.alone(log, at, fate)?,
                    };
                    self.add(at, &fate, took);
                    at
                }
            };
            let tried = last.wrapping_sub(seed) + 1;
            seed = seed.wrapping_add(tried);
            count = count.saturating_sub(tried);
        }
        Ok(())
    }

    /// Tries a case in which a process ended once again, in a process of its own.
    fn alone(&self, log: &std::path::Path, seed: u64, fate: Fate) -> Result<Fate, String> {
        // A case that hangs once more takes as much time again.
        if matches!(fate, Fate::Endless | Fate::Hung(_)) {
            return Ok(fate);
        }
        let end = process::run(self.batch, log, seed, 1, None, &mut |_, _, _| {})?;
        Ok(match (end, fate) {
            (End::InCase { fate, .. }, _) => fate,
            (_, Fate::Crashed(text)) => Fate::Crashed(format!("{text}, not when alone")),
            (_, Fate::Grew(text)) => Fate::Grew(format!("{text}, not when alone")),
            (_, fate) => fate,
        })
    }

    fn add(&self, seed: u64, fate: &Fate, took: Duration) {
        if let Ok(mut tally) = self.tally.lock() {
            tally.add(self.batch.kind, seed, fate, took);
            if tally.ended() >= MOST && !self.stop.swap(true, Ordering::Relaxed) {
                println!("{}: so many processes ended badly that it stops", self.batch.kind);
            }
        }
    }
}
