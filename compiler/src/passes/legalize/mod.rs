//! Legalization: what a device has no instruction for becomes what it has instructions for.
//!
//! Runs after all other passes but structurization. What is still emulated by the emitter: generic pointers, accesses of
//! other widths than the memory's, and atomic operations.

mod check;
mod conversions;
mod floats;
mod half;
mod int64;
mod integers;
mod narrow;

pub use check::debug_check;

use crate::ir::{Func, Function, Module};
use crate::passes::simplify;
use crate::target::{FloatTraits, Target};

/// Legalizes all functions for a device. Returns those that have changed.
pub fn run(module: &mut Module, target: &Target) -> Vec<Func> {
    let results = if target.int64 { Default::default() } else { int64::results(module) };
    let Module { functions, globals, .. } = module;
    let mut changed = Vec::new();
    for (id, func) in functions.iter_mut() {
        let mut is_changed = operations(func, target);
        if !target.int64 && int64::run(func, &results) {
            simplify::run_on_integers(func, globals);
            is_changed = true;
        }
        if !(target.int8 && target.int16) {
            is_changed |= narrow::run(func, target);
        }
        if is_changed {
            changed.push(id);
        }
    }
    changed
}

/// Legalizes the operations of a function, but for the types that they are of.
fn operations(func: &mut Function, target: &Target) -> bool {
    let mut changed = integers::run(func, target);
    changed |= floats::run(func, target);
    if !target.float16 {
        changed |= half::store_as_bits(func);
    }
    changed
}

/// Returns a kind of device by its name in file tests.
pub(super) fn device(name: &str) -> Option<Target> {
    let generic = Target::generic();
    let wrong =
        FloatTraits { sign_alone: false, keeps_denormals: false, widens: false, orders: false };
    Some(match name {
        "minimal" => Target::minimal(),
        "half" => Target { float16: true, ..generic },
        "no_int64" => Target { int64: false, ..generic },
        "no_int8" => Target { int8: false, ..generic },
        "flushing" => Target { float16: true, float_traits: [wrong; 3], ..generic },
        _ => return None,
    })
}
