//! The end of a process that has commands under way, and of one that was forked off a process that uses a
//! GPU.
//!
//! Software devices run commands on threads of this process and compile as they go. What they need, LLVM's
//! statics above all, is torn down in exit(), so exit() first waits for them, for a limited time. That takes two
//! mechanisms, because statics are torn down in the reverse order in which they were built, and a compiler builds
//! some of its own whenever it first needs them:
//!
//! * thread-local destructors of the main thread, which exit() runs before anything else;
//! * a handler that is registered again with each pipeline of a software device, for a process that another
//!   thread ends.
//!
//! GPUs are ended by their drivers in the kernel. A driver may do so in exit(), and must not be called any more then:
//! what static objects of the program give back in their destructors stays as it is ([`driver_has_ended`]).

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

/// Set by exit() before it runs the handlers of a driver that ends in them.
static DRIVER_HAS_ENDED: AtomicBool = AtomicBool::new(false);

/// How many threads of the library are calling the driver, with a [`DriverCall`].
static DRIVER_CALLS: AtomicUsize = AtomicUsize::new(0);

/// The longest wait for those.
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

/// Makes the end of this thread, if it is the main thread, wait for the software devices. Called by every entry
/// point.
#[inline]
pub fn guard_thread() {
    // A thread that is ending has no guard any more.
    let _ = GUARD.try_with(|_| ());
}

/// Registers the handlers for a device that has just been opened; exit() waits for it if it is a software device.
pub fn wait_for(device: &Arc<vk::Device>) {
    if device.info().device_type == vk::DeviceType::Cpu {
        DEVICES.lock().push(Arc::downgrade(device));
    }
    register_handler(device);
}

/// Returns true if a driver must not be called any more: the process is in exit(), and everything goes with it.
#[inline]
pub fn driver_has_ended() -> bool {
    DRIVER_HAS_ENDED.load(Ordering::Relaxed)
}

/// Calls of a driver by a thread of the library, which exit() waits for before the driver ends.
pub struct DriverCall(());

impl DriverCall {
    /// Begins calls. In a process whose driver has ended or is about to, the thread never returns: there is nothing that it
    /// could still do.
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

/// Ends the calls of the library's threads. (What an application's threads do during exit() is theirs.)
extern "C" fn driver_ends() {
    DRIVER_HAS_ENDED.store(true, Ordering::SeqCst);
    slow_path::require(Reason::Exiting);
    let start = Instant::now();
    while DRIVER_CALLS.load(Ordering::SeqCst) > 0 && start.elapsed() < CALL_LIMIT {
        std::thread::sleep(Duration::from_micros(100));
    }
}

/// Registers the handlers again, because the driver may have registered some of its own since: handlers of its compiler, which
/// builds statics when it first needs them, or of a second Vulkan device.
pub fn register_handler(device: &vk::Device) {
    if device.ends_in_exit() {
        platform::at_exit(driver_ends);
    }
    // Where no thread outlives exit(), the driver is not torn down under a running thread. Handlers run in reverse order: this
    // one before the driver's.
    if platform::THREADS_OUTLIVE_EXIT {
        platform::at_exit(at_exit);
    }
}

/// Makes forked processes end before the driver tears down, in them, what this process still uses. Must be called
/// when the device is open, and again when its driver has opened a second one to compile, for the same reason as
/// above.
///
/// NVIDIA's driver (580) does that at exit(), by file descriptors that parent and child share: the child
/// dies of a segmentation fault, and the parent hangs in vkDestroyDevice or at its own end. Programs that use
/// Vulkan alone behave in the same way. lavapipe (Mesa 26) waits there for threads that the child does not have. A
/// forked process thus ends with its status and its files written, but without the handlers that were registered
/// before the device was opened.
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
    // In a forked process others may have held the locks.
    if fork::is_child() {
        return;
    }
    // The limit is for all handlers together.
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
        // The last reference may be this one; whatever closing the device does is not for now.
        std::mem::forget(device);
    }
}
