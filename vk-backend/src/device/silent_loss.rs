//! Asks a driver whether a device was lost, when a thread has waited for the device for a long time.
//!
//! A driver may know of the loss and report it only to certain calls. NVIDIA's (580.159 on an H200) gives up work that does not
//! make way for that of other processes (the kernel's log has `Xid 109, CTX SWITCH TIMEOUT`): vkWaitSemaphores continues to
//! time out and vkGetSemaphoreCounterValue to return the old value, for 45 s at least, until a thread waits for a fence that
//! was submitted since. From then on all calls report the loss.

use std::time::{Duration, Instant};

use ash::vk;
use parking_lot::Mutex;

use crate::device::Device;
use crate::error::Error;

/// How long a thread has waited when it first asks, and the time between two questions.
const FIRST: Duration = Duration::from_secs(2);
const AGAIN: Duration = Duration::from_secs(1);
/// How long the thread waits for the fences: vkGetFenceStatus does not report the loss.
const FENCE_NS: u64 = 20_000_000;

/// The fences by which the loss of a device is noticed.
#[derive(Default)]
pub(super) struct SilentLoss(Mutex<State>);

#[derive(Default)]
struct State {
    asked: Option<Instant>,
    /// One fence for each Vulkan queue, by index, submitted behind all earlier work.
    fences: Vec<vk::Fence>,
    /// The fences that were submitted; empty once all of them are signalled.
    pending: Vec<vk::Fence>,
}

impl SilentLoss {
    /// Destroys the fences. The device is idle or lost.
    pub(super) fn close(&mut self, raw: &ash::Device) {
        for fence in self.0.get_mut().fences.drain(..) {
            // SAFETY: no submission that uses the fence is pending.
            unsafe { raw.destroy_fence(fence, None) };
        }
    }
}

impl Device {
    /// Asks whether the device was lost, when a thread has waited for the device for a long time. May block for 20 ms.
    ///
    /// # Errors
    /// [`Error::DeviceLost`].
    pub(crate) fn ask_after_loss(&self, waited: Duration) -> Result<(), Error> {
        if waited < FIRST {
            return Ok(());
        }
        // If another thread is asking, this one learns of the loss from `lost`.
        let Some(mut state) = self.silent_loss.0.try_lock() else { return Ok(()) };
        if state.asked.is_some_and(|asked| asked.elapsed() < AGAIN) {
            return Ok(());
        }
        state.asked = Some(Instant::now());
        self.check_call("vkWaitForFences")?;
        if self.faults.hangs_silently() {
            return Err(self.fault("vkWaitForFences", vk::Result::ERROR_DEVICE_LOST));
        }
        if state.pending.is_empty() {
            self.submit_fences(&mut state)?;
        }
        if state.pending.is_empty() {
            // Other threads hold all queues.
            return Ok(());
        }
        // SAFETY: the fences were submitted.
        match unsafe { self.raw.wait_for_fences(&state.pending, true, FENCE_NS) } {
            Ok(()) => state.pending.clear(),
            Err(vk::Result::TIMEOUT) => {}
            Err(e) => return Err(self.fault("vkWaitForFences", e)),
        }
        Ok(())
    }

    /// Submits a fence to each Vulkan queue that no other thread holds.
    fn submit_fences(&self, state: &mut State) -> Result<(), Error> {
        let queues = || self.vulkan_queues.iter().chain(&self.copy_queues);
        while state.fences.len() < queues().count() {
            // SAFETY: the device is alive.
            let fence = unsafe { self.raw.create_fence(&vk::FenceCreateInfo::default(), None) }
                .map_err(|e| self.fault("vkCreateFence", e))?;
            state.fences.push(fence);
        }
        // SAFETY: none of them is pending.
        unsafe { self.raw.reset_fences(&state.fences) }
            .map_err(|e| self.fault("vkResetFences", e))?;
        for (queue, fence) in queues().zip(&state.fences) {
            let Some(queue) = queue.try_lock() else { continue };
            // SAFETY: the lock gives this thread the queue; the fence is reset, and used by no other submission.
            unsafe { self.raw.queue_submit(*queue, &[], *fence) }
                .map_err(|e| self.fault("vkQueueSubmit", e))?;
            state.pending.push(*fence);
        }
        Ok(())
    }
}
