//! The interface of commands to their queue, and the command that is being started.

use super::deferred::Order;
use super::event::{Event, Phase, Span};
use super::{Queue, State};
use crate::cl::error::Result;
use crate::cl::CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
use crate::core::context::svm::Allocation;
use crate::core::diagnostics::trace::trace;
use crate::core::memory::reservation::RangeUse;
use crate::core::process::clock;
use crate::object::Ref;
use hekla_vk_backend as vk;
use parking_lot::MutexGuard;

/// A command of a queue.
pub trait Execute: Send + 'static {
    /// Returns the name of the command in the trace: what it does, or the kernel that it runs.
    fn name(&self) -> &str;

    /// Starts the command: records it for the device, or does it on the host.
    fn execute(&self, execution: &mut Execution<'_>) -> Result<Phase>;

    /// Returns the ranges of memory objects that the command uses, for contexts of several devices.
    fn uses(&self) -> Vec<RangeUse<'_>> {
        Vec::new()
    }

    /// Returns true if the command may use memory of an allocation.
    fn may_reach(&self, _memory: &Allocation) -> bool {
        false
    }

    /// Returns the memory of the application that starting the command reads: first address and end.
    fn host_source(&self) -> Option<(usize, usize)> {
        None
    }

    /// Returns true if the command needs the application's memory after it has started.
    fn needs_host_bytes(&self) -> bool {
        true
    }

    /// Copies the bytes of a write before it starts. Returns true if it did, so that the application may reuse its memory.
    fn take_host_bytes(&mut self) -> bool {
        false
    }

    /// Prevents all further writes to the application's memory, since the command has failed.
    fn cancel(&self) {}
}

/// A command that is being started, with its queue locked.
pub struct Execution<'a> {
    pub queue: &'a Queue,
    pub state: MutexGuard<'a, State>,
    /// True if the command waits for nothing in another queue.
    pub ready: bool,
    /// True if the caller waits for the command in any case.
    pub blocking: bool,
    /// Timeline values that a blocking call waits for, in turn, once it has unlocked the queue.
    pub waits: Vec<u64>,
    pub(super) order: Order,
    /// Timeline value after which the device runs the command; `None` if that depends on other queues.
    pub(super) runs_after: Option<u64>,
    /// The command's event, if there is one already.
    pub(super) event: Option<Ref<Event>>,
}

impl Execution<'_> {
    /// Starts a command that nothing defers.
    pub(super) fn start(&mut self, command: &dyn Execute, waits: &[Ref<Event>]) -> Result<Phase> {
        let (queue, after) = (self.queue, self.queue.value_behind(&self.state, self.order, waits));
        self.state.after = after;
        self.state.times = None;
        if trace().is_some() {
            self.state.name = command.name().to_string();
        }
        let mut foreign = Vec::new();
        for event in waits {
            let (last, other) = match (event.phase(), &event.queue) {
                (Phase::Finished { status, .. }, _) if status < 0 => {
                    let status = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
                    return Ok(Phase::Finished { status, span: Span::now() });
                }
                (Phase::Recorded { last, .. }, Some(other)) => (last, other),
                _ => continue,
            };
            if std::ptr::eq(&**other, queue) || other.reached(last)? {
                continue;
            }
            queue.vk.wait_gpu(&other.vk, last)?;
            foreign.extend(other.completions_until(last));
            self.ready = false;
        }
        // Work of other queues is added first: the command's own work may write to the same memory.
        for work in foreign {
            queue.add_completion(queue.vk.issued() + 1, work);
        }
        let uses = queue.uses(command);
        let mut reservation = self.reserve(&uses)?;
        let phase = command.execute(self).inspect_err(|_| command.cancel());
        if let Some(reservation) = &mut reservation {
            reservation.ends_at(self.state.last);
            if phase.is_err() {
                reservation.fail();
            }
        }
        let phase = phase?;
        match phase {
            Phase::Recorded { last, .. } if !self.ready => self.state.waits_elsewhere = last,
            _ => self.runs_after = Some(after.max(self.state.waits_elsewhere)),
        }
        if self.order.before_all {
            self.state.barrier = self.state.barrier.max(after);
        }
        Ok(phase)
    }

    /// Returns true if all commands that this command is ordered behind are complete, so that the host itself may access device
    /// memory.
    pub fn idle(&self) -> Result<bool> {
        Ok(self.ready && self.queue.reached(self.state.after)?)
    }

    /// Runs `f`, which may block, with the queue unlocked. Commands that other threads enqueue behind this one
    /// meanwhile are deferred until it has started.
    pub fn unlocked<R>(&mut self, f: impl FnOnce() -> R) -> R {
        let state = &mut self.state;
        let (after, timed, times) = (state.after, state.timed, state.times.take());
        let name = std::mem::take(&mut state.name);
        let number = state.deferred.starts(self.order, self.event.clone());
        let result = MutexGuard::unlocked(state, f);
        state.deferred.started(number);
        (state.after, state.timed, state.times, state.name) = (after, timed, times, name);
        result
    }

    /// Waits, unlocked, until the device has reached a timeline value of the queue.
    pub fn wait_for(&mut self, value: u64) -> Result<()> {
        let queue = self.queue;
        if queue.reached(value)? {
            return Ok(());
        }
        self.unlocked(|| queue.wait_for(value))
    }

    /// Appends commands to the timeline under one value, behind everything that the command must wait for. Returns the value.
    pub fn record(&mut self, commands: impl FnOnce(&mut vk::Recorder)) -> u64 {
        self.queue.record(&mut self.state, commands)
    }

    /// Like [`Execution::record`], and lets pipelines be compiled before a timed command begins.
    pub fn record_compiled(
        &mut self,
        compile: impl FnOnce(&mut vk::Recorder),
        commands: impl FnOnce(&mut vk::Recorder),
    ) -> u64 {
        self.queue.record_compiled(&mut self.state, compile, commands)
    }

    /// Returns the phase of a command that the host did, from `start` on the host clock until now.
    pub fn done_by_host(&self, start: u64) -> Phase {
        self.queue.done_by_host(&self.state, start)
    }

    /// Executes a marker, which does nothing but take a place in the order.
    pub fn mark(&mut self) -> Result<Phase> {
        if self.idle()? {
            return Ok(self.done_by_host(clock::now()));
        }
        // The marker's timeline value follows all earlier ones in any case; only a timestamp needs a barrier before it.
        if !self.state.timed {
            self.state.after = 0;
        }
        let value = self.record(|_| {});
        Ok(Phase::Recorded { first: value, last: value })
    }
}
