//! Out-of-order queues: independent commands do not wait for each other; wait lists, markers and barriers make commands wait.
// Nearly every call of the API is unsafe, for the reason that the C specification gives.
#![allow(clippy::undocumented_unsafe_blocks)]

mod common;
use common::*;
use std::ffi::c_void;
use std::ptr::{null, null_mut};

/// Returns a queue with commands in any order.
fn out_of_order(s: &Setup, more: u64) -> cl_command_queue {
    let properties = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | more;
    made(|e| unsafe { (s.cl.clCreateCommandQueue)(s.context, s.device, properties, e) })
}

/// Count and address of a wait list.
fn list(waits: &[cl_event]) -> (u32, *const cl_event) {
    (waits.len() as u32, if waits.is_empty() { null() } else { waits.as_ptr() })
}

/// Returns the event of a command that `enqueue` enqueues, given a wait list's count and address.
fn event_of(
    waits: &[cl_event],
    enqueue: impl FnOnce(u32, *const cl_event, *mut cl_event) -> cl_int,
) -> cl_event {
    let (count, list) = list(waits);
    let mut event = null_mut();
    check(enqueue(count, list, &mut event));
    event
}

fn fill(s: &Setup, queue: cl_command_queue, mem: cl_mem, byte: u8, waits: &[cl_event]) -> cl_event {
    let pattern = (&raw const byte).cast();
    let size = size_of_buffer(s, mem);
    event_of(waits, |n, l, e| unsafe {
        (s.cl.clEnqueueFillBuffer)(queue, mem, pattern, 1, 0, size, n, l, e)
    })
}

fn size_of_buffer(s: &Setup, mem: cl_mem) -> usize {
    value(|n, p, r| unsafe { (s.cl.clGetMemObjectInfo)(mem, CL_MEM_SIZE, n, p, r) })
}

fn copy(
    s: &Setup,
    queue: cl_command_queue,
    from: cl_mem,
    to: cl_mem,
    waits: &[cl_event],
) -> cl_event {
    let size = size_of_buffer(s, from);
    event_of(waits, |n, l, e| unsafe {
        (s.cl.clEnqueueCopyBuffer)(queue, from, to, 0, 0, size, n, l, e)
    })
}

fn marker(s: &Setup, queue: cl_command_queue, waits: &[cl_event]) -> cl_event {
    event_of(waits, |n, l, e| unsafe { (s.cl.clEnqueueMarkerWithWaitList)(queue, n, l, e) })
}

fn barrier(s: &Setup, queue: cl_command_queue, waits: &[cl_event]) -> cl_event {
    event_of(waits, |n, l, e| unsafe { (s.cl.clEnqueueBarrierWithWaitList)(queue, n, l, e) })
}

fn launch(
    s: &Setup,
    queue: cl_command_queue,
    kernel: cl_kernel,
    size: usize,
    waits: &[cl_event],
) -> cl_event {
    event_of(waits, |n, l, e| unsafe {
        (s.cl.clEnqueueNDRangeKernel)(queue, kernel, 1, null(), &size, null(), n, l, e)
    })
}

/// Reads a buffer and blocks.
fn read_now(s: &Setup, queue: cl_command_queue, mem: cl_mem, waits: &[cl_event]) -> Vec<u8> {
    let mut bytes = vec![0; size_of_buffer(s, mem)];
    let (count, list) = list(waits);
    let target = bytes.as_mut_ptr().cast();
    check(unsafe {
        let (read, size) = (s.cl.clEnqueueReadBuffer, bytes.len());
        read(queue, mem, CL_TRUE, 0, size, target, count, list, null_mut())
    });
    bytes
}

fn wait(s: &Setup, event: cl_event) {
    check(unsafe { (s.cl.clWaitForEvents)(1, &event) });
}

fn open(s: &Setup, gate: cl_event) {
    check(unsafe { (s.cl.clSetUserEventStatus)(gate, CL_COMPLETE) });
}

