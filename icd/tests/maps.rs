//! Mapped regions beside and within each other, of buffers and of their parts, with every flag.
// Nearly every call of the API is unsafe, for the reason that the C specification gives.
#![allow(clippy::undocumented_unsafe_blocks)]

mod common;
use common::*;
use std::ptr::{null, null_mut};

fn map(s: &Setup, mem: cl_mem, flags: u64, offset: usize, size: usize) -> &'static mut [u8] {
    let pointer = made(|e| unsafe {
        let n = null_mut();
        (s.cl.clEnqueueMapBuffer)(s.queue, mem, CL_TRUE, flags, offset, size, 0, null(), n, e)
    });
    unsafe { std::slice::from_raw_parts_mut(pointer.cast(), size) }
}

fn unmap(s: &Setup, mem: cl_mem, region: &mut [u8]) {
    let pointer = region.as_mut_ptr().cast();
    check(unsafe { (s.cl.clEnqueueUnmapMemObject)(s.queue, mem, pointer, 0, null(), null_mut()) });
}

fn map_count(s: &Setup, mem: cl_mem) -> u32 {
    value(|z, p, r| unsafe { (s.cl.clGetMemObjectInfo)(mem, CL_MEM_MAP_COUNT, z, p, r) })
}

fn part(s: &Setup, mem: cl_mem, origin: usize, size: usize) -> cl_mem {
    let region = cl_buffer_region { origin, size };
    let (kind, region) = (CL_BUFFER_CREATE_TYPE_REGION, (&raw const region).cast());
    made(|e| unsafe { (s.cl.clCreateSubBuffer)(mem, 0, kind, region, e) })
}

/// Regions for reading may overlap each other and a region for writing; regions for writing must not overlap each other.
#[test]
fn nested_and_overlapping_regions() {
    let s = Setup::new();
    for kind in [CL_MEM_COPY_HOST_PTR, CL_MEM_USE_HOST_PTR] {
        let mut bytes = pattern(4096, 1);
        let contents = bytes.clone();
        let mem = s.buffer_of(kind, &mut bytes);
        let whole = map(&s, mem, CL_MAP_READ, 0, 4096);
        let inner = map(&s, mem, CL_MAP_READ, 1000, 500);
        let twice = map(&s, mem, CL_MAP_READ, 1000, 500);
        assert_eq!(map_count(&s, mem), 3);
        assert_eq!(*whole, contents[..]);
        assert_eq!(*inner, contents[1000..1500]);
        assert_eq!(*twice, contents[1000..1500]);
        unmap(&s, mem, inner);
        unmap(&s, mem, whole);
        unmap(&s, mem, twice);
        assert_eq!(map_count(&s, mem), 0);

        let low = map(&s, mem, CL_MAP_WRITE, 0, 2048);
        let high = map(&s, mem, CL_MAP_WRITE_INVALIDATE_REGION, 2048, 1000);
        // A region for writing has the latest bytes, unless the application gives them up.
        assert_eq!(*low, contents[..2048]);
        low[100..200].fill(1);
        high.fill(2);
        unmap(&s, mem, high);
        unmap(&s, mem, low);
        let mut expected = contents.clone();
        expected[100..200].fill(1);
        expected[2048..3048].fill(2);
        assert_eq!(s.read(mem, 0, 4096), expected);
        check(unsafe { (s.cl.clReleaseMemObject)(mem) });
    }
}

/// A region for reading is not written back: unmapping it changes no bytes of the buffer.
#[test]
fn regions_for_reading_are_not_written_back() {
    let s = Setup::new();
    let mut bytes = pattern(256, 2);
    let mem = s.buffer_of(CL_MEM_COPY_HOST_PTR, &mut bytes);
    let mapped = map(&s, mem, CL_MAP_READ, 0, 256);
    s.write(mem, true, 0, &[9; 16]);
    unmap(&s, mem, mapped);
    assert_eq!(s.read(mem, 0, 16), [9; 16]);
    assert_eq!(s.read(mem, 16, 240), bytes[16..]);
}

/// Parts that overlap, and the whole, see each other's bytes.
#[test]
fn parts_that_overlap() {
    let s = Setup::new();
    for kind in [CL_MEM_COPY_HOST_PTR, CL_MEM_USE_HOST_PTR] {
        let mut bytes = pattern(1024, 3);
        let (mut expected, base) = (bytes.clone(), bytes.as_ptr() as usize);
        let mem = s.buffer_of(kind, &mut bytes);
        let (low, high) = (part(&s, mem, 0, 512), part(&s, mem, 256, 512));
        let mapped = map(&s, high, CL_MAP_WRITE, 10, 300);
        if kind == CL_MEM_USE_HOST_PTR {
            assert_eq!(mapped.as_ptr() as usize, base + 256 + 10);
        }
        assert_eq!((map_count(&s, high), map_count(&s, low), map_count(&s, mem)), (1, 0, 0));
        assert_eq!(*mapped, expected[266..566]);
        mapped.fill(7);
        unmap(&s, high, mapped);
        expected[266..566].fill(7);
        assert_eq!(s.read(low, 0, 512), expected[..512]);
        assert_eq!(s.read(mem, 0, 1024), expected);
        s.write(low, true, 250, &[8; 20]);
        expected[250..270].fill(8);
        let mapped = map(&s, mem, CL_MAP_READ, 0, 1024);
        assert_eq!(*mapped, expected[..]);
        unmap(&s, mem, mapped);
        assert_eq!(s.read(high, 0, 512), expected[256..768]);
        for mem in [low, high, mem] {
            check(unsafe { (s.cl.clReleaseMemObject)(mem) });
        }
    }
}

/// Migration keeps the bytes, unless the flags make them undefined, and is a command like others.
#[test]
fn migration() {
    let s = Setup::new();
    let mut bytes = pattern(256, 4);
    let mem = s.buffer_of(CL_MEM_COPY_HOST_PTR, &mut bytes);
    for flags in [0, CL_MIGRATE_MEM_OBJECT_HOST] {
        let gate = s.user_event();
        let mut event = null_mut();
        check(unsafe {
            (s.cl.clEnqueueMigrateMemObjects)(s.queue, 1, &mem, flags, 1, &gate, &mut event)
        });
        assert_eq!(s.status(event), CL_QUEUED);
        check(unsafe { (s.cl.clSetUserEventStatus)(gate, CL_COMPLETE) });
        check(unsafe { (s.cl.clWaitForEvents)(1, &event) });
        let kind: u32 = value(|z, p, r| unsafe {
            (s.cl.clGetEventInfo)(event, CL_EVENT_COMMAND_TYPE, z, p, r)
        });
        assert_eq!(kind, CL_COMMAND_MIGRATE_MEM_OBJECTS);
        assert_eq!(s.read(mem, 0, 256), bytes);
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
