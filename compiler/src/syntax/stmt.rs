//! Statements (C99 6.8) with GNU C's case ranges and OpenCL C's hints for unrolling loops.

use super::ast::{Block, Expr, Name, Stmt, StmtKind, Unroll, UnrollHint};
use super::decl::Declared;
use super::keywords::Keyword;
use super::parser::{PResult, Parser, Reported};
use super::scope::Meaning;
use super::specs::Context;
use super::{MAX_NESTED_BRANCHES, MAX_NESTED_LINKS};
use crate::preprocess::{Pragma, Punct, Symbol, TokenKind};
use crate::source::Span;

/// The part before a statement that makes it a target of jumps.
enum Label {
    Named(Symbol),
    Case(Expr, Option<Expr>),
    Default,
}

impl Label {
    fn before(self, body: Stmt) -> StmtKind {
        let body = Box::new(body);
        match self {
            Label::Named(name) => StmtKind::Label(name, body),
            Label::Case(low, high) => StmtKind::Case { low, high, body },
            Label::Default => StmtKind::Default(body),
        }
    }
}

/// Returns a statement with many labels, as a block in which each has an empty statement of its own.
fn behind_labels(labels: Vec<(Label, Span)>, stmt: Stmt) -> Stmt {
    let span = labels.first().map_or(stmt.span, |(_, start)| start.to(stmt.span));
    let mut stmts = Vec::with_capacity(labels.len() + 1);
    for (label, start) in labels {
        let empty = Stmt { kind: StmtKind::Empty, span: start };
        stmts.push(Stmt { kind: label.before(empty), span: start });
    }
    stmts.push(stmt);
    Stmt { kind: StmtKind::Block(Block { stmts, span }), span }
}

