//! Queues: commands are recorded when they are enqueued, and ordered by one timeline semaphore.
//!
//! Every command gets a value on its queue's timeline. Commands collect in an open batch, which is
//! submitted when it is full, on [`Queue::flush`] and [`Queue::wait`], and at once while the device
//! has nothing of this queue to do.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::Ordering;
use std::sync::Arc;
use std::time::Instant;

use ash::vk;
use parking_lot::Mutex;

use crate::batch::{Batch, Released, Side, Start, Timestamps, Wait, MAX_COMMANDS};
use crate::marks::Marks;
use crate::sabotage::Fate;
use crate::semaphore::Semaphore;
use crate::timeline::{self, Timeline};
use crate::{Device, Error, Priority, Recorder};

/// While one batch is in flight, a second of this many commands follows it, lest the device run dry.
const READY_COMMANDS: u32 = 32;
/// Batches kept to be used again.
const SPARE_BATCHES: usize = 8;
/// So many of them are left alone where no semaphore tells that the device is through with them.
const RESTING_BATCHES: usize = 2;
/// After the host has read device memory, so many batches show it their results unasked.
const SHOWN_BATCHES: u32 = 16;
/// Commands whose timestamps a queue remembers, to order those of the next ones behind them.
const MAX_TIMES: usize = 1024;

/// How a thread waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Patience {
    /// Looks again and again for a while, since a thread that sleeps takes long to wake.
    Spin,
    /// Sleeps at once.
    Sleep,
}

/// What a queue is made for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct QueueOptions {
    /// Commands can be timed.
    pub profiling: bool,
    /// Commands are ordered by what [`Recorder::after`] says alone: batches begin and end without a
    /// barrier.
    pub out_of_order: bool,
    /// Against other queues of the device.
    pub priority: Priority,
}

/// A stream of commands with one timeline: the value of a command is reached when it and all before it
/// are complete. What may overlap on the device until then, see [`Recorder`].
///
/// Dropping a queue submits what is open and waits until all of it has completed.
pub struct Queue {
    device: Arc<Device>,
    /// Which Vulkan queue of the device takes the batches.
    vulkan_queue: usize,
    options: QueueOptions,
    timeline: Arc<Timeline>,
    /// What shows that batches are complete, in place of the timeline, which then is signalled where
    /// that is needed.
    marks: Option<Marks>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    open: Option<Batch>,
    /// Submitted batches, oldest first.
    in_flight: VecDeque<Batch>,
    /// Complete ones, oldest first.
    spare: VecDeque<Batch>,
    /// Value of the newest command, and of the newest submitted one.
    issued: u64,
    submitted: u64,
    /// Newest value that the timeline will reach by itself.
    signalled: u64,
    /// Of the newest submission.
    submitted_at: Option<Instant>,
    /// What [`Batch::ordered`] was when the last batch ended.
    ordered: u64,
    /// Value up to which the host sees what commands wrote, once they are complete.
    shown: u64,
    /// How many of this queue's batches did not show the host their results and are complete.
    unshown: u64,
    /// How many of other queues' there were when this queue last showed the host what there was.
    seen: u64,
    /// How many of the next batches are expected to be looked at by the host.
    to_show: u32,
    /// For the next batch to wait for.
    waits: Vec<Wait>,
    times: BTreeMap<u64, Timestamps>,
    /// Why commands after `submitted` will never complete.
    failure: Option<Error>,
    /// What completed batches kept alive: dropped once the lock is released.
    released: Vec<Released>,
}

impl State {
    /// Counts a command that was recorded into the open batch: it gets the next value.
    fn issue(&mut self) {
        self.issued += 1;
        if let Some(batch) = &mut self.open {
            batch.count += 1;
            batch.last_value = self.issued;
        }
    }
}

impl Queue {
    pub(crate) fn create(
        device: &Arc<Device>,
        vulkan_queue: usize,
        options: QueueOptions,
    ) -> Result<Arc<Queue>, Error> {
        device.check_lost()?;
        let profiling = options.profiling && device.info().limits.timestamp_valid_bits > 0;
        // A semaphore tells that timestamps are there.
        let marks = if profiling { None } else { Marks::create(device)? };
        Ok(Arc::new(Queue {
            device: device.clone(),
            vulkan_queue,
            options: QueueOptions { profiling, ..options },
            timeline: Timeline::create(device)?,
            marks,
            state: Mutex::default(),
        }))
    }

    /// The device it belongs to.
    pub fn device(&self) -> &Arc<Device> {
        &self.device
    }

