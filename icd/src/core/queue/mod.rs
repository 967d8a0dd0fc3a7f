//! Command queues, in order and out of order. Commands are recorded on the calling thread; those that wait for the
//! application (user events) are deferred.
//!
//! In an out-of-order queue a command is ordered behind the timeline values of its wait list, and of
//! the last barrier; the device may overlap it with everything else.

pub mod callback_thread;
pub mod completion;
pub mod completion_thread;
pub mod deferred;
mod early;
pub mod effects;
pub mod event;
pub mod execute;
pub mod on_device;
mod release;
mod residency;
pub mod users;

use crate::cl::error::{fail, Result};
use crate::cl::*;
use crate::core::context::Context;
use crate::core::device::open::Gpu;
use crate::core::device::staging::Arena;
use crate::core::device::Device;
use crate::core::diagnostics::trace::trace;
use crate::core::printf::output::Outbox;
use crate::core::printf::MAX_PENDING;
use crate::core::process::clock;
use crate::object::notify::Notifier;
use crate::object::{Kind, Ref};
use completion::{CompletionWork, Completions};
use completion_thread::CompletionThread;
use deferred::{Deferred, DeferredCommands, Number, Order};
use early::EarlyWrite;
use effects::{Effects, Waiter};
use event::{DeviceTimes, Event, Phase, Span, Stage, Started};
use execute::{Execute, Execution};
use hekla_vk_backend as vk;
use parking_lot::{Mutex, MutexGuard};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::Arc;

/// The number of the next queue; 0 stands for no queue.
static NUMBERS: AtomicU64 = AtomicU64::new(1);

/// The properties that a queue was created with.
#[derive(Default)]
pub struct Properties {
    pub bits: cl_command_queue_properties,
    /// CL_QUEUE_PRIORITY_KHR.
    pub priority: vk::Priority,
    /// CL_QUEUE_SIZE in bytes, of a queue on the device.
    pub on_device_size: u32,
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
    /// The number by which kernels know a queue on the device; no other queue has it.
    pub number: u64,
    /// True if the queue is the default queue on its device.
    is_default: AtomicBool,
    /// For a queue on the device: unused rings, which are memory for the commands that kernels enqueue.
    pub rings: Mutex<Vec<Arc<vk::Buffer>>>,
    /// The queue's number in the trace; 0 if there is no trace.
    trace_number: u32,
    state: Mutex<State>,
    /// The host's part of commands, by timeline value.
    completions: Mutex<Completions>,
    completion_count: AtomicUsize,
    /// Completes the events that something on the host depends on.
    pub completion_thread: Arc<CompletionThread>,
    /// The output of the queue's kernels.
    pub outbox: Arc<Outbox>,
}

/// The state that each command changes.
pub struct State {
    deferred: DeferredCommands,
    /// Timeline value of the last command recorded.
    pub last: u64,
    early_write: Option<EarlyWrite>,
    pub upload: Arena,
    pub readback: Arena,
    /// Timeline value of an out-of-order queue that its last barrier waits for.
    barrier: u64,
    /// Timeline value of the last command before which the device waits for another queue. All later commands wait, too.
    waits_elsewhere: u64,
    /// Timeline value that the command that is being started is ordered behind.
    pub after: u64,
    /// True if the application or the trace may ask for the times of the command that is being started.
    pub timed: bool,
    /// The slots for the device's times of the command that is being started.
    pub times: Option<DeviceTimes>,
    /// The name in the trace of the command that is being started.
    name: String,
}

