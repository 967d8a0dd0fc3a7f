//! Timestamps of fewer than 64 bits, extended to tick counts that never wrap.
//!
//! A queue family's timestamps have timestampValidBits bits (Vulkan specification, 18.5): 36 on Intel's GPUs,
//! where they wrap around about every hour and a half. A timestamp is extended by a lower bound: the moment at which
//! its batch was submitted, as the host's clock saw it. The result is right if the timestamp was taken
//! within three quarters of a period after that.

/// One moment, by both clocks.
#[derive(Debug, Clone, Copy)]
struct Anchor {
    /// Extended ticks of the device.
    ticks: u64,
    /// Nanoseconds of the host's CLOCK_MONOTONIC.
    host_ns: u64,
}

/// Extends the timestamps of one device.
#[derive(Debug)]
pub(crate) struct TickCounter {
    valid_bits: u32,
    /// Nanoseconds per tick.
    period_ns: f64,
    anchor: Option<Anchor>,
}

impl TickCounter {
    pub(crate) fn new(valid_bits: u32, period_ns: f64) -> TickCounter {
        TickCounter { valid_bits: valid_bits.min(64), period_ns, anchor: None }
    }

    /// Returns true if timestamps have 64 bits, so that there is nothing to extend.
    pub(crate) fn is_complete(&self) -> bool {
        self.valid_bits == 64
    }

    /// Returns true if the device's clock has not been compared with the host's yet.
    pub(crate) fn needs_anchor(&self) -> bool {
        !self.is_complete() && self.anchor.is_none()
    }

    /// Extends a reading of the device's clock at `host_ns`, which later timestamps are measured from.
    pub(crate) fn extend_reading(&mut self, ticks: u64, host_ns: u64) -> u64 {
        let half = self.ticks_of_period() / 2;
        let least = self.expected(host_ns).map_or(self.origin(), |now| now.saturating_sub(half));
        let ticks = next_congruent(ticks, self.valid_bits, least);
        if self.anchor.is_none_or(|anchor| anchor.host_ns <= host_ns) {
            self.anchor = Some(Anchor { ticks, host_ns });
        }
        ticks
    }

    /// Returns a lower bound for the timestamps of a batch that was submitted at `host_ns`; `first` is the batch's first
    /// timestamp. The bound is early by a quarter of a period, for the drift between the two clocks.
    pub(crate) fn lower_bound(&mut self, first: u64, host_ns: u64) -> u64 {
        let quarter = self.ticks_of_period() / 4;
        match self.expected(host_ns) {
            Some(submitted) => submitted.saturating_sub(quarter),
            None => self.extend_reading(first, host_ns),
        }
    }

    /// Returns the least extended count, not below `least`, of which `ticks` are the valid bits.
    pub(crate) fn extend(&self, ticks: u64, least: u64) -> u64 {
        next_congruent(ticks, self.valid_bits, least)
    }

    /// Extends the timestamp `ticks`, which was recorded after `previous`, an extended one. Allows for timestamps
    /// that are a little out of order.
    pub(crate) fn extend_next(&self, ticks: u64, previous: u64) -> u64 {
        self.extend(ticks, previous.saturating_sub(self.ticks_of_period() / 1024))
    }

    /// Returns the expected extended count at `host_ns`, from the anchor; `None` without one.
    fn expected(&self, host_ns: u64) -> Option<u64> {
        let anchor = self.anchor?;
        let ticks = |ns: u64| (ns as f64 / self.period_ns) as u64;
        Some(match host_ns.checked_sub(anchor.host_ns) {
            Some(since) => anchor.ticks.saturating_add(ticks(since)),
            None => anchor.ticks.saturating_sub(ticks(anchor.host_ns - host_ns)),
        })
    }

    /// Returns the number of ticks after which timestamps wrap around, at most `u64::MAX`.
    fn ticks_of_period(&self) -> u64 {
        1u64.checked_shl(self.valid_bits).unwrap_or(u64::MAX)
    }

    /// Returns the least extended count: two periods, so that earlier moments have a count as well.
    fn origin(&self) -> u64 {
        if self.is_complete() {
            0
        } else {
            self.ticks_of_period().saturating_mul(2)
        }
    }
}