#[test]
fn devices_offer_them() {
    let s = Setup::new();
    let both = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;
    let offered: u64 = value(|n, p, r| unsafe {
        (s.cl.clGetDeviceInfo)(s.device, CL_DEVICE_QUEUE_ON_HOST_PROPERTIES, n, p, r)
    });
    assert_eq!(offered, both);
    let queue = out_of_order(&s, CL_QUEUE_PROFILING_ENABLE);
    let properties: u64 = value(|n, p, r| unsafe {
        (s.cl.clGetCommandQueueInfo)(queue, CL_QUEUE_PROPERTIES, n, p, r)
    });
    assert_eq!(properties, both);
    check(unsafe { (s.cl.clReleaseCommandQueue)(queue) });
}

#[test]
fn independent_commands_do_not_wait_for_one_that_is_held() {
    let s = Setup::new();
    let queue = out_of_order(&s, 0);
    let (held, a, b) = (s.buffer(0, 64), s.buffer(0, 64), s.buffer(0, 64));
    wait(&s, fill(&s, queue, held, 1, &[]));
    let gate = s.user_event();
    let first = fill(&s, queue, held, 2, &[gate]);
    // Each kind of command, and blocking ones: in an in-order queue none of these waits would return.
    wait(&s, fill(&s, queue, a, 3, &[]));
    wait(&s, copy(&s, queue, a, b, &[]));
    assert_eq!(read_now(&s, queue, b, &[]), [3; 64]);
    let program = s.program("kernel void k(global int *p) { p[get_global_id(0)] = 7; }", "");
    let kernel = s.kernel(program, "k");
    s.set(kernel, 0, &b);
    let launched = launch(&s, queue, kernel, 16, &[]);
    unsafe {
        let write = s.cl.clEnqueueWriteBuffer;
        let bytes = [9u8; 64];
        let source = bytes.as_ptr().cast();
        check(write(queue, a, CL_TRUE, 0, 64, source, 1, &launched, null_mut()));
        let mapped = made(|e| {
            let (map, read) = (s.cl.clEnqueueMapBuffer, CL_MAP_READ);
            map(queue, b, CL_TRUE, read, 0, 64, 1, &launched, null_mut(), e).cast::<i32>()
        });
        assert_eq!(std::slice::from_raw_parts(mapped, 16), [7; 16]);
        let unmapped = event_of(&[], |n, l, e| {
            (s.cl.clEnqueueUnmapMemObject)(queue, b, mapped.cast(), n, l, e)
        });
        wait(&s, unmapped);
    }
    assert_eq!(read_now(&s, queue, a, &[]), [9; 64]);
    assert_eq!(s.status(first), CL_QUEUED);
    assert_eq!(read_now(&s, queue, held, &[]), [1; 64]);
    open(&s, gate);
    assert_eq!(read_now(&s, queue, held, &[first]), [2; 64]);
}

#[test]
fn markers_wait_for_all_or_for_their_list() {
    let s = Setup::new();
    let queue = out_of_order(&s, CL_QUEUE_PROFILING_ENABLE);
    let mem = s.buffer(0, 64);
    let (one, two) = (s.user_event(), s.user_event());
    let first = fill(&s, queue, mem, 1, &[one]);
    let of_all = marker(&s, queue, &[]);
    let second = fill(&s, queue, mem, 2, &[first, two]);
    let of_first = marker(&s, queue, &[first]);
    let of_both = marker(&s, queue, &[]);
    // Commands behind a marker do not wait for it.
    let free = fill(&s, queue, s.buffer(0, 64), 3, &[]);
    wait(&s, marker(&s, queue, &[free]));
    for event in [first, of_all, second, of_first, of_both] {
        assert_eq!(s.status(event), CL_QUEUED);
    }
    open(&s, one);
    for event in [of_all, of_first] {
        wait(&s, event);
        assert_eq!(s.status(first), CL_COMPLETE);
    }
    assert_eq!(s.status(second), CL_QUEUED);
    assert_eq!(s.status(of_both), CL_QUEUED);
    open(&s, two);
    wait(&s, of_both);
    assert_eq!(s.status(second), CL_COMPLETE);
    assert_eq!(read_now(&s, queue, mem, &[]), [2; 64]);
}

