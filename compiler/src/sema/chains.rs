//! Long chains: of binary operators and commas, and of `else if`.
//!
//! The parser makes lists of them, since they may be longer than any stack is deep. Here they become
//! statements in a row: in a chain of operators, every few links a variable keeps the value so far; in a
//! chain of branches, a variable says whether one of them was taken.

use super::consteval::Const;
use super::hir::{Expr, ExprKind, Init, LocalId, Place, Stmt};
use super::operand::{local_place, read, value};
use super::types::TypeId;
use super::Sema;
use crate::source::Span;
use crate::syntax::ast::{self, Link};
use crate::syntax::MAX_NESTED_BRANCHES;

/// The most links of a chain that are nested in each other.
const NESTED: usize = 32;
/// The most nested links at file scope, where no variables can keep addresses.
const NESTED_AT_FILE_SCOPE: usize = 1000;

impl Sema<'_> {
    /// Analyzes a chain of binary operators and commas, which group from the left.
    pub(super) fn chain(&mut self, first: &ast::Expr, links: &[Link]) -> Expr {
        let mut stmts = Vec::new();
        let mut so_far = self.rvalue(first);
        let mut failed = false;
        let mut nested = NESTED;
        for link in links {
            if nested >= NESTED && !self.is_error(so_far.ty) {
                match self.kept(so_far, &mut stmts) {
                    Ok(kept) => (so_far, nested) = (kept, 0),
                    Err(long) if nested < NESTED_AT_FILE_SCOPE => so_far = long,
                    Err(long) => {
                        return self.fail(long.span, "expression is too long at file scope")
                    }
                }
            }
            let operand = self.rvalue(&link.operand);
            nested += 1;
            so_far = match link.op {
                None => {
                    failed = false;
                    stmts.push(Stmt::Expr(so_far));
                    nested = 0;
                    operand
                }
                Some(_) if failed || self.is_error(so_far.ty) || self.is_error(operand.ty) => {
                    failed = true;
                    self.error_value(link.span)
                }
                Some(op) => self.binary_values(op, so_far, operand, link.span),
            };
        }
        if stmts.is_empty() || self.is_error(so_far.ty) {
            return so_far;
        }
        let (ty, span) = (so_far.ty, so_far.span);
        if self.function.is_none() {
            return self.fail(span, "initializer element is not a compile-time constant");
        }
        value(ExprKind::StmtExpr { body: stmts, value: Some(Box::new(so_far)) }, ty, span)
    }

    /// Returns a value that is computed before the following links: a constant, or a variable that a new statement sets. At
    /// file scope, where there are no statements, an expression that is not constant is the error.
    fn kept(&mut self, e: Expr, stmts: &mut Vec<Stmt>) -> Result<Expr, Expr> {
        let (ty, span) = (e.ty, e.span);
        let scalar = matches!(self.module.types.numeric(ty), Some((_, 1)));
        match self.eval(&e) {
            Some(Const::Int(bits)) if scalar => return Ok(value(ExprKind::Int(bits), ty, span)),
            Some(Const::Float(v)) if scalar => return Ok(value(ExprKind::Float(v), ty, span)),
            _ => {}
        }
        if self.module.types.numeric(ty).is_none() && self.module.types.as_pointer(ty).is_none() {
            return Ok(e);
        }
        let Some(local) = self.new_local("", ty, 0, span) else { return Err(e) };
        stmts.push(Stmt::Declare(local, Some(Init::Value(e))));
        Ok(read(local_place(local, ty, span)))
    }

    /// Analyzes `if` with many `else if`.
    pub(super) fn if_chain(
        &mut self,
        branches: &[(ast::Expr, ast::Stmt)],
        otherwise: Option<&ast::Stmt>,
        span: Span,
        out: &mut Vec<Stmt>,
    ) {
        let mut analyzed = Vec::with_capacity(branches.len());
        for (cond, then) in branches {
            let (cond, then) = (self.condition(cond), self.scoped(then));
            analyzed.extend(cond.map(|cond| (cond, then)));
        }
        let otherwise = otherwise.map_or(Vec::new(), |otherwise| self.scoped(otherwise));
        if let Some(stmts) = self.in_groups(analyzed, otherwise, span) {
            out.push(Stmt::Block(stmts));
        }
    }

    /// Returns statements for branches of which the first one with a true condition is taken. Branches are
    /// nested in groups, and the groups follow each other. Once a branch was taken, a variable makes all later
    /// groups be skipped. It is set behind each branch, so that a `goto` may jump into the branch. It is volatile:
    /// otherwise passes that know its value would nest the groups again. `None` outside of functions.
    fn in_groups(
        &mut self,
        mut branches: Vec<(Expr, Vec<Stmt>)>,
        otherwise: Vec<Stmt>,
        span: Span,
    ) -> Option<Vec<Stmt>> {
        let taken = self.new_local("", self.basic.int, 0, span)?;
        // From the last group to the first.
        let mut groups = vec![self.unless_taken(taken, otherwise, span)];
        while !branches.is_empty() {
            let start = (branches.len() - 1) / MAX_NESTED_BRANCHES * MAX_NESTED_BRANCHES;
            let mut nested: Vec<Stmt> = Vec::new();
            for (cond, mut then) in branches.drain(start..).rev() {
                then.push(self.set_taken(taken, 1, span));
                nested = vec![Stmt::If { cond, then, otherwise: nested }];
            }
            match start {
                0 => groups.append(&mut nested),
                _ => groups.push(self.unless_taken(taken, nested, span)),
            }
        }
        groups.push(self.set_taken(taken, 0, span));
        groups.push(Stmt::Declare(taken, None));
        groups.reverse();
        Some(groups)
    }

    /// Analyzes `a ? b : c ? d : ... last` as `if` and `else if`, which store the chosen value in a variable.
    pub(super) fn choices(
        &mut self,
        choices: &[(ast::Expr, ast::Expr)],
        last: &ast::Expr,
        span: Span,
    ) -> Expr {
        let mut analyzed = Vec::with_capacity(choices.len());
        for (cond, then) in choices {
            analyzed.push((self.condition(cond), self.rvalue(then)));
        }
        let last = self.rvalue(last);
        let failed = analyzed.iter().any(|(cond, then)| cond.is_none() || self.is_error(then.ty));
        if failed || self.is_error(last.ty) {
            return self.error_value(span);
        }
        let pairs = analyzed.into_iter().filter_map(|(cond, then)| Some((cond?, then))).collect();
        let Some((pairs, last)) = self.in_common_type(pairs, last, span) else {
            return self.error_value(span);
        };
        self.chosen(pairs, last, span)
    }

    /// Converts each operand as nested operators would: to the type of its own operator, then to the types of the operators
    /// around it.
    fn in_common_type(
        &mut self,
        mut choices: Vec<(Expr, Expr)>,
        mut last: Expr,
        span: Span,
    ) -> Option<(Vec<(Expr, Expr)>, Expr)> {
        let pointer = choices.last().map(|(_, then)| then.ty);
        if let Some(pointer) = pointer.filter(|&ty| self.module.types.as_pointer(ty).is_some()) {
            if self.is_null_constant(&last) {
                last = value(ExprKind::NullPointer, pointer, last.span);
            }
        }
        let mut ty = last.ty;
        // Types of the operators from the innermost to the outermost, where they change.
        let mut types: Vec<TypeId> = vec![ty];
        let mut own = vec![0; choices.len()];
        for (own, (cond, then)) in own.iter_mut().zip(&choices).rev() {
            let stand_in = |ty| value(ExprKind::Zero, ty, span);
            if then.ty != ty && !self.numbers(then.ty, ty) {
                return self
                    .fail(then.span, "operands of a long conditional expression differ in type");
            }
            let cond = stand_in(cond.ty);
            ty = self.conditional_values(cond, stand_in(then.ty), stand_in(ty), span).ty;
            if types.last() != Some(&ty) {
                types.push(ty);
            }
            *own = types.len() - 1;
        }
        for (own, (_, then)) in own.into_iter().zip(&mut choices) {
            self.convert_through(then, &types[own..]);
        }
        self.convert_through(&mut last, &types);
        Some((choices, last))
    }

    fn numbers(&self, a: TypeId, b: TypeId) -> bool {
        let types = &self.module.types;
        types.numeric(a).is_some() && types.numeric(b).is_some()
    }

    fn convert_through(&mut self, e: &mut Expr, types: &[TypeId]) {
        for &ty in types {
            if e.ty != ty {
                let from = std::mem::replace(e, value(ExprKind::Zero, ty, e.span));
                *e = self.convert_numeric(from, ty);
            }
        }
    }

    /// Returns the operand behind the first condition that holds; all are of one type.
    fn chosen(&mut self, mut choices: Vec<(Expr, Expr)>, last: Expr, span: Span) -> Expr {
        let ty = last.ty;
        // Skips conditions that are constant, as all are in a constant expression.
        let mut known = 0;
        for (cond, _) in &choices {
            match self.eval(cond) {
                Some(Const::Int(0)) => known += 1,
                Some(Const::Int(_)) => return choices.swap_remove(known).1,
                _ => break,
            }
        }
        choices.drain(..known);
        if choices.is_empty() {
            return last;
        }
        let void = self.module.types.is_void(ty);
        let Some(result) = self.new_local("", if void { self.basic.int } else { ty }, 0, span)
        else {
            return self.fail(span, "initializer element is not a compile-time constant");
        };
        let keep = |e: Expr| match void {
            true => Stmt::Expr(e),
            false => {
                let (place, e) = (Box::new(local_place(result, ty, span)), Box::new(e));
                Stmt::Expr(value(ExprKind::Assign { place, value: e }, ty, span))
            }
        };
        let branches = choices.into_iter().map(|(cond, then)| (cond, vec![keep(then)])).collect();
        let last = vec![keep(last)];
        let mut body = vec![Stmt::Declare(result, None)];
        body.extend(self.in_groups(branches, last, span).into_iter().flatten());
        let result = (!void).then(|| Box::new(read(local_place(result, ty, span))));
        value(ExprKind::StmtExpr { body, value: result }, ty, span)
    }

    fn set_taken(&mut self, taken: LocalId, bits: u64, span: Span) -> Stmt {
        let int = self.basic.int;
        let place = Box::new(volatile(taken, int, span));
        let bits = Box::new(self.int_value(bits, int, span));
        Stmt::Expr(value(ExprKind::Assign { place, value: bits }, int, span))
    }

    fn unless_taken(&mut self, taken: LocalId, stmts: Vec<Stmt>, span: Span) -> Stmt {
        let taken = read(volatile(taken, self.basic.int, span));
        let taken = self.convert_to_scalar(taken, super::types::Scalar::Bool);
        let cond = value(ExprKind::Not(Box::new(taken)), self.basic.int, span);
        let cond = self.convert_to_scalar(cond, super::types::Scalar::Bool);
        Stmt::If { cond, then: stmts, otherwise: Vec::new() }
    }
}

fn volatile(local: LocalId, ty: TypeId, span: Span) -> Place {
    Place { is_volatile: true, ..local_place(local, ty, span) }
}
