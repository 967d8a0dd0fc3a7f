//! From characters to preprocessing tokens (C99 6.4). Comments and line splices are removed.
//!
//! The scanner reads bytes in place. A token that a line splice interrupts is rare: it is scanned
//! again from a copy of its text without splices.

use super::interner::{Interner, Symbol};
use super::token::Punct;
use crate::source::{FileId, Span};
use std::sync::Arc;

/// A preprocessing token.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct PpToken {
    pub span: Span,
    /// The spelling; empty for a punctuator, except for a digraph.
    pub symbol: Symbol,
    pub kind: PpKind,
    /// A combination of the constants of [`flag`].
    pub flags: u8,
}

/// The kind of a preprocessing token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PpKind {
    Ident,
    Number,
    Char,
    Str,
    Punct(Punct),
    /// In a macro's body: the parameter of this number.
    Param(u16),
    /// A character that no token starts with, or an unterminated literal.
    Other,
    /// Nothing, as an operand of `##` (C99 6.10.3.3).
    Placemarker,
    /// End of a directive's line.
    Eod,
    /// End of a text, or of a macro's argument.
    Eof,
}

/// Flags of a [`PpToken`].
pub(super) mod flag {
    /// The token is the first one of its line.
    pub const BOL: u8 = 1;
    /// There is white space before the token.
    pub const SPACE: u8 = 2;
    /// The token is the name of a macro, but must not be expanded any more (C99 6.10.3.4).
    pub const NO_EXPAND: u8 = 4;
    /// In a macro's body: `##` follows the token.
    pub const PASTE: u8 = 8;
    /// In a macro's body: the token is a parameter after `#`.
    pub const STRINGIFY: u8 = 16;
}

impl PpToken {
    pub fn new(kind: PpKind, span: Span) -> PpToken {
        PpToken { span, symbol: Symbol::EMPTY, kind, flags: 0 }
    }

    pub fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    pub fn is(&self, punct: Punct) -> bool {
        self.kind == PpKind::Punct(punct)
    }

    /// Returns the token's spelling.
    pub fn spelling<'a>(&self, interner: &'a Interner) -> &'a str {
        match self.kind {
            PpKind::Punct(punct) if self.symbol == Symbol::EMPTY => punct.as_str(),
            _ => interner.resolve(self.symbol),
        }
    }

    /// Returns true if the token is the end of the line or of the text.
    pub fn is_end(&self) -> bool {
        matches!(self.kind, PpKind::Eod | PpKind::Eof)
    }
}

/// Reads the preprocessing tokens of one text.
pub(super) struct Lexer {
    pub file: FileId,
    text: Arc<str>,
    pos: usize,
    at_line_start: bool,
    /// True if a directive is being read: its line's end is a token.
    pub in_directive: bool,
    /// The start of a comment that has no end in the text.
    pub open_comment: Option<Span>,
}

const SPACE: u8 = 1;
const WORD: u8 = 2;
const DIGIT: u8 = 4;

/// Classes of bytes.
static CLASS: [u8; 256] = {
    let mut class = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let b = byte as u8;
        if b.is_ascii_alphabetic() || b == b'_' || b == b'$' {
            class[byte] = WORD;
        } else if b.is_ascii_digit() {
            class[byte] = DIGIT;
        } else if matches!(b, b' ' | b'\t' | b'\r' | 0x0b | 0x0c | 0) {
            class[byte] = SPACE;
        }
        byte += 1;
    }
    class
};

/// True for the bytes that matter while a line is skipped.
static NO_PLAIN: [bool; 256] = {
    let mut bytes = [false; 256];
    bytes[b'\n' as usize] = true;
    bytes[b'\\' as usize] = true;
    bytes[b'/' as usize] = true;
    bytes[b'"' as usize] = true;
    bytes[b'\'' as usize] = true;
    bytes
};

fn class(byte: u8) -> u8 {
    CLASS[byte as usize]
}

impl Lexer {
    pub fn new(file: FileId, text: Arc<str>) -> Lexer {
        let pos = if text.starts_with('\u{feff}') { 3 } else { 0 };
        let in_directive = false;
        Lexer { file, text, pos, at_line_start: true, in_directive, open_comment: None }
    }

