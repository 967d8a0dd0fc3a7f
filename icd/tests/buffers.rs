//! Buffers through the loader: every kind of creation, transfer, fill and map.
// Nearly every call of the API is unsafe, for the reason that the C specification gives.
#![allow(clippy::undocumented_unsafe_blocks)]

mod common;
use common::*;
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicUsize, Ordering};

#[test]
fn all_host_pointer_flags_carry_bytes() {
    let s = Setup::new();
    let contents = pattern(10_000, 1);
    let flags =
        [CL_MEM_COPY_HOST_PTR, CL_MEM_USE_HOST_PTR, CL_MEM_COPY_HOST_PTR | CL_MEM_ALLOC_HOST_PTR];
    for flags in flags {
        let mut host = contents.clone();
        let mem = s.buffer_of(flags, &mut host);
        assert_eq!(s.read(mem, 0, 10_000), contents);
        assert_eq!(s.read(mem, 123, 77), contents[123..200]);
        check(unsafe { (s.cl.clReleaseMemObject)(mem) });
    }
    for flags in [0, CL_MEM_ALLOC_HOST_PTR, CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY] {
        let mem = s.buffer(flags, 10_000);
        s.write(mem, true, 0, &contents);
        assert_eq!(s.read(mem, 0, 10_000), contents);
        check(unsafe { (s.cl.clReleaseMemObject)(mem) });
    }
}

#[test]
fn large_transfers_go_in_parts() {
    let s = Setup::new();
    let size = (40 << 20) + 12_345;
    let contents = pattern(size, 2);
    let mem = s.buffer(0, size);
    s.write(mem, false, 0, &contents);
    let mut back = vec![0u8; size];
    let target: *mut c_void = back.as_mut_ptr().cast();
    unsafe {
        let code = (s.cl.clEnqueueReadBuffer)(
            s.queue,
            mem,
            CL_FALSE,
            0,
            size,
            target,
            0,
            null(),
            null_mut(),
        );
        check(code);
    }
    s.finish();
    assert!(back == contents);
    check(unsafe { (s.cl.clReleaseMemObject)(mem) });
}

#[test]
fn a_write_sees_what_a_read_before_it_brings() {
    let s = Setup::new();
    let contents = pattern(100_000, 3);
    let (a, b) = (s.buffer(0, 100_000), s.buffer(0, 100_000));
    s.write(a, true, 0, &contents);
    let mut between = vec![0u8; 100_000];
    let pointer: *mut c_void = between.as_mut_ptr().cast();
    unsafe {
        let n = 100_000;
        let code =
            (s.cl.clEnqueueReadBuffer)(s.queue, a, CL_FALSE, 0, n, pointer, 0, null(), null_mut());
        check(code);
        let code =
            (s.cl.clEnqueueWriteBuffer)(s.queue, b, CL_FALSE, 0, n, pointer, 0, null(), null_mut());
        check(code);
    }
    assert_eq!(s.read(b, 0, 100_000), contents);
}

#[test]
fn fills_of_every_pattern_size() {
    let s = Setup::new();
    let mem = s.buffer(0, 4096);
    for size in [1usize, 2, 4, 8, 16, 32, 64, 128] {
        s.write(mem, true, 0, &[0xEE; 4096]);
        let pattern = pattern(size, size);
        let (offset, length) = (3 * size, 5 * size);
        check(unsafe {
            (s.cl.clEnqueueFillBuffer)(
                s.queue,
                mem,
                pattern.as_ptr().cast(),
                size,
                offset,
                length,
                0,
                null(),
                null_mut(),
            )
        });
        let mut expected = vec![0xEE; 4096];
        expected[offset..offset + length].copy_from_slice(&pattern.repeat(5));
        assert_eq!(s.read(mem, 0, 4096), expected, "pattern of {size}");
    }
    // More than one staged chunk.
    let large = s.buffer(0, 1 << 20);
    let pattern: Vec<u8> = pattern(8, 9);
    check(unsafe {
        (s.cl.clEnqueueFillBuffer)(
            s.queue,
            large,
            pattern.as_ptr().cast(),
            8,
            8,
            (1 << 20) - 16,
            0,
            null(),
            null_mut(),
        )
    });
    assert!(s.read(large, 8, (1 << 20) - 16) == pattern.repeat((1 << 17) - 2));
}

#[test]
fn copies_and_their_errors() {
    let s = Setup::new();
    let contents = pattern(1000, 4);
    let (a, b) = (s.buffer(0, 1000), s.buffer(0, 1000));
    s.write(a, true, 0, &contents);
    let copy = |from, to, so, to_, n| unsafe {
        (s.cl.clEnqueueCopyBuffer)(s.queue, from, to, so, to_, n, 0, null(), null_mut())
    };
    check(copy(a, b, 0, 0, 1000));
    check(copy(b, b, 0, 501, 499));
    let back = s.read(b, 0, 1000);
    assert_eq!(back[..501], contents[..501]);
    assert_eq!(back[501..], contents[..499]);
    assert_eq!(copy(a, a, 0, 10, 20), CL_MEM_COPY_OVERLAP);
    assert_eq!(copy(a, b, 990, 0, 20), CL_INVALID_VALUE);
    assert_eq!(copy(a, null_mut(), 0, 0, 20), CL_INVALID_MEM_OBJECT);
}

