//! Shared virtual memory (5.6). Functions that return no code report errors by NULL or not at all.

use crate::prelude::*;
use crate::world::SIZE;

pub fn rows(t: &mut Table, w: &World) {
    alloc_rows(t, w);
    let shared = unsafe { clSVMAlloc(w.context, CL_MEM_READ_WRITE, SIZE, 0) };
    if shared.is_null() {
        without(t, w);
        return;
    }
    free_rows(t, w);
    copy_rows(t, w, ("clEnqueueSVMMemcpy", clEnqueueSVMMemcpy), shared);
    fill_rows(t, w, ("clEnqueueSVMMemFill", clEnqueueSVMMemFill), shared);
    map_rows(t, w, shared);
    migrate_rows(t, w, shared);
    t.about("clSVMFree");
    unsafe {
        for (_, context) in w.no_contexts() {
            clSVMFree(context, shared);
        }
        clSVMFree(w.context, null_mut());
        clSVMFree(w.context, shared);
    }
}

fn alloc_rows(t: &mut Table, w: &World) {
    t.about("clSVMAlloc");
    let refused = |context, flags, size, alignment| unsafe {
        let got = clSVMAlloc(context, flags, size, alignment);
        if got.is_null() {
            return CL_INVALID_VALUE;
        }
        clSVMFree(context, got);
        CL_SUCCESS
    };
    let null = CL_INVALID_VALUE;
    let (size, flags) = (SIZE, CL_MEM_READ_WRITE);
    t.each(null, "context", w.no_contexts(), |context| refused(context, flags, size, 0));
    let with = |flags| refused(w.context, flags, size, 0);
    t.row(null, "atomics are wanted without fine grain", with(flags | CL_MEM_SVM_ATOMICS));
    for flags in [1 << 40, CL_MEM_USE_HOST_PTR, CL_MEM_HOST_NO_ACCESS] {
        t.row(null, "flags are not valid", with(flags));
    }
    for flags in [CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, CL_MEM_READ_WRITE | CL_MEM_READ_ONLY] {
        t.row(null, "flags exclude each other", with(flags));
    }
    t.row(null, "size is 0", refused(w.context, flags, 0, 0));
    for size in [usize::MAX, usize::MAX / 2] {
        let condition = "size is greater than CL_DEVICE_MAX_MEM_ALLOC_SIZE";
        t.row(null, condition, refused(w.context, flags, size, 0));
    }
    for alignment in [3, 96] {
        let got = refused(w.context, flags, size, alignment);
        t.row(null, "alignment is not a power of two", got);
    }
    let got = refused(w.context, flags, size, 1 << 20);
    t.row(null, "the alignment is not supported", got);
    if let Some(pair) = &w.pair {
        let condition = "the devices of the context share no address";
        t.row(null, condition, refused(pair.context, flags, size, 0));
    }
}

/// Adds a row of a call with host memory that is in no allocation: an error, unless kernels reach such memory, too.
/// `bytes` is the memory.
fn host_row<T>(t: &mut Table, w: &World, bytes: &[T], condition: &str, got: cl_int) {
    match w.reaches_system() {
        true => t.correct(got),
        false => t.row(CL_INVALID_VALUE, condition, got),
    }
    // Nothing uses the memory any more.
    t.correct(unsafe { clFinish(w.queue) });
    std::hint::black_box(bytes);
}

/// A device without shared virtual memory.
fn without(t: &mut Table, w: &World) {
    let (q, n, operation) = (w.queue, null_mut(), CL_INVALID_OPERATION);
    let condition = "the queue's device does not support SVM";
    let mut bytes = [0u8; 64];
    let place: *mut c_void = bytes.as_mut_ptr().cast();
    let mut list = [place];
    let all = unsafe {
        [
            (
                "clEnqueueSVMFree",
                clEnqueueSVMFree(q, 1, list.as_mut_ptr(), None, n, 0, null(), null_mut()),
            ),
            ("clEnqueueSVMMemcpy", {
                clEnqueueSVMMemcpy(q, CL_TRUE, place, place, 4, 0, null(), null_mut())
            }),
            ("clEnqueueSVMMemFill", {
                clEnqueueSVMMemFill(q, place, place, 4, 4, 0, null(), null_mut())
            }),
            ("clEnqueueSVMMap", {
                clEnqueueSVMMap(q, CL_TRUE, CL_MAP_READ, place, 4, 0, null(), null_mut())
            }),
            ("clEnqueueSVMUnmap", clEnqueueSVMUnmap(q, place, 0, null(), null_mut())),
            ("clEnqueueSVMMigrateMem", {
                let list = list.as_ptr().cast();
                clEnqueueSVMMigrateMem(q, 1, list, null(), 0, 0, null(), null_mut())
            }),
        ]
    };
    for (name, got) in all {
        t.about(name);
        t.row(operation, condition, got);
    }
    t.about("clSVMFree");
    unsafe { clSVMFree(w.context, null_mut()) };
}

