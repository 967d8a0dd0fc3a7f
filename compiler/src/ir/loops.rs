//! The natural loops of a function, and their nesting.

use super::cfg::Cfg;
use super::dominators::DomTree;
use super::entities::{Block, Inst};
use super::function::Function;
use cranelift_entity::{EntitySet, SecondaryMap};
use rustc_hash::FxHashSet;

/// A natural loop: the blocks that reach a back edge to `header` without passing `header`.
pub struct Loop {
    pub header: Block,
    /// Source blocks of the back edges.
    pub latches: Vec<Block>,
    /// Index of the smallest loop that contains this loop.
    pub parent: Option<usize>,
    /// All blocks, including the blocks of inner loops; the header is the first.
    pub blocks: Vec<Block>,
    /// 1 for an outermost loop.
    pub depth: u32,
}

impl Loop {
    /// Returns the instructions of all blocks.
    pub fn insts<'a>(&'a self, func: &'a Function) -> impl Iterator<Item = Inst> + 'a {
        self.blocks.iter().flat_map(|&block| func.blocks[block].insts.iter().copied())
    }

    /// Returns the blocks outside of the loop that branch to the header. A block with two such branches occurs twice.
    pub fn entering<'a>(&'a self, cfg: &'a Cfg) -> impl Iterator<Item = Block> + 'a {
        let latches: FxHashSet<Block> = self.latches.iter().copied().collect();
        cfg.preds(self.header).iter().copied().filter(move |pred| !latches.contains(pred))
    }

    /// Returns the blocks as a set.
    pub fn block_set(&self) -> EntitySet<Block> {
        let mut set = EntitySet::new();
        self.blocks.iter().for_each(|&block| _ = set.insert(block));
        set
    }
}

/// Returns the headers of loops with the sources of their back edges, in reverse postorder.
fn back_edges(cfg: &Cfg, dom: &DomTree) -> Vec<(Block, Vec<Block>)> {
    let mut out = Vec::new();
    let mut latch_of: SecondaryMap<Block, Option<Block>> = SecondaryMap::new();
    for &header in cfg.rpo() {
        let mut latches: Vec<Block> = Vec::new();
        for &pred in cfg.preds(header) {
            if dom.dominates(header, pred) && latch_of[pred] != Some(header) {
                latch_of[pred] = Some(header);
                latches.push(pred);
            }
        }
        if !latches.is_empty() {
            out.push((header, latches));
        }
    }
    out
}

/// The loops of a function, outer ones before inner ones. Cycles with several entries are not among them.
pub struct Loops {
    pub loops: Vec<Loop>,
    innermost: SecondaryMap<Block, Option<u32>>,
    /// By index of a loop, the range (first and count) of the loops in it, itself included, in an order in which the loops
    /// inside each loop are adjacent.
    nested: Vec<(u32, u32)>,
    /// By index of a loop, true if it contains loops that are too deep to be listed.
    hides_others: Vec<bool>,
}

/// The deepest nesting of the loops that passes see. Only programs with `goto` have deeper ones.
const MAX_DEPTH: u32 = 64;

impl Loops {
    /// Returns the loops down to a depth of `MAX_DEPTH`.
    pub fn compute(cfg: &Cfg, dom: &DomTree) -> Loops {
        Loops::compute_to(MAX_DEPTH, cfg, dom)
    }

    fn compute_to(max_depth: u32, cfg: &Cfg, dom: &DomTree) -> Loops {
        let mut out = Loops {
            loops: Vec::new(),
            innermost: SecondaryMap::new(),
            nested: Vec::new(),
            hides_others: Vec::new(),
        };
        for (header, latches) in back_edges(cfg, dom) {
            match out.innermost(header) {
                Some(around) if out.loops[around].depth >= max_depth => {
                    out.hides_others[around] = true;
                }
                _ => out.add(cfg, header, latches),
            }
        }
        out.number();
        out
    }

    /// Returns all loops, however deep, without the lists of their blocks.
    pub fn compute_all(cfg: &Cfg, dom: &DomTree) -> Loops {
        let mut loops: Vec<Loop> = back_edges(cfg, dom)
            .into_iter()
            .map(|(header, latches)| Loop {
                header,
                latches,
                parent: None,
                blocks: Vec::new(),
                depth: 1,
            })
            .collect();
        let mut innermost: SecondaryMap<Block, Option<u32>> = SecondaryMap::new();
        // Inner loops first; an edge into a known loop leads to its header.
        let mut outermost: Vec<usize> = (0..loops.len()).collect();
        for index in (0..loops.len()).rev() {
            innermost[loops[index].header] = Some(index as u32);
            let mut work = loops[index].latches.clone();
            while let Some(block) = work.pop() {
                let Some(known) = innermost[block] else {
                    innermost[block] = Some(index as u32);
                    work.extend_from_slice(cfg.preds(block));
                    continue;
                };
                let mut around = known as usize;
                while outermost[around] != around {
                    outermost[around] = outermost[outermost[around]];
                    around = outermost[around];
                }
                if around != index {
                    outermost[around] = index;
                    loops[around].parent = Some(index);
                    work.extend_from_slice(cfg.preds(loops[around].header));
                }
            }
        }
        for index in 0..loops.len() {
            loops[index].depth = loops[index].parent.map_or(1, |parent| loops[parent].depth + 1);
        }
        let hides_others = vec![false; loops.len()];
        let mut out = Loops { loops, innermost, nested: Vec::new(), hides_others };
        out.number();
        out
    }

    /// Fills in `nested`. Outer loops come before inner ones in `loops`.
    fn number(&mut self) {
        let mut sizes = vec![1; self.loops.len()];
        for (index, data) in self.loops.iter().enumerate().rev() {
            if let Some(parent) = data.parent {
                sizes[parent] += sizes[index];
            }
        }
        let mut next_in: Vec<u32> = Vec::with_capacity(sizes.len());
        let mut next = 0;
        for (data, size) in self.loops.iter().zip(sizes) {
            let place = data.parent.map_or(&mut next, |parent| &mut next_in[parent]);
            let first = *place;
            *place += size;
            next_in.push(first + 1);
            self.nested.push((first, size));
        }
    }

    /// Adds the loop with a header. Headers are added in reverse postorder, so outer loops come before inner ones.
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
        self.hides_others.push(false);
    }

    /// Makes a block a part of loop `index`. The block is one from which the loop's own control flow does not return.
    pub fn absorb(&mut self, index: usize, block: Block) {
        self.innermost[block] = Some(index as u32);
    }

    /// Returns the index of the smallest loop that contains a block.
    pub fn innermost(&self, block: Block) -> Option<usize> {
        self.innermost[block].map(|i| i as usize)
    }

    /// Returns the loops that contain no other loop, with their indices.
    pub fn innermost_loops(&self) -> impl Iterator<Item = (usize, &Loop)> {
        let mut is_outer = self.hides_others.clone();
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
        let (first, size) = self.nested[index];
        let place = |inner: usize| self.nested[inner].0;
        self.innermost(block).is_some_and(|inner| (first..first + size).contains(&place(inner)))
    }
}
