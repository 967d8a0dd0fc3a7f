//! Unified shared memory in a context of two devices (cl_intel_unified_shared_memory): which device reaches which
//! memory, and copies from device to device. `HEKLA_STAGING=1` keeps the host from the devices' memory, as across a
//! bus.
// Nearly every call of the API is unsafe, for the reason that the C specification gives.
#![allow(clippy::undocumented_unsafe_blocks)]

mod common;
#[path = "common/drivers.rs"]
mod drivers;
#[path = "common/pair.rs"]
mod pair;
use common::*;
use std::ffi::{c_void, CStr};
use std::ptr::{null, null_mut};

type Pointer = *mut c_void;
type AllocateOn = unsafe extern "C" fn(
    cl_context,
    cl_device_id,
    *const u64,
    usize,
    cl_uint,
    *mut cl_int,
) -> Pointer;
type AllocateHost =
    unsafe extern "C" fn(cl_context, *const u64, usize, cl_uint, *mut cl_int) -> Pointer;
type Free = unsafe extern "C" fn(cl_context, Pointer) -> cl_int;
type Memcpy = unsafe extern "C" fn(
    cl_command_queue,
    cl_bool,
    Pointer,
    *const c_void,
    usize,
    cl_uint,
    *const cl_event,
    *mut cl_event,
) -> cl_int;
type Fill = unsafe extern "C" fn(
    cl_command_queue,
    Pointer,
    *const c_void,
    usize,
    usize,
    cl_uint,
    *const cl_event,
    *mut cl_event,
) -> cl_int;
type SetArg = unsafe extern "C" fn(cl_kernel, cl_uint, *const c_void) -> cl_int;

/// Two devices in a context, a queue on each, and the extension's functions.
struct Pair {
    cl: &'static OpenCl,
    context: cl_context,
    devices: [cl_device_id; 2],
    queues: [cl_command_queue; 2],
    of_host: AllocateHost,
    of_device: AllocateOn,
    shared: AllocateOn,
    free: [Free; 2],
    copy: Memcpy,
    fill: Fill,
    set_arg: SetArg,
}

/// Returns a function of the platform, of type `F`.
fn extension<F: Copy>(cl: &OpenCl, platform: cl_platform_id, name: &CStr) -> F {
    let address = unsafe { (cl.clGetExtensionFunctionAddressForPlatform)(platform, name.as_ptr()) };
    assert!(!address.is_null(), "{name:?}");
    assert_eq!(size_of::<F>(), size_of_val(&address));
    unsafe { std::mem::transmute_copy(&address) }
}

impl Pair {
    /// Returns the pair; `None` where there is no second device.
    fn new() -> Option<Pair> {
        let ((platform, devices), cl) = (pair::two_devices()?, cl());
        let list = devices.as_ptr();
        let context =
            made(|e| unsafe { (cl.clCreateContext)(null(), 2, list, None, null_mut(), e) });
        let queues = devices
            .map(|device| made(|e| unsafe { (cl.clCreateCommandQueue)(context, device, 0, e) }));
        Some(Pair {
            cl,
            context,
            devices,
            queues,
            of_host: extension(cl, platform, c"clHostMemAllocINTEL"),
            of_device: extension(cl, platform, c"clDeviceMemAllocINTEL"),
            shared: extension(cl, platform, c"clSharedMemAllocINTEL"),
            free: [c"clMemFreeINTEL", c"clMemBlockingFreeINTEL"]
                .map(|name| extension(cl, platform, name)),
            copy: extension(cl, platform, c"clEnqueueMemcpyINTEL"),
            fill: extension(cl, platform, c"clEnqueueMemFillINTEL"),
            set_arg: extension(cl, platform, c"clSetKernelArgMemPointerINTEL"),
        })
    }

    /// Returns true if both devices have a capability of some kind of memory.
    fn both_have(&self, name: cl_uint) -> bool {
        self.devices.iter().all(|device| {
            let get = self.cl.clGetDeviceInfo;
            value::<u64>(|z, p, r| unsafe { get(*device, name, z, p, r) }) != 0
        })
    }

    /// Returns memory of a device.
    fn on(&self, device: usize, size: usize) -> Pointer {
        let device = self.devices[device];
        made(|e| unsafe { (self.of_device)(self.context, device, null(), size, 0, e) })
    }

