//! What a device really does, found out by running small kernels.

mod arithmetic;

use std::sync::Arc;

use crate::device::Device;
use crate::error::Error;

pub use arithmetic::Probe;

impl Device {
    /// Finds out what the device's arithmetic really does. Runs small kernels at each call.
    ///
    /// # Errors
    /// Any error that keeps those kernels from running.
    pub fn probe(self: &Arc<Self>) -> Result<Probe, Error> {
        arithmetic::run(self)
    }
}
