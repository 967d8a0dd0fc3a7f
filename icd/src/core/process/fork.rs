//! Processes that are forked off one that uses a device: Vulkan does not survive in them, nor do the
//! threads that hold locks. There every call fails at once; the parent notices nothing.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Once;

static IS_CHILD: AtomicBool = AtomicBool::new(false);

/// Returns true if this process got the library, devices in use, by fork.
#[inline]
pub fn is_child() -> bool {
    IS_CHILD.load(Ordering::Relaxed)
}

/// To be called before Vulkan is loaded: who is forked off from then on is told apart. A process that is
/// forked off earlier may use the library like any other.
pub fn watch() {
    unsafe extern "C" fn forked() {
        IS_CHILD.store(true, Ordering::Relaxed);
    }
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: the function does nothing that is not allowed after fork, and the library is never
        // unloaded.
        unsafe { libc::pthread_atfork(None, None, Some(forked)) };
    });
}
