//! Macro definitions: `#define`, `#undef`, and the table of defined macros.

use super::cache::top_level_index::mix;
use super::definitions::{Form, Macro, UNDEFINED, UNKNOWN};
use super::interner::Symbol;
use super::lexer::{flag, Lexer, PpKind, PpToken};
use super::predefined;
use super::state::Preprocessor;
use super::token::Punct;
use crate::source::Span;
use rustc_hash::FxHashMap;
use std::rc::Rc;

impl Preprocessor<'_> {
    /// Returns the number of the macro with a name, if there is one.
    pub(super) fn macro_of(&mut self, name: Symbol) -> Option<usize> {
        let found = match self.macros.entries.get(name.0 as usize) {
            Some(&UNDEFINED) => None,
            None | Some(&UNKNOWN) => self.look_up_builtin(name),
            Some(&entry) => Some(entry as usize - 2),
        };
        if self.recorder.is_on() {
            self.recorder.queried(name, found, self.interner.len());
        }
        found
    }

    /// Returns the macro with a name, if the program has defined it.
    pub(super) fn defined_macro(&self, name: Symbol) -> Option<&Macro> {
        let entry = *self.macros.entries.get(name.0 as usize)?;
        self.macros.list.get((entry as usize).checked_sub(2)?)
    }

    fn set_entry(&mut self, name: Symbol, entry: u32) {
        let index = name.0 as usize;
        if index >= self.macros.entries.len() {
            self.macros.entries.resize(self.interner.len().max(index + 1), UNKNOWN);
        }
        self.macros.entries[index] = entry;
    }

    /// Defines a built-in macro at the first use of its name.
    fn look_up_builtin(&mut self, name: Symbol) -> Option<usize> {
        self.set_entry(name, UNDEFINED);
        let builtin = predefined::find(self.interner.resolve(name), &self.features)?;
        match builtin {
            predefined::Builtin::Special(special) => {
                self.add_macro(Macro {
                    name,
                    form: Form::Special(special),
                    body: Rc::new([]),
                    params: Box::new([]),
                    has_operators: false,
                    disabled: false,
                    definition: Span::default(),
                    digest: 1,
                });
            }
            predefined::Builtin::Text { params, body } => self.define_text(name, params, body),
        }
        self.macro_of(name)
    }

    /// Defines a macro from texts; `params` in parentheses, or empty for an object-like macro.
    pub(super) fn define_text(&mut self, name: Symbol, params: &str, body: &str) {
        let mut tokens = Lexer::of_line(params).rest(self.interner);
        let name = PpToken { symbol: name, ..PpToken::new(PpKind::Ident, Span::default()) };
        let mut body = Lexer::of_line(body).rest(self.interner);
        if let (Some(first), true) = (body.first_mut(), tokens.is_empty()) {
            first.flags |= flag::SPACE;
        }
        tokens.append(&mut body);
        if let Some(definition) = self.parse_definition(name, &tokens) {
            self.add_macro(definition);
        }
    }

    /// Defines a macro for the program, and records the change.
    pub(super) fn redefine(&mut self, definition: Macro) {
        self.recorder.changed(definition.name);
        self.add_macro(definition);
    }

    /// Undefines a macro for the program, and records the change.
    pub(super) fn undefine(&mut self, name: Symbol) {
        self.recorder.changed(name);
        self.set_entry(name, UNDEFINED);
    }

    fn add_macro(&mut self, definition: Macro) {
        self.set_entry(definition.name, self.macros.list.len() as u32 + 2);
        self.macros.list.push(definition);
    }

    /// `#define` (C99 6.10.3): the line's tokens after `define`.
    pub(super) fn define(&mut self, line: &[PpToken], directive: Span) {
        let Some(name) = self.macro_name(line.first().copied(), directive) else { return };
        let Some(definition) = self.parse_definition(name, line.get(1..).unwrap_or(&[])) else {
            return;
        };
        if let Some(old) = self.macro_of(name.symbol) {
            self.check_redefinition(old, &definition);
        }
        self.redefine(definition);
    }

    /// `#undef` (C99 6.10.3.5).
    pub(super) fn undef(&mut self, line: &[PpToken], directive: Span) {
        let Some(name) = self.macro_name(line.first().copied(), directive) else { return };
        if let Some(old) = self.macro_of(name.symbol) {
            if matches!(self.macros.list[old].form, Form::Special(_)) {
                self.diags.warning(name.span, "undefining builtin macro");
            }
        }
        self.undefine(name.symbol);
        self.check_extra(line.get(1), "undef");
    }

    /// Checks that a token may name a macro.
    pub(super) fn macro_name(&mut self, token: Option<PpToken>, at: Span) -> Option<PpToken> {
        let Some(token) = token.filter(|token| !token.is_end()) else {
            return self.diags.fail(at, "macro name missing");
        };
        if token.kind != PpKind::Ident {
            return self.diags.fail(token.span, "macro name must be an identifier");
        }
        if token.symbol == self.names.defined {
            return self.diags.fail(token.span, "'defined' cannot be used as a macro name");
        }
        Some(token)
    }

    /// Warns of a redefinition, in clang's words, unless the definitions are the same (C99 6.10.3p2).
    /// Programs may redefine constants of OpenCL C without a warning.
    fn check_redefinition(&mut self, old: usize, new: &Macro) {
        let old = &self.macros.list[old];
        if matches!(old.form, Form::Special(_)) {
            self.diags.warning(new.definition, "redefining builtin macro");
            return;
        }
        let same_body = old.body.len() == new.body.len()
            && old.body.iter().zip(new.body.iter()).enumerate().all(|(i, (a, b))| {
                let space = if i == 0 { 0 } else { flag::SPACE };
                let flags = flag::PASTE | flag::STRINGIFY | space;
                (a.kind, a.symbol, a.flags & flags) == (b.kind, b.symbol, b.flags & flags)
            });
        if old.definition.is_builtin()
            || (same_body && old.form == new.form && old.params == new.params)
        {
            return;
        }
        let name = self.interner.resolve(new.name);
        self.diags.warning(new.definition, format!("'{name}' macro redefined"));
        self.diags.note(old.definition, "previous definition is here");
    }

    /// Parses a definition behind the name: parameters, if `(` follows without space, and the body.
    fn parse_definition(&mut self, name: PpToken, rest: &[PpToken]) -> Option<Macro> {
        let mut params = Vec::new();
        let mut form = Form::Object;
        let mut body = rest;
        match rest.first() {
            Some(first) if first.is(Punct::LParen) && !first.has(flag::SPACE) => {
                let (list, variadic, used) = self.parse_params(rest, name.span)?;
                params = list;
                form = Form::Function { variadic };
                body = rest.get(used..).unwrap_or(&[]);
            }
            Some(first) if !first.has(flag::SPACE) => {
                self.diags.warning(first.span, "ISO C99 requires whitespace after the macro name");
            }
            _ => {}
        }
        let body = self.parse_body(body, &params, form)?;
        let has_operators = body
            .iter()
            .any(|token| matches!(token.kind, PpKind::Param(_)) || token.has(flag::PASTE));
        let digest = self.digest(name.span, form, &params, &body);
        Some(Macro {
            name: name.symbol,
            form,
            body: body.into(),
            params: params.into(),
            has_operators,
            disabled: false,
            definition: name.span,
            digest,
        })
    }

    /// See [`Macro::digest`].
    fn digest(&self, at: Span, form: Form, params: &[Symbol], body: &[PpToken]) -> u64 {
        let form = match form {
            Form::Object => 0,
            Form::Function { variadic } => 1 + u64::from(variadic),
            Form::Special(special) => 3 + special as u64,
        };
        let start = mix(form << 1 | u64::from(at.is_builtin()), params.len() as u64);
        let params = params.iter().map(|&param| self.interner.hash(param));
        let body = body.iter().map(|token| {
            let kind = match token.kind {
                PpKind::Ident => 0,
                PpKind::Number => 1,
                PpKind::Char => 2,
                PpKind::Str => 3,
                PpKind::Punct(punct) => 1 << 8 | punct as u64,
                PpKind::Param(number) => 1 << 16 | u64::from(number),
                _ => 4,
            };
            mix(kind << 8 | u64::from(token.flags), self.interner.hash(token.symbol))
        });
        params.chain(body).fold(start, mix).max(1)
    }

    /// Parses parameters. Returns their names, true if there is an ellipsis, and the number of tokens read.
    fn parse_params(
        &mut self,
        tokens: &[PpToken],
        name: Span,
    ) -> Option<(Vec<Symbol>, bool, usize)> {
        let mut params: Vec<Symbol> = Vec::new();
        let mut seen = FxHashMap::default();
        let mut pos = 1;
        if tokens.get(pos).is_some_and(|token| token.is(Punct::RParen)) {
            return Some((params, false, 2));
        }
        loop {
            let Some(token) = tokens.get(pos) else {
                return self.diags.fail(name, "missing ')' in macro parameter list");
            };
            let mut variadic = token.is(Punct::Ellipsis);
            if token.kind == PpKind::Ident && token.symbol != self.names.va_args {
                if seen.insert(token.symbol, ()).is_some() {
                    let name = self.interner.resolve(token.symbol);
                    let message = format!("duplicate macro parameter name '{name}'");
                    return self.diags.fail(token.span, message);
                }
                params.push(token.symbol);
                // GNU: `args...`.
                if tokens.get(pos + 1).is_some_and(|token| token.is(Punct::Ellipsis)) {
                    variadic = true;
                    pos += 1;
                }
            } else if variadic {
                params.push(self.names.va_args);
            } else {
                return self.diags.fail(token.span, "expected identifier in macro parameter list");
            }
            pos += 1;
            match tokens.get(pos) {
                Some(token) if token.is(Punct::RParen) => {
                    if params.len() > usize::from(u16::MAX) {
                        return self.diags.fail(name, "too many macro parameters");
                    }
                    return Some((params, variadic, pos + 1));
                }
                Some(token) if token.is(Punct::Comma) && !variadic => pos += 1,
                Some(token) if variadic => {
                    return self.diags.fail(token.span, "missing ')' in macro parameter list");
                }
                Some(token) => {
                    return self.diags.fail(token.span, "expected comma in macro parameter list");
                }
                None => {}
            }
        }
    }

    /// Returns a macro's body, in which numbers replace the parameters' names, and flags the operators.
    fn parse_body(
        &mut self,
        tokens: &[PpToken],
        params: &[Symbol],
        form: Form,
    ) -> Option<Vec<PpToken>> {
        let numbers: FxHashMap<Symbol, u16> =
            params.iter().enumerate().map(|(i, &name)| (name, i as u16)).collect();
        let is_function = form != Form::Object;
        let mut body: Vec<PpToken> = Vec::with_capacity(tokens.len());
        let mut stringify: Option<PpToken> = None;
        for (i, &token) in tokens.iter().enumerate() {
            let mut token = PpToken { flags: token.flags & flag::SPACE, ..token };
            if token.is(Punct::HashHash) {
                if i == 0 || i + 1 == tokens.len() {
                    let end = if i == 0 { "start" } else { "end" };
                    let message = format!("'##' cannot appear at {end} of macro expansion");
                    return self.diags.fail(token.span, message);
                }
                if let Some(last) = body.last_mut() {
                    last.flags |= flag::PASTE;
                }
                continue;
            }
            if token.is(Punct::Hash) && is_function && stringify.is_none() {
                stringify = Some(token);
                continue;
            }
            let number = match token.kind {
                PpKind::Ident if !numbers.is_empty() => numbers.get(&token.symbol),
                _ => None,
            };
            if let Some(&number) = number {
                token.kind = PpKind::Param(number);
            }
            if let Some(hash) = stringify.take() {
                if number.is_none() {
                    return self.diags.fail(hash.span, "'#' is not followed by a macro parameter");
                }
                token.flags = hash.flags & flag::SPACE | flag::STRINGIFY;
            }
            body.push(token);
        }
        if let Some(hash) = stringify {
            return self.diags.fail(hash.span, "'#' is not followed by a macro parameter");
        }
        Some(body)
    }
}
