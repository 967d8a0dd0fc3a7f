//! Cooperative matrices: calls of their functions, operators, conversions, elements.

use super::function::Lowering;
use crate::ir::{InstData, Matrix, MatrixOp, MemFlags, Scalar, Type, Value};
use crate::sema::hir::{ArithOp, Expr, ExprKind, MatrixCall};
use crate::sema::types::{MatrixType, TypeId, TypeKind};
use smallvec::{smallvec, SmallVec};

impl Lowering<'_, '_> {
    fn matrix_type(&self, ty: TypeId) -> Option<MatrixType> {
        match *self.types().kind(ty) {
            TypeKind::Matrix(matrix) => Some(matrix),
            _ => None,
        }
    }

    fn matrix_op(&mut self, op: MatrixOp, args: SmallVec<[Value; 3]>, ty: Type) -> Value {
        self.b.inst(InstData::Matrix { op, args }, ty)
    }

    /// Returns a matrix of zeros.
    pub(super) fn zero_matrix(&mut self, matrix: Matrix) -> Value {
        let zero = self.b.zero(matrix.element());
        self.matrix_op(MatrixOp::Splat, smallvec![zero], matrix.ty())
    }

    /// Evaluates a call; `None` if it has no result.
    pub(super) fn matrix_call(
        &mut self,
        call: MatrixCall,
        expr: &Expr,
        args: &[Expr],
    ) -> Option<Value> {
        let ty = self.value_type(expr.ty);
        let is_bfloat16 = self.matrix_type(expr.ty).is_some_and(|matrix| matrix.is_bfloat16);
        let values: SmallVec<[Value; 3]> = args.iter().map(|arg| self.value(arg)).collect();
        let op = match (call, &values[..]) {
            (MatrixCall::Load(layout), &[ptr, stride]) => {
                let (align, flags) = self.matrix_memory(&args[0]);
                return Some(
                    self.b.inst(InstData::MatrixLoad { layout, ptr, stride, align, flags }, ty),
                );
            }
            (MatrixCall::Store(layout), &[ptr, value, stride]) => {
                let (align, flags) = self.matrix_memory(&args[0]);
                self.b.void(InstData::MatrixStore { layout, ptr, stride, value, align, flags });
                return None;
            }
            (MatrixCall::Product { operands }, &[a, b, c]) => {
                return Some(
                    self.b.inst(InstData::MatrixProduct { args: [a, b, c], operands }, ty),
                );
            }
            (MatrixCall::Splat, &[x]) if is_bfloat16 => {
                let x = self.with_lowerer(expr.span, |lowerer| lowerer.bfloat16_of_float(x));
                return Some(self.matrix_op(MatrixOp::Splat, smallvec![x], ty));
            }
            (MatrixCall::Splat, _) => MatrixOp::Splat,
            (MatrixCall::Scale, _) => MatrixOp::Scale,
            _ => MatrixOp::Length,
        };
        Some(self.matrix_op(op, values, ty))
    }

    /// Returns alignment and flags of the memory that a pointer points to.
    fn matrix_memory(&self, pointer: &Expr) -> (u32, MemFlags) {
        let pointer = self.types().as_pointer(pointer.ty);
        let align = pointer.map_or(1, |pointer| self.types().align(pointer.pointee));
        let is_volatile = pointer.is_some_and(|pointer| pointer.is_volatile);
        (align, if is_volatile { MemFlags::VOLATILE } else { MemFlags::empty() })
    }

