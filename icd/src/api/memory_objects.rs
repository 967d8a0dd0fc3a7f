//! Functions for all memory objects (spec 5.5): reference counts, destructors, migration, queries.

use super::args;
use super::enqueue::enqueue;
use crate::cl::error::{ensure, ClError, Result};
use crate::cl::info::Value;
use crate::cl::*;
use crate::core::command::{Command, Migration};
use crate::core::memory::object::MemObject;
use crate::dispatch::boundary::entry;
use crate::object::callbacks::UserData;
use std::ffi::c_void;

entry! {
    /// clRetainMemObject.
    fn clRetainMemObject(memobj: cl_mem) -> status {
        MemObject::retain(memobj)
    }

    /// clReleaseMemObject.
    fn clReleaseMemObject(memobj: cl_mem) -> status {
        MemObject::release(memobj)
    }

    /// clSetMemObjectDestructorCallback.
    fn clSetMemObjectDestructorCallback(
        memobj: cl_mem,
        pfn_notify: MemDestructor,
        user_data: *mut c_void,
    ) -> status {
        let mem = MemObject::from_handle(memobj)?;
        ensure!(pfn_notify.is_some(), CL_INVALID_VALUE);
        mem.add_destructor(pfn_notify, UserData(user_data));
        Ok(())
    }

    /// clGetMemObjectInfo.
    fn clGetMemObjectInfo(
        memobj: cl_mem,
        param_name: cl_mem_info,
        param_value_size: usize,
        param_value: *mut c_void,
        param_value_size_ret: *mut usize,
    ) -> status {
        let mem = MemObject::from_handle(memobj)?;
        let null = std::ptr::null_mut::<_cl_mem>();
        let buffer = mem.buffer();
        let svm = buffer.and_then(|buffer| buffer.svm);
        let value = match param_name {
            CL_MEM_TYPE => Some(Value::of(mem.object_type())),
            CL_MEM_FLAGS => Some(Value::of(mem.flags)),
            CL_MEM_SIZE => Some(Value::of(mem.size)),
            CL_MEM_HOST_PTR => Some(Value::of(mem.host_ptr.or(svm).map_or(0, |host| host.0))),
            CL_MEM_MAP_COUNT => Some(Value::of(mem.map_count())),
            CL_MEM_REFERENCE_COUNT => Some(Value::of(mem.reference_count())),
            CL_MEM_CONTEXT => Some(Value::of(mem.context.handle())),
            CL_MEM_ASSOCIATED_MEMOBJECT => {
                Some(Value::of(mem.parent().map_or(null, |parent| parent.handle())))
            }
            CL_MEM_OFFSET => {
                Some(Value::of(buffer.map_or(0, |buffer| buffer.offset_in_parent())))
            }
            CL_MEM_USES_SVM_POINTER => {
                Some(Value::bool(buffer.is_some_and(|buffer| buffer.is_svm())))
            }
            CL_MEM_PROPERTIES => Some(Value::list(&mem.properties)),
            CL_MEM_DEVICE_ADDRESS_EXT => {
                let buffer = buffer.filter(|buffer| !buffer.device_addresses.is_empty());
                let buffer = buffer.ok_or(ClError(CL_INVALID_OPERATION))?;
                Some(Value::list(&buffer.device_addresses))
            }
            _ => None,
        };
        // SAFETY: the caller's places are as the API requires.
        unsafe { args::answer(value, param_value_size, param_value, param_value_size_ret) }
    }

    /// clEnqueueMigrateMemObjects.
    fn clEnqueueMigrateMemObjects(
        command_queue: cl_command_queue,
        num_mem_objects: cl_uint,
        mem_objects: *const cl_mem,
        flags: cl_mem_migration_flags,
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event,
        event: *mut cl_event,
    ) -> status {
        let queue = args::queue(command_queue)?;
        ensure!(num_mem_objects > 0 && !mem_objects.is_null(), CL_INVALID_VALUE);
        // SAFETY: the arrays are as the API requires.
        let (handles, waits) = unsafe {
            (
                args::slice(mem_objects, num_mem_objects as usize),
                args::wait_list(&queue.context, num_events_in_wait_list, event_wait_list),
            )
        };
        let mems = handles.iter().map(|handle| MemObject::from_handle(*handle));
        let mems = mems.collect::<Result<Vec<_>>>()?;
        let waits = waits?;
        ensure!(mems.iter().all(|mem| mem.context == queue.context), CL_INVALID_CONTEXT);
        args::check_migration_flags(flags)?;
        let migrate = CL_COMMAND_MIGRATE_MEM_OBJECTS;
        let undefined = flags & CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED != 0;
        let migration = match (flags & CL_MIGRATE_MEM_OBJECT_HOST != 0, undefined) {
            (false, false) => Migration::ToDevice,
            (false, true) => Migration::ToDeviceUndefined,
            (true, false) => Migration::ToHost,
            (true, true) => Migration::ToHostUndefined,
        };
        let command = Command::Migrate { mems, migration };
        // SAFETY: the place is as the API requires.
        unsafe { enqueue(&queue, migrate, command, waits, false, event) }
    }
}
