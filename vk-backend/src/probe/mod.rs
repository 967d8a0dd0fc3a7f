//! The actual behaviour of a device, found out by running small kernels.

mod arithmetic;
mod controls;
mod defects;
mod filter;
mod floats;
mod host_memory;
mod nearest;
mod run;
mod stored;
mod subgroups;

use std::sync::Arc;

use crate::device::Device;
use crate::error::Error;
use crate::memory::{SamplerDesc, Slot};
use crate::physical::found::Probe;

pub use defects::Defect;
pub use filter::Filters;
pub use stored::PROBE_BUILD;

impl Device {
    /// Finds out the actual arithmetic of the device. Runs small kernels at each call.
    ///
    /// # Errors
    /// Any error that keeps those kernels from running.
    pub fn probe(self: &Arc<Self>) -> Result<Probe, Error> {
        arithmetic::run(self)
    }

    /// Returns true if kernels can access the host's memory by the host's address, without Vulkan's knowledge. Runs a small
    /// kernel at each call.
    ///
    /// # Safety
    /// The device's memory is at the host's addresses, as where the device is a program in this process.
    ///
    /// # Errors
    /// Any error that keeps that kernel from running.
    pub unsafe fn reaches_host_memory(self: &Arc<Self>) -> Result<bool, Error> {
        // SAFETY: as the caller promises.
        unsafe { host_memory::reaches(self) }
    }

    /// Returns the first defect of the device that makes kernels give wrong results without any error. Runs small kernels at
    /// each call.
    ///
    /// # Errors
    /// Any error that keeps those kernels from running.
    pub fn find_defect(self: &Arc<Self>) -> Result<Option<Defect>, Error> {
        defects::find(self)
    }

    /// Returns those types of channels that each of these samplers, in their slots, filters linearly as exactly as OpenCL's
    /// conformance tests require: the types for images of one or two dimensions, and those for images of three. Tries the given
    /// types alone; the device's samplers must filter all of their formats. Samplers are given no coordinates farther than
    /// `farthest`, in texels and normalized, where images do not repeat. Runs small kernels at each call.
    ///
    /// # Errors
    /// Any error that keeps those kernels from running.
    pub fn find_filters(
        self: &Arc<Self>,
        samplers: &[(SamplerDesc, Arc<Slot>)],
        of: Filters,
        farthest: [f32; 2],
    ) -> Result<[Filters; 2], Error> {
        filter::find(self, samplers, of, farthest)
    }

    /// Returns true if a sampler of the nearest texel and of the edge, in its slot, finds every texel by coordinates that count
    /// texels and are at most `farthest`, and another such sampler finds every texel by normalized coordinates of texels'
    /// centers. Runs small kernels at each call.
    ///
    /// # Errors
    /// Any error that keeps those kernels from running.
    pub fn finds_texels(
        self: &Arc<Self>,
        by_texel: &Arc<Slot>,
        normalized: &Arc<Slot>,
        farthest: f32,
    ) -> Result<bool, Error> {
        nearest::finds_texels(self, [by_texel, normalized], farthest)
    }
}
