//! Finds barriers that certainly not all work-items of a work-group reach. These barriers are behind a branch on the
//! local or global id, or on a sum, product or comparison of an id.
//!
//! Other operations on ids may have the same result for all work-items of a work-group, as a division by the size of the
//! work-group has.

use super::dependence::{add_parameters, blocks_between, is_decided_by};
use crate::ir::cfg::Cfg;
use crate::ir::dominators::DomTree;
use crate::ir::*;
use cranelift_entity::EntitySet;

/// Returns the barriers that certainly not all work-items of a work-group reach, each with the condition that separates
/// the work-items.
pub fn divergent_barriers(func: &Function) -> Vec<(Inst, Inst)> {
    let cfg = Cfg::compute(func);
    let post = DomTree::compute(&cfg.reversed());
    let varying = plain_ids(func, &cfg);
    let is_barrier = |inst: &Inst| matches!(func.insts[*inst], InstData::Barrier { .. });
    let mut found: Vec<(Inst, Inst)> = Vec::new();
    for &branch in cfg.rpo() {
        if !is_decided_by(func, branch, &varying) {
            continue;
        }
        let Some(condition) = func.terminator(branch).and_then(|end| condition(func, end)) else {
            continue;
        };
        for block in blocks_between(&cfg, branch, post.idom(branch)) {
            let barriers = func.blocks[block].insts.iter().copied().filter(is_barrier);
            for barrier in barriers {
                if !found.iter().any(|&(known, _)| known == barrier) {
                    found.push((barrier, condition));
                }
            }
        }
    }
    found
}

/// Returns the instruction that computes the condition of a branch.
fn condition(func: &Function, branch: Inst) -> Option<Inst> {
    let (InstData::Brif { cond: value, .. } | InstData::Switch { value, .. }) = func.insts[branch]
    else {
        return None;
    };
    match func.def(value) {
        ValueDef::Inst(inst) => Some(inst),
        _ => Some(branch),
    }
}

/// Returns the values that are ids, or that differ between work-items as ids do.
fn plain_ids(func: &Function, cfg: &Cfg) -> EntitySet<Value> {
    let mut varying: EntitySet<Value> = EntitySet::new();
    let mut changed = true;
    while changed {
        changed = false;
        for &block in cfg.rpo() {
            for &inst in &func.blocks[block].insts {
                let data = &func.insts[inst];
                changed |= add_parameters(func, data, &mut varying);
                let Some(result) = func.result(inst) else { continue };
                let differs = differs(func, data, &varying);
                changed |= differs && varying.insert(result);
            }
        }
    }
    varying
}

/// Returns true for an id, and for the result of an operation that differs between work-items if an id does.
fn differs(func: &Function, data: &InstData, varying: &EntitySet<Value>) -> bool {
    use BinaryOp::{And, IAdd, IMul, ISub, Or, Xor};
    let passes_on = match *data {
        InstData::WorkItem { query, .. } => {
            return matches!(query, WorkItemQuery::GlobalId | WorkItemQuery::LocalId);
        }
        InstData::Binary { op: IAdd | ISub | IMul, .. } => true,
        InstData::Binary { op: And | Or | Xor, args, .. } => func.ty(args[0]) == Type::BOOL,
        InstData::ICmp { .. } => true,
        InstData::Convert { op, .. } => {
            matches!(op, ConvertOp::ZExt | ConvertOp::SExt | ConvertOp::Trunc)
        }
        InstData::Build { .. } | InstData::Extract { .. } => true,
        _ => false,
    };
    let mut differs = false;
    data.for_each_arg(|arg| differs |= varying.contains(arg));
    passes_on && differs
}
