//! Semaphores through the loader (cl_khr_semaphore): order between queues, states, and waits that come before
//! their signals.
// Nearly every call of the API is unsafe, for the reason that the C specification gives.
#![allow(clippy::undocumented_unsafe_blocks)]

mod common;
use common::*;
use std::ptr::{null, null_mut};

type Create = unsafe extern "C" fn(cl_context, *const u64, *mut cl_int) -> cl_semaphore_khr;
type Operate = unsafe extern "C" fn(
    cl_command_queue,
    cl_uint,
    *const cl_semaphore_khr,
    *const u64,
    cl_uint,
    *const cl_event,
    *mut cl_event,
) -> cl_int;
type Count = unsafe extern "C" fn(cl_semaphore_khr) -> cl_int;
type Query = unsafe extern "C" fn(
    cl_semaphore_khr,
    cl_uint,
    usize,
    *mut std::ffi::c_void,
    *mut usize,
) -> cl_int;

/// A context with the functions of the extension.
struct Semaphores {
    s: Setup,
    create: Create,
    wait: Operate,
    signal: Operate,
    retain: Count,
    release: Count,
    query: Query,
}

const BINARY: [u64; 3] = [CL_SEMAPHORE_TYPE_KHR as u64, CL_SEMAPHORE_TYPE_BINARY_KHR as u64, 0];

impl Semaphores {
    fn new() -> Semaphores {
        let s = Setup::new();
        Semaphores {
            create: s.extension(c"clCreateSemaphoreWithPropertiesKHR"),
            wait: s.extension(c"clEnqueueWaitSemaphoresKHR"),
            signal: s.extension(c"clEnqueueSignalSemaphoresKHR"),
            retain: s.extension(c"clRetainSemaphoreKHR"),
            release: s.extension(c"clReleaseSemaphoreKHR"),
            query: s.extension(c"clGetSemaphoreInfoKHR"),
            s,
        }
    }

    fn semaphore(&self) -> cl_semaphore_khr {
        made(|e| unsafe { (self.create)(self.s.context, BINARY.as_ptr(), e) })
    }

    /// Enqueues one operation on one semaphore, behind an event or none, and returns its event.
    fn enqueue(
        &self,
        operate: Operate,
        queue: cl_command_queue,
        semaphore: cl_semaphore_khr,
        behind: Option<cl_event>,
    ) -> cl_event {
        let (count, list) = behind.as_ref().map_or((0, null()), |event| (1, event as *const _));
        let mut event = null_mut();
        check(unsafe { operate(queue, 1, &semaphore, null(), count, list, &mut event) });
        event
    }

    fn payload(&self, semaphore: cl_semaphore_khr) -> u64 {
        let name = CL_SEMAPHORE_PAYLOAD_KHR;
        value(|z, p, r| unsafe { (self.query)(semaphore, name, z, p, r) })
    }

    fn finish(&self, queue: cl_command_queue) {
        check(unsafe { (self.s.cl.clFinish)(queue) });
    }
}

#[test]
fn the_extension_is_offered_with_its_types() {
    let t = Semaphores::new();
    assert!(t.s.offers("cl_khr_semaphore"));
    let name = CL_DEVICE_SEMAPHORE_TYPES_KHR;
    let of_device = bytes(|z, p, r| unsafe { (t.s.cl.clGetDeviceInfo)(t.s.device, name, z, p, r) });
    let name = CL_PLATFORM_SEMAPHORE_TYPES_KHR;
    let of_platform =
        bytes(|z, p, r| unsafe { (t.s.cl.clGetPlatformInfo)(t.s.platform, name, z, p, r) });
    let binary = CL_SEMAPHORE_TYPE_BINARY_KHR.to_ne_bytes();
    assert_eq!((&of_device[..], &of_platform[..]), (&binary[..], &binary[..]));
}

