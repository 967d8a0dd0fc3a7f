//! cl_ext_buffer_device_address through the loader: addresses that the application learns, passes to
//! kernels and writes into memory.
// Nearly every call of the API is unsafe, for the reason that the C specification gives.
#![allow(clippy::undocumented_unsafe_blocks)]

mod common;
use common::*;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicU32, Ordering};

const ASKED: [u64; 3] = [CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT as u64, CL_TRUE as u64, 0];
const SOURCE: &str = "
    kernel void where(global int *p, global ulong *out) { *out = (ulong)p; p[3] += 1; }
    kernel void second(global int *p, global int *out) { *out = *(p - 2); }
    kernel void follow(global ulong *place, global int *out) { *out = **(global int *global *)place; }
    kernel void store(global ulong *place, int value) { **(global int *global *)place = value; }
    kernel void kinds(global int *g, local int *l, constant int *c, int v) { *g = *c + v; *l = 0; }";

type SetPointer = unsafe extern "C" fn(cl_kernel, cl_uint, cl_mem_device_address_ext) -> cl_int;

fn set_pointer(s: &Setup) -> SetPointer {
    s.extension(c"clSetKernelArgDevicePointerEXT")
}

fn addressed(s: &Setup, flags: u64, host: &mut [u8], size: usize) -> cl_mem {
    let pointer = if host.is_empty() { null_mut() } else { host.as_mut_ptr().cast() };
    let create = s.cl.clCreateBufferWithProperties;
    made(|e| unsafe { create(s.context, ASKED.as_ptr(), flags, size, pointer, e) })
}

fn address(s: &Setup, mem: cl_mem) -> u64 {
    let name = CL_MEM_DEVICE_ADDRESS_EXT;
    value(|z, p, r| unsafe { (s.cl.clGetMemObjectInfo)(mem, name, z, p, r) })
}

fn int_at(s: &Setup, mem: cl_mem) -> i32 {
    i32::from_ne_bytes(s.read(mem, 0, 4).try_into().unwrap())
}

#[test]
fn the_extension_is_offered_in_its_version() {
    let s = Setup::new();
    assert!(s.offers("cl_ext_buffer_device_address"));
    let name = CL_DEVICE_EXTENSIONS_WITH_VERSION;
    let all = bytes(|z, p, r| unsafe { (s.cl.clGetDeviceInfo)(s.device, name, z, p, r) });
    let entry = all.chunks(68).find(|e| e[4..].starts_with(b"cl_ext_buffer_device_address\0"));
    assert_eq!(entry.unwrap()[..4], make_version(1, 0, 2).to_ne_bytes());
}

#[test]
fn kernels_see_the_address_that_the_query_gives() {
    let s = Setup::new();
    let program = s.program(SOURCE, "");
    let kernel = s.kernel(program, "where");
    let out = s.buffer(0, 8);
    let mut contents = pattern(4096, 1);
    for mem in [
        addressed(&s, 0, &mut [], 4096),
        addressed(&s, CL_MEM_COPY_HOST_PTR, &mut contents, 4096),
        addressed(&s, CL_MEM_USE_HOST_PTR, &mut contents, 4096),
    ] {
        s.set(kernel, 0, &mem);
        s.set(kernel, 1, &out);
        check(s.launch(kernel, &[1], None));
        let seen = u64::from_ne_bytes(s.read(out, 0, 8).try_into().unwrap());
        assert_ne!(seen, 0);
        assert_eq!(address(&s, mem), seen);
        let name = CL_MEM_PROPERTIES;
        let list = bytes(|z, p, r| unsafe { (s.cl.clGetMemObjectInfo)(mem, name, z, p, r) });
        assert_eq!(list, ASKED.map(u64::to_ne_bytes).concat());
        check(unsafe { (s.cl.clReleaseMemObject)(mem) });
    }
}

#[test]
fn a_buffer_in_shared_memory_has_the_shared_address() {
    let s = Setup::new();
    let pointer = unsafe { (s.cl.clSVMAlloc)(s.context, CL_MEM_READ_WRITE, 4096, 0) };
    if pointer.is_null() {
        skip("the device has no shared virtual memory");
        return;
    }
    let (create, list) = (s.cl.clCreateBufferWithProperties, ASKED.as_ptr());
    let flags = CL_MEM_USE_HOST_PTR;
    let mem = made(|e| unsafe { create(s.context, list, flags, 4096, pointer, e) });
    assert_eq!(address(&s, mem), pointer as u64);
    check(unsafe { (s.cl.clReleaseMemObject)(mem) });
}

#[test]
fn pointers_into_the_middle_are_arguments() {
    let s = Setup::new();
    let program = s.program(SOURCE, "");
    let (kernel, out) = (s.kernel(program, "second"), s.buffer(0, 4));
    let mem = addressed(&s, 0, &mut [], 64);
    s.write(mem, true, 8, &1234i32.to_ne_bytes());
    check(unsafe { set_pointer(&s)(kernel, 0, address(&s, mem) + 16) });
    s.set(kernel, 1, &out);
    check(s.launch(kernel, &[1], None));
    assert_eq!(int_at(&s, out), 1234);
    // A pointer that the kernel does not follow may have any value.
    check(unsafe { set_pointer(&s)(kernel, 0, 0) });
    check(unsafe { set_pointer(&s)(kernel, 0, 0x1234_5677) });
}

