//! Half to float and float to half with integer operations, for devices that lack 16-bit floats
//! and for rounding modes that none has. Bits of halves stand in I32 lanes, zero-extended.

use super::function::Lowering;
use crate::ir::{BinaryOp, ConvertOp, IntCC, Scalar, Value};
use crate::sema::hir::Rounding;

/// Bits of a float: exponent of infinity and NaN.
const F32_INFINITY: i64 = 0x7f80_0000;
/// Bits of 2^-14, the least normal half.
const F32_LEAST_NORMAL_HALF: i64 = 0x3880_0000;
/// What the exponent's bias differs by, in place in a half (127 - 15).
const BIAS_IN_HALF: i64 = 112 << 10;

impl Lowering<'_, '_> {
    /// The float with a half's value. Exact.
    pub fn half_to_float(&mut self, half: Value) -> Value {
        let int = self.b.ty(half);
        let float = int.with_scalar(Scalar::F32);
        let sign = self.and_const(half, 0x8000);
        let sign = self.shl_const(sign, 16);
        let magnitude = self.and_const(half, 0x7fff);
        let shifted = self.shl_const(magnitude, 13);
        let normal = self.add_const(shifted, 112 << 23);
        let special = self.add_const(shifted, 224 << 23);
        // A denormal half is its integer times 2^-24, a normal float.
        let count = self.b.convert(ConvertOp::UToF, magnitude, float);
        let unit = self.b.fconst(float, 1.0 / 16_777_216.0);
        let small = self.b.binary(BinaryOp::FMul, count, unit);
        let small = self.b.bitcast(small, int);
        let is_special = self.compare_const(IntCC::Uge, magnitude, 0x7c00);
        let is_small = self.compare_const(IntCC::Ult, magnitude, 0x0400);
        let bits = self.b.select(is_special, special, normal);
        let bits = self.b.select(is_small, small, bits);
        let bits = self.b.binary(BinaryOp::Or, bits, sign);
        self.b.bitcast(bits, float)
    }

    /// The half nearest to a float in the sense of the rounding mode.
    pub fn float_to_half(&mut self, value: Value, mode: Rounding) -> Value {
        let float = self.b.ty(value);
        let int = float.with_scalar(Scalar::I32);
        let bits = self.b.bitcast(value, int);
        let magnitude = self.and_const(bits, 0x7fff_ffff);
        let negative = self.is_negative(bits);

        // Normal halves: cut 13 bits. What is cut is compared with half a unit, 2^(shift - 1).
        let cut = self.lshr_const(magnitude, 13);
        let normal = self.add_const(cut, -BIAS_IN_HALF);
        // Denormal halves: the significand shifted right by 126 - exponent, at least 14, at most 25
        // (where nothing is left).
        let exponent = self.lshr_const(magnitude, 23);
        let distance = self.b.iconst(int, 126);
        let distance = self.b.binary(BinaryOp::ISub, distance, exponent);
        let (low, high) = (self.b.iconst(int, 13), self.b.iconst(int, 25));
        let distance = self.b.binary(BinaryOp::SMax, distance, low);
        let distance = self.b.binary(BinaryOp::SMin, distance, high);
        let digits = self.and_const(magnitude, 0x007f_ffff);
        let with_leading = self.or_const(digits, 0x0080_0000);
        let is_denormal_float = self.compare_const(IntCC::Eq, exponent, 0);
        let significand = self.b.select(is_denormal_float, digits, with_leading);
        let small = self.b.binary(BinaryOp::LShr, significand, distance);

        let is_small = self.compare_const(IntCC::Ult, magnitude, F32_LEAST_NORMAL_HALF);
        let truncated = self.b.select(is_small, small, normal);
        let shift = self.b.select(is_small, distance, low);
        let source = self.b.select(is_small, significand, magnitude);
        let rounded = self.round_half(truncated, source, shift, negative, mode);

        // Beyond the largest half: infinity or the largest, as the mode says.
        let overflow = self.overflow_half(negative, mode);
        let is_large = self.compare_const(IntCC::Uge, magnitude, 0x4780_0000);
        let rounded = self.b.select(is_large, overflow, rounded);
        let infinity = self.b.iconst(int, 0x7c00);
        let is_infinite = self.compare_const(IntCC::Eq, magnitude, F32_INFINITY);
        let rounded = self.b.select(is_infinite, infinity, rounded);
        let payload = self.and_const(cut, 0x03ff);
        let nan = self.or_const(payload, 0x7e00);
        let is_nan = self.compare_const(IntCC::Ugt, magnitude, F32_INFINITY);
        let rounded = self.b.select(is_nan, nan, rounded);
        let sign = self.lshr_const(bits, 16);
        let sign = self.and_const(sign, 0x8000);
        self.b.binary(BinaryOp::Or, rounded, sign)
    }

