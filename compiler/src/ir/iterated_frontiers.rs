//! Iterated dominance frontiers, found without computing the frontiers, whose size is quadratic for thousands of nested
//! loops: Sreedhar and Gao, "A linear time algorithm for placing phi-nodes" (POPL 1995).

use super::cfg::Cfg;
use super::dominators::DomTree;
use super::entities::Block;
use cranelift_entity::SecondaryMap;
use std::collections::BinaryHeap;

/// The state that all searches in one graph share.
pub struct IteratedFrontiers<'a> {
    cfg: &'a Cfg,
    dom: &'a DomTree,
    /// By block, the number of blocks that dominate it.
    level: SecondaryMap<Block, u32>,
    /// The number of the current search. Blocks are marked with it.
    search: u32,
    /// Marks the blocks whose edges were followed.
    walked: SecondaryMap<Block, u32>,
    /// Marks the blocks that are in the frontier, or that could be but are not live.
    seen: SecondaryMap<Block, u32>,
    /// Marks the blocks that were in `queue`.
    queued: SecondaryMap<Block, u32>,
    /// Blocks whose subtrees still have to be walked, the deepest first, so that subtrees below a block were walked
    /// before.
    queue: BinaryHeap<(u32, Block)>,
}

impl<'a> IteratedFrontiers<'a> {
    pub fn new(cfg: &'a Cfg, dom: &'a DomTree) -> IteratedFrontiers<'a> {
        let mut level = SecondaryMap::new();
        level.resize(cfg.num_blocks());
        for &block in dom.preorder() {
            level[block] = dom.idom(block).map_or(0, |above| level[above] + 1);
        }
        let (walked, seen, queued) = (marks(cfg), marks(cfg), marks(cfg));
        IteratedFrontiers {
            cfg,
            dom,
            level,
            search: 0,
            walked,
            seen,
            queued,
            queue: BinaryHeap::new(),
        }
    }

    /// Calls `join` for each live block in the iterated frontier of `defs`, until it returns false. Each edge that is
    /// followed takes one of `steps`. The search ends when no steps are left, unless `is_needed`.
    pub fn search(
        &mut self,
        defs: &[Block],
        is_live: impl Fn(Block) -> bool,
        steps: &mut usize,
        is_needed: bool,
        mut join: impl FnMut(Block) -> bool,
    ) {
        self.search += 1;
        let search = self.search;
        self.queue.clear();
        for &def in defs {
            self.push(def);
        }
        let mut subtree = Vec::new();
        while let Some((root_level, root)) = self.queue.pop() {
            subtree.push(root);
            self.walked[root] = search;
            while let Some(block) = subtree.pop() {
                let succs = self.cfg.succs(block);
                *steps = steps.saturating_sub(succs.len());
                if *steps == 0 && !is_needed {
                    return;
                }
                for &succ in succs {
                    if self.level[succ] <= root_level && self.seen[succ] != search {
                        self.seen[succ] = search;
                        if is_live(succ) {
                            if !join(succ) {
                                return;
                            }
                            self.push(succ);
                        }
                    }
                }
                for &child in self.dom.children(block) {
                    if self.walked[child] != search {
                        self.walked[child] = search;
                        subtree.push(child);
                    }
                }
            }
        }
    }

    fn push(&mut self, block: Block) {
        if self.queued[block] != self.search {
            self.queued[block] = self.search;
            self.queue.push((self.level[block], block));
        }
    }
}

/// Returns a map in which no search has marked a block.
fn marks(cfg: &Cfg) -> SecondaryMap<Block, u32> {
    let mut map = SecondaryMap::new();
    map.resize(cfg.num_blocks());
    map
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::dominators::tests::random;
    use cranelift_entity::EntityRef;
    use std::collections::BTreeSet;

    #[test]
    fn frontiers_are_those_of_the_blocks_iterated() {
        let mut state = 3;
        for round in 0..2000 {
            let count = 1 + random(&mut state, 14);
            let mut graph = vec![Vec::new(); count + 1];
            for _ in 0..random(&mut state, 3 * count) {
                let from = random(&mut state, count + 1);
                // No branch goes to a function's entry.
                graph[from].push(1 + random(&mut state, count));
            }
            let cfg = Cfg::of_graph(count + 1, Block::new(0), |block, targets| {
                targets.extend(graph[block.index()].iter().map(|&to| Block::new(to)));
            });
            let dom = DomTree::compute(&cfg);
            let frontiers = dom.frontiers(&cfg, usize::MAX).expect("room for all");
            let mut search = IteratedFrontiers::new(&cfg, &dom);
            for _ in 0..3 {
                let is_def = |_: &&Block| random(&mut state, 3) == 0;
                let defs: Vec<Block> = cfg.rpo().iter().filter(is_def).copied().collect();
                let live: BTreeSet<Block> =
                    cfg.rpo().iter().filter(|_| random(&mut state, 4) > 0).copied().collect();
                let (mut expected, mut work) = (BTreeSet::new(), defs.clone());
                while let Some(block) = work.pop() {
                    let joins = frontiers[block].iter().filter(|&join| live.contains(join));
                    work.extend(joins.copied().filter(|&join| expected.insert(join)));
                }
                let mut found = BTreeSet::new();
                let mut steps = usize::MAX;
                let is_live = |block| live.contains(&block);
                search.search(&defs, is_live, &mut steps, true, |join| found.insert(join));
                assert_eq!(found, expected, "{round}: {graph:?}, {defs:?}");
            }
        }
    }
}
