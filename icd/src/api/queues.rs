//! Command queues (spec 5.1), flush and finish (5.15).

use super::args;
use crate::cl::error::{ensure, fail, Result};
use crate::cl::info::Value;
use crate::cl::*;
use crate::core::context::Context;
use crate::core::device::capabilities::{
    queue_properties, ON_DEVICE_MAX_SIZE, ON_DEVICE_PREFERRED_SIZE,
};
use crate::core::device::language::on_device_properties;
use crate::core::device::Device;
use crate::core::queue::on_device::default_on_device;
use crate::core::queue::{Properties, Queue};
use crate::dispatch::boundary::entry;
use crate::object::Ref;
use hekla_vk_backend as vk;
use std::ffi::c_void;

/// Queue properties that exist.
const KNOWN: cl_command_queue_properties = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE
    | CL_QUEUE_PROFILING_ENABLE
    | CL_QUEUE_ON_DEVICE
    | CL_QUEUE_ON_DEVICE_DEFAULT;

/// CL_INVALID_VALUE for bits that do not exist, CL_INVALID_QUEUE_PROPERTIES for those not offered.
fn check(device: &Device, properties: cl_command_queue_properties) -> Result<()> {
    ensure!(properties & !KNOWN == 0, CL_INVALID_VALUE);
    // A device queue is an out-of-order queue (5.1).
    let on_device = properties & CL_QUEUE_ON_DEVICE != 0;
    let out_of_order = properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE != 0;
    ensure!(!on_device || out_of_order, CL_INVALID_VALUE);
    ensure!(on_device || properties & CL_QUEUE_ON_DEVICE_DEFAULT == 0, CL_INVALID_VALUE);
    let offered = match on_device {
        true => on_device_properties(device),
        false => queue_properties(device.info()),
    };
    ensure!(properties & !offered == 0, CL_INVALID_QUEUE_PROPERTIES);
    Ok(())
}

fn create(
    context: cl_context,
    device: cl_device_id,
    properties: Properties,
) -> Result<cl_command_queue> {
    let context = Ref::<Context>::from_handle(context)?;
    let device = Ref::<Device>::from_handle(device)?;
    context.index_of(&device)?;
    check(&device, properties.bits)?;
    ensure!(properties.on_device_size <= ON_DEVICE_MAX_SIZE, CL_INVALID_QUEUE_PROPERTIES);
    if properties.bits & CL_QUEUE_ON_DEVICE_DEFAULT != 0 {
        // Each device has only one default device queue (5.1), so the existing one is returned.
        if let Some(default) = default_on_device(&context, context.index_of(&device)?) {
            return Ok(default.expose());
        }
    }
    Ok(Queue::new(context, device, properties)?.expose())
}

/// Returns the priority for a queue with this hint and these property bits.
fn priority(hint: cl_queue_properties, bits: cl_command_queue_properties) -> Result<vk::Priority> {
    let priority = match u32::try_from(hint) {
        Ok(CL_QUEUE_PRIORITY_LOW_KHR) => vk::Priority::Low,
        Ok(CL_QUEUE_PRIORITY_MED_KHR) => vk::Priority::Medium,
        Ok(CL_QUEUE_PRIORITY_HIGH_KHR) => vk::Priority::High,
        _ => return fail(CL_INVALID_VALUE),
    };
    ensure!(bits & CL_QUEUE_ON_DEVICE == 0, CL_INVALID_QUEUE_PROPERTIES);
    Ok(priority)
}

/// Checks a hint about energy, which has no effect because Vulkan has nothing like it.
fn check_throttle(hint: cl_queue_properties, bits: cl_command_queue_properties) -> Result<()> {
    let all = [CL_QUEUE_THROTTLE_LOW_KHR, CL_QUEUE_THROTTLE_MED_KHR, CL_QUEUE_THROTTLE_HIGH_KHR];
    ensure!(all.iter().any(|known| u64::from(*known) == hint), CL_INVALID_VALUE);
    ensure!(bits & CL_QUEUE_ON_DEVICE == 0, CL_INVALID_QUEUE_PROPERTIES);
    Ok(())
}

/// Returns the queue properties of a list, which includes its terminating zero.
fn read_list(list: &[cl_queue_properties]) -> Result<Properties> {
    let pairs = || list.chunks_exact(2).map(|pair| (pair[0], pair[1]));
    let is = |name: u64, constant: u32| name == u64::from(constant);
    let bits = pairs().rfind(|(name, _)| is(*name, CL_QUEUE_PROPERTIES));
    let bits = bits.map_or(0, |(_, bits)| bits);
    let on_device_size = ON_DEVICE_PREFERRED_SIZE;
    let mut properties = Properties { bits, on_device_size, ..Properties::default() };
    for (name, value) in pairs() {
        if is(name, CL_QUEUE_PRIORITY_KHR) {
            properties.priority = priority(value, bits)?;
        } else if is(name, CL_QUEUE_THROTTLE_KHR) {
            check_throttle(value, bits)?;
        } else if is(name, CL_QUEUE_SIZE) {
            // Only device queues have a size.
            ensure!(bits & CL_QUEUE_ON_DEVICE != 0, CL_INVALID_VALUE);
            properties.on_device_size = u32::try_from(value).unwrap_or(u32::MAX);
        } else {
            ensure!(is(name, CL_QUEUE_PROPERTIES), CL_INVALID_VALUE);
        }
    }
    Ok(properties)
}

