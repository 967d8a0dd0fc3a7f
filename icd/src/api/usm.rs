//! Unified shared memory (cl_intel_unified_shared_memory).

use super::args;
use super::kernels::pointer_arg;
use super::property_list::{self, Shape};
use super::recordable::check_shared_copy;
use super::shared_copy::{copy_command, fill_command, Target};
use crate::cl::error::{ensure, Result};
use crate::cl::info::Value;
use crate::cl::*;
use crate::core::command::Command;
use crate::core::context::svm::Allocation;
use crate::core::context::usm::{Owner, UsmRequest};
use crate::core::context::Context;
use crate::core::device::Device;
use crate::core::program::kernel::Kernel;
use crate::core::queue::users;
use crate::dispatch::boundary::entry;
use crate::object::Ref;
use std::ffi::c_void;
use std::sync::Arc;

const PLACEMENTS: cl_mem_alloc_flags_intel =
    CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL | CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL;

/// Returns the flags in a list of properties. They are hints, and only kept. CL_INVALID_PROPERTY for other properties
/// and for flags that do not suit the owner.
///
/// # Safety
/// `properties` is NULL or a list that ends with 0.
unsafe fn flags(
    properties: *const cl_mem_properties_intel,
    owner: Owner,
) -> Result<cl_mem_alloc_flags_intel> {
    let name = cl_properties::from(CL_MEM_ALLOC_FLAGS_INTEL);
    let shape = |given| (given == name).then_some(Shape::One);
    // SAFETY: as the caller promises.
    let list = unsafe { property_list::read(properties, shape) }?;
    let flags = list.entries.first().map_or(0, |(_, values)| values[0]);
    let allowed = match owner {
        Owner::Shared(_) => CL_MEM_ALLOC_WRITE_COMBINED_INTEL | PLACEMENTS,
        Owner::Host | Owner::Device(_) => CL_MEM_ALLOC_WRITE_COMBINED_INTEL,
    };
    ensure!(flags & !allowed == 0, CL_INVALID_PROPERTY);
    ensure!(flags & PLACEMENTS != PLACEMENTS, CL_INVALID_PROPERTY);
    Ok(flags)
}

/// Allocates memory.
///
/// # Safety
/// `properties` is NULL or a list that ends with 0.
unsafe fn allocate(
    context: &Ref<Context>,
    owner: Owner,
    properties: *const cl_mem_properties_intel,
    size: usize,
    alignment: cl_uint,
) -> Result<*mut c_void> {
    // SAFETY: as the caller promises.
    let flags = unsafe { flags(properties, owner) };
    let request = UsmRequest { owner, flags, size, alignment: alignment as usize };
    Ok(context.svm.allocate_usm(context, request)? as *mut c_void)
}

/// Returns the position in a context of a device.
fn position(context: &Context, device: cl_device_id) -> Result<usize> {
    context.index_of(&Ref::<Device>::from_handle(device)?)
}

/// Answers a query about the allocation that an address lies in, if any; `None` for an unknown query.
fn info(context: &Context, address: usize, name: cl_mem_info_intel) -> Option<Value> {
    let found = context.svm.find_usm(address);
    let (allocation, usm) = (found.as_ref().map(|found| &found.0), found.as_ref().map(|f| f.1));
    Some(match name {
        CL_MEM_ALLOC_TYPE_INTEL => {
            Value::of(usm.map_or(CL_MEM_TYPE_UNKNOWN_INTEL, |usm| usm.owner.memory_type()))
        }
        CL_MEM_ALLOC_BASE_PTR_INTEL => {
            Value::of(allocation.map_or(0, |allocation| allocation.block.address))
        }
        CL_MEM_ALLOC_SIZE_INTEL => Value::of(allocation.map_or(0, |allocation| allocation.size)),
        CL_MEM_ALLOC_DEVICE_INTEL => {
            let device = usm.and_then(|usm| usm.owner.device());
            let handle = |device: usize| context.devices[device].handle();
            Value::of(device.map_or(std::ptr::null_mut(), handle))
        }
        CL_MEM_ALLOC_FLAGS_INTEL => Value::of(usm.map_or(0, |usm| usm.flags)),
        _ => return None,
    })
}

/// Removes the allocation at an address from its context. Returns it, and true if launches may have reached it without naming
/// it; `None` for NULL.
fn take(context: &Context, ptr: *mut c_void) -> Result<Option<(Arc<Allocation>, bool)>> {
    if ptr.is_null() {
        return Ok(None);
    }
    let (memory, usm) = context.svm.take_usm(context, ptr as usize)?;
    Ok(Some((memory, context.svm.is_reached_indirectly(usm.owner))))
}

