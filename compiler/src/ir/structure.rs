//! Structured control flow: what SPIR-V's merge instructions say, beside a function's graph.
//!
//! The structurizer gives this; the emitter writes it. The function's layout is then an order that
//! SPIR-V accepts: every block after its dominator, constructs contiguous.

use super::entities::Block;
use super::function::UnrollHint;
use cranelift_entity::SecondaryMap;

/// The merge instruction before a block's terminator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Merge {
    #[default]
    None,
    /// OpSelectionMerge: the block ends in a two-way branch or switch.
    Selection { merge: Block },
    /// OpLoopMerge: the block is a loop header; `continue_target` ends in the only back edge.
    Loop { merge: Block, continue_target: Block, unroll: Option<UnrollHint> },
}

/// The merge of each block.
#[derive(Debug, Clone, Default)]
pub struct Structure {
    pub merges: SecondaryMap<Block, Merge>,
}
