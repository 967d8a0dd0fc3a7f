//! Copies between the buffers of two devices, by each of the ways that they take: memory that the host sees, bounce buffers
//! that both devices import, and staging memory of each. `HEKLA_STAGING=1` keeps the host from the devices' memory, as across
//! a bus.
// Nearly every call of the API is unsafe, for the reason that the C specification gives.
#![allow(clippy::undocumented_unsafe_blocks)]

mod common;
#[path = "common/drivers.rs"]
mod drivers;
#[path = "common/pair.rs"]
mod pair;
use common::*;
use std::ffi::CStr;
use std::path::{Path, PathBuf};
use std::ptr::{null, null_mut};

/// The variable that is set where copies are to go through bounce buffers.
const BOUNCES: &str = "HEKLA_TEST_BOUNCES";
/// More bytes than the bounce buffer holds, and no multiple of any alignment.
const LARGE: usize = (70 << 20) + 1001;

/// A kernel that runs for a long time.
const SPIN: &CStr = c"kernel void spin(global uint *x, uint rounds) {
    uint v = *x; for (uint i = 0; i < rounds; i++) v = v * 1664525u + (v >> 7); *x = v; }";

const NEEDS: &CStr = c"kernel void all(global uint *a) { a[get_global_id(0)] = 1; }
    kernel void add(global uint *a, global uint *sum) { *sum = a[get_global_id(0)]; }";

struct Pair {
    cl: &'static OpenCl,
    context: cl_context,
    queues: [cl_command_queue; 2],
}

/// Handles may go to any thread.
unsafe impl Sync for Pair {}

impl Pair {
    /// Returns the pair; `None` where there is no second device.
    fn new() -> Option<Pair> {
        let ((_, devices), cl) = (pair::two_devices()?, cl());
        unsafe {
            let list = devices.as_ptr();
            let context = made(|e| (cl.clCreateContext)(null(), 2, list, None, null_mut(), e));
            let queues =
                devices.map(|device| made(|e| (cl.clCreateCommandQueue)(context, device, 0, e)));
            Some(Pair { cl, context, queues })
        }
    }

    fn buffer(&self, size: usize) -> cl_mem {
        made(|e| unsafe { (self.cl.clCreateBuffer)(self.context, 0, size, null_mut(), e) })
    }

    fn write(&self, device: usize, mem: cl_mem, at: usize, bytes: &[u8]) {
        let (queue, from) = (self.queues[device], bytes.as_ptr().cast());
        let write = self.cl.clEnqueueWriteBuffer;
        check(unsafe { write(queue, mem, CL_TRUE, at, bytes.len(), from, 0, null(), null_mut()) });
    }

    fn read(&self, device: usize, mem: cl_mem, size: usize) -> Vec<u8> {
        let mut bytes = vec![0; size];
        let (queue, to) = (self.queues[device], bytes.as_mut_ptr().cast());
        let read = self.cl.clEnqueueReadBuffer;
        check(unsafe { read(queue, mem, CL_TRUE, 0, size, to, 0, null(), null_mut()) });
        bytes
    }
}

/// Fails where the bytes are not equal, without printing them.
fn same(found: &[u8], expected: &[u8], what: &str) {
    assert_eq!(found.len(), expected.len());
    let wrong = found.iter().zip(expected).position(|(a, b)| a != b);
    assert_eq!(wrong, None, "{what}: the first wrong byte");
}

/// Moves a buffer to and fro between the devices: all of it at first, then the parts that each device writes.
#[test]
fn ranges_of_any_size_and_place_arrive() {
    let Some(pair) = Pair::new() else { return };
    let mem = pair.buffer(LARGE);
    let mut expected = pattern(LARGE, 1);
    pair.write(0, mem, 0, &expected);
    same(&pair.read(1, mem, LARGE), &expected, "the whole buffer");
    let parts = [
        (0, 1),
        (LARGE - 3, 3),
        (77_777, 65_535),
        (12_345, 65_537),
        (1 << 20, 4 << 20),
        ((2 << 20) + 13, (33 << 20) + 77),
        (1, LARGE - 1),
    ];
    for (round, (at, size)) in parts.into_iter().enumerate() {
        let bytes = pattern(size, round + 2);
        let (here, there) = ((round + 1) % 2, round % 2);
        pair.write(here, mem, at, &bytes);
        expected[at..at + size].copy_from_slice(&bytes);
        same(&pair.read(there, mem, LARGE), &expected, &format!("{size} bytes at {at}"));
    }
    unsafe { check((pair.cl.clReleaseMemObject)(mem)) };
    if cfg!(target_os = "linux") && std::env::var_os(BOUNCES).is_some() {
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
        let bounces = maps.lines().filter(|line| line.contains("memfd:hekla")).count();
        assert!(
            bounces >= 3,
            "no bounce buffer is mapped by the host and for each device:\n{maps}"
        );
    }
}