entry! {
    /// clHostMemAllocINTEL.
    fn clHostMemAllocINTEL(
        context: cl_context,
        properties: *const cl_mem_properties_intel,
        size: usize,
        alignment: cl_uint,
    ) -> handle *mut c_void {
        let context = Ref::<Context>::from_handle(context)?;
        // SAFETY: the list is as the API requires.
        unsafe { allocate(&context, Owner::Host, properties, size, alignment) }
    }

    /// clDeviceMemAllocINTEL.
    fn clDeviceMemAllocINTEL(
        context: cl_context,
        device: cl_device_id,
        properties: *const cl_mem_properties_intel,
        size: usize,
        alignment: cl_uint,
    ) -> handle *mut c_void {
        let context = Ref::<Context>::from_handle(context)?;
        let owner = Owner::Device(position(&context, device)?);
        // SAFETY: the list is as the API requires.
        unsafe { allocate(&context, owner, properties, size, alignment) }
    }

    /// clSharedMemAllocINTEL.
    fn clSharedMemAllocINTEL(
        context: cl_context,
        device: cl_device_id,
        properties: *const cl_mem_properties_intel,
        size: usize,
        alignment: cl_uint,
    ) -> handle *mut c_void {
        let context = Ref::<Context>::from_handle(context)?;
        let device = if device.is_null() { None } else { Some(position(&context, device)?) };
        // SAFETY: the list is as the API requires.
        unsafe { allocate(&context, Owner::Shared(device), properties, size, alignment) }
    }

    /// clMemFreeINTEL. Does not wait: commands that were given to devices keep the memory.
    fn clMemFreeINTEL(context: cl_context, ptr: *mut c_void) -> status {
        let context = Ref::<Context>::from_handle(context)?;
        if let Some((memory, true)) = take(&context, ptr)? {
            users::keep_for_users(&context, &memory);
        }
        Ok(())
    }

    /// clMemBlockingFreeINTEL.
    fn clMemBlockingFreeINTEL(context: cl_context, ptr: *mut c_void) -> status {
        let context = Ref::<Context>::from_handle(context)?;
        match take(&context, ptr)? {
            Some((memory, unnamed)) => users::wait_for_users(&context, &memory, unnamed),
            None => Ok(()),
        }
    }

    /// clGetMemAllocInfoINTEL.
    fn clGetMemAllocInfoINTEL(
        context: cl_context,
        ptr: *const c_void,
        param_name: cl_mem_info_intel,
        param_value_size: usize,
        param_value: *mut c_void,
        param_value_size_ret: *mut usize,
    ) -> status {
        let context = Ref::<Context>::from_handle(context)?;
        let value = info(&context, ptr as usize, param_name);
        // SAFETY: the caller's places are as the API requires.
        unsafe { args::answer(value, param_value_size, param_value, param_value_size_ret) }
    }

    /// clSetKernelArgMemPointerINTEL.
    fn clSetKernelArgMemPointerINTEL(
        kernel: cl_kernel,
        arg_index: cl_uint,
        arg_value: *const c_void,
    ) -> status {
        let kernel = Ref::<Kernel>::from_handle(kernel)?;
        let value = pointer_arg(&kernel, arg_index, arg_value)?;
        kernel.arguments.lock().set_arg(arg_index, value);
        Ok(())
    }

    /// clEnqueueMemFillINTEL.
    fn clEnqueueMemFillINTEL(
        command_queue: cl_command_queue,
        dst_ptr: *mut c_void,
        pattern: *const c_void,
        pattern_size: usize,
        size: usize,
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event,
        event: *mut cl_event,
    ) -> status {
        // SAFETY: the pointers are as the API requires.
        unsafe {
            let mut target = Target::new(command_queue, num_events_in_wait_list, event_wait_list)?;
            let to = dst_ptr as usize;
            let command = fill_command(&mut target, to, pattern, pattern_size, size)?;
            target.enqueue(CL_COMMAND_MEMFILL_INTEL, command, false, event)
        }
    }

    /// clEnqueueMemcpyINTEL.
    fn clEnqueueMemcpyINTEL(
        command_queue: cl_command_queue,
        blocking: cl_bool,
        dst_ptr: *mut c_void,
        src_ptr: *const c_void,
        size: usize,
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event,
        event: *mut cl_event,
    ) -> status {
        // SAFETY: the list is as the API requires.
        let target =
            unsafe { Target::new(command_queue, num_events_in_wait_list, event_wait_list) };
        let (mut target, to, from) = (target?, dst_ptr as usize, src_ptr as usize);
        check_shared_copy(to, from, size)?;
        let command = match size {
            0 => Command::Marker,
            _ => copy_command(&mut target, from, to, size)?,
        };
        // SAFETY: the list is as the API requires.
        unsafe { target.enqueue(CL_COMMAND_MEMCPY_INTEL, command, blocking != CL_FALSE, event) }
    }

    /// clEnqueueMigrateMemINTEL. The bytes are where they are; the command is a marker.
    fn clEnqueueMigrateMemINTEL(
        command_queue: cl_command_queue,
        _ptr: *const c_void,
        _size: usize,
        flags: cl_mem_migration_flags,
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event,
        event: *mut cl_event,
    ) -> status {
        // SAFETY: the pointers are as the API requires.
        unsafe {
            let target = Target::new(command_queue, num_events_in_wait_list, event_wait_list)?;
            args::check_migration_flags(flags)?;
            target.enqueue(CL_COMMAND_MIGRATEMEM_INTEL, Command::Marker, false, event)
        }
    }

    /// clEnqueueMemAdviseINTEL. The extension defines no advice yet; the command is a marker.
    fn clEnqueueMemAdviseINTEL(
        command_queue: cl_command_queue,
        _ptr: *const c_void,
        _size: usize,
        advice: cl_mem_advice_intel,
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event,
        event: *mut cl_event,
    ) -> status {
        // SAFETY: the pointers are as the API requires.
        unsafe {
            let target = Target::new(command_queue, num_events_in_wait_list, event_wait_list)?;
            ensure!(advice == 0, CL_INVALID_VALUE);
            target.enqueue(CL_COMMAND_MEMADVISE_INTEL, Command::Marker, false, event)
        }
    }
}
