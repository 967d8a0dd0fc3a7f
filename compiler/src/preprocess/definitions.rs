//! Macros, and the table of the macros that are defined.

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
    /// Names of the parameters. The last one of a variadic macro is `__VA_ARGS__`, or a name that the program chose.
    pub params: Box<[Symbol]>,
    /// True if the body holds `#`, `##` or parameters: expansion must make a copy.
    pub has_operators: bool,
    /// True while the macro's expansion is being rescanned: its name is not expanded then (C99 6.10.3.4).
    pub disabled: bool,
    /// The name in the definition.
    pub definition: Span,
    /// The hash of the definition without its place, never 0.
    pub digest: u64,
}

/// The forms of macros.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Object,
    Function { variadic: bool },
    Special(Special),
}

/// Macros whose expansion depends on the place of the invocation.
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

/// The entry of a name that has not been looked up yet: it may be a built-in macro.
pub(super) const UNKNOWN: u32 = 0;
pub(super) const UNDEFINED: u32 = 1;
