//! `#pragma` and `_Pragma` (C99 6.10.6, 6.10.9; OpenCL C 6.9, 6.12).

use super::lexer::{flag, Lexer, PpKind, PpToken};
use super::state::Preprocessor;
use super::token::{ExtensionBehaviour, FpContract, Pragma, Punct, Token, TokenKind};
use crate::source::Span;

impl Preprocessor<'_> {
    /// Executes a pragma, or outputs it for later stages. `line` has its tokens after `pragma`.
    pub(super) fn pragma(&mut self, line: &[PpToken], at: Span) {
        let word = |index: usize| match line.get(index) {
            Some(token) if token.kind == PpKind::Ident => self.interner.resolve(token.symbol),
            _ => "",
        };
        match (word(0), word(1)) {
            ("once", _) => {
                if let Some(file) = self.files.last().map(|file| file.lexer.file) {
                    self.mark_once(file);
                }
            }
            ("OPENCL" | "STDC", "FP_CONTRACT") => {
                let state = match word(2) {
                    "ON" => FpContract::On,
                    "OFF" => FpContract::Off,
                    "DEFAULT" => FpContract::Default,
                    _ => {
                        let message = "expected 'ON' or 'OFF' or 'DEFAULT' in pragma";
                        return self.diags.warning(at, message);
                    }
                };
                self.pass_on(Pragma::FpContract(state), at);
            }
            ("OPENCL", "EXTENSION") => self.extension_pragma(line, at),
            ("unroll", _) => self.unroll_pragma(line, at),
            ("pack", _) => self.pack_pragma(line, at),
            ("clang" | "GCC", "diagnostic") => self.diagnostic_pragma(line, at),
            ("nounroll", _) => self.pass_on(Pragma::Unroll(Some(1)), at),
            _ => self.diags.warning(at, "unknown pragma ignored"),
        }
    }

    fn pass_on(&mut self, pragma: Pragma, span: Span) {
        self.end_string();
        self.output.push(Token { kind: TokenKind::Pragma(pragma), span });
    }

    /// `#pragma clang diagnostic`: `push`, `pop`, and `ignored`, `warning` or `error` with the name of a group. Warnings have
    /// no groups here, so only pragmas for groups of all warnings have an effect.
    fn diagnostic_pragma(&mut self, line: &[PpToken], at: Span) {
        self.recorder.invalidate();
        let spelling = |index: usize| line.get(index).map(|token| token.spelling(self.interner));
        let groups = ["\"-Weverything\"", "\"-Wall\"", "\"-Wextra\""];
        let holds_all = spelling(3).is_some_and(|group| groups.contains(&group));
        match spelling(2) {
            Some("push") => self.diags.muting.push(),
            Some("pop") => self.diags.muting.pop(at),
            Some("ignored") if holds_all => self.diags.muting.set(at, true),
            Some("warning" | "error" | "fatal") if holds_all => self.diags.muting.set(at, false),
            Some("ignored" | "warning" | "error" | "fatal") => {}
            _ => {
                let message = "pragma diagnostic expected 'error', 'warning', 'ignored', 'fatal', \
                               'push', or 'pop'";
                self.diags.warning(at, message);
            }
        }
    }

    /// `#pragma OPENCL EXTENSION name : behaviour`.
    fn extension_pragma(&mut self, line: &[PpToken], at: Span) {
        let (name, colon, behaviour) = match line.get(2..5) {
            Some(&[name, colon, behaviour]) => (name, colon, behaviour),
            _ => {
                let message = "expected 'name : behavior' in '#pragma OPENCL EXTENSION' - ignoring";
                return self.diags.warning(at, message);
            }
        };
        if name.kind != PpKind::Ident || !colon.is(Punct::Colon) {
            let message = "expected 'name : behavior' in '#pragma OPENCL EXTENSION' - ignoring";
            return self.diags.warning(name.span, message);
        }
        let behaviour = match behaviour.spelling(self.interner) {
            "enable" => ExtensionBehaviour::Enable,
            "disable" => ExtensionBehaviour::Disable,
            "require" => ExtensionBehaviour::Require,
            "begin" => ExtensionBehaviour::Begin,
            "end" => ExtensionBehaviour::End,
            _ => {
                let message = "expected 'enable', 'disable', 'begin' or 'end' - ignoring";
                return self.diags.warning(behaviour.span, message);
            }
        };
        let span = at.to(name.span);
        self.pass_on(Pragma::Extension { name: name.symbol, behaviour }, span);
    }

    /// `#pragma unroll`, with or without a factor.
    fn unroll_pragma(&mut self, line: &[PpToken], at: Span) {
        let factor = self.expand_alone(line.get(1..).unwrap_or(&[]));
        if factor.is_empty() {
            return self.pass_on(Pragma::Unroll(None), at);
        }
        match self.evaluate(&factor, at) {
            Some(factor) if factor > 0 && factor <= u64::from(u32::MAX) => {
                self.pass_on(Pragma::Unroll(Some(factor as u32)), at);
            }
            Some(_) => self.diags.error(at, "invalid value for '#pragma unroll'; must be positive"),
            None => {}
        }
    }

    /// `#pragma pack(n)`, `pack()`, `pack(push)`, `pack(push, n)` and `pack(pop)`, with clang's
    /// meaning. Labels of `push` and `pop` are ignored.
    fn pack_pragma(&mut self, line: &[PpToken], at: Span) {
        let line = self.expand_alone(line.get(1..).unwrap_or(&[]));
        let parenthesized = line.first().is_some_and(|token| token.is(Punct::LParen))
            && line.last().is_some_and(|token| token.is(Punct::RParen));
        if !parenthesized {
            return self.diags.warning(at, "missing '(' after '#pragma pack' - ignoring");
        }
        let mut alignment = None;
        for token in line.get(1..line.len().saturating_sub(1)).unwrap_or(&[]) {
            match (token.kind, token.spelling(self.interner)) {
                (PpKind::Ident, "push") => self.pack.push(self.pack.last().copied().unwrap_or(0)),
                (PpKind::Ident, "pop") if self.pack.len() > 1 => alignment = self.pop_pack(),
                (PpKind::Ident, "pop") => {
                    let message = "#pragma pack(pop, ...) failed: stack empty";
                    self.diags.warning(at, message);
                    return;
                }
                (PpKind::Number, text) => match text.parse::<u32>() {
                    Ok(n @ (0 | 1 | 2 | 4 | 8 | 16)) => alignment = Some(n),
                    _ => {
                        let message =
                            "expected #pragma pack parameter to be '1', '2', '4', '8', or '16'";
                        return self.diags.warning(at, message);
                    }
                },
                _ => {}
            }
        }
        let is_reset = line.len() == 2;
        self.recorder.invalidate();
        if let Some(n) = alignment.or(is_reset.then_some(0)) {
            self.pack.pop();
            self.pack.push(n);
        }
        self.pass_on(Pragma::Pack(self.pack.last().copied().unwrap_or(0)), at);
    }

    fn pop_pack(&mut self) -> Option<u32> {
        self.pack.pop();
        self.pack.last().copied()
    }

    /// Skips a wrong operand of `_Pragma`, and the `)` behind it.
    fn skip_operand(&mut self, last: PpToken) {
        if last.is(Punct::RParen) || last.is_end() {
            return;
        }
        self.next_expanded();
    }

    /// `_Pragma ( "..." )`.
    pub(super) fn pragma_operator(&mut self, operator: PpToken) {
        let open = self.next_expanded();
        let string = if open.is(Punct::LParen) { self.next_expanded() } else { open };
        let close = if string.kind == PpKind::Str { self.next_expanded() } else { string };
        if !close.is(Punct::RParen) || string.kind != PpKind::Str {
            let message = "_Pragma takes a parenthesized string literal";
            self.diags.error(operator.span, message);
            return self.skip_operand(close);
        }
        let text = string.spelling(self.interner);
        let text = text.get(1..text.len().saturating_sub(1)).unwrap_or("");
        let text = text.replace("\\\"", "\"").replace("\\\\", "\\");
        let tokens = Lexer::of_line(&text).rest(self.interner).into_iter();
        let span = operator.span;
        let line: Vec<PpToken> =
            tokens.map(|t| PpToken { span, flags: t.flags & flag::SPACE, ..t }).collect();
        self.pragma(&line, operator.span);
    }
}
