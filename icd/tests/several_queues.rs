//! Several queues of one device whose commands wait for each other's: waiting commands hold up neither commands nor
//! threads that need not wait. A kernel that runs until the host ends it keeps one of the queues busy.
// Nearly every call of the API is unsafe, for the reason that the C specification gives.
#![allow(clippy::undocumented_unsafe_blocks)]

mod common;
use common::*;
use hekla_vk_backend as vk;
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::{mpsc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

const SOURCE: &str = "
kernel void until(volatile global uint *flag, global uint *out, uint most)
{
    bool told = false;
    for (uint i = 0; i < most && !told; i++)
        told = atomic_or(flag, 0u) != 0;
    if (get_global_id(0) == get_global_size(0) - 1) *out = told;
}
kernel void step(global uint *x, uint factor) { *x = *x * factor + 1; }";

/// A word that kernels write.
static WRITTEN: u32 = 0x600d_600d;

/// How long a test waits for an event that has to happen.
const LIMIT: Duration = Duration::from_secs(10);

/// A lock that each test holds: queues share the device's queues, and a command behind another test's gate has to wait
/// for the gate. The command that opens the gate may even be queued behind the gate itself: in a queue of the device
/// that both share, or in a queue where it is behind a command that waits for that queue. Processes that share a GPU
/// take turns, and a gate takes its whole turn.
fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the program of a context. Its kernels share their pipelines: lavapipe makes no pipelines while a kernel runs, so the
/// pipelines of kernels that run beside a gate are made before it is closed.
fn program(s: &Setup) -> cl_program {
    static PROGRAMS: Mutex<Vec<(usize, usize)>> = Mutex::new(Vec::new());
    let mut programs = PROGRAMS.lock().unwrap_or_else(PoisonError::into_inner);
    let context = s.context as usize;
    if let Some((_, program)) = programs.iter().find(|(of, _)| *of == context) {
        return *program as cl_program;
    }
    let program = s.program(SOURCE, "");
    programs.push((context, program as usize));
    program
}

/// A kernel that runs until a flag ends it.
struct Gate<'a> {
    s: &'a Setup,
    kernel: cl_kernel,
    flag: Flag,
    /// The number of work-items. Where they run one after the other, each runs for a share of the time, since some
    /// drivers bound the rounds of a loop.
    items: usize,
    out: cl_mem,
}

/// The flag that the kernel reads.
enum Flag {
    /// Memory that host and device share.
    Shared(*mut c_void),
    /// Memory that another queue's command writes.
    Buffer(cl_mem),
}

impl Gate<'_> {
    /// Returns a closed gate.
    fn new(s: &Setup) -> Gate<'_> {
        let kernel = s.kernel(program(s), "until");
        let capabilities: u64 = value(|n, p, r| unsafe {
            (s.cl.clGetDeviceInfo)(s.device, CL_DEVICE_SVM_CAPABILITIES, n, p, r)
        });
        let out = s.buffer(0, 4);
        let (flag, items, most) = if capabilities & CL_DEVICE_SVM_FINE_GRAIN_BUFFER != 0 {
            let kind = CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER;
            let flag = unsafe { (s.cl.clSVMAlloc)(s.context, kind, 4, 0) };
            unsafe { flag.cast::<u32>().write_volatile(1) };
            check(unsafe { (s.cl.clSetKernelArgSVMPointer)(kernel, 0, flag) });
            (Flag::Shared(flag), 1 << 16, 60_000u32)
        } else {
            let flag = s.buffer_of(CL_MEM_COPY_HOST_PTR, &mut 1u32.to_ne_bytes());
            s.set(kernel, 0, &flag);
            (Flag::Buffer(flag), 1, 200_000_000)
        };
        s.set(kernel, 1, &out);
        s.set(kernel, 2, &most);
        let gate = Gate { s, kernel, flag, items, out };
        // Runs it once to make its pipelines; then it is closed.
        gate.launch(s.queue);
        wait(s, step(s, s.queue, (new_word(s, 0), 1), &[]));
        gate.set(0);
        s.write(out, true, 0, &0u32.to_ne_bytes());
        gate
    }

    /// Launches the kernel in a queue, and makes the device begin with it.
    fn launch(&self, queue: cl_command_queue) -> cl_event {
        let event = launch(self.s, queue, (self.kernel, self.items), &[]);
        flush(self.s, queue);
        event
    }

    /// Ends the kernel.
    fn open(&self) {
        self.set(1);
    }

    /// Writes the flag.
    fn set(&self, value: u32) {
        match self.flag {
            Flag::Shared(flag) => unsafe { flag.cast::<u32>().write_volatile(value) },
            Flag::Buffer(flag) => {
                // An idle queue, which shares no queue of the device with the waiting queues.
                let queue = self.s.queue;
                check(unsafe {
                    let (write, from) = (self.s.cl.clEnqueueWriteBuffer, (&raw const value).cast());
                    write(queue, flag, CL_TRUE, 0, 4, from, 0, null(), null_mut())
                });
            }
        }
    }

    /// Asserts that the host ended the kernel, and not the bound of its loop.
    fn expect_opened(&self) {
        assert_eq!(word(self.s, self.out), 1);
    }
}

