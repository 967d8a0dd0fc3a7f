//! Threads that watch events for what is to happen on the host when the device gets there. Each is
//! started by the first event that it is given, and asleep while it has none.

use crate::core::queue::event::{Event, Phase};
use crate::object::{callbacks, Ref};
use hekla_vk_backend::DeviceType;
use parking_lot::{Condvar, Mutex};
use std::time::{Duration, Instant};

/// How long a thread sleeps between looks at its events.
const POLL_INTERVAL: Duration = Duration::from_micros(100);
/// How long it looks without sleep after something has happened, where commands wait for it: the
/// device has nothing to do meanwhile, and most kernels are shorter than a sleep.
const PATIENCE: Duration = Duration::from_millis(1);
/// The same where the device computes on the host's cores.
const SHARED_PATIENCE: Duration = Duration::from_micros(100);

/// Makes event callbacks.
pub static CALLBACKS: Watcher =
    Watcher::new("hekla-events", Ref::run_callbacks, [Duration::ZERO; 2]);
/// Starts held commands that wait for the end of others. Not the thread of the callbacks: those are the
/// application's, and may take their time.
pub static WAITS: Watcher =
    Watcher::new("hekla-waits", Ref::drain_late_waiters, [PATIENCE, SHARED_PATIENCE]);

/// One such thread.
pub struct Watcher {
    name: &'static str,
    /// Looks at an event, and does what is due; true when there is nothing more to come.
    look: fn(&Ref<Event>) -> bool,
    /// How long it looks without sleep: at events of devices with cores of their own, and of others.
    patience: [Duration; 2],
    inbox: Mutex<Inbox>,
    arrived: Condvar,
}

struct Inbox {
    started: bool,
    events: Vec<Ref<Event>>,
}

impl Watcher {
    const fn new(
        name: &'static str,
        look: fn(&Ref<Event>) -> bool,
        patience: [Duration; 2],
    ) -> Watcher {
        let inbox = Mutex::new(Inbox { started: false, events: Vec::new() });
        Watcher { name, look, patience, inbox, arrived: Condvar::new() }
    }

    /// Hands an event that is with the device, or finished, to the thread.
    pub fn watch(&'static self, event: &Ref<Event>) {
        let mut inbox = self.inbox.lock();
        inbox.events.push(event.clone());
        if !inbox.started {
            let started = hekla_vk_backend::spawn(self.name, || self.run());
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
        let mut happened = Instant::now();
        loop {
            // Looked at in turn, since one may depend on what is done for another.
            let known = watched.len();
            self.wait_for_work(&mut watched, happened);
            let arrived = watched.len() > known;
            let count = watched.len();
            watched.retain(|event| !(self.look)(event));
            if arrived || watched.len() < count {
                happened = Instant::now();
            }
            callbacks::run_deferred();
        }
    }

    /// Takes in what has arrived, or waits until it is time to look again. `happened`: when an event last
    /// came or went.
    fn wait_for_work(&self, watched: &mut Vec<Ref<Event>>, happened: Instant) {
        flush(watched);
        let mut inbox = self.inbox.lock();
        if watched.is_empty() {
            while inbox.events.is_empty() {
                self.arrived.wait(&mut inbox);
            }
        } else if inbox.events.is_empty() {
            let [own, shared] = self.patience;
            let patience = if watched.iter().any(has_own_cores) { own } else { shared };
            if happened.elapsed() < patience {
                drop(inbox);
                return std::thread::yield_now();
            }
            self.arrived.wait_for(&mut inbox, POLL_INTERVAL);
        }
        for event in inbox.events.drain(..) {
            if !watched.contains(&event) {
                watched.push(event);
            }
        }
    }
}

/// Returns true if the host's cores are not what the event's device computes with.
fn has_own_cores(event: &Ref<Event>) -> bool {
    let device = event.queue.as_ref().map(|queue| &queue.gpu.device);
    device.is_some_and(|device| device.info().device_type != DeviceType::Cpu)
}

/// Makes sure that what is watched has been submitted.
fn flush(watched: &[Ref<Event>]) {
    for event in watched {
        if let (Phase::Recorded { last, .. }, Some(queue)) = (event.phase(), &event.queue) {
            // Later commands may still share a submission.
            if queue.vk.submitted() < last {
                // An error shows when the event is polled.
                let _ = queue.flush();
            }
        }
    }
}
