//! Semaphores (cl_khr_semaphore), and sharing them with other APIs (cl_khr_external_semaphore).

use super::args;
use super::property_list::{self, Shape};
use crate::cl::error::{ensure, fail, ClError, Result};
use crate::cl::info::Value;
use crate::cl::*;
use crate::core::command::semaphore::{Operation, Semaphore, SemaphoreProperties};
use crate::core::context::Context;
use crate::core::device::external::{self, semaphore_handle};
use crate::core::device::Device;
use crate::core::queue::event::Phase;
use crate::dispatch::boundary::entry;
use crate::object::Ref;
use std::ffi::c_void;

/// Returns the shape of the value of a semaphore's property; `None` for an unknown name.
fn shape(name: u64) -> Option<Shape> {
    const TYPE: u64 = CL_SEMAPHORE_TYPE_KHR as u64;
    const DEVICES: u64 = CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR as u64;
    const EXPORTS: u64 = CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR as u64;
    match name {
        TYPE => Some(Shape::One),
        DEVICES | EXPORTS => Some(Shape::List),
        _ => semaphore_handle(name).map(|_| Shape::One),
    }
}

/// Reads and checks the properties of a semaphore, in the order of the list of errors.
///
/// # Safety
/// `pointer` is NULL or the start of a property list.
unsafe fn properties(
    context: &Ref<Context>,
    pointer: *const cl_semaphore_properties_khr,
) -> Result<SemaphoreProperties> {
    ensure!(!pointer.is_null(), CL_INVALID_VALUE);
    // SAFETY: as the caller promises.
    let list = unsafe { property_list::read(pointer, shape) }?;
    let mut all = SemaphoreProperties { list: list.flat, ..Default::default() };
    let (mut typed, mut exporting) = (false, false);
    for (name, values) in list.entries {
        match (name as u32, &values[..]) {
            (CL_SEMAPHORE_TYPE_KHR, values) => {
                let binary = [u64::from(CL_SEMAPHORE_TYPE_BINARY_KHR)];
                ensure!(*values == binary, CL_INVALID_PROPERTY);
                typed = true;
            }
            (CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR, &[device]) => {
                let device = Ref::<Device>::from_handle(device as cl_device_id)?;
                context.index_of(&device)?;
                all.devices = Some(vec![device]);
            }
            (CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR, _) => return fail(CL_INVALID_DEVICE),
            (CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR, names) => {
                exporting = true;
                all.take_exports(names)?;
            }
            (_, values) => {
                ensure!(all.import.is_none(), CL_INVALID_PROPERTY);
                let kind = semaphore_handle(name).ok_or(ClError(CL_INVALID_PROPERTY))?;
                all.import = values.first().map(|fd| (kind, *fd as i32));
            }
        }
    }
    ensure!(typed, CL_INVALID_VALUE);
    ensure!(!(exporting && all.import.is_some()), CL_INVALID_OPERATION);
    ensure!(all.devices.is_some() || context.devices.len() == 1, CL_INVALID_PROPERTY);
    Ok(all)
}

/// The arguments of clEnqueue{Wait,Signal}SemaphoresKHR.
struct Enqueue {
    operation: Operation,
    queue: cl_command_queue,
    semaphores: (cl_uint, *const cl_semaphore_khr),
    waits: (cl_uint, *const cl_event),
    event: *mut cl_event,
}

