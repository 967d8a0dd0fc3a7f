//! The types and constants of the offline compiler's C interface (docs/offline.md).
//!
//! `cargo xtask header` makes `include/hekla.h` of this file and of `api/offline.rs`, comments included; `cargo xtask
//! check` fails on an item without one.

use super::types::{cl_bool, cl_uint, cl_ulong};
use std::ffi::c_char;

/// A compiled program, or the log of one that has errors.
pub struct _hekla_program {
    _private: [u8; 0],
}

/// The handle of a program.
///
/// heklaCompile returns it, and its caller owns it until heklaReleaseProgram. Any thread may use it, several at once;
/// none may use it, or what it gave, during or after the call that releases it.
pub type hekla_program = *mut _hekla_program;

/// Compiles for a device that has 64-, 16- and 8-bit integers, storage of 8 and 16 bits, and double.
pub const HEKLA_TARGET_GENERIC: u32 = 0;
/// Compiles for a device that has 32-bit integers and float alone. A program that uses double has errors.
pub const HEKLA_TARGET_MINIMAL: u32 = 1;

/// An argument of a scalar, vector or structure type. The argument buffer holds its bytes.
pub const HEKLA_ARGUMENT_VALUE: u32 = 0;
/// A pointer to global or constant memory. The argument buffer holds a 64-bit device address.
pub const HEKLA_ARGUMENT_BUFFER: u32 = 1;
/// A pointer to local memory. The argument buffer holds nothing of it: a specialization constant is its byte offset in
/// the work-group's memory.
pub const HEKLA_ARGUMENT_LOCAL: u32 = 2;
/// An image. The argument buffer holds a 32-bit word: bits 0 to 15 are the number of its descriptor in the array of
/// descriptors, bits 16 to 20 the channel order less 0x10B0, bits 21 to 25 the channel data type less 0x10D0.
pub const HEKLA_ARGUMENT_IMAGE: u32 = 3;
/// A sampler. The argument buffer holds a 32-bit word: bit 0 is set for normalized coordinates, bits 1 to 3 are the
/// addressing mode (0 none, 1 clamp to edge, 2 clamp, 3 repeat, 4 mirrored repeat), bit 4 is set for a linear filter.
pub const HEKLA_ARGUMENT_SAMPLER: u32 = 4;
/// A pipe. The argument buffer holds the 64-bit device address of the pipe's buffer.
pub const HEKLA_ARGUMENT_PIPE: u32 = 5;
/// A queue_t. The argument buffer holds a 64-bit handle, which only the OpenCL driver makes.
pub const HEKLA_ARGUMENT_QUEUE: u32 = 6;

/// Three 64-bit numbers: the global id of the first work-item of the dispatch, global offset included.
pub const HEKLA_FIELD_GLOBAL_BASE: u32 = 0;
/// Three 64-bit numbers: the id of the first work-group of the dispatch.
pub const HEKLA_FIELD_GROUP_BASE: u32 = 1;
/// Three 64-bit numbers: the global offset of the launch, in work-items.
pub const HEKLA_FIELD_GLOBAL_OFFSET: u32 = 2;
/// Three 64-bit numbers: the global size of the launch, in work-items.
pub const HEKLA_FIELD_GLOBAL_SIZE: u32 = 3;
/// Three 64-bit numbers: the work-groups of the launch.
pub const HEKLA_FIELD_NUM_GROUPS: u32 = 4;
/// Three 32-bit numbers: the local size of the launch, in work-items.
pub const HEKLA_FIELD_ENQUEUED_LOCAL_SIZE: u32 = 5;
/// A 32-bit number: the dimensions of the launch, 1 to 3.
pub const HEKLA_FIELD_WORK_DIM: u32 = 6;
/// A 64-bit device address: of the buffer of program-scope variables.
pub const HEKLA_FIELD_DATA_ADDRESS: u32 = 7;
/// A 64-bit device address: of the buffer that printf writes to.
pub const HEKLA_FIELD_PRINTF_BUFFER: u32 = 8;
/// A 64-bit device address: of four bytes, which must be the same ones in all launches.
pub const HEKLA_FIELD_ORDER_WORD: u32 = 9;
/// Three 32-bit numbers: the work-items of the dispatch, beyond which work-items do nothing where the module is
/// specialized for it.
pub const HEKLA_FIELD_BOUNDS: u32 = 10;
/// A 64-bit device address: of what a kernel that enqueues kernels writes to. Only the OpenCL driver runs such kernels.
pub const HEKLA_FIELD_QUEUE_CONTEXT: u32 = 11;

