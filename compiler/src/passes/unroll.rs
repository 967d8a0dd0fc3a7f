//! Full unrolling of loops with a constant trip count: loops that index a private array, so that the indices become
//! constants and the array registers; small loops, so that their addresses differ by constants; and larger loops if the
//! program asks for it. [`super::partial_unroll`] unrolls other loops.
//!
//! A loop is cloned once for each time its header runs; each clone's back edges lead to the next clone.
//! [`super::simplify`] then finds which exits are taken.

use super::cloned_iteration::ClonedIteration;
use crate::analysis::trip_count::trip_count;
use crate::analysis::underlying_objects::is_private;
use crate::ir::cfg::Cfg;
use crate::ir::dominators::DomTree;
use crate::ir::loops::{Loop, Loops};
use crate::ir::sparse_map::SparseMap;
use crate::ir::*;
use cranelift_entity::{EntitySet, SecondaryMap};
use hekla_device::Quirks;
use smallvec::SmallVec;

/// The greatest trip count of a loop that is unrolled. The trip count is the number of times that the header runs.
const MAX_TRIP_COUNT: usize = 65;
/// The most instructions of an unrolled loop.
const MAX_LOOP: usize = 4096;
/// The most instructions of an unrolled loop that indexes no private array.
const MAX_SMALL_LOOP: usize = 256;
/// The most instructions of an unrolled loop that samples images, on devices where the test of such a loop takes long.
const MAX_SAMPLING_LOOP: usize = 512;
/// The greatest trip count of a loop that divides by numbers which become constant when the loop is unrolled.
const MAX_DIVIDING_TRIP_COUNT: usize = 17;
/// The greatest trip count, and the most instructions of the unrolled loop, if the program asks for unrolling.
const MAX_HINTED_TRIP_COUNT: usize = 257;
const MAX_HINTED_LOOP: usize = 2048;
/// The most instructions of an unrolled loop that indexes a private array, if the program asks for unrolling. Without
/// unrolling, each access becomes a selection among all elements.
const MAX_HINTED_ARRAY_LOOP: usize = 16384;
/// The most instructions to which a function may grow by unrolling.
const MAX_FUNCTION: usize = 32768;

/// Unrolls innermost loops. Can be run again (after [`super::simplify`]) for the loops around them. Returns true if any
/// was unrolled.
pub fn run(func: &mut Function, quirks: Quirks) -> bool {
    let indexes_arrays = has_dynamic_private_offset(func);
    run_within(func, |func, cfg, data| limits(func, cfg, data, indexes_arrays, quirks))
}

/// Unrolls innermost loops in which an argument of a call of a `wanted` function changes, so that it becomes constant, and
/// loops with such calls that run at most once. Returns true if any was unrolled.
pub fn run_around_calls(func: &mut Function, wanted: impl Fn(Func) -> bool) -> bool {
    run_within(func, |func, cfg, data| {
        let is_wanted = |inst: Inst| matches!(&func.insts[inst], InstData::Call { func: callee, .. } if wanted(*callee));
        if !data.insts(func).any(is_wanted) {
            return None;
        }
        let changes = any_varying(func, cfg, data, |inst, varying| {
            let mut any = false;
            func.insts[inst].for_each_arg(|arg| any |= varying[arg]);
            any && is_wanted(inst)
        });
        Some(if changes { (MAX_TRIP_COUNT, MAX_LOOP) } else { (1, MAX_FUNCTION) })
    })
}

