//! The device's clock: ticks to nanoseconds, and readings together with the host's clock.

use ash::{ext, khr, vk};

use crate::physical::PhysicalDevice;

/// The device's and the host's clock at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClockCorrelation {
    /// The device's clock in nanoseconds, as in [`crate::Timestamps`].
    pub device_ns: u64,
    /// The host's CLOCK_MONOTONIC in nanoseconds.
    pub host_ns: u64,
    /// The two were read at most this many nanoseconds apart.
    pub max_deviation_ns: u64,
    /// Read together by VK_EXT_calibrated_timestamps. Otherwise a command took a timestamp, and its
    /// moment on the host is the middle between submission and completion.
    pub calibrated: bool,
}

/// Reads and converts the clocks of one device.
pub(crate) struct Clocks {
    period: f64,
    mask: u64,
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
        let bits = p.info.limits.timestamp_valid_bits;
        Clocks {
            period: f64::from(p.info.limits.timestamp_period),
            mask: if bits >= 64 { u64::MAX } else { (1 << bits) - 1 },
            calibration,
        }
    }

    /// Converts ticks of the device to nanoseconds.
    pub(crate) fn ticks_to_ns(&self, ticks: u64) -> u64 {
        let ticks = ticks & self.mask;
        if self.period == 1.0 {
            return ticks;
        }
        (ticks as f64 * self.period) as u64
    }

    /// Reads both clocks by VK_EXT_calibrated_timestamps; `None` where the device lacks it.
    pub(crate) fn read_calibrated(&self) -> Option<Result<ClockCorrelation, vk::Result>> {
        self.calibration.as_ref().map(|calibration| self.read_by(calibration))
    }

    fn read_by(&self, by: &Calibration) -> Result<ClockCorrelation, vk::Result> {
        let domains = [vk::TimeDomainKHR::DEVICE, vk::TimeDomainKHR::CLOCK_MONOTONIC];
        let infos = domains.map(|d| vk::CalibratedTimestampInfoKHR::default().time_domain(d));
        // SAFETY: the extension is enabled and offers both domains, else there is no `Calibration`.
        let read = unsafe {
            match by {
                Calibration::Ext(f) => f.get_calibrated_timestamps(&infos),
                Calibration::Khr(f) => f.get_calibrated_timestamps(&infos),
            }
        };
        let (times, deviation) = read?;
        Ok(ClockCorrelation {
            device_ns: self.ticks_to_ns(times[0]),
            host_ns: times[1],
            max_deviation_ns: deviation,
            calibrated: true,
        })
    }
}
