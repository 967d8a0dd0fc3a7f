//! Command buffers (cl_khr_command_buffer, 5.17): creation, recording, finalization, enqueueing, release.

use crate::image_commands::{self, raw, Three};
use crate::images::{desc, FORMAT};
use crate::prelude::*;
use crate::world::{made, SIZE};

const FLAGS: u64 = CL_COMMAND_BUFFER_FLAGS_KHR;

pub fn rows(t: &mut Table, w: &World) {
    create_rows(t, w);
    life_rows(t, w);
    enqueue_rows(t, w);
    barrier_rows(t, w);
    image_rows(t, w);
    copy_rows(t, w);
    fill_rows(t, w);
    shared_rows(t, w);
    kernel_rows(t, w);
}

/// Returns a command buffer of a queue, with flags.
pub fn new(queue: cl_command_queue, flags: u64) -> cl_command_buffer_khr {
    let list = [FLAGS, flags, 0];
    made(|e| unsafe { clCreateCommandBufferKHR(1, &queue, list.as_ptr(), e) })
}

/// Returns a command buffer that is finalized.
fn finalized(w: &World) -> cl_command_buffer_khr {
    let buffer = new(w.queue, 0);
    assert_eq!(unsafe { clFinalizeCommandBufferKHR(buffer) }, CL_SUCCESS);
    buffer
}

/// Returns handles that are not command buffers.
pub fn no_buffers(w: &World) -> Vec<(&'static str, cl_command_buffer_khr)> {
    let released = new(w.queue, 0);
    assert_eq!(unsafe { clReleaseCommandBufferKHR(released) }, CL_SUCCESS);
    World::none_of(w.queue, released)
}

fn create_rows(t: &mut Table, w: &World) {
    t.about("clCreateCommandBufferKHR");
    let create = |queues: &[cl_command_queue], list: &[u64]| {
        let (count, queues) = (queues.len() as u32, queues.as_ptr());
        let list = if list.is_empty() { null() } else { list.as_ptr() };
        code(|e| unsafe { clCreateCommandBufferKHR(count, queues, list, e) })
    };
    t.correct(create(&[w.queue], &[]));
    t.correct(create(&[w.queue], &[FLAGS, CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR, 0]));
    t.each(CL_INVALID_COMMAND_QUEUE, "a queue", w.no_queues(), |queue| create(&[queue], &[]));
    let value = CL_INVALID_VALUE;
    t.row(value, "num_queues is not 1", create(&[], &[]));
    t.row(value, "num_queues is not 1", create(&[w.queue, w.queue], &[]));
    let nothing = code(|e| unsafe { clCreateCommandBufferKHR(1, null(), null(), e) });
    t.row(value, "queues is NULL", nothing);
    t.row(value, "a property name is not valid", create(&[w.queue], &[0x4242, 1, 0]));
    t.row(value, "a flag is not valid", create(&[w.queue], &[FLAGS, 1 << 40, 0]));
    t.row(value, "a property comes twice", create(&[w.queue], &[FLAGS, 0, FLAGS, 0, 0]));
    let sync = CL_COMMAND_BUFFER_DEVICE_SIDE_SYNC_KHR;
    t.row(CL_INVALID_PROPERTY, "a flag is not supported", create(&[w.queue], &[FLAGS, sync, 0]));
}

