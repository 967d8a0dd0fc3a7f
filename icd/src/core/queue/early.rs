//! Blocking writes that return before they are complete.
//!
//! A blocking write is complete when its call returns (OpenCL API 5.2.2). Where the queue is the only one of its context, all
//! that could tell comes behind the write in the queue, and to have taken the application's bytes is enough: the application
//! goes on while the device still works. Another queue, also one that is made later, must not run ahead of such a write; nor may its
//! maker wait for what it is to complete itself.

use super::deferred::Number;
use super::event::{Event, Phase};
use super::execute::{Execute, Execution};
use super::{Queue, Request, State};
use crate::cl::error::Result;
use crate::cl::CL_COMMAND_BARRIER;
use crate::object::Ref;
use std::sync::Arc;

/// The last write of a queue that returned early.
#[derive(Clone, Copy)]
pub enum EarlyWrite {
    /// Recorded, and complete at this value of the timeline.
    Recorded(u64),
    /// Deferred, with its number among the deferred commands.
    Deferred(Number),
}

impl Queue {
    /// Returns true if a blocking command has done what the application waits for once its bytes are taken, as far as the
    /// queue itself is concerned.
    pub(super) fn is_write_of_taken_bytes(&self, command: &dyn Execute) -> bool {
        self.in_order() && !command.needs_host_bytes()
    }

    /// Returns true if a write may return early, and notes it then: no other queue could run ahead of it. A queue that is made
    /// now is listed before it looks for such writes, with this state locked.
    pub(super) fn returns_early(&self, state: &mut State, write: EarlyWrite) -> bool {
        let is_only_queue = self.context.queues.count() == 1;
        if is_only_queue {
            state.early_write = Some(write);
        }
        is_only_queue
    }

    /// Waits until the last write that returned early is complete, if the device has been given it; an error belongs to the
    /// write. Returns the event of one that is deferred: what it waits for may be for the caller to do.
    fn finish_early_write(&self) -> Option<Ref<Event>> {
        let state = self.state.lock();
        let (write, last) = (state.early_write, state.last);
        let event = match write {
            Some(EarlyWrite::Deferred(number)) => {
                state.deferred.get(number).map(|deferred| deferred.event.clone())
            }
            _ => None,
        };
        drop(state);
        if event.is_some() {
            return event;
        }
        let _ = match write {
            None => Ok(()),
            Some(EarlyWrite::Recorded(value)) => self.wait_for(value),
            Some(EarlyWrite::Deferred(_)) => self.wait_for(last),
        };
        None
    }
}

/// Orders all commands of a new queue behind the writes of its context's other queues that returned early.
pub(super) fn follow_early_writes(new: &Ref<Queue>) {
    for (queue, vk) in new.context.queues.all::<Queue>() {
        match queue {
            _ if Arc::ptr_eq(&vk, &new.vk) => {}
            Some(queue) => {
                queue.finish_early_write().into_iter().for_each(|write| new.follow(write))
            }
            // The application has released it.
            None => drop(vk.wait(vk.issued())),
        }
    }
}

/// The first command of a queue that is created while a write that returned early is still deferred.
struct Barrier;

impl Execute for Barrier {
    fn name(&self) -> &str {
        "barrier"
    }

    fn execute(&self, execution: &mut Execution<'_>) -> Result<Phase> {
        execution.mark()
    }
}

impl Ref<Queue> {
    /// Orders all later commands behind an event.
    fn follow(&self, write: Ref<Event>) {
        let request = Request {
            command_type: CL_COMMAND_BARRIER,
            command: Box::new(Barrier),
            waits: vec![write],
            blocking: false,
            wants_event: false,
        };
        if let Err(error) = self.enqueue(request) {
            tracing::warn!("a new queue is not behind a write: {}", error.0);
        }
    }
}
