//! Compiled objects and libraries, which clCompileProgram makes and clLinkProgram takes.
//!
//! An object holds the program's IR directly after lowering, with nothing inlined; entities that other
//! objects define are imports. [`Object::text`] and [`Object::read`] convert it to and from its form in
//! program binaries.

use crate::big_stack::{on_big_stack, Failure, Shortage};
use crate::ir::{parse, print, verify, KernelEntry, Kernels, Module};
use crate::options::Options;

/// The most bytes that an object's variables may take together.
const MAX_DATA: u64 = 1 << 30;

/// A compiled object, or a library of several.
#[derive(Debug, Clone, Default)]
pub struct Object {
    /// Functions, variables and kernels before any pass.
    pub module: Module,
    pub flags: ModuleFlags,
}

/// Module flags: the options of a compilation that hold for the whole object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ModuleFlags {
    /// True if infinities, NaNs and the sign of zero need not be kept.
    pub finite_only: bool,
    /// True if 32-bit denormals may be flushed.
    pub flush_denorms: bool,
    /// True if all work-groups of a launch have the same size.
    pub uniform_groups: bool,
    /// True for a library made without `-enable-link-options`: linking does not change the other flags.
    pub fixed: bool,
}

impl ModuleFlags {
    /// Returns the flags that the options of a compilation request.
    pub fn of(options: &Options) -> ModuleFlags {
        ModuleFlags {
            finite_only: options.finite_math_only && options.no_signed_zeros,
            flush_denorms: options.denorms_are_zero,
            uniform_groups: options.uniform_groups(),
            fixed: false,
        }
    }

    const FLAGS: usize = 4;

    fn each_mut(&mut self) -> [&mut bool; Self::FLAGS] {
        let ModuleFlags { finite_only, flush_denorms, uniform_groups, fixed } = self;
        [finite_only, flush_denorms, uniform_groups, fixed]
    }

    /// Returns the flags as bits, for binaries.
    pub fn bits(mut self) -> u32 {
        let flags = self.each_mut().map(|flag| u32::from(*flag));
        flags.iter().rev().fold(0, |bits, flag| bits << 1 | flag)
    }

    /// Inverts [`ModuleFlags::bits`]; `None` for unknown bits.
    pub fn from_bits(bits: u32) -> Option<ModuleFlags> {
        let mut flags = ModuleFlags::default();
        for (index, flag) in flags.each_mut().into_iter().enumerate() {
            *flag = bits >> index & 1 != 0;
        }
        (bits >> Self::FLAGS == 0).then_some(flags)
    }
}

/// The approximate number of bytes of IR text for each instruction.
const TEXT_PER_INST: usize = 40;
/// The memory in bytes to read each byte of text: three times the measured need.
const ROOM_PER_BYTE: usize = 60;

/// The reason why a text cannot be read as an object.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The text is not an object.
    #[error("{0}")]
    Invalid(String),
    /// The system lacks something.
    #[error("{}", Failure::Shortage(*.0))]
    Shortage(Shortage),
}

impl From<&str> for ReadError {
    fn from(reason: &str) -> ReadError {
        ReadError::Invalid(reason.to_string())
    }
}

impl Object {
    /// Returns the approximate size in bytes of the object's text.
    pub(crate) fn size(&self) -> usize {
        let data: usize = self
            .module
            .globals
            .values()
            .map(|global| global.init.as_ref().map_or(0, Vec::len))
            .sum();
        let insts: usize = self.module.functions.values().map(|f| f.insts.len()).sum();
        insts.saturating_mul(TEXT_PER_INST).saturating_add(data)
    }

    /// Returns the object's functions and variables as IR text. The kernels' entries are among the
    /// functions; the other metadata of kernels ([`Module::kernels`]) is not in the text.
    pub fn text(&self) -> String {
        let module = Module { kernels: Kernels::default(), ..self.module.clone() };
        print::print_module(&module, true)
    }

    /// Returns the object with a text and kernels, or the reason why they are not an object.
    pub fn read(
        text: &str,
        kernels: Vec<KernelEntry>,
        flags: ModuleFlags,
    ) -> Result<Object, ReadError> {
        let room = text.len().saturating_mul(ROOM_PER_BYTE);
        match on_big_stack(room, || read_here(text, kernels, flags)) {
            Ok(read) => read.map_err(ReadError::Invalid),
            Err(Failure::Panic) => Err(ReadError::Invalid("the reader failed".to_string())),
            Err(Failure::Shortage(shortage)) => Err(ReadError::Shortage(shortage)),
        }
    }
}

fn read_here(text: &str, kernels: Vec<KernelEntry>, flags: ModuleFlags) -> Result<Object, String> {
    let mut module = parse::parse_module(text).map_err(|error| error.to_string())?;
    module.kernels = kernels.into_iter().collect();
    let sizes = module.globals.values().map(|global| global.size);
    if sizes.fold(0, u64::saturating_add) > MAX_DATA {
        return Err("its variables are too large".to_string());
    }
    verify::verify_module(&module).map_err(|error| error.to_string())?;
    Ok(Object { module, flags })
}
