//! The answers of clGetDeviceInfo that say what the compiler offers: optional features that have queries of their own.

use super::capabilities;
use super::info::compiled_for;
use super::Device;
use crate::cl::info::Value;
use crate::cl::*;
use hekla_compiler::Target;
use hekla_vk_backend as vk;

/// Answers a query; `None` for other names.
pub fn query(info: &vk::DeviceInfo, target: &Target, name: cl_device_info) -> Option<Value> {
    feature(target, name)
        .or_else(|| pipes(target, name))
        .or_else(|| on_device_queues(info, target, name))
        .or_else(|| dot_products(info, name))
        .or_else(|| float_atomics(target, name))
}

/// Returns true if kernels may have pipes.
pub fn has_pipes(target: &Target) -> bool {
    target.features().contains(&"__opencl_c_pipes")
}

fn feature(target: &Target, name: cl_device_info) -> Option<Value> {
    let feature = match name {
        CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT => "__opencl_c_generic_address_space",
        CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT => {
            "__opencl_c_work_group_collective_functions"
        }
        CL_DEVICE_PIPE_SUPPORT => "__opencl_c_pipes",
        CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR => {
            return Some(Value::of(clock_capabilities(target)));
        }
        _ => return None,
    };
    Some(Value::bool(target.features().contains(&feature)))
}

/// Returns CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES; 0 where kernels enqueue nothing.
pub fn on_device_properties(device: &Device) -> cl_command_queue_properties {
    properties_of_queues(device.info(), &compiled_for(device))
}

fn properties_of_queues(info: &vk::DeviceInfo, target: &Target) -> cl_command_queue_properties {
    match target.features().contains(&"__opencl_c_device_enqueue") {
        true => {
            capabilities::queue_properties(info) | CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT
        }
        false => 0,
    }
}

fn on_device_queues(info: &vk::DeviceInfo, target: &Target, name: cl_device_info) -> Option<Value> {
    let properties = properties_of_queues(info, target);
    let of_queues = CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT;
    let limit = match name {
        CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES => return Some(Value::of(properties & !of_queues)),
        CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES if properties == 0 => return Some(Value::of(0u64)),
        CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES => {
            let both = CL_DEVICE_QUEUE_SUPPORTED | CL_DEVICE_QUEUE_REPLACEABLE_DEFAULT;
            return Some(Value::of(both));
        }
        CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE => capabilities::ON_DEVICE_PREFERRED_SIZE,
        CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE => capabilities::ON_DEVICE_MAX_SIZE,
        CL_DEVICE_MAX_ON_DEVICE_QUEUES => capabilities::MAX_ON_DEVICE_QUEUES,
        CL_DEVICE_MAX_ON_DEVICE_EVENTS => capabilities::MAX_ON_DEVICE_EVENTS,
        _ => return None,
    };
    Some(Value::of(if properties == 0 { 0 } else { limit }))
}

fn pipes(target: &Target, name: cl_device_info) -> Option<Value> {
    let limit = match name {
        CL_DEVICE_MAX_PIPE_ARGS => capabilities::MAX_PIPE_ARGS,
        CL_DEVICE_PIPE_MAX_PACKET_SIZE => capabilities::PIPE_MAX_PACKET_SIZE,
        CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS => capabilities::PIPE_MAX_ACTIVE_RESERVATIONS,
        _ => return None,
    };
    Some(Value::of(if has_pipes(target) { limit } else { 0 }))
}

/// Answers queries about dot products of integers. Vectors of four 8-bit numbers are computed as packed ones.
// One name of the specification has a lower-case x.
#[allow(non_upper_case_globals)]
fn dot_products(info: &vk::DeviceInfo, name: cl_device_info) -> Option<Value> {
    use vk::DotProducts as D;
    Some(match name {
        CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES => Value::of(
            CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_PACKED
                | CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT,
        ),
        // The order is the one of cl_device_integer_dot_product_acceleration_properties.
        CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_8BIT
        | CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_4x8BIT_PACKED => {
            let kinds = [
                D::SIGNED,
                D::UNSIGNED,
                D::MIXED,
                D::SATURATING_SIGNED,
                D::SATURATING_UNSIGNED,
                D::SATURATING_MIXED,
            ];
            let accelerated = info.features.accelerated_dot_products;
            Value::list(&kinds.map(|kind| cl_bool::from(accelerated.contains(kind))))
        }
        _ => return None,
    })
}

/// All bits of cl_device_fp_atomic_capabilities_ext.
const ALL_FP_ATOMICS: cl_bitfield = CL_DEVICE_GLOBAL_FP_ATOMIC_LOAD_STORE_EXT
    | CL_DEVICE_GLOBAL_FP_ATOMIC_ADD_EXT
    | CL_DEVICE_GLOBAL_FP_ATOMIC_MIN_MAX_EXT
    | CL_DEVICE_LOCAL_FP_ATOMIC_LOAD_STORE_EXT
    | CL_DEVICE_LOCAL_FP_ATOMIC_ADD_EXT
    | CL_DEVICE_LOCAL_FP_ATOMIC_MIN_MAX_EXT;

/// Answers queries about atomic operations on floats. For each type, all operations are offered or none.
fn float_atomics(target: &Target, name: cl_device_info) -> Option<Value> {
    let offered = match name {
        CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT => true,
        CL_DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES_EXT => target.atomic_double(),
        CL_DEVICE_HALF_FP_ATOMIC_CAPABILITIES_EXT => target.half_arithmetic(),
        _ => return None,
    };
    Some(Value::of(if offered { ALL_FP_ATOMICS } else { 0 }))
}

/// Returns the scopes of clocks, from the compiler's features.
fn clock_capabilities(target: &Target) -> cl_bitfield {
    let features = target.features();
    let scopes = [
        ("__opencl_c_kernel_clock_scope_device", CL_DEVICE_KERNEL_CLOCK_SCOPE_DEVICE_KHR),
        ("__opencl_c_kernel_clock_scope_work_group", CL_DEVICE_KERNEL_CLOCK_SCOPE_WORK_GROUP_KHR),
        ("__opencl_c_kernel_clock_scope_sub_group", CL_DEVICE_KERNEL_CLOCK_SCOPE_SUB_GROUP_KHR),
    ];
    let offered = scopes.into_iter().filter(|(feature, _)| features.contains(feature));
    offered.fold(0, |all, (_, scope)| all | scope)
}
