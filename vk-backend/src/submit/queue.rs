//! Queues: commands are recorded when they are enqueued, and ordered by one timeline semaphore.
//!
//! Every command gets a value on its queue's timeline. Commands are recorded into an open batch, which is
//! submitted when it is full, on [`Queue::flush`] and [`Queue::wait`], and at once while the queue has nothing
//! in flight.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use ash::vk;
use parking_lot::Mutex;

use super::placement::{Awaited, Placement};
use crate::device::{CopyLane, Device, Priority, QueueFamily, Waited};
use crate::error::Error;
use crate::fault_injection::Outcome;
use crate::platform::now_ns;
use crate::record::{Batch, Recorder, Released, Start, Timestamps, Wait, MAX_COMMANDS};
use crate::sync::{CompletionMarker, Scope, Semaphore, Timeline, POLL};

/// While one batch is in flight, a second one is submitted when it has this many commands, so that the device does not run out
/// of work.
const READY_COMMANDS: u32 = 32;
/// The device is asked for its progress at the first commands of a batch, up to this number, and then at each multiple of the
/// other number.
const FIRST_ASKED: u32 = 2;
const ASKED: u32 = 8;
/// The most complete batches that a queue keeps for reuse.
const SPARE_BATCHES: usize = 8;
/// How many of the newest complete batches are not reused if a completion marker, and no semaphore, reported their completion.
const UNREUSED_BATCHES: usize = 2;
/// After the host has asked for visible results, this many batches make their results visible unasked.
const VISIBLE_BATCHES: u32 = 16;
/// After another queue has waited for a batch, this many batches signal the timeline unasked: a signal on demand costs one more
/// submission.
pub(super) const SIGNALLED_BATCHES: u32 = 16;
/// The number of commands whose timestamps a queue remembers, so that later commands' timestamps are never earlier.
const MAX_TIMES: usize = 1024;
/// How long the report of a stall waits for a queue's lock.
const DESCRIBE: Duration = Duration::from_millis(100);

/// How a thread waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WaitStrategy {
    /// Polls for a while before sleeping, since a sleeping thread takes long to wake.
    Spin,
    /// Sleeps without polling first.
    Sleep,
}

/// The properties of a queue.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct QueueOptions {
    /// True if commands can be timed.
    pub profiling: bool,
    /// True if commands are ordered by [`Recorder::after`] alone: batches begin and end without a barrier.
    pub out_of_order: bool,
    /// The priority among the queues of the device.
    pub priority: Priority,
    /// The lane of the queue's copies. Its commands are copies between buffers, fills and updates of buffers alone: they go to
    /// the Vulkan queue for copies of this lane, if the device has one ([`Device::has_copy_queues`]), and run beside kernels
    /// there.
    pub copies: Option<CopyLane>,
}

/// A stream of commands with one timeline: the value of a command is reached when the command and all before it are complete.
/// See [`Recorder`] for operations that may overlap on the device until then.
///
/// Dropping a queue submits the open batch and waits until all batches are complete.
pub struct Queue {
    device: Arc<Device>,
    options: QueueOptions,
    family: QueueFamily,
    pub(super) timeline: Arc<Timeline>,
    /// Reports that batches are complete, in place of the timeline, which is then signalled only where something waits for it.
    pub(super) marker: Option<CompletionMarker>,
    state: Mutex<State>,
}

#[derive(Default)]
pub(super) struct State {
    placement: Placement,
    open: Option<Batch>,
    /// Submitted batches, oldest first.
    pub(super) in_flight: VecDeque<Batch>,
    /// Complete batches for reuse, oldest first.
    spare: VecDeque<Batch>,
    /// Value of the newest command, and of the newest submitted command.
    issued: u64,
    pub(super) submitted: u64,
    /// Value of the newest command of the retired batches: the command and all before it are complete.
    retired: u64,
    /// The newest value that a submission signals on the timeline.
    signalled: u64,
    /// Time of the newest submission.
    submitted_at: Option<Instant>,
    /// [`Batch::ordered`] of the last batch.
    ordered: u64,
    /// Value up to which commands' results are visible to the host, once the commands are complete.
    host_visible: u64,
    /// The number of this queue's batches that are complete and did not make their results visible to the host.
    deferred: u64,
    /// The number of such batches of other queues when this queue last made all results visible.
    others_deferred: u64,
    /// The number of the next batches that make their results visible to the host unasked.
    visible_batches: u32,
    /// The number of the next batches that signal the timeline unasked.
    pub(super) signalled_batches: u32,
    /// The values for which the next batch waits.
    waits: Vec<Wait>,
    times: BTreeMap<u64, Timestamps>,
    /// The reason why commands after `submitted` will never complete.
    failure: Option<Error>,
    /// Objects that complete batches kept alive, to be dropped once the lock is released.
    released: Vec<Released>,
}

