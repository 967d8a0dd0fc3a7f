//! A thread that is cancelled (pthread_cancel) in a call of the library ends after the call. In the middle of a call
//! the cancellation would abort the process, since it unwinds frames that do not let it pass.
#![cfg(all(target_os = "linux", target_env = "gnu"))]
// Nearly every call of the API is unsafe, for the reason that the C specification gives.
#![allow(clippy::undocumented_unsafe_blocks)]

mod common;
use common::*;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

unsafe extern "C-unwind" {
    fn pthread_cancel(thread: libc::pthread_t) -> i32;
    fn pthread_testcancel();
}

static BEGUN: AtomicBool = AtomicBool::new(false);
static RETURNED: AtomicBool = AtomicBool::new(false);

/// The function of the thread. It has nothing to drop when it is unwound.
extern "C-unwind" fn finish(queue: *mut c_void) -> *mut c_void {
    BEGUN.store(true, Ordering::Release);
    unsafe { (cl().clFinish)(queue.cast()) };
    RETURNED.store(true, Ordering::Release);
    unsafe { pthread_testcancel() };
    null_mut()
}

#[test]
fn a_thread_is_cancelled_after_its_call() {
    let s = Setup::new();
    let source = "kernel void spin(global uint *out, uint n) {
        uint x = get_global_id(0);
        for (uint i = 0; i < n; i++) x = x * 1664525 + 1013904223;
        out[get_global_id(0)] = x;
    }";
    let program = s.program(source, "");
    let kernel = s.kernel(program, "spin");
    let out = s.buffer(0, 4096 * 4);
    s.set(kernel, 0, &out);
    s.set(kernel, 1, &200_000u32);
    for _ in 0..4 {
        check(s.launch(kernel, &[4096], None));
    }
    let mut thread = 0;
    let mut result = null_mut();
    unsafe {
        type Start = extern "C" fn(*mut c_void) -> *mut c_void;
        let start: extern "C-unwind" fn(*mut c_void) -> *mut c_void = finish;
        let start =
            std::mem::transmute::<extern "C-unwind" fn(*mut c_void) -> *mut c_void, Start>(start);
        let made = libc::pthread_create(&mut thread, std::ptr::null(), start, s.queue.cast());
        assert_eq!(made, 0);
        while !BEGUN.load(Ordering::Acquire) {
            std::thread::yield_now();
        }
        std::thread::sleep(Duration::from_millis(20));
        assert_eq!(pthread_cancel(thread), 0);
        assert_eq!(libc::pthread_join(thread, &mut result), 0);
    }
    assert!(RETURNED.load(Ordering::Acquire));
    // PTHREAD_CANCELED.
    assert_eq!(result as isize, -1);
    // Later calls work.
    check(unsafe { (s.cl.clFinish)(s.queue) });
}
