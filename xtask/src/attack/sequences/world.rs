//! The state of a sequence: objects with the model's memory, queues, and which commands touch what.

use super::api::{call, done, made, make, Result, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST};
use super::device::{Context, Device};
use super::event::Event;
use super::host::HostMemory;
use super::mapping::Mapping;
use super::object::{Object, Store};
use super::program::{Kernels, Program};
use super::queue::Queue;
use super::random::Random;
use super::recording::{CommandBuffer, Recording};
use super::slot::Slot;
use super::span::Span;
use cl3::types::cl_event;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// A sequence that runs.
pub struct World<'a> {
    pub device: &'a Device,
    pub context: &'a Context,
    pub random: Random,
    pub queues: Vec<Queue>,
    pub stores: Vec<Store>,
    pub objects: Vec<Object>,
    pub mappings: Vec<Mapping>,
    pub kernels: Kernels,
    /// The command buffer that commands go to, and those that are complete.
    pub recording: Option<Recording>,
    pub recorded: Vec<CommandBuffer>,
    accesses: Vec<Access>,
    /// User events that are not complete yet.
    users: Vec<Arc<Event>>,
    completing: Vec<JoinHandle<Result<()>>>,
    checks: Vec<Check>,
    timed: Vec<Arc<Event>>,
    /// Markers at the ends of queues that were released.
    gone: Vec<Arc<Event>>,
    /// Events of commands that fail, because an event fails that they wait for.
    failing: Vec<Arc<Event>>,
    /// Calls at the ends of events: made, and asked for.
    counter: &'static AtomicUsize,
    counted: usize,
    log: Vec<Line>,
    pub operations: u64,
    pub refused: u64,
}

/// What a command did to memory.
struct Access {
    span: Span,
    queue: usize,
    /// Of the queue: so many barriers were before it.
    epoch: usize,
    event: Option<Arc<Event>>,
}

/// Host memory that must have these bytes when a command is complete.
struct Check {
    event: Option<Arc<Event>>,
    memory: HostMemory,
    expected: Vec<u8>,
    step: usize,
    what: String,
    stores: Vec<usize>,
}

/// A command, for the report.
struct Line {
    text: String,
    stores: Vec<usize>,
}

/// A command that is to be enqueued.
pub struct Command {
    pub what: String,
    pub spans: Vec<Span>,
    pub blocking: bool,
}

/// A command that was enqueued.
pub struct Enqueued {
    pub event: Option<Arc<Event>>,
    pub step: usize,
    pub queue: usize,
}

/// The number of a queue that is released, in place of its own.
const GONE: usize = usize::MAX;

/// Where the steps of all sequences are counted, for the watchdog.
pub static STEPS: AtomicUsize = AtomicUsize::new(0);
/// The last of them.
pub static LAST: Mutex<String> = Mutex::new(String::new());

