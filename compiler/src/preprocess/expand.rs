//! Macro expansion (C99 6.10.3.1 to 6.10.3.4).
//!
//! Expansions being rescanned form a stack of [`Context`]s above the text. A macro is disabled
//! while its context is on the stack; its name, if it occurs there, is marked and never expanded.

use super::definitions::{Form, Special};
use super::interner::Symbol;
use super::lexer::{flag, PpKind, PpToken};
use super::limits::MAX_EXPANDED;
use super::paste::quote;
use super::state::{Context, Preprocessor, Source, Tokens};
use super::token::Punct;
use crate::source::Span;
use std::ops::Range;
use std::rc::Rc;

/// The deepest nesting of macro invocations within arguments of invocations.
const MAX_DEPTH: u32 = 200;

/// The arguments of an invocation.
struct Arguments {
    tokens: Vec<PpToken>,
    /// The range of each argument, in `tokens`.
    ranges: Vec<Range<usize>>,
    expanded: Vec<Option<Rc<[PpToken]>>>,
}

impl Preprocessor<'_> {
    /// Returns the next token without macro expansion. Executes the directives before it.
    pub(super) fn next_raw(&mut self) -> PpToken {
        if self.diags.is_full() {
            return PpToken::new(PpKind::Eof, Span::default());
        }
        while let Some(context) = self.contexts.last_mut() {
            if let Some(token) = context.peek() {
                context.next += 1;
                return token;
            }
            if context.source == Source::Argument {
                return PpToken::new(PpKind::Eof, Span::default());
            }
            self.pop_context();
        }
        self.next_from_file()
    }

    /// Returns the next token after macro expansion.
    pub(super) fn next_expanded(&mut self) -> PpToken {
        loop {
            let mut token = self.next_raw();
            if token.kind != PpKind::Ident || token.has(flag::NO_EXPAND) {
                return token;
            }
            let Some(index) = self.macro_of(token.symbol) else { return token };
            if self.macros.list[index].disabled {
                token.flags |= flag::NO_EXPAND;
                return token;
            }
            if !self.enter_macro(index, token) {
                return token;
            }
        }
    }

    fn pop_context(&mut self) {
        if let Some(Context { source: Source::Macro(index), .. }) = self.contexts.pop() {
            self.macros.list[index].disabled = false;
        }
    }

    /// Counts tokens that expansion produces. Returns false if there are too many.
    fn charge(&mut self, tokens: usize, at: Span) -> bool {
        self.expanded += tokens;
        if self.expanded > MAX_EXPANDED {
            self.diags.fatal(at, "macro expansion produces too many tokens");
            return false;
        }
        true
    }

    /// Replaces a macro's name, and its arguments if it takes any, by its expansion. Returns false if the
    /// name is not an invocation.
    fn enter_macro(&mut self, index: usize, name: PpToken) -> bool {
        let in_text = self.contexts.is_empty();
        let definition = self.macros.list[index].definition;
        let tokens = match self.macros.list[index].form {
            Form::Special(special) => Tokens::Owned(vec![self.expand_special(special, name)]),
            Form::Object if !self.macros.list[index].has_operators => {
                Tokens::Body(self.macros.list[index].body.clone(), name.span)
            }
            Form::Object => Tokens::Owned(self.substitute(index, None, name.span)),
            Form::Function { variadic } => {
                if !self.eat_lparen() {
                    return false;
                }
                self.in_arguments += 1;
                let arguments = self.collect_arguments(index, variadic, name);
                self.in_arguments -= 1;
                let Some(arguments) = arguments else { return true };
                if self.macros.list[index].has_operators {
                    Tokens::Owned(self.substitute(index, Some(arguments), name.span))
                } else {
                    Tokens::Body(self.macros.list[index].body.clone(), name.span)
                }
            }
        };
        if in_text && !definition.is_builtin() {
            self.sources.mark_expansion(name.span, definition);
        }
        let len = match &tokens {
            Tokens::Body(tokens, _) => tokens.len(),
            Tokens::Owned(tokens) => tokens.len(),
        };
        if len > 0 && self.charge(len, name.span) {
            self.macros.list[index].disabled = true;
            let source = Source::Macro(index);
            self.contexts.push(Context {
                tokens,
                next: 0,
                source,
                space: name.flags & flag::SPACE,
            });
        }
        true
    }

    fn expand_special(&mut self, special: Special, name: PpToken) -> PpToken {
        self.recorder.invalidate();
        let location = self.sources.location(name.span);
        let (kind, text) = match special {
            Special::Line => {
                (PpKind::Number, location.map_or(0, |location| location.line).to_string())
            }
            Special::File => {
                let name = location.as_ref().map_or("<built-in>", |location| &location.name);
                (PpKind::Str, quote(name))
            }
            Special::Counter => {
                self.counter = self.counter.wrapping_add(1);
                (PpKind::Number, self.counter.wrapping_sub(1).to_string())
            }
            Special::IncludeLevel => {
                (PpKind::Number, self.files.len().saturating_sub(1).to_string())
            }
        };
        PpToken { kind, symbol: self.interner.intern(&text), ..name }
    }

    /// Reads `(` if it is the next token.
    fn eat_lparen(&mut self) -> bool {
        while let Some(context) = self.contexts.last_mut() {
            if let Some(token) = context.peek() {
                let found = token.is(Punct::LParen);
                context.next += usize::from(found);
                return found;
            }
            if context.source == Source::Argument {
                return false;
            }
            self.pop_context();
        }
        self.files.last_mut().is_some_and(|file| file.lexer.eat_lparen(self.interner))
    }

    /// Reads arguments up to the closing parenthesis.
    fn collect_arguments(
        &mut self,
        index: usize,
        variadic: bool,
        name: PpToken,
    ) -> Option<Arguments> {
        let params = self.macros.list[index].params.len();
        let mut tokens = Vec::new();
        let mut ranges = Vec::new();
        let mut start = 0;
        let mut depth = 0u32;
        loop {
            let mut token = self.next_raw();
            match token.kind {
                PpKind::Eof | PpKind::Eod => {
                    self.macro_error(index, name, "unterminated function-like macro invocation");
                    return None;
                }
                PpKind::Punct(Punct::LParen) => depth += 1,
                PpKind::Punct(Punct::RParen) if depth == 0 => break,
                PpKind::Punct(Punct::RParen) => depth -= 1,
                PpKind::Punct(Punct::Comma)
                    if depth == 0 && !(variadic && ranges.len() + 1 == params) =>
                {
                    ranges.push(start..tokens.len());
                    start = tokens.len();
                    continue;
                }
                PpKind::Ident => {
                    let known = self.macro_of(token.symbol);
                    if known.is_some_and(|known| self.macros.list[known].disabled) {
                        token.flags |= flag::NO_EXPAND;
                    }
                }
                _ => {}
            }
            if token.has(flag::BOL) {
                token.flags = token.flags & !flag::BOL | flag::SPACE;
            }
            tokens.push(token);
        }
        ranges.push(start..tokens.len());
        if params == 0 && tokens.is_empty() {
            ranges.clear();
        }
        if variadic && ranges.len() + 1 == params {
            ranges.push(tokens.len()..tokens.len());
        }
        if ranges.len() != params {
            let few = if ranges.len() < params { "few" } else { "many" };
            let message = format!("too {few} arguments provided to function-like macro invocation");
            self.macro_error(index, name, &message);
            return None;
        }
        let expanded = vec![None; params];
        Some(Arguments { tokens, ranges, expanded })
    }

    fn macro_error(&mut self, index: usize, name: PpToken, message: &str) {
        self.diags.error(name.span, message);
        let definition = self.macros.list[index].definition;
        let text = self.interner.resolve(name.symbol);
        self.diags.note(definition, format!("macro '{text}' defined here"));
    }

    /// Expands tokens as if nothing followed them (C99 6.10.3.1).
    pub(super) fn expand_alone(&mut self, tokens: &[PpToken]) -> Vec<PpToken> {
        let plain = tokens.iter().all(|token| {
            token.kind != PpKind::Ident
                || token.has(flag::NO_EXPAND)
                || self.macro_of(token.symbol).is_none()
        });
        if plain {
            return tokens.to_vec();
        }
        let at = tokens.first().map_or(Span::default(), |token| token.span);
        if !self.charge(tokens.len(), at) {
            return Vec::new();
        }
        if self.depth >= MAX_DEPTH {
            self.diags.fatal(at, "macro invocations nested too deeply");
            return Vec::new();
        }
        self.depth += 1;
        let below = self.contexts.len();
        let source = Source::Argument;
        self.contexts.push(Context {
            tokens: Tokens::Owned(tokens.to_vec()),
            next: 0,
            source,
            space: 0,
        });
        let expanded = self.read_expanded_line();
        while self.contexts.len() > below {
            self.pop_context();
        }
        self.depth -= 1;
        expanded
    }

    /// Returns a macro's body with arguments in the place of parameters, and `#` and `##` applied.
    fn substitute(
        &mut self,
        index: usize,
        mut arguments: Option<Arguments>,
        at: Span,
    ) -> Vec<PpToken> {
        let body = self.macros.list[index].body.clone();
        let variadic = self.macros.list[index].form == Form::Function { variadic: true };
        let last_param = self.macros.list[index].params.len().wrapping_sub(1);
        let mut output: Vec<PpToken> = Vec::with_capacity(body.len());
        let mut paste = false;
        for (i, &token) in body.iter().enumerate() {
            let pasted_after = token.has(flag::PASTE);
            let start = output.len();
            match (token.kind, arguments.as_mut()) {
                (PpKind::Param(param), Some(arguments)) => {
                    let param = usize::from(param);
                    // GNU: in `, ## __VA_ARGS__` the comma is dropped if there are no arguments.
                    let after_comma = paste
                        && variadic
                        && param == last_param
                        && body.get(i.wrapping_sub(1)).is_some_and(|t| t.is(Punct::Comma));
                    if after_comma {
                        let range = arguments.ranges.get(param).cloned().unwrap_or(0..0);
                        if range.is_empty() {
                            output.pop();
                        } else {
                            output.extend_from_slice(&arguments.tokens[range]);
                        }
                        paste = pasted_after;
                        continue;
                    }
                    self.substitute_param(token, param, paste, arguments, at, &mut output);
                }
                _ => output.push(PpToken {
                    span: at,
                    flags: token.flags & (flag::SPACE | flag::NO_EXPAND),
                    ..token
                }),
            }
            if paste && start > 0 && start < output.len() {
                self.paste_at(&mut output, start, at);
            }
            paste = pasted_after;
            if self.expanded + output.len() > MAX_EXPANDED {
                self.charge(output.len(), at);
                return Vec::new();
            }
        }
        output.retain(|token| token.kind != PpKind::Placemarker);
        output
    }

    /// Appends the argument that replaces a parameter.
    fn substitute_param(
        &mut self,
        token: PpToken,
        param: usize,
        pasted_before: bool,
        arguments: &mut Arguments,
        at: Span,
        output: &mut Vec<PpToken>,
    ) {
        let range = arguments.ranges.get(param).cloned().unwrap_or(0..0);
        let start = output.len();
        if token.has(flag::STRINGIFY) {
            let string = self.stringify(&arguments.tokens[range], at);
            output.push(string);
        } else if pasted_before || token.has(flag::PASTE) {
            output.extend_from_slice(&arguments.tokens[range]);
            if output.len() == start {
                output.push(PpToken::new(PpKind::Placemarker, at));
            }
        } else {
            let expanded = match arguments.expanded.get(param) {
                Some(Some(expanded)) => expanded.clone(),
                _ => {
                    let expanded: Rc<[PpToken]> =
                        self.expand_alone(&arguments.tokens[range]).into();
                    if let Some(slot) = arguments.expanded.get_mut(param) {
                        *slot = Some(expanded.clone());
                    }
                    expanded
                }
            };
            output.extend_from_slice(&expanded);
        }
        if let Some(first) = output.get_mut(start) {
            first.flags = first.flags & !flag::SPACE | token.flags & flag::SPACE;
        }
    }

    /// Pastes the token at `right` to the one before it (C99 6.10.3.3).
    fn paste_at(&mut self, output: &mut Vec<PpToken>, right: usize, at: Span) {
        let (left, token) = (output[right - 1], output[right]);
        if token.kind == PpKind::Placemarker {
            output.remove(right);
        } else if left.kind == PpKind::Placemarker {
            output.remove(right - 1);
        } else if let Some(pasted) = self.paste(left, token, at) {
            output[right - 1] = pasted;
            output.remove(right);
        }
    }

    /// Returns the spelling of tokens, a space where white space was.
    pub(super) fn spell(&self, tokens: &[PpToken]) -> String {
        let mut text = String::new();
        for (i, token) in tokens.iter().enumerate() {
            if i > 0 && token.has(flag::SPACE) {
                text.push(' ');
            }
            text.push_str(token.spelling(self.interner));
        }
        text
    }

    /// Returns a symbol's number as a token, for `#if`.
    pub(super) fn number_token(&mut self, value: bool, span: Span) -> PpToken {
        let symbol: Symbol = self.interner.intern(if value { "1" } else { "0" });
        PpToken { symbol, ..PpToken::new(PpKind::Number, span) }
    }
}
