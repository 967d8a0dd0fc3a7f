//! Device-precision math: `native_` and `half_` functions, and the forms of ordinary functions that
//! -cl-fast-relaxed-math allows (OpenCL C 7.4, the table for relaxed math).

use super::row::{Lower, LowerCall, Names, Row};
use super::signature::TypePattern::G;
use super::signature::{Elements, Sig};
use super::{Call, Lowerer};
use crate::ir::{BinaryOp, ConvertOp, FloatCC, IntCC, MathOp, Scalar, Value};
use std::f64::consts::{LN_2, LOG10_2, LOG2_10, LOG2_E};

const UNARY: &[Sig] = &[Sig::new(Elements::F32, G, &[G])];
const BINARY: &[Sig] = &[Sig::new(Elements::F32, G, &[G, G])];

const fn native(names: Names, lower: LowerCall) -> Row {
    Row::call(names, UNARY, lower)
}

/// `half_` functions, which may err by 8192 ulp, that the library computes. The device's logarithm, and so its power, has
/// only a bounded absolute error near 1; its sine near every zero but 0. Exponentials are the library's where the
/// device's may return a number for NaN.
const fn library(names: Names, library: &'static str) -> Row {
    Row::new(names, UNARY, Lower::LibraryAs(library))
}

pub(super) const ROWS: &[Row] = &[
    native(&["native_sin"], |l, c| l.native(c, MathOp::Sin)),
    native(&["native_cos"], |l, c| l.native(c, MathOp::Cos)),
    native(&["native_tan"], |l, c| l.native(c, MathOp::Tan)),
    native(&["native_exp2"], |l, c| l.native(c, MathOp::Exp2)),
    native(&["native_exp"], |l, c| l.exp_of(c, LOG2_E)),
    native(&["native_exp10"], |l, c| l.exp_of(c, LOG2_10)),
    native(&["native_log2"], |l, c| l.native(c, MathOp::Log2)),
    native(&["native_log"], |l, c| l.log_of(c, LN_2)),
    native(&["native_log10"], |l, c| l.log_of(c, LOG10_2)),
    native(&["native_sqrt", "half_sqrt"], |l, c| l.native(c, MathOp::Sqrt)),
    native(&["native_rsqrt", "half_rsqrt"], |l, c| l.native(c, MathOp::RSqrt)),
    Row::unary(&["native_recip", "half_recip"], UNARY, |l, _, x| l.reciprocal(x)),
    Row::binary(&["native_divide"], BINARY, |l, _, x, y| l.native_quotient(x, y)),
    Row::binary(&["half_divide"], BINARY, |l, _, x, y| l.divide(x, y)),
    Row::binary(&["native_powr"], BINARY, |l, _, x, y| l.power(x, y)),
    native(&["half_exp"], |l, c| l.accurate_exp(c, LOG2_E).or_else(|| l.library("exp", c))),
    native(&["half_exp2"], |l, c| l.accurate_exp2(c).or_else(|| l.library("exp2", c))),
    native(&["half_exp10"], |l, c| l.accurate_exp(c, LOG2_10).or_else(|| l.library("exp10", c))),
    library(&["half_cos"], "half_cos"),
    library(&["half_sin"], "half_sin"),
    library(&["half_tan"], "half_tan"),
    library(&["half_log"], "log")
        .by_device(|l, c| l.device_log(c, l.target.log2_accurate_near_1, LN_2)),
    library(&["half_log2"], "log2")
        .by_device(|l, c| l.device_log2(c, l.target.log2_accurate_near_1)),
    library(&["half_log10"], "log10")
        .by_device(|l, c| l.device_log(c, l.target.log2_accurate_near_1, LOG10_2)),
    Row::new(&["half_powr"], BINARY, Lower::LibraryAs("powr")),
];

/// Lowerings of calls to operations of the device. They return `None` where the device is not accurate enough.
impl Lowerer<'_, '_> {
    /// Lowers a call to the device's operation.
    pub(super) fn native(&mut self, call: &Call<'_>, op: MathOp) -> Option<Value> {
        Some(self.b.math(op, call.args))
    }

    /// Returns a power of a constant base, such as e^x, as 2^(x * log2 of the base).
    pub(super) fn exp_of(&mut self, call: &Call<'_>, log2_base: f64) -> Option<Value> {
        let &[x] = call.args else { return None };
        let scaled = self.scale(x, log2_base);
        Some(self.b.math(MathOp::Exp2, &[scaled]))
    }

    fn log_of(&mut self, call: &Call<'_>, log_of_2: f64) -> Option<Value> {
        let log = self.b.math(MathOp::Log2, call.args);
        Some(self.scale(log, log_of_2))
    }

    /// Like [`Self::exp_of`], where the device's exponential errs by no more than 3 ulp and returns NaN for NaN.
    pub(super) fn accurate_exp(&mut self, call: &Call<'_>, log2_base: f64) -> Option<Value> {
        match self.target.exp2_accurate {
            true => self.exp_of(call, log2_base),
            false => None,
        }
    }

