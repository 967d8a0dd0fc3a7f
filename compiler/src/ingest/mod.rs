//! From OpenCL SPIR-V, which clCreateProgramWithIL takes, to the IR, as from the front end of OpenCL C.
//!
//! A module is read in three steps. [`Il::read`] finds the instructions and checks their form and ids. The module scope
//! is then decoded in the order of the text (`module`: types, constants, variables), and last the functions that kernels
//! or other programs can reach are translated, each by a `Translator` (`function`, `blocks`). The file of an
//! instruction's kind defines its meaning; instructions with a counterpart in OpenCL C are lowered by [`crate::builtins`].
//!
//! Errors name the instruction, counted from 1. Rules that are not checked before are checked by the translation: every
//! result has the type that the module declares, so that the IR is valid. The IR's verifier checks dominance.

mod arg_types;
mod arith;
mod atomics;
mod bfloat16;
mod block_kernels;
mod blocks;
mod builtin_vars;
mod calls;
mod capabilities;
mod composite;
mod constants;
mod convert;
mod decorations;
mod device_enqueue;
mod device_queue;
mod evaluate;
mod ext_std;
mod function;
mod globals;
mod grammar;
mod groups;
mod images;
mod integer_dot;
mod intel_subgroups;
mod kernels;
mod mangled;
mod matrices;
mod memory;
mod module;
mod pipes;
mod pointers;
mod subgroups;
mod types;
mod validate;
mod words;

pub use capabilities::{capabilities, extensions, INSTRUCTION_SETS};
pub use ext_std::name as instruction_name;
pub use words::MINOR_VERSIONS;

use crate::ir::{self, verify, Scalar};
use crate::lower::ForeignModule;
use crate::options::Options;
use crate::source::Diagnostics;
use crate::target::Target;
use constants::Specs;
use decorations::Decorations;
use rspirv::spirv::{Decoration, Op};
use words::Words;

/// A module of SPIR-V from clCreateProgramWithIL, whose form has been checked.
#[derive(Debug, Clone)]
pub struct Il {
    words: Words,
    spec_constants: Vec<SpecConstant>,
}

/// A specialization constant of a module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpecConstant {
    /// The constant's SpecId.
    pub id: u32,
    /// The size of the value in bytes: 1 for a bool.
    pub size: u32,
    /// The value without specialization, zero-extended; 0 or 1 for a bool.
    pub default: u64,
}

/// The value that an application gives to a specialization constant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SpecValue {
    /// The constant's SpecId.
    pub id: u32,
    /// The bits of the value, zero-extended.
    pub bits: u64,
}

impl Il {
    /// Reads a module, whose words may have either order of bytes, and checks the form of its instructions and their ids. The
    /// error names the instruction that breaks a rule.
    pub fn read(bytes: &[u8]) -> Result<Il, String> {
        let words = Words::read(bytes)?;
        let spec_constants = spec_constants(&words)?;
        Ok(Il { words, spec_constants })
    }

    /// Returns the size of the module in bytes.
    pub(crate) fn size(&self) -> usize {
        size_of_val(self.words())
    }

    /// Returns the module's words in host order.
    pub fn words(&self) -> &[u32] {
        self.words.words()
    }

    /// Returns major and minor number of the module's version of SPIR-V.
    pub fn version(&self) -> (u32, u32) {
        self.words.version()
    }

    /// Returns the specialization constants that have a SpecId, for clSetProgramSpecializationConstant.
    pub fn spec_constants(&self) -> &[SpecConstant] {
        &self.spec_constants
    }
}

/// Finds the specialization constants.
fn spec_constants(words: &Words) -> Result<Vec<SpecConstant>, String> {
    let decorations = Decorations::read(words)?;
    let mut types = types::Types::default();
    let mut found: Vec<SpecConstant> = Vec::new();
    for inst in words.iter() {
        match inst.op {
            Op::TypeBool | Op::TypeInt | Op::TypeFloat => {
                // Unsupported types are reported when the program is built.
                let _ = types.instruction(&inst, &decorations, |_| Ok(1));
            }
            Op::SpecConstantTrue | Op::SpecConstantFalse | Op::SpecConstant => {
                let Some(id) = decorations.operand(inst.id, Decoration::SpecId) else { continue };
                let located = |message| format!("{inst}: {message}");
                let default = constants::scalar(&inst, &types, None, &Specs::default());
                let default = default.map_err(located)?.bits().unwrap_or(0);
                let ty = types.of(inst.ty).and_then(|ty| types.numeric(ty)).map_err(located)?;
                let size = if ty.scalar == Scalar::Bool { 1 } else { ty.scalar.bytes() };
                if !found.iter().any(|constant| constant.id == id) {
                    found.push(SpecConstant { id, size, default });
                }
            }
            _ => {}
        }
    }
    Ok(found)
}

/// Translates a module. If it is compiled `separate`ly, it keeps all functions and variables that other programs may link
/// to. The error is a line of a build log.
pub(crate) fn ingest(
    il: &Il,
    specs: &[SpecValue],
    options: &Options,
    target: &Target,
    separate: bool,
) -> Result<ir::Module, String> {
    let mut diags = Diagnostics::new(options);
    let out = ForeignModule::new(options, target, &mut diags);
    let decoder = module::Decoder::new(&il.words, specs, out, separate)?;
    let module = decoder.run()?;
    verify::verify_module(&module).map_err(|error| format!("the module is not valid: {error}"))?;
    Ok(module)
}
