//! The pace of a kernel: how long its work-items take, as far as launches in slices have measured it.
//!
//! The time may depend on the values of arguments, for example the number of rounds of a loop. A launch with values that were
//! never measured counts as short only if it is still short at `OTHER_VALUES` times the measured pace, and at that many times
//! more as its values exceed those that were measured.

use parking_lot::{Condvar, Mutex};
use smallvec::SmallVec;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

/// The most times as long that a launch with other values of arguments is assumed to take, if they are no greater.
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
    known: Mutex<Known>,
    is_measured: Condvar,
}

/// The values of arguments that were measured.
#[derive(Debug, Default)]
struct Known {
    /// The number of digests so far.
    next: usize,
    /// The digests of the last ones; each is stored at its number modulo [`VALUES`].
    digests: [Option<u64>; VALUES],
    /// The most bits of each value.
    bits: SmallVec<[u8; 8]>,
}

/// The arguments of a launch that are passed by value, as far as its pace may depend on them.
#[derive(Debug, Default, Clone)]
pub struct Values {
    digest: u64,
    /// The number of bits of each value without its sign, taken as an integer. An aggregate is taken as words of 32 bits.
    bits: SmallVec<[u8; 8]>,
}

impl Values {
    /// Adds the bytes of an argument, which lie `at` this offset in the kernel-argument buffer.
    pub fn add(&mut self, at: usize, bytes: &[u8]) {
        let mut hasher = DefaultHasher::new();
        (self.digest, at, bytes).hash(&mut hasher);
        self.digest = hasher.finish();
        let word = if bytes.len() == 8 { 8 } else { 4 };
        self.bits.extend(bytes.chunks(word).map(significant_bits));
    }
}

/// Returns the number of bits of the magnitude of a little-endian two's complement integer of at most 8 bytes.
fn significant_bits(bytes: &[u8]) -> u8 {
    let mut word = [0; 8];
    word[8 - bytes.len()..].copy_from_slice(bytes);
    let value = i64::from_le_bytes(word) >> (64 - 8 * bytes.len());
    (64 - value.unsigned_abs().leading_zeros()) as u8
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

    /// Returns true if a launch of `items` work-items, with arguments of these values, takes less than half of `time`,
    /// and counts the launch as one that runs as one dispatch. Returns false if nothing was measured, or if a new measurement
    /// is due. Of several launches that are enqueued at once the first one measures, and the others wait for it for a short
    /// time.
    pub fn is_short(&self, items: u64, values: &Values, time: Duration) -> bool {
        if self.get().is_none() {
            self.await_first();
        }
        let is_short = |pace: Measured| {
            let most = pace.items_in(time) / 2;
            most >= items && most / self.most_times(values) >= items
        };
        self.get().is_some_and(is_short)
            && self.whole.fetch_add(1, Ordering::Relaxed) < MEASURED_AGAIN
    }
}

impl Pace {
    /// Notes that a launch with arguments of these values was measured.
    pub fn remember(&self, values: &Values) {
        let known = &mut *self.known.lock();
        if !known.digests.contains(&Some(values.digest)) {
            known.digests[known.next % VALUES] = Some(values.digest);
            known.next += 1;
        }
        known.bits.resize(known.bits.len().max(values.bits.len()), 0);
        for (most, &bits) in known.bits.iter_mut().zip(&values.bits) {
            *most = bits.max(*most);
        }
    }

    /// Returns the most times as long as those that were measured that a launch with arguments of these values may take.
    fn most_times(&self, values: &Values) -> u64 {
        let known = self.known.lock();
        if known.digests.contains(&Some(values.digest)) {
            return 1;
        }
        let most = known.bits.iter().copied().chain(std::iter::repeat(0));
        let more: u32 = values
            .bits
            .iter()
            .zip(most)
            .map(|(&bits, most)| u32::from(bits.saturating_sub(most)))
            .sum();
        OTHER_VALUES.saturating_mul(1u64.checked_shl(more).unwrap_or(u64::MAX))
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

    fn values(arguments: &[u32]) -> Values {
        let mut values = Values::default();
        arguments.iter().enumerate().for_each(|(i, value)| values.add(4 * i, &value.to_le_bytes()));
        values
    }

    #[test]
    fn a_launch_with_greater_values_may_take_that_many_times_as_long() {
        let (pace, time) = (Pace::default(), Duration::from_millis(100));
        // A warm-up of one round, which takes a microsecond; half of 100 ms is 50,000 times as much.
        pace.measured(1000, 1000);
        pace.remember(&values(&[1, 500]));
        assert!(pace.is_short(1000, &values(&[1, 400]), time));
        assert!(pace.is_short(1000, &values(&[1000, 400]), time));
        assert!(!pace.is_short(1000, &values(&[4000, 400]), time));
        assert!(!pace.is_short(1000, &values(&[1000, 5000]), time));
        assert!(pace.is_short(1000, &values(&[u32::MAX, 400]), time), "-1");
        pace.remember(&values(&[4000, 400]));
        assert!(pace.is_short(1000, &values(&[3900, 400]), time));
    }

    #[test]
    fn short_launches_run_whole_until_they_are_measured_again() {
        let (pace, time) = (Pace::default(), Duration::from_millis(100));
        let [seven, eight] = [7, 8].map(|value: u32| values(&[value]));
        assert!(!pace.is_short(1, &seven, time));
        pace.measured(1000, 1_000_000);
        pace.remember(&seven);
        assert_eq!(pace.get().unwrap().items_in(time), 100_000);
        assert!(!pace.is_short(60_000, &seven, time));
        assert!(!pace.is_short(50_000, &eight, time));
        assert!(pace.is_short(50_000 / 64, &eight, time));
        let whole = 1 + (0..1000).take_while(|_| pace.is_short(50_000, &seven, time)).count();
        assert_eq!(whole as u32, MEASURED_AGAIN);
        // The new measurement is twice as slow; half of the difference counts.
        pace.measured(1000, 3_000_000);
        assert_eq!(pace.get().unwrap().items_in(time), 50_000);
        assert!(pace.is_short(25_000, &seven, time));
    }
}