#[test]
fn pointers_in_memory_are_followed() {
    let s = Setup::new();
    let program = s.program(SOURCE, "");
    let (follow, out) = (s.kernel(program, "follow"), s.buffer(0, 4));
    let mem = addressed(&s, 0, &mut [], 64);
    s.write(mem, true, 12, &77i32.to_ne_bytes());
    let target = address(&s, mem) + 12;
    let place = s.buffer_of(CL_MEM_COPY_HOST_PTR, &mut target.to_ne_bytes());
    let list = CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT;
    check(unsafe { (s.cl.clSetKernelExecInfo)(follow, list, 8, (&raw const target).cast()) });
    s.set(follow, 0, &place);
    s.set(follow, 1, &out);
    check(s.launch(follow, &[1], None));
    assert_eq!(int_at(&s, out), 77);
    // An empty list removes the old list.
    check(unsafe { (s.cl.clSetKernelExecInfo)(follow, list, 0, null()) });
    let code = unsafe { (s.cl.clSetKernelExecInfo)(follow, list, 7, (&raw const target).cast()) };
    assert_eq!(code, CL_INVALID_VALUE);
    assert_eq!(unsafe { (s.cl.clSetKernelExecInfo)(follow, list, 8, null()) }, CL_INVALID_VALUE);
}

static DESTROYED: AtomicU32 = AtomicU32::new(0);

unsafe extern "C" fn destroyed(_: cl_mem, _: *mut std::ffi::c_void) {
    DESTROYED.fetch_add(1, Ordering::SeqCst);
}

/// A buffer lives as long as commands that know its address, by argument or by list.
#[test]
fn launches_keep_the_buffers_they_point_to() {
    let s = Setup::new();
    let program = s.program(SOURCE, "");
    let (second, store) = (s.kernel(program, "second"), s.kernel(program, "store"));
    let (one, two) = (addressed(&s, 0, &mut [], 64), addressed(&s, 0, &mut [], 64));
    let out = s.buffer(0, 4);
    s.write(one, true, 0, &5i32.to_ne_bytes());
    let target = address(&s, two);
    let place = s.buffer_of(CL_MEM_COPY_HOST_PTR, &mut target.to_ne_bytes());
    for mem in [one, two] {
        let notify = s.cl.clSetMemObjectDestructorCallback;
        check(unsafe { notify(mem, Some(destroyed), null_mut()) });
    }
    check(unsafe { set_pointer(&s)(second, 0, address(&s, one) + 8) });
    s.set(second, 1, &out);
    let list = CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT;
    check(unsafe { (s.cl.clSetKernelExecInfo)(store, list, 8, (&raw const target).cast()) });
    s.set(store, 0, &place);
    s.set(store, 1, &9i32);
    let gate = s.user_event();
    let wait = s.cl.clEnqueueBarrierWithWaitList;
    check(unsafe { wait(s.queue, 1, &gate, null_mut()) });
    check(s.launch(second, &[1], None));
    check(s.launch(store, &[1], None));
    for mem in [one, two] {
        check(unsafe { (s.cl.clReleaseMemObject)(mem) });
    }
    assert_eq!(DESTROYED.load(Ordering::SeqCst), 0);
    check(unsafe { (s.cl.clSetUserEventStatus)(gate, CL_COMPLETE) });
    s.finish();
    assert_eq!(int_at(&s, out), 5);
    assert_eq!(DESTROYED.load(Ordering::SeqCst), 2);
}

#[test]
fn errors_are_told() {
    let s = Setup::new();
    let program = s.program(SOURCE, "");
    let kernel = s.kernel(program, "kinds");
    let set = set_pointer(&s);
    unsafe {
        check(set(kernel, 0, 64));
        for index in [1, 2, 3, 4, u32::MAX] {
            assert_eq!(set(kernel, index, 64), CL_INVALID_ARG_INDEX, "argument {index}");
        }
        assert_eq!(set(null_mut(), 0, 64), CL_INVALID_KERNEL);

        let info = |mem| {
            let name = CL_MEM_DEVICE_ADDRESS_EXT;
            (s.cl.clGetMemObjectInfo)(mem, name, 0, null_mut(), null_mut())
        };
        assert_eq!(info(s.buffer(0, 64)), CL_INVALID_OPERATION);
        let asked = u64::from(CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT);
        let create = |list: &[u64]| {
            let mut code = 1;
            let create = s.cl.clCreateBufferWithProperties;
            (create(s.context, list.as_ptr(), 0, 64, null_mut(), &mut code), code)
        };
        let (mem, code) = create(&[asked, 0, 0]);
        assert_eq!((code, info(mem)), (CL_SUCCESS, CL_INVALID_OPERATION));
        for bad in [&[asked, 2, 0][..], &[asked, 1, asked, 1, 0], &[0x5001, 1, 0]] {
            assert_eq!(create(bad), (null_mut(), CL_INVALID_PROPERTY), "{bad:x?}");
        }
    }
}

#[test]
fn validation_has_nothing_to_say() {
    run_again("0");
}

#[test]
fn staged_memory_does_the_same() {
    run_again("1");
}
