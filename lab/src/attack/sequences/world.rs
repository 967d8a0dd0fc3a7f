//! The state of a sequence: objects with the model's memory, queues, and the memory that each command touches.

use super::api::{call, Result};
use super::check::Check;
use super::device::{Context, Device};
use super::event::Event;
use super::mapping::Mapping;
use super::object::{Object, Store};
use super::program::{Kernels, Program};
use super::queue::Queue;
use super::random::Random;
use super::recording::{CommandBuffer, Recording};
use super::slot::Slot;
use super::span::Span;
use super::story::Line;
use cl3::types::cl_event;
use std::ptr::{null, null_mut};
use std::sync::atomic::AtomicUsize;
use std::sync::Arc;
use std::thread::JoinHandle;

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
    /// The command buffer that is being recorded, and complete command buffers.
    pub recording: Option<Recording>,
    pub recorded: Vec<CommandBuffer>,
    pub(super) accesses: Vec<Access>,
    /// User events that are not complete yet.
    pub(super) users: Vec<Arc<Event>>,
    pub(super) completing: Vec<JoinHandle<Result<()>>>,
    pub(super) checks: Vec<Check>,
    pub(super) timed: Vec<Arc<Event>>,
    /// Markers at the ends of queues that were released.
    pub(super) gone: Vec<Arc<Event>>,
    /// Events of commands that fail, because an event that they wait for fails.
    pub(super) failing: Vec<Arc<Event>>,
    /// Callbacks at the ends of events: the number of calls, and the number of registered callbacks.
    pub(super) counter: &'static AtomicUsize,
    pub(super) counted: usize,
    pub(super) log: Vec<Line>,
    pub operations: u64,
    pub refused: u64,
}

/// An access of a command to memory.
pub(super) struct Access {
    pub(super) span: Span,
    pub(super) queue: usize,
    /// The number of barriers in the queue before the command.
    pub(super) epoch: usize,
    pub(super) event: Option<Arc<Event>>,
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

/// The number that stands for a queue that is released.
pub(super) const GONE: usize = usize::MAX;

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

    /// Returns the number of an existing object that `suits`.
    pub fn pick(&mut self, suits: impl Fn(&Object) -> bool) -> Option<usize> {
        let all: Vec<usize> = (0..self.objects.len())
            .filter(|o| self.objects[*o].is_alive() && suits(&self.objects[*o]))
            .collect();
        (!all.is_empty()).then(|| *self.random.pick(&all))
    }

    /// Enqueues a command behind all commands that it depends on.
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

    /// Registers a callback for an event's end, or asks for the event's times, now and then.
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
            // Commands of released queues have events.
            let ordered = from == queue && (own.in_order || access.epoch < own.epoch);
            // A wait list may also have commands that the queue orders anyway.
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
}

impl Drop for World<'_> {
    fn drop(&mut self) {
        // After a failure, too, memory must not be freed while commands use it.
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
