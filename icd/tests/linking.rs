//! Separate compilation: embedded headers, libraries, binaries of objects, and every error of
//! clCompileProgram and clLinkProgram.
// Nearly every call of the API is unsafe, for the reason that the C specification gives.
#![allow(clippy::undocumented_unsafe_blocks)]

mod common;
use common::*;
use std::ffi::CStr;
use std::ptr::{null, null_mut};

const MAIN: &CStr = c"
#include <scale.h>
kernel void run(global int *data) { data[get_global_id(0)] = scale(data[get_global_id(0)]); }";
const HEADER: &CStr = c"int scale(int x);";
const SCALE: &CStr = c"constant int factor = 3; int scale(int x) { return factor * x; }";

fn source(s: &Setup, text: &CStr) -> cl_program {
    let pointer = text.as_ptr();
    made(|e| unsafe { (s.cl.clCreateProgramWithSource)(s.context, 1, &pointer, null(), e) })
}

/// Compiles with HEADER as scale.h.
fn compile(s: &Setup, program: cl_program, options: &CStr) -> cl_int {
    let (header, name) = (source(s, HEADER), c"scale.h".as_ptr());
    let (none, data) = (None, null_mut());
    unsafe {
        (s.cl.clCompileProgram)(program, 0, null(), options.as_ptr(), 1, &header, &name, none, data)
    }
}

fn compiled(s: &Setup, text: &CStr) -> cl_program {
    let program = source(s, text);
    check(compile(s, program, c""));
    program
}

/// Returns the results of clLinkProgram: the program and the code.
fn link(s: &Setup, options: &CStr, inputs: &[cl_program]) -> (cl_program, cl_int) {
    let (mut code, count) = (1, inputs.len() as u32);
    let program = unsafe {
        (s.cl.clLinkProgram)(
            s.context,
            0,
            null(),
            options.as_ptr(),
            count,
            inputs.as_ptr(),
            None,
            null_mut(),
            &mut code,
        )
    };
    (program, code)
}

fn info<T: Copy>(s: &Setup, program: cl_program, name: u32) -> T {
    value(|z, p, r| unsafe { (s.cl.clGetProgramBuildInfo)(program, s.device, name, z, p, r) })
}

/// Returns a program made from the binary of another program.
fn reloaded(s: &Setup, program: cl_program) -> cl_program {
    unsafe {
        let size: usize =
            value(|z, p, r| (s.cl.clGetProgramInfo)(program, CL_PROGRAM_BINARY_SIZES, z, p, r));
        let mut binary = vec![0u8; size];
        let mut place = binary.as_mut_ptr();
        let places: *mut *mut u8 = &mut place;
        let all = size_of::<usize>();
        let query = s.cl.clGetProgramInfo;
        check(query(program, CL_PROGRAM_BINARIES, all, places.cast(), null_mut()));
        let (pointer, mut status) = (binary.as_ptr(), 1);
        let create = s.cl.clCreateProgramWithBinary;
        made(|e| create(s.context, 1, &s.device, &size, &pointer, &mut status, e))
    }
}

fn run(s: &Setup, program: cl_program) {
    let kernel = s.kernel(program, "run");
    let data = s.buffer_of(CL_MEM_COPY_HOST_PTR, &mut [2, 0, 0, 0, 5, 0, 0, 0]);
    s.set(kernel, 0, &data);
    check(s.launch(kernel, &[2], None));
    assert_eq!(s.read(data, 0, 8), [6, 0, 0, 0, 15, 0, 0, 0]);
    check(unsafe { (s.cl.clReleaseKernel)(kernel) });
}

