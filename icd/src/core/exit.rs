//! The end of a process that has commands under way. Software devices run them on threads of this process
//! and compile as they go; what they need is torn down behind exit(), so they are waited for, within
//! reason. GPUs are ended by their drivers in the kernel. And the end of a process that was forked off one
//! that uses a GPU.

use crate::dispatch::fork;
use hekla_vk_backend as vk;
use parking_lot::Mutex;
use std::ffi::{c_int, c_void};
use std::sync::{Arc, Weak};
use std::time::Duration;

/// A kernel that never ends does not keep the process.
const LIMIT: Duration = Duration::from_secs(10);

static DEVICES: Mutex<Vec<Weak<vk::Device>>> = Mutex::new(Vec::new());

/// Has exit() wait for a device, if it is one that needs it. To be called when the device has been used:
/// what is registered for the end last comes first, so this precedes the end of what the device's
/// driver has set up.
pub fn wait_for(device: &Arc<vk::Device>) {
    if device.info().device_type == vk::DeviceType::Cpu {
        DEVICES.lock().push(Arc::downgrade(device));
        // SAFETY: the function is one of this library, which is never unloaded.
        unsafe { libc::atexit(at_exit) };
    }
}

/// Lets processes that are forked off end before the driver takes down, in them, what this process still
/// uses. To be called when the device is open, for the same reason as above.
///
/// NVIDIA's driver (580) does that at exit(), by file descriptors that parent and child share: the child
/// dies of a segmentation fault, and the parent hangs in vkDestroyDevice or at its own end; so it is
/// with programs that use Vulkan alone. lavapipe (Mesa 26) waits there for threads that the child does not
/// have. Such a child thus ends with its status and its files written, and
/// without the handlers that were registered before the device was opened.
pub fn keep_children_off(device: &vk::Device) {
    let is_software = device.info().device_type == vk::DeviceType::Cpu;
    if device.info().is_nvidias_own() || is_software {
        #[cfg(target_env = "gnu")]
        // SAFETY: the function is one of this library, which is never unloaded.
        unsafe {
            gnu::on_exit(end_child, std::ptr::null_mut())
        };
    }
}

/// What only the GNU C library has.
///
/// cbindgen:ignore
#[cfg(target_env = "gnu")]
mod gnu {
    use std::ffi::{c_int, c_void};

    unsafe extern "C" {
        /// As atexit, but the function learns the status.
        pub fn on_exit(f: extern "C" fn(c_int, *mut c_void), argument: *mut c_void) -> c_int;
    }
}

#[cfg(target_env = "gnu")]
extern "C" fn end_child(status: c_int, _: *mut c_void) {
    if fork::is_child() {
        // SAFETY: null stands for all open streams; nothing of this process is used any more.
        unsafe {
            libc::fflush(std::ptr::null_mut());
            libc::_exit(status);
        }
    }
}

extern "C" fn at_exit() {
    if fork::is_child() {
        return;
    }
    let devices = std::mem::take(&mut *DEVICES.lock());
    for device in devices.iter().filter_map(Weak::upgrade) {
        if let Err(error) = device.drain(LIMIT) {
            tracing::debug!("at exit: {error}");
        }
        // The last reference may be this one; whatever closing the device does is not for now.
        std::mem::forget(device);
    }
}
