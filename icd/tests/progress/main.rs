//! What waits for what: calls that must return at once, threads of the library that must not wait for the
//! application's, and the cost of waiting. A kernel that runs until the host ends it keeps the device busy.
// Nearly every call of the API is unsafe, for the reason that the C specification gives.
#![allow(clippy::undocumented_unsafe_blocks)]

#[path = "../common/mod.rs"]
mod common;

mod blocking;
mod callbacks;
mod cost;
mod gate;
#[allow(dead_code)]
#[path = "../command_buffers/recorder.rs"]
mod recorder;
mod release;

use common::*;
use std::sync::mpsc::{self, Receiver};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long a test waits for an event that has to happen.
const LIMIT: Duration = Duration::from_secs(10);

/// A lock that each test holds: queues share the device's queues, and a command behind another test's gate has to wait for the
/// gate. Processes that share a GPU take turns, and a gate takes its whole turn. The library has one thread for callbacks.
fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Handles may be used from every thread.
#[derive(Clone, Copy)]
struct Sent<T>(T);
unsafe impl<T> Send for Sent<T> {}
unsafe impl<T> Sync for Sent<T> {}

impl<T> Sent<T> {
    fn get(self) -> T {
        self.0
    }
}

/// Runs `f` on a thread of its own. The receiver gets a message when `f` has returned.
fn apart(f: impl FnOnce() + Send + 'static) -> Receiver<()> {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        f();
        let _ = sender.send(());
    });
    receiver
}

/// Waits for a condition; returns false if it has not come true within the limit.
fn comes(condition: impl Fn() -> bool) -> bool {
    let start = Instant::now();
    while start.elapsed() < LIMIT {
        if condition() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    false
}

fn finish(queue: cl_command_queue) {
    check(unsafe { (cl().clFinish)(queue) });
}

#[test]
fn all_again_through_staging_memory() {
    let _alone = alone();
    run_again_with(&[("HEKLA_STAGING", "1")]);
}