#[test]
fn barriers_hold_what_comes_after_them() {
    let s = Setup::new();
    let queue = out_of_order(&s, 0);
    let (a, b) = (s.buffer(0, 64), s.buffer(0, 64));
    wait(&s, fill(&s, queue, b, 0, &[]));
    let (one, two) = (s.user_event(), s.user_event());
    let held = fill(&s, queue, a, 1, &[one]);
    // A barrier with a list waits for the events of the list alone, and all later commands wait for the barrier.
    let with_list = barrier(&s, queue, &[two]);
    let after = copy(&s, queue, a, b, &[]);
    let unaware = marker(&s, queue, &[]);
    for event in [held, with_list, after, unaware] {
        assert_eq!(s.status(event), CL_QUEUED);
    }
    open(&s, two);
    wait(&s, with_list);
    wait(&s, after);
    assert_eq!(s.status(held), CL_QUEUED);
    // A barrier without a list waits for all earlier commands.
    let without = barrier(&s, queue, &[]);
    let last = copy(&s, queue, a, b, &[]);
    assert_eq!(s.status(without), CL_QUEUED);
    assert_eq!(s.status(last), CL_QUEUED);
    open(&s, one);
    wait(&s, last);
    assert_eq!(s.status(held), CL_COMPLETE);
    assert_eq!(s.status(without), CL_COMPLETE);
    assert_eq!(read_now(&s, queue, b, &[]), [1; 64]);
    // The device keeps the order, too.
    for round in 2..40 {
        fill(&s, queue, a, round, &[]);
        barrier(&s, queue, &[]);
        copy(&s, queue, a, b, &[]);
        barrier(&s, queue, &[]);
        assert_eq!(read_now(&s, queue, b, &[]), [round; 64]);
    }
}

#[test]
fn finish_waits_for_what_is_held() {
    let s = Setup::new();
    let queue = out_of_order(&s, 0);
    let mem = s.buffer(0, 64);
    let gates = [s.user_event(), s.user_event()];
    let held = gates.map(|gate| fill(&s, queue, mem, 5, &[gate]) as usize);
    let gates = gates.map(|gate| gate as usize);
    let opener = std::thread::spawn(move || {
        let s = Setup::new();
        for gate in gates.into_iter().rev() {
            std::thread::sleep(std::time::Duration::from_millis(20));
            open(&s, gate as cl_event);
        }
    });
    check(unsafe { (s.cl.clFinish)(queue) });
    for event in held {
        assert_eq!(s.status(event as cl_event), CL_COMPLETE);
    }
    opener.join().unwrap();
}

#[test]
fn failures_reach_dependents_alone() {
    let s = Setup::new();
    let queue = out_of_order(&s, 0);
    let (a, b) = (s.buffer(0, 64), s.buffer(0, 64));
    wait(&s, fill(&s, queue, a, 1, &[]));
    let gate = s.user_event();
    let behind = fill(&s, queue, a, 2, &[gate]);
    let behind_that = copy(&s, queue, a, b, &[behind]);
    let free = fill(&s, queue, b, 3, &[]);
    let of_all = marker(&s, queue, &[]);
    check(unsafe { (s.cl.clSetUserEventStatus)(gate, -9) });
    let error = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    for event in [behind, behind_that] {
        assert_eq!(s.status(event), error);
    }
    wait(&s, free);
    wait(&s, of_all);
    assert_eq!(read_now(&s, queue, a, &[]), [1; 64]);
    assert_eq!(read_now(&s, queue, b, &[]), [3; 64]);
}

/// A generator of numbers for tests (xorshift).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end as u64) as usize
    }
}

