//! Command buffers (cl_khr_command_buffer): commands recorded once and enqueued as one, any number of
//! times, with kernel commands that change between (cl_khr_command_buffer_mutable_dispatch).

pub mod dispatch;
pub mod order;
pub mod parts;
pub mod recorded;

use crate::cl::error::{ensure, Result};
use crate::cl::*;
use crate::core::command::Command;
use crate::core::memory::buffer::Buffer;
use crate::core::queue::Queue;
use crate::object::{Kind, Ref, Retained};
use dispatch::{Change, Dispatch, MutableCommand};
use order::{Order, Step};
use parking_lot::Mutex;
use parts::{EnqueuingLaunch, Part};
use recorded::Recorded;
use smallvec::SmallVec;
use std::sync::Arc;

pub struct CommandBuffer {
    /// The queue that the command buffer was created for; it decides the device and the order of the commands.
    pub queue: Retained<Queue>,
    /// The list given at creation, with its terminating zero.
    pub properties: Option<Vec<cl_command_buffer_properties_khr>>,
    /// True for CL_COMMAND_BUFFER_MUTABLE_KHR: commands may change after finalizing.
    pub mutable: bool,
    /// True for CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR for all commands.
    pub no_additional_groups: bool,
    state: Mutex<State>,
}

struct State {
    finalized: bool,
    order: Order,
    entries: Vec<Entry>,
    /// The parts to enqueue; `None` if a command has changed since they were made.
    parts: Option<Arc<Vec<Part>>>,
}

/// A command with its step.
struct Entry {
    step: Step,
    work: Work,
}

/// The content of a command.
pub enum Work {
    /// A command that never changes, and the memory objects that the application named.
    Fixed {
        command: Arc<Command>,
        _retained: SmallVec<[Retained<Buffer>; 2]>,
    },
    Dispatch(Ref<MutableCommand>),
}

impl Kind for CommandBuffer {
    type Target = _cl_command_buffer_khr;
    const INVALID: cl_int = CL_INVALID_COMMAND_BUFFER_KHR;
}

impl CommandBuffer {
    pub fn new(
        queue: &Ref<Queue>,
        properties: Option<Vec<cl_command_buffer_properties_khr>>,
        flags: cl_bitfield,
        asserts: cl_bitfield,
    ) -> Ref<CommandBuffer> {
        let order = Order::new(queue.in_order());
        let state = State { finalized: false, order, entries: Vec::new(), parts: None };
        Ref::new(CommandBuffer {
            queue: Retained::new(queue),
            properties,
            mutable: flags & CL_COMMAND_BUFFER_MUTABLE_KHR != 0,
            no_additional_groups: asserts
                & CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR
                != 0,
            state: Mutex::new(state),
        })
    }

    /// CL_INVALID_OPERATION when the buffer takes no more commands.
    pub fn check_recording(&self) -> Result<()> {
        ensure!(!self.state.lock().finalized, CL_INVALID_OPERATION);
        Ok(())
    }

    /// CL_INVALID_SYNC_POINT_WAIT_LIST_KHR unless all of these are sync points of the command buffer.
    pub fn check_sync_points(&self, waits: &[cl_sync_point_khr]) -> Result<()> {
        self.state.lock().order.check(waits)
    }

    /// Adds a command behind sync points; returns the command's own sync point.
    pub fn append(
        &self,
        kind: order::Kind,
        work: Work,
        waits: &[cl_sync_point_khr],
    ) -> Result<cl_sync_point_khr> {
        let mut state = self.state.lock();
        ensure!(!state.finalized, CL_INVALID_OPERATION);
        state.order.check(waits)?;
        let (step, point) = state.order.place(kind, waits)?;
        state.entries.push(Entry { step, work });
        Ok(point)
    }

    /// clFinalizeCommandBufferKHR. A buffer whose commands cannot change is recorded for the device
    /// here, others when they are first enqueued.
    pub fn finalize(&self) -> Result<()> {
        let mut state = self.state.lock();
        ensure!(!state.finalized, CL_INVALID_OPERATION);
        if !self.mutable {
            state.parts = Some(self.record(&mut state)?);
        }
        state.finalized = true;
        Ok(())
    }

    /// CL_COMMAND_BUFFER_STATE_KHR.
    pub fn state(&self) -> cl_uint {
        let state = self.state.lock();
        match state.finalized {
            false => CL_COMMAND_BUFFER_STATE_RECORDING_KHR,
            true if state.complete() => CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR,
            true => CL_COMMAND_BUFFER_STATE_FINALIZED_KHR,
        }
    }

