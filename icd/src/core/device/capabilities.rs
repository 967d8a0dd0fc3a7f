//! Capabilities of the runtime itself, which every device offers.

use crate::cl::*;
use hekla_vk_backend as vk;

/// Returns CL_DEVICE_QUEUE_ON_HOST_PROPERTIES: without profiling where the queue family has no timestamps.
pub fn queue_properties(info: &vk::DeviceInfo) -> cl_command_queue_properties {
    let profiling = match info.limits.timestamp_valid_bits {
        0 => 0,
        _ => CL_QUEUE_PROFILING_ENABLE,
    };
    profiling | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE
}
/// CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE in bytes: room for some 100,000 blocks, since programs rarely check the result of
/// `enqueue_kernel`.
pub const ON_DEVICE_PREFERRED_SIZE: u32 = 16 << 20;
/// CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE in bytes.
pub const ON_DEVICE_MAX_SIZE: u32 = 64 << 20;
/// CL_DEVICE_MAX_ON_DEVICE_QUEUES: the number of queues has no limit of its own, but programs want some events for each queue,
/// and events are limited.
pub const MAX_ON_DEVICE_QUEUES: u32 = 16;
/// CL_DEVICE_MAX_ON_DEVICE_EVENTS: the most events of a launch of the application together with all launches that it leads to.
pub const MAX_ON_DEVICE_EVENTS: u32 = 8192;
/// CL_DEVICE_MAX_PIPE_ARGS: the least that the specification allows; only the number of all arguments limits pipes.
pub const MAX_PIPE_ARGS: u32 = 16;
/// CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS: there is no limit but the pipe's capacity.
pub const PIPE_MAX_ACTIVE_RESERVATIONS: u32 = 1024;
/// CL_DEVICE_PIPE_MAX_PACKET_SIZE in bytes.
pub const PIPE_MAX_PACKET_SIZE: u32 = 1024;
/// CL_DEVICE_PRINTF_BUFFER_SIZE in bytes: the size of printf buffers unless the context's properties give another.
pub const PRINTF_BUFFER_SIZE: usize = 1 << 20;
/// CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR, without the capability of kernels that enqueue others.
pub const COMMAND_BUFFER_CAPABILITIES: cl_bitfield = CL_COMMAND_BUFFER_CAPABILITY_KERNEL_PRINTF_KHR
    | CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR;
/// CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR: any queue takes a command buffer.
pub const COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES: cl_command_queue_properties = 0;
/// CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR: every property of a kernel command may change.
pub const MUTABLE_DISPATCH_CAPABILITIES: cl_mutable_dispatch_fields_khr =
    CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR
        | CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR
        | CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR
        | CL_MUTABLE_DISPATCH_ARGUMENTS_KHR
        | CL_MUTABLE_DISPATCH_EXEC_INFO_KHR;
