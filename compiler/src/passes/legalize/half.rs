//! Half: conversions on the bits, and halves represented by their bits on devices without 16-bit floats.

use crate::ir::*;
use crate::passes::cursor::{replace_values, Cursor};

/// Changes the type of every half in a function to I16, if the function has no arithmetic on halves. Returns true if
/// there were any.
///
/// Arithmetic on halves does not change, so that the emitter can report that the device has none.
pub fn store_as_bits(func: &mut Function) -> bool {
    let is_half = |func: &Function, value| func.ty(value).scalar == Scalar::F16;
    if !func.values.values().any(|value| value.ty.scalar == Scalar::F16) {
        return false;
    }
    let computes = |data: &InstData| match *data {
        InstData::Unary { arg, .. } => is_half(func, arg),
        InstData::Convert { op, arg } => op != ConvertOp::Bitcast && is_half(func, arg),
        InstData::Binary { args: [a, _], .. } | InstData::FCmp { args: [a, _], .. } => {
            is_half(func, a)
        }
        InstData::Math { ref args, .. } => args.iter().any(|&arg| is_half(func, arg)),
        _ => false,
    };
    if func.layout_insts().any(|inst| computes(&func.insts[inst])) {
        return false;
    }
    func.retype(Scalar::F16, Scalar::I16);
    replace_values(func, |c, inst| match c.func.insts[inst] {
        InstData::Convert { op: ConvertOp::Bitcast, arg } => {
            let ty = c.ty(c.func.result(inst)?);
            (c.ty(arg) == ty).then_some(arg)
        }
        _ => None,
    });
    true
}

/// Returns the bits of a half, zero-extended.
fn bits_of(c: &mut Cursor<'_>, half: Value) -> Value {
    let bits = match c.func.def_inst(half) {
        Some(&InstData::Convert { op: ConvertOp::Bitcast, arg }) if c.ty(arg) == Type::I16 => arg,
        _ => c.bitcast(half, Type::I16),
    };
    c.resize(bits, Type::I32, false)
}

/// Converts a half to F32. The conversion uses integer operations; only denormals, which count units of 2^-24, use
/// float operations.
pub fn to_single(c: &mut Cursor<'_>, half: Value) -> Value {
    let bits = bits_of(c, half);
    let sign = c.binary_imm(BinaryOp::And, bits, 0x8000);
    let sign = c.binary_imm(BinaryOp::Shl, sign, 16);
    let magnitude = c.binary_imm(BinaryOp::And, bits, 0x7fff);
    let shifted = c.binary_imm(BinaryOp::Shl, magnitude, 13);
    let normal = c.binary_imm(BinaryOp::IAdd, shifted, 112 << 23);
    let special = c.binary_imm(BinaryOp::IAdd, shifted, 224 << 23);
    let count = c.convert(ConvertOp::SToF, magnitude, Type::F32);
    let unit = c.func.constant(Type::F32, 0x3380_0000);
    let small = c.binary(BinaryOp::FMul, count, unit);
    let small = c.bitcast(small, Type::I32);
    let is_small = c.icmp_imm(IntCC::Ult, magnitude, 0x0400);
    let is_special = c.icmp_imm(IntCC::Uge, magnitude, 0x7c00);
    let result = c.select(is_special, special, normal);
    let result = c.select(is_small, small, result);
    let result = c.binary(BinaryOp::Or, result, sign);
    c.bitcast(result, Type::F32)
}

/// Converts an F32 or F64 to a half, rounding to nearest even.
///
/// OpFConvert is used on few devices with 16-bit floats ([`Target::narrows_halves`](crate::target::Target::narrows_halves)):
/// NVIDIA's driver removes a conversion to half and back, and with it the rounding. PackHalf2x16 is not used because its
/// rounding is the device's choice (lavapipe truncates).
pub fn from_float(c: &mut Cursor<'_>, float: Value) -> Value {
    let bits = match c.ty(float) {
        Type::F64 => round_to_odd(c, float),
        _ => c.bitcast(float, Type::I32),
    };
    from_bits(c, bits)
}

/// Converts the bits of a double to a half.
pub fn from_double_bits(c: &mut Cursor<'_>, double: Value) -> Value {
    let bits = round_to_odd(c, double);
    from_bits(c, bits)
}