    pub(super) fn accurate_exp2(&mut self, call: &Call<'_>) -> Option<Value> {
        match self.target.exp2_accurate {
            true => self.native(call, MathOp::Exp2),
            false => None,
        }
    }

    /// The device's base-2 logarithm, if it `is_accurate` enough.
    pub(super) fn device_log2(&mut self, call: &Call<'_>, is_accurate: bool) -> Option<Value> {
        match call.args {
            &[x] if is_accurate => Some(self.log2_of_any(x)),
            _ => None,
        }
    }

    /// Like [`Self::device_log2`] for another base: `log_of_2` is the logarithm of 2 to this base.
    pub(super) fn device_log(
        &mut self,
        call: &Call<'_>,
        is_accurate: bool,
        log_of_2: f64,
    ) -> Option<Value> {
        let log = self.device_log2(call, is_accurate)?;
        Some(self.scale(log, log_of_2))
    }

    pub(super) fn relaxed_pow(&mut self, call: &Call<'_>) -> Option<Value> {
        let &[x, y] = call.args else { return None };
        let whole = self.b.convert(ConvertOp::FToS, y, self.b.bits_type(y));
        Some(self.signed_power(x, y, whole))
    }

    pub(super) fn relaxed_pown(&mut self, call: &Call<'_>) -> Option<Value> {
        let &[x, n] = call.args else { return None };
        let y = self.b.convert(ConvertOp::SToF, n, self.b.ty(x));
        Some(self.signed_power(x, y, n))
    }

    pub(super) fn power_of(&mut self, call: &Call<'_>) -> Option<Value> {
        let &[x, y] = call.args else { return None };
        Some(self.power(x, y))
    }

    fn reciprocal(&mut self, x: Value) -> Value {
        let one = self.b.fconst(self.b.ty(x), 1.0);
        self.native_quotient(one, x)
    }

    /// Returns the device's base-2 logarithm, correct for denormal numbers too: some devices look only at their exponent.
    fn log2_of_any(&mut self, x: Value) -> Value {
        let ty = self.b.ty(x);
        match self.target.floats(ty.scalar).keeps_denormals {
            true => self.log2_of_product(x),
            // A device that flushes denormal numbers may take them for zero (OpenCL C, 7.5.3).
            false if self.target.log2_denormals => self.b.math(MathOp::Log2, &[x]),
            false => self.log2_of_bits(x),
        }
    }

    /// Like [`Self::log2_of_any`], by a product, where the device's products keep denormal numbers.
    fn log2_of_product(&mut self, x: Value) -> Value {
        let ty = self.b.ty(x);
        let [smallest, one, factor, zero, shift] =
            [f64::from(f32::MIN_POSITIVE), 1.0, f64::exp2(24.0), 0.0, 24.0]
                .map(|number| self.b.fconst(ty, number));
        let magnitude = self.b.math(MathOp::FAbs, &[x]);
        let is_denormal = self.b.fcmp(FloatCC::Olt, magnitude, smallest);
        let factor = self.b.select(is_denormal, factor, one);
        let raised = self.b.binary(BinaryOp::FMul, x, factor);
        let log = self.b.math(MathOp::Log2, &[raised]);
        let shift = self.b.select(is_denormal, shift, zero);
        self.b.binary(BinaryOp::FSub, log, shift)
    }

    /// Like [`Self::log2_of_any`], by the bits of a denormal number, which as an integer are 2^149 times the number; the bits
    /// of a negative number become a negative integer.
    fn log2_of_bits(&mut self, x: Value) -> Value {
        let ty = self.b.ty(x);
        let integer = ty.with_scalar(Scalar::I32);
        let bits = self.b.bitcast(x, integer);
        let magnitude = self.b.and_const(bits, 0x7fff_ffff);
        let [one, most] = [1, 0x007f_ffff].map(|number| self.b.iconst(integer, number));
        let below = self.b.binary(BinaryOp::ISub, magnitude, one);
        let is_denormal = self.b.icmp(IntCC::Ult, below, most);
        let shift = self.b.fconst(ty, 149.0);
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

    /// Returns x^y, where `whole` is y as an integer: the result is negative for negative x and odd y.
    fn signed_power(&mut self, x: Value, y: Value, whole: Value) -> Value {
        let magnitude = self.b.math(MathOp::FAbs, &[x]);
        let power = self.power(magnitude, y);
        let odd = self.b.and_const(whole, 1);
        let odd = self.b.icmp_imm(IntCC::Ne, odd, 0);
        let bits = self.b.bitcast(x, self.b.ty(x).with_scalar(Scalar::I32));
        let negative = self.b.is_negative(bits);
        let flip = self.b.binary(BinaryOp::And, odd, negative);
        let minus = self.b.negate(power);
        self.b.select(flip, minus, power)
    }
}
