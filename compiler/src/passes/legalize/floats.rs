//! Float operations that devices compute wrong, computed on the bits instead: signs, classes, minima and maxima.
//! [`super::conversions`] has the conversions.

use super::conversions;
use crate::ir::*;
use crate::passes::cursor::{replace_values, Cursor};
use crate::target::Target;
use cranelift_entity::EntitySet;
use hekla_device::Quirks;

/// Legalizes a function. Returns true if anything changed.
pub fn run(func: &mut Function, target: &Target) -> bool {
    if !func.layout_insts().any(|inst| is_candidate(&func.insts[inst])) {
        return false;
    }
    let operands = signed_operands(func, target);
    replace_values(func, |c, inst| match c.func.result(inst) {
        Some(result) if operands.contains(result) => None,
        _ => legalized(c, inst, target),
    })
}

/// Returns the negated numbers and magnitudes that only arithmetic and comparisons use, if the device's own negation and
/// magnitude are good enough for that. The device's compiler then needs no instruction for them.
fn signed_operands(func: &Function, target: &Target) -> EntitySet<Value> {
    use BinaryOp::*;
    let mut operands = EntitySet::new();
    for inst in func.layout_insts() {
        let is_sign = matches!(
            func.insts[inst],
            InstData::Unary { op: UnaryOp::FNeg, .. } | InstData::Math { op: MathOp::FAbs, .. }
        );
        if let Some(result) = func.result(inst).filter(|_| is_sign) {
            if target.floats(func.ty(result).scalar).signs_operands {
                operands.insert(result);
            }
        }
    }
    if operands.is_empty() {
        return operands;
    }
    for inst in func.layout_insts() {
        let data = &func.insts[inst];
        let keeps_values = |value: &Value| match data {
            InstData::Binary { op, .. } => matches!(op, FAdd | FSub | FMul | FDiv),
            InstData::Math { op, .. } => *op == MathOp::Fma,
            // Arithmetic that flushes denormals does so with all of its operands; comparisons may not, which matters where the
            // other operand is as small.
            InstData::FCmp { cc, args, .. } => {
                let classes = matches!(cc, FloatCC::Ord | FloatCC::Uno);
                let keeps = target.floats(func.ty(*value).scalar).keeps_denormals;
                !classes && (keeps || args.iter().any(|&arg| is_normal_const(func, arg)))
            }
            InstData::Convert { op, .. } => matches!(op, ConvertOp::FToS | ConvertOp::FToU),
            _ => false,
        };
        data.for_each_arg(|arg| {
            if !keeps_values(&arg) {
                operands.remove(arg);
            }
        });
    }
    operands
}

/// Returns true for constants that are neither zero nor denormal.
fn is_normal_const(func: &Function, value: Value) -> bool {
    let exponent = match func.ty(value).scalar {
        Scalar::F16 => 0x7c00,
        Scalar::F32 => 0x7f80_0000,
        _ => 0x7ff0_0000_0000_0000,
    };
    func.as_const(value).is_some_and(|bits| bits & exponent != 0)
}

fn is_candidate(data: &InstData) -> bool {
    use ConvertOp::*;
    match data {
        InstData::Unary { op, .. } => *op == UnaryOp::FNeg,
        InstData::Binary { op, .. } => matches!(op, BinaryOp::FMin | BinaryOp::FMax),
        InstData::Math { op, .. } => {
            use MathOp::*;
            matches!(op, FAbs | IsNan | IsInf | Rint | Trunc)
        }
        InstData::FCmp { cc, .. } => matches!(cc, FloatCC::Ord | FloatCC::Uno),
        InstData::Convert { op, .. } => matches!(op, FConvert | FToS | FToU | SToF | UToF),
        _ => false,
    }
}