fn life_rows(t: &mut Table, w: &World) {
    type Simple = unsafe extern "C" fn(cl_command_buffer_khr) -> cl_int;
    let simple: [(&str, Simple); 3] = [
        ("clRetainCommandBufferKHR", clRetainCommandBufferKHR),
        ("clFinalizeCommandBufferKHR", clFinalizeCommandBufferKHR),
        ("clReleaseCommandBufferKHR", clReleaseCommandBufferKHR),
    ];
    let buffer = new(w.queue, 0);
    for (name, function) in simple {
        t.about(name);
        t.correct(unsafe { function(buffer) });
        t.each(CL_INVALID_COMMAND_BUFFER_KHR, "command_buffer", no_buffers(w), |b| unsafe {
            function(b)
        });
    }
    t.about("clFinalizeCommandBufferKHR");
    let again = unsafe { clFinalizeCommandBufferKHR(buffer) };
    t.row(CL_INVALID_OPERATION, "the command buffer is finalized already", again);

    t.about("clGetCommandBufferInfoKHR");
    let info = |buffer, name, size, place| unsafe {
        clGetCommandBufferInfoKHR(buffer, name, size, place, null_mut())
    };
    let state = CL_COMMAND_BUFFER_STATE_KHR;
    t.query(state, |name, size, place| info(buffer, name, size, place));
    t.each(CL_INVALID_COMMAND_BUFFER_KHR, "command_buffer", no_buffers(w), |b| {
        info(b, state, 0, null_mut())
    });
}

fn enqueue_rows(t: &mut Table, w: &World) {
    t.about("clEnqueueCommandBufferKHR");
    let call = |queues: &[cl_command_queue], buffer, waits: Waits| unsafe {
        let mut list = queues.to_vec();
        let place = if list.is_empty() { null_mut() } else { list.as_mut_ptr() };
        let (count, waits, events) = (list.len() as u32, waits.count, waits.list);
        clEnqueueCommandBufferKHR(count, place, buffer, waits, events, null_mut())
    };
    let (buffer, none) = (finalized(w), Waits::NONE);
    t.correct(call(&[], buffer, none));
    t.correct(call(&[w.queue], buffer, none));
    t.each(CL_INVALID_COMMAND_BUFFER_KHR, "command_buffer", no_buffers(w), |b| call(&[], b, none));
    let got = call(&[], new(w.queue, 0), none);
    t.row(CL_INVALID_OPERATION, "the command buffer is not finalized", got);
    let raw = |count, queues| unsafe {
        clEnqueueCommandBufferKHR(count, queues, buffer, 0, null(), null_mut())
    };
    let mut queue = w.queue;
    t.row(CL_INVALID_VALUE, "queues is NULL and num_queues is not 0", raw(1, null_mut()));
    t.row(CL_INVALID_VALUE, "num_queues is 0 and queues is not NULL", raw(0, &raw mut queue));
    let got = call(&[w.queue, w.queue], buffer, none);
    t.row(CL_INVALID_VALUE, "num_queues is not that of the creation", got);
    t.each(CL_INVALID_COMMAND_QUEUE, "a queue", w.no_queues(), |q| call(&[q], buffer, none));
    let got = call(&[w.other.queue], buffer, none);
    t.row(CL_INVALID_CONTEXT, "a queue is of another context", got);
    if let (Some(pair), Some(stranger)) = (&w.pair, w.stranger) {
        let queue = made(|e| unsafe { clCreateCommandQueue(pair.context, stranger, 0, e) });
        let got = call(&[queue], buffer, none);
        t.row(CL_INVALID_DEVICE, "a queue is of another device", got);
    }
    t.wait_lists(w, |waits| call(&[], buffer, waits));
}

/// The arguments that every recorded command takes.
#[derive(Clone, Copy)]
struct Given {
    buffer: cl_command_buffer_khr,
    queue: cl_command_queue,
    properties: *const cl_command_properties_khr,
    count: cl_uint,
    points: *const cl_sync_point_khr,
    handle: *mut cl_mutable_command_khr,
}

fn given(buffer: cl_command_buffer_khr) -> Given {
    let (queue, properties, points, handle) = (null_mut(), null(), null(), null_mut());
    Given { buffer, queue, properties, count: 0, points, handle }
}