/// Moves several buffers to and fro at once, from different threads.
#[test]
fn copies_in_both_directions_at_once() {
    const SIZE: usize = (9 << 20) + 5;
    let Some(pair) = &Pair::new() else { return };
    std::thread::scope(|scope| {
        for thread in 0..4 {
            scope.spawn(move || {
                let mem = pair.buffer(SIZE);
                let mut expected = pattern(SIZE, thread);
                pair.write(thread % 2, mem, 0, &expected);
                for round in 0..4 {
                    let device = (thread + round + 1) % 2;
                    same(&pair.read(device, mem, SIZE), &expected, &format!("round {round}"));
                    expected[thread..][..SIZE / 2].fill(round as u8);
                    pair.write(device, mem, thread, &expected[thread..][..SIZE / 2]);
                }
                unsafe { check((pair.cl.clReleaseMemObject)(mem)) };
            });
        }
    });
}

/// Runs the tests of this binary again with a log. In the new process it returns the log's path and the devices.
fn logged(name: &str) -> Option<(PathBuf, Pair)> {
    let log = std::env::temp_dir().join(format!("hekla-{name}-{}", std::process::id()));
    if !run_again_with(&[("HEKLA_LOG", "debug"), ("HEKLA_LOG_FILE", log.to_str().unwrap())]) {
        let _ = std::fs::remove_file(log);
        return None;
    }
    // Other tests run this binary again without a log.
    Some((std::env::var_os("HEKLA_LOG_FILE")?.into(), Pair::new()?))
}

/// Returns how often a range was moved from device to device, according to the log.
fn moves(log: &Path, size: usize) -> usize {
    let text = std::fs::read_to_string(log).unwrap_or_default();
    text.matches(&format!("moved 0..{size} of")).count()
}

/// The bytes that a command needs are moved to its device while the command still waits for another one, which runs on
/// the device that has the bytes and does not use them.
#[test]
fn bytes_arrive_while_what_is_waited_for_runs() {
    const SIZE: usize = (7 << 20) + 1;
    let Some((log, pair)) = logged("moves") else { return };
    let (cl, [here, there]) = (pair.cl, pair.queues);
    let mem = pair.buffer(SIZE);
    pair.write(0, mem, 0, &pattern(SIZE, 1));
    unsafe {
        let program =
            made(|e| (cl.clCreateProgramWithSource)(pair.context, 1, &SPIN.as_ptr(), null(), e));
        check((cl.clBuildProgram)(program, 0, null(), null(), None, null_mut()));
        let kernel = made(|e| (cl.clCreateKernel)(program, c"spin".as_ptr(), e));
        let word = pair.buffer(4);
        check((cl.clSetKernelArg)(kernel, 0, 8, (&raw const word).cast()));
        let launch = |rounds: u32, event: *mut cl_event| {
            check((cl.clSetKernelArg)(kernel, 1, 4, (&raw const rounds).cast()));
            let (one, enqueue) = (1usize, cl.clEnqueueNDRangeKernel);
            check(enqueue(here, kernel, 1, null(), &one, null(), 0, null(), event));
            check((cl.clFlush)(here));
        };
        // After this launch the kernel's memory is on the device, and the pipeline exists.
        launch(1, null_mut());
        check((cl.clFinish)(here));
        let mut running = null_mut();
        launch(200_000_000, &mut running);
        let migrate = cl.clEnqueueMigrateMemObjects;
        check(migrate(there, 1, &mem, 0, 1, &running, null_mut()));
        let status = || -> cl_int {
            let (mut status, name) = (0, CL_EVENT_COMMAND_EXECUTION_STATUS);
            let place = (&raw mut status).cast();
            check((cl.clGetEventInfo)(running, name, 4, place, null_mut()));
            status
        };
        let mut arrived = false;
        while !arrived && status() != CL_COMPLETE {
            std::thread::sleep(std::time::Duration::from_millis(2));
            arrived = moves(&log, SIZE) > 0 && status() != CL_COMPLETE;
        }
        check((cl.clFinish)(there));
        assert!(arrived, "the bytes came behind a kernel that does not use them");
    }
    same(&pair.read(1, mem, SIZE), &pattern(SIZE, 1), "what came ahead");
}

