//! Functions of extensions by name (spec 4.1 of the extension specification).

use super::platforms::platform_of;
use crate::api::dispatch_table;
use crate::cl::error::{fail, Result};
use crate::cl::*;
use crate::dispatch::boundary::entry;
use std::ffi::{c_char, c_void, CStr};

/// Returns the address of an extension's function; an error stands for NULL.
///
/// # Safety
/// `name` is NULL or a string that ends with a zero.
unsafe fn address(name: *const c_char) -> Result<*mut c_void> {
    if name.is_null() {
        return fail(CL_INVALID_VALUE);
    }
    // SAFETY: as the caller promises.
    Ok(dispatch_table::extension_function(unsafe { CStr::from_ptr(name) }))
}

entry! {
    /// clGetExtensionFunctionAddressForPlatform.
    fn clGetExtensionFunctionAddressForPlatform(
        platform: cl_platform_id,
        func_name: *const c_char,
    ) -> value *mut c_void, or std::ptr::null_mut(); {
        if platform.is_null() {
            return fail(CL_INVALID_PLATFORM);
        }
        platform_of(platform)?;
        // SAFETY: the string is as the API requires.
        unsafe { address(func_name) }
    }

    /// clGetExtensionFunctionAddress.
    fn clGetExtensionFunctionAddress(
        func_name: *const c_char,
    ) -> value *mut c_void, or std::ptr::null_mut(); {
        // SAFETY: the string is as the API requires.
        unsafe { address(func_name) }
    }
}
