//! The application's callbacks run for a long time, and the driver still works.

use crate::common::*;
use crate::gate::Gate;
use crate::{alone, apart, comes, finish, Sent, LIMIT};
use std::ffi::{c_char, c_void};
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::Mutex;

/// The channels of a callback: it reports its call by `called`, waits for `go`, and reports by `went` whether that came.
struct Slow {
    called: Sender<cl_int>,
    go: Mutex<Receiver<()>>,
    went: Sender<bool>,
}

unsafe extern "C" fn wait_for_go(_: cl_event, status: cl_int, data: *mut c_void) {
    let slow = unsafe { &*data.cast::<Slow>() };
    let _ = slow.called.send(status);
    let went = slow.go.lock().unwrap().recv_timeout(LIMIT).is_ok();
    let _ = slow.went.send(went);
}

static CALLS: AtomicUsize = AtomicUsize::new(0);

unsafe extern "C" fn count_call(_: *mut c_void) {
    CALLS.fetch_add(1, Ordering::SeqCst);
}

unsafe extern "C" fn free_counted(
    _: cl_command_queue,
    _: cl_uint,
    _: *mut *mut c_void,
    _: *mut c_void,
) {
    CALLS.fetch_add(1, Ordering::SeqCst);
}

fn marker(s: &Setup, queue: cl_command_queue, waits: &[cl_event]) -> cl_event {
    let mut event = null_mut();
    let list = if waits.is_empty() { null() } else { waits.as_ptr() };
    let enqueue = s.cl.clEnqueueMarkerWithWaitList;
    check(unsafe { enqueue(queue, waits.len() as u32, list, &mut event) });
    event
}

/// Runs `during` while a callback of another context's event waits to be ended.
fn while_a_callback_waits(during: impl FnOnce(&Setup)) {
    let (called, calls) = mpsc::channel();
    let (go, receiver) = mpsc::channel();
    let (went, ended) = mpsc::channel();
    let slow = Box::leak(Box::new(Slow { called, go: Mutex::new(receiver), went }));
    let (slow_setup, s) = (Setup::new(), Setup::new());
    let event = marker(&slow_setup, slow_setup.queue, &[]);
    let data = std::ptr::from_mut(slow).cast();
    let set = slow_setup.cl.clSetEventCallback;
    check(unsafe { set(event, CL_COMPLETE, Some(wait_for_go), data) });
    assert_eq!(calls.recv_timeout(LIMIT), Ok(CL_COMPLETE));
    during(&s);
    let _ = go.send(());
    assert!(
        ended.recv().unwrap(),
        "something of the driver's waits for the application's callback"
    );
}

#[test]
fn native_kernels_do_not_wait_for_callbacks() {
    let _alone = alone();
    while_a_callback_waits(|s| {
        let offered: u64 = value(|z, p, r| unsafe {
            (s.cl.clGetDeviceInfo)(s.device, CL_DEVICE_EXECUTION_CAPABILITIES, z, p, r)
        });
        if offered & CL_EXEC_NATIVE_KERNEL == 0 {
            skip("the device runs no native kernels");
            return;
        }
        let before = CALLS.load(Ordering::SeqCst);
        check(unsafe {
            let enqueue = s.cl.clEnqueueNativeKernel;
            let (none, function) = (null_mut(), Some(count_call as unsafe extern "C" fn(_)));
            enqueue(s.queue, function, none, 0, 0, null(), null(), 0, null(), null_mut())
        });
        finish(s.queue);
        assert_eq!(CALLS.load(Ordering::SeqCst), before + 1);
    });
}

#[test]
fn shared_memory_is_freed_while_a_callback_waits() {
    let _alone = alone();
    while_a_callback_waits(|s| {
        let sharing: u64 = value(|z, p, r| unsafe {
            (s.cl.clGetDeviceInfo)(s.device, CL_DEVICE_SVM_CAPABILITIES, z, p, r)
        });
        if sharing == 0 {
            skip("the device has no shared virtual memory");
            return;
        }
        let before = CALLS.load(Ordering::SeqCst);
        let gate = s.user_event();
        check(unsafe {
            let mut memory = (s.cl.clSVMAlloc)(s.context, CL_MEM_READ_WRITE, 64, 0);
            let (free, function): (_, SvmFreeNotify) = (s.cl.clEnqueueSVMFree, Some(free_counted));
            free(s.queue, 1, &mut memory, function, null_mut(), 1, &gate, null_mut())
        });
        check(unsafe { (s.cl.clSetUserEventStatus)(gate, CL_COMPLETE) });
        assert!(comes(|| CALLS.load(Ordering::SeqCst) == before + 1));
    });
}

#[test]
fn semaphores_that_are_waited_for_early_do_not_wait_for_callbacks() {
    type Create = unsafe extern "C" fn(cl_context, *const u64, *mut cl_int) -> cl_semaphore_khr;
    type Enqueue = unsafe extern "C" fn(
        cl_command_queue,
        cl_uint,
        *const cl_semaphore_khr,
        *const u64,
        cl_uint,
        *const cl_event,
        *mut cl_event,
    ) -> cl_int;
    let _alone = alone();
    while_a_callback_waits(|s| {
        let create: Create = s.extension(c"clCreateSemaphoreWithPropertiesKHR");
        let wait: Enqueue = s.extension(c"clEnqueueWaitSemaphoresKHR");
        let signal: Enqueue = s.extension(c"clEnqueueSignalSemaphoresKHR");
        let kind = [u64::from(CL_SEMAPHORE_TYPE_KHR), u64::from(CL_SEMAPHORE_TYPE_BINARY_KHR), 0];
        let semaphore = made(|e| unsafe { create(s.context, kind.as_ptr(), e) });
        let (other, mut waited) = (s.second_queue(), null_mut());
        check(unsafe { wait(s.queue, 1, &semaphore, null(), 0, null(), &mut waited) });
        check(unsafe { signal(other, 1, &semaphore, null(), 0, null(), null_mut()) });
        check(unsafe { (s.cl.clFlush)(other) });
        assert!(comes(|| s.status(waited) == CL_COMPLETE));
    });
}

