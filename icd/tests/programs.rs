//! Programs from source: building, kernels and their arguments, binaries, launches of every shape.
// Nearly every call of the API is unsafe, for the reason that the C specification gives.
#![allow(clippy::undocumented_unsafe_blocks)]

mod common;
use common::*;
use std::ffi::c_void;
use std::ptr::{null, null_mut};

const SOURCE: &str = "
constant int table[4] = {10, 20, 30, 40};

kernel void add(global int *data, int value, local int *scratch, uchar4 small) {
    size_t i = get_global_id(0);
    scratch[get_local_id(0)] = data[i] + value;
    barrier(CLK_LOCAL_MEM_FENCE);
    data[i] = scratch[get_local_id(0)] + table[i % 4] + small.y;
}

kernel __attribute__((reqd_work_group_size(8, 2, 1))) void where(global uint *out) {
    size_t width = get_global_size(0);
    size_t x = get_global_id(0) - get_global_offset(0), y = get_global_id(1);
    out[y * width + x] = get_group_id(0) * 1000 + get_local_id(0) * 10 + get_local_id(1);
}
";

fn words(bytes: &[u8]) -> Vec<i32> {
    bytes.chunks(4).map(|c| i32::from_le_bytes(c.try_into().unwrap())).collect()
}

fn set_local(s: &Setup, kernel: cl_kernel, index: u32, size: usize) -> cl_int {
    unsafe { (s.cl.clSetKernelArg)(kernel, index, size, null()) }
}

fn run_add(s: &Setup, program: cl_program) {
    let kernel = s.kernel(program, "add");
    let mut zeros = vec![0u8; 4 * 100];
    let data = s.buffer_of(CL_MEM_COPY_HOST_PTR, &mut zeros);
    s.set(kernel, 0, &data);
    s.set(kernel, 1, &5i32);
    check(set_local(s, kernel, 2, 4 * 32));
    s.set(kernel, 3, &[0u8, 7, 0, 0]);
    check(s.launch(kernel, &[96], Some(&[32])));
    let result = words(&s.read(data, 0, 400));
    let expected: Vec<i32> =
        (0..100).map(|i| if i < 96 { 12 + 10 * (i % 4 + 1) } else { 0 }).collect();
    assert_eq!(result, expected);
    check(unsafe { (s.cl.clReleaseKernel)(kernel) });
}

#[test]
fn source_is_built_and_run() {
    let s = Setup::new();
    let program = s.program(SOURCE, "");
    run_add(&s, program);
    let status: cl_int = value(|z, p, r| unsafe {
        (s.cl.clGetProgramBuildInfo)(program, s.device, CL_PROGRAM_BUILD_STATUS, z, p, r)
    });
    assert_eq!(status, CL_BUILD_SUCCESS);
}

#[test]
fn binaries_run_like_their_source() {
    let s = Setup::new();
    let program = s.program(SOURCE, "-cl-mad-enable");
    unsafe {
        let size: usize =
            value(|z, p, r| (s.cl.clGetProgramInfo)(program, CL_PROGRAM_BINARY_SIZES, z, p, r));
        let mut binary = vec![0u8; size];
        let mut place = binary.as_mut_ptr();
        let places: *mut *mut u8 = &mut place;
        check((s.cl.clGetProgramInfo)(
            program,
            CL_PROGRAM_BINARIES,
            size_of::<usize>(),
            places.cast(),
            null_mut(),
        ));
        check((s.cl.clReleaseProgram)(program));
        let (pointer, mut status) = (binary.as_ptr(), 1);
        let program = made(|e| {
            (s.cl.clCreateProgramWithBinary)(
                s.context,
                1,
                &s.device,
                &size,
                &pointer,
                &mut status,
                e,
            )
        });
        check(status);
        check((s.cl.clBuildProgram)(program, 0, null(), null(), None, null_mut()));
        run_add(&s, program);
        binary[60] ^= 1;
        let pointer = binary.as_ptr();
        let code = refused(|e| {
            (s.cl.clCreateProgramWithBinary)(
                s.context,
                1,
                &s.device,
                &size,
                &pointer,
                &mut status,
                e,
            )
        });
        assert_eq!((code, status), (CL_INVALID_BINARY, CL_INVALID_BINARY));
    }
}

