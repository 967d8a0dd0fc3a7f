//! The source map: the texts of a compilation, and lines and columns in them.

use super::{FileId, Span};
use codespan_reporting::files::line_starts;
use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// A text with its name.
#[derive(Debug)]
pub struct SourceFile {
    /// The name in `__FILE__` and in diagnostics.
    pub name: Arc<str>,
    pub text: Arc<str>,
    /// Byte offset of each line's start, computed at the first use.
    line_starts: OnceLock<Vec<u32>>,
    /// `#line` directives, ascending by offset.
    line_marks: Vec<LineMark>,
}

/// A `#line` directive: from `offset` on, lines count from `line` and the file is called `name` (C99 6.10.4).
#[derive(Debug)]
struct LineMark {
    offset: u32,
    line: u32,
    name: Arc<str>,
}

impl SourceFile {
    fn new(name: &str, text: Arc<str>) -> SourceFile {
        SourceFile { name: name.into(), text, line_starts: OnceLock::new(), line_marks: Vec::new() }
    }

    fn line_starts(&self) -> &[u32] {
        self.line_starts.get_or_init(|| line_starts(&self.text).map(|start| start as u32).collect())
    }

    /// Index, from 0, of the line in which `offset` lies.
    fn line_index(&self, offset: u32) -> usize {
        self.line_starts().partition_point(|&start| start <= offset).saturating_sub(1)
    }

    /// Byte range of a line without its line end.
    fn line_range(&self, line: usize) -> Range<usize> {
        let starts = self.line_starts();
        let start = starts.get(line).map_or(self.text.len(), |&s| s as usize);
        let end = starts.get(line + 1).map_or(self.text.len(), |&s| s as usize);
        let text = self.text.get(start..end).unwrap_or("");
        start..start + text.trim_end_matches(['\n', '\r']).len()
    }

    fn mark_before(&self, offset: u32) -> Option<&LineMark> {
        let after = self.line_marks.partition_point(|mark| mark.offset <= offset);
        self.line_marks.get(after.checked_sub(1)?)
    }
}

/// A place in the form of diagnostics, with `#line` applied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    pub name: Arc<str>,
    /// Line, from 1.
    pub line: u32,
    /// Column in bytes, from 1.
    pub column: u32,
}

/// A path at which a header was looked for on disk, and the header's text, if it was there.
#[derive(Debug, Clone)]
pub struct Lookup {
    pub path: PathBuf,
    pub text: Option<Arc<str>>,
}

/// A macro's invocation outside other macros, in a cached header. Files have their
/// numbers in [`CachedExpansions::files`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Expansion {
    pub at: Span,
    pub definition: MacroDefinition,
}

/// The definition of a macro that a header invokes.
#[derive(Debug, Clone, Copy)]
pub(crate) enum MacroDefinition {
    /// A place in one of the header's files.
    Inside(Span),
    /// A place in another file: a number in [`CachedExpansions::external_macros`].
    External(u32),
}

/// The invocations in a cached header, and its files in this compilation.
#[derive(Debug)]
pub(crate) struct CachedExpansions {
    pub list: Arc<[Expansion]>,
    pub files: Vec<FileId>,
    pub external_macros: Vec<Span>,
}

impl CachedExpansions {
    /// Returns the place of each invocation and of the macro's definition.
    pub fn iter(&self) -> impl Iterator<Item = (Span, Span)> + '_ {
        let span = |span: Span| Span { file: self.files[span.file.0 as usize], ..span };
        self.list.iter().map(move |expansion| {
            let definition = match expansion.definition {
                MacroDefinition::Inside(definition) => span(definition),
                MacroDefinition::External(number) => self.external_macros[number as usize],
            };
            (span(expansion.at), definition)
        })
    }
}

/// All texts of a compilation. File 0 is [`FileId::BUILTIN`], which is empty.
#[derive(Debug)]
pub struct SourceMap {
    files: Vec<SourceFile>,
    /// The places of invocation and definition of every macro that is expanded outside other macros.
    expansions: Vec<(Span, Span)>,
    /// The files that were looked up, by path; each is looked up once.
    lookups: HashMap<PathBuf, Option<FileId>>,
    /// Expansions in cached headers.
    cached_expansions: Vec<CachedExpansions>,
}

impl Default for SourceMap {
    fn default() -> Self {
        SourceMap::new()
    }
}

impl SourceMap {
    /// Returns a map that holds [`FileId::BUILTIN`] alone.
    pub fn new() -> SourceMap {
        let builtin = SourceFile::new("<built-in>", "".into());
        SourceMap {
            files: vec![builtin],
            expansions: Vec::new(),
            cached_expansions: Vec::new(),
            lookups: HashMap::new(),
        }
    }

