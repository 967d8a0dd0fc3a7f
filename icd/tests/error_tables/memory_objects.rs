//! What all memory objects have in common (5.5).

use crate::prelude::*;
use crate::world::SIZE;

pub fn rows(t: &mut Table, w: &World) {
    let object = CL_INVALID_MEM_OBJECT;
    t.about("clRetainMemObject");
    t.correct(unsafe { clRetainMemObject(w.buffer) });
    t.each(object, "memobj", w.no_buffers(), |mem| unsafe { clRetainMemObject(mem) });
    t.about("clReleaseMemObject");
    t.correct(unsafe { clReleaseMemObject(w.buffer) });
    t.each(object, "memobj", w.no_buffers(), |mem| unsafe { clReleaseMemObject(mem) });

    t.about("clSetMemObjectDestructorCallback");
    unsafe extern "C" fn destructor(_: cl_mem, _: *mut c_void) {}
    let set =
        |mem, function| unsafe { clSetMemObjectDestructorCallback(mem, function, null_mut()) };
    t.correct(set(w.buffer, Some(destructor)));
    t.each(object, "memobj", w.no_buffers(), |mem| set(mem, Some(destructor)));
    t.row(CL_INVALID_VALUE, "pfn_notify is NULL", set(w.buffer, None));

    t.about("clGetMemObjectInfo");
    let info =
        |mem, name, size, place| unsafe { clGetMemObjectInfo(mem, name, size, place, null_mut()) };
    t.query(CL_MEM_SIZE, |name, size, place| info(w.buffer, name, size, place));
    for mem in [w.buffer, w.part_of(w.buffer, 0, 128)] {
        let all = CL_MEM_TYPE..=CL_MEM_PROPERTIES;
        t.answered(all, |name, size, place| info(mem, name, size, place));
    }
    t.each(object, "memobj", w.no_buffers(), |mem| info(mem, CL_MEM_SIZE, 0, null_mut()));

    unmap_rows(t, w);
    migrate_rows(t, w);
}

fn unmap_rows(t: &mut Table, w: &World) {
    t.about("clEnqueueUnmapMemObject");
    let call = |queue, mem, pointer, waits: Waits| unsafe {
        clEnqueueUnmapMemObject(queue, mem, pointer, waits.count, waits.list, null_mut())
    };
    let mapped = |mem| {
        crate::world::made(|e| unsafe {
            let (queue, flags, nobody) = (w.queue, CL_MAP_READ, null_mut());
            clEnqueueMapBuffer(queue, mem, CL_TRUE, flags, 0, SIZE, 0, null(), nobody, e)
        })
    };
    let (mem, none) = (w.buffer_with(0), Waits::NONE);
    let pointer = mapped(mem);
    t.each(CL_INVALID_COMMAND_QUEUE, "command_queue", w.no_queues(), |queue| {
        call(queue, mem, pointer, none)
    });
    t.each(CL_INVALID_MEM_OBJECT, "memobj", w.no_buffers(), |mem| {
        call(w.queue, mem, pointer, none)
    });
    let condition = "mapped_ptr was not returned by a map of memobj";
    for bad in [null_mut(), pointer.wrapping_byte_add(1), mapped(w.buffer_with(0))] {
        t.row(CL_INVALID_VALUE, condition, call(w.queue, mem, bad, none));
    }
    t.wait_lists(w, |waits| call(w.queue, mem, pointer, waits));
    let condition = "queue and memobj are of different contexts";
    t.row(CL_INVALID_CONTEXT, condition, call(w.queue, w.other.buffer, pointer, none));
    t.correct(call(w.queue, mem, pointer, none));
    let condition = "mapped_ptr is unmapped already";
    t.row(CL_INVALID_VALUE, condition, call(w.queue, mem, pointer, none));
}

fn migrate_rows(t: &mut Table, w: &World) {
    t.about("clEnqueueMigrateMemObjects");
    let call = |queue, mems: &[cl_mem], flags, waits: Waits| unsafe {
        let (count, list) = (mems.len() as u32, mems.as_ptr());
        let (waits, events) = (waits.count, waits.list);
        clEnqueueMigrateMemObjects(queue, count, list, flags, waits, events, null_mut())
    };
    let none = Waits::NONE;
    let (host, undefined) = (CL_MIGRATE_MEM_OBJECT_HOST, CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED);
    for flags in [0, host, undefined, host | undefined] {
        t.correct(call(w.queue, &[w.buffer], flags, none));
    }
    t.each(CL_INVALID_COMMAND_QUEUE, "command_queue", w.no_queues(), |queue| {
        call(queue, &[w.buffer], 0, none)
    });
    let condition = "queue and a memory object are of different contexts";
    t.row(CL_INVALID_CONTEXT, condition, call(w.queue, &[w.buffer, w.other.buffer], 0, none));
    t.each(CL_INVALID_MEM_OBJECT, "a memory object", w.no_buffers(), |mem| {
        call(w.queue, &[w.buffer, mem], 0, none)
    });
    let value = CL_INVALID_VALUE;
    t.row(value, "num_mem_objects is 0", call(w.queue, &[], 0, none));
    let nothing =
        unsafe { clEnqueueMigrateMemObjects(w.queue, 1, null(), 0, 0, null(), null_mut()) };
    t.row(value, "mem_objects is NULL", nothing);
    t.row(value, "flags are not valid", call(w.queue, &[w.buffer], 1 << 20, none));
    t.wait_lists(w, |waits| call(w.queue, &[w.buffer], 0, waits));
}
