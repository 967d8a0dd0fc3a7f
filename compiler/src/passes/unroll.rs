//! Unrolls small loops of constant length whose rounds index a private array, so that the indices
//! become constants and the array registers.
//!
//! A loop is copied once for each time its header runs; each copy's back edges lead to the next.
//! [`super::simplify`] then finds which exits are taken.

use super::fold;
use crate::ir::cfg::Cfg;
use crate::ir::dominators::DomTree;
use crate::ir::loops::{Loop, Loops};
use crate::ir::*;
use cranelift_entity::{EntitySet, SecondaryMap};
use smallvec::SmallVec;

/// Most times that an unrolled loop's header runs.
const MAX_ROUNDS: usize = 65;
/// Most instructions that a loop may become.
const MAX_LOOP: usize = 4096;
/// Most instructions that a function may grow to by unrolling.
const MAX_FUNCTION: usize = 32768;

/// Unrolls innermost loops; run again (after [`super::simplify`]) for those around them. Whether
/// any was unrolled.
pub fn run(func: &mut Function) -> bool {
    if !indexes_private(func) {
        return false;
    }
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
        if outer || !depends(func, &cfg, data) {
            continue;
        }
        let Some(rounds) = count_rounds(func, &cfg, data) else { continue };
        let insts: usize = data.blocks.iter().map(|&b| func.blocks[b].insts.len()).sum();
        if insts * rounds > MAX_LOOP || size + insts * rounds > MAX_FUNCTION {
            continue;
        }
        if unroll(func, data, rounds) {
            size += insts * rounds;
            changed = true;
        }
    }
    changed
}

fn is_private(func: &Function, ptr: Value) -> bool {
    func.ty(ptr).space() == Some(AddressSpace::Private)
}

/// Returns true if any private object is accessed at an offset that is not constant.
fn indexes_private(func: &Function) -> bool {
    func.layout.iter().flat_map(|&block| &func.blocks[block].insts).any(|&inst| {
        matches!(func.insts[inst], InstData::PtrAdd { ptr, offset }
            if is_private(func, ptr) && func.as_const(offset).is_none())
    })
}

