//! Clones of a loop's blocks: of an iteration that unrolling copies, or of the header that rotation copies.

use crate::ir::sparse_map::SparseMap;
use crate::ir::*;

/// The clone of a loop's blocks for one iteration.
pub struct ClonedIteration {
    blocks: SparseMap<Block, Option<Block>>,
    values: SparseMap<Value, Option<Value>>,
}

impl ClonedIteration {
    /// Clones the blocks. Branches of the clones lead to clones of blocks in the loop.
    pub fn of(func: &mut Function, blocks: &[Block]) -> ClonedIteration {
        let clone = ClonedIteration::new(func, blocks);
        clone.fill(func, blocks);
        clone
    }

    /// Creates the blocks with their parameters and values, but without instructions.
    fn new(func: &mut Function, blocks: &[Block]) -> ClonedIteration {
        let mut clone = ClonedIteration { blocks: SparseMap::new(), values: SparseMap::new() };
        for &block in blocks {
            let new = func.add_block_like(block);
            clone.blocks[block] = Some(new);
            let params = func.blocks[block].params.iter().zip(&func.blocks[new].params);
            params.for_each(|(&param, &new)| clone.values[param] = Some(new));
            for i in 0..func.blocks[block].insts.len() {
                let inst = func.blocks[block].insts[i];
                let ty = func.result(inst).map(|v| func.ty(v));
                let new_inst = func.make_inst(InstData::Unreachable, ty);
                func.copy_location(inst, new_inst);
                func.blocks[new].insts.push(new_inst);
                if let Some(result) = func.result(inst) {
                    clone.values[result] = func.result(new_inst);
                }
            }
        }
        clone
    }

    /// Returns the clone of a block of the loop; another block unchanged.
    pub fn block(&self, block: Block) -> Block {
        self.blocks[block].unwrap_or(block)
    }

    /// Clones the instructions.
    fn fill(&self, func: &mut Function, blocks: &[Block]) {
        for &block in blocks {
            let new = self.block(block);
            for i in 0..func.blocks[block].insts.len() {
                let mut data = func.insts[func.blocks[block].insts[i]].clone();
                data.map_args(|arg| self.values[arg].unwrap_or(arg));
                data.for_each_target_mut(|call| call.block = self.block(call.block));
                let inst = func.blocks[new].insts[i];
                func.insts[inst] = data;
            }
        }
    }
}
