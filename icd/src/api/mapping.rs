//! Mapping and unmapping of memory objects (spec 5.2.4, 5.3.5, 5.5.3).

use super::args;
use super::enqueue::enqueue;
use super::image_commands;
use crate::cl::error::{ensure, fail, ClError, Result};
use crate::cl::*;
use crate::core::command::Command;
use crate::core::device::pages::Pages;
use crate::core::memory::buffer::Buffer;
use crate::core::memory::host::HostAddress;
use crate::core::memory::mapping::Mapping;
use crate::core::memory::object::MemObject;
use crate::core::memory::operand::Operand;
use crate::core::memory::rect::Rect;
use crate::core::memory::MemBase;
use crate::core::queue::Queue;
use crate::dispatch::boundary::entry;
use crate::object::Ref;
use std::ffi::c_void;
use std::sync::Arc;

entry! {
    /// clEnqueueUnmapMemObject.
    fn clEnqueueUnmapMemObject(
        command_queue: cl_command_queue,
        memobj: cl_mem,
        mapped_ptr: *mut c_void,
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event,
        event: *mut cl_event,
    ) -> status {
        let queue = args::queue(command_queue)?;
        let mem = MemObject::from_handle(memobj)?;
        ensure!(mem.context == queue.context, CL_INVALID_CONTEXT);
        // SAFETY: the pointers are as the API requires.
        let waits = unsafe {
            args::wait_list(&queue.context, num_events_in_wait_list, event_wait_list)
        }?;
        let pointer = HostAddress(mapped_ptr as usize);
        let command = match mem {
            MemObject::Buffer(mem) => unmap(mem, pointer),
            MemObject::Image(image) => image_commands::unmap(&image, pointer),
            // Pipes are never mapped.
            MemObject::Pipe(_) => fail(CL_INVALID_VALUE),
        }?;
        // SAFETY: the pointers are as the API requires.
        unsafe { enqueue(&queue, CL_COMMAND_UNMAP_MEM_OBJECT, command, waits, false, event) }
    }
}

/// CL_INVALID_VALUE for flags that do not exist or contradict each other, CL_INVALID_OPERATION for
/// access that the object does not give to the host.
pub(super) fn check_flags(mem: &MemBase, flags: cl_map_flags) -> Result<()> {
    args::check_map_flags(flags)?;
    ensure!(flags & CL_MAP_READ == 0 || mem.host_readable(), CL_INVALID_OPERATION);
    let writes = flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION) != 0;
    ensure!(!writes || mem.host_writable(), CL_INVALID_OPERATION);
    Ok(())
}

/// Maps a region (offset and size) of a buffer. Returns where the application will see it, and the command that makes
/// its bytes visible there.
pub(super) fn map(
    queue: &Queue,
    mem: &Ref<Buffer>,
    flags: cl_map_flags,
    region: (usize, usize),
) -> Result<(HostAddress, Command)> {
    let mapping = place(queue, mem, flags, region)?;
    let (pointer, command) = (mapping.pointer, map_command(mem, &mapping));
    mem.add_mapping(mapping)?;
    Ok((pointer, command))
}

/// Ends a mapping of a buffer. Returns the command that brings what the host wrote to the device.
pub(super) fn unmap(mem: Ref<Buffer>, pointer: HostAddress) -> Result<Command> {
    let mapping = mem.take_mapping(pointer)?;
    Ok(if mapping.is_copy() {
        Command::Unmap { mem, mapping }
    } else if mem.host_ptr.is_some() && mapping.writes() {
        let region = mapping.pointer.range(mapping.size);
        let from = match mem.svm {
            Some(_) => Operand::own_source(region),
            None => Operand::source(&mem.context, region),
        };
        Command::Write { mem, from, to: Rect::linear(mapping.offset, mapping.size) }
    } else {
        Command::Marker
    })
}

/// Returns the memory in which the application will see the region: the application's own memory for CL_MEM_USE_HOST_PTR, the
/// device's memory where the host sees it, otherwise staging memory or, if there is not enough, ordinary memory.
fn place(
    queue: &Queue,
    mem: &Buffer,
    flags: cl_map_flags,
    (offset, size): (usize, usize),
) -> Result<Mapping> {
    let at = |pointer| Mapping { pointer, offset, size, flags, staging: None, pages: None };
    // The application's pointer and shared memory that the host sees are mapped in place.
    if let Some(host) = mem.host_ptr.or(mem.svm) {
        return Ok(at(HostAddress(host.0 + offset)));
    }
    // With several devices the bytes may move while they are mapped.
    if mem.context.gpus.len() == 1 {
        let buffer = mem.on_device(queue.device_index)?;
        if let Some(base) = queue.gpu.host_view(&buffer).filter(|_| buffer.is_coherent()) {
            let address = base.as_ptr() as usize + mem.origin + offset;
            return Ok(at(HostAddress(address)));
        }
    }
    if size as u64 <= queue.gpu.device.info().limits.max_allocation_size {
        if let Ok(staging) = mem.map_staging(&queue.gpu.readback, size) {
            let Some(base) = staging.buffer.mapped() else { return fail(CL_MAP_FAILURE) };
            let pointer = HostAddress(base.as_ptr() as usize);
            return Ok(Mapping { staging: Some(staging), ..at(pointer) });
        }
    }
    // Pinned buffers, which are promised room on the host, must not fail with CL_MAP_FAILURE. (They get room for one mapping at
    // a time.)
    let failure = if mem.is_pinned() { CL_OUT_OF_HOST_MEMORY } else { CL_MAP_FAILURE };
    let pages = Arc::new(Pages::new(size).ok_or(ClError(failure))?);
    Ok(Mapping { pages: Some(pages.clone()), ..at(HostAddress(pages.address())) })
}

/// Returns the command that makes the region's bytes visible to the application.
fn map_command(mem: &Ref<Buffer>, mapping: &Mapping) -> Command {
    let region = mapping.pointer.range(mapping.size);
    if mapping.is_copy() {
        let to = Operand::own_target(&mem.context, region);
        return Command::Map { mem: mem.clone(), mapping: mapping.clone(), to };
    }
    if mem.host_ptr.is_some() && mapping.reads() {
        let from = Rect::linear(mapping.offset, mapping.size);
        let to = match mem.svm {
            Some(_) => Operand::own_target(&mem.context, region),
            None => Operand::target(&mem.context, region),
        };
        return Command::Read { mem: mem.clone(), from, to };
    }
    Command::Marker
}
