//! Transfers whose host pointer leads to memory that commands write too: mapped regions, shared virtual memory, and
//! memory that reads have yet to fill. Each transfer uses the memory in the order of commands.
// Nearly every call of the API is unsafe, for the reason that the C specification gives.
#![allow(clippy::undocumented_unsafe_blocks)]

mod common;
use common::*;
use std::cell::Cell;
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::time::Duration;

const SOURCE: &str = "
kernel void slow(global uint *x, uint value, uint rounds)
{
    uint v = value, i = get_global_id(0);
    if (i == 0)
        for (uint r = 0; r < rounds; r++) v = v * 1664525 + 1013904223;
    x[i] = value + i + (v == 12345 && rounds == 1);
}
kernel void copy(global const uint *from, global uint *to) { to[get_global_id(0)] = from[get_global_id(0)]; }";

/// Rounds that take longer than the host needs to enqueue some commands.
const ROUNDS: u32 = 20_000_000;
/// Words of a buffer: more than the host itself writes to memory across a bus.
const WORDS: usize = 8192;
const BYTES: usize = 4 * WORDS;

/// How commands are ordered behind each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    InOrder,
    /// Out of order: events order the commands.
    OutOfOrder,
    /// In two queues alternately: events order the commands.
    TwoQueues,
    /// In order, behind a user event that is completed when all commands are enqueued.
    Deferred,
    /// Out of order, behind a user event that is completed when all commands are enqueued.
    DeferredOutOfOrder,
}

const MODES: [Mode; 5] =
    [Mode::InOrder, Mode::OutOfOrder, Mode::TwoQueues, Mode::Deferred, Mode::DeferredOutOfOrder];
/// The modes in which blocking commands end before the next is enqueued.
const PROMPT: [Mode; 3] = [Mode::InOrder, Mode::OutOfOrder, Mode::TwoQueues];

/// Commands each of which waits for the one before.
struct Chain<'a> {
    s: &'a Setup,
    queues: Vec<cl_command_queue>,
    by_events: bool,
    gate: Option<cl_event>,
    last: Cell<Option<cl_event>>,
    count: Cell<usize>,
    program: cl_program,
}

