//! Diagnostics and their collector.

use super::muting::Muting;
use super::Span;
use crate::options::Options;
use std::collections::HashMap;

/// The most errors that are kept; the next one ends the compilation.
pub const ERROR_LIMIT: usize = 20;
/// The most warnings that are kept; more are only counted.
pub const WARNING_LIMIT: usize = 100;
/// The most places of a warning that are kept, besides the first one.
pub const PLACE_LIMIT: usize = 8;

/// The severity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// An error after which the compilation stops.
    Fatal,
    /// An error: the compilation has no program as its result.
    Error,
    Warning,
    Note,
}

/// A message about a place, with notes about other places.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    pub severity: Severity,
    /// `None` for a message about the whole compilation.
    pub span: Option<Span>,
    /// The message, in clang's words if clang has the same one; it begins with a small letter and has no full stop.
    pub message: String,
    pub notes: Vec<(Option<Span>, String)>,
    /// The first [`PLACE_LIMIT`] places where a warning was reported again, and the number of repetitions.
    pub again: (Vec<Span>, usize),
}

/// Collects the diagnostics of one compilation.
#[derive(Debug, Default)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
    errors: usize,
    warnings: usize,
    no_warnings: bool,
    warnings_are_errors: bool,
    full: bool,
    /// True if the last report was kept: its notes are then kept as well.
    last_kept: bool,
    /// The index in `list` of the warning with a message.
    kept_warnings: HashMap<String, usize>,
    /// The muting of warnings by pragmas.
    pub(crate) muting: Muting,
}

impl Diagnostics {
    /// Returns a collector that follows `-w` and `-Werror`.
    pub fn new(options: &Options) -> Diagnostics {
        Diagnostics {
            no_warnings: options.no_warnings,
            warnings_are_errors: options.warnings_are_errors,
            ..Diagnostics::default()
        }
    }

    /// Reports an error. Returns `None`, as the caller's result.
    pub fn fail<T>(
        &mut self,
        span: impl Into<Option<Span>>,
        message: impl Into<String>,
    ) -> Option<T> {
        self.error(span, message);
        None
    }

    /// Reports an error. After [`ERROR_LIMIT`] errors the next one makes the collector full.
    pub fn error(&mut self, span: impl Into<Option<Span>>, message: impl Into<String>) {
        self.last_kept = false;
        if self.full {
            return;
        }
        if self.errors >= ERROR_LIMIT {
            let message = "too many errors emitted, stopping now".to_string();
            self.push(Severity::Fatal, None, message);
            self.full = true;
            self.last_kept = false;
            return;
        }
        self.errors += 1;
        self.push(Severity::Error, span.into(), message.into());
    }

    /// Reports an error after which nothing more is reported: the collector is full.
    pub fn fatal(&mut self, span: impl Into<Option<Span>>, message: impl Into<String>) {
        self.last_kept = false;
        if self.full {
            return;
        }
        self.errors += 1;
        self.push(Severity::Fatal, span.into(), message.into());
        self.full = true;
    }

    /// Reports a warning: nothing under `-w` or where a pragma mutes it, an error under `-Werror`. Of warnings with the same
    /// message only the first one is kept, with the places of the others, since macros repeat the same text often.
    pub fn warning(&mut self, span: impl Into<Option<Span>>, message: impl Into<String>) {
        self.last_kept = false;
        let span = span.into();
        if self.no_warnings || self.full || span.is_some_and(|span| self.muting.covers(span)) {
            return;
        }
        if self.warnings_are_errors {
            return self.error(span, message);
        }
        self.warnings += 1;
        let message = message.into();
        if let Some(&kept) = self.kept_warnings.get(&message) {
            let (places, count) = &mut self.list[kept].again;
            places.extend(span.filter(|_| *count < PLACE_LIMIT));
            *count += 1;
        } else if self.kept_warnings.len() < WARNING_LIMIT {
            self.kept_warnings.insert(message.clone(), self.list.len());
            self.push(Severity::Warning, span, message);
        }
    }

    /// Adds a note to the last error or warning.
    pub fn note(&mut self, span: impl Into<Option<Span>>, message: impl Into<String>) {
        if self.last_kept {
            if let Some(last) = self.list.last_mut() {
                last.notes.push((span.into(), message.into()));
            }
        }
    }

    fn push(&mut self, severity: Severity, span: Option<Span>, message: String) {
        let again = (Vec::new(), 0);
        self.list.push(Diagnostic { severity, span, message, notes: Vec::new(), again });
        self.last_kept = true;
    }

    /// Returns true if there was an error: the compilation then has no program as its result.
    pub fn has_errors(&self) -> bool {
        self.errors > 0
    }

    /// Returns true if the compilation should stop: further reports are dropped.
    pub fn is_full(&self) -> bool {
        self.full
    }

    /// Returns the reports that were kept, in order.
    pub fn list(&self) -> &[Diagnostic] {
        &self.list
    }

    /// Returns the number of errors reported.
    pub fn errors(&self) -> usize {
        self.errors
    }

    /// Returns the number of warnings reported, kept or not.
    pub fn warnings(&self) -> usize {
        self.warnings
    }
}
