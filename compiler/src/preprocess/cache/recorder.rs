//! The recorder of the header cache: the names and files that a header asked for and the macros that it changed while it
//! was preprocessed.

use crate::preprocess::interner::Symbol;
use crate::preprocess::limits::ResourceUsage;
use crate::source::FileId;

/// The recordings of the headers that are being preprocessed.
#[derive(Debug, Default)]
pub(in crate::preprocess) struct Recorder {
    /// The innermost header last.
    pub recordings: Vec<Recording>,
    /// Every `#include` so far.
    pub inclusions: Vec<Inclusion>,
    /// Look-ups and changes of macro names, in order.
    pub events: Vec<Event>,
    /// Indexed by name: the number of the recording that queried it last.
    last_queried_by: Vec<u32>,
    /// The number of recordings so far.
    pub count: u32,
    /// Files that said `#pragma once`, in that order.
    pub once: Vec<FileId>,
}

/// An `#include`.
#[derive(Debug)]
pub(in crate::preprocess) struct Inclusion {
    /// The inclusion whose text has this `#include`.
    pub from: usize,
    pub name: String,
    pub angled: bool,
    pub found: FileId,
    /// True if the file had said `#pragma once` before.
    pub was_once: bool,
}

#[derive(Debug, Clone, Copy)]
pub(in crate::preprocess) enum Event {
    /// A name was looked up; the number is that of its macro, if it is one.
    MacroQueried(Symbol, Option<usize>),
    /// A name was defined or undefined.
    MacroChanged(Symbol),
}

/// The recording of a header that is being read. The numbers are the lengths of all lists when it began.
#[derive(Debug)]
pub(in crate::preprocess) struct Recording {
    pub number: u32,
    /// The number of texts that are being read, including this one.
    pub files: usize,
    pub tokens: usize,
    pub included: usize,
    pub inclusion: usize,
    pub events: usize,
    pub once: usize,
    pub expansions: usize,
    pub cached_expansions: usize,
    pub reports: usize,
    pub usage: ResourceUsage,
    /// True if something happened that a cached header cannot hold.
    pub is_uncacheable: bool,
}

impl Recorder {
    pub fn is_on(&self) -> bool {
        !self.recordings.is_empty()
    }

    /// Marks all recordings as uncacheable: the text depends on something besides macros and files, or changes something else.
    pub fn invalidate(&mut self) {
        self.recordings.iter_mut().for_each(|recording| recording.is_uncacheable = true);
    }

    /// Records that a name was looked up. `count` is the number of known names.
    pub fn queried(&mut self, name: Symbol, found: Option<usize>, count: usize) {
        let Some(recording) = self.recordings.last() else { return };
        let index = name.0 as usize;
        if index >= self.last_queried_by.len() {
            self.last_queried_by.resize(count.max(index + 1), 0);
        }
        if std::mem::replace(&mut self.last_queried_by[index], recording.number) != recording.number
        {
            self.events.push(Event::MacroQueried(name, found));
        }
    }

    pub fn changed(&mut self, name: Symbol) {
        if self.is_on() {
            self.events.push(Event::MacroChanged(name));
        }
    }

    pub fn once(&mut self, file: FileId) {
        self.once.push(file);
    }
}
