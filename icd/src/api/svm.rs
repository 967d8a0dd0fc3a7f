//! Shared virtual memory (spec 5.6).

use super::args;
use super::recordable::check_shared_copy;
use super::shared_copy::{copy_command, fill_command, Target};
use crate::cl::error::{ensure, fail, Result};
use crate::cl::{room, *};
use crate::core::command::Command;
use crate::core::context::svm::Allocation;
use crate::core::context::Context;
use crate::core::device::sharing::Sharing;
use crate::core::memory::buffer::Buffer;
use crate::core::memory::host::HostAddress;
use crate::core::memory::operand::Operand;
use crate::core::memory::rect::Rect;
use crate::core::queue::effects::Effects;
use crate::core::queue::{Queue, Request};
use crate::dispatch::boundary::entry;
use crate::object::callbacks::{self, UserData};
use crate::object::Ref;
use std::ffi::c_void;
use std::sync::Arc;

/// Checks queue and wait list; CL_INVALID_OPERATION when the device shares no memory.
///
/// # Safety
/// The list is as the API requires.
unsafe fn target(queue: cl_command_queue, count: cl_uint, list: *const cl_event) -> Result<Target> {
    let shares = args::queue(queue)?.gpu.sharing() != Sharing::None;
    ensure!(shares, CL_INVALID_OPERATION);
    // SAFETY: as the caller promises.
    unsafe { Target::new(queue, count, list) }
}

/// Returns the allocation of clSVMAlloc that contains an address, and the offset in it; `None` for other memory of the host if
/// the queue's device reaches that. CL_INVALID_VALUE for all other addresses, and for unified shared memory, which has no maps.
fn mappable(
    queue: &Queue,
    address: usize,
    size: usize,
) -> Result<Option<(Arc<Allocation>, usize)>> {
    let found = queue.context.svm.find_range(address, size)?;
    match &found {
        Some((found, _)) => ensure!(found.usm.is_none(), CL_INVALID_VALUE),
        None => ensure!(queue.gpu.reaches_system(), CL_INVALID_VALUE),
    }
    Ok(found)
}

/// Returns bytes (first, count) of an allocation as a memory object for commands of a queue.
fn mem_of(queue: &Queue, allocation: &Allocation, range: (usize, usize)) -> Result<Ref<Buffer>> {
    Buffer::of_shared(allocation, &queue.context, range, queue.device_index)
}

/// The memory that clEnqueueSVMFree frees when the command runs, or the application's function that frees it.
struct Release {
    queue: Ref<Queue>,
    pointers: Vec<*mut c_void>,
    function: SvmFreeNotify,
    data: UserData,
}

// SAFETY: the pointers are only ever given to the application, or compared.
unsafe impl Send for Release {}

impl Release {
    /// Frees the memory, or starts a thread on which the application's function frees it, so that no thread of the driver waits
    /// for that function.
    fn begin(self) {
        if self.function.is_none() {
            let context = &self.queue.context;
            return self.pointers.iter().for_each(|p| context.svm.free(context, *p as usize));
        }
        if let Err(error) = hekla_vk_backend::spawn("hekla-svm-free", move || self.call()) {
            tracing::error!("no thread to free shared virtual memory: {error}");
        }
    }

    /// Calls the application's function that frees the memory.
    fn call(mut self) {
        if let Some(function) = self.function {
            let (count, pointers) = (self.pointers.len() as cl_uint, self.pointers.as_mut_ptr());
            // SAFETY: the application gave this function for these pointers.
            unsafe { function(self.queue.handle(), count, pointers, self.data.get()) };
        }
        drop(self);
        callbacks::run_deferred();
    }
}