    fn copy(
        &self,
        queue: usize,
        (to, from): (Pointer, Pointer),
        size: usize,
        wait: Option<cl_event>,
    ) -> cl_event {
        let (mut event, wait) = (null_mut(), wait.as_slice());
        let list = if wait.is_empty() { null() } else { wait.as_ptr() };
        let (queue, count) = (self.queues[queue], wait.len() as u32);
        check(unsafe { (self.copy)(queue, CL_FALSE, to, from, size, count, list, &mut event) });
        event
    }

    /// Fills memory with a word.
    fn fill(&self, queue: usize, to: Pointer, word: u32, size: usize) -> cl_int {
        let pattern = (&raw const word).cast();
        unsafe { (self.fill)(self.queues[queue], to, pattern, 4, size, 0, null(), null_mut()) }
    }

    fn finish(&self) {
        for queue in self.queues {
            check(unsafe { (self.cl.clFinish)(queue) });
        }
    }

    fn free(&self, memory: &[Pointer]) {
        for (index, pointer) in memory.iter().enumerate() {
            check(unsafe { self.free[index % 2](self.context, *pointer) });
        }
    }

    /// Returns a kernel that adds 1 to each word of its argument.
    fn increment(&self) -> cl_kernel {
        let source = c"kernel void next(global uint *p) { p[get_global_id(0)]++; }".as_ptr();
        let (cl, n) = (self.cl, null());
        unsafe {
            let program = made(|e| (cl.clCreateProgramWithSource)(self.context, 1, &source, n, e));
            check((cl.clBuildProgram)(program, 0, null(), null(), None, null_mut()));
            made(|e| (cl.clCreateKernel)(program, c"next".as_ptr(), e))
        }
    }

    fn launch(&self, queue: usize, kernel: cl_kernel, argument: Pointer, count: usize) {
        let (queue, none) = (self.queues[queue], null());
        unsafe {
            check((self.set_arg)(kernel, 0, argument));
            let enqueue = self.cl.clEnqueueNDRangeKernel;
            check(enqueue(queue, kernel, 1, none, &count, none, 0, null(), null_mut()));
        }
    }
}

#[test]
fn copies_go_from_device_to_device() {
    let Some(pair) = Pair::new() else { return };
    let kernel = pair.increment();
    for count in [1usize, 1000, 1 << 20] {
        let size = 4 * count;
        let mut plain: Vec<u32> = (0..count as u32).collect();
        let mut back = vec![0u32; count];
        let (there, here) = (plain.as_mut_ptr().cast(), back.as_mut_ptr().cast());
        let memory = [pair.on(0, size), pair.on(1, size), pair.on(1, size), pair.on(0, size)];
        // Each queue in turn copies from, to, and between memory of the other device, behind a kernel of its own.
        for queue in [0, 1] {
            let [own, far, far_too, near] =
                if queue == 0 { memory } else { [memory[1], memory[0], memory[3], memory[2]] };
            pair.copy(queue, (own, there), size, None);
            pair.launch(queue, kernel, own, count);
            pair.copy(queue, (far, own), size, None);
            pair.copy(queue, (far_too, far), size, None);
            pair.copy(queue, (near, far_too), size, None);
            pair.launch(queue, kernel, near, count);
            pair.copy(queue, (far, near), size, None);
            let last = pair.copy(queue, (here, far), size, None);
            // Later commands of the queue run later: this fill does not change the copy.
            pair.fill(queue, own, 0, size);
            check(unsafe { (pair.cl.clWaitForEvents)(1, &last) });
            assert!(back.iter().zip(&plain).all(|(got, given)| *got == given + 2), "{count}");
            back.fill(0);
            // Copies from the host to the other device, and back at once.
            pair.copy(queue, (far, there), size, None);
            let last = pair.copy(queue, (here, far), size, None);
            check(unsafe { (pair.cl.clWaitForEvents)(1, &last) });
            assert!(back == plain, "{count}");
        }
        pair.finish();
        pair.free(&memory);
    }
}

