//! The parts of a text in which pragmas mute warnings.

use super::Span;
use std::collections::BTreeMap;

/// The muting of warnings by pragmas. A pragma applies from its place in a file on, up to the next pragma there, but not to
/// headers that the file includes.
#[derive(Debug, Default)]
pub(crate) struct Muting {
    /// For an offset in a file, true if warnings are muted from there on.
    changes: BTreeMap<Span, bool>,
    /// The current state, and the states that `push` saved for later `pop`s.
    is_muted: bool,
    saved: Vec<bool>,
}

/// The most states that `push` saves. Only a text that is made to use up memory has more.
const MOST_SAVED: usize = 1 << 10;

impl Muting {
    /// Sets whether warnings behind a pragma are muted.
    pub(crate) fn set(&mut self, at: Span, is_muted: bool) {
        self.changes.insert(Span { end: at.start, ..at }, is_muted);
        self.is_muted = is_muted;
    }

    /// Saves the current state.
    pub(crate) fn push(&mut self) {
        if self.saved.len() < MOST_SAVED {
            self.saved.push(self.is_muted);
        }
    }

    /// Restores the state that was saved last.
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