    /// Returns a lexer of one line that belongs to no file.
    pub fn of_line(text: &str) -> Lexer {
        Lexer { in_directive: true, ..Lexer::new(FileId::BUILTIN, text.into()) }
    }

    /// Returns the offset of the next byte to read.
    pub fn offset(&self) -> u32 {
        self.pos as u32
    }

    fn span(&self, start: usize, end: usize) -> Span {
        Span::new(self.file, start as u32, end as u32)
    }

    fn byte(&self, pos: usize) -> u8 {
        self.text.as_bytes().get(pos).copied().unwrap_or(0)
    }

    /// Returns the next token. At the end of the text every call returns [`PpKind::Eof`] ([`PpKind::Eod`] in a directive).
    pub fn next(&mut self, interner: &mut Interner) -> PpToken {
        let mut flags = self.skip_space();
        let start = self.pos;
        if start >= self.text.len() || (self.in_directive && self.byte(start) == b'\n') {
            let kind = if self.in_directive { PpKind::Eod } else { PpKind::Eof };
            return PpToken { flags, ..PpToken::new(kind, self.span(start, start)) };
        }
        if self.at_line_start {
            flags |= flag::BOL;
            self.at_line_start = false;
        }
        let scanned = scan(&self.text, start);
        if scanned.spliced || splice_len(self.text.as_bytes(), scanned.end) > 0 {
            return self.next_spliced(start, flags, interner);
        }
        self.pos = scanned.end;
        let span = self.span(start, scanned.end);
        let symbol = match scanned.kind {
            PpKind::Punct(p) if p.as_str().len() == scanned.end - start && !scanned.digraph => {
                Symbol::EMPTY
            }
            _ => interner.intern(self.text.get(start..scanned.end).unwrap_or("")),
        };
        PpToken { span, symbol, kind: scanned.kind, flags }
    }

    /// Returns the tokens up to the end of the directive or the text.
    pub fn rest(&mut self, interner: &mut Interner) -> Vec<PpToken> {
        std::iter::repeat_with(|| self.next(interner)).take_while(|token| !token.is_end()).collect()
    }

    /// Scans a token that a line splice interrupts or follows.
    fn next_spliced(&mut self, start: usize, flags: u8, interner: &mut Interner) -> PpToken {
        let mut limit = 64;
        loop {
            let (clean, complete) = self.unspliced(start, limit);
            let scanned = scan(&clean, 0);
            // Punctuators look at most two characters ahead.
            if scanned.end + 2 < clean.len() || complete {
                self.pos = self.skip_unspliced(start, scanned.end);
                let spelling = clean.get(..scanned.end).unwrap_or("");
                let symbol = match scanned.kind {
                    PpKind::Punct(punct) if punct.as_str() == spelling => Symbol::EMPTY,
                    _ => interner.intern(spelling),
                };
                let span = self.span(start, self.pos);
                return PpToken { span, symbol, kind: scanned.kind, flags };
            }
            limit *= 2;
        }
    }

    /// Returns at least `limit` bytes from `start` without splices, or all up to the end, and true if it is all.
    fn unspliced(&self, start: usize, limit: usize) -> (String, bool) {
        let bytes = self.text.as_bytes();
        let mut clean = String::with_capacity(limit + 4);
        let mut pos = start;
        while clean.len() < limit {
            match splice_len(bytes, pos) {
                0 => match char_at(&self.text, pos) {
                    Some(c) => {
                        clean.push(c);
                        pos += c.len_utf8();
                    }
                    None => return (clean, true),
                },
                splice => pos += splice,
            }
        }
        (clean, false)
    }

    /// Returns the end of `count` bytes from `start` on, not counting splices.
    fn skip_unspliced(&self, start: usize, count: usize) -> usize {
        let bytes = self.text.as_bytes();
        let mut pos = start;
        let mut left = count;
        while left > 0 && pos < bytes.len() {
            match splice_len(bytes, pos) {
                0 => {
                    pos += 1;
                    left -= 1;
                }
                splice => pos += splice,
            }
        }
        pos
    }