#[test]
fn failures_leave_a_log() {
    let s = Setup::new();
    let source = c"kernel void k(global int *p) {\n  p[0] = undeclared;\n}".as_ptr();
    unsafe {
        let program = made(|e| (s.cl.clCreateProgramWithSource)(s.context, 1, &source, null(), e));
        let code = (s.cl.clBuildProgram)(program, 0, null(), null(), None, null_mut());
        assert_eq!(code, CL_BUILD_PROGRAM_FAILURE);
        let log = s.build_log(program);
        assert!(log.contains(":2:") && log.contains("undeclared"), "{log}");
        let status: cl_int = value(|z, p, r| {
            (s.cl.clGetProgramBuildInfo)(program, s.device, CL_PROGRAM_BUILD_STATUS, z, p, r)
        });
        assert_eq!(status, CL_BUILD_ERROR);
        let code = refused(|e| (s.cl.clCreateKernel)(program, c"k".as_ptr(), e));
        assert_eq!(code, CL_INVALID_PROGRAM_EXECUTABLE);
        let code =
            (s.cl.clGetProgramInfo)(program, CL_PROGRAM_NUM_KERNELS, 0, null_mut(), null_mut());
        assert_eq!(code, CL_INVALID_PROGRAM_EXECUTABLE);
    }
}

#[test]
fn arguments_are_checked() {
    let s = Setup::new();
    let program = s.program(SOURCE, "-cl-kernel-arg-info");
    let kernel = s.kernel(program, "add");
    let set = |index, size, value: *const c_void| unsafe {
        (s.cl.clSetKernelArg)(kernel, index, size, value)
    };
    let word = 5u64;
    let word: *const c_void = (&word as *const u64).cast();
    assert_eq!(set(1, 8, word), CL_INVALID_ARG_SIZE);
    assert_eq!(set(1, 2, word), CL_INVALID_ARG_SIZE);
    assert_eq!(set(1, 4, null()), CL_INVALID_ARG_VALUE);
    assert_eq!(set(2, 4, word), CL_INVALID_ARG_VALUE);
    assert_eq!(set(4, 4, word), CL_INVALID_ARG_INDEX);
    assert_eq!(set(0, 4, word), CL_INVALID_ARG_SIZE);
    check(set(0, 8, null()));
    check(set(1, 4, word));
    assert_eq!(s.launch(kernel, &[64], None), CL_INVALID_KERNEL_ARGS);
    check(set_local(&s, kernel, 2, 1 << 30));
    check(set(3, 4, word));
    assert_eq!(s.launch(kernel, &[64], None), CL_OUT_OF_RESOURCES);

    let info = |index, name| {
        bytes(move |z, p, r| unsafe { (s.cl.clGetKernelArgInfo)(kernel, index, name, z, p, r) })
    };
    let number = |bytes: Vec<u8>| u32::from_le_bytes(bytes[..4].try_into().unwrap());
    assert_eq!(info(0, CL_KERNEL_ARG_NAME), b"data\0");
    assert_eq!(info(0, CL_KERNEL_ARG_TYPE_NAME), b"int*\0");
    assert_eq!(info(3, CL_KERNEL_ARG_TYPE_NAME), b"uchar4\0");
    let address = |index| number(info(index, CL_KERNEL_ARG_ADDRESS_QUALIFIER));
    assert_eq!(address(0), CL_KERNEL_ARG_ADDRESS_GLOBAL);
    assert_eq!(address(1), CL_KERNEL_ARG_ADDRESS_PRIVATE);
    assert_eq!(address(2), CL_KERNEL_ARG_ADDRESS_LOCAL);
}

#[test]
fn required_sizes_are_kept() {
    let s = Setup::new();
    let program = s.program(SOURCE, "");
    let kernel = s.kernel(program, "where");
    let out = s.buffer(0, 4 * 32 * 4);
    s.set(kernel, 0, &out);
    assert_eq!(s.launch(kernel, &[32, 4], Some(&[4, 4])), CL_INVALID_WORK_GROUP_SIZE);
    assert_eq!(s.launch(kernel, &[33, 4], None), CL_INVALID_WORK_GROUP_SIZE);
    let sizes = bytes(|z, p, r| unsafe {
        let name = CL_KERNEL_COMPILE_WORK_GROUP_SIZE;
        (s.cl.clGetKernelWorkGroupInfo)(kernel, s.device, name, z, p, r)
    });
    let expected: Vec<u8> = [8usize, 2, 1].iter().flat_map(|v| v.to_ne_bytes()).collect();
    assert_eq!(sizes, expected);
    for local in [None, Some(&[8usize, 2][..])] {
        check(s.launch(kernel, &[32, 4], local));
        let seen = words(&s.read(out, 0, 4 * 32 * 4));
        for y in 0..4 {
            for x in 0..32 {
                assert_eq!(seen[y * 32 + x], (x / 8 * 1000 + x % 8 * 10 + y % 2) as i32);
            }
        }
    }
}

