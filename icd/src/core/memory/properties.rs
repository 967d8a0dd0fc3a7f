//! The properties of clCreateBufferWithProperties and clCreateImageWithProperties.

use crate::cl::*;
use crate::core::device::Device;
use crate::object::Ref;
use hekla_vk_backend as vk;

/// Properties of a buffer or an image.
#[derive(Default)]
pub struct MemoryProperties {
    /// The list as the application gave it, with the terminating zero; empty when none were given
    /// (CL_MEM_PROPERTIES).
    pub list: Vec<cl_mem_properties>,
    /// True if the application requests device addresses (CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT).
    pub device_address: bool,
    /// The kind of handle and the descriptor of the memory to import.
    pub import: Option<(vk::MemoryHandles, i32)>,
    /// The place of an image's texels in the imported memory.
    pub place: TexelPlace,
    /// The API that the memory belongs to.
    pub origin: Origin,
    /// The devices that may use the imported memory, by position in the context; `None`: all.
    pub devices: Option<Vec<usize>>,
}

/// The place of an image's texels in imported memory.
#[derive(Debug, Clone, Copy, Default)]
pub struct TexelPlace {
    /// Bytes from the beginning of the memory to the first row.
    pub offset: u64,
    /// The order of the texels (DRM format modifier); 0 if they lie in rows.
    pub modifier: u64,
}

/// The API that the memory comes from. It decides which functions acquire and release the memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Origin {
    /// Memory of any API, by a handle (cl_khr_external_memory).
    #[default]
    Handle,
    /// EGL (cl_khr_egl_image).
    Egl,
    /// OpenGL (cl_khr_gl_sharing).
    Gl,
}

/// The origin of imported memory.
#[derive(Clone)]
pub struct Import {
    pub origin: Origin,
    /// The devices that may acquire and release the memory.
    pub devices: Vec<Ref<Device>>,
    /// Position in the context of the device that has the memory. The other devices have copies.
    pub home: usize,
}
