//! Integer functions (OpenCL C 6.15.3).

use super::convert::Number;
use super::row::Row;
use super::signature::TypePattern::{self, E, G};
use super::signature::{Elements, Sig};
use super::{Call, Lowerer};
use crate::ir::{BinaryOp, ConvertOp, IntCC, MathOp, Scalar, UnaryOp, Value};
use crate::options::ClStd;

const INTS: Elements = Elements::INTS;
const UNARY: &[Sig] = &[Sig::new(INTS, G, &[G])];
const BINARY: &[Sig] = &[Sig::new(INTS, G, &[G, G])];
const TERNARY: &[Sig] = &[Sig::new(INTS, G, &[G, G, G])];
/// The patterns of functions on integers and, as common functions (6.15.4), on floats.
const EXTREME: &[Sig] = &[Sig::new(Elements::ALL, G, &[G, G]), Sig::new(Elements::ALL, G, &[G, E])];

pub(super) const ROWS: &[Row] = &[
    Row::unary(&["abs"], &[Sig::new(INTS, TypePattern::UnsignedOf, &[G])], |l, c, x| {
        l.abs(c.is_signed(), x)
    }),
    Row::binary(
        &["abs_diff"],
        &[Sig::new(INTS, TypePattern::UnsignedOf, &[G, G])],
        |l, c, x, y| l.abs_diff(c.is_signed(), x, y),
    ),
    Row::binary(&["add_sat"], BINARY, |l, c, x, y| l.add_sat(c.number(), x, y)),
    Row::binary(&["sub_sat"], BINARY, |l, c, x, y| l.sub_sat(c.number(), x, y)),
    Row::binary(&["hadd"], BINARY, |l, c, x, y| l.hadd(c.is_signed(), x, y)),
    Row::binary(&["rhadd"], BINARY, |l, c, x, y| l.rhadd(c.is_signed(), x, y)),
    Row::binary(&["mul_hi"], BINARY, |l, c, x, y| l.mul_hi(c.number(), x, y)),
    Row::binary(&["rotate"], BINARY, |l, _, x, y| l.rotate(x, y)),
    Row::unary(&["clz"], UNARY, |l, _, x| l.b.math(MathOp::Clz, &[x])),
    Row::unary(&["popcount"], UNARY, |l, _, x| l.b.math(MathOp::PopCount, &[x])).since(ClStd::Cl12),
    Row::unary(&["ctz"], UNARY, |l, _, x| l.b.math(MathOp::Ctz, &[x])).since(ClStd::Cl20),
    Row::ternary(&["mad_hi"], TERNARY, |l, c, x, y, z| l.mad_hi(c.number(), x, y, z)),
    Row::ternary(&["mad_sat"], TERNARY, |l, c, x, y, z| match c.number().scalar.bits() < 32 {
        true => l.mad_sat_narrow(c.number(), x, y, z),
        false => l.mad_sat(c.number(), x, y, z),
    }),
    Row::ternary(&["mad24"], &[Sig::new(Elements::I32, G, &[G, G, G])], |l, _, x, y, z| {
        l.mad24(x, y, z)
    }),
    Row::binary(&["mul24"], &[Sig::new(Elements::I32, G, &[G, G])], |l, _, x, y| {
        l.b.binary(BinaryOp::IMul, x, y)
    }),
    Row::binary(
        &["upsample"],
        &[Sig::new(Elements::NARROW, TypePattern::Wide, &[G, TypePattern::UnsignedOf])],
        |l, c, x, y| l.upsample(c.result.scalar, x, y),
    ),
    Row::binary(&["min"], EXTREME, |l, c, x, y| l.b.binary(min_op(c), x, y)),
    Row::binary(&["max"], EXTREME, |l, c, x, y| l.b.binary(max_op(c), x, y)),
    Row::ternary(
        &["clamp"],
        &[Sig::new(Elements::ALL, G, &[G, G, G]), Sig::new(Elements::ALL, G, &[G, E, E])],
        |l, c, x, low, high| {
            let raised = l.b.binary(max_op(c), x, low);
            l.b.binary(min_op(c), raised, high)
        },
    ),
];

/// Returns the addition for the arguments' type.
pub(super) fn add_op(call: &Call<'_>) -> BinaryOp {
    if call.number().is_float() {
        BinaryOp::FAdd
    } else {
        BinaryOp::IAdd
    }
}