impl Enqueue {
    /// # Safety
    /// The pointers are as the API requires.
    unsafe fn run(self) -> Result<()> {
        let queue = args::queue(self.queue)?;
        let (count, list) = self.semaphores;
        ensure!(count > 0 && !list.is_null(), CL_INVALID_VALUE);
        // SAFETY: as the caller promises.
        let semaphores = unsafe { args::objects::<Semaphore>(list, count) }?;
        ensure!(semaphores.iter().all(|s| s.context == queue.context), CL_INVALID_CONTEXT);
        let usable = |s: &Ref<Semaphore>| s.devices.contains(&queue.device);
        ensure!(semaphores.iter().all(usable), CL_INVALID_COMMAND_QUEUE);
        // SAFETY: as the caller promises.
        let waits = unsafe { args::wait_list(&queue.context, self.waits.0, self.waits.1) }?;
        let failed = waits
            .iter()
            .any(|event| matches!(event.phase(), Phase::Finished { status, .. } if status < 0));
        ensure!(!failed, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        let made = queue.operate(self.operation, &semaphores, waits)?;
        if !self.event.is_null() {
            // SAFETY: as the caller promises.
            unsafe { args::store_event(self.event, Some(made)) };
        }
        Ok(())
    }
}

entry! {
    /// clCreateSemaphoreWithPropertiesKHR.
    fn clCreateSemaphoreWithPropertiesKHR(
        context: cl_context,
        sema_props: *const cl_semaphore_properties_khr,
    ) -> handle cl_semaphore_khr {
        let context = Ref::<Context>::from_handle(context)?;
        // SAFETY: the list is as the API requires.
        let properties = unsafe { properties(&context, sema_props) }?;
        Ok(Semaphore::new(context, properties)?.expose())
    }

    /// clRetainSemaphoreKHR.
    fn clRetainSemaphoreKHR(sema_object: cl_semaphore_khr) -> status {
        Ref::<Semaphore>::retain(sema_object)
    }

    /// clReleaseSemaphoreKHR.
    fn clReleaseSemaphoreKHR(sema_object: cl_semaphore_khr) -> status {
        Ref::<Semaphore>::release(sema_object)
    }

    /// clEnqueueWaitSemaphoresKHR. Binary semaphores need no payload.
    fn clEnqueueWaitSemaphoresKHR(
        command_queue: cl_command_queue,
        num_sema_objects: cl_uint,
        sema_objects: *const cl_semaphore_khr,
        _sema_payload_list: *const cl_semaphore_payload_khr,
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event,
        event: *mut cl_event,
    ) -> status {
        let all = Enqueue {
            operation: Operation::Wait,
            queue: command_queue,
            semaphores: (num_sema_objects, sema_objects),
            waits: (num_events_in_wait_list, event_wait_list),
            event,
        };
        // SAFETY: the pointers are as the API requires.
        unsafe { all.run() }
    }

    /// clEnqueueSignalSemaphoresKHR. Binary semaphores need no payload.
    fn clEnqueueSignalSemaphoresKHR(
        command_queue: cl_command_queue,
        num_sema_objects: cl_uint,
        sema_objects: *const cl_semaphore_khr,
        _sema_payload_list: *const cl_semaphore_payload_khr,
        num_events_in_wait_list: cl_uint,
        event_wait_list: *const cl_event,
        event: *mut cl_event,
    ) -> status {
        let all = Enqueue {
            operation: Operation::Signal,
            queue: command_queue,
            semaphores: (num_sema_objects, sema_objects),
            waits: (num_events_in_wait_list, event_wait_list),
            event,
        };
        // SAFETY: the pointers are as the API requires.
        unsafe { all.run() }
    }

    /// clGetSemaphoreInfoKHR.
    fn clGetSemaphoreInfoKHR(
        sema_object: cl_semaphore_khr,
        param_name: cl_semaphore_info_khr,
        param_value_size: usize,
        param_value: *mut c_void,
        param_value_size_ret: *mut usize,
    ) -> status {
        let semaphore = Ref::<Semaphore>::from_handle(sema_object)?;
        let value = match param_name {
            CL_SEMAPHORE_CONTEXT_KHR => Some(Value::of(semaphore.context.handle())),
            CL_SEMAPHORE_REFERENCE_COUNT_KHR => Some(Value::of(semaphore.reference_count())),
            CL_SEMAPHORE_PROPERTIES_KHR => Some(Value::list(&semaphore.properties)),
            CL_SEMAPHORE_TYPE_KHR => Some(Value::of(CL_SEMAPHORE_TYPE_BINARY_KHR)),
            CL_SEMAPHORE_PAYLOAD_KHR => Some(Value::of(semaphore.payload()?)),
            CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR => {
                let handles: Vec<_> = semaphore.devices.iter().map(Ref::handle).collect();
                Some(Value::list(&handles))
            }
            CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR => {
                Some(Value::list(&external::semaphore_names(semaphore.exports)))
            }
            CL_SEMAPHORE_EXPORTABLE_KHR => Some(Value::bool(!semaphore.exports.is_empty())),
            _ => None,
        };
        // SAFETY: the caller's places are as the API requires.
        unsafe { args::answer(value, param_value_size, param_value, param_value_size_ret) }
    }

    /// clGetSemaphoreHandleForTypeKHR.
    fn clGetSemaphoreHandleForTypeKHR(
        sema_object: cl_semaphore_khr,
        device: cl_device_id,
        handle_type: cl_external_semaphore_handle_type_khr,
        handle_size: usize,
        handle_ptr: *mut c_void,
        handle_size_ret: *mut usize,
    ) -> status {
        let semaphore = Ref::<Semaphore>::from_handle(sema_object)?;
        let device = Ref::<Device>::from_handle(device)?;
        ensure!(semaphore.devices.contains(&device), CL_INVALID_DEVICE);
        let kind = semaphore_handle(handle_type.into()).ok_or(ClError(CL_INVALID_VALUE))?;
        ensure!(semaphore.exports.contains(kind), CL_INVALID_VALUE);
        if !handle_ptr.is_null() {
            ensure!(handle_size >= size_of::<i32>(), CL_INVALID_VALUE);
            let fd = semaphore.export(kind)?;
            // SAFETY: the place holds a descriptor.
            unsafe { handle_ptr.cast::<i32>().write_unaligned(fd) };
        }
        // SAFETY: the place is as the API requires.
        unsafe { args::store(handle_size_ret, size_of::<i32>()) };
        Ok(())
    }

    /// clReImportSemaphoreSyncFdKHR. There are no properties of re-imports.
    fn clReImportSemaphoreSyncFdKHR(
        sema_object: cl_semaphore_khr,
        reimport_props: *mut cl_semaphore_reimport_properties_khr,
        fd: i32,
    ) -> status {
        let semaphore = Ref::<Semaphore>::from_handle(sema_object)?;
        // SAFETY: the list is as the API requires.
        let empty = reimport_props.is_null() || unsafe { reimport_props.read() } == 0;
        ensure!(empty, CL_INVALID_VALUE);
        semaphore.reimport(fd)
    }
}
