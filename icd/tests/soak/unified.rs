//! Unified shared memory.

use crate::common::*;
use crate::owned::{event, Event, Numbers};
use crate::world::{kernel, World};
use std::ffi::{c_void, CStr};
use std::ptr::{null, null_mut};

type Allocate =
    unsafe extern "C" fn(cl_context, cl_device_id, *const u64, usize, u32, *mut i32) -> *mut c_void;
type AllocateHost =
    unsafe extern "C" fn(cl_context, *const u64, usize, u32, *mut i32) -> *mut c_void;
type Free = unsafe extern "C" fn(cl_context, *mut c_void) -> cl_int;
type Memcpy = unsafe extern "C" fn(
    cl_command_queue,
    u32,
    *mut c_void,
    *const c_void,
    usize,
    u32,
    *const cl_event,
    *mut cl_event,
) -> cl_int;

fn extension<F: Copy>(cl: &OpenCl, name: &CStr) -> F {
    let mut platform = null_mut();
    check(unsafe { (cl.clGetPlatformIDs)(1, &mut platform, null_mut()) });
    let find = cl.clGetExtensionFunctionAddressForPlatform;
    let address = unsafe { find(platform, name.as_ptr()) };
    assert!(!address.is_null());
    unsafe { std::mem::transmute_copy(&address) }
}

/// Runs a chain of copies and a kernel through memory of every kind, which is freed when the chain ends, or before.
pub fn allocations(world: &World, numbers: &mut Numbers) {
    let (cl, context, device) = (world.cl, world.context.get(), world.any_device(numbers));
    let host: AllocateHost = extension(cl, c"clHostMemAllocINTEL");
    let of_device: Allocate = extension(cl, c"clDeviceMemAllocINTEL");
    let shared: Allocate = extension(cl, c"clSharedMemAllocINTEL");
    let copy: Memcpy = extension(cl, c"clEnqueueMemcpyINTEL");
    let free: Free = extension(cl, c"clMemFreeINTEL");
    let blocking_free: Free = extension(cl, c"clMemBlockingFreeINTEL");
    let size = 64 * (1 + numbers.below(2000));
    let mut code = 0;
    let (none, error) = (null(), &raw mut code);
    let memory = unsafe {
        [
            of_device(context, device, none, size, 0, error),
            shared(context, device, none, size, 0, error),
            host(context, none, size, 0, error),
        ]
    };
    if memory.contains(&null_mut()) {
        memory.iter().for_each(|pointer| check(unsafe { free(context, *pointer) }));
        return;
    }
    let queue = world.any_queue_on(device, numbers);
    let q = queue.get();
    let (source, mut back) = (numbers.bytes(size), vec![0u8; size]);
    let mut last = world.gate();
    let step = |to: *mut c_void, from: *const c_void, behind: &Event| {
        event(&[behind], |n, l, e| unsafe { copy(q, CL_FALSE, to, from, size, n, l, e) })
    };
    last = step(memory[0], source.as_ptr().cast(), &last);
    let kernel = kernel(&world.program, c"add");
    last = unsafe {
        check((cl.clSetKernelArgSVMPointer)(kernel.get(), 0, memory[0]));
        let (value, on) = (7u32, CL_TRUE);
        check((cl.clSetKernelArg)(kernel.get(), 1, 4, (&raw const value).cast()));
        // Every allocation of shared memory counts as used.
        let name = CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL;
        if numbers.once_in(2) {
            check((cl.clSetKernelExecInfo)(kernel.get(), name, 4, (&raw const on).cast()));
        }
        let items = 5usize;
        event(&[&last], |n, l, e| {
            let none = null();
            (cl.clEnqueueNDRangeKernel)(q, kernel.get(), 1, none, &items, none, n, l, e)
        })
    };
    last = step(memory[1], memory[0], &last);
    last = step(memory[2], memory[1], &last);
    last = step(back.as_mut_ptr().cast(), memory[2], &last);
    if numbers.once_in(2) {
        assert_eq!(last.wait(), CL_SUCCESS);
    }
    let first = if numbers.once_in(2) { free } else { blocking_free };
    check(unsafe { first(context, memory[2]) });
    check(unsafe { blocking_free(context, memory[0]) });
    check(unsafe { free(context, memory[1]) });
    assert_eq!(last.wait(), CL_SUCCESS);
    let word = |bytes: &[u8]| u32::from_ne_bytes(bytes[..4].try_into().unwrap());
    assert_eq!(word(&back), word(&source).wrapping_add(35));
    assert!(back[4..] == source[4..]);
}