impl<'a> World<'a> {
    pub fn new(
        device: &'a Device,
        context: &'a Context,
        queues: Vec<Queue>,
        program: Arc<Program>,
        seed: u64,
    ) -> World<'a> {
        World {
            device,
            context,
            random: Random::new(seed),
            queues,
            stores: Vec::new(),
            objects: Vec::new(),
            mappings: Vec::new(),
            kernels: Kernels::new(program),
            recording: None,
            recorded: Vec::new(),
            accesses: Vec::new(),
            users: Vec::new(),
            completing: Vec::new(),
            checks: Vec::new(),
            timed: Vec::new(),
            gone: Vec::new(),
            failing: Vec::new(),
            counter: Box::leak(Box::new(AtomicUsize::new(0))),
            counted: 0,
            log: Vec::new(),
            operations: 0,
            refused: 0,
        }
    }

    /// Returns the number of an object that is there and that `suits`.
    pub fn pick(&mut self, suits: impl Fn(&Object) -> bool) -> Option<usize> {
        let all: Vec<usize> = (0..self.objects.len())
            .filter(|o| self.objects[*o].is_alive() && suits(&self.objects[*o]))
            .collect();
        (!all.is_empty()).then(|| *self.random.pick(&all))
    }

    /// Enqueues a command behind all that it depends on.
    pub fn submit(&mut self, command: Command, call: impl FnOnce(Slot) -> i32) -> Result<Enqueued> {
        let queue = self.random.below(self.queues.len());
        self.submit_to(queue, command, call)
    }

    /// Enqueues a command on a queue.
    pub fn submit_to(
        &mut self,
        queue: usize,
        command: Command,
        call: impl FnOnce(Slot) -> i32,
    ) -> Result<Enqueued> {
        self.unmap_conflicting(&command.spans)?;
        let mut list = self.dependencies(&command.spans, queue)?;
        if self.random.once_in(12) {
            list.push(self.user_event()?);
        }
        if let (true, false) = (self.random.once_in(8), self.accesses.is_empty()) {
            let any = self.random.below(self.accesses.len());
            self.accesses[any].event.iter().for_each(|event| list.push(event.clone()));
            self.flush(self.accesses[any].queue)?;
        }
        if command.blocking {
            self.complete_users()?;
        }
        let handles: Vec<cl_event> = list.iter().map(|event| event.handle()).collect();
        let mut event = null_mut();
        let wants_event = !self.random.once_in(4);
        let step = self.note(&command, queue, handles.len());
        let slot = Slot {
            queue: self.queues[queue].handle(),
            count: handles.len() as u32,
            list: if handles.is_empty() { null() } else { handles.as_ptr() },
            event: if wants_event { &mut event } else { null_mut() },
            recorder: None,
        };
        let status = call(slot);
        if status != 0 {
            return Err(self.report(step, &format!("it gives {status}"), &command.spans));
        }
        let event = wants_event.then(|| Arc::new(Event::own(event)));
        self.watch(&event, queue)?;
        let epoch = self.queues[queue].epoch;
        for span in command.spans {
            self.accesses.push(Access { span, queue, epoch, event: event.clone() });
        }
        if self.random.once_in(10) {
            self.flush(queue)?;
        }
        Ok(Enqueued { event, step, queue })
    }

    /// Asks for a call at an event's end, or for its times, now and then.
    fn watch(&mut self, event: &Option<Arc<Event>>, queue: usize) -> Result<()> {
        let Some(event) = event else { return Ok(()) };
        if self.random.once_in(10) {
            event.count_end(self.counter)?;
            self.counted += 1;
        }
        if self.queues[queue].profiles {
            self.timed.push(event.clone());
        }
        Ok(())
    }

    /// Writes a command down; returns its step.
    fn note(&mut self, command: &Command, queue: usize, waits: usize) -> usize {
        let mut stores: Vec<usize> = command.spans.iter().map(|span| span.store).collect();
        stores.dedup();
        let blocking = if command.blocking { ", blocking" } else { "" };
        self.operations += 1;
        self.line(format!("queue {queue}, {waits} events{blocking}: {}", command.what), stores)
    }

    /// Writes a step down; returns its number.
    pub fn line(&mut self, text: String, stores: Vec<usize>) -> usize {
        if let Ok(mut last) = LAST.lock() {
            last.clone_from(&text);
        }
        self.log.push(Line { text, stores });
        STEPS.fetch_add(1, Ordering::Relaxed);
        self.log.len() - 1
    }

    /// Returns the events that a command on a queue has to wait for.
    fn dependencies(&mut self, spans: &[Span], queue: usize) -> Result<Vec<Arc<Event>>> {
        let mut list: Vec<Arc<Event>> = Vec::new();
        for index in 0..self.accesses.len() {
            let access = &self.accesses[index];
            if !spans.iter().any(|span| span.conflicts(&access.span)) {
                continue;
            }
            let (from, event) = (access.queue, access.event.clone());
            let own = &self.queues[queue];
            // Those of queues that are gone have events.
            let ordered = from == queue && (own.in_order || access.epoch < own.epoch);
            // What the queue orders anyway may also be waited for.
            if ordered && (event.is_none() || !self.random.once_in(4)) {
                continue;
            }
            let event = match event {
                Some(event) => event,
                None => self.mark(from)?,
            };
            self.flush(from)?;
            if !list.iter().any(|other| Arc::ptr_eq(other, &event)) {
                list.push(event);
            }
        }
        Ok(list)
    }

    /// Enqueues a marker behind all commands of a queue, whose event serves those that have none.
    fn mark(&mut self, queue: usize) -> Result<Arc<Event>> {
        let mut event = null_mut();
        done!(clEnqueueMarkerWithWaitList(self.queues[queue].handle(), 0, null(), &mut event))?;
        let event = Arc::new(Event::own(event));
        self.line(format!("queue {queue}: marker"), Vec::new());
        for access in self.accesses.iter_mut().filter(|access| access.queue == queue) {
            access.event.get_or_insert_with(|| event.clone());
        }
        Ok(event)
    }

    /// Enqueues a barrier: in a queue out of order, what follows waits for what is before.
    pub fn barrier(&mut self) -> Result<()> {
        let queue = self.random.below(self.queues.len());
        done!(clEnqueueBarrierWithWaitList(self.queues[queue].handle(), 0, null(), null_mut()))?;
        self.queues[queue].epoch += 1;
        self.line(format!("queue {queue}: barrier"), Vec::new());
        Ok(())
    }

    /// Enqueues a marker, with or without a wait list.
    pub fn marker(&mut self) -> Result<()> {
        let queue = self.random.below(self.queues.len());
        let nothing = Command { what: "marker".to_string(), spans: Vec::new(), blocking: false };
        if self.random.once_in(2) {
            return self.mark(queue).map(drop);
        }
        let call = |s: Slot| call!(clEnqueueMarkerWithWaitList(s.queue, s.count, s.list, s.event));
        self.submit(nothing, call).map(drop)
    }

    fn flush(&self, queue: usize) -> Result<()> {
        // A queue that is released is flushed thereby (OpenCL 5.1).
        if queue == GONE {
            return Ok(());
        }
        done!(clFlush(self.queues[queue].handle()))
    }

    /// Releases a queue with all that is in it, and goes on with another.
    pub fn replace_queue(&mut self) -> Result<()> {
        let queue = self.random.below(self.queues.len());
        self.touch_pending(queue)?;
        let last = self.mark(queue)?;
        self.gone.push(last);
        for access in self.accesses.iter_mut().filter(|access| access.queue == queue) {
            access.queue = GONE;
        }
        self.recorded.retain(|buffer| buffer.queue != queue);
        self.queues[queue] = Queue::new(self.device, self.context, &mut self.random)?;
        let Queue { in_order, .. } = self.queues[queue];
        self.line(
            format!("queue {queue}: released, and a new one, in order: {in_order}"),
            Vec::new(),
        );
        Ok(())
    }

    /// Flushes a queue.
    pub fn flush_one(&mut self) -> Result<()> {
        let queue = self.random.below(self.queues.len());
        self.flush(queue)
    }

    /// Makes a user event, which is completed later, or by a thread.
    fn user_event(&mut self) -> Result<Arc<Event>> {
        let made_now = make!(clCreateUserEvent(self.context.handle()));
        let event = Arc::new(Event::own(made("clCreateUserEvent", made_now)?));
        if self.random.once_in(2) {
            let (event, wait) = (event.clone(), self.random.below(2000) as u64);
            self.completing.push(std::thread::spawn(move || {
                std::thread::sleep(Duration::from_micros(wait));
                event.complete()
            }));
        } else {
            self.users.push(event.clone());
        }
        Ok(event)
    }

    /// Enqueues a fill behind a user event that fails, out of order: it must change nothing (OpenCL 5.11).
    pub fn failing_fill(&mut self) -> Result<()> {
        let Some(object) = self.pick(Object::is_buffer) else { return Ok(()) };
        let own = self.random.below(self.queues.len());
        if self.queues[own].in_order {
            return Ok(());
        }
        let made_now = make!(clCreateUserEvent(self.context.handle()));
        let user = Event::own(made("clCreateUserEvent", made_now)?);
        let Object { handle, bytes, store, .. } = self.objects[object];
        let (pattern, list, mut event) = (self.random.bytes(1), user.handle(), null_mut());
        let (queue, place) = (self.queues[own].handle(), pattern.as_ptr().cast());
        done!(clEnqueueFillBuffer(queue, handle, place, 1, 0, bytes, 1, &list, &mut event))?;
        self.line(
            format!("queue {own}: fill object {object} behind an event that fails"),
            vec![store],
        );
        self.failing.push(Arc::new(Event::own(event)));
        if self.random.once_in(2) {
            self.flush(own)?;
        }
        user.fail()
    }

    /// Completes the user events, as everybody has to who waits for commands.
    pub fn complete_users(&mut self) -> Result<()> {
        self.users.drain(..).try_for_each(|event| event.complete())
    }

    /// Remembers host memory that is to have these bytes at a command's end.
    pub fn check_later(
        &mut self,
        enqueued: &Enqueued,
        memory: HostMemory,
        expected: Vec<u8>,
        what: &str,
        stores: Vec<usize>,
    ) {
        let (event, step) = (enqueued.event.clone(), enqueued.step);
        self.checks.push(Check { event, memory, expected, step, what: what.to_string(), stores });
    }

    /// Waits for a check that has an event, and makes it.
    pub fn settle_one(&mut self) -> Result<()> {
        if self.checks.is_empty() {
            return Ok(());
        }
        let index = self.random.below(self.checks.len());
        if let Some(event) = self.checks[index].event.clone() {
            self.complete_users()?;
            event.wait()?;
            let check = self.checks.swap_remove(index);
            self.make_check(check)?;
        }
        Ok(())
    }

    /// Makes the check that was added last: its command was blocking.
    pub fn settle_last(&mut self) -> Result<()> {
        self.checks.pop().map_or(Ok(()), |check| self.make_check(check))
    }

    fn make_check(&mut self, check: Check) -> Result<()> {
        let (found, start) = check.memory.all();
        match first_difference(&found, &check.expected) {
            None => Ok(()),
            Some(at) => {
                let text = describe(&found, &check.expected, at, start);
                Err(self.report_stores(
                    check.step,
                    &format!("{}: {text}", check.what),
                    &check.stores,
                ))
            }
        }
    }

    /// Waits for all commands, and makes all checks.
    pub fn finish(&mut self) -> Result<()> {
        self.complete_users()?;
        for queue in &self.queues {
            done!(clFinish(queue.handle()))?;
        }
        self.gone.drain(..).try_for_each(|last| last.wait())?;
        self.line("all queues: finish".to_string(), Vec::new());
        self.accesses.clear();
        for event in self.failing.drain(..) {
            match event.status()? {
                CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST => {}
                status => {
                    return Err(format!("a command behind a failed event has status {status}"))
                }
            }
        }
        for check in std::mem::take(&mut self.checks) {
            self.make_check(check)?;
        }
        self.timed.drain(..).try_for_each(|event| event.check_times())?;
        self.completing.drain(..).try_for_each(|thread| {
            thread.join().unwrap_or_else(|_| Err("a thread panicked".to_string()))
        })
    }

    /// Finishes one queue alone; then, those checks whose command has no event stay as they are.
    pub fn finish_one(&mut self) -> Result<()> {
        self.complete_users()?;
        let queue = self.random.below(self.queues.len());
        done!(clFinish(self.queues[queue].handle()))?;
        self.line(format!("queue {queue}: finish"), Vec::new());
        self.accesses.retain(|access| access.queue != queue);
        Ok(())
    }

    /// Waits for the calls at the ends of events, which may come a little later than these.
    pub fn check_calls(&self) -> Result<()> {
        let start = Instant::now();
        while self.counter.load(Ordering::SeqCst) != self.counted {
            if start.elapsed() > Duration::from_secs(20) {
                let made = self.counter.load(Ordering::SeqCst);
                return Err(format!("{made} calls of events in place of {}", self.counted));
            }
            std::thread::sleep(Duration::from_micros(200));
        }
        Ok(())
    }

    /// Compares bytes with those that are expected; an error with the story of what they come from.
    pub fn compare(&self, found: &[u8], expected: &[u8], what: &str, spans: &[Span]) -> Result<()> {
        match first_difference(found, expected) {
            None => Ok(()),
            Some(at) => {
                let text = describe(found, expected, at, 0);
                Err(self.report(
                    self.log.len().saturating_sub(1),
                    &format!("{what}: {text}"),
                    spans,
                ))
            }
        }
    }

    /// Tells of a failure: the step, and all steps that touched the same memory.
    pub fn report(&self, step: usize, what: &str, spans: &[Span]) -> String {
        let stores: Vec<usize> = spans.iter().map(|span| span.store).collect();
        self.report_stores(step, what, &stores)
    }

    fn report_stores(&self, step: usize, what: &str, stores: &[usize]) -> String {
        let own = self.log.get(step).map_or("", |line| line.text.as_str());
        let mut text = format!("step {step}: {own}\n{what}\n");
        for (number, line) in self.log.iter().enumerate() {
            if line.stores.is_empty() || line.stores.iter().any(|store| stores.contains(store)) {
                text.push_str(&format!("  {number}: {}\n", line.text));
            }
        }
        text
    }
}