    /// Whether commands can be timed: profiling was asked for, and the device has timestamps.
    pub fn profiling(&self) -> bool {
        self.options.profiling
    }

    /// Records one command: `f` appends to the open batch. Returns what `f` returned, and the value
    /// that the queue's timeline reaches when the command is complete: 1 for the first command, then
    /// 2, and so on.
    ///
    /// A failure (out of memory, device lost) shows at the next [`Queue::flush`], [`Queue::wait`] or
    /// [`Queue::completed`]; the commands it hit never complete.
    ///
    /// `f` runs under the queue's lock: it must not use this queue but through the recorder.
    pub fn record<R>(&self, f: impl FnOnce(&mut Recorder<'_>) -> R) -> (R, u64) {
        self.locked(|state| {
            self.open(state);
            let value = state.issued + 1;
            let mut recorder = Recorder::new(&self.device, state.open.as_mut(), value);
            let result = f(&mut recorder);
            state.issue();
            self.submit_if_due(state);
            (result, value)
        })
    }

    /// As [`Queue::record`]; the command, and those after it, begin when all of `waits` are signalled,
    /// which makes them unsignalled. When it and all before it are complete, it signals `signals`. It is
    /// submitted at once.
    ///
    /// A signal of what is waited for must be submitted, or be the business of another API; one that never
    /// comes blocks the device's queue for all.
    pub fn exchange<R>(
        &self,
        waits: &[Arc<Semaphore>],
        signals: &[Arc<Semaphore>],
        f: impl FnOnce(&mut Recorder<'_>) -> R,
    ) -> (R, u64) {
        self.locked(|state| {
            // Earlier commands do not wait. (Failures show later, as in `record`.)
            let _ = if waits.is_empty() { Ok(()) } else { self.submit(state) };
            self.open(state);
            let value = state.issued + 1;
            let mut recorder = Recorder::new(&self.device, state.open.as_mut(), value);
            let result = f(&mut recorder);
            state.issue();
            if let Some(batch) = &mut state.open {
                batch.awaited.extend_from_slice(waits);
                batch.signalled.extend_from_slice(signals);
            }
            let _ = self.submit(state);
            (result, value)
        })
    }

    /// Submits what is open.
    ///
    /// # Errors
    /// Why a command recorded since the last submission cannot run: [`Error::DeviceLost`], out of
    /// memory. The queue stays failed.
    pub fn flush(&self) -> Result<(), Error> {
        self.locked(|state| self.submit(state))
    }

    /// The value of the newest command that is complete; 0 for none. Also frees what completed
    /// commands kept alive.
    ///
    /// # Errors
    /// [`Error::DeviceLost`]; the queue's failure, once all that was submitted is complete.
    pub fn completed(&self) -> Result<u64, Error> {
        self.locked(|state| {
            let value = self.retire(state)?;
            match &state.failure {
                Some(e) if value >= state.submitted => Err(e.clone()),
                _ => Ok(value),
            }
        })
    }

    /// The value of the newest command recorded; 0 for none.
    pub fn issued(&self) -> u64 {
        self.state.lock().issued
    }

    /// The value of the newest command that was handed to the device; 0 for none.
    pub fn submitted(&self) -> u64 {
        self.state.lock().submitted
    }

    /// Blocks until the command of `value` is complete, submitting it if need be.
    ///
    /// # Errors
    /// [`Error::DeviceLost`]; the failure that keeps the command from running; [`Error::Invalid`]
    /// for a value that no command has.
    pub fn wait(&self, value: u64) -> Result<(), Error> {
        let last = self.locked(|state| {
            let last = self.submit_up_to(state, value)?;
            // The next command's batch is begun while the device works.
            self.open(state);
            Ok::<_, Error>(last)
        })?;
        match &self.marks {
            Some(marks) => self.wait_for_mark(marks, last)?,
            None => self.timeline.wait(last)?,
        }
        self.locked(|state| self.retire(state)).map(|_| ())
    }

    /// Blocks until the oldest batch that is in flight is complete; returns at once if the command of `value`
    /// is complete, or none is in flight.
    ///
    /// # Errors
    /// [`Error::DeviceLost`].
    pub fn wait_for_batch(&self, value: u64, patience: Patience) -> Result<(), Error> {
        let oldest = self.locked(|state| {
            let is_complete = self.retire(state)? >= value;
            let oldest = state.in_flight.front().filter(|_| !is_complete);
            Ok::<_, Error>(oldest.map(|batch| batch.last_value))
        })?;
        let Some(value) = oldest else { return Ok(()) };
        self.timeline.check()?;
        match (&self.marks, patience) {
            (Some(marks), Patience::Spin) => self.wait_for_mark(marks, value),
            (Some(_), Patience::Sleep) => {
                self.locked(|state| self.signal(state))?;
                self.timeline.sleep(value)
            }
            (None, Patience::Spin) => self.timeline.wait(value),
            (None, Patience::Sleep) => self.timeline.sleep(value),
        }
    }

    fn wait_for_mark(&self, marks: &Marks, value: u64) -> Result<(), Error> {
        let reached = || {
            self.timeline.check()?;
            Ok(marks.reached(value))
        };
        if timeline::poll(&self.device, reached)? {
            return Ok(());
        }
        self.locked(|state| self.signal(state))?;
        self.timeline.sleep(value)
    }

    /// As [`Queue::wait`]; then the host also sees what commands up to `value` wrote to mapped memory of
    /// the device across the bus ([`crate::Reach::Bus`]). Their writes to other mapped memory it sees
    /// after [`Queue::wait`] already.
    ///
    /// # Errors
    /// As [`Queue::wait`].
    pub fn wait_shown(&self, value: u64) -> Result<(), Error> {
        let value = self.locked(|state| {
            state.to_show = SHOWN_BATCHES;
            self.submit_up_to(state, value)?;
            if state.shown >= value && state.seen == self.unshown_elsewhere(state) {
                return Ok(value);
            }
            // A command that does nothing, in a batch that ends with the barrier for all before it.
            self.open(state);
            state.issue();
            self.submit(state)?;
            Ok(state.issued)
        })?;
        self.wait(value)
    }

    /// Commands recorded here from now on begin after the command of `value` on `other` is complete.
    /// Submits that command, and what is open here; never lets the device wait for something that is
    /// not submitted.
    ///
    /// # Errors
    /// As [`Queue::wait`]; [`Error::Invalid`] when the queues belong to different devices.
    pub fn wait_gpu(&self, other: &Arc<Queue>, value: u64) -> Result<(), Error> {
        if std::ptr::eq(self, Arc::as_ptr(other)) {
            return Ok(());
        }
        if !Arc::ptr_eq(&self.device, &other.device) {
            return Err(Error::Invalid("queues of different devices".into()));
        }
        let value = other.locked(|state| {
            let value = other.submit_up_to(state, value)?;
            if other.value(state)? >= value {
                return Ok(None);
            }
            other.signal(state)?;
            Ok::<_, Error>(Some(value))
        })?;
        let Some(value) = value else { return Ok(()) };
        self.locked(|state| {
            self.submit(state)?;
            state.waits.push(Wait { timeline: other.timeline.clone(), value });
            Ok(())
        })
    }

    /// When the command of `value` ran: `None` while it is not complete, when it took no timestamps,
    /// and when it is one of 1024 commands ago (keep [`Recorder::begin_timestamp`]'s result for such).
    ///
    /// # Errors
    /// [`Error::DeviceLost`].
    pub fn timestamps(&self, value: u64) -> Result<Option<Timestamps>, Error> {
        self.locked(|state| {
            self.retire(state)?;
            Ok(state.times.get(&value).copied())
        })
    }

    /// When the last timed command up to that of `value`, which is complete, ended; `None` if none is
    /// remembered.
    pub fn ended_by(&self, value: u64) -> Option<u64> {
        let state = self.state.lock();
        let (_, times) = state.times.range(..=value).next_back()?;
        Some(times.end_ns)
    }

    /// Runs `f` with the state, then drops what has been released without the lock: owners' code may
    /// run then, and use this queue.
    fn locked<R>(&self, f: impl FnOnce(&mut State) -> R) -> R {
        let mut state = self.state.lock();
        let result = f(&mut state);
        let released = std::mem::take(&mut state.released);
        drop(state);
        drop(released);
        result
    }

    /// Sees to it that a batch is open, unless the queue has failed.
    fn open(&self, state: &mut State) {
        if state.open.is_some() || state.failure.is_some() {
            return;
        }
        match self.start_batch(state) {
            Ok(batch) => state.open = Some(batch),
            Err(e) => state.failure = Some(e),
        }
    }

    fn start_batch(&self, state: &mut State) -> Result<Batch, Error> {
        self.device.check_lost()?;
        let resting = if self.marks.is_some() { RESTING_BATCHES } else { 0 };
        let spare = if state.spare.len() > resting { state.spare.pop_front() } else { None };
        let mut batch = match spare {
            Some(batch) => batch,
            None => Batch::create(&self.device, self.options.profiling)?,
        };
        let issued = state.issued;
        // Without a barrier at the end of the newest batch, this one begins with one.
        let start = match state.shown >= state.submitted {
            _ if self.options.out_of_order => Start::Unordered { ordered: state.ordered },
            true => Start::Ordered { issued },
            false => Start::Barrier { issued },
        };
        if let Err(e) = batch.begin(&self.device, start) {
            batch.destroy(&self.device);
            return Err(e);
        }
        Ok(batch)
    }

    /// Submits the open batch when it is full or the device is, or will soon be, without work.
    fn submit_if_due(&self, state: &mut State) {
        let Some(count) = state.open.as_ref().map(|b| b.count) else { return };
        if !state.in_flight.is_empty() {
            // A lost device shows in `failure` at the submission.
            let _ = self.retire(state);
        }
        let due = match state.in_flight.len() {
            0 => true,
            1 => count >= READY_COMMANDS,
            _ => count >= MAX_COMMANDS,
        };
        if due {
            let _ = self.submit(state);
        }
    }

    /// Submits so much that `value` will be reached. Returns the value that will be signalled then: that
    /// of the last command in the same batch. (To wait for others than those confuses validation layers.)
    fn submit_up_to(&self, state: &mut State, value: u64) -> Result<u64, Error> {
        if value > state.issued {
            return Err(Error::Invalid(format!("no command has the value {value} yet")));
        }
        if value > state.submitted {
            self.submit(state)?;
        }
        let batch = state.in_flight.iter().find(|batch| batch.last_value >= value);
        Ok(batch.map_or(value, |batch| batch.last_value))
    }

    /// Submits the open batch, if there is one.
    fn submit(&self, state: &mut State) -> Result<(), Error> {
        if let Some(e) = &state.failure {
            return Err(e.clone());
        }
        // A batch is open and empty after a panic while recording.
        let Some(mut batch) = state.open.take_if(|b| b.count > 0) else { return Ok(()) };
        batch.waits = std::mem::take(&mut state.waits);
        let show = self.device.shows_all() || batch.writes_host || state.to_show > 0;
        let side = if self.options.out_of_order { Side::Host } else { Side::Both };
        batch.shown = show;
        let elsewhere = self.unshown_elsewhere(state);
        let mark = self.marks.as_ref();
        let ended = batch.end(&self.device, show.then_some(side), mark);
        // A semaphore that is signalled anyway costs nothing more.
        let signal = mark.is_none() || !batch.signalled.is_empty();
        match ended.and_then(|()| self.submit_batch(&batch, signal)) {
            Ok(()) => {
                state.submitted = batch.last_value;
                if signal {
                    state.signalled = batch.last_value;
                }
                state.submitted_at = mark.map(|_| Instant::now());
                state.ordered = batch.ordered;
                if show {
                    state.shown = batch.last_value;
                    state.seen = elsewhere;
                    state.to_show = state.to_show.saturating_sub(1);
                }
                state.in_flight.push_back(batch);
                Ok(())
            }
            Err(e) => {
                state.released.push(batch.release());
                batch.destroy(&self.device);
                state.failure = Some(e.clone());
                Err(e)
            }
        }
    }

    /// How many batches of other queues are complete whose results the host was not shown. (Who knows that one
    /// is complete has been told so by its queue, which has counted it then.)
    fn unshown_elsewhere(&self, state: &State) -> u64 {
        self.device.unshown.load(Ordering::Acquire) - state.unshown
    }

    /// Hands a batch to the device; `signal`: its end signals the timeline.
    fn submit_batch(&self, batch: &Batch, signal: bool) -> Result<(), Error> {
        self.device.check_lost()?;
        match self.device.sabotage.submission() {
            Fate::Done => {}
            Fate::Hangs => return Ok(()),
            Fate::Lost => {
                return Err(self.device.fault("vkQueueSubmit", vk::Result::ERROR_DEVICE_LOST))
            }
        }
        let timelines = batch.waits.iter().map(|w| w.timeline.at(w.value));
        // Binary semaphores have no value; what stands in its place is ignored.
        let binary = |semaphore: &Arc<Semaphore>| (semaphore.raw, 0);
        let (waits, wait_values): (Vec<_>, Vec<_>) =
            timelines.chain(batch.awaited.iter().map(binary)).unzip();
        // Timestamps wait too.
        let stages = vec![vk::PipelineStageFlags::ALL_COMMANDS; waits.len()];
        let own = signal.then(|| self.timeline.at(batch.last_value));
        let (signals, signal_values): (Vec<_>, Vec<_>) =
            own.into_iter().chain(batch.signalled.iter().map(binary)).unzip();
        let commands = [batch.commands];
        let mut values = vk::TimelineSemaphoreSubmitInfo::default()
            .wait_semaphore_values(&wait_values)
            .signal_semaphore_values(&signal_values);
        let info = vk::SubmitInfo::default()
            .wait_semaphores(&waits)
            .wait_dst_stage_mask(&stages)
            .command_buffers(&commands)
            .signal_semaphores(&signals)
            .push_next(&mut values);
        // SAFETY: the batch and all it uses are alive until its value is reached; values on the timeline
        // only grow.
        unsafe { self.submit_raw(info) }
    }

    /// Gives the Vulkan queue one submission.
    ///
    /// # Safety
    /// As vkQueueSubmit, but for the queue's synchronization.
    unsafe fn submit_raw(&self, info: vk::SubmitInfo<'_>) -> Result<(), Error> {
        let _alone = self.device.code.hold();
        let queue = self.device.vulkan_queues[self.vulkan_queue].lock();
        // SAFETY: the lock gives this thread the Vulkan queue; the rest is the caller's promise.
        unsafe { self.device.raw.queue_submit(*queue, &[info], vk::Fence::null()) }
            .map_err(|e| self.device.fault("vkQueueSubmit", e))
    }

    /// Sees to it that the timeline, and not only a mark, reaches the value of the newest batch.
    fn signal(&self, state: &mut State) -> Result<(), Error> {
        if state.signalled >= state.submitted {
            return Ok(());
        }
        self.timeline.check()?;
        let (semaphore, value) = self.timeline.at(state.submitted);
        let (semaphores, values) = ([semaphore], [value]);
        let mut values =
            vk::TimelineSemaphoreSubmitInfo::default().signal_semaphore_values(&values);
        let info = vk::SubmitInfo::default().signal_semaphores(&semaphores).push_next(&mut values);
        // SAFETY: the semaphore is alive until its value is reached; values on the timeline only grow.
        unsafe { self.submit_raw(info) }?;
        state.signalled = state.submitted;
        Ok(())
    }

    /// The newest value that is reached.
    fn value(&self, state: &mut State) -> Result<u64, Error> {
        let Some(marks) = &self.marks else {
            return Ok(self.timeline.value()?.min(state.submitted));
        };
        self.timeline.check()?;
        let value = marks.value(state.submitted);
        let late = |at: Instant| at.elapsed() > timeline::POLL;
        if value < state.submitted && state.submitted_at.is_some_and(late) {
            // Only a semaphore tells that the device was lost.
            self.signal(state)?;
            self.timeline.value()?;
        }
        Ok(value)
    }

    /// Takes back the batches that are complete. Returns the newest value that is reached.
    fn retire(&self, state: &mut State) -> Result<u64, Error> {
        let value = self.value(state)?;
        while state.in_flight.front().is_some_and(|b| b.last_value <= value) {
            let Some(mut batch) = state.in_flight.pop_front() else { break };
            if !batch.shown {
                self.device.unshown.fetch_add(1, Ordering::AcqRel);
                state.unshown += 1;
            }
            batch.collect_times(&self.device, &mut state.times);
            while state.times.len() > MAX_TIMES {
                state.times.pop_first();
            }
            state.released.push(batch.release());
            if state.spare.len() < SPARE_BATCHES {
                state.spare.push_back(batch);
            } else {
                batch.destroy(&self.device);
            }
        }
        Ok(value)
    }
}

impl std::fmt::Debug for Queue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Queue").field("device", &self.device).finish_non_exhaustive()
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        let _ = self.flush();
        // An error here is the loss of the device: then nothing runs any more. The next queue takes over
        // the semaphore, which then must be at rest.
        let _ = self.locked(|state| self.signal(state));
        let submitted = self.state.get_mut().submitted;
        let _ = self.timeline.wait(submitted);
        let _ = self.locked(|state| self.retire(state));
        let state = self.state.get_mut();
        let rest = state.in_flight.drain(..).chain(state.spare.drain(..)).chain(state.open.take());
        for mut batch in rest {
            batch.destroy(&self.device);
        }
        self.device.queue_users.lock()[self.vulkan_queue] -= 1;
    }
}
