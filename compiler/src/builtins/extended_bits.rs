//! Extended bit operations (OpenCL C 6.15.3.1). An offset and a number of bits are scalars, whatever the vector.

use super::row::Row;
use super::signature::TypePattern::{self, G};
use super::signature::{Elements, Scalar as Name, Sig};
use super::{Call, Lowerer};
use crate::ir::{BinaryOp, MathOp, Scalar, Type, UnaryOp, Value};

const UINT: TypePattern = TypePattern::S(Name::UInt);

const fn of(ret: TypePattern, params: &'static [TypePattern]) -> Sig {
    Sig::new(Elements::INTS, ret, params)
}

pub(super) const ROWS: &[Row] = &[
    Row::call(&["bitfield_insert"], &[of(G, &[G, G, UINT, UINT])], |l, c| l.bitfield_insert(c)),
    Row::call(
        &["bitfield_extract_signed"],
        &[of(TypePattern::SignedOf, &[G, UINT, UINT])],
        |l, c| l.bitfield_extract(c, BinaryOp::AShr),
    ),
    Row::call(
        &["bitfield_extract_unsigned"],
        &[of(TypePattern::UnsignedOf, &[G, UINT, UINT])],
        |l, c| l.bitfield_extract(c, BinaryOp::LShr),
    ),
    Row::unary(&["bit_reverse"], &[of(G, &[G])], |l, _, x| l.b.math(MathOp::BitReverse, &[x])),
];

impl Lowerer<'_, '_> {
    /// `base & ~mask | insert << offset & mask`.
    fn bitfield_insert(&mut self, call: &Call<'_>) -> Option<Value> {
        let &[base, insert, offset, count] = call.args else { return None };
        let ty = self.b.ty(base);
        let by = self.shift_amount(offset, ty);
        let low = self.low_ones(count, ty);
        let mask = self.b.binary(BinaryOp::Shl, low, by);
        let not_mask = self.b.unary(UnaryOp::Not, mask);
        let moved = {
            let by = self.b.match_lanes(by, base);
            self.b.binary(BinaryOp::Shl, insert, by)
        };
        let [mask, not_mask] = [mask, not_mask].map(|mask| self.b.match_lanes(mask, base));
        let kept = self.b.binary(BinaryOp::And, base, not_mask);
        let new = self.b.binary(BinaryOp::And, moved, mask);
        Some(self.b.binary(BinaryOp::Or, kept, new))
    }

    /// Shifts the field to the top, and from there down by `shift`. A field of no bits is 0.
    fn bitfield_extract(&mut self, call: &Call<'_>, shift: BinaryOp) -> Option<Value> {
        let &[base, offset, count] = call.args else { return None };
        let ty = self.b.ty(base);
        let width = self.b.int(Scalar::I32, i64::from(ty.scalar.bits()));
        let unused = self.b.binary(BinaryOp::ISub, width, count);
        let above = self.b.binary(BinaryOp::ISub, unused, offset);
        let [up, down] = [above, unused].map(|by| {
            let by = self.shift_amount(by, ty);
            self.b.match_lanes(by, base)
        });
        let top = self.b.binary(BinaryOp::Shl, base, up);
        let field = self.b.binary(shift, top, down);
        let some = self.b.is_nonzero(count);
        let zero = self.b.zero(ty);
        Some(self.b.select(some, field, zero))
    }

    /// Returns a number whose lowest `count` bits are ones, in the type of a lane.
    fn low_ones(&mut self, count: Value, ty: Type) -> Value {
        let width = self.b.int(Scalar::I32, i64::from(ty.scalar.bits()));
        let unused = self.b.binary(BinaryOp::ISub, width, count);
        let by = self.shift_amount(unused, ty);
        let ones = self.b.iconst(ty.lane(), -1);
        let low = self.b.binary(BinaryOp::LShr, ones, by);
        let some = self.b.is_nonzero(count);
        let zero = self.b.zero(ty.lane());
        self.b.select(some, low, zero)
    }

    /// Returns a number of bits modulo the width of a type, in the type of a lane.
    fn shift_amount(&mut self, by: Value, ty: Type) -> Value {
        let by = self.b.and_const(by, i64::from(ty.scalar.bits() - 1));
        self.b.resize_lanes(by, ty.scalar, false)
    }
}
