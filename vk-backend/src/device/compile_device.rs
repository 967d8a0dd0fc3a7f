//! A second Vulkan device that only compiles pipelines, for drivers that must not compile while others submit
//! ([`crate::Quirks::SERIALIZED_PIPELINES`]).
//!
//! The second device has the extensions and features of the device for which it compiles, so that the driver finds the right
//! code in its pipeline cache data. Nothing is ever submitted to it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use once_cell::sync::OnceCell;

use crate::device::opened::{create_raw, Queues};
use crate::physical::PhysicalDevice;

/// The compile device of a device, opened when a pipeline must be compiled.
#[derive(Default)]
pub(crate) struct CompileDevice {
    /// `None` where it cannot be opened: the device itself compiles then.
    opened: OnceCell<Option<Opened>>,
    delay_ms: AtomicU64,
}

/// The Vulkan device.
struct Opened(ash::Device);

impl CompileDevice {
    /// Returns true if the compile device is open.
    pub(super) fn is_open(&self) -> bool {
        matches!(self.opened.get(), Some(Some(_)))
    }

    /// Returns the Vulkan device, opened at the first call; `None` where it cannot be opened.
    pub(crate) fn get(&self, p: &PhysicalDevice) -> Option<&ash::Device> {
        let open = || {
            let raw = create_raw(p, Queues::One).map(Opened);
            raw.inspect_err(|e| tracing::warn!("{}: no compile device: {e}", p.info.name)).ok()
        };
        self.opened.get_or_init(open).as_ref().map(|opened| &opened.0)
    }

    /// Waits for the time that a test adds to each compilation.
    pub(crate) fn delay(&self) {
        let delay = self.delay_ms.load(Ordering::Relaxed);
        if delay > 0 {
            std::thread::sleep(Duration::from_millis(delay));
        }
    }

    /// Sets [`CompileDevice::delay`].
    pub(super) fn set_delay(&self, delay: Duration) {
        self.delay_ms.store(delay.as_millis() as u64, Ordering::Relaxed);
    }

    /// Makes opening the compile device fail, if it is not open yet.
    pub(super) fn refuse(&self) {
        let _ = self.opened.set(None);
    }

    /// Destroys the Vulkan device.
    pub(super) fn close(&mut self) {
        self.opened.take();
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        // SAFETY: whoever compiles destroys what it created, and borrows the device meanwhile.
        unsafe { self.0.destroy_device(None) }
    }
}
