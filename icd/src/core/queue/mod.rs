//! Command queues, in order and out of order: recorded on the calling thread. Commands that wait on
//! the application (user events) stay here until it has spoken.
//!
//! In an out-of-order queue a command is ordered behind the timeline values of its wait list, and of
//! the last barrier; the device may overlap it with everything else.

pub mod completion;
pub mod deferred;
pub mod event;
pub mod execute;
mod residency;
pub mod watcher;

use crate::cl::error::{fail, Result};
use crate::cl::*;
use crate::core::context::Context;
use crate::core::device::open::Gpu;
use crate::core::device::staging::Arena;
use crate::core::device::Device;
use crate::core::diagnostics::trace::trace;
use crate::core::printf::MAX_PENDING;
use crate::core::process::clock;
use crate::object::notify::Notifier;
use crate::object::{Kind, Ref};
use completion::{CompletionWork, Completions};
use deferred::{Deferred, DeferredCommands, Order};
use event::{Event, Phase, Span, Stage};
use execute::{Execute, Execution};
use hekla_vk_backend as vk;
use parking_lot::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

/// What a queue was asked to be.
#[derive(Default)]
pub struct Properties {
    pub bits: cl_command_queue_properties,
    /// CL_QUEUE_PRIORITY_KHR.
    pub priority: vk::Priority,
    /// The list given to clCreateCommandQueueWithProperties, with its terminating zero.
    pub list: Option<Vec<cl_queue_properties>>,
}

pub struct Queue {
    pub context: Ref<Context>,
    pub device: Ref<Device>,
    /// Position of the device in the context.
    pub device_index: usize,
    pub gpu: Arc<Gpu>,
    pub vk: Arc<vk::Queue>,
    pub properties: Properties,
    /// Its number in the trace; 0 when there is none.
    trace_number: u32,
    state: Mutex<State>,
    /// What the host has to do when the timeline reaches certain values.
    completions: Mutex<Completions>,
    completion_count: AtomicUsize,
}

/// What changes with each command.
pub struct State {
    deferred: DeferredCommands,
    /// Timeline value of the last command recorded.
    pub last: u64,
    pub upload: Arena,
    pub readback: Arena,
    /// Timeline value that the last barrier of an out-of-order queue stands behind.
    barrier: u64,
    /// Timeline value that the command that is being started is ordered behind.
    pub after: u64,
    /// Whether anybody can ask when that command ran.
    pub timed: bool,
    /// What the trace calls that command.
    name: String,
}

/// A command as an entry point asks for it.
pub struct Request {
    pub command_type: cl_command_type,
    pub command: Box<dyn Execute>,
    pub waits: Vec<Ref<Event>>,
    /// Return only when the command is complete.
    pub blocking: bool,
    pub wants_event: bool,
}

impl Kind for Queue {
    type Target = _cl_command_queue;
    const INVALID: cl_int = CL_INVALID_COMMAND_QUEUE;

    fn notifier(&self) -> Option<&Arc<Notifier>> {
        self.context.notifier()
    }

    fn reachable(&self) -> bool {
        true
    }

    fn dropped(&mut self, _: cl_command_queue) {
        // Releasing a queue flushes it; reads that are under way still reach the application.
        let last = self.state.get_mut().last;
        let pending = self.completion_count.load(Ordering::Acquire) > 0;
        let ended = if pending { self.wait_for(last) } else { self.flush() };
        if let Err(error) = ended {
            tracing::warn!("a queue ended badly: {error}");
        }
    }
}

impl Queue {
    pub fn new(
        context: Ref<Context>,
        device: Ref<Device>,
        properties: Properties,
    ) -> Result<Ref<Queue>> {
        let device_index = context.index_of(&device)?;
        let gpu = context.gpus[device_index].clone();
        let vk = gpu.device.create_queue_with(vk::QueueOptions {
            profiling: properties.bits & CL_QUEUE_PROFILING_ENABLE != 0 || trace().is_some(),
            out_of_order: properties.bits & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE != 0,
            priority: properties.priority,
        })?;
        let state = State {
            deferred: DeferredCommands::default(),
            last: 0,
            barrier: 0,
            after: 0,
            upload: Arena::new(gpu.upload.clone()),
            readback: Arena::new(gpu.readback.clone()),
            timed: false,
            name: String::new(),
        };
        let trace_number = trace().map_or(0, |trace| trace.queue(&device.info().name));
        Ok(Ref::new(Queue {
            context,
            device,
            device_index,
            gpu,
            vk,
            properties,
            trace_number,
            state: Mutex::new(state),
            completions: Mutex::default(),
            completion_count: AtomicUsize::new(0),
        }))
    }

