//! Cached headers: the result of preprocessing a header (tokens and macros), and the macros and files that
//! it depends on.
//!
//! Programs of one application include the same headers. Where a header finds the macros that it
//! asks for as an earlier program had them, and the files that it includes hold what they held, its
//! tokens are those of the earlier time. A cached header has names, strings and files of its own, by
//! number; [`IncludedHeader`] says what they are in one compilation.

use super::top_level_index::TopLevelIndex;
use crate::preprocess::expand::MAX_EXPANDED;
use crate::preprocess::include::{MAX_DEPTH, MAX_TEXT};
use crate::preprocess::interner::{Interner, StringId, Symbol};
use crate::preprocess::lexer::PpToken;
use crate::preprocess::macros::{Form, Macro};
use crate::preprocess::paste::MAX_SPELLED;
use crate::preprocess::token::{Pragma, Token, TokenKind};
use crate::preprocess::{Preprocessor, MAX_TOKENS};
use crate::source::{CachedExpansions, Expansion, FileId, Span};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

/// The result of preprocessing a header once.
#[derive(Debug)]
pub(crate) struct CachedHeader {
    /// Of the options that matter: they decide which warnings there are.
    pub(in crate::preprocess) options: u64,
    /// Names and strings.
    pub names: Interner,
    /// The macros that it depends on, and what they were: [`Macro::digest`], or 0 if undefined.
    pub(in crate::preprocess) macro_dependencies: Box<[(Symbol, u64)]>,
    /// The texts that were read, that of the header first.
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
    /// Macros of other files that were expanded, by the number that [`Expansion`] has for them.
    pub(in crate::preprocess) external_macros: Box<[Symbol]>,
    pub(in crate::preprocess) usage: ResourceUsage,
    /// Texts within texts.
    pub(in crate::preprocess) depth: usize,
}

/// An `#include` in a cached header; files by their numbers in that.
#[derive(Debug)]
pub(in crate::preprocess) struct CachedInclusion {
    /// The inclusion in whose text it stands, by number.
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

/// The bounded resources of a compilation, and how much of them is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::preprocess) struct ResourceUsage {
    pub text_read: usize,
    pub expanded: usize,
    pub spelled: usize,
}

impl ResourceUsage {
    pub fn plus(self, other: &ResourceUsage) -> ResourceUsage {
        ResourceUsage {
            text_read: self.text_read + other.text_read,
            expanded: self.expanded + other.expanded,
            spelled: self.spelled + other.spelled,
        }
    }

    pub fn minus(self, other: &ResourceUsage) -> ResourceUsage {
        ResourceUsage {
            text_read: self.text_read - other.text_read,
            expanded: self.expanded - other.expanded,
            spelled: self.spelled - other.spelled,
        }
    }

    fn is_allowed(self) -> bool {
        self.text_read <= MAX_TEXT && self.expanded <= MAX_EXPANDED && self.spelled <= MAX_SPELLED
    }
}

impl CachedHeader {
    /// Returns roughly the number of bytes that it takes.
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
    /// Tokens of the compilation before it, those of other cached headers not counted.
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

/// A file that an `#include` of a cached header finds now.
struct Found {
    file: FileId,
    directory: Option<PathBuf>,
}

impl Preprocessor<'_> {
    /// Returns true if a cached header may be replayed here.
    pub(in crate::preprocess) fn can_replay(&self) -> bool {
        self.contexts.is_empty() && self.in_arguments == 0 && self.string.is_none()
    }

    /// Takes a header's tokens and macros from the cache. Returns false if no cached header fits.
    pub(in crate::preprocess) fn replay(&mut self, file: FileId, directory: Option<&Path>) -> bool {
        let Some(text) = self.texts.get(&file) else { return false };
        let cached_headers = text.cached_headers();
        cached_headers.into_iter().any(|header| self.try_replay(header, file, directory))
    }

    fn try_replay(
        &mut self,
        header: Arc<CachedHeader>,
        file: FileId,
        directory: Option<&Path>,
    ) -> bool {
        if header.options != self.options_hash || !self.has_room(&header) {
            return false;
        }
        let Some(symbols) = self.matching_symbols(&header) else { return false };
        let inclusions = self.recorder.inclusions.len();
        let Some(files) = self.find_files(&header, file, directory) else {
            self.recorder.inclusions.truncate(inclusions);
            return false;
        };
        self.apply_cached(header, symbols, files);
        true
    }