#[test]
fn offsets_and_remainders() {
    let s = Setup::new();
    let source = "kernel void ids(global ulong *out, ulong width) {
        size_t x = get_global_id(0) - get_global_offset(0);
        size_t y = get_global_id(1) - get_global_offset(1);
        out[y * width + x] = get_global_id(0) + 1000 * get_global_id(1)
            + 1000000 * get_group_id(0) + 100000000 * get_local_size(0)
            + 10000000000 * get_enqueued_local_size(0);
    }";
    let program = s.program(source, "-cl-std=CL3.0");
    let kernel = s.kernel(program, "ids");
    let (width, height) = (37usize, 11usize);
    let out = s.buffer(0, 8 * width * height);
    s.set(kernel, 0, &out);
    s.set(kernel, 1, &(width as u64));
    let (offset, global, local) = ([5usize, 9], [width, height], [8usize, 4]);
    check(unsafe {
        (s.cl.clEnqueueNDRangeKernel)(
            s.queue,
            kernel,
            2,
            offset.as_ptr(),
            global.as_ptr(),
            local.as_ptr(),
            0,
            null(),
            null_mut(),
        )
    });
    let bytes = s.read(out, 0, 8 * width * height);
    let seen: Vec<u64> =
        bytes.chunks(8).map(|c| u64::from_le_bytes(c.try_into().unwrap())).collect();
    for y in 0..height {
        for x in 0..width {
            let size = if x / 8 == width / 8 { width % 8 } else { 8 };
            let expected = (x + 5)
                + 1000 * (y + 9)
                + 1_000_000 * (x / 8)
                + 100_000_000 * size
                + 10_000_000_000 * 8;
            assert_eq!(seen[y * width + x], expected as u64, "at {x}, {y}");
        }
    }
}

#[test]
fn many_arguments_travel_in_memory() {
    let s = Setup::new();
    let parameters: Vec<String> = (0..60).map(|i| format!("ulong a{i}")).collect();
    let terms: Vec<String> = (0..60).map(|i| format!("a{i} * {}", i + 1)).collect();
    let source = format!(
        "kernel void sum(global ulong *out, {}) {{ out[get_global_id(0)] = {}; }}",
        parameters.join(", "),
        terms.join(" + ")
    );
    let program = s.program(&source, "");
    let kernel = s.kernel(program, "sum");
    let outs: Vec<cl_mem> = (0..3).map(|_| s.buffer(0, 8 * 64)).collect();
    // The arguments change between launches that are under way.
    for (round, out) in outs.iter().enumerate() {
        s.set(kernel, 0, out);
        for i in 0..60u64 {
            s.set(kernel, i as u32 + 1, &(i + round as u64));
        }
        check(s.launch(kernel, &[64], None));
    }
    for (round, out) in outs.iter().enumerate() {
        let expected: u64 = (0..60u64).map(|i| (i + round as u64) * (i + 1)).sum();
        let bytes = s.read(*out, 0, 8 * 64);
        assert!(bytes.chunks(8).all(|c| c == expected.to_le_bytes()), "round {round}");
    }
}

/// clGetKernelSuggestedLocalWorkSize returns the size that a launch without a local size uses.
#[test]
fn suggested_sizes_are_those_that_launches_take() {
    type Suggest = unsafe extern "C" fn(
        cl_command_queue,
        cl_kernel,
        cl_uint,
        *const usize,
        *const usize,
        *mut usize,
    ) -> cl_int;
    let s = Setup::new();
    let suggest: Suggest = s.extension(c"clGetKernelSuggestedLocalWorkSizeKHR");
    let source = "
        kernel void any(global uint *out) {
            if (get_global_id(0) + get_global_id(1) + get_global_id(2) == 0)
                for (int d = 0; d < 3; ++d) out[d] = get_local_size(d);
        }
        __attribute__((reqd_work_group_size(4, 2, 1))) kernel void fixed(global uint *out) {
            for (int d = 0; d < 3; ++d) out[d] = get_local_size(d);
        }";
    let out = s.buffer(0, 12);
    let ranges: [&[usize]; 7] =
        [&[1], &[64], &[37], &[100_003], &[7, 13], &[512, 512], &[17, 19, 23]];
    for (options, uniform) in [("", true), ("-cl-std=CL3.0", false)] {
        let program = s.program(source, options);
        let check_range = |name: &str, global: &[usize]| {
            let kernel = s.kernel(program, name);
            s.set(kernel, 0, &out);
            let (dimensions, mut size) = (global.len(), [1usize; 3]);
            check(unsafe {
                let place = size.as_mut_ptr();
                suggest(s.queue, kernel, dimensions as u32, null(), global.as_ptr(), place)
            });
            check(s.launch(kernel, global, None));
            let used = s.read(out, 0, 12);
            let used = used.chunks(4).map(|b| u32::from_ne_bytes(b.try_into().unwrap()) as usize);
            assert!(used.eq(size), "{name} {global:?}: {size:?}");
            let divides = global.iter().zip(size).all(|(global, local)| global % local == 0);
            assert!(divides || !uniform, "{name} {global:?}: {size:?}");
            size
        };
        for global in ranges {
            check_range("any", global);
        }
        assert_eq!(check_range("fixed", &[8, 8]), [4, 2, 1]);
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