#[test]
fn boxes_move_between_host_and_device() {
    let s = Setup::new();
    // A 16 x 8 x 4 block of bytes.
    let contents = pattern(512, 5);
    let mem = s.buffer(0, 512);
    s.write(mem, true, 0, &contents);
    let (origin, host_origin, region) = ([3usize, 2, 1], [1usize, 1, 0], [5usize, 4, 2]);
    let mut host = vec![0u8; 8 * 6 * 3];
    unsafe {
        check((s.cl.clEnqueueReadBufferRect)(
            s.queue,
            mem,
            CL_TRUE,
            origin.as_ptr(),
            host_origin.as_ptr(),
            region.as_ptr(),
            16,
            128,
            8,
            48,
            host.as_mut_ptr().cast(),
            0,
            null(),
            null_mut(),
        ));
    }
    for z in 0..2 {
        for y in 0..4 {
            for x in 0..5 {
                let expected = contents[(z + 1) * 128 + (y + 2) * 16 + x + 3];
                assert_eq!(host[z * 48 + (y + 1) * 8 + x + 1], expected);
            }
        }
    }
    // Writes the same box to another place, then copies it from buffer to buffer.
    let other = s.buffer(0, 512);
    s.write(other, true, 0, &[0; 512]);
    let zero = [0usize; 3];
    unsafe {
        check((s.cl.clEnqueueWriteBufferRect)(
            s.queue,
            other,
            CL_FALSE,
            zero.as_ptr(),
            host_origin.as_ptr(),
            region.as_ptr(),
            16,
            128,
            8,
            48,
            host.as_ptr().cast(),
            0,
            null(),
            null_mut(),
        ));
        check((s.cl.clEnqueueCopyBufferRect)(
            s.queue,
            other,
            mem,
            zero.as_ptr(),
            origin.as_ptr(),
            region.as_ptr(),
            16,
            128,
            16,
            128,
            0,
            null(),
            null_mut(),
        ));
        let code = (s.cl.clEnqueueCopyBufferRect)(
            s.queue,
            mem,
            mem,
            zero.as_ptr(),
            origin.as_ptr(),
            region.as_ptr(),
            16,
            128,
            16,
            128,
            0,
            null(),
            null_mut(),
        );
        assert_eq!(code, CL_MEM_COPY_OVERLAP);
        let code = (s.cl.clEnqueueReadBufferRect)(
            s.queue,
            mem,
            CL_TRUE,
            origin.as_ptr(),
            host_origin.as_ptr(),
            region.as_ptr(),
            4,
            128,
            8,
            48,
            host.as_mut_ptr().cast(),
            0,
            null(),
            null_mut(),
        );
        assert_eq!(code, CL_INVALID_VALUE);
    }
    assert_eq!(s.read(mem, 0, 512), contents);
    assert_eq!(s.read(other, 0, 1)[0], contents[128 + 32 + 3]);
}

fn map(s: &Setup, mem: cl_mem, flags: u64, offset: usize, size: usize) -> *mut u8 {
    made(|e| unsafe {
        (s.cl.clEnqueueMapBuffer)(
            s.queue,
            mem,
            CL_TRUE,
            flags,
            offset,
            size,
            0,
            null(),
            null_mut(),
            e,
        )
    })
    .cast()
}

fn unmap(s: &Setup, mem: cl_mem, pointer: *mut u8) -> cl_int {
    unsafe { (s.cl.clEnqueueUnmapMemObject)(s.queue, mem, pointer.cast(), 0, null(), null_mut()) }
}

#[test]
fn maps_show_and_change_the_bytes() {
    let s = Setup::new();
    let contents = pattern(5000, 6);
    for flags in [CL_MEM_COPY_HOST_PTR, CL_MEM_USE_HOST_PTR] {
        let mut host = contents.clone();
        let base = host.as_ptr() as usize;
        let mem = s.buffer_of(flags, &mut host);
        let count = || -> u32 {
            value(|z, p, r| unsafe { (s.cl.clGetMemObjectInfo)(mem, CL_MEM_MAP_COUNT, z, p, r) })
        };
        let pointer = map(&s, mem, CL_MAP_READ | CL_MAP_WRITE, 100, 1000);
        if flags == CL_MEM_USE_HOST_PTR {
            assert_eq!(pointer as usize, base + 100);
        }
        assert_eq!(count(), 1);
        let seen = unsafe { std::slice::from_raw_parts_mut(pointer, 1000) };
        assert_eq!(seen, &contents[100..1100]);
        seen.fill(9);
        check(unmap(&s, mem, pointer));
        assert_eq!(count(), 0);
        assert_eq!(unmap(&s, mem, pointer), CL_INVALID_VALUE);
        let back = s.read(mem, 0, 5000);
        assert_eq!(back[..100], contents[..100]);
        assert!(back[100..1100].iter().all(|b| *b == 9));
        assert_eq!(back[1100..], contents[1100..]);

        let pointer = map(&s, mem, CL_MAP_WRITE_INVALIDATE_REGION, 0, 5000);
        unsafe { std::slice::from_raw_parts_mut(pointer, 5000) }.copy_from_slice(&contents);
        check(unmap(&s, mem, pointer));
        assert_eq!(s.read(mem, 0, 5000), contents);
        check(unsafe { (s.cl.clReleaseMemObject)(mem) });
    }
}

