//! Executing kernels (5.10), markers and barriers (5.12, 5.13).

use crate::kernels::built_elsewhere;
use crate::prelude::*;
use crate::world::made;

pub fn rows(t: &mut Table, w: &World) {
    launch_rows(t, w);
    task_rows(t, w);
    native_rows(t, w);
    marker_rows(t, w);
    old_rows(t, w);
}

/// Arguments of clEnqueueNDRangeKernel.
#[derive(Clone, Copy)]
struct Launch {
    queue: cl_command_queue,
    kernel: cl_kernel,
    dimensions: cl_uint,
    offset: Option<[usize; 3]>,
    global: Option<[usize; 3]>,
    local: Option<[usize; 3]>,
    waits: Waits,
}

fn launch(l: Launch) -> cl_int {
    let sizes = |sizes: &Option<[usize; 3]>| sizes.as_ref().map_or(null(), |s| s.as_ptr());
    let (offset, global, local) = (sizes(&l.offset), sizes(&l.global), sizes(&l.local));
    let (count, list) = (l.waits.count, l.waits.list);
    let (queue, kernel, dimensions) = (l.queue, l.kernel, l.dimensions);
    unsafe {
        clEnqueueNDRangeKernel(
            queue,
            kernel,
            dimensions,
            offset,
            global,
            local,
            count,
            list,
            null_mut(),
        )
    }
}

/// Returns a query of the device that answers one or more sizes.
fn limit<const N: usize>(w: &World, name: cl_uint) -> [usize; N] {
    let mut sizes = [0usize; N];
    let place = sizes.as_mut_ptr().cast();
    let got = unsafe { clGetDeviceInfo(w.device, name, 8 * N, place, null_mut()) };
    assert_eq!(got, CL_SUCCESS);
    sizes
}

/// Returns a kernel whose argument is a buffer that has been released since.
fn orphaned(w: &World) -> cl_kernel {
    let (kernel, buffer) = (w.kernel_named(c"buffer"), w.buffer_with(0));
    let value = (&raw const buffer).cast();
    assert_eq!(unsafe { clSetKernelArg(kernel, 0, size_of::<cl_mem>(), value) }, CL_SUCCESS);
    assert_eq!(unsafe { clReleaseMemObject(buffer) }, CL_SUCCESS);
    kernel
}

fn launch_rows(t: &mut Table, w: &World) {
    t.about("clEnqueueNDRangeKernel");
    let call = launch;
    let good = Launch {
        queue: w.queue,
        kernel: w.kernel,
        dimensions: 3,
        offset: None,
        global: Some([8, 4, 2]),
        local: Some([4, 2, 1]),
        waits: Waits::NONE,
    };
    t.correct(call(good));
    t.correct(call(Launch { local: None, ..good }));
    t.correct(call(Launch { local: Some([3, 3, 2]), ..good }));
    // Empty ranges, since OpenCL 2.1.
    t.correct(call(Launch { global: None, ..good }));
    t.correct(call(Launch { global: Some([8, 0, 2]), ..good }));
    t.each(CL_INVALID_COMMAND_QUEUE, "command_queue", w.no_queues(), |queue| {
        call(Launch { queue, ..good })
    });
    t.each(CL_INVALID_KERNEL, "kernel", w.no_kernels(), |k| call(Launch { kernel: k, ..good }));
    if let Some((queue, kernel)) = built_elsewhere(w) {
        let condition = "there is no executable for the queue's device";
        let program = CL_INVALID_PROGRAM_EXECUTABLE;
        t.row(program, condition, call(Launch { queue, kernel, ..good }));
        t.row(program, condition, call(Launch { queue, kernel, global: None, ..good }));
    }
    let condition = "queue and kernel are of different contexts";
    t.row(CL_INVALID_CONTEXT, condition, call(Launch { kernel: w.other.kernel, ..good }));
    let args = CL_INVALID_KERNEL_ARGS;
    let kernel = w.kernel_named(c"value");
    t.row(args, "arguments of the kernel are not set", call(Launch { kernel, ..good }));
    let kernel = orphaned(w);
    t.row(args, "an argument was released", call(Launch { kernel, ..good }));
    for dimensions in [0, 4, u32::MAX] {
        let got = call(Launch { dimensions, ..good });
        t.row(CL_INVALID_WORK_DIMENSION, "work_dim is not valid", got);
    }
    let far = Launch { offset: Some([usize::MAX - 7, 0, 0]), ..good };
    t.row(CL_INVALID_GLOBAL_OFFSET, "offset and size exceed size_t", call(far));
    local_rows(t, w, good);
    t.wait_lists(w, |waits| call(Launch { waits, ..good }));
}