    fn has_room(&self, header: &CachedHeader) -> bool {
        let usage = self.resource_usage().plus(&header.usage);
        let tokens = self.output.len() + self.included_token_count + header.tokens.len();
        usage.is_allowed() && tokens < MAX_TOKENS && self.files.len() + header.depth <= MAX_DEPTH
    }

    /// Returns the compilation's names for those of a cached header, if the macros that it depends on are unchanged.
    fn matching_symbols(&mut self, header: &CachedHeader) -> Option<Vec<Symbol>> {
        for &(name, digest) in &header.macro_dependencies {
            let name = self.interner.intern_known(&header.names, name);
            let now = self.macro_of(name).map_or(0, |index| self.macros.list[index].digest);
            if now != digest {
                return None;
            }
        }
        let names = (0..header.names.len() as u32).map(Symbol);
        Some(names.map(|name| self.interner.intern_known(&header.names, name)).collect())
    }

    /// Returns the compilation's files for those of a cached header, if each include still finds the same text.
    fn find_files(
        &mut self,
        header: &CachedHeader,
        file: FileId,
        directory: Option<&Path>,
    ) -> Option<Vec<FileId>> {
        let first = self.recorder.inclusions.len() - 1;
        let mut files: Vec<Option<FileId>> = vec![None; header.texts.len()];
        let mut found = Vec::with_capacity(header.inclusions.len());
        for (i, inclusion) in header.inclusions.iter().enumerate() {
            let now = match i {
                0 => Found { file, directory: directory.map(Path::to_path_buf) },
                _ => {
                    let Found { file, directory } = found.get(inclusion.from)?;
                    let (name, angled) = (&inclusion.name, inclusion.angled);
                    let (file, directory) =
                        self.find(name, angled, *file, directory.clone().as_deref())?;
                    let was_once = self.once.contains(&file);
                    if was_once != inclusion.was_once {
                        return None;
                    }
                    self.recorder.inclusions.push(super::recorder::Inclusion {
                        from: first + inclusion.from,
                        name: inclusion.name.clone(),
                        angled: inclusion.angled,
                        found: file,
                        was_once,
                    });
                    Found { file, directory }
                }
            };
            let number = inclusion.found.0 as usize;
            if !Arc::ptr_eq(&self.texts.get(&now.file)?.text, &header.texts[number]) {
                return None;
            }
            if files[number].replace(now.file).is_some_and(|before| before != now.file) {
                return None;
            }
            found.push(now);
        }
        files.into_iter().collect()
    }

    fn apply_cached(
        &mut self,
        header: Arc<CachedHeader>,
        symbols: Vec<Symbol>,
        files: Vec<FileId>,
    ) {
        let external_macros = header.external_macros.iter().map(|name| {
            let index = self.macro_of(symbols[name.0 as usize]);
            index.map_or(Span::default(), |index| self.macros.list[index].definition)
        });
        let external_macros = external_macros.collect();
        self.sources.add_cached_expansions(CachedExpansions {
            list: header.expansions.clone(),
            files: files.clone(),
            external_macros,
        });
        for (name, definition) in &header.macros {
            let name = symbols[name.0 as usize];
            match definition {
                Some(definition) => self.define_cached(name, definition, &symbols, &files),
                None => self.undefine(name),
            }
        }
        for file in &header.once {
            self.mark_once(files[file.0 as usize]);
        }
        let usage = self.resource_usage().plus(&header.usage);
        self.set_resource_usage(usage);
        let strings = (0..header.names.strings()).map(StringId);
        let strings =
            strings.map(|id| self.interner.add_bytes(header.names.bytes(id).to_vec())).collect();
        self.included_token_count += header.tokens.len();
        let at = self.output.len();
        self.included.push(IncludedHeader { at, header, symbols, strings, files });
    }

    fn define_cached(
        &mut self,
        name: Symbol,
        cached: &CachedMacro,
        symbols: &[Symbol],
        files: &[FileId],
    ) {
        let symbol = |symbol: Symbol| symbols[symbol.0 as usize];
        let body: Rc<[PpToken]> = cached
            .body
            .iter()
            .map(|token| PpToken { symbol: symbol(token.symbol), ..*token })
            .collect();
        let span = cached.definition;
        self.redefine(Macro {
            name,
            form: cached.form,
            body,
            params: cached.params.iter().map(|&param| symbol(param)).collect(),
            has_operators: cached.has_operators,
            disabled: false,
            definition: Span { file: files[span.file.0 as usize], ..span },
            digest: cached.digest,
        });
    }
}
