//! Kernels (5.9): creation, arguments, queries.

use crate::prelude::*;
use std::ffi::CStr;

pub fn rows(t: &mut Table, w: &World) {
    create_rows(t, w);
    let kernel = CL_INVALID_KERNEL;
    t.about("clRetainKernel");
    t.correct(unsafe { clRetainKernel(w.kernel) });
    t.each(kernel, "kernel", w.no_kernels(), |k| unsafe { clRetainKernel(k) });
    t.about("clReleaseKernel");
    t.correct(unsafe { clReleaseKernel(w.kernel) });
    t.each(kernel, "kernel", w.no_kernels(), |k| unsafe { clReleaseKernel(k) });
    t.about("clCloneKernel");
    let clone = |kernel| code(|e| unsafe { clCloneKernel(kernel, e) });
    t.correct(clone(w.kernel));
    t.each(kernel, "source_kernel", w.no_kernels(), clone);
    argument_rows(t, w);
    pointer_rows(t, w);
    device_pointer_rows(t, w);
    exec_info_rows(t, w);
    query_rows(t, w);
    device_query_rows(t, w);
    crate::sub_groups::rows(t, w);
    suggestion_rows(t, w);
}

fn create_rows(t: &mut Table, w: &World) {
    let broken = w.source(c"kernel void none(void) { return 1 +; }");
    unsafe { clBuildProgram(broken, 0, null(), null(), None, null_mut()) };
    let unbuilt = [("not built", w.source(c"kernel void none(void) {}")), ("broken", broken)];

    t.about("clCreateKernel");
    let create =
        |program, name: &CStr| code(|e| unsafe { clCreateKernel(program, name.as_ptr(), e) });
    t.correct(create(w.program, c"none"));
    t.each(CL_INVALID_PROGRAM, "program", w.no_programs(), |p| create(p, c"none"));
    t.each(CL_INVALID_PROGRAM_EXECUTABLE, "program", unbuilt, |p| create(p, c"none"));
    for name in [c"nobody", c"", c"None"] {
        let condition = "kernel_name is not found in the program";
        t.row(CL_INVALID_KERNEL_NAME, condition, create(w.program, name));
    }
    let nameless = code(|e| unsafe { clCreateKernel(w.program, null(), e) });
    t.row(CL_INVALID_VALUE, "kernel_name is NULL", nameless);
    differing_rows(t, w);

    t.about("clCreateKernelsInProgram");
    let create = |program, room, count: *mut cl_uint| unsafe {
        let mut kernels = [null_mut(); 8];
        let list = if room == u32::MAX { null_mut() } else { kernels.as_mut_ptr() };
        clCreateKernelsInProgram(program, room, list, count)
    };
    let mut count = 0;
    t.correct(create(w.program, u32::MAX, &mut count));
    t.correct(create(w.program, count, null_mut()));
    t.each(CL_INVALID_PROGRAM, "program", w.no_programs(), |p| create(p, 8, null_mut()));
    t.each(CL_INVALID_PROGRAM_EXECUTABLE, "program", unbuilt, |p| create(p, 8, null_mut()));
    for room in [0, count - 1] {
        let condition = "num_kernels is less than the number of kernels";
        t.row(CL_INVALID_VALUE, condition, create(w.program, room, null_mut()));
    }
}

/// Adds rows of a kernel whose arguments differ between devices.
fn differing_rows(t: &mut Table, w: &World) {
    let Some(pair) = &w.pair else { return };
    let source = c"#ifdef TWO
        kernel void k(global int *a, int b) {}
        #else
        kernel void k(global int *a) {}
        #endif";
    let text = source.as_ptr();
    let program = crate::world::made(|e| unsafe {
        clCreateProgramWithSource(pair.context, 1, &text, null(), e)
    });
    let devices = [w.device, w.stranger.unwrap()];
    for (device, options) in devices.iter().zip([c"", c"-DTWO"]) {
        let (options, n) = (options.as_ptr(), null_mut());
        let built = unsafe { clBuildProgram(program, 1, device, options, None, n) };
        assert_eq!(built, CL_SUCCESS);
    }
    let got = code(|e| unsafe { clCreateKernel(program, c"k".as_ptr(), e) });
    t.row(CL_INVALID_KERNEL_DEFINITION, "devices differ in the arguments", got);
}

