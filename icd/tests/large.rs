//! Buffers and mappings that exceed one allocation of the device, with small allocations (`HEKLA_MAX_ALLOCATION`), and
//! indices that exceed 32 bits.
// Nearly every call of the API is unsafe, for the reason that the C specification gives.
#![allow(clippy::undocumented_unsafe_blocks)]

mod common;
use common::*;
use std::ptr::{null, null_mut};

/// The size beyond which allocations fail.
const PIECE: usize = 8 << 20;
const SIZE: usize = 2 * PIECE + 12_344;

/// Returns a device whose memory is across a bus (mappings are copies), in small allocations.
fn setup() -> Setup {
    // Every test of this process sets the same values.
    std::env::set_var("HEKLA_STAGING", "1");
    std::env::set_var("HEKLA_MAX_ALLOCATION", PIECE.to_string());
    Setup::new()
}

fn map(s: &Setup, mem: cl_mem, blocking: bool, flags: u64, offset: usize, size: usize) -> *mut u8 {
    let (map, blocking) = (s.cl.clEnqueueMapBuffer, u32::from(blocking));
    let none = null();
    made(|e| unsafe { map(s.queue, mem, blocking, flags, offset, size, 0, none, null_mut(), e) })
        .cast()
}

fn unmap(s: &Setup, mem: cl_mem, pointer: *mut u8) {
    let unmap = s.cl.clEnqueueUnmapMemObject;
    check(unsafe { unmap(s.queue, mem, pointer.cast(), 0, null(), null_mut()) });
}

#[test]
fn large_mappings_carry_bytes_both_ways() {
    let s = setup();
    let mut contents = pattern(SIZE, 1);
    let mem = s.buffer_of(CL_MEM_COPY_HOST_PTR, &mut contents);
    let (offset, size) = (100, SIZE - 200);
    let pointer = map(&s, mem, true, CL_MAP_READ | CL_MAP_WRITE, offset, size);
    let seen = unsafe { std::slice::from_raw_parts_mut(pointer, size) };
    assert!(seen == &contents[offset..offset + size]);
    let changed = pattern(size, 2);
    seen.copy_from_slice(&changed);
    unmap(&s, mem, pointer);
    contents[offset..offset + size].copy_from_slice(&changed);
    assert!(s.read(mem, 0, SIZE) == contents);

    // A region that is written without being read.
    let pointer = map(&s, mem, false, CL_MAP_WRITE_INVALIDATE_REGION, 0, SIZE);
    s.finish();
    unsafe { pointer.write_bytes(0x5A, SIZE) };
    unmap(&s, mem, pointer);
    assert!(s.read(mem, 0, SIZE).iter().all(|byte| *byte == 0x5A));
    check(unsafe { (s.cl.clReleaseMemObject)(mem) });
}

/// A mapping that is unmapped before its bytes have arrived keeps its memory until they have.
#[test]
fn a_mapping_lives_until_its_bytes_have_arrived() {
    let s = setup();
    let mem = s.buffer_of(CL_MEM_COPY_HOST_PTR, &mut pattern(SIZE, 3));
    for _ in 0..10 {
        let pointer = map(&s, mem, false, CL_MAP_READ, 0, SIZE);
        unmap(&s, mem, pointer);
    }
    s.finish();
    assert!(s.read(mem, 0, SIZE) == pattern(SIZE, 3));
    check(unsafe { (s.cl.clReleaseMemObject)(mem) });
}

#[test]
fn large_buffers_are_filled_copied_and_computed_on() {
    let s = setup();
    let program = s.program("kernel void k(global uint *p) { p[get_global_id(0)] += 3; }", "");
    let kernel = s.kernel(program, "k");
    let (a, b) = (s.buffer(0, SIZE), s.buffer(0, SIZE));
    let word = 0x0102_0304u32;
    let (fill, copy) = (s.cl.clEnqueueFillBuffer, s.cl.clEnqueueCopyBuffer);
    let none = null();
    unsafe {
        let bytes = (&raw const word).cast();
        check(fill(s.queue, a, bytes, 4, 0, SIZE, 0, none, null_mut()));
        s.set(kernel, 0, &a);
        check(s.launch(kernel, &[SIZE / 4], None));
        check(copy(s.queue, a, b, 0, 0, SIZE, 0, none, null_mut()));
    }
    let expected = (word + 3).to_ne_bytes();
    assert!(s.read(b, 0, SIZE).chunks(4).all(|bytes| bytes == expected));
}

/// A size that no device offers is refused; a size that the device offers, but has no memory for, fails.
#[test]
fn sizes_beyond_the_device_are_errors() {
    let s = setup();
    let most: u64 = value(|z, p, r| unsafe {
        (s.cl.clGetDeviceInfo)(s.device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, z, p, r)
    });
    let create = |size| {
        let (mut code, create) = (1, s.cl.clCreateBuffer);
        let mem = unsafe { create(s.context, 0, size, null_mut(), &mut code) };
        (mem, code)
    };
    assert_eq!(create(most as usize + 1), (null_mut(), CL_INVALID_BUFFER_SIZE));
    assert_eq!(create(usize::MAX), (null_mut(), CL_INVALID_BUFFER_SIZE));
}

