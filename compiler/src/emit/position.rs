//! Where emission is, in the graph and in the program's text.

use super::repr::Ids;
use crate::ir::{Block, Loc};
use cranelift_entity::SecondaryMap;
use std::collections::BTreeMap;

/// The place of emission in the graph.
#[derive(Default)]
pub(super) struct Control {
    pub labels: SecondaryMap<Block, u32>,
    /// Edges into each block: label of their source, and arguments.
    pub edges: SecondaryMap<Block, Vec<(u32, Ids)>>,
}

/// The code that a function executes once, before its first block.
pub(super) struct Prologue {
    pub label: u32,
    /// The code after the label; it has no terminator.
    pub code: Vec<u32>,
}

/// What lines were told of.
#[derive(Default)]
pub(super) struct Lines {
    /// The strings of the files' names, by the files' numbers.
    pub files: BTreeMap<u32, u32>,
    /// The place of the instructions before, in this block: file, line, column, and where that was inlined.
    pub current: Option<(u32, u32, u32, Option<Loc>)>,
}

impl Lines {
    /// Begins a block, which no line before it concerns.
    pub fn begin_block(&mut self) {
        self.current = None;
    }
}
