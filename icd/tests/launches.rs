//! Launches of a kernel from a program binary: arguments, local sizes, order, and the binaries themselves. (The
//! compiler's crate tests kernels from source.)
// Nearly every call of the API is unsafe, for the reason that the C specification gives.
#![allow(clippy::undocumented_unsafe_blocks)]

mod common;
use common::*;
use hekla_compiler::{compile, compile_to_linked, Options, Source};
use std::ptr::{null, null_mut};

const SQUARE: &str = "kernel void square(global uint *in, global uint *out) {
    size_t i = get_global_id(0);
    out[i] = in[i] * in[i];
}";

/// Returns the kernel of a binary for the first device that another library has written.
fn square_kernel(s: &Setup) -> (cl_program, cl_kernel) {
    let device = &hekla::api::platform().devices()[0];
    let bytes = {
        use hekla::core::program::binary::{linked, write, Content};
        let target = &device.gpu().unwrap().target;
        let source = Source { text: SQUARE.into(), ..Source::default() };
        let options = Options::default();
        let object = compile_to_linked(&source, &options, target).object.unwrap();
        // The library has another key: it must not use this SPIR-V.
        let mut program = compile(&source, &options, target).program.unwrap();
        program.kernels[0].spirv.truncate(7);
        write(Content::Executable(&program, Some(&linked(&object))), target, &[0; 32])
    };
    let (length, pointer, mut status) = (bytes.len(), bytes.as_ptr(), 1);
    unsafe {
        let program = made(|e| {
            (s.cl.clCreateProgramWithBinary)(
                s.context,
                1,
                &s.device,
                &length,
                &pointer,
                &mut status,
                e,
            )
        });
        check(status);
        check((s.cl.clBuildProgram)(program, 0, null(), null(), None, null_mut()));
        (program, s.kernel(program, "square"))
    }
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks(4).map(|c| u32::from_le_bytes(c.try_into().unwrap())).collect()
}

fn bytes_of(words: impl Iterator<Item = u32>) -> Vec<u8> {
    words.flat_map(u32::to_le_bytes).collect()
}

#[test]
fn a_kernel_runs_with_every_local_size() {
    let s = Setup::new();
    let (program, kernel) = square_kernel(&s);
    let count = 1 << 14;
    let mut input = bytes_of(0..count);
    let a = s.buffer_of(CL_MEM_COPY_HOST_PTR, &mut input);
    let b = s.buffer(0, input.len());
    s.set(kernel, 0, &a);
    s.set(kernel, 1, &b);
    let expected: Vec<u32> = (0..count).map(|i: u32| i.wrapping_mul(i)).collect();
    for local in [None, Some(1usize), Some(32), Some(64), Some(128)] {
        s.write(b, true, 0, &vec![0; input.len()]);
        let local = local.map(|l| [l]);
        check(s.launch(kernel, &[count as usize], local.as_ref().map(|l| l.as_slice())));
        assert!(words(&s.read(b, 0, input.len())) == expected, "{local:?}");
    }
    unsafe {
        check((s.cl.clReleaseKernel)(kernel));
        check((s.cl.clReleaseProgram)(program));
    }
}

#[test]
fn launches_keep_their_order_and_arguments() {
    let s = Setup::new();
    let (_, kernel) = square_kernel(&s);
    let mut input = bytes_of([3; 256].into_iter());
    let buffers: Vec<cl_mem> = (0..5)
        .map(|i| match i {
            0 => s.buffer_of(CL_MEM_COPY_HOST_PTR, &mut input),
            _ => s.buffer(0, 1024),
        })
        .collect();
    // Each launch reads what the one before it wrote; the arguments change in between.
    for pair in buffers.windows(2) {
        s.set(kernel, 0, &pair[0]);
        s.set(kernel, 1, &pair[1]);
        check(s.launch(kernel, &[256], Some(&[64])));
    }
    let expected = (0..4).fold(3u32, |x, _| x.wrapping_mul(x));
    // Released buffers stay while commands use them.
    for buffer in &buffers[..4] {
        check(unsafe { (s.cl.clReleaseMemObject)(*buffer) });
    }
    assert!(words(&s.read(buffers[4], 0, 1024)).iter().all(|w| *w == expected));
}

