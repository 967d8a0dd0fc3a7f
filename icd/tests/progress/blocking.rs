//! Calls that block do not hold up calls that need not wait.

use crate::common::*;
use crate::gate::Gate;
use crate::recorder::Recorder;
use crate::{alone, apart, finish, Sent, LIMIT};
use std::ptr::{null, null_mut};
use std::time::Duration;

/// A thread blocks in a read of `size` bytes behind the gate. Another thread enqueues a fill of the buffer behind the
/// read, and need not wait. The read comes first in the queue.
fn enqueues_while_another_thread_reads(size: usize) {
    let _alone = alone();
    let s = Setup::new();
    let contents = pattern(size, 3);
    let mem = s.buffer_of(CL_MEM_COPY_HOST_PTR, &mut contents.clone());
    let gate = Gate::new(&s);
    gate.launch(s.queue, null_mut());
    let handles = Sent((s.queue, mem));
    let reader = std::thread::spawn(move || {
        let (queue, mem) = handles.get();
        let mut seen = vec![0u8; size];
        let (read, target) = (cl().clEnqueueReadBuffer, seen.as_mut_ptr().cast());
        check(unsafe { read(queue, mem, CL_TRUE, 0, size, target, 0, null(), null_mut()) });
        seen
    });
    // There is no way to see when the thread has entered the call.
    std::thread::sleep(Duration::from_millis(200));
    let filled = apart(move || {
        let ((queue, mem), pattern) = (handles.get(), 0xEEu8);
        let (fill, from) = (cl().clEnqueueFillBuffer, (&raw const pattern).cast());
        check(unsafe { fill(queue, mem, from, 1, 0, size, 0, null(), null_mut()) });
        check(unsafe { (cl().clFlush)(queue) });
    });
    assert!(filled.recv_timeout(LIMIT).is_ok(), "an enqueue waits for another thread's read");
    gate.expect_closed();
    gate.open();
    let seen = reader.join().unwrap();
    // If the other thread was faster, the whole fill came first.
    let all_or_nothing = seen == contents || seen.iter().all(|byte| *byte == 0xEE);
    assert!(all_or_nothing, "the read saw a part of what was enqueued behind it");
    finish(s.queue);
    assert_eq!(s.read(mem, 0, size), vec![0xEE; size]);
}

#[test]
fn a_thread_that_reads_a_little_keeps_no_other_from_enqueuing() {
    enqueues_while_another_thread_reads(16);
}

#[test]
fn a_thread_that_reads_much_keeps_no_other_from_enqueuing() {
    enqueues_while_another_thread_reads(48 << 20);
}

/// A replay that prints waits until the output of the replay before it is collected.
#[test]
fn a_replay_that_waits_for_its_output_buffer_keeps_no_other_thread_from_enqueuing() {
    let _alone = alone();
    let s = Setup::new();
    let program = s.program("kernel void say() { printf(\"\"); }", "");
    let say = s.kernel(program, "say");
    let mem = s.buffer_of(CL_MEM_COPY_HOST_PTR, &mut [0u8; 16]);
    let recorder = Recorder::new(&s);
    recorder.launch(say, 1, &[]);
    recorder.finalize();
    // lavapipe makes no pipeline while a kernel runs.
    recorder.enqueue();
    finish(s.queue);
    let gate = Gate::new(&s);
    gate.launch(s.queue, null_mut());
    recorder.enqueue();
    let handles = Sent((s.queue, mem));
    let second = Sent(recorder);
    let replay = apart(move || second.get().enqueue());
    // There is no way to see when the thread has entered the call.
    std::thread::sleep(Duration::from_millis(200));
    let filled = apart(move || {
        let ((queue, mem), pattern) = (handles.get(), 0xEEu8);
        let (fill, from) = (cl().clEnqueueFillBuffer, (&raw const pattern).cast());
        check(unsafe { fill(queue, mem, from, 1, 0, 16, 0, null(), null_mut()) });
        check(unsafe { (cl().clFlush)(queue) });
    });
    assert!(filled.recv_timeout(LIMIT).is_ok(), "an enqueue waits for another thread's replay");
    gate.expect_closed();
    gate.open();
    assert!(replay.recv_timeout(LIMIT).is_ok(), "the replay does not end");
    finish(s.queue);
    assert_eq!(s.read(mem, 0, 16), [0xEE; 16]);
}
