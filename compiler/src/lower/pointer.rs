//! Pointers: casts, arithmetic and differences.

use super::function::Lowering;
use crate::ir::{BinaryOp, ConvertOp, Scalar, Type, Value};
use crate::sema::hir::Expr;

impl Lowering<'_, '_> {
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
        // The difference is a multiple of the stride, so that a shift does for powers of two.
        if stride.is_power_of_two() {
            let shift = self.b.int(Scalar::I64, i64::from(stride.trailing_zeros()));
            return self.b.binary(BinaryOp::AShr, bytes, shift);
        }
        let stride = self.b.int(Scalar::I64, stride.max(1) as i64);
        self.b.binary(BinaryOp::SDiv, bytes, stride)
    }
}
