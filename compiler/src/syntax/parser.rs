//! The parser's state: cursor, bounds, reports and recovery.

use super::ast::{Expr, ExprKind, IntLiteral};
use super::keywords::{initial_meanings, Keyword};
use super::scope::{Meaning, SymbolTable};
use super::unused::UnusedBody;
use super::{MAX_NESTING, MAX_TREE_HEIGHT};
use crate::options::ClStd;
use crate::options::Options;
use crate::preprocess::{Interner, Pragma, Punct, Symbol, Token, TokenKind};
use crate::source::{Diagnostics, Span};

/// The error of a parse function: a mistake has been reported. A caller that can continue behind the mistake does so.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reported;

pub(super) type PResult<T> = Result<T, Reported>;

/// See the [module](self).
pub(super) struct Parser<'a> {
    /// The tokens without the final `Eof`.
    tokens: &'a [Token],
    pos: usize,
    /// The end of the text.
    eof: Span,
    pub names: SymbolTable,
    pub interner: &'a mut Interner,
    diags: &'a mut Diagnostics,
    /// The number of brackets, braces and statements around the cursor.
    nesting: u32,
    /// The number of the tree's nodes around the node at the cursor, as far as it is known.
    depth: u32,
    /// Greatest depth in the tree being built, since [`Parser::begin_height`].
    peak: u32,
    /// Position of the last error: a second error at the same place is not reported.
    last_error: Option<usize>,
    /// True after a limit was exceeded: the text then seems to end at the cursor, and nothing more is reported.
    stopped: bool,
    /// True if something at file scope was not a declaration, and no function followed it yet.
    pub confused: bool,
    /// True if the cursor is inside a function's body.
    pub in_function: bool,
    /// True if a missing `;` at the cursor was reported and is treated as present.
    pub assumed_semi: bool,
    /// The largest alignment of members in bytes, from the last `#pragma pack`; 0 for any.
    pub pack: u32,
    /// Bodies of unused functions that begin at the cursor or later, in order.
    pub unused: &'a [UnusedBody],
    /// The version of OpenCL C.
    pub std: ClStd,
}

