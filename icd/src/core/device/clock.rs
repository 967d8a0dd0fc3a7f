//! Conversion of times from the device's clock to the host's. The result for a time never changes, and times that
//! are in order on the device stay in order.
//!
//! Both clocks are read together from time to time, since they drift apart by microseconds per second. For a while after a
//! reading the conversion assumes that the clocks run at the same rate; from the end of this time to the next reading it is
//! linear.

use std::collections::VecDeque;

/// The time after a reading for which the clocks are assumed to run at the same rate, in nanoseconds.
const ALIKE: u64 = 100_000_000;
/// The number of readings that are kept.
const READINGS: usize = 1024;

/// Both clocks at one moment, in nanoseconds.
#[derive(Debug, Clone, Copy)]
struct Reading {
    device: u64,
    host: u64,
}

/// The readings so far, in order.
#[derive(Debug, Default)]
pub struct DeviceClock(VecDeque<Reading>);

impl DeviceClock {
    /// Converts a time of the device to the host's clock; `None` if the clocks should be read first.
    pub fn on_host(&self, device: u64) -> Option<u64> {
        let after = self.0.partition_point(|reading| reading.device <= device);
        let Some(before) = after.checked_sub(1).map(|index| self.0[index]) else {
            let first = self.0.front()?;
            return Some(first.host.saturating_sub(first.device - device));
        };
        let since = device - before.device;
        if since <= ALIKE {
            return Some(before.host + since);
        }
        let (from, to) = (before.plus(ALIKE), self.0.get(after)?);
        let part = u128::from(device - from.device) * u128::from(to.host - from.host);
        Some(from.host + (part / u128::from(to.device - from.device)) as u64)
    }

    /// Converts a time of the device to the host's clock by the last reading, however old that reading is.
    pub fn on_host_by_last(&self, device: u64) -> Option<u64> {
        self.on_host(device).or_else(|| {
            let last = self.0.back()?;
            Some(last.host + device.saturating_sub(last.device))
        })
    }

    /// Adds a reading, unless there is a recent one.
    pub fn read(&mut self, device: u64, host: u64) {
        let mut reading = Reading { device, host };
        if let Some(last) = self.0.back() {
            let earliest = last.plus(ALIKE);
            if device <= earliest.device {
                return;
            }
            reading.host = host.max(earliest.host);
        }
        if self.0.len() == READINGS {
            self.0.pop_front();
        }
        self.0.push_back(reading);
    }
}

impl Reading {
    /// Returns the reading that would follow `time` nanoseconds later if the clocks ran at the same rate.
    fn plus(self, time: u64) -> Reading {
        Reading { device: self.device + time, host: self.host + time }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_reading_nothing_is_known() {
        let clock = DeviceClock::default();
        assert_eq!((clock.on_host(5), clock.on_host_by_last(5)), (None, None));
    }

    #[test]
    fn near_a_reading_the_clocks_run_alike() {
        let mut clock = DeviceClock::default();
        clock.read(1000, 501_000);
        assert_eq!(clock.on_host(1000), Some(501_000));
        assert_eq!(clock.on_host(400), Some(500_400));
        assert_eq!(clock.on_host(1000 + ALIKE), Some(501_000 + ALIKE));
        assert_eq!(clock.on_host(1001 + ALIKE), None);
        assert_eq!(clock.on_host_by_last(1001 + ALIKE), Some(501_001 + ALIKE));
        // This reading comes too soon after the last one, and is ignored.
        clock.read(2000, 9_999_999);
        assert_eq!(clock.on_host(2000), Some(502_000));
    }

    #[test]
    fn later_readings_change_nothing_that_was_answered() {
        let mut clock = DeviceClock::default();
        clock.read(0, 1_000_000);
        let known = clock.on_host(ALIKE);
        // The device's clock is slow by a thousandth.
        clock.read(2 * ALIKE, 1_000_000 + 2 * ALIKE + ALIKE / 500);
        assert_eq!(clock.on_host(ALIKE), known);
        assert_eq!(clock.on_host(ALIKE * 3 / 2), Some(1_000_000 + ALIKE * 3 / 2 + ALIKE / 1000));
        // The device's clock is fast now: converted times stand still, and do not run backwards.
        clock.read(3 * ALIKE + 1, 1_000_000 + 2 * ALIKE);
        let times: Vec<_> = (0..=400).map(|i| clock.on_host(i * ALIKE / 100).unwrap()).collect();
        assert!(times.is_sorted());
    }

    #[test]
    fn old_readings_are_forgotten() {
        let mut clock = DeviceClock::default();
        (0..2 * READINGS as u64).for_each(|i| clock.read(2 * i * ALIKE, 2 * i * ALIKE));
        assert_eq!(clock.0.len(), READINGS);
        assert_eq!(clock.on_host(7), Some(7));
    }
}