entry! {
    /// clSVMAlloc. NULL for contexts of several devices: they have no address in common.
    fn clSVMAlloc(
        context: cl_context,
        flags: cl_svm_mem_flags,
        size: usize,
        alignment: cl_uint,
    ) -> value *mut c_void, or std::ptr::null_mut(); {
        let context = Ref::<Context>::from_handle(context)?;
        let address = context.svm.allocate(&context, flags, size, alignment as usize)?;
        Ok(address as *mut c_void)
    }

    /// clSVMFree.
    fn clSVMFree(context: cl_context, svm_pointer: *mut c_void) -> value (), or (); {
        let context = Ref::<Context>::from_handle(context)?;
        context.svm.free(&context, svm_pointer as usize);
        Ok(())
    }

    /// clEnqueueSVMFree.
    fn clEnqueueSVMFree(
        command_queue: cl_command_queue,
        num_svm_pointers: cl_uint,
        svm_pointers: *mut *mut c_void,
        pfn_free_func: SvmFreeNotify,
        user_data: *mut c_void,
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event,
        event: *mut cl_event,
    ) -> status {
        // SAFETY: the pointers are as the API requires.
        let target = unsafe { target(command_queue, num_events_in_wait_list, event_wait_list) }?;
        ensure!(svm_pointers.is_null() == (num_svm_pointers == 0), CL_INVALID_VALUE);
        // SAFETY: the pointers are as the API requires.
        let pointers = room::copy(unsafe { args::slice(svm_pointers, num_svm_pointers as usize) })?;
        let Target { queue, waits } = target;
        let made = queue.enqueue(Request {
            command_type: CL_COMMAND_SVM_FREE,
            command: Box::new(Command::Marker),
            waits,
            blocking: false,
            wants_event: true,
        })?;
        let Some(made) = made else { return fail(CL_OUT_OF_RESOURCES) };
        let data = UserData(user_data);
        let release = Release { queue, pointers, function: pfn_free_func, data };
        made.then(move |_| {
            release.begin();
            Effects::default()
        });
        if !event.is_null() {
            // SAFETY: the pointers are as the API requires.
            unsafe { args::store_event(event, Some(made)) };
        }
        Ok(())
    }

    /// clEnqueueSVMMemcpy.
    fn clEnqueueSVMMemcpy(
        command_queue: cl_command_queue,
        blocking_copy: cl_bool,
        dst_ptr: *mut c_void,
        src_ptr: *const c_void,
        size: usize,
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event,
        event: *mut cl_event,
    ) -> status {
        // SAFETY: the pointers are as the API requires.
        let mut target = unsafe { target(command_queue, num_events_in_wait_list, event_wait_list) }?;
        let (to, from) = (dst_ptr as usize, src_ptr as usize);
        let command = if size == 0 {
            Command::Marker
        } else {
            check_shared_copy(to, from, size)?;
            copy_command(&mut target, from, to, size)?
        };
        // SAFETY: the pointers are as the API requires.
        unsafe { target.enqueue(CL_COMMAND_SVM_MEMCPY, command, blocking_copy != CL_FALSE, event) }
    }

    /// clEnqueueSVMMemFill.
    fn clEnqueueSVMMemFill(
        command_queue: cl_command_queue,
        svm_ptr: *mut c_void,
        pattern: *const c_void,
        pattern_size: usize,
        size: usize,
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event,
        event: *mut cl_event,
    ) -> status {
        // SAFETY: the pointers are as the API requires.
        let mut target = unsafe { target(command_queue, num_events_in_wait_list, event_wait_list) }?;
        let address = svm_ptr as usize;
        // SAFETY: the pointers are as the API requires.
        let command = unsafe { fill_command(&mut target, address, pattern, pattern_size, size) }?;
        // SAFETY: the pointers are as the API requires.
        unsafe { target.enqueue(CL_COMMAND_SVM_MEMFILL, command, false, event) }
    }

    /// clEnqueueSVMMap.
    fn clEnqueueSVMMap(
        command_queue: cl_command_queue,
        blocking_map: cl_bool,
        flags: cl_map_flags,
        svm_ptr: *mut c_void,
        size: usize,
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event,
        event: *mut cl_event,
    ) -> status {
        // SAFETY: the pointers are as the API requires.
        let target = unsafe { target(command_queue, num_events_in_wait_list, event_wait_list) }?;
        let address = svm_ptr as usize;
        ensure!(address != 0 && size > 0, CL_INVALID_VALUE);
        args::check_map_flags(flags)?;
        let Some((allocation, offset)) = mappable(&target.queue, address, size)? else {
            // The memory is the host's own, so the map has nothing to copy.
            let blocking = blocking_map != CL_FALSE;
            // SAFETY: the pointers are as the API requires.
            return unsafe { target.enqueue(CL_COMMAND_SVM_MAP, Command::Marker, blocking, event) };
        };
        let invalidates = flags & CL_MAP_WRITE_INVALIDATE_REGION != 0;
        allocation.add_map(&target.queue.context, address, size, flags);
        let command = if allocation.has_shadow() && !invalidates {
            let mem = mem_of(&target.queue, &allocation, (offset, size))?;
            let to = Operand::own_target(&target.queue.context, HostAddress(address).range(size));
            Command::Read { mem, from: Rect::linear(0, size), to }
        } else {
            Command::Marker
        };
        // SAFETY: the pointers are as the API requires.
        unsafe { target.enqueue(CL_COMMAND_SVM_MAP, command, blocking_map != CL_FALSE, event) }
    }

    /// clEnqueueSVMUnmap.
    fn clEnqueueSVMUnmap(
        command_queue: cl_command_queue,
        svm_ptr: *mut c_void,
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event,
        event: *mut cl_event,
    ) -> status {
        // SAFETY: the pointers are as the API requires.
        let target = unsafe { target(command_queue, num_events_in_wait_list, event_wait_list) }?;
        let address = svm_ptr as usize;
        ensure!(address != 0, CL_INVALID_VALUE);
        let Some((allocation, offset)) = mappable(&target.queue, address, 0)? else {
            // SAFETY: the pointers are as the API requires.
            return unsafe { target.enqueue(CL_COMMAND_SVM_UNMAP, Command::Marker, false, event) };
        };
        let (size, written) = allocation.take_map(&target.queue.context, address)?;
        let command = if allocation.has_shadow() && written {
            let mem = mem_of(&target.queue, &allocation, (offset, size))?;
            let from = Operand::own_source(HostAddress(address).range(size));
            Command::Write { mem, from, to: Rect::linear(0, size) }
        } else {
            Command::Marker
        };
        // SAFETY: the pointers are as the API requires.
        unsafe { target.enqueue(CL_COMMAND_SVM_UNMAP, command, false, event) }
    }

    /// clEnqueueSVMMigrateMem. The bytes are where they are; the command is a marker.
    fn clEnqueueSVMMigrateMem(
        command_queue: cl_command_queue,
        num_svm_pointers: cl_uint,
        svm_pointers: *const *const c_void,
        sizes: *const usize,
        flags: cl_mem_migration_flags,
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event,
        event: *mut cl_event,
    ) -> status {
        // SAFETY: the pointers are as the API requires.
        let target = unsafe { target(command_queue, num_events_in_wait_list, event_wait_list) }?;
        ensure!(num_svm_pointers > 0 && !svm_pointers.is_null(), CL_INVALID_VALUE);
        args::check_migration_flags(flags)?;
        let count = num_svm_pointers as usize;
        // SAFETY: the pointers are as the API requires.
        let (pointers, sizes) = unsafe { (args::slice(svm_pointers, count), args::slice(sizes, count)) };
        for (index, pointer) in pointers.iter().enumerate() {
            // A size of 0 stands for the whole allocation.
            let size = sizes.get(index).copied().unwrap_or(0);
            let found = target.queue.context.svm.find_range(*pointer as usize, size)?;
            ensure!(found.is_some() || target.queue.gpu.reaches_system(), CL_INVALID_VALUE);
        }
        // SAFETY: the pointers are as the API requires.
        unsafe { target.enqueue(CL_COMMAND_SVM_MIGRATE_MEM, Command::Marker, false, event) }
    }
}
