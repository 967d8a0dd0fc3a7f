//! Events through the loader: user events, wait lists across queues, callbacks, profiling.
// Nearly every call of the API is unsafe, for the reason that the C specification gives.
#![allow(clippy::undocumented_unsafe_blocks)]

mod common;
use common::*;
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::mpsc;
use std::time::Duration;

/// Enqueues a write behind `waits` and returns its event.
fn write_after(
    s: &Setup,
    queue: cl_command_queue,
    mem: cl_mem,
    bytes: &[u8],
    waits: &[cl_event],
    blocking: bool,
) -> cl_event {
    let mut event = null_mut();
    let list = if waits.is_empty() { null() } else { waits.as_ptr() };
    check(unsafe {
        (s.cl.clEnqueueWriteBuffer)(
            queue,
            mem,
            u32::from(blocking),
            0,
            bytes.len(),
            bytes.as_ptr().cast(),
            waits.len() as u32,
            list,
            &mut event,
        )
    });
    event
}

#[test]
fn commands_wait_for_user_events_and_keep_their_order() {
    let s = Setup::new();
    let mem = s.buffer(0, 4);
    s.write(mem, true, 0, &[1; 4]);
    let gate = s.user_event();
    assert_eq!(s.status(gate), CL_SUBMITTED);
    let behind = write_after(&s, s.queue, mem, &[2; 4], &[gate], false);
    // This command waits for no event, but its queue is in order.
    let after = write_after(&s, s.queue, mem, &[3; 4], &[], false);
    assert_eq!(s.status(behind), CL_QUEUED);
    assert_eq!(s.status(after), CL_QUEUED);
    let other = s.second_queue();
    let mut seen = [0u8; 4];
    unsafe {
        check((s.cl.clFlush)(s.queue));
        let read = |queue, waits: &[cl_event], target: *mut c_void, event: *mut cl_event| {
            let list = if waits.is_empty() { null() } else { waits.as_ptr() };
            let count = waits.len() as u32;
            (s.cl.clEnqueueReadBuffer)(queue, mem, CL_FALSE, 0, 4, target, count, list, event)
        };
        // Another queue must not be blocked.
        check(read(other, &[], seen.as_mut_ptr().cast(), null_mut()));
        check((s.cl.clFinish)(other));
        assert_eq!(seen, [1; 4]);
        // This command waits for a command that waits itself.
        let mut done = null_mut();
        check(read(other, &[after], seen.as_mut_ptr().cast(), &mut done));
        assert_eq!(s.status(done), CL_QUEUED);
        check((s.cl.clSetUserEventStatus)(gate, CL_COMPLETE));
        check((s.cl.clWaitForEvents)(1, &done));
        assert_eq!(seen, [3; 4]);
        assert_eq!(s.status(behind), CL_COMPLETE);
        assert_eq!((s.cl.clSetUserEventStatus)(gate, CL_COMPLETE), CL_INVALID_OPERATION);
    }
}

/// A blocking write in the only queue of a context returns when the library has copied its bytes, whatever events it
/// waits for.
#[test]
fn a_blocking_write_of_the_only_queue_takes_its_bytes() {
    let s = Setup::new();
    let mem = s.buffer(0, 4);
    s.write(mem, true, 0, &[1; 4]);
    let gate = s.user_event();
    let mut bytes = [2; 4];
    let written = write_after(&s, s.queue, mem, &bytes, &[gate], true);
    assert_eq!(s.status(written), CL_QUEUED);
    bytes.fill(3);
    check(unsafe { (s.cl.clSetUserEventStatus)(gate, CL_COMPLETE) });
    assert_eq!(s.read(mem, 0, 4), [2; 4]);
    assert_eq!(bytes, [3; 4]);
}

#[test]
fn a_blocking_call_waits_for_another_thread() {
    let s = Setup::new();
    let mem = s.buffer(0, 4);
    s.write(mem, true, 0, &[1; 4]);
    let gate = s.user_event();
    let addresses = [gate as usize, mem as usize, s.second_queue() as usize];
    let opener = std::thread::spawn(move || {
        let [gate, mem, queue] = addresses;
        std::thread::sleep(Duration::from_millis(50));
        // The bytes that the read must return are written only now: it returns them only if it has waited.
        let (mem, bytes) = (mem as cl_mem, [5u8; 4]);
        let write = cl().clEnqueueWriteBuffer;
        let from = bytes.as_ptr().cast();
        check(unsafe { write(queue as _, mem, CL_TRUE, 0, 4, from, 0, null(), null_mut()) });
        check(unsafe { (cl().clSetUserEventStatus)(gate as cl_event, CL_COMPLETE) });
    });
    let mut seen = [0u8; 4];
    check(unsafe {
        (s.cl.clEnqueueReadBuffer)(
            s.queue,
            mem,
            CL_TRUE,
            0,
            4,
            seen.as_mut_ptr().cast(),
            1,
            &gate,
            null_mut(),
        )
    });
    assert_eq!(seen, [5; 4]);
    opener.join().unwrap();
}

