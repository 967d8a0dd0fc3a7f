//! Replays cached headers: their tokens and macros replace a header whose dependencies are unchanged.

use super::cache::cached_header::{CachedHeader, CachedMacro, IncludedHeader};
use super::cache::recorder::Inclusion;
use super::definitions::Macro;
use super::interner::{StringId, Symbol};
use super::lexer::PpToken;
use super::limits::{MAX_DEPTH, MAX_TOKENS};
use super::state::Preprocessor;
use crate::source::{CachedExpansions, FileId, Span};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

/// A file that an `#include` of a cached header finds now.
struct Found {
    file: FileId,
    directory: Option<PathBuf>,
}

impl Preprocessor<'_> {
    /// Returns true if a cached header may be replayed here.
    pub(super) fn can_replay(&self) -> bool {
        self.contexts.is_empty() && self.in_arguments == 0 && self.string.is_none()
    }

    /// Uses a header's tokens and macros from the cache. Returns false if no cached header fits.
    pub(super) fn replay(&mut self, file: FileId, directory: Option<&Path>) -> bool {
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

    /// Maps a cached header's names to the compilation's, if the macros that it depends on are unchanged.
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

    /// Maps a cached header's files to the compilation's, if each include still finds the same text.
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
                    self.recorder.inclusions.push(Inclusion {
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