#[test]
fn arguments_that_are_set_again_are_checked_again() {
    let s = Setup::new();
    let program = s.program(
        "kernel void k(global uint *out, uint value, local uint *words) {
             words[get_local_id(0)] = value;
             out[get_global_id(0)] += words[get_local_id(0)];
         }
         kernel void samples(sampler_t s, read_only image2d_t image, global float *out) { *out = read_imagef(image, s, (int2)(0, 0)).x; }",
        "",
    );
    let kernel = s.kernel(program, "k");
    let place = |value: &u32| (&raw const *value).cast();
    let handle = |mem: &cl_mem| (&raw const *mem).cast();
    let set = |index, size, value| unsafe { (s.cl.clSetKernelArg)(kernel, index, size, value) };
    let (pointer, buffers) = (size_of::<cl_mem>(), [s.buffer(0, 256), s.buffer(0, 256)]);
    for buffer in buffers {
        s.write(buffer, true, 0, &[0; 256]);
    }
    for (value, size) in [(5, 256), (6, 256), (7, 512)] {
        for buffer in [&buffers[0], &buffers[0], &buffers[1]] {
            check(set(0, pointer, handle(buffer)));
            check(set(1, 4, place(&value)));
            check(set(2, size, null()));
            check(s.launch(kernel, &[64], Some(&[64])));
        }
    }
    assert_eq!(words(&s.read(buffers[0], 0, 256)), [2 * (5 + 6 + 7); 64]);
    assert_eq!(words(&s.read(buffers[1], 0, 256)), [5 + 6 + 7; 64]);
    assert_eq!(set(0, 4, handle(&buffers[1])), CL_INVALID_ARG_SIZE);
    assert_eq!(set(1, 4, null()), CL_INVALID_ARG_VALUE);
    assert_eq!(set(1, 3, place(&0)), CL_INVALID_ARG_SIZE);
    assert_eq!(set(2, 512, place(&0)), CL_INVALID_ARG_VALUE);
    // Calls that were refused have not changed the arguments.
    check(s.launch(kernel, &[64], Some(&[64])));
    assert_eq!(words(&s.read(buffers[1], 0, 256)), [5 + 6 + 7 + 7; 64]);
    check(unsafe { (s.cl.clReleaseMemObject)(buffers[1]) });
    assert_eq!(set(0, pointer, handle(&buffers[1])), CL_INVALID_MEM_OBJECT);
    check(set(0, pointer, null()));
    assert_eq!(set(0, pointer, handle(&buffers[1])), CL_INVALID_MEM_OBJECT);

    if value::<cl_bool>(|size, place, size_ret| unsafe {
        (s.cl.clGetDeviceInfo)(s.device, CL_DEVICE_IMAGE_SUPPORT, size, place, size_ret)
    }) == CL_FALSE
    {
        skip("in part: the device has no images");
        return;
    }
    let kernel = s.kernel(program, "samples");
    let (addressing, filter) = (CL_ADDRESS_CLAMP, CL_FILTER_NEAREST);
    let sampler =
        made(|e| unsafe { (s.cl.clCreateSampler)(s.context, CL_FALSE, addressing, filter, e) });
    s.set(kernel, 0, &sampler);
    s.set(kernel, 0, &sampler);
    let set = |size| unsafe { (s.cl.clSetKernelArg)(kernel, 0, size, handle(&sampler.cast())) };
    assert_eq!(set(4), CL_INVALID_ARG_SIZE);
    check(unsafe { (s.cl.clReleaseSampler)(sampler) });
    assert_eq!(set(pointer), CL_INVALID_SAMPLER);
}

#[test]
fn many_launches_in_a_row() {
    let s = Setup::new();
    let (_, kernel) = square_kernel(&s);
    let mut input = bytes_of([1; 256].into_iter());
    let a = s.buffer_of(CL_MEM_COPY_HOST_PTR, &mut input);
    s.set(kernel, 0, &a);
    s.set(kernel, 1, &a);
    for _ in 0..5000 {
        check(s.launch(kernel, &[256], None));
    }
    s.finish();
    assert!(words(&s.read(a, 0, 1024)).iter().all(|w| *w == 1));
}

