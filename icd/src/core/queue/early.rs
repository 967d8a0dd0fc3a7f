//! Blocking writes that return before they are complete.
//!
//! A blocking write is complete when its call returns (OpenCL API 5.2.2). If the queue is the only one of its context,
//! everything that could notice is ordered behind the write in the queue. So the call may return once the application's bytes
//! are taken, and the application continues while the device still works. Another queue, even one that is created later, must
//! not run ahead of such a write; and the thread that creates the queue must not wait for a write that waits for the thread
//! itself.

use super::deferred::Number;
use super::event::{Event, Phase};
use super::execute::{Execute, Execution};
use super::{Queue, Request, State};
use crate::cl::error::Result;
use crate::cl::CL_COMMAND_BARRIER;
use crate::object::Ref;
use std::sync::Arc;

/// The last write of a queue whose call returned early.
#[derive(Clone, Copy)]
pub enum EarlyWrite {
    /// The write is recorded, and complete at this timeline value.
    Recorded(u64),
    /// The write is deferred, with this number among the deferred commands.
    Deferred(Number),
}

impl Queue {
    /// Returns true if the call of a blocking command may return once the command's bytes are taken, as far as its own queue is
    /// concerned.
    pub(super) fn is_write_of_taken_bytes(&self, command: &dyn Execute) -> bool {
        self.in_order() && !command.needs_host_bytes()
    }

    /// Returns true if the call of a write may return early, because no other queue could run ahead of the write, and notes the
    /// write. A queue that is being created is in the context's list before it looks for such writes, which needs the lock of
    /// this state.
    pub(super) fn returns_early(&self, state: &mut State, write: EarlyWrite) -> bool {
        let is_only_queue = self.context.queues.count() == 1;
        if is_only_queue {
            state.early_write = Some(write);
        }
        is_only_queue
    }

    /// Waits until the last write whose call returned early is complete, if it is recorded; an error belongs to the write.
    /// Returns the event of a deferred write instead: it may wait for something that the caller has to do.
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

/// Orders all commands of a new queue behind writes of its context's other queues whose calls returned early.
pub(super) fn follow_early_writes(new: &Ref<Queue>) {
    for (queue, vk) in new.context.queues.all::<Queue>() {
        match queue {
            _ if Arc::ptr_eq(&vk, &new.vk) => {}
            Some(queue) => {
                queue.finish_early_write().into_iter().for_each(|write| new.follow(write))
            }
            // The application has released this queue.
            None => drop(vk.wait(vk.issued())),
        }
    }
}

/// The first command of a queue that is created while a write whose call returned early is still deferred.
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
    /// Orders all later commands of the queue behind an event.
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
