//! The thread that makes event callbacks: started by the first one that is due, asleep while there
//! is nothing to watch.

use super::event::{Event, Phase};
use crate::object::{callbacks, Ref};
use parking_lot::{Condvar, Mutex};
use std::sync::OnceLock;
use std::time::Duration;

/// How long the thread sleeps between looks when events of several queues are watched.
const POLL_INTERVAL: Duration = Duration::from_micros(100);

#[derive(Default)]
struct Inbox {
    events: Mutex<Vec<Ref<Event>>>,
    arrived: Condvar,
}

fn inbox() -> &'static Inbox {
    static INBOX: OnceLock<Inbox> = OnceLock::new();
    INBOX.get_or_init(|| {
        let started = std::thread::Builder::new().name("hekla-events".into()).spawn(run);
        if let Err(error) = started {
            tracing::error!("no thread for event callbacks: {error}");
        }
        Inbox::default()
    })
}

/// Hands an event that is with the device, or finished, to the thread.
pub fn watch(event: Ref<Event>) {
    let inbox = inbox();
    inbox.events.lock().push(event);
    inbox.arrived.notify_one();
}

fn run() {
    let mut watched: Vec<Ref<Event>> = Vec::new();
    loop {
        // A lone event is waited for; several are looked at in turn, since one may depend on what
        // the callback of another does.
        wait_for_work(&mut watched);
        watched.retain(|event| !event.run_callbacks());
        callbacks::run_deferred();
    }
}

fn wait_for_work(watched: &mut Vec<Ref<Event>>) {
    let inbox = inbox();
    let mut events = inbox.events.lock();
    if watched.is_empty() {
        while events.is_empty() {
            inbox.arrived.wait(&mut events);
        }
    } else if events.is_empty() {
        flush(watched);
        inbox.arrived.wait_for(&mut events, POLL_INTERVAL);
    }
    for event in events.drain(..) {
        if !watched.contains(&event) {
            watched.push(event);
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
