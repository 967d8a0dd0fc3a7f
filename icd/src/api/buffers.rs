//! Buffer objects (spec 5.2): creation, and the commands that read, write, copy, fill and map them.

use super::args;
use super::enqueue::enqueue;
use super::mapping;
use super::memory_properties;
use super::recordable::{self, buffer, triple};
use crate::cl::error::{ensure, ClError, Result};
use crate::cl::*;
use crate::core::command::Command;
use crate::core::context::Context;
use crate::core::memory::buffer::Buffer;
use crate::core::memory::host::HostAddress;
use crate::core::memory::operand::Operand;
use crate::core::memory::properties::MemoryProperties;
use crate::core::memory::rect::Rect;
use crate::core::queue::event::Event;
use crate::core::queue::Queue;
use crate::dispatch::boundary::entry;
use crate::object::Ref;
use std::ffi::c_void;

/// Returns an address that the application gave, unless it is NULL.
fn host(pointer: *const c_void) -> Option<HostAddress> {
    (!pointer.is_null()).then_some(HostAddress(pointer as usize))
}

/// The handles of a transfer.
struct Target {
    queue: Ref<Queue>,
    mem: Ref<Buffer>,
    waits: Vec<Ref<Event>>,
}

/// Returns queue, buffer and wait list, which every transfer checks first, in the order of the
/// specification's errors.
///
/// # Safety
/// The wait list is as the API requires.
unsafe fn target(
    queue: cl_command_queue,
    mem: cl_mem,
    count: cl_uint,
    list: *const cl_event,
) -> Result<Target> {
    let queue = args::queue(queue)?;
    let mem = buffer(&queue, mem)?;
    // SAFETY: as the caller promises.
    let waits = unsafe { args::wait_list(&queue.context, count, list) }?;
    Ok(Target { queue, mem, waits })
}

/// A box in a buffer and one in the application's memory.
struct Boxes {
    buffer: Rect,
    host: Rect,
}

/// The arguments of clEnqueue{Read,Write}BufferRect.
struct RectArgs {
    buffer_origin: *const usize,
    host_origin: *const usize,
    region: *const usize,
    buffer_pitches: [usize; 2],
    host_pitches: [usize; 2],
    pointer: *const c_void,
}

impl RectArgs {
    /// # Safety
    /// The pointers are as the API requires.
    unsafe fn boxes(&self, mem: &Buffer) -> Result<Boxes> {
        // SAFETY: as the caller promises.
        let (buffer_origin, host_origin, region) = unsafe {
            (triple(self.buffer_origin)?, triple(self.host_origin)?, triple(self.region)?)
        };
        let [row, slice] = self.buffer_pitches;
        let buffer = Rect::new(buffer_origin, region, row, slice)?;
        ensure!(buffer.end().is_some_and(|end| end <= mem.size), CL_INVALID_VALUE);
        let [row, slice] = self.host_pitches;
        let relative = Rect::new(host_origin, region, row, slice)?;
        let base = host(self.pointer).ok_or(ClError(CL_INVALID_VALUE))?;
        let end = relative.end().and_then(|end| base.0.checked_add(end));
        ensure!(end.is_some(), CL_INVALID_VALUE);
        Ok(Boxes { buffer, host: relative.shifted(base.0) })
    }
}