fn free_rows(t: &mut Table, w: &World) {
    t.about("clEnqueueSVMFree");
    let call = |queue, pointers: &[*mut c_void], waits: Waits| unsafe {
        let mut list = pointers.to_vec();
        let place = if list.is_empty() { null_mut() } else { list.as_mut_ptr() };
        let (count, events) = (waits.count, waits.list);
        let nobody = null_mut();
        clEnqueueSVMFree(queue, list.len() as u32, place, None, null_mut(), count, events, nobody)
    };
    // No allocation begins at NULL: nothing is freed.
    let pointers = [null_mut()];
    t.correct(call(w.queue, &pointers, Waits::NONE));
    t.each(CL_INVALID_COMMAND_QUEUE, "command_queue", w.no_queues(), |queue| {
        call(queue, &pointers, Waits::NONE)
    });
    let raw = |count, list| unsafe {
        clEnqueueSVMFree(w.queue, count, list, None, null_mut(), 0, null(), null_mut())
    };
    let mut list = pointers;
    let condition = "num_svm_pointers is 0 and svm_pointers is not NULL";
    t.row(CL_INVALID_VALUE, condition, raw(0, list.as_mut_ptr()));
    let condition = "svm_pointers is NULL and num_svm_pointers is not 0";
    t.row(CL_INVALID_VALUE, condition, raw(1, null_mut()));
    t.wait_lists(w, |waits| call(w.queue, &pointers, waits));
}

/// A function that copies: clEnqueueSVMMemcpy, clEnqueueMemcpyINTEL.
pub type CopyFunction = unsafe extern "C" fn(
    cl_command_queue,
    cl_bool,
    *mut c_void,
    *const c_void,
    usize,
    cl_uint,
    *const cl_event,
    *mut cl_event,
) -> cl_int;

/// Arguments of a function that copies.
#[derive(Clone, Copy)]
struct Copying {
    queue: cl_command_queue,
    blocking: cl_bool,
    to: *mut c_void,
    from: *const c_void,
    size: usize,
    waits: Waits,
}

