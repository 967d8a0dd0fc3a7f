//! Statements (C99 6.8): their nesting, switch labels and jumps.

use super::convert::Context;
use super::function::Label;
use super::hir::{self, Case, ExprKind, LabelId, Stmt};
use super::types::{Scalar, TypeId};
use super::Sema;
use crate::preprocess::Symbol;
use crate::source::Span;
use crate::syntax::ast::{self, StmtKind, Unroll, UnrollHint};

/// A switch whose body is being analyzed.
pub(super) struct Switch {
    /// Type of the switch's value after promotion.
    ty: TypeId,
    cases: Vec<Case>,
    spans: Vec<Span>,
    has_default: bool,
}

impl Sema<'_> {
    /// Analyzes a statement and appends the result to `out`.
    pub(super) fn stmt(&mut self, stmt: &ast::Stmt, out: &mut Vec<Stmt>) {
        if self.diags.is_full() {
            return;
        }
        let span = stmt.span;
        match &stmt.kind {
            StmtKind::Empty => {}
            StmtKind::Expr(expr) => {
                let e = self.rvalue(expr);
                out.push(Stmt::Expr(e));
            }
            StmtKind::Declaration(declaration) => self.declaration(declaration, Some(out)),
            StmtKind::StaticAssert(assertion) => self.static_assert(assertion),
            StmtKind::Block(block) => {
                let stmts = self.block(&block.stmts);
                out.push(Stmt::Block(stmts));
            }
            StmtKind::If { cond, then, otherwise } => {
                let cond = self.condition(cond);
                let then = self.scoped(then);
                let otherwise = otherwise.as_ref().map_or(Vec::new(), |stmt| self.scoped(stmt));
                if let Some(cond) = cond {
                    out.push(Stmt::If { cond, then, otherwise });
                }
            }
            StmtKind::IfChain { branches, otherwise } => {
                self.if_chain(branches, otherwise.as_deref(), span, out);
            }
            StmtKind::While { cond, body, unroll } => {
                let cond = self.condition(cond);
                let unroll = self.unroll(unroll.as_ref());
                let body = self.loop_body(body);
                if let Some(cond) = cond {
                    out.push(Stmt::While { cond, body, unroll });
                }
            }
            StmtKind::DoWhile { body, cond, unroll } => {
                let unroll = self.unroll(unroll.as_ref());
                let body = self.loop_body(body);
                if let Some(cond) = self.condition(cond) {
                    out.push(Stmt::DoWhile { body, cond, unroll });
                }
            }
            StmtKind::For { init, cond, step, body, unroll } => {
                let unroll = self.unroll(unroll.as_ref());
                self.for_stmt(init.as_deref(), cond.as_ref(), step.as_ref(), body, unroll, out);
            }
            StmtKind::Switch { value, body } => self.switch(value, body, out),
            StmtKind::Case { low, high, body } => {
                self.case(low, high.as_ref(), span, out);
                self.stmt(body, out);
            }
            StmtKind::Default(body) => {
                self.default(span, out);
                self.stmt(body, out);
            }
            StmtKind::Break => self.jump(true, span, out),
            StmtKind::Continue => self.jump(false, span, out),
            StmtKind::Return(value) => self.return_stmt(value.as_ref(), span, out),
            StmtKind::Goto(name) => {
                if let Some(label) = self.label(name.symbol, Some(name.span)) {
                    out.push(Stmt::Goto(label));
                }
            }
            StmtKind::Label(name, body) => {
                self.label_stmt(*name, span, out);
                self.stmt(body, out);
            }
            StmtKind::Pragma(pragma) => self.pragma(*pragma, span),
        }
    }

    /// Analyzes statements in a scope of their own.
    fn block(&mut self, stmts: &[ast::Stmt]) -> Vec<Stmt> {
        let mut out = Vec::with_capacity(stmts.len());
        self.scopes.push();
        for stmt in stmts {
            self.stmt(stmt, &mut out);
        }
        self.scopes.pop();
        out
    }

    /// Analyzes a substatement in a scope of its own; if it is in braces, there is no second scope.
    pub(super) fn scoped(&mut self, stmt: &ast::Stmt) -> Vec<Stmt> {
        match &stmt.kind {
            StmtKind::Block(block) => self.block(&block.stmts),
            _ => self.block(std::slice::from_ref(stmt)),
        }
    }

    fn loop_body(&mut self, body: &ast::Stmt) -> Vec<Stmt> {
        self.nest(1, 1);
        let body = self.scoped(body);
        self.nest(-1, -1);
        body
    }

    /// Changes the numbers of loops, and of statements that `break` leaves, around the current statement, by 1 or -1.
    fn nest(&mut self, loops: i32, breakables: i32) {
        if let Some(function) = &mut self.function {
            function.loops = function.loops.saturating_add_signed(loops);
            function.breakables = function.breakables.saturating_add_signed(breakables);
        }
    }

    pub(super) fn condition(&mut self, cond: &ast::Expr) -> Option<hir::Expr> {
        let cond = self.rvalue(cond);
        self.truth_of(cond)
    }

    /// Evaluates a hint and its factor: a positive integer constant (OpenCL C 6.13.5).
    fn unroll(&mut self, hint: Option<&UnrollHint>) -> Option<Unroll> {
        let factor = match hint? {
            UnrollHint::Pragma(unroll) => return Some(*unroll),
            UnrollHint::Attribute(None, _) => return Some(Unroll::Full),
            UnrollHint::Attribute(Some(factor), _) => factor,
        };
        let value = self.rvalue(factor);
        if self.is_error(value.ty) {
            return None;
        }
        match self.eval_int(&value).and_then(|n| u32::try_from(n).ok()) {
            None | Some(0) => {
                let message =
                    "'opencl_unroll_hint' attribute requires a positive integral compile \
                               time constant expression";
                self.fail(factor.span, message)
            }
            Some(1) => Some(Unroll::Disable),
            Some(count) => Some(Unroll::Count(count)),
        }
    }

    fn for_stmt(
        &mut self,
        init: Option<&ast::Stmt>,
        cond: Option<&ast::Expr>,
        step: Option<&ast::Expr>,
        body: &ast::Stmt,
        unroll: Option<Unroll>,
        out: &mut Vec<Stmt>,
    ) {
        self.scopes.push();
        let mut first = Vec::new();
        if let Some(init) = init {
            self.stmt(init, &mut first);
        }
        let declares = first.iter().any(|stmt| matches!(stmt, Stmt::Declare(..)));
        let cond = cond.map(|cond| self.condition(cond));
        let step = step.map(|step| self.rvalue(step));
        let body = self.loop_body(body);
        self.scopes.pop();
        let cond = match cond {
            Some(None) => return,
            Some(Some(cond)) => Some(cond),
            None => None,
        };
        let stmt = Stmt::For { init: first, cond, step, body, unroll };
        out.push(if declares { Stmt::Block(vec![stmt]) } else { stmt });
    }

    fn switch(&mut self, value: &ast::Expr, body: &ast::Stmt, out: &mut Vec<Stmt>) {
        let value = self.rvalue(value);
        let value = match self.module.types.numeric(value.ty) {
            Some((scalar, 1)) if !scalar.is_float() => Some(self.promote(value)),
            _ => {
                if !self.is_error(value.ty) {
                    let message = format!(
                        "statement requires expression of integer type ({} invalid)",
                        self.quoted(value.ty)
                    );
                    self.error(value.span, message);
                }
                None
            }
        };
        let ty = value.as_ref().map_or(self.basic.error, |value| value.ty);
        let switch = Switch { ty, cases: Vec::new(), spans: Vec::new(), has_default: false };
        if let Some(function) = &mut self.function {
            function.switches.push(switch);
        }
        self.nest(0, 1);
        let body = self.scoped(body);
        self.nest(0, -1);
        let switch = self.function.as_mut().and_then(|function| function.switches.pop());
        if let (Some(value), Some(switch)) = (value, switch) {
            self.check_duplicates(&switch);
            let (cases, has_default) = (switch.cases, switch.has_default);
            out.push(Stmt::Switch { value, cases, has_default, body });
        }
    }

    /// Reports case labels that overlap.
    fn check_duplicates(&mut self, switch: &Switch) {
        let scalar = self.module.types.numeric(switch.ty).map(|(scalar, _)| scalar);
        let signed = scalar.is_some_and(Scalar::is_signed);
        let narrow = self.module.types.size(switch.ty) == Some(4);
        let key = |bits: u64| match (signed, narrow) {
            (true, true) => i128::from(bits as u32 as i32),
            (true, false) => i128::from(bits as i64),
            (false, _) => i128::from(bits),
        };
        let mut order: Vec<(i128, i128, Span)> = switch
            .cases
            .iter()
            .zip(&switch.spans)
            .map(|(case, &span)| (key(case.low), key(case.high), span))
            .collect();
        order.sort();
        for pair in order.windows(2) {
            let [(_, end, first), (start, _, second)] = pair else { continue };
            if start <= end {
                self.error(*second, format!("duplicate case value '{start}'"));
                self.diags.note(*first, "previous case defined here");
            }
        }
    }

    fn case(&mut self, low: &ast::Expr, high: Option<&ast::Expr>, span: Span, out: &mut Vec<Stmt>) {
        let ty = self.function.as_ref().and_then(|function| function.switches.last()).map(|s| s.ty);
        let Some(ty) = ty else {
            return self.error(span, "'case' statement not in switch statement");
        };
        let at = low.span;
        let low_value = self.case_value(low, ty);
        let high_value = match high {
            Some(high) => self.case_value(high, ty),
            None => low_value,
        };
        let (Some((low, from)), Some((high, to))) = (low_value, high_value) else { return };
        if from > to {
            return self.diags.warning(span, "empty case range specified");
        }
        let switch = self.function.as_mut().and_then(|function| function.switches.last_mut());
        if let Some(switch) = switch {
            out.push(Stmt::CaseLabel(switch.cases.len() as u32));
            switch.cases.push(Case { low, high });
            switch.spans.push(at);
        }
    }

    /// Returns a case's value in the switch's type: its bits, and the number.
    fn case_value(&mut self, expr: &ast::Expr, ty: TypeId) -> Option<(u64, i128)> {
        let e = self.rvalue(expr);
        if self.is_error(e.ty) || self.is_error(ty) {
            return None;
        }
        let is_int = self.module.types.numeric(e.ty).is_some_and(|(s, n)| n == 1 && !s.is_float());
        if !is_int {
            return self.fail(expr.span, "expression is not an integer constant expression");
        }
        let e = self.convert_numeric(e, ty);
        let Some(n) = self.eval_int(&e) else {
            return self.fail(expr.span, "expression is not an integer constant expression");
        };
        let bits = match self.module.types.size(ty) {
            Some(4) => u64::from(n as u32),
            _ => n as u64,
        };
        Some((bits, n))
    }

    fn default(&mut self, span: Span, out: &mut Vec<Stmt>) {
        let switch = self.function.as_mut().and_then(|function| function.switches.last_mut());
        match switch {
            None => self.error(span, "'default' statement not in switch statement"),
            Some(switch) if switch.has_default => {
                self.error(span, "multiple default labels in one switch");
            }
            Some(switch) => {
                switch.has_default = true;
                out.push(Stmt::DefaultLabel);
            }
        }
    }

    fn jump(&mut self, is_break: bool, span: Span, out: &mut Vec<Stmt>) {
        let Some(function) = &self.function else { return };
        let inside = if is_break { function.breakables } else { function.loops } > 0;
        match (is_break, inside) {
            (true, true) => out.push(Stmt::Break),
            (false, true) => out.push(Stmt::Continue),
            (true, false) => {
                self.error(span, "'break' statement not in loop or switch statement");
            }
            (false, false) => self.error(span, "'continue' statement not in loop statement"),
        }
    }

    fn return_stmt(&mut self, expr: Option<&ast::Expr>, span: Span, out: &mut Vec<Stmt>) {
        let Some((ret, id)) = self.function.as_ref().map(|function| (function.ret, function.id))
        else {
            return;
        };
        let is_void = self.module.types.is_void(ret);
        let Some(expr) = expr else {
            self.deduce_return(self.basic.void, span);
            if !is_void && !self.is_error(ret) {
                let name = &self.module.functions[id].name;
                self.error(span, format!("non-void function '{name}' should return a value"));
            }
            return out.push(Stmt::Return(None));
        };
        let e = self.rvalue_for(expr, ret);
        self.deduce_return(e.ty, expr.span);
        let ret = self.function.as_ref().map_or(ret, |function| function.ret);
        let is_void = self.module.types.is_void(ret);
        if is_void {
            if self.module.types.is_void(e.ty) {
                out.push(Stmt::Expr(e));
            } else if !self.is_error(e.ty) {
                let name = &self.module.functions[id].name;
                self.error(span, format!("void function '{name}' should not return a value"));
            }
            return out.push(Stmt::Return(None));
        }
        let e = self.assign_convert(e, ret, Context::Returning);
        out.push(Stmt::Return(Some(e)));
    }

    /// Returns the label with a name. `used` is the place of a goto, if a goto names it.
    fn label(&mut self, name: Symbol, used: Option<Span>) -> Option<LabelId> {
        let text = self.text(name);
        let function = self.function.as_mut()?;
        let labels = &mut self.module.functions[function.id].labels;
        let label = function.labels.entry(name).or_insert_with(|| Label {
            id: labels.push(text.to_string()),
            defined: false,
            used: None,
        });
        label.used = label.used.or(used);
        Some(label.id)
    }

    fn label_stmt(&mut self, name: Symbol, span: Span, out: &mut Vec<Stmt>) {
        let Some(id) = self.label(name, None) else { return };
        let label = self.function.as_mut().and_then(|function| function.labels.get_mut(&name));
        if let Some(label) = label {
            if std::mem::replace(&mut label.defined, true) {
                self.error(span, format!("redefinition of label '{}'", self.text(name)));
            }
        }
        out.push(Stmt::Label(id));
    }

    /// `_Static_assert(cond, message);`
    pub(super) fn static_assert(&mut self, assertion: &ast::StaticAssert) {
        let cond = self.rvalue(&assertion.cond);
        if self.is_error(cond.ty) {
            return;
        }
        match self.eval_int(&cond) {
            Some(0) => {
                let text = assertion.message.as_deref().map(String::from_utf8_lossy);
                let text = text.map_or(String::new(), |text| format!(" \"{text}\""));
                self.error(assertion.span, format!("static assertion failed{text}"));
            }
            Some(_) => {}
            None => {
                let message = "static assertion expression is not an integral constant expression";
                self.error(assertion.cond.span, message);
            }
        }
    }
}

