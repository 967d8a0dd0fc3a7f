//! The result of reading a header: tokens and macros, and the macros and files that it depends on.
//!
//! Programs of one application include the same headers. Where a header finds the macros that it
//! asks for as an earlier program had them, and the files that it includes hold what they held, its
//! tokens are those of the earlier reading. A reading has names, strings and files of its own, by
//! number; [`Included`] says what they are in one compilation.

use super::expand::MAX_EXPANDED;
use super::include::{MAX_DEPTH, MAX_TEXT};
use super::interner::{Interner, StringId, Symbol};
use super::lexer::PpToken;
use super::macros::{Form, Macro};
use super::outline::Outline;
use super::paste::MAX_SPELLED;
use super::token::{Pragma, Token, TokenKind};
use super::{Preprocessor, MAX_TOKENS};
use crate::source::{Expansion, FileId, KeptExpansions, Span};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

/// The result of reading a header once.
#[derive(Debug)]
pub(crate) struct Reading {
    /// Of the options that matter: they decide which warnings there are.
    pub(super) options: u64,
    /// Names and strings.
    pub names: Interner,
    /// The macros that were asked for, and what they were: [`Macro::digest`], or 0 if undefined.
    pub(super) asked: Box<[(Symbol, u64)]>,
    /// The texts that were read, that of the header first.
    pub(super) texts: Box<[Arc<str>]>,
    /// The files that were included, the header first.
    pub(super) inclusions: Box<[Inclusion]>,
    /// Files that said `#pragma once`.
    pub(super) once: Box<[FileId]>,
    /// The macros that the header defines, or leaves undefined.
    pub(super) macros: Box<[(Symbol, Option<KeptMacro>)]>,
    pub tokens: Box<[Token]>,
    pub outline: Outline,
    pub(super) expansions: Arc<[Expansion]>,
    /// Macros of other files that were expanded, by the number that [`Expansion`] has for them.
    pub(super) outside: Box<[Symbol]>,
    pub(super) cost: Cost,
    /// Texts within texts.
    pub(super) depth: usize,
}

/// An `#include` that a reading came upon; files by their numbers in the reading.
#[derive(Debug)]
pub(super) struct Inclusion {
    /// The inclusion in whose text it stands, by number.
    pub from: usize,
    pub name: String,
    pub angled: bool,
    pub found: FileId,
    /// True if the file had said `#pragma once` before the reading began.
    pub was_once: bool,
}

/// A macro's definition, apart from its name.
#[derive(Debug)]
pub(super) struct KeptMacro {
    pub form: Form,
    pub body: Box<[PpToken]>,
    pub params: Box<[Symbol]>,
    pub has_operators: bool,
    pub definition: Span,
    pub digest: u64,
}

/// The bounded resources of a compilation, and how much of them is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cost {
    pub text_read: usize,
    pub expanded: usize,
    pub spelled: usize,
}

impl Cost {
    pub fn plus(self, other: &Cost) -> Cost {
        Cost {
            text_read: self.text_read + other.text_read,
            expanded: self.expanded + other.expanded,
            spelled: self.spelled + other.spelled,
        }
    }

    pub fn minus(self, other: &Cost) -> Cost {
        Cost {
            text_read: self.text_read - other.text_read,
            expanded: self.expanded - other.expanded,
            spelled: self.spelled - other.spelled,
        }
    }

    fn is_allowed(self) -> bool {
        self.text_read <= MAX_TEXT && self.expanded <= MAX_EXPANDED && self.spelled <= MAX_SPELLED
    }
}

impl Reading {
    /// Returns roughly the number of bytes that it takes.
    pub(super) fn bytes(&self) -> usize {
        let names: usize = self.outline.definitions.iter().map(|d| d.names.len()).sum();
        size_of_val(&self.tokens[..])
            + size_of_val(&self.expansions[..])
            + self.names.len() * 48
            + names * size_of::<Symbol>()
            + self.macros.len() * 128
    }
}

/// A reading in a compilation.
#[derive(Debug)]
pub(crate) struct Included {
    /// Tokens of the compilation before it, those of other readings not counted.
    pub at: usize,
    pub reading: Arc<Reading>,
    /// The compilation's names, strings and files, by their numbers in the reading.
    pub symbols: Vec<Symbol>,
    pub strings: Vec<StringId>,
    pub files: Vec<FileId>,
}

impl Included {
    /// Appends some of the reading's tokens, as they are in this compilation.
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
        tokens.extend(self.reading.tokens[range].iter().map(translate));
    }

    fn span(&self, span: Span) -> Span {
        Span { file: self.files[span.file.0 as usize], ..span }
    }
}

/// A file that an inclusion of a reading finds now.
struct Found {
    file: FileId,
    directory: Option<PathBuf>,
}

