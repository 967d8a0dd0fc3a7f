//! Source files, spans in them, and diagnostics about them.
//!
//! A [`Span`] is a byte range of one file of the [`SourceMap`]. Stages report to [`Diagnostics`];
//! [`Diagnostics::render`] writes the build log.

mod diagnostics;
mod map;
mod muting;
mod render;

pub use diagnostics::{Diagnostic, Diagnostics, Severity, ERROR_LIMIT, PLACE_LIMIT, WARNING_LIMIT};
pub(crate) use map::{CachedExpansions, Expansion, MacroDefinition};
pub use map::{Location, Lookup, SourceFile, SourceMap};

/// Source of a program: its main text and the headers given to clCompileProgram.
#[derive(Debug, Clone, Default)]
pub struct Source {
    /// Name that diagnostics show for the main text.
    pub name: String,
    pub text: String,
    /// Headers by include name.
    pub headers: Vec<(String, String)>,
}

/// A file of a [`SourceMap`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct FileId(pub(crate) u32);

impl FileId {
    /// The empty file for everything that no text declares; a span in it has no location to show.
    /// `Span::default()` is in this file.
    pub const BUILTIN: FileId = FileId(0);
}

/// A byte range of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span {
    pub file: FileId,
    /// Offset of the first byte.
    pub start: u32,
    /// Offset after the last byte.
    pub end: u32,
}

impl Span {
    /// Returns the range `start..end` of `file`.
    pub fn new(file: FileId, start: u32, end: u32) -> Span {
        Span { file, start, end }
    }

    /// Returns the smallest span that covers `self` and `other`; `self` when they lie in different files.
    pub fn to(self, other: Span) -> Span {
        if self.file != other.file {
            return self;
        }
        Span { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// Returns the empty span after the last byte.
    pub fn after(self) -> Span {
        Span { file: self.file, start: self.end, end: self.end }
    }

    /// Returns true if the span lies in no text ([`FileId::BUILTIN`]).
    pub fn is_builtin(self) -> bool {
        self.file == FileId::BUILTIN
    }
}
