//! The device's clock: conversion of ticks to nanoseconds, and readings together with the host's clock.

use ash::{ext, khr, vk};
use parking_lot::Mutex;

use crate::device::tick_counter::TickCounter;
use crate::physical::PhysicalDevice;
use crate::platform::{reading_to_ns, TIME_DOMAIN};

/// Readings of the device's and the host's clock at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClockCorrelation {
    /// The device's clock in nanoseconds, as in [`crate::Timestamps`].
    pub device_ns: u64,
    /// The host's monotonic clock in nanoseconds.
    pub host_ns: u64,
    /// The most nanoseconds between the readings of the two clocks.
    pub max_deviation_ns: u64,
    /// True if VK_EXT_calibrated_timestamps read both clocks together. Otherwise a command took a timestamp, and its moment on
    /// the host is the middle between submission and completion.
    pub calibrated: bool,
}

/// Reads and converts the clocks of one device.
pub(crate) struct Clocks {
    /// Nanoseconds per tick, times 2^32.
    period: u128,
    /// True if timestamps have 64 bits, so that the counter is not needed.
    complete: bool,
    counter: Mutex<TickCounter>,
    calibration: Option<Calibration>,
}

enum Calibration {
    Ext(ext::calibrated_timestamps::Device),
    Khr(khr::calibrated_timestamps::Device),
}

impl Clocks {
    pub(crate) fn new(p: &PhysicalDevice, device: &ash::Device) -> Clocks {
        let instance = &p.instance.raw;
        let calibration = if !p.info.features.calibrated_timestamps {
            None
        } else if p.extensions.has(ext::calibrated_timestamps::NAME) {
            Some(Calibration::Ext(ext::calibrated_timestamps::Device::new(instance, device)))
        } else {
            Some(Calibration::Khr(khr::calibrated_timestamps::Device::new(instance, device)))
        };
        let period = f64::from(p.info.limits.timestamp_period);
        let counter = TickCounter::new(p.info.limits.timestamp_valid_bits, period);
        Clocks {
            period: (period * f64::from(2u32).powi(32)) as u128,
            complete: counter.is_complete(),
            counter: Mutex::new(counter),
            calibration,
        }
    }

    /// Converts extended ticks of the device to nanoseconds.
    fn ticks_to_ns(&self, ticks: u64) -> u64 {
        ((u128::from(ticks) * self.period) >> 32) as u64
    }

    /// Compares the device's clock with the host's before timestamps are taken, if their wrapping around makes
    /// that necessary.
    pub(crate) fn prepare(&self) {
        if !self.complete && self.counter.lock().needs_anchor() {
            // Without calibrated timestamps the first batch is the comparison of the clocks.
            let _ = self.read_calibrated();
        }
    }

    /// Returns the converter for the timestamps of a batch that was submitted at `submitted_ns` of the host's clock.
    pub(crate) fn of_batch(&self, submitted_ns: u64) -> BatchClock<'_> {
        BatchClock { clocks: self, submitted_ns, previous: None }
    }

    /// Reads both clocks by VK_EXT_calibrated_timestamps; `None` where the device lacks it.
    pub(crate) fn read_calibrated(&self) -> Option<Result<ClockCorrelation, vk::Result>> {
        self.calibration.as_ref().map(|calibration| self.read_by(calibration))
    }

    fn read_by(&self, by: &Calibration) -> Result<ClockCorrelation, vk::Result> {
        let domains = [vk::TimeDomainKHR::DEVICE, TIME_DOMAIN];
        let infos = domains.map(|d| vk::CalibratedTimestampInfoKHR::default().time_domain(d));
        // SAFETY: the extension is enabled and offers both domains, else there is no `Calibration`.
        let read = unsafe {
            match by {
                Calibration::Ext(f) => f.get_calibrated_timestamps(&infos),
                Calibration::Khr(f) => f.get_calibrated_timestamps(&infos),
            }
        };
        let (times, deviation) = read?;
        let host_ns = reading_to_ns(times[1]);
        let ticks = match self.complete {
            true => times[0],
            false => self.counter.lock().extend_reading(times[0], host_ns),
        };
        Ok(ClockCorrelation {
            device_ns: self.ticks_to_ns(ticks),
            host_ns,
            max_deviation_ns: deviation,
            calibrated: true,
        })
    }
}

/// Converts the timestamps of one batch, in the order in which its commands were recorded.
pub(crate) struct BatchClock<'a> {
    clocks: &'a Clocks,
    submitted_ns: u64,
    /// Extended ticks of the previous begin timestamp.
    previous: Option<u64>,
}

impl BatchClock<'_> {
    /// Returns a command's begin and end timestamps in nanoseconds.
    pub(crate) fn convert(&mut self, begin: u64, end: u64) -> [u64; 2] {
        let (begin, end) = match self.clocks.complete {
            true => (begin, end),
            false => self.extend(begin, end),
        };
        [begin, end].map(|ticks| self.clocks.ticks_to_ns(ticks))
    }

    fn extend(&mut self, begin: u64, end: u64) -> (u64, u64) {
        let mut counter = self.clocks.counter.lock();
        let begin = match self.previous {
            Some(previous) => counter.extend_next(begin, previous),
            None => {
                let least = counter.lower_bound(begin, self.submitted_ns);
                counter.extend(begin, least)
            }
        };
        self.previous = Some(begin);
        (begin, counter.extend_next(end, begin))
    }
}