/// Returns true if a private address depends on a value that changes from iteration to iteration.
fn depends(func: &Function, cfg: &Cfg, data: &Loop) -> bool {
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

/// Returns how often the header runs, if a counter decides that.
fn count_rounds(func: &Function, cfg: &Cfg, data: &Loop) -> Option<usize> {
    let [latch] = data.latches[..] else { return None };
    // The test stands in the header or in the block that closes the loop.
    [data.header, latch].into_iter().find_map(|at| {
        let exit = exit_test(func, data, at)?;
        let params = func.blocks[data.header].params.len();
        (0..params).find_map(|index| simulate(func, cfg, data, latch, index, &exit))
    })
}

struct Exit {
    cond: Value,
    /// The loop ends when the condition has this value.
    when: bool,
}

/// Returns the condition at the end of block `at` of leaving the loop.
fn exit_test(func: &Function, data: &Loop, at: Block) -> Option<Exit> {
    let InstData::Brif { cond, then, otherwise } = &func.insts[func.terminator(at)?] else {
        return None;
    };
    let inside = |call: &BlockCall| data.blocks.contains(&call.block);
    match (inside(then), inside(otherwise)) {
        (false, true) => Some(Exit { cond: *cond, when: true }),
        (true, false) => Some(Exit { cond: *cond, when: false }),
        _ => None,
    }
}

/// Counts rounds by following header parameter `index`.
fn simulate(
    func: &Function,
    cfg: &Cfg,
    data: &Loop,
    latch: Block,
    index: usize,
    exit: &Exit,
) -> Option<usize> {
    let param = *func.blocks[data.header].params.get(index)?;
    if !func.ty(param).scalar.is_int() || func.ty(param).is_vector() {
        return None;
    }
    let arg_of = |pred: Block| {
        let mut found = None;
        func.insts[func.terminator(pred)?].for_each_target(|call| {
            if call.block == data.header {
                found = call.args.get(index).copied();
            }
        });
        found
    };
    let mut start = None;
    for &pred in cfg.preds(data.header).iter().filter(|&&pred| pred != latch) {
        let value = func.as_const(arg_of(pred)?)?;
        if *start.get_or_insert(value) != value {
            return None;
        }
    }
    let next = arg_of(latch)?;
    let mut counter = start?;
    for round in 1..=MAX_ROUNDS {
        if (evaluate(func, exit.cond, param, counter, 8)? != 0) == exit.when {
            return Some(round);
        }
        counter = evaluate(func, next, param, counter, 8)?;
    }
    None
}

/// Value of a computation from constants and one known parameter.
fn evaluate(func: &Function, value: Value, param: Value, known: u64, depth: u32) -> Option<u64> {
    if value == param {
        return Some(known);
    }
    if let Some(bits) = func.as_const(value) {
        return Some(bits);
    }
    let deeper = depth.checked_sub(1)?;
    let eval = |value: Value| evaluate(func, value, param, known, deeper);
    let scalar = func.ty(value).scalar;
    match *func.def_inst(value)? {
        InstData::Binary { op, args: [a, b], .. } if !op.is_float() => {
            fold::binary(op, scalar, eval(a)?, eval(b)?)
        }
        InstData::Unary { op, arg, .. } => Some(fold::unary(op, scalar, eval(arg)?)),
        InstData::ICmp { cc, args: [a, b] } => {
            let bits = func.ty(a).scalar.bits();
            Some(u64::from(fold::icmp(cc, bits, eval(a)?, eval(b)?)))
        }
        InstData::Convert {
            op: op @ (ConvertOp::Trunc | ConvertOp::ZExt | ConvertOp::SExt),
            arg,
        } => fold::convert(op, func.ty(arg).scalar, scalar, eval(arg)?),
        _ => None,
    }
}

/// Copies a loop all of whose exits lead to one block.
fn unroll(func: &mut Function, data: &Loop, rounds: usize) -> bool {
    let mut inside = EntitySet::<Block>::new();
    data.blocks.iter().for_each(|&block| {
        inside.insert(block);
    });
    if !close_exits(func, data, &inside) {
        return false;
    }
    // In the order of the layout, which reads best.
    let mut order = data.blocks.clone();
    order.sort_unstable();
    let mut copies: Vec<Copy> = (1..rounds).map(|_| Copy::new(func, &order)).collect();
    for copy in &mut copies {
        copy.fill(func, &order);
    }
    let end = func.add_block();
    func.append(end, InstData::Unreachable, None);
    // Each round goes on in the next; the last one leaves.
    for round in 0..rounds {
        let next = copies.get(round).map_or(end, |copy| copy.block(data.header));
        for &latch in &data.latches {
            let (at, header) = match round.checked_sub(1) {
                None => (latch, data.header),
                Some(i) => (copies[i].block(latch), copies[i].block(data.header)),
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

/// Leads all exits through one new block that takes the loop's values for what is behind. False,
/// with nothing changed, if the exits lead to different blocks.
fn close_exits(func: &mut Function, data: &Loop, inside: &EntitySet<Block>) -> bool {
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
    // The new block's parameters: the exit's, then one for each value that is used behind.
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

/// A copy of a loop's blocks.
struct Copy {
    blocks: SecondaryMap<Block, Option<Block>>,
    values: SecondaryMap<Value, Option<Value>>,
}

impl Copy {
    /// Makes the blocks, with their parameters and values but without instructions.
    fn new(func: &mut Function, blocks: &[Block]) -> Copy {
        let mut copy = Copy { blocks: SecondaryMap::new(), values: SecondaryMap::new() };
        for &block in blocks {
            let new = func.add_block();
            copy.blocks[block] = Some(new);
            for i in 0..func.blocks[block].params.len() {
                let param = func.blocks[block].params[i];
                let ty = func.ty(param);
                copy.values[param] = Some(func.add_param(new, ty));
            }
            for i in 0..func.blocks[block].insts.len() {
                let inst = func.blocks[block].insts[i];
                let ty = func.result(inst).map(|v| func.ty(v));
                let new_inst = func.make_inst(InstData::Unreachable, ty);
                func.blocks[new].insts.push(new_inst);
                if let Some(result) = func.result(inst) {
                    copy.values[result] = func.result(new_inst);
                }
            }
        }
        copy
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
