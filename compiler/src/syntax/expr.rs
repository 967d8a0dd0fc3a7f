//! Expressions from the comma down to casts (C99 6.5.3 to 6.5.17).
//!
//! Operators of equal precedence in a row are read in a loop, not by recursion, since chains may be
//! longer than the stack is deep. The height of trees stays below the limit nevertheless: long chains
//! that group from the left become lists.

use super::ast::{
    BinaryOp, CompoundOp, DeclSpecs, Declarator, Expr, ExprKind, Link, Quals, TypeName, TypeSpec,
    UnaryOp,
};
use super::keywords::Keyword;
use super::operators;
use super::parser::{PResult, Parser, Reported};
use super::{MAX_NESTED_BRANCHES, MAX_NESTED_LINKS};
use crate::preprocess::Punct;
use crate::source::Span;
use smallvec::SmallVec;

/// A left operand and its operator, whose right operand has not been read yet.
struct Pending {
    left: Chain,
    op: BinaryOp,
    precedence: u8,
}

/// An expression of binary operators that group from the left.
struct Chain {
    expr: Expr,
    /// The number of operators from the expression's root to its first operand.
    links: u32,
    /// Height of the expression's tree.
    height: u32,
}

impl Chain {
    /// Appends an operator (`None` for a comma) and its right operand, whose tree has this height.
    fn append(&mut self, op: Option<BinaryOp>, operand: Expr, height: u32) {
        let span = self.expr.span.to(operand.span);
        let placeholder = Expr { kind: ExprKind::Bool(false), span };
        let left = std::mem::replace(&mut self.expr, placeholder);
        self.links += 1;
        if self.links <= MAX_NESTED_LINKS {
            let (left, right) = (Box::new(left), Box::new(operand));
            self.expr.kind = match op {
                Some(op) => ExprKind::Binary(op, left, right),
                None => ExprKind::Comma(left, right),
            };
            self.height = self.height.max(height) + 1;
            return;
        }
        let link = Link { op, operand, span };
        self.height = self.height.max(height + 1);
        self.expr.kind = match left.kind {
            ExprKind::Chain(first, mut links) if self.links > MAX_NESTED_LINKS + 1 => {
                links.push(link);
                ExprKind::Chain(first, links)
            }
            kind => {
                self.height += 1;
                let first = Box::new(Expr { kind, span: left.span });
                ExprKind::Chain(first, vec![link])
            }
        };
    }
}

/// A prefix operator.
enum Prefix {
    Unary(UnaryOp),
    Cast(Box<TypeName>),
    Sizeof,
    /// `__alignof__` of an expression (GNU C).
    Alignof,
    VecStep,
}

