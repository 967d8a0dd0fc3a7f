//! Contraction: a sum and a product that is its operand may be rounded once, together, if both are parts of one expression
//! (C99 6.5 p8; OpenCL C 6.14.2 allows it unless `FP_CONTRACT` is OFF). A product that is stored, converted or returned
//! before the sum is rounded by itself.
//!
//! Here these products and sums, and no others, are marked as contractible; [`crate::passes::contract`] fuses them.

use super::function::Lowering;
use crate::ir::{BinaryOp, OpFlags, UnaryOp, Value};
use crate::sema::hir::{ArithOp, Expr, ExprKind};

impl Lowering<'_, '_> {
    /// Returns true if an operation and one of its operands may be contracted.
    pub fn contracts(&self, op: ArithOp, operands: &[&Expr]) -> bool {
        let is_sum = matches!(op, ArithOp::Add | ArithOp::Sub);
        self.may_contract && is_sum && operands.iter().any(|operand| self.is_product(operand))
    }

    /// Evaluates an operand of a sum that may be contracted.
    pub fn term(&mut self, expr: &Expr) -> Value {
        match self.is_product(expr) {
            true => self.product(expr, false),
            false => self.value(expr),
        }
    }

    /// Calls `compute` to emit operations that may be contracted.
    pub fn contractible<T>(&mut self, compute: impl FnOnce(&mut Self) -> T) -> T {
        let flags = self.b.flags;
        self.b.flags.remove(OpFlags::NO_CONTRACT);
        let result = compute(self);
        self.b.flags = flags;
        result
    }

    /// Returns true if an expression is a product of floats, or one with its sign changed.
    fn is_product(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Arith(ArithOp::Mul, ..) => self.numeric(expr.ty).0.is_float(),
            ExprKind::Neg(value) => self.is_product(value),
            _ => false,
        }
    }

    /// Evaluates a product; `negated` changes the sign of one factor, and so of the result.
    fn product(&mut self, expr: &Expr, negated: bool) -> Value {
        match &expr.kind {
            ExprKind::Neg(value) => self.product(value, !negated),
            ExprKind::Arith(_, a, b) => {
                let (mut a, b) = (self.value(a), self.value(b));
                if negated {
                    a = self.b.unary(UnaryOp::FNeg, a);
                }
                let b = self.b.match_lanes(b, a);
                self.contractible(|lowering| lowering.b.binary(BinaryOp::FMul, a, b))
            }
            _ => self.value(expr),
        }
    }
}