    /// `truncated`, or one more, by the `shift` low bits of `source` that were cut.
    fn round_half(
        &mut self,
        truncated: Value,
        source: Value,
        shift: Value,
        negative: Value,
        mode: Rounding,
    ) -> Value {
        let int = self.b.ty(source);
        let one = self.b.iconst(int, 1);
        let unit = self.b.binary(BinaryOp::Shl, one, shift);
        let mask = self.b.binary(BinaryOp::ISub, unit, one);
        let rest = self.b.binary(BinaryOp::And, source, mask);
        let inexact = self.compare_const(IntCC::Ne, rest, 0);
        let up = match mode {
            Rounding::TowardZero => return truncated,
            Rounding::TowardNegative => self.b.binary(BinaryOp::And, inexact, negative),
            Rounding::TowardPositive => {
                let positive = self.b.unary(crate::ir::UnaryOp::Not, negative);
                self.b.binary(BinaryOp::And, inexact, positive)
            }
            Rounding::NearestEven => {
                // rest + (truncated & 1) > unit / 2
                let odd = self.and_const(truncated, 1);
                let rest = self.b.binary(BinaryOp::IAdd, rest, odd);
                let tie = self.lshr_const(unit, 1);
                self.b.icmp(IntCC::Ugt, rest, tie)
            }
        };
        let up = self.b.convert(ConvertOp::ZExt, up, int);
        self.b.binary(BinaryOp::IAdd, truncated, up)
    }

    fn overflow_half(&mut self, negative: Value, mode: Rounding) -> Value {
        let int = self.b.ty(negative).with_scalar(Scalar::I32);
        let infinity = self.b.iconst(int, 0x7c00);
        let largest = self.b.iconst(int, 0x7bff);
        match mode {
            Rounding::NearestEven => infinity,
            Rounding::TowardZero => largest,
            Rounding::TowardPositive => self.b.select(negative, largest, infinity),
            Rounding::TowardNegative => self.b.select(negative, infinity, largest),
        }
    }

    pub fn and_const(&mut self, value: Value, mask: i64) -> Value {
        self.binary_const(BinaryOp::And, value, mask)
    }

    pub fn or_const(&mut self, value: Value, bits: i64) -> Value {
        self.binary_const(BinaryOp::Or, value, bits)
    }

    pub fn add_const(&mut self, value: Value, addend: i64) -> Value {
        self.binary_const(BinaryOp::IAdd, value, addend)
    }

    pub fn shl_const(&mut self, value: Value, by: i64) -> Value {
        self.binary_const(BinaryOp::Shl, value, by)
    }

    pub fn lshr_const(&mut self, value: Value, by: i64) -> Value {
        self.binary_const(BinaryOp::LShr, value, by)
    }

    /// `value op constant`, the constant in each lane.
    pub fn binary_const(&mut self, op: BinaryOp, value: Value, constant: i64) -> Value {
        let constant = self.b.iconst(self.b.ty(value), constant);
        self.b.binary(op, value, constant)
    }

    pub fn compare_const(&mut self, cc: IntCC, value: Value, constant: i64) -> Value {
        let constant = self.b.iconst(self.b.ty(value), constant);
        self.b.icmp(cc, value, constant)
    }
}