#[test]
fn errors_of_user_events_reach_what_waits() {
    let s = Setup::new();
    let mem = s.buffer(0, 4);
    s.write(mem, true, 0, &[1; 4]);
    let gate = s.user_event();
    let behind = write_after(&s, s.queue, mem, &[2; 4], &[gate], false);
    unsafe {
        check((s.cl.clSetUserEventStatus)(gate, -7));
        assert_eq!(s.status(gate), -7);
        let error = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
        assert_eq!((s.cl.clWaitForEvents)(1, &behind), error);
        assert_eq!(s.status(behind), error);
        let mut seen = [0u8; 4];
        let code = (s.cl.clEnqueueReadBuffer)(
            s.queue,
            mem,
            CL_TRUE,
            0,
            4,
            seen.as_mut_ptr().cast(),
            1,
            &gate,
            null_mut(),
        );
        assert_eq!(code, error);
    }
    assert_eq!(s.read(mem, 0, 4), [1; 4]);
}

#[test]
fn queues_wait_for_each_other_on_the_device() {
    let s = Setup::new();
    let other = s.second_queue();
    let size = 1 << 20;
    let (a, b) = (s.buffer(0, size), s.buffer(0, size));
    for round in 0..20u8 {
        let contents = vec![round; size];
        let written = write_after(&s, s.queue, a, &contents, &[], false);
        let (mut copied, mut back) = (null_mut(), vec![0u8; size]);
        unsafe {
            check((s.cl.clEnqueueCopyBuffer)(other, a, b, 0, 0, size, 1, &written, &mut copied));
            check((s.cl.clEnqueueReadBuffer)(
                s.queue,
                b,
                CL_TRUE,
                0,
                size,
                back.as_mut_ptr().cast(),
                1,
                &copied,
                null_mut(),
            ));
            check((s.cl.clReleaseEvent)(written));
            check((s.cl.clReleaseEvent)(copied));
        }
        assert!(back == contents);
    }
}

type Report = (usize, cl_int);

unsafe extern "C" fn report(event: cl_event, status: cl_int, data: *mut c_void) {
    let sender = unsafe { &*data.cast::<mpsc::Sender<Report>>() };
    sender.send((event as usize, status)).unwrap();
}

#[test]
fn callbacks_are_made() {
    let s = Setup::new();
    let (sender, receiver) = mpsc::channel::<Report>();
    let data: *mut c_void = Box::into_raw(Box::new(sender)).cast();
    let mem = s.buffer(0, 4);
    let gate = s.user_event();
    let behind = write_after(&s, s.queue, mem, &[2; 4], &[gate], false);
    unsafe {
        for status in [CL_COMPLETE, CL_RUNNING, CL_SUBMITTED] {
            check((s.cl.clSetEventCallback)(behind, status, Some(report), data));
        }
        assert_eq!((s.cl.clSetEventCallback)(behind, 9, Some(report), data), CL_INVALID_VALUE);
        assert_eq!((s.cl.clSetEventCallback)(behind, 0, None, data), CL_INVALID_VALUE);
        assert!(receiver.recv_timeout(Duration::from_millis(20)).is_err());
        check((s.cl.clSetUserEventStatus)(gate, CL_COMPLETE));
        // The application may release the event before its callbacks are called.
        check((s.cl.clReleaseEvent)(behind));
        let wait = || receiver.recv_timeout(Duration::from_secs(20)).unwrap();
        let reports = [wait(), wait(), wait()];
        assert!(reports.iter().all(|(event, _)| *event == behind as usize));
        assert_eq!(reports.map(|(_, status)| status), [CL_SUBMITTED, CL_RUNNING, CL_COMPLETE]);
    }
}

