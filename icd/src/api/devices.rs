//! Devices (spec 4.2, 4.3): queries, sub-devices (none), timers.

use super::args;
use super::platforms::platform_of;
use crate::cl::error::{ensure, fail, Result};
use crate::cl::*;
use crate::core::device::info;
use crate::core::device::platform::Platform;
use crate::core::device::Device;
use crate::core::process::clock;
use crate::dispatch::boundary::entry;
use crate::object::Ref;
use std::ffi::c_void;

/// Bits of cl_device_type that have a meaning.
const KNOWN_TYPES: cl_device_type = CL_DEVICE_TYPE_DEFAULT
    | CL_DEVICE_TYPE_CPU
    | CL_DEVICE_TYPE_GPU
    | CL_DEVICE_TYPE_ACCELERATOR
    | CL_DEVICE_TYPE_CUSTOM;

/// Returns the devices of some types: CL_INVALID_DEVICE_TYPE for an unknown type, CL_DEVICE_NOT_FOUND when
/// there are none.
pub(super) fn devices_of_type(
    platform: &Platform,
    device_type: cl_device_type,
) -> Result<Vec<Ref<Device>>> {
    let all = device_type == CL_DEVICE_TYPE_ALL;
    ensure!(all || device_type & KNOWN_TYPES != 0, CL_INVALID_DEVICE_TYPE);
    ensure!(all || device_type & !KNOWN_TYPES == 0, CL_INVALID_DEVICE_TYPE);
    let devices = platform.devices();
    let wants_default = device_type & CL_DEVICE_TYPE_DEFAULT != 0;
    let wanted = |(index, device): &(usize, &Ref<Device>)| {
        all || device.device_type & device_type != 0 || wants_default && *index == 0
    };
    let found: Vec<_> =
        devices.iter().enumerate().filter(wanted).map(|(_, device)| device.clone()).collect();
    ensure!(!found.is_empty(), CL_DEVICE_NOT_FOUND);
    Ok(found)
}

entry! {
    /// clGetDeviceIDs.
    fn clGetDeviceIDs(
        platform: cl_platform_id,
        device_type: cl_device_type,
        num_entries: cl_uint,
        devices: *mut cl_device_id,
        num_devices: *mut cl_uint,
    ) -> status {
        let platform = platform_of(platform)?;
        let found = devices_of_type(platform, device_type);
        if found.is_err() {
            // SAFETY: the place is as the API requires.
            unsafe { args::store(num_devices, 0) };
        }
        let handles: Vec<_> = found?.iter().map(Ref::handle).collect();
        // SAFETY: the caller's arrays are as the API requires.
        unsafe { args::answer_list(&handles, num_entries, devices, num_devices) }
    }

    /// clGetDeviceInfo.
    fn clGetDeviceInfo(
        device: cl_device_id,
        param_name: cl_device_info,
        param_value_size: usize,
        param_value: *mut c_void,
        param_value_size_ret: *mut usize,
    ) -> status {
        let device = Ref::<Device>::from_handle(device)?;
        let value = info::query(&device, param_name);
        // SAFETY: the caller's places are as the API requires.
        unsafe { args::answer(value, param_value_size, param_value, param_value_size_ret) }
    }

    /// clCreateSubDevices. Vulkan devices cannot be partitioned.
    fn clCreateSubDevices(
        in_device: cl_device_id,
        properties: *const cl_device_partition_property,
        _num_devices: cl_uint,
        _out_devices: *mut cl_device_id,
        _num_devices_ret: *mut cl_uint,
    ) -> status {
        Ref::<Device>::from_handle(in_device)?;
        ensure!(!properties.is_null(), CL_INVALID_VALUE);
        fail(CL_INVALID_VALUE)
    }

    /// clRetainDevice: root devices are not counted.
    fn clRetainDevice(device: cl_device_id) -> status {
        Ref::<Device>::from_handle(device)?;
        Ok(())
    }

    /// clReleaseDevice: root devices are not counted.
    fn clReleaseDevice(device: cl_device_id) -> status {
        Ref::<Device>::from_handle(device)?;
        Ok(())
    }

    /// clGetDeviceAndHostTimer. Profiling times are given on the host's clock, so the device's
    /// timer is the host's.
    fn clGetDeviceAndHostTimer(
        device: cl_device_id,
        device_timestamp: *mut cl_ulong,
        host_timestamp: *mut cl_ulong,
    ) -> status {
        Ref::<Device>::from_handle(device)?;
        ensure!(!device_timestamp.is_null() && !host_timestamp.is_null(), CL_INVALID_VALUE);
        let now = clock::now();
        // SAFETY: the places are as the API requires.
        unsafe {
            args::store(device_timestamp, now);
            args::store(host_timestamp, now);
        }
        Ok(())
    }

    /// clGetHostTimer.
    fn clGetHostTimer(device: cl_device_id, host_timestamp: *mut cl_ulong) -> status {
        Ref::<Device>::from_handle(device)?;
        ensure!(!host_timestamp.is_null(), CL_INVALID_VALUE);
        // SAFETY: the place is as the API requires.
        unsafe { args::store(host_timestamp, clock::now()) };
        Ok(())
    }
}