/// Returns the least number, not below `least`, that agrees with `ticks` in the low `bits` bits.
fn next_congruent(ticks: u64, bits: u32, least: u64) -> u64 {
    let mask = match bits {
        0..=63 => (1 << bits) - 1,
        _ => return ticks,
    };
    least.wrapping_add(ticks.wrapping_sub(least) & mask)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;
    /// Nanoseconds per tick of Intel's Gen9 GPUs, whose clock has 12 MHz. 36 bits of ticks last 95 minutes.
    const INTEL: f64 = 1e9 / 12e6;

    /// Simulates a device whose clock began at `start` ticks: returns a function from the host's time to the device's
    /// timestamp.
    fn device(bits: u32, period_ns: f64, start: u64) -> impl Fn(u64) -> u64 {
        let mask = if bits == 64 { u64::MAX } else { (1 << bits) - 1 };
        move |host_ns| start.wrapping_add((host_ns as f64 / period_ns) as u64) & mask
    }

    #[test]
    fn the_next_congruent_number_is_found() {
        assert_eq!(next_congruent(5, 4, 0), 5);
        assert_eq!(next_congruent(5, 4, 5), 5);
        assert_eq!(next_congruent(5, 4, 6), 21);
        assert_eq!(next_congruent(0xf5, 4, 32), 37);
        assert_eq!(next_congruent(3, 32, (1 << 32) - 2), (1 << 32) + 3);
        assert_eq!(next_congruent(7, 36, 5 << 36 | 8), 6 << 36 | 7);
        assert_eq!(next_congruent(7, 64, 8), 7);
        assert_eq!(next_congruent(u64::MAX, 64, 0), u64::MAX);
    }

    #[test]
    fn timestamps_of_64_bits_are_themselves() {
        let mut counter = TickCounter::new(64, 1.0);
        assert!(counter.is_complete() && !counter.needs_anchor());
        assert_eq!(counter.extend_reading(5, 100), 5);
        let least = counter.lower_bound(u64::MAX, 200);
        assert_eq!(counter.extend(u64::MAX, least), u64::MAX);
        assert_eq!(counter.extend_next(3, u64::MAX), 3);
    }

    /// Checks commands of one second, one every `step` seconds: their begin and end are in order, and one second apart.
    fn commands_keep_their_times(bits: u32, period_ns: f64, start: u64, step: u64, count: u64) {
        let now = device(bits, period_ns, start);
        let mut counter = TickCounter::new(bits, period_ns);
        assert!(counter.needs_anchor());
        counter.extend_reading(now(0), 0);
        let per_second = SECOND as f64 / period_ns;
        let near = |a: u64, seconds: u64| (a as f64 - seconds as f64 * per_second).abs() < 3.0;
        let mut first = None;
        for i in 0..count {
            let submitted = i * step * SECOND;
            let (begin, end) = (now(submitted + SECOND), now(submitted + 2 * SECOND));
            let least = counter.lower_bound(begin, submitted);
            let begin = counter.extend(begin, least);
            let end = counter.extend_next(end, begin);
            assert!(near(end - begin, 1), "command {i}: {begin} to {end}");
            let first = *first.get_or_insert(begin);
            assert!(
                near(begin - first, i * step),
                "command {i}: {} since the first",
                begin - first
            );
        }
    }

    #[test]
    fn durations_are_right_over_a_wrap() {
        // 36 bits of 83 ns: the count wraps within the first command, and later again, after hours of idleness.
        commands_keep_their_times(36, INTEL, (1 << 36) - 18_000_000, 60, 1000);
        commands_keep_their_times(36, INTEL, 0, 5 * 3600, 100);
        // 32 bits of 52 ns: the count wraps every 223 seconds.
        commands_keep_their_times(32, 1e9 / 19.2e6, (1 << 32) - 10, 7, 1000);
        commands_keep_their_times(32, 1e9 / 19.2e6, 1 << 31, 1000, 100);
        commands_keep_their_times(48, 1e9 / 19.2e6, (1 << 48) - 1, 3600, 100);
        commands_keep_their_times(63, 1.0, (1 << 63) - 1, 3600, 100);
    }

    #[test]
    fn a_command_may_take_nearly_a_period() {
        let now = device(36, INTEL, 12345);
        let mut counter = TickCounter::new(36, INTEL);
        counter.extend_reading(now(0), 0);
        let hour = 3600 * SECOND;
        let least = counter.lower_bound(now(hour), hour);
        let begin = counter.extend(now(hour), least);
        let end = counter.extend_next(now(hour + 5400 * SECOND), begin);
        assert_eq!((end - begin) / 12_000_000, 5400);
        // A timestamp that is a few ticks out of order is not taken for a timestamp of the next period.
        assert_eq!(counter.extend_next(now(hour) - 3, begin), begin - 3);
    }

    #[test]
    fn clocks_may_drift_and_readings_renew_the_anchor() {
        // The device's clock is slow by 100 millionths.
        let now = device(32, 1e9 / 19.2e6 * 1.0001, 77);
        let mut counter = TickCounter::new(32, 1e9 / 19.2e6);
        let mut previous = counter.extend_reading(now(0), 0);
        for day in 1..100u64 {
            let host = day * 86_400 * SECOND;
            let reading = counter.extend_reading(now(host), host);
            let ticks = (reading - previous) as f64;
            assert!((ticks / (86_400.0 * 19.2e6) - 1.0).abs() < 0.0002, "day {day}: {ticks}");
            previous = reading;
        }
    }

    #[test]
    fn moments_before_the_first_reading_have_counts() {
        let now = device(36, INTEL, 5);
        let mut counter = TickCounter::new(36, INTEL);
        let reading = counter.extend_reading(now(100 * SECOND), 100 * SECOND);
        let least = counter.lower_bound(now(SECOND), 0);
        let earlier = counter.extend(now(SECOND), least);
        assert_eq!((reading - earlier) / 12_000_000, 99);
    }
}
