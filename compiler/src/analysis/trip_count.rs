//! Trip counts: how often the header of a loop runs, by evaluating its induction variable.

use crate::ir::cfg::Cfg;
use crate::ir::loops::Loop;
use crate::ir::*;

/// Returns how often the header runs, if an induction variable with a constant start decides that, and it is not more
/// than `limit`.
pub fn trip_count(func: &Function, cfg: &Cfg, data: &Loop, limit: usize) -> Option<usize> {
    let [latch] = data.latches[..] else { return None };
    // The test stands in the header or in the block that closes the loop.
    [data.header, latch].into_iter().find_map(|at| {
        let exit = exit_test(func, data, at)?;
        let params = func.blocks[data.header].params.len();
        (0..params).find_map(|index| induction_count(func, cfg, data, (latch, index), &exit, limit))
    })
}

struct ExitTest {
    cond: Value,
    /// The loop ends when the condition has this value.
    when: bool,
}

/// Returns the condition at the end of block `at` of leaving the loop.
fn exit_test(func: &Function, data: &Loop, at: Block) -> Option<ExitTest> {
    let InstData::Brif { cond, then, otherwise } = &func.insts[func.terminator(at)?] else {
        return None;
    };
    let inside = |call: &BlockCall| data.blocks.contains(&call.block);
    match (inside(then), inside(otherwise)) {
        (false, true) => Some(ExitTest { cond: *cond, when: true }),
        (true, false) => Some(ExitTest { cond: *cond, when: false }),
        _ => None,
    }
}

/// Returns the trip count by evaluating header parameter `index` for each iteration.
fn induction_count(
    func: &Function,
    cfg: &Cfg,
    data: &Loop,
    (latch, index): (Block, usize),
    exit: &ExitTest,
    limit: usize,
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
    for iteration in 1..=limit {
        if (evaluate(func, exit.cond, param, counter, 8)? != 0) == exit.when {
            return Some(iteration);
        }
        counter = evaluate(func, next, param, counter, 8)?;
    }
    None
}

/// Returns the value of a computation from constants and one known parameter.
fn evaluate(func: &Function, value: Value, param: Value, known: u64, depth: u32) -> Option<u64> {
    if value == param {
        return Some(known);
    }
    if let Some(bits) = func.as_const(value) {
        return Some(bits);
    }
    let deeper = depth.checked_sub(1)?;
    let data = func.def_inst(value)?;
    let is_exact = match data {
        InstData::Binary { op, .. } => !op.is_float(),
        InstData::Convert { op, .. } => {
            matches!(op, ConvertOp::Trunc | ConvertOp::ZExt | ConvertOp::SExt)
        }
        InstData::Unary { .. } | InstData::ICmp { .. } => true,
        _ => false,
    };
    let operand = |arg: Value| evaluate(func, arg, param, known, deeper);
    is_exact.then(|| fold::inst(func, data, func.ty(value), operand)).flatten()
}
