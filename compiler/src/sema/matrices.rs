//! Cooperative matrices in OpenCL C (cl_khr_cooperative_matrix): types by an attribute, functions, operators. Names and
//! diagnostics are those of clang's draft.
//!
//! The result of `coop_mat_load` and `coop_mat_init` has the type of the variable, parameter or result that receives it.

use super::convert::Context;
use super::hir::{Expr, ExprKind, MatrixCall, Place, PlaceKind};
use super::operand::{value, Object, Operand};
use super::typename::QualType;
use super::types::{MatrixType, Scalar, TypeId, TypeKind, BFLOAT16};
use super::Sema;
use crate::ir::{MatrixElement, MatrixLayout, MatrixUse};
use crate::matrices::{self, MatrixOperands};
use crate::preprocess::Symbol;
use crate::source::Span;
use crate::syntax::ast::{self, AddressSpace, ArithOp, Attribute};

/// The attribute that makes a matrix type of an element type. Arguments: scope, rows, columns, use.
pub(super) const ATTRIBUTE: &str = "coop_mat";

/// The functions.
pub(super) const FUNCTIONS: [&str; 5] =
    ["coop_mat_load", "coop_mat_store", "coop_mat_mulAdd", "coop_mat_init", "coop_mat_length"];

/// The only scope: CLK_COOPERATIVE_MATRIX_SCOPE_SUBGROUP, which is also memory_scope_sub_group.
const SCOPE: u64 = 4;

const NO_TARGET: &str =
    "builtin return value should be assigned to cooperative matrix type variable";
const ONLY_ELEMENTS: &str =
    "type '__bf16' can only be used as that of a cooperative matrix's elements";
const NOT_COMPUTED_WITH: &str =
    "matrices of '__bf16' are not computed with: convert them or their elements";
const INCOMPATIBLE: &str = "incompatible cooperative matrix types";