/// An entry point's request to enqueue a command.
pub struct Request {
    pub command_type: cl_command_type,
    pub command: Box<dyn Execute>,
    pub waits: Vec<Ref<Event>>,
    /// True if the call returns only when the command is complete.
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
        self.completion_thread.close();
        release::complete_later(self);
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
        gpu.clocks.note_work();
        let vk = gpu.device.create_queue_with(vk::QueueOptions {
            profiling: properties.bits & CL_QUEUE_PROFILING_ENABLE != 0 || trace().is_some(),
            out_of_order: properties.bits & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE != 0,
            priority: properties.priority,
            copies: None,
        })?;
        let state = State {
            deferred: DeferredCommands::default(),
            last: 0,
            early_write: None,
            barrier: 0,
            waits_elsewhere: 0,
            after: 0,
            upload: Arena::new(gpu.upload.clone()),
            readback: Arena::new(gpu.readback.clone()),
            timed: false,
            times: None,
            name: String::new(),
        };
        let trace_number = trace().map_or(0, |trace| trace.queue(&device.info().name));
        let outbox = context.printer.outbox();
        let is_default = properties.bits & CL_QUEUE_ON_DEVICE_DEFAULT != 0;
        let queue = Ref::new(Queue {
            context,
            device,
            device_index,
            gpu,
            vk,
            properties,
            number: NUMBERS.fetch_add(1, Ordering::Relaxed),
            is_default: AtomicBool::new(is_default),
            rings: Mutex::default(),
            trace_number,
            state: Mutex::new(state),
            completions: Mutex::default(),
            completion_count: AtomicUsize::new(0),
            completion_thread: Arc::default(),
            outbox,
        });
        queue.context.queues.add(&queue, &queue.vk);
        early::follow_early_writes(&queue);
        Ok(queue)
    }

    pub fn profiling(&self) -> bool {
        self.properties.bits & CL_QUEUE_PROFILING_ENABLE != 0
    }

    pub fn in_order(&self) -> bool {
        self.properties.bits & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE == 0
    }

    /// Returns the order of a command among the queue's other commands.
    fn order(&self, command_type: cl_command_type, waits: &[Ref<Event>]) -> Order {
        match command_type {
            _ if self.in_order() => Order::IN_ORDER,
            CL_COMMAND_MARKER => Order { behind_all: waits.is_empty(), before_all: false },
            CL_COMMAND_BARRIER => Order { behind_all: waits.is_empty(), before_all: true },
            _ => Order::FREE,
        }
    }

    /// Submits the recorded commands to the device.
    pub fn flush(&self) -> Result<()> {
        Ok(self.vk.flush()?)
    }

    /// Returns true if the device has reached a timeline value; does the host's part of the commands up to it.
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
        self.outbox.deliver_soon();
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

    /// Returns true if the host has work to do when the device reaches a value.
    pub fn has_host_work(&self, value: u64) -> bool {
        self.completion_count.load(Ordering::Acquire) > 0
            && self.completions.lock().until(value).next().is_some()
    }

    /// Returns the timeline value to wait for before another launch may print, if too many launches have output
    /// that is not collected yet.
    pub fn oldest_printout(&self) -> Option<u64> {
        let completions = self.completions.lock();
        let mut prints = completions.printouts();
        let oldest = prints.next();
        // Printouts that come from other queues' commands, which the command being started depends on, are listed under a value
        // that is not issued yet.
        let issued = self.vk.issued();
        oldest.filter(|value| *value <= issued && prints.count() + 1 >= MAX_PENDING)
    }

    /// Returns true if the host's work up to a value will write in `[start, end)` of the application's
    /// memory.
    pub fn will_write(&self, value: u64, (start, end): (usize, usize)) -> bool {
        self.completion_count.load(Ordering::Acquire) > 0
            && self.completions.lock().until(value).any(|work| work.will_write(start, end))
    }

    /// Appends one command to the timeline, behind everything that the command being started is ordered behind. Returns its
    /// value.
    pub fn record(&self, state: &mut State, commands: impl FnOnce(&mut vk::Recorder)) -> u64 {
        self.record_compiled(state, |_| {}, commands)
    }

    /// Like [`Queue::record`], but first lets pipelines be compiled; the compilation precedes the timestamp of a timed command.
    pub fn record_compiled(
        &self,
        state: &mut State,
        compile: impl FnOnce(&mut vk::Recorder),
        commands: impl FnOnce(&mut vk::Recorder),
    ) -> u64 {
        self.gpu.clocks.note_work();
        let (trace, after) = (trace(), state.after);
        let timed = state.timed || trace.is_some();
        let ((), value) = self.vk.record(|recorder| {
            recorder.after(after);
            if timed {
                compile(recorder);
            }
            let times = if timed { recorder.begin_timestamp() } else { None };
            if let Some((trace, times)) = trace.zip(times.clone()) {
                trace.command(self.trace_number, &state.name, times, self.gpu.clone());
            }
            state.add_times(times);
            commands(recorder);
            if timed {
                recorder.end_timestamp();
            }
        });
        state.last = value;
        value
    }

    /// Returns begin and end of a complete command, on the host clock.
    pub fn device_times(&self, times: Option<&DeviceTimes>) -> Result<(u64, u64)> {
        let both = times.and_then(|times| times.first.get().zip(times.last.get()));
        let Some((first, last)) = both else { return fail(CL_PROFILING_INFO_NOT_AVAILABLE) };
        Ok((self.gpu.on_host(first.begin_ns)?, self.gpu.on_host(last.end_ns)?))
    }

    /// Returns the phase of a command that the host did, from `start` on the host clock until now.
    pub fn done_by_host(&self, state: &State, start: u64) -> Phase {
        let end = clock::now().max(start + 1);
        // A command before this one may seem to end after `start`: the clocks of device and host agree only to some
        // microseconds.
        let ended = || self.gpu.on_host(self.vk.last_end_ns(state.after)?).ok();
        let earliest = if state.timed { ended().unwrap_or(0) } else { 0 };
        let span = Span::Host { start: start.max(earliest), end: end.max(earliest + 1) };
        Phase::Finished { status: CL_COMPLETE, span }
    }

    /// Returns the timeline value of this queue that a command is ordered behind.
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

    /// Waits until everything enqueued so far is complete (clFinish).
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

    /// Notes that events have reached the stages that deferred commands wait for, and starts the commands that may start now.
    /// Returns the effects. The caller must not hold a lock.
    pub fn resolve(waiters: Vec<(Waiter, Ref<Event>)>) -> Effects {
        let mut effects = Effects::default();
        let mut waiters = waiters.into_iter().peekable();
        while let Some((Waiter { queue, number }, event)) = waiters.next() {
            let mut state = queue.state.lock();
            queue.resolve_one(&mut state, number, &event);
            // Commands of the same queue are often next to each other in the list.
            while let Some((next, event)) = waiters.next_if(|(next, _)| next.queue == queue) {
                queue.resolve_one(&mut state, next.number, &event);
            }
            let startable = state.deferred.can_start();
            drop(state);
            if startable {
                effects.extend(queue.start_deferred());
            }
        }
        effects
    }
}