impl State {
    fn new(vulkan_queue: usize) -> State {
        State { placement: Placement::new(vulkan_queue), ..State::default() }
    }

    /// Gives the command that was recorded into the open batch the next value.
    fn issue(&mut self) {
        self.issued += 1;
        if let Some(batch) = &mut self.open {
            batch.count += 1;
            batch.last_value = self.issued;
        }
    }
}

impl Device {
    /// Makes an in-order queue; with `profiling`, commands can be timed.
    ///
    /// # Errors
    /// Out of memory, or a lost device.
    pub fn create_queue(self: &Arc<Self>, profiling: bool) -> Result<Arc<Queue>, Error> {
        self.create_queue_with(QueueOptions { profiling, ..QueueOptions::default() })
    }

    /// Makes a queue. It shares a Vulkan queue with other queues only if every Vulkan queue that serves its priority has a
    /// user: work on one Vulkan queue does not overlap.
    ///
    /// # Errors
    /// Out of memory, or a lost device.
    pub fn create_queue_with(self: &Arc<Self>, options: QueueOptions) -> Result<Arc<Queue>, Error> {
        let vulkan_queue = self.take_vulkan_queue(options.priority, options.copies);
        Queue::create(self, vulkan_queue, options)
            .inspect_err(|_| self.give_back_vulkan_queue(vulkan_queue))
    }
}

impl Queue {
    fn create(
        device: &Arc<Device>,
        vulkan_queue: usize,
        options: QueueOptions,
    ) -> Result<Arc<Queue>, Error> {
        device.check_lost()?;
        let timed = device.info().limits.timestamp_valid_bits > 0 && options.copies.is_none();
        let profiling = options.profiling && timed;
        if profiling {
            device.clocks.prepare();
        }
        // Only a semaphore guarantees that timestamps are available.
        let marker = if profiling { None } else { CompletionMarker::create(device)? };
        let queue = Arc::new(Queue {
            device: device.clone(),
            options: QueueOptions { profiling, ..options },
            family: device.family_of(vulkan_queue),
            timeline: Timeline::create(device)?,
            marker,
            state: Mutex::new(State::new(vulkan_queue)),
        });
        device.stalls.add(Arc::downgrade(&queue) as Weak<dyn Waited>);
        Ok(queue)
    }

    /// Returns the device that the queue belongs to.
    pub fn device(&self) -> &Arc<Device> {
        &self.device
    }

    /// Returns true if commands can be timed: profiling was asked for, and the device has timestamps.
    pub fn profiling(&self) -> bool {
        self.options.profiling
    }

    /// Records one command: `f` appends to the open batch. Returns the result of `f`, and the value that the queue's timeline
    /// reaches when the command is complete: 1 for the first command, then 2, and so on.
    ///
    /// A failure (out of memory, device lost) is returned by the next [`Queue::flush`], [`Queue::wait`] or
    /// [`Queue::completed`]; the commands that it affects never complete.
    ///
    /// `f` runs under the queue's lock: it may use this queue only through the recorder.
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

