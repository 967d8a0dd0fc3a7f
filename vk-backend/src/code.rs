//! One thread at a time makes, destroys or submits pipelines, with a driver that mixes up their code
//! otherwise.
//!
//! Seen on an H200 with NVIDIA's driver 580.159, also in a program of nothing but Vulkan: while eight threads
//! make, dispatch and destroy pipelines, the first dispatch of one in a few thousand runs the code of another
//! one, or writes nothing; launched again later, the same pipeline is right. Vulkan asks for no such care
//! (vkCreateComputePipelines, vkDestroyPipeline and vkQueueSubmit, "Host Synchronization"). Keeping apart
//! those that make and destroy is not enough: the soak test fails then; with submissions it passes. The price:
//! while the driver compiles, which takes from milliseconds to seconds, no queue of the device submits.

use parking_lot::{Mutex, MutexGuard};

use crate::physical::DeviceInfo;
use crate::quirks::Quirks;

/// Keeps threads apart that use the code of pipelines, where that must be.
pub(crate) struct CodeLock(Option<Mutex<()>>);

impl CodeLock {
    pub(crate) fn of(info: &DeviceInfo) -> CodeLock {
        CodeLock(info.quirks.contains(Quirks::SERIALIZED_PIPELINES).then(Mutex::default))
    }

    /// To be held while a pipeline is made or destroyed, and during submissions.
    pub(crate) fn hold(&self) -> Option<MutexGuard<'_, ()>> {
        self.0.as_ref().map(Mutex::lock)
    }
}