impl Sema<'_> {
    pub(super) fn as_matrix(&self, ty: TypeId) -> Option<MatrixType> {
        match *self.module.types.kind(ty) {
            TypeKind::Matrix(matrix) => Some(matrix),
            _ => None,
        }
    }

    /// Returns true for the types of matrices and of arrays of them, which only variables and parameters of functions have.
    pub(super) fn has_matrices(&self, ty: TypeId) -> bool {
        self.as_matrix(self.module.types.innermost_element(ty)).is_some()
    }

    /// Returns the matrix type of specifiers that have the attribute; the type itself without it.
    pub(super) fn with_matrix(
        &mut self,
        base: QualType,
        attributes: &[Attribute],
        span: Span,
    ) -> QualType {
        let found = attributes.iter().find(|attribute| self.text(attribute.name) == ATTRIBUTE);
        let Some(attribute) = found.filter(|_| !self.is_error(base.ty)) else {
            return match self.is_bfloat16(base.ty) {
                true => QualType { ty: self.fail(span, ONLY_ELEMENTS), ..base },
                false => base,
            };
        };
        let ty = self.matrix_type(base.ty, attribute).unwrap_or(self.basic.error);
        QualType { ty, ..base }
    }

    fn is_bfloat16(&self, ty: TypeId) -> bool {
        matches!(self.module.types.kind(ty), TypeKind::Opaque(BFLOAT16))
    }

    fn matrix_type(&mut self, element: TypeId, attribute: &Attribute) -> Option<TypeId> {
        let span = attribute.span;
        if !self.target.offers_matrices() {
            let message = "use of attribute 'coop_mat' requires cl_khr_cooperative_matrix which this device does not offer";
            return self.fail(span, message);
        }
        let [scope, rows, columns, usage] = attribute.args.as_slice() else {
            return self.fail(span, "'coop_mat' attribute requires exactly 4 arguments");
        };
        let is_bfloat16 = self.is_bfloat16(element);
        let kind = match *self.module.types.kind(element) {
            TypeKind::Scalar(scalar) => MatrixType::element_of(scalar).map(|kind| (scalar, kind)),
            _ => is_bfloat16.then_some((Scalar::UShort, MatrixElement::BF16)),
        };
        let Some((scalar, kind)) = kind else {
            let message =
                format!("{} is invalid cooperative matrix element type", self.quoted(element));
            return self.fail(span, message);
        };
        let numbers = [scope, rows, columns, usage].map(|arg| self.attribute_int(arg, ATTRIBUTE));
        let [Some(in_scope), Some(rows), Some(columns), Some(number)] = numbers else {
            return None;
        };
        let invalid = |what| format!("invalid '{what}' argument of cooperative matrix attribute");
        if in_scope != SCOPE {
            return self.fail(scope.span, invalid("scope"));
        }
        let Some(usage) = MatrixUse::from_number(number) else {
            return self.fail(usage.span, invalid("use"));
        };
        match matrices::find(self.target, kind, usage, [rows, columns]) {
            Ok(found) => {
                let (rows, columns) = (found.rows, found.columns);
                let matrix = MatrixType { element: scalar, is_bfloat16, usage, rows, columns };
                Some(self.module.types.intern(TypeKind::Matrix(matrix)))
            }
            Err(message) => self.fail(span, message),
        }
    }

    /// Returns the value of an expression that is converted to a type. If the expression is a call whose result has the type
    /// that receives it, the call gets this type.
    pub(super) fn rvalue_for(&mut self, expr: &ast::Expr, ty: TypeId) -> Expr {
        if let (Some(_), ast::ExprKind::Call(callee, args)) = (self.as_matrix(ty), &expr.kind) {
            if let ast::ExprKind::Ident(name) = callee.kind {
                let is_free = self.scopes.find(name).is_none();
                let call = is_free.then(|| self.matrix_function(name, args, Some(ty), expr.span));
                if let Some(call) = call.flatten() {
                    return call;
                }
            }
        }
        self.rvalue(expr)
    }

    /// Analyzes a call of a function on matrices. `wanted` is the type that receives the result. Returns `None` if the name is
    /// not that of such a function.
    pub(super) fn matrix_function(
        &mut self,
        name: Symbol,
        args: &[ast::Expr],
        wanted: Option<TypeId>,
        span: Span,
    ) -> Option<Expr> {
        let name = self.text(name);
        if !FUNCTIONS.contains(&name) || !self.target.offers_matrices() {
            return None;
        }
        let args: Vec<Expr> = args.iter().map(|arg| self.rvalue(arg)).collect();
        if args.iter().any(|arg| self.is_error(arg.ty)) {
            return Some(self.error_value(span));
        }
        self.module.uses_subgroups = true;
        let call = match name {
            "coop_mat_load" => self.matrix_load(args, wanted, span),
            "coop_mat_store" => self.matrix_store(args, span),
            "coop_mat_mulAdd" => self.matrix_product(args, wanted, span),
            "coop_mat_init" => self.matrix_init(args, wanted, span),
            _ => self.matrix_length(args, span),
        };
        Some(call.unwrap_or_else(|| self.error_value(span)))
    }

    /// Returns the arguments if their number is right; otherwise reports it.
    fn exactly<const N: usize>(&mut self, args: Vec<Expr>, span: Span) -> Option<[Expr; N]> {
        let have = args.len();
        let args = <[Expr; N]>::try_from(args).ok();
        if args.is_none() {
            self.wrong_count("function", (N, have), span);
        }
        args
    }

    fn matrix_load(&mut self, args: Vec<Expr>, wanted: Option<TypeId>, span: Span) -> Option<Expr> {
        let [pointer, layout, stride] = self.exactly(args, span)?;
        let Some(ty) = wanted else { return self.fail(span, NO_TARGET) };
        let matrix = self.as_matrix(ty)?;
        self.check_matrix_pointer(&pointer, matrix, false)?;
        let call = MatrixCall::Load(self.matrix_layout(&layout)?);
        let args = vec![pointer, self.matrix_stride(stride)?];
        Some(value(ExprKind::Matrix { call, args }, ty, span))
    }

    fn matrix_store(&mut self, args: Vec<Expr>, span: Span) -> Option<Expr> {
        let [pointer, stored, layout, stride] = self.exactly(args, span)?;
        let matrix = self.matrix_argument(&stored)?;
        self.check_matrix_pointer(&pointer, matrix, true)?;
        let call = MatrixCall::Store(self.matrix_layout(&layout)?);
        let args = vec![pointer, stored, self.matrix_stride(stride)?];
        Some(value(ExprKind::Matrix { call, args }, self.basic.void, span))
    }

    fn matrix_product(
        &mut self,
        mut args: Vec<Expr>,
        wanted: Option<TypeId>,
        span: Span,
    ) -> Option<Expr> {
        let operands = if args.len() == 4 { args.pop() } else { None };
        let [a, b, c] = self.exactly(args, span)?;
        let ty = wanted.unwrap_or(c.ty);
        let uses = [
            (MatrixUse::A, "CLK_COOPERATIVE_MATRIX_A"),
            (MatrixUse::B, "CLK_COOPERATIVE_MATRIX_B"),
            (MatrixUse::Accumulator, "CLK_COOPERATIVE_MATRIX_ACCUMULATOR"),
        ];
        let mut sides = Vec::with_capacity(4);
        for (arg, (usage, name)) in [&a, &b, &c].into_iter().zip(uses) {
            let matrix = self.matrix_argument(arg)?;
            if matrix.usage != usage {
                let message = format!("argument of cooperative matrix must have '{name}' use");
                return self.fail(arg.span, message);
            }
            sides.push(matrix);
        }
        sides.push(self.as_matrix(ty)?);
        let [a_ty, b_ty, c_ty, to] = sides[..] else { return None };
        let fits =
            a_ty.columns == b_ty.rows && a_ty.rows == c_ty.rows && b_ty.columns == c_ty.columns;
        if !fits || !to.has_shape_of(c_ty) {
            return self.fail(span, "two cooperative matrices with incompatible shapes");
        }
        if sides.iter().any(|side| side.plain().is_float() != a_ty.plain().is_float()) {
            return self.fail(span, "inconsistent cooperative matrix element types");
        }
        let saturates = match operands {
            None => false,
            Some(operands) => self.saturates(&operands)?,
        };
        let plain = [a_ty, b_ty, c_ty, to].map(|side| (side.plain(), side.is_signed()));
        if let Err(message) = matrices::check_product(self.target, plain, saturates) {
            return self.fail(span, message);
        }
        let signs = plain.iter().zip(MatrixOperands::SIGNED);
        let mut operands = signs.fold(0, |all, ((_, is), bit)| all | if *is { bit } else { 0 });
        if saturates {
            operands |= MatrixOperands::SATURATES;
        }
        let call = MatrixCall::Product { operands };
        Some(value(ExprKind::Matrix { call, args: vec![a, b, c] }, ty, span))
    }

    /// Returns true if the fourth argument of a product asks for saturation.
    fn saturates(&mut self, operands: &Expr) -> Option<bool> {
        let operands_are = self.module.types.is_integer(operands.ty);
        match self.eval_int(operands).filter(|_| operands_are) {
            Some(0) => Some(false),
            Some(bits) if bits == i128::from(MatrixOperands::SATURATES) => Some(true),
            _ => {
                let message = "fourth argument of 'coop_mat_mulAdd' must be CLK_COOPERATIVE_MATRIX_OPERAND_NONE or \
                               CLK_COOPERATIVE_MATRIX_OPERAND_SATURATING_ACCUMULATION";
                self.fail(operands.span, message)
            }
        }
    }

    fn matrix_init(&mut self, args: Vec<Expr>, wanted: Option<TypeId>, span: Span) -> Option<Expr> {
        let [element] = self.exactly(args, span)?;
        let Some(ty) = wanted else { return self.fail(span, NO_TARGET) };
        let matrix = self.as_matrix(ty)?;
        // A bfloat16 is made of a float.
        let scalar = if matrix.is_bfloat16 { Scalar::Float } else { matrix.element };
        let scalar = self.module.types.scalar(scalar);
        let element = self.assign_convert(element, scalar, Context::Passing);
        let args = vec![element];
        Some(value(ExprKind::Matrix { call: MatrixCall::Splat, args }, ty, span))
    }

    fn matrix_length(&mut self, args: Vec<Expr>, span: Span) -> Option<Expr> {
        let [matrix] = self.exactly(args, span)?;
        self.matrix_argument(&matrix)?;
        let args = vec![matrix];
        Some(value(ExprKind::Matrix { call: MatrixCall::Length, args }, self.basic.uint, span))
    }

    fn matrix_argument(&mut self, arg: &Expr) -> Option<MatrixType> {
        let matrix = self.as_matrix(arg.ty);
        if matrix.is_none() {
            self.error(arg.span, "argument must be a valid cooperative matrix type");
        }
        matrix
    }

    fn check_matrix_pointer(&mut self, arg: &Expr, matrix: MatrixType, writes: bool) -> Option<()> {
        let Some(pointer) = self.module.types.as_pointer(arg.ty) else {
            return self.fail(
                arg.span,
                "first argument must be a pointer to the elements of the cooperative matrix",
            );
        };
        let fits = match self.module.types.numeric(pointer.pointee) {
            // The bits of bfloat16 are integers of either sign in memory.
            Some((Scalar::Short, 1)) if matrix.is_bfloat16 => true,
            found => found == Some((matrix.element, 1)),
        };
        if !fits {
            let message =
                "inconsistent between cooperative matrix element type and buffer pointer type";
            return self.fail(arg.span, message);
        }
        use AddressSpace::{Constant, Global, Local};
        if !matches!(pointer.space, Global | Local | Constant) {
            let message = format!(
                "cooperative matrices are in global, local or constant memory ({} invalid)",
                self.quoted(arg.ty)
            );
            return self.fail(arg.span, message);
        }
        if writes && (pointer.is_const || pointer.space == Constant) {
            return self.fail(arg.span, "read-only variable is not assignable");
        }
        Some(())
    }

    fn matrix_layout(&mut self, arg: &Expr) -> Option<MatrixLayout> {
        let layout = self.eval_int(arg).filter(|_| self.module.types.is_integer(arg.ty));
        match layout {
            Some(0) => Some(MatrixLayout::RowMajor),
            Some(1) => Some(MatrixLayout::ColumnMajor),
            _ => {
                let message = "memory layout for cooperative matrix load/store should be \
                               CLK_COOPERATIVE_MATRIX_LAYOUT_ROW_MAJOR or CLK_COOPERATIVE_MATRIX_LAYOUT_COLUMN_MAJOR";
                self.fail(arg.span, message)
            }
        }
    }

    /// Returns the stride as a uint. The draft has strides of type size_t; other integers are converted here.
    fn matrix_stride(&mut self, arg: Expr) -> Option<Expr> {
        if !self.module.types.is_integer(arg.ty) {
            let message =
                "stride argument for load/store of cooperative matrix must have type 'size_t'";
            return self.fail(arg.span, message);
        }
        Some(self.convert_to_scalar(arg, Scalar::UInt))
    }

    /// Analyzes `a op b`, where one or both are matrices.
    pub(super) fn matrix_arithmetic(&mut self, op: ArithOp, a: Expr, b: Expr, span: Span) -> Expr {
        use ArithOp::{Add, Div, Mul, Sub};
        let known = matches!(op, Add | Sub | Mul | Div);
        if [&a, &b].into_iter().any(|side| self.has_bfloat16_elements(side.ty)) {
            return self.fail(span, NOT_COMPUTED_WITH);
        }
        match (self.as_matrix(a.ty), self.as_matrix(b.ty)) {
            (Some(_), Some(_)) if !known => {
                self.fail(span, "unsupported cooperative matrix binary operator")
            }
            (Some(_), Some(_)) if a.ty == b.ty => {
                let ty = a.ty;
                value(ExprKind::Arith(op, Box::new(a), Box::new(b)), ty, span)
            }
            (Some(_), Some(_)) => {
                let message = format!("{INCOMPATIBLE} {}", self.quoted_pair(&a, &b));
                self.fail(span, message)
            }
            (Some(_), None) => self.matrix_scale(op, a, b, span),
            _ => self.matrix_scale(op, b, a, span),
        }
    }

    /// Returns true for matrices of bfloat16.
    pub(super) fn has_bfloat16_elements(&self, ty: TypeId) -> bool {
        self.as_matrix(ty).is_some_and(|matrix| matrix.is_bfloat16)
    }

    fn matrix_scale(&mut self, op: ArithOp, matrix: Expr, by: Expr, span: Span) -> Expr {
        let is_number = matches!(self.module.types.kind(by.ty), TypeKind::Scalar(_));
        let element = self.as_matrix(matrix.ty).map(|matrix| matrix.element);
        let Some(element) = element.filter(|_| op == ArithOp::Mul && is_number) else {
            return self.fail(span, "unsupported cooperative matrix scalar operator");
        };
        let (ty, by) = (matrix.ty, self.convert_to_scalar(by, element));
        value(ExprKind::Matrix { call: MatrixCall::Scale, args: vec![matrix, by] }, ty, span)
    }

    /// Returns the right operand of `place op= e` for a matrix: a matrix of the same type, or a number.
    pub(super) fn matrix_operand(
        &mut self,
        op: ast::CompoundOp,
        ty: TypeId,
        e: Expr,
        span: Span,
    ) -> Option<Expr> {
        let ast::CompoundOp::Arith(op) = op else {
            return self.fail(span, "unsupported cooperative matrix binary operator");
        };
        let old = value(ExprKind::Zero, ty, span);
        match self.matrix_arithmetic(op, old, e, span).kind {
            ExprKind::Arith(_, _, e) => Some(*e),
            ExprKind::Matrix { mut args, .. } => args.pop(),
            _ => None,
        }
    }

    /// Analyzes a cast of a matrix, which is allowed only to matrices of the same size and use.
    pub(super) fn matrix_cast(&mut self, e: Expr, to: TypeId, span: Span) -> Expr {
        let (from, wanted) = (self.as_matrix(e.ty), self.as_matrix(to));
        match (from, wanted) {
            (Some(a), Some(b)) if a.has_shape_of(b) => {
                let kind =
                    ExprKind::Convert { value: Box::new(e), rounding: None, saturate: false };
                value(kind, to, span)
            }
            _ => {
                let (from, to) = (self.quoted(e.ty), self.quoted(to));
                self.fail(span, format!("{INCOMPATIBLE} ({from} and {to})"))
            }
        }
    }

    /// Analyzes `matrix[index]`: an element, of those that the work-item holds, of a matrix in a variable.
    pub(super) fn matrix_element(&mut self, base: Operand, index: Expr, span: Span) -> Operand {
        let Some(index) = self.subscript(index) else { return self.error_operand(span) };
        let (Some(matrix), Operand::Object(object)) = (self.as_matrix(base.ty()), base) else {
            return self.fail(span, "subscripted cooperative matrix is not a variable");
        };
        let ty = self.module.types.scalar(matrix.element);
        let (is_volatile, base) = (object.place.is_volatile, Box::new(object.place));
        let kind = PlaceKind::ComponentAt { base, index: Box::new(index) };
        let place = Place { is_volatile, ..Place::new(kind, ty, span) };
        Operand::Object(Object { place, ..object })
    }
}
