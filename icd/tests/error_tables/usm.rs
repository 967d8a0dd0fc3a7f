//! Unified shared memory (cl_intel_unified_shared_memory).

use crate::prelude::*;
use crate::svm::{copy_rows, fill_rows};
use crate::world::SIZE;

pub fn rows(t: &mut Table, w: &World) {
    alloc_rows(t, w);
    let memory =
        code_of(|e| unsafe { clDeviceMemAllocINTEL(w.context, w.device, null(), SIZE, 0, e) });
    info_rows(t, w, memory);
    arg_rows(t, w, memory);
    exec_info_rows(t, w);
    copy_rows(t, w, ("clEnqueueMemcpyINTEL", clEnqueueMemcpyINTEL), memory);
    fill_rows(t, w, ("clEnqueueMemFillINTEL", clEnqueueMemFillINTEL), memory);
    hint_rows(t, w, memory);
    free_rows(t, w, memory);
}

/// Returns the memory that a correct call allocates.
fn code_of(allocate: impl FnOnce(*mut cl_int) -> *mut c_void) -> *mut c_void {
    let mut code = 1;
    let memory = allocate(&mut code);
    assert_eq!(code, CL_SUCCESS);
    memory
}

/// Returns a capability of the device under test.
fn capability(w: &World, name: cl_device_info) -> u64 {
    let mut value = 0u64;
    let place = (&raw mut value).cast();
    assert_eq!(unsafe { clGetDeviceInfo(w.device, name, 8, place, null_mut()) }, CL_SUCCESS);
    value
}

/// Returns true if the device under test has memory in common with the host.
fn has_common(w: &World) -> bool {
    capability(w, CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL) != 0
}

/// Arguments of the functions that allocate.
#[derive(Clone, Copy)]
struct Allocating {
    context: cl_context,
    device: cl_device_id,
    properties: *const u64,
    size: usize,
    alignment: cl_uint,
}

type Allocate = unsafe fn(Allocating, *mut cl_int) -> *mut c_void;

fn alloc_rows(t: &mut Table, w: &World) {
    let placements: &[u64] =
        &[CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL, CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL];
    let both = &[placements[0] | placements[1]];
    let of_host: Allocate =
        |a, e| unsafe { clHostMemAllocINTEL(a.context, a.properties, a.size, a.alignment, e) };
    let of_device: Allocate = |a, e| unsafe {
        clDeviceMemAllocINTEL(a.context, a.device, a.properties, a.size, a.alignment, e)
    };
    let shared: Allocate = |a, e| unsafe {
        clSharedMemAllocINTEL(a.context, a.device, a.properties, a.size, a.alignment, e)
    };
    let condition = "no device has such memory";
    for (name, allocate, wrong_flags) in [
        ("clHostMemAllocINTEL", of_host, placements),
        ("clSharedMemAllocINTEL", shared, both),
        ("clDeviceMemAllocINTEL", of_device, placements),
    ] {
        t.about(name);
        let is_device = name == "clDeviceMemAllocINTEL";
        if is_device || has_common(w) {
            kind_rows(t, w, allocate, wrong_flags);
        } else {
            let (context, device) = (w.context, w.device);
            let plain = Allocating { context, device, properties: null(), size: 4, alignment: 0 };
            let got = code(|e| unsafe { allocate(plain, e) });
            t.row(CL_INVALID_OPERATION, condition, got);
        }
        if name == "clHostMemAllocINTEL" {
            continue;
        }
        let call = |context, device| {
            let a = Allocating { context, device, properties: null(), size: 4, alignment: 0 };
            code(|e| unsafe { allocate(a, e) })
        };
        // NULL is a wrong device; for shared memory it means no particular device.
        let wrong = w.no_devices().split_off(usize::from(!is_device));
        t.each(CL_INVALID_DEVICE, "device", wrong, |device| call(w.context, device));
        if let Some(stranger) = w.stranger {
            let got = call(w.context, stranger);
            t.row(CL_INVALID_DEVICE, "the device is not the context's", got);
        }
    }
}