    /// Skips white space, comments and splices; in a directive, stops before the line's end.
    fn skip_space(&mut self) -> u8 {
        let mut flags = 0;
        while let Some(&byte) = self.text.as_bytes().get(self.pos) {
            match byte {
                b'\n' if self.in_directive => break,
                b'\n' => {
                    self.at_line_start = true;
                    self.pos += 1;
                }
                b'/' => {
                    if !self.skip_comment() {
                        break;
                    }
                }
                b'\\' => match splice_len(self.text.as_bytes(), self.pos) {
                    0 => break,
                    splice => {
                        self.pos += splice;
                        continue;
                    }
                },
                _ if class(byte) == SPACE => self.pos += 1,
                0x80.. => match char_at(&self.text, self.pos) {
                    Some(c) if c.is_whitespace() => self.pos += c.len_utf8(),
                    _ => break,
                },
                _ => break,
            }
            flags = flag::SPACE;
        }
        flags
    }

    /// Skips a comment at the present position, if there is one.
    fn skip_comment(&mut self) -> bool {
        let start = self.pos;
        let second = self.skip_splices(start + 1);
        match self.byte(second) {
            b'/' => self.skip_line_comment(second + 1),
            b'*' => self.skip_block_comment(start, second + 1),
            _ => return false,
        }
        true
    }

    fn skip_splices(&self, mut pos: usize) -> usize {
        loop {
            match splice_len(self.text.as_bytes(), pos) {
                0 => return pos,
                splice => pos += splice,
            }
        }
    }

    fn skip_line_comment(&mut self, mut pos: usize) {
        let bytes = self.text.as_bytes();
        while let Some(&byte) = bytes.get(pos) {
            match byte {
                b'\n' => break,
                b'\\' => pos += splice_len(bytes, pos).max(1),
                _ => pos += 1,
            }
        }
        self.pos = pos;
    }

    fn skip_block_comment(&mut self, start: usize, mut pos: usize) {
        let bytes = self.text.as_bytes();
        while let Some(&byte) = bytes.get(pos) {
            pos += 1;
            if byte == b'*' {
                let slash = self.skip_splices(pos);
                if bytes.get(slash) == Some(&b'/') {
                    self.pos = slash + 1;
                    return;
                }
            }
        }
        self.open_comment = Some(self.span(start, start + 2));
        self.pos = bytes.len();
    }

    /// Reads `(` and returns true if it comes next; else reads nothing.
    pub fn eat_lparen(&mut self, interner: &mut Interner) -> bool {
        let saved = (self.pos, self.at_line_start);
        self.skip_space();
        let found = self.byte(self.pos) == b'(';
        (self.pos, self.at_line_start) = saved;
        self.open_comment = None;
        if found {
            self.next(interner);
        }
        found
    }

    /// Reads a header name (C99 6.4.7). Returns its text, and true if it is in angle brackets.
    pub fn header_name(&mut self) -> Option<(String, bool, Span)> {
        self.skip_space();
        let start = self.pos;
        let close = match self.byte(start) {
            b'<' => '>',
            b'"' => '"',
            _ => return None,
        };
        let line = self.text.get(start + 1..)?.split('\n').next()?;
        let name = line.get(..line.find(close)?)?.to_string();
        self.pos = start + 2 + name.len();
        Some((name, close == '>', self.span(start, self.pos)))
    }

    /// Returns the rest of a directive's line as written, comments included, without surrounding space.
    pub fn rest_of_line(&mut self) -> String {
        let start = self.pos;
        self.skip_line_comment(start);
        self.text.get(start..self.pos).unwrap_or("").trim().to_string()
    }

    /// Ends a directive, and skips the rest of its line.
    pub fn end_directive(&mut self) {
        self.skip_line();
        self.in_directive = false;
    }

    /// Skips to the line's end; comments and literals are skipped as a whole.
    fn skip_line(&mut self) {
        loop {
            let rest = self.text.as_bytes().get(self.pos..).unwrap_or(&[]);
            let plain = rest.iter().position(|&byte| NO_PLAIN[usize::from(byte)]);
            self.pos += plain.unwrap_or(rest.len());
            match self.byte(self.pos) {
                _ if self.pos >= self.text.len() => return,
                b'\n' => return,
                b'\\' => self.pos += splice_len(self.text.as_bytes(), self.pos).max(1),
                b'/' => {
                    if !self.skip_comment() {
                        self.pos += 1;
                    }
                }
                quote => self.skip_literal(quote),
            }
        }
    }