/// The objects that a callback uses, and the channel by which it reports its results.
struct Work {
    context: cl_context,
    queue: cl_command_queue,
    done: mpsc::Sender<(cl_int, cl_int)>,
}

/// Makes a buffer, fills it and releases it.
unsafe extern "C" fn work(_: cl_event, status: cl_int, data: *mut c_void) {
    let work = unsafe { &*data.cast::<Work>() };
    let cl = cl();
    let pattern = 7u32;
    let code = unsafe {
        let mem = made(|e| (cl.clCreateBuffer)(work.context, 0, 64, null_mut(), e));
        let from = (&raw const pattern).cast();
        let fill = cl.clEnqueueFillBuffer;
        let code = fill(work.queue, mem, from, 4, 0, 64, 0, null(), null_mut());
        check((cl.clFlush)(work.queue));
        check((cl.clReleaseMemObject)(mem));
        code
    };
    work.done.send((status, code)).unwrap();
}

#[test]
fn callbacks_may_call_the_api() {
    let s = Setup::new();
    let (done, receiver) = mpsc::channel();
    let work_data = Work { context: s.context, queue: s.queue, done };
    let data: *mut c_void = (&raw const work_data).cast_mut().cast();
    let (mem, gate) = (s.buffer(0, 4), s.user_event());
    let behind = write_after(&s, s.queue, mem, &[2; 4], &[gate], false);
    for status in [CL_COMPLETE, CL_RUNNING, CL_SUBMITTED] {
        check(unsafe { (s.cl.clSetEventCallback)(behind, status, Some(work), data) });
    }
    check(unsafe { (s.cl.clSetUserEventStatus)(gate, CL_COMPLETE) });
    let wait = || receiver.recv_timeout(Duration::from_secs(20)).unwrap();
    let mut reports = [wait(), wait(), wait()];
    reports.sort();
    let expected = [CL_COMPLETE, CL_RUNNING, CL_SUBMITTED].map(|status| (status, CL_SUCCESS));
    assert_eq!(reports, expected);
    s.finish();
}

#[test]
fn what_commands_use_may_be_released_before_they_run() {
    let s = Setup::new();
    let text = "kernel void k(global int *a, int n) { a[get_global_id(0)] = n; }";
    let mut seen = [0u8; 16];
    let gate = s.user_event();
    let mut read = null_mut();
    unsafe {
        let queue = s.second_queue();
        let program = s.program(text, "");
        let kernel = s.kernel(program, "k");
        let mem = s.buffer(0, 16);
        s.set(kernel, 0, &mem);
        s.set(kernel, 1, &0x0101_0101);
        let (global, none) = (4, null());
        let launch = s.cl.clEnqueueNDRangeKernel;
        check(launch(queue, kernel, 1, none, &global, none, 1, &gate, null_mut()));
        let target = seen.as_mut_ptr().cast();
        let into = s.cl.clEnqueueReadBuffer;
        check(into(queue, mem, CL_FALSE, 0, 16, target, 0, null(), &mut read));
        check((s.cl.clReleaseMemObject)(mem));
        check((s.cl.clReleaseKernel)(kernel));
        check((s.cl.clReleaseProgram)(program));
        check((s.cl.clReleaseCommandQueue)(queue));
        check((s.cl.clReleaseCommandQueue)(s.queue));
        check((s.cl.clReleaseContext)(s.context));
        check((s.cl.clSetUserEventStatus)(gate, CL_COMPLETE));
        check((s.cl.clReleaseEvent)(gate));
        check((s.cl.clWaitForEvents)(1, &read));
        check((s.cl.clReleaseEvent)(read));
    }
    assert_eq!(seen, [1; 16]);
}

#[test]
fn profiling_times_are_in_order() {
    let s = Setup::new();
    let (a, b) = (s.buffer(0, 1 << 20), s.buffer(0, 1 << 20));
    s.write(a, true, 0, &vec![1; 1 << 20]);
    let mut last_end = 0;
    for _ in 0..3 {
        let mut event = null_mut();
        unsafe {
            let size = 1 << 20;
            let code = (s.cl.clEnqueueCopyBuffer)(s.queue, a, b, 0, 0, size, 0, null(), &mut event);
            check(code);
            check((s.cl.clWaitForEvents)(1, &event));
        }
        let time = |name| -> u64 {
            value(|z, p, r| unsafe { (s.cl.clGetEventProfilingInfo)(event, name, z, p, r) })
        };
        let times = [
            CL_PROFILING_COMMAND_QUEUED,
            CL_PROFILING_COMMAND_SUBMIT,
            CL_PROFILING_COMMAND_START,
            CL_PROFILING_COMMAND_END,
        ]
        .map(time);
        assert!(times.is_sorted(), "{times:?}");
        assert!(times[3] > last_end);
        last_end = times[3];
    }
    let gate = s.user_event();
    let code = unsafe {
        (s.cl.clGetEventProfilingInfo)(gate, CL_PROFILING_COMMAND_END, 0, null_mut(), null_mut())
    };
    assert_eq!(code, CL_PROFILING_INFO_NOT_AVAILABLE);
}