/// Adds the rows of the arguments that every recorded command takes.
fn recording_rows(t: &mut Table, w: &World, good: Given, call: impl Fn(Given) -> cl_int) {
    t.each(CL_INVALID_COMMAND_BUFFER_KHR, "command_buffer", no_buffers(w), |buffer| {
        call(Given { buffer, ..good })
    });
    let got = call(Given { queue: w.queue, ..good });
    t.row(CL_INVALID_COMMAND_QUEUE, "command_queue is not NULL", got);
    let got = call(Given { buffer: finalized(w), ..good });
    t.row(CL_INVALID_OPERATION, "the command buffer is finalized", got);
    let list = [0x4242, 1, 0];
    let got = call(Given { properties: list.as_ptr(), ..good });
    t.row(CL_INVALID_VALUE, "a property is not valid", got);
    let points = CL_INVALID_SYNC_POINT_WAIT_LIST_KHR;
    let list = [u32::MAX];
    t.row(points, "the list is NULL and its length is not 0", call(Given { count: 1, ..good }));
    let unused = Given { points: list.as_ptr(), ..good };
    t.row(points, "the list is not NULL and its length is 0", call(unused));
    let got = call(Given { count: 1, points: list.as_ptr(), ..good });
    t.row(points, "a sync point is not valid", got);
}

/// Adds the row of commands other than kernels, which have no handle.
fn no_handle_row(t: &mut Table, good: Given, call: impl Fn(Given) -> cl_int) {
    let mut handle = null_mut();
    let got = call(Given { handle: &raw mut handle, ..good });
    t.row(CL_INVALID_VALUE, "mutable_handle is not NULL", got);
}

fn barrier_rows(t: &mut Table, w: &World) {
    let good = given(new(w.queue, 0));
    t.about("clCommandBarrierWithWaitListKHR");
    let barrier = |g: Given| unsafe {
        let (b, q, p, n) = (g.buffer, g.queue, g.properties, null_mut());
        clCommandBarrierWithWaitListKHR(b, q, p, g.count, g.points, n, g.handle)
    };
    t.correct(barrier(good));
    recording_rows(t, w, good, barrier);
    no_handle_row(t, good, barrier);
}

/// Commands on images.
fn image_rows(t: &mut Table, w: &World) {
    let good = given(new(w.queue, 0));
    let image =
        || made(|e| unsafe { clCreateImage(w.context, 0, &FORMAT, &desc(), null_mut(), e) });
    let (one, two) = (image(), image());
    let (start, region): (Three, Three) = (Some(&[0; 3]), Some(&[4, 4, 1]));

    t.about("clCommandCopyImageKHR");
    let copy = |g: Given, source, target, from, to, region| unsafe {
        let (b, q, p, n) = (g.buffer, g.queue, g.properties, null_mut());
        let (from, to, region, count, points) =
            (raw(from), raw(to), raw(region), g.count, g.points);
        clCommandCopyImageKHR(b, q, p, source, target, from, to, region, count, points, n, g.handle)
    };
    image_commands::copy_rows(t, w, |s, d, from, to, region| copy(good, s, d, from, to, region));
    recording_rows(t, w, good, |g| copy(g, one, two, start, start, region));
    no_handle_row(t, good, |g| copy(g, one, two, start, start, region));

    t.about("clCommandCopyImageToBufferKHR");
    let copy = |g: Given, image, buffer, origin, region, offset| unsafe {
        let (b, q, p, n) = (g.buffer, g.queue, g.properties, null_mut());
        let (origin, region, count, points) = (raw(origin), raw(region), g.count, g.points);
        clCommandCopyImageToBufferKHR(
            b, q, p, image, buffer, origin, region, offset, count, points, n, g.handle,
        )
    };
    image_commands::buffer_copy_rows(t, w, |i, m, at, region, n| copy(good, i, m, at, region, n));
    recording_rows(t, w, good, |g| copy(g, one, w.buffer, start, region, 0));
    no_handle_row(t, good, |g| copy(g, one, w.buffer, start, region, 0));

    t.about("clCommandCopyBufferToImageKHR");
    let copy = |g: Given, image, buffer, origin, region, offset| unsafe {
        let (b, q, p, n) = (g.buffer, g.queue, g.properties, null_mut());
        let (origin, region, count, points) = (raw(origin), raw(region), g.count, g.points);
        clCommandCopyBufferToImageKHR(
            b, q, p, buffer, image, offset, origin, region, count, points, n, g.handle,
        )
    };
    image_commands::buffer_copy_rows(t, w, |i, m, at, region, n| copy(good, i, m, at, region, n));
    recording_rows(t, w, good, |g| copy(g, one, w.buffer, start, region, 0));
    no_handle_row(t, good, |g| copy(g, one, w.buffer, start, region, 0));

    t.about("clCommandFillImageKHR");
    let fill = |g: Given, image, colour, origin, region| unsafe {
        let (b, q, p, n) = (g.buffer, g.queue, g.properties, null_mut());
        let (origin, region, count, points) = (raw(origin), raw(region), g.count, g.points);
        clCommandFillImageKHR(b, q, p, image, colour, origin, region, count, points, n, g.handle)
    };
    image_commands::fill_rows(t, w, |i, colour, at, region| fill(good, i, colour, at, region));
    let colour = [0f32; 4].as_ptr().cast();
    recording_rows(t, w, good, |g| fill(g, one, colour, start, region));
    no_handle_row(t, good, |g| fill(g, one, colour, start, region));
}

