//! Deferred commands: those that wait for what only the host knows (user events, commands of other
//! devices) or for what would keep the device from later commands that do not wait, and those that must
//! not overtake them.

use super::event::Event;
use super::execute::Execute;
use crate::object::Ref;
use std::collections::VecDeque;

/// How a command is ordered against the others of its queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Order {
    /// It waits for all that were enqueued before it, and not only for its wait list.
    pub behind_all: bool,
    /// All that are enqueued after it wait for it.
    pub before_all: bool,
}

impl Order {
    /// The order of every command of an in-order queue.
    pub const IN_ORDER: Order = Order { behind_all: true, before_all: true };
    /// The order of commands of an out-of-order queue: their wait lists say it all.
    pub const FREE: Order = Order { behind_all: false, before_all: false };
}

/// A command that cannot start yet.
pub struct Deferred {
    pub command: Box<dyn Execute>,
    pub waits: Vec<Ref<Event>>,
    pub order: Order,
    pub event: Ref<Event>,
}

/// The deferred commands of a queue, in the order in which they were enqueued.
#[derive(Default)]
pub struct DeferredCommands {
    commands: VecDeque<Deferred>,
    /// How many of them defer all that come later.
    closing: usize,
}

impl DeferredCommands {
    /// Returns true if a command that is enqueued now must not overtake some of these.
    pub fn defers(&self, order: Order) -> bool {
        self.closing > 0 || (order.behind_all && !self.commands.is_empty())
    }

    /// Adds a command behind the others.
    pub fn push(&mut self, deferred: Deferred) {
        self.closing += usize::from(deferred.order.before_all);
        self.commands.push_back(deferred);
    }

    /// Returns the events of all these commands, in order.
    pub fn events(&self) -> Vec<Ref<Event>> {
        self.commands.iter().map(|deferred| deferred.event.clone()).collect()
    }

    /// Takes out, in order, the commands that none before them defers and that `is_free`, having
    /// had each one `start` before the next is looked at.
    pub fn release(
        &mut self,
        mut is_free: impl FnMut(&Deferred) -> bool,
        mut start: impl FnMut(&Deferred),
    ) -> Vec<Deferred> {
        let (mut released, mut kept) = (Vec::new(), VecDeque::new());
        while let Some(deferred) = self.commands.pop_front() {
            if (deferred.order.behind_all && !kept.is_empty()) || !is_free(&deferred) {
                let closed = deferred.order.before_all;
                kept.push_back(deferred);
                if closed {
                    break;
                }
                continue;
            }
            self.closing -= usize::from(deferred.order.before_all);
            start(&deferred);
            released.push(deferred);
        }
        kept.into_iter().rev().for_each(|deferred| self.commands.push_front(deferred));
        released
    }
}