entry! {
    /// clCreateCommandQueueWithProperties.
    fn clCreateCommandQueueWithProperties(
        context: cl_context,
        device: cl_device_id,
        properties: *const cl_queue_properties,
    ) -> handle cl_command_queue {
        Ref::<Context>::from_handle(context)?;
        Ref::<Device>::from_handle(device)?;
        // SAFETY: the list is as the API requires.
        let list = unsafe { args::property_list(properties, 2) };
        let wanted = read_list(&list)?;
        let list = (!properties.is_null()).then_some(list);
        create(context, device, Properties { list, ..wanted })
    }

    /// clCreateCommandQueue.
    fn clCreateCommandQueue(
        context: cl_context,
        device: cl_device_id,
        properties: cl_command_queue_properties,
    ) -> handle cl_command_queue {
        Ref::<Context>::from_handle(context)?;
        Ref::<Device>::from_handle(device)?;
        // clCreateCommandQueue does not make device queues.
        let of_device = CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT;
        ensure!(properties & of_device == 0, CL_INVALID_VALUE);
        create(context, device, Properties { bits: properties, ..Properties::default() })
    }

    /// clSetDefaultDeviceCommandQueue. CL_INVALID_OPERATION where there are no queues on the device.
    fn clSetDefaultDeviceCommandQueue(
        context: cl_context,
        device: cl_device_id,
        command_queue: cl_command_queue,
    ) -> status {
        let context = Ref::<Context>::from_handle(context)?;
        let device = Ref::<Device>::from_handle(device)?;
        context.index_of(&device)?;
        ensure!(on_device_properties(&device) != 0, CL_INVALID_OPERATION);
        let queue = args::any_queue(command_queue)?;
        let is_of_device = queue.is_on_device() && queue.device == device;
        ensure!(is_of_device && queue.context == context, CL_INVALID_COMMAND_QUEUE);
        queue.make_default_on_device();
        Ok(())
    }

    /// clRetainCommandQueue.
    fn clRetainCommandQueue(command_queue: cl_command_queue) -> status {
        Ref::<Queue>::retain(command_queue)
    }

    /// clReleaseCommandQueue: also flushes.
    fn clReleaseCommandQueue(command_queue: cl_command_queue) -> status {
        let queue = args::any_queue(command_queue)?;
        if let Err(error) = queue.flush() {
            tracing::warn!("flushing a released queue: {error}");
        }
        Ref::<Queue>::release(command_queue)
    }

    /// clGetCommandQueueInfo.
    fn clGetCommandQueueInfo(
        command_queue: cl_command_queue,
        param_name: cl_command_queue_info,
        param_value_size: usize,
        param_value: *mut c_void,
        param_value_size_ret: *mut usize,
    ) -> status {
        let queue = args::any_queue(command_queue)?;
        let value = match param_name {
            CL_QUEUE_CONTEXT => Value::of(queue.context.handle()),
            CL_QUEUE_DEVICE => Value::of(queue.device.handle()),
            CL_QUEUE_REFERENCE_COUNT => Value::of(queue.reference_count()),
            CL_QUEUE_PROPERTIES => Value::of(queue.properties.bits),
            CL_QUEUE_PROPERTIES_ARRAY => {
                Value::list(queue.properties.list.as_deref().unwrap_or_default())
            }
            CL_QUEUE_DEVICE_DEFAULT => {
                let default = default_on_device(&queue.context, queue.device_index);
                Value::of(default.map_or(std::ptr::null_mut(), |default| default.handle()))
            }
            CL_QUEUE_SIZE if queue.is_on_device() => Value::of(queue.on_device_size()),
            // CL_QUEUE_SIZE is for device queues only.
            CL_QUEUE_SIZE => return fail(CL_INVALID_COMMAND_QUEUE),
            _ => return fail(CL_INVALID_VALUE),
        };
        // SAFETY: the caller's places are as the API requires.
        unsafe { args::answer(Some(value), param_value_size, param_value, param_value_size_ret) }
    }

    /// clSetCommandQueueProperty: gone since OpenCL 1.1.
    fn clSetCommandQueueProperty(
        command_queue: cl_command_queue,
        _properties: cl_command_queue_properties,
        _enable: cl_bool,
        _old_properties: *mut cl_command_queue_properties,
    ) -> status {
        args::queue(command_queue)?;
        fail(CL_INVALID_OPERATION)
    }

    /// clFlush.
    fn clFlush(command_queue: cl_command_queue) -> status {
        args::queue(command_queue)?.flush()
    }

    /// clFinish.
    fn clFinish(command_queue: cl_command_queue) -> status {
        args::queue(command_queue)?.finish()
    }
}