impl Chain<'_> {
    fn new(s: &Setup, mode: Mode) -> Chain<'_> {
        let queue = |properties| {
            let create = s.cl.clCreateCommandQueue;
            made(|e| unsafe { create(s.context, s.device, properties, e) })
        };
        let queues = match mode {
            Mode::InOrder | Mode::Deferred => vec![queue(0)],
            Mode::OutOfOrder | Mode::DeferredOutOfOrder => {
                vec![queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)]
            }
            Mode::TwoQueues => vec![queue(0), queue(0)],
        };
        let gated = matches!(mode, Mode::Deferred | Mode::DeferredOutOfOrder);
        let gate = gated.then(|| s.user_event());
        let by_events = !matches!(mode, Mode::InOrder | Mode::Deferred);
        let program = s.program(SOURCE, "");
        let (last, count) = (Cell::new(gate), Cell::new(0));
        Chain { s, queues, by_events, gate, last, count, program }
    }

    /// Enqueues a command: queue, number of events, events, its own event.
    fn then(
        &self,
        enqueue: impl FnOnce(cl_command_queue, u32, *const cl_event, *mut cl_event) -> cl_int,
    ) {
        let count = self.count.replace(self.count.get() + 1);
        let queue = self.queues[count % self.queues.len()];
        let waits = self.last.get().filter(|_| self.by_events || count == 0);
        let list = waits.as_ref().map_or(null(), |event| &raw const *event);
        let mut event = null_mut();
        check(enqueue(queue, u32::from(waits.is_some()), list, &mut event));
        self.last.set(Some(event));
    }

    /// Enqueues a kernel that computes `x[i] = value + i` and ends late.
    fn slow(&self, value: u32, set: impl FnOnce(cl_kernel)) {
        let kernel = self.s.kernel(self.program, "slow");
        set(kernel);
        self.s.set(kernel, 1, &value);
        self.s.set(kernel, 2, &ROUNDS);
        self.launch(kernel);
    }

    fn slow_on(&self, mem: cl_mem, value: u32) {
        self.slow(value, |kernel| self.s.set(kernel, 0, &mem));
    }

    /// Enqueues a kernel that computes `to[i] = from[i]`.
    fn copy(&self, set: impl FnOnce(cl_kernel), to: cl_mem) {
        let kernel = self.s.kernel(self.program, "copy");
        set(kernel);
        self.s.set(kernel, 1, &to);
        self.launch(kernel);
    }

    fn launch(&self, kernel: cl_kernel) {
        let launch = self.s.cl.clEnqueueNDRangeKernel;
        self.then(|queue, n, list, event| unsafe {
            launch(queue, kernel, 1, null(), &WORDS, null(), n, list, event)
        });
        check(unsafe { (self.s.cl.clReleaseKernel)(kernel) });
    }

    fn write(&self, mem: cl_mem, blocking: bool, offset: usize, from: *const c_void, size: usize) {
        let (write, blocking) = (self.s.cl.clEnqueueWriteBuffer, u32::from(blocking));
        self.then(|queue, n, list, event| unsafe {
            write(queue, mem, blocking, offset, size, from, n, list, event)
        });
    }

    fn read(&self, mem: cl_mem, blocking: bool, offset: usize, to: *mut c_void, size: usize) {
        let (read, blocking) = (self.s.cl.clEnqueueReadBuffer, u32::from(blocking));
        self.then(|queue, n, list, event| unsafe {
            read(queue, mem, blocking, offset, size, to, n, list, event)
        });
    }

    /// Maps a buffer and does not block.
    fn map(&self, mem: cl_mem, flags: u64, offset: usize, size: usize) -> *mut c_void {
        let (map, mut pointer) = (self.s.cl.clEnqueueMapBuffer, null_mut());
        self.then(|queue, n, list, event| {
            let mut code = 1;
            pointer = unsafe {
                map(queue, mem, CL_FALSE, flags, offset, size, n, list, event, &mut code)
            };
            code
        });
        pointer
    }

    fn unmap(&self, mem: cl_mem, pointer: *mut c_void) {
        let unmap = self.s.cl.clEnqueueUnmapMemObject;
        self.then(|queue, n, list, event| unsafe { unmap(queue, mem, pointer, n, list, event) });
    }

    /// Waits until all commands are complete.
    fn end(&self) {
        if let Some(gate) = self.gate {
            check(unsafe { (self.s.cl.clSetUserEventStatus)(gate, CL_COMPLETE) });
        }
        for queue in &self.queues {
            check(unsafe { (self.s.cl.clFinish)(*queue) });
        }
    }
}

fn zeros(s: &Setup) -> cl_mem {
    s.buffer_of(CL_MEM_COPY_HOST_PTR, &mut vec![0; BYTES])
}

fn expected(value: u32) -> Vec<u32> {
    (0..WORDS as u32).map(|i| value + i).collect()
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks(4).map(|word| u32::from_ne_bytes(word.try_into().unwrap())).collect()
}

fn expect(s: &Setup, mem: cl_mem, value: u32, case: &str) {
    assert!(
        words(&s.read(mem, 0, BYTES)) == expected(value),
        "{case}: {:?}",
        words(&s.read(mem, 0, 32))
    );
}

fn release(s: &Setup, mems: &[cl_mem]) {
    mems.iter().for_each(|mem| check(unsafe { (s.cl.clReleaseMemObject)(*mem) }));
}

fn part(s: &Setup, mem: cl_mem, origin: usize, size: usize) -> cl_mem {
    let region = cl_buffer_region { origin, size };
    let (kind, region) = (CL_BUFFER_CREATE_TYPE_REGION, (&raw const region).cast());
    made(|e| unsafe { (s.cl.clCreateSubBuffer)(mem, 0, kind, region, e) })
}

/// Returns shared virtual memory that needs no mapping, where the device has such memory.
fn fine_grained(s: &Setup) -> Option<*mut c_void> {
    let capabilities: u64 = value(|n, p, r| unsafe {
        (s.cl.clGetDeviceInfo)(s.device, CL_DEVICE_SVM_CAPABILITIES, n, p, r)
    });
    if capabilities & CL_DEVICE_SVM_FINE_GRAIN_BUFFER == 0 {
        skip("the device has no fine-grained shared memory");
        return None;
    }
    let kind = CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER;
    let shared = unsafe { (s.cl.clSVMAlloc)(s.context, kind, BYTES, 0) };
    assert!(!shared.is_null());
    unsafe { shared.cast::<u8>().write_bytes(0, BYTES) };
    Some(shared)
}

