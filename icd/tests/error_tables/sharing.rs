//! Semaphores, and memory of other APIs (cl_khr_semaphore, cl_khr_external_semaphore, cl_khr_external_memory). Errors
//! that need a descriptor of another API are in `tests/external`.

use crate::prelude::*;

pub fn rows(t: &mut Table, w: &World) {
    creation_rows(t, w);
    object_rows(t, w);
    command_rows(t, w);
    handover_rows(t, w);
    import_rows(t, w);
}

const TYPE: u64 = CL_SEMAPHORE_TYPE_KHR as u64;
const BINARY: u64 = CL_SEMAPHORE_TYPE_BINARY_KHR as u64;
const DEVICES: u64 = CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR as u64;
const EXPORTS: u64 = CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR as u64;

fn semaphore(context: cl_context) -> cl_semaphore_khr {
    let list = [TYPE, BINARY, 0];
    crate::world::made(|e| unsafe { clCreateSemaphoreWithPropertiesKHR(context, list.as_ptr(), e) })
}

/// Handles that are not semaphores.
fn no_semaphores(w: &World) -> [(&'static str, cl_semaphore_khr); 3] {
    let released = semaphore(w.context);
    unsafe { clReleaseSemaphoreKHR(released) };
    [("NULL", null_mut()), ("a queue", w.queue.cast()), ("released", released)]
}

fn creation_rows(t: &mut Table, w: &World) {
    t.about("clCreateSemaphoreWithPropertiesKHR");
    let create = |context, list: &[u64]| {
        code(|e| unsafe { clCreateSemaphoreWithPropertiesKHR(context, list.as_ptr(), e) })
    };
    let good = [TYPE, BINARY, 0];
    t.correct(create(w.context, &good));
    t.correct(create(w.context, &[TYPE, BINARY, DEVICES, w.device as u64, 0, 0]));
    t.row(CL_INVALID_CONTEXT, "context is NULL", create(null_mut(), &good));
    t.row(CL_INVALID_CONTEXT, "context is a queue", create(w.queue.cast(), &good));
    let null_list = code(|e| unsafe { clCreateSemaphoreWithPropertiesKHR(w.context, null(), e) });
    t.row(CL_INVALID_VALUE, "sema_props is NULL", null_list);
    t.row(CL_INVALID_VALUE, "the type is not told", create(w.context, &[0]));
    let invalid = CL_INVALID_PROPERTY;
    t.row(invalid, "a name is not supported", create(w.context, &[0x1234, 1, 0]));
    t.row(invalid, "a value is not valid", create(w.context, &[TYPE, 7, 0]));
    t.row(invalid, "a name comes twice", create(w.context, &[TYPE, BINARY, TYPE, BINARY, 0]));
    let device =
        |list: &[u64]| create(w.context, &[&[TYPE, BINARY, DEVICES], list, &[0, 0]].concat());
    let own = w.device as u64;
    t.row(CL_INVALID_DEVICE, "the device list is empty", device(&[]));
    t.row(CL_INVALID_DEVICE, "the device list has two", device(&[own, own]));
    t.row(CL_INVALID_DEVICE, "the list has no device", device(&[w.queue as u64]));
    if let Some(stranger) = w.stranger {
        let condition = "the device is not one of the context's";
        t.row(CL_INVALID_DEVICE, condition, device(&[stranger as u64]));
    }
    if let Some(pair) = &w.pair {
        let condition = "a context of several devices and no device list";
        t.row(invalid, condition, create(pair.context, &good));
    }
    let opaque = u64::from(CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR);
    let exports =
        |list: &[u64]| create(w.context, &[&[TYPE, BINARY, EXPORTS], list, &[0, 0]].concat());
    t.row(CL_INVALID_VALUE, "two kinds of handle to export", exports(&[opaque, opaque]));
    t.row(invalid, "no such kind of handle to export", exports(&[0x1234]));
    let both = create(w.context, &[TYPE, BINARY, opaque, 0, EXPORTS, opaque, 0, 0]);
    t.row(CL_INVALID_OPERATION, "a handle to import and one to export", both);
    let sync = u64::from(CL_SEMAPHORE_HANDLE_SYNC_FD_KHR);
    let two = create(w.context, &[TYPE, BINARY, opaque, 0, sync, 0, 0]);
    t.row(invalid, "two handles to import", two);
}

fn object_rows(t: &mut Table, w: &World) {
    let own = semaphore(w.context);
    t.about("clRetainSemaphoreKHR");
    t.correct(unsafe { clRetainSemaphoreKHR(own) });
    t.each(CL_INVALID_SEMAPHORE_KHR, "sema_object", no_semaphores(w), |s| unsafe {
        clRetainSemaphoreKHR(s)
    });
    t.about("clReleaseSemaphoreKHR");
    t.correct(unsafe { clReleaseSemaphoreKHR(own) });
    t.each(CL_INVALID_SEMAPHORE_KHR, "sema_object", no_semaphores(w), |s| unsafe {
        clReleaseSemaphoreKHR(s)
    });
    t.about("clGetSemaphoreInfoKHR");
    let info =
        |s, name, size, place| unsafe { clGetSemaphoreInfoKHR(s, name, size, place, null_mut()) };
    t.query(CL_SEMAPHORE_CONTEXT_KHR, |name, size, place| info(own, name, size, place));
    t.each(CL_INVALID_SEMAPHORE_KHR, "sema_object", no_semaphores(w), |s| {
        info(s, CL_SEMAPHORE_TYPE_KHR, 0, null_mut())
    });

    let opaque = CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR;
    t.about("clGetSemaphoreHandleForTypeKHR");
    let mut room = 0u64;
    let place: *mut c_void = (&raw mut room).cast();
    let export = |s, device| unsafe {
        clGetSemaphoreHandleForTypeKHR(s, device, opaque, 8, place, null_mut())
    };
    t.each(CL_INVALID_SEMAPHORE_KHR, "sema_object", no_semaphores(w), |s| export(s, w.device));
    t.row(CL_INVALID_DEVICE, "device is NULL", export(own, null_mut()));
    if let Some(stranger) = w.stranger {
        t.row(CL_INVALID_DEVICE, "device is not the semaphore's", export(own, stranger));
    }
    t.row(CL_INVALID_VALUE, "the kind of handle was not asked for", export(own, w.device));

    t.about("clReImportSemaphoreSyncFdKHR");
    let reimport = |s| unsafe { clReImportSemaphoreSyncFdKHR(s, null_mut(), -1) };
    t.each(CL_INVALID_SEMAPHORE_KHR, "sema_object", no_semaphores(w), reimport);
    t.row(CL_INVALID_SEMAPHORE_KHR, "the semaphore was not imported", reimport(own));
}

/// clEnqueueWaitSemaphoresKHR and clEnqueueSignalSemaphoresKHR.
type Operate = unsafe extern "C" fn(
    cl_command_queue,
    cl_uint,
    *const cl_semaphore_khr,
    *const cl_semaphore_payload_khr,
    cl_uint,
    *const cl_event,
    *mut cl_event,
) -> cl_int;

fn command_rows(t: &mut Table, w: &World) {
    let operations: [(&str, Operate); 2] = [
        ("clEnqueueSignalSemaphoresKHR", clEnqueueSignalSemaphoresKHR),
        ("clEnqueueWaitSemaphoresKHR", clEnqueueWaitSemaphoresKHR),
    ];
    let (own, foreign) = (semaphore(w.context), semaphore(w.other.context));
    for (name, function) in operations {
        t.about(name);
        let on = |queue, count, list: *const cl_semaphore_khr, waits: Waits| unsafe {
            function(queue, count, list, null(), waits.count, waits.list, null_mut())
        };
        let call = |queue, s: cl_semaphore_khr, waits| on(queue, 1, &s, waits);
        t.correct(call(w.queue, own, Waits::NONE));
        let queues = [("NULL", null_mut()), ("a context", w.context.cast())];
        t.each(CL_INVALID_COMMAND_QUEUE, "command_queue", queues, |queue| {
            call(queue, own, Waits::NONE)
        });
        t.row(CL_INVALID_VALUE, "there are none", on(w.queue, 0, &own, Waits::NONE));
        t.row(CL_INVALID_VALUE, "the list is NULL", on(w.queue, 1, null(), Waits::NONE));
        t.each(CL_INVALID_SEMAPHORE_KHR, "a semaphore", no_semaphores(w), |s| {
            call(w.queue, s, Waits::NONE)
        });
        let condition = "a semaphore is of another context than the queue";
        t.row(CL_INVALID_CONTEXT, condition, call(w.queue, foreign, Waits::NONE));
        t.wait_lists(w, |waits| call(w.queue, own, waits));
        let condition = "the status of an event is negative";
        let failed = call(w.queue, own, Waits::on(&w.failed));
        t.row(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, condition, failed);
    }
}

fn import_rows(t: &mut Table, w: &World) {
    t.about("clImportMemoryARM");
    let mut bytes = [0u8; 64];
    let memory: *mut c_void = bytes.as_mut_ptr().cast();
    let import = |context, flags, list: &[isize], memory, size| {
        code(|e| unsafe { clImportMemoryARM(context, flags, list.as_ptr(), memory, size, e) })
    };
    let properties = |list: &[isize]| import(w.context, 0, list, memory, 64);
    t.row(CL_INVALID_CONTEXT, "context is NULL", import(null_mut(), 0, &[0], memory, 64));
    t.row(CL_INVALID_CONTEXT, "a queue", import(w.queue.cast(), 0, &[0], memory, 64));
    for flags in [CL_MEM_COPY_HOST_PTR, CL_MEM_ALLOC_HOST_PTR, 1 << 40, 3] {
        t.row(CL_INVALID_VALUE, "flags", import(w.context, flags, &[0], memory, 64));
    }
    let (kind, host) = (CL_IMPORT_TYPE_ARM, CL_IMPORT_TYPE_HOST_ARM);
    let protected = properties(&[kind, CL_IMPORT_TYPE_PROTECTED_ARM, 0]);
    t.row(CL_INVALID_PROPERTY, "protected memory", protected);
    t.row(CL_INVALID_PROPERTY, "a name is not known", properties(&[0x1234, 1, 0]));
    t.row(CL_INVALID_PROPERTY, "a name comes twice", properties(&[kind, host, kind, host, 0]));
    let consistency = CL_IMPORT_DMA_BUF_DATA_CONSISTENCY_WITH_HOST_ARM;
    t.row(CL_INVALID_PROPERTY, "no dma_buf is consistent", properties(&[consistency, 1, 0]));
    let nothing = import(w.context, 0, &[0], null_mut(), 64);
    t.row(CL_INVALID_VALUE, "memory is NULL", nothing);
    t.row(CL_INVALID_BUFFER_SIZE, "size is 0", import(w.context, 0, &[0], memory, 0));
    let beyond = import(w.context, 0, &[0], memory, usize::MAX);
    t.row(CL_INVALID_OPERATION, "nothing is mapped there", beyond);
}

/// clEnqueueAcquireExternalMemObjectsKHR and clEnqueueReleaseExternalMemObjectsKHR.
type HandOver = unsafe extern "C" fn(
    cl_command_queue,
    cl_uint,
    *const cl_mem,
    cl_uint,
    *const cl_event,
    *mut cl_event,
) -> cl_int;

fn handover_rows(t: &mut Table, w: &World) {
    let ways: [(&str, HandOver); 2] = [
        ("clEnqueueAcquireExternalMemObjectsKHR", clEnqueueAcquireExternalMemObjectsKHR),
        ("clEnqueueReleaseExternalMemObjectsKHR", clEnqueueReleaseExternalMemObjectsKHR),
    ];
    for (name, function) in ways {
        t.about(name);
        let call = |queue, count, list: *const cl_mem, waits: Waits| unsafe {
            function(queue, count, list, waits.count, waits.list, null_mut())
        };
        t.correct(call(w.queue, 0, null(), Waits::NONE));
        let queues = [("NULL", null_mut()), ("a context", w.context.cast())];
        t.each(CL_INVALID_COMMAND_QUEUE, "command_queue", queues, |queue| {
            call(queue, 0, null(), Waits::NONE)
        });
        let some = call(w.queue, 0, &w.buffer, Waits::NONE);
        t.row(CL_INVALID_VALUE, "there are none and the list is not NULL", some);
        let none = call(w.queue, 1, null(), Waits::NONE);
        t.row(CL_INVALID_VALUE, "there is one and the list is NULL", none);
        let mems = [("NULL", null_mut()), ("a queue", w.queue.cast()), ("not imported", w.buffer)];
        t.each(CL_INVALID_MEM_OBJECT, "a memory object", mems, |mem| {
            call(w.queue, 1, &mem, Waits::NONE)
        });
        t.wait_lists(w, |waits| call(w.queue, 0, null(), waits));
    }
}
