//! Deferred commands: commands that wait for something that only the host knows (user events, commands of other devices),
//! commands whose wait on the device would hold up later commands that need not wait, and commands that must not overtake any
//! of these.
//!
//! Each command counts the events that it still waits for, and these events know the command by its number. The cost of an
//! event is thus proportional to the number of commands that wait for it, whatever the number of deferred commands.

use super::event::Event;
use super::execute::Execute;
use crate::object::Ref;
use std::collections::{BTreeMap, BTreeSet};

/// The order of a command among the others of its queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Order {
    /// True if the command waits for all commands enqueued before it, and not only for its wait list.
    pub behind_all: bool,
    /// True if all commands enqueued later wait for the command.
    pub before_all: bool,
}

impl Order {
    /// The order of every command of an in-order queue.
    pub const IN_ORDER: Order = Order { behind_all: true, before_all: true };
    /// The order of commands of an out-of-order queue, which follow only their wait lists.
    pub const FREE: Order = Order { behind_all: false, before_all: false };
}

/// A command that cannot start yet.
pub struct Deferred {
    pub command: Box<dyn Execute>,
    pub waits: Vec<Ref<Event>>,
    pub order: Order,
    pub event: Ref<Event>,
    /// The number of entries of the wait list that keep the command from starting.
    pub unresolved: usize,
}

/// The number of a deferred command, in the order of enqueuing.
pub type Number = u64;

/// The deferred commands of a queue.
#[derive(Default)]
pub struct DeferredCommands {
    commands: BTreeMap<Number, Deferred>,
    next: Number,
    /// Commands that defer all later commands.
    closing: BTreeSet<Number>,
    /// Commands that wait for no event any more, and in their queue only for commands in `closing`.
    ready: BTreeSet<Number>,
    /// Commands that are being started by threads that have unlocked the queue.
    starting: Vec<Starting>,
}

/// A command that a thread is starting.
struct Starting {
    number: Number,
    order: Order,
    event: Option<Ref<Event>>,
}

impl DeferredCommands {
    /// Returns true if a command that is enqueued now must be deferred, so that it does not overtake deferred commands.
    pub fn defers(&self, order: Order) -> bool {
        let waits = order.behind_all && !(self.commands.is_empty() && self.starting.is_empty());
        waits || !self.closing.is_empty() || self.is_closed()
    }

    /// Returns the number that the next [pushed](Self::push) command gets.
    pub fn next_number(&self) -> Number {
        self.next
    }

    /// Adds a command behind the others.
    pub fn push(&mut self, deferred: Deferred) {
        let number = self.take_number();
        if deferred.order.before_all {
            self.closing.insert(number);
        }
        if deferred.unresolved == 0 && !deferred.order.behind_all {
            self.ready.insert(number);
        }
        self.commands.insert(number, deferred);
    }

    fn take_number(&mut self) -> Number {
        self.next += 1;
        self.next - 1
    }

    /// Returns a deferred command, if it has not started.
    pub fn get(&self, number: Number) -> Option<&Deferred> {
        self.commands.get(&number)
    }

    /// Returns true if a deferred command waits only for its wait list.
    pub fn is_behind_none(&self, number: Number) -> bool {
        let is_first = || self.commands.keys().next() == Some(&number) && self.starting.is_empty();
        let closed = self.closing.first().is_some_and(|closing| *closing < number);
        let ordered = self.commands.get(&number).is_some_and(|deferred| deferred.order.behind_all);
        !closed && !self.is_closed() && (!ordered || is_first())
    }

    /// Notes that one entry of a command's wait list no longer keeps it from starting.
    pub fn resolve(&mut self, number: Number) {
        let Some(deferred) = self.commands.get_mut(&number) else { return };
        deferred.unresolved = deferred.unresolved.saturating_sub(1);
        if deferred.unresolved == 0 && !deferred.order.behind_all {
            self.ready.insert(number);
        }
    }

    /// Returns the number of the first command that may start.
    fn first_startable(&self) -> Option<Number> {
        let (number, first) = self.commands.first_key_value()?;
        if self.is_closed() {
            return None;
        }
        let behind_others = first.order.behind_all && !self.starting.is_empty();
        if first.unresolved == 0 && !behind_others {
            return Some(*number);
        }
        let ready = *self.ready.first()?;
        let closed = self.closing.first().is_some_and(|closing| *closing < ready);
        (!closed).then_some(ready)
    }

    /// Returns true if a command may start.
    pub fn can_start(&self) -> bool {
        self.first_startable().is_some()
    }

    /// Takes out the first command that may start.
    pub fn take(&mut self) -> Option<(Number, Deferred)> {
        let number = self.first_startable()?;
        self.closing.remove(&number);
        self.ready.remove(&number);
        Some((number, self.commands.remove(&number)?))
    }

    /// Puts a command that was taken out back in its place, where it waits for one more event.
    pub fn put_back(&mut self, number: Number, mut deferred: Deferred) {
        deferred.unresolved += 1;
        if deferred.order.before_all {
            self.closing.insert(number);
        }
        self.commands.insert(number, deferred);
    }

    /// Notes that a thread unlocks the queue while it starts a command: commands that are ordered behind it are
    /// deferred until [`DeferredCommands::started`].
    pub fn starts(&mut self, order: Order, event: Option<Ref<Event>>) -> Number {
        let number = self.take_number();
        self.starting.push(Starting { number, order, event });
        number
    }

    /// Notes that the thread has the queue's lock again.
    pub fn started(&mut self, number: Number) {
        self.starting.retain(|starting| starting.number != number);
    }

    /// Returns true if a command that is being started defers all later ones.
    fn is_closed(&self) -> bool {
        self.starting.iter().any(|starting| starting.order.before_all)
    }

    /// Returns the events of the commands that `chosen` selects, in order. Commands that are being started count as selected.
    pub fn events_of(&self, chosen: impl Fn(&dyn Execute) -> bool) -> Vec<Ref<Event>> {
        let starting = self.starting.iter().filter_map(|starting| starting.event.clone());
        let waiting = self.commands.values().filter(|deferred| chosen(&*deferred.command));
        starting.chain(waiting.map(|deferred| deferred.event.clone())).collect()
    }

    /// Returns the events of all commands, in order.
    pub fn events(&self) -> Vec<Ref<Event>> {
        self.events_of(|_| true)
    }
}
