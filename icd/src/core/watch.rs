//! Threads that watch events for what is to happen on the host when the device gets there. Each is
//! started by the first event that it is given, and asleep while it has none.

use super::event::{Event, Phase};
use crate::object::{callbacks, Ref};
use parking_lot::{Condvar, Mutex};
use std::time::Duration;

/// How long a thread sleeps between looks at its events.
const POLL_INTERVAL: Duration = Duration::from_micros(100);

/// Makes event callbacks.
pub static CALLBACKS: Watcher = Watcher::new("hekla-events", Ref::run_callbacks);
/// Starts held commands that wait for the end of others. Not the thread of the callbacks: those are the
/// application's, and may take their time.
pub static WAITS: Watcher = Watcher::new("hekla-waits", Ref::drain_late_waiters);

/// One such thread.
pub struct Watcher {
    name: &'static str,
    /// Looks at an event, and does what is due; true when there is nothing more to come.
    look: fn(&Ref<Event>) -> bool,
    inbox: Mutex<Inbox>,
    arrived: Condvar,
}

struct Inbox {
    started: bool,
    events: Vec<Ref<Event>>,
}

impl Watcher {
    const fn new(name: &'static str, look: fn(&Ref<Event>) -> bool) -> Watcher {
        let inbox = Mutex::new(Inbox { started: false, events: Vec::new() });
        Watcher { name, look, inbox, arrived: Condvar::new() }
    }

    /// Hands an event that is with the device, or finished, to the thread.
    pub fn watch(&'static self, event: &Ref<Event>) {
        let mut inbox = self.inbox.lock();
        inbox.events.push(event.clone());
        if !inbox.started {
            let started = std::thread::Builder::new().name(self.name.into()).spawn(|| self.run());
            inbox.started = started.is_ok();
            if let Err(error) = started {
                tracing::error!("no thread to watch events: {error}");
            }
        }
        drop(inbox);
        self.arrived.notify_one();
    }

    fn run(&self) {
        let mut watched: Vec<Ref<Event>> = Vec::new();
        loop {
            // Looked at in turn, since one may depend on what is done for another.
            self.wait_for_work(&mut watched);
            watched.retain(|event| !(self.look)(event));
            callbacks::run_deferred();
        }
    }

    fn wait_for_work(&self, watched: &mut Vec<Ref<Event>>) {
        flush(watched);
        let mut inbox = self.inbox.lock();
        if watched.is_empty() {
            while inbox.events.is_empty() {
                self.arrived.wait(&mut inbox);
            }
        } else if inbox.events.is_empty() {
            self.arrived.wait_for(&mut inbox, POLL_INTERVAL);
        }
        for event in inbox.events.drain(..) {
            if !watched.contains(&event) {
                watched.push(event);
            }
        }
    }
}

/// Makes sure that what is watched has been submitted.
fn flush(watched: &[Ref<Event>]) {
    for event in watched {
        if let (Phase::Recorded { .. }, Some(queue)) = (event.phase(), &event.queue) {
            // An error shows when the event is polled.
            let _ = queue.flush();
        }
    }
}
