//! The state of a compilation's preprocessing, on which the other files work.

use super::cache::cached_header::IncludedHeader;
use super::cache::header_cache::HeaderText;
use super::cache::recorder::Recorder;
use super::definitions::Macros;
use super::interner::{Interner, Symbol};
use super::lexer::{flag, Lexer, PpToken};
use super::limits::ResourceUsage;
use super::predefined::Features;
use super::token::Token;
use crate::options::Options;
use crate::source::{Diagnostics, FileId, SourceMap, Span};
use rustc_hash::{FxHashMap, FxHashSet};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;

/// Names that have a meaning for the preprocessor itself.
pub(super) struct Names {
    pub defined: Symbol,
    pub va_args: Symbol,
    pub pragma: Symbol,
}

/// A text being read.
pub(super) struct File {
    pub lexer: Lexer,
    pub conditionals: Vec<Conditional>,
    /// Directory of a file from disk.
    pub directory: Option<PathBuf>,
    /// Number of the `#include` that included the text.
    pub inclusion: usize,
}

/// The state of one compilation's preprocessing.
pub(super) struct Preprocessor<'a> {
    pub headers: &'a [(String, String)],
    /// A hash of the options except macros and directories.
    pub options_hash: u64,
    pub main_name: &'a str,
    pub options: &'a Options,
    pub sources: &'a mut SourceMap,
    pub interner: &'a mut Interner,
    pub diags: &'a mut Diagnostics,
    pub names: Names,
    pub features: Features,
    /// Texts being read, the innermost include last.
    pub files: Vec<File>,
    /// Macro expansions being rescanned, the innermost last.
    pub contexts: Vec<Context>,
    pub macros: Macros,
    /// Headers read so far: by include name, or by path when from disk.
    pub loaded: FxHashMap<Key, FileId>,
    /// Headers from disk, which may have cached headers.
    pub texts: FxHashMap<FileId, Arc<HeaderText>>,
    /// Files that say `#pragma once`.
    pub once: FxHashSet<FileId>,
    /// The recordings of the headers that are being read.
    pub recorder: Recorder,
    /// Cached headers that replace headers.
    pub included: Vec<IncludedHeader>,
    /// The number of tokens in `included`.
    pub included_token_count: usize,
    /// Bytes of text read, every inclusion counted.
    pub text_read: usize,
    /// Tokens that macros have produced.
    pub expanded: usize,
    /// Bytes that `#` and `##` have made.
    pub spelled: usize,
    /// Depth of arguments being expanded.
    pub depth: u32,
    /// Invocations whose arguments are being collected.
    pub in_arguments: u32,
    /// The next value of `__COUNTER__`.
    pub counter: u32,
    /// The values of `#pragma pack`, the innermost `push` last; never empty.
    pub pack: Vec<u32>,
    pub output: Vec<Token>,
    /// A string literal to which the next token may add (phase 6).
    pub string: Option<(Vec<u8>, Span)>,
}

/// An `#if` whose `#endif` has not been read yet.
pub(super) struct Conditional {
    /// The `#` of the `#if`.
    pub span: Span,
    /// True if one of the conditional's groups has been processed: the others are skipped.
    pub taken: bool,
    /// True if the conditional's `#else` has been read.
    pub in_else: bool,
}

/// A list of tokens, which is read before the contexts below it on the stack.
pub(super) struct Context {
    pub tokens: Tokens,
    pub next: usize,
    pub source: Source,
    /// Leading white space of the expansion's first token.
    pub space: u8,
}

pub(super) enum Tokens {
    /// A macro's body without changes; each token gets the place of the invocation, the span.
    Body(Rc<[PpToken]>, Span),
    Owned(Vec<PpToken>),
}

/// The source of a context's tokens.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// The expansion of the macro with this number, which is disabled until the context ends.
    Macro(usize),
    /// An argument being expanded by itself: reading stops at its end.
    Argument,
}

impl Context {
    pub fn peek(&self) -> Option<PpToken> {
        let token = match &self.tokens {
            Tokens::Body(tokens, span) => {
                tokens.get(self.next).map(|token| PpToken { span: *span, ..*token })
            }
            Tokens::Owned(tokens) => tokens.get(self.next).copied(),
        };
        match token {
            Some(token) if self.next == 0 && self.source != Source::Argument => {
                Some(PpToken { flags: token.flags & !flag::SPACE | self.space, ..token })
            }
            token => token,
        }
    }
}

/// The identity of a header.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Key {
    /// The number of a header given with the source.
    Given(usize),
    /// A file.
    Path(PathBuf),
}

impl Preprocessor<'_> {
    /// Returns how much of the limited resources has been used so far.
    pub fn resource_usage(&self) -> ResourceUsage {
        ResourceUsage { text_read: self.text_read, expanded: self.expanded, spelled: self.spelled }
    }

    pub fn set_resource_usage(&mut self, usage: ResourceUsage) {
        self.text_read = usage.text_read;
        self.expanded = usage.expanded;
        self.spelled = usage.spelled;
    }
}