#[test]
fn transfers_from_and_to_mapped_memory() {
    let s = Setup::new();
    let size = 3 << 20;
    let (pinned, target) = (s.buffer(CL_MEM_ALLOC_HOST_PTR, size), s.buffer(0, size));
    let pointer = map(&s, pinned, CL_MAP_READ | CL_MAP_WRITE, 0, size);
    let shown = unsafe { std::slice::from_raw_parts_mut(pointer, size) };
    shown.copy_from_slice(&pattern(size, 5));
    // The application may use its memory again when a blocking write returns.
    s.write(target, true, 100, &shown[200..size - 100]);
    shown.fill(0);
    assert_eq!(s.read(target, 100, size - 300), pattern(size, 5)[200..size - 100]);
    check(unsafe {
        let (to, bytes) = (pointer.add(7).cast(), size - 300);
        let none = null();
        (s.cl.clEnqueueReadBuffer)(s.queue, target, 0, 100, bytes, to, 0, none, null_mut())
    });
    s.finish();
    assert_eq!(shown[7..size - 293], pattern(size, 5)[200..size - 100]);
    assert!(shown[..7].iter().all(|byte| *byte == 0));
    check(unmap(&s, pinned, pointer));
    assert_eq!(s.read(pinned, 7, size - 300), pattern(size, 5)[200..size - 100]);
}

#[test]
fn sub_buffers_are_windows() {
    let s = Setup::new();
    let mut contents = pattern(1024, 7);
    let mem = s.buffer_of(CL_MEM_COPY_HOST_PTR, &mut contents);
    let sub = |origin, size| {
        let region = cl_buffer_region { origin, size };
        let mut code = 1;
        let pointer: *const cl_buffer_region = &region;
        let handle = unsafe {
            (s.cl.clCreateSubBuffer)(
                mem,
                0,
                CL_BUFFER_CREATE_TYPE_REGION,
                pointer.cast(),
                &mut code,
            )
        };
        (code, handle)
    };
    assert_eq!(sub(1, 10).0, CL_MISALIGNED_SUB_BUFFER_OFFSET);
    assert_eq!(sub(0, 0).0, CL_INVALID_BUFFER_SIZE);
    assert_eq!(sub(1024, 1).0, CL_INVALID_VALUE);
    let (code, window) = sub(256, 512);
    check(code);
    assert_eq!(s.read(window, 0, 512), contents[256..768]);
    s.write(window, true, 10, &[1, 2, 3]);
    assert_eq!(s.read(mem, 266, 3), [1, 2, 3]);
    check(unsafe { (s.cl.clReleaseMemObject)(mem) });
    let parent: cl_mem = value(|z, p, r| unsafe {
        (s.cl.clGetMemObjectInfo)(window, CL_MEM_ASSOCIATED_MEMOBJECT, z, p, r)
    });
    assert_eq!(parent, mem);
    assert_eq!(s.read(window, 10, 3), [1, 2, 3]);
    check(unsafe { (s.cl.clReleaseMemObject)(window) });
}

static DESTROYED: AtomicUsize = AtomicUsize::new(0);

unsafe extern "C" fn destroyed(_: cl_mem, order: *mut c_void) {
    // Called in reverse order of registration.
    let before = DESTROYED.fetch_add(1, Ordering::SeqCst);
    assert_eq!(before, 2 - order as usize);
}

#[test]
fn destructors_run_in_reverse() {
    let s = Setup::new();
    let mem = s.buffer(0, 64);
    unsafe {
        for order in 0..3usize {
            check((s.cl.clSetMemObjectDestructorCallback)(
                mem,
                Some(destroyed),
                order as *mut c_void,
            ));
        }
        check((s.cl.clRetainMemObject)(mem));
        check((s.cl.clReleaseMemObject)(mem));
        assert_eq!(DESTROYED.load(Ordering::SeqCst), 0);
        check((s.cl.clReleaseMemObject)(mem));
    }
    assert_eq!(DESTROYED.load(Ordering::SeqCst), 3);
}

#[test]
fn all_again_under_validation() {
    run_again("0");
}

#[test]
fn all_again_through_staging_memory() {
    run_again("1");
}
