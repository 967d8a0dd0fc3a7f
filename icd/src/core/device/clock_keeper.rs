//! Keeps the clock frequencies of GPUs up that lower them when a program is idle.
//!
//! NVIDIA's driver lowers the clocks some seconds after the last work of a process that uses Vulkan alone, to a sixth on an
//! H200, and needs 200 to 400 ms of work to raise them: a program that applies a filter every few seconds would run at a sixth
//! of the speed that it has with NVIDIA's OpenCL. The clocks stay up while a process has a CUDA context. So a CUDA context is
//! opened in the background soon after a device has its first queue, released when the device has had no work for some time,
//! and opened again with the next work, at a moment when nothing runs: a kernel that runs on while a context is opened is
//! ended after five seconds by the driver, which cannot interrupt it (Xid 109), and the device is lost. It costs a few hundred
//! MiB of the device's memory, and the power of a GPU that is ready.

use crate::config::{self, KeepClocks};
use crate::core::process::background::BACKGROUND;
use crate::core::process::exit;
use crate::platform;
use hekla_vk_backend as vk;
use parking_lot::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::time::Duration;

/// The delay before a CUDA context is opened. A program that ends sooner gets none: a context makes the end of a program 0.3 s
/// later.
const DELAY: Duration = Duration::from_millis(300);
/// The time after which a context is tried again where a kernel ran.
const AGAIN: Duration = Duration::from_millis(50);
/// How many times the keeper checks for work during the idle time after which a context is released.
const LOOKS: u32 = 4;
/// The idle time after which a context is released, unless the user sets another.
const DEFAULT: Duration = Duration::from_secs(60);
/// The least memory in bytes of a device for which a context is opened, unless the user asks for one.
const LEAST_MEMORY: u64 = 8 << 30;

/// Opens a context that keeps the clocks up until it is dropped; `None` if the device has work. Errors are sentences for the
/// log.
type Open = Box<dyn Fn() -> Result<Option<Box<dyn Send>>, String> + Send + Sync>;

/// Keeps the clocks of one device up.
pub struct ClockKeeper {
    open: Open,
    /// The delay before a context is opened.
    delay: Duration,
    /// The idle time after which the clocks may fall; `None`: they are never kept up.
    rest: Option<Duration>,
    /// True if there was work since the last check.
    worked: AtomicBool,
    /// True if there is no context, so that the next work has to open one.
    resting: AtomicBool,
    context: Mutex<Option<Box<dyn Send>>>,
}

impl ClockKeeper {
    /// Returns the keeper of a device. It opens no context yet.
    pub fn of(device: &Arc<vk::Device>) -> Arc<ClockKeeper> {
        let rest = rest(device.info());
        let device = Arc::downgrade(device);
        let loaded: Mutex<Option<Arc<vk::Cuda>>> = Mutex::new(None);
        let open = move || {
            let device = device.upgrade().ok_or("the device is closed")?;
            // It stays loaded while a device that has work is tried again and again.
            let mut loaded = loaded.lock();
            let cuda = match &*loaded {
                Some(cuda) => cuda.clone(),
                None => loaded.insert(Arc::new(vk::Cuda::load(device.info())?)).clone(),
            };
            let context = device.while_idle(|| cuda.retain()).transpose()?;
            exit::keep_children_off(&device);
            Ok(context.map(|context| Box::new(context) as Box<dyn Send>))
        };
        ClockKeeper::new(Box::new(open), DELAY, rest)
    }

    fn new(open: Open, delay: Duration, rest: Option<Duration>) -> Arc<ClockKeeper> {
        let (worked, resting) = (AtomicBool::new(false), AtomicBool::new(true));
        Arc::new(ClockKeeper { open, delay, rest, worked, resting, context: Mutex::new(None) })
    }

    /// Notes that the device has work, or will soon have work: opens a context in the background if there is none.
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
            self.open_after(self.delay, rest);
        }
    }

    /// Opens a context after a time, or as soon as the device then has no work.
    fn open_after(self: &Arc<Self>, time: Duration, rest: Duration) {
        self.after(time, move |keeper| match (keeper.open)() {
            Ok(Some(context)) => {
                *keeper.context.lock() = Some(context);
                keeper.look(0, rest / LOOKS);
            }
            Ok(None) => keeper.open_after(AGAIN, rest),
            // `resting` stays false: later work is noted, and opens nothing.
            Err(error) => tracing::info!("the clocks of a device may fall: {error}"),
        });
    }

    /// Runs `job` after a time, unless the device is closed or the process ends before.
    fn after(self: &Arc<Self>, time: Duration, job: impl FnOnce(&Arc<Self>) + Send + 'static) {
        let keeper = Arc::downgrade(self);
        BACKGROUND.run_after(time, move || {
            if let Some(keeper) = keeper.upgrade() {
                job(&keeper);
            }
        });
    }

    /// Checks, after `interval`, whether there was work since the last check; `idle` is the number of checks in a row that saw
    /// none.
    fn look(self: &Arc<Self>, idle: u32, interval: Duration) {
        self.after(interval, move |keeper| {
            let idle = if keeper.worked.swap(false, Ordering::Relaxed) { 0 } else { idle + 1 };
            if idle < LOOKS {
                return keeper.look(idle, interval);
            }
            drop(keeper.context.lock().take());
            keeper.resting.store(true, Ordering::Release);
            // Work that came before `resting` was set did not open a context.
            if keeper.worked.load(Ordering::Relaxed) {
                keeper.wake();
            }
        });
    }
}

/// Returns the idle time after which the clocks of a device may fall; `None` if they are not kept up at all.
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

    /// Counts the contexts that are opened and closed.
    #[derive(Default)]
    struct Counts {
        opened: AtomicU32,
        closed: AtomicU32,
        /// How many more attempts find that the device has work.
        busy: AtomicU32,
        refused: AtomicU32,
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
            let less = |busy: u32| busy.checked_sub(1);
            if counts.busy.fetch_update(Ordering::SeqCst, Ordering::SeqCst, less).is_ok() {
                counts.refused.fetch_add(1, Ordering::SeqCst);
                return Ok(None);
            }
            counts.opened.fetch_add(1, Ordering::SeqCst);
            Ok(Some(Box::new(Held(counts.clone())) as Box<dyn Send>))
        };
        ClockKeeper::new(Box::new(open), Duration::from_millis(1), rest)
    }

    /// Waits until a count is reached, and calls `meanwhile` again and again until then.
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
    fn a_context_is_opened_when_the_device_has_no_work() {
        let counts = Arc::new(Counts { busy: AtomicU32::new(2), ..Counts::default() });
        let keeper = keeper(&counts, Some(Duration::from_secs(3600)));
        keeper.note_work();
        wait_for(&counts.opened, 1, || {});
        assert_eq!(counts.refused.load(Ordering::SeqCst), 2);
    }

    #[test]
    fn nothing_is_opened_for_clocks_that_may_fall() {
        let counts = Arc::new(Counts::default());
        let keeper = keeper(&counts, None);
        keeper.note_work();
        assert!(keeper.resting.load(Ordering::SeqCst));
    }
}
