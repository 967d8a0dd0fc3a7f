//! Declarators (C99 6.7.5), named and abstract: pointers, arrays, functions and their parameters.

use super::ast::{Attribute, Declarator, Derivation, ParamDecl, Quals, StorageClass};
use super::keywords::Keyword;
use super::parser::{PResult, Parser};
use super::scope::Meaning;
use super::specs::Context;
use super::MAX_NESTING;
use crate::preprocess::{Punct, Symbol, TokenKind};
use crate::source::Span;

/// The most parameters of an old-style definition; C99 5.2.4.1 asks for 127.
const MAX_OLD_STYLE: usize = 255;
/// The most tokens of the type of several old-style parameters, which is parsed for each of them.
const MAX_SPECIFIERS: usize = 256;

/// The rule for the name of a declarator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Naming {
    Required,
    /// The declarator may have a name, as in parameters.
    Optional,
    /// The declarator must not have a name, as in type-names.
    Forbidden,
}

impl Declarator {
    /// Returns true if the declarator declares a function, and not, for example, a pointer to a function.
    pub(super) fn is_function(&self) -> bool {
        matches!(self.derivations.last(), Some(Derivation::Function { .. }))
    }
}

impl Parser<'_> {
    /// Reads a declarator and the attributes around it.
    pub fn declarator(&mut self, naming: Naming) -> PResult<Declarator> {
        let start = self.span();
        let position = self.position();
        let mut attributes = Vec::new();
        self.attributes(&mut attributes)?;
        let mut derivations = Vec::new();
        self.pointers(&mut derivations, &mut attributes)?;

        let mut inner = Declarator { span: self.span(), ..Declarator::default() };
        let named = match naming {
            Naming::Forbidden => None,
            _ => self.name_ahead(0),
        };
        if let Some(name) = named {
            self.advance();
            inner.name = Some(name);
        } else if self.at(Punct::LParen) && self.opens_group(naming) {
            inner = self.nested(|p| {
                let opened = p.span();
                p.advance();
                let inner = p.declarator(naming)?;
                p.expect_close(Punct::RParen, opened)?;
                Ok(inner)
            })?;
        } else if naming == Naming::Required {
            return self.fail(self.span(), "expected identifier or '('");
        }

        let mut suffixes = Vec::new();
        self.suffixes(&mut suffixes)?;
        if self.at_keyword(Keyword::Asm) {
            return self.fail(self.span(), "assembly labels are not supported");
        }
        self.attributes(&mut attributes)?;

        derivations.extend(suffixes.into_iter().rev());
        derivations.append(&mut inner.derivations);
        self.check_derivations(derivations.len())?;
        attributes.append(&mut inner.attributes);
        let span = match inner.name {
            Some(_) => inner.span,
            None if self.position() == position => start,
            None => start.to(self.last_span()),
        };
        Ok(Declarator { name: inner.name, span, derivations, attributes })
    }

    /// Parses `*`, or `^` of a block, and the qualifiers after it, any number of times.
    fn pointers(
        &mut self,
        into: &mut Vec<Derivation>,
        attributes: &mut Vec<Attribute>,
    ) -> PResult<()> {
        while self.at(Punct::Star) || self.at(Punct::Caret) {
            let is_block = self.at(Punct::Caret);
            if is_block {
                self.check_blocks()?;
            }
            self.advance();
            let mut quals = Quals::default();
            loop {
                match self.keyword() {
                    Some(keyword) if keyword.is_qualifier() => {
                        self.qualifier(keyword, &mut quals);
                    }
                    Some(Keyword::Attribute) => self.attributes(attributes)?,
                    _ => break,
                }
            }
            into.push(match is_block {
                true => Derivation::BlockPointer(quals),
                false => Derivation::Pointer(quals),
            });
            self.check_derivations(into.len())?;
        }
        Ok(())
    }

    /// Returns true if the `(` at the cursor groups a declarator, and false if it begins parameters. If the
    /// declarator needs no name, it begins parameters if a type follows (C99 6.7.5.3p11).
    fn opens_group(&self, naming: Naming) -> bool {
        naming == Naming::Required
            || !(self.at_ahead(1, Punct::RParen)
                || self.at_ahead(1, Punct::Ellipsis)
                || self.starts_declaration(1) && self.keyword_ahead(1) != Some(Keyword::Attribute))
    }

    /// Parses `[n]` and `(parameters)`, any number of times, in the order of the text.
    fn suffixes(&mut self, into: &mut Vec<Derivation>) -> PResult<()> {
        loop {
            let opened = self.span();
            let derivation = match self.punct() {
                Some(Punct::LBracket) => self.nested(|p| p.array(opened))?,
                Some(Punct::LParen) => self.nested(|p| {
                    p.names.open_scope();
                    let result = p.parameters(opened);
                    p.names.close_scope();
                    result
                })?,
                _ => return Ok(()),
            };
            into.push(derivation);
            self.check_derivations(into.len())?;
        }
    }

    fn check_derivations(&mut self, count: usize) -> PResult<()> {
        if count <= MAX_NESTING as usize {
            return Ok(());
        }
        self.exceed(format!(
            "pointers and arrays of one declarator exceed maximum of {MAX_NESTING}"
        ))
    }

    fn array(&mut self, opened: Span) -> PResult<Derivation> {
        self.advance();
        // Qualifiers and `static` in a parameter's brackets (C99 6.7.5.3p7) are promises that this compiler
        // does not use.
        while let Some(keyword) = self.keyword() {
            if !keyword.is_qualifier() && keyword != Keyword::Static {
                break;
            }
            self.advance();
        }
        let length = if self.at(Punct::RBracket) {
            None
        } else if self.at(Punct::Star) && self.at_ahead(1, Punct::RBracket) {
            let message = "variable length arrays are not supported in OpenCL";
            return self.fail(self.span(), message);
        } else {
            Some(Box::new(self.conditional()?))
        };
        self.expect_close(Punct::RBracket, opened)?;
        Ok(Derivation::Array(length))
    }

    /// Parses `(parameters)`. A wrong parameter is reported and skipped, so that the body can be parsed.
    pub fn parameters(&mut self, opened: Span) -> PResult<Derivation> {
        self.advance();
        let mut params = Vec::new();
        let mut is_variadic = false;
        let is_void = self.at_keyword(Keyword::Void) && self.at_ahead(1, Punct::RParen);
        if is_void {
            self.advance();
        } else if self.is_name_list() {
            params = self.old_style_parameters(opened)?;
            return Ok(Derivation::Function { params, is_variadic });
        } else if !self.at(Punct::RParen) {
            loop {
                if self.eat(Punct::Ellipsis) {
                    is_variadic = true;
                    break;
                }
                match self.nested(Self::parameter) {
                    Ok(param) => params.push(param),
                    Err(_) => self.skip_list_item(),
                }
                if !self.eat(Punct::Comma) && !self.mistaken_semi() {
                    break;
                }
            }
        }
        if self.expect_close(Punct::RParen, opened).is_err() {
            self.skip_to_close(Punct::RParen, true);
        }
        Ok(Derivation::Function { params, is_variadic })
    }

    /// Reports and skips a `;` where a `,` should be; returns true if there is one.
    fn mistaken_semi(&mut self) -> bool {
        let mistaken = self.at(Punct::Semi)
            && self.starts_declaration(1)
            && !matches!(self.keyword_ahead(1), Some(Keyword::Kernel | Keyword::Typedef));
        if mistaken {
            self.error(self.span(), "expected ')' or ',' in parameter list");
            self.advance();
        }
        mistaken
    }

    fn parameter(&mut self) -> PResult<ParamDecl> {
        let start = self.span();
        let specs = self.specs(Context::Param, Vec::new())?;
        let declarator = self.declarator(Naming::Optional)?;
        self.declare(&declarator, None);
        Ok(ParamDecl { specs, declarator, span: start.to(self.last_span()) })
    }

    /// Returns true if the parameters are names without types, and declarations of their types follow the list.
    fn is_name_list(&self) -> bool {
        let mut ahead = 0;
        while self.name_ahead(ahead).is_some() && !self.starts_type(ahead) {
            if self.at_ahead(ahead + 1, Punct::RParen) {
                return self.starts_declaration(ahead + 2)
                    && self.keyword_ahead(ahead + 2) != Some(Keyword::Attribute);
            }
            if !self.at_ahead(ahead + 1, Punct::Comma) {
                return false;
            }
            ahead += 2;
        }
        false
    }

    /// Parses `a, b) int a; float b;`, the parameters of an old-style definition (C99 6.9.1): the names, and the declarations
    /// that give them types. A function that is defined so has a prototype all the same.
    fn old_style_parameters(&mut self, opened: Span) -> PResult<Vec<ParamDecl>> {
        let mut names = Vec::new();
        while let Some(name) = self.name_ahead(0) {
            if names.len() == MAX_OLD_STYLE {
                return self.exceed(format!(
                    "parameters of an old-style definition exceed maximum of {MAX_OLD_STYLE}"
                ));
            }
            names.push((name, self.span()));
            self.advance();
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        self.expect_close(Punct::RParen, opened)?;
        let mut declared: Vec<Option<ParamDecl>> = names.iter().map(|_| None).collect();
        while self.starts_declaration(0) && !self.at_end() {
            self.old_style_declaration(&names, &mut declared)?;
        }
        if !self.at(Punct::LBrace) {
            self.error(self.span(), "expected function body after function declarator");
        }
        for (param, &(name, span)) in declared.iter().zip(&names) {
            if param.is_none() {
                let message = format!("parameter '{}' is not declared", self.text(name));
                self.error(span, message);
            }
        }
        Ok(declared.into_iter().flatten().collect())
    }

    /// Parses a declaration of old-style parameters. Its specifiers are parsed anew for each declarator.
    fn old_style_declaration(
        &mut self,
        names: &[(Symbol, Span)],
        declared: &mut [Option<ParamDecl>],
    ) -> PResult<()> {
        let (start, first) = (self.span(), self.position());
        loop {
            let next = self.position();
            self.rewind(first);
            let specs = self.specs(Context::Param, Vec::new())?;
            if next > first {
                if self.position() - first > MAX_SPECIFIERS {
                    return self.exceed(format!(
                        "tokens of the type of several old-style parameters exceed maximum of {MAX_SPECIFIERS}"
                    ));
                }
                self.rewind(next);
            }
            let declarator = self.declarator(Naming::Required)?;
            self.declare(&declarator, None);
            let index = names.iter().position(|&(name, _)| declarator.name == Some(name));
            match index.map(|index| &mut declared[index]) {
                Some(param @ None) => {
                    *param =
                        Some(ParamDecl { specs, declarator, span: start.to(self.last_span()) });
                }
                place => {
                    let rule = if place.is_some() {
                        "redefinition of parameter"
                    } else {
                        "no parameter named"
                    };
                    let name = declarator.name.map_or("", |name| self.text(name));
                    let message = format!("{rule} '{name}'");
                    self.error(declarator.span, message);
                }
            }
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        self.expect_semi("expected ';' at end of declaration");
        Ok(())
    }

    /// Declares the name of a declarator in the innermost scope.
    pub fn declare(&mut self, declarator: &Declarator, storage: Option<StorageClass>) {
        let Some(name) = declarator.name else { return };
        let meaning = match storage {
            Some(StorageClass::Typedef) => Meaning::Typedef,
            _ => Meaning::Ordinary,
        };
        self.names.declare(name, meaning);
    }

    /// Declares the parameters of a function being defined, in the scope of its body.
    pub fn declare_parameters(&mut self, declarator: &Declarator) {
        if let Some(Derivation::Function { params, .. }) = declarator.derivations.last() {
            for param in params {
                self.declare(&param.declarator, None);
            }
        }
    }

    /// Returns true if an undeclared type is at the cursor, where a statement may begin: `unknown x`,
    /// `unknown *x =`.
    pub fn at_unknown_type(&self) -> bool {
        let Some((_, Meaning::Unknown)) = self.word_ahead(0) else { return false };
        let mut ahead = 1;
        while self.at_ahead(ahead, Punct::Star) {
            ahead += 1;
        }
        let follows = self.kind_ahead(ahead + 1);
        match (self.word_ahead(ahead), ahead) {
            (Some((_, Meaning::Keyword(keyword))), 1) => keyword.may_follow_type(),
            (Some((_, Meaning::Keyword(keyword))), _) => keyword.is_qualifier(),
            (Some(_), 1) => true,
            (Some(_), _) => matches!(
                follows,
                TokenKind::Punct(Punct::Semi | Punct::Eq | Punct::Comma | Punct::LBracket)
            ),
            (None, _) => false,
        }
    }
}
