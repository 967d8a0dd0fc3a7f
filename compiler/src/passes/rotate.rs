//! Loop rotation: `while (c) body` becomes `if (c) do body while (c)`, if a load can then leave the loop ([`super::licm`]),
//! or memory can become a value in the loop ([`super::loop_promotion`]), because the body is certain to run.
//!
//! The header with the test is cloned in front of the loop and moved to its end. Values of the header that other blocks use
//! then have two definitions: they go through private variables, which mem2reg turns into block parameters.

use super::cloned_iteration::ClonedIteration;
use super::licm::LoopNest;
use super::loop_promotion::pays_once_rotated;
use super::mem2reg;
use super::most_searches;
use super::ssa_repair::demote;
use crate::analysis::underlying_objects::is_private;
use crate::ir::loops::Loop;
use crate::ir::*;
use cranelift_entity::SecondaryMap;

/// The most instructions of a header that is cloned.
const MAX_HEADER: usize = 16;

/// The number of uses of headers' values by other blocks that is allowed in a function of any size.
const MIN_USES: usize = 1 << 14;

/// Rotates loops of a function. `kernel` is given if the function is a kernel's entry. Returns true if any was rotated.
pub fn run(func: &mut Function, kernel: Option<&KernelEntry>) -> bool {
    let Some(nest) = LoopNest::compute(func, kernel) else { return false };
    let is_load = |inst: &Inst| matches!(func.insts[*inst], InstData::Load { .. });
    let pays = |index: usize| {
        loads_from_outside(func, &nest, index)
            && (nest.leaving(func, index, true).iter().any(is_load)
                || pays_once_rotated(func, &nest, index))
    };
    let loops: Vec<usize> = (0..nest.loops.loops.len())
        .filter(|&index| is_rotatable(func, &nest.loops.loops[index]) && pays(index))
        .take(most_searches(func))
        .collect();
    let mut is_rotated: SecondaryMap<Block, bool> = func.block_map();
    loops.iter().for_each(|&index| is_rotated[nest.loops.loops[index].header] = true);
    if loops.is_empty() {
        return false;
    }
    let Some(live) = live_out(func, &nest, &is_rotated) else { return false };
    demote(func, &live, |func, value| nest.block_of(func, value));
    // Outer loops first: blocks that are added for an outer loop are in no inner loop.
    for index in loops {
        rotate(func, &nest.loops.loops[index]);
    }
    mem2reg::run(func);
    true
}

/// Returns true if a loop's header has an exit, is short and only computes, and if other blocks follow it. A private
/// pointer must not get two definitions, since its object would then be unknown.
fn is_rotatable(func: &Function, data: &Loop) -> bool {
    let insts = &func.blocks[data.header].insts;
    let Some((&last, rest)) = insts.split_last() else { return false };
    let InstData::Brif { then, otherwise, .. } = &func.insts[last] else { return false };
    let is_inside = |call: &BlockCall| data.blocks.contains(&call.block);
    let is_private = |value: Value| is_private(func, value);
    insts.len() <= MAX_HEADER
        && data.header != func.entry()
        && !data.latches.contains(&data.header)
        && is_inside(then) != is_inside(otherwise)
        && rest.iter().all(|&inst| !is_bound(&func.insts[inst]))
        && !rest.iter().filter_map(|&inst| func.result(inst)).any(is_private)
        && !func.blocks[data.header].params.iter().any(|&param| is_private(param))
}

/// Returns true if an instruction may not be cloned.
fn is_bound(data: &InstData) -> bool {
    data.has_side_effect() || data.is_convergent()
}

/// Returns true if a loop loads from an address that is computed outside it. (LICM has moved invariant addresses out.)
fn loads_from_outside(func: &Function, nest: &LoopNest, index: usize) -> bool {
    nest.loops.loops[index].insts(func).any(|inst| {
        matches!(func.insts[inst], InstData::Load { ptr, .. } if nest
            .block_of(func, ptr)
            .is_none_or(|home| !nest.loops.contains(index, home)))
    })
}

/// Returns the values of headers that other blocks use. `None` if they have too many uses for the size of the function,
/// since each use becomes a load: hundreds of values may be arguments of thousands of branches out of a loop.
fn live_out(
    func: &Function,
    nest: &LoopNest,
    headers: &SecondaryMap<Block, bool>,
) -> Option<Vec<Value>> {
    let (mut live, mut uses) = (Vec::new(), 0);
    let mut is_live: SecondaryMap<Value, bool> = func.value_map();
    for &block in &func.layout {
        for &inst in &func.blocks[block].insts {
            func.insts[inst].for_each_arg(|arg| {
                let home = nest.block_of(func, arg);
                if home.is_some_and(|home| home != block && headers[home]) {
                    uses += 1;
                    if !std::mem::replace(&mut is_live[arg], true) {
                        live.push(arg);
                    }
                }
            });
        }
    }
    (uses <= 4 * func.num_insts() + MIN_USES).then_some(live)
}

/// Rotates a loop. No value of its header may be used in other blocks.
fn rotate(func: &mut Function, data: &Loop) {
    let Some(terminator) = func.terminator(data.header) else { return };
    let mut next = None;
    func.insts[terminator].for_each_target(|call| {
        next = if data.blocks.contains(&call.block) { Some(call.block) } else { next };
    });
    let Some(next) = next else { return };
    let guard = ClonedIteration::of(func, &[data.header]).block(data.header);
    let inside = data.block_set();
    for block in func.layout.clone() {
        if block != guard && !inside.contains(block) {
            func.redirect(block, data.header, guard);
        }
    }
    // The first block of the body may be the header of another loop, so the new header must be a new block.
    let header = block_that_leads_to(func, next, next);
    func.blocks[header].unroll = func.blocks[data.header].unroll.take();
    let preheader = block_that_leads_to(func, next, header);
    func.redirect(data.header, next, header);
    func.redirect(guard, next, preheader);
}

/// Returns a new block that has the parameters of `like` and passes them on to `target`.
fn block_that_leads_to(func: &mut Function, like: Block, target: Block) -> Block {
    let block = func.add_block_like(like);
    let target = BlockCall::with_args(target, &func.blocks[block].params);
    func.append(block, InstData::Jump { target }, None);
    block
}
