//! How programs are told what their kernels find out about themselves (docs/check.md).
//!
//! The function is written without the macro of entry points, so that cbindgen reads it for `include/hekla.h`.

use crate::cl::*;
use crate::core::check;
use crate::dispatch::boundary;
use std::ffi::c_void;

/// Sets the function that is told, for each launch, what its kernel has found wrong in itself: once for each place that did.
///
/// Findings are those of the kinds that HEKLA_CHECK names, of all contexts of the process; without it there are none. They are
/// told on standard error as well. clGetExtensionFunctionAddressForPlatform finds this function.
///
/// callback: the function, which stays valid until another one is set and what ran by then is complete; NULL for none.
/// user_data: what it is given.
///
/// Returns CL_SUCCESS.
#[no_mangle]
pub unsafe extern "C" fn clSetCheckCallbackHEKLA(
    callback: hekla_check_callback,
    user_data: *mut c_void,
) -> cl_int {
    boundary::status("clSetCheckCallbackHEKLA", || {
        check::set_callback(callback, user_data);
        Ok(())
    })
}
