//! The offline compiler as an object: programs that are compiled without a device, with their log and all information that a
//! program needs to run them on Vulkan (docs/offline.md).

mod view;

use crate::cl::error::{fail, Result};
use crate::cl::{room, *};
use crate::object::Kind;
use hekla_compiler::{compile, compile_il, reflection};
use hekla_compiler::{Compiled, Il, Options, Program, Shortage, Source, SpecValue, Target};
use std::ffi::{CStr, CString};
use view::View;

/// The input and the parameters of a compilation.
pub struct Request<'a> {
    /// The text of OpenCL C, or a module of OpenCL SPIR-V.
    pub input: &'a [u8],
    pub options: &'a str,
    pub file_name: &'a str,
    pub specs: Vec<SpecValue>,
    /// One of the `HEKLA_TARGET_` constants.
    pub target: u32,
}

/// A compiled program, or the log of a program with errors.
pub struct OfflineProgram {
    log: CString,
    compiled: Option<(CString, View)>,
}

impl Kind for OfflineProgram {
    type Target = _hekla_program;
    const INVALID: cl_int = CL_INVALID_PROGRAM;
}

impl OfflineProgram {
    /// Compiles a program. Returns the program and a code, which is not CL_SUCCESS if the program has errors; the program then
    /// has only its log.
    ///
    /// # Errors
    /// CL_INVALID_VALUE for an unknown target.
    pub fn compile(request: &Request<'_>) -> Result<(OfflineProgram, cl_int)> {
        hekla_compiler::set_thread_start(hekla_vk_backend::block_signals);
        let target = match request.target {
            HEKLA_TARGET_GENERIC => Target::generic(),
            HEKLA_TARGET_MINIMAL => Target::minimal(),
            _ => return fail(CL_INVALID_VALUE),
        };
        let options = match Options::parse(request.options) {
            Ok(options) => options,
            Err(error) => return Ok((refused(&error.0), CL_INVALID_BUILD_OPTIONS)),
        };
        let compiled = match is_spirv(request.input) {
            true => match Il::read(request.input) {
                Ok(il) => compile_il(&il, &request.specs, &options, &target),
                Err(error) => return Ok((refused(&error), CL_BUILD_PROGRAM_FAILURE)),
            },
            false => {
                let text = room::text(room::copy(request.input)?)?;
                let source = Source { name: request.file_name.to_string(), text, headers: vec![] };
                compile(&source, &options, &target)
            }
        };
        let code = match (compiled.shortage, &compiled.program) {
            (Some(Shortage::Thread), _) => CL_OUT_OF_RESOURCES,
            (Some(Shortage::Memory), _) => CL_OUT_OF_HOST_MEMORY,
            (None, Some(_)) => CL_SUCCESS,
            (None, None) => CL_BUILD_PROGRAM_FAILURE,
        };
        Ok((OfflineProgram::of(compiled), code))
    }

    fn of(Compiled { log, program, .. }: Compiled) -> OfflineProgram {
        let compiled = program.map(|program: Program| {
            let json = c_string(reflection::json(&program, |_| None));
            (json, View::new(program))
        });
        OfflineProgram { log: c_string(log), compiled }
    }

    /// Returns the program's warnings and errors.
    pub fn log(&self) -> &CStr {
        &self.log
    }

    /// Returns the metadata as JSON and as structures of C; `None` for a program with errors.
    pub fn reflection(&self) -> Option<(&CStr, &hekla_reflection)> {
        let (json, view) = self.compiled.as_ref()?;
        Some((json, view.reflection()))
    }
}

fn refused(error: &str) -> OfflineProgram {
    OfflineProgram { log: c_string(format!("error: {error}\n")), compiled: None }
}

/// Returns a string of C with the text up to its first zero.
fn c_string(text: String) -> CString {
    let mut bytes = text.into_bytes();
    bytes.truncate(bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len()));
    CString::new(bytes).unwrap_or_default()
}

/// Returns true if a file begins with the magic number of SPIR-V, in either order of bytes.
pub fn is_spirv(bytes: &[u8]) -> bool {
    const MAGIC: [u8; 4] = hekla_spirv::MAGIC_NUMBER.to_le_bytes();
    let first: Option<[u8; 4]> = bytes.first_chunk().copied();
    first.is_some_and(|first| first == MAGIC || first.iter().rev().eq(&MAGIC))
}