#[test]
fn markers_and_barriers() {
    let s = Setup::new();
    let other = s.second_queue();
    let gate = s.user_event();
    let (mut marker, mut barrier) = (null_mut(), null_mut());
    unsafe {
        check((s.cl.clEnqueueMarkerWithWaitList)(s.queue, 1, &gate, &mut marker));
        check((s.cl.clEnqueueBarrierWithWaitList)(other, 1, &marker, &mut barrier));
        assert_eq!(s.status(barrier), CL_QUEUED);
        check((s.cl.clSetUserEventStatus)(gate, CL_COMPLETE));
        check((s.cl.clFinish)(other));
        assert_eq!(s.status(marker), CL_COMPLETE);
        assert_eq!(s.status(barrier), CL_COMPLETE);
        let kind: u32 =
            value(|z, p, r| (s.cl.clGetEventInfo)(barrier, CL_EVENT_COMMAND_TYPE, z, p, r));
        assert_eq!(kind, CL_COMMAND_BARRIER);
    }
}

#[test]
fn all_again_under_validation() {
    run_again("0");
}

#[test]
fn all_again_through_staging_memory() {
    run_again("1");
}

/// Making a queue does not wait for a blocking write that is deferred behind a user event, since the same thread may be
/// the one that completes the event; but the new queue's commands run behind the write.
#[test]
fn a_queue_is_made_while_a_blocking_write_waits_for_a_user_event() {
    for other in [false, true] {
        let s = Setup::new();
        let (mem, gate) = (s.buffer(0, 64), s.user_event());
        // If the context has a second queue, the blocking write does not return yet.
        let _second = other.then(|| s.second_queue());
        let held = [7u8; 64];
        unsafe {
            let write = s.cl.clEnqueueWriteBuffer;
            let from = held.as_ptr().cast();
            check(write(s.queue, mem, CL_FALSE, 0, 64, from, 1, &gate, null_mut()));
        }
        let cl = s.cl;
        let [queue, mem, gate, context, device] =
            [s.queue as usize, mem as usize, gate as usize, s.context as usize, s.device as usize];
        let (told, is_made) = mpsc::channel();
        std::thread::scope(|scope| {
            let writer = scope.spawn(move || unsafe {
                let (queue, mem, bytes) = (queue as cl_command_queue, mem as cl_mem, [9u8; 64]);
                let (write, from) = (cl.clEnqueueWriteBuffer, bytes.as_ptr().cast());
                check(write(queue, mem, CL_TRUE, 0, 64, from, 0, null(), null_mut()));
            });
            // Long enough for the write to be enqueued.
            std::thread::sleep(Duration::from_millis(200));
            assert_eq!(writer.is_finished(), !other);
            scope.spawn(move || unsafe {
                let (context, device) = (context as cl_context, device as cl_device_id);
                let queue = made(|e| (cl.clCreateCommandQueue)(context, device, 0, e));
                let (mem, mut seen) = (mem as cl_mem, [0u8; 64]);
                let (read, to) = (cl.clEnqueueReadBuffer, seen.as_mut_ptr().cast());
                check(read(queue, mem, CL_FALSE, 0, 64, to, 0, null(), null_mut()));
                let _ = told.send(());
                check((cl.clFinish)(queue));
                check((cl.clReleaseCommandQueue)(queue));
                assert!(
                    other || seen == [9; 64],
                    "a queue runs ahead of a write that has returned"
                );
            });
            let soon = is_made.recv_timeout(Duration::from_secs(20));
            check(unsafe { (cl.clSetUserEventStatus)(gate as cl_event, CL_COMPLETE) });
            assert!(soon.is_ok(), "the new queue waits for what waits for a user event");
        });
        assert_eq!(s.read(mem as cl_mem, 0, 64), [9; 64]);
    }
}