impl State {
    /// Notes the device's times of a part of the command that is being started.
    pub fn add_times(&mut self, times: Option<Arc<vk::CommandTimes>>) {
        let Some(last) = times else { return };
        let first = self.times.take().map_or_else(|| last.clone(), |times| times.first);
        self.times = Some(DeviceTimes { first, last });
    }
}

impl Ref<Queue> {
    /// Enqueues a command. Returns its event if one is wanted.
    pub fn enqueue(&self, request: Request) -> Result<Option<Ref<Event>>> {
        let event = request.wants_event.then(|| Event::of_command(self, request.command_type));
        self.enqueue_as(request, event)
    }

    /// Like [`Self::enqueue`], with an event that the caller has created, if one is wanted.
    pub fn enqueue_as(
        &self,
        request: Request,
        event: Option<Ref<Event>>,
    ) -> Result<Option<Ref<Event>>> {
        let order = self.order(request.command_type, &request.waits);
        let mut state = self.state.lock();
        let Request { command, waits, blocking, wants_event, .. } = &request;
        let command = &**command;
        let unresolved = self.count_unresolved(&state, (command, order), waits);
        let waits_for_others = state.deferred.defers(order);
        if unresolved > 0 && !waits_for_others {
            self.fetch_ahead(command, waits);
        }
        if unresolved > 0 || waits_for_others {
            return self.defer(state, request, (order, unresolved), event);
        }
        if self.awaits_bytes(state.deferred.next_number(), command) {
            return self.defer(state, request, (order, 1), event);
        }
        state.timed = *wants_event && self.profiling();
        let (started, then_wait, mut state) =
            self.start(state, command, waits, (order, *blocking), event.clone());
        // Other threads may have enqueued commands behind this one while it was waiting.
        let startable = state.deferred.can_start();
        let mut returns_early = false;
        if let Ok(Started { phase: Phase::Recorded { last, .. }, .. }) = &started {
            let write = EarlyWrite::Recorded(*last);
            // With an event the application could see that the device is still executing the write.
            returns_early = *blocking
                && !*wants_event
                && self.is_write_of_taken_bytes(command)
                && self.returns_early(&mut state, write);
        }
        drop(state);
        let phase = started.as_ref().map(|started| started.phase).map_err(|error| *error);
        if let Some((event, started)) = event.as_ref().zip(started.ok()) {
            let mut effects = event.advance(started);
            if startable {
                effects.extend(self.start_deferred());
            }
            effects.run();
        } else if startable {
            self.start_deferred().run();
        }
        let phase = phase?;
        if *blocking {
            let parts = then_wait.into_iter().try_for_each(|value| self.wait_for(value));
            parts.inspect_err(|_| command.cancel())?;
            match phase {
                Phase::Recorded { last, .. } if !returns_early => {
                    self.wait_for(last).inspect_err(|_| command.cancel())?;
                }
                Phase::Finished { status, .. } if status < 0 => return fail(status),
                _ => {}
            }
        }
        Ok(event)
    }

