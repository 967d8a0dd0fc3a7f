//! Math functions (OpenCL C 6.15.2), and the way in which each is computed.

use super::row::{Lower, Names, Row};
use super::signature::TypePattern::{self, E, G};
use super::signature::{Elements, Scalar as Name, Sig, Spaces};
use super::{Call, Lowerer};
use crate::ir::{BinaryOp, ConvertOp, FloatCC, InstData, MathOp, OpFlags, Scalar, Type, Value};
use crate::options::ClStd;
use std::f64::consts::{LN_2, LOG10_2, LOG2_10, LOG2_E};

pub(super) const FLOATS: Elements = Elements::FLOATS;
const INT: TypePattern = TypePattern::Like(Name::Int);
const OUT: TypePattern = TypePattern::Out(Spaces::WRITABLE);
const OUT_INT: TypePattern = TypePattern::OutLike(Spaces::WRITABLE, Name::Int);

pub(super) const UNARY: &[Sig] = &[Sig::new(FLOATS, G, &[G])];
const BINARY: &[Sig] = &[Sig::new(FLOATS, G, &[G, G])];
const TERNARY: &[Sig] = &[Sig::new(FLOATS, G, &[G, G, G])];
const EXTREME: &[Sig] = &[Sig::new(FLOATS, G, &[G, G]), Sig::new(FLOATS, G, &[G, E])];
const POWER_OF_INT: &[Sig] = &[Sig::new(FLOATS, G, &[G, INT])];

/// A function that the library computes.
const fn library(names: Names, sigs: &'static [Sig]) -> Row {
    Row::new(names, sigs, Lower::Library).in_float()
}

/// A function that is one operation.
macro_rules! operation {
    ($name:literal, $op:ident) => {
        Row::unary(&[$name], UNARY, |l, _, x| l.b.math(MathOp::$op, &[x])).in_float()
    };
}