fn copy_rows(t: &mut Table, w: &World) {
    let (good, target) = (given(new(w.queue, 0)), w.buffer_with(0));
    t.about("clCommandCopyBufferKHR");
    let copy = |g: Given, source, target, from, to, size| unsafe {
        let (b, q, p, n) = (g.buffer, g.queue, g.properties, null_mut());
        let (count, points) = (g.count, g.points);
        clCommandCopyBufferKHR(b, q, p, source, target, from, to, size, count, points, n, g.handle)
    };
    let call = |g| copy(g, w.buffer, target, 0, 0, SIZE);
    t.correct(call(good));
    recording_rows(t, w, good, call);
    no_handle_row(t, good, call);
    t.each(CL_INVALID_MEM_OBJECT, "src_buffer", w.no_buffers(), |mem| {
        copy(good, mem, target, 0, 0, SIZE)
    });
    t.each(CL_INVALID_MEM_OBJECT, "dst_buffer", w.no_buffers(), |mem| {
        copy(good, w.buffer, mem, 0, 0, SIZE)
    });
    let got = copy(good, w.other.buffer, target, 0, 0, SIZE);
    t.row(CL_INVALID_CONTEXT, "src_buffer is of another context", got);
    let got = copy(good, w.buffer, w.other.buffer, 0, 0, SIZE);
    t.row(CL_INVALID_CONTEXT, "dst_buffer is of another context", got);
    for (from, to) in [(1, 0), (0, 1), (usize::MAX, 0)] {
        let got = copy(good, w.buffer, target, from, to, SIZE);
        t.row(CL_INVALID_VALUE, "a region is out of bounds", got);
    }
    let got = copy(good, w.buffer, w.buffer, 0, 8, 16);
    t.row(CL_MEM_COPY_OVERLAP, "the regions overlap", got);

    t.about("clCommandCopyBufferRectKHR");
    let copy = |g: Given, source, target, at: &[usize; 3], region: *const usize| unsafe {
        let (b, q, p, n) = (g.buffer, g.queue, g.properties, null_mut());
        let (count, points, zero) = (g.count, g.points, [0usize; 3]);
        clCommandCopyBufferRectKHR(
            b,
            q,
            p,
            source,
            target,
            at.as_ptr(),
            zero.as_ptr(),
            region,
            8,
            32,
            8,
            32,
            count,
            points,
            n,
            g.handle,
        )
    };
    let (start, region) = ([0; 3], [8usize, 4, 2]);
    let call = |g| copy(g, w.buffer, target, &start, region.as_ptr());
    t.correct(call(good));
    recording_rows(t, w, good, call);
    no_handle_row(t, good, call);
    let got = copy(good, w.other.buffer, target, &start, region.as_ptr());
    t.row(CL_INVALID_CONTEXT, "src_buffer is of another context", got);
    t.row(CL_INVALID_VALUE, "region is NULL", copy(good, w.buffer, target, &start, null()));
    let got = copy(good, w.buffer, target, &start, [8, 0, 1].as_ptr());
    t.row(CL_INVALID_VALUE, "an element of region is 0", got);
    let got = copy(good, w.buffer, target, &[SIZE, 0, 0], region.as_ptr());
    t.row(CL_INVALID_VALUE, "a region is out of bounds", got);
    let got = copy(good, w.buffer, w.buffer, &[0, 1, 0], region.as_ptr());
    t.row(CL_MEM_COPY_OVERLAP, "the regions overlap", got);
}

