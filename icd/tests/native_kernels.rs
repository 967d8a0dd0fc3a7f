//! Functions of the host as commands of a queue, where the device offers them.
// Nearly every call of the API is unsafe, for the reason that the C specification gives.
#![allow(clippy::undocumented_unsafe_blocks)]

mod common;
use common::*;
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The arguments of `double_and_add`: buffers, of which one may be missing, and values around them.
#[repr(C)]
struct Arguments {
    added: i32,
    data: *mut i32,
    count: usize,
    missing: *mut i32,
}

unsafe extern "C" fn double_and_add(arguments: *mut c_void) {
    let arguments = unsafe { &*arguments.cast::<Arguments>() };
    assert!(arguments.missing.is_null());
    let data = unsafe { std::slice::from_raw_parts_mut(arguments.data, arguments.count) };
    data.iter_mut().for_each(|value| *value = *value * 2 + arguments.added);
}

/// Returns the setup; `None` where the device runs no native kernels: then the call must fail.
fn setup() -> Option<Setup> {
    let s = Setup::new();
    let offered: u64 = value(|z, p, r| unsafe {
        (s.cl.clGetDeviceInfo)(s.device, CL_DEVICE_EXECUTION_CAPABILITIES, z, p, r)
    });
    if offered & CL_EXEC_NATIVE_KERNEL != 0 {
        return Some(s);
    }
    skip("the device runs no native kernels");
    let code = unsafe {
        let (function, none) = (Some(count_call as unsafe extern "C" fn(_)), null_mut());
        let (mems, places) = (null(), null());
        (s.cl.clEnqueueNativeKernel)(
            s.queue,
            function,
            none,
            0,
            0,
            mems,
            places,
            0,
            null(),
            null_mut(),
        )
    };
    assert_eq!(code, CL_INVALID_OPERATION);
    None
}

/// Enqueues `double_and_add` on a buffer of integers.
fn enqueue(
    s: &Setup,
    queue: cl_command_queue,
    (mem, count): (cl_mem, usize),
    added: i32,
    waits: &[cl_event],
) -> cl_event {
    let handle = mem.cast();
    let mut arguments = Arguments { added, data: handle, count, missing: null_mut() };
    let mems = [mem, null_mut()];
    let places = [(&raw const arguments.data).cast(), (&raw const arguments.missing).cast()];
    let list = if waits.is_empty() { null() } else { waits.as_ptr() };
    let mut event = null_mut();
    let code = unsafe {
        (s.cl.clEnqueueNativeKernel)(
            queue,
            Some(double_and_add),
            (&raw mut arguments).cast(),
            size_of::<Arguments>(),
            2,
            mems.as_ptr(),
            places.as_ptr(),
            waits.len() as u32,
            list,
            &mut event,
        )
    };
    check(code);
    // The application may change the arguments again.
    unsafe { (&raw mut arguments).write_bytes(0xFF, 1) };
    event
}

static CALLS: AtomicUsize = AtomicUsize::new(0);

unsafe extern "C" fn count_call(_: *mut c_void) {
    CALLS.fetch_add(1, Ordering::SeqCst);
}

fn integers(bytes: &[u8]) -> Vec<i32> {
    bytes.chunks_exact(4).map(|word| i32::from_ne_bytes(word.try_into().unwrap())).collect()
}

#[test]
fn functions_run_in_their_place_in_the_queue() {
    let Some(s) = setup() else { return };
    let program = s.program("kernel void inc(global int *p) { p[get_global_id(0)] += 1; }", "");
    let kernel = s.kernel(program, "inc");
    const COUNT: usize = 1000;
    let mem = s.buffer(0, 4 * COUNT);
    s.write(mem, true, 0, &[0; 4 * COUNT]);
    s.set(kernel, 0, &mem);
    let mut expected = 0;
    for step in 0..20 {
        check(s.launch(kernel, &[COUNT], None));
        enqueue(&s, s.queue, (mem, COUNT), step, &[]);
        expected = ((expected + 1) * 2 + step) % 0x10000;
        check(s.launch(kernel, &[COUNT], None));
        expected += 1;
        if step == 10 {
            // The buffer is cleared here, which keeps the values small.
            assert_eq!(integers(&s.read(mem, 0, 4 * COUNT)), vec![expected; COUNT]);
            s.write(mem, true, 0, &[0; 4 * COUNT]);
            expected = 0;
        }
    }
    assert_eq!(integers(&s.read(mem, 0, 4 * COUNT)), vec![expected; COUNT]);
}