/// The offset of an argument that is not in the argument buffer: the kernel does not read it, or it is a local one.
pub const HEKLA_NO_OFFSET: u32 = 0xFFFF_FFFF;

/// The value of a specialization constant of OpenCL SPIR-V.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct hekla_spec_value {
    /// The constant's SpecId. A constant that the module lacks is ignored.
    pub id: cl_uint,
    /// The value's bits, in the low ones of these 64.
    pub bits: cl_ulong,
}

/// What a program is compiled with. heklaCompile copies what it needs: nothing of it must live longer than the call.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct hekla_compile_info {
    /// The size of this structure in bytes.
    pub struct_size: usize,
    /// HEKLA_TARGET_GENERIC or HEKLA_TARGET_MINIMAL.
    pub target: cl_uint,
    /// Build options as clBuildProgram takes them, ended by a zero byte; NULL for none.
    pub options: *const c_char,
    /// The file's name in the log, ended by a zero byte; NULL for none.
    pub file_name: *const c_char,
    /// The number of values at spec_values.
    pub num_spec_values: usize,
    /// Values of specialization constants, for OpenCL SPIR-V alone; may be NULL if there are none.
    pub spec_values: *const hekla_spec_value,
}

/// An argument of a kernel.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct hekla_argument {
    /// The name, ended by a zero byte; empty for a module without names.
    pub name: *const c_char,
    /// The type as the program spells it, ended by a zero byte.
    pub type_name: *const c_char,
    /// What the argument is: one of HEKLA_ARGUMENT_VALUE to HEKLA_ARGUMENT_QUEUE.
    pub kind: cl_uint,
    /// The address space: one of CL_KERNEL_ARG_ADDRESS_GLOBAL to CL_KERNEL_ARG_ADDRESS_PRIVATE.
    pub address: cl_uint,
    /// How an image or pipe may be accessed: one of CL_KERNEL_ARG_ACCESS_READ_ONLY to CL_KERNEL_ARG_ACCESS_NONE.
    pub access: cl_uint,
    /// The byte offset in the argument buffer; HEKLA_NO_OFFSET if the argument is not there.
    pub offset: cl_uint,
    /// Bytes in the argument buffer; 0 for a local argument.
    pub size: cl_uint,
    /// For a local argument: its alignment in bytes, a power of two. 0 for others.
    pub align: cl_uint,
    /// For a local argument: the SpecId of its byte offset in the work-group's memory. 0 for others.
    pub specialization: cl_uint,
    /// For an image: its kind, as CL_MEM_OBJECT_IMAGE2D. 0 for others.
    pub image_type: cl_uint,
    /// For an image: CL_TRUE if it is a depth image. CL_FALSE for others.
    pub depth: cl_bool,
    /// For a pipe: bytes of a packet, or 0 if the kernel takes packets of any size. 0 for others.
    pub packet_size: cl_uint,
}

/// A part of the argument buffer that is not an argument: what OpenCL's work-item functions return.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct hekla_field {
    /// What it is: one of HEKLA_FIELD_GLOBAL_BASE to HEKLA_FIELD_QUEUE_CONTEXT.
    pub kind: cl_uint,
    /// The byte offset in the argument buffer.
    pub offset: cl_uint,
    /// Bytes there.
    pub size: cl_uint,
}

