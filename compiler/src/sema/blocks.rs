//! Blocks (OpenCL C 6.14): literals, block variables, captures, and calls.
//!
//! A block variable is const, so the literal that it names is known at every call. A literal is
//! therefore a function with additional parameters for the captured variables. Their values are copied
//! where the literal is evaluated, and passed by every call. No block exists at run time.

use super::convert::Context;
use super::function::FunctionState;
use super::hir::{Expr, ExprKind, FunctionId, Init, LocalId, Stmt};
use super::operand::{local_place, read, value, Object, Operand};
use super::scope::Entity;
use super::typename::QualType;
use super::types::{TypeId, TypeKind};
use super::Sema;
use crate::preprocess::Symbol;
use crate::source::Span;
use crate::syntax::ast::{self, AddressSpace, BlockLiteral, DeclSpecs, Initializer, StorageClass};

/// The meaning of a block variable.
#[derive(Debug, Clone)]
pub(super) struct BlockValue {
    pub function: FunctionId,
    /// A type of kind [`TypeKind::Block`].
    pub ty: TypeId,
    /// Copies of the captured values, in the function that evaluated the block's literal.
    pub copies: Vec<(LocalId, TypeId)>,
}

/// A variable of an enclosing function that a block uses.
#[derive(Debug, Clone, Copy)]
pub(super) struct Capture {
    /// The variable, with the depth of its scope.
    of: (u32, LocalId),
    /// The variable with the captured value, in the function that encloses the block directly.
    source: LocalId,
    /// True if the address of an array is captured, false if a value is captured.
    by_address: bool,
    /// The block's own parameter, and its type.
    local: LocalId,
    ty: TypeId,
}

/// An analyzed literal.
struct Literal {
    function: FunctionId,
    ty: TypeId,
    captures: Vec<Capture>,
}

/// The return type of a block, which its `return` statements decide if the program does not write it.
#[derive(Debug, Clone, Copy)]
pub(super) enum Deduced {
    /// The program writes the type.
    Not,
    Open,
    As(TypeId),
}