/// Converts the float with these bits to a half, rounding to nearest even.
fn from_bits(c: &mut Cursor<'_>, bits: Value) -> Value {
    let magnitude = c.binary_imm(BinaryOp::And, bits, 0x7fff_ffff);
    let sign = c.binary_imm(BinaryOp::LShr, bits, 16);
    let sign = c.binary_imm(BinaryOp::And, sign, 0x8000);
    // Normal: rebias the exponent (subtract 112 << 23), and add half a unit less one, and the odd bit.
    let odd = c.binary_imm(BinaryOp::LShr, magnitude, 13);
    let odd = c.binary_imm(BinaryOp::And, odd, 1);
    let normal = c.binary_imm(BinaryOp::IAdd, magnitude, 0x0fff - (112 << 23));
    let normal = c.binary(BinaryOp::IAdd, normal, odd);
    let normal = c.binary_imm(BinaryOp::LShr, normal, 13);
    // Denormal: adding 0.5 aligns the fraction so that float addition itself rounds.
    let half = c.func.constant(Type::F32, 0x3f00_0000);
    let positive = c.bitcast(magnitude, Type::F32);
    let sum = c.binary(BinaryOp::FAdd, positive, half);
    let sum = c.bitcast(sum, Type::I32);
    let denormal = c.binary_imm(BinaryOp::ISub, sum, 0x3f00_0000);
    let small = c.icmp_imm(IntCC::Ult, magnitude, 113 << 23);
    let finite = c.select(small, denormal, normal);
    let (infinity, nan) = (c.iconst(Type::I32, 0x7c00), c.iconst(Type::I32, 0x7e00));
    let is_nan = c.icmp_imm(IntCC::Ugt, magnitude, 0x7f80_0000);
    let special = c.select(is_nan, nan, infinity);
    let large = c.icmp_imm(IntCC::Uge, magnitude, 143 << 23);
    let result = c.select(large, special, finite);
    let result = c.binary(BinaryOp::Or, result, sign);
    let result = c.resize(result, Type::I16, false);
    c.bitcast(result, Type::F16)
}

/// Returns the bits of an F32 such that rounding the F32 to half rounds the F64 correctly: truncated, with the last bit
/// set if any bit was lost. Numbers below the normal range of F32 become its smallest denormal. The conversion is on
/// the bits, since drivers remove a conversion to F32 and back.
fn round_to_odd(c: &mut Cursor<'_>, double: Value) -> Value {
    let (lo, hi) = c.words_of(double);
    let is_set = |c: &mut Cursor<'_>, word| {
        let any = c.icmp_imm(IntCC::Ne, word, 0);
        c.convert(ConvertOp::ZExt, any, Type::I32)
    };
    let sign = c.binary_imm(BinaryOp::And, hi, 0x8000_0000);
    let magnitude = c.binary_imm(BinaryOp::And, hi, 0x7fff_ffff);
    // Normal: the exponent rebiased (896 less), 3 more bits of the fraction, and a sticky bit.
    let rebased = c.binary_imm(BinaryOp::ISub, magnitude, 896 << 20);
    let high = c.binary_imm(BinaryOp::Shl, rebased, 3);
    let low = c.binary_imm(BinaryOp::LShr, lo, 29);
    let normal = c.binary(BinaryOp::Or, high, low);
    let lost = c.binary_imm(BinaryOp::And, lo, (1 << 29) - 1);
    let sticky = is_set(c, lost);
    let normal = c.binary(BinaryOp::Or, normal, sticky);
    let any = c.binary(BinaryOp::Or, magnitude, lo);
    let tiny = is_set(c, any);
    let is_tiny = c.icmp_imm(IntCC::Ult, magnitude, 897 << 20);
    let finite = c.select(is_tiny, tiny, normal);
    // From 2^128 on: infinity, or a NaN if a bit below the bits of infinity is set.
    let low_bits = is_set(c, lo);
    let with_low = c.binary(BinaryOp::Or, magnitude, low_bits);
    let is_nan = c.icmp_imm(IntCC::Ugt, with_low, 0x7ff0_0000);
    let (nan, infinity) = (c.iconst(Type::I32, 0x7fc0_0000), c.iconst(Type::I32, 0x7f80_0000));
    let special = c.select(is_nan, nan, infinity);
    let is_large = c.icmp_imm(IntCC::Uge, magnitude, 1151 << 20);
    let bits = c.select(is_large, special, finite);
    c.binary(BinaryOp::Or, bits, sign)
}