entry! {
    /// clCreateBuffer.
    fn clCreateBuffer(
        context: cl_context,
        flags: cl_mem_flags,
        size: usize,
        host_ptr: *mut c_void,
    ) -> handle cl_mem {
        let context = Ref::<Context>::from_handle(context)?;
        let plain = MemoryProperties::default();
        Ok(Buffer::new(context, flags, size, host(host_ptr), plain)?.expose())
    }

    /// clCreateBufferWithProperties.
    fn clCreateBufferWithProperties(
        context: cl_context,
        properties: *const cl_mem_properties,
        flags: cl_mem_flags,
        size: usize,
        host_ptr: *mut c_void,
    ) -> handle cl_mem {
        let context = Ref::<Context>::from_handle(context)?;
        // SAFETY: the list is as the API requires.
        let properties = unsafe { memory_properties::read_of_buffer(&context, properties) }?;
        Ok(Buffer::new(context, flags, size, host(host_ptr), properties)?.expose())
    }

    /// clCreateSubBuffer.
    fn clCreateSubBuffer(
        buffer: cl_mem,
        flags: cl_mem_flags,
        buffer_create_type: cl_buffer_create_type,
        buffer_create_info: *const c_void,
    ) -> handle cl_mem {
        let parent = Ref::<Buffer>::from_handle(buffer)?;
        ensure!(parent.parent.is_none(), CL_INVALID_MEM_OBJECT);
        ensure!(buffer_create_type == CL_BUFFER_CREATE_TYPE_REGION, CL_INVALID_VALUE);
        ensure!(!buffer_create_info.is_null(), CL_INVALID_VALUE);
        // SAFETY: for this type the API requires a cl_buffer_region.
        let region = unsafe { buffer_create_info.cast::<cl_buffer_region>().read_unaligned() };
        Ok(Buffer::new_sub_buffer(&parent, flags, region)?.expose())
    }

    /// clEnqueueReadBuffer.
    fn clEnqueueReadBuffer(
        command_queue: cl_command_queue,
        buffer: cl_mem,
        blocking_read: cl_bool,
        offset: usize,
        size: usize,
        ptr: *mut c_void,
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event,
        event: *mut cl_event,
    ) -> status {
        // SAFETY: the pointers are as the API requires.
        let target =
            unsafe { target(command_queue, buffer, num_events_in_wait_list, event_wait_list) }?;
        let Target { queue, mem, waits } = target;
        mem.check_range(offset, size)?;
        let to = host(ptr).ok_or(ClError(CL_INVALID_VALUE))?;
        ensure!(mem.host_readable(), CL_INVALID_OPERATION);
        let from = Rect::linear(offset, size);
        let command = match size {
            0 => Command::Marker,
            _ => Command::Read { mem, from, to: Operand::target(&queue.context, to.range(size)) },
        };
        let blocking = blocking_read != CL_FALSE;
        // SAFETY: the pointers are as the API requires.
        unsafe { enqueue(&queue, CL_COMMAND_READ_BUFFER, command, waits, blocking, event) }
    }

    /// clEnqueueWriteBuffer.
    fn clEnqueueWriteBuffer(
        command_queue: cl_command_queue,
        buffer: cl_mem,
        blocking_write: cl_bool,
        offset: usize,
        size: usize,
        ptr: *const c_void,
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event,
        event: *mut cl_event,
    ) -> status {
        // SAFETY: the pointers are as the API requires.
        let target =
            unsafe { target(command_queue, buffer, num_events_in_wait_list, event_wait_list) }?;
        let Target { queue, mem, waits } = target;
        mem.check_range(offset, size)?;
        let from = host(ptr).ok_or(ClError(CL_INVALID_VALUE))?;
        ensure!(mem.host_writable(), CL_INVALID_OPERATION);
        let to = Rect::linear(offset, size);
        let command = match size {
            0 => Command::Marker,
            _ => Command::Write { mem, from: Operand::source(&queue.context, from.range(size)), to },
        };
        let blocking = blocking_write != CL_FALSE;
        // SAFETY: the pointers are as the API requires.
        unsafe { enqueue(&queue, CL_COMMAND_WRITE_BUFFER, command, waits, blocking, event) }
    }

    /// clEnqueueReadBufferRect.
    fn clEnqueueReadBufferRect(
        command_queue: cl_command_queue,
        buffer: cl_mem,
        blocking_read: cl_bool,
        buffer_origin: *const usize,
        host_origin: *const usize,
        region: *const usize,
        buffer_row_pitch: usize,
        buffer_slice_pitch: usize,
        host_row_pitch: usize,
        host_slice_pitch: usize,
        ptr: *mut c_void,
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event,
        event: *mut cl_event,
    ) -> status {
        // SAFETY: the pointers are as the API requires.
        let target =
            unsafe { target(command_queue, buffer, num_events_in_wait_list, event_wait_list) }?;
        let Target { queue, mem, waits } = target;
        let rects = RectArgs {
            buffer_origin,
            host_origin,
            region,
            buffer_pitches: [buffer_row_pitch, buffer_slice_pitch],
            host_pitches: [host_row_pitch, host_slice_pitch],
            pointer: ptr,
        };
        // SAFETY: the pointers are as the API requires.
        let boxes = unsafe { rects.boxes(&mem) }?;
        ensure!(mem.host_readable(), CL_INVALID_OPERATION);
        let to = Operand::target(&queue.context, boxes.host);
        let command = Command::Read { mem, from: boxes.buffer, to };
        let blocking = blocking_read != CL_FALSE;
        // SAFETY: the pointers are as the API requires.
        unsafe { enqueue(&queue, CL_COMMAND_READ_BUFFER_RECT, command, waits, blocking, event) }
    }

    /// clEnqueueWriteBufferRect.
    fn clEnqueueWriteBufferRect(
        command_queue: cl_command_queue,
        buffer: cl_mem,
        blocking_write: cl_bool,
        buffer_origin: *const usize,
        host_origin: *const usize,
        region: *const usize,
        buffer_row_pitch: usize,
        buffer_slice_pitch: usize,
        host_row_pitch: usize,
        host_slice_pitch: usize,
        ptr: *const c_void,
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event,
        event: *mut cl_event,
    ) -> status {
        // SAFETY: the pointers are as the API requires.
        let target =
            unsafe { target(command_queue, buffer, num_events_in_wait_list, event_wait_list) }?;
        let Target { queue, mem, waits } = target;
        let rects = RectArgs {
            buffer_origin,
            host_origin,
            region,
            buffer_pitches: [buffer_row_pitch, buffer_slice_pitch],
            host_pitches: [host_row_pitch, host_slice_pitch],
            pointer: ptr,
        };
        // SAFETY: the pointers are as the API requires.
        let boxes = unsafe { rects.boxes(&mem) }?;
        ensure!(mem.host_writable(), CL_INVALID_OPERATION);
        let from = Operand::source(&queue.context, boxes.host);
        let command = Command::Write { mem, from, to: boxes.buffer };
        let blocking = blocking_write != CL_FALSE;
        // SAFETY: the pointers are as the API requires.
        unsafe { enqueue(&queue, CL_COMMAND_WRITE_BUFFER_RECT, command, waits, blocking, event) }
    }

    /// clEnqueueCopyBuffer.
    fn clEnqueueCopyBuffer(
        command_queue: cl_command_queue,
        src_buffer: cl_mem,
        dst_buffer: cl_mem,
        src_offset: usize,
        dst_offset: usize,
        size: usize,
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event,
        event: *mut cl_event,
    ) -> status {
        // SAFETY: the pointers are as the API requires.
        let target = unsafe {
            target(command_queue, src_buffer, num_events_in_wait_list, event_wait_list)
        }?;
        let Target { queue, mem: source, waits } = target;
        let destination = self::buffer(&queue, dst_buffer)?;
        let command = recordable::copy((source, src_offset), (destination, dst_offset), size)?;
        // SAFETY: the pointers are as the API requires.
        unsafe { enqueue(&queue, CL_COMMAND_COPY_BUFFER, command, waits, false, event) }
    }

    /// clEnqueueCopyBufferRect.
    fn clEnqueueCopyBufferRect(
        command_queue: cl_command_queue,
        src_buffer: cl_mem,
        dst_buffer: cl_mem,
        src_origin: *const usize,
        dst_origin: *const usize,
        region: *const usize,
        src_row_pitch: usize,
        src_slice_pitch: usize,
        dst_row_pitch: usize,
        dst_slice_pitch: usize,
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event,
        event: *mut cl_event,
    ) -> status {
        // SAFETY: the pointers are as the API requires.
        let target = unsafe {
            target(command_queue, src_buffer, num_events_in_wait_list, event_wait_list)
        }?;
        let Target { queue, mem: source, waits } = target;
        let destination = self::buffer(&queue, dst_buffer)?;
        // SAFETY: the pointers are as the API requires.
        let (src_origin, dst_origin, region) =
            unsafe { (triple(src_origin)?, triple(dst_origin)?, triple(region)?) };
        let from = Rect::new(src_origin, region, src_row_pitch, src_slice_pitch)?;
        let to = Rect::new(dst_origin, region, dst_row_pitch, dst_slice_pitch)?;
        let command = recordable::copy_rect((source, from), (destination, to))?;
        // SAFETY: the pointers are as the API requires.
        unsafe { enqueue(&queue, CL_COMMAND_COPY_BUFFER_RECT, command, waits, false, event) }
    }

    /// clEnqueueFillBuffer.
    fn clEnqueueFillBuffer(
        command_queue: cl_command_queue,
        buffer: cl_mem,
        pattern: *const c_void,
        pattern_size: usize,
        offset: usize,
        size: usize,
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event,
        event: *mut cl_event,
    ) -> status {
        // SAFETY: the pointers are as the API requires.
        let target =
            unsafe { target(command_queue, buffer, num_events_in_wait_list, event_wait_list) }?;
        let Target { queue, mem, waits } = target;
        // SAFETY: the pointers are as the API requires.
        let command = unsafe { recordable::fill(mem, pattern, pattern_size, offset, size) }?;
        // SAFETY: the pointers are as the API requires.
        unsafe { enqueue(&queue, CL_COMMAND_FILL_BUFFER, command, waits, false, event) }
    }

    /// clEnqueueMapBuffer.
    fn clEnqueueMapBuffer(
        command_queue: cl_command_queue,
        buffer: cl_mem,
        blocking_map: cl_bool,
        map_flags: cl_map_flags,
        offset: usize,
        size: usize,
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event,
        event: *mut cl_event,
    ) -> handle *mut c_void {
        // SAFETY: the pointers are as the API requires.
        let target =
            unsafe { target(command_queue, buffer, num_events_in_wait_list, event_wait_list) }?;
        let Target { queue, mem, waits } = target;
        mem.check_range(offset, size)?;
        ensure!(size > 0, CL_INVALID_VALUE);
        mapping::check_flags(&mem, map_flags)?;
        let (pointer, command) = mapping::map(&queue, &mem, map_flags, (offset, size))?;
        let blocking = blocking_map != CL_FALSE;
        // SAFETY: the pointers are as the API requires.
        let done =
            unsafe { enqueue(&queue, CL_COMMAND_MAP_BUFFER, command, waits, blocking, event) };
        if done.is_err() {
            // The command failed, so the region is not mapped.
            let _ = mem.take_mapping(pointer);
        }
        done?;
        Ok(pointer.0 as *mut c_void)
    }
}