/// Unrolls innermost loops, each within its `limits`.
fn run_within(
    func: &mut Function,
    limits: impl Fn(&Function, &Cfg, &Loop) -> Option<(usize, usize)>,
) -> bool {
    let cfg = Cfg::compute(func);
    let dom = DomTree::compute(&cfg);
    let loops = Loops::compute(&cfg, &dom);
    let mut size = func.num_insts();
    let mut changed = false;
    for (_, data) in loops.innermost_loops() {
        let insts = data.insts(func).count();
        let Some((count, most)) = limits(func, &cfg, data) else { continue };
        let Some(trip_count) = trip_count(func, &cfg, data, count.min(most / insts)) else {
            continue;
        };
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

/// Returns the greatest trip count with which a loop is unrolled, and the most instructions of the unrolled loop;
/// `None` if the loop is not unrolled.
fn limits(
    func: &Function,
    cfg: &Cfg,
    data: &Loop,
    indexes_arrays: bool,
    quirks: Quirks,
) -> Option<(usize, usize)> {
    let hint = func.blocks[data.header].unroll;
    if hint == Some(UnrollHint::Disable) {
        return None;
    }
    if indexes_arrays && has_varying_private_offset(func, cfg, data) {
        return Some(match hint {
            Some(UnrollHint::Full) => (MAX_HINTED_TRIP_COUNT, MAX_HINTED_ARRAY_LOOP),
            _ => (MAX_TRIP_COUNT, MAX_LOOP),
        });
    }
    if hint.is_none() && divides_by_constants(func, cfg, data) {
        return Some((MAX_DIVIDING_TRIP_COUNT, MAX_LOOP));
    }
    let has_branches = branches(func, data) > 1;
    match hint {
        Some(UnrollHint::Full) if !has_branches => Some((MAX_HINTED_TRIP_COUNT, MAX_HINTED_LOOP)),
        // The header may run once more than the body.
        Some(UnrollHint::Count(count)) if !has_branches => {
            Some((MAX_TRIP_COUNT.min(count as usize + 1), MAX_HINTED_LOOP))
        }
        Some(_) => Some((MAX_TRIP_COUNT, MAX_SMALL_LOOP)),
        None if !has_branches
            && quirks.contains(Quirks::SLOW_SAMPLING_LOOPS)
            && samples(func, data) =>
        {
            Some((MAX_TRIP_COUNT, MAX_SAMPLING_LOOP))
        }
        None if !has_branches => Some((MAX_TRIP_COUNT, MAX_SMALL_LOOP)),
        None => None,
    }
}

/// Returns true if a loop samples an image.
fn samples(func: &Function, data: &Loop) -> bool {
    data.insts(func).any(|inst| matches!(func.insts[inst], InstData::ImageSample { .. }))
}

/// Returns the number of branches in a loop, including the test that ends it. Drivers take long to compile copies of the
/// other branches.
pub fn branches(func: &Function, data: &Loop) -> usize {
    data.blocks.iter().filter(|&&block| func.successors(block).len() > 1).count()
}

/// Returns true if any private object is accessed at an offset that is not constant.
fn has_dynamic_private_offset(func: &Function) -> bool {
    func.layout_insts().any(|inst| {
        matches!(func.insts[inst], InstData::PtrAdd { ptr, offset, .. }
            if is_private(func, ptr) && func.as_const(offset).is_none())
    })
}

/// Returns true if a private address depends on a value that changes from iteration to iteration.
fn has_varying_private_offset(func: &Function, cfg: &Cfg, data: &Loop) -> bool {
    any_varying(func, cfg, data, |inst, varying| {
        matches!(func.insts[inst], InstData::PtrAdd { ptr, offset, .. }
            if is_private(func, ptr) && varying[offset])
    })
}

/// Returns true if a loop divides by a number that changes from iteration to iteration and becomes constant when the loop is
/// unrolled, as in the stages of a Fourier transform or a sort. Devices divide in some twenty operations, but by a power of
/// two in one.
fn divides_by_constants(func: &Function, cfg: &Cfg, data: &Loop) -> bool {
    let is_division = |inst: &InstData| {
        use BinaryOp::{SDiv, SRem, UDiv, URem};
        matches!(inst, InstData::Binary { op: SDiv | SRem | UDiv | URem, .. })
    };
    // A larger loop becomes too large with two iterations.
    if data.insts(func).count() > MAX_LOOP / 2
        || !data.insts(func).any(|inst| is_division(&func.insts[inst]))
    {
        return false;
    }
    let known = constant_once_unrolled(func, cfg, data);
    data.insts(func).any(|inst| match &func.insts[inst] {
        div @ InstData::Binary { args: [_, by], .. } if is_division(div) => known[*by],
        _ => false,
    })
}

/// Returns the values of a loop that begin as constants and are changed only by constants.
fn constant_once_unrolled(func: &Function, cfg: &Cfg, data: &Loop) -> SparseMap<Value, bool> {
    let params = &func.blocks[data.header].params;
    let mut is_known: Vec<bool> = vec![true; params.len()];
    let mut blocks = data.blocks.clone();
    blocks.sort_unstable_by_key(|&block| cfg.rpo_index(block));
    loop {
        let mut known: SparseMap<Value, bool> = SparseMap::new();
        params.iter().zip(&is_known).for_each(|(&param, &is_known)| known[param] = is_known);
        for &inst in blocks.iter().flat_map(|&block| &func.blocks[block].insts) {
            let (mut all, mut any) = (func.insts[inst].is_arithmetic(), false);
            func.insts[inst].for_each_arg(|arg| {
                any |= known[arg];
                all &= known[arg] || func.as_const(arg).is_some();
            });
            if let (true, true, Some(result)) = (all, any, func.result(inst)) {
                known[result] = true;
            }
        }
        let mut changed = false;
        for &pred in cfg.preds(data.header) {
            let Some(end) = func.terminator(pred) else { continue };
            func.insts[end].for_each_target(|call| {
                if call.block != data.header {
                    return;
                }
                for (is_known, &arg) in is_known.iter_mut().zip(&call.args) {
                    if *is_known && !known[arg] && func.as_const(arg).is_none() {
                        (*is_known, changed) = (false, true);
                    }
                }
            });
        }
        if !changed {
            return known;
        }
    }
}

/// Returns true if `found` is true for an instruction in a loop, given the values that change from iteration to iteration.
fn any_varying(
    func: &Function,
    cfg: &Cfg,
    data: &Loop,
    found: impl Fn(Inst, &SparseMap<Value, bool>) -> bool,
) -> bool {
    let mut varying: SparseMap<Value, bool> = SparseMap::new();
    for &param in &func.blocks[data.header].params {
        varying[param] = true;
    }
    let mut blocks = data.blocks.clone();
    blocks.sort_unstable_by_key(|&block| cfg.rpo_index(block));
    for block in blocks {
        for &inst in &func.blocks[block].insts {
            if found(inst, &varying) {
                return true;
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
    if form_closed_ssa(func, data, &data.block_set()).is_none() {
        return false;
    }
    // The clones are in the order of the layout, which is easiest to read.
    let mut order = data.blocks.clone();
    order.sort_unstable();
    let clones: Vec<ClonedIteration> =
        (1..trip_count).map(|_| ClonedIteration::of(func, &order)).collect();
    let end = func.add_block();
    func.append(end, InstData::Unreachable, None);
    // Each iteration continues with the next one; the last one leaves the loop.
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

/// Brings the loop into closed SSA form: all exits go through one new block, whose parameters are the values of the loop that
/// are used after it. Returns the new block. Returns `None` and changes nothing if the exits lead to different blocks.
pub fn form_closed_ssa(
    func: &mut Function,
    data: &Loop,
    inside: &EntitySet<Block>,
) -> Option<Block> {
    let mut exit = None;
    let mut same = true;
    for &block in &data.blocks {
        for target in func.successors(block) {
            if !inside.contains(target) {
                same &= *exit.get_or_insert(target) == target;
            }
        }
    }
    let exit = exit.filter(|_| same)?;
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
    // The new block has the exit's parameters, then one for each value that is used after the loop.
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
            let mut is_user = false;
            func.insts[inst].for_each_arg(|arg| is_user |= defined.contains(arg));
            if !is_user {
                continue;
            }
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
    Some(closing)
}
