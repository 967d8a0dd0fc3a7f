//! Math functions that are a few exact operations: sign and rounding to integers, comparisons.

use super::Lowerer;
use crate::ir::{BinaryOp, FloatCC, IntCC, MathOp, Scalar, Type, Value};

impl Lowerer<'_, '_> {
    pub(super) fn fdim(&mut self, x: Value, y: Value) -> Value {
        let zero = self.b.zero(self.b.ty(x));
        let difference = self.b.binary(BinaryOp::FSub, x, y);
        let not_above = self.b.fcmp(FloatCC::Ole, x, y);
        self.b.select(not_above, zero, difference)
    }

    /// Halfway cases away from zero. `x - trunc(x)` is exact.
    pub(super) fn round_away(&mut self, x: Value) -> Value {
        let ty = self.b.ty(x);
        let whole = self.b.math(MathOp::Trunc, &[x]);
        let rest = self.b.binary(BinaryOp::FSub, x, whole);
        let rest = self.b.math(MathOp::FAbs, &[rest]);
        let half = self.b.fconst(ty, 0.5);
        let one = self.b.fconst(ty, 1.0);
        let one = self.copysign(one, x);
        let away = self.b.binary(BinaryOp::FAdd, whole, one);
        let up = self.b.fcmp(FloatCC::Oge, rest, half);
        self.b.select(up, away, whole)
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

    /// `x` or `y`, whichever magnitude compares so; `otherwise` of both if neither does, or one is NaN.
    /// Where the device takes denormal doubles for zero, magnitudes are compared as integers.
    pub(super) fn by_magnitude(
        &mut self,
        x: Value,
        y: Value,
        cc: IntCC,
        otherwise: BinaryOp,
    ) -> Value {
        let equal = self.b.binary(otherwise, x, y);
        if self.b.ty(x).scalar == Scalar::F32 || !self.target.emulates_denormals(self.options) {
            let (a, b) = (self.b.math(MathOp::FAbs, &[x]), self.b.math(MathOp::FAbs, &[y]));
            let cc = if cc == IntCC::Ugt { FloatCC::Ogt } else { FloatCC::Olt };
            let (first, second) = (self.b.fcmp(cc, a, b), self.b.fcmp(cc, b, a));
            let result = self.b.select(second, y, equal);
            return self.b.select(first, x, result);
        }
        let ((a, infinity), (b, _)) = (self.magnitude(x), self.magnitude(y));
        let larger = self.b.binary(BinaryOp::UMax, a, b);
        let ordered = self.b.icmp_imm(IntCC::Ule, larger, infinity);
        let (first, second) = (self.b.icmp(cc, a, b), self.b.icmp(cc, b, a));
        let first = self.b.binary(BinaryOp::And, first, ordered);
        let second = self.b.binary(BinaryOp::And, second, ordered);
        let result = self.b.select(second, y, equal);
        self.b.select(first, x, result)
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
