//! Conversions between numbers for which a device has no instruction, or a wrong one: of integers of 8, 16 and 64 bits,
//! of unsigned words on weak devices, and of halves.

use super::half;
use super::integers::count_zeros_64;
use crate::ir::*;
use crate::passes::cursor::Cursor;
use crate::target::Target;

/// Returns the result of a conversion to `ty`; `None` if the device's own conversion is right.
pub fn legalized(
    c: &mut Cursor<'_>,
    op: ConvertOp,
    arg: Value,
    ty: Type,
    target: &Target,
) -> Option<Value> {
    match op {
        ConvertOp::FConvert => float_to_float(c, arg, ty, target),
        ConvertOp::FToS | ConvertOp::FToU => float_to_int(c, op, arg, ty, target),
        ConvertOp::SToF | ConvertOp::UToF => int_to_float(c, op, arg, ty, target),
        _ => None,
    }
}

fn float_to_float(c: &mut Cursor<'_>, arg: Value, ty: Type, target: &Target) -> Option<Value> {
    if ty == Type::F16 {
        let is_native = target.narrows_halves() && c.ty(arg) == Type::F32;
        return (!is_native).then(|| half::from_float(c, arg));
    }
    // The device's own conversion may lose denormals.
    let is_native = target.float16 && target.floats(Scalar::F16).widens;
    if c.ty(arg) != Type::F16 || is_native {
        return None;
    }
    let single = half::to_single(c, arg);
    Some(c.convert(ConvertOp::FConvert, single, ty))
}

fn float_to_int(
    c: &mut Cursor<'_>,
    op: ConvertOp,
    arg: Value,
    ty: Type,
    target: &Target,
) -> Option<Value> {
    let is_bits = c.ty(arg) == Type::F16 && !target.float16;
    let float = if is_bits { half::to_single(c, arg) } else { arg };
    match ty.scalar.bits() {
        64 if !target.int64 => Some(float_to_words(c, op, float)),
        8 | 16 => {
            let word = c.convert(op, float, Type::I32);
            Some(c.convert(ConvertOp::Trunc, word, ty))
        }
        _ => is_bits.then(|| c.convert(op, float, ty)),
    }
}

/// Converts a float to a 64-bit integer: splits the magnitude into two words. The split is exact, since the magnitude
/// is less than 2^64 and both the scaling by 2^-32 and the remainder are exact.
fn float_to_words(c: &mut Cursor<'_>, op: ConvertOp, arg: Value) -> Value {
    let (ty, down, up) = match c.ty(arg) {
        Type::F64 => (Type::F64, 0x3df0_0000_0000_0000, 0x41f0_0000_0000_0000),
        _ => (Type::F32, 0x2f80_0000, 0x4f80_0000),
    };
    let arg = c.convert(ConvertOp::FConvert, arg, ty);
    let (down, up) = (c.func.constant(ty, down), c.func.constant(ty, up));
    let magnitude = c.math(MathOp::FAbs, &[arg]);
    let scaled = c.binary(BinaryOp::FMul, magnitude, down);
    let high = c.math(MathOp::Trunc, &[scaled]);
    let part = c.binary(BinaryOp::FMul, high, up);
    let low = c.binary(BinaryOp::FSub, magnitude, part);
    let high = c.convert(ConvertOp::FToU, high, Type::I32);
    let low = c.convert(ConvertOp::FToU, low, Type::I32);
    let words = c.build(&[low, high]);
    let result = c.bitcast(words, Type::I64);
    if op == ConvertOp::FToU {
        return result;
    }
    let zero = c.func.constant(ty, 0);
    let is_negative = c.fcmp(FloatCC::Olt, arg, zero);
    let negated = c.unary(UnaryOp::INeg, result);
    c.select(is_negative, negated, result)
}

fn int_to_float(
    c: &mut Cursor<'_>,
    op: ConvertOp,
    arg: Value,
    ty: Type,
    target: &Target,
) -> Option<Value> {
    let is_wide = c.ty(arg) == Type::I64 && !target.int64;
    // Integers that do not fit F32 exactly overflow half, so going through F32 rounds once.
    if ty == Type::F16 && (is_wide || !target.float16) {
        let single = int_to_float(c, op, arg, Type::F32, target);
        let single = single.unwrap_or_else(|| c.convert(op, arg, Type::F32));
        return Some(half::from_float(c, single));
    }
    let is_signed = op == ConvertOp::SToF;
    let by_parts = ty == Type::F64 && target.fma64_fused && target.int64;
    match c.ty(arg).scalar.bits() {
        64 if is_wide => Some(words_to_float(c, is_signed, arg, ty)),
        32 if by_parts => Some(word_to_double(c, is_signed, arg)),
        64 if by_parts => Some(long_to_double(c, is_signed, arg)),
        32 if !is_signed && !target.int64 && ty == Type::F32 => Some(word_to_float(c, arg)),
        8 | 16 => {
            let word = c.resize(arg, Type::I32, is_signed);
            Some(c.convert(op, word, ty))
        }
        _ => None,
    }
}

/// The high words of the doubles 2^52 and 2^84. A low word below the leading one counts units of 1 in 2^52, and units
/// of 2^32 in 2^84.
const WORD: i64 = 0x4330_0000;
const HIGH_WORD: i64 = 0x4530_0000;

