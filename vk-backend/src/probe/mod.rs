//! What a device really does, found out by running small kernels.

mod arithmetic;
mod defects;
mod filter;
mod float_controls;
mod floats;
mod run;
mod stored;

use std::sync::Arc;

use crate::device::Device;
use crate::error::Error;
use crate::memory::{SamplerDesc, Slot};

pub use arithmetic::Probe;
pub use defects::Defect;
pub use float_controls::FloatControls;
pub use floats::{Behaviour, FloatOp, FloatTable, FloatWidth};
pub use stored::PROBE_BUILD;

impl Device {
    /// Finds out what the device's arithmetic really does. Runs small kernels at each call.
    ///
    /// # Errors
    /// Any error that keeps those kernels from running.
    pub fn probe(self: &Arc<Self>) -> Result<Probe, Error> {
        arithmetic::run(self)
    }

    /// Returns the first defect that the device has of those that make kernels give wrong results without
    /// any error. Runs small kernels at each call.
    ///
    /// # Errors
    /// Any error that keeps those kernels from running.
    pub fn find_defect(self: &Arc<Self>) -> Result<Option<Defect>, Error> {
        defects::find(self)
    }

    /// Returns true if every one of these samplers, in their slots, filters linearly as exactly as OpenCL's conformance
    /// tests want it. Runs small kernels at each call.
    ///
    /// # Errors
    /// Any error that keeps those kernels from running.
    pub fn filters_well(
        self: &Arc<Self>,
        samplers: &[(SamplerDesc, Arc<Slot>)],
    ) -> Result<bool, Error> {
        filter::is_exact_enough(self, samplers)
    }
}
