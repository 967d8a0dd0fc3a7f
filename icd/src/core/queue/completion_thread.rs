//! The completion thread of a queue. It completes the commands that something on the host depends on: callbacks, deferred
//! commands of other queues, continuations of the library. The thread exists while there are such commands, sleeps in
//! vkWaitSemaphores, and wakes once for each batch of the device.

use super::callback_thread;
use super::effects::Effects;
use super::event::Event;
use super::Queue;
use crate::core::process::exit::DriverCall;
use crate::object::Ref;
use hekla_vk_backend::WaitStrategy;
use parking_lot::{Condvar, Mutex};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// How long the thread stays without work.
const IDLE_TIME: Duration = Duration::from_millis(500);

/// An event to check when its queue reaches a timeline value: the value of its command, or the value after which the device
/// runs the command.
struct Arrival {
    value: u64,
    event: Ref<Event>,
    /// True if a command waits for the event and must start without delay.
    prompt: bool,
}

#[derive(Default)]
struct Inbox {
    running: bool,
    /// True if the thread waits for the oldest batch that is in flight.
    asleep: bool,
    /// True if the queue no longer exists.
    closed: bool,
    arrivals: Vec<Arrival>,
}

/// The completion thread of one queue, as other threads see it.
#[derive(Default)]
pub struct CompletionThread {
    inbox: Mutex<Inbox>,
    arrived: Condvar,
}

/// The events that the thread waits for.
#[derive(Default)]
struct Awaited {
    by_value: BTreeMap<u64, Vec<Arrival>>,
    /// The number of prompt events among them.
    prompt: usize,
}

impl Awaited {
    fn add(&mut self, arrival: Arrival) {
        self.prompt += usize::from(arrival.prompt);
        self.by_value.entry(arrival.value).or_default().push(arrival);
    }

    /// Takes out the events of the lowest timeline value, if `is_reached` returns true for it.
    fn take(&mut self, is_reached: impl FnOnce(u64) -> bool) -> Option<Vec<Arrival>> {
        let first = self.by_value.first_entry()?;
        let events = is_reached(*first.key()).then(|| first.remove())?;
        self.prompt -= events.iter().filter(|arrival| arrival.prompt).count();
        Some(events)
    }
}

impl CompletionThread {
    /// Makes the thread complete an event of the queue when the queue reaches `value`; if `prompt`, without delay.
    pub fn add(self: &Arc<Self>, value: u64, event: &Ref<Event>, prompt: bool) {
        let mut inbox = self.inbox.lock();
        inbox.arrivals.push(Arrival { value, event: event.clone(), prompt });
        if !inbox.running {
            let this = self.clone();
            inbox.running = start(move || this.run());
        }
        let asleep = inbox.asleep;
        drop(inbox);
        self.arrived.notify_one();
        // A sleeping thread waits for a later batch. If this command is complete already, another thread handles its event.
        let is_pending = |queue: &Ref<Queue>| queue.vk.completed().is_ok_and(|done| done < value);
        if asleep && !event.queue.as_ref().is_some_and(is_pending) {
            let event = event.clone();
            start(move || {
                let call = DriverCall::begin();
                let _ = event.poll();
                event.conclude().run();
                drop(call);
                callback_thread::take_deferred();
            });
        }
    }

    /// Lets the thread end, since no more events will come.
    pub fn close(&self) {
        self.inbox.lock().closed = true;
        self.arrived.notify_one();
    }

    fn run(&self) {
        let mut awaited = Awaited::default();
        while self.take_arrivals(&mut awaited) {
            let first = awaited.by_value.values().next().and_then(|events| events.first());
            let queue = first.and_then(|arrival| arrival.event.queue.clone());
            let Some(queue) = queue else { return };
            let call = DriverCall::begin();
            complete(&queue, &mut awaited).run();
            drop(call);
            callback_thread::take_deferred();
            self.sleep(&queue, &awaited);
        }
    }

    /// Waits for the next batch, if something is awaited and nothing has arrived.
    fn sleep(&self, queue: &Queue, awaited: &Awaited) {
        let Some(first) = awaited.by_value.keys().next() else { return };
        {
            let mut inbox = self.inbox.lock();
            if !inbox.arrivals.is_empty() {
                return;
            }
            inbox.asleep = true;
        }
        let strategy = if awaited.prompt > 0 { WaitStrategy::Spin } else { WaitStrategy::Sleep };
        // An error is reported when the queue is checked.
        let call = DriverCall::begin();
        let _ = queue.vk.wait_for_batch(*first, strategy);
        drop(call);
        self.inbox.lock().asleep = false;
    }

    /// Takes in the events that have arrived; waits if the thread has no events at all. Returns false if none arrives in time,
    /// so that the thread ends.
    fn take_arrivals(&self, awaited: &mut Awaited) -> bool {
        let mut inbox = self.inbox.lock();
        if awaited.by_value.is_empty() && inbox.arrivals.is_empty() {
            let nothing = |inbox: &mut Inbox| inbox.arrivals.is_empty() && !inbox.closed;
            self.arrived.wait_while_for(&mut inbox, nothing, IDLE_TIME);
            if inbox.arrivals.is_empty() {
                inbox.running = false;
                return false;
            }
        }
        inbox.arrivals.drain(..).for_each(|arrival| awaited.add(arrival));
        true
    }
}

/// Starts a thread; returns true if that succeeds.
fn start(body: impl FnOnce() + Send + 'static) -> bool {
    let started = hekla_vk_backend::spawn("hekla-complete", body);
    if let Err(error) = &started {
        tracing::error!("no thread to complete commands: {error}");
    }
    started.is_ok()
}

/// Takes out the events whose commands are complete, or never will be, and returns their effects. Submits the remaining
/// commands.
fn complete(queue: &Ref<Queue>, awaited: &mut Awaited) -> Effects {
    let last = awaited.by_value.keys().next_back();
    if last.is_some_and(|last| queue.vk.submitted() < *last) {
        // An error is noticed below.
        let _ = queue.flush();
    }
    let mut effects = Effects::default();
    // In a queue that has failed, all remaining commands have ended.
    while let Some(events) = awaited.take(|value| queue.reached(value).unwrap_or(true)) {
        for Arrival { event, .. } in events {
            // The event itself gets the error when it checks the queue.
            let _ = event.poll();
            effects.extend(event.conclude());
        }
    }
    effects
}
