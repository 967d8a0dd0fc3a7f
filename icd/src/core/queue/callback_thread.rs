//! The thread on which the application's callbacks are made that no call of its own brings about: those
//! of events, and what kernels print meanwhile. They may take their time; nothing of the driver's own waits
//! for this thread.

use crate::object::callbacks::{self, Callback};
use parking_lot::{Condvar, Mutex};

/// Calls to be made, in order.
struct Inbox {
    started: bool,
    calls: Vec<Callback>,
}

static INBOX: Mutex<Inbox> = Mutex::new(Inbox { started: false, calls: Vec::new() });
static ARRIVED: Condvar = Condvar::new();

/// Has the thread make calls, behind all that it was given before.
pub fn call(calls: impl IntoIterator<Item = Callback>) {
    let mut inbox = INBOX.lock();
    inbox.calls.extend(calls);
    if !inbox.started && !inbox.calls.is_empty() {
        let started = hekla_vk_backend::spawn("hekla-callbacks", run);
        inbox.started = started.is_ok();
        if let Err(error) = started {
            tracing::error!("no thread for callbacks: {error}");
        }
    }
    drop(inbox);
    ARRIVED.notify_one();
}

/// Hands over the calls that this thread has deferred, which is one of the driver's own.
pub fn take_deferred() {
    let deferred = callbacks::take_deferred();
    if !deferred.is_empty() {
        call(deferred);
    }
}

fn run() {
    loop {
        let calls = {
            let mut inbox = INBOX.lock();
            while inbox.calls.is_empty() {
                ARRIVED.wait(&mut inbox);
            }
            std::mem::take(&mut inbox.calls)
        };
        for call in calls {
            callbacks::run(call);
            callbacks::run_deferred();
        }
    }
}
