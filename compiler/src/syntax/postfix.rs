//! Primary expressions and their postfix operators: calls, indices, members (C99 6.5.1 and 6.5.2).

use super::ast::{
    Derivation, Expr, ExprKind, FloatLiteral, IntLiteral, Quals, ScalarName, TypeSpec, UnaryOp,
};
use super::expr::plain_type_name;
use super::keywords::Keyword;
use super::parser::{PResult, Parser, Reported};
use super::scope::Meaning;
use crate::preprocess::{FloatSuffix, Punct, Symbol, TokenKind};
use crate::rounding::half_bits;
use crate::source::Span;

impl Parser<'_> {
    /// Parses a primary expression and its postfix operators.
    pub fn postfix_expression(&mut self) -> PResult<Expr> {
        let outer = self.begin_height();
        let primary = self.primary()?;
        let expr = self.postfix(primary)?;
        self.end_height(outer);
        Ok(expr)
    }

    /// Parses postfix operators after `expr`, whose height [`Parser::height`] holds.
    pub fn postfix(&mut self, mut expr: Expr) -> PResult<Expr> {
        loop {
            let opened = self.span();
            let start = expr.span;
            let kind = match self.punct() {
                Some(Punct::LBracket) => {
                    let index = self.nested(|p| {
                        p.advance();
                        let index = p.expression()?;
                        p.expect_close(Punct::RBracket, opened)?;
                        Ok(index)
                    })?;
                    ExprKind::Index(Box::new(expr), Box::new(index))
                }
                Some(Punct::LParen) => {
                    let args = self.nested(|p| p.arguments(opened))?;
                    ExprKind::Call(Box::new(expr), args)
                }
                Some(punct @ (Punct::Dot | Punct::Arrow)) => {
                    self.advance();
                    let name_span = self.span();
                    let name = self.expect_name()?;
                    let arrow = punct == Punct::Arrow;
                    ExprKind::Member { base: Box::new(expr), name, name_span, arrow }
                }
                Some(Punct::PlusPlus) => {
                    self.advance();
                    ExprKind::Unary(UnaryOp::PostInc, Box::new(expr))
                }
                Some(Punct::MinusMinus) => {
                    self.advance();
                    ExprKind::Unary(UnaryOp::PostDec, Box::new(expr))
                }
                _ => return Ok(expr),
            };
            self.set_height(self.height() + 1)?;
            expr = Expr { kind, span: start.to(self.last_span()) };
        }
    }

    /// Parses arguments, `(a, b, ...)`, at the parenthesis.
    pub fn arguments(&mut self, opened: Span) -> PResult<Vec<Expr>> {
        self.advance();
        let mut args = Vec::new();
        if !self.at(Punct::RParen) {
            loop {
                args.push(self.assignment()?);
                if !self.eat(Punct::Comma) {
                    break;
                }
            }
        }
        self.expect_close(Punct::RParen, opened)?;
        Ok(args)
    }

    fn primary(&mut self) -> PResult<Expr> {
        let span = self.span();
        let kind = match self.kind() {
            TokenKind::Ident(symbol) => return self.word(symbol),
            TokenKind::Punct(Punct::LParen) => return self.parenthesized(),
            TokenKind::Int { value, unsigned, longs, decimal } => ExprKind::Int(IntLiteral {
                value,
                is_unsigned: unsigned,
                is_long: longs > 0,
                is_long_long: longs > 1,
                is_decimal: decimal,
            }),
            TokenKind::Float { value, single, suffix } => ExprKind::Float(match suffix {
                FloatSuffix::None => FloatLiteral::Plain { double: value, single },
                FloatSuffix::F => FloatLiteral::Single(single),
                FloatSuffix::H => FloatLiteral::Half(half_bits(value)),
                FloatSuffix::D => FloatLiteral::Double(value),
            }),
            TokenKind::Char(value) => ExprKind::Char(value),
            TokenKind::Str(id) => ExprKind::Str(self.interner.bytes(id).to_vec()),
            TokenKind::Punct(Punct::Caret) if self.at_block() => return self.block_literal(),
            _ => return self.fail(span, "expected expression"),
        };
        self.advance();
        Ok(Expr { kind, span })
    }

    /// Parses an identifier, or a keyword that begins a primary expression.
    fn word(&mut self, symbol: Symbol) -> PResult<Expr> {
        let span = self.span();
        let kind = match self.names.meaning(symbol) {
            Meaning::Unknown | Meaning::Ordinary => ExprKind::Ident(symbol),
            Meaning::Keyword(keyword @ (Keyword::True | Keyword::False)) => {
                ExprKind::Bool(keyword == Keyword::True)
            }
            Meaning::Keyword(Keyword::Astype) => return self.astype(),
            Meaning::Keyword(Keyword::Offsetof) => return self.offsetof(),
            Meaning::Keyword(Keyword::Asm) => return self.asm(),
            Meaning::Type(_) | Meaning::Typedef => {
                let name = self.text(symbol);
                let message = format!("unexpected type name '{name}': expected expression");
                return self.fail(span, message);
            }
            Meaning::Keyword(_) => return self.fail(span, "expected expression"),
        };
        self.advance();
        Ok(Expr { kind, span })
    }

    /// Parses `(expression)` or `({ statements })`.
    fn parenthesized(&mut self) -> PResult<Expr> {
        let opened = self.span();
        if let Some(symbol) = self.unknown_cast() {
            self.advance();
            self.unknown_type_error(symbol);
            return Err(Reported);
        }
        self.nested(|p| {
            p.advance();
            if p.at(Punct::LBrace) {
                if !p.in_function {
                    return p.fail(opened, "statement expression not allowed at file scope");
                }
                let block = p.block()?;
                let closed = p.expect_close(Punct::RParen, opened)?;
                return Ok(Expr { kind: ExprKind::StmtExpr(block), span: opened.to(closed) });
            }
            let mut expr = p.expression()?;
            let closed = p.expect_close(Punct::RParen, opened)?;
            expr.span = opened.to(closed);
            Ok(expr)
        })
    }

    /// Returns the undeclared type of an expression that can only be a cast: `(unknown)x`,
    /// `(unknown *)`.
    fn unknown_cast(&self) -> Option<Symbol> {
        let Some((symbol, Meaning::Unknown)) = self.word_ahead(1) else { return None };
        let mut ahead = 2;
        while self.at_ahead(ahead, Punct::Star) {
            ahead += 1;
        }
        let operand = matches!(
            self.kind_ahead(ahead + 1),
            TokenKind::Ident(_) | TokenKind::Int { .. } | TokenKind::Float { .. }
        );
        (self.at_ahead(ahead, Punct::RParen) && (ahead > 2 || operand)).then_some(symbol)
    }

    /// `__builtin_astype(e, type)`
    fn astype(&mut self) -> PResult<Expr> {
        let start = self.span();
        let (value, ty) = self.builtin_call("__builtin_astype", |p| {
            let value = p.assignment()?;
            p.expect_comma()?;
            Ok((value, p.type_name()?))
        })?;
        let kind = ExprKind::AsType(Box::new(value), Box::new(ty));
        Ok(Expr { kind, span: start.to(self.last_span()) })
    }

    /// Parses `__builtin_offsetof(type, member)` as the expression that programs write without it,
    /// `(size_t)&((type *)0)->member`.
    fn offsetof(&mut self) -> PResult<Expr> {
        let start = self.span();
        let place = self.builtin_call("__builtin_offsetof", |p| {
            let mut ty = p.type_name()?;
            p.expect_comma()?;
            ty.declarator.derivations.push(Derivation::Pointer(Quals::default()));
            let zero = Box::new(p.placeholder(start));
            let base = Expr { kind: ExprKind::Cast(Box::new(ty), zero), span: start };
            let name_span = p.span();
            let name = p.expect_name()?;
            let base = Box::new(base);
            let kind = ExprKind::Member { base, name, name_span, arrow: true };
            let outer = p.begin_height();
            let member = p.postfix(Expr { kind, span: start.to(name_span) })?;
            p.end_height(outer);
            Ok(member)
        })?;
        let span = start.to(self.last_span());
        let address = Expr { kind: ExprKind::Unary(UnaryOp::AddressOf, Box::new(place)), span };
        let ty = plain_type_name(TypeSpec::Scalar(ScalarName::ULong), span);
        Ok(Expr { kind: ExprKind::Cast(Box::new(ty), Box::new(address)), span })
    }

    /// `name(operands)`, at the name.
    fn builtin_call<T>(
        &mut self,
        name: &str,
        operands: impl FnOnce(&mut Self) -> PResult<T>,
    ) -> PResult<T> {
        self.advance();
        let opened = self.span();
        if !self.at(Punct::LParen) {
            return self.fail(opened, format!("expected '(' after '{name}'"));
        }
        self.nested(|p| {
            p.advance();
            let result = operands(p)?;
            p.expect_close(Punct::RParen, opened)?;
            Ok(result)
        })
    }

    fn expect_comma(&mut self) -> PResult<()> {
        match self.eat(Punct::Comma) {
            true => Ok(()),
            false => self.fail(self.span(), "expected ','"),
        }
    }
}