/// Returns the minimum operation for the arguments' type.
pub(super) fn min_op(call: &Call<'_>) -> BinaryOp {
    match call.number() {
        number if number.is_float() => BinaryOp::FMin,
        number if number.signed => BinaryOp::SMin,
        _ => BinaryOp::UMin,
    }
}

/// Returns the maximum operation for the arguments' type.
pub(super) fn max_op(call: &Call<'_>) -> BinaryOp {
    match call.number() {
        number if number.is_float() => BinaryOp::FMax,
        number if number.signed => BinaryOp::SMax,
        _ => BinaryOp::UMax,
    }
}

impl Lowerer<'_, '_> {
    /// Returns the magnitude; also correct for the least value, whose magnitude is unsigned.
    fn abs(&mut self, signed: bool, x: Value) -> Value {
        if !signed {
            return x;
        }
        let negated = self.b.unary(UnaryOp::INeg, x);
        self.b.binary(BinaryOp::SMax, x, negated)
    }

    pub(super) fn abs_diff(&mut self, signed: bool, x: Value, y: Value) -> Value {
        let cc = if signed { IntCC::Sgt } else { IntCC::Ugt };
        let greater = self.b.icmp(cc, x, y);
        let down = self.b.binary(BinaryOp::ISub, x, y);
        let up = self.b.binary(BinaryOp::ISub, y, x);
        self.b.select(greater, down, up)
    }

    /// Returns the average, rounded down: the bits that both numbers have, plus half of those that differ.
    fn hadd(&mut self, signed: bool, x: Value, y: Value) -> Value {
        let common = self.b.binary(BinaryOp::And, x, y);
        let halved = self.half_of_differing(signed, x, y);
        self.b.binary(BinaryOp::IAdd, common, halved)
    }

    /// Returns the average, rounded up: the bits that any of the numbers has, less half of those that differ.
    fn rhadd(&mut self, signed: bool, x: Value, y: Value) -> Value {
        let any = self.b.binary(BinaryOp::Or, x, y);
        let halved = self.half_of_differing(signed, x, y);
        self.b.binary(BinaryOp::ISub, any, halved)
    }

    fn half_of_differing(&mut self, signed: bool, x: Value, y: Value) -> Value {
        let differing = self.b.binary(BinaryOp::Xor, x, y);
        let shift = if signed { BinaryOp::AShr } else { BinaryOp::LShr };
        self.b.binary_imm(shift, differing, 1)
    }

    fn rotate(&mut self, x: Value, y: Value) -> Value {
        let mask = i64::from(self.b.ty(x).scalar.bits() - 1);
        let left = self.b.and_const(y, mask);
        let back = self.b.unary(UnaryOp::INeg, y);
        let right = self.b.and_const(back, mask);
        let high = self.b.binary(BinaryOp::Shl, x, left);
        let low = self.b.binary(BinaryOp::LShr, x, right);
        self.b.binary(BinaryOp::Or, high, low)
    }

    fn upsample(&mut self, to: Scalar, x: Value, y: Value) -> Value {
        let high = self.b.resize_lanes(x, to, false);
        let high = self.b.shl_const(high, i64::from(to.bits() / 2));
        let low = self.b.resize_lanes(y, to, false);
        self.b.binary(BinaryOp::Or, high, low)
    }

    fn mad_hi(&mut self, number: Number, x: Value, y: Value, z: Value) -> Value {
        let high = self.mul_hi(number, x, y);
        self.b.binary(BinaryOp::IAdd, high, z)
    }

    fn mad24(&mut self, x: Value, y: Value, z: Value) -> Value {
        let product = self.b.binary(BinaryOp::IMul, x, y);
        self.b.binary(BinaryOp::IAdd, product, z)
    }

    pub(super) fn add_sat(&mut self, number: Number, x: Value, y: Value) -> Value {
        let sum = self.b.binary(BinaryOp::IAdd, x, y);
        if !number.signed {
            let wrapped = self.b.icmp(IntCC::Ult, sum, x);
            let most = self.b.iconst(self.b.ty(x), -1);
            return self.b.select(wrapped, most, sum);
        }
        // Overflow: the sum's sign differs from both operands'.
        let a = self.b.binary(BinaryOp::Xor, x, sum);
        let b = self.b.binary(BinaryOp::Xor, y, sum);
        let both = self.b.binary(BinaryOp::And, a, b);
        self.saturate_by_sign(number, both, x, sum)
    }

