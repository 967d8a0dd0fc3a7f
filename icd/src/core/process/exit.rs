//! The end of a process whose devices still execute commands, and of a process that was forked off one that uses a GPU.
//!
//! Software devices run commands, and compile, on threads of this process. These threads need data that exit() destroys, LLVM's
//! statics above all, so exit() first waits for them, for a limited time. That takes two mechanisms, because statics are
//! destroyed in the reverse order of their construction, and a compiler constructs some of its own whenever it first needs
//! them:
//!
//! * thread-local destructors of the main thread, which exit() runs before anything else;
//! * a handler that is registered again with each pipeline of a software device, for a process that another
//!   thread ends.
//!
//! GPUs are cleaned up by their drivers in the kernel. The driver's part in the process may shut down in exit(), and must not
//! be called any more then: objects that static destructors of the program would release stay as they are
//! ([`driver_has_ended`]).

use crate::core::process::background::BACKGROUND;
use crate::core::process::fork;
use crate::object::slow_path::{self, Reason};
use crate::platform;
use hekla_vk_backend as vk;
use parking_lot::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::time::{Duration, Instant};

/// The longest wait at exit: a kernel that never ends does not keep the process alive.
const LIMIT: Duration = Duration::from_secs(10);

/// The open software devices.
static DEVICES: Mutex<Vec<Weak<vk::Device>>> = Mutex::new(Vec::new());

/// Set by exit() before it runs the handlers of a driver that shuts down in them.
static DRIVER_HAS_ENDED: AtomicBool = AtomicBool::new(false);

/// The number of threads of the library that are calling the driver, with a [`DriverCall`].
static DRIVER_CALLS: AtomicUsize = AtomicUsize::new(0);

/// The longest wait for threads that are calling the driver.
const CALL_LIMIT: Duration = Duration::from_secs(2);

/// Waits for the software devices when the main thread ends.
struct MainThreadGuard;

impl Drop for MainThreadGuard {
    fn drop(&mut self) {
        if platform::is_main_thread() {
            wait_for_threads();
        }
    }
}

thread_local! {
    static GUARD: MainThreadGuard = const { MainThreadGuard };
}

/// Makes the end of this thread wait for the software devices, if it is the main thread. Every entry point calls this function.
#[inline]
pub fn guard_thread() {
    // A thread that is ending has destroyed its guard already.
    let _ = GUARD.try_with(|_| ());
}

/// Registers the handlers for a device that has just been opened. If it is a software device, exit() waits for it.
pub fn wait_for(device: &Arc<vk::Device>) {
    if device.info().device_type == vk::DeviceType::Cpu {
        DEVICES.lock().push(Arc::downgrade(device));
    }
    register_handler(device);
}

/// Returns true if a driver must not be called any more, because the process is in exit(). Nothing needs to be released then.
#[inline]
pub fn driver_has_ended() -> bool {
    DRIVER_HAS_ENDED.load(Ordering::Relaxed)
}

/// Marks calls of a driver by a thread of the library. exit() waits for the drop of this value before the driver shuts down.
pub struct DriverCall(());

impl DriverCall {
    /// Begins calls of a driver. If the driver has shut down or is about to, this function never returns, since the thread has
    /// nothing left to do.
    pub fn begin() -> DriverCall {
        DRIVER_CALLS.fetch_add(1, Ordering::SeqCst);
        let call = DriverCall(());
        if DRIVER_HAS_ENDED.load(Ordering::SeqCst) {
            drop(call);
            loop {
                std::thread::park();
            }
        }
        call
    }
}

impl Drop for DriverCall {
    fn drop(&mut self) {
        DRIVER_CALLS.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Stops the library's threads from calling the driver, and waits for their current calls. (Calls of an application's threads
/// during exit() are the application's responsibility.)
extern "C" fn driver_ends() {
    DRIVER_HAS_ENDED.store(true, Ordering::SeqCst);
    slow_path::require(Reason::Exiting);
    let start = Instant::now();
    while DRIVER_CALLS.load(Ordering::SeqCst) > 0 && start.elapsed() < CALL_LIMIT {
        std::thread::sleep(Duration::from_micros(100));
    }
}

/// Registers the handlers again, because the driver may have registered handlers of its own since: of its compiler, which
/// constructs statics when it first needs them, or of a second Vulkan device.
pub fn register_handler(device: &vk::Device) {
    if device.ends_in_exit() {
        platform::at_exit(driver_ends);
    }
    // If threads still run in exit(), the driver must not be torn down while they do. Handlers run in reverse order, so this
    // one runs before the driver's.
    if platform::THREADS_OUTLIVE_EXIT {
        platform::at_exit(at_exit);
    }
}

/// Makes forked processes end without the driver's handlers of exit(), which would tear down objects that this process still
/// uses. Must be called when the device is open and, like [`register_handler`], again when its driver has opened a second
/// device to compile.
///
/// NVIDIA's driver (580) tears down such objects by file descriptors that parent and child share: the child dies of a
/// segmentation fault, and the parent hangs in vkDestroyDevice or at its own end. Programs that use Vulkan alone behave in the
/// same way. lavapipe (Mesa 26) waits in the child for threads that exist only in the parent. A forked process thus ends with
/// its status and its files written, but without the handlers that were registered before the device was opened.
pub fn keep_children_off(device: &vk::Device) {
    let is_software = device.info().device_type == vk::DeviceType::Cpu;
    if is_software || device.info().quirks.contains(vk::Quirks::EXIT_BREAKS_PARENT) {
        platform::end_at_exit(fork::is_child);
    }
}

extern "C" fn at_exit() {
    wait_for_threads();
}

/// Waits for threads that are in a driver: threads that make pipelines in the background, and threads of software devices.
fn wait_for_threads() {
    // In a forked process, the locks may be held by threads that exist in the parent alone.
    if fork::is_child() {
        return;
    }
    // All handlers together have one time limit.
    static END: OnceLock<Instant> = OnceLock::new();
    let end = *END.get_or_init(|| Instant::now() + LIMIT);
    BACKGROUND.stop(end);
    wait_for_devices(end);
}

/// Waits until the software devices are idle.
fn wait_for_devices(end: Instant) {
    let devices = DEVICES.lock().clone();
    for device in devices.iter().filter_map(Weak::upgrade) {
        if let Err(error) = device.drain(end.saturating_duration_since(Instant::now())) {
            tracing::debug!("at exit: {error}");
        }
        // This may be the last reference; the device must not be closed now.
        std::mem::forget(device);
    }
}
