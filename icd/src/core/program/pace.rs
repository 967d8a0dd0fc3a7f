//! The pace of a kernel: how long its work-items take, as far as launches in slices have measured it.
//!
//! The time may depend on the values of arguments, for example the number of rounds of a loop. A launch with values that were
//! never measured counts as short only if it is still short at `OTHER_VALUES` times the measured pace.

use parking_lot::{Condvar, Mutex};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

/// The most times as long that a launch with other values of arguments is assumed to take.
const OTHER_VALUES: u64 = 32;
/// The number of launches whose values of arguments are remembered.
const VALUES: usize = 8;
/// The number of launches after which a kernel is measured again, since its arguments may have made it slower.
const MEASURED_AGAIN: u32 = 256;

/// The longest wait for a launch that is about to measure a kernel. That launch itself may be waiting for the thread that
/// waits.
const MAX_WAIT: Duration = Duration::from_millis(20);

/// The state of the first measurement.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum First {
    #[default]
    NotAsked,
    /// A launch is about to make the measurement.
    Expected,
    /// The measurement is made, or a thread has waited for it in vain.
    NotAwaited,
}

/// The pace of a kernel on one device.
#[derive(Debug, Default)]
pub struct Pace {
    /// Nanoseconds of a work-item as the bits of an `f64`; 0 before it is measured.
    bits: AtomicU64,
    /// Launches that ran as one dispatch since the last measurement.
    whole: AtomicU32,
    first: Mutex<First>,
    /// Digests of the values of arguments that were measured last, and the number of digests so far; a digest is stored at its
    /// number modulo [`VALUES`].
    known: Mutex<(usize, [Option<u64>; VALUES])>,
    is_measured: Condvar,
}

/// Nanoseconds that a work-item takes on the whole device, above 0.
#[derive(Debug, Clone, Copy)]
pub struct Measured(f64);

impl Measured {
    /// Returns how many work-items run in a time, at least 1.
    pub fn items_in(self, time: Duration) -> u64 {
        ((time.as_nanos() as f64 / self.0) as u64).max(1)
    }
}

impl Pace {
    /// Returns the measured pace, if there is one.
    pub fn get(&self) -> Option<Measured> {
        let measured = f64::from_bits(self.bits.load(Ordering::Relaxed));
        (measured > 0.0).then_some(Measured(measured))
    }

    /// Notes that `items` work-items took `time` nanoseconds. The new pace is the mean of this one and the old one.
    pub fn measured(&self, items: u64, time: u64) {
        let new = time.max(1) as f64 / items.max(1) as f64;
        let mean = self.get().map_or(new, |Measured(old)| f64::midpoint(old, new));
        self.bits.store(mean.to_bits(), Ordering::Relaxed);
        self.whole.store(0, Ordering::Relaxed);
        *self.first.lock() = First::NotAwaited;
        self.is_measured.notify_all();
    }

    /// Returns true if a launch of `items` work-items, with arguments of the digest `values`, takes less than half of `time`,
    /// and counts the launch as one that runs as one dispatch. Returns false if nothing was measured, or if a new measurement
    /// is due. Of several launches that are enqueued at once the first one measures, and the others wait for it for a short
    /// time.
    pub fn is_short(&self, items: u64, values: u64, time: Duration) -> bool {
        if self.get().is_none() {
            self.await_first();
        }
        let is_short = |pace: Measured| {
            let most = pace.items_in(time) / 2;
            most / OTHER_VALUES >= items || most >= items && self.knows(values)
        };
        self.get().is_some_and(is_short)
            && self.whole.fetch_add(1, Ordering::Relaxed) < MEASURED_AGAIN
    }
}

impl Pace {
    /// Notes that a launch with arguments of this digest was measured.
    pub fn remember(&self, values: u64) {
        if !self.knows(values) {
            let (next, known) = &mut *self.known.lock();
            known[*next % VALUES] = Some(values);
            *next += 1;
        }
    }

    fn knows(&self, values: u64) -> bool {
        self.known.lock().1.contains(&Some(values))
    }

    fn await_first(&self) {
        let mut first = self.first.lock();
        match *first {
            First::NotAsked => *first = First::Expected,
            First::Expected => {
                let is_expected = |first: &mut First| *first == First::Expected;
                self.is_measured.wait_while_for(&mut first, is_expected, MAX_WAIT);
                *first = First::NotAwaited;
            }
            First::NotAwaited => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_launches_run_whole_until_they_are_measured_again() {
        let (pace, time) = (Pace::default(), Duration::from_millis(100));
        assert!(!pace.is_short(1, 7, time));
        pace.measured(1000, 1_000_000);
        pace.remember(7);
        assert_eq!(pace.get().unwrap().items_in(time), 100_000);
        assert!(!pace.is_short(60_000, 7, time));
        assert!(!pace.is_short(50_000, 8, time));
        assert!(pace.is_short(50_000 / 32, 8, time));
        let whole = 1 + (0..1000).take_while(|_| pace.is_short(50_000, 7, time)).count();
        assert_eq!(whole as u32, MEASURED_AGAIN);
        // The new measurement is twice as slow; half of the difference counts.
        pace.measured(1000, 3_000_000);
        assert_eq!(pace.get().unwrap().items_in(time), 50_000);
        assert!(pace.is_short(25_000, 7, time));
    }
}