#[test]
fn objects_and_libraries_run() {
    let s = Setup::new();
    let (main, scale) = (compiled(&s, MAIN), compiled(&s, SCALE));
    assert_eq!(info::<u32>(&s, main, CL_PROGRAM_BINARY_TYPE), 1);
    let (library, code) = link(&s, c"-create-library -enable-link-options", &[scale]);
    check(code);
    assert_eq!(info::<u32>(&s, library, CL_PROGRAM_BINARY_TYPE), 2);
    let inputs = [
        [main, scale],
        [main, library],
        [reloaded(&s, main), reloaded(&s, library)],
        [reloaded(&s, scale), main],
    ];
    for inputs in inputs {
        let (program, code) = link(&s, c"-cl-fast-relaxed-math", &inputs);
        check(code);
        assert_eq!(info::<u32>(&s, program, CL_PROGRAM_BINARY_TYPE), 4);
        run(&s, program);
        let again = reloaded(&s, program);
        check(unsafe { (s.cl.clBuildProgram)(again, 0, null(), null(), None, null_mut()) });
        run(&s, again);
        let build = unsafe { (s.cl.clBuildProgram)(program, 0, null(), null(), None, null_mut()) };
        assert_eq!(build, CL_INVALID_OPERATION);
        check(unsafe { (s.cl.clReleaseProgram)(program) });
    }
    let object = reloaded(&s, scale);
    let build = unsafe { (s.cl.clBuildProgram)(object, 0, null(), null(), None, null_mut()) };
    assert_eq!(build, CL_INVALID_BINARY);
    assert_eq!(compile(&s, object, c""), CL_INVALID_OPERATION);
}

#[test]
fn failures_have_a_log() {
    let s = Setup::new();
    let bad = source(&s, c"int f(void) { return undeclared; }");
    assert_eq!(compile(&s, bad, c""), CL_COMPILE_PROGRAM_FAILURE);
    assert!(s.build_log(bad).contains("undeclared"));
    assert_eq!(info::<u32>(&s, bad, CL_PROGRAM_BINARY_TYPE), 0);
    assert_eq!(compile(&s, bad, c"-bogus"), CL_INVALID_COMPILER_OPTIONS);
    let main = compiled(&s, MAIN);
    let (program, code) = link(&s, c"", &[main]);
    assert_eq!(code, CL_LINK_PROGRAM_FAILURE);
    assert_eq!(s.build_log(program), "error: undefined symbol: scale (referenced by run)\n");
    assert_eq!(info::<cl_int>(&s, program, CL_PROGRAM_BUILD_STATUS), CL_BUILD_ERROR);
    for options in [c"-bogus", c"-enable-link-options", c"-cl-std=CL1.2"] {
        assert_eq!(link(&s, options, &[main]), (null_mut(), CL_INVALID_LINKER_OPTIONS));
    }
    let plain = source(&s, SCALE);
    assert_eq!(link(&s, c"", &[main, plain]), (null_mut(), CL_INVALID_OPERATION));
    assert_eq!(link(&s, c"", &[]), (null_mut(), CL_INVALID_VALUE));
    assert_eq!(link(&s, c"", &[main, null_mut()]), (null_mut(), CL_INVALID_PROGRAM));
    let other = Setup::new();
    let foreign = compiled(&other, SCALE);
    assert_eq!(link(&s, c"", &[main, foreign]), (null_mut(), CL_INVALID_CONTEXT));
    let name = c"scale.h".as_ptr();
    let compile = |count, header: *const cl_program, name| unsafe {
        let options = c"".as_ptr();
        let data = null_mut();
        (s.cl.clCompileProgram)(main, 0, null(), options, count, header, name, None, data)
    };
    assert_eq!(compile(1, &foreign, &name), CL_INVALID_CONTEXT);
    assert_eq!(compile(1, &null_mut(), &name), CL_INVALID_PROGRAM);
    assert_eq!(compile(1, &plain, null()), CL_INVALID_VALUE);
    assert_eq!(compile(0, &plain, null()), CL_INVALID_VALUE);
}

