//! Transfers, maps and sub-buffers, compared with a model in ordinary memory.

use crate::common::*;
use crate::owned::{event, Buffer, Event, Numbers, Owned, Queue};
use crate::world::{buffer, finish, World};
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::Mutex;

/// Returns a part of `size` bytes: offset and count.
fn part(numbers: &mut Numbers, size: usize) -> (usize, usize) {
    let offset = numbers.below(size);
    (offset, 1 + numbers.below(size - offset))
}

/// Reads and compares a part.
fn compare(world: &World, queue: &Queue, mem: &Buffer, model: &[u8], offset: usize) {
    let mut bytes = vec![0; model.len()];
    let (target, size) = (bytes.as_mut_ptr().cast(), model.len());
    let (read, none) = (world.cl.clEnqueueReadBuffer, null());
    check(unsafe {
        read(queue.get(), mem.get(), CL_TRUE, offset, size, target, 0, none, null_mut())
    });
    assert!(bytes == model, "{size} bytes at {offset}");
}

/// Writes, copies, fills and reads in an in-order queue.
pub fn transfers(world: &World, numbers: &mut Numbers) {
    let (cl, queue) = (world.cl, world.in_order_queue(numbers));
    let q = queue.get();
    let size = 16 + numbers.below(200_000);
    let mut model = numbers.bytes(size);
    // Host memory that must outlive the commands: declared before, dropped after.
    let mut kept: Vec<Vec<u8>> = Vec::new();
    let flags = CL_MEM_COPY_HOST_PTR;
    let mem = buffer(&world.context, flags, size, model.as_mut_ptr().cast());
    for _ in 0..12 {
        let (offset, count) = part(numbers, size);
        match numbers.below(5) {
            0 => {
                let bytes = numbers.bytes(count);
                model[offset..offset + count].copy_from_slice(&bytes);
                let (write, source) = (cl.clEnqueueWriteBuffer, bytes.as_ptr().cast());
                let blocking = numbers.below(2) as u32;
                check(unsafe {
                    write(q, mem.get(), blocking, offset, count, source, 0, null(), null_mut())
                });
                kept.push(bytes);
            }
            1 => {
                let half = size / 2;
                let (from, to) = (numbers.below(half), half + numbers.below(size - half));
                let count = (1 + numbers.below(half)).min(half - from).min(size - to);
                model.copy_within(from..from + count, to);
                let (copy, none) = (cl.clEnqueueCopyBuffer, null());
                check(unsafe {
                    copy(q, mem.get(), mem.get(), from, to, count, 0, none, null_mut())
                });
            }
            2 => {
                let length = 1 << numbers.below(8);
                let (offset, count) = (offset / length * length, count / length * length);
                if count > 0 && offset + count <= size {
                    let pattern = numbers.bytes(length);
                    let bytes = pattern.repeat(count / length);
                    model[offset..offset + count].copy_from_slice(&bytes);
                    let (fill, from) = (cl.clEnqueueFillBuffer, pattern.as_ptr().cast());
                    check(unsafe {
                        fill(q, mem.get(), from, length, offset, count, 0, null(), null_mut())
                    });
                }
            }
            3 => {
                // A read that does not block, into memory that is compared after clFinish.
                let mut bytes = vec![0; count];
                let (read, target) = (cl.clEnqueueReadBuffer, bytes.as_mut_ptr().cast());
                check(unsafe {
                    read(q, mem.get(), CL_FALSE, offset, count, target, 0, null(), null_mut())
                });
                finish(&queue);
                assert!(bytes == model[offset..offset + count]);
            }
            _ => compare(world, &queue, &mem, &model[offset..offset + count], offset),
        }
    }
    compare(world, &queue, &mem, &model, 0);
}

