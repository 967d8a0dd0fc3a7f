//! Sub-groups of a kernel (spec 5.9.4, "Kernel Object Sub-group Queries").

use super::args;
use super::kernels::built_on;
use crate::cl::error::{ensure, Result};
use crate::cl::info::Value;
use crate::cl::*;
use crate::core::device::Device;
use crate::core::program::kernel::{BuiltKernel, Kernel};
use crate::dispatch::boundary::entry;
use crate::object::Ref;
use std::ffi::c_void;

const WORD: usize = size_of::<usize>();

/// Reads the numbers that a query is about: up to three.
///
/// # Safety
/// `place` is NULL or has `size` bytes.
unsafe fn input(place: *const c_void, size: usize, most: usize) -> Result<Vec<usize>> {
    let count = size / WORD;
    let is_valid = size.is_multiple_of(WORD) && (1..=most).contains(&count);
    ensure!(is_valid && !place.is_null(), CL_INVALID_VALUE);
    let place = place.cast::<usize>();
    // SAFETY: the bytes are there, as the caller promises; they need not be aligned.
    Ok((0..count).map(|i| unsafe { place.add(i).read_unaligned() }).collect())
}

/// Returns the local size of `count` whole sub-groups in `dimensions` dimensions, all zero where none is so large.
fn local_size(device: &Device, built: &BuiltKernel, count: usize, dimensions: usize) -> Vec<usize> {
    let [most, ..] = device.max_work_item_sizes();
    let limit = built.work_group_size(device).min(most);
    let size = count.checked_mul(built.subgroup_size() as usize).filter(|size| *size <= limit);
    let required = built.kernel.required_local_size.map(|size| size.map(|size| size as usize));
    let size = size.filter(|&size| size > 0 && required.is_none_or(|other| other == [size, 1, 1]));
    let demanded = built.kernel.required_subgroups;
    let size = size.filter(|_| demanded.is_none_or(|demanded| demanded as usize == count));
    let mut local = vec![usize::from(size.is_some()); dimensions];
    local[0] = size.unwrap_or(0);
    local
}

/// Returns the most sub-groups of a work-group of a kernel.
fn most_subgroups(device: &Device, built: &BuiltKernel) -> usize {
    let required = built.kernel.required_local_size;
    if let Some(count) = built.kernel.required_subgroups {
        return count as usize;
    }
    let items = required.map(|size| size.iter().map(|&size| size as usize).product::<usize>());
    items.unwrap_or(built.work_group_size(device)).div_ceil(built.subgroup_size() as usize)
}

/// Answers a query; `None` for a name that is not one of clGetKernelSubGroupInfo's.
///
/// # Safety
/// Like [`input`].
unsafe fn answer(
    device: &Device,
    built: &BuiltKernel,
    name: cl_kernel_sub_group_info,
    (place, place_size): (*const c_void, usize),
    answer_size: Option<usize>,
) -> Result<Option<Value>> {
    let size = built.subgroup_size() as usize;
    Ok(Some(match name {
        CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE => {
            // SAFETY: as the caller promises.
            unsafe { input(place, place_size, 3) }?;
            Value::of(size)
        }
        CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE => {
            // SAFETY: as the caller promises.
            let local = unsafe { input(place, place_size, 3) }?;
            let items = local.iter().try_fold(1usize, |product, n| product.checked_mul(*n));
            Value::of(items.unwrap_or(usize::MAX).div_ceil(size))
        }
        CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT => {
            // SAFETY: as the caller promises.
            let count = unsafe { input(place, place_size, 1) }?;
            let dimensions = answer_size.map_or(3, |size| (size / WORD).clamp(1, 3));
            Value::list(&local_size(device, built, count[0], dimensions))
        }
        CL_KERNEL_MAX_NUM_SUB_GROUPS => Value::of(most_subgroups(device, built)),
        CL_KERNEL_COMPILE_NUM_SUB_GROUPS => {
            Value::of(built.kernel.required_subgroups.unwrap_or(0) as usize)
        }
        CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL if !device.subgroup_sizes().is_empty() => {
            Value::of(built.kernel.required_subgroup_size.unwrap_or(0) as usize)
        }
        _ => return Ok(None),
    }))
}

/// Answers a call of a sub-group query: reads the query's input, and stores the answer.
///
/// # Safety
/// The places are NULL or as large as is said.
unsafe fn query(
    kernel: cl_kernel,
    device: cl_device_id,
    (name, input_size, input): (cl_kernel_sub_group_info, usize, *const c_void),
    (size, place, size_ret): (usize, *mut c_void, *mut usize),
) -> Result<()> {
    let kernel = Ref::<Kernel>::from_handle(kernel)?;
    let (device, built) = built_on(&kernel, device)?;
    ensure!(device.subgroups().is_some(), CL_INVALID_OPERATION);
    let room = (!place.is_null()).then_some(size);
    // SAFETY: as the caller promises.
    let value = unsafe { answer(&device, &built, name, (input, input_size), room) }?;
    // SAFETY: as the caller promises.
    unsafe { args::answer(value, size, place, size_ret) }
}

entry! {
    /// clGetKernelSubGroupInfo.
    fn clGetKernelSubGroupInfo(
        kernel: cl_kernel,
        device: cl_device_id,
        param_name: cl_kernel_sub_group_info,
        input_value_size: usize,
        input_value: *const c_void,
        param_value_size: usize,
        param_value: *mut c_void,
        param_value_size_ret: *mut usize,
    ) -> status {
        let asked = (param_name, input_value_size, input_value);
        // SAFETY: the caller's places are as the API requires.
        unsafe {
            query(kernel, device, asked, (param_value_size, param_value, param_value_size_ret))
        }
    }

    /// clGetKernelSubGroupInfoKHR (cl_khr_subgroups): the same.
    fn clGetKernelSubGroupInfoKHR(
        kernel: cl_kernel,
        device: cl_device_id,
        param_name: cl_kernel_sub_group_info,
        input_value_size: usize,
        input_value: *const c_void,
        param_value_size: usize,
        param_value: *mut c_void,
        param_value_size_ret: *mut usize,
    ) -> status {
        let asked = (param_name, input_value_size, input_value);
        // SAFETY: the caller's places are as the API requires.
        unsafe {
            query(kernel, device, asked, (param_value_size, param_value, param_value_size_ret))
        }
    }
}