#[test]
fn launch_errors() {
    let s = Setup::new();
    let (_, kernel) = square_kernel(&s);
    let a = s.buffer(0, 4096);
    let set = |index, size, value: *const cl_mem| unsafe {
        (s.cl.clSetKernelArg)(kernel, index, size, value.cast())
    };
    assert_eq!(s.launch(kernel, &[64], None), CL_INVALID_KERNEL_ARGS);
    assert_eq!(set(2, 8, &a), CL_INVALID_ARG_INDEX);
    assert_eq!(set(0, 4, &a), CL_INVALID_ARG_SIZE);
    assert_eq!(set(0, 8, &s.queue.cast()), CL_INVALID_MEM_OBJECT);
    let other = Setup::new();
    let foreign = other.buffer(0, 64);
    assert_eq!(set(0, 8, &foreign), CL_INVALID_CONTEXT);
    check(set(0, 8, &a));
    check(set(1, 8, &a));
    check(s.launch(kernel, &[0], None));
    assert_eq!(s.launch(kernel, &[64], Some(&[0])), CL_INVALID_WORK_GROUP_SIZE);
    assert_eq!(s.launch(kernel, &[64], Some(&[1 << 20])), CL_INVALID_WORK_ITEM_SIZE);
    // Work-groups of OpenCL C 1.2 are uniform.
    assert_eq!(s.launch(kernel, &[65], Some(&[64])), CL_INVALID_WORK_GROUP_SIZE);
    assert_eq!(s.launch(kernel, &[1, 1, 1, 1], None), CL_INVALID_WORK_DIMENSION);
    assert_eq!(s.launch(kernel, &[], None), CL_INVALID_WORK_DIMENSION);
    let code = unsafe {
        (s.cl.clEnqueueNDRangeKernel)(
            other.queue,
            kernel,
            1,
            null(),
            [1usize].as_ptr(),
            null(),
            0,
            null(),
            null_mut(),
        )
    };
    assert_eq!(code, CL_INVALID_CONTEXT);
    let code = refused(|e| unsafe {
        let program: cl_program =
            value(|z, p, r| (s.cl.clGetKernelInfo)(kernel, CL_KERNEL_PROGRAM, z, p, r));
        (s.cl.clCreateKernel)(program, c"no_such_kernel".as_ptr(), e)
    });
    assert_eq!(code, CL_INVALID_KERNEL_NAME);
}

#[test]
fn programs_and_kernels_tell_about_themselves() {
    let s = Setup::new();
    let (program, kernel) = square_kernel(&s);
    unsafe {
        let sizes: usize =
            value(|z, p, r| (s.cl.clGetProgramInfo)(program, CL_PROGRAM_BINARY_SIZES, z, p, r));
        let mut binary = vec![0u8; sizes];
        let mut place = binary.as_mut_ptr();
        let place: *mut *mut u8 = &mut place;
        check((s.cl.clGetProgramInfo)(
            program,
            CL_PROGRAM_BINARIES,
            size_of::<*mut u8>(),
            place.cast(),
            null_mut(),
        ));
        assert!(binary.starts_with(b"HEKLABIN"));
        let names =
            text(|z, p, r| (s.cl.clGetProgramInfo)(program, CL_PROGRAM_KERNEL_NAMES, z, p, r));
        assert_eq!(names, "square");
        // Kernels hold their program.
        check((s.cl.clReleaseProgram)(program));
        let owner: cl_program =
            value(|z, p, r| (s.cl.clGetKernelInfo)(kernel, CL_KERNEL_PROGRAM, z, p, r));
        assert_eq!(owner, program);
        let code = (s.cl.clBuildProgram)(owner, 0, null(), null(), None, null_mut());
        assert_eq!(code, CL_INVALID_OPERATION);
        let name = text(|z, p, r| (s.cl.clGetKernelInfo)(kernel, CL_KERNEL_FUNCTION_NAME, z, p, r));
        assert_eq!(name, "square");
        let args: u32 =
            value(|z, p, r| (s.cl.clGetKernelInfo)(kernel, CL_KERNEL_NUM_ARGS, z, p, r));
        assert_eq!(args, 2);
        let code =
            (s.cl.clGetKernelArgInfo)(kernel, 0, CL_KERNEL_ARG_NAME, 0, null_mut(), null_mut());
        assert_eq!(code, CL_KERNEL_ARG_INFO_NOT_AVAILABLE);
        let size: usize = value(|z, p, r| {
            let name = CL_KERNEL_WORK_GROUP_SIZE;
            (s.cl.clGetKernelWorkGroupInfo)(kernel, s.device, name, z, p, r)
        });
        assert!(size >= 128);
        check((s.cl.clReleaseKernel)(kernel));
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
