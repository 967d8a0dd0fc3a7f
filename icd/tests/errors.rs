//! Null, foreign and dangling handles give the spec's error codes, never a crash.
//!
//! Loaders follow a handle to find its driver, so bad handles are given to the library itself here.

mod common;
use common::*;
use hekla::api as direct;
use std::ptr::{null, null_mut};

/// Memory that is no object, wherever it is read.
static FOREIGN: [u64; 64] = [0x1234_5678_9abc_def0; 64];

fn bad_handles<T>() -> [*mut T; 4] {
    [null_mut(), FOREIGN.as_ptr().cast_mut().cast(), 8 as *mut T, usize::MAX as *mut T]
}

/// A context and queue of the library that is linked in.
fn own() -> (cl_device_id, cl_context, cl_command_queue) {
    let mut device = null_mut();
    unsafe {
        check(direct::clGetDeviceIDs(null_mut(), CL_DEVICE_TYPE_ALL, 1, &mut device, null_mut()));
        let context = made(|e| direct::clCreateContext(null(), 1, &device, None, null_mut(), e));
        let queue = made(|e| direct::clCreateCommandQueue(context, device, 0, e));
        (device, context, queue)
    }
}

#[test]
fn bad_handles_are_refused() {
    unsafe {
        for h in bad_handles() {
            assert_eq!(direct::clGetDeviceInfo(h, 0, 0, null_mut(), null_mut()), CL_INVALID_DEVICE);
            assert_eq!(direct::clRetainDevice(h), CL_INVALID_DEVICE);
        }
        for h in bad_handles() {
            assert_eq!(direct::clRetainContext(h), CL_INVALID_CONTEXT);
            assert_eq!(direct::clReleaseContext(h), CL_INVALID_CONTEXT);
            assert_eq!(refused(|e| direct::clCreateUserEvent(h, e)), CL_INVALID_CONTEXT);
            let code = refused(|e| direct::clCreateBuffer(h, 0, 1, null_mut(), e));
            assert_eq!(code, CL_INVALID_CONTEXT);
        }
        for h in bad_handles() {
            assert_eq!(direct::clRetainCommandQueue(h), CL_INVALID_COMMAND_QUEUE);
            assert_eq!(direct::clFlush(h), CL_INVALID_COMMAND_QUEUE);
            assert_eq!(direct::clFinish(h), CL_INVALID_COMMAND_QUEUE);
            let code = direct::clEnqueueMarkerWithWaitList(h, 0, null(), null_mut());
            assert_eq!(code, CL_INVALID_COMMAND_QUEUE);
        }
        for h in bad_handles() {
            assert_eq!(direct::clRetainMemObject(h), CL_INVALID_MEM_OBJECT);
            assert_eq!(direct::clReleaseMemObject(h), CL_INVALID_MEM_OBJECT);
        }
        for h in bad_handles() {
            assert_eq!(direct::clRetainProgram(h), CL_INVALID_PROGRAM);
            let code = direct::clBuildProgram(h, 0, null(), null(), None, null_mut());
            assert_eq!(code, CL_INVALID_PROGRAM);
            let code = refused(|e| direct::clCreateKernel(h, c"k".as_ptr(), e));
            assert_eq!(code, CL_INVALID_PROGRAM);
        }
        for h in bad_handles() {
            assert_eq!(direct::clRetainKernel(h), CL_INVALID_KERNEL);
            assert_eq!(direct::clSetKernelArg(h, 0, 4, null()), CL_INVALID_KERNEL);
        }
        for h in bad_handles() {
            assert_eq!(direct::clRetainEvent(h), CL_INVALID_EVENT);
            assert_eq!(direct::clSetUserEventStatus(h, 0), CL_INVALID_EVENT);
            assert_eq!(direct::clWaitForEvents(1, &h), CL_INVALID_EVENT);
        }
        for h in bad_handles() {
            assert_eq!(direct::clRetainSampler(h), CL_INVALID_SAMPLER);
        }
        for h in &bad_handles()[1..] {
            let code = direct::clGetPlatformInfo(*h, 0, 0, null_mut(), null_mut());
            assert_eq!(code, CL_INVALID_PLATFORM);
        }
    }
}

#[test]
fn handles_of_another_kind_or_released_are_refused() {
    unsafe {
        let (device, context, queue) = own();
        assert_eq!(direct::clRetainContext(queue.cast()), CL_INVALID_CONTEXT);
        assert_eq!(direct::clRetainMemObject(device.cast()), CL_INVALID_MEM_OBJECT);
        assert_eq!(direct::clFinish(context.cast()), CL_INVALID_COMMAND_QUEUE);
        let mem = made(|e| direct::clCreateBuffer(context, 0, 16, null_mut(), e));
        check(direct::clReleaseMemObject(mem));
        assert_eq!(direct::clReleaseMemObject(mem), CL_INVALID_MEM_OBJECT);
        let event = made(|e| direct::clCreateUserEvent(context, e));
        check(direct::clReleaseEvent(event));
        assert_eq!(direct::clRetainEvent(event), CL_INVALID_EVENT);
        check(direct::clReleaseCommandQueue(queue));
        check(direct::clReleaseContext(context));
        assert_eq!(direct::clRetainContext(context), CL_INVALID_CONTEXT);
    }
}

