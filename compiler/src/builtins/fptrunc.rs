//! Conversion of a float to a narrower one in a directed rounding mode, with integer operations on the bits. (To nearest
//! even is an instruction.)

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
    /// Rounds a float to a narrower one (F16 or F32). Returns its bits, in I32 lanes. `mode` is not to nearest even.
    pub fn fptrunc_bits(&mut self, value: Value, narrow: Scalar, mode: Rounding) -> Value {
        let float = self.ty(value);
        let int = self.bits_type(value);
        let (from, to) = (FloatFormat::of(float.scalar), FloatFormat::of(narrow));
        let bits = self.bitcast(value, int);
        let magnitude = self.and_const(bits, i64::MAX >> (64 - float.scalar.bits()));
        let negative = self.is_negative(bits);
        // A bool: true if the magnitude is rounded up.
        let away = match mode {
            Rounding::TowardPositive => Some(self.unary(UnaryOp::Not, negative)),
            Rounding::TowardNegative => Some(negative),
            Rounding::TowardZero | Rounding::NearestEven => None,
        };

        // Normal results: cut the digits that do not fit, and change the exponent to the narrower type's
        // bias.
        let excess = from.fraction - to.fraction;
        let cut = self.lshr_const(magnitude, excess);
        let normal = self.add_const(cut, -((from.bias - to.bias) << to.fraction));
        // Denormal results: shift the significand right by one more for each power of two that the exponent
        // is below the least normal one, until nothing is left. (All denormal numbers of the wider type become
        // zero, so their leading digit does not matter.)
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
        let rounded = self.round_cut(truncated, source, shift, away);

        // Numbers beyond the largest one become infinity or the largest number, depending on the mode.
        let overflow = self.overflow(int, to, away);
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

    /// Returns `truncated`, plus one where `away` holds and the `shift` low bits of `source`, which were cut, are not zero.
    fn round_cut(
        &mut self,
        truncated: Value,
        source: Value,
        shift: Value,
        away: Option<Value>,
    ) -> Value {
        let Some(away) = away else { return truncated };
        let int = self.ty(source);
        let one = self.iconst(int, 1);
        let unit = self.binary(BinaryOp::Shl, one, shift);
        let mask = self.binary(BinaryOp::ISub, unit, one);
        let rest = self.binary(BinaryOp::And, source, mask);
        let inexact = self.icmp_imm(IntCC::Ne, rest, 0);
        let up = self.binary(BinaryOp::And, inexact, away);
        let up = self.convert(ConvertOp::ZExt, up, int);
        self.binary(BinaryOp::IAdd, truncated, up)
    }

    /// Returns the magnitude that numbers beyond the largest finite one become.
    fn overflow(&mut self, int: Type, to: FloatFormat, away: Option<Value>) -> Value {
        let largest = self.iconst(int, to.infinity() - 1);
        let Some(away) = away else { return largest };
        let infinity = self.iconst(int, to.infinity());
        self.select(away, infinity, largest)
    }
}
