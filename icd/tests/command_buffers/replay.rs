//! The work of a replay, the objects that it keeps alive, and the state of its event.

use crate::common::*;
use crate::recorder::*;
use std::ptr::{null, null_mut};

const SOURCE: &str = "
    kernel void step(global uint *p) { size_t i = get_global_id(0); p[i] = p[i] * 3 + 1; }
    kernel void add(global uint *p, uint n) { p[get_global_id(0)] += n; }
    kernel void many(global uint *out, ulong16 a, ulong16 b) { out[0] += (uint)(a.s0 + b.sf); }
    kernel void shared(global uint *p, local uint *room) {
        size_t i = get_local_id(0);
        room[i] = p[get_global_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
        p[get_global_id(0)] = room[get_local_size(0) - 1 - i] + 1;
    }";

fn stepped(mut x: u32, times: u32) -> u32 {
    for _ in 0..times {
        x = x.wrapping_mul(3).wrapping_add(1);
    }
    x
}

#[test]
fn the_extensions_are_offered_in_their_versions() {
    let s = Setup::new();
    let all = bytes(|z, p, r| unsafe {
        (s.cl.clGetDeviceInfo)(s.device, CL_DEVICE_EXTENSIONS_WITH_VERSION, z, p, r)
    });
    for (extension, version) in [
        (&b"cl_khr_command_buffer\0"[..], make_version(0, 9, 8)),
        (&b"cl_khr_command_buffer_mutable_dispatch\0"[..], make_version(0, 9, 5)),
    ] {
        let entry = all.chunks(68).find(|entry| entry[4..].starts_with(extension));
        assert_eq!(entry.unwrap()[..4], version.to_ne_bytes());
    }
    let query = |name| -> u64 {
        value(|z, p, r| unsafe { (s.cl.clGetDeviceInfo)(s.device, name, z, p, r) })
    };
    let capabilities = query(CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR);
    assert_ne!(capabilities & CL_COMMAND_BUFFER_CAPABILITY_KERNEL_PRINTF_KHR, 0);
    assert_ne!(capabilities & CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR, 0);
    assert_ne!(capabilities & CL_COMMAND_BUFFER_CAPABILITY_DEVICE_SIDE_ENQUEUE_KHR, 0);
    assert_eq!(query(CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR), 0);
    let on_host = query(CL_DEVICE_QUEUE_ON_HOST_PROPERTIES);
    assert_eq!(query(CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR), on_host);
    assert_eq!(query(CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR), 0x1f);
}

#[test]
fn replays_run_in_order_among_other_commands() {
    let s = Setup::new();
    let kernel = s.kernel(s.program(SOURCE, ""), "step");
    let p = filled(&s, 64, 1);
    s.set(kernel, 0, &p);
    let r = Recorder::new(&s);
    for _ in 0..5 {
        r.launch(kernel, 64, &[]);
    }
    r.finalize();
    for _ in 0..60 {
        r.enqueue();
        check(s.launch(kernel, &[64], None));
    }
    assert_eq!(words(&s, p, 64), vec![stepped(1, 360); 64]);
}

/// Replays copy the buffer's bytes to the image and back, in order with other commands on the buffer.
#[test]
fn images_of_buffers_are_replayed() {
    let s = Setup::new();
    let images = value::<u32>(|z, p, r| unsafe {
        (s.cl.clGetDeviceInfo)(s.device, CL_DEVICE_IMAGE_PITCH_ALIGNMENT, z, p, r)
    });
    if images == 0 {
        skip("no 2D images of buffers");
        return;
    }
    let source = "
        kernel void step(global uint *p) { size_t i = get_global_id(0); p[i] = p[i] * 3 + 1; }
        kernel void by_image(read_only image2d_t from, write_only image2d_t to) {
            int2 at = (int2)(get_global_id(0) & 3, get_global_id(0) >> 2);
            write_imageui(to, at, read_imageui(from, at) * 3 + 1);
        }";
    let program = s.program(source, "");
    let (step, by_image) = (s.kernel(program, "step"), s.kernel(program, "by_image"));
    let format = cl_image_format {
        image_channel_order: CL_RGBA,
        image_channel_data_type: CL_UNSIGNED_INT32,
    };
    let [p, q] = [filled(&s, 64, 1), filled(&s, 64, 1)];
    let image = |mem_object| {
        let desc = cl_image_desc {
            image_type: CL_MEM_OBJECT_IMAGE2D,
            image_width: 4,
            image_height: 4,
            image_depth: 1,
            image_array_size: 1,
            image_row_pitch: 64,
            image_slice_pitch: 0,
            num_mip_levels: 0,
            num_samples: 0,
            mem_object,
        };
        let create = s.cl.clCreateImage;
        made(|e| unsafe { create(s.context, 0, &format, &desc, null_mut(), e) })
    };
    let images = [p, q].map(image);
    let r = Recorder::new(&s);
    for turn in 0..3 {
        s.set(by_image, 0, &images[turn % 2]);
        s.set(by_image, 1, &images[1 - turn % 2]);
        r.launch(by_image, 16, &[]);
    }
    r.copy(q, p, 256, &[]);
    s.set(step, 0, &p);
    r.launch(step, 64, &[]);
    r.finalize();
    for _ in 0..10 {
        r.enqueue();
        check(s.launch(step, &[64], None));
    }
    assert_eq!(words(&s, p, 64), vec![stepped(1, 50); 64]);
    check(unsafe { (s.cl.clReleaseMemObject)(images[0]) });
    check(unsafe { (s.cl.clReleaseMemObject)(images[1]) });
}

#[test]
fn an_empty_command_buffer_is_a_command() {
    let s = Setup::new();
    let r = Recorder::new(&s);
    assert_eq!(r.state(), CL_COMMAND_BUFFER_STATE_RECORDING_KHR);
    r.finalize();
    assert_eq!(r.state(), CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR);
    let event = r.enqueue_to(s.queue, &[]);
    check(unsafe { (s.cl.clWaitForEvents)(1, &event) });
    assert_eq!(s.status(event), CL_COMPLETE);
}

#[test]
fn arguments_are_those_of_recording() {
    let s = Setup::new();
    let kernel = s.kernel(s.program(SOURCE, ""), "add");
    let (p, other) = (filled(&s, 16, 0), filled(&s, 16, 0));
    s.set(kernel, 0, &p);
    s.set(kernel, 1, &5u32);
    let r = Recorder::new(&s);
    r.launch(kernel, 16, &[]);
    s.set(kernel, 1, &70u32);
    r.launch(kernel, 16, &[]);
    s.set(kernel, 0, &other);
    r.finalize();
    s.set(kernel, 1, &900u32);
    r.enqueue();
    r.enqueue();
    assert_eq!(words(&s, p, 16), vec![150; 16]);
    assert_eq!(words(&s, other, 16), vec![0; 16]);
}

#[test]
fn kernel_argument_buffers_and_local_arguments_last() {
    let s = Setup::new();
    let program = s.program(SOURCE, "");
    let many = s.kernel(program, "many");
    let out = filled(&s, 1, 0);
    let (mut a, mut b) = ([0u64; 16], [0u64; 16]);
    (a[0], b[15]) = (30, 4);
    s.set(many, 0, &out);
    s.set(many, 1, &a);
    s.set(many, 2, &b);
    let shared = s.kernel(program, "shared");
    let p = s.buffer(0, 32);
    s.write(p, true, 0, &(0..8u32).flat_map(u32::to_ne_bytes).collect::<Vec<_>>());
    s.set(shared, 0, &p);
    check(unsafe { (s.cl.clSetKernelArg)(shared, 1, 16, null()) });
    let r = Recorder::new(&s);
    r.launch(many, 1, &[]);
    r.launch_with(shared, &[], &[8], Some(&[4]), &[]);
    r.finalize();
    for _ in 0..3 {
        r.enqueue();
    }
    assert_eq!(words(&s, out, 1), [102]);
    assert_eq!(words(&s, p, 8), [6, 5, 4, 3, 10, 9, 8, 7]);
}

#[test]
fn copies_and_fills_do_what_the_queue_would() {
    let s = Setup::new();
    let bytes = pattern(4096, 1);
    let (a, b, c) = (s.buffer(0, 4096), s.buffer(0, 4096), s.buffer(0, 4096));
    let r = Recorder::new(&s);
    r.copy(a, b, 4096, &[]);
    r.fill(b, &[1, 2, 3, 4, 5, 6, 7, 8], (1024, 2048), &[]);
    r.fill(b, &[9], (4093, 3), &[]);
    r.fill(c, &[0, 0, 0, 7], (0, 4096), &[]);
    let (source, target, region) = ([4usize, 1, 0], [0usize, 2, 1], [8usize, 4, 2]);
    check(unsafe {
        (r.f.clCommandCopyBufferRectKHR)(
            r.buffer,
            null_mut(),
            null(),
            a,
            c,
            source.as_ptr(),
            target.as_ptr(),
            region.as_ptr(),
            16,
            256,
            32,
            512,
            0,
            null(),
            null_mut(),
            null_mut(),
        )
    });
    r.finalize();
    let mut expected_b = bytes.clone();
    expected_b[1024..3072].copy_from_slice(&[1, 2, 3, 4, 5, 6, 7, 8].repeat(256));
    expected_b[4093..].fill(9);
    let mut expected_c = [0, 0, 0, 7].repeat(1024);
    for (z, y) in [0, 1].into_iter().flat_map(|z| (0..4).map(move |y| (z, y))) {
        let (from, to) = (4 + (y + 1) * 16 + z * 256, (y + 2) * 32 + (z + 1) * 512);
        expected_c[to..to + 8].copy_from_slice(&bytes[from..from + 8]);
    }
    for _ in 0..2 {
        s.write(a, true, 0, &bytes);
        s.write(b, true, 0, &[0xcc; 4096]);
        s.write(c, true, 0, &[0xcc; 4096]);
        r.enqueue();
        assert_eq!(s.read(b, 0, 4096), expected_b);
        assert_eq!(s.read(c, 0, 4096), expected_c);
    }
}

#[test]
fn parts_of_buffers_are_where_they_are() {
    let s = Setup::new();
    let whole = filled(&s, 256, 0);
    let region = cl_buffer_region { origin: 512, size: 256 };
    let (kind, region) = (CL_BUFFER_CREATE_TYPE_REGION, (&raw const region).cast());
    let part = made(|e| unsafe { (s.cl.clCreateSubBuffer)(whole, 0, kind, region, e) });
    let kernel = s.kernel(s.program(SOURCE, ""), "add");
    s.set(kernel, 0, &part);
    s.set(kernel, 1, &2u32);
    let r = Recorder::new(&s);
    r.fill(part, &[1, 0, 0, 0], (128, 128), &[]);
    r.launch(kernel, 64, &[]);
    r.finalize();
    r.enqueue();
    let mut expected = vec![0; 256];
    expected[128..160].fill(2);
    expected[160..192].fill(3);
    assert_eq!(words(&s, whole, 256), expected);
}

#[test]
fn shared_virtual_memory_is_copied_and_filled() {
    let s = Setup::new();
    let memory = unsafe { (s.cl.clSVMAlloc)(s.context, CL_MEM_READ_WRITE, 1024, 0) };
    if memory.is_null() {
        skip("no shared virtual memory");
        return;
    }
    let seen =
        made(|e| unsafe { (s.cl.clCreateBuffer)(s.context, CL_MEM_USE_HOST_PTR, 1024, memory, e) });
    let r = Recorder::new(&s);
    let word = 0xfeed_beefu32;
    check(unsafe {
        let (place, fill, copy) =
            (memory.byte_add(768), r.f.clCommandSVMMemFillKHR, r.f.clCommandSVMMemcpyKHR);
        let (n, none, points, handle) = (null_mut(), null(), null_mut(), null_mut());
        let bytes = (&raw const word).cast();
        check(fill(r.buffer, n, none, memory, bytes, 4, 512, 0, null(), points, handle));
        copy(r.buffer, n, none, place, memory, 128, 0, null(), points, handle)
    });
    r.finalize();
    for _ in 0..2 {
        s.write(seen, true, 0, &[0; 1024]);
        r.enqueue();
        let mut expected = [[word; 128], [0; 128]].concat();
        expected[192..224].fill(word);
        assert_eq!(words(&s, seen, 256), expected);
    }
}

#[test]
fn what_is_recorded_lives_as_long_as_the_buffer() {
    let s = Setup::new();
    let queue = s.second_queue();
    let kernel = s.kernel(s.program(SOURCE, ""), "step");
    let (p, copy) = (filled(&s, 16, 1), s.buffer(0, 64));
    s.set(kernel, 0, &p);
    let counts = || -> [u32; 3] {
        [
            value(|z, v, r| unsafe {
                (s.cl.clGetCommandQueueInfo)(queue, CL_QUEUE_REFERENCE_COUNT, z, v, r)
            }),
            value(|z, v, r| unsafe {
                (s.cl.clGetMemObjectInfo)(copy, CL_MEM_REFERENCE_COUNT, z, v, r)
            }),
            value(|z, v, r| unsafe {
                (s.cl.clGetKernelInfo)(kernel, CL_KERNEL_REFERENCE_COUNT, z, v, r)
            }),
        ]
    };
    assert_eq!(counts(), [1, 1, 1]);
    let r = Recorder::on(&s, queue, &[]);
    r.launch(kernel, 16, &[]);
    r.copy(p, copy, 64, &[]);
    r.finalize();
    assert_eq!(counts(), [2, 2, 2]);
    // Replays still work after the application has released these objects.
    unsafe {
        check((s.cl.clReleaseKernel)(kernel));
        check((s.cl.clRetainMemObject)(copy));
        check((s.cl.clReleaseMemObject)(copy));
        check((s.cl.clReleaseCommandQueue)(queue));
    }
    r.enqueue();
    let last = r.enqueue_to(queue, &[]);
    assert_eq!(r.info::<u32>(CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR), 1);
    check(unsafe { (r.f.clRetainCommandBufferKHR)(r.buffer) });
    assert_eq!(r.info::<u32>(CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR), 2);
    r.release();
    // A replay that is enqueued outlives the command buffer.
    r.release();
    check(unsafe { (s.cl.clWaitForEvents)(1, &last) });
    assert_eq!(words(&s, copy, 16), vec![stepped(1, 2); 16]);
    let count: u32 = value(|z, v, r| unsafe {
        (s.cl.clGetMemObjectInfo)(copy, CL_MEM_REFERENCE_COUNT, z, v, r)
    });
    assert_eq!(count, 1);
}

#[test]
fn another_queue_of_the_device_may_take_it() {
    let s = Setup::new();
    let any_order = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
    let others = [
        s.second_queue(),
        made(|e| unsafe { (s.cl.clCreateCommandQueue)(s.context, s.device, any_order, e) }),
    ];
    let kernel = s.kernel(s.program(SOURCE, ""), "step");
    let p = filled(&s, 16, 1);
    s.set(kernel, 0, &p);
    let r = Recorder::new(&s);
    r.launch(kernel, 16, &[]);
    r.launch(kernel, 16, &[]);
    r.finalize();
    let mut event = r.enqueue_to(s.queue, &[]);
    for turn in 0..30 {
        event = r.enqueue_to(others[turn % 2], &[event]);
    }
    check(unsafe { (s.cl.clWaitForEvents)(1, &event) });
    assert_eq!(words(&s, p, 16), vec![stepped(1, 62); 16]);
}

#[test]
fn the_event_is_that_of_one_command() {
    let s = Setup::new();
    let kernel = s.kernel(s.program(SOURCE, ""), "step");
    let p = filled(&s, 1024, 1);
    s.set(kernel, 0, &p);
    let r = Recorder::new(&s);
    for _ in 0..10 {
        r.launch(kernel, 1024, &[]);
    }
    r.finalize();
    let gate = s.user_event();
    let event = r.enqueue_to(s.queue, &[gate]);
    let kind: cl_uint =
        value(|z, v, q| unsafe { (s.cl.clGetEventInfo)(event, CL_EVENT_COMMAND_TYPE, z, v, q) });
    assert_eq!(kind, CL_COMMAND_COMMAND_BUFFER_KHR);
    let queue: cl_command_queue =
        value(|z, v, q| unsafe { (s.cl.clGetEventInfo)(event, CL_EVENT_COMMAND_QUEUE, z, v, q) });
    assert_eq!(queue, s.queue);
    assert_eq!(s.status(event), CL_QUEUED);
    check(unsafe { (s.cl.clSetUserEventStatus)(gate, CL_COMPLETE) });
    check(unsafe { (s.cl.clWaitForEvents)(1, &event) });
    let times = [
        CL_PROFILING_COMMAND_QUEUED,
        CL_PROFILING_COMMAND_SUBMIT,
        CL_PROFILING_COMMAND_START,
        CL_PROFILING_COMMAND_END,
        CL_PROFILING_COMMAND_COMPLETE,
    ]
    .map(|name| -> u64 {
        value(|z, v, q| unsafe { (s.cl.clGetEventProfilingInfo)(event, name, z, v, q) })
    });
    assert!(times.is_sorted(), "{times:?}");
    assert_eq!(words(&s, p, 1024), vec![stepped(1, 10); 1024]);
    // A condition that fails fails the replay.
    let gate = s.user_event();
    let event = r.enqueue_to(s.queue, &[gate]);
    check(unsafe { (s.cl.clSetUserEventStatus)(gate, -5) });
    let status = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    assert_eq!(unsafe { (s.cl.clWaitForEvents)(1, &event) }, status);
    assert_eq!(words(&s, p, 1), [stepped(1, 10)]);
}

#[test]
fn a_buffer_tells_what_it_was_made_of() {
    let s = Setup::new();
    let flags = CL_COMMAND_BUFFER_MUTABLE_KHR | CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR;
    let asserts = CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR;
    let list = [
        CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR,
        asserts,
        CL_COMMAND_BUFFER_FLAGS_KHR,
        flags,
        0,
    ];
    let r = Recorder::on(&s, s.queue, &list);
    assert_eq!(r.info::<cl_uint>(CL_COMMAND_BUFFER_NUM_QUEUES_KHR), 1);
    assert_eq!(r.info::<cl_command_queue>(CL_COMMAND_BUFFER_QUEUES_KHR), s.queue);
    assert_eq!(r.info::<cl_context>(CL_COMMAND_BUFFER_CONTEXT_KHR), s.context);
    assert_eq!(r.info::<[u64; 5]>(CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR), list);
    let plain = Recorder::new(&s);
    let none = bytes(|z, p, q| unsafe {
        let name = CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR;
        (plain.f.clGetCommandBufferInfoKHR)(plain.buffer, name, z, p, q)
    });
    assert!(none.is_empty());
}

#[test]
fn threads_replay_one_buffer_on_queues_of_their_own() {
    let s = Setup::new();
    let flags = [CL_COMMAND_BUFFER_FLAGS_KHR, CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR, 0];
    let r = Recorder::on(&s, s.queue, &flags);
    let out = s.buffer(0, 64);
    let source = filled(&s, 16, 0xabcd);
    r.copy(source, out, 64, &[]);
    r.finalize();
    let queues: Vec<_> = (0..3).map(|_| s.second_queue() as usize).collect();
    let (enqueue, buffer) = (r.f.clEnqueueCommandBufferKHR, r.buffer as usize);
    let finish = s.cl.clFinish;
    std::thread::scope(|scope| {
        for queue in queues {
            scope.spawn(move || {
                let mut queue = queue as cl_command_queue;
                for _ in 0..100 {
                    let (buffer, event) = (buffer as cl_command_buffer_khr, null_mut());
                    check(unsafe { enqueue(1, &mut queue, buffer, 0, null(), event) });
                }
                check(unsafe { finish(queue) });
            });
        }
    });
    assert_eq!(words(&s, out, 16), vec![0xabcd; 16]);
}