impl Sema<'_> {
    /// Analyzes a literal as an expression that is not called.
    pub(super) fn block_expr(&mut self, literal: &BlockLiteral, span: Span) -> Operand {
        match self.block_literal(literal, span) {
            Some(literal) => Operand::Value(self.block_mention(literal.ty, span)),
            None => self.error_operand(span),
        }
    }

    /// Returns the expression for a block that is named, but not called.
    pub(super) fn block_mention(&self, ty: TypeId, span: Span) -> Expr {
        value(ExprKind::Int(0), ty, span)
    }

    pub(super) fn is_block(&self, ty: TypeId) -> bool {
        matches!(self.module.types.kind(ty), TypeKind::Block { .. })
    }

    /// Returns the block that an expression names. Statements that copy the captured values are appended to
    /// `out`. Returns `None` after a diagnostic.
    pub(super) fn block_value(
        &mut self,
        expr: &ast::Expr,
        out: Option<&mut Vec<Stmt>>,
    ) -> Option<BlockValue> {
        match &expr.kind {
            ast::ExprKind::Block(literal) => {
                let literal = self.block_literal(literal, expr.span)?;
                self.copy_captures(literal, out, expr.span)
            }
            ast::ExprKind::Ident(name) => match self.scopes.find(*name).map(|b| b.entity.clone()) {
                Some(Entity::Block(block)) => {
                    self.check_block_scope(*name, expr.span).then_some(block)
                }
                _ => self.not_a_block(expr),
            },
            _ => self.not_a_block(expr),
        }
    }

    fn not_a_block(&mut self, expr: &ast::Expr) -> Option<BlockValue> {
        let e = self.rvalue(expr);
        if !self.is_error(e.ty) {
            let message = format!(
                "initializing a block variable with an expression of incompatible type {}",
                self.quoted(e.ty)
            );
            self.error(expr.span, message);
        }
        None
    }

    /// Reports a use of a block variable in another block, which would have to capture it (OpenCL C 6.14.5), and then returns
    /// false.
    pub(super) fn check_block_scope(&mut self, name: Symbol, span: Span) -> bool {
        let depth = self.scopes.find(name).map_or(0, |binding| binding.depth);
        let outside = self.function.as_ref().is_some_and(|function| function.is_outside(depth));
        if outside {
            self.error(span, "cannot refer to a block inside block");
        }
        !outside
    }

    /// Copies the current values of a literal's captures to new variables, for its calls.
    fn copy_captures(
        &mut self,
        literal: Literal,
        out: Option<&mut Vec<Stmt>>,
        span: Span,
    ) -> Option<BlockValue> {
        let mut copies = Vec::new();
        let mut stmts = Vec::new();
        for capture in &literal.captures {
            let copy = self.new_local("", capture.ty, 0, span)?;
            let now = self.captured(capture, span);
            stmts.push(Stmt::Declare(copy, Some(Init::Value(now))));
            copies.push((copy, capture.ty));
        }
        match out {
            Some(out) => out.extend(stmts),
            None if stmts.is_empty() => {}
            None => {
                return self.fail(span, "initializer element is not a compile-time constant");
            }
        }
        Some(BlockValue { function: literal.function, ty: literal.ty, copies })
    }

    /// Returns the current value of a capture, in the function around the literal.
    fn captured(&mut self, capture: &Capture, span: Span) -> Expr {
        if !capture.by_address {
            return read(local_place(capture.source, capture.ty, span));
        }
        let ty = self.module.types.as_pointer(capture.ty).map_or(capture.ty, |p| p.pointee);
        let place = local_place(capture.source, ty, span);
        value(ExprKind::AddressOf(Box::new(place)), capture.ty, span)
    }

    /// `int (^name)(int) = ^...;`
    pub(super) fn block_variable(
        &mut self,
        specs: &DeclSpecs,
        ty: TypeId,
        (name, span): (Symbol, Span),
        init: Option<&Initializer>,
        out: Option<&mut Vec<Stmt>>,
    ) {
        self.check_redefinition(name, span);
        if specs.storage == Some(StorageClass::Extern) {
            let message = "invalid block variable declaration - using 'extern' storage class is \
                           disallowed";
            self.error(span, message);
            return self.declare_error(name, span);
        }
        let Some(Initializer::Expr(init)) = init else {
            self.error(span, "invalid block variable declaration - must be initialized");
            return self.declare_error(name, span);
        };
        // Static variables are initialized once, before the values of captures are known.
        let out = if specs.storage == Some(StorageClass::Static) { None } else { out };
        let Some(block) = self.block_value(init, out) else {
            return self.declare_error(name, span);
        };
        if block.ty != ty {
            let message = format!(
                "incompatible block pointer types initializing {} with an expression of type {}",
                self.quoted(ty),
                self.quoted(block.ty)
            );
            self.error(init.span, message);
            return self.declare_error(name, span);
        }
        self.scopes.declare(name, Entity::Block(block), span);
    }

    /// Analyzes a call of a block variable.
    pub(super) fn call_block(
        &mut self,
        block: &BlockValue,
        args: &[ast::Expr],
        at: Span,
        span: Span,
    ) -> Expr {
        let captured =
            block.copies.iter().map(|&(copy, ty)| read(local_place(copy, ty, span))).collect();
        self.call_with(block.function, block.ty, args, captured, at, span)
    }

    /// Analyzes a call of a literal.
    pub(super) fn call_literal(
        &mut self,
        literal: &BlockLiteral,
        args: &[ast::Expr],
        at: Span,
        span: Span,
    ) -> Expr {
        let Some(literal) = self.block_literal(literal, at) else {
            return self.error_value(span);
        };
        let captured = literal.captures.iter().map(|capture| self.captured(capture, at)).collect();
        self.call_with(literal.function, literal.ty, args, captured, at, span)
    }

    fn call_with(
        &mut self,
        function: FunctionId,
        ty: TypeId,
        args: &[ast::Expr],
        captured: Vec<Expr>,
        at: Span,
        span: Span,
    ) -> Expr {
        let TypeKind::Block { ret, params } = self.module.types.kind(ty).clone() else {
            return self.error_value(span);
        };
        if args.len() != params.len() {
            return self.wrong_count("block", (params.len(), args.len()), span);
        }
        let args =
            args.iter().zip(params).map(|(arg, ty)| self.converted(arg, ty, Context::Passing));
        let mut args: Vec<Expr> = args.collect();
        if args.iter().any(|arg| self.is_error(arg.ty)) {
            return self.error_value(span);
        }
        args.extend(captured);
        if let Some(caller) = &self.function {
            self.calls[caller.id].push((function, at));
        }
        value(ExprKind::Call { function, args }, ret, span)
    }

    /// Analyzes a literal: a function of its own.
    fn block_literal(&mut self, literal: &BlockLiteral, span: Span) -> Option<Literal> {
        if literal.is_variadic {
            let message = "invalid block prototype, variadic arguments are not allowed in OpenCL";
            return self.fail(span, message);
        }
        let ret = literal.ret.as_ref().map(|name| self.type_name(name).ty);
        let params = self.param_types(&literal.params);
        let in_error = ret.into_iter().chain(params.iter().map(|param| param.ty.ty));
        if in_error.into_iter().any(|ty| self.is_error(ty)) {
            return None;
        }
        let deduced = if ret.is_some() { Deduced::Not } else { Deduced::Open };
        let ret = ret.unwrap_or(self.basic.void);
        self.check_return_type(ret, false, span);
        let id = self.push_block(ret, &params, span);
        let errors = self.diags.errors();
        let outer = self.function.take();
        let mut state = FunctionState::new(id, ret, false, self.scopes.depth() + 1);
        state.deduced = deduced;
        state.outer = outer.map(Box::new);
        self.function = Some(state);
        self.function_body(id, &params, &literal.body);
        let state = self.function.take();
        let (captures, ret) = state.map_or((Vec::new(), ret), |state| {
            self.function = state.outer.map(|outer| *outer);
            (state.captures, state.ret)
        });
        if self.diags.errors() != errors {
            return None;
        }
        self.module.functions[id].ret = ret;
        let params = params.iter().map(|param| param.ty.ty).collect();
        let ty = self.module.types.intern(TypeKind::Block { ret, params });
        Some(Literal { function: id, ty, captures })
    }

    /// Notes the type of the value in a `return` of the current function. If it is a block without a
    /// written return type, the first `return` decides the type, and all others must agree.
    pub(super) fn deduce_return(&mut self, ty: TypeId, span: Span) {
        let Some(deduced) = self.function.as_ref().map(|function| function.deduced) else { return };
        match deduced {
            Deduced::Not => {}
            Deduced::Open if self.is_block(ty) => {
                self.check_return_type(ty, false, span);
                self.deduce_return(self.basic.error, span);
            }
            Deduced::Open => {
                if let Some(function) = &mut self.function {
                    function.deduced = Deduced::As(ty);
                    function.ret = ty;
                }
            }
            Deduced::As(before) if before == ty || self.is_error(ty) || self.is_error(before) => {}
            Deduced::As(before) => {
                let message = format!(
                    "return type {} must match previous return type {} when block literal has \
                     unspecified explicit return type",
                    self.quoted(ty),
                    self.quoted(before)
                );
                self.error(span, message);
            }
        }
    }

    /// Returns a local of an enclosing function, declared at `depth`, as the current block sees it: as a const
    /// copy, or for an array as its elements (OpenCL C 6.14.3 and 6.14.5).
    pub(super) fn captured_variable(
        &mut self,
        name: Symbol,
        (depth, local): (u32, LocalId),
        qual: QualType,
        span: Span,
    ) -> Operand {
        if self.has_matrices(qual.ty) {
            return self.fail(span, "a block cannot capture a cooperative matrix");
        }
        let Some(Capture { local, ty, .. }) = self.capture(name, (depth, local), qual) else {
            return self.error_operand(span);
        };
        if !self.module.types.is_array(qual.ty) {
            let object = Object::new(local_place(local, qual.ty, span), AddressSpace::Private);
            return Operand::Object(Object { is_const: true, name: Some(name), ..object });
        }
        let mut operand = self.dereference(read(local_place(local, ty, span)), span);
        if let Operand::Object(object) = &mut operand {
            object.is_const = qual.is_const;
        }
        operand
    }

    /// Makes a variable of an enclosing function a parameter of the current block, and of the
    /// blocks between the two.
    fn capture(&mut self, name: Symbol, of: (u32, LocalId), qual: QualType) -> Option<Capture> {
        let mut block = self.function.take()?;
        if let Some(&known) = block.captures.iter().find(|capture| capture.of == of) {
            self.function = Some(block);
            return Some(known);
        }
        let is_array = self.module.types.is_array(qual.ty);
        let mut ty = qual.ty;
        if is_array {
            ty = self.module.types.pointer(ty, AddressSpace::Private);
        }
        self.function = block.outer.take().map(|outer| *outer);
        let passes_on = self.function.as_ref().is_some_and(|outer| outer.is_outside(of.0));
        let source = match passes_on {
            true => self.capture(name, of, qual).map(|capture| capture.local),
            false => Some(of.1),
        };
        block.outer = self.function.take().map(Box::new);
        let id = block.id;
        self.function = Some(block);
        let span = self.module.functions[id].span;
        let local = self.new_local(self.text(name), ty, qual.align, span)?;
        self.module.functions[id].params.push(local);
        let by_address = is_array && !passes_on;
        let capture = Capture { of, source: source?, by_address, local, ty };
        self.function.as_mut()?.captures.push(capture);
        Some(capture)
    }
}