/// Returns true if control may reach the end of some statements. Every condition counts as one that may be
/// true or false.
pub(super) fn falls_through(stmts: &[Stmt]) -> bool {
    let mut reached = true;
    for stmt in stmts {
        match stmt {
            Stmt::Label(_) | Stmt::CaseLabel(_) | Stmt::DefaultLabel => reached = true,
            _ if !reached => {}
            Stmt::Return(_) | Stmt::Goto(_) | Stmt::Break | Stmt::Continue => reached = false,
            Stmt::Block(inner) => reached = falls_through(inner),
            Stmt::If { then, otherwise, .. } => {
                reached = falls_through(then) || falls_through(otherwise);
            }
            Stmt::While { cond, body, .. } => {
                reached = !matches!(cond.kind, ExprKind::Int(1)) || breaks(body);
            }
            Stmt::DoWhile { cond, body, .. } => {
                let forever = matches!(cond.kind, ExprKind::Int(1));
                reached = breaks(body) || (!forever && (falls_through(body) || continues(body)));
            }
            Stmt::For { cond, body, .. } => {
                let forever =
                    cond.as_ref().is_none_or(|cond| matches!(cond.kind, ExprKind::Int(1)));
                reached = !forever || breaks(body);
            }
            Stmt::Switch { has_default, body, .. } => {
                reached = !has_default || breaks(body) || falls_through(body);
            }
            Stmt::Expr(_) | Stmt::Declare(..) => {}
        }
    }
    reached
}

/// Returns true if a `break` among the statements leaves what encloses them.
fn breaks(stmts: &[Stmt]) -> bool {
    stmts.iter().any(|stmt| match stmt {
        Stmt::Break => true,
        Stmt::Block(inner) => breaks(inner),
        Stmt::If { then, otherwise, .. } => breaks(then) || breaks(otherwise),
        _ => false,
    })
}

/// Returns true if a `continue` among the statements continues the loop around them.
fn continues(stmts: &[Stmt]) -> bool {
    stmts.iter().any(|stmt| match stmt {
        Stmt::Continue => true,
        Stmt::Block(inner) => continues(inner),
        Stmt::If { then, otherwise, .. } => continues(then) || continues(otherwise),
        Stmt::Switch { body, .. } => continues(body),
        _ => false,
    })
}