/// Inserts the legal instructions for an instruction. Returns the value that replaces the instruction's result.
fn legalized(c: &mut Cursor<'_>, inst: Inst, target: &Target) -> Option<Value> {
    let ty = c.ty(c.func.result(inst)?);
    if !is_candidate(&c.func.insts[inst]) {
        return None;
    }
    match c.func.insts[inst] {
        ref data if ty.lanes != 1 => {
            let data = data.clone();
            lanewise(c, &data, ty, target)
        }
        InstData::Unary { arg, .. } if !target.floats(ty.scalar).sign_alone => {
            Some(with_sign(c, BinaryOp::Xor, arg))
        }
        InstData::Binary { op, args: [a, b], .. } => {
            (!has_order(ty.scalar, target)).then(|| choice(c, op == BinaryOp::FMin, a, b))
        }
        InstData::Math { op: MathOp::FAbs, ref args, .. } => {
            let arg = *args.first()?;
            let is_wrong = !target.floats(ty.scalar).sign_alone;
            is_wrong.then(|| with_sign(c, BinaryOp::And, arg))
        }
        InstData::Math { op: op @ (MathOp::Rint | MathOp::Trunc), ref args, .. } => {
            let arg = *args.first()?;
            let is_wrong = ty.scalar == Scalar::F64 && target.has(Quirks::INEXACT_DOUBLE_ROUNDING);
            is_wrong.then(|| rounded_double(c, op, arg))
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

/// Legalizes operations on vectors of halves, each lane by itself.
fn lanewise(c: &mut Cursor<'_>, data: &InstData, ty: Type, target: &Target) -> Option<Value> {
    let is_right = match *data {
        InstData::Unary { .. } => target.floats(ty.scalar).sign_alone,
        InstData::Binary { .. } => has_order(ty.scalar, target),
        _ => true,
    };
    if is_right {
        return None;
    }
    let mut lanes = Vec::new();
    for lane in 0..ty.lanes {
        lanes.push(match *data {
            InstData::Unary { arg, .. } => {
                let arg = c.extract(arg, lane);
                with_sign(c, BinaryOp::Xor, arg)
            }
            InstData::Binary { op, args, .. } => {
                let [a, b] = args.map(|arg| c.extract(arg, lane));
                choice(c, op == BinaryOp::FMin, a, b)
            }
            _ => return None,
        });
    }
    Some(c.build(&lanes))
}

/// Rounds a double to an integer by exact operations: Floor of the magnitude, or a sum without bits for a fraction. The
/// result keeps the number's sign, also for zeros.
fn rounded_double(c: &mut Cursor<'_>, op: MathOp, x: Value) -> Value {
    let bits = bits_of(c, x);
    let sign = c.binary_imm(BinaryOp::And, bits, i64::MIN);
    let magnitude = c.binary(BinaryOp::Xor, bits, sign);
    let magnitude = c.bitcast(magnitude, Type::F64);
    let rounded = match op {
        MathOp::Trunc => c.math(MathOp::Floor, &[magnitude]),
        _ => {
            let limit = c.func.constant(Type::F64, 2f64.powi(52).to_bits());
            let sum = c.binary_alone(BinaryOp::FAdd, magnitude, limit);
            let rounded = c.binary_alone(BinaryOp::FSub, sum, limit);
            let has_fraction = c.fcmp(FloatCC::Olt, magnitude, limit);
            c.select(has_fraction, rounded, magnitude)
        }
    };
    let rounded = bits_of(c, rounded);
    let signed = c.binary(BinaryOp::Or, rounded, sign);
    c.bitcast(signed, Type::F64)
}

/// Returns true if the device's minimum and maximum distinguish denormals. (A quirk covers doubles.)
fn has_order(scalar: Scalar, target: &Target) -> bool {
    scalar == Scalar::F64 || target.floats(scalar).orders
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

/// Returns whether a float is NaN, or infinite. The bits are tested, because drivers may fold OpIsNan and x != x to
/// false.
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

/// Returns the smaller or the larger of two floats, by their order as integers. The device may take two denormals for equal
/// zeros and choose the wrong one.
fn choice(c: &mut Cursor<'_>, smaller: bool, a: Value, b: Value) -> Value {
    let width = c.ty(a).scalar.bits();
    let [x, y] = [a, b].map(|x| {
        let bits = bits_of(c, x);
        let sign = c.binary_imm(BinaryOp::AShr, bits, i64::from(width) - 1);
        let magnitude = c.binary_imm(BinaryOp::And, bits, (1 << (width - 1)) - 1);
        let flipped = c.binary(BinaryOp::Xor, magnitude, sign);
        c.binary(BinaryOp::ISub, flipped, sign)
    });
    let first = c.icmp(if smaller { IntCC::Slt } else { IntCC::Sgt }, x, y);
    // NaNs are beyond the infinities. They must not be chosen if the other operand is a number.
    let (a_nan, b_nan) = (class(c, true, a), class(c, true, b));
    let a_is_number = c.unary(UnaryOp::Not, a_nan);
    let first = c.binary(BinaryOp::And, first, a_is_number);
    let first = c.binary(BinaryOp::Or, first, b_nan);
    c.select(first, a, b)
}