impl Drop for Gate<'_> {
    fn drop(&mut self) {
        // The kernel ends even if the test fails.
        if let Flag::Shared(flag) = self.flag {
            unsafe { flag.cast::<u32>().write_volatile(1) };
        }
    }
}

/// Handles may be used from every thread.
#[derive(Clone, Copy)]
struct Sent<T>(T);
unsafe impl<T> Send for Sent<T> {}

impl<T> Sent<T> {
    fn get(self) -> T {
        self.0
    }
}

fn out_of_order(s: &Setup) -> cl_command_queue {
    let properties = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
    made(|e| unsafe { (s.cl.clCreateCommandQueue)(s.context, s.device, properties, e) })
}

/// Returns true if the device has enough Vulkan queues for one to run while another is busy.
fn runs_queues_at_once(s: &Setup) -> bool {
    let uuid: [u8; 16] =
        value(|n, p, r| unsafe { (s.cl.clGetDeviceInfo)(s.device, CL_DEVICE_UUID, n, p, r) });
    let devices = vk::Instance::load().unwrap().physical_devices();
    let same = devices.iter().find(|device| device.info.device_uuid == uuid);
    same.expect("the device, by its UUID").info.limits.queue_count > 5
}

fn launch(
    s: &Setup,
    queue: cl_command_queue,
    (kernel, items): (cl_kernel, usize),
    waits: &[cl_event],
) -> cl_event {
    let (mut event, count) = (null_mut(), waits.len() as u32);
    let list = if waits.is_empty() { null() } else { waits.as_ptr() };
    check(unsafe {
        let enqueue = s.cl.clEnqueueNDRangeKernel;
        enqueue(queue, kernel, 1, null(), &items, null(), count, list, &mut event)
    });
    event
}

/// Enqueues a kernel that computes `*x = *x * factor + 1`.
fn step(
    s: &Setup,
    queue: cl_command_queue,
    (x, factor): (cl_mem, u32),
    waits: &[cl_event],
) -> cl_event {
    let kernel = s.kernel(program(s), "step");
    s.set(kernel, 0, &x);
    s.set(kernel, 1, &factor);
    launch(s, queue, (kernel, 1), waits)
}

fn barrier(s: &Setup, queue: cl_command_queue, waits: &[cl_event]) -> cl_event {
    let (mut event, count) = (null_mut(), waits.len() as u32);
    let enqueue = s.cl.clEnqueueBarrierWithWaitList;
    check(unsafe { enqueue(queue, count, waits.as_ptr(), &mut event) });
    event
}

/// Returns a word in device memory.
fn new_word(s: &Setup, word: u32) -> cl_mem {
    s.buffer_of(CL_MEM_COPY_HOST_PTR, &mut word.to_ne_bytes())
}

