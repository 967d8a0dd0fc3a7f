//! What entry points do besides their own work: refuse it in a forked process, write a trace, remember a context's notifier.
//! Most processes have none of that, and one word says so.

use std::sync::atomic::{AtomicU32, Ordering};

/// A reason why entry points do more.
#[derive(Clone, Copy)]
#[repr(u32)]
pub enum Reason {
    /// The process was forked off one that uses a device.
    Forked = 1,
    /// exit() has begun, with a driver that ends in it.
    Exiting = 2,
    /// Calls are traced, or nobody has looked whether they are.
    Traced = 4,
    /// A context has a notifier.
    Notified = 8,
}

static REASONS: AtomicU32 = AtomicU32::new(Reason::Traced as u32);

/// Makes entry points do more from now on. May be called in a handler of fork().
pub fn require(reason: Reason) {
    REASONS.fetch_or(reason as u32, Ordering::Relaxed);
}

/// Takes a reason back.
pub fn dismiss(reason: Reason) {
    REASONS.fetch_and(!(reason as u32), Ordering::Relaxed);
}

/// Returns true if there is a reason.
#[inline]
pub fn is_required() -> bool {
    REASONS.load(Ordering::Relaxed) != 0
}