/// Kernels index with 64 bits: from a pointer far below a small buffer, large indices lead into the buffer, as they
/// would into a buffer of many gigabytes.
#[test]
fn indices_are_of_64_bits() {
    let s = setup();
    let source = "
        kernel void by_long(global int *p, long i) { p[i] = 1; }
        kernel void by_ulong(global char *p, ulong i) { p[i + 3] = 2; }
        kernel void by_uint(global uint *p, uint i) { p[i] = p[i - 1] + 3; }
        kernel void by_id(global int *p) { p[get_global_id(0)] = get_global_id(0) >> 10; }
        kernel void by_vector(global int4 *p, long i) { p[i].y = 5; }
        kernel void by_three(global int *p, long i) { vstore3((int3)(6), i, p); }
        kernel void by_sum(global int *p, int a, int b) { p[(long)a * b] = 7; }
        kernel void in_loop(global ushort *p, ulong i, ulong n) { for (; i < n; i++) p[i] += 8; }
        kernel void by_bytes(global uchar *p, long i) { *(global int *)(p + i) = 9; }";
    let program = s.program(source, "");
    let set: unsafe extern "C" fn(cl_kernel, cl_uint, u64) -> cl_int =
        s.extension(c"clSetKernelArgDevicePointerEXT");
    let list = [u64::from(CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT), 1, 0];
    let create = s.cl.clCreateBufferWithProperties;
    let (context, none) = (s.context, null_mut());
    let mem = made(|e| unsafe { create(context, list.as_ptr(), 0, 64, none, e) });
    let name = CL_MEM_DEVICE_ADDRESS_EXT;
    let base: u64 = value(|z, p, r| unsafe { (s.cl.clGetMemObjectInfo)(mem, name, z, p, r) });
    // Launches a kernel with a pointer `distance` bytes below the buffer.
    let run = |name: &str, distance: u64, args: &dyn Fn(cl_kernel), offset: usize| {
        s.write(mem, true, 0, &[0; 64]);
        let kernel = s.kernel(program, name);
        check(unsafe { set(kernel, 0, base.wrapping_sub(distance)) });
        args(kernel);
        let launch = s.cl.clEnqueueNDRangeKernel;
        let none = null_mut();
        check(unsafe { launch(s.queue, kernel, 1, &offset, &1, null(), 0, null(), none) });
        let bytes = s.read(mem, 0, 64);
        bytes.chunks(4).map(|b| i32::from_ne_bytes(b.try_into().unwrap())).collect::<Vec<_>>()
    };
    let big = (1u64 << 33) + 5;
    let nothing = |_: cl_kernel| {};
    assert_eq!(run("by_long", 4 * big, &|k| s.set(k, 1, &(big + 2)), 0)[2], 1);
    assert_eq!(
        run("by_long", 0u64.wrapping_sub(4 * big), &|k| s.set(k, 1, &-(big as i64)), 0)[0],
        1
    );
    assert_eq!(run("by_ulong", big, &|k| s.set(k, 1, &(big + 1)), 0)[1], 2);
    let most = u64::from(u32::MAX);
    assert_eq!(run("by_uint", 4 * (most - 3), &|k| s.set(k, 1, &u32::MAX), 0)[3], 3);
    assert_eq!(run("by_id", 4 * big, &nothing, big as usize + 1)[1], 1 << 23);
    let vectors = run("by_three", 12 * big, &|k| s.set(k, 1, &big), 0);
    assert_eq!(vectors[..3], [6; 3]);
    assert_eq!(run("by_vector", 16 * big, &|k| s.set(k, 1, &(big + 1)), 0)[5], 5);
    let (a, b) = (100_000i32, 90_000i32);
    let sums = |k| {
        s.set(k, 1, &a);
        s.set(k, 2, &b);
    };
    assert_eq!(run("by_sum", 4 * 9_000_000_000, &sums, 0)[0], 7);
    let loops = |k| {
        s.set(k, 1, &big);
        s.set(k, 2, &(big + 4));
    };
    assert_eq!(run("in_loop", 2 * big, &loops, 0)[..3], [0x80008, 0x80008, 0]);
    assert_eq!(run("by_bytes", big, &|k| s.set(k, 1, &(big + 8)), 0)[2], 9);
}

/// Nearly all work-items of this launch return at once; no processor gets through so many in useful time.
#[test]
fn a_launch_has_2_to_the_40_work_items() {
    let s = setup();
    let kind = s.device_type();
    if kind == CL_DEVICE_TYPE_CPU {
        skip("the device is a processor");
        return;
    }
    let source = "
        kernel void far(global ulong *out) {
            ulong i = get_global_id(0);
            if ((i & 0x7fffffffffUL) == 0x7ffffffff7UL) {
                out[2 * (i >> 39)] = i;
                out[2 * (i >> 39) + 1] = get_group_id(0) * get_local_size(0) + get_local_id(0);
            }
        }";
    let kernel = s.kernel(s.program(source, ""), "far");
    let out = s.buffer_of(CL_MEM_COPY_HOST_PTR, &mut [0; 32]);
    s.set(kernel, 0, &out);
    check(s.launch(kernel, &[1 << 40], Some(&[1024])));
    let found = s.read(out, 0, 32);
    let found: Vec<_> =
        found.chunks(8).map(|b| u64::from_ne_bytes(b.try_into().unwrap())).collect();
    let (first, second) = ((1 << 39) - 9, (1 << 40) - 9);
    assert_eq!(found, [first, first, second, second]);
}