/// A write from a mapped region takes the bytes that the region has when the map is complete, not those at the enqueue;
/// the buffer may be unmapped and released meanwhile.
#[test]
fn writes_from_a_mapped_region() {
    let s = Setup::new();
    for mode in MODES {
        for kind in [CL_MEM_COPY_HOST_PTR, CL_MEM_USE_HOST_PTR] {
            for in_part in [false, true] {
                let case = format!("{mode:?}, flags {kind}, in a part: {in_part}");
                let mut bytes = vec![0; BYTES];
                let (a, b) = (s.buffer_of(kind, &mut bytes), zeros(&s));
                let chain = Chain::new(&s, mode);
                chain.slow_on(a, 7);
                let mapped = if in_part { part(&s, a, 0, BYTES) } else { a };
                let p = chain.map(mapped, CL_MAP_READ, 0, BYTES);
                chain.write(b, false, 0, p, BYTES);
                chain.unmap(mapped, p);
                if in_part {
                    release(&s, &[mapped]);
                }
                release(&s, &[a]);
                chain.end();
                expect(&s, b, 7, &case);
                release(&s, &[b]);
            }
        }
    }
}

#[test]
fn blocking_writes_from_a_mapped_region() {
    let s = Setup::new();
    for mode in PROMPT {
        let (a, b) = (zeros(&s), zeros(&s));
        let chain = Chain::new(&s, mode);
        chain.slow_on(a, 7);
        let p = chain.map(a, CL_MAP_READ, 0, BYTES);
        chain.write(b, true, 0, p, BYTES);
        // The application may overwrite the memory now: the write no longer reads it.
        chain.unmap(a, p);
        s.write(a, true, 0, &[1; BYTES]);
        chain.end();
        expect(&s, b, 7, &format!("{mode:?}"));
        release(&s, &[a, b]);
    }
}

/// Writes from the middle of a mapped region into the middle of a buffer. A second region with the same bytes is
/// unmapped before.
#[test]
fn parts_of_mapped_regions() {
    let s = Setup::new();
    for mode in MODES {
        let (a, b) = (zeros(&s), zeros(&s));
        let chain = Chain::new(&s, mode);
        chain.slow_on(a, 7);
        let twice = chain.map(a, CL_MAP_READ, 0, BYTES);
        let p = chain.map(a, CL_MAP_READ, 404, BYTES - 404);
        chain.unmap(a, twice);
        chain.write(b, false, 800, p.wrapping_byte_add(396), 4000);
        chain.end();
        let mut all = vec![0; WORDS];
        all[200..1200].copy_from_slice(&expected(7)[200..1200]);
        assert!(words(&s.read(b, 0, BYTES)) == all, "{mode:?}");
        release(&s, &[a, b]);
    }
}

/// A read into a mapped region has reached the buffer when the region is unmapped.
#[test]
fn reads_into_a_mapped_region() {
    let s = Setup::new();
    for mode in MODES {
        for kind in [CL_MEM_COPY_HOST_PTR, CL_MEM_USE_HOST_PTR] {
            for flags in [CL_MAP_WRITE, CL_MAP_WRITE_INVALIDATE_REGION] {
                let mut bytes = vec![0; BYTES];
                let (a, b, c) = (zeros(&s), s.buffer_of(kind, &mut bytes), zeros(&s));
                let chain = Chain::new(&s, mode);
                let p = chain.map(b, flags, 0, BYTES);
                chain.slow_on(a, 7);
                chain.read(a, false, 0, p, BYTES);
                chain.unmap(b, p);
                chain.copy(|kernel| s.set(kernel, 0, &b), c);
                chain.end();
                expect(&s, c, 7, &format!("{mode:?}, flags {kind} and {flags}"));
                release(&s, &[a, b, c]);
            }
        }
    }
}

/// One buffer is read into a region from which another buffer is written.
#[test]
fn reads_and_writes_through_a_mapped_region() {
    let s = Setup::new();
    for mode in MODES {
        let (a, b, c) = (zeros(&s), zeros(&s), zeros(&s));
        let chain = Chain::new(&s, mode);
        let p = chain.map(b, CL_MAP_WRITE, 0, BYTES);
        chain.slow_on(a, 7);
        chain.read(a, false, 0, p, BYTES);
        chain.write(c, false, 0, p, BYTES);
        chain.end();
        expect(&s, c, 7, &format!("{mode:?}"));
        release(&s, &[a, b, c]);
    }
}

