//! The control-flow graph of a function: predecessors and reverse postorder of what the entry
//! reaches.

use super::entities::Block;
use super::function::Function;
use cranelift_entity::EntityRef;

const UNREACHABLE: u32 = u32::MAX;

/// Predecessors and order of the reachable blocks. This is a snapshot: changes of the function do not update it.
pub struct Cfg {
    preds: AdjacencyLists,
    succs: AdjacencyLists,
    rpo: Vec<Block>,
    /// By block number, the position of the block in `rpo`.
    index: Vec<u32>,
}

/// A list of blocks for each block; all lists are in one vector.
struct AdjacencyLists {
    /// By block number, the start and the length of the block's list.
    ranges: Vec<(u32, u32)>,
    blocks: Vec<Block>,
}

impl AdjacencyLists {
    fn new(blocks: usize) -> AdjacencyLists {
        AdjacencyLists { ranges: vec![(0, 0); blocks], blocks: Vec::new() }
    }

    /// Returns the list of a block; an empty list for blocks that are not in the snapshot.
    fn of(&self, block: Block) -> &[Block] {
        let (start, len) = self.ranges.get(block.index()).copied().unwrap_or((0, 0));
        self.blocks.get(start as usize..(start + len) as usize).unwrap_or(&[])
    }

    /// Returns the sources of edges by target. The sources of a target are in the order of `edges`, which are pairs
    /// (source, target).
    fn reversed(edges: &[(Block, Block)], blocks: usize) -> AdjacencyLists {
        let mut lists = AdjacencyLists::new(blocks);
        for &(_, to) in edges {
            lists.ranges[to.index()].1 += 1;
        }
        let mut start = 0;
        for range in &mut lists.ranges {
            let len = std::mem::take(&mut range.1);
            range.0 = start;
            start += len;
        }
        if let Some(&(first, _)) = edges.first() {
            lists.blocks = vec![first; edges.len()];
        }
        for &(from, to) in edges {
            let (start, len) = &mut lists.ranges[to.index()];
            lists.blocks[(*start + *len) as usize] = from;
            *len += 1;
        }
        lists
    }
}

impl Cfg {
    pub fn compute(func: &Function) -> Cfg {
        let blocks = func.blocks.len();
        let Some(&entry) = func.layout.first() else { return Cfg::empty(blocks) };
        Cfg::of_graph(blocks, entry, |block, targets| {
            if let Some(inst) = func.terminator(block) {
                func.insts[inst].for_each_target(|call| targets.push(call.block));
            }
        })
    }

    /// Returns true if the graph has a cycle.
    pub fn has_loops(&self) -> bool {
        let goes_back = |from: Block| {
            self.succs(from).iter().any(|to| self.rpo_index(*to) <= self.rpo_index(from))
        };
        self.rpo.iter().any(|&block| goes_back(block))
    }

    /// Returns the graph with its edges reversed. Its entry is a new block, from which edges lead to all blocks that had no
    /// successor. Blocks from which no such block is reachable are unreachable in the reversed graph.
    pub fn reversed(&self) -> Cfg {
        let blocks = self.num_blocks();
        let exit = Block::new(blocks);
        let ends = self.rpo.iter().copied().filter(|&block| self.succs(block).is_empty());
        let ends: Vec<Block> = ends.collect();
        Cfg::of_graph(blocks + 1, exit, |block, targets| match block == exit {
            true => targets.extend_from_slice(&ends),
            false => targets.extend_from_slice(self.preds(block)),
        })
    }

    /// Returns the graph of one iteration of the loop with header `header`. Edges back to the header and out of the loop lead
    /// to a new block, which has the highest number.
    pub fn iteration(&self, header: Block, is_inside: impl Fn(Block) -> bool) -> Cfg {
        let blocks = self.num_blocks();
        let end = Block::new(blocks);
        Cfg::of_graph(blocks + 1, header, |block, targets| {
            let stays = |next: Block| next != header && is_inside(next);
            let next = |&next: &Block| if stays(next) { next } else { end };
            targets.extend(self.succs(block).iter().map(next));
        })
    }

    fn empty(blocks: usize) -> Cfg {
        Cfg {
            preds: AdjacencyLists::new(0),
            succs: AdjacencyLists::new(blocks),
            rpo: Vec::new(),
            index: vec![UNREACHABLE; blocks],
        }
    }

    /// Returns a graph of `blocks` blocks; `targets` appends a block's successors to a list.
    pub(super) fn of_graph(
        blocks: usize,
        entry: Block,
        mut targets: impl FnMut(Block, &mut Vec<Block>),
    ) -> Cfg {
        let mut cfg = Cfg::empty(blocks);
        let mut edges = Vec::new();
        // Depth-first with a stack of (block, next successor to visit).
        let mut stack = vec![(entry, 0)];
        cfg.discover(entry, &mut targets);
        while let Some((block, next)) = stack.last_mut() {
            // The last successor is visited first, so that the first successor comes first in the order.
            let succs = cfg.succs.of(*block);
            let Some(at) = succs.len().checked_sub(*next + 1) else {
                cfg.rpo.push(*block);
                stack.pop();
                continue;
            };
            let (from, to) = (*block, succs[at]);
            *next += 1;
            edges.push((from, to));
            if !cfg.is_reachable(to) {
                cfg.discover(to, &mut targets);
                stack.push((to, 0));
            }
        }
        cfg.rpo.reverse();
        for (i, &block) in cfg.rpo.iter().enumerate() {
            cfg.index[block.index()] = i as u32;
        }
        cfg.preds = AdjacencyLists::reversed(&edges, blocks);
        cfg
    }

    fn discover(&mut self, block: Block, targets: &mut impl FnMut(Block, &mut Vec<Block>)) {
        self.index[block.index()] = 0;
        let list = &mut self.succs.blocks;
        let start = list.len();
        targets(block, list);
        self.succs.ranges[block.index()] = (start as u32, (list.len() - start) as u32);
    }

    /// Returns the number of blocks of the function, including unreachable ones.
    pub fn num_blocks(&self) -> usize {
        self.index.len()
    }

    /// Returns the sources of the edges to a block, once per edge. Unreachable sources are left out.
    pub fn preds(&self, block: Block) -> &[Block] {
        self.preds.of(block)
    }

    /// Returns the targets of a reachable block's terminator, once per edge, in the terminator's order.
    pub fn succs(&self, block: Block) -> &[Block] {
        self.succs.of(block)
    }

    /// Returns the reachable blocks, each before its successors except for back edges.
    pub fn rpo(&self) -> &[Block] {
        &self.rpo
    }

    /// Returns the position of a block in [`Cfg::rpo`]; `None` for an unreachable block.
    pub fn rpo_index(&self, block: Block) -> Option<u32> {
        self.index.get(block.index()).copied().filter(|&i| i != UNREACHABLE)
    }

    pub fn is_reachable(&self, block: Block) -> bool {
        self.rpo_index(block).is_some()
    }
}