impl Parser<'_> {
    /// Parses an expression, commas included.
    pub fn expression(&mut self) -> PResult<Expr> {
        let outer = self.begin_height();
        let expr = self.assignment()?;
        if !self.at(Punct::Comma) {
            self.end_height(outer);
            return Ok(expr);
        }
        let mut chain = Chain { expr, links: 0, height: self.height() };
        while self.eat(Punct::Comma) {
            self.set_height(0)?;
            let operand = self.assignment()?;
            chain.append(None, operand, self.height());
            self.set_height(chain.height)?;
        }
        self.end_height(outer);
        Ok(chain.expr)
    }

    /// Parses an expression without commas. Assignments group from the right.
    pub fn assignment(&mut self) -> PResult<Expr> {
        self.with_depth(|p| {
            let mut value = p.conditional()?;
            let mut targets: Vec<(Expr, Option<CompoundOp>)> = Vec::new();
            while let Some(op) = p.punct().and_then(operators::assignment) {
                p.advance();
                p.deepen()?;
                let next = p.conditional()?;
                targets.push((std::mem::replace(&mut value, next), op));
            }
            while let Some((target, op)) = targets.pop() {
                let span = target.span.to(value.span);
                let kind = ExprKind::Assign(op, Box::new(target), Box::new(value));
                value = Expr { kind, span };
            }
            Ok(value)
        })
    }

    /// Parses `c ? a : b`, `c ?: b` or a part of it; constant expressions have this form. The third operand may be a
    /// conditional expression, too.
    pub fn conditional(&mut self) -> PResult<Expr> {
        self.with_depth(|p| {
            let mut last = p.binary()?;
            let mut choices: Vec<(Expr, Option<Expr>)> = Vec::new();
            while p.at(Punct::Question) {
                let opened = p.span();
                let then = p.nested(|p| {
                    p.advance();
                    match p.at(Punct::Colon) {
                        true => Ok(None),
                        false => p.expression().map(Some),
                    }
                })?;
                if !p.eat(Punct::Colon) {
                    if p.error(p.span(), "expected ':'") {
                        p.note(opened, "to match this '?'");
                    }
                    return Err(Reported);
                }
                if choices.len() < MAX_NESTED_BRANCHES || then.is_none() {
                    p.deepen()?;
                }
                let next = p.binary()?;
                choices.push((std::mem::replace(&mut last, next), then));
            }
            if choices.len() > MAX_NESTED_BRANCHES {
                if choices.iter().all(|(_, then)| then.is_some()) {
                    return Ok(choice_of_many(choices, last));
                }
                let behind = choices.iter().skip(MAX_NESTED_BRANCHES);
                for _ in 0..behind.filter(|(_, then)| then.is_some()).count() {
                    p.deepen()?;
                }
            }
            while let Some((cond, then)) = choices.pop() {
                let span = cond.span.to(last.span);
                let then = then.map(Box::new);
                let kind = ExprKind::Conditional(Box::new(cond), then, Box::new(last));
                last = Expr { kind, span };
            }
            Ok(last)
        })
    }

    /// Binary operators, by precedence.
    fn binary(&mut self) -> PResult<Expr> {
        let outer = self.begin_height();
        let first = self.cast()?;
        let expr = match self.punct().and_then(operators::binary) {
            Some(operator) => self.binary_rest(first, operator)?,
            None => first,
        };
        self.end_height(outer);
        Ok(expr)
    }

    /// Parses the rest of a binary expression behind the first operand, at the operator. A stack keeps the
    /// operands to the left; each of its operators binds tighter than the one below.
    fn binary_rest(&mut self, first: Expr, operator: (BinaryOp, u8)) -> PResult<Expr> {
        let mut stack: SmallVec<[Pending; 4]> = SmallVec::new();
        let mut operand = Chain { expr: first, links: 0, height: self.height() };
        let mut operator = Some(operator);
        loop {
            let precedence = operator.map_or(0, |(_, precedence)| precedence);
            while let Some(Pending { mut left, op, .. }) = stack.pop_if_at_least(precedence) {
                left.append(Some(op), operand.expr, operand.height);
                self.set_height(left.height)?;
                operand = left;
            }
            let Some((op, precedence)) = operator else {
                self.set_height(operand.height)?;
                return Ok(operand.expr);
            };
            self.advance();
            stack.push(Pending { left: operand, op, precedence });
            self.set_height(0)?;
            let expr = self.cast()?;
            operand = Chain { expr, links: 0, height: self.height() };
            operator = self.punct().and_then(operators::binary);
        }
    }

    /// Parses prefix operators and casts, and their operand.
    fn cast(&mut self) -> PResult<Expr> {
        self.with_depth(|p| {
            let mut prefixes: Vec<(Prefix, Span)> = Vec::new();
            let mut operand = loop {
                match p.prefix(&mut prefixes)? {
                    Some(operand) => break operand,
                    None => p.deepen()?,
                }
            };
            while let Some((prefix, start)) = prefixes.pop() {
                let span = start.to(operand.span);
                operand = Expr { kind: p.apply_prefix(prefix, operand), span };
            }
            Ok(operand)
        })
    }

    /// Reads a prefix operator, or returns the operand if no further prefix operator precedes it.
    fn prefix(&mut self, prefixes: &mut Vec<(Prefix, Span)>) -> PResult<Option<Expr>> {
        let start = self.span();
        if let Some(op) = self.punct().and_then(operators::prefix) {
            self.advance();
            prefixes.push((Prefix::Unary(op), start));
            return Ok(None);
        }
        if self.at(Punct::LParen) && self.starts_type(1) {
            let ty = self.parenthesized_type()?;
            if self.at(Punct::LBrace) {
                return self.compound_literal(ty, start).map(Some);
            }
            if self.at(Punct::LParen) && may_be_vector(&ty) && !self.starts_type(1) {
                return self.vector_literal(ty, start, prefixes);
            }
            prefixes.push((Prefix::Cast(Box::new(ty)), start));
            return Ok(None);
        }
        let prefix = match self.keyword() {
            Some(Keyword::Sizeof) => Prefix::Sizeof,
            Some(Keyword::Alignof) => Prefix::Alignof,
            Some(Keyword::VecStep) => Prefix::VecStep,
            Some(Keyword::Extension) => {
                self.advance();
                return Ok(None);
            }
            _ => return self.postfix_expression().map(Some),
        };
        self.advance();
        if self.at(Punct::LParen) && self.starts_type(1) {
            let inner = self.span();
            let ty = self.parenthesized_type()?;
            if self.at(Punct::LBrace) {
                prefixes.push((prefix, start));
                return self.compound_literal(ty, inner).map(Some);
            }
            let ty = Box::new(ty);
            let kind = match prefix {
                Prefix::Alignof => ExprKind::AlignofType(ty),
                Prefix::VecStep => ExprKind::VecStep(ty),
                _ => ExprKind::SizeofType(ty),
            };
            return Ok(Some(Expr { kind, span: start.to(self.last_span()) }));
        }
        prefixes.push((prefix, start));
        Ok(None)
    }

    fn apply_prefix(&self, prefix: Prefix, operand: Expr) -> ExprKind {
        let operand_type = |operand: Expr| {
            let span = operand.span;
            Box::new(plain_type_name(TypeSpec::TypeofExpr(Box::new(operand)), span))
        };
        match prefix {
            Prefix::Unary(op) => ExprKind::Unary(op, Box::new(operand)),
            Prefix::Cast(ty) => ExprKind::Cast(ty, Box::new(operand)),
            Prefix::Sizeof => ExprKind::SizeofExpr(Box::new(operand)),
            Prefix::Alignof => ExprKind::AlignofType(operand_type(operand)),
            Prefix::VecStep => ExprKind::VecStep(operand_type(operand)),
        }
    }

    /// `(type)`
    fn parenthesized_type(&mut self) -> PResult<TypeName> {
        let opened = self.span();
        self.nested(|p| {
            p.advance();
            let ty = p.type_name()?;
            p.expect_close(Punct::RParen, opened)?;
            Ok(ty)
        })
    }

    /// Parses the rest of `(type){ ... }`, at the brace, and postfix operators (C99 6.5.2.5).
    fn compound_literal(&mut self, ty: TypeName, start: Span) -> PResult<Expr> {
        let outer = self.begin_height();
        let init = Box::new(self.initializer()?);
        let kind = ExprKind::CompoundLiteral(Box::new(ty), init);
        let literal = Expr { kind, span: start.to(self.last_span()) };
        let expr = self.postfix(literal)?;
        self.end_height(outer);
        Ok(expr)
    }

    /// Parses a vector literal at the second parenthesis of `(type)(a, b)` (OpenCL C 6.3.1). With one operand
    /// it is a cast of the expression that the parenthesis begins: `(float4)(v).x` casts `(v).x`.
    fn vector_literal(
        &mut self,
        ty: TypeName,
        start: Span,
        prefixes: &mut Vec<(Prefix, Span)>,
    ) -> PResult<Option<Expr>> {
        if self.at_ahead(1, Punct::LBrace) {
            prefixes.push((Prefix::Cast(Box::new(ty)), start));
            return Ok(None);
        }
        let outer = self.begin_height();
        let opened = self.span();
        let mut parts = self.nested(|p| p.arguments(opened))?;
        let closed = self.last_span();
        let single = if parts.len() == 1 { parts.pop() } else { None };
        let operand = match single {
            Some(mut operand) => {
                self.deepen()?;
                operand.span = opened.to(closed);
                prefixes.push((Prefix::Cast(Box::new(ty)), start));
                operand
            }
            None if parts.is_empty() => return self.fail(closed, "expected expression"),
            None => {
                let kind = ExprKind::VectorLiteral(Box::new(ty), parts);
                Expr { kind, span: start.to(closed) }
            }
        };
        let expr = self.postfix(operand)?;
        self.end_height(outer);
        Ok(Some(expr))
    }
}