fn argument_rows(t: &mut Table, w: &World) {
    t.about("clSetKernelArg");
    let set = |kernel, index, size, value: *const c_void| unsafe {
        clSetKernelArg(kernel, index, size, value)
    };
    let kernel = w.kernel_named(c"value");
    let pointer = size_of::<cl_mem>();
    let buffer = |mem: &cl_mem| (&raw const *mem).cast::<c_void>();
    let number = 7i32;
    let number: *const c_void = (&raw const number).cast();
    t.correct(set(kernel, 0, pointer, buffer(&w.buffer)));
    t.correct(set(kernel, 0, pointer, buffer(&null_mut())));
    t.correct(set(kernel, 0, pointer, null()));
    t.correct(set(kernel, 1, 4, number));
    t.correct(set(kernel, 2, 64, null()));
    // Since OpenCL 3.1.
    t.correct(set(kernel, 2, 0, null()));
    t.each(CL_INVALID_KERNEL, "kernel", w.no_kernels(), |k| set(k, 1, 4, number));
    for index in [3, u32::MAX] {
        let got = set(kernel, index, 4, number);
        t.row(CL_INVALID_ARG_INDEX, "arg_index is not a valid argument index", got);
    }
    let stranger = set(kernel, 0, pointer, buffer(&w.other.buffer));
    t.row(CL_INVALID_CONTEXT, "the memory object is of another context", stranger);
    t.each(CL_INVALID_MEM_OBJECT, "the memory object", w.no_buffers().into_iter().skip(1), |mem| {
        set(kernel, 0, pointer, buffer(&mem))
    });
    let size = CL_INVALID_ARG_SIZE;
    for wrong in [0, 4, 16] {
        let got = set(kernel, 0, wrong, buffer(&w.buffer));
        t.row(size, "arg_size is not that of a memory object", got);
    }
    for wrong in [0, 2, 8] {
        t.row(size, "arg_size is not that of the argument's type", set(kernel, 1, wrong, number));
    }
    let value = CL_INVALID_ARG_VALUE;
    t.row(value, "arg_value of a value is NULL", set(kernel, 1, 4, null()));
    t.row(value, "arg_value of a local argument is not NULL", set(kernel, 2, 64, number));
}

/// Returns true if the device under test has shared virtual memory.
fn shares(w: &World) -> bool {
    let shared = unsafe { clSVMAlloc(w.context, CL_MEM_READ_WRITE, 64, 0) };
    unsafe { clSVMFree(w.context, shared) };
    !shared.is_null()
}

fn pointer_rows(t: &mut Table, w: &World) {
    t.about("clSetKernelArgSVMPointer");
    let set = |kernel, index| unsafe { clSetKernelArgSVMPointer(kernel, index, null()) };
    let kernel = w.kernel_named(c"value");
    t.each(CL_INVALID_KERNEL, "kernel", w.no_kernels(), |k| set(k, 0));
    if !shares(w) {
        t.row(CL_INVALID_OPERATION, "no device supports SVM", set(kernel, 0));
        return;
    }
    t.correct(set(kernel, 0));
    t.row(CL_INVALID_ARG_INDEX, "arg_index is not a valid argument index", set(kernel, 3));
    for index in [1, 2] {
        let condition = "the argument is no pointer to global or constant memory";
        t.row(CL_INVALID_ARG_VALUE, condition, set(kernel, index));
    }
}

/// cl_ext_buffer_device_address, which every device offers.
fn device_pointer_rows(t: &mut Table, w: &World) {
    t.about("clSetKernelArgDevicePointerEXT");
    let set = |kernel, index| unsafe { clSetKernelArgDevicePointerEXT(kernel, index, 0) };
    let kernel = w.kernel_named(c"value");
    t.correct(set(kernel, 0));
    t.each(CL_INVALID_KERNEL, "kernel", w.no_kernels(), |k| set(k, 0));
    t.row(CL_INVALID_ARG_INDEX, "arg_index is not a valid argument index", set(kernel, 3));
    for index in [1, 2] {
        let condition = "the argument is no pointer to global memory";
        t.row(CL_INVALID_ARG_INDEX, condition, set(kernel, index));
    }
}

