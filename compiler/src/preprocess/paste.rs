//! The operators `#` and `##` (C99 6.10.3.2, 6.10.3.3).

use super::interner::Symbol;
use super::lexer::{flag, scan, PpKind, PpToken};
use super::limits::MAX_SPELLED;
use super::state::Preprocessor;
use crate::source::Span;

/// Returns a text as a string literal.
pub(super) fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        if matches!(c, '"' | '\\') {
            quoted.push('\\');
        }
        quoted.push(c);
    }
    quoted.push('"');
    quoted
}

impl Preprocessor<'_> {
    /// Counts bytes that `#` and `##` make. Returns false if there are too many.
    fn charge_bytes(&mut self, bytes: usize, at: Span) -> bool {
        self.spelled += bytes;
        if self.spelled > MAX_SPELLED {
            self.diags.fatal(at, "macro expansion produces too much text");
            return false;
        }
        true
    }

    /// Applies `#`: returns the string literal that spells an argument.
    pub(super) fn stringify(&mut self, tokens: &[PpToken], at: Span) -> PpToken {
        let mut text = String::from("\"");
        for (i, token) in tokens.iter().enumerate() {
            if i > 0 && token.has(flag::SPACE) {
                text.push(' ');
            }
            let spelling = token.spelling(self.interner);
            let is_literal = matches!(token.kind, PpKind::Str | PpKind::Char)
                || spelling.starts_with(['"', '\'']);
            for c in spelling.chars() {
                if is_literal && matches!(c, '"' | '\\') {
                    text.push('\\');
                }
                text.push(c);
            }
            if text.len() > MAX_SPELLED {
                break;
            }
        }
        // A lone backslash at the end would escape the quote.
        let backslashes = text.bytes().rev().take_while(|&byte| byte == b'\\').count();
        if backslashes % 2 == 1 {
            self.diags.warning(at, "invalid string literal, ignoring final '\\'");
            text.pop();
        }
        text.push('"');
        if !self.charge_bytes(text.len(), at) {
            text = "\"\"".to_string();
        }
        let symbol = self.interner.intern(&text);
        PpToken { symbol, ..PpToken::new(PpKind::Str, at) }
    }

    /// Applies `##`: returns the token that two tokens form together. Reports an error and returns `None` if they form none.
    pub(super) fn paste(&mut self, left: PpToken, right: PpToken, at: Span) -> Option<PpToken> {
        let mut text = left.spelling(self.interner).to_string();
        text.push_str(right.spelling(self.interner));
        if !self.charge_bytes(text.len(), at) {
            return None;
        }
        let scanned = scan(&text, 0);
        if scanned.end != text.len() || scanned.kind == PpKind::Other {
            let message = format!("pasting formed '{text}', an invalid preprocessing token");
            return self.diags.fail(at, message);
        }
        let symbol = match scanned.kind {
            PpKind::Punct(punct) if punct.as_str() == text => Symbol::EMPTY,
            _ => self.interner.intern(&text),
        };
        Some(PpToken { span: at, symbol, kind: scanned.kind, flags: left.flags & flag::SPACE })
    }
}
