//! Functions by name (4.5 of the extensions' specification), and the slots of the loader's table that are empty.

use crate::prelude::*;
use hekla::api::dispatch_table::{NAMES, TABLE};
use std::ffi::{c_char, CStr};

pub fn rows(t: &mut Table, w: &World) {
    address_rows(t, w);
    absent_rows(t);
    alias_rows(t, w);
}

/// Functions of extensions that became core functions.
fn alias_rows(t: &mut Table, w: &World) {
    let find = |name: &CStr| unsafe {
        let address = clGetExtensionFunctionAddressForPlatform(w.platform, name.as_ptr());
        assert!(!address.is_null(), "{name:?}");
        address.cast_const()
    };
    type Create = unsafe extern "C" fn(
        cl_context,
        cl_device_id,
        *const cl_queue_properties,
        *mut cl_int,
    ) -> cl_command_queue;
    t.about("clCreateCommandQueueWithPropertiesKHR");
    let create = find(c"clCreateCommandQueueWithPropertiesKHR");
    let create = unsafe { std::mem::transmute::<*const c_void, Create>(create) };
    let create = |context| code(|e| unsafe { create(context, w.device, null(), e) });
    t.correct(create(w.context));
    t.each(CL_INVALID_CONTEXT, "context", w.no_contexts(), create);

    type CreateProgram =
        unsafe extern "C" fn(cl_context, *const c_void, usize, *mut cl_int) -> cl_program;
    t.about("clCreateProgramWithILKHR");
    let create = find(c"clCreateProgramWithILKHR");
    let create = unsafe { std::mem::transmute::<*const c_void, CreateProgram>(create) };
    let il = crate::programs::module();
    let size = il.len() * 4;
    let create = |context, size| code(|e| unsafe { create(context, il.as_ptr().cast(), size, e) });
    t.correct(create(w.context, size));
    t.each(CL_INVALID_CONTEXT, "context", w.no_contexts(), |context| create(context, size));
    t.row(CL_INVALID_VALUE, "length is 0", create(w.context, 0));

    type Suggest = unsafe extern "C" fn(
        cl_command_queue,
        cl_kernel,
        cl_uint,
        *const usize,
        *const usize,
        *mut usize,
    ) -> cl_int;
    t.about("clGetKernelSuggestedLocalWorkSizeKHR");
    let suggest = find(c"clGetKernelSuggestedLocalWorkSizeKHR");
    let suggest = unsafe { std::mem::transmute::<*const c_void, Suggest>(suggest) };
    let (global, mut local) = (64, 0);
    let place = &raw mut local;
    let suggest = |kernel| unsafe { suggest(w.queue, kernel, 1, null(), &global, place) };
    t.correct(suggest(w.kernel));
    t.each(CL_INVALID_KERNEL, "kernel", w.no_kernels(), suggest);
}

/// Adds rows of functions that return addresses; NULL counts as the error.
fn address_rows(t: &mut Table, w: &World) {
    let (found, missing) = (CL_SUCCESS, CL_INVALID_VALUE);
    let answer = |address: *mut c_void| if address.is_null() { missing } else { found };
    let ours: *const c_char = c"clCreateCommandQueueWithPropertiesKHR".as_ptr();

    t.about("clGetExtensionFunctionAddressForPlatform");
    let find = |platform, name| unsafe {
        answer(clGetExtensionFunctionAddressForPlatform(platform, name))
    };
    t.correct(find(w.platform, ours));
    t.each(missing, "platform", w.no_platforms(), |platform| find(platform, ours));
    t.row(missing, "platform is NULL", find(null_mut(), ours));
    t.row(missing, "func_name is NULL", find(w.platform, null()));
    let core = find(w.platform, c"clFinish".as_ptr());
    t.row(missing, "func_name is not an extension's", core);
    t.row(missing, "nobody has the function", find(w.platform, c"clNobodyKHR".as_ptr()));

    t.about("clGetExtensionFunctionAddress");
    let find = |name| unsafe { answer(clGetExtensionFunctionAddress(name)) };
    t.correct(find(ours));
    t.row(missing, "func_name is NULL", find(null()));
    t.row(missing, "nobody has the function", find(c"clNobodyKHR".as_ptr()));

    // This function has no errors.
    t.about("clSetCheckCallbackHEKLA");
    t.correct(unsafe { clSetCheckCallbackHEKLA(None, null_mut()) });

    t.about("clIcdGetFunctionAddressForPlatformKHR");
    let find =
        |platform, name| unsafe { answer(clIcdGetFunctionAddressForPlatformKHR(platform, name)) };
    t.correct(find(w.platform, c"clFinish".as_ptr()));
    t.each(missing, "platform", w.no_platforms(), |platform| find(platform, ours));
    t.row(missing, "platform is NULL", find(null_mut(), ours));
    t.row(missing, "func_name is NULL", find(w.platform, null()));
    t.row(missing, "nobody has the function", find(w.platform, c"clNobodyKHR".as_ptr()));
}

/// Returns the address in a function's slot of the loader's table.
fn slot(name: &str) -> *const c_void {
    let index = NAMES.iter().position(|slot| *slot == name).expect("a slot of the table");
    TABLE[index].address()
}

/// Adds rows of functions that only another operating system has: there is no address.
fn absent_rows(t: &mut Table) {
    let elsewhere = |name: &str| ["D3D10", "D3D11", "DX9"].iter().any(|api| name.contains(api));
    for name in NAMES.iter().filter(|name| elsewhere(name)) {
        t.about(name);
        let got = if slot(name).is_null() { CL_INVALID_OPERATION } else { CL_SUCCESS };
        t.row(CL_INVALID_OPERATION, "the function does not exist here", got);
    }
    // The tag of cl_khr_icd 2.0 is in slots of functions that loaders never call through an object.
    for name in ["clGetPlatformIDs", "clUnloadCompiler"] {
        let marked = slot(name) as isize == CL_ICD2_TAG_KHR;
        t.row(CL_SUCCESS, &format!("the slot of {name} is tagged"), i32::from(!marked));
    }
    // Found by name only.
    let name: &CStr = c"clIcdGetPlatformIDsKHR";
    let found = unsafe { !clGetExtensionFunctionAddress(name.as_ptr()).is_null() };
    t.row(CL_SUCCESS, "clIcdGetPlatformIDsKHR is found by name", i32::from(!found));
}