    /// Skips a literal up to its quote or the line's end.
    fn skip_literal(&mut self, quote: u8) {
        self.pos += 1;
        while let Some(&byte) = self.text.as_bytes().get(self.pos) {
            match byte {
                b'\n' => return,
                b'\\' => match splice_len(self.text.as_bytes(), self.pos) {
                    0 if self.byte(self.pos + 1) == b'\n' => self.pos += 1,
                    0 => self.pos += 2,
                    splice => self.pos += splice,
                },
                _ => {
                    self.pos += 1;
                    if byte == quote {
                        return;
                    }
                }
            }
        }
    }

    /// Skips lines up to the next directive, whose `#` is read; false at the end of the text.
    pub fn skip_to_directive(&mut self) -> bool {
        loop {
            self.skip_space();
            if self.pos >= self.text.len() {
                return false;
            }
            if self.at_line_start {
                self.at_line_start = false;
                let hash = match (self.byte(self.pos), self.byte(self.pos + 1)) {
                    (b'#', _) => 1,
                    (b'%', b':') => 2,
                    _ => 0,
                };
                if hash > 0 {
                    self.pos += hash;
                    return true;
                }
            }
            self.skip_line();
        }
    }
}

/// Returns the length of the line splice at `pos`: a backslash, perhaps white space, and a line end.
fn splice_len(bytes: &[u8], pos: usize) -> usize {
    if bytes.get(pos) != Some(&b'\\') {
        return 0;
    }
    let mut end = pos + 1;
    while let Some(b' ' | b'\t' | b'\r') = bytes.get(end) {
        end += 1;
    }
    if bytes.get(end) == Some(&b'\n') {
        end + 1 - pos
    } else {
        0
    }
}

fn char_at(text: &str, pos: usize) -> Option<char> {
    match text.as_bytes().get(pos)? {
        &byte if byte < 0x80 => Some(char::from(byte)),
        _ => text.get(pos..)?.chars().next(),
    }
}

/// The result of [`scan`].
pub(super) struct Scanned {
    pub kind: PpKind,
    pub end: usize,
    /// True if there is a splice in the token, which must be scanned again without it.
    spliced: bool,
    digraph: bool,
}

/// Scans the token at `pos`, which is not white space.
pub(super) fn scan(text: &str, pos: usize) -> Scanned {
    let bytes = text.as_bytes();
    let at = |i: usize| bytes.get(pos + i).copied().unwrap_or(0);
    let first = at(0);
    let plain = |kind, end| Scanned { kind, end, spliced: false, digraph: false };
    if class(first) == WORD {
        return plain(PpKind::Ident, scan_word(text, pos + 1));
    }
    if class(first) == DIGIT || (first == b'.' && class(at(1)) == DIGIT) {
        return plain(PpKind::Number, scan_number(bytes, pos + 1));
    }
    if first == b'"' || first == b'\'' {
        return scan_literal(bytes, pos);
    }
    if first >= 0x80 {
        let c = char_at(text, pos).unwrap_or('\u{fffd}');
        let end = pos + c.len_utf8();
        if c.is_alphabetic() {
            return plain(PpKind::Ident, scan_word(text, end));
        }
        return plain(PpKind::Other, end);
    }
    match scan_punct([first, at(1), at(2), at(3)]) {
        Some((punct, len, digraph)) => {
            Scanned { kind: PpKind::Punct(punct), end: pos + len, spliced: false, digraph }
        }
        None => plain(PpKind::Other, pos + 1),
    }
}

fn scan_word(text: &str, mut pos: usize) -> usize {
    let bytes = text.as_bytes();
    while let Some(&byte) = bytes.get(pos) {
        if class(byte) & (WORD | DIGIT) != 0 {
            pos += 1;
        } else if byte >= 0x80 {
            match char_at(text, pos) {
                Some(c) if c.is_alphanumeric() => pos += c.len_utf8(),
                _ => break,
            }
        } else {
            break;
        }
    }
    pos
}