fn local_rows(t: &mut Table, w: &World, good: Launch) {
    let group = CL_INVALID_WORK_GROUP_SIZE;
    for empty in 0..3 {
        let mut local = [1; 3];
        local[empty] = 0;
        let got = launch(Launch { local: Some(local), ..good });
        t.row(group, "the work-group has no work-items", got);
    }
    let [total] = limit(w, CL_DEVICE_MAX_WORK_GROUP_SIZE);
    let most: [usize; 3] = limit(w, CL_DEVICE_MAX_WORK_ITEM_SIZES);
    let large = [most[0].min(total), most[1].min(2), 1];
    if large[0] * large[1] > total {
        let got = launch(Launch { local: Some(large), global: Some(large), ..good });
        t.row(group, "the work-group is larger than CL_KERNEL_WORK_GROUP_SIZE", got);
    }
    let kernel = w.kernel_named(c"required");
    for local in [[8, 1, 1], [1, 4, 1], [2, 2, 1]] {
        let got = launch(Launch { kernel, local: Some(local), ..good });
        t.row(group, "local_work_size is not the required one", got);
    }
    t.correct(launch(Launch { kernel, local: Some([4, 1, 1]), ..good }));
    let uniform = w.source(c"kernel void none(void) {}");
    let kernel = unsafe {
        let (options, n) = (c"-cl-uniform-work-group-size -cl-std=CL3.0".as_ptr(), null_mut());
        assert_eq!(clBuildProgram(uniform, 0, null(), options, None, n), CL_SUCCESS);
        made(|e| clCreateKernel(uniform, c"none".as_ptr(), e))
    };
    let got = launch(Launch { kernel, local: Some([3, 1, 1]), ..good });
    t.row(group, "work-groups must be uniform and the sizes do not divide", got);
    for dimension in 0..3 {
        let mut local = [1; 3];
        local[dimension] = most[dimension] + 1;
        let got = launch(Launch { local: Some(local), global: Some(local), ..good });
        let condition = "a local size is greater than CL_DEVICE_MAX_WORK_ITEM_SIZES";
        t.row(CL_INVALID_WORK_ITEM_SIZE, condition, got);
    }
}

fn task_rows(t: &mut Table, w: &World) {
    t.about("clEnqueueTask");
    let call = |queue, kernel, waits: Waits| unsafe {
        clEnqueueTask(queue, kernel, waits.count, waits.list, null_mut())
    };
    let none = Waits::NONE;
    t.correct(call(w.queue, w.kernel, none));
    t.each(CL_INVALID_COMMAND_QUEUE, "command_queue", w.no_queues(), |q| call(q, w.kernel, none));
    t.each(CL_INVALID_KERNEL, "kernel", w.no_kernels(), |kernel| call(w.queue, kernel, none));
    if let Some((queue, kernel)) = built_elsewhere(w) {
        let condition = "there is no executable for the queue's device";
        t.row(CL_INVALID_PROGRAM_EXECUTABLE, condition, call(queue, kernel, none));
    }
    let condition = "queue and kernel are of different contexts";
    t.row(CL_INVALID_CONTEXT, condition, call(w.queue, w.other.kernel, none));
    let args = CL_INVALID_KERNEL_ARGS;
    let condition = "arguments of the kernel are not set";
    t.row(args, condition, call(w.queue, w.kernel_named(c"value"), none));
    t.row(args, "an argument was released", call(w.queue, orphaned(w), none));
    let condition = "the required work-group size is not (1, 1, 1)";
    let got = call(w.queue, w.kernel_named(c"required"), none);
    t.row(CL_INVALID_WORK_GROUP_SIZE, condition, got);
    t.wait_lists(w, |waits| call(w.queue, w.kernel, waits));
}

unsafe extern "C" fn host_function(_: *mut c_void) {}

/// Arguments of clEnqueueNativeKernel.
#[derive(Clone, Copy)]
struct Native {
    queue: cl_command_queue,
    function: NativeKernel,
    args: *mut c_void,
    size: usize,
    count: cl_uint,
    mems: *const cl_mem,
    places: *const *const c_void,
    waits: Waits,
}

