//! Residency of a command's buffers, in a context of several devices: the command is deferred until the bytes that
//! it needs are on its queue's device.

use super::callback_thread;
use super::deferred::Number;
use super::effects::Waiter;
use super::event::{Event, Phase, Stage};
use super::execute::{Execute, Execution};
use super::Queue;
use crate::cl::error::Result;
use crate::cl::CL_COMPLETE;
use crate::core::memory::reservation::{RangeUse, Reservation, Target};
use crate::object::Ref;

impl Queue {
    /// Returns the ranges that a command uses and that may be on another device; none in a context of one device.
    pub(super) fn uses<'a>(&self, command: &'a dyn Execute) -> Vec<RangeUse<'a>> {
        if self.context.gpus.len() == 1 {
            return Vec::new();
        }
        command.uses()
    }

    fn target(&self) -> Target<'_> {
        Target { context: &self.context, device: self.device_index }
    }
}

impl<'a> Execution<'a> {
    /// Reserves the ranges that the command uses, which is being started.
    pub(super) fn reserve<'b>(&mut self, uses: &[RangeUse<'b>]) -> Result<Option<Reservation<'b>>>
    where
        'a: 'b,
    {
        if uses.is_empty() {
            return Ok(None);
        }
        let queue: &'a Queue = self.queue;
        loop {
            if let Some(reservation) = queue.target().reserve_now(Some(&queue.vk), uses)? {
                return Ok(Some(reservation));
            }
            // The bytes were on the device when the command stopped being deferred, but another device has taken them since.
            self.unlocked(|| queue.target().bring(uses))?;
        }
    }
}

impl Ref<Queue> {
    /// Starts to move the bytes that a command needs while the command waits only for events, if the commands of all these
    /// events are recorded. Then it is known what the moves have to wait for, and the bytes arrive while these commands still
    /// run.
    pub(super) fn fetch_ahead(&self, command: &dyn Execute, waits: &[Ref<Event>]) {
        let uses = self.uses(command);
        if uses.is_empty() || waits.iter().any(|event| matches!(event.phase(), Phase::Pending)) {
            return;
        }
        // An error is reported when the command is started.
        let _ = self.target().fetch(&uses);
    }

    /// Returns true if bytes that a command needs are not on the device yet. Starts to move them, and registers the command to
    /// be resolved when they have arrived. `number`: the number that the command has, or will get, among the deferred commands.
    /// Nothing else may keep the command from starting.
    pub(super) fn awaits_bytes(&self, number: Number, command: &dyn Execute) -> bool {
        let uses = self.uses(command);
        if uses.is_empty() {
            return false;
        }
        loop {
            // An error is reported when the command is started.
            let Ok(Some(arrival)) = self.target().fetch(&uses) else { return false };
            let event = Event::user(self.context.clone());
            event.add_waiter(Waiter { queue: self.clone(), number }, Stage::Started);
            let deferred = arrival.then(move || {
                if let Err(error) = event.set_user_status(CL_COMPLETE) {
                    tracing::error!("a command waits for its bytes: {error}");
                }
                drop(event);
                callback_thread::take_deferred();
            });
            if deferred {
                return true;
            }
        }
    }
}
