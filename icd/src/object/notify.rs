//! Error notification (`pfn_notify` of clCreateContext). If a context's creator asked for it, every error that an entry point
//! returns in the context is reported with a line of text, and so is every command that fails later.

use crate::cl::error::{self, ClError};
use crate::cl::*;
use crate::object::callbacks;
use crate::object::callbacks::UserData;
use crate::object::slow_path::{self, Reason};
use std::cell::{Cell, RefCell};
use std::ffi::{c_char, c_void, CString};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

/// The application's function and its data.
pub struct Notifier {
    function: unsafe extern "C" fn(*const c_char, *const c_void, usize, *mut c_void),
    data: UserData,
}

/// True once a notifier has been created. Most programs have none, and their calls should not cost more for it.
static IN_USE: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// The notifier of the context in which this thread's entry point works, if the context has one. The outer `None` means
    /// that the entry point has not looked up its context yet.
    static CURRENT: RefCell<Option<Option<Arc<Notifier>>>> = const { RefCell::new(None) };
    /// True while this thread is calling the application's function.
    static TELLING: Cell<bool> = const { Cell::new(false) };
}

impl Notifier {
    /// Returns a notifier; `None` if the application gave no function.
    pub fn new(function: ContextNotify, data: UserData) -> Option<Arc<Notifier>> {
        let function = function?;
        IN_USE.store(true, Ordering::Relaxed);
        slow_path::require(Reason::Notified);
        Some(Arc::new(Notifier { function, data }))
    }

    /// Calls the application's function. The caller must not hold a lock, since the function may call the API. Errors of its
    /// calls are not reported, since that might never end.
    pub fn tell(&self, text: &str) {
        let Ok(text) = CString::new(text) else { return };
        if TELLING.replace(true) {
            return;
        }
        // SAFETY: the application registered this function with this data.
        unsafe { (self.function)(text.as_ptr(), std::ptr::null(), 0, self.data.get()) };
        TELLING.set(false);
    }

    /// Calls the application's function when this thread next leaves the library.
    pub fn tell_later(self: &Arc<Self>, text: String) {
        let notifier = self.clone();
        callbacks::defer(move || notifier.tell(&text));
    }
}

/// Notes that an entry point begins, whose context is not known yet.
pub fn begin() {
    take();
}

/// Notes that the entry point works in the context with this notifier. Only the first object of a call counts: the queue of a
/// command, the kernel of an argument.
#[inline]
pub fn enter<'a>(notifier: impl FnOnce() -> Option<&'a Arc<Notifier>>) {
    if IN_USE.load(Ordering::Relaxed) {
        note(notifier());
    }
}

/// Notes the notifier of the entry point's context, if none is noted.
#[cold]
fn note(notifier: Option<&Arc<Notifier>>) {
    let _ = CURRENT.try_with(|current| {
        current.borrow_mut().get_or_insert_with(|| notifier.cloned());
    });
}

/// Returns the notifier for the entry point's error.
pub fn take() -> Option<Arc<Notifier>> {
    if !IN_USE.load(Ordering::Relaxed) {
        return None;
    }
    CURRENT.try_with(|current| current.borrow_mut().take()).ok().flatten().flatten()
}

/// Reports an entry point's error to the notifier.
pub fn report(notifier: &Notifier, function: &str, error: ClError) {
    notifier.tell(&format!("{function}: {}", error::name(error.0)));
}
