//! The built-in library: math functions in OpenCL C, embedded in the binary, analysed once per
//! process when a program first needs them.
//!
//! A function's name says what it implements: `__sin_f32` is `sin` of a float. Pointer parameters
//! are private. A unit is analysed as one text; what differs between devices (whether fma is fused)
//! is a macro, so that there is one analysed unit for each case.

use crate::sema::hir::{FunctionId, Module};
use crate::Target;
use std::collections::HashMap;
use std::sync::OnceLock;

/// A part of the library that is analysed as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Unit {
    /// Functions of float.
    Float,
    /// Functions of double.
    Double,
}

/// An analysed unit.
#[derive(Debug, Default)]
pub struct Library {
    pub module: Module,
    /// Functions by name.
    pub functions: HashMap<String, FunctionId>,
}

/// The analysed unit for a device.
pub fn unit(unit: Unit, target: &Target) -> &'static Library {
    static UNITS: [OnceLock<Library>; 4] =
        [OnceLock::new(), OnceLock::new(), OnceLock::new(), OnceLock::new()];
    let (index, fused) = match unit {
        Unit::Float => (0, target.fma32_fused),
        Unit::Double => (2, target.fma64_fused),
    };
    UNITS[index + usize::from(fused)].get_or_init(|| analyse(unit, fused))
}

fn analyse(_unit: Unit, _fused: bool) -> Library {
    Library::default()
}
