//! Counts dispatches, and says of what kind wrong results are.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::Mutex;
use std::time::Duration;

use crate::kernel::{mix, Kernel, ID, WORDS};
use crate::lane::UNWRITTEN;

/// Counts of the results of all threads.
#[derive(Default)]
pub struct Tally {
    /// The lowest id of this run, so that code of other runs, from a cache on disk, is recognized.
    base: u32,
    /// The number of different kernels; 0 if no kernel is made twice.
    kernels: u32,
    made: AtomicU32,
    dispatches: AtomicU64,
    nothing_written: AtomicU64,
    others_code: AtomicU64,
    something_else: AtomicU64,
    right_again: AtomicU64,
    longest: Mutex<Duration>,
}

impl Tally {
    pub fn new(kernels: u32) -> Tally {
        let clock = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let seed = clock.map_or(0, |t| t.as_nanos() as u32) ^ std::process::id();
        Tally { base: mix(seed), kernels, ..Tally::default() }
    }

    /// Returns the next kernel to make.
    pub fn next(&self) -> Kernel {
        let made = self.made.fetch_add(1, Ordering::Relaxed);
        let number = made.checked_rem(self.kernels).unwrap_or(made);
        Kernel { id: self.base.wrapping_add(number), length: 4 + mix(number) % 61 }
    }

    /// Counts the result of a kernel's first dispatch. Returns true if the result is right.
    pub fn judge(&self, kernel: Kernel, number: u32, words: &[u32; WORDS]) -> bool {
        self.dispatches.fetch_add(1, Ordering::Relaxed);
        if *words == kernel.results(number) {
            return true;
        }
        let of_other = words[ID].wrapping_sub(self.base) < self.made.load(Ordering::Relaxed);
        let counter = match words[ID] {
            _ if words[1..].iter().all(|word| *word == UNWRITTEN) => &self.nothing_written,
            id if id != kernel.id && of_other => &self.others_code,
            _ => &self.something_else,
        };
        counter.fetch_add(1, Ordering::Relaxed);
        false
    }

    /// Counts a command buffer that gave the right result when it was submitted again.
    pub fn right_again(&self) {
        self.right_again.fetch_add(1, Ordering::Relaxed);
    }

    /// Records the longest time that a thread has taken to make a submission.
    pub fn took(&self, longest: Duration) {
        let mut all = self.longest.lock().unwrap();
        *all = longest.max(*all);
    }

    /// Returns the counts in one line.
    pub fn report(&self) -> String {
        let n = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let [nothing, other, rest] =
            [&self.nothing_written, &self.others_code, &self.something_else].map(n);
        let wrong = nothing + other + rest;
        let mut line = format!("wrong {wrong} of {}", n(&self.dispatches));
        if wrong > 0 {
            let again = n(&self.right_again);
            line += &format!(
                " (nothing written {nothing}, another kernel's code {other}, else {rest}; \
                 right when submitted again {again})"
            );
        }
        let longest = self.longest.lock().unwrap().as_secs_f64() * 1e3;
        line + &format!("; longest wait to submit {longest:.1} ms")
    }
}
