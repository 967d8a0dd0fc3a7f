//! Command buffers: creation, release, queries, and enqueueing them (cl_khr_command_buffer; spec 5.17).

use super::args;
use super::enqueue::enqueue;
use crate::cl::error::{ensure, fail, Result};
use crate::cl::info::Value;
use crate::cl::*;
use crate::core::command_buffer::parts::{self, Part};
use crate::core::command_buffer::recorded::Replay;
use crate::core::command_buffer::CommandBuffer;
use crate::core::device::capabilities::queue_properties;
use crate::core::queue::Queue;
use crate::dispatch::boundary::entry;
use crate::object::Ref;
use std::ffi::c_void;

/// Returns the flags and assertions among a command buffer's properties: CL_INVALID_VALUE for a property or a bit that does not
/// exist and for a property that is listed twice, CL_INVALID_PROPERTY for flags that no device offers.
fn parse(list: &[cl_command_buffer_properties_khr]) -> Result<(cl_bitfield, cl_bitfield)> {
    let (mut flags, mut asserts) = (None, None);
    for pair in list.chunks_exact(2) {
        let place = match pair[0] {
            CL_COMMAND_BUFFER_FLAGS_KHR => &mut flags,
            CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR => &mut asserts,
            _ => return fail(CL_INVALID_VALUE),
        };
        ensure!(place.replace(pair[1]).is_none(), CL_INVALID_VALUE);
    }
    let (flags, asserts) = (flags.unwrap_or(0), asserts.unwrap_or(0));
    let offered = CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR | CL_COMMAND_BUFFER_MUTABLE_KHR;
    let known = offered | CL_COMMAND_BUFFER_DEVICE_SIDE_SYNC_KHR;
    ensure!(flags & !known == 0, CL_INVALID_VALUE);
    let known = CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR;
    ensure!(asserts & !known == 0, CL_INVALID_VALUE);
    ensure!(flags & !offered == 0, CL_INVALID_PROPERTY);
    Ok((flags, asserts))
}

/// Returns the queue that a command buffer runs on: the one of its creation, or a substitute.
///
/// # Safety
/// `queues` is NULL or valid for `count` handles.
unsafe fn chosen_queue(
    buffer: &CommandBuffer,
    count: cl_uint,
    queues: *const cl_command_queue,
) -> Result<Ref<Queue>> {
    ensure!(queues.is_null() == (count == 0), CL_INVALID_VALUE);
    ensure!(count <= 1, CL_INVALID_VALUE);
    // SAFETY: as the caller promises.
    let given = unsafe { args::objects::<Queue>(queues, count) }?;
    let queue = given.into_iter().next().unwrap_or_else(|| (*buffer.queue).clone());
    // No property of the queue is required.
    let supported = queue.properties.bits & !queue_properties(queue.device.info()) == 0;
    ensure!(supported, CL_INCOMPATIBLE_COMMAND_QUEUE_KHR);
    ensure!(queue.device == buffer.queue.device, CL_INVALID_DEVICE);
    ensure!(queue.context == buffer.queue.context, CL_INVALID_CONTEXT);
    Ok(queue)
}

entry! {
    /// clCreateCommandBufferKHR. A command buffer has one queue
    /// (cl_khr_command_buffer_multi_device is not offered).
    fn clCreateCommandBufferKHR(
        num_queues: cl_uint,
        queues: *const cl_command_queue,
        properties: *const cl_command_buffer_properties_khr,
    ) -> handle cl_command_buffer_khr {
        ensure!(num_queues == 1 && !queues.is_null(), CL_INVALID_VALUE);
        // SAFETY: the array is as the API requires.
        let queue = args::queue(unsafe { queues.read() })?;
        // SAFETY: the list is as the API requires.
        let list = unsafe { args::property_list(properties, 2) };
        let (flags, asserts) = parse(&list)?;
        let list = (!properties.is_null()).then_some(list);
        Ok(CommandBuffer::new(&queue, list, flags, asserts).expose())
    }

    /// clRetainCommandBufferKHR.
    fn clRetainCommandBufferKHR(command_buffer: cl_command_buffer_khr) -> status {
        Ref::<CommandBuffer>::retain(command_buffer)
    }

    /// clReleaseCommandBufferKHR.
    fn clReleaseCommandBufferKHR(command_buffer: cl_command_buffer_khr) -> status {
        Ref::<CommandBuffer>::release(command_buffer)
    }

    /// clFinalizeCommandBufferKHR.
    fn clFinalizeCommandBufferKHR(command_buffer: cl_command_buffer_khr) -> status {
        Ref::<CommandBuffer>::from_handle(command_buffer)?.finalize()
    }

    /// clEnqueueCommandBufferKHR.
    fn clEnqueueCommandBufferKHR(
        num_queues: cl_uint,
        queues: *mut cl_command_queue,
        command_buffer: cl_command_buffer_khr,
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event,
        event: *mut cl_event,
    ) -> status {
        let buffer = Ref::<CommandBuffer>::from_handle(command_buffer)?;
        ensure!(buffer.state() == CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR, CL_INVALID_OPERATION);
        // SAFETY: the array is as the API requires.
        let queue = unsafe { chosen_queue(&buffer, num_queues, queues) }?;
        // SAFETY: the array is as the API requires.
        let waits = unsafe {
            args::wait_list(&queue.context, num_events_in_wait_list, event_wait_list)
        }?;
        let parts = buffer.executable()?;
        let [Part::Recorded(recorded)] = &parts[..] else {
            let made = parts::enqueue(&queue, &parts, waits)?;
            // SAFETY: the array is as the API requires.
            unsafe { args::store_event(event, Some(made)) };
            return Ok(());
        };
        let command = Replay(recorded.clone());
        // SAFETY: the place is as the API requires.
        unsafe { enqueue(&queue, CL_COMMAND_COMMAND_BUFFER_KHR, command, waits, false, event) }
    }

    /// clGetCommandBufferInfoKHR.
    fn clGetCommandBufferInfoKHR(
        command_buffer: cl_command_buffer_khr,
        param_name: cl_command_buffer_info_khr,
        param_value_size: usize,
        param_value: *mut c_void,
        param_value_size_ret: *mut usize,
    ) -> status {
        let buffer = Ref::<CommandBuffer>::from_handle(command_buffer)?;
        let value = match param_name {
            CL_COMMAND_BUFFER_NUM_QUEUES_KHR => Some(Value::of(1u32)),
            CL_COMMAND_BUFFER_QUEUES_KHR => Some(Value::of(buffer.queue.handle())),
            CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR => Some(Value::of(buffer.reference_count())),
            CL_COMMAND_BUFFER_STATE_KHR => Some(Value::of(buffer.state())),
            CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR => {
                Some(Value::list(buffer.properties.as_deref().unwrap_or_default()))
            }
            CL_COMMAND_BUFFER_CONTEXT_KHR => Some(Value::of(buffer.queue.context.handle())),
            _ => None,
        };
        // SAFETY: the caller's places are as the API requires.
        unsafe { args::answer(value, param_value_size, param_value, param_value_size_ret) }
    }
}