    fn sub_sat(&mut self, number: Number, x: Value, y: Value) -> Value {
        let difference = self.b.binary(BinaryOp::ISub, x, y);
        if !number.signed {
            let wrapped = self.b.icmp(IntCC::Ult, x, y);
            let zero = self.b.zero(self.b.ty(x));
            return self.b.select(wrapped, zero, difference);
        }
        let a = self.b.binary(BinaryOp::Xor, x, y);
        let b = self.b.binary(BinaryOp::Xor, x, difference);
        let both = self.b.binary(BinaryOp::And, a, b);
        self.saturate_by_sign(number, both, x, difference)
    }

    /// Returns `value`, or where `overflow` is negative the bound of the type that has the sign of `sign`.
    fn saturate_by_sign(
        &mut self,
        number: Number,
        overflow: Value,
        sign: Value,
        value: Value,
    ) -> Value {
        let ty = self.b.ty(value);
        let least = self.b.iconst(ty, number.min() as i64);
        let most = self.b.iconst(ty, number.max() as i64);
        let negative = self.b.is_negative(sign);
        let bound = self.b.select(negative, least, most);
        let overflow = self.b.is_negative(overflow);
        self.b.select(overflow, bound, value)
    }

    fn mul_hi(&mut self, number: Number, x: Value, y: Value) -> Value {
        let signed = number.signed;
        let ty = self.b.ty(x);
        let bits = ty.scalar.bits();
        if bits >= 32 {
            let op = if signed { BinaryOp::SMulHi } else { BinaryOp::UMulHi };
            return self.b.binary(op, x, y);
        }
        let (x, y) = (
            self.b.resize_lanes(x, Scalar::I32, signed),
            self.b.resize_lanes(y, Scalar::I32, signed),
        );
        let product = self.b.binary(BinaryOp::IMul, x, y);
        let high = self.b.lshr_const(product, i64::from(bits));
        self.b.convert(ConvertOp::Trunc, high, ty)
    }

    /// `mad_sat` of 8 and 16 bits, by way of 32 bits, which `x * y + z` fits.
    fn mad_sat_narrow(&mut self, number: Number, x: Value, y: Value, z: Value) -> Value {
        let signed = number.signed;
        let [x, y, z] = [x, y, z].map(|v| self.b.resize_lanes(v, Scalar::I32, signed));
        let product = self.b.binary(BinaryOp::IMul, x, y);
        let sum = self.b.binary(BinaryOp::IAdd, product, z);
        let wide = Number { scalar: Scalar::I32, signed };
        self.b.convert_number(sum, (wide, number), None, true)
    }

    /// `mad_sat` in twice the width: `x * y + z` is `high:low`, which fits if the high half is the low half's
    /// sign (or zero for unsigned numbers).
    fn mad_sat(&mut self, number: Number, x: Value, y: Value, z: Value) -> Value {
        let signed = number.signed;
        let ty = self.b.ty(x);
        let product = self.b.binary(BinaryOp::IMul, x, y);
        let high = self.mul_hi(number, x, y);
        let low = self.b.binary(BinaryOp::IAdd, product, z);
        let carry = self.b.icmp(IntCC::Ult, low, product);
        let carry = self.b.convert(ConvertOp::ZExt, carry, ty);
        let high = self.b.binary(BinaryOp::IAdd, high, carry);
        if !signed {
            let overflow = self.b.is_nonzero(high);
            let most = self.b.iconst(ty, -1);
            return self.b.select(overflow, most, low);
        }
        let top = i64::from(ty.scalar.bits() - 1);
        let extension = self.b.binary_imm(BinaryOp::AShr, z, top);
        let high = self.b.binary(BinaryOp::IAdd, high, extension);
        let expected = self.b.binary_imm(BinaryOp::AShr, low, top);
        let overflow = self.b.icmp(IntCC::Ne, high, expected);
        let least = self.b.iconst(ty, number.min() as i64);
        let most = self.b.iconst(ty, number.max() as i64);
        let negative = self.b.is_negative(high);
        let bound = self.b.select(negative, least, most);
        self.b.select(overflow, bound, low)
    }
}
