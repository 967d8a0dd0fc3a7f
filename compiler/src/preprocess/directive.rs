//! Directives (C99 6.10), and the skipping of conditional groups.

use super::include::Header;
use super::lexer::{Lexer, PpKind, PpToken};
use super::state::{Conditional, Preprocessor};
use crate::source::Span;

const NAMES: [&str; 13] = [
    "define", "undef", "include", "if", "ifdef", "ifndef", "elif", "else", "endif", "line",
    "error", "warning", "pragma",
];

impl Preprocessor<'_> {
    /// Executes a directive, whose `#` has been read.
    pub(super) fn directive(&mut self, hash: Span) {
        let name = self.start_directive();
        let at = hash.to(name.span);
        match name.kind {
            PpKind::Eod => {}
            PpKind::Ident => match self.directive_name(name) {
                Some("include") => return self.include_directive(at),
                Some(name @ ("if" | "ifdef" | "ifndef" | "elif" | "else")) => {
                    return self.conditional(name, at);
                }
                Some(name) => self.simple(name, at),
                None => self.diags.error(name.span, "invalid preprocessing directive"),
            },
            // GNU: `# 12 "file"`.
            PpKind::Number => self.line_directive(vec![name], at),
            _ => self.diags.error(name.span, "invalid preprocessing directive"),
        }
        self.end_directive();
    }

    /// Returns the directive that a token names, if it is one.
    fn directive_name(&self, name: PpToken) -> Option<&'static str> {
        let text = self.interner.resolve(name.symbol);
        NAMES.into_iter().find(|&name| name == text)
    }

    /// Reads a directive's name.
    fn start_directive(&mut self) -> PpToken {
        match self.files.last_mut() {
            Some(file) => {
                file.lexer.in_directive = true;
                file.lexer.next(self.interner)
            }
            None => PpToken::new(PpKind::Eod, Span::default()),
        }
    }

    fn end_directive(&mut self) {
        if let Some(file) = self.files.last_mut() {
            file.lexer.end_directive();
        }
    }

    fn lexer(&mut self) -> Option<&mut Lexer> {
        self.files.last_mut().map(|file| &mut file.lexer)
    }

    /// Executes a directive that concerns only its own line, such as `#define`.
    fn simple(&mut self, name: &str, at: Span) {
        match name {
            "define" => {
                let line = self.read_line();
                self.define(&line, at);
            }
            "undef" => {
                let line = self.read_line();
                self.undef(&line, at);
            }
            "line" => {
                let tokens = self.read_expanded_line();
                self.line_directive(tokens, at);
            }
            "error" => {
                let message = self.lexer().map(Lexer::rest_of_line).unwrap_or_default();
                self.diags.error(at, message);
            }
            "warning" => {
                let message = self.lexer().map(Lexer::rest_of_line).unwrap_or_default();
                self.diags.warning(at, message);
            }
            "pragma" => {
                let line = self.read_line();
                self.pragma(&line, at);
            }
            "endif" => {
                let line = self.read_line();
                self.check_extra(line.first(), "endif");
                let open = self.files.last_mut().and_then(|file| file.conditionals.pop());
                if open.is_none() {
                    self.diags.error(at, "#endif without #if");
                }
            }
            _ => {}
        }
    }

    /// Returns the rest of the directive's line, macros not expanded.
    pub(super) fn read_line(&mut self) -> Vec<PpToken> {
        let file = self.files.last_mut();
        file.map(|file| file.lexer.rest(self.interner)).unwrap_or_default()
    }

    /// Returns the tokens up to the end of the directive's line or the argument, macros expanded.
    pub(super) fn read_expanded_line(&mut self) -> Vec<PpToken> {
        let mut line = Vec::new();
        loop {
            let token = self.next_expanded();
            if token.is_end() {
                return line;
            }
            line.push(token);
        }
    }

    pub(super) fn check_extra(&mut self, token: Option<&PpToken>, directive: &str) {
        if let Some(token) = token {
            let message = format!("extra tokens at end of #{directive} directive");
            self.diags.warning(token.span, message);
        }
    }

    /// `#line` (C99 6.10.4): digits, and perhaps a name.
    fn line_directive(&mut self, mut tokens: Vec<PpToken>, at: Span) {
        // For a line marker, `# 1 "name"`, only the number has been read.
        let is_marker = tokens.len() == 1 && at.to(tokens[0].span) == at;
        if is_marker {
            tokens.extend(self.read_line());
        }
        let digits = tokens.first().map_or("", |token| token.spelling(self.interner));
        let line = match digits.parse::<u32>() {
            Ok(line) if digits.bytes().all(|byte| byte.is_ascii_digit()) && line < 1 << 31 => line,
            _ => {
                let span = tokens.first().map_or(at, |token| token.span);
                self.diags.error(span, "#line directive requires a positive integer argument");
                return;
            }
        };
        let mut name = None;
        if let Some(&token) = tokens.get(1) {
            if token.kind != PpKind::Str {
                self.diags.error(token.span, "invalid filename for #line directive");
                return;
            }
            let bytes = self.decode_literal(token);
            name = Some(String::from_utf8_lossy(&bytes).into_owned());
            if !is_marker {
                self.check_extra(tokens.get(2), "line");
            }
        }
        self.recorder.invalidate();
        let Some(lexer) = self.lexer() else { return };
        lexer.end_directive();
        let (file, next_line) = (lexer.file, lexer.offset() + 1);
        self.sources.mark_line(file, next_line, line, name.as_deref());
    }

    /// `#include` (C99 6.10.2).
    fn include_directive(&mut self, at: Span) {
        let header = self.lexer().and_then(Lexer::header_name);
        let header = match header {
            Some((name, angled, span)) => {
                let line = self.read_line();
                self.check_extra(line.first(), "include");
                Some(Header { name, angled, span })
            }
            None => {
                let line = self.read_expanded_line();
                self.header_from_tokens(&line, at)
            }
        };
        self.end_directive();
        if let Some(header) = header {
            self.include(&header, at);
        }
    }

    /// Executes `#if` and the like in a group that is being processed.
    fn conditional(&mut self, name: &str, at: Span) {
        match name {
            "if" => {
                let taken = self.condition(at);
                self.open_conditional(at, taken);
            }
            "ifdef" => {
                let taken = self.is_defined(at, "ifdef").unwrap_or(false);
                self.open_conditional(at, taken);
            }
            "ifndef" => {
                let taken = self.is_defined(at, "ifndef").is_some_and(|defined| !defined);
                self.open_conditional(at, taken);
            }
            word => {
                if word == "else" {
                    let line = self.read_line();
                    self.check_extra(line.first(), word);
                }
                self.end_directive();
                let open = self.files.last_mut().and_then(|file| file.conditionals.last_mut());
                match open {
                    None => self.diags.error(at, format!("#{word} without #if")),
                    Some(open) => {
                        if open.in_else {
                            self.diags.error(at, format!("#{word} after #else"));
                        }
                        open.in_else |= word == "else";
                        self.skip_groups();
                    }
                }
            }
        }
    }

    fn open_conditional(&mut self, span: Span, taken: bool) {
        self.end_directive();
        if let Some(file) = self.files.last_mut() {
            file.conditionals.push(Conditional { span, taken, in_else: false });
        }
        if !taken {
            self.skip_groups();
        }
    }

    /// Evaluates the operand of `#ifdef`; `None` after an error.
    fn is_defined(&mut self, at: Span, directive: &str) -> Option<bool> {
        let line = self.read_line();
        let name = self.macro_name(line.first().copied(), at)?;
        self.check_extra(line.get(1), directive);
        Some(self.macro_of(name.symbol).is_some())
    }

    /// Skips groups up to one that must be processed, or past the `#endif`.
    fn skip_groups(&mut self) {
        let mut nested = 0u64;
        while !self.diags.is_full() {
            let Some(file) = self.files.last_mut() else { return };
            if !file.lexer.skip_to_directive() {
                return;
            }
            let start = file.lexer.offset();
            let name = self.start_directive();
            let at = Span::new(name.span.file, start.saturating_sub(1), name.span.end);
            let directive = match name.kind {
                PpKind::Ident => self.directive_name(name),
                _ => None,
            };
            match directive {
                Some("if" | "ifdef" | "ifndef") => nested += 1,
                Some("endif") if nested > 0 => nested -= 1,
                Some(which @ ("endif" | "else" | "elif"))
                    if nested == 0 && self.ends_skipping(which, at) =>
                {
                    return self.end_directive();
                }
                _ => {}
            }
            self.end_directive();
        }
    }

    /// Handles a directive of the innermost conditional while its text is skipped; returns true if skipping ends.
    fn ends_skipping(&mut self, which: &str, at: Span) -> bool {
        let Some(file) = self.files.last_mut() else { return true };
        let Some(open) = file.conditionals.last_mut() else { return true };
        if which == "endif" {
            file.conditionals.pop();
            let line = self.read_line();
            self.check_extra(line.first(), "endif");
            return true;
        }
        if open.in_else {
            self.diags.error(at, format!("#{which} after #else"));
            return false;
        }
        let process = !open.taken;
        if which == "else" {
            open.in_else = true;
            open.taken = true;
            let line = self.read_line();
            self.check_extra(line.first(), which);
            return process;
        }
        if !process || !self.condition(at) {
            return false;
        }
        if let Some(open) = self.files.last_mut().and_then(|file| file.conditionals.last_mut()) {
            open.taken = true;
        }
        true
    }
}
