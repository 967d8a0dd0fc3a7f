//! What an ICD loader of cl_khr_icd 2.0 finds: tags in the dispatch table, functions by name, and its own word in every
//! object. The test calls the library without a loader in between.
// Nearly every call of the API is unsafe, for the reason that the C specification gives.
#![allow(clippy::undocumented_unsafe_blocks)]
#![allow(non_snake_case)]

use hekla::api::dispatch_table::NAMES;
use hekla::api::*;
use hekla::cl::*;
use std::ffi::{c_void, CString};
use std::ptr::{null, null_mut};

fn made<T>(create: impl FnOnce(*mut cl_int) -> *mut T) -> *mut T {
    let mut code = 1;
    let handle = create(&mut code);
    assert_eq!(code, CL_SUCCESS);
    handle
}

fn platform() -> cl_platform_id {
    let (mut platform, mut count) = (null_mut(), 0);
    assert_eq!(unsafe { clIcdGetPlatformIDsKHR(1, &mut platform, &mut count) }, CL_SUCCESS);
    assert_eq!(count, 1);
    platform
}

/// Returns the first two words of an object.
fn words<T>(handle: *mut T) -> [usize; 2] {
    unsafe { handle.cast::<[usize; 2]>().read() }
}

#[test]
fn the_table_has_the_tags_and_all_functions_are_found() {
    let platform = platform();
    let table = words(platform)[0] as *const usize;
    let found = |name: &str| {
        let name = CString::new(name).unwrap();
        unsafe { clIcdGetFunctionAddressForPlatformKHR(platform, name.as_ptr()) as usize }
    };
    for (i, name) in NAMES.iter().enumerate() {
        let slot = unsafe { table.add(i).read() };
        if ["clGetPlatformIDs", "clUnloadCompiler"].contains(name) {
            assert_eq!(slot, CL_ICD2_TAG_KHR as usize, "{name}");
            assert_ne!(found(name), 0, "{name}");
        } else if found(name) != 0 {
            assert_eq!(slot, found(name), "{name}");
        }
    }
    // The newest core function, a function of an extension, and a function that does not exist.
    for name in ["clGetKernelSuggestedLocalWorkSize", "clCreateSemaphoreWithPropertiesKHR"] {
        assert_ne!(found(name), 0, "{name}");
    }
    assert_eq!(found("clNoSuchFunction"), 0);
    let name = c"clFinish".as_ptr();
    for other in [null_mut(), 8 as cl_platform_id] {
        assert!(unsafe { clIcdGetFunctionAddressForPlatformKHR(other, name) }.is_null());
        let set = unsafe { clIcdSetPlatformDispatchDataKHR(other, null_mut()) };
        assert_eq!(set, CL_INVALID_PLATFORM);
    }
    assert!(unsafe { clIcdGetFunctionAddressForPlatformKHR(platform, null()) }.is_null());
    let mut unloadable: cl_bool = CL_TRUE;
    let (size, place) = (size_of::<cl_bool>(), (&raw mut unloadable).cast());
    let code =
        unsafe { clGetPlatformInfo(platform, CL_PLATFORM_UNLOADABLE_KHR, size, place, null_mut()) };
    assert_eq!((code, unloadable), (CL_SUCCESS, CL_FALSE));
}

#[test]
fn every_object_carries_the_word_of_the_loader() {
    let platform = platform();
    let data = 0x1234_5678_usize as *mut c_void;
    let mut objects = vec![words(platform)];
    unsafe {
        // A loader that sets no word lists the devices before another loader sets one.
        let mut count = 0;
        let all = CL_DEVICE_TYPE_ALL;
        assert_eq!(clGetDeviceIDs(platform, all, 0, null_mut(), &mut count), CL_SUCCESS);
        assert_eq!(clIcdSetPlatformDispatchDataKHR(platform, data), CL_SUCCESS);
        objects.push(words(platform));
        let mut device = null_mut();
        assert_eq!(clGetDeviceIDs(platform, all, 1, &mut device, null_mut()), CL_SUCCESS);
        let context = made(|e| clCreateContext(null(), 1, &device, None, null_mut(), e));
        let queue = made(|e| clCreateCommandQueue(context, device, 0, e));
        let buffer = made(|e| clCreateBuffer(context, 0, 64, null_mut(), e));
        let region = cl_buffer_region { origin: 0, size: 32 };
        let (kind, region) = (CL_BUFFER_CREATE_TYPE_REGION, (&raw const region).cast());
        let part = made(|e| clCreateSubBuffer(buffer, 0, kind, region, e));
        let event = made(|e| clCreateUserEvent(context, e));
        let mut marker = null_mut();
        let marked = clEnqueueMarkerWithWaitList(queue, 0, null(), &mut marker);
        assert_eq!(marked, CL_SUCCESS);
        let text = c"kernel void k(void) {}".as_ptr();
        let program = made(|e| clCreateProgramWithSource(context, 1, &text, null(), e));
        let built = clBuildProgram(program, 0, null(), null(), None, null_mut());
        assert_eq!(built, CL_SUCCESS);
        let kernel = made(|e| clCreateKernel(program, c"k".as_ptr(), e));
        let semaphore = [u64::from(CL_SEMAPHORE_TYPE_KHR), CL_SEMAPHORE_TYPE_BINARY_KHR.into(), 0];
        let semaphore =
            made(|e| clCreateSemaphoreWithPropertiesKHR(context, semaphore.as_ptr(), e));
        let recording = made(|e| clCreateCommandBufferKHR(1, &queue, null(), e));
        objects.extend([words(device), words(context), words(queue), words(buffer), words(part)]);
        objects.extend([words(event), words(marker), words(program), words(kernel)]);
        objects.extend([words(semaphore), words(recording)]);
    }
    for object in &objects[1..] {
        assert_eq!(*object, [objects[0][0], data as usize]);
    }
}
