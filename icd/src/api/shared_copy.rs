//! Copies between addresses: of shared memory that the queue's device reaches, of the host, or of another device.

use super::args;
use super::enqueue::enqueue;
use super::recordable::{fill_shared, shared_pattern};
use crate::cl::error::{ClError, Result};
use crate::cl::*;
use crate::core::command::Command;
use crate::core::device::pages::Pages;
use crate::core::memory::buffer::Buffer;
use crate::core::memory::operand::Operand;
use crate::core::memory::properties::MemoryProperties;
use crate::core::memory::rect::Rect;
use crate::core::queue::effects::Effects;
use crate::core::queue::event::Event;
use crate::core::queue::{Properties, Queue, Request};
use crate::object::Ref;
use std::ffi::c_void;
use std::sync::Arc;

/// The handles of a command on shared memory.
pub(super) struct Target {
    pub queue: Ref<Queue>,
    pub waits: Vec<Ref<Event>>,
}

impl Target {
    /// Checks queue and wait list.
    ///
    /// # Safety
    /// The list is as the API requires.
    pub unsafe fn new(
        queue: cl_command_queue,
        count: cl_uint,
        list: *const cl_event,
    ) -> Result<Target> {
        let queue = args::queue(queue)?;
        // SAFETY: as the caller promises.
        let waits = unsafe { args::wait_list(&queue.context, count, list) }?;
        Ok(Target { queue, waits })
    }

    /// Enqueues a command and stores its event for the application.
    ///
    /// # Safety
    /// `event` is NULL or valid.
    pub unsafe fn enqueue(
        self,
        command_type: cl_command_type,
        command: Command,
        blocking: bool,
        event: *mut cl_event,
    ) -> Result<()> {
        // SAFETY: as the caller promises.
        unsafe { enqueue(&self.queue, command_type, command, self.waits, blocking, event) }
    }

    /// Enqueues a part of the command, which the next part waits for, and returns its event.
    fn part(&mut self, queue: &Ref<Queue>, command: Command) -> Result<Ref<Event>> {
        let part = queue.enqueue(Request {
            command_type: CL_COMMAND_MARKER,
            command: Box::new(command),
            waits: std::mem::take(&mut self.waits),
            blocking: false,
            wants_event: true,
        })?;
        let part = part.ok_or(ClError(CL_OUT_OF_RESOURCES))?;
        self.waits.push(part.clone());
        Ok(part)
    }
}

/// One side of a copy.
enum Side {
    /// Memory that the queue's device reaches.
    Device(Ref<Buffer>),
    /// Memory that the host sees.
    Host,
    /// Memory that only another device of the context reaches, with a queue on that device.
    Elsewhere(Ref<Queue>, Ref<Buffer>),
}

impl Side {
    fn of(queue: &Queue, address: usize, size: usize) -> Result<Side> {
        let context = &queue.context;
        let Some((allocation, offset)) = context.svm.find_range(address, size)? else {
            return Ok(Side::Host);
        };
        let on = |device| Buffer::of_shared(&allocation, context, (offset, size), device);
        if allocation.on(&queue.gpu).is_some() {
            return Ok(Side::Device(on(queue.device_index)?));
        }
        if allocation.block.is_seen_by_host() {
            return Ok(Side::Host);
        }
        let owner = context.gpus.iter().position(|gpu| allocation.on(gpu).is_some());
        let owner = owner.ok_or(ClError(CL_INVALID_VALUE))?;
        let device = context.devices[owner].clone();
        let there = Queue::new(context.clone(), device, Properties::default())?;
        Ok(Side::Elsewhere(there, on(owner)?))
    }
}

/// Returns the command that copies `size` bytes between two addresses. A copy that takes several commands has all but the last
/// enqueued here.
pub(super) fn copy_command(
    target: &mut Target,
    from: usize,
    to: usize,
    size: usize,
) -> Result<Command> {
    let whole = Rect::linear(0, size);
    let (source, destination) =
        (Side::of(&target.queue, from, size)?, Side::of(&target.queue, to, size)?);
    let context = &target.queue.context;
    Ok(match (source, destination) {
        (Side::Device(source), Side::Device(mem)) => {
            Command::Copy { source, from: whole, target: mem, to: whole }
        }
        (Side::Device(mem), Side::Host) => {
            Command::Read { mem, from: whole, to: Operand::target(context, Rect::linear(to, size)) }
        }
        (Side::Host, Side::Device(mem)) => Command::Write {
            mem,
            from: Operand::source(context, Rect::linear(from, size)),
            to: whole,
        },
        (Side::Host, Side::Host) => within_host(target, from, to, size)?,
        sides => relay(target, sides, (from, to), size)?,
    })
}