#[test]
fn writes_from_shared_memory() {
    let s = Setup::new();
    let Some(shared) = fine_grained(&s) else { return };
    for blocking in [false, true] {
        for mode in if blocking { &PROMPT[..] } else { &MODES[..] } {
            unsafe { shared.cast::<u8>().write_bytes(0, BYTES) };
            let b = zeros(&s);
            let chain = Chain::new(&s, *mode);
            chain.slow(7, |kernel| unsafe {
                check((s.cl.clSetKernelArgSVMPointer)(kernel, 0, shared));
            });
            chain.write(b, blocking, 0, shared, BYTES);
            chain.end();
            expect(&s, b, 7, &format!("{mode:?}, blocking: {blocking}"));
            release(&s, &[b]);
        }
    }
    unsafe { (s.cl.clSVMFree)(s.context, shared) };
}

#[test]
fn reads_into_shared_memory() {
    let s = Setup::new();
    let Some(shared) = fine_grained(&s) else { return };
    for mode in MODES {
        unsafe { shared.cast::<u8>().write_bytes(0, BYTES) };
        let (a, c) = (zeros(&s), zeros(&s));
        let chain = Chain::new(&s, mode);
        chain.slow_on(a, 7);
        chain.read(a, false, 0, shared, BYTES);
        chain
            .copy(|kernel| unsafe { check((s.cl.clSetKernelArgSVMPointer)(kernel, 0, shared)) }, c);
        chain.end();
        expect(&s, c, 7, &format!("{mode:?}"));
        let seen = unsafe { std::slice::from_raw_parts(shared.cast::<u8>(), BYTES) };
        assert!(words(seen) == expected(7), "{mode:?}");
        release(&s, &[a, c]);
    }
    unsafe { (s.cl.clSVMFree)(s.context, shared) };
}

/// Copies of shared virtual memory to and from a mapped region.
#[test]
fn shared_memory_and_mapped_regions() {
    let s = Setup::new();
    let Some(shared) = fine_grained(&s) else { return };
    let memcpy = s.cl.clEnqueueSVMMemcpy;
    for mode in MODES {
        unsafe { shared.cast::<u8>().write_bytes(0, BYTES) };
        let (a, b, c) = (zeros(&s), zeros(&s), zeros(&s));
        let chain = Chain::new(&s, mode);
        let target = chain.map(b, CL_MAP_WRITE, 0, BYTES);
        chain.slow_on(a, 7);
        let source = chain.map(a, CL_MAP_READ, 0, BYTES);
        for (to, from) in [(shared, source), (target, shared)] {
            chain.then(|queue, n, list, event| unsafe {
                memcpy(queue, CL_FALSE, to, from, BYTES, n, list, event)
            });
        }
        chain.unmap(b, target);
        chain.copy(|kernel| s.set(kernel, 0, &b), c);
        chain.end();
        expect(&s, c, 7, &format!("{mode:?}"));
        release(&s, &[a, b, c]);
    }
    unsafe { (s.cl.clSVMFree)(s.context, shared) };
}

