//! Legalization: what a device has no instruction for becomes what it has instructions for.
//!
//! Runs after all other passes but structurization. What is still emulated by the emitter: 64-, 16- and 8-bit integers
//! that the device does not have, and half.

mod access;
mod atomics;
mod generic;
mod integers;
mod split;
mod words;

use crate::analysis::access_types::{AccessType, Accesses};
use crate::analysis::call_graph::components;
use crate::ir::{AddressSpace, Func, Function, Module};
use crate::target::Target;
use cranelift_entity::SecondaryMap;

/// Legalizes all functions for a device. Returns those that have changed.
pub fn run(module: &mut Module, target: &Target) -> Vec<Func> {
    let component = components(module);
    let mut changed: SecondaryMap<Func, bool> = SecondaryMap::new();
    let spaces = generic::spaces_of_functions(module, &component);
    for (id, func) in module.functions.iter_mut() {
        changed[id] = integers::run(func, target) | generic::run(func, spaces[id]);
    }
    legalize_accesses(module, target, &component, &mut changed);
    module.functions.keys().filter(|&id| changed[id]).collect()
}

/// Legalizes loads, stores and atomic operations. Functions that share kernels see the same stack and work-group memory.
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
    }
}

/// Returns true if a function accesses work-group or private memory.
fn has_array_accesses(func: &Function) -> bool {
    let is_array =
        |ptr| matches!(func.ty(ptr).space(), Some(AddressSpace::Local | AddressSpace::Private));
    let mut insts = func.layout.iter().flat_map(|&block| &func.blocks[block].insts);
    insts.any(|&inst| func.insts[inst].address().is_some_and(is_array))
}