#[test]
fn wait_lists_are_checked() {
    unsafe {
        let (_, context, queue) = own();
        let (_, other_context, _) = own();
        let stranger = made(|e| direct::clCreateUserEvent(other_context, e));
        let wait = |count, list: *const cl_event| {
            direct::clEnqueueMarkerWithWaitList(queue, count, list, null_mut())
        };
        assert_eq!(wait(1, null()), CL_INVALID_EVENT_WAIT_LIST);
        assert_eq!(wait(0, &stranger), CL_INVALID_EVENT_WAIT_LIST);
        assert_eq!(wait(1, &null_mut()), CL_INVALID_EVENT_WAIT_LIST);
        assert_eq!(wait(1, &context.cast()), CL_INVALID_EVENT_WAIT_LIST);
        assert_eq!(wait(1, &stranger), CL_INVALID_CONTEXT);
        assert_eq!(direct::clWaitForEvents(0, null()), CL_INVALID_VALUE);
    }
}

#[test]
fn foreign_buffers_and_bad_ranges_are_refused() {
    unsafe {
        let (_, context, queue) = own();
        let (_, other, _) = own();
        let stranger = made(|e| direct::clCreateBuffer(other, 0, 64, null_mut(), e));
        let mem = made(|e| direct::clCreateBuffer(context, 0, 64, null_mut(), e));
        let hidden = CL_MEM_HOST_NO_ACCESS;
        let hidden = made(|e| direct::clCreateBuffer(context, hidden, 64, null_mut(), e));
        let mut bytes = [0u8; 64];
        let target: *mut std::ffi::c_void = bytes.as_mut_ptr().cast();
        let read = |mem, offset, size, target| {
            direct::clEnqueueReadBuffer(
                queue,
                mem,
                CL_TRUE,
                offset,
                size,
                target,
                0,
                null(),
                null_mut(),
            )
        };
        assert_eq!(read(stranger, 0, 64, target), CL_INVALID_CONTEXT);
        assert_eq!(read(hidden, 0, 64, target), CL_INVALID_OPERATION);
        assert_eq!(read(mem, 1, 64, target), CL_INVALID_VALUE);
        assert_eq!(read(mem, usize::MAX, 2, target), CL_INVALID_VALUE);
        assert_eq!(read(mem, 0, 64, null_mut()), CL_INVALID_VALUE);
        assert_eq!(read(queue.cast(), 0, 64, target), CL_INVALID_MEM_OBJECT);
        let fill = |size, pattern: *const u8, offset, length| {
            direct::clEnqueueFillBuffer(
                queue,
                mem,
                pattern.cast(),
                size,
                offset,
                length,
                0,
                null(),
                null_mut(),
            )
        };
        assert_eq!(fill(3, bytes.as_ptr(), 0, 9), CL_INVALID_VALUE);
        assert_eq!(fill(256, bytes.as_ptr(), 0, 0), CL_INVALID_VALUE);
        assert_eq!(fill(4, null(), 0, 4), CL_INVALID_VALUE);
        assert_eq!(fill(4, bytes.as_ptr(), 2, 4), CL_INVALID_VALUE);
    }
}

#[test]
fn what_is_not_offered_says_so() {
    unsafe {
        let (device, context, _) = own();
        let code = refused(|e| direct::clCreateImage(context, 0, null(), null(), null_mut(), e));
        assert_eq!(code, CL_INVALID_OPERATION);
        let code = refused(|e| direct::clCreatePipe(context, 0, 4, 4, null(), e));
        assert_eq!(code, CL_INVALID_OPERATION);
        let code = refused(|e| direct::clCreateProgramWithIL(context, null(), 0, e));
        assert_eq!(code, CL_INVALID_OPERATION);
        let code = refused(|e| direct::clCreateSamplerWithProperties(context, null(), e));
        assert_eq!(code, CL_INVALID_OPERATION);
        let code = refused(|e| {
            direct::clCreateProgramWithBuiltInKernels(context, 1, &device, c"k".as_ptr(), e)
        });
        assert_eq!(code, CL_INVALID_VALUE);
        let mut formats = 7;
        let code = direct::clGetSupportedImageFormats(
            context,
            0,
            CL_MEM_OBJECT_IMAGE2D,
            0,
            null_mut(),
            &mut formats,
        );
        assert_eq!((code, formats), (CL_SUCCESS, 0));
    }
}

