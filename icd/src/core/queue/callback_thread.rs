//! The thread for callbacks of the application that are not made in a call of the application: callbacks of events, and of
//! `printf` while kernels run. They may take long; no thread of the driver waits for this thread.

use crate::object::callbacks::{self, Callback};
use parking_lot::{Condvar, Mutex};

/// The calls that the thread has to make, in order.
struct Inbox {
    started: bool,
    calls: Vec<Callback>,
}

static INBOX: Mutex<Inbox> = Mutex::new(Inbox { started: false, calls: Vec::new() });
static ARRIVED: Condvar = Condvar::new();

/// Gives the thread calls to make, after all earlier ones.
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

/// Gives the callback thread the calls that the current thread, one of the driver's own, has deferred.
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