#[test]
fn queries_answer() {
    let t = Semaphores::new();
    let semaphore = t.semaphore();
    let info = |name| bytes(|z, p, r| unsafe { (t.query)(semaphore, name, z, p, r) });
    assert_eq!(info(CL_SEMAPHORE_CONTEXT_KHR), (t.s.context as usize).to_ne_bytes());
    assert_eq!(info(CL_SEMAPHORE_REFERENCE_COUNT_KHR), 1u32.to_ne_bytes());
    assert_eq!(info(CL_SEMAPHORE_PROPERTIES_KHR), BINARY.map(u64::to_ne_bytes).concat());
    assert_eq!(info(CL_SEMAPHORE_TYPE_KHR), CL_SEMAPHORE_TYPE_BINARY_KHR.to_ne_bytes());
    assert_eq!(info(CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR), (t.s.device as usize).to_ne_bytes());
    assert_eq!(info(CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR), [0; 0]);
    assert_eq!(info(CL_SEMAPHORE_EXPORTABLE_KHR), CL_FALSE.to_ne_bytes());
    unsafe {
        check((t.retain)(semaphore));
        assert_eq!(info(CL_SEMAPHORE_REFERENCE_COUNT_KHR), 2u32.to_ne_bytes());
        check((t.release)(semaphore));
        check((t.release)(semaphore));
        assert_eq!((t.release)(semaphore), CL_INVALID_SEMAPHORE_KHR);
    }
}

#[test]
fn states_follow_the_commands() {
    let t = Semaphores::new();
    let semaphore = t.semaphore();
    assert_eq!(t.payload(semaphore), 0);
    let gate = t.s.user_event();
    let signal = t.enqueue(t.signal, t.s.queue, semaphore, Some(gate));
    let name = CL_EVENT_COMMAND_TYPE;
    let kind: u32 = value(|z, p, r| unsafe { (t.s.cl.clGetEventInfo)(signal, name, z, p, r) });
    assert_eq!(kind, CL_COMMAND_SEMAPHORE_SIGNAL_KHR);
    assert_eq!(t.payload(semaphore), 0);
    check(unsafe { (t.s.cl.clSetUserEventStatus)(gate, CL_COMPLETE) });
    t.finish(t.s.queue);
    assert_eq!(t.payload(semaphore), 1);
    let wait = t.enqueue(t.wait, t.s.queue, semaphore, None);
    let kind: u32 = value(|z, p, r| unsafe { (t.s.cl.clGetEventInfo)(wait, name, z, p, r) });
    assert_eq!(kind, CL_COMMAND_SEMAPHORE_WAIT_KHR);
    t.finish(t.s.queue);
    assert_eq!(t.payload(semaphore), 0);
    // The same once more.
    t.enqueue(t.signal, t.s.queue, semaphore, None);
    t.finish(t.s.queue);
    assert_eq!(t.payload(semaphore), 1);
}

/// Commands of one queue before a signal are done, and their results visible, before commands of another queue behind
/// the wait; many times.
#[test]
fn queues_take_turns() {
    let t = Semaphores::new();
    let s = &t.s;
    let source = "kernel void step(global uint *p, uint n) {
        size_t i = get_global_id(0); if (p[i] + 1 == n) p[i] = n; }";
    let program = s.program(source, "");
    let kernel = s.kernel(program, "step");
    let size = 1 << 18;
    let mem = s.buffer_of(CL_MEM_COPY_HOST_PTR, &mut vec![0; 4 * size]);
    let queues = [s.queue, s.second_queue()];
    let there = [t.semaphore(), t.semaphore()];
    let rounds = 40u32;
    for n in 0..rounds {
        let turn = n as usize % 2;
        if n > 0 {
            t.enqueue(t.wait, queues[turn], there[turn], None);
        }
        s.set(kernel, 0, &mem);
        s.set(kernel, 1, &(n + 1));
        let (launch, none) = (s.cl.clEnqueueNDRangeKernel, null());
        check(unsafe { launch(queues[turn], kernel, 1, none, &size, none, 0, null(), null_mut()) });
        t.enqueue(t.signal, queues[turn], there[1 - turn], None);
    }
    queues.into_iter().for_each(|queue| t.finish(queue));
    let last = rounds.to_ne_bytes();
    assert!(s.read(mem, 0, 4 * size).chunks(4).all(|word| word == last));
}

