//! The types and constants of the offline compiler's C interface (docs/offline.md).

use super::types::{cl_bool, cl_uint, cl_ulong};
use std::ffi::c_char;

/// A compiled program, or the log of one that has errors.
pub struct _hekla_program {
    _private: [u8; 0],
}
pub type hekla_program = *mut _hekla_program;

/// The device that modules are for: with 64-, 16- and 8-bit integers and double, or with none of them.
pub const HEKLA_TARGET_GENERIC: u32 = 0;
pub const HEKLA_TARGET_MINIMAL: u32 = 1;

/// `hekla_argument.kind`.
pub const HEKLA_ARGUMENT_VALUE: u32 = 0;
pub const HEKLA_ARGUMENT_BUFFER: u32 = 1;
pub const HEKLA_ARGUMENT_LOCAL: u32 = 2;
pub const HEKLA_ARGUMENT_IMAGE: u32 = 3;
pub const HEKLA_ARGUMENT_SAMPLER: u32 = 4;
pub const HEKLA_ARGUMENT_PIPE: u32 = 5;
pub const HEKLA_ARGUMENT_QUEUE: u32 = 6;

/// `hekla_field.kind`.
pub const HEKLA_FIELD_GLOBAL_BASE: u32 = 0;
pub const HEKLA_FIELD_GROUP_BASE: u32 = 1;
pub const HEKLA_FIELD_GLOBAL_OFFSET: u32 = 2;
pub const HEKLA_FIELD_GLOBAL_SIZE: u32 = 3;
pub const HEKLA_FIELD_NUM_GROUPS: u32 = 4;
pub const HEKLA_FIELD_ENQUEUED_LOCAL_SIZE: u32 = 5;
pub const HEKLA_FIELD_WORK_DIM: u32 = 6;
pub const HEKLA_FIELD_DATA_ADDRESS: u32 = 7;
pub const HEKLA_FIELD_PRINTF_BUFFER: u32 = 8;
pub const HEKLA_FIELD_ORDER_WORD: u32 = 9;
pub const HEKLA_FIELD_BOUNDS: u32 = 10;
pub const HEKLA_FIELD_QUEUE_CONTEXT: u32 = 11;

/// The offset of an argument that the kernel does not read.
pub const HEKLA_NO_OFFSET: u32 = 0xFFFF_FFFF;

/// The value of a specialization constant of OpenCL SPIR-V.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct hekla_spec_value {
    pub id: cl_uint,
    pub bits: cl_ulong,
}

/// What a program is compiled with.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct hekla_compile_info {
    /// The size of this structure.
    pub struct_size: usize,
    /// One of `HEKLA_TARGET_`.
    pub target: cl_uint,
    /// Build options as clBuildProgram takes them; NULL for none.
    pub options: *const c_char,
    /// The file's name in the log; NULL for none.
    pub file_name: *const c_char,
    pub num_spec_values: usize,
    pub spec_values: *const hekla_spec_value,
}

/// An argument of a kernel.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct hekla_argument {
    pub name: *const c_char,
    pub type_name: *const c_char,
    /// One of `HEKLA_ARGUMENT_`.
    pub kind: cl_uint,
    /// One of `CL_KERNEL_ARG_ADDRESS_`.
    pub address: cl_uint,
    /// One of `CL_KERNEL_ARG_ACCESS_`.
    pub access: cl_uint,
    /// In the kernel-argument buffer; `HEKLA_NO_OFFSET` if the kernel does not read it.
    pub offset: cl_uint,
    /// Bytes there; 0 of a local argument.
    pub size: cl_uint,
    /// Of a local argument: its alignment, and the specialization constant of its offset.
    pub align: cl_uint,
    pub specialization: cl_uint,
    /// Of an image: `CL_MEM_OBJECT_IMAGE2D` or another, and if it is a depth image.
    pub image_type: cl_uint,
    pub depth: cl_bool,
    /// Of a pipe: bytes of a packet; 0 for any number.
    pub packet_size: cl_uint,
}

/// A part of the kernel-argument buffer that is no argument.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct hekla_field {
    /// One of `HEKLA_FIELD_`.
    pub kind: cl_uint,
    pub offset: cl_uint,
    pub size: cl_uint,
}

/// A kernel with its module of Vulkan SPIR-V, whose entry point is `main`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct hekla_kernel {
    pub name: *const c_char,
    pub attributes: *const c_char,
    pub num_words: usize,
    pub words: *const cl_uint,
    pub num_arguments: usize,
    pub arguments: *const hekla_argument,
    pub num_fields: usize,
    pub fields: *const hekla_field,
    /// Bytes of the kernel-argument buffer.
    pub argument_buffer_size: cl_uint,
    /// The push constants are that buffer; else they are its address.
    pub arguments_in_push_constants: cl_bool,
    /// Zeros if there is none.
    pub required_local_size: [cl_uint; 3],
    pub local_size_hint: [cl_uint; 3],
    /// Bytes of work-group memory of the kernel's own variables, and of an element of the block.
    pub local_static_size: cl_ulong,
    pub local_element_size: cl_uint,
    pub private_size: cl_ulong,
    pub registers: cl_uint,
    pub uses_barrier: cl_bool,
    pub local_size_visible: cl_bool,
    pub uses_images: cl_bool,
    /// 0, or the size of sub-groups that the pipeline must ask for.
    pub required_subgroup_size: cl_uint,
}

/// A program. All that it points to lives as long as the program.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct hekla_reflection {
    pub num_kernels: usize,
    pub kernels: *const hekla_kernel,
    /// Program-scope variables: bytes in all, how they begin, and the offsets of the 64-bit words to which the buffer's
    /// device address is added.
    pub data_size: cl_ulong,
    pub data_align: cl_uint,
    pub num_data_bytes: usize,
    pub data_bytes: *const u8,
    pub num_relocations: usize,
    pub relocations: *const cl_uint,
    /// The global size must be a multiple of the local size.
    pub uniform_groups: cl_bool,
    /// The SpecIds that all modules have.
    pub local_size_ids: [cl_uint; 3],
    pub has_global_offset_id: cl_uint,
    pub local_block_length_id: cl_uint,
    /// The bindings of descriptor set 0.
    pub sampled_images_binding: cl_uint,
    pub storage_images_binding: cl_uint,
    pub uniform_texel_buffers_binding: cl_uint,
    pub storage_texel_buffers_binding: cl_uint,
    pub samplers_binding: cl_uint,
}
