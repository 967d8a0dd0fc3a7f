//! Legalization: what a device has no instruction for becomes what it has instructions for.
//!
//! Runs after all other passes but structurization. What is still emulated by the emitter: 64-, 16- and 8-bit integers
//! that the device does not have, half, and accesses of other widths than the memory's.

mod atomics;
mod generic;
mod integers;
mod split;

use crate::ir::{Func, Module};
use crate::target::Target;

/// Legalizes all functions for a device. Returns those that have changed.
pub fn run(module: &mut Module, target: &Target) -> Vec<Func> {
    let spaces = generic::spaces_of_functions(module);
    let mut changed = Vec::new();
    for (id, func) in module.functions.iter_mut() {
        let mut is_changed = integers::run(func, target);
        is_changed |= generic::run(func, spaces[id]);
        if is_changed {
            changed.push(id);
        }
    }
    changed
}
