//! The dominator tree of a function, and dominance frontiers. The algorithm is from Lengauer and Tarjan, "A Fast Algorithm
//! for Finding Dominators in a Flowgraph" (1979), with path compression alone: O(edges * log blocks).

use super::cfg::Cfg;
use super::entities::Block;
use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::SecondaryMap;
use smallvec::SmallVec;

/// The most blocks that dominance frontiers have on average. With more, callers that can do without frontiers do so.
pub const MAX_FRONTIER: usize = 64;

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
        Semidominators::compute(cfg, entry).dominators(&mut tree.idom);
        for &block in rest {
            if let Some(idom) = tree.idom[block].expand() {
                tree.children[idom].push(block);
            }
        }
        tree.number(entry);
        tree
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

    /// Returns the blocks that `block` dominates immediately, in reverse postorder.
    pub fn children(&self, block: Block) -> &[Block] {
        &self.children[block]
    }

    /// Returns the reachable blocks, parents before children; the blocks of a subtree are adjacent.
    pub fn preorder(&self) -> &[Block] {
        &self.preorder
    }

    /// Returns true if every path to `b` passes `a` (a block dominates itself). False if either is
    /// unreachable.
    pub fn dominates(&self, a: Block, b: Block) -> bool {
        let ((a_in, a_out), (b_in, b_out)) = (self.span[a], self.span[b]);
        a_in != 0 && b_in != 0 && a_in <= b_in && b_out <= a_out
    }

    /// Returns the dominance frontier of each block: the blocks where its dominance ends. Returns `None` if the
    /// frontiers have more than `room` blocks altogether, as with thousands of nested loops.
    pub fn frontiers(
        &self,
        cfg: &Cfg,
        mut room: usize,
    ) -> Option<SecondaryMap<Block, SmallVec<[Block; 4]>>> {
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
                    if out[at].last() == Some(&block) {
                        // The walk from another edge has passed this block already.
                        break;
                    }
                    room = room.checked_sub(1)?;
                    out[at].push(block);
                    runner = self.idom(at);
                }
            }
        }
        Some(out)
    }
}

/// The first half of the algorithm. Blocks are identified by their numbers in a depth-first walk.
struct Semidominators {
    /// Indexed by number: the block.
    blocks: Vec<Block>,
    /// Indexed by number: the number of the parent in the walk.
    parent: Vec<u32>,
    /// Indexed by number: the number of the semidominator.
    semi: Vec<u32>,
    /// Indexed by number: the immediate dominator, or a block that has the same immediate dominator.
    relative: Vec<u32>,
}

/// Trees of the blocks that were linked; their paths are compressed.
struct Forest {
    /// Indexed by number: an ancestor, [`ROOT`] for a root.
    ancestor: Vec<u32>,
    /// Indexed by number: the node with the least semidominator on the path from below the ancestor to this node.
    label: Vec<u32>,
    path: Vec<u32>,
}

const ROOT: u32 = u32::MAX;

impl Forest {
    /// Returns the number of the block with the least semidominator on the path from the root to `v`. The root itself
    /// does not count.
    fn least(&mut self, semi: &[u32], v: u32) -> u32 {
        let mut at = v;
        while self.ancestor[at as usize] != ROOT {
            self.path.push(at);
            at = self.ancestor[at as usize];
        }
        // Above the child of the root, no block counts.
        let mut above = self.path.pop();
        while let (Some(upper), Some(lower)) = (above, self.path.pop()) {
            let (best, own) = (self.label[upper as usize], self.label[lower as usize]);
            if semi[best as usize] < semi[own as usize] {
                self.label[lower as usize] = best;
            }
            self.ancestor[lower as usize] = self.ancestor[upper as usize];
            above = Some(lower);
        }
        self.label[v as usize]
    }
}