pub(super) const ROWS: &[Row] = &[
    library(
        &[
            "acos", "acosh", "acospi", "asin", "asinh", "asinpi", "atan", "atanh", "atanpi",
            "cbrt", "cosh", "cospi", "erf", "erfc", "expm1", "lgamma", "log1p", "logb", "sinh",
            "sinpi", "tanh", "tanpi", "tgamma",
        ],
        UNARY,
    ),
    library(&["cos"], UNARY).relaxed(|l, c| l.native(c, MathOp::Cos)),
    library(&["sin"], UNARY).relaxed(|l, c| l.native(c, MathOp::Sin)),
    library(&["tan"], UNARY).relaxed(|l, c| l.native(c, MathOp::Tan)),
    library(&["exp"], UNARY).relaxed(|l, c| l.accurate_exp(c, LOG2_E)),
    library(&["exp2"], UNARY).relaxed(|l, c| l.accurate_exp2(c)),
    library(&["exp10"], UNARY).relaxed(|l, c| l.exp_of(c, LOG2_10)),
    library(&["log"], UNARY)
        .relaxed(|l, c| l.device_log(c, l.target.log2_accurate, LN_2))
        .by_device(|l, c| l.device_log(c, l.target.log2_accurate_near_1, LN_2)),
    library(&["log2"], UNARY)
        .relaxed(|l, c| l.device_log2(c, l.target.log2_accurate))
        .by_device(|l, c| l.device_log2(c, l.target.log2_accurate_near_1)),
    library(&["log10"], UNARY)
        .relaxed(|l, c| l.device_log(c, l.target.log2_accurate, LOG10_2))
        .by_device(|l, c| l.device_log(c, l.target.log2_accurate_near_1, LOG10_2)),
    operation!("ceil", Ceil),
    operation!("floor", Floor),
    operation!("rint", Rint),
    operation!("trunc", Trunc),
    Row::unary(&["round"], UNARY, |l, _, x| l.round_away(x)).in_float(),
    // These are not computed in float for halves, since the conversions would lose the sign of NaN.
    Row::unary(&["fabs"], UNARY, |l, _, x| l.b.math(MathOp::FAbs, &[x])),
    Row::binary(&["copysign"], BINARY, |l, _, x, y| l.copysign(x, y)),
    Row::call(&["sqrt"], UNARY, |l, c| l.sqrt(c))
        .in_float()
        .relaxed(|l, c| l.native(c, MathOp::Sqrt)),
    Row::unary(&["rsqrt"], UNARY, |l, _, x| l.rsqrt(x)).in_float(),
    library(&["atan2", "atan2pi", "fmod", "hypot", "remainder"], BINARY),
    library(&["nextafter"], BINARY).halves(Lower::Binary(|l, _, x, y| l.half_next(x, y))),
    library(&["pow"], BINARY).relaxed(|l, c| l.relaxed_pow(c)),
    library(&["powr"], BINARY).relaxed(|l, c| l.power_of(c)),
    Row::binary(&["fdim"], BINARY, |l, _, x, y| l.fdim(x, y)).in_float(),
    Row::binary(&["maxmag"], BINARY, |l, _, x, y| l.by_magnitude(x, y, BinaryOp::FMax))
        .in_float()
        .since(ClStd::Cl11),
    Row::binary(&["minmag"], BINARY, |l, _, x, y| l.by_magnitude(x, y, BinaryOp::FMin))
        .in_float()
        .since(ClStd::Cl11),
    Row::binary(&["fmax"], EXTREME, |l, _, x, y| l.b.binary(BinaryOp::FMax, x, y)),
    Row::binary(&["fmin"], EXTREME, |l, _, x, y| l.b.binary(BinaryOp::FMin, x, y)),
    Row::ternary(&["mad"], TERNARY, |l, _, a, b, c| l.mad(a, b, c)),
    Row::call(&["fma"], TERNARY, |l, c| l.fma(c)),
    library(&["modf", "sincos"], &[Sig::new(FLOATS, G, &[G, OUT])]),
    library(&["fract"], &[Sig::new(FLOATS, G, &[G, OUT])])
        .halves(Lower::Call(|l, c| l.half_fract(c))),
    library(&["frexp", "lgamma_r"], &[Sig::new(FLOATS, G, &[G, OUT_INT])]),
    library(&["remquo"], &[Sig::new(FLOATS, G, &[G, G, OUT_INT])]),
    library(&["ilogb"], &[Sig::new(FLOATS, INT, &[G])]),
    library(
        &["ldexp"],
        &[Sig::new(FLOATS, G, &[G, INT]), Sig::new(FLOATS, G, &[G, TypePattern::S(Name::Int)])],
    ),
    library(&["pown"], POWER_OF_INT).relaxed(|l, c| l.relaxed_pown(c)),
    library(&["rootn"], POWER_OF_INT),
    Row::unary(&["nan"], &[Sig::new(FLOATS, G, &[TypePattern::UnsignedOf])], |l, c, code| {
        l.nan(code, c.result)
    }),
];

impl Lowerer<'_, '_> {
    /// Returns true if programs ask for correct rounding of 32-bit division and square root here.
    fn rounds_correctly(&self) -> bool {
        self.options.correctly_rounded_divide_sqrt && !self.in_library
    }

    fn sqrt(&mut self, call: &Call<'_>) -> Option<Value> {
        let by_library = match call.result.scalar {
            Scalar::F32 => self.rounds_correctly() && !self.target.sqrt32_exact,
            // Devices with an fma that rounds once compute roots of doubles in software; the library's root is shorter.
            Scalar::F64 => {
                self.has_fma(call.result) && !self.in_library && !self.target.soft_float64
            }
            _ => false,
        };
        let value = if by_library { self.library("sqrt", call) } else { None };
        value.or_else(|| self.native(call, MathOp::Sqrt))
    }

    fn rsqrt(&mut self, x: Value) -> Value {
        let ty = self.b.ty(x);
        if ty.scalar == Scalar::F32 {
            return self.b.math(MathOp::RSqrt, &[x]);
        }
        if ty.scalar == Scalar::F64 && !self.in_library {
            if let Some(value) = self.library_values("rsqrt", &[x]) {
                return value;
            }
        }
        let root = self.b.math(MathOp::Sqrt, &[x]);
        let one = self.b.fconst(ty, 1.0);
        self.b.binary(BinaryOp::FDiv, one, root)
    }

