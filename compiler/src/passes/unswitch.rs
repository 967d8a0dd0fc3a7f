//! Loop unswitching: a branch that goes the same way in all iterations of a loop is moved out of the loop, of which there
//! are two copies then.
//!
//! ```text
//! for (…) { if (c) a(); else b(); }    becomes    if (c) for (…) a(); else for (…) b();
//! ```
//!
//! Only branches that all work-items take in the same way are moved: branches on values computed from the kernel's
//! arguments. (A kernel that reads images branches on whether the device filters them.) Each copy is then small enough to be
//! unrolled, and its loads run at the same time.

use super::cloned_iteration::ClonedIteration;
use super::mem2reg;
use super::most_searches;
use super::ssa_repair::{demote, homes};
use crate::analysis::underlying_objects::is_private;
use crate::ir::cfg::Cfg;
use crate::ir::dominators::DomTree;
use crate::ir::loops::{Loop, Loops};
use crate::ir::*;
use cranelift_entity::SecondaryMap;

/// The most instructions of a loop that is cloned.
const MAX_LOOP: usize = 256;
/// The most instructions in the computation of a condition.
const MAX_STEPS: u32 = 8;

/// Moves a branch out of each innermost loop that has a suitable one. Returns true if there was any.
pub fn run(func: &mut Function) -> bool {
    let cfg = Cfg::compute(func);
    let loops = Loops::compute(&cfg, &DomTree::compute(&cfg));
    let found: Vec<(&Loop, Block)> = loops
        .innermost_loops()
        .filter_map(|(_, data)| Some((data, uniform_branch(func, data)?)))
        .take(most_searches(func))
        .collect();
    if found.is_empty() {
        return false;
    }
    let home = homes(func);
    let mut changed = false;
    for (data, branch) in found {
        let live = live_out(func, data, &home);
        // A private pointer must not get two definitions, since its object would then be unknown.
        if live.iter().any(|&value| is_private(func, value)) {
            continue;
        }
        demote(func, &live, |_, value| home[value]);
        unswitch(func, data, branch);
        changed = true;
    }
    if changed {
        mem2reg::run(func);
    }
    changed
}

/// Returns the first block of a loop that ends with a branch within the loop that all work-items take in the same way; `None`
/// if there is none, or if the loop must not be cloned.
fn uniform_branch(func: &Function, data: &Loop) -> Option<Block> {
    let stays = |data: &InstData| data.is_convergent() || matches!(data, InstData::Call { .. });
    let is_bound = data.insts(func).any(|inst| stays(&func.insts[inst]));
    if is_bound || data.header == func.entry() || data.insts(func).count() > MAX_LOOP {
        return None;
    }
    let is_inside = |call: &BlockCall| data.blocks.contains(&call.block);
    data.blocks.iter().copied().find(|&block| match branch_of(func, block) {
        Some((cond, then, otherwise)) => {
            is_inside(then)
                && is_inside(otherwise)
                && then != otherwise
                && func.as_const(cond).is_none()
                && is_of_arguments(func, cond, MAX_STEPS)
        }
        None => false,
    })
}

/// Returns the condition and the targets of the two-way branch that ends a block.
fn branch_of(func: &Function, block: Block) -> Option<(Value, &BlockCall, &BlockCall)> {
    match &func.insts[func.terminator(block)?] {
        InstData::Brif { cond, then, otherwise } => Some((*cond, then, otherwise)),
        _ => None,
    }
}

/// Returns true if a value is computed from arguments of the kernel in at most `steps` steps.
fn is_of_arguments(func: &Function, value: Value, steps: u32) -> bool {
    match func.def(value) {
        ValueDef::Const(_) => true,
        ValueDef::Param(..) => false,
        ValueDef::Inst(def) => match &func.insts[def] {
            InstData::LoadArg { .. } => true,
            InstData::Unary { .. }
            | InstData::Binary { .. }
            | InstData::ICmp { .. }
            | InstData::Convert { .. } => {
                let mut all = steps > 0;
                func.insts[def].for_each_arg(|arg| {
                    all = all && is_of_arguments(func, arg, steps - 1);
                });
                all
            }
            _ => false,
        },
    }
}

/// Returns the values of a loop that blocks outside use.
fn live_out(func: &Function, data: &Loop, home: &SecondaryMap<Value, Option<Block>>) -> Vec<Value> {
    let inside = data.block_set();
    let mut live = Vec::new();
    for &block in func.layout.iter().filter(|&&block| !inside.contains(block)) {
        for &inst in &func.blocks[block].insts {
            func.insts[inst].for_each_arg(|arg| {
                let is_inside = home[arg].is_some_and(|home| inside.contains(home));
                if is_inside && !live.contains(&arg) {
                    live.push(arg);
                }
            });
        }
    }
    live
}

/// Moves the branch that ends a block of a loop in front of the loop and a clone of it. No value of the loop may be
/// used outside.
fn unswitch(func: &mut Function, data: &Loop, block: Block) {
    let clone = ClonedIteration::of(func, &data.blocks);
    func.blocks[clone.block(data.header)].unroll = func.blocks[data.header].unroll;
    let Some(cond) = decide(func, block, |then, _| then) else { return };
    decide(func, clone.block(block), |_, otherwise| otherwise);
    let preheader = func.add_block_like(data.header);
    let inside = data.block_set();
    for source in func.layout.clone() {
        if source != preheader && !inside.contains(source) {
            func.redirect(source, data.header, preheader);
        }
    }
    let mut b = Builder::new(func);
    b.switch_to(preheader);
    let cond = rematerialize(&mut b, cond);
    let params = b.func.blocks[preheader].params.clone();
    b.brif_with(cond, (data.header, &params), (clone.block(data.header), &params));
}

/// Replaces the branch that ends a block by a jump to one of its targets. Returns the condition.
fn decide(
    func: &mut Function,
    block: Block,
    choose: fn(BlockCall, BlockCall) -> BlockCall,
) -> Option<Value> {
    let branch = func.terminator(block)?;
    let InstData::Brif { cond, then, otherwise } = func.insts[branch].clone() else { return None };
    func.insts[branch] = InstData::Jump { target: choose(then, otherwise) };
    Some(cond)
}

/// Computes a value from arguments again at the builder's position.
fn rematerialize(b: &mut Builder<'_>, value: Value) -> Value {
    let Some(mut data) = b.func.def_inst(value).cloned() else { return value };
    let mut args = Vec::new();
    data.for_each_arg(|arg| args.push(arg));
    let again: Vec<Value> = args.iter().map(|&arg| rematerialize(b, arg)).collect();
    let mut again = again.into_iter();
    data.map_args(|arg| again.next().unwrap_or(arg));
    let ty = b.ty(value);
    b.inst(data, ty)
}
