//! How a queue has the bytes that a command needs on its device, in a context of several devices: the command
//! is deferred until they are there.

use super::event::{Event, Stage};
use super::execute::Execute;
use super::Queue;
use crate::cl::error::Result;
use crate::cl::CL_COMPLETE;
use crate::core::memory::reservation::{RangeUse, Reservation, Target};
use crate::object::{callbacks, Ref};

impl Queue {
    /// Returns what a command uses that may be on another device.
    pub(super) fn uses<'a>(&self, command: &'a dyn Execute) -> Vec<RangeUse<'a>> {
        if self.context.gpus.len() == 1 {
            return Vec::new();
        }
        command.uses()
    }

    fn target(&self) -> Target<'_> {
        Target { context: &self.context, device: self.device_index }
    }

    /// Notes that a command that is being started uses ranges.
    pub(super) fn reserve<'a>(&'a self, uses: &[RangeUse<'a>]) -> Result<Option<Reservation<'a>>> {
        if uses.is_empty() {
            return Ok(None);
        }
        self.target().reserve(Some(&self.vk), uses).map(Some)
    }
}

impl Ref<Queue> {
    /// Returns true if bytes that a command needs have yet to come to the device. Has them brought, and the
    /// queue drained when they are there. Nothing else may keep the command from being started.
    pub(super) fn awaits_bytes(&self, command: &dyn Execute) -> bool {
        let uses = self.uses(command);
        if uses.is_empty() {
            return false;
        }
        loop {
            // An error shows when the command is started.
            let Ok(Some(arrival)) = self.target().fetch(&uses) else { return false };
            let event = Event::user(self.context.clone());
            event.add_waiter(self, Stage::Started);
            let deferred = arrival.then(move || {
                if let Err(error) = event.set_user_status(CL_COMPLETE) {
                    tracing::error!("a command waits for its bytes: {error}");
                }
                callbacks::run_deferred();
            });
            if deferred {
                return true;
            }
        }
    }
}
