//! Cached headers: the result of preprocessing a header (tokens and macros), and the macros and files that
//! it depends on.
//!
//! Programs of one application include the same headers. If the macros that a header asks for are the same as in an earlier
//! program, and the files that it includes are unchanged, its tokens are the same as before. A cached header numbers its
//! own names, strings and files; [`IncludedHeader`] maps these numbers to those of one compilation.

use super::top_level_index::TopLevelIndex;
use crate::preprocess::definitions::Form;
use crate::preprocess::interner::{Interner, StringId, Symbol};
use crate::preprocess::lexer::PpToken;
use crate::preprocess::limits::ResourceUsage;
use crate::preprocess::token::{Pragma, Token, TokenKind};
use crate::source::{Expansion, FileId, Span};
use std::ops::Range;
use std::sync::Arc;

/// The result of preprocessing a header once.
#[derive(Debug)]
pub(crate) struct CachedHeader {
    /// A hash of the options that decide which warnings there are.
    pub(in crate::preprocess) options: u64,
    /// Names and strings.
    pub names: Interner,
    /// The macros that the header depends on, each with its [`Macro::digest`], or 0 if it was undefined.
    pub(in crate::preprocess) macro_dependencies: Box<[(Symbol, u64)]>,
    /// The texts that were read, the header's own first.
    pub(in crate::preprocess) texts: Box<[Arc<str>]>,
    /// The files that were included, the header first.
    pub(in crate::preprocess) inclusions: Box<[CachedInclusion]>,
    /// Files that said `#pragma once`.
    pub(in crate::preprocess) once: Box<[FileId]>,
    /// The macros that the header defines, or leaves undefined.
    pub(in crate::preprocess) macros: Box<[(Symbol, Option<CachedMacro>)]>,
    pub tokens: Box<[Token]>,
    pub index: TopLevelIndex,
    pub(in crate::preprocess) expansions: Arc<[Expansion]>,
    /// Macros of other files that were expanded, by their numbers in [`Expansion`].
    pub(in crate::preprocess) external_macros: Box<[Symbol]>,
    pub(in crate::preprocess) usage: ResourceUsage,
    /// The greatest depth of inclusions within each other.
    pub(in crate::preprocess) depth: usize,
}

/// An `#include` in a cached header. Files have their numbers in the cached header.
#[derive(Debug)]
pub(in crate::preprocess) struct CachedInclusion {
    /// The number of the inclusion whose text has this `#include`.
    pub from: usize,
    pub name: String,
    pub angled: bool,
    pub found: FileId,
    /// True if the file had said `#pragma once` before the header.
    pub was_once: bool,
}

/// A macro's definition, apart from its name.
#[derive(Debug)]
pub(in crate::preprocess) struct CachedMacro {
    pub form: Form,
    pub body: Box<[PpToken]>,
    pub params: Box<[Symbol]>,
    pub has_operators: bool,
    pub definition: Span,
    pub digest: u64,
}

impl CachedHeader {
    /// Returns the approximate size in bytes of the cached header.
    pub(in crate::preprocess) fn bytes(&self) -> usize {
        let names: usize = self.index.definitions.iter().map(|d| d.names.len()).sum();
        size_of_val(&self.tokens[..])
            + size_of_val(&self.expansions[..])
            + self.names.len() * 48
            + names * size_of::<Symbol>()
            + self.macros.len() * 128
    }
}

/// A cached header in a compilation.
#[derive(Debug)]
pub(crate) struct IncludedHeader {
    /// The number of the compilation's tokens before this header, not counting the tokens of other cached headers.
    pub at: usize,
    pub header: Arc<CachedHeader>,
    /// The compilation's names, strings and files, by their numbers in the cached header.
    pub symbols: Vec<Symbol>,
    pub strings: Vec<StringId>,
    pub files: Vec<FileId>,
}

impl IncludedHeader {
    /// Appends some of the header's tokens, translated to this compilation.
    pub fn append_to(&self, range: Range<usize>, tokens: &mut Vec<Token>) {
        let symbol = |symbol: Symbol| self.symbols[symbol.0 as usize];
        let translate = |token: &Token| {
            let kind = match token.kind {
                TokenKind::Ident(name) => TokenKind::Ident(symbol(name)),
                TokenKind::Str(id) => TokenKind::Str(self.strings[id.0 as usize]),
                TokenKind::Pragma(Pragma::Extension { name, behaviour }) => {
                    TokenKind::Pragma(Pragma::Extension { name: symbol(name), behaviour })
                }
                kind => kind,
            };
            Token { kind, span: self.span(token.span) }
        };
        tokens.extend(self.header.tokens[range].iter().map(translate));
    }

    fn span(&self, span: Span) -> Span {
        Span { file: self.files[span.file.0 as usize], ..span }
    }
}