fn fill_rows(t: &mut Table, w: &World) {
    t.about("clCommandFillBufferKHR");
    let good = given(new(w.queue, 0));
    let bytes = [7u8; 256];
    let pattern: *const c_void = bytes.as_ptr().cast();
    let fill = |g: Given, mem, pattern, pattern_size, offset, size| unsafe {
        let (b, q, p, n) = (g.buffer, g.queue, g.properties, null_mut());
        let (count, points) = (g.count, g.points);
        clCommandFillBufferKHR(
            b,
            q,
            p,
            mem,
            pattern,
            pattern_size,
            offset,
            size,
            count,
            points,
            n,
            g.handle,
        )
    };
    let call = |g| fill(g, w.buffer, pattern, 4, 0, SIZE);
    t.correct(call(good));
    recording_rows(t, w, good, call);
    no_handle_row(t, good, call);
    t.each(CL_INVALID_MEM_OBJECT, "buffer", w.no_buffers(), |mem| {
        fill(good, mem, pattern, 4, 0, SIZE)
    });
    let got = fill(good, w.other.buffer, pattern, 4, 0, SIZE);
    t.row(CL_INVALID_CONTEXT, "buffer is of another context", got);
    t.row(CL_INVALID_VALUE, "pattern is NULL", fill(good, w.buffer, null(), 4, 0, SIZE));
    for size in [0, 3, 256] {
        let got = fill(good, w.buffer, pattern, size, 0, 768);
        t.row(CL_INVALID_VALUE, "pattern_size is not valid", got);
    }
    for (offset, size) in [(2, 8), (0, 6), (4, SIZE)] {
        let got = fill(good, w.buffer, pattern, 4, offset, size);
        t.row(CL_INVALID_VALUE, "offset or size are not valid", got);
    }
}