#[test]
fn copies_between_devices_wait_for_events() {
    let Some(pair) = Pair::new() else { return };
    let memory = [pair.on(0, 4000), pair.on(1, 4000)];
    let (mut source, mut back) = ([7u32; 1000], [0u32; 1000]);
    let gate = made(|e| unsafe { (pair.cl.clCreateUserEvent)(pair.context, e) });
    let first = pair.copy(0, (memory[1], source.as_mut_ptr().cast()), 4000, Some(gate));
    let second = pair.copy(1, (memory[0], memory[1]), 4000, Some(first));
    let last = pair.copy(1, (back.as_mut_ptr().cast(), memory[0]), 4000, Some(second));
    for queue in pair.queues {
        check(unsafe { (pair.cl.clFlush)(queue) });
    }
    source.fill(8);
    assert_eq!(back, [0; 1000]);
    check(unsafe { (pair.cl.clSetUserEventStatus)(gate, CL_COMPLETE) });
    check(unsafe { (pair.cl.clWaitForEvents)(1, &last) });
    assert_eq!(back, [8; 1000]);
    // A failure is passed on in the same way.
    let gate = made(|e| unsafe { (pair.cl.clCreateUserEvent)(pair.context, e) });
    let first = pair.copy(0, (memory[1], source.as_mut_ptr().cast()), 4000, Some(gate));
    let last = pair.copy(1, (memory[0], memory[1]), 4000, Some(first));
    check(unsafe { (pair.cl.clSetUserEventStatus)(gate, -5) });
    let failed = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    assert_eq!(unsafe { (pair.cl.clWaitForEvents)(1, &last) }, failed);
    pair.finish();
    pair.free(&memory);
}

#[test]
fn a_device_fills_what_it_reaches() {
    let Some(pair) = Pair::new() else { return };
    let memory = [pair.on(0, 64), pair.on(1, 64)];
    for queue in [0, 1] {
        check(pair.fill(queue, memory[queue], 5, 64));
        assert_eq!(pair.fill(queue, memory[1 - queue], 5, 64), CL_INVALID_VALUE);
    }
    pair.finish();
    pair.free(&memory);
}

#[test]
fn both_devices_and_the_host_reach_memory_of_all() {
    let Some(pair) = Pair::new() else { return };
    if !pair.both_have(CL_DEVICE_CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL) {
        skip("the devices share no memory");
        return;
    }
    let kernel = pair.increment();
    let (context, count) = (pair.context, 5000);
    let size = 4 * count;
    let of = |device| made(|e| unsafe { (pair.shared)(context, device, null(), size, 0, e) });
    let memory = [
        made(|e| unsafe { (pair.of_host)(context, null(), size, 0, e) }),
        of(pair.devices[0]),
        of(pair.devices[1]),
        of(null_mut()),
    ];
    for pointer in memory {
        let words = pointer.cast::<u32>();
        let check_all = |value: u32| {
            let words = unsafe { std::slice::from_raw_parts(words, count) };
            assert!(words.iter().all(|word| *word == value), "{value}");
        };
        for word in 0..count {
            unsafe { words.add(word).write(1) };
        }
        for (queue, expected) in [(0, 2), (1, 3), (1, 4), (0, 5)] {
            pair.launch(queue, kernel, pointer, count);
            pair.finish();
            check_all(expected);
        }
        for (queue, word) in [(0, 70), (1, 80)] {
            check(pair.fill(queue, pointer, word, size));
            // A buffer gets the bytes of its device's turn.
            let mem =
                made(|e| unsafe { (pair.cl.clCreateBuffer)(context, 0, size, null_mut(), e) });
            let (q, none) = (pair.queues[queue], null_mut());
            let write = pair.cl.clEnqueueWriteBuffer;
            check(unsafe { write(q, mem, CL_FALSE, 0, size, pointer, 0, null(), none) });
            pair.launch(queue, kernel, pointer, count);
            let mut back = vec![0u32; count];
            let place = back.as_mut_ptr().cast();
            let read = pair.cl.clEnqueueReadBuffer;
            check(unsafe { read(q, mem, CL_TRUE, 0, size, place, 0, null(), none) });
            assert!(back.iter().all(|got| *got == word));
            pair.finish();
            check_all(word + 1);
            check(unsafe { (pair.cl.clReleaseMemObject)(mem) });
        }
    }
    pair.free(&memory);
}

/// Runs the tests as the device is, and with memory of the devices that the host does not see.
#[test]
fn under_validation() {
    run_again("0");
    run_again("1");
}
