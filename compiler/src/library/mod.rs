//! The built-in library: math functions, and those on images, in OpenCL C, embedded in the binary, analysed once per
//! process when a program first needs them.
//!
//! A function's name says what it implements: `__sin_f32` is `sin` of a float. Pointer parameters
//! are private. Most files are written once for both precisions, in the terms of the two preludes;
//! a unit is all files of one precision, analysed as one text. What differs between devices (whether
//! fma is fused, whether denormals of double are flushed) is a macro, so that there is one analysed unit
//! for each case.

use crate::ir::Scalar;
use crate::options::ClStd;
use crate::options::Options;
use crate::preprocess::{preprocess, Interner};
use crate::sema::hir::{FunctionId, Module};
use crate::sema::{self, Origin};
use crate::source::Source;
use crate::source::{Diagnostics, SourceMap};
use crate::syntax;
use crate::target::Target;
use rustc_hash::FxHashMap;
use std::sync::OnceLock;

/// A part of the library that is analysed as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Unit {
    /// Functions of float.
    Float,
    /// Functions of double.
    Double,
    /// Functions on images.
    Image,
}

/// An analysed unit.
#[derive(Debug, Default)]
pub struct Library {
    pub module: Module,
    /// Functions by name.
    pub functions: FxHashMap<String, FunctionId>,
    /// The log of its analysis: empty, as the library's own tests make sure.
    pub log: String,
}

/// Returns the analysed unit for a device.
pub fn unit(unit: Unit, target: &Target) -> &'static Library {
    static UNITS: [OnceLock<Library>; 7] = [const { OnceLock::new() }; 7];
    let keeps_denormals = target.floats(Scalar::F64).keeps_denormals;
    let (index, fused, raised) = match unit {
        Unit::Float => (0, target.fma32_fused, false),
        Unit::Double if keeps_denormals => (2, target.fma64_fused, false),
        Unit::Double => (4, target.fma64_fused, true),
        Unit::Image => (6, false, false),
    };
    UNITS[index + usize::from(fused)].get_or_init(|| analyse(unit, fused, raised))
}

/// Returns the files of a unit in order; a file uses only what stands before it.
fn files(unit: Unit) -> Vec<&'static str> {
    let (prelude, coefficients, denormal, reduce, exact) = match unit {
        Unit::Float => (
            include_str!("prelude_f32.cl"),
            include_str!("coefficients_f32.cl"),
            "",
            include_str!("reduce_f32.cl"),
            include_str!("exact_f32.cl"),
        ),
        Unit::Double => (
            include_str!("prelude_f64.cl"),
            include_str!("coefficients_f64.cl"),
            include_str!("denormal_f64.cl"),
            include_str!("reduce_f64.cl"),
            include_str!("exact_f64.cl"),
        ),
        Unit::Image => return vec![include_str!("image.cl")],
    };
    vec![
        prelude,
        coefficients,
        include_str!("pair.cl"),
        include_str!("exact.cl"),
        denormal,
        reduce,
        include_str!("trig.cl"),
        include_str!("exp_log.cl"),
        include_str!("power.cl"),
        include_str!("inverse.cl"),
        include_str!("hyperbolic.cl"),
        include_str!("special.cl"),
        exact,
    ]
}

fn analyse(unit: Unit, fused: bool, raised: bool) -> Library {
    let source = Source {
        name: "<built-in library>".to_string(),
        text: files(unit).concat(),
        headers: Vec::new(),
    };
    let mut options = Options { std: ClStd::Cl30, ..Options::default() };
    for (name, is_so) in [("HEKLA_FUSED_FMA", fused), ("HEKLA_RAISED_DENORMALS", raised)] {
        options.macros.push((name.to_string(), Some(u8::from(is_so).to_string())));
    }
    let target = Target { float64: true, ..Target::generic() };
    let (mut sources, mut interner) = (SourceMap::default(), Interner::new());
    let mut diags = Diagnostics::new(&options);
    let tokens = preprocess(&source, &options, &[], &mut sources, &mut interner, &mut diags);
    let tree = syntax::parse(&tokens, &mut interner, &mut diags, &options);
    let module = sema::analyze(&tree, &interner, &options, &target, &mut diags, Origin::Library);
    let functions = module.functions.iter();
    let functions = functions.map(|(id, function)| (function.name.clone(), id)).collect();
    Library { functions, module, log: diags.render(&sources) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::FloatTraits;

    #[test]
    fn every_unit_is_free_of_diagnostics() {
        let fused = Target { fma32_fused: true, fma64_fused: true, ..Target::generic() };
        let flushing = Target {
            float_traits: [FloatTraits { keeps_denormals: false, ..FloatTraits::IEEE }; 3],
            ..Target::generic()
        };
        for target in [Target::generic(), fused, flushing] {
            for part in [Unit::Float, Unit::Double, Unit::Image] {
                let library = unit(part, &target);
                assert_eq!(library.log, "");
                assert!(library.functions.len() > 30);
            }
        }
    }
}
