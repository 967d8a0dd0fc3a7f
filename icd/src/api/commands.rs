//! Executing kernels (spec 5.10), markers and barriers (5.12, 5.13).

use super::args;
use super::enqueue::enqueue;
use super::recordable::sizes;
use crate::cl::error::{ensure, Result};
use crate::cl::*;
use crate::core::command::device_enqueue;
use crate::core::command::launch::Launch;
use crate::core::command::slices;
use crate::core::command::Command;
use crate::core::program::kernel::Kernel;
use crate::core::program::shape::{suggest_local_size, Sizes};
use crate::core::queue::Request;
use crate::dispatch::boundary::entry;
use crate::object::Ref;

/// clEnqueueNDRangeKernel and clEnqueueTask.
///
/// # Safety
/// The pointers are as the API requires.
unsafe fn enqueue_kernel(
    queue: cl_command_queue,
    kernel: cl_kernel,
    command_type: cl_command_type,
    sizes: impl FnOnce() -> Result<Sizes>,
    (count, list): (cl_uint, *const cl_event),
    event: *mut cl_event,
) -> Result<()> {
    let queue = args::queue(queue)?;
    let kernel = Ref::<Kernel>::from_handle(kernel)?;
    ensure!(kernel.program.context == queue.context, CL_INVALID_CONTEXT);
    // SAFETY: as the caller promises.
    let waits = unsafe { args::wait_list(&queue.context, count, list) }?;
    let sizes = sizes()?;
    if sizes.is_empty() {
        kernel.built_on(&queue.device)?;
        kernel.check_args()?;
        // SAFETY: as the caller promises.
        return unsafe { enqueue(&queue, command_type, Command::Marker, waits, false, event) };
    }
    let launch = Launch::new(&queue, &kernel, &sizes)?;
    if launch.uses_device_queues() {
        let executable = kernel.program.executable_on(&queue.device)?;
        let made = device_enqueue::enqueue(&queue, launch, executable, (command_type, waits))?;
        // SAFETY: as the caller promises.
        unsafe { args::store_event(event, Some(made)) };
        return Ok(());
    }
    if slices::must_slice(&queue, &launch) {
        let made = slices::enqueue(&queue, launch, (command_type, waits))?;
        // SAFETY: as the caller promises.
        unsafe { args::store_event(event, Some(made)) };
        return Ok(());
    }
    let made = queue.enqueue(Request {
        command_type,
        command: launch,
        waits,
        blocking: false,
        wants_event: !event.is_null(),
    })?;
    // SAFETY: as the caller promises.
    unsafe { args::store_event(event, made) };
    Ok(())
}

/// Enqueues a command that only takes a place in the order.
///
/// # Safety
/// The pointers are as the API requires.
unsafe fn enqueue_marker(
    queue: cl_command_queue,
    command_type: cl_command_type,
    (count, list): (cl_uint, *const cl_event),
    event: *mut cl_event,
) -> Result<()> {
    let queue = args::queue(queue)?;
    // SAFETY: as the caller promises.
    let waits = unsafe { args::wait_list(&queue.context, count, list) }?;
    // SAFETY: as the caller promises.
    unsafe { enqueue(&queue, command_type, Command::Marker, waits, false, event) }
}