/// Returns `a ? b : c ? d : ... last`. All choices have a second operand.
fn choice_of_many(choices: Vec<(Expr, Option<Expr>)>, last: Expr) -> Expr {
    let span = choices.first().map_or(last.span, |(cond, _)| cond.span.to(last.span));
    let choices = choices.into_iter().filter_map(|(cond, then)| Some((cond, then?))).collect();
    Expr { kind: ExprKind::Choices(choices, Box::new(last)), span }
}

/// Returns true if `(type)(a, b)` can be a vector literal, as far as the parser knows.
fn may_be_vector(ty: &TypeName) -> bool {
    let may_be = matches!(
        ty.specs.ty,
        TypeSpec::Vector(..)
            | TypeSpec::Typedef(_)
            | TypeSpec::TypeofExpr(_)
            | TypeSpec::TypeofType(_)
    );
    may_be && ty.declarator.derivations.is_empty()
}

/// Returns a type-name of one specifier.
pub(super) fn plain_type_name(ty: TypeSpec, span: Span) -> TypeName {
    let specs = DeclSpecs {
        storage: None,
        is_inline: false,
        is_kernel: false,
        quals: Quals::default(),
        ty,
        attributes: Vec::new(),
        span,
    };
    TypeName { specs, declarator: Declarator { span, ..Declarator::default() }, span }
}

/// The operator stack of [`Parser::binary_rest`].
trait OperatorStack {
    /// Removes and returns the last operand, if its operator has at least this precedence.
    fn pop_if_at_least(&mut self, precedence: u8) -> Option<Pending>;
}

impl OperatorStack for SmallVec<[Pending; 4]> {
    fn pop_if_at_least(&mut self, precedence: u8) -> Option<Pending> {
        match self.last() {
            Some(last) if last.precedence >= precedence => self.pop(),
            _ => None,
        }
    }
}
