//! Events: the state of a command, or of the application's own condition (user events).

use super::effects::{Continuation, Effects, Waiter};
use crate::cl::error::{self, ensure, fail, ClError, Result};
use crate::cl::*;
use crate::core::context::Context;
use crate::core::process::clock;
use crate::core::queue::Queue;
use crate::object::callbacks::{Callback, UserData};
use crate::object::notify::Notifier;
use crate::object::{Kind, Ref};
use hekla_vk_backend as vk;
use parking_lot::{Condvar, Mutex, MutexGuard};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::Arc;

pub struct Event {
    pub context: Ref<Context>,
    /// `None` for user events.
    pub queue: Option<Ref<Queue>>,
    pub command_type: cl_command_type,
    state: Mutex<State>,
    changed: Condvar,
    /// When the command was enqueued, on the host clock.
    queued_at: u64,
    /// The number of callbacks that are registered and not made yet; the handle stays valid for them.
    pending_callbacks: AtomicU32,
}

struct State {
    phase: Phase,
    /// When the command was submitted (CL_PROFILING_COMMAND_SUBMIT), on the host clock.
    submitted_at: u64,
    /// When the device ran the command.
    times: Option<DeviceTimes>,
    /// Timeline value of the queue after which the device runs the command, if known.
    runs_after: Option<u64>,
    callbacks: Vec<Registered>,
    /// Deferred commands that wait until this event's command is started.
    on_start: Vec<Waiter>,
    /// Deferred commands that wait until this event is finished.
    on_end: Vec<Waiter>,
    continuations: Vec<Continuation>,
    /// Whether the queue's completion thread has the event.
    awaited: Awaited,
}

/// Whether a queue's completion thread has an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Awaited {
    No,
    Yes,
    /// The thread has the event, and a command waits for it that must start without delay.
    Promptly,
}

/// The stage of an event that a deferred command waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// The event leaves [`Phase::Pending`].
    Started,
    /// The event reaches [`Phase::Finished`].
    Finished,
}

/// The state of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// The event waits on the host: a user event, or a command behind one.
    Pending,
    /// The device has the command. `first`, `last`: the timeline values of its first and last part in its queue.
    Recorded { first: u64, last: u64 },
    /// The command is complete or has failed, with its final status and when it ran.
    Finished { status: cl_int, span: Span },
}

/// When a command ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Span {
    /// Times of the host: nanoseconds of the host clock.
    Host { start: u64, end: u64 },
    /// Times of the device, by its timestamps.
    Device,
}

impl Span {
    /// Returns a span of one tick of the host clock, from now.
    pub fn now() -> Span {
        let now = clock::now();
        Span::Host { start: now, end: now + 1 }
    }
}

/// The times of a command's first and last part on the device.
#[derive(Clone)]
pub struct DeviceTimes {
    pub first: Arc<vk::CommandTimes>,
    pub last: Arc<vk::CommandTimes>,
}

/// The result of starting a command.
pub struct Started {
    pub phase: Phase,
    /// When it was started, on the host clock.
    pub submitted_at: u64,
    /// The slots for the device's times, if the command is timed.
    pub times: Option<DeviceTimes>,
    /// Timeline value of the queue after which the device runs the command, if known.
    pub runs_after: Option<u64>,
}

/// The profiling times of a command: nanoseconds of the host clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Profile {
    pub queued: u64,
    pub submitted: u64,
    pub start: u64,
    pub end: u64,
}

/// A function to call when the event's status falls to `status` or below.
struct Registered {
    status: cl_int,
    function: EventNotify,
    data: UserData,
}

impl Kind for Event {
    type Target = _cl_event;
    const INVALID: cl_int = CL_INVALID_EVENT;

    fn notifier(&self) -> Option<&Arc<Notifier>> {
        self.context.notifier()
    }

    fn reachable(&self) -> bool {
        self.pending_callbacks.load(Ordering::Acquire) > 0
    }

    fn dropped(&mut self, _: cl_event) {
        if self.is_condition() && self.state.get_mut().phase == Phase::Pending {
            self.context.conditions.fetch_sub(1, Ordering::AcqRel);
        }
    }
}