/// Adds the rows of one function, for a device that has its kind of memory.
fn kind_rows(t: &mut Table, w: &World, allocate: Allocate, wrong_flags: &[u64]) {
    let (context, device) = (w.context, w.device);
    let good = Allocating { context, device, properties: null(), size: SIZE, alignment: 0 };
    let call = |a: Allocating| {
        let mut code = 1;
        let got = unsafe { allocate(a, &mut code) };
        assert_eq!(got.is_null(), code != CL_SUCCESS, "NULL is returned exactly with an error");
        if !got.is_null() {
            assert_eq!(unsafe { clMemFreeINTEL(a.context, got) }, CL_SUCCESS);
        }
        code
    };
    t.correct(call(good));
    let name = u64::from(CL_MEM_ALLOC_FLAGS_INTEL);
    let combined = [name, CL_MEM_ALLOC_WRITE_COMBINED_INTEL, 0];
    t.correct(call(Allocating { properties: combined.as_ptr(), ..good }));
    t.correct(call(Allocating { properties: [0].as_ptr(), ..good }));
    t.each(CL_INVALID_CONTEXT, "context", w.no_contexts(), |context| {
        call(Allocating { context, ..good })
    });
    for alignment in [1, 2, 64, 128] {
        t.correct(call(Allocating { alignment, ..good }));
    }
    let value = CL_INVALID_VALUE;
    for alignment in [3, 96] {
        let got = call(Allocating { alignment, ..good });
        t.row(value, "alignment is not zero or a power of two", got);
    }
    let got = call(Allocating { alignment: 256, ..good });
    t.row(value, "alignment is greater than the size of the largest data type", got);
    let property = CL_INVALID_PROPERTY;
    let with = |list: &[u64]| call(Allocating { properties: list.as_ptr(), ..good });
    t.row(property, "a property name is not supported", with(&[0x7777, 1, 0]));
    t.row(property, "a property name comes twice", with(&[name, 0, name, 0, 0]));
    t.row(property, "the value of a property is not valid", with(&[name, 1 << 20, 0]));
    for flags in wrong_flags {
        t.row(property, "the flags are not for this function", with(&[name, *flags, 0]));
    }
    let size = CL_INVALID_BUFFER_SIZE;
    t.row(size, "size is 0", call(Allocating { size: 0, ..good }));
    for huge in [usize::MAX, usize::MAX / 2] {
        let got = call(Allocating { size: huge, ..good });
        t.row(size, "size is greater than CL_DEVICE_MAX_MEM_ALLOC_SIZE", got);
    }
}

fn info_rows(t: &mut Table, w: &World, memory: *mut c_void) {
    t.about("clGetMemAllocInfoINTEL");
    let info = |context, name, size, place| unsafe {
        clGetMemAllocInfoINTEL(context, memory, name, size, place, null_mut())
    };
    t.query(CL_MEM_ALLOC_BASE_PTR_INTEL, |name, size, place| info(w.context, name, size, place));
    let all =
        (CL_MEM_ALLOC_TYPE_INTEL..=CL_MEM_ALLOC_DEVICE_INTEL).chain([CL_MEM_ALLOC_FLAGS_INTEL]);
    t.answered(all, |name, size, place| info(w.context, name, size, place));
    t.each(CL_INVALID_CONTEXT, "context", w.no_contexts(), |context| {
        info(context, CL_MEM_ALLOC_TYPE_INTEL, 0, null_mut())
    });
}

fn arg_rows(t: &mut Table, w: &World, memory: *mut c_void) {
    t.about("clSetKernelArgMemPointerINTEL");
    let set = |kernel, index, value: *const c_void| unsafe {
        clSetKernelArgMemPointerINTEL(kernel, index, value)
    };
    let kernel = w.kernel_named(c"value");
    for value in [memory, memory.wrapping_byte_add(4), null_mut(), 5 as *mut c_void] {
        t.correct(set(kernel, 0, value));
    }
    t.each(CL_INVALID_KERNEL, "kernel", w.no_kernels(), |kernel| set(kernel, 0, memory));
    for index in [3, u32::MAX] {
        t.row(CL_INVALID_ARG_INDEX, "arg_index is not valid", set(kernel, index, memory));
    }
    let condition = "the argument is no pointer to global or constant memory";
    for index in [1, 2] {
        t.row(CL_INVALID_ARG_VALUE, condition, set(kernel, index, memory));
    }
}