fn native_rows(t: &mut Table, w: &World) {
    t.about("clEnqueueNativeKernel");
    let call = |n: Native| unsafe {
        let (queue, function, args, size) = (n.queue, n.function, n.args, n.size);
        let (waits, list) = (n.waits.count, n.waits.list);
        clEnqueueNativeKernel(
            queue,
            function,
            args,
            size,
            n.count,
            n.mems,
            n.places,
            waits,
            list,
            null_mut(),
        )
    };
    let mut args = [0usize; 2];
    let (mems, places) = ([w.buffer], [args.as_ptr().cast()]);
    let good = Native {
        queue: w.queue,
        function: Some(host_function),
        args: args.as_mut_ptr().cast(),
        size: 16,
        count: 1,
        mems: mems.as_ptr(),
        places: places.as_ptr(),
        waits: Waits::NONE,
    };
    t.each(CL_INVALID_COMMAND_QUEUE, "command_queue", w.no_queues(), |queue| {
        call(Native { queue, ..good })
    });
    let value = CL_INVALID_VALUE;
    t.row(value, "user_func is NULL", call(Native { function: None, ..good }));
    let alone = Native { count: 0, mems: null(), places: null(), ..good };
    let no_args = Native { args: null_mut(), ..alone };
    t.row(value, "args is NULL and cb_args is not 0", call(no_args));
    let condition = "args is NULL and num_mem_objects is not 0";
    t.row(value, condition, call(Native { args: null_mut(), size: 0, ..good }));
    t.row(value, "args is not NULL and cb_args is 0", call(Native { size: 0, ..alone }));
    let condition = "num_mem_objects is not 0 and mem_list is NULL";
    t.row(value, condition, call(Native { mems: null(), ..good }));
    let condition = "num_mem_objects is not 0 and args_mem_loc is NULL";
    t.row(value, condition, call(Native { places: null(), ..good }));
    let condition = "num_mem_objects is 0 and mem_list is not NULL";
    t.row(value, condition, call(Native { mems: mems.as_ptr(), ..alone }));
    let condition = "num_mem_objects is 0 and args_mem_loc is not NULL";
    t.row(value, condition, call(Native { places: places.as_ptr(), ..alone }));
    // NULL stands for no buffer.
    t.each(CL_INVALID_MEM_OBJECT, "a memory object", w.no_buffers().split_off(1), |mem| {
        call(Native { mems: &mem, ..good })
    });
    t.wait_lists(w, |waits| call(Native { waits, ..good }));
    let [capabilities] = limit(w, CL_DEVICE_EXECUTION_CAPABILITIES);
    if capabilities as u64 & CL_EXEC_NATIVE_KERNEL == 0 {
        let condition = "the device cannot execute native kernels";
        t.row(CL_INVALID_OPERATION, condition, call(good));
        t.row(CL_INVALID_OPERATION, condition, call(alone));
    } else {
        t.correct(call(good));
        t.correct(call(alone));
        t.correct(call(Native { mems: &null_mut(), ..good }));
        let outside = [args.as_ptr_range().end.cast()];
        let condition = "a place of args_mem_loc is not in args";
        t.row(value, condition, call(Native { places: outside.as_ptr(), ..good }));
        let condition = "a memory object is of another context";
        t.row(CL_INVALID_CONTEXT, condition, call(Native { mems: &w.other.buffer, ..good }));
    }
}

fn marker_rows(t: &mut Table, w: &World) {
    type Marker =
        unsafe extern "C" fn(cl_command_queue, cl_uint, *const cl_event, *mut cl_event) -> cl_int;
    let all: [(&str, Marker); 2] = [
        ("clEnqueueMarkerWithWaitList", clEnqueueMarkerWithWaitList),
        ("clEnqueueBarrierWithWaitList", clEnqueueBarrierWithWaitList),
    ];
    for (name, function) in all {
        t.about(name);
        let call =
            |queue, waits: Waits| unsafe { function(queue, waits.count, waits.list, null_mut()) };
        t.correct(call(w.queue, Waits::NONE));
        t.each(CL_INVALID_COMMAND_QUEUE, "command_queue", w.no_queues(), |queue| {
            call(queue, Waits::NONE)
        });
        t.wait_lists(w, |waits| call(w.queue, waits));
    }
}

/// Adds the rows of functions of OpenCL 1.0.
fn old_rows(t: &mut Table, w: &World) {
    let queue = CL_INVALID_COMMAND_QUEUE;
    t.about("clEnqueueMarker");
    let call = |queue, event| unsafe { clEnqueueMarker(queue, event) };
    let mut event = null_mut();
    let place = &raw mut event;
    t.correct(call(w.queue, place));
    t.each(queue, "command_queue", w.no_queues(), |queue| call(queue, place));
    t.row(CL_INVALID_VALUE, "event is NULL", call(w.queue, null_mut()));

    t.about("clEnqueueBarrier");
    t.correct(unsafe { clEnqueueBarrier(w.queue) });
    t.each(queue, "command_queue", w.no_queues(), |queue| unsafe { clEnqueueBarrier(queue) });

    t.about("clEnqueueWaitForEvents");
    let call = |queue, count, list| unsafe { clEnqueueWaitForEvents(queue, count, list) };
    t.correct(call(w.queue, 1, &w.complete));
    t.each(queue, "command_queue", w.no_queues(), |queue| call(queue, 1, &w.complete));
    let list = [w.complete, w.other.event];
    let condition = "an event is of another context than the queue";
    t.row(CL_INVALID_CONTEXT, condition, call(w.queue, 2, list.as_ptr()));
    t.row(CL_INVALID_VALUE, "num_events is 0", call(w.queue, 0, &w.complete));
    t.row(CL_INVALID_VALUE, "event_list is NULL", call(w.queue, 1, null()));
    t.each(CL_INVALID_EVENT, "an event", w.no_events(), |event| call(w.queue, 1, &event));
}
