//! fma (OpenCL C 6.15.2), which rounds once: the device's own fma if it rounds once, otherwise computed in a wider float or
//! by the library.

use super::{Call, Lowerer};
use crate::ir::{BinaryOp, ConvertOp, FloatCC, MathOp, OpFlags, Scalar, Type, Value};
use hekla_device::Quirks;

impl Lowerer<'_, '_> {
    pub(super) fn fma(&mut self, call: &Call<'_>) -> Option<Value> {
        if self.has_fma(call.result) {
            return Some(self.b.math(MathOp::Fma, call.args));
        }
        match (call.result.scalar, call.args) {
            (Scalar::F16, &[a, b, c]) => Some(self.fma_in(Scalar::F32, [a, b, c])),
            (Scalar::F32, &[a, b, c]) if self.widens_float_fma() => {
                Some(self.fma_in(Scalar::F64, [a, b, c]))
            }
            _ => self.library("fma", call),
        }
    }

    /// Returns true if the device's fma rounds once.
    pub(super) fn has_fma(&self, ty: Type) -> bool {
        match ty.scalar {
            Scalar::F16 => self.target.fma16_fused,
            Scalar::F64 => self.target.fma64_fused,
            _ => self.target.fma32_fused,
        }
    }

    /// Returns true if fma of floats is computed in double: the device is a CPU, where doubles are not much slower than floats,
    /// and conversions keep denormals.
    fn widens_float_fma(&self) -> bool {
        let keeps_denormals = [Scalar::F32, Scalar::F64]
            .iter()
            .all(|&scalar| self.target.floats(scalar).keeps_denormals);
        self.target.has_native_doubles() && self.target.has(Quirks::FAST_DOUBLES) && keeps_denormals
    }

    /// Returns `a * b + c` rounded once. The product is exact in a float of twice the digits and two more, and the sum is
    /// rounded to odd there, so that rounding it again is correct (S. Boldo, G. Melquiond, Emulation of a FMA and correctly
    /// rounded sums: proved algorithms using rounding to odd, 2008).
    fn fma_in(&mut self, wide: Scalar, args: [Value; 3]) -> Value {
        let flags = std::mem::replace(&mut self.b.flags, OpFlags::NO_CONTRACT);
        let narrow = self.b.ty(args[0]);
        let ty = narrow.with_scalar(wide);
        let [a, b, c] = args.map(|arg| self.b.convert(ConvertOp::FConvert, arg, ty));
        let product = self.b.binary(BinaryOp::FMul, a, b);
        let sum = self.b.binary(BinaryOp::FAdd, product, c);
        // The rounding error of the sum (Knuth's two-sum).
        let c_part = self.b.binary(BinaryOp::FSub, sum, product);
        let product_part = self.b.binary(BinaryOp::FSub, sum, c_part);
        let c_rest = self.b.binary(BinaryOp::FSub, c, c_part);
        let product_rest = self.b.binary(BinaryOp::FSub, product, product_part);
        let rest = self.b.binary(BinaryOp::FAdd, product_rest, c_rest);

        // Rounds to odd: of the two numbers around an inexact sum, takes the one whose last bit is set.
        let int = self.b.bits_type(sum);
        let [bits, rest_bits] = [sum, rest].map(|value| self.b.bitcast(value, int));
        let inward = self.b.binary(BinaryOp::Xor, bits, rest_bits);
        let inward = self.b.lshr_const(inward, i64::from(wide.bits()) - 1);
        let odd = self.b.binary(BinaryOp::ISub, bits, inward);
        let odd = self.b.or_const(odd, 1);
        let zero = self.b.zero(ty);
        let is_inexact = self.b.fcmp(FloatCC::One, rest, zero);
        let odd = self.b.select(is_inexact, odd, bits);
        let odd = self.b.bitcast(odd, ty);
        self.b.flags = flags;
        self.b.convert(ConvertOp::FConvert, odd, narrow)
    }
}