impl Event {
    /// Returns an event of a command of a queue.
    pub fn of_command(queue: &Ref<Queue>, command_type: cl_command_type) -> Ref<Event> {
        Event::new(queue.context.clone(), Some(queue.clone()), command_type)
    }

    /// Returns a new user event (clCreateUserEvent).
    pub fn user(context: Ref<Context>) -> Ref<Event> {
        Event::of_condition(context, CL_COMMAND_USER)
    }

    /// Returns an event for a fence of OpenGL or EGL that is not passed yet; the type of command says which.
    pub fn of_fence(context: Ref<Context>, command_type: cl_command_type) -> Ref<Event> {
        Event::of_condition(context, command_type)
    }

    /// Returns an event that the library itself ends before it acquires memory from OpenGL.
    pub fn of_acquire(context: Ref<Context>) -> Ref<Event> {
        Event::new(context, None, CL_COMMAND_ACQUIRE_GL_OBJECTS)
    }

    /// Returns true if neither a command nor the library ends the event.
    fn is_condition(&self) -> bool {
        self.queue.is_none() && self.command_type != CL_COMMAND_ACQUIRE_GL_OBJECTS
    }

    /// Returns an event that no command ends.
    fn of_condition(context: Ref<Context>, command_type: cl_command_type) -> Ref<Event> {
        context.conditions.fetch_add(1, Ordering::AcqRel);
        Event::new(context, None, command_type)
    }

    /// Returns true if the event stands for a fence of OpenGL or EGL. Only commands that acquire objects may wait for such
    /// events.
    pub fn is_fence(&self) -> bool {
        matches!(
            self.command_type,
            CL_COMMAND_GL_FENCE_SYNC_OBJECT_KHR | CL_COMMAND_EGL_FENCE_SYNC_OBJECT_KHR
        )
    }

    fn new(
        context: Ref<Context>,
        queue: Option<Ref<Queue>>,
        command_type: cl_command_type,
    ) -> Ref<Event> {
        let state = State {
            phase: Phase::Pending,
            submitted_at: 0,
            times: None,
            runs_after: None,
            callbacks: Vec::new(),
            on_start: Vec::new(),
            on_end: Vec::new(),
            continuations: Vec::new(),
            awaited: Awaited::No,
        };
        Ref::new(Event {
            context,
            queue,
            command_type,
            state: Mutex::new(state),
            changed: Condvar::new(),
            queued_at: clock::now(),
            pending_callbacks: AtomicU32::new(0),
        })
    }

    /// Returns the event's phase as far as it is known, without a query of the device.
    pub fn phase(&self) -> Phase {
        self.state.lock().phase
    }
}

impl State {
    /// Takes out the callbacks for a status and for earlier ones, in the order of the statuses. `failure`: the status that the
    /// callbacks receive in place of their own.
    fn take_calls(
        &mut self,
        event: &Ref<Event>,
        down_to: cl_int,
        failure: Option<cl_int>,
    ) -> Vec<Callback> {
        let all = std::mem::take(&mut self.callbacks);
        let (mut passed, left): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|callback| callback.status >= down_to);
        self.callbacks = left;
        passed.sort_by_key(|callback| std::cmp::Reverse(callback.status));
        let call = |callback: Registered| event.call(callback, failure);
        passed.into_iter().map(call).collect()
    }

    /// Takes out all effects of the event's end.
    fn take_effects(&mut self, event: &Ref<Event>, status: cl_int) -> Effects {
        let on_start = std::mem::take(&mut self.on_start);
        let waiters = on_start.into_iter().chain(std::mem::take(&mut self.on_end));
        let continuations = std::mem::take(&mut self.continuations);
        Effects {
            waiters: waiters.map(|waiter| (waiter, event.clone())).collect(),
            continuations: continuations.into_iter().map(|run| (run, status)).collect(),
            calls: self.take_calls(event, CL_COMPLETE, Some(status).filter(|status| *status < 0)),
        }
    }

    /// Notes that the queue's completion thread will have the event. Returns the timeline value to wait for, unless the thread
    /// has the event already.
    fn await_completion(&mut self, how: Awaited) -> Option<u64> {
        let Phase::Recorded { last, .. } = self.phase else { return None };
        let before = self.awaited;
        self.awaited = how.max(before);
        (before < how).then_some(last)
    }
}

