//! Struct, union and enum specifiers (C99 6.7.2.1 and 6.7.2.2).

use super::ast::{Enumerator, FieldDecl, FieldDeclarator, Name, TypeSpec};
use super::declarator::Naming;
use super::keywords::Keyword;
use super::parser::{PResult, Parser};
use super::scope::Meaning;
use super::specs::Context;
use crate::preprocess::{Punct, TokenKind};
use crate::source::Span;

impl Parser<'_> {
    /// `struct tag`, `struct tag { ... }`, `struct { ... }`; unions likewise.
    pub fn record(&mut self, is_union: bool) -> PResult<TypeSpec> {
        let word = if is_union { "union" } else { "struct" };
        let start = self.span();
        self.advance();
        let mut attributes = Vec::new();
        self.attributes(&mut attributes)?;
        let tag = self.tag(word);
        let (mut fields, pack) = (None, self.pack);
        if self.at(Punct::LBrace) {
            fields = Some(self.nested(Self::fields)?);
            self.attributes(&mut attributes)?;
        } else if tag.is_none() {
            let message = format!("declaration of anonymous {word} must be a definition");
            return self.fail(start, message);
        }
        Ok(TypeSpec::Record { is_union, tag, fields, attributes, pack })
    }

    /// Returns the tag after `struct`, `union` or `enum`, if there is one.
    fn tag(&mut self, word: &'static str) -> Option<Name> {
        let symbol = self.name_ahead(0)?;
        let span = self.span();
        self.advance();
        self.names.declare_tag(symbol, word);
        Some(Name { symbol, span })
    }

    /// Parses `{ member declarations }`. A wrong member is reported and skipped.
    fn fields(&mut self) -> PResult<Vec<FieldDecl>> {
        let opened = self.span();
        self.advance();
        let mut fields = Vec::new();
        while !self.at(Punct::RBrace) && !self.at_end() {
            if self.eat(Punct::Semi) {
                continue;
            }
            if let TokenKind::Pragma(_) = self.kind() {
                self.advance();
                continue;
            }
            match self.field() {
                Ok(field) => fields.push(field),
                Err(_) => self.skip_statement(),
            }
        }
        self.expect_close(Punct::RBrace, opened)?;
        Ok(fields)
    }

    fn field(&mut self) -> PResult<FieldDecl> {
        let start = self.span();
        if self.at_keyword(Keyword::StaticAssert) {
            return self.fail(start, "static assertions in structs are not supported");
        }
        let specs = self.specs(Context::Field, Vec::new())?;
        let mut declarators = Vec::new();
        if std::mem::take(&mut self.assumed_semi) {
            return Ok(FieldDecl { specs, declarators, span: start.to(self.last_span()) });
        }
        while !self.at(Punct::Semi) {
            let declarator = if self.at(Punct::Colon) {
                Default::default()
            } else {
                self.declarator(Naming::Required)?
            };
            let bit_width = match self.eat(Punct::Colon) {
                true => Some(self.conditional()?),
                false => None,
            };
            let mut field = FieldDeclarator { declarator, bit_width };
            self.attributes(&mut field.declarator.attributes)?;
            declarators.push(field);
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        self.expect_semi("expected ';' at end of declaration list");
        Ok(FieldDecl { specs, declarators, span: start.to(self.last_span()) })
    }

    /// `enum tag`, `enum tag { A, B = 2 }`, `enum { ... }`.
    pub fn enumeration(&mut self) -> PResult<TypeSpec> {
        let start = self.span();
        self.advance();
        let mut attributes = Vec::new();
        self.attributes(&mut attributes)?;
        let tag = self.tag("enum");
        let mut enumerators = None;
        if self.at(Punct::LBrace) {
            let opened = self.span();
            enumerators = Some(self.nested(|p| {
                p.advance();
                let result = p.enumerators(opened);
                if result.is_err() {
                    p.skip_to_close(Punct::RBrace, false);
                }
                result
            })?);
            self.attributes(&mut attributes)?;
        } else if tag.is_none() {
            return self.fail(start, "expected identifier or '{'");
        }
        Ok(TypeSpec::Enum { tag, enumerators, attributes })
    }

    fn enumerators(&mut self, opened: Span) -> PResult<Vec<Enumerator>> {
        let mut enumerators = Vec::new();
        while !self.at(Punct::RBrace) {
            let span = self.span();
            let name = self.expect_name()?;
            self.attributes(&mut Vec::new())?;
            let value = match self.eat(Punct::Eq) {
                true => Some(self.conditional()?),
                false => None,
            };
            self.names.declare(name, Meaning::Ordinary);
            enumerators.push(Enumerator { name, span, value });
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        if enumerators.is_empty() && self.at(Punct::RBrace) {
            self.error(self.span(), "use of empty enum");
        }
        self.expect_close(Punct::RBrace, opened)?;
        Ok(enumerators)
    }

    /// Checks the token behind a definition's `}`, which begins a declarator or is `;`. If it begins another
    /// type, the missing `;` is reported and assumed.
    pub fn check_end_of_tag(&mut self, word: &str, context: Context) {
        if matches!(context, Context::Param | Context::TypeName) {
            return;
        }
        let forgotten = match self.word_ahead(0) {
            Some((_, Meaning::Keyword(Keyword::Kernel | Keyword::Typedef))) => true,
            Some((_, Meaning::Keyword(keyword))) => keyword.is_type(),
            Some((_, Meaning::Typedef | Meaning::Type(_))) => {
                self.name_ahead(1).is_some() || self.at_ahead(1, Punct::Star)
            }
            _ => false,
        };
        if forgotten {
            self.error(self.last_span().after(), format!("expected ';' after {word}"));
            self.assumed_semi = true;
        }
    }
}
