//! Reads for which there is not enough staging memory: an error, after which nothing is written to the
//! application's memory.
// Nearly every call of the API is unsafe, for the reason that the C specification gives.
#![allow(clippy::undocumented_unsafe_blocks)]

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

#[test]
fn nothing_is_written_after_the_error() {
    // Reads go through staging memory, in parts, of which some but not all have room.
    std::env::set_var("HEKLA_STAGING", "1");
    std::env::set_var("HEKLA_STAGING_LIMIT", (16 * MIB).to_string());
    let s = Setup::new();
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
    rounds(50_000_000);
    let (mut target, mut after) = (vec![0u8; SIZE], vec![0u8; SIZE]);
    for blocking in [CL_FALSE, CL_TRUE] {
        target.fill(0);
        let queue = s.second_queue();
        let launch = s.cl.clEnqueueNDRangeKernel;
        check(unsafe { launch(queue, kernel, 1, null(), &1, null(), 0, null(), null_mut()) });
        check(unsafe { (s.cl.clFlush)(queue) });
        let (read, place) = (s.cl.clEnqueueReadBuffer, target.as_mut_ptr().cast());
        let code = unsafe { read(queue, mem, blocking, 0, SIZE, place, 0, null(), null_mut()) };
        assert_eq!(code, CL_OUT_OF_HOST_MEMORY);
        after.copy_from_slice(&target);
        check(unsafe { (s.cl.clFinish)(queue) });
        assert!(target == after, "written after the error");
        // A smaller read has enough memory.
        check(unsafe { read(queue, mem, CL_TRUE, 4, MIB, place, 0, null(), null_mut()) });
        assert!(target[..MIB] == [1; MIB]);
        check(unsafe { (s.cl.clReleaseCommandQueue)(queue) });
    }
}
