//! Common functions (OpenCL C 6.15.4) on floats.

use super::math::{FLOATS, UNARY};
use super::row::Row;
use super::signature::Sig;
use super::signature::TypePattern::{E, G};
use super::Lowerer;
use crate::ir::{BinaryOp, FloatCC, Value};
use std::f64::consts::PI;

pub(super) const ROWS: &[Row] = &[
    Row::unary(&["degrees"], UNARY, |l, _, x| l.scale(x, 180.0 / PI)).in_float(),
    Row::unary(&["radians"], UNARY, |l, _, x| l.scale(x, PI / 180.0)).in_float(),
    Row::unary(&["sign"], UNARY, |l, _, x| l.float_sign(x)).in_float(),
    Row::ternary(
        &["mix"],
        &[Sig::new(FLOATS, G, &[G, G, G]), Sig::new(FLOATS, G, &[G, G, E])],
        |l, _, x, y, a| l.mix(x, y, a),
    )
    .in_float(),
    Row::binary(
        &["step"],
        &[Sig::new(FLOATS, G, &[G, G]), Sig::new(FLOATS, G, &[E, G])],
        |l, _, edge, x| l.step(edge, x),
    )
    .in_float(),
    Row::ternary(
        &["smoothstep"],
        &[Sig::new(FLOATS, G, &[G, G, G]), Sig::new(FLOATS, G, &[E, E, G])],
        |l, _, low, high, x| l.smoothstep(low, high, x),
    )
    .in_float(),
];

impl Lowerer<'_, '_> {
    /// Returns `x + (y - x) * a`.
    fn mix(&mut self, x: Value, y: Value, a: Value) -> Value {
        let range = self.b.binary(BinaryOp::FSub, y, x);
        self.mad(range, a, x)
    }

    fn step(&mut self, edge: Value, x: Value) -> Value {
        let ty = self.b.ty(x);
        let below = self.b.fcmp(FloatCC::Olt, x, edge);
        let (zero, one) = (self.b.fconst(ty, 0.0), self.b.fconst(ty, 1.0));
        self.b.select(below, zero, one)
    }

    fn float_clamp(&mut self, x: Value, low: Value, high: Value) -> Value {
        let raised = self.b.binary(BinaryOp::FMax, x, low);
        self.b.binary(BinaryOp::FMin, raised, high)
    }

    /// Returns `x * factor`.
    pub(super) fn scale(&mut self, x: Value, factor: f64) -> Value {
        let factor = self.b.fconst(self.b.ty(x), factor);
        self.b.binary(BinaryOp::FMul, x, factor)
    }

    /// Returns `t * t * (3 - 2 * t)` with `t = clamp((x - low) / (high - low), 0, 1)`.
    fn smoothstep(&mut self, low: Value, high: Value, x: Value) -> Value {
        let ty = self.b.ty(x);
        let above = self.b.binary(BinaryOp::FSub, x, low);
        let range = self.b.binary(BinaryOp::FSub, high, low);
        let t = self.b.binary(BinaryOp::FDiv, above, range);
        let (zero, one) = (self.b.fconst(ty, 0.0), self.b.fconst(ty, 1.0));
        let t = self.float_clamp(t, zero, one);
        let square = self.b.binary(BinaryOp::FMul, t, t);
        let double = self.scale(t, 2.0);
        let three = self.b.fconst(ty, 3.0);
        let rest = self.b.binary(BinaryOp::FSub, three, double);
        self.b.binary(BinaryOp::FMul, square, rest)
    }

    /// Returns the sign: 1, -1, or the zero itself; 0 for NaN.
    fn float_sign(&mut self, x: Value) -> Value {
        let ty = self.b.ty(x);
        let zero = self.b.fconst(ty, 0.0);
        let (plus, minus) = (self.b.fconst(ty, 1.0), self.b.fconst(ty, -1.0));
        let positive = self.b.fcmp(FloatCC::Ogt, x, zero);
        let negative = self.b.fcmp(FloatCC::Olt, x, zero);
        let nan = self.is_nan(x);
        // The result for zero is not x itself, which may be a subnormal number that the device takes for zero.
        let signed_zero = self.copysign(zero, x);
        let result = self.b.select(nan, zero, signed_zero);
        let result = self.b.select(negative, minus, result);
        self.b.select(positive, plus, result)
    }
}
