//! Processes that end with commands in flight: they end cleanly, whatever the driver does at that moment
//! (lavapipe may be compiling), and whichever thread ends them. Without a harness, since the end of the main
//! thread is one of the cases.
// Nearly every call of the API is unsafe, for the reason that the C specification gives.
#![allow(clippy::undocumented_unsafe_blocks)]

mod common;
use common::*;
use std::process::Command;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicPtr, Ordering};

const ROLE: &str = "HEKLA_TEST_ROLE";
const RUN: &str = "HEKLA_TEST_RUN";
/// Number of processes of each kind.
const RUNS: usize = 8;

/// Kernels that keep a compiler busy, each with code of its own kind.
const SOURCE: &str = "
kernel void integers(global uint *out) {
    uint x = get_global_id(0);
    for (uint i = 0; i < 100; i++) { x = x * (32 + SALT) + (x >> 7); x ^= x << 3; if (x & 64) x = rotate(x, 5u); }
    out[get_global_id(0)] = x;
}
kernel void floats(global uint *out) {
    float x = get_global_id(0);
    for (int i = 0; i < 100; i++) x = sqrt(x) * (3.0f + SALT) + floor(x);
    out[get_global_id(0)] = as_uint(x);
}
kernel void vectors(global uint4 *out) {
    uint4 x = out[get_global_id(0)];
    for (int i = 0; i < 50; i++) x = popcount(x) + x.s3210 + SALT;
    out[get_global_id(0)] = x;
}
kernel void local_memory(global uint *out, local uint *shared) {
    shared[get_local_id(0)] = out[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < 20; i++) { atomic_add(shared + i, 3u + SALT); barrier(CLK_LOCAL_MEM_FENCE); }
    out[get_global_id(0)] = shared[get_local_id(0) ^ 1];
}";

/// Gives the device work that nobody waits for, with code that it has not compiled before.
fn enqueue_work(run: &str) {
    let s = Setup::new();
    let program = s.program(SOURCE, &format!("-DSALT={run}"));
    let out = s.buffer(0, 1 << 16);
    for name in ["integers", "floats", "vectors", "local_memory"] {
        let kernel = s.kernel(program, name);
        s.set(kernel, 0, &out);
        if name == "local_memory" {
            check(unsafe { (s.cl.clSetKernelArg)(kernel, 1, 256, null()) });
        }
        for local in [64usize, 32] {
            let (launch, global) = (s.cl.clEnqueueNDRangeKernel, 1024usize);
            check(unsafe {
                launch(s.queue, kernel, 1, null(), &global, &local, 0, null(), null_mut())
            });
            check(unsafe { (s.cl.clFlush)(s.queue) });
        }
    }
}

/// The setup and the buffer that the destructor of a static object releases.
static HELD: AtomicPtr<(Setup, cl_mem)> = AtomicPtr::new(null_mut());

/// Registers a handler that releases a buffer. It is registered before the driver is loaded, as destructors of static
/// objects are, and so runs after the driver's handlers. The release does not reach the driver, and succeeds.
fn release_at_exit() {
    extern "C" fn destructor() {
        // SAFETY: the process leaked it for this function.
        let &(ref s, buffer) = unsafe { &*HELD.load(Ordering::Acquire) };
        check(unsafe { (s.cl.clReleaseMemObject)(buffer) });
        let mut count: cl_uint = 0;
        let (info, size) = (s.cl.clGetMemObjectInfo, size_of::<cl_uint>());
        let count_of = (&raw mut count).cast();
        check(unsafe { info(buffer, CL_MEM_REFERENCE_COUNT, size, count_of, null_mut()) });
        assert_eq!(count, 1, "the buffer was given back to a driver that has ended");
        check(unsafe { (s.cl.clFinish)(s.queue) });
    }
    // SAFETY: the function is one of this program.
    unsafe { libc::atexit(destructor) };
    let s = Setup::new();
    let buffer = s.buffer(0, 1 << 16);
    HELD.store(Box::leak(Box::new((s, buffer))), Ordering::Release);
}

fn main() {
    let run = std::env::var(RUN).unwrap_or_default();
    match std::env::var(ROLE).as_deref() {
        Ok("no work") => {
            Setup::new();
            return;
        }
        Ok("main thread") => return enqueue_work(&run),
        Ok("other thread") => {
            let thread = std::thread::spawn(move || {
                enqueue_work(&run);
                // SAFETY: other threads only wait.
                unsafe { libc::exit(0) };
            });
            let _ = thread.join();
            unreachable!("the thread ended the process");
        }
        Ok("destructors") => return release_at_exit(),
        _ => {}
    }
    // The kernels that the library compiles to open the device are in the driver's cache: the driver's compiler is not
    // used before the test's kernels need it.
    let folder = std::env::temp_dir().join(format!("hekla-exit-{}", std::process::id()));
    let process = |role: &str, run: usize| {
        let mut process = Command::new(std::env::current_exe().unwrap());
        if role == "destructors" {
            process.env("HEKLA_FAULT", "exit");
        }
        process.env(ROLE, role).env(RUN, format!("{run}")).env("MESA_SHADER_CACHE_DIR", &folder);
        let output = process.output().unwrap();
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{role}, run {run}: {}\n{text}", output.status);
    };
    process("no work", 0);
    for (index, role) in ["main thread", "other thread"].into_iter().enumerate() {
        (0..RUNS).for_each(|run| process(role, 1 + index * RUNS + run));
        println!("test {role} ... ok");
    }
    process("destructors", 0);
    println!("test destructors ... ok");
    let _ = std::fs::remove_dir_all(&folder);
    println!("test result: ok. 3 passed; 0 failed");
}
