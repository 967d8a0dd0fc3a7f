//! Events: what becomes of a command, or of the application's own condition (user events).

use crate::cl::error::{self, ensure, fail, Result};
use crate::cl::*;
use crate::core::context::Context;
use crate::core::process::clock;
use crate::core::queue::watcher;
use crate::core::queue::Queue;
use crate::object::callbacks::UserData;
use crate::object::notify::Notifier;
use crate::object::{callbacks, Kind, Ref};
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
    /// Callbacks not yet made; the handle stays valid for them.
    callbacks_due: AtomicU32,
}

struct State {
    phase: Phase,
    /// When the command was begun to be given to the device, on the host clock.
    submitted_at: u64,
    callbacks: Vec<Callback>,
    /// Queues with held commands that wait until this one is started.
    waiters: Vec<Ref<Queue>>,
    /// Queues with held commands that wait until it is finished.
    late_waiters: Vec<Ref<Queue>>,
}

/// What a held command waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// That the event leaves [`Phase::Pending`].
    Started,
    /// That it reaches [`Phase::Finished`].
    Finished,
}

/// How far a command is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Waits on the host: a user event, or a command behind one.
    Pending,
    /// The device has it: timeline values of its first and last part in its queue.
    Recorded { first: u64, last: u64 },
    /// Done: the final status, and the host clock at start and end.
    Finished { status: cl_int, span: Span },
}

/// When a command ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Span {
    /// On the host: nanoseconds of the host clock.
    Host { start: u64, end: u64 },
    /// On the device: the timeline values to ask the queue about.
    Device { first: u64, last: u64 },
}

impl Span {
    /// One tick of the clock, now.
    pub fn now() -> Span {
        let now = clock::now();
        Span::Host { start: now, end: now + 1 }
    }
}

/// When a command went through its stages: nanoseconds of the host clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Profile {
    pub queued: u64,
    pub submitted: u64,
    pub start: u64,
    pub end: u64,
}

/// A function to call when the event's status falls to `status` or below.
struct Callback {
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
        self.callbacks_due.load(Ordering::Acquire) > 0
    }
}

impl Event {
    /// Returns an event of a command of a queue.
    pub fn of_command(queue: &Ref<Queue>, command_type: cl_command_type) -> Ref<Event> {
        Event::new(queue.context.clone(), Some(queue.clone()), command_type)
    }

    /// clCreateUserEvent.
    pub fn user(context: Ref<Context>) -> Ref<Event> {
        Event::new(context, None, CL_COMMAND_USER)
    }

    fn new(
        context: Ref<Context>,
        queue: Option<Ref<Queue>>,
        command_type: cl_command_type,
    ) -> Ref<Event> {
        let state = State {
            phase: Phase::Pending,
            submitted_at: 0,
            callbacks: Vec::new(),
            waiters: Vec::new(),
            late_waiters: Vec::new(),
        };
        Ref::new(Event {
            context,
            queue,
            command_type,
            state: Mutex::new(state),
            changed: Condvar::new(),
            queued_at: clock::now(),
            callbacks_due: AtomicU32::new(0),
        })
    }

    /// Returns how far the command is known to be. Does not ask the device.
    pub fn phase(&self) -> Phase {
        self.state.lock().phase
    }

    /// When a finished command ran, with the times of enqueuing and submission.
    pub fn times(&self) -> (u64, u64, Phase) {
        let state = self.state.lock();
        (self.queued_at, state.submitted_at, state.phase)
    }
}

impl Ref<Event> {
    /// Has a queue drained when the event reaches a stage; false when it has already.
    pub fn add_waiter(&self, queue: &Ref<Queue>, stage: Stage) -> bool {
        let mut state = self.state.lock();
        let waiters = match (state.phase, stage) {
            (Phase::Finished { .. }, _) | (Phase::Recorded { .. }, Stage::Started) => return false,
            (_, Stage::Started) => &mut state.waiters,
            (_, Stage::Finished) => &mut state.late_waiters,
        };
        if !waiters.contains(queue) {
            waiters.push(queue.clone());
        }
        let with_device = state.phase != Phase::Pending;
        drop(state);
        if with_device {
            watcher::WAITS.watch(self);
        }
        true
    }

    /// Has the queues that wait for the event's end go on when it is finished; true when none is left. Called
    /// by a thread of ours with no lock held, which does not wait for a queue's lock: others have to go on
    /// while a blocking call has that one.
    pub fn drain_late_waiters(&self) -> bool {
        if !self.poll().unwrap_or(true) {
            return false;
        }
        let waiters = std::mem::take(&mut self.state.lock().late_waiters);
        let (busy, free): (Vec<_>, Vec<_>) = waiters.into_iter().partition(|q| q.is_busy());
        Queue::drain_all(free);
        let done = busy.is_empty();
        self.state.lock().late_waiters.extend(busy);
        done
    }

    /// Moves the event on from [`Phase::Pending`], which was begun at `submitted_at` on the host clock.
    /// Returns the queues whose commands may now run: the caller drains them when it holds no lock.
    #[must_use]
    pub fn advance(&self, phase: Phase, submitted_at: u64) -> Vec<Ref<Queue>> {
        self.advance_locked(self.state.lock(), phase, submitted_at)
    }

