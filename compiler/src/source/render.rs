//! The build log: diagnostics in clang's format.
//!
//! ```text
//! kernel.cl:3:7: error: use of undeclared identifier 'x'
//!   y = x + 1;
//!       ^
//! 1 error generated.
//! ```
//!
//! Lines are clipped around the caret, so that the log of a text without line ends stays short.

use super::{Diagnostics, Location, Severity, SourceMap, Span};
use codespan_reporting::diagnostic::{Diagnostic as Report, Label, Severity as ReportSeverity};
use codespan_reporting::files::{Error, Files};
use codespan_reporting::term::{emit_into_string, Config, DisplayStyle};
use std::fmt::Write;
use std::ops::Range;

/// The most bytes of a source line that are shown.
const SHOWN_WIDTH: usize = 160;
/// The bytes that are shown before the caret of a clipped line.
const SHOWN_BEFORE: usize = 60;
/// The most bytes of a message that are shown.
const MESSAGE_WIDTH: usize = 2000;

impl Diagnostics {
    /// Returns the build log; empty when nothing was reported.
    pub fn render(&self, sources: &SourceMap) -> String {
        let mut log = Log { text: String::new(), sources };
        for diagnostic in self.list() {
            log.message(diagnostic.severity, diagnostic.span, &diagnostic.message);
            let expansion = diagnostic.span.and_then(|span| sources.expansion(span));
            if let Some(definition) = expansion {
                let name = sources.text(definition);
                let message = format!("expanded from macro '{name}'");
                log.message(Severity::Note, Some(definition), &message);
            }
            for (span, message) in &diagnostic.notes {
                log.message(Severity::Note, *span, message);
            }
            log.again(&diagnostic.again);
        }
        log.summary(self.errors(), self.warnings());
        log.text
    }
}

struct Log<'a> {
    text: String,
    sources: &'a SourceMap,
}

impl Log<'_> {
    fn message(&mut self, severity: Severity, span: Option<Span>, message: &str) {
        let span = span.filter(|span| !span.is_builtin());
        self.header(severity, span, clip(message, MESSAGE_WIDTH));
        if let Some(span) = span {
            self.snippet(span);
        }
    }

    /// Writes the note about repetitions: `note: 12 more of these, in lines 4, 5, 6 and others`
    fn again(&mut self, (places, count): &(Vec<Span>, usize)) {
        if *count == 0 {
            return;
        }
        let of = |place: &Span| self.sources.location(*place).map(|location| location.line);
        let mut lines: Vec<String> =
            places.iter().filter_map(of).map(|line| line.to_string()).collect();
        lines.dedup();
        let message = match lines.len() {
            0 => format!("{count} more of these"),
            1 if places.len() == *count => format!("{count} more of these, in line {}", lines[0]),
            _ if places.len() == *count => {
                format!("{count} more of these, in lines {}", lines.join(", "))
            }
            _ => format!("{count} more of these, in lines {} and others", lines.join(", ")),
        };
        self.message(Severity::Note, None, &message);
    }

    /// Writes `name:line:col: error: message`, without the place if there is none.
    fn header(&mut self, severity: Severity, span: Option<Span>, message: &str) {
        let kind = match severity {
            Severity::Fatal | Severity::Error => ReportSeverity::Error,
            Severity::Warning => ReportSeverity::Warning,
            Severity::Note => ReportSeverity::Note,
        };
        let place = MessageFile(span.and_then(|span| self.sources.location(span)));
        let mut report = Report::new(kind).with_message(message);
        if place.0.is_some() {
            report = report.with_label(Label::primary((), 0..0));
        }
        let config = Config { display_style: DisplayStyle::Short, ..Config::default() };
        let header = emit_into_string(&config, &place, &report).unwrap_or_default();
        match header.split_once("error: ") {
            Some((before, after)) if severity == Severity::Fatal => {
                let _ = write!(self.text, "{before}fatal error: {after}");
            }
            _ => self.text.push_str(&header),
        }
    }

    /// Writes the source line and a caret line: `^` at the start of the span, `~` along the rest.
    fn snippet(&mut self, span: Span) {
        let Some((line, line_start)) = self.sources.line_of(span) else { return };
        let start = (span.start.saturating_sub(line_start) as usize).min(line.len());
        let end = (span.end.saturating_sub(line_start) as usize).clamp(start, line.len());
        let (from, to) = if line.len() <= SHOWN_WIDTH {
            (0, line.len())
        } else {
            let from = floor_boundary(line, start.saturating_sub(SHOWN_BEFORE));
            (from, floor_boundary(line, from + SHOWN_WIDTH))
        };
        let mut shown = String::new();
        let mut carets = String::new();
        for (offset, c) in line[from..to].char_indices() {
            let at = from + offset;
            let c = if c.is_control() && c != '\t' { ' ' } else { c };
            shown.push(c);
            carets.push(match c {
                _ if at == start => '^',
                _ if at > start && at < end => '~',
                '\t' => '\t',
                _ => ' ',
            });
        }
        if start >= to {
            carets.push('^');
        }
        let (shown, carets) = (shown.trim_end(), carets.trim_end());
        let (head, tail) =
            (if from > 0 { "..." } else { "" }, if to < line.len() { "..." } else { "" });
        let pad = " ".repeat(head.len());
        let _ = writeln!(self.text, "{head}{shown}{tail}\n{pad}{carets}");
    }

    /// Writes the last line: `1 warning and 2 errors generated.`
    fn summary(&mut self, errors: usize, warnings: usize) {
        let count = |n: usize, word: &str| format!("{n} {word}{}", if n == 1 { "" } else { "s" });
        let text = match (warnings, errors) {
            (0, 0) => return,
            (w, 0) => count(w, "warning"),
            (0, e) => count(e, "error"),
            (w, e) => format!("{} and {}", count(w, "warning"), count(e, "error")),
        };
        let _ = writeln!(self.text, "{text} generated.");
    }
}

/// The place of a message in the form that codespan-reporting needs: one file of one line.
struct MessageFile(Option<Location>);

impl<'a> Files<'a> for MessageFile {
    type FileId = ();
    type Name = &'a str;
    type Source = &'a str;

    fn name(&'a self, (): ()) -> Result<&'a str, Error> {
        self.0.as_ref().map(|location| &*location.name).ok_or(Error::FileMissing)
    }

    fn source(&'a self, (): ()) -> Result<&'a str, Error> {
        Ok("")
    }

    fn line_index(&'a self, (): (), _byte: usize) -> Result<usize, Error> {
        Ok(0)
    }

    fn line_number(&'a self, (): (), _line: usize) -> Result<usize, Error> {
        self.0.as_ref().map(|location| location.line as usize).ok_or(Error::FileMissing)
    }

    /// Returns the column, which counts bytes, as in clang.
    fn column_number(&'a self, (): (), _line: usize, _byte: usize) -> Result<usize, Error> {
        self.0.as_ref().map(|location| location.column as usize).ok_or(Error::FileMissing)
    }

    fn line_range(&'a self, (): (), _line: usize) -> Result<Range<usize>, Error> {
        Ok(0..0)
    }
}

/// Returns the greatest character boundary that is at most `at`.
fn floor_boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn clip(text: &str, width: usize) -> &str {
    &text[..floor_boundary(text, width)]
}
