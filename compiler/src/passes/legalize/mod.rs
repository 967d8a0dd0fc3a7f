//! Legalization: replaces operations and types for which a device has no instructions.
//!
//! Runs after all other passes but structurization.

mod access;
mod atomics;
mod bypass_division;
mod check;
mod conversions;
mod elements;
mod floats;
mod generic;
mod half;
mod int64;
mod integers;
mod local_padding;
mod narrow;
mod signed_zeros;
pub mod soft_doubles;
pub mod split;
mod subgroup_sizes;
mod subgroups;
mod variables;
mod words;
mod work_items;

pub use check::debug_check;

use crate::analysis::access_types::{AccessType, Accesses};
use crate::analysis::call_graph::components;
use crate::analysis::data_layout::DataLayout;
use crate::ir::{Func, Function, Gathering, Module};
use crate::passes::simplify;
use crate::target::{FloatTraits, Subgroups, Target};
use cranelift_entity::SecondaryMap;
use hekla_device::Quirks;

/// Legalizes all functions for a device. Returns the functions that have changed. If doubles are computed by integers, the
/// module `doubles` contains their arithmetic.
///
/// # Errors
/// If a kernel asks for sub-groups that the device does not have, and cannot do without them.
pub fn run(
    module: &mut Module,
    target: &Target,
    doubles: Option<&Module>,
) -> Result<Vec<Func>, String> {
    let mut changed: SecondaryMap<Func, bool> = SecondaryMap::new();
    let mut sizes = SecondaryMap::with_default(target.hardware_subgroup_size(None));
    let mut together: SecondaryMap<Func, bool> = SecondaryMap::new();
    for kernel in module.kernels.iter() {
        sizes[kernel.func] = target.hardware_subgroup_size(kernel.required_subgroup_size);
        together[kernel.func] = kernel.gathering == Gathering::Whole;
    }
    subgroup_sizes::run(module, target, |func| changed[func] = true)?;
    for (id, func) in module.functions.iter_mut() {
        // Functions that act on sub-groups have been inlined into kernels.
        changed[id] |= subgroups::run(func, target, sizes[id], together[id]);
    }
    if let Some(library) = doubles {
        soft_doubles::run(module, library, |func| changed[func] = true);
    }
    let component = components(module);
    let spaces = generic::spaces_of_functions(module, &component);
    for (id, func) in module.functions.iter_mut() {
        changed[id] |=
            work_items::run(func) | bypass_division::run(func) | integers::run(func, target);
        changed[id] |= generic::run(func, spaces[id]);
    }
    legalize_accesses(module, target, &component, &mut changed);
    local_padding::run(module, target).into_iter().for_each(|func| changed[func] = true);
    let layout = DataLayout::compute(module);
    for (id, func) in module.functions.iter_mut() {
        changed[id] |= variables::run(func, &layout) | signed_zeros::run(func, target);
        changed[id] |= floats::run(func, target);
        changed[id] |= !target.float16 && half::store_as_bits(func);
    }
    legalize_types(module, target, &mut changed);
    Ok(module.functions.keys().filter(|&id| changed[id]).collect())
}

/// Replaces the integers that the device does not have, also in the parameters and results of functions.
fn legalize_types(module: &mut Module, target: &Target, changed: &mut SecondaryMap<Func, bool>) {
    let results = if target.int64 { Default::default() } else { int64::results(module) };
    let Module { functions, globals, .. } = module;
    for (id, func) in functions.iter_mut() {
        if !target.int64 && int64::run(func, &results) {
            simplify::run_on_integers(func, globals);
            changed[id] = true;
        }
        if !(target.int8 && target.int16) {
            changed[id] |= narrow::run(func, target);
        }
    }
}

/// Legalizes loads, stores and atomic operations. Functions that share kernels have the same stack and work-group
/// memory.
fn legalize_accesses(
    module: &mut Module,
    target: &Target,
    component: &SecondaryMap<Func, Func>,
    changed: &mut SecondaryMap<Func, bool>,
) {
    let mut accesses: SecondaryMap<Func, Accesses> = SecondaryMap::new();
    let mut shared: SecondaryMap<Func, (AccessType, AccessType)> = SecondaryMap::new();
    for (id, func) in module.functions.iter().filter(|(_, func)| has_array_accesses(func)) {
        accesses[id] = Accesses::compute(func, false);
        let (stack, local) = &mut shared[component[id]];
        stack.merge(accesses[id].stack);
        local.merge(accesses[id].local);
    }
    let has_fences = atomics::has_seq_cst_fence(module);
    let Module { functions, globals, .. } = module;
    for (id, func) in functions.iter_mut() {
        let (stack, local) = shared[component[id]];
        let memories = access::Memories {
            target,
            globals,
            accesses: &accesses[id],
            stack: stack.element(target),
            local: local.local_layout(target),
        };
        changed[id] |= access::run(func, &memories);
        changed[id] |= atomics::run(func, &memories, has_fences);
        changed[id] |= elements::run(func);
    }
}

/// Returns true if a function accesses work-group or private memory.
fn has_array_accesses(func: &Function) -> bool {
    let is_array = |ptr| elements::is_array(func.ty(ptr));
    func.layout_insts().any(|inst| func.insts[inst].address().is_some_and(is_array))
}

/// Returns a device with sub-groups of the given sizes and all their operations.
fn with_subgroups(sizes: [u32; 2], target: Target) -> Target {
    let subgroups = target.subgroups.map(|it| Subgroups { size: sizes[0], sizes, ..it });
    Target { subgroups, ..target }
}

/// Returns the device that file tests call by this name.
pub(super) fn device(name: &str) -> Option<Target> {
    let generic = Target::generic();
    let wrong = FloatTraits {
        sign_alone: false,
        signs_operands: true,
        keeps_denormals: false,
        widens: false,
        narrows: false,
        orders: false,
    };
    Some(match name {
        "minimal" => Target::minimal(),
        "half" => Target { float16: true, ..generic },
        "no_int64" => Target { int64: false, ..generic },
        "no_signed_zeros" => Target {
            preserve_signed_zero_inf_nan_32: false,
            preserve_signed_zero_inf_nan_64: false,
            ..generic
        },
        "dot" => Target { integer_dot_product: true, ..generic },
        "summed_products" => Target { quirks: Quirks::SUMMED_PRODUCTS, ..generic },
        "no_int8" => Target { int8: false, ..generic },
        "subgroups_of_8" => with_subgroups([8, 8], generic),
        "subgroups_of_32" => with_subgroups([32, 32], generic),
        "flushing" => Target { float16: true, float_traits: [wrong; 3], ..generic },
        // NVIDIA's driver: FNegate and FAbs change the bits of a NaN, and nothing is flushed.
        "nan_signs" => {
            let traits = FloatTraits { sign_alone: false, ..FloatTraits::IEEE };
            Target { float_traits: [traits; 3], ..generic }
        }
        _ => return None,
    })
}
