//! Workarounds for what drivers get wrong, each chosen by what the runtime's probe, or the driver's version, says of the
//! device ([`Target`]).
//!
//! Operations that a device gets wrong by themselves (signs, orders and conversions of [`FloatTraits`]) are legalized
//! instead; functions that would be inaccurate ([`Target::exp2_accurate`], [`Target::log2_accurate`]) are lowered
//! otherwise.
//!
//! [`FloatTraits`]: crate::target::FloatTraits

pub mod denormals;
pub mod loop_values;
pub mod packed_halves;
pub mod rotates;
pub mod sign_merge;
pub mod switch_trees;
pub mod switches;
pub mod uniform_loads;

use crate::ir::{Function, Module};
use crate::passes::Pipeline;
use crate::target::Target;

/// The names of the passes that run on modules.
pub const NAMES: [&str; 7] = [
    "loop_values",
    "packed_halves",
    "rotates",
    "sign_merge",
    "switch_trees",
    "switches",
    "uniform_loads",
];

/// Runs what goes before legalization: that may put masks in place of signs.
pub fn before_legalization(
    module: &mut Module,
    target: &Target,
    pipeline: &Pipeline<'_>,
) -> Result<(), String> {
    if target.merges_signs {
        return Ok(());
    }
    pipeline.run_on_all(module, "sign_merge", |f| sign_merge::run(f, target.float64))
}

/// Runs what goes behind legalization: that decides what loads there are.
pub fn after_legalization(
    module: &mut Module,
    target: &Target,
    pipeline: &Pipeline<'_>,
) -> Result<(), String> {
    if module.functions.values().any(switches::acts_on_subgroup) {
        pipeline.run_on_all(module, "switches", switches::run)?;
    }
    if target.sequential_switches {
        pipeline.run_on_all(module, "switch_trees", switch_trees::run)?;
    }
    if target.slow_long_rotates && target.int64 {
        pipeline.run_on_all(module, "rotates", rotates::run)?;
    }
    if target.slow_built_halves && target.float16 {
        pipeline.run_on_all(module, "packed_halves", packed_halves::run)?;
    }
    if target.unmasked_loop_values {
        pipeline.run_on_all(module, "loop_values", loop_values::run)?;
    }
    // Addresses of two words are those of other drivers.
    if !(target.unmasked_uniform_loads && target.int64) {
        return Ok(());
    }
    pipeline.run_on_all(module, "uniform_loads", uniform_loads::run)
}

/// Returns true if the rounding mode to nearest even is to be declared for 32-bit floats, in a kernel that divides such
/// or does not.
pub fn declares_nearest_32(target: &Target, divides: bool) -> bool {
    target.rounding_rte_32 && (divides || !target.rounding_rte_32_to_divide)
}

/// Runs a pass by its name on every function, for file tests. `None` if there is no such pass.
pub fn run_named(module: &mut Module, name: &str) -> Option<()> {
    let pass: fn(&mut Function) -> bool = match name {
        "loop_values" => loop_values::run,
        "packed_halves" => packed_halves::run,
        "rotates" => rotates::run,
        "sign_merge" => |f| sign_merge::run(f, true),
        "switch_trees" => switch_trees::run,
        "switches" => switches::run,
        "uniform_loads" => uniform_loads::run,
        _ => return None,
    };
    module.functions.values_mut().for_each(|func| _ = pass(func));
    Some(())
}
