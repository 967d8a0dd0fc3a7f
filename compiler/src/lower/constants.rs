//! Integer operations with a constant on the right.

use super::function::Lowering;
use crate::ir::{BinaryOp, IntCC, Value};

impl Lowering<'_, '_> {
    pub fn and_const(&mut self, value: Value, mask: i64) -> Value {
        self.binary_const(BinaryOp::And, value, mask)
    }

    pub fn or_const(&mut self, value: Value, bits: i64) -> Value {
        self.binary_const(BinaryOp::Or, value, bits)
    }

    pub fn add_const(&mut self, value: Value, addend: i64) -> Value {
        self.binary_const(BinaryOp::IAdd, value, addend)
    }

    pub fn shl_const(&mut self, value: Value, by: i64) -> Value {
        self.binary_const(BinaryOp::Shl, value, by)
    }

    pub fn lshr_const(&mut self, value: Value, by: i64) -> Value {
        self.binary_const(BinaryOp::LShr, value, by)
    }

    /// `value op constant`, the constant in each lane.
    pub fn binary_const(&mut self, op: BinaryOp, value: Value, constant: i64) -> Value {
        let constant = self.b.iconst(self.b.ty(value), constant);
        self.b.binary(op, value, constant)
    }

    pub fn compare_const(&mut self, cc: IntCC, value: Value, constant: i64) -> Value {
        let constant = self.b.iconst(self.b.ty(value), constant);
        self.b.icmp(cc, value, constant)
    }
}
