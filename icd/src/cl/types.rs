//! Scalar, structure and handle types of the OpenCL C API, and of its callbacks.

use std::ffi::{c_char, c_void};

pub type cl_int = i32;
pub type cl_uint = u32;
pub type cl_ulong = u64;
pub type cl_bool = cl_uint;
pub type cl_bitfield = cl_ulong;
pub type cl_properties = cl_ulong;
pub type cl_version = cl_uint;

pub type cl_device_type = cl_bitfield;
pub type cl_device_fp_config = cl_bitfield;
pub type cl_device_partition_property = isize;
pub type cl_command_queue_properties = cl_bitfield;
pub type cl_context_properties = isize;
pub type cl_queue_properties = cl_properties;
pub type cl_mem_flags = cl_bitfield;
pub type cl_svm_mem_flags = cl_bitfield;
pub type cl_mem_properties = cl_properties;
pub type cl_mem_migration_flags = cl_bitfield;
pub type cl_mem_device_address_ext = cl_ulong;
pub type cl_external_memory_handle_type_khr = cl_uint;
pub type cl_external_semaphore_handle_type_khr = cl_uint;
pub type cl_semaphore_properties_khr = cl_properties;
pub type cl_semaphore_reimport_properties_khr = cl_properties;
pub type cl_semaphore_payload_khr = cl_ulong;
pub type cl_semaphore_type_khr = cl_uint;
pub type cl_semaphore_info_khr = cl_uint;
pub type cl_map_flags = cl_bitfield;
pub type cl_pipe_properties = isize;
pub type cl_sampler_properties = cl_properties;

pub type cl_platform_info = cl_uint;
pub type cl_device_info = cl_uint;
pub type cl_device_cooperative_matrix_info_khr = cl_uint;
pub type cl_device_cooperative_matrix_component_type_khr = cl_uint;
pub type cl_context_info = cl_uint;
pub type cl_command_queue_info = cl_uint;
pub type cl_mem_object_type = cl_uint;
pub type cl_mem_info = cl_uint;
pub type cl_image_info = cl_uint;
pub type cl_image_requirements_info_ext = cl_uint;
pub type cl_pipe_info = cl_uint;
pub type cl_buffer_create_type = cl_uint;
pub type cl_addressing_mode = cl_uint;
pub type cl_filter_mode = cl_uint;
pub type cl_sampler_info = cl_uint;
pub type cl_program_info = cl_uint;
pub type cl_program_build_info = cl_uint;
pub type cl_build_status = cl_int;
pub type cl_kernel_info = cl_uint;
pub type cl_kernel_arg_info = cl_uint;
pub type cl_kernel_work_group_info = cl_uint;
pub type cl_kernel_sub_group_info = cl_uint;
pub type cl_kernel_exec_info = cl_uint;
pub type cl_event_info = cl_uint;
pub type cl_command_type = cl_uint;
pub type cl_profiling_info = cl_uint;

pub type cl_device_unified_shared_memory_capabilities_intel = cl_bitfield;
pub type cl_mem_properties_intel = cl_bitfield;
pub type cl_mem_alloc_flags_intel = cl_bitfield;
pub type cl_mem_info_intel = cl_uint;
pub type cl_unified_shared_memory_type_intel = cl_uint;
pub type cl_mem_advice_intel = cl_uint;

pub type cl_sync_point_khr = cl_uint;
pub type cl_command_buffer_info_khr = cl_uint;
pub type cl_command_buffer_properties_khr = cl_properties;
pub type cl_command_properties_khr = cl_properties;
pub type cl_command_buffer_update_type_khr = cl_uint;
pub type cl_mutable_dispatch_fields_khr = cl_bitfield;
pub type cl_mutable_command_info_khr = cl_uint;

pub type cl_GLint = cl_int;
pub type cl_GLuint = cl_uint;
pub type cl_GLenum = cl_uint;
pub type cl_gl_object_type = cl_uint;
pub type cl_gl_texture_info = cl_uint;
pub type cl_gl_context_info = cl_uint;
pub type cl_egl_image_properties_khr = isize;
pub type cl_import_properties_arm = isize;
pub type CLeglDisplayKHR = *mut std::ffi::c_void;
pub type CLeglImageKHR = *mut std::ffi::c_void;
pub type CLeglSyncKHR = *mut std::ffi::c_void;
pub type cl_device_partition_property_ext = cl_ulong;

