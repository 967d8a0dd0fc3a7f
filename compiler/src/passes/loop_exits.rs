//! Loop exits for the structurizer: the targets of the edges that leave each natural loop, and the loop
//! in which each block is placed. Loops are named by their headers.
//!
//! A few cheap instructions between a `break` and the code after the loop are placed in the loop. Exits that continue at
//! one block then become one exit, and no selector has to distinguish them after the loop.

use crate::ir::cfg::Cfg;
use crate::ir::dominators::DomTree;
use crate::ir::loops::Loops;
use crate::ir::{AddressSpace, Block, Function, InstData};
use cranelift_entity::SecondaryMap;

/// The most instructions of an exit block that is placed in its loop. There, work-items that leave at different times
/// execute the block one after the other.
const MAX_EXIT_BLOCK: usize = 8;

/// Loops by header, with their exits.
pub struct LoopExits {
    loops: Loops,
    /// Indexed by header: the index of its loop.
    loop_of: SecondaryMap<Block, Option<u32>>,
    /// Indexed by header: distinct targets of edges that leave the loop.
    exits: SecondaryMap<Block, Vec<Block>>,
}

impl LoopExits {
    /// Computes them. With `keeps_only_exits`, what is behind the only exit of a loop stays behind the loop.
    pub fn compute(
        func: &Function,
        cfg: &Cfg,
        doms: &DomTree,
        keeps_only_exits: bool,
    ) -> LoopExits {
        let mut loops = Loops::compute_all(cfg, doms);
        absorb_exit_blocks(func, cfg, &mut loops, keeps_only_exits);
        let mut loop_of = SecondaryMap::new();
        for (index, l) in loops.loops.iter().enumerate() {
            loop_of[l.header] = Some(index as u32);
        }
        let mut this = LoopExits { loops, loop_of, exits: SecondaryMap::new() };
        for &block in cfg.rpo() {
            for &succ in cfg.succs(block) {
                this.add_exit_edge(block, succ);
            }
        }
        this
    }

    /// Adds an edge to the exits of every loop that the edge leaves.
    fn add_exit_edge(&mut self, block: Block, succ: Block) {
        let mut around = self.loops.innermost(block);
        while let Some(index) = around {
            if self.loops.contains(index, succ) {
                break;
            }
            let exits = &mut self.exits[self.loops.loops[index].header];
            if !exits.contains(&succ) {
                exits.push(succ);
            }
            around = self.loops.loops[index].parent;
        }
    }

    pub fn is_header(&self, block: Block) -> bool {
        self.loop_of[block].is_some()
    }

    /// Returns the distinct targets of the edges that leave the loop with a header.
    pub fn exits(&self, header: Block) -> &[Block] {
        &self.exits[header]
    }

    /// Returns the header of the loop in whose body a block is placed. For a header, it is that of the loop around its
    /// own.
    pub fn placement(&self, block: Block) -> Option<Block> {
        let index = match self.loop_of[block] {
            Some(own) => self.loops.loops[own as usize].parent,
            None => self.loops.innermost(block),
        };
        index.map(|i| self.loops.loops[i].header)
    }

    /// Returns the header of the outermost loop that contains `from` but not `to`.
    pub fn outermost_left(&self, from: Block, to: Block) -> Option<Block> {
        let mut left = None;
        let mut around = self.loops.innermost(from);
        while let Some(index) = around {
            if self.loops.contains(index, to) {
                break;
            }
            left = Some(self.loops.loops[index].header);
            around = self.loops.loops[index].parent;
        }
        left
    }
}

/// Makes exit blocks part of the loop that they leave.
fn absorb_exit_blocks(func: &Function, cfg: &Cfg, loops: &mut Loops, keeps_only_exits: bool) {
    let only_exits = match keeps_only_exits {
        true => only_exits(cfg, loops),
        false => Vec::new(),
    };
    for &block in cfg.rpo() {
        let ([pred], [_]) = (cfg.preds(block), cfg.succs(block)) else { continue };
        let Some(index) = loops.innermost(*pred) else { continue };
        if only_exits.get(index).is_some_and(|&exit| exit == Some(block)) {
            continue;
        }
        if loops.innermost(block) == loops.loops[index].parent && is_cheap(func, block) {
            loops.absorb(index, block);
        }
    }
}

/// Returns the target of all edges that leave each loop, for each loop that has one such target.
fn only_exits(cfg: &Cfg, loops: &Loops) -> Vec<Option<Block>> {
    let mut targets: Vec<Vec<Block>> = vec![Vec::new(); loops.loops.len()];
    for &block in cfg.rpo() {
        for &succ in cfg.succs(block) {
            let mut around = loops.innermost(block);
            while let Some(index) = around.filter(|&index| !loops.contains(index, succ)) {
                let found = &mut targets[index];
                if !found.contains(&succ) {
                    found.push(succ);
                }
                around = loops.loops[index].parent;
            }
        }
    }
    let only = |found: Vec<Block>| (found.len() == 1).then(|| found[0]);
    targets.into_iter().map(only).collect()
}

/// Returns true if a block contains only a few cheap instructions.
fn is_cheap(func: &Function, block: Block) -> bool {
    let insts = &func.blocks[block].insts;
    insts.len() <= MAX_EXIT_BLOCK
        && insts.iter().all(|&inst| {
            let data = &func.insts[inst];
            let is_private_store = matches!(data, InstData::Store { ptr, .. }
                if func.ty(*ptr).space() == Some(AddressSpace::Private));
            data.is_terminator()
                || is_private_store
                || !(data.has_side_effect() || data.reads_memory() || data.is_convergent())
        })
}
