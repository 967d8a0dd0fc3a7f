//! Blocking writes that return before they are complete.
//!
//! A blocking write is complete when its call returns (OpenCL API 5.2.2). Where the queue is the only one of its context, all
//! that could tell comes behind the write in the queue, and to have taken the application's bytes is enough: the application
//! goes on while the device still works. Another queue, also one that is made later, must not run ahead of such a write.

use super::deferred::Number;
use super::execute::Execute;
use super::{Queue, State};
use crate::core::context::Context;
use hekla_vk_backend as vk;
use std::sync::Arc;

/// The last write of a queue that returned early.
#[derive(Clone, Copy)]
pub enum EarlyWrite {
    /// With the value at which it is complete.
    Recorded(u64),
    /// With its number among the deferred commands.
    Deferred(Number),
}

impl Queue {
    /// Returns true if a blocking command has done what the application waits for once its bytes are taken, as far as the
    /// queue itself is concerned.
    pub(super) fn is_write_of_taken_bytes(&self, command: &dyn Execute) -> bool {
        self.in_order() && !command.needs_host_bytes()
    }

    /// Notes a write that may return early. Returns true if it may: no other queue could run ahead of it.
    pub(super) fn returns_early(&self, state: &mut State, write: EarlyWrite) -> bool {
        // Noted before the others are counted: a queue that is made now is listed before it looks for such writes.
        state.early_write = Some(write);
        self.context.queues.count() == 1
    }

    /// Waits until the last write that returned early is complete. An error belongs to the write.
    fn finish_early_write(&self) {
        let state = self.state.lock();
        let (write, last) = (state.early_write, state.last);
        let event = match write {
            Some(EarlyWrite::Deferred(number)) => {
                state.deferred.get(number).map(|deferred| deferred.event.clone())
            }
            _ => None,
        };
        drop(state);
        let _ = match (write, event) {
            (None, _) => Ok(()),
            (_, Some(event)) => event.wait().map(drop),
            (Some(EarlyWrite::Recorded(value)), _) => self.wait_for(value),
            (Some(EarlyWrite::Deferred(_)), None) => self.wait_for(last),
        };
    }
}

/// Waits for the writes of a context's other queues that returned early, before a new queue is used.
pub(super) fn finish_early_writes(context: &Context, new: &Arc<vk::Queue>) {
    for (queue, vk) in context.queues.all::<Queue>() {
        match queue {
            _ if Arc::ptr_eq(&vk, new) => {}
            Some(queue) => queue.finish_early_write(),
            // The application has released it.
            None => drop(vk.wait(vk.issued())),
        }
    }
}