    /// Like [`Queue::record`], with binary semaphores: the command, and those after it, wait for all of `waits` and reset them.
    /// When the command and all before it are complete, it signals `signals`. It is submitted at once.
    ///
    /// The signals for `waits` must have been submitted, or come from another API. A signal that never comes blocks the Vulkan
    /// queue and all queues that share it.
    pub fn record_with_semaphores<R>(
        &self,
        waits: &[Arc<Semaphore>],
        signals: &[Arc<Semaphore>],
        f: impl FnOnce(&mut Recorder<'_>) -> R,
    ) -> (R, u64) {
        self.locked(|state| {
            // Earlier commands do not wait for the semaphores. (Failures are returned later, as in `record`.)
            let _ = if waits.is_empty() { Ok(()) } else { self.submit(state) };
            self.open(state);
            let value = state.issued + 1;
            let mut recorder = Recorder::new(&self.device, state.open.as_mut(), value);
            let result = f(&mut recorder);
            state.issue();
            if let Some(batch) = &mut state.open {
                batch.semaphore_waits.extend_from_slice(waits);
                batch.semaphore_signals.extend_from_slice(signals);
            }
            let _ = self.submit(state);
            (result, value)
        })
    }

    /// Submits the open batch.
    ///
    /// # Errors
    /// The failure that keeps a command recorded since the last submission from running:
    /// [`Error::DeviceLost`], out of memory. The queue stays failed.
    pub fn flush(&self) -> Result<(), Error> {
        self.locked(|state| self.submit(state))
    }

    /// Returns the value of the newest command that is complete; 0 for none. Also frees the objects that complete commands kept
    /// alive.
    ///
    /// # Errors
    /// [`Error::DeviceLost`]; the queue's failure, once all submitted commands are complete.
    pub fn completed(&self) -> Result<u64, Error> {
        self.locked(|state| {
            self.device.check_call("vkGetSemaphoreCounterValue")?;
            let value = self.retire(state)?;
            match &state.failure {
                Some(e) if value >= state.submitted => Err(e.clone()),
                _ => Ok(value),
            }
        })
    }

    /// Returns the value of the newest command recorded; 0 for none.
    pub fn issued(&self) -> u64 {
        self.state.lock().issued
    }

    /// Returns the value of the newest command that was submitted; 0 for none.
    pub fn submitted(&self) -> u64 {
        self.state.lock().submitted
    }

    /// Blocks until the command of `value` is complete. Submits the command if it is not submitted yet.
    ///
    /// # Errors
    /// [`Error::DeviceLost`]; the failure that keeps the command from running; [`Error::Invalid`]
    /// for a value that no command has.
    pub fn wait(&self, value: u64) -> Result<(), Error> {
        let last = self.locked(|state| {
            let last = self.submit_up_to(state, value)?;
            // The next batch is begun while the device works.
            self.open(state);
            Ok::<_, Error>(last)
        })?;
        self.wait_for_last(last, WaitStrategy::Spin)?;
        self.completed_value().map(|_| ())
    }

    /// Blocks until the oldest batch that is in flight is complete; returns at once if the command of `value` is complete, or
    /// no batch is in flight.
    ///
    /// # Errors
    /// [`Error::DeviceLost`].
    pub fn wait_for_batch(&self, value: u64, strategy: WaitStrategy) -> Result<(), Error> {
        let oldest = self.locked(|state| {
            self.device.check_call("vkGetSemaphoreCounterValue")?;
            let is_complete = self.retire(state)? >= value;
            let oldest = state.in_flight.front().filter(|_| !is_complete);
            Ok::<_, Error>(oldest.map(|batch| batch.last_value))
        })?;
        let Some(value) = oldest else { return Ok(()) };
        self.timeline.check()?;
        self.wait_for_last(value, strategy)
    }

    /// Retires the batches that are complete, and returns the newest value that is reached.
    pub(super) fn completed_value(&self) -> Result<u64, Error> {
        self.locked(|state| self.retire(state))
    }

    /// Like [`Queue::wait`]; also makes the writes of commands up to `value` to device memory mapped by resizable BAR
    /// ([`crate::HostAccess::Rebar`]) visible to the host. Writes to other mapped memory are visible after [`Queue::wait`].
    ///
    /// # Errors
    /// Like [`Queue::wait`].
    pub fn wait_host_visible(&self, value: u64) -> Result<(), Error> {
        let value = self.locked(|state| {
            state.visible_batches = VISIBLE_BATCHES;
            self.submit_up_to(state, value)?;
            if state.host_visible >= value && state.others_deferred == self.others_deferred(state) {
                return Ok(value);
            }
            // Submits an empty command, whose batch ends with the barrier for all commands before it.
            self.open(state);
            state.issue();
            self.submit(state)?;
            Ok(state.issued)
        })?;
        self.wait(value)
    }

    /// Orders commands recorded here from now on behind the command of `value` on `other`. Submits that command, and this
    /// queue's open batch; the device never waits for anything that is not submitted.
    ///
    /// # Errors
    /// Like [`Queue::wait`]; [`Error::Invalid`] when the queues belong to different devices.
    pub fn wait_gpu(&self, other: &Arc<Queue>, value: u64) -> Result<(), Error> {
        if std::ptr::eq(self, Arc::as_ptr(other)) {
            return Ok(());
        }
        if !Arc::ptr_eq(&self.device, &other.device) {
            return Err(Error::Invalid("queues of different devices".into()));
        }
        let issued = self.issued();
        let awaited = other.locked(|state| {
            let value = other.submit_up_to(state, value)?;
            if other.value(state)? >= value {
                return Ok(None);
            }
            let batch = state.in_flight.iter().find(|batch| batch.last_value >= value);
            let awaited = batch.map(|batch| Awaited::new(batch, &self.timeline, issued));
            Ok::<_, Error>(awaited.map(|awaited| (value, awaited)))
        })?;
        let Some((value, awaited)) = awaited else { return Ok(()) };
        let wait = || Wait { timeline: other.timeline.clone(), value };
        let joined = self.locked(|state| {
            self.submit(state)?;
            let joined = state.placement.join(&awaited, state.issued == issued);
            if joined {
                self.begin_behind(state, wait())?;
            }
            Ok::<_, Error>(joined)
        })?;
        if joined {
            return Ok(());
        }
        other.locked(|state| {
            state.signalled_batches = SIGNALLED_BATCHES;
            other.signal(state)
        })?;
        self.locked(|state| {
            self.submit(state)?;
            state.waits.push(wait());
            Ok(())
        })
    }

    /// Orders the next batch, of which nothing is recorded yet, behind everything submitted to its Vulkan queue, including the
    /// commands of `other`.
    fn begin_behind(&self, state: &mut State, other: Wait) -> Result<(), Error> {
        self.open(state);
        match (&mut state.open, &state.failure) {
            (Some(batch), _) => {
                batch.order(&self.device, state.issued);
                batch.behind.push(other);
                Ok(())
            }
            (None, Some(e)) => Err(e.clone()),
            (None, None) => Ok(()),
        }
    }

    /// Returns when the command of `value` ran: `None` while the command is not complete, if it recorded no timestamps, and
    /// after 1024 further timed commands (keep [`Recorder::begin_timestamp`]'s result for those).
    ///
    /// # Errors
    /// [`Error::DeviceLost`].
    pub fn timestamps(&self, value: u64) -> Result<Option<Timestamps>, Error> {
        self.locked(|state| {
            self.retire(state)?;
            Ok(state.times.get(&value).copied())
        })
    }

    /// Returns when the last timed command up to `value` ended, in nanoseconds of the device's clock; `None` if no such
    /// command's times are remembered. The command of `value` is complete.
    pub fn last_end_ns(&self, value: u64) -> Option<u64> {
        let state = self.state.lock();
        let (_, times) = state.times.range(..=value).next_back()?;
        Some(times.end_ns)
    }

    /// Runs `f` with the state, then drops the released objects outside the lock: code of their owners may run then, and use
    /// this queue.
    pub(super) fn locked<R>(&self, f: impl FnOnce(&mut State) -> R) -> R {
        let mut state = self.state.lock();
        let result = f(&mut state);
        let released = std::mem::take(&mut state.released);
        drop(state);
        drop(released);
        if self.device.is_lost() {
            self.device.explain_loss();
        }
        result
    }

    /// Opens a batch if none is open and the queue has not failed.
    fn open(&self, state: &mut State) {
        if state.open.is_some() || state.failure.is_some() {
            return;
        }
        match self.start_batch(state) {
            Ok(batch) => state.open = Some(batch),
            Err(e) => state.failure = Some(e),
        }
    }

    /// Goes back to the queue's own Vulkan queue, if it has no more reason to be on another one. The next batch waits for
    /// earlier ones: their writes are visible to it, and their signals come before its own.
    fn go_home(&self, state: &mut State) -> Result<(), Error> {
        if state.placement.must_go_home(state.in_flight.is_empty()) {
            self.signal(state)?;
            let (timeline, value) = (self.timeline.clone(), state.submitted);
            state.waits.push(Wait { timeline, value });
            state.placement.go_home();
        }
        Ok(())
    }

    fn start_batch(&self, state: &mut State) -> Result<Batch, Error> {
        self.device.check_lost()?;
        self.go_home(state)?;
        let unreused = if self.marker.is_some() { UNREUSED_BATCHES } else { 0 };
        let spare = if state.spare.len() > unreused { state.spare.pop_front() } else { None };
        let mut batch = match spare {
            Some(batch) => batch,
            None => Batch::create(&self.device, self.family, self.options.profiling)?,
        };
        let issued = state.issued;
        // If the newest batch did not end with a barrier, the new one begins with a barrier.
        let start = match state.host_visible >= state.submitted {
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

    /// Submits the open batch if it is full, or if the device has no other work of this queue or will soon have none.
    fn submit_if_due(&self, state: &mut State) {
        let Some(count) = state.open.as_ref().map(|b| b.count) else { return };
        // To ask the device costs more than a command does.
        if !state.in_flight.is_empty() && (count <= FIRST_ASKED || count.is_multiple_of(ASKED)) {
            // The loss of the device is recorded in `failure` at the submission.
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

    /// Submits the batches that are needed for `value` to be reached. Returns the value that is signalled then: the value of
    /// the last command in the same batch. (Waits for values that no submission signals confuse the validation layer.)
    fn submit_up_to(&self, state: &mut State, value: u64) -> Result<u64, Error> {
        if value > state.issued {
            return Err(Error::Invalid(format!("no command has the value {value} yet")));
        }
        if value > state.submitted {
            self.submit(state)?;
        }
        // A value that is reached has no batch any more: the next batch in the list has later commands.
        let is_in_flight = value > state.retired;
        let batch = state.in_flight.iter().find(|batch| is_in_flight && batch.last_value >= value);
        Ok(batch.map_or(value, |batch| batch.last_value))
    }

    /// Submits the open batch, if there is one.
    fn submit(&self, state: &mut State) -> Result<(), Error> {
        if let Some(e) = &state.failure {
            return Err(e.clone());
        }
        // The open batch is empty after a panic while recording.
        let Some(mut batch) = state.open.take_if(|b| b.count > 0) else { return Ok(()) };
        batch.vulkan_queue = state.placement.submit();
        batch.submission = self.device.stalls.count_submission();
        batch.waits = std::mem::take(&mut state.waits);
        batch.host_visible = self.device.host_visibility.needed_by_every_batch()
            || batch.writes_host
            || state.visible_batches > 0;
        let scope = match self.options.out_of_order {
            true => Scope::Host,
            false => Scope::DeviceAndHost,
        };
        if self.options.profiling {
            batch.submitted_ns = now_ns();
        }
        let others_deferred = self.others_deferred(state);
        let marker = self.marker.as_ref();
        let ended = batch.end(&self.device, batch.host_visible.then_some(scope), marker);
        // If semaphores are signalled anyway, signalling the timeline costs nothing more.
        let signal =
            marker.is_none() || !batch.semaphore_signals.is_empty() || state.signalled_batches > 0;
        match ended.and_then(|()| self.submit_batch(&batch, signal)) {
            Ok(()) => {
                state.submitted = batch.last_value;
                batch.signals = signal;
                if signal {
                    state.signalled = batch.last_value;
                    state.signalled_batches = state.signalled_batches.saturating_sub(1);
                }
                state.submitted_at = marker.map(|_| Instant::now());
                state.ordered = batch.ordered;
                if batch.host_visible {
                    state.host_visible = batch.last_value;
                    state.others_deferred = others_deferred;
                    state.visible_batches = state.visible_batches.saturating_sub(1);
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

    /// Returns the number of batches of other queues that are complete and did not make their results visible to the host. (A
    /// queue counts a batch before it reports that the batch is complete.)
    fn others_deferred(&self, state: &State) -> u64 {
        self.device.host_visibility.deferred() - state.deferred
    }

    /// Submits a batch; if `signal` is true, the batch signals the timeline.
    fn submit_batch(&self, batch: &Batch, signal: bool) -> Result<(), Error> {
        match self.device.faults.next_submission() {
            Outcome::Submitted => {}
            Outcome::Hangs => return Ok(()),
            Outcome::DeviceLost => {
                return Err(self.device.fault("vkQueueSubmit", vk::Result::ERROR_DEVICE_LOST))
            }
        }
        let timelines = batch.waits.iter().map(|w| w.timeline.at(w.value));
        // The values of binary semaphores are ignored.
        let binary = |semaphore: &Arc<Semaphore>| (semaphore.raw, 0);
        let (waits, wait_values): (Vec<_>, Vec<_>) =
            timelines.chain(batch.semaphore_waits.iter().map(binary)).unzip();
        // ALL_COMMANDS includes timestamps.
        let stages = vec![vk::PipelineStageFlags::ALL_COMMANDS; waits.len()];
        let own = signal.then(|| self.timeline.at(batch.last_value));
        let (signals, signal_values): (Vec<_>, Vec<_>) =
            own.into_iter().chain(batch.semaphore_signals.iter().map(binary)).unzip();
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
        unsafe { self.submit_raw(batch.vulkan_queue, info) }
    }

    /// Makes one submission to a Vulkan queue.
    ///
    /// # Safety
    /// As for vkQueueSubmit, except for the external synchronization of the queue.
    unsafe fn submit_raw(
        &self,
        vulkan_queue: usize,
        info: vk::SubmitInfo<'_>,
    ) -> Result<(), Error> {
        self.device.check_call("vkQueueSubmit")?;
        let _guard = self.device.code.hold_to_submit();
        let _idle = self.device.idle.read();
        let queue = self.device.vulkan_queue(vulkan_queue).lock();
        // Another thread may have lost the device since.
        self.device.check_lost()?;
        // SAFETY: the lock gives this thread the Vulkan queue; the rest is the caller's promise.
        unsafe { self.device.raw.queue_submit(*queue, &[info], vk::Fence::null()) }
            .map_err(|e| self.device.fault("vkQueueSubmit", e))
    }

    /// Makes the timeline, and not only the completion marker, reach the value of the newest batch.
    pub(super) fn signal(&self, state: &mut State) -> Result<(), Error> {
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
        unsafe { self.submit_raw(state.placement.current(), info) }?;
        state.signalled = state.submitted;
        Ok(())
    }

    /// Returns the newest value that is reached.
    fn value(&self, state: &mut State) -> Result<u64, Error> {
        let Some(marker) = &self.marker else {
            return Ok(self.timeline.value()?.min(state.submitted));
        };
        self.timeline.check()?;
        let value = marker.value(state.submitted);
        let late = |at: Instant| at.elapsed() > POLL;
        if value < state.submitted && state.submitted_at.is_some_and(late) {
            // Only a semaphore reports the loss of the device.
            self.signal(state)?;
            self.timeline.value()?;
        }
        Ok(value)
    }

    /// Retires the batches that are complete. Returns the newest value that is reached.
    fn retire(&self, state: &mut State) -> Result<u64, Error> {
        let value = self.value(state)?;
        while state.in_flight.front().is_some_and(|b| b.last_value <= value) {
            let Some(mut batch) = state.in_flight.pop_front() else { break };
            state.retired = batch.last_value;
            if !batch.host_visible {
                self.device.host_visibility.count_deferred();
                state.deferred += 1;
            }
            batch.note_compiled(&self.device);
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

impl Waited for Queue {
    fn describe(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The thread that holds the lock for long may be the one that waits.
        let Some(state) = self.state.try_lock_for(DESCRIBE) else {
            return write!(f, "a queue that another thread uses");
        };
        let (home, current) = (state.placement.home(), state.placement.current());
        let (issued, submitted) = (state.issued, state.submitted);
        let signalled = Wait { timeline: self.timeline.clone(), value: state.signalled };
        write!(
            f,
            "queue of Vulkan queue {home}, on {current}: issued {issued}, submitted {submitted}, "
        )?;
        write!(f, "signals {signalled}")?;
        if let Some(marker) = &self.marker {
            write!(f, ", marked {}", marker.value(submitted))?;
        }
        state.in_flight.iter().try_for_each(|batch| write!(f, "\n  {batch}"))
    }

    fn is_busy(&self) -> bool {
        // A thread that submits holds the lock.
        let Some(mut state) = self.state.try_lock() else { return true };
        self.value(&mut state).is_ok_and(|value| value < state.submitted)
    }
}

impl fmt::Debug for Queue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Queue").field("device", &self.device).finish_non_exhaustive()
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        let _ = self.flush();
        // An error here means that the device is lost: then nothing runs any more. The next queue reuses the semaphore, so no
        // signal of it may be pending.
        let _ = self.locked(|state| self.signal(state));
        let submitted = self.state.get_mut().submitted;
        let _ = self.timeline.wait(submitted);
        let _ = self.locked(|state| self.retire(state));
        let state = self.state.get_mut();
        let rest = state.in_flight.drain(..).chain(state.spare.drain(..)).chain(state.open.take());
        for mut batch in rest {
            batch.destroy(&self.device);
        }
        let home = self.state.get_mut().placement.home();
        self.device.give_back_vulkan_queue(home);
    }
}
