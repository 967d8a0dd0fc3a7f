//! Where in the graph emission is.

use super::repr::Ids;
use crate::ir::Block;
use cranelift_entity::SecondaryMap;

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
