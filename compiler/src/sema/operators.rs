//! Unary, binary, assignment and conditional operators (OpenCL C 6.4).

use super::consteval::Const;
use super::convert::{convert_pointer, enclosing_space, promoted, Context};
use super::hir::{Expr, ExprKind, Init, Place, PlaceKind};
use super::operand::{local_place, read, value, Operand};
use super::types::{PointerType, Scalar, TypeId, TypeKind};
use super::Sema;
use crate::source::Span;
use crate::syntax::ast::{self, ArithOp, BinaryOp, CompareOp, CompoundOp, UnaryOp};

/// Returns true for operators that take integers alone.
fn integers_only(op: ArithOp) -> bool {
    matches!(op, ArithOp::Rem | ArithOp::And | ArithOp::Or | ArithOp::Xor)
}

impl Sema<'_> {
    pub(super) fn unary(&mut self, op: UnaryOp, operand: &ast::Expr, span: Span) -> Operand {
        match op {
            UnaryOp::AddressOf => return Operand::Value(self.address_expr(operand, span)),
            UnaryOp::Deref => return self.deref_expr(operand, span),
            UnaryOp::PreInc | UnaryOp::PreDec | UnaryOp::PostInc | UnaryOp::PostDec => {
                return Operand::Value(self.increment(op, operand, span));
            }
            UnaryOp::Plus | UnaryOp::Minus | UnaryOp::Not | UnaryOp::BitNot => {}
        }
        if let (UnaryOp::Minus, Some(least)) = (op, self.least_long(operand, span)) {
            return Operand::Value(least);
        }
        let e = self.rvalue(operand);
        if self.is_error(e.ty) {
            return Operand::Value(e);
        }
        if op == UnaryOp::Not {
            return Operand::Value(self.not(e, span));
        }
        let fits = match self.module.types.numeric(e.ty) {
            Some((scalar, _)) => op != UnaryOp::BitNot || !scalar.is_float(),
            None => {
                let is_matrix = self.as_matrix(e.ty).is_some();
                op == UnaryOp::Minus && is_matrix && !self.has_bfloat16_elements(e.ty)
            }
        };
        if !fits {
            return self.invalid_unary(e.ty, span);
        }
        let e = self.promote(e);
        let ty = e.ty;
        Operand::Value(match (op, e.kind) {
            (UnaryOp::Plus, kind) => value(kind, ty, span),
            (UnaryOp::Minus, ExprKind::Float(v)) => value(ExprKind::Float(-v), ty, span),
            (UnaryOp::Minus, ExprKind::Int(bits)) => {
                let mask =
                    if self.module.types.size(ty) == Some(4) { 0xffff_ffff } else { u64::MAX };
                value(ExprKind::Int(bits.wrapping_neg() & mask), ty, span)
            }
            (UnaryOp::Minus, kind) => {
                let e = Expr { kind, ty, span: e.span };
                value(ExprKind::Neg(Box::new(e)), ty, span)
            }
            (_, kind) => {
                let e = Expr { kind, ty, span: e.span };
                value(ExprKind::BitNot(Box::new(e)), ty, span)
            }
        })
    }

    fn invalid_unary(&mut self, ty: TypeId, span: Span) -> Operand {
        self.fail(span, format!("invalid argument type {} to unary expression", self.quoted(ty)))
    }

    fn not(&mut self, e: Expr, span: Span) -> Expr {
        match self.module.types.kind(e.ty) {
            TypeKind::Vector(..) => {
                let ty = self.module.types.comparison_result(e.ty);
                value(ExprKind::Not(Box::new(e)), ty, span)
            }
            TypeKind::Scalar(_) | TypeKind::Pointer(_) => match self.truth_of(e) {
                Some(e) => value(ExprKind::Not(Box::new(e)), self.basic.int, span),
                None => self.error_value(span),
            },
            _ => {
                self.invalid_unary(e.ty, span);
                self.error_value(span)
            }
        }
    }

    fn address_expr(&mut self, operand: &ast::Expr, span: Span) -> Expr {
        let operand = match &operand.kind {
            ast::ExprKind::CompoundLiteral(name, init) => {
                self.compound_literal(name, init, operand.span, true)
            }
            _ => self.expr(operand),
        };
        let object = match operand {
            Operand::Object(object) if !object.is_temporary => object,
            other => {
                if !self.is_error(other.ty()) {
                    let message = format!(
                        "cannot take the address of an rvalue of type {}",
                        self.quoted(other.ty())
                    );
                    self.error(span, message);
                }
                return self.error_value(span);
            }
        };
        let parts = matches!(
            object.place.kind,
            PlaceKind::Components { .. } | PlaceKind::ComponentAt { .. }
        );
        if self.is_error(object.place.ty) {
            return self.error_value(span);
        }
        let is_image = self.module.types.is_image_or_sampler(object.place.ty);
        if is_image || self.has_matrices(object.place.ty) {
            let ty = self.quoted(object.place.ty);
            return self.fail(span, format!("invalid argument type {ty} to unary expression"));
        }
        if parts {
            return self.fail(span, "address of vector element requested");
        }
        self.address_of(object, span)
    }

    fn deref_expr(&mut self, operand: &ast::Expr, span: Span) -> Operand {
        let pointer = self.rvalue(operand);
        if self.is_error(pointer.ty) {
            return self.error_operand(span);
        }
        if self.module.types.as_pointer(pointer.ty).is_none() {
            let message = format!(
                "indirection requires pointer operand ({} invalid)",
                self.quoted(pointer.ty)
            );
            return self.fail(span, message);
        }
        self.dereference(pointer, span)
    }

    fn increment(&mut self, op: UnaryOp, operand: &ast::Expr, span: Span) -> Expr {
        let operand = self.expr(operand);
        let ty = operand.ty();
        if self.is_error(ty) {
            return self.error_value(span);
        }
        let stride = match *self.module.types.kind(ty) {
            TypeKind::Scalar(Scalar::Half) if !self.half_arithmetic() => None,
            TypeKind::Scalar(_) | TypeKind::Vector(..) => Some(1),
            TypeKind::Pointer(pointer) => match self.pointee_size(pointer.pointee, span) {
                Some(size) => Some(size),
                None => return self.error_value(span),
            },
            _ => None,
        };
        let increment = matches!(op, UnaryOp::PreInc | UnaryOp::PostInc);
        let prefix = matches!(op, UnaryOp::PreInc | UnaryOp::PreDec);
        let Some(stride) = stride else {
            let what = if increment { "increment" } else { "decrement" };
            return self.fail(span, format!("cannot {what} value of type {}", self.quoted(ty)));
        };
        match self.writable(operand, span) {
            Some(place) => {
                let place = Box::new(place);
                value(ExprKind::IncDec { place, increment, prefix, stride }, ty, span)
            }
            None => self.error_value(span),
        }
    }

    pub(super) fn binary(
        &mut self,
        op: BinaryOp,
        a: &ast::Expr,
        b: &ast::Expr,
        span: Span,
    ) -> Expr {
        let a = self.rvalue(a);
        let b = self.rvalue(b);
        if self.is_error(a.ty) || self.is_error(b.ty) {
            return self.error_value(span);
        }
        self.binary_values(op, a, b, span)
    }

    pub(super) fn binary_values(&mut self, op: BinaryOp, a: Expr, b: Expr, span: Span) -> Expr {
        match op {
            BinaryOp::Compare(op) => self.comparison(op, a, b, span),
            BinaryOp::Compound(CompoundOp::Arith(op)) => {
                let types = &self.module.types;
                let is_pointer = |e: &Expr| types.as_pointer(e.ty).is_some();
                match (op, is_pointer(&a), is_pointer(&b)) {
                    (ArithOp::Sub, true, true) => self.pointer_difference(a, b, span),
                    (ArithOp::Add, true, false) => self.pointer_sum(a, b, false, span),
                    (ArithOp::Add, false, true) => self.pointer_sum(b, a, false, span),
                    (ArithOp::Sub, true, false) => self.pointer_sum(a, b, true, span),
                    _ => self.arithmetic(op, a, b, span),
                }
            }
            BinaryOp::Compound(shift) => self.shift(shift == CompoundOp::Shl, a, b, span),
            _ => self.logical(op == BinaryOp::LogicalAnd, a, b, span),
        }
    }

    fn arithmetic(&mut self, op: ArithOp, a: Expr, b: Expr, span: Span) -> Expr {
        if self.as_matrix(a.ty).or(self.as_matrix(b.ty)).is_some() {
            return self.matrix_arithmetic(op, a, b, span);
        }
        if integers_only(op) {
            let float =
                |e: &Expr| self.module.types.numeric(e.ty).is_some_and(|(s, _)| s.is_float());
            if float(&a) || float(&b) {
                self.invalid_operands(&a, &b, span);
                return self.error_value(span);
            }
        }
        let Some((a, b)) = self.usual_conversions(a, b, span) else {
            return self.error_value(span);
        };
        if matches!(op, ArithOp::Div | ArithOp::Rem) && matches!(b.kind, ExprKind::Int(0)) {
            let what = if op == ArithOp::Div { "division" } else { "remainder" };
            self.diags.warning(span, format!("{what} by zero is undefined"));
        }
        let ty = a.ty;
        value(ExprKind::Arith(op, Box::new(a), Box::new(b)), ty, span)
    }

    fn pointer_sum(&mut self, pointer: Expr, index: Expr, subtract: bool, span: Span) -> Expr {
        let Some((index, stride)) = self.pointer_step(&pointer, index, span) else {
            return self.error_value(span);
        };
        let (ty, pointer) = (pointer.ty, Box::new(pointer));
        value(ExprKind::PointerAdd { pointer, index, stride, subtract }, ty, span)
    }

    /// Returns the index in the sum of a pointer and an integer, and the size of one step in bytes; `None` after a diagnostic.
    fn pointer_step(
        &mut self,
        pointer: &Expr,
        index: Expr,
        span: Span,
    ) -> Option<(Box<Expr>, u64)> {
        if !self.module.types.is_integer(index.ty) {
            self.invalid_operands(pointer, &index, span);
            return None;
        }
        let pointee = self.module.types.as_pointer(pointer.ty)?.pointee;
        let stride = self.pointee_size(pointee, span)?;
        Some((Box::new(self.promote(index)), stride))
    }

    fn pointer_difference(&mut self, a: Expr, b: Expr, span: Span) -> Expr {
        let types = &self.module.types;
        let (Some(p), Some(q)) = (types.as_pointer(a.ty), types.as_pointer(b.ty)) else {
            return self.error_value(span);
        };
        if p.pointee != q.pointee {
            let (a, b) = (self.quoted(a.ty), self.quoted(b.ty));
            return self.fail(span, format!("{a} and {b} are not pointers to compatible types"));
        }
        let Some(space) = enclosing_space(p.space, q.space) else {
            self.different_spaces("arithmetic operation with operands of type", &a, &b, span);
            return self.error_value(span);
        };
        let Some(stride) = self.pointee_size(p.pointee, span) else {
            return self.error_value(span);
        };
        // Differences of pointers to empty objects are undefined, so one byte is as good as any size.
        let stride = stride.max(1);
        let (a, b) = (self.in_space(a, space), self.in_space(b, space));
        let (lhs, rhs) = (Box::new(a), Box::new(b));
        value(ExprKind::PointerDiff { lhs, rhs, stride }, self.basic.long, span)
    }

    fn different_spaces(&mut self, what: &str, a: &Expr, b: &Expr, span: Span) {
        let types = self.quoted_pair(a, b);
        let message =
            format!("{what} {types} which are pointers to non-overlapping address spaces");
        self.error(span, message);
    }

    fn shift(&mut self, left: bool, a: Expr, b: Expr, span: Span) -> Expr {
        match self.shift_operands(a, b, span) {
            Some((a, b)) => {
                let ty = a.ty;
                let (value_, amount) = (Box::new(a), Box::new(b));
                value(ExprKind::Shift { left, value: value_, amount }, ty, span)
            }
            None => self.error_value(span),
        }
    }

    /// Analyzes a shift of integers; a scalar amount is widened for a vector (OpenCL C 6.4.10).
    fn shift_operands(&mut self, a: Expr, b: Expr, span: Span) -> Option<(Expr, Expr)> {
        let types = &self.module.types;
        let (Some((s, n)), Some((t, m))) = (types.numeric(a.ty), types.numeric(b.ty)) else {
            self.invalid_operands(&a, &b, span);
            return None;
        };
        if s.is_float() || t.is_float() || (n == 1 && m > 1) || (n > 1 && m > 1 && n != m) {
            self.invalid_operands(&a, &b, span);
            return None;
        }
        let a = self.promote(a);
        let b = match (n, m) {
            (1, _) => self.promote(b),
            (_, 1) => {
                let b = self.promote(b);
                self.convert_numeric(b, a.ty)
            }
            _ => b,
        };
        Some((a, b))
    }

    fn comparison(&mut self, op: CompareOp, a: Expr, b: Expr, span: Span) -> Expr {
        let types = &self.module.types;
        let operands = match (types.as_pointer(a.ty), types.as_pointer(b.ty)) {
            (None, None) => self.usual_conversions(a, b, span),
            _ => self.pointer_comparison(a, b, span),
        };
        let Some((a, b)) = operands else { return self.error_value(span) };
        let ty = self.module.types.comparison_result(a.ty);
        value(ExprKind::Compare(op, Box::new(a), Box::new(b)), ty, span)
    }

    fn pointer_comparison(&mut self, a: Expr, b: Expr, span: Span) -> Option<(Expr, Expr)> {
        let types = &self.module.types;
        match (types.as_pointer(a.ty), types.as_pointer(b.ty)) {
            (Some(_), None) => {
                let b = self.compared_int(b, &a, span)?;
                Some((a, b))
            }
            (None, Some(_)) => {
                let a = self.compared_int(a, &b, span)?;
                Some((a, b))
            }
            (Some(p), Some(q)) => {
                if matches!(b.kind, ExprKind::NullPointer) {
                    let ty = a.ty;
                    return Some((a, Expr { ty, ..b }));
                }
                if matches!(a.kind, ExprKind::NullPointer) {
                    let ty = b.ty;
                    return Some((Expr { ty, ..a }, b));
                }
                let Some(space) = enclosing_space(p.space, q.space) else {
                    self.different_spaces("comparison between", &a, &b, span);
                    return None;
                };
                let void = types.is_void(p.pointee) || types.is_void(q.pointee);
                if p.pointee != q.pointee && !void {
                    let types = self.quoted_pair(&a, &b);
                    let message = format!("comparison of distinct pointer types {types}");
                    self.diags.warning(span, message);
                }
                let (a, b) = (self.in_space(a, space), self.in_space(b, space));
                let b = convert_pointer(b, a.ty);
                Some((a, b))
            }
            (None, None) => None,
        }
    }

    /// Converts an integer that is compared with a pointer to a pointer.
    fn compared_int(&mut self, e: Expr, pointer: &Expr, span: Span) -> Option<Expr> {
        if !self.module.types.is_integer(e.ty) {
            self.invalid_operands(pointer, &e, span);
            return None;
        }
        let at = e.span;
        if self.is_null_constant(&e) {
            return Some(value(ExprKind::NullPointer, pointer.ty, at));
        }
        let types = self.quoted_pair(pointer, &e);
        let message = format!("comparison between pointer and integer {types}");
        self.diags.warning(span, message);
        Some(value(ExprKind::IntToPointer(Box::new(e)), pointer.ty, at))
    }

    fn logical(&mut self, and: bool, a: Expr, b: Expr, span: Span) -> Expr {
        let lanes = |e: &Expr| self.module.types.numeric(e.ty).map_or(1, |(_, n)| n);
        if lanes(&a) > 1 || lanes(&b) > 1 {
            let Some((a, b)) = self.usual_conversions(a, b, span) else {
                return self.error_value(span);
            };
            let (lhs, rhs) = (Box::new(self.lane_truth(a)), Box::new(self.lane_truth(b)));
            let ty = lhs.ty;
            return value(ExprKind::VectorLogical { and, lhs, rhs }, ty, span);
        }
        let scalar = |e: &Expr| {
            matches!(self.module.types.kind(e.ty), TypeKind::Scalar(_) | TypeKind::Pointer(_))
        };
        if !scalar(&a) || !scalar(&b) {
            self.invalid_operands(&a, &b, span);
            return self.error_value(span);
        }
        match (self.truth_of(a), self.truth_of(b)) {
            (Some(a), Some(b)) => {
                let (lhs, rhs) = (Box::new(a), Box::new(b));
                value(ExprKind::Logical { and, lhs, rhs }, self.basic.int, span)
            }
            _ => self.error_value(span),
        }
    }

    /// Returns each component of a vector as 0 or -1.
    fn lane_truth(&mut self, e: Expr) -> Expr {
        if matches!(
            e.kind,
            ExprKind::Compare(..) | ExprKind::VectorLogical { .. } | ExprKind::Not(_)
        ) {
            return e;
        }
        let (ty, span) = (self.module.types.comparison_result(e.ty), e.span);
        let zero = value(ExprKind::Zero, e.ty, span);
        value(ExprKind::Compare(CompareOp::Ne, Box::new(e), Box::new(zero)), ty, span)
    }

    pub(super) fn assignment(
        &mut self,
        op: Option<CompoundOp>,
        place: &ast::Expr,
        e: &ast::Expr,
        span: Span,
    ) -> Expr {
        let target = self.expr(place);
        let ty = target.ty();
        let e = if op.is_none() { self.rvalue_for(e, ty) } else { self.rvalue(e) };
        if self.is_error(ty) {
            return self.error_value(span);
        }
        if matches!(self.module.types.kind(ty), TypeKind::Scalar(Scalar::Half))
            && !self.half_arithmetic()
        {
            let message = "assigning directly to pointer to type 'half' requires cl_khr_fp16. \
                           Use vector data store builtin functions instead";
            return self.fail(span, message);
        }
        if self.module.types.is_image_or_sampler(ty) && !self.is_error(e.ty) {
            let (ty, e) = (self.quoted(ty), self.quoted(e.ty));
            let message = format!("invalid operands to binary expression ({ty} and {e})");
            return self.fail(span, message);
        }
        let Some(place) = self.writable(target, span) else { return self.error_value(span) };
        if self.is_error(e.ty) {
            return self.error_value(span);
        }
        let Some(op) = op else {
            let e = self.assign_convert(e, ty, Context::Assigning);
            if self.is_error(e.ty) {
                return e;
            }
            let (place, value_) = (Box::new(place), Box::new(e));
            return value(ExprKind::Assign { place, value: value_ }, ty, span);
        };
        if self.module.types.as_pointer(ty).is_some() {
            return self.pointer_assign(op, place, e, span);
        }
        self.compound_assign(op, place, e, span)
    }

    fn pointer_assign(&mut self, op: CompoundOp, place: Place, index: Expr, span: Span) -> Expr {
        let ty = place.ty;
        let pointer = value(ExprKind::NullPointer, ty, span);
        let (CompoundOp::Arith(ArithOp::Add) | CompoundOp::Arith(ArithOp::Sub)) = op else {
            self.invalid_operands(&pointer, &index, span);
            return self.error_value(span);
        };
        let Some((index, stride)) = self.pointer_step(&pointer, index, span) else {
            return self.error_value(span);
        };
        let subtract = op == CompoundOp::Arith(ArithOp::Sub);
        let place = Box::new(place);
        value(ExprKind::PointerAssign { place, index, stride, subtract }, ty, span)
    }

    fn compound_assign(&mut self, op: CompoundOp, place: Place, e: Expr, span: Span) -> Expr {
        let ty = place.ty;
        if self.as_matrix(ty).is_some() {
            let Some(e) = self.matrix_operand(op, ty, e, span) else {
                return self.error_value(span);
            };
            let (place, value_) = (Box::new(place), Box::new(e));
            let kind = ExprKind::CompoundAssign { place, op, value: value_, compute: ty };
            return value(kind, ty, span);
        }
        // A placeholder for the old value gets the conversions; lowering replaces it by a load.
        let old = value(ExprKind::Zero, ty, span);
        let float = |ty| self.module.types.numeric(ty).is_some_and(|(s, _)| s.is_float());
        let operands = match op {
            CompoundOp::Arith(arith) if integers_only(arith) && (float(ty) || float(e.ty)) => {
                self.invalid_operands(&old, &e, span);
                return self.error_value(span);
            }
            CompoundOp::Arith(_) => self.usual_conversions(old, e, span),
            CompoundOp::Shl | CompoundOp::Shr => self.shift_operands(old, e, span),
        };
        let Some((old, e)) = operands else { return self.error_value(span) };
        let compute = old.ty;
        let lanes = |ty| self.module.types.numeric(ty).map(|(_, n)| n);
        if lanes(compute) != lanes(ty) {
            let (ty, compute) = (self.quoted(ty), self.quoted(compute));
            return self.fail(span, format!("assigning to {ty} from incompatible type {compute}"));
        }
        let (place, value_) = (Box::new(place), Box::new(e));
        value(ExprKind::CompoundAssign { place, op, value: value_, compute }, ty, span)
    }

    pub(super) fn conditional(
        &mut self,
        cond: &ast::Expr,
        then: Option<&ast::Expr>,
        otherwise: &ast::Expr,
        span: Span,
    ) -> Expr {
        let cond = self.rvalue(cond);
        let Some(then) = then else { return self.short_conditional(cond, otherwise, span) };
        let then = self.rvalue(then);
        let otherwise = self.rvalue(otherwise);
        self.conditional_values(cond, then, otherwise, span)
    }

    /// GNU `c ?: b`: `c ? c : b` with `c` evaluated once.
    fn short_conditional(&mut self, cond: Expr, otherwise: &ast::Expr, span: Span) -> Expr {
        let (ty, at) = (cond.ty, cond.span);
        let otherwise = self.rvalue(otherwise);
        if self.is_error(ty) {
            return self.error_value(span);
        }
        // A constant stays one.
        let constant = match self.eval(&cond) {
            Some(Const::Int(bits)) => Some((ExprKind::Int(bits), ExprKind::Int(bits))),
            Some(Const::Float(v)) => Some((ExprKind::Float(v), ExprKind::Float(v))),
            _ => None,
        };
        if let (Some((cond, then)), Some((_, 1))) = (constant, self.module.types.numeric(ty)) {
            let (cond, then) = (value(cond, ty, at), value(then, ty, at));
            return self.conditional_values(cond, then, otherwise, span);
        }
        let Some(local) = self.new_local("", ty, 0, at) else {
            return self.fail(at, "initializer element is not a compile-time constant");
        };
        let read = || read(local_place(local, ty, at));
        let chosen = self.conditional_values(read(), read(), otherwise, span);
        let (ty, init) = (chosen.ty, Box::new(Init::Value(cond)));
        value(ExprKind::InitThen { local, init, value: Box::new(chosen) }, ty, span)
    }

    pub(super) fn conditional_values(
        &mut self,
        cond: Expr,
        then: Expr,
        otherwise: Expr,
        span: Span,
    ) -> Expr {
        if [&cond, &then, &otherwise].iter().any(|e| self.is_error(e.ty)) {
            return self.error_value(span);
        }
        if matches!(self.module.types.kind(cond.ty), TypeKind::Vector(..)) {
            return self.vector_select(cond, then, otherwise, span);
        }
        let Some(cond) = self.truth_of(cond) else { return self.error_value(span) };
        if self.is_block(then.ty) || self.is_block(otherwise.ty) {
            let message = "block type cannot be used as expression in ternary expression in OpenCL";
            return self.fail(span, message);
        }
        let image = [then.ty, otherwise.ty].into_iter().find(|&ty| self.is_image(ty));
        if let Some(image) = image {
            let message = format!(
                "operand of type {} cannot be used in a ternary expression in OpenCL",
                self.quoted(image)
            );
            return self.fail(span, message);
        }
        let Some((then, otherwise)) = self.unify(then, otherwise, span) else {
            return self.error_value(span);
        };
        let ty = then.ty;
        let (cond, then, otherwise) = (Box::new(cond), Box::new(then), Box::new(otherwise));
        value(ExprKind::Conditional { cond, then, otherwise }, ty, span)
    }

    /// Converts both sides of `?:` to their common type (C99 6.5.15).
    fn unify(&mut self, a: Expr, b: Expr, span: Span) -> Option<(Expr, Expr)> {
        if a.ty == b.ty {
            let small = match *self.module.types.kind(a.ty) {
                TypeKind::Scalar(scalar) => promoted(scalar) != scalar,
                _ => false,
            };
            return Some(if small { (self.promote(a), self.promote(b)) } else { (a, b) });
        }
        let types = &self.module.types;
        if types.numeric(a.ty).is_some() && types.numeric(b.ty).is_some() {
            return self.usual_conversions(a, b, span);
        }
        match (types.as_pointer(a.ty), types.as_pointer(b.ty)) {
            (Some(p), Some(q)) => self.unify_pointers((a, p), (b, q), span),
            (Some(_), None) if self.is_null_constant(&b) => {
                let ty = a.ty;
                Some((a, value(ExprKind::NullPointer, ty, b.span)))
            }
            (None, Some(_)) if self.is_null_constant(&a) => {
                let ty = b.ty;
                Some((value(ExprKind::NullPointer, ty, a.span), b))
            }
            _ => {
                let (a, b) = (self.quoted(a.ty), self.quoted(b.ty));
                self.fail(span, format!("incompatible operand types ({a} and {b})"))
            }
        }
    }

    /// Converts two pointers to their common type: a pointer to void if one is, with the qualifiers of
    /// both, to the address space that encloses the other one (C99 6.5.15, OpenCL C 6.7.9).
    fn unify_pointers(
        &mut self,
        (a, p): (Expr, PointerType),
        (b, q): (Expr, PointerType),
        span: Span,
    ) -> Option<(Expr, Expr)> {
        // A null pointer takes the other's type.
        if matches!(a.kind, ExprKind::NullPointer) {
            let ty = b.ty;
            return Some((Expr { ty, ..a }, b));
        }
        if matches!(b.kind, ExprKind::NullPointer) {
            let ty = a.ty;
            return Some((a, Expr { ty, ..b }));
        }
        let Some(space) = enclosing_space(p.space, q.space) else {
            let what = "conditional operator with the second and third operands of type";
            self.different_spaces(what, &a, &b, span);
            return None;
        };
        let types = &self.module.types;
        let pointee = if types.is_void(q.pointee) { q.pointee } else { p.pointee };
        if p.pointee != q.pointee && !types.is_void(pointee) {
            let message = format!("pointer type mismatch {}", self.quoted_pair(&a, &b));
            self.diags.warning(span, message);
        }
        let (is_const, is_volatile) = (p.is_const || q.is_const, p.is_volatile || q.is_volatile);
        let ty = TypeKind::Pointer(PointerType { pointee, space, is_const, is_volatile });
        let ty = self.module.types.intern(ty);
        Some((convert_pointer(a, ty), convert_pointer(b, ty)))
    }

    /// Analyzes `c ? a : b` for each component (OpenCL C 6.4.9).
    fn vector_select(&mut self, cond: Expr, a: Expr, b: Expr, span: Span) -> Expr {
        let Some((scalar, n)) = self.module.types.numeric(cond.ty) else {
            return self.error_value(span);
        };
        if scalar.is_float() {
            let ty = self.quoted(cond.ty);
            let message = format!("used type {ty} where integer vector type is required");
            return self.fail(cond.span, message);
        }
        let Some((a, b)) = self.usual_conversions(a, b, span) else {
            return self.error_value(span);
        };
        // Two scalars are widened to the condition's shape.
        let (a, b) = match self.module.types.numeric(a.ty) {
            Some((element, 1)) => {
                let element = match element.size() == scalar.size() {
                    true => element,
                    false if element.is_float() => element,
                    false => scalar,
                };
                let ty = self.module.types.vector(element, n);
                (self.convert_numeric(a, ty), self.convert_numeric(b, ty))
            }
            _ => (a, b),
        };
        let shape = self.module.types.numeric(a.ty).map(|(element, m)| (element.size(), m));
        if shape != Some((scalar.size(), n)) {
            let what = match shape {
                Some((_, m)) if m == n => "elements of the same size",
                _ => "the same number of elements",
            };
            let message = format!(
                "vector condition type {} and result type {} do not have {what}",
                self.quoted(cond.ty),
                self.quoted(a.ty)
            );
            return self.fail(span, message);
        }
        let ty = a.ty;
        let (cond, then, otherwise) = (Box::new(cond), Box::new(a), Box::new(b));
        value(ExprKind::VectorSelect { cond, then, otherwise }, ty, span)
    }
}
