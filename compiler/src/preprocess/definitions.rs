//! What macros are, and the table of those that are defined.

use super::interner::Symbol;
use super::lexer::PpToken;
use crate::source::Span;
use std::rc::Rc;

/// A macro.
#[derive(Debug)]
pub(super) struct Macro {
    pub name: Symbol,
    pub form: Form,
    pub body: Rc<[PpToken]>,
    /// Names of the parameters; the last is `__VA_ARGS__` or a name of one's own when variadic.
    pub params: Box<[Symbol]>,
    /// True if the body holds `#`, `##` or parameters: expansion must make a copy.
    pub has_operators: bool,
    /// True if its expansion is being rescanned: its name is not to be expanded (C99 6.10.3.4).
    pub disabled: bool,
    /// The name in the definition.
    pub definition: Span,
    /// Hash of all of this but the place, never 0.
    pub digest: u64,
}

/// The forms of macros.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Object,
    Function { variadic: bool },
    Special(Special),
}

/// Macros whose expansion depends on the place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Special {
    Line,
    File,
    Counter,
    IncludeLevel,
}

/// The macros of a compilation, by name.
#[derive(Debug, Default)]
pub(super) struct Macros {
    /// Indexed by symbol: [`UNKNOWN`], [`UNDEFINED`], or the index in `list` plus 2.
    pub entries: Vec<u32>,
    pub list: Vec<Macro>,
}

/// Not looked up yet: may be one of the built-in macros.
pub(super) const UNKNOWN: u32 = 0;
pub(super) const UNDEFINED: u32 = 1;
