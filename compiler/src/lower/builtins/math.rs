//! Math functions (OpenCL C 6.15.2): which way each is computed.

use super::{BuiltinCall, BuiltinResult};
use crate::ir::{BinaryOp, ConvertOp, FpFlags, MathOp, Scalar, Value};
use crate::lower::function::Lowering;
use crate::lower::Origin;
use crate::quirks::denormals;

impl Lowering<'_, '_> {
    pub fn math_builtin(&mut self, call: &BuiltinCall) -> BuiltinResult {
        self.math_value(call).map(Some)
    }

    fn first_scalar(&self, call: &BuiltinCall) -> Option<Scalar> {
        call.args.first().map(|&arg| self.b.ty(arg).scalar)
    }

    fn math_value(&mut self, call: &BuiltinCall) -> Option<Value> {
        if let Some(value) = self.exact_math(call) {
            return Some(value);
        }
        let args = call.args.as_slice();
        let single = self.first_scalar(call) == Some(Scalar::F32);
        if let Some(name) = call.name.strip_prefix("native_") {
            return self.native_math(name, args);
        }
        if let Some(name) = call.name.strip_prefix("half_") {
            let fast = self.half_math(name, args);
            return fast.or_else(|| self.library_math(name, call));
        }
        let relaxed = self.context.options.fast_relaxed_math && self.origin == Origin::User;
        if single && relaxed {
            if let Some(value) = self.relaxed_math(call.name, args) {
                return Some(value);
            }
        }
        match (call.name, self.splat_args(call).as_slice()) {
            ("mad", &[a, b, c]) => Some(self.mad(a, b, c)),
            ("fma", &[a, b, c]) if self.has_fma(a) => Some(self.b.math(MathOp::Fma, &[a, b, c])),
            ("sqrt", &[x]) if !single || !self.needs_exact_sqrt() => {
                Some(self.b.math(MathOp::Sqrt, &[x]))
            }
            ("rsqrt", &[x]) if single => Some(self.b.math(MathOp::RSqrt, &[x])),
            ("rsqrt", &[x]) => {
                let root = self.b.math(MathOp::Sqrt, &[x]);
                let one = self.b.fconst(self.b.ty(x), 1.0);
                Some(self.b.binary(BinaryOp::FDiv, one, root))
            }
            _ => self.library_math(call.name, call),
        }
    }

    /// Returns true if the device's fma rounds once.
    fn has_fma(&self, value: Value) -> bool {
        match self.b.ty(value).scalar {
            Scalar::F64 => self.context.target.fma64_fused,
            _ => self.context.target.fma32_fused,
        }
    }

    fn needs_exact_sqrt(&self) -> bool {
        self.context.options.correctly_rounded_divide_sqrt
            && !self.context.target.sqrt32_exact
            && self.origin == Origin::User
    }

    /// `a * b + c` however it is fastest.
    fn mad(&mut self, a: Value, b: Value, c: Value) -> Value {
        let (target, options) = (self.context.target, self.context.options);
        let is_double = self.b.ty(a).scalar == Scalar::F64;
        let two_steps = is_double && denormals::are_emulated(target, options);
        if self.has_fma(a) && !two_steps {
            return self.b.math(MathOp::Fma, &[a, b, c]);
        }
        let flags = self.b.flags;
        self.b.flags.remove(FpFlags::NO_CONTRACT);
        let product = self.b.binary(BinaryOp::FMul, a, b);
        let sum = self.b.binary(BinaryOp::FAdd, product, c);
        self.b.flags = flags;
        sum
    }

    /// `lhs / rhs`: the device's division is good for 2.5 ulp, as the spec's; where correct rounding
    /// is asked for and the device does not have it, the library's.
    /// Of halves it is float's, rounded.
    pub fn float_divide(&mut self, lhs: Value, rhs: Value) -> Value {
        let ty = self.b.ty(lhs);
        if ty.scalar == Scalar::F16 {
            let (lhs, rhs) = (self.half_as_float(lhs), self.half_as_float(rhs));
            let quotient = self.b.binary(BinaryOp::FDiv, lhs, rhs);
            return self.b.convert(ConvertOp::FConvert, quotient, ty);
        }
        let exact = self.context.options.correctly_rounded_divide_sqrt
            && !self.context.target.div32_exact
            && self.origin == Origin::User
            && self.b.ty(lhs).scalar == Scalar::F32;
        if exact {
            if let Some(value) = self.library_values("divide", &[lhs, rhs], self.source.span) {
                return value;
            }
        }
        self.b.binary(BinaryOp::FDiv, lhs, rhs)
    }
}
