//! User events that fail, and callbacks that call the API again.

use crate::common::*;
use crate::owned::{event, Event, Numbers};
use crate::world::World;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering};

/// A failed user event fails the commands that wait for it, directly or indirectly, and nothing else.
pub fn failures(world: &World, numbers: &mut Numbers) {
    let cl = world.cl;
    let (queue, other) = (world.any_queue(numbers), world.any_queue(numbers));
    let mem = world.buffer(64);
    let gate = world.user_event();
    let marker = |queue: cl_command_queue, waits: &[&Event]| {
        event(waits, |n, l, e| unsafe { (cl.clEnqueueMarkerWithWaitList)(queue, n, l, e) })
    };
    let free = marker(other.get(), &[]);
    let word = numbers.next() as u32;
    let pattern = (&raw const word).cast();
    let first = event(&[&gate], |n, l, e| unsafe {
        (cl.clEnqueueFillBuffer)(queue.get(), mem.get(), pattern, 4, 0, 64, n, l, e)
    });
    let second = marker(other.get(), &[&first]);
    let third = marker(queue.get(), &[&free, &second]);
    assert_eq!(free.wait(), CL_SUCCESS);
    let status = -1 - numbers.below(1000) as i32;
    check(unsafe { (cl.clSetUserEventStatus)(gate.get(), status) });
    let error = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    for dependent in [&third, &second, &first, &gate] {
        assert_eq!(dependent.wait(), error);
    }
    assert_eq!(gate.status(), status);
    assert!(third.status() < 0);
    check(unsafe { (cl.clFinish)(queue.get()) });
    check(unsafe { (cl.clFinish)(other.get()) });
}

/// The objects that callbacks use, and the results that they report.
struct Heard {
    context: cl_context,
    queue: cl_command_queue,
    times: AtomicUsize,
    /// A code that was not CL_SUCCESS.
    failure: AtomicI32,
}

unsafe extern "C" fn hear(event: cl_event, status: cl_int, data: *mut c_void) {
    let (cl, heard) = (cl(), unsafe { &*data.cast::<Heard>() });
    unsafe {
        let (name, mut now) = (CL_EVENT_COMMAND_EXECUTION_STATUS, 0i32);
        check((cl.clGetEventInfo)(event, name, 4, (&raw mut now).cast(), null_mut()));
        assert!(now <= status);
        let own = made(|e| (cl.clCreateUserEvent)(heard.context, e));
        let mut marker = null_mut();
        let enqueued = (cl.clEnqueueMarkerWithWaitList)(heard.queue, 1, &own, &mut marker);
        check((cl.clSetUserEventStatus)(own, CL_COMPLETE));
        let mut codes = vec![status.min(CL_COMPLETE), enqueued];
        if enqueued == CL_SUCCESS {
            codes.push((cl.clWaitForEvents)(1, &marker));
            check((cl.clReleaseEvent)(marker));
        }
        check((cl.clReleaseEvent)(own));
        for code in codes.into_iter().filter(|code| *code != CL_SUCCESS) {
            heard.failure.store(code, Ordering::SeqCst);
        }
    }
    heard.times.fetch_add(1, Ordering::SeqCst);
}

/// Callbacks for every status, some of them registered long after the command's end.
pub fn callbacks(world: &World, numbers: &mut Numbers) {
    let cl = world.cl;
    let (queue, for_callbacks) = (world.any_queue(numbers), world.any_queue(numbers));
    let heard = Heard {
        context: world.context.get(),
        queue: for_callbacks.get(),
        times: AtomicUsize::new(0),
        failure: AtomicI32::new(CL_SUCCESS),
    };
    let data = (&raw const heard).cast_mut().cast();
    let gate = numbers.once_in(2).then(|| world.gate());
    let waits: Vec<&Event> = gate.iter().collect();
    let marker =
        event(&waits, |n, l, e| unsafe { (cl.clEnqueueMarkerWithWaitList)(queue.get(), n, l, e) });
    if numbers.once_in(3) {
        assert_eq!(marker.wait(), CL_SUCCESS);
    }
    let asked = 1 + numbers.below(6);
    for _ in 0..asked {
        let stage = *numbers.pick(&[CL_SUBMITTED, CL_RUNNING, CL_COMPLETE]);
        check(unsafe { (cl.clSetEventCallback)(marker.get(), stage, Some(hear), data) });
    }
    drop(marker);
    let flushed = unsafe { (cl.clFlush)(queue.get()) };
    while heard.times.load(Ordering::SeqCst) < asked {
        std::thread::yield_now();
    }
    check(flushed);
    check(heard.failure.load(Ordering::SeqCst));
}