/// Returns the double that consists of these words.
fn double_of(c: &mut Cursor<'_>, low: Value, high: i64) -> Value {
    let high = c.iconst(Type::I32, high);
    let words = c.build(&[low, high]);
    c.bitcast(words, Type::F64)
}

/// Returns a word that counts from 0. The sign bit of a signed word is flipped, so that the result counts from -2^31.
fn counted(c: &mut Cursor<'_>, word: Value, is_signed: bool) -> Value {
    match is_signed {
        true => c.binary_imm(BinaryOp::Xor, word, i64::from(i32::MIN)),
        false => word,
    }
}

/// Converts a word to a double by a subtraction, since GPUs that compute with doubles make four and more of these in
/// the time of one conversion. The word is placed below the leading one of 2^52, and 2^52 is subtracted.
fn word_to_double(c: &mut Cursor<'_>, is_signed: bool, word: Value) -> Value {
    let word = counted(c, word, is_signed);
    let sum = double_of(c, word, WORD);
    let offset = if is_signed { 0x8000_0000 } else { 0 };
    let offset = c.func.constant(Type::F64, (WORD as u64) << 32 | offset);
    c.binary_alone(BinaryOp::FSub, sum, offset)
}

/// Converts two words to a double as [`word_to_double`] does: the high word's conversion is exact, and the sum of both
/// rounds once.
fn long_to_double(c: &mut Cursor<'_>, is_signed: bool, arg: Value) -> Value {
    let (low, high) = c.words_of(arg);
    let high = counted(c, high, is_signed);
    let low = double_of(c, low, WORD);
    let high = double_of(c, high, HIGH_WORD);
    // The sum of 2^84 and 2^52, and of 2^63 if the high word counts from -2^31.
    let offset = if is_signed { 0x8010_0000 } else { 0x0010_0000 };
    let offset = c.func.constant(Type::F64, (HIGH_WORD as u64) << 32 | offset);
    let high = c.binary_alone(BinaryOp::FSub, high, offset);
    c.binary_alone(BinaryOp::FAdd, high, low)
}

/// Converts an unsigned word to F32 through the signed conversion, for weak devices: SwiftShader's unsigned conversion
/// rounds twice. Half of a large word, with a sticky last bit, is converted and doubled.
fn word_to_float(c: &mut Cursor<'_>, word: Value) -> Value {
    let large = c.icmp_imm(IntCC::Slt, word, 0);
    let half = c.binary_imm(BinaryOp::LShr, word, 1);
    let last = c.binary_imm(BinaryOp::And, word, 1);
    let half = c.binary(BinaryOp::Or, half, last);
    let word = c.select(large, half, word);
    let float = c.convert(ConvertOp::SToF, word, Type::F32);
    let double = c.binary(BinaryOp::FAdd, float, float);
    c.select(large, double, float)
}

fn words_to_float(c: &mut Cursor<'_>, is_signed: bool, arg: Value, ty: Type) -> Value {
    let convert = if ty == Type::F64 { magnitude_to_double } else { magnitude_to_single };
    if !is_signed {
        return convert(c, arg);
    }
    let is_negative = c.icmp_imm(IntCC::Slt, arg, 0);
    let negated = c.unary(UnaryOp::INeg, arg);
    let magnitude = c.select(is_negative, negated, arg);
    let float = convert(c, magnitude);
    let negated = c.unary(UnaryOp::FNeg, float);
    c.select(is_negative, negated, float)
}

/// Converts a magnitude of 64 bits to a double. Both words are exact, and their sum rounds once.
fn magnitude_to_double(c: &mut Cursor<'_>, magnitude: Value) -> Value {
    let words = c.bitcast(magnitude, Type::PAIR);
    let [lo, hi] = [0, 1].map(|i| {
        let word = c.extract(words, i);
        c.convert(ConvertOp::UToF, word, Type::F64)
    });
    let scale = c.func.constant(Type::F64, 0x41f0_0000_0000_0000);
    let hi = c.binary(BinaryOp::FMul, hi, scale);
    c.binary(BinaryOp::FAdd, hi, lo)
}

/// Converts a magnitude of 64 bits to F32. The magnitude is shifted so that its top 32 bits, with a sticky bit for the
/// rest, round once.
fn magnitude_to_single(c: &mut Cursor<'_>, magnitude: Value) -> Value {
    let (lo, hi) = c.words_of(magnitude);
    let zeros = count_zeros_64(c, MathOp::Clz, hi, lo);
    let zeros = c.binary_imm(BinaryOp::And, zeros, 63);
    let amount = c.resize(zeros, Type::I64, false);
    let shifted = c.binary(BinaryOp::Shl, magnitude, amount);
    let (lo, hi) = c.words_of(shifted);
    let any = c.icmp_imm(IntCC::Ne, lo, 0);
    let sticky = c.convert(ConvertOp::ZExt, any, Type::I32);
    let top = c.binary(BinaryOp::Or, hi, sticky);
    let float = word_to_float(c, top);
    // 2^(32 - zeros), built from its bits; a zero stays zero.
    let limit = c.iconst(Type::I32, 32 + 127);
    let exponent = c.binary(BinaryOp::ISub, limit, zeros);
    let bits = c.binary_imm(BinaryOp::Shl, exponent, 23);
    let scale = c.bitcast(bits, Type::F32);
    c.binary(BinaryOp::FMul, float, scale)
}
