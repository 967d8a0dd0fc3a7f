//! Native kernels (spec 5.10): functions of the host as commands.

use super::args;
use crate::cl::error::{ensure, ClError, Result};
use crate::cl::{room, *};
use crate::core::command::native::NativeCall;
use crate::core::memory::buffer::Buffer;
use crate::core::queue::Queue;
use crate::dispatch::boundary::entry;
use crate::object::Ref;
use std::ffi::c_void;

/// Returns the buffers of a call, each with the offset of its handle in the arguments; handles may be NULL.
///
/// # Safety
/// The lists are as the API requires.
unsafe fn buffers(
    queue: &Queue,
    arguments: *const c_void,
    count: cl_uint,
    mems: *const cl_mem,
    places: *const *const c_void,
) -> Result<Vec<(usize, Option<Ref<Buffer>>)>> {
    let count = count as usize;
    // SAFETY: as the caller promises.
    let (mems, places) = unsafe { (args::slice(mems, count), args::slice(places, count)) };
    let mut buffers = room::list(mems.len())?;
    for (handle, place) in mems.iter().zip(places) {
        let offset = (*place as usize).wrapping_sub(arguments as usize);
        let mem = (!handle.is_null()).then(|| Ref::<Buffer>::from_handle(*handle)).transpose()?;
        let of_context = mem.as_ref().is_none_or(|mem| mem.context == queue.context);
        ensure!(of_context, CL_INVALID_CONTEXT);
        buffers.push((offset, mem));
    }
    Ok(buffers)
}

entry! {
    /// clEnqueueNativeKernel.
    fn clEnqueueNativeKernel(
        command_queue: cl_command_queue,
        user_func: NativeKernel,
        args: *mut c_void,
        cb_args: usize,
        num_mem_objects: cl_uint,
        mem_list: *const cl_mem,
        args_mem_loc: *const *const c_void,
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event,
        event: *mut cl_event,
    ) -> status {
        let queue = args::queue(command_queue)?;
        // SAFETY: the list is as the API requires.
        let waits = unsafe {
            args::wait_list(&queue.context, num_events_in_wait_list, event_wait_list)
        }?;
        let function = user_func.ok_or(ClError(CL_INVALID_VALUE))?;
        ensure!(args.is_null() == (cb_args == 0), CL_INVALID_VALUE);
        ensure!(!args.is_null() || num_mem_objects == 0, CL_INVALID_VALUE);
        ensure!(mem_list.is_null() == (num_mem_objects == 0), CL_INVALID_VALUE);
        ensure!(args_mem_loc.is_null() == (num_mem_objects == 0), CL_INVALID_VALUE);
        // SAFETY: the list is as the API requires.
        let (bytes, buffers) = unsafe {
            (
                args::slice(args.cast::<u8>(), cb_args),
                buffers(&queue, args, num_mem_objects, mem_list, args_mem_loc)?,
            )
        };
        ensure!(queue.gpu.runs_native_kernels(), CL_INVALID_OPERATION);
        let made = queue.enqueue_native(NativeCall::new(function, bytes, buffers)?, waits)?;
        // SAFETY: the place is as the API requires.
        unsafe { args::store_event(event, (!event.is_null()).then_some(made)) };
        Ok(())
    }
}
