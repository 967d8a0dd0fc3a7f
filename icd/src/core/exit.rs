//! The end of a process that has commands under way. Software devices run them on threads of this process
//! and compile as they go; what they need is torn down behind exit(), so they are waited for, within
//! reason. GPUs are ended by their drivers in the kernel.

use crate::dispatch::fork;
use hekla_vk_backend as vk;
use parking_lot::Mutex;
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
