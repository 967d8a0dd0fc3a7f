//! What a queue asks of a command, and the command that is being started.

use super::event::Phase;
use super::{Queue, State};
use crate::cl::error::Result;
use crate::core::memory::reservation::RangeUse;
use crate::core::process::clock;
use hekla_vk_backend as vk;

/// A command of a queue.
pub trait Execute: Send + 'static {
    /// Returns what the trace calls the command: what it does, or the kernel that it runs.
    fn name(&self) -> &str;

    /// Starts the command: records it for the device, or does it on the host.
    fn execute(&self, execution: &mut Execution<'_>) -> Result<Phase>;

    /// Returns the ranges of memory objects that the command uses, for contexts of several devices.
    fn uses(&self) -> Vec<RangeUse<'_>> {
        Vec::new()
    }

    /// Returns the memory of the application that starting the command reads: first address and end.
    fn host_source(&self) -> Option<(usize, usize)> {
        None
    }

    /// Returns true unless the command is done with the application's memory once it has started.
    fn needs_host_bytes(&self) -> bool {
        true
    }

    /// Copies the bytes of a write before it starts, so that the application has its memory back. Returns true
    /// if it has.
    fn take_host_bytes(&mut self) -> bool {
        false
    }

    /// Sees to it that nothing is written to the application's memory any more: the command has failed.
    fn cancel(&self) {}

    /// Returns true if the host itself does the command when it is blocking and the queue is out of order.
    fn is_host_read(&self, _queue: &Queue) -> bool {
        false
    }
}

/// A command that is being started, with its queue locked.
pub struct Execution<'a> {
    pub queue: &'a Queue,
    pub state: &'a mut State,
    /// Nothing in another queue is still to be waited for.
    pub ready: bool,
    /// The caller waits for the command anyway.
    pub blocking: bool,
}

impl Execution<'_> {
    /// Returns true if everything that the command is ordered behind is complete, so that the host may
    /// touch device memory itself.
    pub fn idle(&self) -> Result<bool> {
        Ok(self.ready && self.queue.reached(self.state.after)?)
    }

    /// Appends commands to the timeline as one, behind what the command is ordered behind. Returns its value.
    pub fn record(&mut self, commands: impl FnOnce(&mut vk::Recorder)) -> u64 {
        self.queue.record(self.state, commands)
    }

    /// Executes a marker: nothing but its place in the order.
    pub fn mark(&mut self) -> Result<Phase> {
        if self.idle()? {
            return Ok(self.queue.done_by_host(self.state, clock::now()));
        }
        // Its value on the timeline is behind all before; only a time is taken behind a barrier.
        if !self.state.timed {
            self.state.after = 0;
        }
        let value = self.record(|_| {});
        Ok(Phase::Recorded { first: value, last: value })
    }
}
