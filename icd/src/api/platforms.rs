//! Platforms (spec 4.1), and the entry points by which ICD loaders find this one.

use super::args;
use super::dispatch_table;
use crate::cl::error::{ensure, fail, Result};
use crate::cl::info::Value;
use crate::cl::*;
use crate::core::device::external;
use crate::core::device::platform::{self as offered, Platform};
use crate::core::diagnostics::log;
use crate::dispatch::boundary::entry;
use crate::object::{self, Ref};
use hekla_vk_backend as vk;
use std::ffi::{c_void, CStr};
use std::sync::Once;

/// Returns the platform. The first call initializes the library.
pub fn platform() -> &'static Ref<Platform> {
    static START: Once = Once::new();
    START.call_once(|| {
        object::set_dispatch_table(dispatch_table::TABLE.as_ptr().cast());
        log::init();
    });
    offered::platform()
}

/// Returns the platform of a handle; NULL means Hekla's only platform.
pub(super) fn platform_of(handle: cl_platform_id) -> Result<&'static Ref<Platform>> {
    let platform = platform();
    ensure!(handle.is_null() || handle == platform.handle(), CL_INVALID_PLATFORM);
    Ok(platform)
}

entry! {
    /// clGetPlatformIDs.
    fn clGetPlatformIDs(
        num_entries: cl_uint,
        platforms: *mut cl_platform_id,
        num_platforms: *mut cl_uint,
    ) -> status {
        // SAFETY: the caller's arrays are as the API requires.
        unsafe { args::answer_list(&[platform().handle()], num_entries, platforms, num_platforms) }
    }

    /// clIcdGetPlatformIDsKHR (cl_khr_icd).
    fn clIcdGetPlatformIDsKHR(
        num_entries: cl_uint,
        platforms: *mut cl_platform_id,
        num_platforms: *mut cl_uint,
    ) -> status {
        platform().meet_loader(true);
        // SAFETY: the caller's arrays are as the API requires.
        unsafe { args::answer_list(&[platform().handle()], num_entries, platforms, num_platforms) }
    }

    /// clIcdGetFunctionAddressForPlatformKHR (cl_khr_icd 2.0).
    fn clIcdGetFunctionAddressForPlatformKHR(
        platform: cl_platform_id,
        func_name: *const std::ffi::c_char,
    ) -> value *mut c_void, or std::ptr::null_mut(); {
        if platform.is_null() || func_name.is_null() {
            return fail(CL_INVALID_VALUE);
        }
        platform_of(platform)?;
        // SAFETY: the API requires a string that ends with a zero.
        let name = unsafe { CStr::from_ptr(func_name) };
        Ok(dispatch_table::any_function(name))
    }

    /// clIcdSetPlatformDispatchDataKHR (cl_khr_icd 2.0).
    fn clIcdSetPlatformDispatchDataKHR(
        platform: cl_platform_id,
        dispatch_data: *mut c_void,
    ) -> status {
        ensure!(!platform.is_null(), CL_INVALID_PLATFORM);
        let platform = platform_of(platform)?;
        platform.set_dispatch_data(dispatch_data);
        object::set_dispatch_data(dispatch_data);
        // Another loader in the process, without support for cl_khr_icd 2.0, may have listed the devices before.
        for device in platform.known_devices() {
            device.set_dispatch_data(dispatch_data);
        }
        Ok(())
    }

    /// clGetPlatformInfo.
    fn clGetPlatformInfo(
        platform: cl_platform_id,
        param_name: cl_platform_info,
        param_value_size: usize,
        param_value: *mut c_void,
        param_value_size_ret: *mut usize,
    ) -> status {
        let platform = platform_of(platform)?;
        let value = Some(match param_name {
            CL_PLATFORM_PROFILE => Value::text(offered::PROFILE),
            CL_PLATFORM_VERSION => Value::text(&offered::version_text(offered::version())),
            CL_PLATFORM_NUMERIC_VERSION => Value::of(offered::version_number(offered::version())),
            CL_PLATFORM_NAME => Value::text(offered::name()),
            CL_PLATFORM_VENDOR => Value::text(offered::vendor()),
            CL_PLATFORM_EXTENSIONS => {
                let names: Vec<_> = platform.extensions().iter().map(|(name, _)| *name).collect();
                Value::text(&names.join(" "))
            }
            CL_PLATFORM_EXTENSIONS_WITH_VERSION => Value::names(&platform.extensions()),
            // Threads and drivers of Vulkan go on using the library until the process ends.
            CL_PLATFORM_UNLOADABLE_KHR => Value::bool(false),
            CL_PLATFORM_ICD_SUFFIX_KHR => {
                platform.meet_loader(false);
                Value::text(offered::ICD_SUFFIX)
            }
            CL_PLATFORM_SEMAPHORE_TYPES_KHR => Value::list(&[CL_SEMAPHORE_TYPE_BINARY_KHR]),
            CL_PLATFORM_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR => {
                let takes = |info: &vk::DeviceInfo| info.features.external.semaphore_import;
                let names = |info: &vk::DeviceInfo| external::semaphore_names(takes(info));
                Value::list(&external::of_all(platform.devices(), names))
            }
            CL_PLATFORM_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR => {
                let gives = |info: &vk::DeviceInfo| info.features.external.semaphore_export;
                let names = |info: &vk::DeviceInfo| external::semaphore_names(gives(info));
                Value::list(&external::of_all(platform.devices(), names))
            }
            CL_PLATFORM_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR => {
                let devices = platform.devices();
                Value::list(&external::of_all(devices, external::memory_imports))
            }
            CL_PLATFORM_HOST_TIMER_RESOLUTION => Value::of(1u64),
            _ => return fail(CL_INVALID_VALUE),
        });
        // SAFETY: the caller's places are as the API requires.
        unsafe { args::answer(value, param_value_size, param_value, param_value_size_ret) }
    }
}
