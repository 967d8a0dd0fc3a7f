//! Full unrolling of loops with a constant trip count: of those that index a private array, so that the indices become
//! constants and the array registers, and of small ones, whose addresses then differ by constants.
//!
//! A loop is cloned once for each time its header runs; each clone's back edges lead to the next.
//! [`super::simplify`] then finds which exits are taken.

use crate::analysis::trip_count::trip_count;
use crate::ir::cfg::Cfg;
use crate::ir::dominators::DomTree;
use crate::ir::loops::{Loop, Loops};
use crate::ir::*;
use cranelift_entity::{EntitySet, SecondaryMap};
use smallvec::SmallVec;

/// Greatest trip count of a loop that is unrolled: how often its header runs.
const MAX_TRIP_COUNT: usize = 65;
/// Most instructions that a loop may become.
const MAX_LOOP: usize = 4096;
/// Most instructions that a loop may become that indexes no private array.
const MAX_SMALL_LOOP: usize = 256;
/// Most instructions that a function may grow to by unrolling.
const MAX_FUNCTION: usize = 32768;

/// Unrolls innermost loops; run again (after [`super::simplify`]) for those around them. Returns true if
/// any was unrolled.
pub fn run(func: &mut Function) -> bool {
    let indexes_arrays = has_dynamic_private_offset(func);
    let cfg = Cfg::compute(func);
    let dom = DomTree::compute(&cfg);
    let loops = Loops::compute(&cfg, &dom);
    let mut size = func.num_insts();
    let mut changed = false;
    let mut outer = vec![false; loops.loops.len()];
    for data in &loops.loops {
        if let Some(parent) = data.parent {
            outer[parent] = true;
        }
    }
    for (data, outer) in loops.loops.iter().zip(outer) {
        let limit = match indexes_arrays && has_varying_private_offset(func, &cfg, data) {
            true => MAX_LOOP,
            false => MAX_SMALL_LOOP,
        };
        let insts: usize = data.blocks.iter().map(|&b| func.blocks[b].insts.len()).sum();
        let is_small = limit == MAX_LOOP || (2 * insts <= limit && branches(func, data) == 1);
        if outer || !is_small {
            continue;
        }
        let limit = MAX_TRIP_COUNT.min(limit / insts);
        let Some(trip_count) = trip_count(func, &cfg, data, limit) else { continue };
        if size + insts * trip_count > MAX_FUNCTION {
            continue;
        }
        if unroll(func, data, trip_count) {
            size += insts * trip_count;
            changed = true;
        }
    }
    changed
}

/// Returns the number of branches in a loop, the test that ends it among them. Copies of others would make the function
/// long to compile for drivers, and what is around it too.
fn branches(func: &Function, data: &Loop) -> usize {
    data.blocks.iter().filter(|&&block| func.successors(block).len() > 1).count()
}

fn is_private(func: &Function, ptr: Value) -> bool {
    func.ty(ptr).space() == Some(AddressSpace::Private)
}

/// Returns true if any private object is accessed at an offset that is not constant.
fn has_dynamic_private_offset(func: &Function) -> bool {
    func.layout.iter().flat_map(|&block| &func.blocks[block].insts).any(|&inst| {
        matches!(func.insts[inst], InstData::PtrAdd { ptr, offset }
            if is_private(func, ptr) && func.as_const(offset).is_none())
    })
}

/// Returns true if a private address depends on a value that changes from iteration to iteration.
fn has_varying_private_offset(func: &Function, cfg: &Cfg, data: &Loop) -> bool {
    let mut varying: SecondaryMap<Value, bool> = func.value_map();
    for &param in &func.blocks[data.header].params {
        varying[param] = true;
    }
    let mut blocks = data.blocks.clone();
    blocks.sort_unstable_by_key(|&block| cfg.rpo_index(block));
    for block in blocks {
        for &inst in &func.blocks[block].insts {
            if let InstData::PtrAdd { ptr, offset } = func.insts[inst] {
                if is_private(func, ptr) && varying[offset] {
                    return true;
                }
            }
            let mut any = false;
            func.insts[inst].for_each_arg(|arg| any |= varying[arg]);
            if let (true, Some(result)) = (any, func.result(inst)) {
                varying[result] = true;
            }
        }
    }
    false
}