impl Preprocessor<'_> {
    /// Returns true if the recorded result of a header may replace reading it here.
    pub(super) fn may_replay(&self) -> bool {
        self.contexts.is_empty() && self.in_arguments == 0 && self.string.is_none()
    }

    /// Takes a header's tokens and macros from an earlier reading. False if no reading fits.
    pub(super) fn replay(&mut self, file: FileId, directory: Option<&Path>) -> bool {
        let Some(text) = self.texts.get(&file) else { return false };
        let readings = text.readings();
        readings.into_iter().any(|reading| self.replay_one(reading, file, directory))
    }

    fn replay_one(
        &mut self,
        reading: Arc<Reading>,
        file: FileId,
        directory: Option<&Path>,
    ) -> bool {
        if reading.options != self.options_hash || !self.has_room(&reading) {
            return false;
        }
        let Some(symbols) = self.asked_symbols(&reading) else { return false };
        let inclusions = self.recorder.inclusions.len();
        let Some(files) = self.find_files(&reading, file, directory) else {
            self.recorder.inclusions.truncate(inclusions);
            return false;
        };
        self.apply(reading, symbols, files);
        true
    }

    fn has_room(&self, reading: &Reading) -> bool {
        let cost = self.cost().plus(&reading.cost);
        let tokens = self.output.len() + self.included_tokens + reading.tokens.len();
        cost.is_allowed() && tokens < MAX_TOKENS && self.files.len() + reading.depth <= MAX_DEPTH
    }

    /// Returns the compilation's names for those of the reading, if its macros are as the reading had them.
    fn asked_symbols(&mut self, reading: &Reading) -> Option<Vec<Symbol>> {
        for &(name, digest) in &reading.asked {
            let name = self.interner.intern_known(&reading.names, name);
            let now = self.macro_of(name).map_or(0, |index| self.macros.list[index].digest);
            if now != digest {
                return None;
            }
        }
        let names = (0..reading.names.len() as u32).map(Symbol);
        Some(names.map(|name| self.interner.intern_known(&reading.names, name)).collect())
    }

    /// Returns the compilation's files for those of the reading, if each include still finds the same text.
    fn find_files(
        &mut self,
        reading: &Reading,
        file: FileId,
        directory: Option<&Path>,
    ) -> Option<Vec<FileId>> {
        let first = self.recorder.inclusions.len() - 1;
        let mut files: Vec<Option<FileId>> = vec![None; reading.texts.len()];
        let mut found = Vec::with_capacity(reading.inclusions.len());
        for (i, inclusion) in reading.inclusions.iter().enumerate() {
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
                    self.recorder.inclusions.push(super::record::Inclusion {
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
            if !Arc::ptr_eq(&self.texts.get(&now.file)?.text, &reading.texts[number]) {
                return None;
            }
            if files[number].replace(now.file).is_some_and(|before| before != now.file) {
                return None;
            }
            found.push(now);
        }
        files.into_iter().collect()
    }

    fn apply(&mut self, reading: Arc<Reading>, symbols: Vec<Symbol>, files: Vec<FileId>) {
        let outside = reading.outside.iter().map(|name| {
            let index = self.macro_of(symbols[name.0 as usize]);
            index.map_or(Span::default(), |index| self.macros.list[index].definition)
        });
        let outside = outside.collect();
        self.sources.keep_expansions(KeptExpansions {
            list: reading.expansions.clone(),
            files: files.clone(),
            outside,
        });
        for (name, definition) in &reading.macros {
            let name = symbols[name.0 as usize];
            match definition {
                Some(definition) => self.define_kept(name, definition, &symbols, &files),
                None => self.undefine(name),
            }
        }
        for file in &reading.once {
            self.mark_once(files[file.0 as usize]);
        }
        let cost = self.cost().plus(&reading.cost);
        self.set_cost(cost);
        let strings = (0..reading.names.strings()).map(StringId);
        let strings =
            strings.map(|id| self.interner.add_bytes(reading.names.bytes(id).to_vec())).collect();
        self.included_tokens += reading.tokens.len();
        let at = self.output.len();
        self.included.push(Included { at, reading, symbols, strings, files });
    }

    fn define_kept(
        &mut self,
        name: Symbol,
        kept: &KeptMacro,
        symbols: &[Symbol],
        files: &[FileId],
    ) {
        let symbol = |symbol: Symbol| symbols[symbol.0 as usize];
        let body: Rc<[PpToken]> = kept
            .body
            .iter()
            .map(|token| PpToken { symbol: symbol(token.symbol), ..*token })
            .collect();
        let span = kept.definition;
        self.redefine(Macro {
            name,
            form: kept.form,
            body,
            params: kept.params.iter().map(|&param| symbol(param)).collect(),
            has_operators: kept.has_operators,
            disabled: false,
            definition: Span { file: files[span.file.0 as usize], ..span },
            digest: kept.digest,
        });
    }
}
