//! Structured control flow: the merge instructions of SPIR-V, which a function's graph does not contain.
//!
//! The structurizer makes them and the emitter writes them. The function's layout is an order that SPIR-V accepts by then:
//! every block is after its dominator, and the blocks of a construct are adjacent.

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

/// The merge instruction of each block.
#[derive(Debug, Clone, Default)]
pub struct Structure {
    pub merges: SecondaryMap<Block, Merge>,
}