/// Boxes with pitches of their own on both sides.
#[test]
fn boxes_in_mapped_regions() {
    let s = Setup::new();
    let (region, origin) = ([20usize, 5, 3], [4usize, 2, 1]);
    let (pitches, others) = ([64usize, 640], [128usize, 2560]);
    let at = |[row, slice]: [usize; 2], z, y, x| {
        (origin[2] + z) * slice + (origin[1] + y) * row + origin[0] + x
    };
    let places = || {
        let rows = (0..region[2]).flat_map(|z| (0..region[1]).map(move |y| (z, y)));
        rows.flat_map(|(z, y)| (0..region[0]).map(move |x| (z, y, x)))
    };
    let source: Vec<u8> = expected(7).iter().flat_map(|word| word.to_ne_bytes()).collect();
    for mode in MODES {
        let (a, b, c, d) = (zeros(&s), zeros(&s), zeros(&s), zeros(&s));
        let chain = Chain::new(&s, mode);
        let target = chain.map(c, CL_MAP_WRITE, 0, BYTES);
        chain.slow_on(a, 7);
        let p = chain.map(a, CL_MAP_READ, 0, BYTES);
        let (origin, region) = (origin.as_ptr(), region.as_ptr());
        let ([row, slice], [other_row, other_slice]) = (pitches, others);
        chain.then(|queue, n, list, event| unsafe {
            (s.cl.clEnqueueWriteBufferRect)(
                queue,
                b,
                CL_FALSE,
                origin,
                origin,
                region,
                other_row,
                other_slice,
                row,
                slice,
                p,
                n,
                list,
                event,
            )
        });
        chain.then(|queue, n, list, event| unsafe {
            (s.cl.clEnqueueReadBufferRect)(
                queue,
                a,
                CL_FALSE,
                origin,
                origin,
                region,
                row,
                slice,
                other_row,
                other_slice,
                target,
                n,
                list,
                event,
            )
        });
        chain.unmap(c, target);
        chain.copy(|kernel| s.set(kernel, 0, &c), d);
        chain.end();
        let mut all = vec![0; BYTES];
        places().for_each(|(z, y, x)| all[at(others, z, y, x)] = source[at(pitches, z, y, x)]);
        assert!(s.read(b, 0, BYTES) == all, "{mode:?}: written");
        assert!(s.read(d, 0, BYTES) == all, "{mode:?}: read");
        release(&s, &[a, b, c, d]);
    }
}

/// A buffer's own region may be the source of a write to it, also to the same bytes.
#[test]
fn a_region_of_the_buffer_itself() {
    let s = Setup::new();
    for mode in MODES {
        for shift in [0, 12, BYTES / 2] {
            let a = zeros(&s);
            let chain = Chain::new(&s, mode);
            chain.slow_on(a, 7);
            let p = chain.map(a, CL_MAP_READ, 0, BYTES);
            chain.write(a, false, shift, p, BYTES / 2);
            chain.unmap(a, p);
            chain.end();
            let mut all = expected(7);
            all.copy_within(0..WORDS / 2, shift / 4);
            assert!(words(&s.read(a, 0, BYTES)) == all, "{mode:?}, {shift}");
            release(&s, &[a]);
        }
    }
}

/// Memory of the application that a read fills first.
#[test]
fn writes_from_memory_that_a_read_fills() {
    let s = Setup::new();
    for blocking in [false, true] {
        for mode in if blocking { &PROMPT[..] } else { &MODES[..] } {
            let (a, b) = (zeros(&s), zeros(&s));
            let mut own = vec![0u8; BYTES];
            let chain = Chain::new(&s, *mode);
            chain.slow_on(a, 7);
            chain.read(a, false, 0, own.as_mut_ptr().cast(), BYTES);
            chain.write(b, blocking, 0, own.as_ptr().cast(), BYTES);
            chain.end();
            expect(&s, b, 7, &format!("{mode:?}, blocking: {blocking}"));
            release(&s, &[a, b]);
        }
    }
}

/// A blocking write that waits for the host does not take bytes before a pending read has written them.
#[test]
fn blocking_writes_behind_a_read_that_waits() {
    let s = Setup::new();
    for mode in [Mode::Deferred, Mode::DeferredOutOfOrder] {
        for through_map in [false, true] {
            let (a, b) = (zeros(&s), zeros(&s));
            let mut own = vec![0u8; BYTES];
            let chain = Chain::new(&s, mode);
            chain.slow_on(a, 7);
            let from = if through_map {
                chain.map(a, CL_MAP_READ, 0, BYTES)
            } else {
                chain.read(a, false, 0, own.as_mut_ptr().cast(), BYTES);
                own.as_mut_ptr().cast()
            };
            let gate = chain.gate.unwrap() as usize;
            let set = s.cl.clSetUserEventStatus;
            let opener = std::thread::spawn(move || {
                std::thread::sleep(Duration::from_millis(100));
                check(unsafe { set(gate as cl_event, CL_COMPLETE) });
            });
            chain.write(b, true, 0, from, BYTES);
            opener.join().unwrap();
            chain.queues.iter().for_each(|queue| check(unsafe { (s.cl.clFinish)(*queue) }));
            expect(&s, b, 7, &format!("{mode:?}, through a map: {through_map}"));
            release(&s, &[a, b]);
        }
    }
}

