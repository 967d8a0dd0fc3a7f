//! Operations of floats that devices get wrong, done on the bits: signs, classes, minima and maxima. Conversions are
//! in [`super::conversions`].

use super::conversions;
use crate::ir::*;
use crate::passes::cursor::{replace_values, Cursor};
use crate::target::Target;

/// Legalizes a function. Returns true if anything changed.
pub fn run(func: &mut Function, target: &Target) -> bool {
    if !func.layout_insts().any(|inst| is_candidate(&func.insts[inst])) {
        return false;
    }
    replace_values(func, |c, inst| legalized(c, inst, target))
}

fn is_candidate(data: &InstData) -> bool {
    use ConvertOp::*;
    match data {
        InstData::Unary { op, .. } => *op == UnaryOp::FNeg,
        InstData::Binary { op, .. } => matches!(op, BinaryOp::FMin | BinaryOp::FMax),
        InstData::Math { op, .. } => matches!(op, MathOp::FAbs | MathOp::IsNan | MathOp::IsInf),
        InstData::FCmp { cc, .. } => matches!(cc, FloatCC::Ord | FloatCC::Uno),
        InstData::Convert { op, .. } => matches!(op, FConvert | FToS | FToU | SToF | UToF),
        _ => false,
    }
}

/// Returns what takes the place of an instruction's result, after the instructions that it needs have been inserted.
fn legalized(c: &mut Cursor<'_>, inst: Inst, target: &Target) -> Option<Value> {
    let ty = c.ty(c.func.result(inst)?);
    if ty.lanes != 1 || !is_candidate(&c.func.insts[inst]) {
        return None;
    }
    match c.func.insts[inst] {
        InstData::Unary { arg, .. } if !target.floats(ty.scalar).sign_alone => {
            Some(with_sign(c, BinaryOp::Xor, arg))
        }
        InstData::Binary { op, args: [a, b], .. } => {
            let has_order = ty != Type::F32 || target.floats(Scalar::F32).orders;
            (!has_order).then(|| choice(c, op == BinaryOp::FMin, a, b))
        }
        InstData::Math { op: MathOp::FAbs, ref args, .. } => {
            let arg = *args.first()?;
            let is_wrong = !target.floats(ty.scalar).sign_alone;
            is_wrong.then(|| with_sign(c, BinaryOp::And, arg))
        }
        InstData::Math { op, ref args, .. } => {
            let arg = *args.first()?;
            Some(class(c, op == MathOp::IsNan, arg))
        }
        InstData::FCmp { cc, args: [a, b], .. } => {
            let mut unordered = class(c, true, a);
            if a != b {
                let second = class(c, true, b);
                unordered = c.binary(BinaryOp::Or, unordered, second);
            }
            Some(match cc {
                FloatCC::Uno => unordered,
                _ => c.unary(UnaryOp::Not, unordered),
            })
        }
        InstData::Convert { op, arg } => conversions::legalized(c, op, arg, ty, target),
        _ => None,
    }
}

/// Returns the bits of a float.
fn bits_of(c: &mut Cursor<'_>, x: Value) -> Value {
    let width = c.ty(x).scalar.bits();
    c.bitcast(x, Type::of(Scalar::int(width)))
}

/// Returns `x` with the sign bit flipped (`Xor`) or cleared (`And`): for devices whose own operations lose denormals or
/// NaNs.
fn with_sign(c: &mut Cursor<'_>, op: BinaryOp, x: Value) -> Value {
    let ty = c.ty(x);
    let sign = i64::MIN >> (64 - ty.scalar.bits());
    let mask = if op == BinaryOp::And { !sign } else { sign };
    let bits = bits_of(c, x);
    let changed = c.binary_imm(op, bits, mask);
    c.bitcast(changed, ty)
}

/// NaN and infinity are told by the bits: drivers may fold OpIsNan and x != x to false.
fn class(c: &mut Cursor<'_>, nan: bool, x: Value) -> Value {
    let (rest, infinity) = match c.ty(x).scalar {
        Scalar::F16 => (0x7fff, 0x7c00),
        Scalar::F32 => (0x7fff_ffff, 0x7f80_0000),
        _ => (i64::MAX, 0x7ff0_0000_0000_0000),
    };
    let bits = bits_of(c, x);
    let magnitude = c.binary_imm(BinaryOp::And, bits, rest);
    c.icmp_imm(if nan { IntCC::Ugt } else { IntCC::Eq }, magnitude, infinity)
}

/// Returns the smaller of two F32, or the larger, by their order as integers: what the device takes for equal zeros is
/// not to be the wrong one of two denormals.
fn choice(c: &mut Cursor<'_>, smaller: bool, a: Value, b: Value) -> Value {
    let [x, y] = [a, b].map(|x| {
        let bits = bits_of(c, x);
        let sign = c.binary_imm(BinaryOp::AShr, bits, 31);
        let magnitude = c.binary_imm(BinaryOp::And, bits, 0x7fff_ffff);
        let flipped = c.binary(BinaryOp::Xor, magnitude, sign);
        c.binary(BinaryOp::ISub, flipped, sign)
    });
    let first = c.icmp(if smaller { IntCC::Slt } else { IntCC::Sgt }, x, y);
    // NaNs are beyond the infinities: never chosen beside a number.
    let (a_nan, b_nan) = (class(c, true, a), class(c, true, b));
    let a_is_number = c.unary(UnaryOp::Not, a_nan);
    let first = c.binary(BinaryOp::And, first, a_is_number);
    let first = c.binary(BinaryOp::Or, first, b_nan);
    c.select(first, a, b)
}
