//! Workarounds for errors of drivers. Each is selected by what the runtime's probe found or by the driver's version
//! ([`Target`]).
//!
//! Single operations that a device computes wrong (signs, orders and conversions of [`FloatTraits`]) are legalized instead.
//! Functions that would be inaccurate ([`Target::exp2_accurate`], [`Target::log2_accurate`]) are lowered in another way.
//!
//! [`FloatTraits`]: crate::target::FloatTraits

pub mod denormals;
pub mod loop_values;
pub mod minima;
pub mod packed_halves;
pub mod rotates;
pub mod sign_merge;
pub mod switch_trees;
pub mod switches;
pub mod uniform_loads;
pub mod volatile_order;
pub mod word_rotates;

use crate::ir::Module;
use crate::passes::{self, function_passes, Pipeline};
use crate::target::Target;
use hekla_device::Quirks;

function_passes! {
    /// Passes that run before legalization, since legalization may replace signs by masks.
    BEFORE_LEGALIZATION:
    SIGN_MERGE = "sign_merge" when |_, target| !target.merges_signs,
        |func, c| sign_merge::run(func, c.target.has_native_doubles());
}

function_passes! {
    /// Passes that run after legalization, since legalization decides which loads there are.
    AFTER_LEGALIZATION:
    SWITCHES = "switches" when |module, _| module.functions.values().any(switches::acts_on_subgroup),
        |func, _| switches::run(func);
    SWITCH_TREES = "switch_trees" when |_, target| target.has(Quirks::SEQUENTIAL_SWITCHES),
        |func, _| switch_trees::run(func);
    ROTATES = "rotates" when |_, target| target.has(Quirks::SLOW_LONG_ROTATES) && target.int64,
        |func, _| rotates::run(func);
    WORD_ROTATES = "word_rotates" when |_, target| target.has(Quirks::SUBTRACTED_ROTATES),
        |func, _| word_rotates::run(func);
    PACKED_HALVES = "packed_halves" when |_, target| target.has(Quirks::SLOW_BUILT_HALVES) && target.float16,
        |func, _| packed_halves::run(func);
    MINIMA = "minima" when |_, target| target.has(Quirks::ORDERED_ZEROS),
        |func, _| minima::run(func);
    LOOP_VALUES = "loop_values" when |_, target| target.has(Quirks::UNMASKED_LOOP_VALUES),
        |func, _| loop_values::run(func);
    VOLATILE_ORDER = "volatile_order" when |_, target| target.has(Quirks::UNORDERED_VOLATILE),
        |func, _| volatile_order::run(func);
    // Drivers with this quirk have 64-bit integers, so addresses are not pairs of words.
    UNIFORM_LOADS = "uniform_loads" when |_, target| target.has(Quirks::UNMASKED_UNIFORM_LOADS) && target.int64,
        |func, _| uniform_loads::run(func);
}

/// Returns the names of the passes that run on modules.
pub fn names() -> Vec<&'static str> {
    let all = BEFORE_LEGALIZATION.iter().chain(AFTER_LEGALIZATION);
    all.map(|pass| pass.name).collect()
}

/// Runs the passes that come before legalization.
pub fn before_legalization(module: &mut Module, pipeline: &Pipeline<'_>) -> Result<(), String> {
    pipeline.run_needed(module, BEFORE_LEGALIZATION)
}

/// Runs the passes that come after legalization.
pub fn after_legalization(module: &mut Module, pipeline: &Pipeline<'_>) -> Result<(), String> {
    pipeline.run_needed(module, AFTER_LEGALIZATION)
}

/// Returns true if a kernel has to declare rounding to nearest even for 32-bit floats. `divides`: the kernel divides
/// such floats.
pub fn declares_nearest_32(target: &Target, divides: bool) -> bool {
    target.rounding_rte_32 && (divides || !target.rounding_rte_32_to_divide)
}

/// Runs a pass by its name on every function, for file tests. `None` if there is no such pass.
pub fn run_named(module: &mut Module, name: &str) -> Option<()> {
    let lists = [BEFORE_LEGALIZATION, AFTER_LEGALIZATION];
    lists.iter().find_map(|list| passes::run_function_pass(list, module, name))
}