/// After two reads into the same memory, the bytes of the later one stay.
#[test]
fn the_last_of_two_reads_stays() {
    let s = Setup::new();
    for mode in PROMPT {
        for blocking in [false, true] {
            let (a, b) = (zeros(&s), zeros(&s));
            let setup = Chain::new(&s, Mode::InOrder);
            setup.slow_on(b, 900);
            setup.end();
            let mut own = vec![0u8; BYTES];
            let chain = Chain::new(&s, mode);
            chain.then(|queue, n, list, event| unsafe {
                (s.cl.clEnqueueMarkerWithWaitList)(queue, n, list, event)
            });
            chain.slow_on(a, 7);
            chain.read(a, false, 0, own.as_mut_ptr().cast(), BYTES);
            chain.read(b, blocking, 0, own.as_mut_ptr().cast(), BYTES);
            for queue in chain.queues.iter().rev() {
                check(unsafe { (s.cl.clFinish)(*queue) });
            }
            assert!(words(&own) == expected(900), "{mode:?}, blocking: {blocking}");
            release(&s, &[a, b]);
        }
    }
}

/// Regions for writing must not overlap, whichever object they are mapped through.
#[test]
fn regions_for_writing_do_not_overlap() {
    let s = Setup::new();
    let map = |mem, flags, offset, size| {
        let (mut code, none) = (1, null_mut());
        let map = s.cl.clEnqueueMapBuffer;
        let pointer =
            unsafe { map(s.queue, mem, CL_TRUE, flags, offset, size, 0, null(), none, &mut code) };
        assert_eq!(pointer.is_null(), code != CL_SUCCESS);
        (code, pointer)
    };
    let unmap = |mem, pointer| {
        check(unsafe {
            (s.cl.clEnqueueUnmapMemObject)(s.queue, mem, pointer, 0, null(), null_mut())
        })
    };
    for kind in [CL_MEM_COPY_HOST_PTR, CL_MEM_USE_HOST_PTR] {
        let mut bytes = vec![0; 4096];
        let whole = s.buffer_of(kind, &mut bytes);
        let (low, high) = (part(&s, whole, 0, 2048), part(&s, whole, 1024, 2048));
        let (write, discard) = (CL_MAP_WRITE, CL_MAP_WRITE_INVALIDATE_REGION);
        let (code, first) = map(low, write, 1000, 500);
        assert_eq!(code, CL_SUCCESS);
        for flags in [write, discard, CL_MAP_READ | CL_MAP_WRITE] {
            assert_eq!(map(whole, flags, 0, 4096).0, CL_INVALID_OPERATION);
            assert_eq!(map(whole, flags, 1499, 1).0, CL_INVALID_OPERATION);
            assert_eq!(map(high, flags, 0, 100).0, CL_INVALID_OPERATION);
            assert_eq!(map(high, flags, 475, 100).0, CL_INVALID_OPERATION);
            assert_eq!(map(low, flags, 999, 2).0, CL_INVALID_OPERATION);
        }
        // Ranges beside the region may be mapped for writing, and all ranges for reading.
        for (mem, flags, offset, size) in [
            (whole, write, 0, 1000),
            (high, discard, 476, 500),
            (low, CL_MAP_READ, 0, 2048),
            (whole, CL_MAP_READ, 0, 4096),
        ] {
            let (code, pointer) = map(mem, flags, offset, size);
            assert_eq!(code, CL_SUCCESS);
            let count: u32 = value(|z, p, r| unsafe {
                (s.cl.clGetMemObjectInfo)(mem, CL_MEM_MAP_COUNT, z, p, r)
            });
            assert_eq!(count, 1 + u32::from(mem == low));
            unmap(mem, pointer);
        }
        // A region can only be unmapped through the object that it was mapped by.
        let code =
            unsafe { (s.cl.clEnqueueUnmapMemObject)(s.queue, high, first, 0, null(), null_mut()) };
        assert_eq!(code, CL_INVALID_VALUE);
        unmap(low, first);
        let (code, again) = map(whole, write, 0, 4096);
        assert_eq!(code, CL_SUCCESS);
        assert_eq!(map(low, write, 5, 5).0, CL_INVALID_OPERATION);
        unmap(whole, again);
        // A released sub-buffer takes its regions with it.
        assert_eq!(map(high, write, 0, 100).0, CL_SUCCESS);
        release(&s, &[high]);
        s.finish();
        let (code, again) = map(whole, write, 0, 4096);
        assert_eq!(code, CL_SUCCESS);
        unmap(whole, again);
        release(&s, &[low, whole]);
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
