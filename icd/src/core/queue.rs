//! Command queues: in order, recorded on the calling thread; commands that wait on the application
//! (user events) stay here until it has spoken.

use super::context::Context;
use super::device::Device;
use super::due::Due;
use super::event::{Event, Phase, Span};
use super::gpu::Gpu;
use super::printf::MAX_PENDING;
use super::staging::Arena;
use super::transfer::Command;
use crate::api::cl::*;
use crate::core::error::{fail, Result};
use crate::object::{Kind, Ref};
use hekla_vk_backend as vk;
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

pub struct Queue {
    pub context: Ref<Context>,
    pub device: Ref<Device>,
    /// Position of the device in the context.
    pub device_index: usize,
    pub gpu: Arc<Gpu>,
    pub vk: Arc<vk::Queue>,
    pub properties: cl_command_queue_properties,
    /// The list given to clCreateCommandQueueWithProperties, with its terminating zero.
    pub property_list: Option<Vec<cl_queue_properties>>,
    state: Mutex<State>,
    /// What the host has to do when the timeline reaches the value; ascending.
    owed: Mutex<VecDeque<(u64, Due)>>,
    owed_count: AtomicUsize,
}

/// What changes with each command.
pub struct State {
    deferred: VecDeque<Deferred>,
    /// Timeline value of the last command recorded.
    pub last: u64,
    pub upload: Arena,
    pub readback: Arena,
    /// Whether anybody can ask when the command that is being started ran.
    timed: bool,
}

/// A command that waits on the host, with everything after it.
struct Deferred {
    command: Command,
    waits: Vec<Ref<Event>>,
    event: Ref<Event>,
}

/// A command as an entry point asks for it.
pub struct Request {
    pub command_type: cl_command_type,
    pub command: Command,
    pub waits: Vec<Ref<Event>>,
    /// Return only when the command is complete.
    pub blocking: bool,
    pub wants_event: bool,
}

impl Kind for Queue {
    type Target = _cl_command_queue;
    const INVALID: cl_int = CL_INVALID_COMMAND_QUEUE;

    fn reachable(&self) -> bool {
        true
    }

    fn dropped(&mut self, _: cl_command_queue) {
        // Releasing a queue flushes it; reads that are under way still reach the application.
        let last = self.state.get_mut().last;
        let due = self.owed_count.load(Ordering::Acquire) > 0;
        let ended = if due { self.wait_for(last) } else { self.flush() };
        if let Err(error) = ended {
            tracing::warn!("a queue ended badly: {error}");
        }
    }
}

impl Queue {
    pub fn new(
        context: Ref<Context>,
        device: Ref<Device>,
        properties: cl_command_queue_properties,
        property_list: Option<Vec<cl_queue_properties>>,
    ) -> Result<Ref<Queue>> {
        let device_index = context.index_of(&device)?;
        let gpu = context.gpus[device_index].clone();
        let vk = gpu.device.create_queue(properties & CL_QUEUE_PROFILING_ENABLE != 0)?;
        let state = State {
            deferred: VecDeque::new(),
            last: 0,
            upload: Arena::new(gpu.upload.clone()),
            readback: Arena::new(gpu.readback.clone()),
            timed: false,
        };
        Ok(Ref::new(Queue {
            context,
            device,
            device_index,
            gpu,
            vk,
            properties,
            property_list,
            state: Mutex::new(state),
            owed: Mutex::default(),
            owed_count: AtomicUsize::new(0),
        }))
    }

    pub fn profiling(&self) -> bool {
        self.properties & CL_QUEUE_PROFILING_ENABLE != 0
    }

    /// Gives the device what is recorded.
    pub fn flush(&self) -> Result<()> {
        Ok(self.vk.flush()?)
    }

    /// Whether the device has reached a timeline value; if so, what the application was owed up
    /// to there is in its memory.
    pub fn reached(&self, value: u64) -> Result<bool> {
        let reached = value == 0 || self.vk.completed()? >= value;
        if reached {
            self.settle(value)?;
        }
        Ok(reached)
    }

    /// Waits until the device has reached a timeline value; see [`Queue::reached`].
    pub fn wait_for(&self, value: u64) -> Result<()> {
        if value > 0 {
            self.vk.wait(value)?;
        }
        self.settle(value)
    }

    /// Does what is due up to a value that the device has reached.
    fn settle(&self, value: u64) -> Result<()> {
        if self.owed_count.load(Ordering::Acquire) > 0 {
            let mut owed = self.owed.lock();
            while owed.front().is_some_and(|(due, _)| *due <= value) {
                if let Some((_, work)) = owed.pop_front() {
                    let done = work.run();
                    self.owed_count.fetch_sub(1, Ordering::AcqRel);
                    done?;
                }
            }
        }
        self.context.printer.outbox.deliver_soon();
        Ok(())
    }

    /// Notes what is due when the device reaches `value`.
    pub fn owe(&self, value: u64, work: Due) {
        let mut owed = self.owed.lock();
        owed.push_back((value, work));
        self.owed_count.fetch_add(1, Ordering::AcqRel);
    }

    /// What is due up to a value.
    fn owed_until(&self, value: u64) -> Vec<Due> {
        if self.owed_count.load(Ordering::Acquire) == 0 {
            return Vec::new();
        }
        let owed = self.owed.lock();
        owed.iter().filter(|(due, _)| *due <= value).map(|(_, work)| work.clone()).collect()
    }

    /// Bounds the launches whose output is not collected: waits for the first when there are too
    /// many.
    pub fn make_room_to_print(&self) -> Result<()> {
        let oldest = {
            let owed = self.owed.lock();
            let mut prints = owed.iter().filter(|(_, work)| matches!(work, Due::Print(_)));
            let oldest = prints.next().map(|(value, _)| *value);
            oldest.filter(|_| prints.count() + 1 >= MAX_PENDING)
        };
        oldest.map_or(Ok(()), |value| self.wait_for(value))
    }