impl Drop for World<'_> {
    fn drop(&mut self) {
        // Also after a failure, memory must not go while commands use it.
        let _ = self.complete_users();
        for queue in &self.queues {
            call!(clFinish(queue.handle()));
        }
        let _ = self.gone.drain(..).try_for_each(|last| last.wait());
        for object in self.objects.iter_mut().filter(|object| object.is_svm() && object.is_alive())
        {
            super::api::cl().clSVMFree(self.context.handle(), object.handle);
            object.handle = null_mut();
        }
        self.recording = None;
        self.recorded.clear();
        self.objects.clear();
    }
}

fn first_difference(found: &[u8], expected: &[u8]) -> Option<usize> {
    if found == expected {
        return None;
    }
    let differs = found.iter().zip(expected).position(|(a, b)| a != b);
    Some(differs.unwrap_or(found.len().min(expected.len())))
}

/// Describes where bytes differ, counted from `start`.
fn describe(found: &[u8], expected: &[u8], at: usize, start: usize) -> String {
    let end = found.len().min(at + 16);
    let count = found.iter().zip(expected).filter(|(a, b)| a != b).count();
    format!(
        "{count} bytes of {} are wrong, the first at {}: {:02x?} in place of {:02x?}",
        found.len(),
        at as i64 - start as i64,
        &found[at..end],
        &expected[at..end.min(expected.len())]
    )
}
