//! A context of two devices: buffers follow the commands that use them, and what each device prints
//! arrives. The second device is that of another driver ([`drivers`]).

mod common;
#[path = "common/drivers.rs"]
mod drivers;
use common::*;
use std::ffi::{c_char, c_void};
use std::ptr::{null, null_mut};
use std::sync::Mutex;

/// Both devices, in a context with properties, and a queue on each; `None` where there is no second
/// driver.
fn two_devices(
    properties: &[isize],
    data: *mut c_void,
) -> Option<(&'static OpenCl, cl_context, [cl_command_queue; 2])> {
    if !drivers::add_another() {
        return None;
    }
    let cl = cl();
    unsafe {
        let (mut platform, mut count) = (null_mut(), 0);
        check((cl.clGetPlatformIDs)(1, &mut platform, null_mut()));
        let mut devices = [null_mut(); 2];
        let (all, list) = (CL_DEVICE_TYPE_ALL, devices.as_mut_ptr());
        check((cl.clGetDeviceIDs)(platform, all, 2, list, &mut count));
        assert_eq!(count, 2);
        let platform = [CL_CONTEXT_PLATFORM as isize, platform as isize];
        let list = [&platform[..], properties, &[0]].concat();
        let (list, devices_list) = (list.as_ptr(), devices.as_ptr());
        let context = made(|e| (cl.clCreateContext)(list, 2, devices_list, None, data, e));
        let queues =
            devices.map(|device| made(|e| (cl.clCreateCommandQueue)(context, device, 0, e)));
        Some((cl, context, queues))
    }
}

unsafe extern "C" fn keep(text: *const c_char, size: usize, _complete: usize, kept: *mut c_void) {
    let (text, kept) = unsafe {
        let text = std::slice::from_raw_parts(text.cast::<u8>(), size);
        (text, &*kept.cast::<Mutex<Vec<u8>>>())
    };
    kept.lock().unwrap().extend_from_slice(text);
}

