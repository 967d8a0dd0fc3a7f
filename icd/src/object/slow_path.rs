//! The slow path of entry points, on which calls are refused in a forked process, are traced, or report errors to a context's
//! notifier. Most processes need nothing of this: their calls test one word and take the fast path.

use std::sync::atomic::{AtomicU32, Ordering};

/// A reason to take the slow path.
#[derive(Clone, Copy)]
#[repr(u32)]
pub enum Reason {
    /// The process was forked off one that uses a device.
    Forked = 1,
    /// exit() has begun, and a driver shuts down in it.
    Exiting = 2,
    /// Calls are traced, or it is not known yet whether they are.
    Traced = 4,
    /// A context has a notifier.
    Notified = 8,
}

static REASONS: AtomicU32 = AtomicU32::new(Reason::Traced as u32);

/// Makes entry points take the slow path from now on. May be called in a handler of fork().
pub fn require(reason: Reason) {
    REASONS.fetch_or(reason as u32, Ordering::Relaxed);
}

/// Removes a reason, so that entry points no longer take the slow path for it.
pub fn dismiss(reason: Reason) {
    REASONS.fetch_and(!(reason as u32), Ordering::Relaxed);
}

/// Returns true if entry points take the slow path.
#[inline]
pub fn is_required() -> bool {
    REASONS.load(Ordering::Relaxed) != 0
}