/// Returns the command that repeats a pattern in `size` bytes at an address. The address may be in the host's own memory where
/// the device reaches it; this function then enqueues a fill of a buffer, and the returned command copies the buffer to the
/// host.
///
/// # Safety
/// `pattern` is NULL or valid for `pattern_size` bytes.
pub(super) unsafe fn fill_command(
    target: &mut Target,
    address: usize,
    pattern: *const c_void,
    pattern_size: usize,
    size: usize,
) -> Result<Command> {
    let (queue, context) = (target.queue.clone(), target.queue.context.clone());
    let is_host = address != 0 && context.svm.find_range(address, size)?.is_none();
    if !is_host || size == 0 || !queue.gpu.reaches_system() {
        // SAFETY: as the caller promises.
        return unsafe { fill_shared(&queue, address, pattern, pattern_size, size) };
    }
    // SAFETY: as the caller promises.
    let pattern = unsafe { shared_pattern(address, pattern, pattern_size, size) }?.into();
    let whole = Rect::linear(0, size);
    let plain = MemoryProperties::default();
    let mem = Buffer::new(context.clone(), CL_MEM_READ_WRITE, size, None, plain)?;
    target.part(&queue, Command::Fill { mem: mem.clone(), at: whole, pattern })?;
    Ok(Command::Read {
        mem,
        from: whole,
        to: Operand::target(&context, Rect::linear(address, size)),
    })
}

/// Copies between two ranges of the host's memory through a buffer.
fn within_host(target: &mut Target, from: usize, to: usize, size: usize) -> Result<Command> {
    let whole = Rect::linear(0, size);
    let (queue, context) = (target.queue.clone(), target.queue.context.clone());
    let plain = MemoryProperties::default();
    let mem = Buffer::new(context.clone(), CL_MEM_READ_WRITE, size, None, plain)?;
    let from = Operand::source(&context, Rect::linear(from, size));
    let to = Operand::target(&context, Rect::linear(to, size));
    target.part(&queue, Command::Write { mem: mem.clone(), from, to: whole })?;
    Ok(Command::Read { mem, from: whole, to })
}

/// Copies from or to memory that only another device reaches, by way of pages of the host. Each device copies its part; the
/// command as a whole keeps its position in the queue's order.
fn relay(
    target: &mut Target,
    (source, destination): (Side, Side),
    (from, to): (usize, usize),
    size: usize,
) -> Result<Command> {
    let (whole, queue, context) =
        (Rect::linear(0, size), target.queue.clone(), target.queue.context.clone());
    let pages = Arc::new(Pages::new(size).ok_or(ClError(CL_OUT_OF_HOST_MEMORY))?);
    let to_host = match destination {
        Side::Host => Operand::target(&context, Rect::linear(to, size)),
        _ => Operand::own_target(&context, Rect::linear(pages.address(), size)),
    };
    let from_host = match source {
        Side::Host => Operand::source(&context, Rect::linear(from, size)),
        _ => Operand::of_pages(&pages, size),
    };
    if !matches!(source, Side::Device(_)) {
        // The other queue's part also has to wait for this queue's earlier commands.
        target.part(&queue, Command::Marker)?;
    }
    let read = match source {
        Side::Device(mem) => Some((queue.clone(), Command::Read { mem, from: whole, to: to_host })),
        Side::Elsewhere(there, mem) => {
            Some((there, Command::Read { mem, from: whole, to: to_host }))
        }
        Side::Host => None,
    };
    queue.flush()?;
    if let Some((there, read)) = read {
        let read = target.part(&there, read)?;
        there.flush()?;
        read.then(move |_| {
            drop(pages);
            Effects::default()
        });
    }
    Ok(match destination {
        Side::Device(mem) => Command::Write { mem, from: from_host, to: whole },
        Side::Host => Command::Marker,
        Side::Elsewhere(there, mem) => {
            target.part(&there, Command::Write { mem, from: from_host, to: whole })?;
            there.flush()?;
            Command::Marker
        }
    })
}