impl<'a> Parser<'a> {
    pub fn new(
        tokens: &'a [Token],
        interner: &'a mut Interner,
        diags: &'a mut Diagnostics,
        options: &Options,
    ) -> Parser<'a> {
        let end = tokens.iter().position(|t| t.kind == TokenKind::Eof).unwrap_or(tokens.len());
        let eof = match (tokens.get(end), tokens.last()) {
            (Some(eof), _) => eof.span,
            (None, Some(last)) => last.span.after(),
            (None, None) => Span::default(),
        };
        let names = SymbolTable::new(initial_meanings(interner, options));
        Parser {
            tokens: tokens.get(..end).unwrap_or(tokens),
            pos: 0,
            eof,
            names,
            interner,
            diags,
            nesting: 0,
            depth: 0,
            peak: 0,
            last_error: None,
            stopped: false,
            confused: false,
            in_function: false,
            assumed_semi: false,
            pack: 0,
            unused: &[],
            std: options.std,
        }
    }

    // The cursor.

    #[inline]
    pub fn kind_ahead(&self, ahead: usize) -> TokenKind {
        self.tokens.get(self.pos + ahead).map_or(TokenKind::Eof, |token| token.kind)
    }

    #[inline]
    pub fn kind(&self) -> TokenKind {
        self.kind_ahead(0)
    }

    /// Returns the span of the token at the cursor.
    pub fn span(&self) -> Span {
        self.tokens.get(self.pos).map_or(self.eof, |token| token.span)
    }

    /// Returns the span of the token before the cursor.
    pub fn last_span(&self) -> Span {
        let last = self.pos.checked_sub(1).and_then(|pos| self.tokens.get(pos));
        last.map_or(self.eof, |token| token.span)
    }

    /// Index of the token at the cursor: grows with every token read.
    pub fn position(&self) -> usize {
        self.pos
    }

    /// Moves the cursor back to a position, or forward again to one that it came from.
    pub fn rewind(&mut self, position: usize) {
        self.pos = position;
    }

    #[inline]
    pub fn advance(&mut self) {
        if let Some(token) = self.tokens.get(self.pos) {
            if let TokenKind::Pragma(Pragma::Pack(n)) = token.kind {
                self.pack = n;
            }
            self.pos += 1;
        }
    }

    /// Returns the unused body that begins at the cursor, if there is one.
    pub fn unused_body(&mut self) -> Option<&'a UnusedBody> {
        let behind = self.unused.partition_point(|body| body.tokens.start < self.pos);
        self.unused = self.unused.get(behind..).unwrap_or(&[]);
        self.unused.first().filter(|body| body.tokens.start == self.pos)
    }

    /// Moves the cursor behind a body.
    pub fn skip_body(&mut self, body: &UnusedBody) {
        self.pos = body.tokens.end.min(self.tokens.len());
    }

    pub fn at_end(&self) -> bool {
        self.pos >= self.tokens.len()
    }

    #[inline]
    pub fn punct(&self) -> Option<Punct> {
        match self.kind() {
            TokenKind::Punct(punct) => Some(punct),
            _ => None,
        }
    }

    #[inline]
    pub fn at_ahead(&self, ahead: usize, punct: Punct) -> bool {
        self.kind_ahead(ahead) == TokenKind::Punct(punct)
    }

    #[inline]
    pub fn at(&self, punct: Punct) -> bool {
        self.at_ahead(0, punct)
    }

    #[inline]
    pub fn eat(&mut self, punct: Punct) -> bool {
        let found = self.at(punct);
        if found {
            self.pos += 1;
        }
        found
    }

    /// Symbol and meaning of an identifier or keyword.
    #[inline]
    pub fn word_ahead(&self, ahead: usize) -> Option<(Symbol, Meaning)> {
        match self.kind_ahead(ahead) {
            TokenKind::Ident(symbol) => Some((symbol, self.names.meaning(symbol))),
            _ => None,
        }
    }

    pub fn keyword_ahead(&self, ahead: usize) -> Option<Keyword> {
        match self.word_ahead(ahead) {
            Some((_, Meaning::Keyword(keyword))) => Some(keyword),
            _ => None,
        }
    }

    pub fn keyword(&self) -> Option<Keyword> {
        self.keyword_ahead(0)
    }

    pub fn at_keyword(&self, keyword: Keyword) -> bool {
        self.keyword() == Some(keyword)
    }

    pub fn eat_keyword(&mut self, keyword: Keyword) -> bool {
        let found = self.at_keyword(keyword);
        if found {
            self.advance();
        }
        found
    }

    /// Returns the identifier `ahead` tokens behind the cursor, if it is one and not a keyword.
    pub fn name_ahead(&self, ahead: usize) -> Option<Symbol> {
        match self.word_ahead(ahead) {
            Some((_, Meaning::Keyword(_))) | None => None,
            Some((symbol, _)) => Some(symbol),
        }
    }

    /// Reads an identifier, but not a keyword.
    pub fn expect_name(&mut self) -> PResult<Symbol> {
        match self.name_ahead(0) {
            Some(symbol) => {
                self.advance();
                Ok(symbol)
            }
            None => self.fail(self.span(), "expected identifier"),
        }
    }

    /// Returns true if a type-name may begin `ahead` tokens behind the cursor.
    pub fn starts_type(&self, ahead: usize) -> bool {
        match self.word_ahead(ahead) {
            Some((_, Meaning::Keyword(keyword))) => keyword.starts_type(),
            Some((_, meaning)) => matches!(meaning, Meaning::Type(_) | Meaning::Typedef),
            None => false,
        }
    }

    /// Returns true if a declaration may begin `ahead` tokens behind the cursor.
    pub fn starts_declaration(&self, ahead: usize) -> bool {
        match self.keyword_ahead(ahead) {
            Some(keyword) => keyword.starts_declaration(),
            None => self.starts_type(ahead),
        }
    }

    pub fn text(&self, symbol: Symbol) -> &str {
        self.interner.resolve(symbol)
    }

    // Reports.

    /// Reports an error. Returns false if it is not reported, so that the caller leaves out notes as well.
    pub fn error(&mut self, span: Span, message: impl Into<String>) -> bool {
        if self.stopped || self.last_error == Some(self.pos) {
            return false;
        }
        self.last_error = Some(self.pos);
        self.diags.error(span, message);
        if self.diags.is_full() {
            self.stop();
        }
        true
    }

    pub fn warning(&mut self, span: Span, message: impl Into<String>) {
        if !self.stopped {
            self.diags.warning(span, message);
        }
    }

    /// Adds a note to the error reported last.
    pub fn note(&mut self, span: Span, message: impl Into<String>) {
        self.diags.note(span, message);
    }

    /// Reports an error behind which the caller cannot continue. Returns it.
    pub fn fail<T>(&mut self, span: Span, message: impl Into<String>) -> PResult<T> {
        self.error(span, message);
        Err(Reported)
    }

    /// Ends the parse: moves the cursor to the end, and drops all further reports.
    fn stop(&mut self) {
        self.stopped = true;
        self.pos = self.tokens.len();
    }

    /// Reports a limit that the text exceeds, and ends the parse.
    pub fn exceed<T>(&mut self, message: String) -> PResult<T> {
        self.error(self.span(), message);
        self.stop();
        Err(Reported)
    }

    /// Reads the bracket that closes the one at `opened`.
    pub fn expect_close(&mut self, close: Punct, opened: Span) -> PResult<Span> {
        let span = self.span();
        if self.eat(close) {
            return Ok(span);
        }
        if self.error(span, format!("expected '{}'", close.as_str())) {
            let open = match close {
                Punct::RParen => Punct::LParen,
                Punct::RBracket => Punct::LBracket,
                _ => Punct::LBrace,
            };
            self.note(opened, format!("to match this '{}'", open.as_str()));
        }
        Err(Reported)
    }

    /// Reads the `;` that ends a statement or declaration. If it is missing, the error is reported at the
    /// end of the token before.
    pub fn expect_semi(&mut self, message: &str) {
        if self.eat(Punct::Semi) {
            return;
        }
        let closer = self.punct().filter(|p| matches!(p, Punct::RParen | Punct::RBracket));
        if let (Some(closer), true) = (closer, self.at_ahead(1, Punct::Semi)) {
            self.error(self.span(), format!("extraneous '{}' before ';'", closer.as_str()));
            self.advance();
            self.advance();
            return;
        }
        self.error(self.last_span().after(), message);
        let goes_on = matches!(self.kind(), TokenKind::Ident(_) | TokenKind::Pragma(_))
            || self.at(Punct::RBrace);
        if !goes_on {
            self.skip_statement();
        }
    }

    /// Returns a placeholder for an expression with a reported error.
    pub fn placeholder(&self, span: Span) -> Expr {
        let zero = IntLiteral {
            value: 0,
            is_unsigned: false,
            is_long: false,
            is_long_long: false,
            is_decimal: true,
        };
        Expr { kind: ExprKind::Int(zero), span }
    }

    // Bounds.

    /// Runs `f` one level of nesting deeper, and restores the level in any case.
    pub fn nested<T>(&mut self, f: impl FnOnce(&mut Self) -> PResult<T>) -> PResult<T> {
        if self.nesting >= MAX_NESTING {
            let message = format!("bracket nesting level exceeded maximum of {MAX_NESTING}");
            return self.exceed(message);
        }
        let depth = self.depth;
        self.deepen()?;
        self.nesting += 1;
        let result = f(self);
        self.nesting -= 1;
        self.depth = depth;
        result
    }

    /// Runs `f`, which may increase the depth, and restores the depth.
    pub fn with_depth<T>(&mut self, f: impl FnOnce(&mut Self) -> PResult<T>) -> PResult<T> {
        let depth = self.depth;
        let result = f(self);
        self.depth = depth;
        result
    }

    /// Notes that the next part of the text is one node deeper in the tree.
    pub fn deepen(&mut self) -> PResult<()> {
        self.depth += 1;
        self.peak = self.peak.max(self.depth);
        self.check_height(self.depth)
    }

    /// Starts to measure the height of the tree that is parsed next. [`Parser::end_height`] ends the measurement; it takes
    /// the value that is returned here.
    pub fn begin_height(&mut self) -> u32 {
        std::mem::replace(&mut self.peak, self.depth)
    }

    /// Ends a measurement.
    pub fn end_height(&mut self, outer: u32) {
        self.peak = self.peak.max(outer);
    }

    /// Returns the height of the tree that was parsed since [`Parser::begin_height`].
    pub fn height(&self) -> u32 {
        self.peak.saturating_sub(self.depth)
    }

    /// Sets the height of the tree parsed since [`Parser::begin_height`].
    pub fn set_height(&mut self, height: u32) -> PResult<()> {
        self.peak = self.depth + height;
        self.check_height(self.peak)
    }

    fn check_height(&mut self, height: u32) -> PResult<()> {
        if height <= MAX_TREE_HEIGHT {
            return Ok(());
        }
        let message =
            format!("expression or statement nesting exceeded maximum of {MAX_TREE_HEIGHT}");
        self.exceed(message)
    }

    // Recovery.

    /// Skips tokens up to and including the next `;` or the next pair of braces, or up to the `}` that ends
    /// the block.
    pub fn skip_statement(&mut self) {
        let mut braces = 0u32;
        while !self.at_end() {
            match self.punct() {
                Some(Punct::Semi) if braces == 0 => return self.advance(),
                Some(Punct::RBrace) if braces == 0 => return,
                Some(Punct::LBrace) => braces += 1,
                Some(Punct::RBrace) => {
                    braces -= 1;
                    let goes_on = [Punct::Comma, Punct::LParen, Punct::RParen, Punct::Semi];
                    if braces == 0 && !goes_on.iter().any(|&p| self.at_ahead(1, p)) {
                        return self.advance();
                    }
                }
                _ => {}
            }
            self.advance();
        }
    }

    /// Skips tokens inside a bracket up to and including the closing bracket. Stops before a brace that does
    /// not close it, with `at_semi` also before a `;`. Returns true if the closing bracket was found.
    pub fn skip_to_close(&mut self, close: Punct, at_semi: bool) -> bool {
        let mut open = 0u32;
        while !self.at_end() {
            match self.punct() {
                Some(punct) if punct == close && open == 0 => {
                    self.advance();
                    return true;
                }
                Some(Punct::Semi) if at_semi && open == 0 => return false,
                Some(Punct::LBrace) if close == Punct::RBrace => open += 1,
                Some(Punct::RBrace) if close == Punct::RBrace => open -= 1,
                Some(Punct::LBrace | Punct::RBrace) => return false,
                Some(Punct::LParen | Punct::LBracket) if close != Punct::RBrace => open += 1,
                Some(Punct::RParen | Punct::RBracket) if close != Punct::RBrace => {
                    open = open.saturating_sub(1);
                }
                _ => {}
            }
            self.advance();
        }
        false
    }

    /// Skips to the next `,` of a parenthesized list or to its end.
    pub fn skip_list_item(&mut self) {
        let mut open = 0u32;
        while !self.at_end() {
            match self.punct() {
                Some(Punct::Comma | Punct::RParen) if open == 0 => return,
                Some(Punct::Semi | Punct::LBrace | Punct::RBrace) => return,
                Some(Punct::LParen | Punct::LBracket) => open += 1,
                Some(Punct::RParen | Punct::RBracket) => open = open.saturating_sub(1),
                _ => {}
            }
            self.advance();
        }
    }
}