impl State {
    /// Returns the timeline value at which callbacks for CL_RUNNING are made, if there are any and the value is known.
    /// Otherwise they are made together with the callbacks for CL_COMPLETE.
    fn await_running(&self) -> Option<u64> {
        let is_recorded = matches!(self.phase, Phase::Recorded { .. });
        let waits = self.callbacks.iter().any(|callback| callback.status == CL_RUNNING);
        self.runs_after.filter(|_| is_recorded && waits)
    }
}

impl Ref<Event> {
    /// Registers a deferred command to be [resolved](Queue::resolve) when the event reaches a stage; returns false
    /// if the event has reached it already.
    pub fn add_waiter(&self, waiter: Waiter, stage: Stage) -> bool {
        let mut state = self.state.lock();
        match (state.phase, stage) {
            (Phase::Finished { .. }, _) | (Phase::Recorded { .. }, Stage::Started) => return false,
            (_, Stage::Started) => state.on_start.push(waiter),
            (_, Stage::Finished) => state.on_end.push(waiter),
        }
        let value = state.await_completion(Awaited::Promptly);
        drop(state);
        self.give_to_thread(value, true);
        true
    }

    /// Registers a continuation for when the event is complete; calls it at once if the event is complete already. The caller
    /// must not hold a lock.
    pub fn then(&self, continuation: impl FnOnce(cl_int) -> Effects + Send + 'static) {
        let mut state = self.state.lock();
        if let Phase::Finished { status, .. } = state.phase {
            drop(state);
            return continuation(status).run();
        }
        state.continuations.push(Box::new(continuation));
        let value = state.await_completion(Awaited::Promptly);
        drop(state);
        self.give_to_thread(value, true);
    }

    /// Returns true if the device has the command and has completed everything before it that the command waits for.
    fn runs(&self) -> bool {
        let runs_after = self.state.lock().runs_after;
        let reached = |(value, queue): (u64, &Ref<Queue>)| {
            value == 0 || queue.vk.completed().is_ok_and(|done| done >= value)
        };
        runs_after.zip(self.queue.as_ref()).is_some_and(reached)
    }

    /// Gives the event to its queue's completion thread, if the thread has a value to wait for.
    fn give_to_thread(&self, value: Option<u64>, prompt: bool) {
        if let Some((value, queue)) = value.zip(self.queue.as_ref()) {
            queue.completion_thread.add(value, self, prompt);
        }
    }

    /// Moves the event out of [`Phase::Pending`]. Returns the effects, which must be run when no lock is held and the command
    /// has been submitted.
    pub fn advance(&self, started: Started) -> Effects {
        self.advance_locked(self.state.lock(), started)
    }

    fn advance_locked(&self, mut state: MutexGuard<'_, State>, started: Started) -> Effects {
        state.submitted_at = started.submitted_at;
        state.times = started.times;
        state.runs_after = started.runs_after;
        state.phase = started.phase;
        let (mut value, mut prompt, mut runs) = (None, false, None);
        let effects = match started.phase {
            Phase::Finished { status, .. } => {
                self.tell_of_failure(status);
                state.take_effects(self, status)
            }
            _ => {
                let waiters = std::mem::take(&mut state.on_start);
                let waiters = waiters.into_iter().map(|waiter| (waiter, self.clone())).collect();
                let calls = state.take_calls(self, CL_SUBMITTED, None);
                runs = state.await_running();
                prompt = !(state.on_end.is_empty() && state.continuations.is_empty());
                if prompt {
                    value = state.await_completion(Awaited::Promptly);
                } else if !state.callbacks.is_empty() {
                    value = state.await_completion(Awaited::Yes);
                }
                Effects { waiters, calls, ..Effects::default() }
            }
        };
        drop(state);
        self.changed.notify_all();
        self.give_to_thread(value, prompt);
        self.give_to_thread(runs, false);
        effects
    }

