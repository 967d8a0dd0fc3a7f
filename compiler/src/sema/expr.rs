//! Expressions (C99 6.5): one step per kind of syntax; the larger kinds have files of their own.

use super::convert::Context;
use super::hir::{ExprKind, Place, PlaceKind};
use super::operand::{value, Object, Operand};
use super::scope::Entity;
use super::typename::QualType;
use super::types::{TypeId, TypeKind};
use super::{hir, Sema};
use crate::options::ClStd;
use crate::preprocess::Symbol;
use crate::source::Span;
use crate::syntax::ast::{self, AddressSpace, Expr};

impl Sema<'_> {
    /// Returns the value of an expression, which may be void.
    pub(super) fn rvalue(&mut self, expr: &Expr) -> hir::Expr {
        let operand = self.expr(expr);
        self.load(operand)
    }

    /// Returns the operand that an expression denotes.
    pub(super) fn expr(&mut self, expr: &Expr) -> Operand {
        let span = expr.span;
        if self.diags.is_full() {
            return self.error_operand(span);
        }
        match &expr.kind {
            ast::ExprKind::Ident(name) => self.identifier(*name, span),
            ast::ExprKind::Str(bytes) => self.string_literal(bytes, span),
            ast::ExprKind::Unary(op, operand) => self.unary(*op, operand, span),
            ast::ExprKind::Index(base, index) => self.index(base, index, span),
            ast::ExprKind::Member { base, name, name_span, arrow } => {
                self.member(base, *name, *name_span, *arrow, span)
            }
            ast::ExprKind::CompoundLiteral(name, init) => {
                self.compound_literal(name, init, span, false)
            }
            ast::ExprKind::Block(literal) => self.block_expr(literal, span),
            _ => Operand::Value(self.value_expr(expr)),
        }
    }

    /// Returns the value of an expression of the kinds that denote no objects.
    fn value_expr(&mut self, expr: &Expr) -> hir::Expr {
        let span = expr.span;
        match &expr.kind {
            ast::ExprKind::Int(literal) => self.int_literal(*literal, span),
            ast::ExprKind::Bool(truth) => self.int_value(u64::from(*truth), self.basic.bool_, span),
            ast::ExprKind::Float(literal) => self.float_literal(*literal, span),
            ast::ExprKind::Char(c) => self.int_value(u64::from(*c as u32), self.basic.int, span),
            ast::ExprKind::Binary(op, a, b) => self.binary(*op, a, b, span),
            ast::ExprKind::Chain(first, links) => self.chain(first, links),
            ast::ExprKind::Assign(op, place, value) => self.assignment(*op, place, value, span),
            ast::ExprKind::Conditional(cond, then, otherwise) => {
                self.conditional(cond, then.as_deref(), otherwise, span)
            }
            ast::ExprKind::Choices(choices, last) => self.choices(choices, last, span),
            ast::ExprKind::Comma(a, b) => self.comma(a, b, span),
            ast::ExprKind::Call(callee, args) => self.call(callee, args, span),
            ast::ExprKind::Cast(name, operand) => self.cast_expr(name, operand, span),
            ast::ExprKind::VectorLiteral(name, parts) => self.vector_literal(name, parts, span),
            ast::ExprKind::SizeofExpr(operand) => {
                let ty = self.expr(operand).ty();
                self.size_of(ty, "sizeof", span)
            }
            ast::ExprKind::SizeofType(name) => {
                let ty = self.type_name(name).ty;
                self.size_of(ty, "sizeof", span)
            }
            ast::ExprKind::AlignofType(name) => {
                let ty = self.type_name(name);
                self.align_of(ty, span)
            }
            ast::ExprKind::VecStep(name) => {
                let ty = self.type_name(name).ty;
                self.vec_step(ty, span)
            }
            ast::ExprKind::AsType(operand, name) => {
                let to = self.type_name(name).ty;
                let operand = self.rvalue(operand);
                self.reinterpret(operand, to, span)
            }
            ast::ExprKind::StmtExpr(body) => self.statement_expr(body, span),
            ast::ExprKind::Ident(_)
            | ast::ExprKind::Str(_)
            | ast::ExprKind::Unary(..)
            | ast::ExprKind::Index(..)
            | ast::ExprKind::Member { .. }
            | ast::ExprKind::CompoundLiteral(..)
            | ast::ExprKind::Block(_) => self.rvalue(expr),
        }
    }

    fn identifier(&mut self, name: Symbol, span: Span) -> Operand {
        let Some(binding) = self.scopes.find(name) else {
            return self.undeclared(name, span);
        };
        let (kind, qual) = match &binding.entity {
            Entity::Local(id, qual) => {
                let (id, qual, depth) = (*id, *qual, binding.depth);
                let outside = self.function.as_ref().is_some_and(|f| f.is_outside(depth));
                if outside && !self.is_error(qual.ty) {
                    return self.captured_variable(name, (depth, id), qual, span);
                }
                (PlaceKind::Local(id), qual)
            }
            Entity::Block(block) => return Operand::Value(self.block_mention(block.ty, span)),
            Entity::Global(id, qual) => (PlaceKind::Global(*id), *qual),
            Entity::Enumerator(bits, ty) => {
                return Operand::Value(self.int_value(*bits, *ty, span));
            }
            Entity::Functions(_) => {
                return self.fail(span, "taking address of function is not allowed");
            }
            Entity::Typedef(_) => {
                let message =
                    format!("unexpected type name '{}': expected expression", self.text(name));
                return self.fail(span, message);
            }
        };
        let place = Place { is_volatile: qual.is_volatile, ..Place::new(kind, qual.ty, span) };
        let space = qual.space.unwrap_or(AddressSpace::Private);
        let (is_const, name) = (qual.is_const, Some(name));
        Operand::Object(Object { is_const, name, ..Object::new(place, space) })
    }

    fn undeclared(&mut self, name: Symbol, span: Span) -> Operand {
        let text = self.text(name);
        let since_12 = text == "__func__" && self.options.std >= ClStd::Cl12;
        if since_12 || matches!(text, "__FUNCTION__" | "__PRETTY_FUNCTION__") {
            if let Some(function) = &self.function {
                let name = self.module.functions[function.id].name.clone();
                return self.string_literal(name.as_bytes(), span);
            }
        }
        let message = if self.has_builtin(text) {
            "taking address of function is not allowed".to_string()
        } else if text.ends_with("_QCOM") {
            format!("use of '{text}' requires one of Qualcomm's extensions which this device does not offer")
        } else {
            format!("use of undeclared identifier '{text}'")
        };
        self.fail(span, message)
    }

    fn comma(&mut self, a: &Expr, b: &Expr, span: Span) -> hir::Expr {
        let a = self.rvalue(a);
        let b = self.rvalue(b);
        if self.is_error(b.ty) {
            return b;
        }
        let ty = b.ty;
        value(ExprKind::Comma(Box::new(a), Box::new(b)), ty, span)
    }

    fn cast_expr(&mut self, name: &ast::TypeName, operand: &Expr, span: Span) -> hir::Expr {
        let to = self.type_name(name).ty;
        let operand = self.rvalue(operand);
        if self.module.types.is_array(to) {
            let to = self.quoted(to);
            let message = format!("used type {to} where arithmetic or pointer type is required");
            return self.fail(span, message);
        }
        self.cast(operand, to, span)
    }

    fn size_of(&mut self, ty: TypeId, what: &str, span: Span) -> hir::Expr {
        if self.is_error(ty) {
            return self.error_value(span);
        }
        if self.has_matrices(ty) {
            let message = format!(
                "invalid application of '{what}' to a cooperative matrix type {}",
                self.quoted(ty)
            );
            return self.fail(span, message);
        }
        match self.module.types.size(ty) {
            Some(size) => self.int_value(size, self.basic.ulong, span),
            // The size is implementation-defined (6.5.11); it is that of the handle which the host passes.
            None if self.is_image(ty) => self.int_value(8, self.basic.ulong, span),
            None if self.is_block(ty) => {
                let message =
                    format!("invalid application of '{what}' to a block type {}", self.quoted(ty));
                self.fail(span, message)
            }
            None => {
                let message = format!(
                    "invalid application of '{what}' to an incomplete type {}",
                    self.quoted(ty)
                );
                self.fail(span, message)
            }
        }
    }

    fn align_of(&mut self, ty: QualType, span: Span) -> hir::Expr {
        let size = self.size_of(ty.ty, "__alignof__", span);
        if self.is_error(size.ty) {
            return size;
        }
        let align = self.alignment(&ty);
        self.int_value(u64::from(align), self.basic.ulong, span)
    }

    /// `(type){ ... }`: an unnamed object, which is initialized where it is written (C99 6.5.2.5). A literal of a number is a
    /// plain value unless its address is taken (`has_address`).
    pub(super) fn compound_literal(
        &mut self,
        name: &ast::TypeName,
        init: &ast::Initializer,
        span: Span,
        has_address: bool,
    ) -> Operand {
        let mut qual = self.type_name(name);
        if self.is_error(qual.ty) {
            return self.error_operand(span);
        }
        if !has_address && self.module.types.numeric(qual.ty).is_some() {
            return Operand::Value(self.scalar_literal(qual.ty, init));
        }
        let Some(entries) = self.initializer(&mut qual.ty, init, span) else {
            return self.error_operand(span);
        };
        if self.function.is_none() {
            let id = self.unnamed_global(qual, entries, span);
            let place = Place::new(PlaceKind::Global(id), qual.ty, span);
            let object = Object::new(place, AddressSpace::Constant);
            return Operand::Object(Object { is_const: true, ..object });
        }
        let Some(local) = self.new_local("", qual.ty, qual.align, span) else {
            return self.error_operand(span);
        };
        let init = Box::new(self.local_init(entries, qual.ty));
        let place = Place::new(PlaceKind::Local(local), qual.ty, span);
        let pointer = self.module.types.pointer(qual.ty, AddressSpace::Private);
        let address = value(ExprKind::AddressOf(Box::new(place)), pointer, span);
        let value_ = Box::new(address);
        let address = value(ExprKind::InitThen { local, init, value: value_ }, pointer, span);
        let mut operand = self.dereference(address, span);
        if let Operand::Object(object) = &mut operand {
            object.is_const = qual.is_const;
        }
        operand
    }

    /// `(float4){...}` and `(int){...}`, which are plain values if their address is not taken.
    fn scalar_literal(&mut self, mut ty: TypeId, init: &ast::Initializer) -> hir::Expr {
        let span = match init {
            ast::Initializer::Expr(expr) => expr.span,
            ast::Initializer::List(_, span) => *span,
        };
        match self.initializer(&mut ty, init, span).map(|mut entries| entries.list.pop()) {
            Some(Some((0, super::init::InitEntry::Value(value)))) => value,
            _ => self.error_value(span),
        }
    }

    /// GNU statement expression, whose value is that of its last statement.
    fn statement_expr(&mut self, body: &ast::Block, span: Span) -> hir::Expr {
        if self.function.is_none() {
            return self.fail(span, "statement expression not allowed at file scope");
        }
        let mut stmts = Vec::new();
        self.scopes.push();
        let (last, rest) = match body.stmts.split_last() {
            Some((last, rest)) => (Some(last), rest),
            None => (None, body.stmts.as_slice()),
        };
        for stmt in rest {
            self.stmt(stmt, &mut stmts);
        }
        let mut result = None;
        match last {
            Some(ast::Stmt { kind: ast::StmtKind::Expr(expr), .. }) => {
                result = Some(self.rvalue(expr));
            }
            Some(last) => self.stmt(last, &mut stmts),
            None => {}
        }
        self.scopes.pop();
        let ty = result.as_ref().map_or(self.basic.void, |result| result.ty);
        let kind = ExprKind::StmtExpr { body: stmts, value: result.map(Box::new) };
        value(kind, ty, span)
    }

    /// Converts an argument, initializer or operand as if by assignment.
    pub(super) fn converted(&mut self, expr: &Expr, to: TypeId, context: Context) -> hir::Expr {
        let e = self.rvalue_for(expr, to);
        self.assign_convert(e, to, context)
    }

    /// `base[index]`.
    fn index(&mut self, base: &Expr, index: &Expr, span: Span) -> Operand {
        let base = self.expr(base);
        let index = self.expr(index);
        if self.is_error(base.ty()) || self.is_error(index.ty()) {
            return self.error_operand(span);
        }
        if matches!(self.module.types.kind(base.ty()), TypeKind::Vector(..)) {
            let index = self.load(index);
            return self.vector_index(base, index, span);
        }
        if self.as_matrix(base.ty()).is_some() {
            let index = self.load(index);
            return self.matrix_element(base, index, span);
        }
        let (base, index) = (self.load(base), self.load(index));
        if self.is_error(base.ty) || self.is_error(index.ty) {
            return self.error_operand(span);
        }
        // `1[a]` is `a[1]`.
        let (pointer, index) = match self.module.types.as_pointer(base.ty) {
            Some(_) => (base, index),
            None => (index, base),
        };
        let Some(ty) = self.module.types.as_pointer(pointer.ty) else {
            return self.fail(span, "subscripted value is not an array, pointer, or vector");
        };
        let Some(index) = self.subscript(index) else {
            return self.error_operand(span);
        };
        let Some(stride) = self.pointee_size(ty.pointee, span) else {
            return self.error_operand(span);
        };
        let ty = pointer.ty;
        let pointer = Box::new(pointer);
        let kind =
            ExprKind::PointerAdd { pointer, index: Box::new(index), stride, subtract: false };
        self.dereference(value(kind, ty, span), span)
    }

    /// Returns an integer index; narrow ones are promoted.
    pub(super) fn subscript(&mut self, index: hir::Expr) -> Option<hir::Expr> {
        if self.module.types.is_integer(index.ty) {
            return Some(self.promote(index));
        }
        if !self.is_error(index.ty) {
            self.error(index.span, "array subscript is not an integer");
        }
        None
    }

    /// Returns the distance in bytes between adjacent objects in pointer arithmetic; void counts as one byte.
    pub(super) fn pointee_size(&mut self, pointee: TypeId, span: Span) -> Option<u64> {
        if self.module.types.is_void(pointee) {
            return Some(1);
        }
        let size = self.module.types.size(pointee);
        if size.is_none() && !self.is_error(pointee) {
            let message =
                format!("arithmetic on a pointer to an incomplete type {}", self.quoted(pointee));
            self.error(span, message);
        }
        size
    }
}