fn exec_info_rows(t: &mut Table, w: &World) {
    t.about("clSetKernelExecInfo");
    let set = |kernel, name, size, value: *const c_void| unsafe {
        clSetKernelExecInfo(kernel, name, size, value)
    };
    let (pointers, system) =
        (CL_KERNEL_EXEC_INFO_SVM_PTRS, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM);
    let (no, yes, list) = (CL_FALSE, CL_TRUE, [null::<c_void>()]);
    let bool = |value: &cl_bool| (&raw const *value).cast();
    let list = list.as_ptr().cast();
    t.correct(set(w.kernel, system, 4, bool(&no)));
    t.each(CL_INVALID_KERNEL, "kernel", w.no_kernels(), |k| set(k, system, 4, bool(&no)));
    if w.reaches_system() {
        t.correct(set(w.kernel, system, 4, bool(&yes)));
        t.correct(set(w.kernel, system, 4, bool(&no)));
    } else {
        let condition = "no device supports fine-grain system SVM";
        t.row(CL_INVALID_OPERATION, condition, set(w.kernel, system, 4, bool(&yes)));
    }
    let value = CL_INVALID_VALUE;
    t.row(value, "param_name is not valid", set(w.kernel, 0x7777, 4, bool(&no)));
    let condition = "param_value is NULL and param_value_size is not 0";
    t.row(value, condition, set(w.kernel, system, 4, null()));
    for size in [0, 1, 8] {
        let got = set(w.kernel, system, size, bool(&no));
        t.row(value, "param_value_size is not valid", got);
    }
    if !shares(w) {
        t.row(CL_INVALID_OPERATION, "no device supports SVM", set(w.kernel, pointers, 8, list));
        return;
    }
    t.correct(set(w.kernel, pointers, 8, list));
    t.correct(set(w.kernel, pointers, 0, null()));
    t.row(value, condition, set(w.kernel, pointers, 8, null()));
    t.row(value, "param_value_size is not valid", set(w.kernel, pointers, 7, list));
}

fn query_rows(t: &mut Table, w: &World) {
    t.about("clGetKernelInfo");
    let info = |kernel, name, size, place| unsafe {
        clGetKernelInfo(kernel, name, size, place, null_mut())
    };
    t.query(CL_KERNEL_NUM_ARGS, |name, size, place| info(w.kernel, name, size, place));
    let all = CL_KERNEL_FUNCTION_NAME..=CL_KERNEL_ATTRIBUTES;
    t.answered(all, |name, size, place| info(w.kernel, name, size, place));
    t.each(CL_INVALID_KERNEL, "kernel", w.no_kernels(), |kernel| {
        info(kernel, CL_KERNEL_NUM_ARGS, 0, null_mut())
    });

    t.about("clGetKernelArgInfo");
    let info = |kernel, index, name, size, place| unsafe {
        clGetKernelArgInfo(kernel, index, name, size, place, null_mut())
    };
    let address = CL_KERNEL_ARG_ADDRESS_QUALIFIER;
    let kernel = w.kernel_named(c"value");
    t.query(address, |name, size, place| info(kernel, 0, name, size, place));
    for index in 0..3 {
        let all = address..=CL_KERNEL_ARG_NAME;
        t.answered(all, |name, size, place| info(kernel, index, name, size, place));
    }
    t.each(CL_INVALID_KERNEL, "kernel", w.no_kernels(), |k| info(k, 0, address, 0, null_mut()));
    let got = info(kernel, 3, address, 0, null_mut());
    t.row(CL_INVALID_ARG_INDEX, "arg_index is not a valid argument index", got);
    let program = w.source(c"kernel void k(global int *data) {}");
    let plain = crate::world::made(|e| unsafe {
        let (options, n) = (null(), null_mut());
        assert_eq!(clBuildProgram(program, 0, null(), options, None, n), CL_SUCCESS);
        clCreateKernel(program, c"k".as_ptr(), e)
    });
    let condition = "the program was built without -cl-kernel-arg-info";
    let got = info(plain, 0, address, 0, null_mut());
    t.row(CL_KERNEL_ARG_INFO_NOT_AVAILABLE, condition, got);
}

fn device_query_rows(t: &mut Table, w: &World) {
    t.about("clGetKernelWorkGroupInfo");
    let info = |kernel, device, name, size, place| unsafe {
        clGetKernelWorkGroupInfo(kernel, device, name, size, place, null_mut())
    };
    let size = CL_KERNEL_WORK_GROUP_SIZE;
    t.query(size, |name, size, place| info(w.kernel, w.device, name, size, place));
    let all = size..=CL_KERNEL_PRIVATE_MEM_SIZE;
    t.answered(all, |name, size, place| info(w.kernel, w.device, name, size, place));
    t.correct(info(w.kernel, null_mut(), size, 0, null_mut()));
    t.each(CL_INVALID_KERNEL, "kernel", w.no_kernels(), |k| info(k, w.device, size, 0, null_mut()));
    t.each(CL_INVALID_DEVICE, "device", w.no_devices().into_iter().skip(1), |device| {
        info(w.kernel, device, size, 0, null_mut())
    });
    let global = info(w.kernel, w.device, CL_KERNEL_GLOBAL_WORK_SIZE, 0, null_mut());
    t.row(CL_INVALID_VALUE, "CL_KERNEL_GLOBAL_WORK_SIZE of a kernel that is not built in", global);
    if let (Some(stranger), Some(pair)) = (w.stranger, &w.pair) {
        let got = info(w.kernel, stranger, size, 0, null_mut());
        t.row(CL_INVALID_DEVICE, "device is not of the kernel", got);
        let got = info(pair.kernel, null_mut(), size, 0, null_mut());
        t.row(CL_INVALID_DEVICE, "device is NULL and the kernel has several", got);
    }
}