    /// Returns `a * b + c`, computed in the fastest way.
    pub(super) fn mad(&mut self, a: Value, b: Value, c: Value) -> Value {
        let two_steps =
            self.b.ty(a).scalar == Scalar::F64 && self.target.emulates_denormals(self.options);
        if self.has_fma(self.b.ty(a)) && !two_steps {
            return self.b.math(MathOp::Fma, &[a, b, c]);
        }
        let flags = self.b.flags;
        self.b.flags.remove(OpFlags::NO_CONTRACT);
        let product = self.b.binary(BinaryOp::FMul, a, b);
        let sum = self.b.binary(BinaryOp::FAdd, product, c);
        self.b.flags = flags;
        sum
    }

    /// Returns `lhs / rhs`. The device's division errs by at most 2.5 ulp, as the specification asks; where correct rounding
    /// is asked for and the device's division is not correctly rounded, the library divides.
    /// Halves are divided as floats, and the quotient is rounded.
    pub fn divide(&mut self, lhs: Value, rhs: Value) -> Value {
        let ty = self.b.ty(lhs);
        if ty.scalar == Scalar::F16 {
            let (lhs, rhs) = (self.b.half_as_float(lhs), self.b.half_as_float(rhs));
            let quotient = self.b.binary(BinaryOp::FDiv, lhs, rhs);
            return self.b.convert(ConvertOp::FConvert, quotient, ty);
        }
        if self.is_one(lhs) && self.has_short_roots(ty) {
            if let Some(value) = self.library_values("recip", &[rhs]) {
                return value;
            }
        }
        let exact = self.rounds_correctly() && !self.target.div32_exact;
        if exact && ty.scalar == Scalar::F32 {
            if let Some(value) = self.library_values("divide", &[lhs, rhs]) {
                return value;
            }
        }
        let needs_mode = self.target.rounding_rte_32_to_divide && !self.rounds_correctly();
        match needs_mode && ty.scalar == Scalar::F32 {
            // Relaxed math has no error bound for divisors beyond 2^126.
            true if self.b.flags.contains(OpFlags::FAST) => self.native_quotient(lhs, rhs),
            true => self.divide_scaled(lhs, rhs),
            false => self.b.binary(BinaryOp::FDiv, lhs, rhs),
        }
    }

    /// Returns true if the library's reciprocals and roots are shorter than the device's, which for doubles are software.
    fn has_short_roots(&self, ty: Type) -> bool {
        let keeps_denormals = self.target.floats(ty.scalar).keeps_denormals;
        let is_native = ty.scalar == Scalar::F64 && !self.target.soft_float64;
        is_native && self.has_fma(ty) && keeps_denormals && !self.in_library
    }

    /// Returns true if a value is the constant 1, or a vector of them.
    fn is_one(&self, value: Value) -> bool {
        let is_one = |value: Value| self.b.func.as_const(value) == Some(1f64.to_bits());
        match self.b.func.def_inst(value) {
            Some(InstData::Build { args }) => args.iter().all(|&lane| is_one(lane)),
            _ => is_one(value),
        }
    }

    /// Returns the device's quotient, of which no accuracy is asked where the divisor is beyond 2^126.
    pub(super) fn native_quotient(&mut self, lhs: Value, rhs: Value) -> Value {
        let flags = self.b.flags;
        self.b.flags.insert(OpFlags::NATIVE);
        let quotient = self.b.binary(BinaryOp::FDiv, lhs, rhs);
        self.b.flags = flags;
        quotient
    }

    /// Returns `lhs / rhs` of floats by a native quotient, which does without the execution mode that rounds all quotients of a
    /// kernel correctly: both numbers are divided by four where the divisor is beyond 2^126.
    fn divide_scaled(&mut self, lhs: Value, rhs: Value) -> Value {
        let ty = self.b.ty(rhs);
        let magnitude = self.b.math(MathOp::FAbs, &[rhs]);
        let end = self.b.fconst(ty, f64::exp2(126.0));
        let is_large = self.b.fcmp(FloatCC::Ogt, magnitude, end);
        let (quarter, one) = (self.b.fconst(ty, 0.25), self.b.fconst(ty, 1.0));
        let scale = self.b.select(is_large, quarter, one);
        let lhs = self.b.binary(BinaryOp::FMul, lhs, scale);
        let rhs = self.b.binary(BinaryOp::FMul, rhs, scale);
        self.native_quotient(lhs, rhs)
    }
}
