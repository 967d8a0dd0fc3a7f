//! What the properties of clCreateBufferWithProperties ask for.

use crate::cl::*;
use crate::core::device::Device;
use crate::object::Ref;
use hekla_vk_backend as vk;

/// Properties of a buffer.
#[derive(Default)]
pub struct BufferProperties {
    /// As given, with the terminating zero; empty when none were given (CL_MEM_PROPERTIES).
    pub list: Vec<cl_mem_properties>,
    /// The application asks for device addresses (CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT).
    pub device_address: bool,
    /// Kind and descriptor of memory that the buffer is to be made of.
    pub import: Option<(vk::MemoryHandles, i32)>,
    /// The devices to associate it with, by position in the context; `None`: all.
    pub devices: Option<Vec<usize>>,
}

/// Where a buffer's memory came from, if from elsewhere.
pub struct Import {
    /// The devices that may acquire and release it.
    pub devices: Vec<Ref<Device>>,
    /// Position in the context of the one that has it. Others of the context have copies.
    pub home: usize,
}
