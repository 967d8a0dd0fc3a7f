//! Minima and maxima of floats as selections, for drivers that order zeros by their signs, which OpenCL does not ask for:
//! [`Quirks::ORDERED_ZEROS`](hekla_device::Quirks::ORDERED_ZEROS).
//!
//! ```text
//! min(x, y) = y == y ? (x < y ? x : y) : x
//! ```
//!
//! The test for NaN is left out where y is never one, as a bound to which numbers are clamped. What is clamped to the range from
//! 0 to 1 stays, since one instruction does that.

use crate::ir::*;
use crate::passes::cursor::rewrite_insts;
use cranelift_entity::EntitySet;

/// Rewrites minima and maxima. Returns true if there were any.
pub fn run(func: &mut Function) -> bool {
    let (numbers, saturated) = (numbers(func), saturated(func));
    rewrite_insts(func, |c, inst| {
        let result = c.func.result(inst)?;
        if saturated.contains(result) || c.ty(result).lanes > 1 {
            return None;
        }
        let InstData::Binary { op, args: [mut x, mut y], .. } = c.func.insts[inst] else {
            return None;
        };
        let cc = match op {
            BinaryOp::FMin => FloatCC::Olt,
            BinaryOp::FMax => FloatCC::Ogt,
            _ => return None,
        };
        if is_number(c.func, &numbers, x) {
            (x, y) = (y, x);
        }
        let is_first = c.fcmp(cc, x, y);
        if is_number(c.func, &numbers, y) {
            return Some(InstData::Select { args: [is_first, x, y] });
        }
        let chosen = c.select(is_first, x, y);
        let is_number = c.fcmp(FloatCC::Oeq, y, y);
        Some(InstData::Select { args: [is_number, chosen, x] })
    })
}

/// Returns the results that are never NaN: converted integers, and what is clamped to a number.
fn numbers(func: &Function) -> EntitySet<Value> {
    let mut numbers = EntitySet::new();
    for inst in func.layout_insts() {
        let Some(result) = func.result(inst) else { continue };
        let is_number = match func.insts[inst] {
            InstData::Convert { op: ConvertOp::SToF | ConvertOp::UToF, .. } => true,
            InstData::Binary { op: BinaryOp::FMin | BinaryOp::FMax, args, .. } => {
                args.iter().any(|&arg| is_number(func, &numbers, arg))
            }
            _ => false,
        };
        if is_number {
            numbers.insert(result);
        }
    }
    numbers
}

/// Returns true for a value that is never NaN: one of `numbers`, or a constant.
fn is_number(func: &Function, numbers: &EntitySet<Value>, value: Value) -> bool {
    let infinity: u64 = match func.ty(value) {
        Type::F16 => 0x7c00,
        Type::F32 => 0x7f80_0000,
        _ => return numbers.contains(value),
    };
    let magnitude = |bits: u64| bits & (infinity | ((infinity & infinity.wrapping_neg()) - 1));
    match func.as_const(value) {
        Some(bits) => magnitude(bits) <= infinity,
        None => numbers.contains(value),
    }
}

/// Returns the minima with 1 of maxima with 0, the maxima with 0 of minima with 1, and what these are of.
fn saturated(func: &Function) -> EntitySet<Value> {
    let bounded = |value: Value| match *func.def_inst(value)? {
        InstData::Binary { op: op @ (BinaryOp::FMin | BinaryOp::FMax), args: [a, b], .. } => {
            let bound = if op == BinaryOp::FMin { one(func.ty(value)) } else { 0 };
            let is_bound = |value: Value| func.as_const(value) == Some(bound);
            is_bound(b).then_some((op, a)).or_else(|| is_bound(a).then_some((op, b)))
        }
        _ => None,
    };
    let mut saturated = EntitySet::new();
    for value in func.layout_insts().filter_map(|inst| func.result(inst)) {
        let Some((op, inner)) = bounded(value) else { continue };
        if bounded(inner).is_some_and(|(other, _)| other != op) {
            saturated.extend([value, inner]);
        }
    }
    saturated
}

/// Returns the bits of 1.
fn one(ty: Type) -> u64 {
    match ty {
        Type::F16 => 0x3c00,
        _ => 0x3f80_0000,
    }
}
