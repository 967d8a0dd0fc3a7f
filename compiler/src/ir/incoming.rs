//! The branches to each block with parameters.

use super::entities::Block;
use super::function::Function;
use super::inst::BlockCall;
use cranelift_entity::SecondaryMap;
use smallvec::SmallVec;

/// By block, the branches to it, for blocks with parameters. Each case of a switch is a branch of its own. A search
/// through the predecessors of each block would visit all cases of a switch for each of its targets.
pub struct Incoming<'a>(SecondaryMap<Block, SmallVec<[&'a BlockCall; 2]>>);

impl<'a> Incoming<'a> {
    /// Finds the branches at the ends of `blocks`.
    pub fn find(func: &'a Function, blocks: &[Block]) -> Incoming<'a> {
        let mut calls = func.block_map::<SmallVec<[&BlockCall; 2]>>();
        for &block in blocks {
            let Some(inst) = func.terminator(block) else { continue };
            func.insts[inst].for_each_target(|call| {
                if !call.args.is_empty() {
                    calls[call.block].push(call);
                }
            });
        }
        Incoming(calls)
    }

    /// Returns the branches to a block.
    pub fn calls(&self, block: Block) -> &[&'a BlockCall] {
        &self.0[block]
    }
}