impl Semidominators {
    fn compute(cfg: &Cfg, entry: Block) -> Semidominators {
        let count = cfg.rpo().len();
        let mut number: SecondaryMap<Block, u32> = SecondaryMap::with_default(ROOT);
        number.resize(cfg.num_blocks());
        let mut this = Semidominators {
            blocks: Vec::with_capacity(count),
            parent: Vec::with_capacity(count),
            semi: (0..count as u32).collect(),
            relative: vec![0; count],
        };
        this.walk(cfg, entry, &mut number);
        let mut forest = Forest {
            ancestor: vec![ROOT; count],
            label: (0..count as u32).collect(),
            path: Vec::new(),
        };
        // By semidominator, a linked list of its blocks: the first block, and for each block the next one.
        let (mut first, mut next) = (vec![ROOT; count], vec![ROOT; count]);
        for v in (1..count as u32).rev() {
            let at = v as usize;
            for &pred in cfg.preds(this.blocks[at]) {
                let best = forest.least(&this.semi, number[pred]);
                this.semi[at] = this.semi[at].min(this.semi[best as usize]);
            }
            let (semi, parent) = (this.semi[at] as usize, this.parent[at]);
            next[at] = std::mem::replace(&mut first[semi], v);
            forest.ancestor[at] = parent;
            let mut waiting = std::mem::replace(&mut first[parent as usize], ROOT);
            while waiting != ROOT {
                let best = forest.least(&this.semi, waiting);
                let is_less = this.semi[best as usize] < parent;
                this.relative[waiting as usize] = if is_less { best } else { parent };
                waiting = next[waiting as usize];
            }
        }
        this
    }

    fn walk(&mut self, cfg: &Cfg, entry: Block, number: &mut SecondaryMap<Block, u32>) {
        let mut stack = vec![(entry, 0)];
        while let Some((block, parent)) = stack.pop() {
            if number[block] != ROOT {
                continue;
            }
            let own = self.blocks.len() as u32;
            number[block] = own;
            self.blocks.push(block);
            self.parent.push(parent);
            let unseen = cfg.succs(block).iter().filter(|&&succ| number[succ] == ROOT);
            stack.extend(unseen.map(|&succ| (succ, own)));
        }
    }

    /// Fills in the immediate dominators.
    fn dominators(mut self, idom: &mut SecondaryMap<Block, PackedOption<Block>>) {
        for v in 1..self.blocks.len() {
            if self.relative[v] != self.semi[v] {
                self.relative[v] = self.relative[self.relative[v] as usize];
            }
            idom[self.blocks[v]] = self.blocks[self.relative[v] as usize].into();
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use cranelift_entity::EntityRef;

    /// Returns pseudo-random numbers below a bound.
    pub(in crate::ir) fn random(state: &mut u64, bound: usize) -> usize {
        *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (*state >> 33) as usize % bound
    }

    /// Returns the blocks that are reachable from the first block without passing `without`.
    fn reached(graph: &[Vec<usize>], without: Option<usize>) -> Vec<bool> {
        let mut seen = vec![false; graph.len()];
        let mut work = vec![0];
        while let Some(block) = work.pop() {
            if Some(block) != without && !std::mem::replace(&mut seen[block], true) {
                work.extend(&graph[block]);
            }
        }
        seen
    }

    #[test]
    fn dominators_are_what_no_path_avoids() {
        let mut state = 7;
        for round in 0..2000 {
            let count = 1 + random(&mut state, 12);
            let mut graph = vec![Vec::new(); count];
            for _ in 0..random(&mut state, 3 * count) {
                let from = random(&mut state, count);
                graph[from].push(random(&mut state, count));
            }
            let cfg = Cfg::of_graph(count, Block::new(0), |block, targets| {
                targets.extend(graph[block.index()].iter().map(|&to| Block::new(to)));
            });
            let tree = DomTree::compute(&cfg);
            let all = reached(&graph, None);
            for a in 0..count {
                let without = reached(&graph, Some(a));
                for b in 0..count {
                    let expected = all[a] && all[b] && (a == b || !without[b]);
                    let found = tree.dominates(Block::new(a), Block::new(b));
                    assert_eq!(found, expected, "{round}: {graph:?}, {a} and {b}");
                }
            }
        }
    }
}
