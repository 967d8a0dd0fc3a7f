//! The control-flow graph of a function: predecessors and reverse postorder of what the entry
//! reaches.

use super::entities::Block;
use super::function::Function;
use cranelift_entity::SecondaryMap;
use smallvec::SmallVec;

const UNREACHABLE: u32 = u32::MAX;

/// Predecessors and order of the reachable blocks; a snapshot that changes of the function do not
/// update.
pub struct Cfg {
    preds: SecondaryMap<Block, SmallVec<[Block; 4]>>,
    succs: SecondaryMap<Block, SmallVec<[Block; 2]>>,
    rpo: Vec<Block>,
    index: SecondaryMap<Block, u32>,
}

impl Cfg {
    pub fn compute(func: &Function) -> Cfg {
        let mut cfg = Cfg {
            preds: SecondaryMap::new(),
            succs: SecondaryMap::new(),
            rpo: Vec::with_capacity(func.layout.len()),
            index: SecondaryMap::with_default(UNREACHABLE),
        };
        let Some(&entry) = func.layout.first() else { return cfg };
        // Depth-first with a stack of (block, next successor to visit).
        let mut stack = vec![(entry, 0)];
        cfg.discover(func, entry);
        while let Some((block, next)) = stack.last_mut() {
            // From the last successor to the first, so that the first comes first in the order.
            let succs = &cfg.succs[*block];
            let Some(at) = succs.len().checked_sub(*next + 1) else {
                cfg.rpo.push(*block);
                stack.pop();
                continue;
            };
            let (from, to) = (*block, succs[at]);
            *next += 1;
            cfg.preds[to].push(from);
            if cfg.index[to] == UNREACHABLE {
                cfg.discover(func, to);
                stack.push((to, 0));
            }
        }
        cfg.rpo.reverse();
        for (i, &block) in cfg.rpo.iter().enumerate() {
            cfg.index[block] = i as u32;
        }
        cfg
    }

    fn discover(&mut self, func: &Function, block: Block) {
        self.index[block] = 0;
        if let Some(inst) = func.terminator(block) {
            let succs = &mut self.succs[block];
            func.insts[inst].for_each_target(|call| succs.push(call.block));
        }
    }

    /// Sources of the edges to a block, once per edge, unreachable ones left out.
    pub fn preds(&self, block: Block) -> &[Block] {
        &self.preds[block]
    }

    /// Targets of a reachable block's terminator, once per edge, in its order.
    pub fn succs(&self, block: Block) -> &[Block] {
        &self.succs[block]
    }

    /// Reachable blocks, each before its successors but for back edges.
    pub fn rpo(&self) -> &[Block] {
        &self.rpo
    }

    /// Position in [`Cfg::rpo`]; `None` for an unreachable block.
    pub fn rpo_index(&self, block: Block) -> Option<u32> {
        Some(self.index[block]).filter(|&i| i != UNREACHABLE)
    }

    pub fn is_reachable(&self, block: Block) -> bool {
        self.index[block] != UNREACHABLE
    }
}
