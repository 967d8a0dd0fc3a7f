//! A thread with a large stack for the compiler's recursion, so that deeply nested programs do not overflow the stacks of
//! an application's threads.

use std::fmt;
use std::sync::OnceLock;

/// Stack of the compiling thread in bytes: enough for the tallest tree that the parser builds.
const STACK_SIZE: usize = 256 << 20;

/// The function that each thread of the compiler calls first.
static THREAD_START: OnceLock<fn()> = OnceLock::new();

/// A resource that the system lacks. The program may be correct, and compile another time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shortage {
    /// The compiling thread cannot be started.
    Thread,
    /// The memory that a program of this size most likely needs cannot be allocated.
    Memory,
}

/// The reason why a stage has no result.
#[derive(Debug)]
pub enum Failure {
    /// A panic, which would be a bug of the compiler.
    Panic,
    Shortage(Shortage),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Failure::Panic => "internal error of the compiler; please report it",
            Failure::Shortage(Shortage::Thread) => "the system starts no thread to compile on",
            Failure::Shortage(Shortage::Memory) => "there is no memory for a program of this size",
        })
    }
}

impl Failure {
    /// Returns the resource that the system lacked; `None` after a panic.
    pub fn shortage(&self) -> Option<Shortage> {
        match self {
            Failure::Panic => None,
            Failure::Shortage(shortage) => Some(*shortage),
        }
    }
}

/// Makes every thread that the compiler starts call `f` first. A library that must leave signals to its
/// application masks them in `f`. Only the first call has an effect.
pub fn set_thread_start(f: fn()) {
    let _ = THREAD_START.set(f);
}

/// Runs a stage on a thread with a stack for the tallest of trees, if the `room` bytes that it most likely needs can be
/// allocated: running out of memory during the stage would end the process.
pub fn on_big_stack<T: Send>(room: usize, work: impl FnOnce() -> T + Send) -> Result<T, Failure> {
    if Vec::<u8>::new().try_reserve_exact(room).is_err() {
        return Err(Failure::Shortage(Shortage::Memory));
    }
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
            Ok(Err(_)) => Err(Failure::Panic),
            Err(_) => Err(Failure::Shortage(Shortage::Thread)),
        }
    })
}