#[test]
fn dependences_hold_within_and_across_queues() {
    const BUFFERS: usize = 8;
    const COMMANDS: usize = 1500;
    let s = Setup::new();
    let queues = [out_of_order(&s, 0), out_of_order(&s, CL_QUEUE_PROFILING_ENABLE), s.queue];
    let source = "kernel void mix(global const uint *a, global const uint *b, global uint *out)
                  { size_t i = get_global_id(0); out[i] = a[i] * 3u + b[i] + 1u; }";
    let kernel = s.kernel(s.program(source, ""), "mix");
    let buffers: Vec<_> = (0..BUFFERS).map(|_| s.buffer(0, 256)).collect();
    let mut model: Vec<u32> = (1..=BUFFERS as u32).collect();
    // The last writer of each buffer, and the readers since then.
    let mut writers: Vec<cl_event> = Vec::new();
    for (buffer, word) in buffers.iter().zip(&model) {
        let pattern: *const c_void = (word as *const u32).cast();
        let queue = queues[0];
        writers.push(event_of(&[], |n, l, e| unsafe {
            (s.cl.clEnqueueFillBuffer)(queue, *buffer, pattern, 4, 0, 256, n, l, e)
        }));
    }
    let mut readers = vec![Vec::new(); BUFFERS];
    let mut numbers = Numbers(88_172_645_463_325_252);
    for _ in 0..COMMANDS {
        let [a, b, out] = [(); 3].map(|()| numbers.below(BUFFERS));
        if a == out || b == out {
            continue;
        }
        let mut waits = vec![writers[a], writers[b], writers[out]];
        waits.append(&mut readers[out]);
        let queue = queues[numbers.below(queues.len())];
        for (index, which) in (0u32..).zip([a, b, out]) {
            s.set(kernel, index, &buffers[which]);
        }
        let event = launch(&s, queue, kernel, 64, &waits);
        model[out] = model[a].wrapping_mul(3).wrapping_add(model[b]).wrapping_add(1);
        writers[out] = event;
        readers[a].push(event);
        readers[b].push(event);
    }
    for ((buffer, word), writer) in buffers.iter().zip(model).zip(writers) {
        let bytes = read_now(&s, queues[0], *buffer, &[writer]);
        assert!(bytes.chunks(4).all(|chunk| chunk == word.to_le_bytes()));
    }
}

#[test]
fn profiles_respect_dependences() {
    let s = Setup::new();
    let queue = out_of_order(&s, CL_QUEUE_PROFILING_ENABLE);
    let (a, b, c) = (s.buffer(0, 1 << 20), s.buffer(0, 1 << 20), s.buffer(0, 1 << 20));
    let times = |event| {
        [
            CL_PROFILING_COMMAND_QUEUED,
            CL_PROFILING_COMMAND_SUBMIT,
            CL_PROFILING_COMMAND_START,
            CL_PROFILING_COMMAND_END,
        ]
        .map(|name| -> u64 {
            value(|z, p, r| unsafe { (s.cl.clGetEventProfilingInfo)(event, name, z, p, r) })
        })
    };
    for round in 0..20 {
        let gate = s.user_event();
        let first = fill(&s, queue, a, round, &[gate]);
        let free = fill(&s, queue, c, 1, &[]);
        let second = copy(&s, queue, a, b, &[first]);
        let of_all = marker(&s, queue, &[]);
        let after = copy(&s, queue, b, a, &[second]);
        open(&s, gate);
        check(unsafe { (s.cl.clFinish)(queue) });
        let all = [first, free, second, of_all, after].map(times);
        assert!(all.iter().all(|t| t.is_sorted()), "{all:?}");
        let [first, free, second, of_all, after] = all;
        assert!(first[3] <= second[2] && second[3] <= after[2], "{all:?}");
        assert!(first[3].max(free[3]).max(second[3]) <= of_all[3], "{all:?}");
    }
}

#[test]
fn all_again_under_validation() {
    run_again("0");
}

#[test]
fn all_again_through_staging_memory() {
    run_again("1");
}