/// Returns the value of a word, read in the queue of the setup.
fn word(s: &Setup, mem: cl_mem) -> u32 {
    u32::from_ne_bytes(s.read(mem, 0, 4).try_into().unwrap())
}

fn wait(s: &Setup, event: cl_event) {
    check(unsafe { (s.cl.clWaitForEvents)(1, &event) });
}

fn flush(s: &Setup, queue: cl_command_queue) {
    check(unsafe { (s.cl.clFlush)(queue) });
}

/// Waits for a condition; returns false if it has not come true within the limit.
fn comes(condition: impl Fn() -> bool) -> bool {
    let start = Instant::now();
    while start.elapsed() < LIMIT {
        if condition() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    false
}

#[test]
fn out_of_order_what_waits_for_another_queue_holds_back_nothing() {
    let _alone = alone();
    let s = Setup::new();
    let (busy, queue) = (s.second_queue(), out_of_order(&s));
    let (a, b) = (new_word(&s, 5), new_word(&s, 7));
    let gate = Gate::new(&s);
    let running = gate.launch(busy);
    let behind = step(&s, queue, (a, 2), &[running]);
    let behind_that = step(&s, queue, (a, 3), &[behind]);
    let free = step(&s, queue, (b, 4), &[]);
    flush(&s, queue);
    // The device does not get the waiting commands: if its queue had them, all later commands would wait, too.
    assert_eq!(s.status(behind), CL_QUEUED);
    assert_eq!(s.status(behind_that), CL_QUEUED);
    if runs_queues_at_once(&s) {
        wait(&s, free);
    }
    for event in [behind, behind_that] {
        assert_eq!(s.status(event), CL_QUEUED);
    }
    assert!(s.status(running) > CL_COMPLETE);
    gate.open();
    // The command runs without a call that asks for it.
    assert!(comes(|| s.status(behind_that) == CL_COMPLETE));
    wait(&s, free);
    assert_eq!((word(&s, a), word(&s, b)), (34, 29));
    gate.expect_opened();
}

#[test]
fn a_barrier_that_waits_for_another_queue_waits_on_the_device() {
    let _alone = alone();
    let s = Setup::new();
    let (busy, queue) = (s.second_queue(), out_of_order(&s));
    let (a, b) = (new_word(&s, 5), new_word(&s, 7));
    let gate = Gate::new(&s);
    let before = step(&s, queue, (a, 2), &[]);
    let running = gate.launch(busy);
    let closed = barrier(&s, queue, &[running]);
    let after = step(&s, queue, (b, 4), &[]);
    flush(&s, queue);
    // Later commands of the queue have to wait anyway.
    for event in [closed, after] {
        assert_eq!(s.status(event), CL_SUBMITTED);
    }
    if runs_queues_at_once(&s) {
        wait(&s, before);
    }
    assert!(s.status(running) > CL_COMPLETE);
    gate.open();
    wait(&s, after);
    assert_eq!(s.status(running), CL_COMPLETE);
    assert_eq!((word(&s, a), word(&s, b)), (11, 29));
    gate.expect_opened();
}

#[test]
fn in_order_what_comes_before_a_wait_does_not_wait() {
    let _alone = alone();
    let s = Setup::new();
    let (busy, queue) = (s.second_queue(), s.second_queue());
    let (a, b) = (new_word(&s, 1), new_word(&s, 1));
    let gate = Gate::new(&s);
    let running = gate.launch(busy);
    // These commands may be recorded, and submitted to the device, together.
    let before: Vec<_> = (0..5).map(|_| step(&s, queue, (a, 2), &[])).collect();
    let behind = step(&s, queue, (b, 2), &[running]);
    let last = step(&s, queue, (b, 3), &[]);
    flush(&s, queue);
    // The device waits: no thread of the host has to wake up between the two queues.
    assert_eq!(s.status(last), CL_SUBMITTED);
    if runs_queues_at_once(&s) {
        before.iter().for_each(|event| wait(&s, *event));
    }
    assert_eq!(s.status(behind), CL_SUBMITTED);
    assert!(s.status(running) > CL_COMPLETE);
    gate.open();
    wait(&s, last);
    assert_eq!((word(&s, a), word(&s, b)), (63, 10));
    gate.expect_opened();
}

#[test]
fn queues_wait_for_each_other_in_turn() {
    let _alone = alone();
    let s = Setup::new();
    let kernel = s.kernel(s.program(SOURCE, ""), "step");
    let queues = [s.second_queue(), s.second_queue(), out_of_order(&s), out_of_order(&s)];
    let unrelated = new_word(&s, 0);
    for order in [[0, 1], [0, 2], [2, 3], [2, 0]] {
        let x = new_word(&s, 1);
        let (mut expected, mut last) = (1u32, Vec::new());
        for round in 0..200u32 {
            let queue = queues[order[round as usize % 2]];
            // Commands that are recorded in between are for the same batch.
            s.set(kernel, 0, &unrelated);
            s.set(kernel, 1, &1u32);
            launch(&s, queue, (kernel, 1), &[]);
            s.set(kernel, 0, &x);
            s.set(kernel, 1, &(round | 1));
            last = vec![launch(&s, queue, (kernel, 1), &last)];
            expected = expected.wrapping_mul(round | 1).wrapping_add(1);
        }
        // Only the queue that waits for the other's last command is finished.
        check(unsafe { (s.cl.clFinish)(queues[order[1]]) });
        assert_eq!(s.status(last[0]), CL_COMPLETE);
        assert_eq!(word(&s, x), expected);
    }
}

/// Makes calls of all kinds on a queue and a context whose other queues are busy: none waits for the busy queues.
fn calls_that_return(s: &Setup, at_once: bool) {
    let queue = s.second_queue();
    let x = new_word(s, 5);
    // Builds another program where the driver can make pipelines while kernels run.
    let another = s.program(SOURCE, "-DANOTHER");
    let kernel = s.kernel(if at_once { another } else { program(s) }, "step");
    s.set(kernel, 0, &x);
    s.set(kernel, 1, &2u32);
    let event = launch(s, queue, (kernel, 1), &[]);
    let user = s.user_event();
    let held = launch(s, queue, (kernel, 1), &[user]);
    flush(s, queue);
    assert_eq!(s.status(held), CL_QUEUED);
    check(unsafe { (s.cl.clSetUserEventStatus)(user, CL_COMPLETE) });
    assert!(s.status(held) < CL_QUEUED);
    s.write(x, true, 0, &3u32.to_ne_bytes());
    unsafe {
        if at_once {
            wait(s, event);
            check((s.cl.clFinish)(queue));
        }
        for handle in [event, held, user] {
            check((s.cl.clReleaseEvent)(handle));
        }
        check((s.cl.clReleaseKernel)(kernel));
        check((s.cl.clReleaseProgram)(another));
        check((s.cl.clReleaseMemObject)(x));
    }
}

#[test]
fn a_thread_that_waits_holds_up_no_other() {
    let _alone = alone();
    let s = Setup::new();
    let at_once = runs_queues_at_once(&s);
    let (busy, reading) = (s.second_queue(), s.second_queue());
    let x = new_word(&s, 5);
    let gate = Gate::new(&s);
    let running = gate.launch(busy);
    let (sender, returned) = mpsc::channel();
    std::thread::scope(|scope| {
        let (cl, handles) = (s.cl, Sent((busy, reading, x, running)));
        scope.spawn(move || check(unsafe { (cl.clFinish)(handles.get().0) }));
        scope.spawn(move || check(unsafe { (cl.clWaitForEvents)(1, &handles.get().3) }));
        scope.spawn(move || {
            let ((_, queue, x, event), mut bytes) = (handles.get(), [0u8; 4]);
            check(unsafe {
                let (read, to) = (cl.clEnqueueReadBuffer, bytes.as_mut_ptr().cast());
                read(queue, x, CL_TRUE, 0, 4, to, 1, &event, null_mut())
            });
            assert_eq!(u32::from_ne_bytes(bytes), 5);
        });
        // By now the other threads are probably waiting; nothing below depends on it.
        std::thread::sleep(Duration::from_millis(20));
        let setup = Sent(&s);
        scope.spawn(move || {
            calls_that_return(setup.get(), at_once);
            sender.send(()).unwrap();
        });
        let all_returned = returned.recv_timeout(LIMIT).is_ok();
        let still_running = s.status(running) > CL_COMPLETE;
        gate.open();
        assert!(all_returned, "a call waits for another queue");
        assert!(still_running);
    });
    gate.expect_opened();
}

#[test]
fn a_blocking_call_holds_up_no_held_command_of_another_queue() {
    let _alone = alone();
    let s = Setup::new();
    let (busy, blocked, other) = (s.second_queue(), out_of_order(&s), out_of_order(&s));
    // A large transfer is cut into pieces, and the call waits for each piece.
    const SIZE: usize = 2 << 20;
    let contents = pattern(SIZE, 5);
    let x = s.buffer_of(CL_MEM_COPY_HOST_PTR, &mut contents.clone());
    let (first, second) = (Gate::new(&s), Gate::new(&s));
    let awaited = first.launch(busy);
    // Both commands begin when the first gate opens.
    let held = step(&s, other, (new_word(&s, 0), 1), &[awaited]);
    step(&s, blocked, (new_word(&s, 0), 1), &[awaited]);
    let running = second.launch(blocked);
    std::thread::scope(|scope| {
        let (cl, handles) = (s.cl, Sent((blocked, x, running)));
        scope.spawn(move || {
            let ((queue, x, event), mut bytes) = (handles.get(), vec![0u8; SIZE]);
            check(unsafe {
                let (read, to) = (cl.clEnqueueReadBuffer, bytes.as_mut_ptr().cast());
                read(queue, x, CL_TRUE, 0, SIZE, to, 1, &event, null_mut())
            });
            assert!(bytes == contents);
        });
        // By now the thread is probably waiting.
        std::thread::sleep(Duration::from_millis(20));
        first.open();
        let begun = comes(|| s.status(held) < CL_QUEUED);
        let still_running = s.status(running) > CL_COMPLETE;
        second.open();
        assert!(begun, "it waits for a blocking call");
        assert!(still_running);
    });
    check(unsafe { (s.cl.clFinish)(blocked) });
    wait(&s, held);
    first.expect_opened();
    second.expect_opened();
}

/// A blocking write is complete when its call returns, for all queues of the context: for existing queues and for one
/// that is made later. (A write in a context's only queue may return when the library has copied the bytes.)
#[test]
fn no_queue_runs_ahead_of_a_blocking_write() {
    let _alone = alone();
    for is_made_later in [false, true] {
        let s = Setup::new();
        let mem = new_word(&s, 1);
        let other = (!is_made_later).then(|| s.second_queue());
        let go = made(|e| unsafe { (s.cl.clCreateUserEvent)(s.context, e) });
        std::thread::scope(|scope| {
            let (cl, event) = (s.cl, Sent(go));
            scope.spawn(move || {
                std::thread::sleep(Duration::from_millis(100));
                check(unsafe { (cl.clSetUserEventStatus)(event.get(), CL_COMPLETE) });
            });
            let (write, from) = (s.cl.clEnqueueWriteBuffer, (&raw const WRITTEN).cast());
            let written = unsafe { write(s.queue, mem, CL_TRUE, 0, 4, from, 1, &go, null_mut()) };
            check(written);
            let other = other.unwrap_or_else(|| s.second_queue());
            let (read, mut word) = (s.cl.clEnqueueReadBuffer, 0u32);
            let to = (&raw mut word).cast();
            check(unsafe { read(other, mem, CL_TRUE, 0, 4, to, 0, null(), null_mut()) });
            assert_eq!(word, WRITTEN, "a queue that is made later: {is_made_later}");
        });
    }
}

#[test]
fn all_again_under_validation() {
    let _alone = alone();
    run_again("0");
}

#[test]
fn all_again_through_staging_memory() {
    let _alone = alone();
    run_again("1");
}
