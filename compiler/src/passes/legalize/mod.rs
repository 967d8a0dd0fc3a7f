//! Legalization: what a device has no instruction for becomes what it has instructions for.
//!
//! Runs after all other passes but structurization. What is still emulated by the emitter: 64-, 16- and 8-bit integers
//! that the device does not have, half, generic pointers, and accesses of other widths than the memory's.

mod integers;

use crate::ir::Function;
use crate::target::Target;

/// Legalizes a function for a device. Returns true if anything changed.
pub fn run(func: &mut Function, target: &Target) -> bool {
    integers::run(func, target)
}
