//! Attributes: `__attribute__((name, name(args)))` of GNU C, which OpenCL C 6.13 uses.

use super::ast::{Attribute, UnrollHint};
use super::keywords::Keyword;
use super::parser::{PResult, Parser};
use crate::preprocess::{Punct, Symbol, TokenKind};
use crate::source::Span;

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

    /// Parses an attribute, `name` or `name(args)`. Any word may be its name, also a keyword.
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

    /// Parses `_Alignas(type)` or `_Alignas(n)`, which is the same as attribute `aligned`.
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

    /// Returns the hint for unrolling from the attributes of a statement, which must be a loop (OpenCL C
    /// 6.13.5). Statements keep no attributes, so this warns of all others.
    pub fn statement_attributes(&mut self, attributes: Vec<Attribute>) -> Option<UnrollHint> {
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

    fn unroll_hint(&mut self, mut attribute: Attribute) -> Option<UnrollHint> {
        if attribute.args.len() > 1 {
            let message = "'opencl_unroll_hint' attribute takes no more than 1 argument";
            self.error(attribute.span, message);
            return None;
        }
        Some(UnrollHint::Attribute(attribute.args.pop().map(Box::new), attribute.span))
    }

    /// Parses attributes between the word of a control-flow statement and its parenthesis (OpenCL C
    /// 6.13.4). A hint for unrolling is an error there: it belongs before the loop (6.13.5).
    pub fn control_attributes(&mut self) -> PResult<()> {
        let mut attributes = Vec::new();
        self.attributes(&mut attributes)?;
        if let Some(hint) = self.statement_attributes(attributes) {
            self.misplaced_hint(&hint, self.span());
        }
        Ok(())
    }

    /// Reports an unroll hint at `start` that is not followed by a loop.
    pub fn misplaced_hint(&mut self, hint: &UnrollHint, start: Span) {
        match hint {
            UnrollHint::Pragma(_) => {
                let message = "expected a for, while, or do-while loop to follow the unroll hint";
                self.warning(start, message);
            }
            UnrollHint::Attribute(_, span) => {
                let message = "OpenCL only supports 'opencl_unroll_hint' attribute on for, while, \
                               and do statements";
                self.error(*span, message);
            }
        }
    }
}
