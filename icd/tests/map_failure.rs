//! Maps for which the host has no memory left return CL_MAP_FAILURE, and later calls work.
// Nearly every call of the API is unsafe, for the reason that the C specification gives.
#![allow(clippy::undocumented_unsafe_blocks)]

mod common;
use common::*;
use std::ffi::c_void;
use std::ptr::{null, null_mut};

const MIB: usize = 1 << 20;
const SIZE: usize = 256 * MIB;

/// Bounds the address space to `more` bytes beyond its present size; `None` lifts the bound.
fn bound(more: Option<usize>) {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap();
    let pages: usize = text.split(' ').next().unwrap().parse().unwrap();
    let most = more.map_or(libc::RLIM_INFINITY, |more| (pages * 4096 + more) as u64);
    let limit = libc::rlimit { rlim_cur: most, rlim_max: libc::RLIM_INFINITY };
    assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_AS, &limit) }, 0);
}

fn map(s: &Setup, mem: cl_mem, size: usize) -> Result<*mut c_void, cl_int> {
    let (mut code, none) = (1, null());
    let map = s.cl.clEnqueueMapBuffer;
    let pointer =
        unsafe { map(s.queue, mem, CL_TRUE, CL_MAP_READ, 0, size, 0, none, null_mut(), &mut code) };
    assert_eq!(pointer.is_null(), code != CL_SUCCESS);
    if pointer.is_null() {
        Err(code)
    } else {
        Ok(pointer)
    }
}

fn unmap(s: &Setup, mem: cl_mem, pointer: *mut c_void) {
    let unmap = s.cl.clEnqueueUnmapMemObject;
    check(unsafe { unmap(s.queue, mem, pointer, 0, null(), null_mut()) });
    s.finish();
}

// There is one test, since the bound holds for the whole process.
#[test]
fn a_region_without_room_is_an_error_and_no_more() {
    // Mappings are copies with this setting.
    std::env::set_var("HEKLA_STAGING", "1");
    let s = Setup::new();
    if s.device_type() != CL_DEVICE_TYPE_CPU {
        skip("the device has memory of its own");
        return;
    }
    let mem = s.buffer(0, SIZE);
    s.write(mem, true, 0, &[5; 4096]);
    let mut own = vec![7u8; SIZE];
    let over_own = s.buffer_of(CL_MEM_USE_HOST_PTR, &mut own);
    let pinned = s.buffer(CL_MEM_ALLOC_HOST_PTR, SIZE);

    bound(Some(64 * MIB));
    assert_eq!(map(&s, mem, SIZE), Err(CL_MAP_FAILURE));
    let count: u32 =
        value(|z, p, r| unsafe { (s.cl.clGetMemObjectInfo)(mem, CL_MEM_MAP_COUNT, z, p, r) });
    assert_eq!(count, 0);
    let small = map(&s, mem, 4096).unwrap();
    assert_eq!(unsafe { std::slice::from_raw_parts(small.cast::<u8>(), 4096) }, [5; 4096]);
    unmap(&s, mem, small);
    // These regions need no memory: mapping them cannot fail.
    assert_eq!(map(&s, over_own, SIZE), Ok(own.as_mut_ptr().cast()));
    unmap(&s, over_own, own.as_mut_ptr().cast());
    let pointer = map(&s, pinned, SIZE).unwrap();
    unmap(&s, pinned, pointer);

    bound(None);
    let pointer = map(&s, mem, SIZE).unwrap();
    unmap(&s, mem, pointer);
}
