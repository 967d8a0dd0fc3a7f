//! Assignments: simple, compound, increments and decrements.

use super::function::Lowering;
use crate::ir::{BinaryOp, Type, UnaryOp, Value, Within};
use crate::sema::hir::{CompoundOp, Expr, Place};
use crate::sema::types::{Scalar as Name, TypeId};

impl Lowering<'_, '_> {
    /// Lowers `place = value`. Returns the stored value; `None` for records.
    pub fn assign(&mut self, place: &Place, value: &Expr) -> Option<Value> {
        if self.is_record(place.ty) {
            self.assign_record(place, value);
            return None;
        }
        // The place is evaluated first, since loads in the value often have the same address.
        let lvalue = self.place(place);
        let value = self.value(value);
        self.write(&lvalue, value);
        Some(value)
    }

    /// Assigns a struct or union and returns the place's address.
    pub fn assign_record(&mut self, place: &Place, value: &Expr) -> crate::ir::Addr {
        let to = self.address_of(place);
        let from = self.record(value);
        self.copy_object(place.ty, to, from);
        to
    }

    pub fn compound_assign(
        &mut self,
        place: &Place,
        op: CompoundOp,
        value: &Expr,
        compute: TypeId,
    ) -> Value {
        let lvalue = self.place(place);
        let contracts = match op {
            CompoundOp::Arith(op) => self.contracts(op, &[value]),
            _ => false,
        };
        let rhs = if contracts { self.term(value) } else { self.value(value) };
        let old = self.read(&lvalue, self.value_type(place.ty));
        if let (CompoundOp::Arith(op), true) = (op, self.b.ty(old).scalar.is_matrix()) {
            let result = self.matrix_compound(op, old, rhs, place.ty);
            self.write(&lvalue, result);
            return result;
        }
        let (stored, _) = self.numeric(place.ty);
        let (wide, _) = self.numeric(compute);
        let lhs = self.convert(old, stored, wide);
        let result = match op {
            CompoundOp::Arith(op) => {
                let rhs = self.b.match_lanes(rhs, lhs);
                match contracts {
                    true => self.contractible(|lowering| lowering.arith(op, lhs, rhs, wide)),
                    false => self.arith(op, lhs, rhs, wide),
                }
            }
            CompoundOp::Shl | CompoundOp::Shr => self.shift(op == CompoundOp::Shl, lhs, rhs, wide),
        };
        let result = self.convert(result, wide, stored);
        self.write(&lvalue, result);
        result
    }

    pub fn pointer_assign(
        &mut self,
        place: &Place,
        index: &Expr,
        stride: u64,
        subtract: bool,
    ) -> Value {
        let lvalue = self.place(place);
        let by = self.value(index);
        let old = self.read(&lvalue, self.value_type(place.ty));
        let by = (by, self.numeric(index.ty).0.is_signed());
        let new = self.b.pointer_add(old, by, stride, subtract, Within::ANYWHERE);
        self.write(&lvalue, new);
        new
    }

    pub fn inc_dec(&mut self, place: &Place, increment: bool, prefix: bool, stride: u64) -> Value {
        let lvalue = self.place(place);
        let ty = self.value_type(place.ty);
        let old = self.read(&lvalue, ty);
        let new = self.stepped(old, ty, self.numeric(place.ty).0, increment, stride);
        self.write(&lvalue, new);
        if prefix {
            new
        } else {
            old
        }
    }

    fn stepped(&mut self, old: Value, ty: Type, name: Name, up: bool, stride: u64) -> Value {
        if ty.scalar.is_ptr() {
            let bytes = stride as i64;
            return self.b.ptr_add_const(old, if up { bytes } else { bytes.wrapping_neg() });
        }
        match name {
            // C99 6.5.2.4: adding 1 to a bool gives true, subtracting 1 flips it.
            Name::Bool if up => self.b.iconst(ty, 1),
            Name::Bool => self.b.unary(UnaryOp::Not, old),
            _ if name.is_float() => {
                let one = self.b.fconst(ty, 1.0);
                self.b.binary(if up { BinaryOp::FAdd } else { BinaryOp::FSub }, old, one)
            }
            _ => {
                let one = self.b.iconst(ty, 1);
                let op = if up { BinaryOp::IAdd } else { BinaryOp::ISub };
                self.b.with_flags(Self::overflow_flags(op, name), |b| b.binary(op, old, one))
            }
        }
    }
}
