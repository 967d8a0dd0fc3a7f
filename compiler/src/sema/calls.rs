//! Calls: of the program's own functions, overloaded or not, and of built-in ones.

use super::convert::{promoted, space_converts, Context};
use super::hir::{Expr, ExprKind, FunctionId};
use super::operand::value;
use super::scope::Entity;
use super::types::{Scalar, TypeId, TypeKind, EVENT, SAMPLER};
use super::Sema;
use crate::preprocess::Symbol;
use crate::source::Span;
use crate::syntax::ast;

/// Returns the cost of converting a scalar argument to a parameter's type, in the ranking of overloads.
pub(super) fn scalar_cost(from: Scalar, to: Scalar) -> u32 {
    let promotes = promoted(from) == to || (from == Scalar::Float && to == Scalar::Double);
    match from {
        _ if from == to => 0,
        _ if promotes => 1,
        _ => 2,
    }
}

/// The cost of widening a scalar argument to a vector parameter.
pub(super) const WIDEN_COST: u32 = 8;

impl Sema<'_> {
    /// `callee(args)`.
    pub(super) fn call(&mut self, callee: &ast::Expr, args: &[ast::Expr], span: Span) -> Expr {
        if let ast::ExprKind::Block(literal) = &callee.kind {
            return self.call_literal(literal, args, callee.span, span);
        }
        let ast::ExprKind::Ident(name) = callee.kind else {
            let callee = self.expr(callee);
            for arg in args {
                self.rvalue(arg);
            }
            if !self.is_error(callee.ty()) {
                self.not_callable(callee.ty(), span);
            }
            return self.error_value(span);
        };
        let functions = match self.scopes.find(name).map(|binding| &binding.entity) {
            Some(Entity::Functions(list)) => Some(list.clone()),
            Some(Entity::Local(_, ty) | Entity::Global(_, ty)) => {
                let ty = ty.ty;
                for arg in args {
                    self.rvalue(arg);
                }
                if !self.is_error(ty) {
                    self.not_callable(ty, callee.span);
                }
                return self.error_value(span);
            }
            Some(Entity::Typedef(_) | Entity::Enumerator(..)) => {
                let name = self.text(name);
                return self.fail(callee.span, format!("called object '{name}' is not a function"));
            }
            Some(Entity::Block(block)) => {
                let block = block.clone();
                return match self.check_block_scope(name, callee.span) {
                    true => self.call_block(&block, args, callee.span, span),
                    false => self.error_value(span),
                };
            }
            None => None,
        };
        if functions.is_none() {
            if let Some(call) = self.device_enqueue_call(name, args, span) {
                return call;
            }
            if let Some(call) = self.matrix_function(name, args, None, span) {
                return call;
            }
        }
        let args = self.arguments(functions.as_deref(), args);
        if args.iter().any(|arg| self.is_error(arg.ty)) {
            return self.error_value(span);
        }
        match functions {
            Some(functions) => self.call_named(name, &functions, args, callee.span, span),
            None => self.call_builtin(name, args, callee.span, span),
        }
    }

    /// Returns the values of arguments. If only one function can be meant, its parameters' types help to analyze them.
    fn arguments(&mut self, functions: Option<&[FunctionId]>, args: &[ast::Expr]) -> Vec<Expr> {
        let params: Vec<TypeId> = match functions {
            Some(&[only]) => {
                let function = &self.module.functions[only];
                function.params.iter().map(|&param| function.locals[param].ty).collect()
            }
            _ => Vec::new(),
        };
        let args = args.iter().enumerate();
        args.map(|(i, arg)| match params.get(i) {
            Some(&param) => self.rvalue_for(arg, param),
            None => self.rvalue(arg),
        })
        .collect()
    }

    fn not_callable(&mut self, ty: TypeId, span: Span) {
        let message =
            format!("called object type {} is not a function or function pointer", self.quoted(ty));
        self.error(span, message);
    }

    fn call_builtin(&mut self, name: Symbol, args: Vec<Expr>, at: Span, span: Span) -> Expr {
        let text = self.text(name);
        match self.builtin(text, args, at, span) {
            Some(call) => call,
            None => {
                self.no_function(text, at);
                self.error_value(span)
            }
        }
    }

    fn call_named(
        &mut self,
        name: Symbol,
        functions: &[FunctionId],
        args: Vec<Expr>,
        at: Span,
        span: Span,
    ) -> Expr {
        if matches!(functions, [only] if self.properties[*only].is_variadic) {
            return self.call_builtin(name, args, at, span);
        }
        let function = match functions {
            [only] if !self.properties[*only].overloadable => *only,
            _ => match self.overload(functions, &args) {
                Ok(function) => function,
                Err(ambiguous) => {
                    let text = self.text(name);
                    // The program's overloads of a built-in function's name do not hide the built-in ones.
                    if ambiguous.is_empty() && self.has_builtin(text) {
                        return self.call_builtin(name, args, at, span);
                    }
                    return self.no_overload(name, functions, &ambiguous, at, span);
                }
            },
        };
        self.call_function(function, args, at, span)
    }

    /// Reports a call with too few or too many arguments.
    pub(super) fn wrong_count(
        &mut self,
        callee: &str,
        (expected, have): (usize, usize),
        span: Span,
    ) -> Expr {
        let few = if have < expected { "few" } else { "many" };
        let message =
            format!("too {few} arguments to {callee} call, expected {expected}, have {have}");
        self.fail(span, message)
    }

    fn call_function(
        &mut self,
        function: FunctionId,
        args: Vec<Expr>,
        at: Span,
        span: Span,
    ) -> Expr {
        let callee = &self.module.functions[function];
        let (ret, declared) = (callee.ret, callee.span);
        let params: Vec<TypeId> =
            callee.params.iter().map(|&param| callee.locals[param].ty).collect();
        if args.len() != params.len() {
            let name = callee.name.clone();
            self.wrong_count("function", (params.len(), args.len()), span);
            self.diags.note(declared, format!("'{name}' declared here"));
            return self.error_value(span);
        }
        let errors = self.diags.errors();
        let args: Vec<Expr> = args
            .into_iter()
            .zip(params)
            .map(|(arg, param)| self.assign_convert(arg, param, Context::Passing))
            .collect();
        if self.diags.errors() != errors {
            self.diags.note(declared, "passing argument to parameter here");
        }
        if let Some(caller) = &self.function {
            self.calls[caller.id].push((function, at));
        }
        if self.is_error(ret) {
            return self.error_value(span);
        }
        value(ExprKind::Call { function, args }, ret, span)
    }

    /// Returns the best overload. The error holds the overloads that are equally good, or none if none fits.
    fn overload(
        &self,
        functions: &[FunctionId],
        args: &[Expr],
    ) -> Result<FunctionId, Vec<FunctionId>> {
        let mut best: Vec<FunctionId> = Vec::new();
        let mut lowest = u32::MAX;
        for &id in functions {
            let Some(cost) = self.call_cost(id, args) else { continue };
            if cost < lowest {
                best.clear();
                lowest = cost;
            }
            if cost == lowest {
                best.push(id);
            }
        }
        match best.as_slice() {
            [only] => Ok(*only),
            _ => Err(best),
        }
    }

    fn call_cost(&self, id: FunctionId, args: &[Expr]) -> Option<u32> {
        let function = &self.module.functions[id];
        if function.params.len() != args.len() {
            return None;
        }
        let mut total = 0;
        for (&param, arg) in function.params.iter().zip(args) {
            total += self.conversion_cost(arg, function.locals[param].ty)?;
        }
        Some(total)
    }

    /// Returns what an implicit conversion costs in the ranking of overloads; `None` if there is none.
    fn conversion_cost(&self, arg: &Expr, to: TypeId) -> Option<u32> {
        let types = &self.module.types;
        if arg.ty == to {
            return Some(0);
        }
        if let (Some((s, n)), Some((t, m))) = (types.numeric(arg.ty), types.numeric(to)) {
            return match (n, m) {
                (1, 1) => Some(scalar_cost(s, t)),
                (1, _) => Some(WIDEN_COST + scalar_cost(s, t)),
                _ => None,
            };
        }
        match (types.as_pointer(arg.ty), types.as_pointer(to)) {
            (Some(from), Some(to)) => {
                if matches!(arg.kind, ExprKind::NullPointer) {
                    return Some(2);
                }
                let loses =
                    (from.is_const && !to.is_const) || (from.is_volatile && !to.is_volatile);
                let void = types.is_void(to.pointee);
                if !space_converts(from.space, to.space) || loses {
                    return None;
                }
                match from.pointee == to.pointee {
                    true => Some(
                        u32::from(from.space != to.space) + u32::from(from.is_const != to.is_const),
                    ),
                    false => void.then_some(3),
                }
            }
            (None, Some(_)) => self.is_null_constant(arg).then_some(2),
            (Some(_), None) => (types.numeric(to) == Some((Scalar::Bool, 1))).then_some(3),
            _ => match types.kind(to) {
                TypeKind::Opaque(SAMPLER) if self.sampler_constant(arg).is_some() => Some(2),
                TypeKind::Opaque(EVENT) if self.is_null_constant(arg) => Some(2),
                _ => None,
            },
        }
    }

    fn no_overload(
        &mut self,
        name: Symbol,
        functions: &[FunctionId],
        ambiguous: &[FunctionId],
        at: Span,
        span: Span,
    ) -> Expr {
        let text = self.text(name);
        if ambiguous.is_empty() {
            self.error(at, format!("no matching function for call to '{text}'"));
        } else {
            self.error(at, format!("call to '{text}' is ambiguous"));
        }
        let listed = if ambiguous.is_empty() { functions } else { ambiguous };
        for &id in listed.iter().take(8) {
            let declared = self.module.functions[id].span;
            self.diags.note(declared, "candidate function");
        }
        self.error_value(span)
    }
}
