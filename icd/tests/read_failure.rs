//! Reads for which there is not enough staging memory: an error, after which nothing is written to the
//! application's memory.

mod common;
use common::*;
use std::ptr::{null, null_mut};

const MIB: usize = 1 << 20;
const SIZE: usize = 64 * MIB;
const SOURCE: &str = "
kernel void slow(global uint *x, uint rounds)
{
    uint v = 1;
    for (uint r = 0; r < rounds; r++) v = v * 1664525 + 1013904223;
    *x = v | 1;
}";

/// Lets the process' address space grow by so much; no bound for `None`.
fn bound(more: Option<usize>) {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap();
    let pages: usize = text.split(' ').next().unwrap().parse().unwrap();
    let most = more.map_or(libc::RLIM_INFINITY, |more| (pages * 4096 + more) as u64);
    let limit = libc::rlimit { rlim_cur: most, rlim_max: libc::RLIM_INFINITY };
    assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_AS, &limit) }, 0);
}

// One test: the bound is the process'.
#[test]
fn nothing_is_written_after_the_error() {
    // Reads go through staging memory, in parts.
    std::env::set_var("HEKLA_STAGING", "1");
    let s = Setup::new();
    if s.device_type() != CL_DEVICE_TYPE_CPU {
        eprintln!("skipped: the device has memory of its own");
        return;
    }
    let mem = s.buffer(0, SIZE);
    check(unsafe {
        let (one, fill) = ((&raw const *b"\x01").cast(), s.cl.clEnqueueFillBuffer);
        fill(s.queue, mem, one, 1, 0, SIZE, 0, null(), null_mut())
    });
    let kernel = s.kernel(s.program(SOURCE, ""), "slow");
    s.set(kernel, 0, &mem);
    let rounds = |rounds: u32| s.set(kernel, 1, &rounds);
    rounds(1);
    check(s.launch(kernel, &[1], None));
    s.finish();
    rounds(100_000_000);
    let (mut target, mut after) = (vec![0u8; SIZE], vec![0u8; SIZE]);
    let mut failures = 0;
    for more in (4..64).step_by(4) {
        let queue = s.second_queue();
        let launch = s.cl.clEnqueueNDRangeKernel;
        check(unsafe { launch(queue, kernel, 1, null(), &1, null(), 0, null(), null_mut()) });
        check(unsafe { (s.cl.clFlush)(queue) });
        let (read, place) = (s.cl.clEnqueueReadBuffer, target.as_mut_ptr().cast());
        bound(Some(more * MIB));
        let code = unsafe { read(queue, mem, CL_FALSE, 0, SIZE, place, 0, null(), null_mut()) };
        bound(None);
        after.copy_from_slice(&target);
        let finished = unsafe { (s.cl.clFinish)(queue) };
        if code == CL_SUCCESS {
            check(finished);
            break;
        }
        failures += 1;
        assert!(target == after, "written after the error, with {more} MiB");
        target.fill(0);
        unsafe { (s.cl.clReleaseCommandQueue)(queue) };
    }
    assert!(failures > 0, "there was always room");
}