entry! {
    /// clEnqueueNDRangeKernel.
    fn clEnqueueNDRangeKernel(
        command_queue: cl_command_queue,
        kernel: cl_kernel,
        work_dim: cl_uint,
        global_work_offset: *const usize,
        global_work_size: *const usize,
        local_work_size: *const usize,
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event,
        event: *mut cl_event,
    ) -> status {
        let waits = (num_events_in_wait_list, event_wait_list);
        // SAFETY: the pointers are as the API requires.
        let sizes =
            || unsafe { sizes(work_dim, global_work_offset, global_work_size, local_work_size) };
        let command_type = CL_COMMAND_NDRANGE_KERNEL;
        // SAFETY: the pointers are as the API requires.
        unsafe { enqueue_kernel(command_queue, kernel, command_type, sizes, waits, event) }
    }

    /// clEnqueueTask: one work-item.
    fn clEnqueueTask(
        command_queue: cl_command_queue,
        kernel: cl_kernel,
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event,
        event: *mut cl_event,
    ) -> status {
        let waits = (num_events_in_wait_list, event_wait_list);
        let sizes = || {
            Ok(Sizes { dimensions: 1, offset: [0; 3], global: [1; 3], local: Some([1; 3]) })
        };
        // SAFETY: the pointers are as the API requires.
        unsafe { enqueue_kernel(command_queue, kernel, CL_COMMAND_TASK, sizes, waits, event) }
    }

    /// clGetKernelSuggestedLocalWorkSize.
    fn clGetKernelSuggestedLocalWorkSize(
        command_queue: cl_command_queue,
        kernel: cl_kernel,
        work_dim: cl_uint,
        global_work_offset: *const usize,
        global_work_size: *const usize,
        suggested_local_work_size: *mut usize,
    ) -> status {
        let queue = args::queue(command_queue)?;
        let kernel = Ref::<Kernel>::from_handle(kernel)?;
        ensure!(kernel.program.context == queue.context, CL_INVALID_CONTEXT);
        let built = kernel.built_on(&queue.device)?;
        kernel.check_args()?;
        // SAFETY: the pointers are as the API requires.
        let sizes = unsafe {
            sizes(work_dim, global_work_offset, global_work_size, std::ptr::null())
        }?;
        ensure!(!sizes.is_empty(), CL_INVALID_GLOBAL_WORK_SIZE);
        for d in 0..3 {
            let end = sizes.offset[d].checked_add(sizes.global[d]);
            ensure!(end.is_some(), CL_INVALID_GLOBAL_OFFSET);
        }
        ensure!(!suggested_local_work_size.is_null(), CL_INVALID_VALUE);
        let suggested = suggest_local_size(&queue.device, built, &sizes);
        for (d, size) in suggested.iter().take(work_dim as usize).enumerate() {
            // SAFETY: the API requires room for `work_dim` sizes.
            unsafe { suggested_local_work_size.add(d).write(*size as usize) };
        }
        Ok(())
    }

    /// clEnqueueMarkerWithWaitList.
    fn clEnqueueMarkerWithWaitList(
        command_queue: cl_command_queue,
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event,
        event: *mut cl_event,
    ) -> status {
        let waits = (num_events_in_wait_list, event_wait_list);
        // SAFETY: the pointers are as the API requires.
        unsafe { enqueue_marker(command_queue, CL_COMMAND_MARKER, waits, event) }
    }

    /// clEnqueueBarrierWithWaitList.
    fn clEnqueueBarrierWithWaitList(
        command_queue: cl_command_queue,
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event,
        event: *mut cl_event,
    ) -> status {
        let waits = (num_events_in_wait_list, event_wait_list);
        // SAFETY: the pointers are as the API requires.
        unsafe { enqueue_marker(command_queue, CL_COMMAND_BARRIER, waits, event) }
    }

    /// clEnqueueMarker.
    fn clEnqueueMarker(command_queue: cl_command_queue, event: *mut cl_event) -> status {
        args::queue(command_queue)?;
        ensure!(!event.is_null(), CL_INVALID_VALUE);
        let none = (0, std::ptr::null());
        // SAFETY: the pointers are as the API requires.
        unsafe { enqueue_marker(command_queue, CL_COMMAND_MARKER, none, event) }
    }

    /// clEnqueueWaitForEvents.
    fn clEnqueueWaitForEvents(
        command_queue: cl_command_queue,
        num_events: cl_uint,
        event_list: *const cl_event,
    ) -> status {
        let queue = args::queue(command_queue)?;
        ensure!(num_events > 0 && !event_list.is_null(), CL_INVALID_VALUE);
        let waits = (num_events, event_list);
        // SAFETY: the list is as the API requires.
        unsafe { args::wait_list(&queue.context, num_events, event_list) }
            .map_err(|error| match error.0 {
                CL_INVALID_EVENT_WAIT_LIST => crate::cl::error::ClError(CL_INVALID_EVENT),
                _ => error,
            })?;
        // SAFETY: the list is as the API requires.
        unsafe { enqueue_marker(command_queue, CL_COMMAND_BARRIER, waits, std::ptr::null_mut()) }
    }

    /// clEnqueueBarrier.
    fn clEnqueueBarrier(command_queue: cl_command_queue) -> status {
        let none = (0, std::ptr::null());
        // SAFETY: nothing is given.
        unsafe { enqueue_marker(command_queue, CL_COMMAND_BARRIER, none, std::ptr::null_mut()) }
    }
}
