//! Other names of core functions, from the extensions that first defined them. A program may be linked to these names.

use super::{
    clCreateCommandQueueWithProperties, clCreateProgramWithIL, clGetKernelSuggestedLocalWorkSize,
    clReleaseDevice, clRetainDevice,
};
use crate::cl::error::{ensure, fail};
use crate::cl::*;
use crate::core::device::Device;
use crate::dispatch::boundary::entry;
use crate::object::Ref;
use std::ffi::c_void;

/// clCreateCommandQueueWithPropertiesKHR (cl_khr_create_command_queue).
#[no_mangle]
pub unsafe extern "C" fn clCreateCommandQueueWithPropertiesKHR(
    context: cl_context,
    device: cl_device_id,
    properties: *const cl_queue_properties,
    errcode_ret: *mut cl_int,
) -> cl_command_queue {
    // SAFETY: the arguments are as the API requires.
    unsafe { clCreateCommandQueueWithProperties(context, device, properties, errcode_ret) }
}

/// clCreateProgramWithILKHR (cl_khr_il_program).
#[no_mangle]
pub unsafe extern "C" fn clCreateProgramWithILKHR(
    context: cl_context,
    il: *const c_void,
    length: usize,
    errcode_ret: *mut cl_int,
) -> cl_program {
    // SAFETY: the arguments are as the API requires.
    unsafe { clCreateProgramWithIL(context, il, length, errcode_ret) }
}

/// clGetKernelSuggestedLocalWorkSizeKHR (cl_khr_suggested_local_work_size).
#[no_mangle]
pub unsafe extern "C" fn clGetKernelSuggestedLocalWorkSizeKHR(
    command_queue: cl_command_queue,
    kernel: cl_kernel,
    work_dim: cl_uint,
    global_work_offset: *const usize,
    global_work_size: *const usize,
    suggested_local_work_size: *mut usize,
) -> cl_int {
    // SAFETY: the arguments are as the API requires.
    unsafe {
        clGetKernelSuggestedLocalWorkSize(
            command_queue,
            kernel,
            work_dim,
            global_work_offset,
            global_work_size,
            suggested_local_work_size,
        )
    }
}

/// clRetainDeviceEXT (cl_ext_device_fission).
#[no_mangle]
pub unsafe extern "C" fn clRetainDeviceEXT(device: cl_device_id) -> cl_int {
    // SAFETY: the arguments are as the API requires.
    unsafe { clRetainDevice(device) }
}

/// clReleaseDeviceEXT (cl_ext_device_fission).
#[no_mangle]
pub unsafe extern "C" fn clReleaseDeviceEXT(device: cl_device_id) -> cl_int {
    // SAFETY: the arguments are as the API requires.
    unsafe { clReleaseDevice(device) }
}

entry! {
    /// clCreateSubDevicesEXT (cl_ext_device_fission): Vulkan devices cannot be partitioned.
    fn clCreateSubDevicesEXT(
        in_device: cl_device_id,
        properties: *const cl_device_partition_property_ext,
        _num_entries: cl_uint,
        _out_devices: *mut cl_device_id,
        _num_devices: *mut cl_uint,
    ) -> status {
        Ref::<Device>::from_handle(in_device)?;
        ensure!(!properties.is_null(), CL_INVALID_VALUE);
        fail(CL_INVALID_VALUE)
    }
}