/// Returns the number of bytes of a program's binary for the device.
fn binary(s: &Setup, program: cl_program) -> Vec<u8> {
    let query = s.cl.clGetProgramInfo;
    unsafe {
        let size: usize = value(|z, p, r| query(program, CL_PROGRAM_BINARY_SIZES, z, p, r));
        let mut binary = vec![0u8; size];
        let mut place = binary.as_mut_ptr();
        let (places, all): (*mut *mut u8, _) = (&mut place, size_of::<usize>());
        check(query(program, CL_PROGRAM_BINARIES, all, places.cast(), null_mut()));
        binary
    }
}

#[test]
fn damaged_binaries_are_refused() {
    let s = Setup::new();
    let (main, scale) = (compiled(&s, MAIN), compiled(&s, SCALE));
    let (library, code) = link(&s, c"-create-library", &[scale]);
    check(code);
    let (executable, code) = link(&s, c"", &[main, scale]);
    check(code);
    let load = |bytes: &[u8]| {
        let (pointer, size, mut status, mut code) = (bytes.as_ptr(), bytes.len(), 1, 1);
        let create = s.cl.clCreateProgramWithBinary;
        let program =
            unsafe { create(s.context, 1, &s.device, &size, &pointer, &mut status, &mut code) };
        assert_eq!(program.is_null(), code != CL_SUCCESS);
        (code, status)
    };
    for program in [main, library, executable] {
        let good = binary(&s, program);
        assert_eq!(load(&good), (CL_SUCCESS, CL_SUCCESS));
        let refused = (CL_INVALID_BINARY, CL_INVALID_BINARY);
        for at in 0..good.len() {
            let mut bad = good.clone();
            bad[at] ^= 1 << (at % 8);
            assert_eq!(load(&bad), refused, "byte {at} of {}", good.len());
            if at > 0 {
                assert_eq!(load(&good[..at]), refused, "{at} bytes of {}", good.len());
            }
        }
        assert_eq!(load(&[&good[..], &[0]].concat()), refused);
    }
}

#[test]
fn every_documented_option_is_taken() {
    let s = Setup::new();
    let text = |program, name| {
        text(|z, p, r| unsafe { (s.cl.clGetProgramBuildInfo)(program, s.device, name, z, p, r) })
    };
    // The options of OpenCL API 5.8.6, each alone and all together.
    let compiling = [
        "-D NAME",
        "-DNAME=2",
        "-I /tmp",
        "-I/tmp",
        "-cl-single-precision-constant",
        "-cl-denorms-are-zero",
        "-cl-opt-disable",
        "-cl-strict-aliasing",
        "-cl-uniform-work-group-size",
        "-cl-no-subgroup-ifp",
        "-cl-mad-enable",
        "-cl-no-signed-zeros",
        "-cl-finite-math-only",
        "-cl-unsafe-math-optimizations",
        "-cl-fast-relaxed-math",
        "-w",
        "-Werror",
        "-cl-std=CL1.1",
        "-cl-std=CL1.2",
        "-cl-std=CL3.0",
        "-cl-kernel-arg-info",
        "-g",
    ];
    let all = compiling.join(" ");
    for options in compiling.iter().copied().chain([all.as_str(), "", "  "]) {
        let program = s.program("kernel void k(global int *p) { *p = 1; }", options);
        assert_eq!(text(program, CL_PROGRAM_BUILD_OPTIONS), options);
        check(unsafe { (s.cl.clReleaseProgram)(program) });
    }
    // Section 5.8.7: options for libraries, and options that may change in linking.
    let object = compiled(&s, SCALE);
    let linking = [
        "-create-library",
        "-create-library -enable-link-options",
        "-cl-denorms-are-zero",
        "-cl-no-signed-zeros",
        "-cl-unsafe-math-optimizations",
        "-cl-finite-math-only",
        "-cl-fast-relaxed-math",
        "-cl-no-subgroup-ifp",
    ];
    for options in linking {
        let list = std::ffi::CString::new(options).unwrap();
        let (program, code) = link(&s, &list, &[object]);
        check(code);
        assert_eq!(text(program, CL_PROGRAM_BUILD_OPTIONS), options);
    }
}
