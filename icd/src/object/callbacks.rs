//! Deferred calls into the application: those requested while locks may be held wait here, per thread, until the
//! entry point holds no lock.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::ffi::c_void;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicUsize, Ordering};

/// `user_data` of a callback: an address that the library only passes back.
#[derive(Clone, Copy)]
pub struct UserData(pub *mut c_void);

// SAFETY: the library never follows the pointer.
unsafe impl Send for UserData {}
// SAFETY: the library never follows the pointer.
unsafe impl Sync for UserData {}

impl UserData {
    /// Returns the application's pointer.
    pub fn get(self) -> *mut c_void {
        self.0
    }
}

/// A deferred call, to be made on this thread or another.
pub type Callback = Box<dyn FnOnce() + Send>;

thread_local! {
    static DEFERRED: RefCell<VecDeque<Callback>> = const { RefCell::new(VecDeque::new()) };
}

/// The number of calls that threads have deferred and not made. It is usually 0, so that entry points need not look for calls.
static WAITING: AtomicUsize = AtomicUsize::new(0);

/// Defers a call until this thread next leaves the library (or a thread of the library ends its step).
pub fn defer(callback: impl FnOnce() + Send + 'static) {
    WAITING.fetch_add(1, Ordering::Relaxed);
    // A thread that is being torn down drops its calls.
    let _ = DEFERRED.try_with(|queue| queue.borrow_mut().push_back(Box::new(callback)));
}

/// Takes the calls that this thread has deferred, for another thread to make.
pub fn take_deferred() -> VecDeque<Callback> {
    let taken = DEFERRED.try_with(|queue| std::mem::take(&mut *queue.borrow_mut()));
    let taken = taken.unwrap_or_default();
    WAITING.fetch_sub(taken.len(), Ordering::Relaxed);
    taken
}

/// Makes the deferred calls in their order, including calls that are deferred meanwhile.
#[inline]
pub fn run_deferred() {
    // Relaxed order is enough: a thread always sees the calls that it has counted itself.
    if WAITING.load(Ordering::Relaxed) > 0 {
        run_all();
    }
}

#[cold]
fn run_all() {
    loop {
        let next = DEFERRED.try_with(|queue| queue.borrow_mut().pop_front()).ok().flatten();
        let Some(callback) = next else { return };
        WAITING.fetch_sub(1, Ordering::Relaxed);
        run(callback);
    }
}

/// Makes one call, and catches a panic in it.
pub fn run(callback: Callback) {
    if catch_unwind(AssertUnwindSafe(callback)).is_err() {
        tracing::error!("a callback panicked");
    }
}