    /// Defers a command; `unresolved` entries of its wait list keep it from starting.
    fn defer(
        &self,
        mut state: MutexGuard<'_, State>,
        request: Request,
        (order, unresolved): (Order, usize),
        event: Option<Ref<Event>>,
    ) -> Result<Option<Ref<Event>>> {
        let Request { command_type, mut command, waits, blocking, wants_event } = request;
        let write = EarlyWrite::Deferred(state.deferred.next_number());
        let returns_early = blocking
            && self.is_write_of_taken_bytes(&*command)
            && self.context.queues.count() == 1
            && command.take_host_bytes()
            && self.returns_early(&mut state, write);
        let event = event.unwrap_or_else(|| Event::of_command(self, command_type));
        let deferred = Deferred { command, waits, order, event: event.clone(), unresolved };
        state.deferred.push(deferred);
        drop(state);
        if blocking && !returns_early && event.wait()? < 0 {
            return fail(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        }
        Ok(wants_event.then_some(event))
    }

    /// Starts a command that nothing defers. Returns the result, and the timeline values that a blocking call then
    /// waits for.
    fn start<'a>(
        &'a self,
        state: MutexGuard<'a, State>,
        command: &dyn Execute,
        waits: &[Ref<Event>],
        (order, blocking): (Order, bool),
        event: Option<Ref<Event>>,
    ) -> (Result<Started>, Vec<u64>, MutexGuard<'a, State>) {
        // Only a command with an event reports this time.
        let submitted_at = event.as_ref().map_or(0, |_| clock::now());
        let mut execution = Execution {
            queue: self,
            state,
            ready: true,
            blocking,
            waits: Vec::new(),
            order,
            runs_after: None,
            event,
        };
        let phase = execution.start(command, waits);
        let Execution { mut state, waits, runs_after, .. } = execution;
        let times = state.times.take();
        (phase.map(|phase| Started { phase, submitted_at, times, runs_after }), waits, state)
    }

    /// Returns the number of entries of a command's wait list that defer the command, and registers the command with these
    /// events, to be resolved later.
    fn count_unresolved(
        &self,
        state: &State,
        command: (&dyn Execute, Order),
        waits: &[Ref<Event>],
    ) -> usize {
        let number = state.deferred.next_number();
        waits.iter().filter(|event| self.is_unresolved(number, command, event)).count()
    }

    /// Returns true if an event defers a command, and then registers the command with the event, to be resolved later.
    ///
    /// The device itself waits for commands of its own queues if all later commands of this queue must wait as well: while a
    /// queue of the device waits, it runs nothing else. The device cannot wait for commands of other devices, nor for the
    /// host's work after a command, such as filling memory that a write then reads.
    fn is_unresolved(
        &self,
        number: Number,
        (command, order): (&dyn Execute, Order),
        event: &Ref<Event>,
    ) -> bool {
        let by_device = |other: &Ref<Queue>, last| {
            let reads = || command.host_source().filter(|_| other != self);
            Arc::ptr_eq(&other.gpu, &self.gpu)
                && (other == self || order.before_all || other.reached(last).unwrap_or(true))
                && reads().is_none_or(|range| !other.will_write(last, range))
        };
        let stage = match (event.phase(), &event.queue) {
            (Phase::Finished { .. }, _) => return false,
            (Phase::Recorded { last, .. }, Some(other)) if by_device(other, last) => return false,
            (Phase::Recorded { .. }, _) => Stage::Finished,
            (Phase::Pending, _) => Stage::Started,
        };
        event.add_waiter(Waiter { queue: self.clone(), number }, stage)
    }

    /// Notes that an event has reached the stage that a deferred command waited for. The command may then have to wait for a
    /// later stage of the event.
    fn resolve_one(&self, state: &mut State, number: Number, event: &Ref<Event>) {
        let Some(deferred) = state.deferred.get(number) else { return };
        let Deferred { command, waits, order, .. } = deferred;
        if !self.is_unresolved(number, (&**command, *order), event) {
            state.deferred.resolve(number);
        } else if state.deferred.is_behind_none(number) {
            self.fetch_ahead(&**command, waits);
        }
    }

    /// Starts the deferred commands that may start. Returns the effects.
    fn start_deferred(&self) -> Effects {
        let mut effects = Effects::default();
        let mut started_commands = Vec::new();
        let mut state = self.state.lock();
        while let Some((number, deferred)) = state.deferred.take() {
            if self.awaits_bytes(number, &*deferred.command) {
                state.deferred.put_back(number, deferred);
                continue;
            }
            let Deferred { command, waits, order, event, .. } = &deferred;
            state.timed = self.profiling();
            let (started, _, guard) =
                self.start(state, &**command, waits, (*order, false), Some(event.clone()));
            state = guard;
            effects.extend(event.advance(started.unwrap_or_else(|error| Started {
                phase: Phase::Finished { status: error.0, span: Span::now() },
                submitted_at: clock::now(),
                times: None,
                runs_after: None,
            })));
            started_commands.push(deferred);
        }
        drop(state);
        // The destructors of the commands may need the lock.
        drop(started_commands);
        // The application may have flushed the queue while these commands were deferred.
        if let Err(error) = self.flush() {
            tracing::error!("submitting deferred commands: {error}");
        }
        effects
    }
}
