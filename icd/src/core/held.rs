//! Commands that a queue holds back: those that wait for what only the host knows (user events,
//! commands of other devices), or for what would keep the device from later commands that do not, and
//! those that must not overtake them.

use super::event::Event;
use super::transfer::Command;
use crate::object::Ref;
use std::collections::VecDeque;

/// How a command stands to the others of its queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Order {
    /// It waits for all that were enqueued before it, and not only for its wait list.
    pub behind_all: bool,
    /// All that are enqueued after it wait for it.
    pub before_all: bool,
}

impl Order {
    /// Of every command of an in-order queue.
    pub const IN_ORDER: Order = Order { behind_all: true, before_all: true };
    /// Of commands of an out-of-order queue: their wait lists say it all.
    pub const FREE: Order = Order { behind_all: false, before_all: false };
}

/// A command that cannot start yet.
pub struct Held {
    pub command: Command,
    pub waits: Vec<Ref<Event>>,
    pub order: Order,
    pub event: Ref<Event>,
}

/// The held commands of a queue, in the order in which they were enqueued.
#[derive(Default)]
pub struct HeldCommands {
    commands: VecDeque<Held>,
    /// How many of them hold back all that come later.
    closing: usize,
}

impl HeldCommands {
    /// Whether a command that is enqueued now must not overtake some of these.
    pub fn hold_back(&self, order: Order) -> bool {
        self.closing > 0 || (order.behind_all && !self.commands.is_empty())
    }

    /// Adds a command behind the others.
    pub fn push(&mut self, held: Held) {
        self.closing += usize::from(held.order.before_all);
        self.commands.push_back(held);
    }

    /// Events of all these commands, in order.
    pub fn events(&self) -> Vec<Ref<Event>> {
        self.commands.iter().map(|held| held.event.clone()).collect()
    }

    /// Takes out, in order, the commands that none before them hold back and that `is_free`, having
    /// had each one `start` before the next is looked at.
    pub fn release(
        &mut self,
        mut is_free: impl FnMut(&Held) -> bool,
        mut start: impl FnMut(&Held),
    ) -> Vec<Held> {
        let (mut released, mut kept) = (Vec::new(), VecDeque::new());
        while let Some(held) = self.commands.pop_front() {
            if (held.order.behind_all && !kept.is_empty()) || !is_free(&held) {
                let closed = held.order.before_all;
                kept.push_back(held);
                if closed {
                    break;
                }
                continue;
            }
            self.closing -= usize::from(held.order.before_all);
            start(&held);
            released.push(held);
        }
        kept.into_iter().rev().for_each(|held| self.commands.push_front(held));
        released
    }
}
