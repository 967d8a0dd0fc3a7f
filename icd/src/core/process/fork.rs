//! Processes that are forked off a process that uses a device. Vulkan does not work in them, and threads that hold locks do not
//! exist in them. Every call in such a process fails at once; the parent is not affected.

use crate::object::slow_path::{self, Reason};
use crate::platform;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Once;

static IS_CHILD: AtomicBool = AtomicBool::new(false);

/// Returns true if this process was forked off one whose devices were in use.
#[inline]
pub fn is_child() -> bool {
    IS_CHILD.load(Ordering::Relaxed)
}

/// Registers the handler that marks all processes that are forked off later. Must be called before Vulkan is loaded. A process
/// that was forked off earlier may use the library like any other.
pub fn register_handler() {
    unsafe extern "C" fn forked() {
        IS_CHILD.store(true, Ordering::Relaxed);
        slow_path::require(Reason::Forked);
    }
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        platform::at_fork(forked);
    });
}
