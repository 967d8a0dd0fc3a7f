//! The offline compiler for programs that bring kernels to Vulkan themselves (docs/offline.md).

use super::args;
use crate::cl::error::{ensure, Result};
use crate::cl::*;
use crate::core::offline::{OfflineProgram, Request};
use crate::dispatch::boundary::entry;
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

entry! {
    /// Compiles OpenCL C or OpenCL SPIR-V. A program with errors is given too, for its log.
    fn heklaCompile(
        input: *const c_void,
        input_size: usize,
        info: *const hekla_compile_info,
    ) -> outcome hekla_program {
        // SAFETY: the caller's places are as docs/offline.md requires.
        let (program, code) = unsafe { compile((input, input_size), info) }?;
        Ok((Ref::new(program).expose(), code))
    }

    /// Returns a program's warnings and errors; NULL for what is no program.
    fn heklaProgramLog(program: hekla_program) -> value *const c_char, or null(); {
        Ok(Ref::<OfflineProgram>::from_handle(program)?.log().as_ptr())
    }

    /// Returns a program's metadata as JSON; NULL for one with errors.
    fn heklaProgramReflectionJson(program: hekla_program) -> value *const c_char, or null(); {
        let program = Ref::<OfflineProgram>::from_handle(program)?;
        Ok(program.reflection().map_or(null(), |(json, _)| json.as_ptr()))
    }

    /// Returns a program's metadata and modules; NULL for one with errors.
    fn heklaProgramReflection(program: hekla_program)
        -> value *const hekla_reflection, or null(); {
        let program = Ref::<OfflineProgram>::from_handle(program)?;
        Ok(program.reflection().map_or(null(), |(_, reflection)| &raw const *reflection))
    }

    /// Frees a program with all that it gave.
    fn heklaReleaseProgram(program: hekla_program) -> status {
        Ref::<OfflineProgram>::release(program)
    }
}
