//! Common subexpression elimination: an instruction with the same result as a dominating one is replaced by that one. A load
//! is replaced by a value that a dominating instruction loaded or stored, if there is no write between them; a store of that
//! value is removed.

use crate::analysis::memory_versions::MemoryVersions;
use crate::ir::cfg::Cfg;
use crate::ir::dominators::DomTree;
use crate::ir::*;
use crate::passes::held_memory::HeldMemory;
use cranelift_entity::SecondaryMap;
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};

/// The available values, each with its block. They are looked up by the computation that produces them.
struct AvailableValues {
    /// By hash of operation, operands and result type. Of two computations with one hash, the later one is kept.
    pure: FxHashMap<u64, (Value, Block)>,
    /// The known contents of memory: by pointer, type, and version of the memory.
    loads: FxHashMap<(Value, Type, u32), (Value, Block)>,
}

/// Eliminates common subexpressions in a function. `kernel` is given if the function is a kernel's entry. Returns true
/// if anything was replaced.
pub fn run(func: &mut Function, kernel: Option<&KernelEntry>) -> bool {
    let cfg = Cfg::compute(func);
    let dom = DomTree::compute(&cfg);
    let mut available = AvailableValues::with_room_for(func.num_insts());
    let mut replaced: SecondaryMap<Value, Option<Value>> = func.value_map();
    let mut changed = false;
    let mut held = HeldMemory::default();
    let mut versions = MemoryVersions::compute(func, kernel, &cfg, &dom);
    for &block in dom.preorder() {
        versions.enter(block, &dom);
        let mut insts = std::mem::take(&mut func.blocks[block].insts);
        insts.retain(|&inst| {
            if changed {
                func.insts[inst].map_args(|arg| replaced[arg].unwrap_or(arg));
            }
            if held.is_idle_store(func, inst, block, &versions, &dom) {
                changed = true;
                return false;
            }
            held.pass(func, inst, &mut versions);
            held.note(func, inst, block, &versions);
            let Some(result) = func.result(inst) else {
                add_stored_value(func, inst, block, &versions, &mut available);
                return true;
            };
            let Some(entry) = available.entry(func, inst, result, &versions) else {
                return true;
            };
            // If a leader does not dominate this block, it dominates no later block in the preorder of the tree, so it
            // may be overwritten.
            match entry {
                Entry::Leader(leader, home) if dom.dominates(*home, block) => {
                    keep_common_flags(func, *leader, inst);
                    replaced[result] = Some(*leader);
                    changed = true;
                    false
                }
                Entry::Leader(leader, home) | Entry::Free(leader, home) => {
                    (*leader, *home) = (result, block);
                    true
                }
            }
        });
        func.blocks[block].insts = insts;
        versions.leave(block);
    }
    if changed {
        // Operands in unreachable blocks, which the walk did not visit, are replaced here.
        for &block in &func.layout {
            if cfg.is_reachable(block) {
                continue;
            }
            for &inst in &func.blocks[block].insts {
                func.insts[inst].map_args(|arg| replaced[arg].unwrap_or(arg));
            }
        }
    }
    changed
}

/// Makes the value of a store available to loads that follow.
fn add_stored_value(
    func: &Function,
    inst: Inst,
    block: Block,
    versions: &MemoryVersions,
    available: &mut AvailableValues,
) {
    if let InstData::Store { ptr, value, flags, .. } = func.insts[inst] {
        if !flags.contains(MemFlags::VOLATILE) {
            let version = versions.of(func, ptr, flags);
            available.loads.insert((ptr, func.ty(value), version), (value, block));
        }
    }
}

/// An entry of the table.
enum Entry<'a> {
    /// The value of an equal instruction, and its block.
    Leader(&'a mut Value, &'a mut Block),
    /// No equal instruction is known. The references are where the value and its block are to be entered.
    Free(&'a mut Value, &'a mut Block),
}

impl AvailableValues {
    /// Returns a table for a function with this number of instructions, most of which compute something new.
    fn with_room_for(insts: usize) -> AvailableValues {
        let pure = FxHashMap::with_capacity_and_hasher(insts, Default::default());
        AvailableValues { pure, loads: FxHashMap::default() }
    }

    /// Returns the table entry for an instruction's result; `None` if the instruction may not be replaced.
    fn entry(
        &mut self,
        func: &Function,
        inst: Inst,
        result: Value,
        versions: &MemoryVersions,
    ) -> Option<Entry<'_>> {
        let (data, ty) = (&func.insts[inst], func.ty(result));
        match *data {
            InstData::Load { ptr, flags, .. } => {
                if flags.contains(MemFlags::VOLATILE) {
                    return None;
                }
                let version = versions.of(func, ptr, flags);
                let mut is_new = false;
                let (leader, home) = self.loads.entry((ptr, ty, version)).or_insert_with(|| {
                    is_new = true;
                    (result, Block::from_u32(0))
                });
                Some(if is_new { Entry::Free(leader, home) } else { Entry::Leader(leader, home) })
            }
            _ if !data.is_mergeable() => None,
            _ => {
                let (leader, home) =
                    self.pure.entry(hash(data, ty)).or_insert_with(|| (result, Block::from_u32(0)));
                let equal = *leader != result
                    && func.ty(*leader) == ty
                    && func.def_inst(*leader).is_some_and(|other| equal(data, other));
                Some(if equal { Entry::Leader(leader, home) } else { Entry::Free(leader, home) })
            }
        }
    }
}

/// Removes flags from `leader` that `other`, the instruction that it replaces, does not have.
fn keep_common_flags(func: &mut Function, leader: Value, other: Inst) {
    let InstData::Binary { flags: allowed, .. } = func.insts[other] else { return };
    let ValueDef::Inst(leader) = func.def(leader) else { return };
    if let InstData::Binary { flags, .. } = &mut func.insts[leader] {
        *flags &= allowed;
    }
}

/// Returns the flags that must be the same in equal instructions.
fn significant(flags: OpFlags) -> OpFlags {
    flags - OpFlags::NO_SIGNED_WRAP
}

/// Returns the operands in their order; for commutative operations in the order of their numbers.
fn sorted(op: BinaryOp, args: [Value; 2]) -> [Value; 2] {
    match args {
        [a, b] if op.is_commutative() && a > b => [b, a],
        args => args,
    }
}

fn hash(data: &InstData, ty: Type) -> u64 {
    let mut hasher = FxHasher::default();
    match *data {
        // Two operands are the most frequent case by far.
        InstData::Binary { op, args, flags } => {
            let [a, b] = sorted(op, args).map(|arg| u64::from(arg.as_u32()));
            hasher.write_u64(1 << 16 | (op as u64) << 8 | u64::from(significant(flags).bits()));
            hasher.write_u64(a << 32 | b);
        }
        _ => data.hash(&mut hasher),
    }
    ty.hash(&mut hasher);
    hasher.finish()
}

/// Returns true if instructions of one type without side effects compute the same.
fn equal(a: &InstData, b: &InstData) -> bool {
    match (a, b) {
        (
            &InstData::Binary { op, args, flags },
            &InstData::Binary { op: other_op, args: other_args, flags: other_flags },
        ) => {
            op == other_op
                && significant(flags) == significant(other_flags)
                && sorted(op, args) == sorted(other_op, other_args)
        }
        _ => a == b,
    }
}
