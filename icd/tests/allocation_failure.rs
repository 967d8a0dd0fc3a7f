//! Allocations that fail return the specification's error, and later calls work. The tests bound the address space of
//! the process, where software devices have their memory.
// Nearly every call of the API is unsafe, for the reason that the C specification gives.
#![allow(clippy::undocumented_unsafe_blocks)]

mod common;
use common::*;
use std::ptr::null_mut;

const MIB: usize = 1 << 20;

/// Returns the number of bytes of address space in use.
fn in_use() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap();
    let pages: u64 = text.split(' ').next().unwrap().parse().unwrap();
    pages * 4096
}

/// Limits the address space to `more` bytes beyond the bytes in use; `None` lifts the limit.
fn bound(more: Option<u64>) {
    let most = more.map_or(libc::RLIM_INFINITY, |more| in_use() + more);
    let limit = libc::rlimit { rlim_cur: most, rlim_max: libc::RLIM_INFINITY };
    assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_AS, &limit) }, 0);
}

fn create(s: &Setup, flags: u64, size: usize) -> Result<cl_mem, cl_int> {
    let mut code = 1;
    let mem = unsafe { (s.cl.clCreateBuffer)(s.context, flags, size, null_mut(), &mut code) };
    assert_eq!(mem.is_null(), code != CL_SUCCESS);
    if mem.is_null() {
        Err(code)
    } else {
        Ok(mem)
    }
}

/// Checks that a small buffer still works.
fn small_ones_work(s: &Setup) {
    let mem = create(s, 0, 4096).unwrap();
    s.write(mem, true, 0, &pattern(4096, 1));
    assert_eq!(s.read(mem, 0, 4096), pattern(4096, 1));
    check(unsafe { (s.cl.clReleaseMemObject)(mem) });
}

// There is one test, since the bound holds for the whole process.
#[test]
fn buffers_beyond_memory_are_errors_and_no_more() {
    let s = Setup::new();
    if s.device_type() != CL_DEVICE_TYPE_CPU {
        skip("the device has memory of its own");
        return;
    }
    small_ones_work(&s);
    bound(Some(200 * MIB as u64));
    let failure = Err(CL_MEM_OBJECT_ALLOCATION_FAILURE);
    for flags in [0, CL_MEM_READ_ONLY, CL_MEM_ALLOC_HOST_PTR] {
        assert_eq!(create(&s, flags, 512 * MIB), failure);
        small_ones_work(&s);
    }
    assert!(unsafe { (s.cl.clSVMAlloc)(s.context, CL_MEM_READ_WRITE, 512 * MIB, 0) }.is_null());

    // Many buffers, each of which would fit alone.
    let mut all = Vec::new();
    let code = loop {
        match create(&s, 0, 16 * MIB) {
            Ok(mem) => all.push(mem),
            Err(code) => break code,
        }
        assert!(all.len() < 20, "the bound does not hold");
    };
    assert_eq!(Err::<cl_mem, _>(code), failure);
    assert!(!all.is_empty());
    for mem in all {
        check(unsafe { (s.cl.clReleaseMemObject)(mem) });
    }
    small_ones_work(&s);

    bound(None);
    let mem = create(&s, 0, 512 * MIB).unwrap();
    s.write(mem, true, 511 * MIB, &[3; 16]);
    assert_eq!(s.read(mem, 511 * MIB, 16), [3; 16]);
}
