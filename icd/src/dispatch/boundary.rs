//! The boundary of the library: the macro that declares an entry point, and the steps of every call: it is traced,
//! panics are caught, errors become codes and are reported to the context's creator, deferred callbacks run.

use crate::cl::error::{ClError, Result};
use crate::cl::*;
use crate::core::diagnostics::trace::trace;
use crate::core::process::{clock, exit, fork};
use crate::object::callbacks;
use crate::object::notify;
use crate::object::slow_path::{self, Reason};
use crate::platform::Uncancelled;
use std::panic::{catch_unwind, AssertUnwindSafe};
use tracing::level_filters::LevelFilter;

/// Declares exported OpenCL entry points. Five forms, by what follows the arrow:
///
/// * `-> status`: the body returns `Result<()>`, the function the code;
/// * `-> setter status`: as `status`, for a function that leaves devices alone and is called often;
/// * `-> handle T`: the body gives `Result<T>`; the function takes a last `errcode_ret` argument
///   and returns NULL on error;
/// * `-> outcome T`: as `handle`, but the body gives the code with the handle, which is returned
///   even if the code is an error;
/// * `-> value T or DEFAULT`: the body gives `Result<T>`; the function returns `DEFAULT` on error.
macro_rules! entry {
    () => {};
    ($(#[$meta:meta])* fn $name:ident($($arg:ident: $ty:ty),* $(,)?) -> status $body:block
        $($rest:tt)*) => {
        $(#[$meta])*
        #[no_mangle]
        pub unsafe extern "C" fn $name($($arg: $ty),*) -> $crate::cl::cl_int {
            $crate::dispatch::boundary::status(stringify!($name), || $body)
        }
        $crate::dispatch::boundary::entry! { $($rest)* }
    };
    ($(#[$meta:meta])* fn $name:ident($($arg:ident: $ty:ty),* $(,)?) -> setter status $body:block
        $($rest:tt)*) => {
        $(#[$meta])*
        #[no_mangle]
        pub unsafe extern "C" fn $name($($arg: $ty),*) -> $crate::cl::cl_int {
            $crate::dispatch::boundary::code($crate::dispatch::boundary::call(stringify!($name), || $body))
        }
        $crate::dispatch::boundary::entry! { $($rest)* }
    };
    ($(#[$meta:meta])* fn $name:ident($($arg:ident: $ty:ty),* $(,)?) -> handle $ret:ty $body:block
        $($rest:tt)*) => {
        $(#[$meta])*
        #[no_mangle]
        pub unsafe extern "C" fn $name(
            $($arg: $ty,)*
            errcode_ret: *mut $crate::cl::cl_int,
        ) -> $ret {
            let success = |value| (value, $crate::cl::CL_SUCCESS);
            let (value, code) = $crate::dispatch::boundary::handle(
                stringify!($name),
                || ($body).map(success),
            );
            if !errcode_ret.is_null() {
                // SAFETY: the API requires errcode_ret to be NULL or valid for writing.
                unsafe { errcode_ret.write(code) };
            }
            value
        }
        $crate::dispatch::boundary::entry! { $($rest)* }
    };
    ($(#[$meta:meta])* fn $name:ident($($arg:ident: $ty:ty),* $(,)?) -> outcome $ret:ty $body:block
        $($rest:tt)*) => {
        $(#[$meta])*
        #[no_mangle]
        pub unsafe extern "C" fn $name(
            $($arg: $ty,)*
            errcode_ret: *mut $crate::cl::cl_int,
        ) -> $ret {
            let (value, code) = $crate::dispatch::boundary::handle(stringify!($name), || $body);
            if !errcode_ret.is_null() {
                // SAFETY: the API requires errcode_ret to be NULL or valid for writing.
                unsafe { errcode_ret.write(code) };
            }
            value
        }
        $crate::dispatch::boundary::entry! { $($rest)* }
    };
    ($(#[$meta:meta])* fn $name:ident($($arg:ident: $ty:ty),* $(,)?)
        -> value $ret:ty, or $default:expr; $body:block $($rest:tt)*) => {
        $(#[$meta])*
        #[no_mangle]
        pub unsafe extern "C" fn $name($($arg: $ty),*) -> $ret {
            $crate::dispatch::boundary::guarded(stringify!($name), || $body).unwrap_or($default)
        }
        $crate::dispatch::boundary::entry! { $($rest)* }
    };
}
pub(crate) use entry;

/// Runs the body of an entry point that may use devices, for which the end of this thread then waits.
pub fn guarded<T>(name: &'static str, body: impl FnOnce() -> Result<T>) -> Result<T> {
    // Waits in this library or in a driver are cancellation points. Setters do not wait.
    let _uncancelled = Uncancelled::begin();
    exit::guard_thread();
    call(name, body)
}

/// Runs an entry point's body; a panic becomes CL_OUT_OF_RESOURCES. Callbacks that the body
/// deferred run last, when no lock is held.
#[inline]
pub fn call<T>(name: &'static str, body: impl FnOnce() -> Result<T>) -> Result<T> {
    let is_slow = slow_path::is_required();
    // A traced call writes to the trace's file, which is a cancellation point.
    let _uncancelled = is_slow.then(Uncancelled::begin);
    let traced = if is_slow { enter_slowly(name)? } else { None };
    if LevelFilter::current() >= LevelFilter::TRACE {
        log_call(name);
    }
    let result = catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|_| Err(after_panic(name)));
    match &result {
        Ok(_) => callbacks::run_deferred(),
        Err(error) => after_error(name, *error),
    }
    if let Some(start) = traced {
        add_to_trace(name, start, result.as_ref().err().copied());
    }
    result
}

/// Begins a call on the slow path. Returns the start time if calls are traced.
///
/// # Errors
/// The code that a refused call returns.
#[cold]
fn enter_slowly(name: &'static str) -> Result<Option<u64>> {
    if fork::is_child() {
        return Err(ClError(CL_OUT_OF_RESOURCES));
    }
    if exit::driver_has_ended() && gives_back(name) {
        return Err(ClError(CL_SUCCESS));
    }
    notify::begin();
    let traced = trace().map(|_| clock::now());
    if traced.is_none() {
        slow_path::dismiss(Reason::Traced);
    }
    Ok(traced)
}

#[cold]
fn log_call(name: &'static str) {
    tracing::trace!("{name}");
}

#[cold]
fn after_panic(name: &'static str) -> ClError {
    tracing::error!("{name}: internal error (panic)");
    ClError(CL_OUT_OF_RESOURCES)
}

/// Makes the deferred calls, and reports an entry point's error.
#[cold]
fn after_error(name: &'static str, error: ClError) {
    let notifier = notify::take();
    callbacks::run_deferred();
    tracing::debug!("{name}: error {}", error.0);
    if let Some(notifier) = notifier {
        notify::report(&notifier, name, error);
    }
}

#[cold]
fn add_to_trace(name: &'static str, start: u64, error: Option<ClError>) {
    if let Some(trace) = trace() {
        trace.call(name, start, error.map(|error| error.0));
    }
}

/// Returns true if a function releases objects or memory. Such calls always succeed at the end of the process.
fn gives_back(name: &str) -> bool {
    name.starts_with("clRelease") || matches!(name, "clSVMFree" | "clMemFreeINTEL")
}

/// Like [`guarded`], for functions that return a handle: returns the handle (NULL on error) and the code.
pub fn handle<T>(
    name: &'static str,
    body: impl FnOnce() -> Result<(*mut T, cl_int)>,
) -> (*mut T, cl_int) {
    guarded(name, body).unwrap_or_else(|error| (std::ptr::null_mut(), error.0))
}

/// Like [`guarded`], for functions that return an error code.
pub fn status(name: &'static str, body: impl FnOnce() -> Result<()>) -> cl_int {
    code(guarded(name, body))
}

/// Returns the code of a result.
pub fn code(result: Result<()>) -> cl_int {
    match result {
        Ok(()) => CL_SUCCESS,
        Err(error) => error.0,
    }
}
