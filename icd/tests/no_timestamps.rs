//! A device whose queues have no timestamps offers no profiling. `HEKLA_TIMESTAMP_BITS=0` makes any device one of these.
// Nearly every call of the API is unsafe, for the reason that the C specification gives.
#![allow(clippy::undocumented_unsafe_blocks)]

mod common;
use common::*;
use std::ptr::{null, null_mut};

fn setup_without_profiling() -> Setup {
    let cl = cl();
    let (mut platform, mut device, mut count) = (null_mut(), null_mut(), 0);
    unsafe {
        check((cl.clGetPlatformIDs)(1, &mut platform, &mut count));
        check((cl.clGetDeviceIDs)(platform, CL_DEVICE_TYPE_ALL, 1, &mut device, &mut count));
        let context = made(|e| (cl.clCreateContext)(null(), 1, &device, None, null_mut(), e));
        let queue = made(|e| (cl.clCreateCommandQueue)(context, device, 0, e));
        Setup { cl, platform, device, context, queue }
    }
}

#[test]
fn a_device_without_timestamps_offers_no_profiling() {
    // The only test of this process.
    std::env::set_var("HEKLA_TIMESTAMP_BITS", "0");
    let s = setup_without_profiling();
    for query in [
        CL_DEVICE_QUEUE_ON_HOST_PROPERTIES,
        CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR,
    ] {
        let offered: u64 = value(|size, place, needed| unsafe {
            (s.cl.clGetDeviceInfo)(s.device, query, size, place, needed)
        });
        assert_eq!(offered, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    }
    let code = refused(|e| unsafe {
        (s.cl.clCreateCommandQueue)(s.context, s.device, CL_QUEUE_PROFILING_ENABLE, e)
    });
    assert_eq!(code, CL_INVALID_QUEUE_PROPERTIES);
    // Other queues work, and their events have no times.
    let mem = s.buffer_of(CL_MEM_COPY_HOST_PTR, &mut [1; 64]);
    let mut event = null_mut();
    let byte = 7u8;
    check(unsafe {
        let pattern = std::ptr::from_ref(&byte).cast();
        (s.cl.clEnqueueFillBuffer)(s.queue, mem, pattern, 1, 0, 64, 0, null(), &mut event)
    });
    s.finish();
    assert_eq!(s.read(mem, 0, 64), [7; 64]);
    let mut time = 0u64;
    let code = unsafe {
        let place = std::ptr::from_mut(&mut time).cast();
        (s.cl.clGetEventProfilingInfo)(event, CL_PROFILING_COMMAND_START, 8, place, null_mut())
    };
    assert_eq!(code, CL_PROFILING_INFO_NOT_AVAILABLE);
}