/// Declares opaque handle types: pointers to distinct incomplete structures.
macro_rules! handles {
    ($($name:ident = $target:ident),* $(,)?) => {
        $(
            pub struct $target {
                _private: [u8; 0],
            }
            pub type $name = *mut $target;
        )*
    };
}

handles! {
    cl_platform_id = _cl_platform_id,
    cl_device_id = _cl_device_id,
    cl_context = _cl_context,
    cl_command_queue = _cl_command_queue,
    cl_mem = _cl_mem,
    cl_program = _cl_program,
    cl_kernel = _cl_kernel,
    cl_event = _cl_event,
    cl_sampler = _cl_sampler,
    cl_command_buffer_khr = _cl_command_buffer_khr,
    cl_mutable_command_khr = _cl_mutable_command_khr,
    cl_semaphore_khr = _cl_semaphore_khr,
    cl_GLsync = _cl_GLsync,
}

#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct cl_image_format {
    pub image_channel_order: cl_uint,
    pub image_channel_data_type: cl_uint,
}

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct cl_image_desc {
    pub image_type: cl_mem_object_type,
    pub image_width: usize,
    pub image_height: usize,
    pub image_depth: usize,
    pub image_array_size: usize,
    pub image_row_pitch: usize,
    pub image_slice_pitch: usize,
    pub num_mip_levels: cl_uint,
    pub num_samples: cl_uint,
    pub mem_object: cl_mem,
}

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct cl_buffer_region {
    pub origin: usize,
    pub size: usize,
}

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct cl_name_version {
    pub version: cl_version,
    pub name: [u8; 64],
}

/// An entry in the list of cl_khr_cooperative_matrix: a product of matrices. The types are values of VkComponentTypeKHR.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct cl_device_cooperative_matrix_variant_khr {
    pub m_size: cl_uint,
    pub n_size: cl_uint,
    pub k_size: cl_uint,
    pub a_type: cl_device_cooperative_matrix_component_type_khr,
    pub b_type: cl_device_cooperative_matrix_component_type_khr,
    pub c_type: cl_device_cooperative_matrix_component_type_khr,
    pub result_type: cl_device_cooperative_matrix_component_type_khr,
    pub saturating_accumulation: cl_bool,
}

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct cl_device_pci_bus_info_khr {
    pub pci_domain: cl_uint,
    pub pci_bus: cl_uint,
    pub pci_device: cl_uint,
    pub pci_function: cl_uint,
}

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct cl_mutable_dispatch_arg_khr {
    pub arg_index: cl_uint,
    pub arg_size: usize,
    pub arg_value: *const c_void,
}

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct cl_mutable_dispatch_exec_info_khr {
    pub param_name: cl_uint,
    pub param_value_size: usize,
    pub param_value: *const c_void,
}

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct cl_mutable_dispatch_config_khr {
    pub command: cl_mutable_command_khr,
    pub num_args: cl_uint,
    pub num_svm_args: cl_uint,
    pub num_exec_infos: cl_uint,
    pub work_dim: cl_uint,
    pub arg_list: *const cl_mutable_dispatch_arg_khr,
    pub arg_svm_list: *const cl_mutable_dispatch_arg_khr,
    pub exec_info_list: *const cl_mutable_dispatch_exec_info_khr,
    pub global_work_offset: *const usize,
    pub global_work_size: *const usize,
    pub local_work_size: *const usize,
}

pub type ContextNotify =
    Option<unsafe extern "C" fn(*const c_char, *const c_void, usize, *mut c_void)>;
pub type ContextDestructor = Option<unsafe extern "C" fn(cl_context, *mut c_void)>;
pub type MemDestructor = Option<unsafe extern "C" fn(cl_mem, *mut c_void)>;
pub type ProgramNotify = Option<unsafe extern "C" fn(cl_program, *mut c_void)>;
pub type EventNotify = Option<unsafe extern "C" fn(cl_event, cl_int, *mut c_void)>;
pub type SvmFreeNotify =
    Option<unsafe extern "C" fn(cl_command_queue, cl_uint, *mut *mut c_void, *mut c_void)>;
pub type NativeKernel = Option<unsafe extern "C" fn(*mut c_void)>;

/// CL_MAKE_VERSION of cl_khr_extended_versioning: 10 bits major, 10 minor, 12 patch.
pub const fn make_version(major: u32, minor: u32, patch: u32) -> cl_version {
    (major & 0x3ff) << 22 | (minor & 0x3ff) << 12 | (patch & 0xfff)
}