    /// Returns the parts to enqueue, which later changes do not affect. CL_INVALID_OPERATION unless the command buffer is
    /// executable.
    pub fn executable(&self) -> Result<Arc<Vec<Part>>> {
        let mut state = self.state.lock();
        ensure!(state.finalized, CL_INVALID_OPERATION);
        if let Some(parts) = &state.parts {
            return Ok(parts.clone());
        }
        ensure!(state.complete(), CL_INVALID_OPERATION);
        let parts = self.record(&mut state)?;
        state.parts = Some(parts.clone());
        Ok(parts)
    }

    fn record(&self, state: &mut State) -> Result<Arc<Vec<Part>>> {
        // Within a step commands keep the order of recording.
        state.entries.sort_by_key(|entry| entry.step);
        let (mut parts, mut commands) = (Vec::new(), Vec::new());
        for Entry { step, work } in &state.entries {
            if let Some(launch) = self.enqueuing(work)? {
                self.end_recording(&mut parts, &mut commands)?;
                parts.push(Part::Launch(Box::new(launch)));
            } else if let Some(command) = work.command() {
                commands.push((*step, command));
            }
        }
        if parts.is_empty() || !commands.is_empty() {
            self.end_recording(&mut parts, &mut commands)?;
        }
        Ok(Arc::new(parts))
    }

    /// Records the commands collected so far as a part, if there are any or there is no part yet.
    fn end_recording(
        &self,
        parts: &mut Vec<Part>,
        commands: &mut Vec<(Step, Arc<Command>)>,
    ) -> Result<()> {
        if parts.is_empty() || !commands.is_empty() {
            parts.push(Part::Recorded(Arc::new(Recorded::new(&self.queue, commands)?)));
        }
        commands.clear();
        Ok(())
    }

    /// Returns the launch of a command if its kernel enqueues others.
    fn enqueuing(&self, work: &Work) -> Result<Option<EnqueuingLaunch>> {
        let Work::Dispatch(command) = work else { return Ok(None) };
        let dispatch = command.dispatch();
        match dispatch.command().map(|command| &**command) {
            Some(Command::Launch(launch)) if launch.uses_device_queues() => {
                EnqueuingLaunch::new(&self.queue, &command.kernel, &dispatch).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// clUpdateMutableCommandsKHR: all changes are made, in order, or none. CL_INVALID_OPERATION
    /// unless the buffer is finalized; the errors of clEnqueueNDRangeKernel.
    pub fn update(&self, changes: Vec<Change>) -> Result<()> {
        let mut state = self.state.lock();
        ensure!(state.finalized, CL_INVALID_OPERATION);
        let mut changed: Vec<(Ref<MutableCommand>, Dispatch)> = Vec::new();
        for change in changes {
            let index = changed.iter().position(|(command, _)| *command == change.command);
            let index = index.unwrap_or_else(|| {
                changed.push((change.command.clone(), change.command.dispatch().clone()));
                changed.len() - 1
            });
            let (command, dispatch) = &mut changed[index];
            *dispatch = command.changed(&self.queue, dispatch, change)?;
        }
        for (command, dispatch) in changed {
            *command.dispatch() = dispatch;
            state.parts = None;
        }
        Ok(())
    }
}

impl State {
    /// Returns true if no kernel command lacks arguments.
    fn complete(&self) -> bool {
        self.entries.iter().all(|entry| entry.work.command().is_some())
    }
}

impl Work {
    /// Returns the command in its current state; `None` while it lacks arguments.
    fn command(&self) -> Option<Arc<Command>> {
        match self {
            Work::Fixed { command, .. } => Some(command.clone()),
            Work::Dispatch(command) => command.dispatch().command().cloned(),
        }
    }
}

impl From<Command> for Work {
    /// Returns the work of a copy, a fill or a marker.
    fn from(command: Command) -> Work {
        // Only buffers with handles are retained; parts of shared virtual memory have none.
        let retain = |mem: &Ref<Buffer>| (mem.reference_count() > 0).then(|| Retained::new(mem));
        let mems = match &command {
            Command::Copy { source, target, .. } => [Some(source), Some(target)],
            Command::Fill { mem, .. } => [Some(mem), None],
            _ => [None, None],
        };
        let retained = mems.into_iter().flatten().filter_map(retain).collect();
        Work::Fixed { command: Arc::new(command), _retained: retained }
    }
}
