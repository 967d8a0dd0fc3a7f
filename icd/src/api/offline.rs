//! The offline compiler for programs that bring kernels to Vulkan themselves (docs/offline.md).
//!
//! The functions are written without the macro of entry points, so that cbindgen reads them for `include/hekla.h`.

use super::args;
use crate::cl::error::{ensure, Result};
use crate::cl::*;
use crate::core::offline::{OfflineProgram, Request};
use crate::dispatch::boundary;
use crate::object::Ref;
use hekla_compiler::SpecValue;
use std::borrow::Cow;
use std::ffi::{c_char, c_void, CStr};
use std::ptr::null;

/// Returns a string of C; empty for NULL.
///
/// # Safety
/// `text` is NULL or ends with a zero.
unsafe fn string<'a>(text: *const c_char) -> Cow<'a, str> {
    if text.is_null() {
        return Cow::Borrowed("");
    }
    // SAFETY: as the caller promises.
    unsafe { CStr::from_ptr(text) }.to_string_lossy()
}

/// Compiles, and tells the code of a program with errors.
///
/// # Safety
/// The places are as large as is said, and strings end with a zero.
unsafe fn compile(
    (input, input_size): (*const c_void, usize),
    info: *const hekla_compile_info,
) -> Result<(OfflineProgram, cl_int)> {
    ensure!(!input.is_null() && input_size > 0, CL_INVALID_VALUE);
    let mut request = Request {
        // SAFETY: as the caller promises.
        input: unsafe { args::slice(input.cast(), input_size) },
        options: "",
        file_name: "",
        specs: Vec::new(),
        target: HEKLA_TARGET_GENERIC,
    };
    if info.is_null() {
        return OfflineProgram::compile(&request);
    }
    // SAFETY: every version of the structure begins with its size.
    let struct_size = unsafe { info.cast::<usize>().read() };
    ensure!(struct_size == size_of::<hekla_compile_info>(), CL_INVALID_VALUE);
    // SAFETY: it is as large as it says.
    let info = unsafe { info.read() };
    // SAFETY: as the caller promises.
    let (options, file_name) = unsafe { (string(info.options), string(info.file_name)) };
    ensure!(!info.spec_values.is_null() || info.num_spec_values == 0, CL_INVALID_VALUE);
    // SAFETY: as the caller promises.
    let specs = unsafe { args::slice(info.spec_values, info.num_spec_values) };
    (request.options, request.file_name) = (&options, &file_name);
    request.specs = specs.iter().map(|spec| SpecValue { id: spec.id, bits: spec.bits }).collect();
    request.target = info.target;
    OfflineProgram::compile(&request)
}

/// Compiles a program of OpenCL C, or of OpenCL SPIR-V if the input begins with its magic number.
///
/// Neither a device nor Vulkan is needed. Several threads may compile at once; each call returns when its program is
/// compiled.
///
/// input: the text or the module; the function copies it. It need not end with a zero byte.
/// input_size: bytes of the input.
/// info: the target and the build options; NULL for HEKLA_TARGET_GENERIC without options.
/// errcode_ret: receives the code; may be NULL.
///
/// Returns a program, which the caller must release with heklaReleaseProgram, and CL_SUCCESS. A program with errors is
/// returned as well, with CL_BUILD_PROGRAM_FAILURE or, if it is the options that are wrong, CL_INVALID_BUILD_OPTIONS; it
/// has nothing but its log. Returns NULL and CL_INVALID_VALUE if input is NULL or empty, if struct_size or target of
/// info is not a known one, or if spec_values is NULL and num_spec_values is not 0; CL_OUT_OF_HOST_MEMORY if there is
/// no memory for the input; CL_OUT_OF_RESOURCES in a child of a process that uses a device. Where memory or
/// threads run short while the program is compiled, the code is CL_OUT_OF_HOST_MEMORY or CL_OUT_OF_RESOURCES, and the
/// program that is returned has nothing but its log.
#[no_mangle]
pub unsafe extern "C" fn heklaCompile(
    input: *const c_void,
    input_size: usize,
    info: *const hekla_compile_info,
    errcode_ret: *mut cl_int,
) -> hekla_program {
    let (program, code) = boundary::handle("heklaCompile", || {
        // SAFETY: the caller's places are as docs/offline.md requires.
        let (program, code) = unsafe { compile((input, input_size), info) }?;
        Ok((Ref::new(program).expose(), code))
    });
    if !errcode_ret.is_null() {
        // SAFETY: the function's documentation requires errcode_ret to be NULL or valid for writing.
        unsafe { errcode_ret.write(code) };
    }
    program
}

/// Returns a program's warnings and errors.
///
/// The text ends with a zero byte, is empty if there are none, and lives until the program is released. Any thread may
/// call this. Returns NULL for what is not a program.
#[no_mangle]
pub unsafe extern "C" fn heklaProgramLog(program: hekla_program) -> *const c_char {
    let log = || Ok(Ref::<OfflineProgram>::from_handle(program)?.log().as_ptr());
    boundary::guarded("heklaProgramLog", log).unwrap_or(null())
}

/// Returns a program's metadata as a JSON object, which docs/offline.md describes.
///
/// The text ends with a zero byte and lives until the program is released. Any thread may call this. Returns NULL for
/// a program with errors, and for what is not a program.
#[no_mangle]
pub unsafe extern "C" fn heklaProgramReflectionJson(program: hekla_program) -> *const c_char {
    let json = || {
        let program = Ref::<OfflineProgram>::from_handle(program)?;
        Ok(program.reflection().map_or(null(), |(json, _)| json.as_ptr()))
    };
    boundary::guarded("heklaProgramReflectionJson", json).unwrap_or(null())
}

/// Returns a program's metadata and the modules of its kernels.
///
/// The structure, and all that it points to, lives until the program is released; the caller must not change it. Any
/// thread may call this. Returns NULL for a program with errors, and for what is not a program.
#[no_mangle]
pub unsafe extern "C" fn heklaProgramReflection(program: hekla_program) -> *const hekla_reflection {
    let reflection = || {
        let program = Ref::<OfflineProgram>::from_handle(program)?;
        Ok(program.reflection().map_or(null(), |(_, reflection)| &raw const *reflection))
    };
    boundary::guarded("heklaProgramReflection", reflection).unwrap_or(null())
}

/// Frees a program with all that these functions returned of it.
///
/// No thread may use them during or after this call. Returns CL_SUCCESS, or CL_INVALID_PROGRAM for what is not a
/// program.
#[no_mangle]
pub unsafe extern "C" fn heklaReleaseProgram(program: hekla_program) -> cl_int {
    boundary::status("heklaReleaseProgram", || Ref::<OfflineProgram>::release(program))
}
