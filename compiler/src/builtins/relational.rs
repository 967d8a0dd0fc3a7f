//! Relational functions (OpenCL C 6.15.6). Classification tests bits, so that it does not depend on the
//! driver's treatment of NaN.

use super::math::FLOATS;
use super::row::Row;
use super::signature::TypePattern::{self, G};
use super::signature::{Elements, Scalar as Name, Sig};
use super::{Call, Lowerer};
use crate::ir::{BinaryOp, FloatCC, IntCC, Scalar, Type, UnaryOp, Value};

const COMPARE: &[Sig] = &[Sig::new(FLOATS, TypePattern::Relation, &[G, G])];
const CLASSIFY: &[Sig] = &[Sig::new(FLOATS, TypePattern::Relation, &[G])];
const ANY_ALL: &[Sig] = &[Sig::new(Elements::SIGNED, TypePattern::S(Name::Int), &[G])];

pub(super) const ROWS: &[Row] = &[
    Row::binary(&["isequal"], COMPARE, |l, c, x, y| l.relation(c, FloatCC::Oeq, x, y)),
    Row::binary(&["isnotequal"], COMPARE, |l, c, x, y| l.relation(c, FloatCC::Une, x, y)),
    Row::binary(&["isgreater"], COMPARE, |l, c, x, y| l.relation(c, FloatCC::Ogt, x, y)),
    Row::binary(&["isgreaterequal"], COMPARE, |l, c, x, y| l.relation(c, FloatCC::Oge, x, y)),
    Row::binary(&["isless"], COMPARE, |l, c, x, y| l.relation(c, FloatCC::Olt, x, y)),
    Row::binary(&["islessequal"], COMPARE, |l, c, x, y| l.relation(c, FloatCC::Ole, x, y)),
    Row::binary(&["islessgreater"], COMPARE, |l, c, x, y| l.relation(c, FloatCC::One, x, y)),
    Row::binary(&["isordered"], COMPARE, |l, c, x, y| {
        let unordered = l.unordered(x, y);
        let truth = l.b.unary(UnaryOp::Not, unordered);
        l.b.int_of_bool(truth, c.result)
    }),
    Row::binary(&["isunordered"], COMPARE, |l, c, x, y| {
        let truth = l.unordered(x, y);
        l.b.int_of_bool(truth, c.result)
    }),
    Row::unary(&["isnan"], CLASSIFY, |l, c, x| l.classify(c, IntCC::Ugt, x)),
    Row::unary(&["isinf"], CLASSIFY, |l, c, x| l.classify(c, IntCC::Eq, x)),
    Row::unary(&["isfinite"], CLASSIFY, |l, c, x| l.classify(c, IntCC::Ult, x)),
    Row::unary(&["isnormal"], CLASSIFY, |l, c, x| {
        let truth = l.is_normal(x);
        l.b.int_of_bool(truth, c.result)
    }),
    Row::unary(&["signbit"], CLASSIFY, |l, c, x| {
        let bits = l.b.as_bits(x);
        let truth = l.b.is_negative(bits);
        l.b.int_of_bool(truth, c.result)
    }),
    Row::unary(&["any"], ANY_ALL, |l, c, x| l.combine_signs(c, BinaryOp::Or, x)),
    Row::unary(&["all"], ANY_ALL, |l, c, x| l.combine_signs(c, BinaryOp::And, x)),
    Row::ternary(&["bitselect"], &[Sig::new(Elements::ALL, G, &[G, G, G])], |l, _, a, b, c| {
        l.bitselect(a, b, c)
    }),
    Row::ternary(
        &["select"],
        &[
            Sig::new(Elements::ALL, G, &[G, G, TypePattern::SignedOf]),
            Sig::new(Elements::ALL, G, &[G, G, TypePattern::UnsignedOf]),
        ],
        |l, _, a, b, c| l.select_by(a, b, c),
    ),
];

impl Lowerer<'_, '_> {
    fn relation(&mut self, call: &Call<'_>, cc: FloatCC, x: Value, y: Value) -> Value {
        let truth = self.b.fcmp(cc, x, y);
        self.b.int_of_bool(truth, call.result)
    }

    fn unordered(&mut self, x: Value, y: Value) -> Value {
        let (x, y) = (self.is_nan(x), self.is_nan(y));
        self.b.binary(BinaryOp::Or, x, y)
    }

    /// Compares the bits of the magnitude with those of infinity.
    fn classify(&mut self, call: &Call<'_>, cc: IntCC, x: Value) -> Value {
        let truth = self.compare_magnitude(cc, x);
        self.b.int_of_bool(truth, call.result)
    }

    /// least normal <= magnitude < infinity
    fn is_normal(&mut self, x: Value) -> Value {
        let (magnitude, infinity) = self.magnitude(x);
        let least = infinity & infinity.wrapping_neg();
        let above = self.b.icmp_imm(IntCC::Uge, magnitude, least);
        let below = self.b.icmp_imm(IntCC::Ult, magnitude, infinity);
        self.b.binary(BinaryOp::And, above, below)
    }

    /// Selects `b` where a scalar `c` is not zero, or where a vector's component has the sign bit set; else `a`.
    fn select_by(&mut self, a: Value, b: Value, c: Value) -> Value {
        let cond = match self.b.ty(c).is_vector() {
            true => self.b.is_negative(c),
            false => self.b.is_nonzero(c),
        };
        self.b.select(cond, b, a)
    }

    fn combine_signs(&mut self, call: &Call<'_>, op: BinaryOp, x: Value) -> Value {
        let signs = self.b.is_negative(x);
        let mut result = self.b.extract(signs, 0);
        for lane in 1..self.b.ty(x).lanes {
            let sign = self.b.extract(signs, lane);
            result = self.b.binary(op, result, sign);
        }
        self.b.int_of_bool(result, call.result)
    }

    fn bitselect(&mut self, a: Value, b: Value, c: Value) -> Value {
        let ty = self.b.ty(a);
        let bits = self.b.bits_type(a);
        let [a, b, c] = [a, b, c].map(|v| self.b.bitcast(v, bits));
        // b's bits where c has ones: a ^ ((a ^ b) & c).
        let differing = self.b.binary(BinaryOp::Xor, a, b);
        let chosen = self.b.binary(BinaryOp::And, differing, c);
        let result = self.b.binary(BinaryOp::Xor, a, chosen);
        self.b.bitcast(result, ty)
    }

    /// Returns a bool for each lane: true if the lane is NaN.
    pub(super) fn is_nan(&mut self, x: Value) -> Value {
        self.compare_magnitude(IntCC::Ugt, x)
    }

    fn compare_magnitude(&mut self, cc: IntCC, x: Value) -> Value {
        let (magnitude, infinity) = self.magnitude(x);
        self.b.icmp_imm(cc, magnitude, infinity)
    }

    /// Returns the bits without the sign, and the bits of infinity.
    pub(super) fn magnitude(&mut self, x: Value) -> (Value, i64) {
        let ty: Type = self.b.bits_type(x);
        let bits = self.b.bitcast(x, ty);
        let (mask, infinity) = match ty.scalar {
            Scalar::I16 => (0x7fff, 0x7c00),
            Scalar::I32 => (0x7fff_ffff, 0x7f80_0000),
            _ => (i64::MAX, 0x7ff0_0000_0000_0000),
        };
        (self.b.and_const(bits, mask), infinity)
    }
}