unsafe extern "C" fn report(_: cl_event, status: cl_int, data: *mut c_void) {
    let sender = unsafe { &*data.cast::<Sender<cl_int>>() };
    let _ = sender.send(status);
}

#[test]
fn callbacks_come_when_their_status_does() {
    let _alone = alone();
    let s = Setup::new();
    let (sender, receiver) = mpsc::channel::<cl_int>();
    let data: *mut c_void = Box::into_raw(Box::new(sender)).cast();
    let set = |event, status| {
        check(unsafe { (s.cl.clSetEventCallback)(event, status, Some(report), data) });
    };
    let next = || receiver.recv_timeout(LIMIT);
    let silent = || receiver.recv_timeout(LIMIT / 100).is_err();
    let gate = Gate::new(&s);
    // An event of another context, which does not depend on the gate.
    let user = s.user_event();
    set(user, CL_COMPLETE);
    assert!(silent());
    // A user event has been submitted from the beginning (5.11).
    set(user, CL_SUBMITTED);
    assert_eq!(next(), Ok(CL_SUBMITTED));
    let first = marker(&s, s.queue, &[user]);
    for status in [CL_SUBMITTED, CL_RUNNING, CL_COMPLETE] {
        set(first, status);
    }
    assert!(silent());
    let mut running = null_mut();
    gate.launch(s.queue, &mut running);
    let behind = marker(&s, s.queue, &[]);
    for status in [CL_COMPLETE, CL_RUNNING, CL_SUBMITTED] {
        set(behind, status);
    }
    assert!(silent());
    check(unsafe { (s.cl.clSetUserEventStatus)(user, CL_COMPLETE) });
    let mut statuses = [next(), next(), next(), next(), next()].map(Result::unwrap);
    // Commands behind the gate have been submitted, and have not begun.
    assert!(silent());
    gate.expect_closed();
    statuses.sort();
    let expected = [CL_COMPLETE, CL_COMPLETE, CL_RUNNING, CL_SUBMITTED, CL_SUBMITTED];
    assert_eq!(statuses, expected);
    assert_eq!(s.status(behind), CL_SUBMITTED);
    set(running, CL_COMPLETE);
    set(running, CL_RUNNING);
    assert_eq!(next(), Ok(CL_RUNNING));
    assert_eq!(s.status(running), CL_RUNNING);
    gate.expect_closed();
    gate.open();
    // The end of one command is the beginning of the next one.
    let mut statuses = [next(), next(), next()].map(Result::unwrap);
    assert_eq!(statuses[2], CL_COMPLETE);
    statuses.sort();
    assert_eq!(statuses, [CL_COMPLETE, CL_COMPLETE, CL_RUNNING]);
    assert!(silent());
}

/// The channels of the callback for kernels' output: it sends the output by `called`, and waits for `go`.
struct Listener {
    called: Sender<Vec<u8>>,
    go: Mutex<Receiver<()>>,
}

unsafe extern "C" fn listen(text: *const c_char, size: usize, _: usize, data: *mut c_void) {
    let (text, listener) =
        unsafe { (std::slice::from_raw_parts(text.cast::<u8>(), size), &*data.cast::<Listener>()) };
    let _ = listener.called.send(text.to_vec());
    let _ = listener.go.lock().unwrap().recv_timeout(LIMIT);
}

#[test]
fn who_finishes_a_queue_does_not_wait_for_the_callback_of_anothers_text() {
    let _alone = alone();
    let (called, texts) = mpsc::channel();
    let (go, receiver) = mpsc::channel();
    let listener = Box::leak(Box::new(Listener { called, go: Mutex::new(receiver) }));
    let mut s = Setup::new();
    assert!(s.offers("cl_arm_printf"));
    let properties = [CL_PRINTF_CALLBACK_ARM as isize, listen as *const () as isize, 0];
    let data = std::ptr::from_mut(listener).cast();
    unsafe {
        let (list, device) = (properties.as_ptr(), &s.device);
        s.context = made(|e| (s.cl.clCreateContext)(list, 1, device, None, data, e));
        s.queue = made(|e| (s.cl.clCreateCommandQueue)(s.context, s.device, 0, e));
    }
    let program = s.program("kernel void say(int n) { printf(\"<%d>\", n); }", "");
    let say = s.kernel(program, "say");
    let (queue, other) = (s.queue, s.second_queue());
    for n in [1, 2] {
        s.set(say, 0, &n);
        check(s.launch(say, &[1], None));
    }
    let first = Sent(queue);
    let printed = apart(move || finish(first.get()));
    assert_eq!(texts.recv_timeout(LIMIT).unwrap(), b"<1>");
    // The callback runs on a thread of the application, and may wait for the present thread.
    let sibling = Sent(other);
    let finished = apart(move || finish(sibling.get()));
    let returned = finished.recv_timeout(LIMIT / 2);
    go.send(()).unwrap();
    go.send(()).unwrap();
    printed.recv_timeout(LIMIT).unwrap();
    assert!(returned.is_ok(), "clFinish waits for another queue's text");
    assert_eq!(texts.recv_timeout(LIMIT).unwrap(), b"<2>");
}
