//! Acquiring and releasing memory that other APIs share (cl_khr_external_memory).

use super::args;
use super::enqueue::enqueue;
use crate::cl::error::{ensure, Result};
use crate::cl::*;
use crate::core::command::ownership::{Direction, Shared};
use crate::core::command::Command;
use crate::dispatch::boundary::entry;

/// The arguments of clEnqueue{Acquire,Release}ExternalMemObjectsKHR.
struct Enqueue {
    way: Direction,
    queue: cl_command_queue,
    mems: (cl_uint, *const cl_mem),
    waits: (cl_uint, *const cl_event),
    event: *mut cl_event,
}

impl Enqueue {
    /// # Safety
    /// The pointers are as the API requires.
    unsafe fn run(self) -> Result<()> {
        let queue = args::queue(self.queue)?;
        let (count, list) = self.mems;
        ensure!(list.is_null() == (count == 0), CL_INVALID_VALUE);
        // SAFETY: as the caller promises.
        let handles = unsafe { args::slice(list, count as usize) };
        let mems = handles.iter().map(|handle| Shared::from_handle(*handle));
        let mems = mems.collect::<Result<Vec<_>>>()?;
        let usable = |mem: &Shared| mem.is_for(&queue.context, &queue.device);
        ensure!(mems.iter().all(usable), CL_INVALID_COMMAND_QUEUE);
        // SAFETY: as the caller promises.
        let waits = unsafe { args::wait_list(&queue.context, self.waits.0, self.waits.1) }?;
        let command_type = match self.way {
            Direction::Acquire => CL_COMMAND_ACQUIRE_EXTERNAL_MEM_OBJECTS_KHR,
            Direction::Release => CL_COMMAND_RELEASE_EXTERNAL_MEM_OBJECTS_KHR,
        };
        let command = match mems.is_empty() {
            true => Command::Marker,
            false => Command::TransferOwnership { mems, direction: self.way },
        };
        // SAFETY: as the caller promises.
        unsafe { enqueue(&queue, command_type, command, waits, false, self.event) }
    }
}

entry! {
    /// clEnqueueAcquireExternalMemObjectsKHR.
    fn clEnqueueAcquireExternalMemObjectsKHR(
        command_queue: cl_command_queue,
        num_mem_objects: cl_uint,
        mem_objects: *const cl_mem,
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event,
        event: *mut cl_event,
    ) -> status {
        let all = Enqueue {
            way: Direction::Acquire,
            queue: command_queue,
            mems: (num_mem_objects, mem_objects),
            waits: (num_events_in_wait_list, event_wait_list),
            event,
        };
        // SAFETY: the pointers are as the API requires.
        unsafe { all.run() }
    }

    /// clEnqueueReleaseExternalMemObjectsKHR.
    fn clEnqueueReleaseExternalMemObjectsKHR(
        command_queue: cl_command_queue,
        num_mem_objects: cl_uint,
        mem_objects: *const cl_mem,
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event,
        event: *mut cl_event,
    ) -> status {
        let all = Enqueue {
            way: Direction::Release,
            queue: command_queue,
            mems: (num_mem_objects, mem_objects),
            waits: (num_events_in_wait_list, event_wait_list),
            event,
        };
        // SAFETY: the pointers are as the API requires.
        unsafe { all.run() }
    }
}