pub fn copy_rows(
    t: &mut Table,
    w: &World,
    (name, function): (&'static str, CopyFunction),
    shared: *mut c_void,
) {
    t.about(name);
    let call = |c: Copying| unsafe {
        let (count, list) = (c.waits.count, c.waits.list);
        function(c.queue, c.blocking, c.to, c.from, c.size, count, list, null_mut())
    };
    let (mut bytes, mut more) = ([1u8; SIZE], [2u8; SIZE]);
    let host: *mut c_void = bytes.as_mut_ptr().cast();
    let elsewhere: *mut c_void = more.as_mut_ptr().cast();
    let (queue, blocking) = (w.queue, CL_TRUE);
    let good = Copying { queue, blocking, to: shared, from: host, size: SIZE, waits: Waits::NONE };
    t.correct(call(good));
    t.each(CL_INVALID_COMMAND_QUEUE, "command_queue", w.no_queues(), |queue| {
        call(Copying { queue, ..good })
    });
    let value = CL_INVALID_VALUE;
    t.row(value, "dst_ptr is NULL", call(Copying { to: null_mut(), ..good }));
    t.row(value, "src_ptr is NULL", call(Copying { from: null(), ..good }));
    let half = shared.wrapping_byte_add(SIZE / 2);
    let overlapping = call(Copying { from: half, ..good });
    t.row(CL_MEM_COPY_OVERLAP, "the regions overlap", overlapping);
    let beyond = Copying { to: shared.wrapping_byte_add(SIZE - 4), size: 8, ..good };
    t.row(value, "a region leaves its allocation", call(beyond));
    t.wait_lists(w, |waits| call(Copying { waits, ..good }));
    for (to, from) in [(shared, host), (host, shared), (elsewhere, host), (shared, shared)] {
        // Maps the whole, or two halves.
        let (from, size) =
            if to == from { (from.wrapping_byte_add(512), 512) } else { (from, SIZE) };
        t.failed_wait(w, |waits| call(Copying { to, from, size, waits, ..good }));
    }
    let untouched = if more == [2; SIZE] { CL_SUCCESS } else { CL_INVALID_VALUE };
    t.row(CL_SUCCESS, "a copy behind a failed event does not happen", untouched);
}

/// A function that fills: clEnqueueSVMMemFill, clEnqueueMemFillINTEL.
pub type FillFunction = unsafe extern "C" fn(
    cl_command_queue,
    *mut c_void,
    *const c_void,
    usize,
    usize,
    cl_uint,
    *const cl_event,
    *mut cl_event,
) -> cl_int;

/// Arguments of a function that fills.
#[derive(Clone, Copy)]
struct Filling {
    queue: cl_command_queue,
    pointer: *mut c_void,
    pattern: *const c_void,
    pattern_size: usize,
    size: usize,
    waits: Waits,
}

pub fn fill_rows(
    t: &mut Table,
    w: &World,
    (name, function): (&'static str, FillFunction),
    shared: *mut c_void,
) {
    t.about(name);
    let call = |f: Filling| unsafe {
        let (count, list) = (f.waits.count, f.waits.list);
        let Filling { queue, pointer, pattern, pattern_size, size, .. } = f;
        function(queue, pointer, pattern, pattern_size, size, count, list, null_mut())
    };
    let bytes = [7u8; 256];
    let good = Filling {
        queue: w.queue,
        pointer: shared,
        pattern: bytes.as_ptr().cast(),
        pattern_size: 4,
        size: SIZE,
        waits: Waits::NONE,
    };
    for pattern_size in [1, 2, 4, 8, 16, 32, 64, 128] {
        t.correct(call(Filling { pattern_size, ..good }));
    }
    t.each(CL_INVALID_COMMAND_QUEUE, "command_queue", w.no_queues(), |queue| {
        call(Filling { queue, ..good })
    });
    let value = CL_INVALID_VALUE;
    t.row(value, "the pointer is NULL", call(Filling { pointer: null_mut(), ..good }));
    let shifted = Filling { pointer: shared.wrapping_byte_add(2), size: 8, ..good };
    t.row(value, "the pointer is not aligned to pattern_size", call(shifted));
    t.row(value, "pattern is NULL", call(Filling { pattern: null(), ..good }));
    t.row(value, "pattern_size is 0", call(Filling { pattern_size: 0, ..good }));
    let odd = Filling { pattern_size: 3, size: 9, ..good };
    t.row(value, "pattern_size is not a power of two", call(odd));
    t.row(value, "pattern_size is greater than 128", call(Filling { pattern_size: 256, ..good }));
    t.row(value, "size is not a multiple of pattern_size", call(Filling { size: 6, ..good }));
    let mut host = [0u64; 8];
    let pointer = host.as_mut_ptr().cast();
    let condition = "the pointer is not in an allocation";
    host_row(t, w, &host, condition, call(Filling { pointer, size: 64, ..good }));
    t.wait_lists(w, |waits| call(Filling { waits, ..good }));
}

/// Arguments of clEnqueueSVMMap.
#[derive(Clone, Copy)]
struct Mapping {
    queue: cl_command_queue,
    blocking: cl_bool,
    flags: cl_map_flags,
    pointer: *mut c_void,
    size: usize,
    waits: Waits,
}

fn map_rows(t: &mut Table, w: &World, shared: *mut c_void) {
    t.about("clEnqueueSVMMap");
    let map = |m: Mapping| unsafe {
        let (count, list) = (m.waits.count, m.waits.list);
        clEnqueueSVMMap(m.queue, m.blocking, m.flags, m.pointer, m.size, count, list, null_mut())
    };
    let (queue, blocking, flags) = (w.queue, CL_TRUE, CL_MAP_READ);
    let waits = Waits::NONE;
    let good = Mapping { queue, blocking, flags, pointer: shared, size: SIZE, waits };
    t.correct(map(good));
    t.each(CL_INVALID_COMMAND_QUEUE, "command_queue", w.no_queues(), |queue| {
        map(Mapping { queue, ..good })
    });
    let value = CL_INVALID_VALUE;
    t.row(value, "svm_ptr is NULL", map(Mapping { pointer: null_mut(), ..good }));
    t.row(value, "size is 0", map(Mapping { size: 0, ..good }));
    let invalidate = CL_MAP_WRITE_INVALIDATE_REGION;
    for flags in [1 << 20, CL_MAP_READ | invalidate, CL_MAP_WRITE | invalidate] {
        t.row(value, "map_flags are not valid", map(Mapping { flags, ..good }));
    }
    t.row(value, "the region leaves its allocation", map(Mapping { size: SIZE + 1, ..good }));
    let mut host = [0u64; 8];
    let elsewhere = host.as_mut_ptr().cast();
    let condition = "svm_ptr is not in an allocation";
    host_row(t, w, &host, condition, map(Mapping { pointer: elsewhere, size: 64, ..good }));
    t.wait_lists(w, |waits| map(Mapping { waits, ..good }));
    t.failed_wait(w, |waits| map(Mapping { waits, ..good }));

    t.about("clEnqueueSVMUnmap");
    let unmap = |queue, pointer, waits: Waits| unsafe {
        clEnqueueSVMUnmap(queue, pointer, waits.count, waits.list, null_mut())
    };
    t.each(CL_INVALID_COMMAND_QUEUE, "command_queue", w.no_queues(), |queue| {
        unmap(queue, shared, waits)
    });
    t.row(value, "svm_ptr is NULL", unmap(queue, null_mut(), waits));
    host_row(t, w, &host, condition, unmap(queue, elsewhere, waits));
    let inside = shared.wrapping_byte_add(4);
    t.row(value, "no map begins at svm_ptr", unmap(queue, inside, waits));
    t.wait_lists(w, |waits| unmap(queue, shared, waits));
    t.correct(unmap(queue, shared, waits));
}

fn migrate_rows(t: &mut Table, w: &World, shared: *mut c_void) {
    t.about("clEnqueueSVMMigrateMem");
    let call = |queue, pointers: &[*mut c_void], sizes: &[usize], flags, waits: Waits| unsafe {
        let (count, list) = (pointers.len() as u32, pointers.as_ptr().cast());
        let sizes = if sizes.is_empty() { null() } else { sizes.as_ptr() };
        let (waits, events) = (waits.count, waits.list);
        clEnqueueSVMMigrateMem(queue, count, list, sizes, flags, waits, events, null_mut())
    };
    let none = Waits::NONE;
    let (host, undefined) = (CL_MIGRATE_MEM_OBJECT_HOST, CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED);
    for flags in [0, host, undefined, host | undefined] {
        t.correct(call(w.queue, &[shared], &[], flags, none));
    }
    t.correct(call(w.queue, &[shared, shared], &[0, SIZE], 0, none));
    t.each(CL_INVALID_COMMAND_QUEUE, "command_queue", w.no_queues(), |queue| {
        call(queue, &[shared], &[], 0, none)
    });
    let value = CL_INVALID_VALUE;
    t.row(value, "num_svm_pointers is 0", call(w.queue, &[], &[], 0, none));
    let nothing =
        unsafe { clEnqueueSVMMigrateMem(w.queue, 1, null(), null(), 0, 0, null(), null_mut()) };
    t.row(value, "svm_pointers is NULL", nothing);
    t.row(value, "flags are not valid", call(w.queue, &[shared], &[], 1 << 20, none));
    let condition = "a range is not within an allocation";
    t.row(value, condition, call(w.queue, &[shared], &[SIZE + 1], 0, none));
    let end = shared.wrapping_byte_add(SIZE - 4);
    t.row(value, condition, call(w.queue, &[end], &[8], 0, none));
    let mut bytes = [0u8; 64];
    let got = call(w.queue, &[bytes.as_mut_ptr().cast()], &[64], 0, none);
    host_row(t, w, &bytes, condition, got);
    t.wait_lists(w, |waits| call(w.queue, &[shared], &[], 0, waits));
}