    /// Returns the effects of the event's end, or of the start of its command. The queue's completion thread calls this at the
    /// timeline values that it was given.
    pub fn conclude(&self) -> Effects {
        let mut state = self.state.lock();
        let Phase::Finished { status, .. } = state.phase else {
            let calls = state.take_calls(self, CL_RUNNING, None);
            return Effects { calls, ..Effects::default() };
        };
        state.awaited = Awaited::No;
        state.take_effects(self, status)
    }

    /// clSetUserEventStatus: CL_COMPLETE or an error, once.
    pub fn set_user_status(&self, status: cl_int) -> Result<()> {
        ensure!(self.queue.is_none() && !self.is_fence(), CL_INVALID_EVENT);
        ensure!(status <= CL_COMPLETE, CL_INVALID_VALUE);
        let effects = self.complete_user_event(status);
        effects.map(Effects::run).ok_or(ClError(CL_INVALID_OPERATION))
    }

    /// Completes a user event; `None` when it is complete already.
    pub fn complete_user_event(&self, status: cl_int) -> Option<Effects> {
        let state = self.state.lock();
        let phase = Phase::Finished { status, span: Span::now() };
        let started = Started { phase, submitted_at: clock::now(), times: None, runs_after: None };
        (state.phase == Phase::Pending).then(|| {
            if self.is_condition() {
                self.context.conditions.fetch_sub(1, Ordering::AcqRel);
            }
            self.advance_locked(state, started)
        })
    }

    /// Finishes the event if the device has completed the command; returns true if it is finished.
    pub fn poll(&self) -> Result<bool> {
        let (last, queue) = match (self.phase(), &self.queue) {
            (Phase::Finished { .. }, _) => return Ok(true),
            (Phase::Recorded { last, .. }, Some(queue)) => (last, queue),
            _ => return Ok(false),
        };
        match queue.reached(last) {
            Ok(false) => return Ok(false),
            Ok(true) => self.finish(CL_COMPLETE),
            Err(error) => self.finish(error.0),
        }
        Ok(true)
    }

    /// Moves the event from recorded to finished, unless another thread has. The completion thread runs the effects.
    fn finish(&self, status: cl_int) {
        let mut state = self.state.lock();
        if !matches!(state.phase, Phase::Recorded { .. }) {
            return;
        }
        state.phase = Phase::Finished { status, span: Span::Device };
        self.tell_of_failure(status);
        drop(state);
        self.changed.notify_all();
    }

    /// Notifies the context's creator of a command that failed, unless it failed because of an event in its wait list.
    fn tell_of_failure(&self, status: cl_int) {
        let own = status < 0 && status != CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
        if let Some(notifier) = self.context.notifier().filter(|_| own && self.queue.is_some()) {
            let (command, status) = (self.command_type, error::name(status));
            notifier.tell_later(format!("a command of type {command:#x} failed: {status}"));
        }
    }

    /// Waits until the command is complete (or has failed) and returns its final status.
    pub fn wait(&self) -> Result<cl_int> {
        loop {
            let mut state = self.state.lock();
            let (last, queue) = match (state.phase, &self.queue) {
                (Phase::Finished { status, .. }, queue) => {
                    // The command's output may have been collected by another thread, and still has to be delivered.
                    queue.iter().for_each(|queue| queue.outbox.deliver_soon());
                    return Ok(status);
                }
                (Phase::Recorded { last, .. }, Some(queue)) => (last, queue),
                _ => {
                    self.changed.wait(&mut state);
                    continue;
                }
            };
            drop(state);
            match queue.wait_for(last) {
                Ok(()) => self.finish(CL_COMPLETE),
                Err(error) => self.finish(error.0),
            }
        }
    }

