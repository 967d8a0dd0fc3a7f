//! The natural loops of a function and how they nest.

use super::cfg::Cfg;
use super::dominators::DomTree;
use super::entities::{Block, Inst};
use super::function::Function;
use cranelift_entity::{EntitySet, SecondaryMap};

/// A natural loop: the blocks that reach a back edge to `header` without passing it.
pub struct Loop {
    pub header: Block,
    /// Sources of the back edges.
    pub latches: Vec<Block>,
    /// Index of the smallest loop around this one.
    pub parent: Option<usize>,
    /// All blocks, those of inner loops among them; the header is the first.
    pub blocks: Vec<Block>,
    /// 1 for an outermost loop.
    pub depth: u32,
}

impl Loop {
    /// Returns the instructions of all blocks.
    pub fn insts<'a>(&'a self, func: &'a Function) -> impl Iterator<Item = Inst> + 'a {
        self.blocks.iter().flat_map(|&block| func.blocks[block].insts.iter().copied())
    }

    /// Returns the blocks outside that branch to the header, with duplicates where one does so twice.
    pub fn entering<'a>(&'a self, cfg: &'a Cfg) -> impl Iterator<Item = Block> + 'a {
        cfg.preds(self.header).iter().copied().filter(|pred| !self.latches.contains(pred))
    }

    /// Returns the blocks as a set.
    pub fn block_set(&self) -> EntitySet<Block> {
        let mut set = EntitySet::new();
        self.blocks.iter().for_each(|&block| _ = set.insert(block));
        set
    }
}

/// The loops of a function, outer ones before inner ones. Cycles with several entries are not
/// among them.
pub struct Loops {
    pub loops: Vec<Loop>,
    innermost: SecondaryMap<Block, Option<u32>>,
}

impl Loops {
    pub fn compute(cfg: &Cfg, dom: &DomTree) -> Loops {
        let mut out = Loops { loops: Vec::new(), innermost: SecondaryMap::new() };
        for &header in cfg.rpo() {
            let mut latches: Vec<Block> = Vec::new();
            for &pred in cfg.preds(header) {
                if dom.dominates(header, pred) && !latches.contains(&pred) {
                    latches.push(pred);
                }
            }
            if !latches.is_empty() {
                out.add(cfg, header, latches);
            }
        }
        out
    }

    /// Headers come in reverse postorder, so outer loops before inner ones.
    fn add(&mut self, cfg: &Cfg, header: Block, latches: Vec<Block>) {
        let index = self.loops.len();
        let parent = self.innermost[header].map(|i| i as usize);
        let depth = parent.map_or(1, |p| self.loops[p].depth + 1);
        self.innermost[header] = Some(index as u32);
        let mut blocks = vec![header];
        let mut work = latches.clone();
        while let Some(block) = work.pop() {
            if self.innermost[block] == Some(index as u32) {
                continue;
            }
            self.innermost[block] = Some(index as u32);
            blocks.push(block);
            work.extend_from_slice(cfg.preds(block));
        }
        self.loops.push(Loop { header, latches, parent, blocks, depth });
    }

    /// Makes a block that the loop's own control flow does not come back from part of loop `index`.
    pub fn absorb(&mut self, index: usize, block: Block) {
        self.innermost[block] = Some(index as u32);
    }

    /// Index of the smallest loop that a block is in.
    pub fn innermost(&self, block: Block) -> Option<usize> {
        self.innermost[block].map(|i| i as usize)
    }

    /// Returns the loops that have no loop in them, with their indices.
    pub fn innermost_loops(&self) -> impl Iterator<Item = (usize, &Loop)> {
        let mut is_outer = vec![false; self.loops.len()];
        let parents = self.loops.iter().filter_map(|data| data.parent);
        parents.for_each(|parent| is_outer[parent] = true);
        self.loops.iter().enumerate().filter(move |(index, _)| !is_outer[*index])
    }

    /// Returns true if a block of loop `index` has a successor outside the loop.
    pub fn is_exiting(&self, cfg: &Cfg, index: usize, block: Block) -> bool {
        cfg.succs(block).iter().any(|&succ| !self.contains(index, succ))
    }

    /// Returns how many loops a block is in.
    pub fn depth(&self, block: Block) -> u32 {
        self.innermost(block).map_or(0, |i| self.loops[i].depth)
    }

    /// Returns true if a block is in loop `index` (or in one inside it).
    pub fn contains(&self, index: usize, block: Block) -> bool {
        let mut at = self.innermost(block);
        while let Some(i) = at {
            if i == index {
                return true;
            }
            at = self.loops[i].parent;
        }
        false
    }
}