    /// Evaluates an operator whose result is a matrix; `None` for other expressions.
    pub(super) fn matrix_operator(&mut self, expr: &Expr) -> Option<Value> {
        let to = self.matrix_type(expr.ty)?;
        let ty = to.plain().ty();
        match &expr.kind {
            ExprKind::Neg(value) => {
                let value = self.value(value);
                let op = if to.element.is_float() { MatrixOp::FNeg } else { MatrixOp::INeg };
                Some(self.matrix_op(op, smallvec![value], ty))
            }
            ExprKind::Arith(op, lhs, rhs) => {
                let (lhs, rhs) = (self.value(lhs), self.value(rhs));
                Some(self.matrix_arith(*op, lhs, rhs, to))
            }
            ExprKind::Convert { value, .. } => {
                let from = self.matrix_type(value.ty)?;
                let value = self.value(value);
                Some(self.convert_matrix(value, from, to))
            }
            ExprKind::Conditional { cond, then, otherwise } => {
                let cond = self.truth(cond);
                let sides: [&Expr; 2] = [then, otherwise];
                let join =
                    self.in_branches(cond, sides, |lowering, side| Some(lowering.value(side)));
                Some(self.b.func.add_param(join, ty))
            }
            _ => None,
        }
    }

    /// `lhs op rhs`, of two matrices, or of a matrix and a number.
    pub(super) fn matrix_arith(
        &mut self,
        op: ArithOp,
        lhs: Value,
        rhs: Value,
        of: MatrixType,
    ) -> Value {
        let (is_float, ty) = (of.element.is_float(), of.plain().ty());
        let op = match op {
            _ if !self.b.ty(rhs).scalar.is_matrix() => MatrixOp::Scale,
            ArithOp::Add if is_float => MatrixOp::FAdd,
            ArithOp::Sub if is_float => MatrixOp::FSub,
            ArithOp::Mul if is_float => MatrixOp::FMul,
            ArithOp::Add => MatrixOp::IAdd,
            ArithOp::Sub => MatrixOp::ISub,
            ArithOp::Mul => MatrixOp::IMul,
            _ if is_float => MatrixOp::FDiv,
            _ if of.element.is_signed() => MatrixOp::SDiv,
            _ => MatrixOp::UDiv,
        };
        self.matrix_op(op, smallvec![lhs, rhs], ty)
    }

    /// Computes the value that `place op= value` stores for a matrix.
    pub(super) fn matrix_compound(
        &mut self,
        op: ArithOp,
        old: Value,
        rhs: Value,
        ty: TypeId,
    ) -> Value {
        match self.matrix_type(ty) {
            Some(matrix) => self.matrix_arith(op, old, rhs, matrix),
            None => old,
        }
    }

    fn convert_matrix(&mut self, value: Value, from: MatrixType, to: MatrixType) -> Value {
        let (a, b) = (from.plain(), to.plain());
        if a == b {
            return value;
        }
        let op = match (a.is_float(), b.is_float()) {
            (true, true) => MatrixOp::FConvert,
            (true, false) if to.is_signed() => MatrixOp::FToS,
            (true, false) => MatrixOp::FToU,
            (false, true) if from.is_signed() => MatrixOp::SToF,
            (false, true) => MatrixOp::UToF,
            (false, false) if from.is_signed() => MatrixOp::SConvert,
            (false, false) => MatrixOp::UConvert,
        };
        self.matrix_op(op, smallvec![value], b.ty())
    }

    /// Returns an element, of those that the work-item holds, of a matrix; `None` if `whole` is a vector.
    pub(super) fn matrix_extract(&mut self, whole: Value, index: Value) -> Option<Value> {
        let Scalar::Matrix(matrix) = self.b.ty(whole).scalar else { return None };
        Some(self.matrix_op(MatrixOp::Extract, smallvec![whole, index], matrix.element()))
    }

    /// Returns a matrix in which one element, of those that the work-item holds, is replaced; `None` if `whole` is a vector.
    pub(super) fn matrix_insert(
        &mut self,
        whole: Value,
        element: Value,
        index: Value,
    ) -> Option<Value> {
        let ty = self.b.ty(whole);
        let is_matrix = ty.scalar.is_matrix();
        is_matrix.then(|| self.matrix_op(MatrixOp::Insert, smallvec![whole, element, index], ty))
    }
}
