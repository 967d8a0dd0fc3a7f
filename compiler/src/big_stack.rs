//! A thread with a stack of its own for the compiler's recursion, so that the depth of a program's nesting never meets
//! an application's small stack.

use std::sync::OnceLock;

/// Stack of the compiling thread in bytes: enough for the tallest tree that the parser builds.
const STACK_SIZE: usize = 256 << 20;

/// The function that the compiler's threads call first.
static THREAD_START: OnceLock<fn()> = OnceLock::new();

/// Makes every thread that the compiler starts call `f` first: a library that must leave signals to its
/// application masks them there. The first call counts.
pub fn set_thread_start(f: fn()) {
    let _ = THREAD_START.set(f);
}

/// Runs a stage on a thread with a stack for the tallest of trees. Errors: a panic, which would be a bug of the
/// compiler, and a system that starts no thread.
pub fn on_big_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, String> {
    let work = || {
        if let Some(start) = THREAD_START.get() {
            start();
        }
        work()
    };
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_SIZE);
        match thread.spawn_scoped(scope, work).map(|thread| thread.join()) {
            Ok(Ok(result)) => Ok(result),
            Ok(Err(_)) => Err("internal error of the compiler; please report it".to_string()),
            Err(error) => Err(format!("no thread to compile on: {error}")),
        }
    })
}