    fn advance_locked(
        &self,
        mut state: MutexGuard<'_, State>,
        phase: Phase,
        submitted_at: u64,
    ) -> Vec<Ref<Queue>> {
        state.submitted_at = submitted_at;
        state.phase = phase;
        if let Phase::Finished { status, .. } = phase {
            self.tell_of_failure(status);
        }
        let watched = !state.callbacks.is_empty();
        let waiters = std::mem::take(&mut state.waiters);
        drop(state);
        self.changed.notify_all();
        if watched {
            watcher::CALLBACKS.watch(self);
        }
        waiters
    }

    /// clSetUserEventStatus: CL_COMPLETE or an error, once.
    pub fn set_user_status(&self, status: cl_int) -> Result<()> {
        ensure!(self.queue.is_none(), CL_INVALID_EVENT);
        ensure!(status <= CL_COMPLETE, CL_INVALID_VALUE);
        let state = self.state.lock();
        ensure!(state.phase == Phase::Pending, CL_INVALID_OPERATION);
        let phase = Phase::Finished { status, span: Span::now() };
        let waiters = self.advance_locked(state, phase, clock::now());
        Queue::drain_all(waiters);
        Ok(())
    }

    /// Finishes the event if the device is done with it; true when it is finished.
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

    /// Recorded → finished, unless another thread did it.
    fn finish(&self, status: cl_int) {
        let phase = self.phase();
        let Phase::Recorded { first, last } = phase else { return };
        let span = Span::Device { first, last };
        // Queues remember the times of so many commands only: they are read now.
        let times = |queue: &Ref<Queue>| queue.device_times(first, last).ok();
        let times = self.queue.as_ref().filter(|queue| queue.profiling()).and_then(times);
        let span = times.map_or(span, |(start, end)| Span::Host { start, end });
        let mut state = self.state.lock();
        if state.phase == phase {
            state.phase = Phase::Finished { status, span };
            self.tell_of_failure(status);
        }
        drop(state);
        self.changed.notify_all();
    }

    /// Has the context's creator told of a command that failed by itself.
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
                (Phase::Finished { status, .. }, _) => return Ok(status),
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

    /// CL_EVENT_COMMAND_EXECUTION_STATUS: asks the device, and makes sure that it will get there.
    pub fn execution_status(&self) -> Result<cl_int> {
        if self.poll()? {
            if let Phase::Finished { status, .. } = self.phase() {
                return Ok(status);
            }
        }
        match (self.phase(), &self.queue) {
            (Phase::Recorded { .. }, Some(queue)) => {
                // A program that only polls would otherwise wait for ever for an open batch.
                queue.flush()?;
                Ok(CL_SUBMITTED)
            }
            (_, None) => Ok(CL_SUBMITTED),
            _ => Ok(CL_QUEUED),
        }
    }

    /// Returns the four times of a complete command on the host clock, in order;
    /// CL_PROFILING_INFO_NOT_AVAILABLE before it is complete.
    pub fn profile(&self) -> Result<Profile> {
        self.poll()?;
        let (queued, submitted, phase) = self.times();
        let (Phase::Finished { status: CL_COMPLETE, span }, Some(queue)) = (phase, &self.queue)
        else {
            return fail(CL_PROFILING_INFO_NOT_AVAILABLE);
        };
        let (start, end) = match span {
            Span::Host { start, end } => (start, end),
            Span::Device { first, last } => queue.device_times(first, last)?,
        };
        // The clocks of host and device agree to some microseconds only.
        let submitted = submitted.max(queued);
        let start = start.max(submitted);
        Ok(Profile { queued, submitted, start, end: end.max(start) })
    }

    /// clSetEventCallback.
    pub fn add_callback(&self, status: cl_int, function: EventNotify, data: UserData) {
        self.callbacks_due.fetch_add(1, Ordering::AcqRel);
        let mut state = self.state.lock();
        state.callbacks.push(Callback { status, function, data });
        let pending = state.phase == Phase::Pending;
        drop(state);
        if !pending {
            watcher::CALLBACKS.watch(self);
        }
    }

    /// Makes the callbacks that are due; true when none are left. Called by the event thread with
    /// no lock held.
    pub fn run_callbacks(&self) -> bool {
        let finished = self.poll().unwrap_or(true);
        // What a command printed is out before the command is known to be complete.
        callbacks::run_deferred();
        let (due, left) = {
            let mut state = self.state.lock();
            let final_status = match state.phase {
                Phase::Finished { status, .. } => Some(status),
                _ => None,
            };
            let reached = |callback: &Callback| finished || callback.status == CL_SUBMITTED;
            let all = std::mem::take(&mut state.callbacks);
            let (mut due, left): (Vec<_>, Vec<_>) = all.into_iter().partition(reached);
            state.callbacks = left;
            // In the order in which the statuses were passed.
            due.sort_by_key(|callback| std::cmp::Reverse(callback.status));
            let due: Vec<_> = due
                .into_iter()
                .map(|c| (c.function, c.data, final_status.filter(|s| *s < 0).unwrap_or(c.status)))
                .collect();
            (due, state.callbacks.len())
        };
        for (function, data, status) in due {
            if let Some(function) = function {
                // SAFETY: the application registered this function with this data.
                unsafe { function(self.handle(), status, data.get()) };
            }
            self.callbacks_due.fetch_sub(1, Ordering::AcqRel);
        }
        left == 0
    }
}
