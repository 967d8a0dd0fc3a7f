//! Legalization: what a device has no instruction for becomes what it has instructions for.
//!
//! Runs after all other passes but structurization. What is still emulated by the emitter: 64-, 16- and 8-bit integers
//! that the device does not have, generic pointers, and accesses of other widths than the memory's.

mod conversions;
mod floats;
mod half;
mod integers;
mod work_items;

use crate::ir::Function;
use crate::target::{FloatTraits, Target};

/// Legalizes a function for a device. Returns true if anything changed.
pub fn run(func: &mut Function, target: &Target) -> bool {
    let mut changed = work_items::run(func);
    changed |= integers::run(func, target);
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
        "flushing" => Target { float16: true, float_traits: [wrong; 3], ..generic },
        _ => return None,
    })
}
