//! Copies between the buffers of two devices, by each of the ways that they take: memory that the host sees, bounce buffers
//! that both devices import, and staging memory of each. `HEKLA_STAGING=1` keeps the host from the devices' memory, as across
//! a bus.
// Nearly every call of the API is unsafe, for the reason that the C specification gives.
#![allow(clippy::undocumented_unsafe_blocks)]

mod common;
#[path = "common/drivers.rs"]
mod drivers;
use common::*;
use std::ptr::{null, null_mut};

/// Set where copies are to go through bounce buffers.
const BOUNCES: &str = "HEKLA_TEST_BOUNCES";
/// More than the bounce buffer holds, and no multiple of anything.
const LARGE: usize = (70 << 20) + 1001;

struct Pair {
    cl: &'static OpenCl,
    context: cl_context,
    queues: [cl_command_queue; 2],
}

/// Handles may go to any thread.
unsafe impl Sync for Pair {}

impl Pair {
    /// `None` where there is no second device.
    fn new() -> Option<Pair> {
        let other_driver = drivers::add_another();
        let cl = cl();
        unsafe {
            let (mut platform, mut count, mut devices) = (null_mut(), 0, [null_mut(); 2]);
            check((cl.clGetPlatformIDs)(1, &mut platform, null_mut()));
            let (all, list) = (CL_DEVICE_TYPE_ALL, devices.as_mut_ptr());
            check((cl.clGetDeviceIDs)(platform, all, 2, list, &mut count));
            if count < 2 {
                assert!(!other_driver, "there is one device alone");
                return None;
            }
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

/// Fails where two are not equal, without printing them.
fn same(found: &[u8], expected: &[u8], what: &str) {
    assert_eq!(found.len(), expected.len());
    let wrong = found.iter().zip(expected).position(|(a, b)| a != b);
    assert_eq!(wrong, None, "{what}: the first wrong byte");
}

/// A buffer that goes to and fro, whole at first, then the parts that each device writes.
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

/// Several buffers go to and fro at once, from different threads.
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

/// The same across a bus: with another driver, which may import no bounce buffer; with the same driver again; and with memory
/// that is not coherent, where bounce buffers are not used.
#[test]
fn the_same_across_a_bus() {
    let across = [("HEKLA_VALIDATE", "1"), ("HEKLA_STAGING", "1")];
    if run_again_with(&across) {
        return;
    }
    let Some((folder, twin)) = drivers::twin() else {
        eprintln!("skipped: no manifest names the driver under test");
        return;
    };
    let twin = ("HEKLA_TEST_OTHER_DRIVER", twin.to_str().unwrap());
    run_again_with(&[&across[..], &[twin, (BOUNCES, "1")]].concat());
    run_again_with(&[&across[..], &[twin, ("HEKLA_NONCOHERENT", "1")]].concat());
    std::fs::remove_dir_all(folder).unwrap();
}