    pub fn profiling(&self) -> bool {
        self.properties.bits & CL_QUEUE_PROFILING_ENABLE != 0
    }

    pub fn in_order(&self) -> bool {
        self.properties.bits & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE == 0
    }

    /// Returns how a command with a wait list or without stands to the others.
    fn order(&self, command_type: cl_command_type, waits: &[Ref<Event>]) -> Order {
        match command_type {
            _ if self.in_order() => Order::IN_ORDER,
            CL_COMMAND_MARKER => Order { behind_all: waits.is_empty(), before_all: false },
            CL_COMMAND_BARRIER => Order { behind_all: waits.is_empty(), before_all: true },
            _ => Order::FREE,
        }
    }

    /// Returns true if a blocking call waits until the command is complete. In order, a write need only have
    /// copied its bytes; out of order, nothing else would tell when others may follow.
    fn must_wait(&self, command: &dyn Execute) -> bool {
        !self.in_order() || command.needs_host_bytes()
    }

    /// Gives the device what is recorded.
    pub fn flush(&self) -> Result<()> {
        Ok(self.vk.flush()?)
    }

    /// Returns true if the device has reached a timeline value; the host's part of what is complete by
    /// then is done.
    pub fn reached(&self, value: u64) -> Result<bool> {
        let reached = value == 0 || self.vk.completed()? >= value;
        if reached {
            self.run_completions(value)?;
        }
        Ok(reached)
    }

    /// Waits until the device has reached a timeline value; see [`Queue::reached`].
    pub fn wait_for(&self, value: u64) -> Result<()> {
        if value > 0 {
            self.vk.wait(value)?;
        }
        self.run_completions(value)
    }

    /// Does the host's part of the commands up to a value that the device has reached.
    fn run_completions(&self, value: u64) -> Result<()> {
        if self.completion_count.load(Ordering::Acquire) > 0 {
            let mut completions = self.completions.lock();
            while let Some(work) = completions.take(value) {
                let done = work.run();
                self.completion_count.store(completions.count(), Ordering::Release);
                done?;
            }
        }
        if let Some(trace) = trace() {
            trace.collect();
        }
        self.context.printer.outbox.deliver_soon();
        Ok(())
    }

    /// Adds work for the host to do when the device reaches `value`.
    pub fn add_completion(&self, value: u64, work: Arc<dyn CompletionWork>) {
        let mut completions = self.completions.lock();
        completions.add(value, work);
        self.completion_count.store(completions.count(), Ordering::Release);
    }

    /// Returns the host's work that is pending up to a value.
    fn completions_until(&self, value: u64) -> Vec<Arc<dyn CompletionWork>> {
        if self.completion_count.load(Ordering::Acquire) == 0 {
            return Vec::new();
        }
        self.completions.lock().until(value).cloned().collect()
    }

    /// Bounds the launches whose output is not collected: waits for the first when there are too
    /// many.
    pub fn make_room_to_print(&self) -> Result<()> {
        let oldest = {
            let completions = self.completions.lock();
            let mut prints = completions.printouts();
            let oldest = prints.next();
            // What the command to be started waits for has no value to be waited for here yet.
            let issued = self.vk.issued();
            oldest.filter(|value| *value <= issued && prints.count() + 1 >= MAX_PENDING)
        };
        oldest.map_or(Ok(()), |value| self.wait_for(value))
    }

    /// Returns true if the host's work up to a value will write in `[start, end)` of the application's
    /// memory.
    pub fn will_write(&self, value: u64, (start, end): (usize, usize)) -> bool {
        self.completion_count.load(Ordering::Acquire) > 0
            && self.completions.lock().until(value).any(|work| work.will_write(start, end))
    }

