//! Pointers: casts, arithmetic and differences.

use super::function::Lowering;
use super::types;
use crate::ir::{AddressSpace, BinaryOp, ConvertOp, Scalar, Type, Value, Within};
use crate::sema::hir::{Expr, ExprKind, Place, PlaceKind};
use crate::sema::types::TypeKind;

impl Lowering<'_, '_> {
    /// Returns a pointer plus an index, or minus if `subtract`.
    pub fn pointer_add(
        &mut self,
        pointer: &Expr,
        index: &Expr,
        (stride, subtract): (u64, bool),
        within: Within,
    ) -> Value {
        let pointer = self.value(pointer);
        let by = self.value(index);
        let by = (by, self.numeric(index.ty).0.is_signed());
        self.b.pointer_add(pointer, by, stride, subtract, within)
    }

    /// Evaluates a pointer that is only used for an access. An element of a struct's member that a subscript selects lies in
    /// that member (C99 6.5.6 p8).
    pub fn pointer_to_access(&mut self, pointer: &Expr) -> Value {
        match &pointer.kind {
            ExprKind::PointerAdd { pointer: array, index, stride, subtract } => {
                let within = self.member(array).unwrap_or(Within::ANYWHERE);
                self.pointer_add(array, index, (*stride, *subtract), within)
            }
            _ => self.value(pointer),
        }
    }

    /// Returns the range of bytes, counted from the array's beginning, of the struct's member that an array's name, or the name
    /// of one of its rows, is in. Programs subscript rows beyond their end, but stay in the member.
    fn member(&self, array: &Expr) -> Option<Within> {
        let (ExprKind::AddressOf(place), Type { scalar: Scalar::Ptr(space), .. }) =
            (&array.kind, self.value_type(array.ty))
        else {
            return None;
        };
        if !matches!(space, AddressSpace::Private | AddressSpace::Generic) {
            return None;
        }
        match &place.kind {
            PlaceKind::Field { .. } if self.is_last(place) => {
                Some(Within { start: 0, end: i32::MAX })
            }
            PlaceKind::Field { .. } => match types::layout(self.types(), place.ty).0 {
                // An array of no elements is a name for what follows it.
                0 => None,
                size => Some(Within::first(size)),
            },
            PlaceKind::Deref(row) => match &row.kind {
                ExprKind::PointerAdd { pointer, index, stride, subtract: false } => {
                    let ExprKind::Int(index) = index.kind else { return None };
                    let distance = (index as i64).checked_mul(*stride as i64)?;
                    Some(self.member(pointer)?.moved(distance.checked_neg()?))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns true if a member is the last one of its struct and of all structs around it that the place names. Programs
    /// access elements of such arrays behind the struct, where they have allocated memory.
    fn is_last(&self, place: &Place) -> bool {
        let PlaceKind::Field { base, offset } = &place.kind else { return true };
        let TypeKind::Record(id) = *self.types().kind(base.ty) else { return true };
        let mut fields = self.types().records[id].fields.iter();
        fields.all(|field| field.offset <= *offset) && self.is_last(base)
    }

    /// Returns a pointer moved to the address space of another pointer type.
    pub fn pointer_cast(&mut self, ptr: Value, to: Type) -> Value {
        if !self.b.ty(ptr).scalar.is_ptr() || !to.scalar.is_ptr() {
            return self.b.undef(to);
        }
        self.b.convert(ConvertOp::SpaceCast, ptr, to)
    }

    pub fn int_to_pointer(&mut self, value: Value, signed: bool, to: Type) -> Value {
        let int = self.b.resize_lanes(value, Scalar::int(to.scalar.bits()), signed);
        self.b.convert(ConvertOp::IntToPtr, int, to)
    }

    /// `(lhs - rhs) / stride` as a long.
    pub fn pointer_diff(&mut self, lhs: &Expr, rhs: &Expr, stride: u64) -> Value {
        let (lhs, rhs) = (self.value(lhs), self.value(rhs));
        let (lhs, rhs) = (self.b.address(lhs), self.b.address(rhs));
        let bytes = self.b.binary(BinaryOp::ISub, lhs, rhs);
        let bytes = self.b.resize_lanes(bytes, Scalar::I64, true);
        // The difference is a multiple of the stride, so a shift is enough for powers of two.
        if stride.is_power_of_two() {
            let shift = self.b.int(Scalar::I64, i64::from(stride.trailing_zeros()));
            return self.b.binary(BinaryOp::AShr, bytes, shift);
        }
        let stride = self.b.int(Scalar::I64, stride.max(1) as i64);
        self.b.binary(BinaryOp::SDiv, bytes, stride)
    }
}
