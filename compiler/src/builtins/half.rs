//! Functions of half (cl_khr_fp16) that are not computed in float and rounded once.

use super::{Call, Lowerer};
use crate::ir::{BinaryOp, FloatCC, IntCC, Scalar, Value};

impl Lowerer<'_, '_> {
    /// The largest half below 1 at most; rounding may have gone beyond.
    pub(super) fn half_fract(&mut self, call: &Call<'_>) -> Option<Value> {
        let result = self.in_float(call)?;
        let most = self.b.fconst(call.result, 1.0 - f64::exp2(-11.0));
        let above = self.b.fcmp(FloatCC::Ogt, result, most);
        Some(self.b.select(above, most, result))
    }

    /// Returns the next half after `x` toward `y`. The bits of halves, as integers, have the same order.
    pub(super) fn half_next(&mut self, x: Value, y: Value) -> Value {
        let half = self.b.ty(x);
        let bits = self.b.bitcast(x, self.b.bits_type(x));
        let bits = self.b.resize_lanes(bits, Scalar::I32, false);
        let int = self.b.ty(bits);
        let zero = self.b.iconst(int, 0);
        let sign = self.b.and_const(bits, 0x8000);
        let magnitude = self.b.and_const(bits, 0x7fff);
        let negated = self.b.binary(BinaryOp::ISub, zero, magnitude);
        let is_negative = self.b.icmp(IntCC::Ne, sign, zero);
        let place = self.b.select(is_negative, negated, magnitude);
        let (from, to) = (self.b.half_as_float(x), self.b.half_as_float(y));
        let up = self.b.fcmp(FloatCC::Olt, from, to);
        let (plus, minus) = (self.b.iconst(int, 1), self.b.iconst(int, -1));
        let step = self.b.select(up, plus, minus);
        let place = self.b.binary(BinaryOp::IAdd, place, step);
        // The successor of the negative number of least magnitude is zero with x's sign.
        let first = self.b.select(is_negative, plus, zero);
        let below = self.b.icmp(IntCC::Slt, place, first);
        let negated = self.b.binary(BinaryOp::ISub, zero, place);
        let negated = self.b.or_const(negated, 0x8000);
        let bits = self.b.select(below, negated, place);
        let bits = self.b.resize_lanes(bits, Scalar::I16, false);
        let next = self.b.bitcast(bits, half);
        let equal = self.b.fcmp(FloatCC::Oeq, from, to);
        let next = self.b.select(equal, y, next);
        let (x_nan, y_nan) = (self.is_nan(x), self.is_nan(y));
        let next = self.b.select(y_nan, y, next);
        self.b.select(x_nan, x, next)
    }
}
