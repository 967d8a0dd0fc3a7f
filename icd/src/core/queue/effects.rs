//! The effects of an event's change of state: commands that waited for the event start, and callbacks are made.

use super::callback_thread;
use super::deferred::Number;
use super::event::Event;
use super::Queue;
use crate::cl::cl_int;
use crate::object::callbacks::Callback;
use crate::object::Ref;

/// A deferred command that waits for an event.
pub struct Waiter {
    pub queue: Ref<Queue>,
    pub number: Number,
}

/// A function of the library that is called with the final status of an event when the event is complete, on a thread of the
/// library or in a call of the application, without a lock. It must not block.
pub type Continuation = Box<dyn FnOnce(cl_int) -> Effects + Send>;

/// Work that must be done while no lock is held.
#[derive(Default)]
#[must_use]
pub struct Effects {
    /// Commands, each with the event that it waited for.
    pub waiters: Vec<(Waiter, Ref<Event>)>,
    /// Continuations, each with the status of its event.
    pub continuations: Vec<(Continuation, cl_int)>,
    /// The application's callbacks.
    pub calls: Vec<Callback>,
}

impl Effects {
    /// Appends other effects.
    pub fn extend(&mut self, others: Effects) {
        self.waiters.extend(others.waiters);
        self.continuations.extend(others.continuations);
        self.calls.extend(others.calls);
    }

    /// Returns true if there is nothing to do.
    fn is_empty(&self) -> bool {
        self.waiters.is_empty() && self.continuations.is_empty() && self.calls.is_empty()
    }

    /// Runs these effects and all further effects that result from them. The caller must not hold a lock. The application's
    /// callbacks run on their own thread.
    pub fn run(self) {
        let mut now = self;
        while !now.is_empty() {
            if !now.calls.is_empty() {
                callback_thread::take_deferred();
                callback_thread::call(now.calls);
            }
            let mut next = Queue::resolve(now.waiters);
            for (continuation, status) in now.continuations {
                next.extend(continuation(status));
            }
            now = next;
        }
    }
}
