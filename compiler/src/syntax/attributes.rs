//! Attributes: `__attribute__((name, name(args)))` as GNU C has them and OpenCL C 6.11 uses them.

use super::ast::{Attribute, BinaryOp, Expr, ExprKind, UnaryOp, Unroll};
use super::keywords::Keyword;
use super::parser::{PResult, Parser};
use crate::preprocess::{Punct, Symbol, TokenKind};

impl Parser<'_> {
    /// Reads all attribute specifiers at the cursor, if any.
    pub fn attributes(&mut self, into: &mut Vec<Attribute>) -> PResult<()> {
        while self.at_keyword(Keyword::Attribute) {
            self.advance();
            let outer = self.span();
            if !self.at(Punct::LParen) || !self.at_ahead(1, Punct::LParen) {
                return self.fail(outer, "expected '((' after '__attribute__'");
            }
            self.nested(|p| {
                p.advance();
                let inner = p.span();
                p.advance();
                loop {
                    if let TokenKind::Ident(name) = p.kind() {
                        let attribute = p.attribute(name)?;
                        into.push(attribute);
                    }
                    if !p.eat(Punct::Comma) {
                        break;
                    }
                }
                p.expect_close(Punct::RParen, inner)?;
                p.expect_close(Punct::RParen, outer)
            })?;
        }
        Ok(())
    }

    /// `name` or `name(args)`. Any word names an attribute, keywords too.
    fn attribute(&mut self, name: Symbol) -> PResult<Attribute> {
        let start = self.span();
        let name = self.attribute_name(name);
        self.advance();
        let mut attribute = Attribute { name, args: Vec::new(), type_arg: None, span: start };
        if self.at(Punct::LParen) {
            let opened = self.span();
            self.nested(|p| {
                p.advance();
                p.attribute_args(&mut attribute)?;
                p.expect_close(Punct::RParen, opened)
            })?;
        }
        attribute.span = start.to(self.last_span());
        Ok(attribute)
    }

    fn attribute_args(&mut self, attribute: &mut Attribute) -> PResult<()> {
        if self.at(Punct::RParen) {
            return Ok(());
        }
        if self.starts_type(0) {
            attribute.type_arg = Some(Box::new(self.type_name()?));
            if !self.eat(Punct::Comma) {
                return Ok(());
            }
        }
        loop {
            attribute.args.push(self.assignment()?);
            if !self.eat(Punct::Comma) {
                return Ok(());
            }
        }
    }

    /// `__packed__` and `packed` are one attribute.
    fn attribute_name(&mut self, name: Symbol) -> Symbol {
        let text = self.text(name);
        let bare = text.strip_prefix("__").and_then(|text| text.strip_suffix("__"));
        match bare.filter(|bare| !bare.is_empty()).map(str::to_string) {
            Some(bare) => self.interner.intern(&bare),
            None => name,
        }
    }

    /// `_Alignas(type)` or `_Alignas(n)`, which means what attribute `aligned` means.
    pub fn alignas(&mut self, into: &mut Vec<Attribute>) -> PResult<()> {
        let start = self.span();
        self.advance();
        let opened = self.span();
        if !self.at(Punct::LParen) {
            return self.fail(opened, "expected '(' after '_Alignas'");
        }
        let name = self.interner.intern("aligned");
        let mut attribute = Attribute { name, args: Vec::new(), type_arg: None, span: start };
        self.nested(|p| {
            p.advance();
            if p.starts_type(0) {
                attribute.type_arg = Some(Box::new(p.type_name()?));
            } else {
                attribute.args.push(p.assignment()?);
            }
            p.expect_close(Punct::RParen, opened)
        })?;
        attribute.span = start.to(self.last_span());
        into.push(attribute);
        Ok(())
    }

    /// What the attributes of a statement say about unrolling the loop that it is (OpenCL C
    /// 6.11.5). Statements keep no attributes, so that others are warned about here.
    pub fn statement_attributes(&mut self, attributes: &[Attribute]) -> Option<Unroll> {
        let mut unroll = None;
        for attribute in attributes {
            match self.text(attribute.name) {
                "opencl_unroll_hint" => unroll = self.unroll_hint(attribute).or(unroll),
                "fallthrough" | "unused" | "nomerge" => {}
                name => {
                    let message = format!("unknown attribute '{name}' ignored");
                    self.warning(attribute.span, message);
                }
            }
        }
        unroll
    }

    fn unroll_hint(&mut self, attribute: &Attribute) -> Option<Unroll> {
        let Some(arg) = attribute.args.first() else { return Some(Unroll::Full) };
        match constant(arg).map(u32::try_from) {
            Some(Ok(0 | 1)) => Some(Unroll::Disable),
            Some(Ok(count)) => Some(Unroll::Count(count)),
            _ => {
                let message =
                    "'opencl_unroll_hint' attribute requires a non-negative integer constant";
                self.error(arg.span, message);
                None
            }
        }
    }
}

/// The value of an integer constant expression of literals.
fn constant(expr: &Expr) -> Option<i64> {
    match &expr.kind {
        ExprKind::Int(literal) => i64::try_from(literal.value).ok(),
        ExprKind::Unary(UnaryOp::Plus, a) => constant(a),
        ExprKind::Unary(UnaryOp::Minus, a) => constant(a)?.checked_neg(),
        ExprKind::Binary(op, a, b) => {
            let (a, b) = (constant(a)?, constant(b)?);
            match op {
                BinaryOp::Add => a.checked_add(b),
                BinaryOp::Sub => a.checked_sub(b),
                BinaryOp::Mul => a.checked_mul(b),
                BinaryOp::Div => a.checked_div(b),
                BinaryOp::Shl => a.checked_shl(u32::try_from(b).ok()?),
                BinaryOp::Shr => a.checked_shr(u32::try_from(b).ok()?),
                _ => None,
            }
        }
        _ => None,
    }
}
