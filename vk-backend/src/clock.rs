//! The device's clock: ticks to nanoseconds, and how it stands to the host's clock.

use std::sync::Arc;
use std::time::Duration;

use ash::{ext, khr, vk};
use parking_lot::Mutex;

use crate::physical::PhysicalDevice;
use crate::{Device, Error};

/// How long a correlation serves [`Device::device_now_ns`]: clocks drift by some microseconds in it.
const KEEP: Duration = Duration::from_secs(1);

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
    latest: Mutex<Option<ClockCorrelation>>,
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
            latest: Mutex::new(None),
        }
    }

    /// Ticks of the device as nanoseconds.
    pub(crate) fn ticks_to_ns(&self, ticks: u64) -> u64 {
        let ticks = ticks & self.mask;
        if self.period == 1.0 {
            return ticks;
        }
        (ticks as f64 * self.period) as u64
    }

    pub(crate) fn correlate(&self, device: &Arc<Device>) -> Result<ClockCorrelation, Error> {
        let found = match &self.calibration {
            Some(calibration) => self.read_both(device, calibration),
            None => time_a_command(device),
        }?;
        *self.latest.lock() = Some(found);
        Ok(found)
    }

    pub(crate) fn device_now_ns(&self, device: &Arc<Device>) -> Result<u64, Error> {
        let now = host_now_ns();
        let kept = *self.latest.lock();
        let fresh = |c: &ClockCorrelation| {
            // A correlation that took a command is too dear to renew.
            !c.calibrated || now.saturating_sub(c.host_ns) < KEEP.as_nanos() as u64
        };
        let c = match kept.filter(fresh) {
            Some(c) => c,
            None => self.correlate(device)?,
        };
        // The correlation may be younger than `now`.
        Ok((c.device_ns + now).saturating_sub(c.host_ns))
    }

    fn read_both(&self, device: &Device, by: &Calibration) -> Result<ClockCorrelation, Error> {
        let domains = [vk::TimeDomainKHR::DEVICE, vk::TimeDomainKHR::CLOCK_MONOTONIC];
        let infos = domains.map(|d| vk::CalibratedTimestampInfoKHR::default().time_domain(d));
        // SAFETY: the extension is enabled and offers both domains, else there is no `Calibration`.
        let read = unsafe {
            match by {
                Calibration::Ext(f) => f.get_calibrated_timestamps(&infos),
                Calibration::Khr(f) => f.get_calibrated_timestamps(&infos),
            }
        };
        let (times, deviation) =
            read.map_err(|e| device.fault("vkGetCalibratedTimestampsEXT", e))?;
        Ok(ClockCorrelation {
            device_ns: self.ticks_to_ns(times[0]),
            host_ns: times[1],
            max_deviation_ns: deviation,
            calibrated: true,
        })
    }
}

/// Correlates by a command that does nothing but take the time.
fn time_a_command(device: &Arc<Device>) -> Result<ClockCorrelation, Error> {
    let queue = device.create_queue(true)?;
    if !queue.profiling() {
        return Err(Error::Unsupported("the device has no timestamps".into()));
    }
    let before = host_now_ns();
    let (times, value) = queue.record(|r| {
        let times = r.begin_timestamp();
        r.end_timestamp();
        times
    });
    queue.wait(value)?;
    let after = host_now_ns();
    let times = times.and_then(|t| t.get());
    let times = times.ok_or_else(|| Error::Unsupported("the device took no timestamp".into()))?;
    let half = (after - before) / 2;
    Ok(ClockCorrelation {
        device_ns: times.end_ns,
        host_ns: before + half,
        max_deviation_ns: half,
        calibrated: false,
    })
}

/// The host's CLOCK_MONOTONIC in nanoseconds.
fn host_now_ns() -> u64 {
    let mut t = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `t` is a valid place to write to, and CLOCK_MONOTONIC always exists.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut t) };
    t.tv_sec as u64 * 1_000_000_000 + t.tv_nsec as u64
}