fn exec_info_rows(t: &mut Table, w: &World) {
    t.about("clSetKernelExecInfo");
    let set = |name, size, value: *const c_void| unsafe {
        clSetKernelExecInfo(w.kernel, name, size, value)
    };
    let (on, list) = (CL_TRUE, [null::<c_void>(), null()]);
    let (on, list): (*const c_void, *const c_void) = ((&raw const on).cast(), list.as_ptr().cast());
    let value = CL_INVALID_VALUE;
    t.correct(set(CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL, 16, list));
    t.correct(set(CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL, 0, null()));
    let condition = "param_value_size is not valid";
    t.row(value, condition, set(CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL, 7, list));
    let device = CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL;
    for name in [
        CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL,
        device,
        CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL,
    ] {
        if name != device && !has_common(w) {
            t.row(CL_INVALID_OPERATION, "no device has such memory", set(name, 4, on));
            continue;
        }
        t.correct(set(name, 4, on));
        t.row(value, "param_value is NULL", set(name, 4, null()));
        for size in [1, 8] {
            t.row(value, condition, set(name, size, on));
        }
    }
}

fn hint_rows(t: &mut Table, w: &World, memory: *mut c_void) {
    t.about("clEnqueueMigrateMemINTEL");
    let migrate = |queue, flags, waits: Waits| unsafe {
        let (count, list) = (waits.count, waits.list);
        clEnqueueMigrateMemINTEL(queue, memory, SIZE, flags, count, list, null_mut())
    };
    for flags in 0..4 {
        t.correct(migrate(w.queue, flags, Waits::NONE));
    }
    t.each(CL_INVALID_COMMAND_QUEUE, "command_queue", w.no_queues(), |queue| {
        migrate(queue, 0, Waits::NONE)
    });
    let condition = "flags are not supported";
    t.row(CL_INVALID_VALUE, condition, migrate(w.queue, 1 << 20, Waits::NONE));
    t.wait_lists(w, |waits| migrate(w.queue, 0, waits));

    t.about("clEnqueueMemAdviseINTEL");
    let advise = |queue, advice, waits: Waits| unsafe {
        let (count, list) = (waits.count, waits.list);
        clEnqueueMemAdviseINTEL(queue, memory, SIZE, advice, count, list, null_mut())
    };
    t.correct(advise(w.queue, 0, Waits::NONE));
    t.each(CL_INVALID_COMMAND_QUEUE, "command_queue", w.no_queues(), |queue| {
        advise(queue, 0, Waits::NONE)
    });
    for advice in [1, 0x4208, 0x420F] {
        let got = advise(w.queue, advice, Waits::NONE);
        t.row(CL_INVALID_VALUE, "advice is not supported", got);
    }
    t.wait_lists(w, |waits| advise(w.queue, 0, waits));
}

fn free_rows(t: &mut Table, w: &World, memory: *mut c_void) {
    type Free = unsafe extern "C" fn(cl_context, *mut c_void) -> cl_int;
    let functions: [(&str, Free); 2] =
        [("clMemBlockingFreeINTEL", clMemBlockingFreeINTEL), ("clMemFreeINTEL", clMemFreeINTEL)];
    for (name, free) in functions {
        t.about(name);
        let call = |context, pointer| unsafe { free(context, pointer) };
        t.correct(call(w.context, null_mut()));
        t.each(CL_INVALID_CONTEXT, "context", w.no_contexts(), |context| call(context, memory));
        let value = CL_INVALID_VALUE;
        let condition = "ptr is no value that an allocation returned";
        for wrong in
            [memory.wrapping_byte_add(1), 8 as *mut c_void, (&raw const value).cast_mut().cast()]
        {
            t.row(value, condition, call(w.context, wrong));
        }
        t.row(value, "ptr is another context's", call(w.other.context, memory));
    }
    t.correct(unsafe { clMemFreeINTEL(w.context, memory) });
    t.row(CL_INVALID_VALUE, "ptr is free already", unsafe { clMemFreeINTEL(w.context, memory) });
}