#[test]
fn a_sub_buffer_is_its_part() {
    let Some(s) = setup() else { return };
    let mem = s.buffer(0, 512);
    s.write(mem, true, 0, &[0; 512]);
    let region = cl_buffer_region { origin: 256, size: 128 };
    let (kind, region) = (CL_BUFFER_CREATE_TYPE_REGION, (&raw const region).cast());
    let part = made(|e| unsafe { (s.cl.clCreateSubBuffer)(mem, 0, kind, region, e) });
    enqueue(&s, s.queue, (part, 32), 5, &[]);
    let expected: Vec<i32> = (0..128).map(|i| if (64..96).contains(&i) { 5 } else { 0 }).collect();
    assert_eq!(integers(&s.read(mem, 0, 512)), expected);
}

#[test]
fn events_and_times() {
    let Some(s) = setup() else { return };
    let mem = s.buffer(0, 64);
    s.write(mem, true, 0, &[0; 64]);
    let gate = s.user_event();
    let event = enqueue(&s, s.queue, (mem, 16), 3, &[gate]);
    let kind: u32 =
        value(|z, p, r| unsafe { (s.cl.clGetEventInfo)(event, CL_EVENT_COMMAND_TYPE, z, p, r) });
    assert_eq!(kind, CL_COMMAND_NATIVE_KERNEL);
    assert_eq!(s.status(event), CL_QUEUED);
    check(unsafe { (s.cl.clSetUserEventStatus)(gate, CL_COMPLETE) });
    check(unsafe { (s.cl.clWaitForEvents)(1, &event) });
    assert_eq!(s.status(event), CL_COMPLETE);
    assert_eq!(integers(&s.read(mem, 0, 64)), [3; 16]);
    let time = |name| -> u64 {
        value(|z, p, r| unsafe { (s.cl.clGetEventProfilingInfo)(event, name, z, p, r) })
    };
    let times = [
        CL_PROFILING_COMMAND_QUEUED,
        CL_PROFILING_COMMAND_SUBMIT,
        CL_PROFILING_COMMAND_START,
        CL_PROFILING_COMMAND_END,
    ];
    let times = times.map(time);
    assert!(times.is_sorted() && times[2] < times[3], "{times:?}");

    // The function is not called if an event that it waits for fails.
    let gate = s.user_event();
    let event = enqueue(&s, s.queue, (mem, 16), 3, &[gate]);
    check(unsafe { (s.cl.clSetUserEventStatus)(gate, -1) });
    let code = unsafe { (s.cl.clWaitForEvents)(1, &event) };
    assert_eq!(code, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    assert!(s.status(event) < 0);
    assert_eq!(integers(&s.read(mem, 0, 64)), [3; 16]);
}

#[test]
fn out_of_order_queues_keep_to_wait_lists() {
    let Some(s) = setup() else { return };
    let queue = made(|e| unsafe {
        let properties = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
        (s.cl.clCreateCommandQueue)(s.context, s.device, properties, e)
    });
    let mem = s.buffer(0, 64);
    s.write(mem, true, 0, &[0; 64]);
    let mut before = Vec::new();
    for step in 0..10 {
        before = vec![enqueue(&s, queue, (mem, 16), step % 2, &before)];
    }
    check(unsafe { (s.cl.clFinish)(queue) });
    assert_eq!(integers(&s.read(mem, 0, 64)), [0b01_0101_0101; 16]);
}

#[test]
fn finishing_waits_for_functions_without_arguments() {
    let Some(s) = setup() else { return };
    for _ in 0..10 {
        check(unsafe {
            let (function, none) = (Some(count_call as unsafe extern "C" fn(_)), null_mut());
            (s.cl.clEnqueueNativeKernel)(
                s.queue,
                function,
                none,
                0,
                0,
                null(),
                null(),
                0,
                null(),
                null_mut(),
            )
        });
    }
    s.finish();
    assert_eq!(CALLS.load(Ordering::SeqCst), 10);
}

#[test]
fn all_again_under_validation() {
    run_again("0");
}

#[test]
fn not_offered_through_staging_memory() {
    run_again("1");
}
