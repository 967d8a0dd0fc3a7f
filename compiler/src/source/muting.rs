//! The parts of a text in which pragmas mute warnings.

use super::Span;
use std::collections::BTreeMap;

/// Which warnings a pragma mutes from its place in a file on, up to the next pragma there. (Pragmas of a file leave the
/// headers alone that it includes behind them.)
#[derive(Debug, Default)]
pub(crate) struct Muting {
    /// True where warnings are muted from an offset of a file on.
    changes: BTreeMap<Span, bool>,
    /// What holds now, and what is to hold again after as many `pop`.
    is_muted: bool,
    saved: Vec<bool>,
}

/// States that `push` saves at most: more are a text that was made to take memory.
const MOST_SAVED: usize = 1 << 10;

impl Muting {
    /// Sets whether warnings behind a pragma are muted.
    pub(crate) fn set(&mut self, at: Span, is_muted: bool) {
        self.changes.insert(Span { end: at.start, ..at }, is_muted);
        self.is_muted = is_muted;
    }

    /// Saves what holds.
    pub(crate) fn push(&mut self) {
        if self.saved.len() < MOST_SAVED {
            self.saved.push(self.is_muted);
        }
    }

    /// Restores what was saved last.
    pub(crate) fn pop(&mut self, at: Span) {
        if let Some(saved) = self.saved.pop() {
            self.set(at, saved);
        }
    }

    /// Returns true if a pragma has set anything.
    pub(crate) fn is_used(&self) -> bool {
        !self.changes.is_empty()
    }

    /// Returns true if warnings about a place are muted.
    pub(crate) fn covers(&self, place: Span) -> bool {
        let before = self.changes.range(..=place).next_back();
        before.is_some_and(|(at, is_muted)| at.file == place.file && *is_muted)
    }
}