fn shared_rows(t: &mut Table, w: &World) {
    let good = given(new(w.queue, 0));
    let shared = unsafe { clSVMAlloc(w.context, CL_MEM_READ_WRITE, SIZE, 0) };
    let mut host = [7u8; SIZE];
    let host: *mut c_void = host.as_mut_ptr().cast();
    let (n, half) = (null_mut(), shared.wrapping_byte_add(SIZE / 2));

    t.about("clCommandSVMMemcpyKHR");
    let copy = |g: Given, to, from: *const c_void| unsafe {
        let (b, q, p, size) = (g.buffer, g.queue, g.properties, SIZE / 2);
        clCommandSVMMemcpyKHR(b, q, p, to, from, size, g.count, g.points, n, g.handle)
    };
    t.about("clCommandSVMMemFillKHR");
    let fill = |g: Given, to, pattern: *const c_void, pattern_size, size| unsafe {
        let (b, q, p) = (g.buffer, g.queue, g.properties);
        let (count, points) = (g.count, g.points);
        clCommandSVMMemFillKHR(b, q, p, to, pattern, pattern_size, size, count, points, n, g.handle)
    };
    if shared.is_null() {
        let condition = "the device does not support SVM";
        t.row(CL_INVALID_OPERATION, condition, copy(good, host, host));
        t.row(CL_INVALID_OPERATION, condition, fill(good, host, host, 4, 64));
        return;
    }
    t.about("clCommandSVMMemcpyKHR");
    let call = |g| copy(g, shared, half);
    t.correct(call(good));
    recording_rows(t, w, good, call);
    no_handle_row(t, good, call);
    t.row(CL_INVALID_VALUE, "dst_ptr is NULL", copy(good, null_mut(), half));
    t.row(CL_INVALID_VALUE, "src_ptr is NULL", copy(good, shared, null()));
    let got = copy(good, shared, shared.wrapping_byte_add(8));
    t.row(CL_MEM_COPY_OVERLAP, "the regions overlap", got);

    t.about("clCommandSVMMemFillKHR");
    let call = |g| fill(g, shared, host, 4, SIZE);
    t.correct(call(good));
    recording_rows(t, w, good, call);
    no_handle_row(t, good, call);
    t.row(CL_INVALID_VALUE, "svm_ptr is NULL", fill(good, null_mut(), host, 4, 64));
    t.row(CL_INVALID_VALUE, "pattern is NULL", fill(good, shared, null(), 4, 64));
    let got = fill(good, shared.wrapping_byte_add(2), host, 4, 64);
    t.row(CL_INVALID_VALUE, "svm_ptr is not aligned to pattern_size", got);
    for (pattern_size, size) in [(0, 64), (3, 9), (256, 512), (4, 6)] {
        let got = fill(good, shared, host, pattern_size, size);
        t.row(CL_INVALID_VALUE, "pattern_size or size are not valid", got);
    }
}

fn kernel_rows(t: &mut Table, w: &World) {
    t.about("clCommandNDRangeKernelKHR");
    let launch = |g: Given, kernel, dimensions, offset: &[usize; 3], local: &[usize; 3]| unsafe {
        let (b, q, p, global, n) = (g.buffer, g.queue, g.properties, [8usize; 3], null_mut());
        let (offset, local) = (offset.as_ptr(), local.as_ptr());
        let (global, count, points) = (global.as_ptr(), g.count, g.points);
        clCommandNDRangeKernelKHR(
            b, q, p, kernel, dimensions, offset, global, local, count, points, n, g.handle,
        )
    };
    let (good, zero, one) = (given(new(w.queue, 0)), [0; 3], [1; 3]);
    let call = |g| launch(g, w.kernel, 1, &zero, &one);
    t.correct(call(good));
    recording_rows(t, w, good, call);
    t.each(CL_INVALID_KERNEL, "kernel", w.no_kernels(), |k| launch(good, k, 1, &zero, &one));
    let got = launch(good, w.other.kernel, 1, &zero, &one);
    t.row(CL_INVALID_CONTEXT, "kernel is of another context", got);
    let got = launch(good, w.kernel_named(c"value"), 1, &zero, &one);
    t.row(CL_INVALID_KERNEL_ARGS, "arguments of the kernel are not set", got);
    for dimensions in [0, 4] {
        let got = launch(good, w.kernel, dimensions, &zero, &one);
        t.row(CL_INVALID_WORK_DIMENSION, "work_dim is not valid", got);
    }
    let got = launch(good, w.kernel, 1, &[usize::MAX; 3], &one);
    t.row(CL_INVALID_GLOBAL_OFFSET, "offset and size exceed size_t", got);
    let got = launch(good, w.kernel, 1, &zero, &[0; 3]);
    t.row(CL_INVALID_WORK_GROUP_SIZE, "the work-group has no work-items", got);
    let got = launch(good, w.kernel_named(c"required"), 1, &zero, &[2; 3]);
    t.row(CL_INVALID_WORK_GROUP_SIZE, "local_work_size is not the required one", got);
    let got = launch(good, w.kernel, 1, &zero, &[1 << 20; 3]);
    t.row(CL_INVALID_WORK_ITEM_SIZE, "a local size is too large", got);
}
