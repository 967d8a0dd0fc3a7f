//! Clocks of the GPU (frequencies) that fall when a program rests, and how they are kept up.
//!
//! NVIDIA's driver lowers the clocks some seconds after the last work of a process that uses Vulkan alone, to a sixth on an H200,
//! and needs 200 to 400 ms of work to raise them: a program that applies a filter every few seconds would run at a sixth of the
//! speed that it has with NVIDIA's OpenCL. While a process has a CUDA context they stay up. So one is opened in the background soon
//! after a device has its first queue, released when nothing has been asked of the device for a time, and opened again with the
//! next work. What it costs: a few hundred MiB of the device's memory, and the power of a GPU that is ready.

use crate::config::{self, KeepClocks};
use crate::core::process::background::BACKGROUND;
use crate::core::process::exit;
use crate::platform;
use hekla_vk_backend as vk;
use parking_lot::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::time::Duration;

/// Until a context is opened: a program that ends sooner has none, which would make its end 0.3 s later.
const DELAY: Duration = Duration::from_millis(300);
/// How often it is looked, within the time without work that ends a context, whether there was any.
const LOOKS: u32 = 4;
/// The time without work that ends a context, unless the user gives another.
const DEFAULT: Duration = Duration::from_secs(60);
/// Bytes of the least memory of a device that has a context, unless the user asks for it.
const LEAST_MEMORY: u64 = 8 << 30;

/// Opens what keeps the clocks up, which falls with what it returns. Errors are sentences for the log.
type Open = Box<dyn Fn() -> Result<Box<dyn Send>, String> + Send + Sync>;

/// Keeps the clocks of one device up.
pub struct ClockKeeper {
    open: Open,
    /// Until a context is opened.
    delay: Duration,
    /// After so long without work the clocks may fall; `None`: they always may.
    rest: Option<Duration>,
    /// Set by work, cleared by looks.
    worked: AtomicBool,
    /// True if work has to open a context.
    resting: AtomicBool,
    context: Mutex<Option<Box<dyn Send>>>,
}

impl ClockKeeper {
    /// Returns the keeper of a device, which opens nothing yet.
    pub fn of(device: &Arc<vk::Device>) -> Arc<ClockKeeper> {
        let rest = rest(device.info());
        let device = Arc::downgrade(device);
        let open = move || {
            let device = device.upgrade().ok_or("the device is closed")?;
            let context = vk::CudaContext::retain(device.info())?;
            exit::keep_children_off(&device);
            Ok(Box::new(context) as Box<dyn Send>)
        };
        ClockKeeper::new(Box::new(open), DELAY, rest)
    }

    fn new(open: Open, delay: Duration, rest: Option<Duration>) -> Arc<ClockKeeper> {
        let (worked, resting) = (AtomicBool::new(false), AtomicBool::new(true));
        Arc::new(ClockKeeper { open, delay, rest, worked, resting, context: Mutex::new(None) })
    }

    /// Notes that the device has work, or will soon have: opens a context in the background if there is none.
    #[inline]
    pub fn note_work(self: &Arc<Self>) {
        if !self.worked.load(Ordering::Relaxed) {
            self.worked.store(true, Ordering::Relaxed);
            self.wake();
        }
    }

    #[cold]
    fn wake(self: &Arc<Self>) {
        let Some(rest) = self.rest else { return };
        if self.resting.swap(false, Ordering::AcqRel) {
            self.after(self.delay, move |keeper| match (keeper.open)() {
                Ok(context) => {
                    *keeper.context.lock() = Some(context);
                    keeper.look(0, rest / LOOKS);
                }
                // It stays so: work is noted, and opens nothing.
                Err(error) => tracing::info!("the clocks of a device may fall: {error}"),
            });
        }
    }

    /// Does something after a time, unless the device is closed or the process ends before.
    fn after(self: &Arc<Self>, time: Duration, job: impl FnOnce(&Arc<Self>) + Send + 'static) {
        let keeper = Arc::downgrade(self);
        BACKGROUND.run_after(time, move || {
            if let Some(keeper) = keeper.upgrade() {
                job(&keeper);
            }
        });
    }

    /// Looks, after a while, whether there was work since the last look; `idle` looks before saw none.
    fn look(self: &Arc<Self>, idle: u32, interval: Duration) {
        self.after(interval, move |keeper| {
            let idle = if keeper.worked.swap(false, Ordering::Relaxed) { 0 } else { idle + 1 };
            if idle < LOOKS {
                return keeper.look(idle, interval);
            }
            drop(keeper.context.lock().take());
            keeper.resting.store(true, Ordering::Release);
            // Work that came meanwhile has found the keeper awake.
            if keeper.worked.load(Ordering::Relaxed) {
                keeper.wake();
            }
        });
    }
}

/// Returns the time without work after which the clocks of a device may fall; `None` if they are not kept up at all.
fn rest(info: &vk::DeviceInfo) -> Option<Duration> {
    if !info.quirks.contains(vk::Quirks::FALLING_CLOCKS) {
        return None;
    }
    match config::keep_clocks() {
        KeepClocks::Never => None,
        KeepClocks::For(time) => Some(time),
        KeepClocks::Default => {
            let has_room = info.memory.largest_heap_bytes >= LEAST_MEMORY;
            (has_room && !platform::has_battery()).then_some(DEFAULT)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU32;
    use std::time::Instant;

    /// Counts what is opened and closed.
    #[derive(Default)]
    struct Counts {
        opened: AtomicU32,
        closed: AtomicU32,
    }

    struct Held(Arc<Counts>);

    impl Drop for Held {
        fn drop(&mut self) {
            self.0.closed.fetch_add(1, Ordering::SeqCst);
        }
    }

    fn keeper(counts: &Arc<Counts>, rest: Option<Duration>) -> Arc<ClockKeeper> {
        let counts = counts.clone();
        let open = move || {
            counts.opened.fetch_add(1, Ordering::SeqCst);
            Ok(Box::new(Held(counts.clone())) as Box<dyn Send>)
        };
        ClockKeeper::new(Box::new(open), Duration::from_millis(1), rest)
    }

    /// Waits until a count is reached. `meanwhile` is done again and again.
    fn wait_for(count: &AtomicU32, number: u32, mut meanwhile: impl FnMut()) {
        let end = Instant::now() + Duration::from_secs(60);
        while count.load(Ordering::SeqCst) < number {
            assert!(Instant::now() < end, "it does not come to {number}");
            meanwhile();
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn a_context_goes_after_a_rest_and_comes_back_with_work() {
        let counts = Arc::new(Counts::default());
        let keeper = keeper(&counts, Some(Duration::from_millis(20)));
        for round in 1..=3 {
            keeper.note_work();
            wait_for(&counts.opened, round, || {});
            wait_for(&counts.closed, round, || {});
        }
    }

    #[test]
    fn a_context_stays_while_there_is_work_and_goes_with_the_device() {
        let counts = Arc::new(Counts::default());
        let keeper = keeper(&counts, Some(Duration::from_secs(3600)));
        for _ in 0..3 {
            keeper.note_work();
        }
        wait_for(&counts.opened, 1, || keeper.note_work());
        while keeper.context.lock().is_none() {
            std::thread::yield_now();
        }
        drop(keeper);
        wait_for(&counts.closed, 1, || {});
        assert_eq!(counts.opened.load(Ordering::SeqCst), 1);
    }

    #[test]
    fn nothing_is_opened_for_clocks_that_may_fall() {
        let counts = Arc::new(Counts::default());
        let keeper = keeper(&counts, None);
        keeper.note_work();
        assert!(keeper.resting.load(Ordering::SeqCst));
    }
}
