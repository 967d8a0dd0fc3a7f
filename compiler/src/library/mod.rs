//! The built-in library: functions in OpenCL C, among them those on numbers and on images. They are embedded in the
//! binary, and analysed once per process when a program first needs them.
//!
//! A function's name says what it implements: `__sin_f32` is `sin` of a float. Pointer parameters
//! are private. Most files are written once for both precisions, in the terms of the two preludes;
//! a unit is all files of one precision, analysed as one text. Differences between devices (whether
//! fma is fused, whether denormals of double are flushed) are macros, so that there is one analysed unit
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
    /// Functions on images, pipes and queues.
    Image,
    /// Functions that kernels with checks call.
    Check,
    /// Arithmetic of doubles on their bits.
    Soft,
}

/// An analysed unit.
#[derive(Debug, Default)]
pub struct Library {
    pub module: Module,
    /// Functions by name.
    pub functions: FxHashMap<String, FunctionId>,
    /// The log of the unit's analysis: empty, which the library's own tests check.
    pub log: String,
}

/// The differences between devices, which are macros of the library.
#[derive(Debug, Clone, Copy)]
struct Traits {
    /// True if the device's fma is one operation.
    fused: bool,
    /// True if the library scales denormal numbers up to normal ones, for devices that lose them.
    raised: bool,
    /// True if the device's 2^x of a float is accurate for every number.
    exp2: bool,
}

/// Returns the analysed unit for a device.
pub fn unit(unit: Unit, target: &Target) -> &'static Library {
    static UNITS: [OnceLock<Library>; 11] = [const { OnceLock::new() }; 11];
    let mut traits = Traits { fused: false, raised: false, exp2: false };
    let first = match unit {
        Unit::Float => {
            traits = Traits { fused: target.fma32_fused, exp2: target.exp2_wide, ..traits };
            0
        }
        Unit::Double => {
            let raised = !target.floats(Scalar::F64).keeps_denormals;
            traits = Traits { fused: target.fma64_fused, raised, ..traits };
            4
        }
        Unit::Image => 8,
        Unit::Check => 9,
        Unit::Soft => 10,
    };
    let index = first + usize::from(traits.fused) + 2 * usize::from(traits.raised || traits.exp2);
    UNITS[index].get_or_init(|| analyse(unit, traits))
}

/// The functions of float for devices with a fused fma, and the `half_` functions.
const SHORT: &str = concat!(
    include_str!("short_atan_f32.cl"),
    include_str!("short_log_f32.cl"),
    include_str!("short_exp_f32.cl"),
    include_str!("half_trig_f32.cl"),
);

/// The functions of double for devices with a fused fma that keep denormals.
const SHORT_DOUBLE: &str = concat!(
    include_str!("short_exp_f64.cl"),
    include_str!("short_log_f64.cl"),
    include_str!("short_inverse_f64.cl"),
);

/// Returns the files of a unit in order. A file uses only declarations from the files before it.
fn files(unit: Unit) -> Vec<&'static str> {
    let (prelude, coefficients, denormal, reduce, short, exact) = match unit {
        Unit::Float => (
            include_str!("prelude_f32.cl"),
            include_str!("coefficients_f32.cl"),
            "",
            include_str!("reduce_f32.cl"),
            SHORT,
            include_str!("exact_f32.cl"),
        ),
        Unit::Double => (
            concat!(include_str!("bits_f64.cl"), include_str!("prelude_f64.cl")),
            include_str!("coefficients_f64.cl"),
            concat!(include_str!("denormal_f64.cl"), include_str!("short_f64.cl")),
            include_str!("reduce_f64.cl"),
            SHORT_DOUBLE,
            include_str!("exact_f64.cl"),
        ),
        Unit::Check => return vec![include_str!("check.cl")],
        Unit::Soft => return vec![include_str!("bits_f64.cl"), include_str!("soft_f64.cl")],
        Unit::Image => {
            return vec![
                include_str!("image.cl"),
                include_str!("block.cl"),
                include_str!("pipe.cl"),
                include_str!("device_queue.cl"),
            ];
        }
    };
    vec![
        prelude,
        coefficients,
        include_str!("pair.cl"),
        include_str!("exact.cl"),
        denormal,
        reduce,
        include_str!("trig.cl"),
        include_str!("short_trig.cl"),
        include_str!("exp_log.cl"),
        include_str!("inverse.cl"),
        short,
        include_str!("power.cl"),
        include_str!("hyperbolic.cl"),
        include_str!("short_gamma.cl"),
        include_str!("special.cl"),
        exact,
    ]
}

fn analyse(unit: Unit, traits: Traits) -> Library {
    let source = Source {
        name: "<built-in library>".to_string(),
        text: files(unit).concat(),
        headers: Vec::new(),
    };
    let mut options = Options { std: ClStd::Cl30, ..Options::default() };
    let macros = [
        ("HEKLA_FUSED_FMA", traits.fused),
        ("HEKLA_RAISED_DENORMALS", traits.raised),
        ("HEKLA_EXP2", traits.exp2),
    ];
    for (name, is_so) in macros {
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
        let accurate = Target { exp2_wide: true, ..fused.clone() };
        let flushing = Target {
            float_traits: [FloatTraits { keeps_denormals: false, ..FloatTraits::IEEE }; 3],
            ..Target::generic()
        };
        for target in [Target::generic(), fused, accurate, flushing] {
            for part in [Unit::Float, Unit::Double, Unit::Image, Unit::Soft] {
                let library = unit(part, &target);
                assert_eq!(library.log, "");
                assert!(library.functions.len() > if part == Unit::Soft { 10 } else { 30 });
            }
        }
    }
}
