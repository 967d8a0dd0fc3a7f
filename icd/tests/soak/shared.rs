//! Shared virtual memory.

use crate::common::*;
use crate::owned::{event, Numbers};
use crate::world::{kernel, World};
use std::ptr::null_mut;

pub fn allocations(world: &World, numbers: &mut Numbers) {
    let (cl, context) = (world.cl, world.context.get());
    let size = 64 * (1 + numbers.below(1000));
    let allocate = || unsafe { (cl.clSVMAlloc)(context, CL_MEM_READ_WRITE, size, 0) };
    let [one, two] = [allocate(), allocate()];
    if one.is_null() || two.is_null() {
        return;
    }
    let queue = world.any_queue(numbers);
    let q = queue.get();
    let word = numbers.next() as u32;
    let pattern = (&raw const word).cast();
    let gate = world.gate();
    let filled = event(&[&gate], |n, l, e| unsafe {
        (cl.clEnqueueSVMMemFill)(q, one, pattern, 4, size, n, l, e)
    });
    let copied = event(&[&filled], |n, l, e| unsafe {
        (cl.clEnqueueSVMMemcpy)(q, CL_FALSE, two, one, size, n, l, e)
    });
    let kernel = kernel(&world.program, c"add");
    let added = unsafe {
        check((cl.clSetKernelArgSVMPointer)(kernel.get(), 0, two));
        let value = 7u32;
        check((cl.clSetKernelArg)(kernel.get(), 1, 4, (&raw const value).cast()));
        let items = 5usize;
        event(&[&copied], |n, l, e| {
            let none = std::ptr::null();
            (cl.clEnqueueNDRangeKernel)(q, kernel.get(), 1, none, &items, none, n, l, e)
        })
    };
    let mapped = event(&[&added], |n, l, e| unsafe {
        (cl.clEnqueueSVMMap)(q, CL_FALSE, CL_MAP_READ, two, size, n, l, e)
    });
    assert_eq!(mapped.wait(), CL_SUCCESS);
    let words = unsafe { std::slice::from_raw_parts(two.cast::<u32>(), size / 4) };
    assert_eq!(words[0], word.wrapping_add(35));
    assert!(words[1..].iter().all(|other| *other == word));
    // From memory of the host to memory of the host.
    let (bytes, mut back) = (numbers.bytes(500), [0u8; 500]);
    let behind = event(&[&mapped], |n, l, e| unsafe { (cl.clEnqueueSVMUnmap)(q, two, n, l, e) });
    let list = behind.get();
    check(unsafe {
        let (to, from) = (back.as_mut_ptr().cast(), bytes.as_ptr().cast());
        (cl.clEnqueueSVMMemcpy)(q, CL_TRUE, to, from, 500, 1, &list, null_mut())
    });
    assert!(bytes == back);
    check(unsafe { (cl.clFinish)(q) });
    for pointer in [one, two] {
        unsafe { (cl.clSVMFree)(context, pointer) };
    }
}