impl Parser<'_> {
    /// `{ ... }`, at the brace. A mistake in a statement is reported and skipped.
    pub fn block(&mut self) -> PResult<Block> {
        let opened = self.span();
        self.nested(|p| {
            p.advance();
            p.names.open_scope();
            let mut stmts = Vec::new();
            while !p.at(Punct::RBrace) && !p.at_end() {
                let position = p.position();
                match p.with_depth(Self::block_item) {
                    Ok(stmt) => stmts.push(stmt),
                    Err(Reported) => p.skip_statement(),
                }
                p.assumed_semi = false;
                if p.position() == position && !p.at(Punct::RBrace) {
                    p.advance();
                }
            }
            p.names.close_scope();
            // If the brace is missing, this is the end of the text, and parsing stops.
            let closed = p.expect_close(Punct::RBrace, opened).unwrap_or(opened);
            Ok(Block { stmts, span: opened.to(closed) })
        })
    }

    /// Parses a statement or declaration.
    fn block_item(&mut self) -> PResult<Stmt> {
        let start = self.span();
        match self.kind() {
            TokenKind::Pragma(Pragma::Unroll(_)) => {}
            TokenKind::Pragma(pragma) => {
                self.advance();
                return Ok(Stmt { kind: StmtKind::Pragma(pragma), span: start });
            }
            _ => {}
        }
        let mut attributes = Vec::new();
        self.attributes(&mut attributes)?;
        if self.at_declaration() {
            return self.declaration_statement(attributes);
        }
        let unroll = self.statement_attributes(attributes);
        self.statement(unroll)
    }

    fn at_declaration(&self) -> bool {
        match self.word_ahead(0) {
            Some((_, Meaning::Keyword(Keyword::Extension))) => self.starts_declaration(1),
            Some((_, Meaning::Keyword(Keyword::StaticAssert))) => true,
            Some((_, Meaning::Keyword(_))) => self.starts_declaration(0),
            Some((_, Meaning::Type(_) | Meaning::Typedef)) => !self.at_ahead(1, Punct::Colon),
            Some((_, Meaning::Unknown)) => self.at_unknown_type(),
            _ => false,
        }
    }

    fn declaration_statement(&mut self, attributes: Vec<super::ast::Attribute>) -> PResult<Stmt> {
        let start = self.span();
        if self.at_keyword(Keyword::StaticAssert) {
            let assertion = self.static_assert()?;
            let span = assertion.span;
            return Ok(Stmt { kind: StmtKind::StaticAssert(Box::new(assertion)), span });
        }
        match self.declaration(Context::Block, attributes)? {
            Declared::Declaration(declaration) => {
                let span = declaration.span;
                Ok(Stmt { kind: StmtKind::Declaration(declaration), span })
            }
            // A function in a function was reported at the beginning of its body.
            Declared::Function(_) => Ok(Stmt { kind: StmtKind::Empty, span: start }),
        }
    }

    /// Parses a statement with its labels. `unroll` is the hint from attributes in front of them.
    fn statement(&mut self, mut unroll: Option<UnrollHint>) -> PResult<Stmt> {
        let mut labels: Vec<(Label, Span)> = Vec::new();
        loop {
            let start = self.span();
            if let TokenKind::Pragma(pragma) = self.kind() {
                if let Pragma::Unroll(count) = pragma {
                    unroll = Some(UnrollHint::Pragma(unroll_of(count)));
                }
                self.advance();
                continue;
            }
            if self.at_keyword(Keyword::Attribute) {
                let mut attributes = Vec::new();
                self.attributes(&mut attributes)?;
                unroll = self.statement_attributes(attributes).or(unroll);
                continue;
            }
            match self.label()? {
                Some(label) => labels.push((label, start)),
                None => break,
            }
            if labels.len() <= MAX_NESTED_LINKS as usize {
                self.deepen()?;
            }
        }
        let mut stmt = match labels.last() {
            Some(_) => self.labelled(unroll)?,
            None => self.unlabelled(unroll)?,
        };
        if labels.len() > MAX_NESTED_LINKS as usize {
            return Ok(behind_labels(labels, stmt));
        }
        while let Some((label, start)) = labels.pop() {
            let span = start.to(stmt.span);
            stmt = Stmt { kind: label.before(stmt), span };
        }
        Ok(stmt)
    }

    /// Parses a label, if one is at the cursor: `name:`, `case value:`, `case low ... high:` or `default:`.
    fn label(&mut self) -> PResult<Option<Label>> {
        match self.word_ahead(0) {
            Some((_, Meaning::Keyword(Keyword::Case))) => {
                self.advance();
                let low = self.conditional()?;
                let high = match self.eat(Punct::Ellipsis) {
                    true => Some(self.conditional()?),
                    false => None,
                };
                self.expect_colon("case");
                Ok(Some(Label::Case(low, high)))
            }
            Some((_, Meaning::Keyword(Keyword::Default))) => {
                self.advance();
                self.expect_colon("default");
                Ok(Some(Label::Default))
            }
            Some((_, Meaning::Keyword(_))) | None => Ok(None),
            Some((name, _)) if self.at_ahead(1, Punct::Colon) => {
                self.advance();
                self.advance();
                Ok(Some(Label::Named(name)))
            }
            Some(_) => Ok(None),
        }
    }

    fn expect_colon(&mut self, word: &str) {
        let span = self.last_span().after();
        if !self.eat(Punct::Colon) {
            self.error(span, format!("expected ':' after '{word}'"));
            self.eat(Punct::Semi);
        }
    }

    /// Parses the part behind a label: a statement or, in C23, a declaration or nothing.
    fn labelled(&mut self, unroll: Option<UnrollHint>) -> PResult<Stmt> {
        let span = self.span();
        if self.at(Punct::RBrace) {
            self.warning(span, "label at end of compound statement is a C23 extension");
            return Ok(Stmt { kind: StmtKind::Empty, span });
        }
        if self.at_declaration() {
            self.warning(span, "label followed by a declaration is a C23 extension");
            return self.declaration_statement(Vec::new());
        }
        self.unlabelled(unroll)
    }

    fn unlabelled(&mut self, unroll: Option<UnrollHint>) -> PResult<Stmt> {
        let start = self.span();
        let keyword = self.keyword();
        let is_loop = matches!(keyword, Some(Keyword::For | Keyword::While | Keyword::Do));
        if let (Some(hint), false) = (&unroll, is_loop) {
            self.misplaced_hint(hint, start);
        }
        let kind = match keyword {
            Some(Keyword::If) => return self.if_statement(),
            Some(Keyword::For) => self.for_statement(unroll)?,
            Some(Keyword::While) => {
                self.advance();
                let cond = self.condition("while")?;
                let body = self.substatement();
                StmtKind::While { cond, body: Box::new(body), unroll }
            }
            Some(Keyword::Do) => self.do_statement(unroll)?,
            Some(Keyword::Switch) => {
                self.advance();
                let value = self.condition("switch")?;
                let body = self.substatement();
                StmtKind::Switch { value, body: Box::new(body) }
            }
            Some(Keyword::Break) => {
                self.advance();
                self.expect_semi("expected ';' after break statement");
                StmtKind::Break
            }
            Some(Keyword::Continue) => {
                self.advance();
                self.expect_semi("expected ';' after continue statement");
                StmtKind::Continue
            }
            Some(Keyword::Return) => {
                self.advance();
                let value = match self.at(Punct::Semi) || self.at(Punct::RBrace) {
                    true => None,
                    false => Some(self.expression()?),
                };
                self.expect_semi("expected ';' after return statement");
                StmtKind::Return(value)
            }
            Some(Keyword::Goto) => {
                self.advance();
                let span = self.span();
                let name = Name { symbol: self.expect_name()?, span };
                self.expect_semi("expected ';' after goto statement");
                StmtKind::Goto(name)
            }
            Some(Keyword::Asm) => return self.asm(),
            _ if self.at(Punct::LBrace) => StmtKind::Block(self.block()?),
            _ if self.eat(Punct::Semi) => StmtKind::Empty,
            // This is a declaration where C allows only a statement.
            _ if self.starts_declaration(0) => return self.fail(start, "expected expression"),
            _ => {
                let value = self.expression()?;
                self.expect_semi("expected ';' after expression");
                StmtKind::Expr(value)
            }
        };
        Ok(Stmt { kind, span: start.to(self.last_span()) })
    }

    /// Parses the statement that another one controls. Continues behind a mistake in it.
    fn substatement(&mut self) -> Stmt {
        let span = self.span();
        let result = match self.at(Punct::LBrace) {
            true => self.with_depth(|p| p.statement(None)),
            false => self.nested(|p| p.statement(None)),
        };
        result.unwrap_or_else(|Reported| {
            self.skip_statement();
            Stmt { kind: StmtKind::Empty, span }
        })
    }

    /// Parses `(condition)` behind `word`. Continues behind a mistake in it.
    fn condition(&mut self, word: &str) -> PResult<Expr> {
        self.control_attributes()?;
        let opened = self.span();
        if !self.at(Punct::LParen) {
            return self.fail(opened, format!("expected '(' after '{word}'"));
        }
        let result = self.nested(|p| {
            p.advance();
            let cond = p.expression()?;
            p.expect_close(Punct::RParen, opened)?;
            Ok(cond)
        });
        Ok(result.unwrap_or_else(|Reported| {
            self.skip_to_close(Punct::RParen, true);
            self.placeholder(opened)
        }))
    }

    /// Parses `if`, and all `else if` that belong to it.
    fn if_statement(&mut self) -> PResult<Stmt> {
        let mut branches: Vec<(Span, Expr, Stmt)> = Vec::new();
        let mut otherwise = None;
        loop {
            let start = self.span();
            self.advance();
            let cond = match self.condition("if") {
                Ok(cond) => cond,
                Err(Reported) => {
                    self.skip_branches();
                    return Ok(Stmt { kind: StmtKind::Empty, span: start });
                }
            };
            let then = self.substatement();
            branches.push((start, cond, then));
            if !self.eat_keyword(Keyword::Else) {
                break;
            }
            if !self.at_keyword(Keyword::If) {
                otherwise = Some(self.substatement());
                break;
            }
            if branches.len() < MAX_NESTED_BRANCHES {
                self.deepen()?;
            }
        }
        if branches.len() > MAX_NESTED_BRANCHES {
            let span = branches.first().map_or(self.span(), |(start, ..)| *start);
            let branches = branches.into_iter().map(|(_, cond, then)| (cond, then)).collect();
            let kind = StmtKind::IfChain { branches, otherwise: otherwise.map(Box::new) };
            return Ok(Stmt { kind, span: span.to(self.last_span()) });
        }
        let mut chain: Option<Stmt> = None;
        let end = self.last_span();
        while let Some((start, cond, then)) = branches.pop() {
            let otherwise = chain.take().or(otherwise.take()).map(Box::new);
            let kind = StmtKind::If { cond, then: Box::new(then), otherwise };
            chain = Some(Stmt { kind, span: start.to(end) });
        }
        chain.ok_or(Reported)
    }

    /// Skips the branches of an `if` without a condition, so that an `else` among them is not reported as
    /// another mistake.
    fn skip_branches(&mut self) {
        self.skip_statement();
        while self.eat_keyword(Keyword::Else) {
            self.skip_statement();
        }
    }

    fn for_statement(&mut self, unroll: Option<UnrollHint>) -> PResult<StmtKind> {
        self.advance();
        self.control_attributes()?;
        let opened = self.span();
        if !self.at(Punct::LParen) {
            return self.fail(opened, "expected '(' after 'for'");
        }
        self.names.open_scope();
        let header = self.nested(|p| {
            p.advance();
            let init = p.for_init()?.map(Box::new);
            let cond = match p.at(Punct::Semi) {
                true => None,
                false => Some(p.expression()?),
            };
            p.expect_for_semi()?;
            let step = match p.at(Punct::RParen) {
                true => None,
                false => Some(p.expression()?),
            };
            p.expect_close(Punct::RParen, opened)?;
            Ok((init, cond, step))
        });
        let (init, cond, step) = header.unwrap_or_else(|Reported| {
            self.skip_to_close(Punct::RParen, false);
            (None, None, None)
        });
        let body = Box::new(self.substatement());
        self.names.close_scope();
        Ok(StmtKind::For { init, cond, step, body, unroll })
    }

    /// Parses the first part of a `for`, with its `;`.
    fn for_init(&mut self) -> PResult<Option<Stmt>> {
        let start = self.span();
        if self.eat(Punct::Semi) {
            return Ok(None);
        }
        let kind = if self.at_declaration() {
            match self.declaration(Context::For, Vec::new())? {
                Declared::Declaration(declaration) => StmtKind::Declaration(declaration),
                Declared::Function(_) => return Err(Reported),
            }
        } else {
            let value = self.expression()?;
            self.expect_for_semi()?;
            StmtKind::Expr(value)
        };
        Ok(Some(Stmt { kind, span: start.to(self.last_span()) }))
    }

    fn expect_for_semi(&mut self) -> PResult<()> {
        match self.eat(Punct::Semi) {
            true => Ok(()),
            false => self.fail(self.span(), "expected ';' in 'for' statement specifier"),
        }
    }

    fn do_statement(&mut self, unroll: Option<UnrollHint>) -> PResult<StmtKind> {
        let start = self.span();
        self.advance();
        let body = Box::new(self.substatement());
        if !self.eat_keyword(Keyword::While) {
            if self.error(self.span(), "expected 'while' in do/while loop") {
                self.note(start, "to match this 'do'");
            }
            return Err(Reported);
        }
        let cond = self.condition("while")?;
        self.expect_semi("expected ';' after do/while statement");
        Ok(StmtKind::DoWhile { body, cond, unroll })
    }
}

fn unroll_of(count: Option<u32>) -> Unroll {
    match count {
        None => Unroll::Full,
        Some(0 | 1) => Unroll::Disable,
        Some(count) => Unroll::Count(count),
    }
}
