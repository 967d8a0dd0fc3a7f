//! A context of two devices: buffers follow the commands that use them, and what each device prints
//! arrives. The second device belongs to another driver ([`drivers`]), or to the same one where it has several.
// Nearly every call of the API is unsafe, for the reason that the C specification gives.
#![allow(clippy::undocumented_unsafe_blocks)]

mod common;
#[path = "common/drivers.rs"]
mod drivers;
#[path = "common/pair.rs"]
mod pair;
#[path = "common/spirv.rs"]
mod spirv;
use common::*;
use std::ffi::{c_char, c_void};
use std::ptr::{null, null_mut};
use std::sync::Mutex;

/// Returns a context of two devices, with properties, and a queue on each device; `None` where there is no second device.
fn two_devices(
    properties: &[isize],
    data: *mut c_void,
) -> Option<(&'static OpenCl, cl_context, [cl_command_queue; 2])> {
    let ((platform, devices), cl) = (pair::two_devices()?, cl());
    unsafe {
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
fn a_module_is_built_for_each_device() {
    let Some((cl, context, queues)) = two_devices(&[], null_mut()) else { return };
    let il = spirv::module("run");
    unsafe {
        let (bytes, size) = (il.as_ptr().cast(), il.len() * 4);
        let program = made(|e| (cl.clCreateProgramWithIL)(context, bytes, size, e));
        check((cl.clBuildProgram)(program, 0, null(), null(), None, null_mut()));
        let kernel = made(|e| (cl.clCreateKernel)(program, c"run".as_ptr(), e));
        for queue in queues {
            let buffer = made(|e| (cl.clCreateBuffer)(context, 0, 4, null_mut(), e));
            check((cl.clSetKernelArg)(kernel, 0, 8, (&raw const buffer).cast()));
            let (one, none, event) = (&1usize as *const usize, null(), null_mut());
            let enqueue = cl.clEnqueueNDRangeKernel;
            check(enqueue(queue, kernel, 1, none, one, none, 0, null(), event));
            let mut value = 0u32;
            let place = (&raw mut value).cast();
            let read = cl.clEnqueueReadBuffer;
            check(read(queue, buffer, CL_TRUE, 0, 4, place, 0, null(), null_mut()));
            assert_eq!(value, spirv::DEFAULT);
        }
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

        // A write through a map on one device is visible on the other.
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

/// A buffer has an address on each device, and a kernel finds its contents at the address that it is given.
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
        // Both queues still work.
        for queue in queues {
            check((cl.clWaitForEvents)(1, &fill(queue, &[])));
        }
    }
}

/// Kernels that report where they ran, and when.
const SOURCE: &std::ffi::CStr = c"
kernel void increment(global int *p) { p[get_global_id(0)] += 1; }
kernel void slow(global uint *p, uint rounds) {
    uint x = p[0];
    for (uint i = 0; i < rounds; i++) x = (x ^ i) * 1664525u + 1013904223u;
    p[0] = x == 0u ? 1u : 42u;
}";

unsafe fn build(cl: &OpenCl, context: cl_context) -> cl_program {
    unsafe {
        let text = SOURCE.as_ptr();
        let program = made(|e| (cl.clCreateProgramWithSource)(context, 1, &text, null(), e));
        check((cl.clBuildProgram)(program, 0, null(), null(), None, null_mut()));
        program
    }
}

unsafe fn sub_buffer(cl: &OpenCl, mem: cl_mem, origin: usize, size: usize) -> cl_mem {
    let region = cl_buffer_region { origin, size };
    let create = cl.clCreateSubBuffer;
    let kind = CL_BUFFER_CREATE_TYPE_REGION;
    made(|e| unsafe { create(mem, 0, kind, (&raw const region).cast(), e) })
}

unsafe fn launch(cl: &OpenCl, queue: cl_command_queue, kernel: cl_kernel, mem: cl_mem, n: usize) {
    unsafe {
        check((cl.clSetKernelArg)(kernel, 0, size_of::<cl_mem>(), (&raw const mem).cast()));
        let enqueue = cl.clEnqueueNDRangeKernel;
        check(enqueue(queue, kernel, 1, null(), &n, null(), 0, null(), null_mut()));
    }
}

unsafe fn read_all<T: Copy + Default>(
    cl: &OpenCl,
    queue: cl_command_queue,
    mem: cl_mem,
    count: usize,
) -> Vec<T> {
    let mut back = vec![T::default(); count];
    let (place, size) = (back.as_mut_ptr().cast(), count * size_of::<T>());
    let read = cl.clEnqueueReadBuffer;
    check(unsafe { read(queue, mem, CL_TRUE, 0, size, place, 0, null(), null_mut()) });
    back
}

/// Each device counts in its own half of a buffer, all the time. The halves change hands, and in between both are read
/// and written together.
#[test]
fn disjoint_sub_buffers_belong_to_a_device_each() {
    const LAUNCHES: i32 = 300;
    const HALF: usize = 1024;
    let Some((cl, context, queues)) = two_devices(&[], null_mut()) else { return };
    unsafe {
        let program = build(cl, context) as usize;
        let parent = made(|e| (cl.clCreateBuffer)(context, 0, 8 * HALF, null_mut(), e));
        let zero = 0u32;
        let from = (&raw const zero).cast();
        let fill = cl.clEnqueueFillBuffer;
        check(fill(queues[0], parent, from, 4, 0, 8 * HALF, 0, null(), null_mut()));
        check((cl.clFinish)(queues[0]));
        let halves = [0, 1].map(|half| sub_buffer(cl, parent, 4 * HALF * half, 4 * HALF) as usize);
        let queues = queues.map(|queue| queue as usize);
        for round in 0..4 {
            std::thread::scope(|scope| {
                for (half, mem) in halves.into_iter().enumerate() {
                    let queue = queues[(half + round) % 2];
                    scope.spawn(move || {
                        let (queue, program) = (queue as cl_command_queue, program as cl_program);
                        let kernel =
                            made(|e| (cl.clCreateKernel)(program, c"increment".as_ptr(), e));
                        for index in 0..LAUNCHES {
                            launch(cl, queue, kernel, mem as cl_mem, HALF);
                            if index % 16 == 0 {
                                check((cl.clFlush)(queue));
                            }
                        }
                        check((cl.clFinish)(queue));
                    });
                }
            });
            // Launches a kernel on the whole buffer, on a device that has one half of it.
            let queue = queues[round / 2] as cl_command_queue;
            let kernel =
                made(|e| (cl.clCreateKernel)(program as cl_program, c"increment".as_ptr(), e));
            launch(cl, queue, kernel, parent, 2 * HALF);
            let expected = (round as i32 + 1) * (LAUNCHES + 1);
            let values = read_all::<i32>(cl, queue, parent, 2 * HALF);
            let wrong = values.iter().filter(|value| **value != expected).count();
            assert_eq!(wrong, 0, "round {round}: {values:?}, not {expected}");
        }
    }
}

/// Both devices write ranges of bytes that touch each other, none of them aligned.
#[test]
fn transfers_of_both_devices_to_ranges_side_by_side() {
    const WIDTH: usize = 1001;
    const ROUNDS: usize = 40;
    let Some((cl, context, queues)) = two_devices(&[], null_mut()) else { return };
    unsafe {
        // Bytes [0, 2 WIDTH) linear; behind them a box of 16 rows, half a row for each device.
        let (row, rows) = (14, 16);
        let size = 2 * WIDTH + row * rows;
        let mut contents = pattern(size, 3);
        let (flags, host) = (CL_MEM_COPY_HOST_PTR, contents.as_mut_ptr().cast());
        let mem = made(|e| (cl.clCreateBuffer)(context, flags, size, host, e)) as usize;
        let both = queues.map(|queue| queue as usize);
        std::thread::scope(|scope| {
            for (index, queue) in both.into_iter().enumerate() {
                scope.spawn(move || {
                    let (queue, mem) = (queue as cl_command_queue, mem as cl_mem);
                    let start = index * WIDTH;
                    for round in 0..ROUNDS {
                        let byte = (2 * round + index) as u8;
                        let from: *const c_void = (&raw const byte).cast();
                        let fill = cl.clEnqueueFillBuffer;
                        check(fill(queue, mem, from, 1, start, 333, 0, null(), null_mut()));
                        let copy = cl.clEnqueueCopyBuffer;
                        check(copy(
                            queue,
                            mem,
                            mem,
                            start,
                            start + 333,
                            333,
                            0,
                            null(),
                            null_mut(),
                        ));
                        let bytes = [byte; 100];
                        let (no, from) = (CL_FALSE, bytes.as_ptr().cast());
                        let write = cl.clEnqueueWriteBuffer;
                        let at = start + 666;
                        check(write(queue, mem, no, at, 100, from, 0, null(), null_mut()));
                        let flags = CL_MAP_READ | CL_MAP_WRITE;
                        let (at, yes, map) = (start + 766, CL_TRUE, cl.clEnqueueMapBuffer);
                        let pointer = made(|e| {
                            map(queue, mem, yes, flags, at, 235, 0, null(), null_mut(), e)
                        });
                        std::slice::from_raw_parts_mut(pointer.cast::<u8>(), 235).fill(byte);
                        let unmap = cl.clEnqueueUnmapMemObject;
                        check(unmap(queue, mem, pointer, 0, null(), null_mut()));
                        let column = vec![byte; row / 2 * rows];
                        let origin = [2 * WIDTH + index * row / 2, 0, 0];
                        check((cl.clEnqueueWriteBufferRect)(
                            queue,
                            mem,
                            CL_TRUE,
                            origin.as_ptr(),
                            [0; 3].as_ptr(),
                            [row / 2, rows, 1].as_ptr(),
                            row,
                            0,
                            row / 2,
                            0,
                            column.as_ptr().cast(),
                            0,
                            null(),
                            null_mut(),
                        ));
                        let mut back = vec![0u8; WIDTH];
                        let (place, read) = (back.as_mut_ptr().cast(), cl.clEnqueueReadBuffer);
                        check(read(queue, mem, yes, start, WIDTH, place, 0, null(), null_mut()));
                        assert_eq!(back, [byte; WIDTH], "device {index}, round {round}");
                    }
                    check((cl.clFinish)(queue));
                });
            }
        });
        let last = 2 * (ROUNDS - 1) as u8;
        for (index, range) in [0..WIDTH, WIDTH..2 * WIDTH].into_iter().enumerate() {
            contents[range].fill(last + index as u8);
        }
        for half in contents[2 * WIDTH..].chunks_mut(row) {
            half[..row / 2].fill(last);
            half[row / 2..].fill(last + 1);
        }
        for queue in queues {
            assert_eq!(read_all::<u8>(cl, queue, mem as cl_mem, size), contents);
        }
    }
}

/// A command's call returns although another device is busy with the rest of the buffer; a migration's call returns
/// although the bytes that it moves are not there yet.
#[test]
fn no_call_waits_for_another_device() {
    const SIZE: usize = 32 << 20;
    let Some((cl, context, queues)) = two_devices(&[], null_mut()) else { return };
    unsafe {
        let program = build(cl, context);
        let kernel = made(|e| (cl.clCreateKernel)(program, c"slow".as_ptr(), e));
        let parent = made(|e| (cl.clCreateBuffer)(context, 0, SIZE, null_mut(), e));
        let [front, back] = [0, SIZE / 2].map(|at| sub_buffer(cl, parent, at, SIZE / 2));
        for (here, there) in [(queues[0], queues[1]), (queues[1], queues[0])] {
            let word = 7u32;
            let from: *const c_void = (&raw const word).cast();
            let fill = cl.clEnqueueFillBuffer;
            check(fill(here, parent, from, 4, 0, SIZE, 0, null(), null_mut()));
            // The first launch, of one round, compiles the kernel, so that the second one does not.
            for rounds in [1u32, 300_000_000] {
                check((cl.clSetKernelArg)(kernel, 1, 4, (&raw const rounds).cast()));
                let mem = (&raw const front).cast();
                check((cl.clSetKernelArg)(kernel, 0, size_of::<cl_mem>(), mem));
                let mut busy = null_mut();
                let (enqueue, one) = (cl.clEnqueueNDRangeKernel, 1);
                check(enqueue(here, kernel, 1, null(), &one, null(), 0, null(), &mut busy));
                check((cl.clFlush)(here));
                if rounds == 1 {
                    check((cl.clFinish)(here));
                    continue;
                }
                let (mut filled, mut migrated) = (null_mut(), null_mut());
                check(fill(there, back, from, 4, 4, 4, 0, null(), &mut filled));
                let migrate = cl.clEnqueueMigrateMemObjects;
                check(migrate(there, 1, &front, 0, 0, null(), &mut migrated));
                let status = |event| {
                    let name = CL_EVENT_COMMAND_EXECUTION_STATUS;
                    value::<cl_int>(|z, p, r| (cl.clGetEventInfo)(event, name, z, p, r))
                };
                assert_ne!(status(busy), CL_COMPLETE, "the calls have waited");
                assert_ne!(status(migrated), CL_COMPLETE);
                check((cl.clWaitForEvents)(1, &filled));
                check((cl.clWaitForEvents)(1, &migrated));
                assert_eq!(status(busy), CL_COMPLETE);
            }
            let values = read_all::<u32>(cl, there, parent, SIZE / 4);
            assert_eq!(values[0], 42);
            assert!(values[1..].iter().all(|value| *value == 7));
        }
    }
}

/// A migration is a command of its queue with a type, an event and times. It brings the bytes, unless these
/// are undefined afterwards.
#[test]
fn buffers_migrate_with_their_contents_or_without() {
    let Some((cl, context, queues)) = two_devices(&[], null_mut()) else { return };
    unsafe {
        let count = 1000;
        let mem = made(|e| (cl.clCreateBuffer)(context, 0, 4 * count, null_mut(), e));
        let fill = |queue, word: u32| {
            let (fill, from) = (cl.clEnqueueFillBuffer, (&raw const word).cast());
            check(fill(queue, mem, from, 4, 0, 4 * count, 0, null(), null_mut()));
            check((cl.clFinish)(queue));
        };
        let migrate = |queue, flags| {
            let (mut event, migrate) = (null_mut(), cl.clEnqueueMigrateMemObjects);
            check(migrate(queue, 1, &mem, flags, 0, null(), &mut event));
            check((cl.clWaitForEvents)(1, &event));
            let name = CL_EVENT_COMMAND_TYPE;
            let kind: cl_uint = value(|z, p, r| (cl.clGetEventInfo)(event, name, z, p, r));
            assert_eq!(kind, CL_COMMAND_MIGRATE_MEM_OBJECTS);
        };
        fill(queues[0], 7);
        fill(queues[1], 9);
        // The first device still has the bytes that it wrote.
        migrate(queues[0], CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED);
        assert_eq!(read_all::<u32>(cl, queues[0], mem, count), vec![7; count]);
        fill(queues[1], 9);
        migrate(queues[0], 0);
        migrate(queues[1], CL_MIGRATE_MEM_OBJECT_HOST);
        for queue in queues {
            assert_eq!(read_all::<u32>(cl, queue, mem, count), vec![9; count]);
        }
        let nothing = CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
        migrate(queues[1], nothing);
        fill(queues[0], 5);
        assert_eq!(read_all::<u32>(cl, queues[1], mem, count), vec![5; count]);
    }
}

/// Commands of a queue keep their order where some wait for bytes of the other device.
#[test]
fn commands_keep_their_order_behind_a_move() {
    let Some((cl, context, queues)) = two_devices(&[], null_mut()) else { return };
    unsafe {
        let program = build(cl, context);
        let kernel = made(|e| (cl.clCreateKernel)(program, c"increment".as_ptr(), e));
        let count = 4 << 20;
        let mem = made(|e| (cl.clCreateBuffer)(context, 0, 4 * count, null_mut(), e));
        let other = made(|e| (cl.clCreateBuffer)(context, 0, 4 * count, null_mut(), e));
        let word = 10u32;
        let (fill, from) = (cl.clEnqueueFillBuffer, (&raw const word).cast());
        check(fill(queues[0], mem, from, 4, 0, 4 * count, 0, null(), null_mut()));
        for round in 0..6 {
            let queue = queues[(round + 1) % 2];
            check((cl.clFinish)(queues[round % 2]));
            launch(cl, queue, kernel, mem, count);
            let copy = cl.clEnqueueCopyBuffer;
            check(copy(queue, mem, other, 0, 0, 4 * count, 0, null(), null_mut()));
            launch(cl, queue, kernel, mem, count);
            launch(cl, queue, kernel, other, count);
            check((cl.clFlush)(queue));
            let expected = 10 + 2 * (round as u32 + 1);
            for mem in [mem, other] {
                let values = read_all::<u32>(cl, queue, mem, count);
                assert!(values.iter().all(|value| *value == expected), "round {round}");
            }
        }
    }
}

/// Returns the numbers of the threads that move bytes.
#[cfg(target_os = "linux")]
fn movers() -> Vec<String> {
    let tasks = std::fs::read_dir("/proc/self/task").unwrap().flatten();
    let moves = tasks.filter(|task| {
        std::fs::read_to_string(task.path().join("comm")).is_ok_and(|name| name == "hekla-move\n")
    });
    moves.map(|task| task.file_name().to_string_lossy().into_owned()).collect()
}

/// Other tests of this binary move bytes at the same time, with threads that count here, too.
#[test]
#[cfg(target_os = "linux")]
fn moves_that_follow_one_another_share_threads() {
    const ROUNDS: usize = 60;
    let Some((cl, context, queues)) = two_devices(&[], null_mut()) else { return };
    let mut seen = std::collections::BTreeSet::new();
    unsafe {
        let mem = made(|e| (cl.clCreateBuffer)(context, CL_MEM_READ_WRITE, 4096, null_mut(), e));
        for round in 0..ROUNDS {
            let (here, there) = (queues[round % 2], queues[(round + 1) % 2]);
            let (number, mut words) = (round as u32, [0u32; 1024]);
            let (fill, pattern) = (cl.clEnqueueFillBuffer, (&raw const number).cast());
            check(fill(here, mem, pattern, 4, 0, 4096, 0, null(), null_mut()));
            check((cl.clFinish)(here));
            let (read, to) = (cl.clEnqueueReadBuffer, words.as_mut_ptr().cast());
            check(read(there, mem, CL_TRUE, 0, 4096, to, 0, null(), null_mut()));
            assert_eq!(words, [number; 1024]);
            seen.extend(movers());
        }
        check((cl.clReleaseMemObject)(mem));
    }
    assert!((1..ROUNDS / 2).contains(&seen.len()), "{} threads", seen.len());
}
