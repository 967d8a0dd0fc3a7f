//! Math functions that are a few exact operations: sign and rounding to integers, comparisons.

use super::Lowerer;
use crate::ir::{BinaryOp, FloatCC, IntCC, MathOp, Scalar, Type, UnaryOp, Value};

impl Lowerer<'_, '_> {
    pub(super) fn fdim(&mut self, x: Value, y: Value) -> Value {
        let zero = self.b.zero(self.b.ty(x));
        let difference = self.b.binary(BinaryOp::FSub, x, y);
        let not_above = self.b.fcmp(FloatCC::Ole, x, y);
        self.b.select(not_above, zero, difference)
    }

    /// Rounds to the nearest integer, halfway cases away from zero: adds the greatest number below a half, and truncates. Where
    /// `x` lies halfway, the sum is rounded to the next integer.
    pub(super) fn round_away(&mut self, x: Value) -> Value {
        let ty = self.b.ty(x);
        let below_half = match ty.scalar {
            Scalar::F64 => 0.5f64.next_down(),
            _ => f64::from(0.5f32.next_down()),
        };
        let below_half = self.b.fconst(ty, below_half);
        let below_half = self.copysign(below_half, x);
        let sum = self.b.binary_alone(BinaryOp::FAdd, x, below_half);
        self.b.math(MathOp::Trunc, &[sum])
    }

    /// Returns the magnitude of `x` with the sign of `y`.
    pub(super) fn copysign(&mut self, x: Value, y: Value) -> Value {
        let ty = self.b.ty(x);
        let bits = self.b.bits_type(x);
        let sign_bit = 1i64 << (ty.scalar.bits() - 1);
        let (x, y) = (self.b.bitcast(x, bits), self.b.bitcast(y, bits));
        let magnitude = self.b.and_const(x, !sign_bit);
        let sign = self.b.and_const(y, sign_bit);
        let both = self.b.binary(BinaryOp::Or, magnitude, sign);
        self.b.bitcast(both, ty)
    }

    /// Returns the number of the greater (`FMax`) or lesser (`FMin`) magnitude; `op` of both where magnitudes are equal, or one
    /// is NaN.
    pub(super) fn by_magnitude(&mut self, x: Value, y: Value, op: BinaryOp) -> Value {
        let scalar = self.b.ty(x).scalar;
        if scalar == Scalar::F64 && self.target.floats(scalar).keeps_denormals {
            return self.choice_by_magnitude(x, y, op);
        }
        // Finds the magnitude of the result, and whether a number of this magnitude has the sign that `op` prefers.
        let (a, b) = (self.b.math(MathOp::FAbs, &[x]), self.b.math(MathOp::FAbs, &[y]));
        let magnitude = self.b.binary(op, a, b);
        let ty = self.b.ty(x);
        let bits = self.b.bits_type(x);
        let sign_bit = 1i64 << (scalar.bits() - 1);
        let positive = self.b.bitcast(magnitude, bits);
        let negative = self.b.or_const(positive, sign_bit);
        let is_max = op == BinaryOp::FMax;
        let (preferred, other) = if is_max { (positive, negative) } else { (negative, positive) };
        let (x, y) = (self.b.bitcast(x, bits), self.b.bitcast(y, bits));
        let (first, second) =
            (self.b.icmp(IntCC::Eq, x, preferred), self.b.icmp(IntCC::Eq, y, preferred));
        let either = self.b.binary(BinaryOp::Or, first, second);
        let result = self.b.select(either, preferred, other);
        self.b.bitcast(result, ty)
    }

    /// Like [`Self::by_magnitude`], by comparisons alone, since devices have no minimum of doubles. Returns `x` where its
    /// magnitude wins, where `y` is NaN, and where magnitudes are equal and `y` has the sign that `op` does not prefer.
    fn choice_by_magnitude(&mut self, x: Value, y: Value, op: BinaryOp) -> Value {
        let is_max = op == BinaryOp::FMax;
        let (wins, ties) =
            if is_max { (FloatCC::Ogt, FloatCC::Oge) } else { (FloatCC::Olt, FloatCC::Ole) };
        let (a, b) = (self.b.math(MathOp::FAbs, &[x]), self.b.math(MathOp::FAbs, &[y]));
        let bits = self.b.bitcast(y, self.b.bits_type(y));
        let negative = self.b.is_negative(bits);
        let against = if is_max { negative } else { self.b.unary(UnaryOp::Not, negative) };
        let no_worse = self.b.fcmp(ties, a, b);
        let by_sign = self.b.binary(BinaryOp::And, no_worse, against);
        let better = self.b.fcmp(wins, a, b);
        // Every device has one instruction for this comparison; a test of the bits would take more.
        let infinity = self.b.fconst(self.b.ty(y), f64::INFINITY);
        let is_nan = self.b.fcmp(FloatCC::Ugt, b, infinity);
        let first = self.b.binary(BinaryOp::Or, by_sign, better);
        let first = self.b.binary(BinaryOp::Or, first, is_nan);
        self.b.select(first, x, y)
    }

    /// Returns a quiet NaN with the code as payload.
    pub(super) fn nan(&mut self, code: Value, ty: Type) -> Value {
        let (quiet, payload) = match ty.scalar {
            Scalar::F16 => (0x7e00, 0x01ff),
            Scalar::F32 => (0x7fc0_0000, 0x003f_ffff),
            _ => (0x7ff8_0000_0000_0000, 0x0007_ffff_ffff_ffff),
        };
        let bits = self.b.and_const(code, payload);
        let bits = self.b.or_const(bits, quiet);
        self.b.bitcast(bits, ty)
    }
}