/// Maps for reading and writing.
pub fn maps(world: &World, numbers: &mut Numbers) {
    let (cl, queue) = (world.cl, world.in_order_queue(numbers));
    let size = 16 + numbers.below(100_000);
    // This memory outlives the buffer that uses it.
    let mut host = numbers.bytes(size);
    let mut model = host.clone();
    let flags = *numbers.pick(&[CL_MEM_USE_HOST_PTR, CL_MEM_COPY_HOST_PTR]);
    let mem = buffer(&world.context, flags, size, host.as_mut_ptr().cast());
    for _ in 0..6 {
        let (offset, count) = part(numbers, size);
        let flags = *numbers.pick(&[CL_MAP_READ, CL_MAP_WRITE, CL_MAP_WRITE_INVALIDATE_REGION]);
        let gate = if numbers.once_in(4) { Some(world.gate()) } else { None };
        let waits: Vec<&Event> = gate.iter().collect();
        let mut mapped = null_mut();
        let done = event(&waits, |n, l, e| unsafe {
            let map = cl.clEnqueueMapBuffer;
            let mut code = 1;
            let block = CL_FALSE;
            mapped = map(queue.get(), mem.get(), block, flags, offset, count, n, l, e, &mut code);
            code
        });
        assert_eq!(done.wait(), CL_SUCCESS);
        let bytes = unsafe { std::slice::from_raw_parts_mut(mapped.cast::<u8>(), count) };
        let part = &mut model[offset..offset + count];
        if flags != CL_MAP_WRITE_INVALIDATE_REGION {
            assert!(bytes == part);
        }
        if flags != CL_MAP_READ {
            part.copy_from_slice(&numbers.bytes(count));
            bytes.copy_from_slice(part);
        }
        let unmap = cl.clEnqueueUnmapMemObject;
        check(unsafe { unmap(queue.get(), mem.get(), mapped, 0, null(), null_mut()) });
    }
    compare(world, &queue, &mem, &model, 0);
    drop(mem);
}

unsafe extern "C" fn note(_: cl_mem, data: *mut c_void) {
    let (place, number) = unsafe { &*data.cast::<(*const Mutex<Vec<u8>>, u8)>() };
    unsafe { &**place }.lock().unwrap().push(*number);
}

/// Overlapping sub-buffers, and destructor callbacks.
pub fn sub_buffers(world: &World, numbers: &mut Numbers) {
    const ALIGNMENT: usize = 128;
    let (cl, queue) = (world.cl, world.in_order_queue(numbers));
    let notes = Mutex::new(Vec::<u8>::new());
    let data: Vec<_> = (0..3u8).map(|number| (&raw const notes, number)).collect();
    {
        let size = ALIGNMENT * 8;
        let mut model = numbers.bytes(size);
        let mem = buffer(&world.context, CL_MEM_COPY_HOST_PTR, size, model.as_mut_ptr().cast());
        for pair in &data {
            let (callback, data) = (cl.clSetMemObjectDestructorCallback, (&raw const *pair));
            check(unsafe { callback(mem.get(), Some(note), data.cast_mut().cast()) });
        }
        let mut parts = Vec::new();
        for _ in 0..4 {
            let origin = numbers.below(8) * ALIGNMENT;
            let count = 1 + numbers.below(size - origin);
            let region = cl_buffer_region { origin, size: count };
            let (create, kind) = (cl.clCreateSubBuffer, CL_BUFFER_CREATE_TYPE_REGION);
            let region = (&raw const region).cast();
            let sub = made(|e| unsafe { create(mem.get(), 0, kind, region, e) });
            parts.push((Owned::new(sub, cl.clReleaseMemObject), origin, count));
        }
        // Releases the application's reference: the sub-buffers hold the whole buffer.
        drop(mem);
        for (sub, origin, count) in &parts {
            let bytes = numbers.bytes(*count);
            model[*origin..origin + count].copy_from_slice(&bytes);
            let (write, source) = (cl.clEnqueueWriteBuffer, bytes.as_ptr().cast());
            let (none, nobody) = (null(), null_mut());
            check(unsafe {
                write(queue.get(), sub.get(), CL_TRUE, 0, *count, source, 0, none, nobody)
            });
        }
        for (sub, origin, count) in &parts {
            compare(world, &queue, sub, &model[*origin..origin + count], 0);
        }
    }
    finish(&queue);
    drop(queue);
    assert_eq!(*notes.lock().unwrap(), [2, 1, 0]);
}
