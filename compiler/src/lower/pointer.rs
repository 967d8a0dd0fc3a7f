//! Pointers: casts, arithmetic and differences.

use super::function::Lowering;
use crate::ir::{BinaryOp, ConvertOp, Scalar, Type, Value};
use crate::sema::hir::Expr;
use crate::sema::types::TypeId;

impl Lowering<'_, '_> {
    /// Returns an integer with the width of a pointer's offsets.
    pub fn pointer_sized(&mut self, index: Value, ptr: Value, signed: bool) -> Value {
        let width = self.b.ty(ptr).scalar.bits();
        self.resize(index, Scalar::int(width), signed)
    }

    /// Returns an integer (or bool) made wider or narrower; lanes are kept.
    pub fn resize(&mut self, value: Value, to: Scalar, signed: bool) -> Value {
        let ty = self.b.ty(value);
        let op = match (to.bits() < ty.scalar.bits(), signed) {
            (true, _) => ConvertOp::Trunc,
            (false, true) => ConvertOp::SExt,
            (false, false) => ConvertOp::ZExt,
        };
        self.b.convert(op, value, ty.with_scalar(to))
    }

    /// `ptr ± index * stride`, the index of the given type.
    pub fn pointer_add(
        &mut self,
        ptr: Value,
        index: Value,
        index_ty: TypeId,
        stride: u64,
        subtract: bool,
    ) -> Value {
        let signed = self.numeric(index_ty).0.is_signed();
        let mut bytes = self.pointer_sized(index, ptr, signed);
        let ty = self.b.ty(bytes);
        if let Some(bits) = self.b.func.as_const(bytes) {
            let shift = 64 - ty.scalar.bits();
            let index = ((bits << shift) as i64) >> shift;
            let offset = index.wrapping_mul(stride as i64);
            let offset = if subtract { offset.wrapping_neg() } else { offset };
            return self.b.ptr_add_const(ptr, offset);
        }
        if stride != 1 {
            let stride = self.b.iconst(ty, stride as i64);
            bytes = self.b.binary(BinaryOp::IMul, bytes, stride);
        }
        if subtract {
            bytes = self.b.unary(crate::ir::UnaryOp::INeg, bytes);
        }
        self.b.ptr_add(ptr, bytes)
    }

    /// Returns a pointer moved to the address space of another pointer type.
    pub fn pointer_cast(&mut self, ptr: Value, to: Type) -> Value {
        if !self.b.ty(ptr).scalar.is_ptr() || !to.scalar.is_ptr() {
            return self.b.undef(to);
        }
        self.b.convert(ConvertOp::SpaceCast, ptr, to)
    }

    /// Returns the address as an unsigned integer of the pointer's width.
    pub fn address(&mut self, ptr: Value) -> Value {
        let ty = self.b.ty(ptr);
        if !ty.scalar.is_ptr() {
            return ptr;
        }
        let int = Type::of(Scalar::int(ty.scalar.bits()));
        self.b.convert(ConvertOp::PtrToInt, ptr, int)
    }

    pub fn int_to_pointer(&mut self, value: Value, signed: bool, to: Type) -> Value {
        let int = self.resize(value, Scalar::int(to.scalar.bits()), signed);
        self.b.convert(ConvertOp::IntToPtr, int, to)
    }

    /// `(lhs - rhs) / stride` as a long.
    pub fn pointer_diff(&mut self, lhs: &Expr, rhs: &Expr, stride: u64) -> Value {
        let (lhs, rhs) = (self.value(lhs), self.value(rhs));
        let (lhs, rhs) = (self.address(lhs), self.address(rhs));
        let bytes = self.b.binary(BinaryOp::ISub, lhs, rhs);
        let bytes = self.resize(bytes, Scalar::I64, true);
        // The difference is a multiple of the stride, so that a shift does for powers of two.
        if stride.is_power_of_two() {
            let shift = self.int(Scalar::I64, i64::from(stride.trailing_zeros()));
            return self.b.binary(BinaryOp::AShr, bytes, shift);
        }
        let stride = self.int(Scalar::I64, stride.max(1) as i64);
        self.b.binary(BinaryOp::SDiv, bytes, stride)
    }
}