    /// Notes that a header was looked for on disk.
    pub fn looked_up(&mut self, path: &Path, found: Option<FileId>) {
        if !self.lookups.contains_key(path) {
            self.lookups.insert(path.to_path_buf(), found);
        }
    }

    /// Returns the paths that were searched for headers.
    pub fn take_lookups(&mut self) -> Vec<Lookup> {
        let lookups = std::mem::take(&mut self.lookups).into_iter();
        let text = |file: FileId| self.file(file).map(|file| file.text.clone());
        lookups.map(|(path, file)| Lookup { path, text: file.and_then(text) }).collect()
    }

    /// Adds a text. Texts beyond 4 GiB are cut there, since offsets are 32 bits wide.
    pub fn add(&mut self, name: &str, text: impl Into<Arc<str>>) -> FileId {
        let mut text = text.into();
        if text.len() > u32::MAX as usize {
            let mut end = u32::MAX as usize;
            while !text.is_char_boundary(end) {
                end -= 1;
            }
            text = text[..end].into();
        }
        let id = FileId(self.files.len() as u32);
        self.files.push(SourceFile::new(name, text));
        id
    }

    /// Returns the file with an id of this map.
    pub fn file(&self, id: FileId) -> Option<&SourceFile> {
        self.files.get(id.0 as usize)
    }

    /// Returns the text that a span covers; empty if it covers none.
    pub fn text(&self, span: Span) -> &str {
        self.file(span.file)
            .and_then(|file| file.text.get(span.start as usize..span.end as usize))
            .unwrap_or("")
    }

    /// Returns the place at which a span starts; `None` for [`FileId::BUILTIN`].
    pub fn location(&self, span: Span) -> Option<Location> {
        if span.is_builtin() {
            return None;
        }
        let file = self.file(span.file)?;
        let index = file.line_index(span.start);
        let start = file.line_starts().get(index).copied().unwrap_or(0);
        let (name, line) = match file.mark_before(span.start) {
            Some(mark) => {
                let first = file.line_index(mark.offset);
                (mark.name.clone(), mark.line.saturating_add((index - first) as u32))
            }
            None => (file.name.clone(), index as u32 + 1),
        };
        Some(Location { name, line, column: span.start - start + 1 })
    }

    /// Returns the text of a span's file, unless its lines are counted by `#line`.
    pub(crate) fn unmarked_text(&self, span: Span) -> Option<&Arc<str>> {
        let file = self.file(span.file)?;
        file.line_marks.is_empty().then_some(&file.text)
    }

    /// Returns the line in which a span starts, and the byte offset of that line's start.
    pub(super) fn line_of(&self, span: Span) -> Option<(&str, u32)> {
        let file = self.file(span.file)?;
        let range = file.line_range(file.line_index(span.start));
        Some((file.text.get(range.clone())?, range.start as u32))
    }

    /// Notes a `#line` directive: from byte `offset` of `file` on, lines count from `line`.
    pub(crate) fn mark_line(&mut self, file: FileId, offset: u32, line: u32, name: Option<&str>) {
        let Some(file) = self.files.get_mut(file.0 as usize) else { return };
        let name = match name {
            Some(name) => name.into(),
            None => file.mark_before(offset).map_or(file.name.clone(), |mark| mark.name.clone()),
        };
        if file.line_marks.last().is_none_or(|mark| mark.offset < offset) {
            file.line_marks.push(LineMark { offset, line, name });
        }
    }

    /// Notes that the tokens at `invocation` come from the macro defined at `definition`.
    pub(crate) fn mark_expansion(&mut self, invocation: Span, definition: Span) {
        self.expansions.push((invocation, definition));
    }

    /// Like [`SourceMap::mark_expansion`], for all of a header.
    pub(crate) fn add_cached_expansions(&mut self, expansions: CachedExpansions) {
        self.cached_expansions.push(expansions);
    }

    /// Returns the arguments of [`SourceMap::mark_expansion`], in order.
    pub(crate) fn expansions(&self) -> &[(Span, Span)] {
        &self.expansions
    }

    /// Returns the arguments of [`SourceMap::add_cached_expansions`], in order.
    pub(crate) fn cached_expansions(&self) -> &[CachedExpansions] {
        &self.cached_expansions
    }

    /// Returns the place of the definition of the macro whose expansion has the tokens at `span`.
    pub fn expansion(&self, span: Span) -> Option<Span> {
        let cached = self.cached_expansions.iter();
        let cached = cached
            .filter(|cached| cached.files.contains(&span.file))
            .flat_map(|cached| cached.iter());
        let mut all = self.expansions.iter().copied().chain(cached);
        all.find(|(at, _)| at.file == span.file && at.start == span.start)
            .map(|(_, definition)| definition)
    }
}
