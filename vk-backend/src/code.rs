//! Only one thread at a time creates, destroys or submits pipelines, with drivers that otherwise mix up the code of pipelines.
//!
//! Seen on an H200 with NVIDIA's driver 580.159, even in a program that uses Vulkan alone (`examples/stale_code`): while eight
//! threads make, dispatch and destroy 64 kernels again and again, 811 of 116,758 first dispatches write nothing, or run the
//! code of another pipeline, most often of one that was destroyed; submitted again, the same command buffer gives the right
//! result. Vulkan requires no such protection (vkCreateComputePipelines, vkDestroyPipeline and vkQueueSubmit, "Host
//! Synchronization"). Other protections do not help, or cost more:
//!
//! * locks around creating and destroying alone, or around submitting alone: the soak test fails then;
//! * transfer commands with a barrier ahead of the dispatch, in the same command buffer: 53 to 99 of some 114,000 are
//!   wrong. With them and one VkQueue for all threads none of 134,014 is, nor of 33,049 kernels that are new. But on
//!   one VkQueue each OpenCL queue waits for what the others have submitted, and a kernel that waits for one in
//!   another queue would wait forever;
//! * never destroying a pipeline: the GPU hangs.
//!
//! So pipelines are created, submitted and destroyed under one lock. It is held for a short time, since the driver does not
//! compile meanwhile: a second Vulkan device compiles, without the lock (`pipeline/precompile.rs`). Without that device
//! submissions waited up to 1,220 ms for a kernel that took as long to compile, with it 6.6 ms at most; and of 74,749 first
//! dispatches none was wrong. While only one thread submits, the device itself compiles: no other thread waits, and the second
//! device need not be opened (0.1 s).

use std::thread::ThreadId;

use parking_lot::{Mutex, MutexGuard};

use crate::physical::DeviceInfo;
use hekla_device::Quirks;

/// The lock that keeps threads which use the code of pipelines apart, on devices where that is needed.
pub(crate) struct CodeLock(Option<Mutex<Submitters>>);

/// The threads that have submitted.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Submitters {
    #[default]
    None,
    One(ThreadId),
    Several,
}

impl CodeLock {
    pub(crate) fn of(info: &DeviceInfo) -> CodeLock {
        CodeLock(info.quirks.contains(Quirks::SERIALIZED_PIPELINES).then(Mutex::default))
    }

    /// Takes the lock, which must be held while a pipeline is created or destroyed.
    pub(crate) fn hold(&self) -> Option<MutexGuard<'_, Submitters>> {
        self.0.as_ref().map(Mutex::lock)
    }

    /// Takes the lock, which must be held during a submission, and notes that this thread submits.
    pub(crate) fn hold_to_submit(&self) -> Option<MutexGuard<'_, Submitters>> {
        let mut guard = self.hold()?;
        let this = std::thread::current().id();
        *guard = match *guard {
            Submitters::None => Submitters::One(this),
            Submitters::One(other) if other != this => Submitters::Several,
            same => same,
        };
        Some(guard)
    }

    /// Returns true if other threads than this one have submitted, and may have to wait for the lock.
    pub(crate) fn is_shared(&self) -> bool {
        match self.hold().as_deref() {
            None | Some(Submitters::None) => false,
            Some(Submitters::One(thread)) => *thread != std::thread::current().id(),
            Some(Submitters::Several) => true,
        }
    }
}
