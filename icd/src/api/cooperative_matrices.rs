//! Cooperative matrices of a device (cl_khr_cooperative_matrix, a draft of OpenCL-Docs).

use super::args;
use crate::cl::error::{ensure, Result};
use crate::cl::info::Value;
use crate::cl::*;
use crate::core::device::{matrices, Device};
use crate::dispatch::boundary::entry;
use crate::object::Ref;
use std::ffi::c_void;

/// Reads the size of sub-groups that a query is about.
///
/// # Safety
/// `place` is NULL or has `size` bytes.
unsafe fn input(place: *const c_void, size: usize) -> Result<cl_uint> {
    ensure!(!place.is_null() && size == size_of::<cl_uint>(), CL_INVALID_VALUE);
    // SAFETY: the bytes are there, as the caller promises; they need not be aligned.
    Ok(unsafe { place.cast::<cl_uint>().read_unaligned() })
}

/// Answers a query; `None` for a name that is not one of clGetDeviceCooperativeMatrixInfoKHR's.
///
/// # Safety
/// As [`input`].
unsafe fn variants(
    device: &Device,
    name: cl_device_cooperative_matrix_info_khr,
    (place, size): (*const c_void, usize),
) -> Result<Option<Value>> {
    Ok(Some(match name {
        CL_DEVICE_COOPERATIVE_MATRIX_DEFAULT_SUB_GROUP_VARIANTS_KHR => {
            matrices::variants(device, None)
        }
        CL_DEVICE_COOPERATIVE_MATRIX_SUB_GROUP_VARIANTS_KHR => {
            // SAFETY: as the caller promises.
            let size = unsafe { input(place, size) }?;
            matrices::variants(device, Some(size))
        }
        _ => return Ok(None),
    }))
}

entry! {
    /// clGetDeviceCooperativeMatrixInfoKHR.
    fn clGetDeviceCooperativeMatrixInfoKHR(
        device: cl_device_id,
        param_name: cl_device_cooperative_matrix_info_khr,
        input_value_size: usize,
        input_value: *const c_void,
        param_value_size: usize,
        param_value: *mut c_void,
        param_value_size_ret: *mut usize,
    ) -> status {
        let device = Ref::<Device>::from_handle(device)?;
        ensure!(matrices::are_offered(&device), CL_INVALID_OPERATION);
        // SAFETY: the caller's places are as the API requires.
        let value = unsafe { variants(&device, param_name, (input_value, input_value_size)) }?;
        // SAFETY: as above.
        unsafe { args::answer(value, param_value_size, param_value, param_value_size_ret) }
    }
}
