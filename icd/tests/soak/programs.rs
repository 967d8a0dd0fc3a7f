//! Programs built, linked, taken from their binaries; kernels; printing.

use crate::common::*;
use crate::owned::{event, Kernel, Numbers, Owned, Program, Queue};
use crate::world::{buffer, build as built, kernel, program, queue, read, set_buffers, World};
use std::ffi::{c_char, c_void};
use std::ptr::{null, null_mut};
use std::sync::Mutex;

/// Runs a kernel with one argument, a buffer of words, and returns the first of them.
fn first_word(world: &World, queue: &Queue, kernel: &Kernel, context_buffer: bool) -> u32 {
    let mut zero = [0u8; 64];
    let (flags, host) = (CL_MEM_COPY_HOST_PTR, zero.as_mut_ptr().cast());
    let mem = match context_buffer {
        true => buffer(&world.context, flags, 64, host),
        false => world.buffer(64),
    };
    set_buffers(kernel, &[&mem]);
    let items = 1usize;
    let launched = event(&[], |n, l, e| unsafe {
        let (none, launch) = (null(), world.cl.clEnqueueNDRangeKernel);
        launch(queue.get(), kernel.get(), 1, none, &items, none, n, l, e)
    });
    let bytes = read(queue, &mem, 64, &launched);
    u32::from_le_bytes(bytes[..4].try_into().unwrap())
}

/// Returns the binaries of a program, one for each device.
fn binaries(world: &World, program: &Program) -> Vec<Vec<u8>> {
    let (get, count) = (world.cl.clGetProgramInfo, world.devices.len());
    let mut sizes = vec![0usize; count];
    let (list, size) = (sizes.as_mut_ptr().cast(), 8 * count);
    check(unsafe { get(program.get(), CL_PROGRAM_BINARY_SIZES, size, list, null_mut()) });
    let mut all: Vec<_> = sizes.into_iter().map(|size| vec![0u8; size]).collect();
    let mut places: Vec<_> = all.iter_mut().map(|bytes| bytes.as_mut_ptr()).collect();
    let list = places.as_mut_ptr().cast();
    check(unsafe { get(program.get(), CL_PROGRAM_BINARIES, size, list, null_mut()) });
    all
}

fn from_binaries(world: &World, all: &[Vec<u8>]) -> Program {
    let (count, devices) = (all.len() as u32, world.devices.as_ptr());
    let lengths: Vec<_> = all.iter().map(|bytes| bytes.len()).collect();
    let data: Vec<_> = all.iter().map(|bytes| bytes.as_ptr()).collect();
    let (create, context) = (world.cl.clCreateProgramWithBinary, world.context.get());
    let (lengths, data) = (lengths.as_ptr(), data.as_ptr());
    let program =
        made(|e| unsafe { create(context, count, devices, lengths, data, null_mut(), e) });
    let program = Owned::new(program, world.cl.clReleaseProgram);
    let build = world.cl.clBuildProgram;
    check(unsafe { build(program.get(), 0, null(), null(), None, null_mut()) });
    program
}

/// A program from source, and again from its binary.
pub fn build(world: &World, numbers: &mut Numbers) {
    // Few different programs: drivers never forget a shader that they compiled.
    let number = numbers.below(50) as u32;
    let source = format!("kernel void k(global uint *p) {{ p[0] = {number}u * 17u + 3u; }}");
    let queue = world.any_queue(numbers);
    let mut program = built(&world.context, &source);
    if numbers.once_in(2) {
        program = from_binaries(world, &binaries(world, &program));
    }
    let kernel = kernel(&program, c"k");
    drop(program);
    assert_eq!(first_word(world, &queue, &kernel, numbers.once_in(2)), number * 17 + 3);
}

/// Links two objects.
pub fn link(world: &World, numbers: &mut Numbers) {
    let (cl, number) = (world.cl, numbers.below(20) as u32);
    let sources = [
        format!("uint part(uint x) {{ return x * 5u + {number}u; }}"),
        "uint part(uint x); kernel void k(global uint *p) { p[0] = part(2u); }".to_string(),
    ];
    let objects = sources.map(|source| {
        let object = program(&world.context, &source);
        let (none, nothing) = (null_mut(), null());
        let compile = cl.clCompileProgram;
        check(unsafe { compile(object.get(), 0, null(), nothing, 0, null(), null(), None, none) });
        object
    });
    let handles = [objects[0].get(), objects[1].get()];
    let context = world.context.get();
    let linked = made(|e| unsafe {
        let list = handles.as_ptr();
        (cl.clLinkProgram)(context, 0, null(), null(), 2, list, None, null_mut(), e)
    });
    let linked = Owned::new(linked, cl.clReleaseProgram);
    let kernel = kernel(&linked, c"k");
    let queue = world.any_queue(numbers);
    assert_eq!(first_word(world, &queue, &kernel, true), 10 + number);
}

unsafe extern "C" fn keep(text: *const c_char, size: usize, _complete: usize, kept: *mut c_void) {
    let text = unsafe { std::slice::from_raw_parts(text.cast::<u8>(), size) };
    unsafe { &*kept.cast::<Mutex<Vec<u8>>>() }.lock().unwrap().extend_from_slice(text);
}

/// Kernels that print, in a context with a callback for it.
pub fn print(world: &World, numbers: &mut Numbers) {
    let (cl, device) = (world.cl, world.any_device(numbers));
    let kept = Mutex::new(Vec::<u8>::new());
    let callback = keep as *const () as isize;
    let properties = [CL_PRINTF_CALLBACK_ARM as isize, callback, 0];
    let data = (&raw const kept).cast_mut().cast();
    let context =
        made(|e| unsafe { (cl.clCreateContext)(properties.as_ptr(), 1, &device, None, data, e) });
    let context = Owned::new(context, cl.clReleaseContext);
    let source = "kernel void k(int n) { printf(\"%d\\n\", n); }";
    let kernel = kernel(&built(&context, source), c"k");
    let out_of_order = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
    let queue = queue(&context, device, if numbers.once_in(2) { out_of_order } else { 0 });
    let times = 1 + numbers.below(30);
    for number in 0..times as i32 {
        let items = 1usize;
        unsafe {
            check((cl.clSetKernelArg)(kernel.get(), 0, 4, (&raw const number).cast()));
            let (none, launch) = (null(), cl.clEnqueueNDRangeKernel);
            check(launch(queue.get(), kernel.get(), 1, none, &items, none, 0, null(), null_mut()));
        }
    }
    check(unsafe { (cl.clFinish)(queue.get()) });
    let text = String::from_utf8(kept.lock().unwrap().clone()).unwrap();
    let mut lines: Vec<usize> = text.lines().map(|line| line.parse().unwrap()).collect();
    lines.sort_unstable();
    assert!(lines.into_iter().eq(0..times));
}