#[test]
fn each_device_prints() {
    let kept = Mutex::new(Vec::new());
    let callback = [CL_PRINTF_CALLBACK_ARM as isize, keep as *const () as isize];
    let data = (&raw const kept).cast_mut().cast();
    let Some((cl, context, queues)) = two_devices(&callback, data) else { return };
    let source = c"kernel void k(int device, int n) { printf(\"%d %d\\n\", device, n); }";
    unsafe {
        let text = source.as_ptr();
        let program = made(|e| (cl.clCreateProgramWithSource)(context, 1, &text, null(), e));
        check((cl.clBuildProgram)(program, 0, null(), null(), None, null_mut()));
        let kernel = made(|e| (cl.clCreateKernel)(program, c"k".as_ptr(), e));
        for n in 0..10i32 {
            for (device, queue) in (0i32..).zip(queues) {
                check((cl.clSetKernelArg)(kernel, 0, 4, (&raw const device).cast()));
                check((cl.clSetKernelArg)(kernel, 1, 4, (&raw const n).cast()));
                let (one, none) = (&1usize as *const usize, null());
                let event = null_mut();
                let enqueue = cl.clEnqueueNDRangeKernel;
                check(enqueue(queue, kernel, 1, none, one, none, 0, null(), event));
            }
        }
        for queue in queues {
            check((cl.clFinish)(queue));
        }
    }
    let text = String::from_utf8(kept.lock().unwrap().clone()).unwrap();
    for device in ["0", "1"] {
        let lines = text.lines().filter_map(|line| line.split_once(' '));
        let numbers: Vec<_> = lines.filter(|line| line.0 == device).map(|line| line.1).collect();
        assert_eq!(numbers, ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"], "{text}");
    }
}

#[test]
fn buffers_move_between_devices() {
    let Some((cl, context, queues)) = two_devices(&[], null_mut()) else { return };
    unsafe {
        let size = 100_000;
        let mut contents = pattern(size, 1);
        let host = contents.as_mut_ptr().cast();
        let flags = CL_MEM_COPY_HOST_PTR;
        let a = made(|e| (cl.clCreateBuffer)(context, flags, size, host, e));
        let b = made(|e| (cl.clCreateBuffer)(context, 0, size, null_mut(), e));
        // The copy runs on one device, the change on the other, the read on the first again.
        let (mut copied, mut changed) = (null_mut(), null_mut());
        let nothing = null();
        check((cl.clEnqueueCopyBuffer)(queues[1], a, b, 0, 0, size, 0, nothing, &mut copied));
        let pattern = [0xABu8; 4];
        let fill = pattern.as_ptr().cast();
        check((cl.clEnqueueFillBuffer)(queues[0], b, fill, 4, 0, 400, 1, &copied, &mut changed));
        let mut back = vec![0u8; size];
        check((cl.clEnqueueReadBuffer)(
            queues[1],
            b,
            CL_TRUE,
            0,
            size,
            back.as_mut_ptr().cast(),
            1,
            &changed,
            null_mut(),
        ));
        contents[..400].fill(0xAB);
        assert!(back == contents);

        // Mapped on one device, seen on the other.
        let pointer = made(|e| {
            let flags = CL_MAP_READ | CL_MAP_WRITE;
            (cl.clEnqueueMapBuffer)(
                queues[0],
                b,
                CL_TRUE,
                flags,
                1000,
                1000,
                0,
                null(),
                null_mut(),
                e,
            )
        });
        let seen = std::slice::from_raw_parts_mut(pointer.cast::<u8>(), 1000);
        assert_eq!(seen, &contents[1000..2000]);
        seen.fill(7);
        let mut unmapped = null_mut();
        check((cl.clEnqueueUnmapMemObject)(queues[0], b, pointer, 0, null(), &mut unmapped));
        check((cl.clEnqueueReadBuffer)(
            queues[1],
            b,
            CL_TRUE,
            0,
            size,
            back.as_mut_ptr().cast(),
            1,
            &unmapped,
            null_mut(),
        ));
        contents[1000..2000].fill(7);
        assert!(back == contents);
    }
}

/// A region that one device mapped is read into, written from and unmapped by commands of the other.
#[test]
fn mapped_regions_serve_both_devices() {
    let Some((cl, context, queues)) = two_devices(&[], null_mut()) else { return };
    unsafe {
        let size = 100_000;
        for [here, there] in [queues, [queues[1], queues[0]]] {
            let mut contents = pattern(size, 5);
            let (host, flags) = (contents.as_mut_ptr().cast(), CL_MEM_COPY_HOST_PTR);
            let a = made(|e| (cl.clCreateBuffer)(context, flags, size, host, e));
            let [b, c] =
                [0; 2].map(|_| made(|e| (cl.clCreateBuffer)(context, 0, size, null_mut(), e)));
            let [mut mapped, mut read, mut written, mut unmapped] = [null_mut(); 4];
            let p = made(|e| {
                let (no, write, map) = (CL_FALSE, CL_MAP_WRITE, cl.clEnqueueMapBuffer);
                map(here, b, no, write, 0, size, 0, null(), &mut mapped, e)
            });
            let enqueue = cl.clEnqueueReadBuffer;
            check(enqueue(there, a, CL_FALSE, 0, size, p, 1, &mapped, &mut read));
            let enqueue = cl.clEnqueueWriteBuffer;
            check(enqueue(here, c, CL_FALSE, 0, size, p, 1, &read, &mut written));
            let enqueue = cl.clEnqueueUnmapMemObject;
            check(enqueue(there, b, p, 1, &written, &mut unmapped));
            for mem in [b, c] {
                let mut back = vec![0u8; size];
                let place = back.as_mut_ptr().cast();
                let enqueue = cl.clEnqueueReadBuffer;
                check(enqueue(here, mem, CL_TRUE, 0, size, place, 1, &unmapped, null_mut()));
                assert!(back == contents);
            }
        }
    }
}

/// A buffer has an address on each device, and its contents are there when a kernel is given it.
#[test]
fn device_addresses_bring_the_contents() {
    let Some((cl, context, queues)) = two_devices(&[], null_mut()) else { return };
    let source = c"kernel void next(global int *p) { p[1] += p[2]; }";
    unsafe {
        let text = source.as_ptr();
        let program = made(|e| (cl.clCreateProgramWithSource)(context, 1, &text, null(), e));
        check((cl.clBuildProgram)(program, 0, null(), null(), None, null_mut()));
        let kernel = made(|e| (cl.clCreateKernel)(program, c"next".as_ptr(), e));
        let list = [u64::from(CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT), 1, 0];
        let mut contents: Vec<u8> = [10i32, 20, 3].into_iter().flat_map(i32::to_ne_bytes).collect();
        let (flags, host) = (CL_MEM_COPY_HOST_PTR, contents.as_mut_ptr().cast());
        let create = cl.clCreateBufferWithProperties;
        let mem = made(|e| create(context, list.as_ptr(), flags, 12, host, e));
        let addresses: [u64; 2] = value(|size, place, size_ret| {
            let name = CL_MEM_DEVICE_ADDRESS_EXT;
            (cl.clGetMemObjectInfo)(mem, name, size, place, size_ret)
        });
        let (mut platform, name) = (null_mut(), c"clSetKernelArgDevicePointerEXT");
        check((cl.clGetPlatformIDs)(1, &mut platform, null_mut()));
        let set = (cl.clGetExtensionFunctionAddressForPlatform)(platform, name.as_ptr());
        type Set = unsafe extern "C" fn(cl_kernel, cl_uint, u64) -> cl_int;
        let set = std::mem::transmute::<*mut c_void, Set>(set);
        for index in [0, 1, 1, 0] {
            check(set(kernel, 0, addresses[index]));
            let (queue, one, none) = (queues[index], &1usize as *const usize, null());
            let enqueue = cl.clEnqueueNDRangeKernel;
            check(enqueue(queue, kernel, 1, none, one, none, 0, null(), null_mut()));
            check((cl.clFinish)(queue));
        }
        let mut back = [0i32; 3];
        let place = back.as_mut_ptr().cast();
        let read = cl.clEnqueueReadBuffer;
        check(read(queues[1], mem, CL_TRUE, 0, 12, place, 0, null(), null_mut()));
        assert_eq!(back, [10, 32, 3]);
    }
}

#[test]
fn a_failure_reaches_the_commands_of_both_devices() {
    let Some((cl, context, queues)) = two_devices(&[], null_mut()) else { return };
    unsafe {
        let gate = made(|e| (cl.clCreateUserEvent)(context, e));
        let mem = made(|e| (cl.clCreateBuffer)(context, 0, 64, null_mut(), e));
        let pattern = 5u32;
        let fill = |queue, waits: &[cl_event]| {
            let (mut event, from) = (null_mut(), (&raw const pattern).cast());
            let (count, list) = (waits.len() as u32, waits.as_ptr());
            let list = if waits.is_empty() { null() } else { list };
            check((cl.clEnqueueFillBuffer)(queue, mem, from, 4, 0, 64, count, list, &mut event));
            event
        };
        // A chain that goes from device to device.
        let mut chain = vec![gate];
        for queue in [queues[0], queues[1], queues[0], queues[1]] {
            chain.push(fill(queue, &chain[chain.len() - 1..]));
        }
        check((cl.clFlush)(queues[0]));
        check((cl.clFlush)(queues[1]));
        check((cl.clSetUserEventStatus)(gate, -42));
        for event in &chain[1..] {
            let failed = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
            assert_eq!((cl.clWaitForEvents)(1, event), failed);
            let name = CL_EVENT_COMMAND_EXECUTION_STATUS;
            let status: cl_int = value(|z, p, r| (cl.clGetEventInfo)(*event, name, z, p, r));
            assert!(status < 0, "{status}");
        }
        // Both go on.
        for queue in queues {
            check((cl.clWaitForEvents)(1, &fill(queue, &[])));
        }
    }
}
