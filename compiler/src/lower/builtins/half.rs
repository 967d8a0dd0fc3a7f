//! Functions of half (cl_khr_fp16): computed in float and rounded once, except for those that look at
//! the bits of halves.

use super::{done, BuiltinCall, BuiltinResult};
use crate::ir::{BinaryOp, ConvertOp, FloatCC, FpFlags, IntCC, MathOp, Scalar, Value};
use crate::lower::function::Lowering;

impl Lowering<'_, '_> {
    /// Lowers a common, geometric or math function of halves.
    pub fn half_builtin(&mut self, call: &BuiltinCall) -> BuiltinResult {
        let of_half = call.args.first().is_some_and(|&arg| self.is_half(arg));
        if !of_half && call.result.scalar != Scalar::F16 {
            return None;
        }
        match (call.name, call.args.as_slice()) {
            ("nan", &[code]) => done(self.nan(code, call.result)),
            ("fma", &[a, b, c]) => done(self.half_fma([a, b, c])),
            // A conversion there and back would lose the sign of NaN.
            ("copysign", &[x, y]) => done(self.copysign(x, y)),
            ("fabs", &[x]) => done(self.b.math(MathOp::FAbs, &[x])),
            ("nextafter", &[x, y]) => done(self.half_next(x, y)),
            ("fract", _) => {
                // The largest half below 1; rounding may have gone beyond.
                let result = self.through_float(call)??;
                let most = self.b.fconst(call.result, 1.0 - f64::exp2(-11.0));
                let above = self.b.fcmp(FloatCC::Ogt, result, most);
                done(self.b.select(above, most, result))
            }
            _ => self.through_float(call),
        }
    }

    fn is_half(&self, value: Value) -> bool {
        self.b.ty(value).scalar == Scalar::F16
    }

    /// Halves as floats; other values as they are.
    pub fn half_as_float(&mut self, value: Value) -> Value {
        match self.is_half(value) {
            true => self.b.convert(
                ConvertOp::FConvert,
                value,
                self.b.ty(value).with_scalar(Scalar::F32),
            ),
            false => value,
        }
    }

    fn through_float(&mut self, call: &BuiltinCall) -> BuiltinResult {
        let args = call.args.iter().map(|&arg| self.half_as_float(arg)).collect();
        let result = match call.result.scalar {
            Scalar::F16 => call.result.with_scalar(Scalar::F32),
            _ => call.result,
        };
        let wider = BuiltinCall { args, result, types: call.types.clone(), ..*call };
        let lowered = self
            .common_builtin(&wider)
            .or_else(|| self.geometric_builtin(&wider))
            .or_else(|| self.math_builtin(&wider))?;
        Some(lowered.map(|value| self.b.convert(ConvertOp::FConvert, value, call.result)))
    }

    /// Rounded once: the product is exact in float, and the sum is rounded to odd there, so that
    /// rounding it again to a half is correct.
    fn half_fma(&mut self, args: [Value; 3]) -> Value {
        let flags = std::mem::replace(&mut self.b.flags, FpFlags::NO_CONTRACT);
        let half = self.b.ty(args[0]);
        let [a, b, c] = args.map(|arg| self.half_as_float(arg));
        let product = self.b.binary(BinaryOp::FMul, a, b);
        let sum = self.b.binary(BinaryOp::FAdd, product, c);
        // What was lost (Knuth's two-sum).
        let c_part = self.b.binary(BinaryOp::FSub, sum, product);
        let product_part = self.b.binary(BinaryOp::FSub, sum, c_part);
        let c_rest = self.b.binary(BinaryOp::FSub, c, c_part);
        let product_rest = self.b.binary(BinaryOp::FSub, product, product_part);
        let rest = self.b.binary(BinaryOp::FAdd, product_rest, c_rest);

        let ty = self.b.ty(sum);
        let zero = self.b.zero(ty);
        let inexact = self.b.fcmp(FloatCC::One, rest, zero);
        let rest_up = self.b.fcmp(FloatCC::Ogt, rest, zero);
        let positive = self.b.fcmp(FloatCC::Ogt, sum, zero);
        let int = self.b.bits_type(sum);
        let bits = self.b.bitcast(sum, int);
        let last = self.b.and_const(bits, 1);
        let none = self.b.iconst(int, 0);
        let even = self.b.icmp(IntCC::Eq, last, none);
        let adjust = self.b.binary(BinaryOp::And, inexact, even);
        let inward = self.b.binary(BinaryOp::Xor, rest_up, positive);
        let (plus, minus) = (self.b.iconst(int, 1), self.b.iconst(int, -1));
        let by = self.b.select(inward, minus, plus);
        let by = self.b.select(adjust, by, none);
        let bits = self.b.binary(BinaryOp::IAdd, bits, by);
        let odd = self.b.bitcast(bits, ty);
        self.b.flags = flags;
        self.b.convert(ConvertOp::FConvert, odd, half)
    }

    /// Returns the next half after `x` toward `y`: halves in order are integers in order.
    fn half_next(&mut self, x: Value, y: Value) -> Value {
        let half = self.b.ty(x);
        let bits = self.b.bitcast(x, self.b.bits_type(x));
        let bits = self.b.resize(bits, Scalar::I32, false);
        let int = self.b.ty(bits);
        let zero = self.b.iconst(int, 0);
        let sign = self.b.and_const(bits, 0x8000);
        let magnitude = self.b.and_const(bits, 0x7fff);
        let negated = self.b.binary(BinaryOp::ISub, zero, magnitude);
        let is_negative = self.b.icmp(IntCC::Ne, sign, zero);
        let place = self.b.select(is_negative, negated, magnitude);
        let (from, to) = (self.half_as_float(x), self.half_as_float(y));
        let up = self.b.fcmp(FloatCC::Olt, from, to);
        let (plus, minus) = (self.b.iconst(int, 1), self.b.iconst(int, -1));
        let step = self.b.select(up, plus, minus);
        let place = self.b.binary(BinaryOp::IAdd, place, step);
        let below = self.b.icmp(IntCC::Slt, place, zero);
        let negated = self.b.binary(BinaryOp::ISub, zero, place);
        let negated = self.b.or_const(negated, 0x8000);
        let bits = self.b.select(below, negated, place);
        let bits = self.b.resize(bits, Scalar::I16, false);
        let next = self.b.bitcast(bits, half);
        let equal = self.b.fcmp(FloatCC::Oeq, from, to);
        let next = self.b.select(equal, y, next);
        let (x_nan, y_nan) = (self.is_nan(x), self.is_nan(y));
        let next = self.b.select(y_nan, y, next);
        self.b.select(x_nan, x, next)
    }
}
