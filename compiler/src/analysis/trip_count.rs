//! Trip counts: how often the header of a loop runs, found by evaluating the induction variable. Loops whose start or
//! bound is unknown are described by [`CountedLoop`].

use crate::ir::cfg::Cfg;
use crate::ir::loops::{Loop, Loops};
use crate::ir::*;

/// Returns how often the header of a loop runs, if an induction variable with a constant start decides it and the
/// number is not greater than `limit`.
pub fn trip_count(func: &Function, cfg: &Cfg, data: &Loop, limit: usize) -> Option<usize> {
    let [latch] = data.latches[..] else { return None };
    // The test is in the header or in the block that closes the loop.
    [data.header, latch].into_iter().find_map(|at| {
        let exit = exit_test(func, data, at)?;
        let params = func.blocks[data.header].params.len();
        (0..params).find_map(|index| induction_count(func, cfg, data, (latch, index), &exit, limit))
    })
}

struct ExitTest {
    cond: Value,
    /// The value of the condition with which the loop ends.
    when: bool,
}

/// Returns the condition at the end of block `at` on which the loop is left.
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
    let arg_of = |pred: Block| argument(func, pred, data.header, index);
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

/// Computes a value from constants and the one known parameter.
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

/// What each iteration of a loop adds to its induction variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    Constant(i64),
    /// A value that is the same in all iterations, as the global size is.
    Value(Value),
}

/// A loop that an induction variable counts: it runs while `variable + offset cc bound`, and has no other exit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CountedLoop {
    /// The block that tests the condition: the header, or the block that closes the loop.
    pub test: Block,
    pub latch: Block,
    /// The index of the header's parameter that is the induction variable, an integer to which each iteration adds
    /// `step`.
    pub variable: usize,
    pub step: Step,
    pub offset: i64,
    pub cc: IntCC,
    /// The bound, which is the same in all iterations.
    pub bound: Value,
}

impl CountedLoop {
    /// Finds the induction variable that counts the iterations of loop `index`.
    pub fn find(func: &Function, cfg: &Cfg, loops: &Loops, index: usize) -> Option<CountedLoop> {
        let data = &loops.loops[index];
        let [latch] = data.latches[..] else { return None };
        let mut exiting = data.blocks.iter().filter(|&&b| loops.is_exiting(cfg, index, b));
        let (Some(&test), None) = (exiting.next(), exiting.next()) else { return None };
        if test != data.header && test != latch {
            return None;
        }
        let exit = exit_test(func, data, test)?;
        let &InstData::ICmp { cc, args: [a, b] } = func.def_inst(exit.cond)? else { return None };
        let cc = if exit.when { cc.inverted() } else { cc };
        let is_invariant = |value: Value| match func.def(value) {
            ValueDef::Const(Constant::Bits(_)) => true,
            ValueDef::Const(Constant::Undef) => false,
            ValueDef::Param(at, _) => !loops.contains(index, at),
            ValueDef::Inst(def) => {
                !data.blocks.iter().any(|&block| func.blocks[block].insts.contains(&def))
            }
        };
        [(a, b, cc), (b, a, cc.swapped())].into_iter().find_map(|(tested, bound, cc)| {
            let (param, offset) = split_sum(func, tested);
            let ValueDef::Param(at, variable) = func.def(param) else { return None };
            let variable = variable as usize;
            let next = (at == data.header).then(|| argument(func, latch, at, variable))??;
            let step = step(func, next, param).filter(|step| match *step {
                Step::Constant(step) => step != 0,
                Step::Value(step) => is_invariant(step),
            })?;
            let counted = CountedLoop { test, latch, variable, step, offset, cc, bound };
            is_invariant(bound).then_some(counted)
        })
    }
}

/// Returns what is added to `param` to get `next`.
fn step(func: &Function, next: Value, param: Value) -> Option<Step> {
    let &InstData::Binary { op: BinaryOp::IAdd, args: [a, b], .. } = func.def_inst(next)? else {
        return None;
    };
    let step = if a == param { b } else { a };
    (a == param || b == param)
        .then(|| func.as_signed_const(step).map_or(Step::Value(step), Step::Constant))
}

/// Splits a value into another value and a constant that is added to it.
fn split_sum(func: &Function, value: Value) -> (Value, i64) {
    match func.def_inst(value) {
        Some(&InstData::Binary { op: BinaryOp::IAdd, args: [base, by], .. }) => {
            func.as_signed_const(by).map_or((value, 0), |by| (base, by))
        }
        _ => (value, 0),
    }
}

/// Returns the argument that block `from` passes for parameter `index` of block `to`.
fn argument(func: &Function, from: Block, to: Block, index: usize) -> Option<Value> {
    let mut found = None;
    func.insts[func.terminator(from)?].for_each_target(|call| {
        if call.block == to {
            found = call.args.get(index).copied();
        }
    });
    found
}
