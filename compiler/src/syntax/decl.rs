//! Declarations, function definitions and initializers (C99 6.7 to 6.9).

use super::ast::{
    Attribute, Block, DeclSpecs, Declaration, Declarator, DesignatedInit, Designator, FunctionDef,
    InitDeclarator, Initializer, Item, StaticAssert, StorageClass, TranslationUnit, Use,
};
use super::declarator::Naming;
use super::keywords::Keyword;
use super::parser::{PResult, Parser};
use super::specs::Context;
use crate::preprocess::{Punct, TokenKind};
use crate::source::Span;

/// A declaration, or the definition of a function, which begins like a declaration.
pub(super) enum Declared {
    Declaration(Declaration),
    Function(Box<FunctionDef>),
}

impl Parser<'_> {
    /// Parses the whole program.
    pub fn translation_unit(mut self) -> TranslationUnit {
        let mut unit = TranslationUnit::default();
        while !self.at_end() {
            let position = self.position();
            match self.item() {
                Ok(Some(item)) => unit.items.push(item),
                Ok(None) => {}
                Err(_) => {
                    self.skip_statement();
                    self.eat(Punct::RBrace);
                }
            }
            self.assumed_semi = false;
            if self.position() == position {
                self.advance();
            }
        }
        unit
    }

    /// Parses a declaration at file scope; `None` for an empty one.
    fn item(&mut self) -> PResult<Option<Item>> {
        let span = self.span();
        match self.kind() {
            TokenKind::Pragma(pragma) => {
                self.advance();
                return Ok(Some(Item::Pragma(pragma, span)));
            }
            TokenKind::Punct(Punct::Semi) => {
                self.advance();
                return Ok(None);
            }
            TokenKind::Punct(Punct::RBrace) => {
                if !self.confused {
                    self.error(span, "extraneous closing brace ('}')");
                }
                self.confused = true;
                self.advance();
                return Ok(None);
            }
            _ => {}
        }
        match self.keyword() {
            Some(Keyword::Asm) => return self.asm(),
            Some(Keyword::StaticAssert) => {
                let assertion = self.static_assert()?;
                return Ok(Some(Item::StaticAssert(Box::new(assertion))));
            }
            _ => {}
        }
        let declares = self.starts_declaration(0) || self.at_keyword(Keyword::Extension);
        if !declares && self.confused {
            // This is the rest of a body that ended too early, which has been reported.
            self.skip_statement();
            return Ok(None);
        }
        self.confused |= !declares && self.name_ahead(0).is_none();
        match self.declaration(Context::File, Vec::new())? {
            Declared::Function(function) => {
                self.confused = false;
                Ok(Some(Item::Function(function)))
            }
            Declared::Declaration(declaration) => Ok(Some(Item::Declaration(declaration))),
        }
    }

    /// Reports inline assembly, which OpenCL C does not have.
    pub fn asm<T>(&mut self) -> PResult<T> {
        self.fail(self.span(), "inline assembly is not supported in OpenCL C")
    }

    /// `_Static_assert(cond, message);`
    pub fn static_assert(&mut self) -> PResult<StaticAssert> {
        let start = self.span();
        self.advance();
        let opened = self.span();
        if !self.at(Punct::LParen) {
            return self.fail(opened, "expected '(' after '_Static_assert'");
        }
        let (cond, message) = self.nested(|p| {
            p.advance();
            let cond = p.conditional()?;
            let mut message = None;
            if p.eat(Punct::Comma) {
                let TokenKind::Str(id) = p.kind() else {
                    return p.fail(p.span(), "expected string literal for diagnostic message");
                };
                message = Some(p.interner.bytes(id).to_vec());
                p.advance();
            }
            p.expect_close(Punct::RParen, opened)?;
            Ok((cond, message))
        })?;
        self.expect_semi("expected ';' after '_Static_assert'");
        Ok(StaticAssert { cond, message, span: start.to(self.last_span()) })
    }

    /// Parses a declaration with its `;`, or a definition of a function. `attributes` were read before.
    pub fn declaration(
        &mut self,
        context: Context,
        attributes: Vec<Attribute>,
    ) -> PResult<Declared> {
        let start = attributes.first().map_or(self.span(), |attribute| attribute.span);
        let specs = self.specs(context, attributes)?;
        let mut declarators = Vec::new();
        let ended = std::mem::take(&mut self.assumed_semi) || self.eat(Punct::Semi);
        if !ended {
            loop {
                let declarator = self.declarator(Naming::Required)?;
                self.declare(&declarator, specs.storage);
                if declarators.is_empty() && declarator.is_function() {
                    if self.at(Punct::LBrace) {
                        return self.function(start, context, specs, declarator);
                    }
                    self.check_after_prototype(context)?;
                }
                let init = match self.eat(Punct::Eq) {
                    true => Some(self.initializer()?),
                    false => None,
                };
                declarators.push(InitDeclarator { declarator, init });
                if !self.eat(Punct::Comma) {
                    break;
                }
            }
            self.end_declaration(context);
        }
        let span = start.to(self.last_span());
        Ok(Declared::Declaration(Declaration { specs, declarators, span }))
    }

    /// Checks the token behind a function's declarator at file scope, if it does not begin a body.
    fn check_after_prototype(&mut self, context: Context) -> PResult<()> {
        let fits = matches!(self.punct(), Some(Punct::Semi | Punct::Comma | Punct::Eq))
            || self.starts_declaration(0)
            || self.at_end();
        if context == Context::File && !fits {
            return self.fail(self.span(), "expected function body after function declarator");
        }
        Ok(())
    }

    fn end_declaration(&mut self, context: Context) {
        match context {
            Context::File => {
                if !self.at(Punct::Semi) && self.starts_declaration(0) {
                    let message = "expected ';' after top level declarator";
                    self.error(self.last_span().after(), message);
                    return;
                }
                let at_word = matches!(self.kind(), TokenKind::Ident(_));
                self.expect_semi("expected ';' after top level declarator");
                if at_word {
                    self.skip_statement();
                }
            }
            Context::For => {
                if !self.eat(Punct::Semi) {
                    let message = "expected ';' in 'for' statement specifier";
                    self.error(self.span(), message);
                }
            }
            _ => self.expect_semi("expected ';' at end of declaration"),
        }
    }

    /// Parses the body of a function, at its `{`.
    fn function(
        &mut self,
        start: Span,
        context: Context,
        specs: DeclSpecs,
        declarator: Declarator,
    ) -> PResult<Declared> {
        if specs.storage == Some(StorageClass::Typedef) {
            self.error(declarator.span, "function definition declared 'typedef'");
        } else if context != Context::File {
            self.error(self.span(), "function definition is not allowed here");
        }
        let unused = self.unused_body();
        if let Some(body) = unused.filter(|body| body.is_verified) {
            let opened = self.span();
            self.skip_body(body);
            let body = Block { stmts: Vec::new(), span: opened.to(self.last_span()) };
            let (use_, span) = (Use::CheckedBefore, start.to(self.last_span()));
            let function = FunctionDef { specs, declarator, body, use_, span };
            return Ok(Declared::Function(Box::new(function)));
        }
        let use_ = if unused.is_some() { Use::None } else { Use::Possible };
        self.names.open_scope();
        self.declare_parameters(&declarator);
        let was_in_function = std::mem::replace(&mut self.in_function, true);
        let body = self.block();
        self.in_function = was_in_function;
        self.names.close_scope();
        let span = start.to(self.last_span());
        let function = FunctionDef { specs, declarator, body: body?, use_, span };
        Ok(Declared::Function(Box::new(function)))
    }

    /// Parses an initializer (C99 6.7.8): an expression or a list in braces.
    pub fn initializer(&mut self) -> PResult<Initializer> {
        if !self.at(Punct::LBrace) {
            return Ok(Initializer::Expr(self.assignment()?));
        }
        let opened = self.span();
        self.nested(|p| {
            p.advance();
            let mut list = Vec::new();
            match p.initializer_list(&mut list, opened) {
                Ok(closed) => Ok(Initializer::List(list, opened.to(closed))),
                Err(reported) => {
                    p.skip_to_close(Punct::RBrace, true);
                    Err(reported)
                }
            }
        })
    }

    fn initializer_list(&mut self, list: &mut Vec<DesignatedInit>, opened: Span) -> PResult<Span> {
        while !self.at(Punct::RBrace) {
            let designators = self.designators()?;
            let init = self.initializer()?;
            list.push(DesignatedInit { designators, init });
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        self.expect_close(Punct::RBrace, opened)
    }

    /// Parses designators, `.a[2] =`, or `a:` of old GNU C. There may be none.
    fn designators(&mut self) -> PResult<Vec<Designator>> {
        let mut designators = Vec::new();
        if let (Some(name), true) = (self.name_ahead(0), self.at_ahead(1, Punct::Colon)) {
            designators.push(Designator::Field(name, self.span()));
            self.advance();
            self.advance();
            return Ok(designators);
        }
        loop {
            let span = self.span();
            if self.eat(Punct::Dot) {
                let span = self.span();
                designators.push(Designator::Field(self.expect_name()?, span));
            } else if self.at(Punct::LBracket) {
                designators.push(self.nested(|p| {
                    p.advance();
                    let first = p.conditional()?;
                    let designator = match p.eat(Punct::Ellipsis) {
                        true => Designator::Range(first, p.conditional()?),
                        false => Designator::Index(first),
                    };
                    p.expect_close(Punct::RBracket, span)?;
                    Ok(designator)
                })?);
            } else {
                break;
            }
        }
        if !designators.is_empty() && !self.eat(Punct::Eq) {
            return self.fail(self.span(), "expected '=' or another designator");
        }
        Ok(designators)
    }
}
