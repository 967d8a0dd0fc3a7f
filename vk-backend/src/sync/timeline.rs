//! Timeline semaphores of queues.
//!
//! A semaphore that its queue no longer uses is reused by the next queue, and lives as long as the device: after a batch has
//! been reported complete, Mesa's submission threads (22.3) still access the semaphores that it waited for.

use std::sync::Arc;
use std::time::{Duration, Instant};

use ash::vk;

use crate::device::Device;
use crate::error::Error;
use crate::physical::DeviceType;

/// The time for which a wait polls without yielding: a sleeping thread takes longer to wake than most kernels run.
const SPIN: Duration = Duration::from_micros(100);
/// The time for which a wait polls before it sleeps, yielding to other threads, unless the device itself runs on the host's
/// processors.
pub(crate) const POLL: Duration = Duration::from_millis(2);
/// The interval in nanoseconds at which a sleeping wait checks for the loss of the device.
const SLEEP_NS: u64 = 100_000_000;

/// A queue's timeline, which begins at 0.
pub(crate) struct Timeline {
    device: Arc<Device>,
    raw: vk::Semaphore,
    /// The semaphore's value when the timeline is at 0.
    base: u64,
}

impl Timeline {
    pub(crate) fn create(device: &Arc<Device>) -> Result<Arc<Timeline>, Error> {
        let spare = device.spare_timelines.lock().pop();
        let (raw, base) = spare.map_or_else(|| Ok((create_raw(device)?, 0)), Ok)?;
        Ok(Arc::new(Timeline { device: device.clone(), raw, base }))
    }

    /// Returns the semaphore, and the semaphore's value for a value of the timeline.
    pub(crate) fn at(&self, value: u64) -> (vk::Semaphore, u64) {
        (self.raw, self.base + value)
    }

    /// Returns an error if the device was lost, so that no more values will be reached.
    pub(crate) fn check(&self) -> Result<(), Error> {
        self.device.check_lost()?;
        if self.device.faults.hung() {
            let lost = vk::Result::ERROR_DEVICE_LOST;
            return Err(self.device.fault("vkGetSemaphoreCounterValue", lost));
        }
        Ok(())
    }

    fn raw_value(&self) -> Result<u64, Error> {
        self.check()?;
        // SAFETY: the semaphore is alive.
        unsafe { self.device.raw.get_semaphore_counter_value(self.raw) }
            .map_err(|e| self.device.fault("vkGetSemaphoreCounterValue", e))
    }

    /// Returns the timeline's value that is reached.
    pub(crate) fn value(&self) -> Result<u64, Error> {
        Ok(self.raw_value()? - self.base)
    }

    /// Blocks until a value that was submitted is reached.
    pub(crate) fn wait(&self, value: u64) -> Result<(), Error> {
        self.device.check_call("vkGetSemaphoreCounterValue")?;
        if poll_until(&self.device, || Ok(self.value()? >= value))? {
            return Ok(());
        }
        self.sleep(value)
    }

    /// Like [`Timeline::wait`], without polling first.
    pub(crate) fn sleep(&self, value: u64) -> Result<(), Error> {
        let (semaphores, values) = ([self.raw], [self.base + value]);
        let info = vk::SemaphoreWaitInfo::default().semaphores(&semaphores).values(&values);
        let start = Instant::now();
        loop {
            self.device.check_call("vkWaitSemaphores")?;
            // SAFETY: the semaphore is alive and `info` outlives the call.
            match unsafe { self.device.raw.wait_semaphores(&info, SLEEP_NS) } {
                Ok(()) => return Ok(()),
                Err(vk::Result::TIMEOUT) => {
                    self.device.stalls.note_wait(start.elapsed(), &self.device.info().name);
                    self.device.ask_after_loss(start.elapsed())?;
                }
                Err(e) => return Err(self.device.fault("vkWaitSemaphores", e)),
            }
        }
    }
}

/// Polls `reached` for as long as polling is better than sleeping. Returns true if it became true.
pub(crate) fn poll_until(
    device: &Device,
    reached: impl Fn() -> Result<bool, Error>,
) -> Result<bool, Error> {
    let start = Instant::now();
    let shares_cores = device.info().device_type == DeviceType::Cpu;
    let limit = if shares_cores { SPIN } else { POLL };
    loop {
        if reached()? {
            return Ok(true);
        }
        match start.elapsed() {
            passed if passed >= limit => return Ok(false),
            passed if passed >= SPIN => std::thread::yield_now(),
            _ => std::hint::spin_loop(),
        }
    }
}

impl Drop for Timeline {
    fn drop(&mut self) {
        // The queue has waited for the last signal, and batches that wait for the semaphore keep it alive.
        match self.raw_value() {
            Ok(value) => self.device.spare_timelines.lock().push((self.raw, value)),
            // SAFETY: on a lost device nothing uses it any more.
            Err(_) => unsafe { self.device.raw.destroy_semaphore(self.raw, None) },
        }
    }
}

fn create_raw(device: &Device) -> Result<vk::Semaphore, Error> {
    let mut kind = vk::SemaphoreTypeCreateInfo::default()
        .semaphore_type(vk::SemaphoreType::TIMELINE)
        .initial_value(0);
    let info = vk::SemaphoreCreateInfo::default().push_next(&mut kind);
    // SAFETY: timeline semaphores are enabled; the chain outlives the call.
    unsafe { device.raw.create_semaphore(&info, None) }
        .map_err(|e| device.fault("vkCreateSemaphore", e))
}