    /// Whether what is due will write in `[start, end)` of the application's memory.
    pub fn will_write(&self, start: usize, end: usize) -> bool {
        self.owed_count.load(Ordering::Acquire) > 0
            && self.owed.lock().iter().any(|(_, work)| work.will_write(start, end))
    }

    /// Appends one command to the timeline, behind a barrier, and returns its value.
    pub fn record(&self, state: &mut State, commands: impl FnOnce(&mut vk::Recorder)) -> u64 {
        let timed = state.timed;
        let ((), value) = self.vk.record(|recorder| {
            recorder.barrier();
            if timed {
                recorder.begin_timestamp();
            }
            commands(recorder);
            if timed {
                recorder.end_timestamp();
            }
        });
        state.last = value;
        value
    }

    /// Begin of one complete command and end of another, on the host clock.
    pub fn device_times(&self, first: u64, last: u64) -> Result<(u64, u64)> {
        let begin = self.vk.timestamps(first)?;
        let end = self.vk.timestamps(last)?;
        let Some((begin, end)) = begin.zip(end) else {
            return fail(CL_PROFILING_INFO_NOT_AVAILABLE);
        };
        let clocks = self.gpu.clocks()?;
        let on_host =
            |device: u64| clocks.host_ns.wrapping_add(device.wrapping_sub(clocks.device_ns));
        Ok((on_host(begin.begin_ns), on_host(end.end_ns)))
    }

    /// Starts a command whose events have all left [`Phase::Pending`].
    fn execute(
        &self,
        state: &mut State,
        command: &Command,
        waits: &[Ref<Event>],
        blocking: bool,
    ) -> Result<Phase> {
        let mut ready = true;
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
            if std::ptr::eq(&**other, self) || other.reached(last)? {
                continue;
            }
            let same_device = Arc::ptr_eq(&other.gpu, &self.gpu);
            let owed = other.owed_until(last);
            if !same_device || (!owed.is_empty() && command.reads_host()) {
                other.wait_for(last)?;
                continue;
            }
            self.vk.wait_gpu(&other.vk, last)?;
            foreign.extend(owed);
            ready = false;
        }
        let phase = self.run(state, command, ready, blocking)?;
        if let Phase::Recorded { last, .. } = phase {
            foreign.into_iter().for_each(|work| self.owe(last, work));
        }
        Ok(phase)
    }

    /// The last deferred command's event.
    fn last_deferred(&self) -> Option<Ref<Event>> {
        self.state.lock().deferred.back().map(|deferred| deferred.event.clone())
    }

    /// clFinish: everything enqueued so far is done.
    pub fn finish(&self) -> Result<()> {
        while let Some(event) = self.last_deferred() {
            event.wait()?;
        }
        let last = self.state.lock().last;
        self.wait_for(last)
    }

    /// Starts what can be started in these queues, and in those that this unblocks.
    pub fn drain_all(mut queues: Vec<Ref<Queue>>) {
        while let Some(queue) = queues.pop() {
            queues.extend(queue.drain());
        }
    }
}

impl Ref<Queue> {
    /// Enqueues a command. Returns its event when one is wanted.
    pub fn enqueue(&self, request: Request) -> Result<Option<Ref<Event>>> {
        let Request { command_type, mut command, waits, blocking, wants_event } = request;
        let event = wants_event.then(|| Event::of_command(self, command_type));
        let mut state = self.state.lock();
        let behind = !state.deferred.is_empty();
        if behind || waits.iter().any(|event| event.add_waiter(self)) {
            if blocking {
                // A blocking write may return once the bytes are copied (5.2.2).
                command.take_host_bytes();
            }
            let must_wait = blocking && command.must_wait();
            let event = event.unwrap_or_else(|| Event::of_command(self, command_type));
            state.deferred.push_back(Deferred { command, waits, event: event.clone() });
            drop(state);
            if must_wait && event.wait()? < 0 {
                return fail(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
            }
            return Ok(wants_event.then_some(event));
        }
        state.timed = wants_event && self.profiling();
        let phase = self.execute(&mut state, &command, &waits, blocking)?;
        drop(state);
        if let Some(event) = &event {
            Queue::drain_all(event.advance(phase));
        }
        if blocking {
            match phase {
                Phase::Recorded { last, .. } if command.must_wait() => self.wait_for(last)?,
                Phase::Finished { status, .. } if status < 0 => return fail(status),
                _ => {}
            }
        }
        Ok(event)
    }

    /// Starts deferred commands up to the first that must still wait. Returns the queues that may
    /// go on because of it.
    fn drain(&self) -> Vec<Ref<Queue>> {
        let mut unblocked = Vec::new();
        // Dropped when the lock is not held.
        let mut started = Vec::new();
        let mut state = self.state.lock();
        while let Some(deferred) = state.deferred.pop_front() {
            if deferred.waits.iter().any(|event| event.add_waiter(self)) {
                state.deferred.push_front(deferred);
                break;
            }
            let Deferred { command, waits, event } = &deferred;
            state.timed = self.profiling();
            let phase = self
                .execute(&mut state, command, waits, false)
                .unwrap_or_else(|error| Phase::Finished { status: error.0, span: Span::now() });
            unblocked.extend(event.advance(phase));
            started.push(deferred);
        }
        drop(state);
        // The application may have flushed while these were held back.
        if let Err(error) = self.flush() {
            tracing::error!("submitting held back commands: {error}");
        }
        unblocked
    }
}
