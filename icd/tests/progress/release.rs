//! Releasing objects whose commands are under way.

use crate::common::*;
use crate::gate::Gate;
use crate::{alone, apart, comes, Sent, LIMIT};
use std::ptr::{null, null_mut};

/// Asserts that `f` returns while the gate is closed.
fn expect_at_once(gate: &Gate, what: &str, f: impl FnOnce() + Send + 'static) {
    let returned = apart(f);
    assert!(returned.recv_timeout(LIMIT).is_ok(), "{what} waits for the device");
    gate.expect_closed();
}

/// Enqueues a read of a whole buffer, without an event for its end.
unsafe fn read_later(s: &Setup, queue: cl_command_queue, mem: cl_mem, bytes: &mut [u8]) {
    let (size, target) = (bytes.len(), bytes.as_mut_ptr().cast());
    let read = s.cl.clEnqueueReadBuffer;
    check(unsafe { read(queue, mem, CL_FALSE, 0, size, target, 0, null(), null_mut()) });
}

/// Asserts that bytes of the device arrive.
fn expect_arrival(bytes: &[u8], expected: &[u8]) {
    let last = || unsafe { bytes.as_ptr().add(bytes.len() - 1).read_volatile() };
    assert!(comes(|| last() == expected[expected.len() - 1]));
    assert!(comes(|| bytes == expected));
}

#[test]
fn a_queue_that_is_busy_is_released_at_once_and_its_reads_still_arrive() {
    let _alone = alone();
    let s = Setup::new();
    let gate = Gate::new(&s);
    let contents = pattern(100_000, 3);
    let mem = s.buffer_of(CL_MEM_COPY_HOST_PTR, &mut contents.clone());
    let mut seen = vec![0u8; contents.len()];
    let queue = s.second_queue();
    gate.launch(queue, null_mut());
    unsafe { read_later(&s, queue, mem, &mut seen) };
    let (release_mem, release_queue) = (s.cl.clReleaseMemObject, s.cl.clReleaseCommandQueue);
    let objects = Sent((mem, queue));
    expect_at_once(&gate, "a release", move || {
        let (mem, queue) = objects.get();
        check(unsafe { release_mem(mem) });
        check(unsafe { release_queue(queue) });
    });
    gate.release_kernel();
    gate.expect_closed();
    gate.open();
    expect_arrival(&seen, &contents);
}

#[test]
fn the_last_event_of_a_released_queue_is_released_at_once() {
    let _alone = alone();
    let s = Setup::new();
    let gate = Gate::new(&s);
    let contents = pattern(50_000, 5);
    let mem = s.buffer_of(CL_MEM_COPY_HOST_PTR, &mut contents.clone());
    let mut seen = vec![0u8; contents.len()];
    let queue = s.second_queue();
    let mut event = null_mut();
    gate.launch(queue, &mut event);
    unsafe { read_later(&s, queue, mem, &mut seen) };
    check(unsafe { (s.cl.clReleaseCommandQueue)(queue) });
    gate.expect_closed();
    let event = Sent(event);
    expect_at_once(&gate, "clReleaseEvent", move || {
        check(unsafe { (cl().clReleaseEvent)(event.get()) });
    });
    gate.open();
    expect_arrival(&seen, &contents);
}

#[test]
fn a_queue_with_deferred_commands_may_be_released() {
    let _alone = alone();
    let s = Setup::new();
    let contents = pattern(70_000, 9);
    let mem = s.buffer_of(CL_MEM_COPY_HOST_PTR, &mut contents.clone());
    let mut seen = vec![0u8; contents.len()];
    let (queue, gate) = (s.second_queue(), s.user_event());
    unsafe {
        let (size, target) = (seen.len(), seen.as_mut_ptr().cast());
        let read = s.cl.clEnqueueReadBuffer;
        check(read(queue, mem, CL_FALSE, 0, size, target, 1, &gate, null_mut()));
        check((s.cl.clReleaseCommandQueue)(queue));
        check((s.cl.clReleaseMemObject)(mem));
        assert_eq!(seen, vec![0; contents.len()]);
        check((s.cl.clSetUserEventStatus)(gate, CL_COMPLETE));
        check((s.cl.clReleaseEvent)(gate));
    }
    expect_arrival(&seen, &contents);
}