/// Arguments of clGetKernelSuggestedLocalWorkSize.
#[derive(Clone, Copy)]
struct Suggestion {
    queue: cl_command_queue,
    kernel: cl_kernel,
    dimensions: cl_uint,
    offset: Option<[usize; 3]>,
    global: Option<[usize; 3]>,
    place: *mut usize,
}

fn suggestion_rows(t: &mut Table, w: &World) {
    t.about("clGetKernelSuggestedLocalWorkSize");
    let call = |s: Suggestion| unsafe {
        let sizes = |sizes: &Option<[usize; 3]>| sizes.as_ref().map_or(null(), |s| s.as_ptr());
        let (offset, global) = (sizes(&s.offset), sizes(&s.global));
        clGetKernelSuggestedLocalWorkSize(s.queue, s.kernel, s.dimensions, offset, global, s.place)
    };
    let mut local = [0; 3];
    let (dimensions, offset) = (3, None);
    let (queue, kernel, place) = (w.queue, w.kernel, local.as_mut_ptr());
    let good = Suggestion { queue, kernel, dimensions, offset, global: Some([64; 3]), place };
    t.correct(call(good));
    t.each(CL_INVALID_COMMAND_QUEUE, "command_queue", w.no_queues(), |queue| {
        call(Suggestion { queue, ..good })
    });
    t.each(CL_INVALID_KERNEL, "kernel", w.no_kernels(), |k| call(Suggestion { kernel: k, ..good }));
    let condition = "queue and kernel are of different contexts";
    t.row(CL_INVALID_CONTEXT, condition, call(Suggestion { kernel: w.other.kernel, ..good }));
    if let Some((queue, kernel)) = built_elsewhere(w) {
        let condition = "there is no executable for the queue's device";
        t.row(CL_INVALID_PROGRAM_EXECUTABLE, condition, call(Suggestion { queue, kernel, ..good }));
    }
    let unset = w.kernel_named(c"value");
    let got = call(Suggestion { kernel: unset, ..good });
    t.row(CL_INVALID_KERNEL_ARGS, "arguments of the kernel are not set", got);
    for dimensions in [0, 4, u32::MAX] {
        let got = call(Suggestion { dimensions, ..good });
        t.row(CL_INVALID_WORK_DIMENSION, "work_dim is not valid", got);
    }
    let far = Suggestion { offset: Some([0, usize::MAX - 8, 0]), ..good };
    t.row(CL_INVALID_GLOBAL_OFFSET, "offset and size exceed size_t", call(far));
    let size = CL_INVALID_GLOBAL_WORK_SIZE;
    t.row(size, "global_work_size is NULL", call(Suggestion { global: None, ..good }));
    for empty in 0..3 {
        let mut global = [64; 3];
        global[empty] = 0;
        let global = Some(global);
        t.row(size, "a global size is 0", call(Suggestion { global, ..good }));
    }
    let nowhere = call(Suggestion { place: null_mut(), ..good });
    t.row(CL_INVALID_VALUE, "suggested_local_work_size is NULL", nowhere);
}

/// Returns a queue and a kernel that is not built for its device.
pub fn built_elsewhere(w: &World) -> Option<(cl_command_queue, cl_kernel)> {
    let pair = w.pair.as_ref()?;
    let text = c"kernel void none(void) {}".as_ptr();

    unsafe {
        let program =
            crate::world::made(|e| clCreateProgramWithSource(pair.context, 1, &text, null(), e));
        let stranger = w.stranger?;
        let n = null_mut();
        assert_eq!(clBuildProgram(program, 1, &stranger, null(), None, n), CL_SUCCESS);
        let kernel = crate::world::made(|e| clCreateKernel(program, c"none".as_ptr(), e));
        Some((pair.queue, kernel))
    }
}