/// A wait may be enqueued before its signal; later commands of its queue wait, too.
#[test]
fn waits_may_come_first() {
    let t = Semaphores::new();
    let s = &t.s;
    let other = s.second_queue();
    let semaphore = t.semaphore();
    let mem = s.buffer_of(CL_MEM_COPY_HOST_PTR, &mut [1u8; 64]);
    let wait = t.enqueue(t.wait, other, semaphore, None);
    let mut target = [0u8; 64];
    let mut read = null_mut();
    let place = target.as_mut_ptr().cast();
    let (enqueue, none) = (s.cl.clEnqueueReadBuffer, null());
    check(unsafe { enqueue(other, mem, CL_FALSE, 0, 64, place, 0, none, &mut read) });
    check(unsafe { (s.cl.clFlush)(other) });
    assert!(s.status(wait) > CL_COMPLETE && s.status(read) > CL_COMPLETE);
    s.write(mem, true, 0, &[2; 64]);
    t.enqueue(t.signal, s.queue, semaphore, None);
    s.finish();
    check(unsafe { (s.cl.clWaitForEvents)(1, &read) });
    assert_eq!((s.status(wait), target), (CL_COMPLETE, [2; 64]));
}

/// If a signal never comes, since a command that it waits for failed, the wait fails.
#[test]
fn failures_are_passed_on() {
    let t = Semaphores::new();
    let s = &t.s;
    let (other, semaphore, gate) = (s.second_queue(), t.semaphore(), s.user_event());
    let signal = t.enqueue(t.signal, s.queue, semaphore, Some(gate));
    let wait = t.enqueue(t.wait, other, semaphore, None);
    check(unsafe { (s.cl.clSetUserEventStatus)(gate, -7) });
    for event in [signal, wait] {
        assert!(unsafe { (s.cl.clWaitForEvents)(1, &event) } < 0);
        assert!(s.status(event) < 0);
    }
    assert_eq!(t.payload(semaphore), 0);
}

/// Several semaphores in one call, also in an out-of-order queue.
#[test]
fn lists_of_semaphores() {
    let t = Semaphores::new();
    let s = &t.s;
    let bits = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
    let queue = made(|e| unsafe { (s.cl.clCreateCommandQueue)(s.context, s.device, bits, e) });
    let all = [t.semaphore(), t.semaphore(), t.semaphore()];
    let payloads = [4u64, 5, 6];
    let (list, ignored) = (all.as_ptr(), payloads.as_ptr());
    let mut waited = null_mut();
    unsafe {
        check((t.signal)(queue, 3, list, ignored, 0, null(), null_mut()));
        check((t.wait)(queue, 3, list, null(), 0, null(), &mut waited));
        check((s.cl.clWaitForEvents)(1, &waited));
        for semaphore in all {
            assert_eq!(t.payload(semaphore), 0);
            check((t.release)(semaphore));
        }
    }
}

/// Commands keep what they need of semaphores that are released.
#[test]
fn semaphores_may_go_before_their_commands() {
    let t = Semaphores::new();
    let (semaphore, gate) = (t.semaphore(), t.s.user_event());
    t.enqueue(t.signal, t.s.queue, semaphore, Some(gate));
    let wait = t.enqueue(t.wait, t.s.second_queue(), semaphore, None);
    check(unsafe { (t.release)(semaphore) });
    check(unsafe { (t.s.cl.clSetUserEventStatus)(gate, CL_COMPLETE) });
    check(unsafe { (t.s.cl.clWaitForEvents)(1, &wait) });
}

#[test]
fn validation_has_nothing_to_say() {
    run_again("0");
}