#[test]
fn programs_check_what_they_are_given() {
    unsafe {
        let (device, context, _) = own();
        let code = refused(|e| direct::clCreateProgramWithSource(context, 0, null(), null(), e));
        assert_eq!(code, CL_INVALID_VALUE);
        let hole = null();
        let code = refused(|e| direct::clCreateProgramWithSource(context, 1, &hole, null(), e));
        assert_eq!(code, CL_INVALID_VALUE);
        let source = c"kernel void k(void) {}".as_ptr();
        let program = made(|e| direct::clCreateProgramWithSource(context, 1, &source, null(), e));
        let build = |count, list: *const cl_device_id, options: &std::ffi::CStr| {
            direct::clBuildProgram(program, count, list, options.as_ptr(), None, null_mut())
        };
        assert_eq!(build(1, null(), c""), CL_INVALID_VALUE);
        assert_eq!(build(0, &device, c""), CL_INVALID_VALUE);
        assert_eq!(build(0, null(), c"-no-such-option"), CL_INVALID_BUILD_OPTIONS);
        let code = refused(|e| direct::clCreateKernel(program, c"k".as_ptr(), e));
        assert_eq!(code, CL_INVALID_PROGRAM_EXECUTABLE);
        let status: cl_int = value(|z, p, r| {
            direct::clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_STATUS, z, p, r)
        });
        assert_eq!(status, CL_BUILD_NONE);
        let (bytes, length, mut binary_status) = ([1u8; 40], 40, 1);
        let binary = bytes.as_ptr();
        let code = refused(|e| {
            direct::clCreateProgramWithBinary(
                context,
                1,
                &device,
                &length,
                &binary,
                &mut binary_status,
                e,
            )
        });
        assert_eq!((code, binary_status), (CL_INVALID_BINARY, CL_INVALID_BINARY));
    }
}

#[test]
fn shared_virtual_memory_is_checked() {
    unsafe {
        let (_, context, queue) = own();
        let alloc = |flags, size, alignment| direct::clSVMAlloc(context, flags, size, alignment);
        assert!(alloc(0, 0, 0).is_null());
        assert!(alloc(0, 64, 3).is_null());
        assert!(alloc(0, 64, 4096).is_null());
        assert!(alloc(1 << 40, 64, 0).is_null());
        assert!(alloc(CL_MEM_SVM_ATOMICS, 64, 0).is_null());
        assert!(alloc(CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 64, 0).is_null());
        let bytes = alloc(CL_MEM_READ_WRITE, 64, 0).cast::<u8>();
        assert!(!bytes.is_null() && (bytes as usize).is_multiple_of(128));
        let copy = |to: *mut u8, from: *const u8, size| {
            let (to, from) = (to.cast(), from.cast());
            direct::clEnqueueSVMMemcpy(queue, CL_TRUE, to, from, size, 0, null(), null_mut())
        };
        let mut host = [0u8; 64];
        assert_eq!(copy(bytes, null(), 4), CL_INVALID_VALUE);
        assert_eq!(copy(null_mut(), bytes, 4), CL_INVALID_VALUE);
        assert_eq!(copy(bytes, bytes.add(8), 16), CL_MEM_COPY_OVERLAP);
        assert_eq!(copy(bytes.add(60), host.as_ptr(), 8), CL_INVALID_VALUE);
        assert_eq!(copy(host.as_mut_ptr(), bytes, 64), CL_SUCCESS);
        let fill = |at: *mut u8, size, length| {
            let pattern = [7u8; 16];
            let pattern = pattern.as_ptr().cast();
            direct::clEnqueueSVMMemFill(
                queue,
                at.cast(),
                pattern,
                size,
                length,
                0,
                null(),
                null_mut(),
            )
        };
        assert_eq!(fill(bytes, 3, 9), CL_INVALID_VALUE);
        assert_eq!(fill(bytes.add(2), 4, 8), CL_INVALID_VALUE);
        assert_eq!(fill(bytes, 4, 6), CL_INVALID_VALUE);
        assert_eq!(fill(host.as_mut_ptr(), 1, 4), CL_INVALID_VALUE);
        assert_eq!(fill(bytes, 4, 64), CL_SUCCESS);
        let map = |at: *mut u8, flags, size| {
            direct::clEnqueueSVMMap(queue, CL_TRUE, flags, at.cast(), size, 0, null(), null_mut())
        };
        assert_eq!(map(bytes, CL_MAP_READ, 0), CL_INVALID_VALUE);
        assert_eq!(map(null_mut(), CL_MAP_READ, 4), CL_INVALID_VALUE);
        assert_eq!(map(bytes, 1 << 20, 4), CL_INVALID_VALUE);
        assert_eq!(map(bytes, CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION, 4), CL_INVALID_VALUE);
        assert_eq!(map(bytes.add(32), CL_MAP_READ, 64), CL_INVALID_VALUE);
        let unmap =
            |at: *mut u8| direct::clEnqueueSVMUnmap(queue, at.cast(), 0, null(), null_mut());
        assert_eq!(unmap(bytes), CL_INVALID_VALUE);
        assert_eq!(map(bytes, CL_MAP_READ, 64), CL_SUCCESS);
        assert_eq!(*bytes.add(63), 7);
        assert_eq!(unmap(bytes), CL_SUCCESS);
        assert_eq!(unmap(host.as_mut_ptr()), CL_INVALID_VALUE);
        direct::clSVMFree(context, host.as_mut_ptr().cast());
        direct::clSVMFree(context, bytes.cast());
        assert_eq!(copy(host.as_mut_ptr(), bytes, 0), CL_SUCCESS);
    }
}
