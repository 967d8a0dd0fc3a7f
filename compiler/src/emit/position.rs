//! Where in the graph emission is.

use super::repr::Ids;
use crate::ir::Block;
use cranelift_entity::SecondaryMap;
use rspirv::spirv::LoopControl;

/// The place of emission in the graph.
#[derive(Default)]
pub(super) struct Control {
    pub labels: SecondaryMap<Block, u32>,
    /// Edges into each block: label they come from and arguments.
    pub edges: SecondaryMap<Block, Vec<(u32, Ids)>>,
    /// Label of the SPIR-V block being emitted.
    pub current: u32,
    pub is_entry: bool,
    /// Depth of branches within an IR block.
    pub depth: u32,
    /// A loop whose OpLoopMerge is still to be written.
    pub pending_loop: Option<PendingLoop>,
    /// Continue block of a one-block loop that was split: the back edge then goes through it.
    pub own_continue: Option<u32>,
}

/// The code that a function executes once, before its first block.
pub(super) struct Prologue {
    pub label: u32,
    /// The code after the label; it has no terminator.
    pub code: Vec<u32>,
}

impl Control {
    /// Returns true if the code that is emitted now dominates the whole function.
    pub fn in_entry(&self) -> bool {
        self.is_entry && self.depth == 0
    }
}

/// The operands of an OpLoopMerge.
#[derive(Clone, Copy)]
pub(super) struct PendingLoop {
    pub merge: u32,
    pub continue_target: u32,
    pub control: LoopControl,
}