/// Bytes that a launch is known to overwrite are not moved, and bytes that it only reads stay on all devices, whatever
/// the kernel declares.
#[test]
fn only_what_is_needed_moves() {
    const ITEMS: usize = 54_321;
    const SIZE: usize = 4 * ITEMS;
    let Some((log, pair)) = logged("needs") else { return };
    let cl = pair.cl;
    let (a, b) = (pair.buffer(SIZE), pair.buffer(SIZE));
    let old = pattern(SIZE, 1);
    pair.write(0, a, 0, &old);
    pair.write(0, b, 0, &old);
    let program = unsafe {
        let program =
            made(|e| (cl.clCreateProgramWithSource)(pair.context, 1, &NEEDS.as_ptr(), null(), e));
        check((cl.clBuildProgram)(program, 0, null(), null(), None, null_mut()));
        program
    };
    let launch = |device: usize, name: &CStr, mems: &[cl_mem], items: usize| unsafe {
        let kernel = made(|e| (cl.clCreateKernel)(program, name.as_ptr(), e));
        for (index, mem) in (0..).zip(mems) {
            check((cl.clSetKernelArg)(kernel, index, 8, (mem as *const cl_mem).cast()));
        }
        let (queue, run) = (pair.queues[device], cl.clEnqueueNDRangeKernel);
        check(run(queue, kernel, 1, null(), &items, null(), 0, null(), null_mut()));
        check((cl.clFinish)(queue));
        check((cl.clReleaseKernel)(kernel));
    };
    let ones = |count| 1u32.to_ne_bytes().repeat(count);
    // A launch that writes all of a buffer moves nothing. One that writes a part moves the buffer for the sake of the rest.
    launch(1, c"all", &[a], ITEMS);
    assert_eq!(moves(&log, SIZE), 0);
    same(&pair.read(1, a, SIZE), &ones(ITEMS), "what was written");
    launch(1, c"all", &[b], 100);
    assert_eq!(moves(&log, SIZE), 1);
    same(
        &pair.read(1, b, SIZE),
        &[&ones(100)[..], &old[400..]].concat(),
        "beside what was written",
    );
    // The first launch that reads the buffer on the other device moves it; later launches move nothing.
    let [sum, other] = [pair.buffer(4), pair.buffer(4)];
    for _ in 0..3 {
        launch(0, c"add", &[a, sum], 1);
        launch(1, c"add", &[a, other], 1);
    }
    assert_eq!(moves(&log, SIZE), 2);
    same(&pair.read(0, sum, 4), &1u32.to_ne_bytes(), "what was read");
}

/// The tests again across a bus: with another driver, which may import no bounce buffer; with the same driver; and with
/// memory that is not coherent, where bounce buffers are not used.
#[test]
fn the_same_across_a_bus() {
    let across = [("HEKLA_VALIDATE", "1"), ("HEKLA_STAGING", "1")];
    if run_again_with(&across) {
        return;
    }
    let Some((folder, twin)) = drivers::twin() else {
        skip("no manifest names the driver under test");
        return;
    };
    let twin = ("HEKLA_TEST_OTHER_DRIVER", twin.to_str().unwrap());
    run_again_with(&[&across[..], &[twin, (BOUNCES, "1")]].concat());
    run_again_with(&[&across[..], &[twin, ("HEKLA_NONCOHERENT", "1")]].concat());
    std::fs::remove_dir_all(folder).unwrap();
}