    /// Returns CL_EVENT_COMMAND_EXECUTION_STATUS. Asks the device for the state, and submits the command.
    pub fn execution_status(&self) -> Result<cl_int> {
        if self.poll()? {
            if let Phase::Finished { status, .. } = self.phase() {
                self.queue.iter().for_each(|queue| queue.outbox.deliver_soon());
                return Ok(status);
            }
        }
        match (self.phase(), &self.queue) {
            (Phase::Recorded { .. }, Some(queue)) => {
                // Otherwise a program that only polls would wait forever for a batch that is not submitted.
                queue.flush()?;
                Ok(if self.runs() { CL_RUNNING } else { CL_SUBMITTED })
            }
            (_, None) => Ok(CL_SUBMITTED),
            _ => Ok(CL_QUEUED),
        }
    }

    /// Returns the four times of a complete command on the host clock, in order;
    /// CL_PROFILING_INFO_NOT_AVAILABLE before it is complete.
    pub fn profile(&self) -> Result<Profile> {
        self.poll()?;
        let (phase, submitted, times) = {
            let state = self.state.lock();
            (state.phase, state.submitted_at, state.times.clone())
        };
        let queued = self.queued_at;
        let (Phase::Finished { status: CL_COMPLETE, span }, Some(queue)) = (phase, &self.queue)
        else {
            return fail(CL_PROFILING_INFO_NOT_AVAILABLE);
        };
        let (start, end) = match span {
            Span::Host { start, end } => (start, end),
            Span::Device => queue.device_times(times.as_ref())?,
        };
        // The clocks of host and device agree only to some microseconds.
        let submitted = submitted.max(queued);
        let start = start.max(submitted);
        Ok(Profile { queued, submitted, start, end: end.max(start) })
    }

    /// Returns when the device ran the command, which must be complete: nanoseconds of the host clock. Unlike the times of
    /// `profile` they may be before the command's submission, by the difference of the two clocks, so that the duration is the
    /// device's.
    pub fn device_times(&self) -> Result<(u64, u64)> {
        self.poll()?;
        let times = self.state.lock().times.clone();
        let queue = self.queue.as_ref().ok_or(ClError(CL_PROFILING_INFO_NOT_AVAILABLE))?;
        queue.device_times(times.as_ref())
    }

    /// clSetEventCallback.
    pub fn add_callback(&self, status: cl_int, function: EventNotify, data: UserData) {
        self.pending_callbacks.fetch_add(1, Ordering::AcqRel);
        let callback = Registered { status, function, data };
        // An error becomes the command's status.
        let _ = self.poll();
        let runs = status == CL_RUNNING && self.runs();
        let mut state = self.state.lock();
        let is_submitted = self.queue.is_none() || state.phase != Phase::Pending;
        let (passed, failure) = match state.phase {
            // Callbacks that the completion thread still has to make come before this one.
            Phase::Finished { status, .. } if state.awaited == Awaited::No => {
                (true, Some(status).filter(|status| *status < 0))
            }
            _ => (runs || is_submitted && status == CL_SUBMITTED, None),
        };
        if passed {
            let is_recorded = matches!(state.phase, Phase::Recorded { .. });
            drop(state);
            if let Some(queue) = self.queue.as_ref().filter(|_| is_recorded) {
                // The command is submitted now. An error is reported at its end.
                let _ = queue.flush();
            }
            return Effects { calls: vec![self.call(callback, failure)], ..Effects::default() }
                .run();
        }
        state.callbacks.push(callback);
        let (value, runs) = (state.await_completion(Awaited::Yes), state.await_running());
        drop(state);
        self.give_to_thread(value, false);
        self.give_to_thread(runs, false);
    }

    /// Returns the call of a callback, for the callback thread to make.
    fn call(&self, callback: Registered, failure: Option<cl_int>) -> Callback {
        let event = self.clone();
        Box::new(move || {
            let Registered { status, function, data } = callback;
            // The output of a command must be delivered before the application learns that the command is complete.
            event.queue.iter().for_each(|queue| queue.outbox.deliver_all());
            if let Some(function) = function {
                // SAFETY: the application registered this function with this data.
                unsafe { function(event.handle(), failure.unwrap_or(status), data.get()) };
            }
            event.pending_callbacks.fetch_sub(1, Ordering::AcqRel);
        })
    }
}