    /// Appends one command to the timeline, behind what the command that is being started is ordered
    /// behind, and returns its value.
    pub fn record(&self, state: &mut State, commands: impl FnOnce(&mut vk::Recorder)) -> u64 {
        let (trace, after) = (trace(), state.after);
        let timed = state.timed || trace.is_some();
        let ((), value) = self.vk.record(|recorder| {
            recorder.after(after);
            let times = if timed { recorder.begin_timestamp() } else { None };
            if let Some((trace, times)) = trace.zip(times) {
                trace.command(self.trace_number, &state.name, times, self.gpu.clone());
            }
            commands(recorder);
            if timed {
                recorder.end_timestamp();
            }
        });
        state.last = value;
        value
    }

    /// Returns begin of one complete command and end of another, on the host clock.
    pub fn device_times(&self, first: u64, last: u64) -> Result<(u64, u64)> {
        let begin = self.vk.timestamps(first)?;
        let end = self.vk.timestamps(last)?;
        let Some((begin, end)) = begin.zip(end) else {
            return fail(CL_PROFILING_INFO_NOT_AVAILABLE);
        };
        Ok((self.gpu.on_host(begin.begin_ns)?, self.gpu.on_host(end.end_ns)?))
    }

    /// What becomes of a command that the host did, from `start` on its clock until now.
    pub fn done_by_host(&self, state: &State, start: u64) -> Phase {
        let end = clock::now().max(start + 1);
        // What it was ordered behind may have ended on the device, whose clock agrees to some
        // microseconds only.
        let ended = || self.gpu.on_host(self.vk.last_end_ns(state.after)?).ok();
        let earliest = if state.timed { ended().unwrap_or(0) } else { 0 };
        let span = Span::Host { start: start.max(earliest), end: end.max(earliest + 1) };
        Phase::Finished { status: CL_COMPLETE, span }
    }

    /// Returns value that a command is ordered behind in this queue.
    fn value_behind(&self, state: &State, order: Order, waits: &[Ref<Event>]) -> u64 {
        if order.behind_all {
            return state.last;
        }
        let own = waits.iter().filter_map(|event| match (event.phase(), &event.queue) {
            (Phase::Recorded { last, .. }, Some(queue)) if std::ptr::eq(&**queue, self) => {
                Some(last)
            }
            _ => None,
        });
        own.fold(state.barrier, u64::max)
    }

