//! Correlating the device's clock with the host's.

use std::sync::Arc;

use crate::device::{ClockCorrelation, Device};
use crate::error::Error;
use crate::platform::now_ns;

impl Device {
    /// Reads the device's and the host's clock together.
    ///
    /// # Errors
    /// [`Error::Unsupported`] when the device's queues have no timestamps.
    pub fn correlate_clocks(self: &Arc<Self>) -> Result<ClockCorrelation, Error> {
        if self.info().limits.timestamp_valid_bits == 0 {
            return Err(Error::Unsupported("the device has no timestamps".into()));
        }
        match self.clocks.read_calibrated() {
            Some(read) => read.map_err(|e| self.fault("vkGetCalibratedTimestampsEXT", e)),
            None => time_a_command(self),
        }
    }
}

/// Correlates the clocks by a command that only takes a timestamp.
fn time_a_command(device: &Arc<Device>) -> Result<ClockCorrelation, Error> {
    let queue = device.create_queue(true)?;
    let before = now_ns();
    let (times, value) = queue.record(|r| {
        let times = r.begin_timestamp();
        r.end_timestamp();
        times
    });
    queue.wait(value)?;
    let after = now_ns();
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
