//! Starts threads to which no signal of the application is delivered.

use std::io;
use std::thread::{Builder, JoinHandle};

use crate::platform::SignalsBlocked;

/// Starts a thread called `name` with all asynchronous signals blocked, so that the application's signals are delivered to the
/// application's own threads, whose blocked signals and system calls the application knows. Signals of a thread's own faults
/// (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP) are not blocked.
///
/// # Errors
/// Like [`Builder::spawn`].
pub fn spawn<T: Send + 'static>(
    name: impl Into<String>,
    f: impl FnOnce() -> T + Send + 'static,
) -> io::Result<JoinHandle<T>> {
    // A thread begins with the signal mask of the thread that starts it.
    let _blocked = SignalsBlocked::new();
    Builder::new().name(name.into()).spawn(f)
}

/// Blocks the same signals in the calling thread from now on: for a thread that another crate has started for the library.
pub fn block_signals() {
    std::mem::forget(SignalsBlocked::new());
}