/// Unrolls a loop all of whose exits lead to one block.
fn unroll(func: &mut Function, data: &Loop, trip_count: usize) -> bool {
    let mut inside = EntitySet::<Block>::new();
    data.blocks.iter().for_each(|&block| {
        inside.insert(block);
    });
    if !form_closed_ssa(func, data, &inside) {
        return false;
    }
    // In the order of the layout, which reads best.
    let mut order = data.blocks.clone();
    order.sort_unstable();
    let mut clones: Vec<ClonedIteration> =
        (1..trip_count).map(|_| ClonedIteration::new(func, &order)).collect();
    for clone in &mut clones {
        clone.fill(func, &order);
    }
    let end = func.add_block();
    func.append(end, InstData::Unreachable, None);
    // Each iteration continues in the next; the last one leaves.
    for iteration in 0..trip_count {
        let next = clones.get(iteration).map_or(end, |clone| clone.block(data.header));
        for &latch in &data.latches {
            let (at, header) = match iteration.checked_sub(1) {
                None => (latch, data.header),
                Some(i) => (clones[i].block(latch), clones[i].block(data.header)),
            };
            let Some(inst) = func.terminator(at) else { continue };
            func.insts[inst].for_each_target_mut(|call| {
                if call.block == header {
                    call.block = next;
                    if next == end {
                        call.args.clear();
                    }
                }
            });
        }
    }
    true
}

/// Brings the loop into closed SSA form: all exits go through one new block, whose parameters are the loop's
/// values that are used after it. Returns false, with nothing changed, if the exits lead to different blocks.
fn form_closed_ssa(func: &mut Function, data: &Loop, inside: &EntitySet<Block>) -> bool {
    let mut exit = None;
    let mut same = true;
    for &block in &data.blocks {
        for target in func.successors(block) {
            if !inside.contains(target) {
                same &= *exit.get_or_insert(target) == target;
            }
        }
    }
    let (Some(exit), true) = (exit, same) else { return false };
    let mut defined = EntitySet::<Value>::new();
    for &block in &data.blocks {
        for &param in &func.blocks[block].params {
            defined.insert(param);
        }
        for &inst in &func.blocks[block].insts {
            if let Some(result) = func.result(inst) {
                defined.insert(result);
            }
        }
    }
    // The new block's parameters: the exit's, then one for each value that is used after the loop.
    let closing = func.add_block();
    let mut args: SmallVec<[Value; 2]> = SmallVec::new();
    for param in func.blocks[exit].params.clone() {
        let ty = func.ty(param);
        args.push(func.add_param(closing, ty));
    }
    let mut outside: SecondaryMap<Value, Option<Value>> = SecondaryMap::new();
    let mut live = Vec::new();
    for i in 0..func.layout.len() {
        let block = func.layout[i];
        if inside.contains(block) {
            continue;
        }
        for j in 0..func.blocks[block].insts.len() {
            let inst = func.blocks[block].insts[j];
            let mut data = std::mem::replace(&mut func.insts[inst], InstData::Unreachable);
            data.map_args(|arg| {
                if !defined.contains(arg) {
                    return arg;
                }
                *outside[arg].get_or_insert_with(|| {
                    live.push(arg);
                    let ty = func.ty(arg);
                    func.add_param(closing, ty)
                })
            });
            func.insts[inst] = data;
        }
    }
    let target = BlockCall { block: exit, args };
    func.append(closing, InstData::Jump { target }, None);
    for &block in &data.blocks {
        let Some(inst) = func.terminator(block) else { continue };
        func.insts[inst].for_each_target_mut(|call| {
            if call.block == exit {
                call.block = closing;
                call.args.extend(live.iter().copied());
            }
        });
    }
    true
}

/// The clone of a loop's blocks for one iteration.
struct ClonedIteration {
    blocks: SecondaryMap<Block, Option<Block>>,
    values: SecondaryMap<Value, Option<Value>>,
}

impl ClonedIteration {
    /// Makes the blocks, with their parameters and values but without instructions.
    fn new(func: &mut Function, blocks: &[Block]) -> ClonedIteration {
        let mut clone =
            ClonedIteration { blocks: SecondaryMap::new(), values: SecondaryMap::new() };
        for &block in blocks {
            let new = func.add_block();
            clone.blocks[block] = Some(new);
            for i in 0..func.blocks[block].params.len() {
                let param = func.blocks[block].params[i];
                let ty = func.ty(param);
                clone.values[param] = Some(func.add_param(new, ty));
            }
            for i in 0..func.blocks[block].insts.len() {
                let inst = func.blocks[block].insts[i];
                let ty = func.result(inst).map(|v| func.ty(v));
                let new_inst = func.make_inst(InstData::Unreachable, ty);
                func.blocks[new].insts.push(new_inst);
                if let Some(result) = func.result(inst) {
                    clone.values[result] = func.result(new_inst);
                }
            }
        }
        clone
    }

    fn block(&self, block: Block) -> Block {
        self.blocks[block].unwrap_or(block)
    }

    fn fill(&mut self, func: &mut Function, blocks: &[Block]) {
        for &block in blocks {
            let new = self.block(block);
            for i in 0..func.blocks[block].insts.len() {
                let mut data = func.insts[func.blocks[block].insts[i]].clone();
                data.map_args(|arg| self.values[arg].unwrap_or(arg));
                data.for_each_target_mut(|call| call.block = self.block(call.block));
                let inst = func.blocks[new].insts[i];
                func.insts[inst] = data;
            }
        }
    }
}
