//! Common functions (OpenCL C 6.15.4) on floats.

use super::{done, BuiltinCall, BuiltinResult};
use crate::ir::{BinaryOp, FloatCC, Value};
use crate::lower::function::Lowering;

impl Lowering<'_, '_> {
    pub fn common_builtin(&mut self, call: &BuiltinCall) -> BuiltinResult {
        if !self.is_float_call(call) {
            return None;
        }
        let args = self.splat_args(call);
        match (call.name, args.as_slice()) {
            ("min", &[x, y]) => done(self.b.binary(BinaryOp::FMin, x, y)),
            ("max", &[x, y]) => done(self.b.binary(BinaryOp::FMax, x, y)),
            ("clamp", &[x, low, high]) => done(self.float_clamp(x, low, high)),
            ("degrees", &[x]) => done(self.scale(x, 180.0 / std::f64::consts::PI)),
            ("radians", &[x]) => done(self.scale(x, std::f64::consts::PI / 180.0)),
            ("mix", &[x, y, a]) => {
                let range = self.b.binary(BinaryOp::FSub, y, x);
                let part = self.b.binary(BinaryOp::FMul, range, a);
                done(self.b.binary(BinaryOp::FAdd, x, part))
            }
            ("step", &[edge, x]) => {
                let ty = self.b.ty(x);
                let below = self.b.fcmp(FloatCC::Olt, x, edge);
                let (zero, one) = (self.b.fconst(ty, 0.0), self.b.fconst(ty, 1.0));
                done(self.b.select(below, zero, one))
            }
            ("smoothstep", &[low, high, x]) => done(self.smoothstep(low, high, x)),
            ("sign", &[x]) => done(self.float_sign(x)),
            _ => None,
        }
    }

    fn float_clamp(&mut self, x: Value, low: Value, high: Value) -> Value {
        let raised = self.b.binary(BinaryOp::FMax, x, low);
        self.b.binary(BinaryOp::FMin, raised, high)
    }

    /// `x * factor`.
    pub fn scale(&mut self, x: Value, factor: f64) -> Value {
        let factor = self.b.fconst(self.b.ty(x), factor);
        self.b.binary(BinaryOp::FMul, x, factor)
    }

    /// `t * t * (3 - 2 * t)` with `t = clamp((x - low) / (high - low), 0, 1)`.
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

    /// 1, -1, the zero itself, and 0 for NaN.
    fn float_sign(&mut self, x: Value) -> Value {
        let ty = self.b.ty(x);
        let zero = self.b.fconst(ty, 0.0);
        let (plus, minus) = (self.b.fconst(ty, 1.0), self.b.fconst(ty, -1.0));
        let positive = self.b.fcmp(FloatCC::Ogt, x, zero);
        let negative = self.b.fcmp(FloatCC::Olt, x, zero);
        let nan = self.is_nan(x);
        let result = self.b.select(nan, zero, x);
        let result = self.b.select(negative, minus, result);
        self.b.select(positive, plus, result)
    }
}
