//! Shared virtual memory (spec 5.6): optional, and not offered yet (CL_DEVICE_SVM_CAPABILITIES is 0).

use super::args;
use super::cl::*;
use crate::core::error::{fail, Result};
use crate::dispatch::boundary::entry;
use std::ffi::c_void;

/// CL_INVALID_OPERATION, after the queue has been checked.
fn no_svm(queue: cl_command_queue) -> Result<()> {
    args::queue(queue)?;
    fail(CL_INVALID_OPERATION)
}

entry! {
    /// clSVMAlloc: NULL.
    fn clSVMAlloc(
        _context: cl_context,
        _flags: cl_svm_mem_flags,
        _size: usize,
        _alignment: cl_uint,
    ) -> value *mut c_void, or std::ptr::null_mut(); {
        fail(CL_INVALID_OPERATION)
    }

    /// clSVMFree: no pointer was allocated.
    fn clSVMFree(_context: cl_context, _svm_pointer: *mut c_void) -> value (), or (); {
        Ok(())
    }

    /// clEnqueueSVMFree.
    fn clEnqueueSVMFree(
        command_queue: cl_command_queue,
        _num_svm_pointers: cl_uint,
        _svm_pointers: *mut *mut c_void,
        _pfn_free_func: SvmFreeNotify,
        _user_data: *mut c_void,
        _num_events_in_wait_list: cl_uint,
        _event_wait_list: *const cl_event,
        _event: *mut cl_event,
    ) -> status {
        no_svm(command_queue)
    }

    /// clEnqueueSVMMemcpy.
    fn clEnqueueSVMMemcpy(
        command_queue: cl_command_queue,
        _blocking_copy: cl_bool,
        _dst_ptr: *mut c_void,
        _src_ptr: *const c_void,
        _size: usize,
        _num_events_in_wait_list: cl_uint,
        _event_wait_list: *const cl_event,
        _event: *mut cl_event,
    ) -> status {
        no_svm(command_queue)
    }

    /// clEnqueueSVMMemFill.
    fn clEnqueueSVMMemFill(
        command_queue: cl_command_queue,
        _svm_ptr: *mut c_void,
        _pattern: *const c_void,
        _pattern_size: usize,
        _size: usize,
        _num_events_in_wait_list: cl_uint,
        _event_wait_list: *const cl_event,
        _event: *mut cl_event,
    ) -> status {
        no_svm(command_queue)
    }

    /// clEnqueueSVMMap.
    fn clEnqueueSVMMap(
        command_queue: cl_command_queue,
        _blocking_map: cl_bool,
        _flags: cl_map_flags,
        _svm_ptr: *mut c_void,
        _size: usize,
        _num_events_in_wait_list: cl_uint,
        _event_wait_list: *const cl_event,
        _event: *mut cl_event,
    ) -> status {
        no_svm(command_queue)
    }

    /// clEnqueueSVMUnmap.
    fn clEnqueueSVMUnmap(
        command_queue: cl_command_queue,
        _svm_ptr: *mut c_void,
        _num_events_in_wait_list: cl_uint,
        _event_wait_list: *const cl_event,
        _event: *mut cl_event,
    ) -> status {
        no_svm(command_queue)
    }

    /// clEnqueueSVMMigrateMem.
    fn clEnqueueSVMMigrateMem(
        command_queue: cl_command_queue,
        _num_svm_pointers: cl_uint,
        _svm_pointers: *const *const c_void,
        _sizes: *const usize,
        _flags: cl_mem_migration_flags,
        _num_events_in_wait_list: cl_uint,
        _event_wait_list: *const cl_event,
        _event: *mut cl_event,
    ) -> status {
        no_svm(command_queue)
    }
}
