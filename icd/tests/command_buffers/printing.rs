//! Kernels of command buffers that print: the output of each replay is printed once and in order.

use crate::common::*;
use crate::recorder::*;
use std::ffi::{c_char, c_void};
use std::sync::Mutex;

unsafe extern "C" fn keep(text: *const c_char, size: usize, _complete: usize, kept: *mut c_void) {
    let (text, kept) = unsafe {
        let text = std::slice::from_raw_parts(text.cast::<u8>(), size);
        (text, &*kept.cast::<Mutex<Vec<u8>>>())
    };
    kept.lock().unwrap().extend_from_slice(text);
}

/// Returns a setup whose kernels print into `kept`.
fn printing(kept: &Mutex<Vec<u8>>) -> Setup {
    let mut s = Setup::new();
    let properties = [CL_PRINTF_CALLBACK_ARM as isize, keep as *const () as isize, 0];
    let data = std::ptr::from_ref(kept).cast_mut().cast();
    unsafe {
        let (list, device) = (properties.as_ptr(), &s.device);
        s.context = made(|e| (s.cl.clCreateContext)(list, 1, device, None, data, e));
        s.queue = made(|e| (s.cl.clCreateCommandQueue)(s.context, s.device, 0, e));
    }
    s
}

fn kept_text(kept: &Mutex<Vec<u8>>) -> String {
    String::from_utf8(kept.lock().unwrap().clone()).unwrap()
}

#[test]
fn every_replay_prints() {
    let kept = Mutex::new(Vec::new());
    let s = printing(&kept);
    let program = s.program(
        "kernel void count(global uint *n) { printf(\"%u\\n\", n[0]++); }
         kernel void say(uint n) { printf(\"<%u>\\n\", n); }",
        "",
    );
    let (count, say) = (s.kernel(program, "count"), s.kernel(program, "say"));
    let n = filled(&s, 1, 0);
    s.set(count, 0, &n);
    s.set(say, 0, &77u32);
    let r = Recorder::new(&s);
    r.launch(count, 1, &[]);
    r.launch(say, 1, &[]);
    r.launch(count, 1, &[]);
    r.finalize();
    // More replays than there are buffers for output, with no wait in between.
    const TIMES: u32 = 40;
    for _ in 0..TIMES {
        r.enqueue();
    }
    s.finish();
    let expected: String =
        (0..TIMES).map(|i| format!("{}\n<77>\n{}\n", 2 * i, 2 * i + 1)).collect();
    assert_eq!(kept_text(&kept), expected);
}

#[test]
fn replays_on_two_queues_print() {
    let kept = Mutex::new(Vec::new());
    let s = printing(&kept);
    let program = s.program("kernel void say() { printf(\"x\"); }", "");
    let say = s.kernel(program, "say");
    let other = s.second_queue();
    let r = Recorder::new(&s);
    r.launch(say, 10, &[]);
    r.finalize();
    for queue in [s.queue, other].repeat(10) {
        r.enqueue_to(queue, &[]);
    }
    r.release();
    s.finish();
    check(unsafe { (s.cl.clFinish)(other) });
    assert_eq!(kept_text(&kept), "x".repeat(200));
}

#[test]
fn replays_and_launches_of_a_queue_print_in_order() {
    let kept = Mutex::new(Vec::new());
    let s = printing(&kept);
    let program = s.program("kernel void say(uint n) { printf(\"%u\", n); }", "");
    let say = s.kernel(program, "say");
    let r = Recorder::new(&s);
    s.set(say, 0, &2u32);
    r.launch(say, 1, &[]);
    r.finalize();
    s.set(say, 0, &1u32);
    for _ in 0..10 {
        check(s.launch(say, &[1], None));
        r.enqueue();
    }
    s.finish();
    assert_eq!(kept_text(&kept), "12".repeat(10));
}
