//! The dominator tree of a function, after Cooper, Harvey and Kennedy, "A Simple, Fast Dominance
//! Algorithm" (2001), and dominance frontiers.

use super::cfg::Cfg;
use super::entities::Block;
use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::SecondaryMap;
use smallvec::SmallVec;

/// Immediate dominators of the reachable blocks.
pub struct DomTree {
    idom: SecondaryMap<Block, PackedOption<Block>>,
    children: SecondaryMap<Block, SmallVec<[Block; 4]>>,
    preorder: Vec<Block>,
    /// Numbers of entry to and exit from a block in a walk of the tree; (0, 0) if unreachable.
    span: SecondaryMap<Block, (u32, u32)>,
}

impl DomTree {
    pub fn compute(cfg: &Cfg) -> DomTree {
        let mut tree = DomTree {
            idom: SecondaryMap::new(),
            children: SecondaryMap::new(),
            preorder: Vec::with_capacity(cfg.rpo().len()),
            span: SecondaryMap::new(),
        };
        tree.idom.resize(cfg.num_blocks());
        tree.children.resize(cfg.num_blocks());
        tree.span.resize(cfg.num_blocks());
        let Some((&entry, rest)) = cfg.rpo().split_first() else { return tree };
        // While it iterates the entry counts as its own dominator.
        tree.idom[entry] = entry.into();
        let mut changed = true;
        while changed {
            changed = false;
            for &block in rest {
                let mut best: Option<Block> = None;
                for &pred in cfg.preds(block) {
                    if tree.idom[pred].is_some() {
                        best = Some(best.map_or(pred, |b| tree.intersect(cfg, b, pred)));
                    }
                }
                if tree.idom[block].expand() != best {
                    tree.idom[block] = best.into();
                    changed = true;
                }
            }
        }
        tree.idom[entry] = None.into();
        for &block in rest {
            if let Some(idom) = tree.idom[block].expand() {
                tree.children[idom].push(block);
            }
        }
        tree.number(entry);
        tree
    }

    fn intersect(&self, cfg: &Cfg, mut a: Block, mut b: Block) -> Block {
        while a != b {
            while cfg.rpo_index(a) > cfg.rpo_index(b) {
                a = self.idom[a].expand().unwrap_or(b);
            }
            while cfg.rpo_index(b) > cfg.rpo_index(a) {
                b = self.idom[b].expand().unwrap_or(a);
            }
        }
        a
    }

    fn number(&mut self, entry: Block) {
        let mut clock = 1;
        let mut stack = vec![(entry, 0)];
        while let Some((block, next)) = stack.last_mut() {
            let block = *block;
            if *next == 0 {
                self.preorder.push(block);
                self.span[block].0 = clock;
                clock += 1;
            }
            if let Some(&child) = self.children[block].get(*next) {
                *next += 1;
                stack.push((child, 0));
            } else {
                self.span[block].1 = clock;
                clock += 1;
                stack.pop();
            }
        }
    }

    /// Returns the immediate dominator; `None` for the entry and unreachable blocks.
    pub fn idom(&self, block: Block) -> Option<Block> {
        self.idom[block].expand()
    }

    /// Blocks that `block` dominates immediately, in reverse postorder.
    pub fn children(&self, block: Block) -> &[Block] {
        &self.children[block]
    }

    /// Reachable blocks, parents before children, subtrees contiguous.
    pub fn preorder(&self) -> &[Block] {
        &self.preorder
    }

    /// Returns true if every path to `b` passes `a` (a block dominates itself). False if either is
    /// unreachable.
    pub fn dominates(&self, a: Block, b: Block) -> bool {
        let ((a_in, a_out), (b_in, b_out)) = (self.span[a], self.span[b]);
        a_in != 0 && b_in != 0 && a_in <= b_in && b_out <= a_out
    }

    /// Dominance frontier of each block: where its dominance ends.
    pub fn frontiers(&self, cfg: &Cfg) -> SecondaryMap<Block, SmallVec<[Block; 4]>> {
        let mut out: SecondaryMap<Block, SmallVec<[Block; 4]>> = SecondaryMap::new();
        out.resize(cfg.num_blocks());
        for &block in cfg.rpo() {
            let preds = cfg.preds(block);
            if preds.len() < 2 {
                continue;
            }
            for &pred in preds {
                let mut runner = Some(pred);
                while runner != self.idom(block) {
                    let Some(at) = runner else { break };
                    if !out[at].contains(&block) {
                        out[at].push(block);
                    }
                    runner = self.idom(at);
                }
            }
        }
        out
    }
}
