//! Functions of X11 for contexts of GLX: errors must not end the process, and the end of a display must be noticed.

use crate::platform::{self, function_table};
use parking_lot::Mutex;
use std::ffi::{c_int, c_void};
use std::sync::OnceLock;

type Display = *mut c_void;
type ErrorHandler = unsafe extern "C" fn(Display, *mut c_void) -> c_int;
type CloseDisplay = unsafe extern "C" fn(Display, *mut ExtensionCodes) -> c_int;

/// XExtCodes.
#[repr(C)]
pub(super) struct ExtensionCodes {
    extension: c_int,
    major_opcode: c_int,
    first_event: c_int,
    first_error: c_int,
}

function_table! {
    /// The functions of Xlib.
    Functions {
        set_error_handler c"XSetErrorHandler":
            fn(Option<ErrorHandler>) -> Option<ErrorHandler>;
        sync c"XSync": fn(Display, c_int) -> c_int;
        free c"XFree": fn(*mut c_void) -> c_int;
        add_extension c"XAddExtension": fn(Display) -> *mut ExtensionCodes;
        on_close c"XESetCloseDisplay":
            fn(Display, c_int, Option<CloseDisplay>) -> Option<CloseDisplay>;
    }
}

/// Returns the functions of the Xlib that the process has loaded, if it has.
fn functions() -> Option<&'static Functions> {
    static FOUND: OnceLock<Functions> = OnceLock::new();
    platform::of_process(&FOUND, &[platform::X11], |library| {
        Functions::look_up(|name| library.symbol(name))
    })
}

/// Ignores an error.
unsafe extern "C" fn ignore(_: Display, _: *mut c_void) -> c_int {
    0
}

/// Runs `f` and ignores its X11 errors, which would end a process that has no handler for errors. `None` without Xlib. The
/// handler is the process's: errors that other threads cause meanwhile are ignored as well.
///
/// # Safety
/// The display is open.
pub(super) unsafe fn without_errors<T>(display: usize, f: impl FnOnce() -> T) -> Option<T> {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let (functions, display) = (functions()?, display as Display);
    let _one = ONE_AT_A_TIME.lock();
    // SAFETY: the display is open, as the caller promises. Errors arrive until it is synchronized.
    let before = unsafe {
        (functions.sync)(display, 0);
        (functions.set_error_handler)(Some(ignore))
    };
    let result = f();
    // SAFETY: as above; the handler is the one that was set before.
    unsafe {
        (functions.sync)(display, 0);
        (functions.set_error_handler)(before);
    }
    Some(result)
}

/// Frees memory that Xlib or GLX returned.
///
/// # Safety
/// The memory is such an allocation, and nobody uses it.
pub(super) unsafe fn free(memory: *mut c_void) {
    if let Some(functions) = functions() {
        // SAFETY: as the caller promises.
        unsafe { (functions.free)(memory) };
    }
}

/// A function that is to be called before a display is closed.
struct Watcher {
    display: usize,
    number: u64,
    call: Box<dyn FnOnce() + Send>,
}

/// The displays whose end Xlib reports to this library, and the functions that wait for it.
struct Watched {
    displays: Vec<usize>,
    watchers: Vec<Watcher>,
    /// The number of the last watcher.
    last: u64,
}

static WATCHED: Mutex<Watched> =
    Mutex::new(Watched { displays: Vec::new(), watchers: Vec::new(), last: 0 });

/// Calls the functions that wait for a display's end.
unsafe extern "C" fn closed(display: Display, _: *mut ExtensionCodes) -> c_int {
    let mut watched = WATCHED.lock();
    watched.displays.retain(|other| *other != display as usize);
    let all = std::mem::take(&mut watched.watchers);
    let (ours, others): (Vec<_>, Vec<_>) =
        all.into_iter().partition(|watcher| watcher.display == display as usize);
    watched.watchers = others;
    drop(watched);
    ours.into_iter().for_each(|watcher| (watcher.call)());
    0
}

/// Keeps a function waiting for a display's end until it is dropped.
pub(super) struct Watch(u64);

impl Drop for Watch {
    fn drop(&mut self) {
        let mut watched = WATCHED.lock();
        let at = watched.watchers.iter().position(|watcher| watcher.number == self.0);
        let gone = at.map(|at| watched.watchers.swap_remove(at));
        drop(watched);
        drop(gone);
    }
}

/// Registers a function that the thread that closes a display (XCloseDisplay) calls before the display is closed. `None`
/// without Xlib.
///
/// # Safety
/// The display is open.
pub(super) unsafe fn before_close(
    display: usize,
    call: impl FnOnce() + Send + 'static,
) -> Option<Watch> {
    let functions = functions()?;
    let mut watched = WATCHED.lock();
    if !watched.displays.contains(&display) {
        // SAFETY: the display is open; the extension is one of this client alone. The function stays: so does the library.
        unsafe {
            let codes = (functions.add_extension)(display as Display);
            if codes.is_null() {
                return None;
            }
            (functions.on_close)(display as Display, (*codes).extension, Some(closed));
        }
        watched.displays.push(display);
    }
    watched.last += 1;
    let number = watched.last;
    watched.watchers.push(Watcher { display, number, call: Box::new(call) });
    Some(Watch(number))
}
