//! Conversions between widths of floats with integer operations on the bits: halves on devices that lack them, and
//! truncation in any rounding mode, which devices lack, or do with denormals flushed, or remove where it is
//! undone again.

use super::convert::Rounding;
use crate::ir::{BinaryOp, Builder, ConvertOp, IntCC, Scalar, Type, UnaryOp, Value};

/// The layout of the bits of a float.
#[derive(Clone, Copy)]
struct FloatFormat {
    /// Bits of the fraction.
    fraction: i64,
    bias: i64,
}

impl FloatFormat {
    fn of(scalar: Scalar) -> FloatFormat {
        match scalar {
            Scalar::F16 => FloatFormat { fraction: 10, bias: 15 },
            Scalar::F32 => FloatFormat { fraction: 23, bias: 127 },
            _ => FloatFormat { fraction: 52, bias: 1023 },
        }
    }

    /// Returns the bits of infinity.
    fn infinity(self) -> i64 {
        (2 * self.bias + 1) << self.fraction
    }

    /// Returns the bits of the quiet NaN without a payload.
    fn quiet(self) -> i64 {
        self.infinity() | 1 << (self.fraction - 1)
    }
}

impl Builder<'_> {
    /// Returns the float with the value of a half, whose bits stand in I32 lanes, zero-extended. Exact.
    pub fn half_to_float(&mut self, half: Value) -> Value {
        let int = self.ty(half);
        let float = int.with_scalar(Scalar::F32);
        let sign = self.and_const(half, 0x8000);
        let sign = self.shl_const(sign, 16);
        let magnitude = self.and_const(half, 0x7fff);
        let shifted = self.shl_const(magnitude, 13);
        let normal = self.add_const(shifted, 112 << 23);
        let special = self.add_const(shifted, 224 << 23);
        // A denormal half is its integer times 2^-24, a normal float.
        let count = self.convert(ConvertOp::UToF, magnitude, float);
        let unit = self.fconst(float, 1.0 / 16_777_216.0);
        let small = self.binary(BinaryOp::FMul, count, unit);
        let small = self.bitcast(small, int);
        let is_special = self.icmp_imm(IntCC::Uge, magnitude, 0x7c00);
        let is_small = self.icmp_imm(IntCC::Ult, magnitude, 0x0400);
        let bits = self.select(is_special, special, normal);
        let bits = self.select(is_small, small, bits);
        let bits = self.binary(BinaryOp::Or, bits, sign);
        self.bitcast(bits, float)
    }

    /// Returns the bits of the `narrow` float (F16 or F32) that a wider one is rounded to, in I32 lanes.
    pub fn fptrunc_bits(&mut self, value: Value, narrow: Scalar, mode: Rounding) -> Value {
        let float = self.ty(value);
        let int = self.bits_type(value);
        let (from, to) = (FloatFormat::of(float.scalar), FloatFormat::of(narrow));
        let bits = self.bitcast(value, int);
        let magnitude = self.and_const(bits, i64::MAX >> (64 - float.scalar.bits()));
        let negative = self.is_negative(bits);

        // Normal results: cut the digits that have no place, and let the exponent count from the
        // narrower type's bias.
        let excess = from.fraction - to.fraction;
        let cut = self.lshr_const(magnitude, excess);
        let normal = self.add_const(cut, -((from.bias - to.bias) << to.fraction));
        // Denormal results: the significand shifted right by as much more as the exponent is below
        // the least normal one, until nothing is left. (Denormal numbers of the wider type all
        // vanish: their leading digit does not matter.)
        let exponent = self.lshr_const(magnitude, from.fraction);
        let least_exponent = from.bias - to.bias + 1;
        let distance = self.iconst(int, excess + least_exponent);
        let distance = self.binary(BinaryOp::ISub, distance, exponent);
        let least = self.iconst(int, excess);
        let most = self.iconst(int, from.fraction + 2);
        let distance = self.binary(BinaryOp::SMax, distance, least);
        let distance = self.binary(BinaryOp::SMin, distance, most);
        let digits = self.and_const(magnitude, (1 << from.fraction) - 1);
        let with_leading = self.or_const(digits, 1 << from.fraction);
        let no_leading = self.icmp_imm(IntCC::Eq, exponent, 0);
        let significand = self.select(no_leading, digits, with_leading);
        let small = self.binary(BinaryOp::LShr, significand, distance);

        let least_normal = least_exponent << from.fraction;
        let is_small = self.icmp_imm(IntCC::Ult, magnitude, least_normal);
        let truncated = self.select(is_small, small, normal);
        let shift = self.select(is_small, distance, least);
        let source = self.select(is_small, significand, magnitude);
        let rounded = self.round_cut(truncated, source, shift, negative, mode);

        // Beyond the largest number: infinity or that number, as the mode says.
        let overflow = self.overflow(int, negative, to, mode);
        let limit = (from.bias + to.bias + 1) << from.fraction;
        let is_large = self.icmp_imm(IntCC::Uge, magnitude, limit);
        let rounded = self.select(is_large, overflow, rounded);
        let infinity = self.iconst(int, to.infinity());
        let is_infinite = self.icmp_imm(IntCC::Eq, magnitude, from.infinity());
        let rounded = self.select(is_infinite, infinity, rounded);
        let payload = self.and_const(cut, (1 << to.fraction) - 1);
        let nan = self.or_const(payload, to.quiet());
        let is_nan = self.icmp_imm(IntCC::Ugt, magnitude, from.infinity());
        let rounded = self.select(is_nan, nan, rounded);
        let width = narrow.bits();
        let sign = self.lshr_const(bits, i64::from(float.scalar.bits() - width));
        let sign = self.and_const(sign, 1 << (width - 1));
        let signed = self.binary(BinaryOp::Or, rounded, sign);
        self.resize_lanes(signed, Scalar::I32, false)
    }

    /// `truncated`, or one more, by the `shift` low bits of `source` that were cut.
    fn round_cut(
        &mut self,
        truncated: Value,
        source: Value,
        shift: Value,
        negative: Value,
        mode: Rounding,
    ) -> Value {
        let int = self.ty(source);
        let one = self.iconst(int, 1);
        let unit = self.binary(BinaryOp::Shl, one, shift);
        let mask = self.binary(BinaryOp::ISub, unit, one);
        let rest = self.binary(BinaryOp::And, source, mask);
        let inexact = self.icmp_imm(IntCC::Ne, rest, 0);
        let up = match mode {
            Rounding::TowardZero => return truncated,
            Rounding::TowardNegative => self.binary(BinaryOp::And, inexact, negative),
            Rounding::TowardPositive => {
                let positive = self.unary(UnaryOp::Not, negative);
                self.binary(BinaryOp::And, inexact, positive)
            }
            Rounding::NearestEven => {
                // rest + (truncated & 1) > unit / 2
                let odd = self.and_const(truncated, 1);
                let rest = self.binary(BinaryOp::IAdd, rest, odd);
                let tie = self.lshr_const(unit, 1);
                self.icmp(IntCC::Ugt, rest, tie)
            }
        };
        let up = self.convert(ConvertOp::ZExt, up, int);
        self.binary(BinaryOp::IAdd, truncated, up)
    }

    /// Returns the magnitude that numbers beyond the largest finite one become.
    fn overflow(&mut self, int: Type, negative: Value, to: FloatFormat, mode: Rounding) -> Value {
        let infinity = self.iconst(int, to.infinity());
        let largest = self.iconst(int, to.infinity() - 1);
        match mode {
            Rounding::NearestEven => infinity,
            Rounding::TowardZero => largest,
            Rounding::TowardPositive => self.select(negative, largest, infinity),
            Rounding::TowardNegative => self.select(negative, infinity, largest),
        }
    }
}