    /// Starts a command that nothing holds back.
    fn execute(
        &self,
        state: &mut State,
        command: &dyn Execute,
        (order, waits): (Order, &[Ref<Event>]),
        blocking: bool,
    ) -> Result<Phase> {
        let after = self.value_behind(state, order, waits);
        state.after = after;
        if trace().is_some() {
            state.name = command.name().to_string();
        }
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
            self.vk.wait_gpu(&other.vk, last)?;
            foreign.extend(other.completions_until(last));
            ready = false;
        }
        // Ahead of the command's own work, which may write to the same memory.
        let next = self.vk.issued() + 1;
        foreign.into_iter().for_each(|work| self.add_completion(next, work));
        let uses = self.uses(command);
        let mut reservation = self.reserve(&uses)?;
        let mut execution = Execution { queue: self, state, ready, blocking };
        let phase = command.execute(&mut execution).inspect_err(|_| command.cancel());
        if let Some(reservation) = &mut reservation {
            reservation.ends_at(state.last);
            if phase.is_err() {
                reservation.fail();
            }
        }
        let phase = phase?;
        if order.before_all {
            state.barrier = state.barrier.max(after);
        }
        Ok(phase)
    }

    /// clFinish: everything enqueued so far is done.
    pub fn finish(&self) -> Result<()> {
        let (deferred, last) = {
            let state = self.state.lock();
            (state.deferred.events(), state.last)
        };
        for event in deferred {
            event.wait()?;
        }
        self.wait_for(last)
    }

    /// Returns true if a thread is giving it a command, perhaps one that blocks.
    pub fn is_busy(&self) -> bool {
        self.state.is_locked()
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
        let event = request.wants_event.then(|| Event::of_command(self, request.command_type));
        self.enqueue_as(request, event)
    }

    /// The same with an event that is made already, where one is wanted.
    pub fn enqueue_as(
        &self,
        request: Request,
        event: Option<Ref<Event>>,
    ) -> Result<Option<Ref<Event>>> {
        let Request { command_type, mut command, waits, blocking, wants_event } = request;
        let order = self.order(command_type, &waits);
        let mut state = self.state.lock();
        if state.deferred.defers(order) || self.must_defer(&*command, order, &waits) {
            let mut taken = false;
            if blocking {
                // A blocking write may return once the bytes are copied (5.2.2).
                taken = command.take_host_bytes();
            }
            let must_wait = blocking && !(taken && self.in_order());
            let event = event.unwrap_or_else(|| Event::of_command(self, command_type));
            state.deferred.push(Deferred { command, waits, order, event: event.clone() });
            drop(state);
            if must_wait && event.wait()? < 0 {
                return fail(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
            }
            return Ok(wants_event.then_some(event));
        }
        if blocking && !self.in_order() && command.is_host_read(self) {
            // Nothing orders what other threads enqueue meanwhile behind this command.
            let behind = self.value_behind(&state, order, &waits);
            drop(state);
            self.wait_for(behind)?;
            state = self.state.lock();
        }
        state.timed = wants_event && self.profiling();
        let submitted = clock::now();
        let phase = self.execute(&mut state, &*command, (order, &waits), blocking)?;
        drop(state);
        if let Some(event) = &event {
            Queue::drain_all(event.advance(phase, submitted));
        }
        if blocking {
            match phase {
                Phase::Recorded { last, .. } if self.must_wait(&*command) => {
                    self.wait_for(last).inspect_err(|_| command.cancel())?;
                }
                Phase::Finished { status, .. } if status < 0 => return fail(status),
                _ => {}
            }
        }
        Ok(event)
    }

    /// Returns true if one of the events defers a command, and then has the queue drained later.
    ///
    /// The device itself waits for commands of its own queues, where all that comes later in this queue waits
    /// with it: a device's queue that waits does nothing else. It cannot wait for commands of other devices,
    /// nor for what the host has to do after a command: fill memory that a write then reads.
    fn must_defer(&self, command: &dyn Execute, order: Order, waits: &[Ref<Event>]) -> bool {
        let by_device = |other: &Ref<Queue>, last| {
            let reads = || command.host_source().filter(|_| other != self);
            Arc::ptr_eq(&other.gpu, &self.gpu)
                && (other == self || order.before_all || other.reached(last).unwrap_or(true))
                && reads().is_none_or(|range| !other.will_write(last, range))
        };
        waits.iter().any(|event| match (event.phase(), &event.queue) {
            (Phase::Finished { .. }, _) => false,
            (Phase::Recorded { last, .. }, Some(other)) if by_device(other, last) => false,
            (Phase::Recorded { .. }, _) => event.add_waiter(self, Stage::Finished),
            (Phase::Pending, _) => event.add_waiter(self, Stage::Started),
        }) || self.awaits_bytes(command)
    }

    /// Starts deferred commands that nothing defers any more. Returns the queues that may go on because
    /// of it.
    fn drain(&self) -> Vec<Ref<Queue>> {
        let mut unblocked = Vec::new();
        let mut state = self.state.lock();
        let mut deferred = std::mem::take(&mut state.deferred);
        // Dropped when the lock is not held.
        let started = deferred.release(
            |deferred| !self.must_defer(&*deferred.command, deferred.order, &deferred.waits),
            |Deferred { command, waits, order, event }| {
                state.timed = self.profiling();
                let submitted = clock::now();
                let phase = self
                    .execute(&mut state, &**command, (*order, waits), false)
                    .unwrap_or_else(|error| Phase::Finished { status: error.0, span: Span::now() });
                unblocked.extend(event.advance(phase, submitted));
            },
        );
        state.deferred = deferred;
        drop(state);
        drop(started);
        // The application may have flushed while these were deferred.
        if let Err(error) = self.flush() {
            tracing::error!("submitting deferred commands: {error}");
        }
        unblocked
    }
}