/// A kernel with its module of Vulkan SPIR-V, whose entry point is "main".
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct hekla_kernel {
    /// The name, ended by a zero byte.
    pub name: *const c_char,
    /// Attributes as CL_KERNEL_ATTRIBUTES reports them, ended by a zero byte.
    pub attributes: *const c_char,
    /// 32-bit words of the module.
    pub num_words: usize,
    /// The module's words, in the host's order of bytes.
    pub words: *const cl_uint,
    /// The number of arguments.
    pub num_arguments: usize,
    /// The arguments in the order of their indices.
    pub arguments: *const hekla_argument,
    /// The number of fields.
    pub num_fields: usize,
    /// What the argument buffer holds beside the arguments, by ascending offset.
    pub fields: *const hekla_field,
    /// Bytes of the argument buffer, a multiple of 4; 0 if the kernel reads nothing of it.
    pub argument_buffer_size: cl_uint,
    /// CL_TRUE if the push constants are the argument buffer; CL_FALSE if they are its 64-bit device address.
    pub arguments_in_push_constants: cl_bool,
    /// The local size that the kernel requires, in work-items; zeros if it requires none.
    pub required_local_size: [cl_uint; 3],
    /// The local size that the kernel prefers, in work-items; zeros if it prefers none.
    pub local_size_hint: [cl_uint; 3],
    /// Bytes of work-group memory of the kernel's own variables, which lie before the memory of the arguments.
    pub local_static_size: cl_ulong,
    /// Bytes of an element of the work-group's memory, a power of two.
    pub local_element_size: cl_uint,
    /// Bytes of private memory of a work-item that are not registers, by estimate.
    pub private_size: cl_ulong,
    /// 32-bit registers of a work-item that are in use at once, by estimate.
    pub registers: cl_uint,
    /// CL_TRUE if the kernel executes work-group barriers.
    pub uses_barrier: cl_bool,
    /// CL_TRUE if the local size changes what the kernel computes: it reads its size or ids, local memory or barriers.
    pub local_size_visible: cl_bool,
    /// CL_TRUE if the module declares descriptor set 0, at the bindings of hekla_reflection.
    pub uses_images: cl_bool,
    /// Work-items of a sub-group, which the pipeline must require; 0 if any number will do.
    pub required_subgroup_size: cl_uint,
}

/// A program's metadata. All that it points to belongs to the program, and lives until it is released.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct hekla_reflection {
    /// The number of kernels.
    pub num_kernels: usize,
    /// The kernels, in the order of the source.
    pub kernels: *const hekla_kernel,
    /// Bytes of the buffer of program-scope variables, which all kernels share; 0 if there are none.
    pub data_size: cl_ulong,
    /// The alignment of that buffer in bytes, a power of two.
    pub data_align: cl_uint,
    /// The number of bytes at data_bytes, at most data_size.
    pub num_data_bytes: usize,
    /// What the buffer begins with; the rest is zero at first.
    pub data_bytes: *const u8,
    /// The number of offsets at relocations.
    pub num_relocations: usize,
    /// Byte offsets of 64-bit words of the buffer, to each of which the buffer's device address must be added.
    pub relocations: *const cl_uint,
    /// CL_TRUE if the global size must be a multiple of the local size in each dimension.
    pub uniform_groups: cl_bool,
    /// The SpecIds of the local size, in work-items; all modules have them.
    pub local_size_ids: [cl_uint; 3],
    /// The SpecId of a boolean, which all modules have: true if the global base, the group base or the global offset is
    /// not zero, or if the launch has more than 2^31 work-items in a dimension.
    pub has_global_offset_id: cl_uint,
    /// The SpecId of the elements of the work-group's memory, at least 1; all modules have it.
    pub local_block_length_id: cl_uint,
    /// The binding in descriptor set 0 of images that are only read.
    pub sampled_images_binding: cl_uint,
    /// The binding in descriptor set 0 of images that are written.
    pub storage_images_binding: cl_uint,
    /// The binding in descriptor set 0 of buffer images that are only read.
    pub uniform_texel_buffers_binding: cl_uint,
    /// The binding in descriptor set 0 of buffer images that are written.
    pub storage_texel_buffers_binding: cl_uint,
    /// The binding in descriptor set 0 of samplers.
    pub samplers_binding: cl_uint,
}
