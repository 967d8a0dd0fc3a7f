//! Device-precision math: `native_` and `half_` functions, and what -cl-fast-relaxed-math lets
//! the ordinary ones become (OpenCL C 7.4, the table for relaxed math).

use crate::ir::{BinaryOp, ConvertOp, FloatCC, IntCC, MathOp, Scalar, Value};
use crate::lower::function::Lowering;

impl Lowering<'_, '_> {
    /// `native_<name>` on 32-bit floats.
    pub fn native_math(&mut self, name: &str, args: &[Value]) -> Option<Value> {
        Some(match (name, args) {
            ("sin", &[x]) => self.b.math(MathOp::Sin, &[x]),
            ("cos", &[x]) => self.b.math(MathOp::Cos, &[x]),
            ("tan", &[x]) => self.b.math(MathOp::Tan, &[x]),
            ("exp2", &[x]) => self.b.math(MathOp::Exp2, &[x]),
            ("exp", &[x]) => self.exp_of(x, std::f64::consts::LOG2_E),
            ("exp10", &[x]) => self.exp_of(x, std::f64::consts::LOG2_10),
            ("log2", &[x]) => self.b.math(MathOp::Log2, &[x]),
            ("log", &[x]) => self.log_of(x, std::f64::consts::LN_2),
            ("log10", &[x]) => self.log_of(x, std::f64::consts::LOG10_2),
            ("sqrt", &[x]) => self.b.math(MathOp::Sqrt, &[x]),
            ("rsqrt", &[x]) => self.b.math(MathOp::RSqrt, &[x]),
            ("recip", &[x]) => {
                let one = self.b.fconst(self.b.ty(x), 1.0);
                self.b.binary(BinaryOp::FDiv, one, x)
            }
            ("divide", &[x, y]) => self.b.binary(BinaryOp::FDiv, x, y),
            ("powr", &[x, y]) => self.power(x, y),
            _ => return None,
        })
    }

    /// `half_<name>`: at most 8192 ulp. Near 1 the device's logarithm, and with it its power, is
    /// only absolutely precise; the device's sine is so near every zero but 0: those are full ones. So are
    /// exponentials where the device's may make a number of NaN.
    pub fn half_math(&mut self, name: &str, args: &[Value]) -> Option<Value> {
        match name {
            "exp" | "exp2" | "exp10" if !self.context.target.exp2_accurate => None,
            "exp" | "exp2" | "exp10" | "sqrt" | "rsqrt" | "recip" | "divide" => {
                self.native_math(name, args)
            }
            _ => None,
        }
    }

    /// Lowers the ordinary functions under -cl-fast-relaxed-math. Exponentials and logarithms are the library's where
    /// the device's err by more than the 3 ulp that they may.
    pub fn relaxed_math(&mut self, name: &str, args: &[Value]) -> Option<Value> {
        match (name, args) {
            ("pow", &[x, y]) => {
                let whole = self.b.convert(ConvertOp::FToS, y, self.b.bits_type(y));
                Some(self.signed_power(x, y, whole))
            }
            ("pown", &[x, n]) => {
                let y = self.b.convert(ConvertOp::SToF, n, self.b.ty(x));
                Some(self.signed_power(x, y, n))
            }
            ("log" | "log2" | "log10", _) if !self.context.target.log2_accurate => None,
            ("log2", &[x]) => Some(self.log2_of_any(x)),
            ("log" | "log10", &[x]) => {
                use std::f64::consts::{LN_2, LOG10_2};
                let log = self.log2_of_any(x);
                Some(self.scale(log, if name == "log" { LN_2 } else { LOG10_2 }))
            }
            ("recip" | "divide", _) => None,
            ("exp" | "exp2", _) if !self.context.target.exp2_accurate => None,
            _ => self.native_math(name, args),
        }
    }

    /// e^x and its like: 2^(x * log2 of the base).
    fn exp_of(&mut self, x: Value, log2_base: f64) -> Value {
        let scaled = self.scale(x, log2_base);
        self.b.math(MathOp::Exp2, &[scaled])
    }

    fn log_of(&mut self, x: Value, log_of_2: f64) -> Value {
        let log = self.b.math(MathOp::Log2, &[x]);
        self.scale(log, log_of_2)
    }

    /// Returns the device's base-2 logarithm, right for denormal numbers too, of which some devices read the
    /// exponent alone. The bits of a denormal number, as an integer, are 2^149 times the number, on devices too whose
    /// products take it for zero; those of a negative number make a negative one.
    fn log2_of_any(&mut self, x: Value) -> Value {
        let ty = self.b.ty(x);
        let smallest = self.b.fconst(ty, f64::from(f32::MIN_POSITIVE));
        let is_denormal = self.b.fcmp(FloatCC::Olt, x, smallest);
        let shift = self.b.fconst(ty, 149.0);
        let bits = self.b.bitcast(x, ty.with_scalar(Scalar::I32));
        let raised = self.b.convert(ConvertOp::SToF, bits, ty);
        let argument = self.b.select(is_denormal, raised, x);
        let log = self.b.math(MathOp::Log2, &[argument]);
        let lowered = self.b.binary(BinaryOp::FSub, log, shift);
        self.b.select(is_denormal, lowered, log)
    }

    /// x^y for x >= 0.
    fn power(&mut self, x: Value, y: Value) -> Value {
        let log = self.b.math(MathOp::Log2, &[x]);
        let exponent = self.b.binary(BinaryOp::FMul, log, y);
        self.b.math(MathOp::Exp2, &[exponent])
    }

    /// x^y where `whole` is y as an integer: negative for negative x and odd y.
    fn signed_power(&mut self, x: Value, y: Value, whole: Value) -> Value {
        let magnitude = self.b.math(MathOp::FAbs, &[x]);
        let power = self.power(magnitude, y);
        let odd = self.b.and_const(whole, 1);
        let odd = self.b.compare_const(IntCC::Ne, odd, 0);
        let bits = self.b.bitcast(x, self.b.ty(x).with_scalar(Scalar::I32));
        let negative = self.b.is_negative(bits);
        let flip = self.b.binary(BinaryOp::And, odd, negative);
        let minus = self.b.negate(power);
        self.b.select(flip, minus, power)
    }
}