fn scan_number(bytes: &[u8], mut pos: usize) -> usize {
    while let Some(&byte) = bytes.get(pos) {
        let sign = matches!(byte, b'+' | b'-')
            && matches!(bytes.get(pos.wrapping_sub(1)), Some(b'e' | b'E' | b'p' | b'P'));
        if class(byte) & (WORD | DIGIT) == 0 && byte != b'.' && !sign {
            break;
        }
        pos += 1;
    }
    pos
}

fn scan_literal(bytes: &[u8], start: usize) -> Scanned {
    let quote = bytes.get(start).copied().unwrap_or(0);
    let good = if quote == b'"' { PpKind::Str } else { PpKind::Char };
    let mut pos = start + 1;
    let scanned = |kind, end, spliced| Scanned { kind, end, spliced, digraph: false };
    while let Some(&byte) = bytes.get(pos) {
        match byte {
            b'\n' => break,
            b'\\' if splice_len(bytes, pos) > 0 => return scanned(good, pos, true),
            b'\\' if pos + 1 < bytes.len() && bytes.get(pos + 1) != Some(&b'\n') => pos += 2,
            _ => {
                pos += 1;
                if byte == quote {
                    return scanned(good, pos, false);
                }
            }
        }
    }
    // An escaped character may have several bytes: the token ends at the end of a character.
    scanned(PpKind::Other, pos.min(bytes.len()), false)
}

/// Returns the longest punctuator at the beginning of some bytes, its length, and true if it is a digraph.
fn scan_punct(next: [u8; 4]) -> Option<(Punct, usize, bool)> {
    use Punct::*;
    let found = match next {
        [b'.', b'.', b'.', _] => (Ellipsis, 3),
        [b'<', b'<', b'=', _] => (ShlEq, 3),
        [b'>', b'>', b'=', _] => (ShrEq, 3),
        [b'%', b':', b'%', b':'] => return Some((HashHash, 4, true)),
        [b'<', b':', ..] => return Some((LBracket, 2, true)),
        [b':', b'>', ..] => return Some((RBracket, 2, true)),
        [b'<', b'%', ..] => return Some((LBrace, 2, true)),
        [b'%', b'>', ..] => return Some((RBrace, 2, true)),
        [b'%', b':', ..] => return Some((Hash, 2, true)),
        [b'-', b'>', ..] => (Arrow, 2),
        [b'+', b'+', ..] => (PlusPlus, 2),
        [b'-', b'-', ..] => (MinusMinus, 2),
        [b'<', b'<', ..] => (Shl, 2),
        [b'>', b'>', ..] => (Shr, 2),
        [b'<', b'=', ..] => (Le, 2),
        [b'>', b'=', ..] => (Ge, 2),
        [b'=', b'=', ..] => (EqEq, 2),
        [b'!', b'=', ..] => (Ne, 2),
        [b'&', b'&', ..] => (AmpAmp, 2),
        [b'|', b'|', ..] => (PipePipe, 2),
        [b'*', b'=', ..] => (StarEq, 2),
        [b'/', b'=', ..] => (SlashEq, 2),
        [b'%', b'=', ..] => (PercentEq, 2),
        [b'+', b'=', ..] => (PlusEq, 2),
        [b'-', b'=', ..] => (MinusEq, 2),
        [b'&', b'=', ..] => (AmpEq, 2),
        [b'^', b'=', ..] => (CaretEq, 2),
        [b'|', b'=', ..] => (PipeEq, 2),
        [b'#', b'#', ..] => (HashHash, 2),
        [first, ..] => (scan_punct1(first)?, 1),
    };
    Some((found.0, found.1, false))
}

fn scan_punct1(byte: u8) -> Option<Punct> {
    use Punct::*;
    Some(match byte {
        b'[' => LBracket,
        b']' => RBracket,
        b'(' => LParen,
        b')' => RParen,
        b'{' => LBrace,
        b'}' => RBrace,
        b'.' => Dot,
        b'&' => Amp,
        b'*' => Star,
        b'+' => Plus,
        b'-' => Minus,
        b'~' => Tilde,
        b'!' => Bang,
        b'/' => Slash,
        b'%' => Percent,
        b'<' => Lt,
        b'>' => Gt,
        b'^' => Caret,
        b'|' => Pipe,
        b'?' => Question,
        b':' => Colon,
        b';' => Semi,
        b'=' => Eq,
        b',' => Comma,
        b'#' => Hash,
        _ => return None,
    })
}
