//! Cases of switches that fall through to another case, for the structurizer. SPIR-V allows a case construct to branch to
//! one other case, to which no third case may branch and which must come next in the list of OpSwitch (SPIR-V 2.11,
//! "Structured control flow"). If this is not possible, a target of several cases is placed behind the switch, where a
//! test decides which work-items go to it.

use crate::ir::cfg::Cfg;
use crate::ir::dominators::DomTree;
use crate::ir::{Block, Function, InstData};
use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::SecondaryMap;

/// The targets of switches that fall through to other targets.
#[derive(Default)]
pub struct FallThroughs {
    /// By target, the target to which it falls through.
    next: SecondaryMap<Block, PackedOption<Block>>,
    /// By target to which another one falls through, the block with the switch.
    switch: SecondaryMap<Block, PackedOption<Block>>,
}

impl FallThroughs {
    /// Finds the fall-throughs. `is_in_line` returns true for a target that only its switch reaches; `may_be_next` returns
    /// true for a target that may be generated where its switch branches to it.
    pub fn find(
        func: &Function,
        cfg: &Cfg,
        doms: &DomTree,
        is_in_line: impl Fn(Block) -> bool,
        may_be_next: impl Fn(Block) -> bool,
    ) -> FallThroughs {
        let mut found = FallThroughs::default();
        let mut place: SecondaryMap<Block, u32> = SecondaryMap::new();
        for (index, &block) in doms.preorder().iter().enumerate() {
            place[block] = index as u32;
        }
        for &block in cfg.rpo() {
            let last = func.terminator(block).map(|last| &func.insts[last]);
            let Some(InstData::Switch { default, .. }) = last else { continue };
            // The cases that only the switch dominates, in the order of the dominator tree's walk and in the order of
            // control flow.
            let is_own = |target: &Block| doms.idom(*target) == Some(block);
            let mut by_tree: Vec<Block> = cfg.succs(block).iter().copied().filter(is_own).collect();
            let mut in_order = by_tree.clone();
            by_tree.sort_unstable_by_key(|&target| place[target]);
            by_tree.dedup();
            in_order.sort_unstable_by_key(|&target| cfg.rpo_index(target));
            in_order.dedup();
            for &target in in_order.iter().filter(|target| may_be_next(**target)) {
                let mut others = cfg.preds(target).iter().copied().filter(|&pred| pred != block);
                let Some(other) = others.next() else { continue };
                let after = by_tree.partition_point(|&from| place[from] <= place[other]);
                let Some(&from) = after.checked_sub(1).and_then(|at| by_tree.get(at)) else {
                    continue;
                };
                let may_go_on = from != default.block
                    && from != target
                    && found.next[from].is_none()
                    && (is_in_line(from) || found.is_next(from));
                let is_from = |pred| doms.dominates(from, pred);
                if may_go_on && is_from(other) && others.all(is_from) {
                    found.next[from] = Some(target).into();
                    found.switch[target] = Some(block).into();
                }
            }
        }
        found
    }

    /// Finds the fall-throughs in a graph of which nothing else is known. [`FallThroughs::find`] decides for the final
    /// graph.
    pub fn guess(func: &Function) -> FallThroughs {
        let is_switch = |&block: &Block| {
            let last = func.terminator(block).map(|last| &func.insts[last]);
            matches!(last, Some(InstData::Switch { .. }))
        };
        if !func.layout.iter().any(is_switch) {
            return FallThroughs::default();
        }
        let cfg = Cfg::compute(func);
        let doms = DomTree::compute(&cfg);
        FallThroughs::find(func, &cfg, &doms, |block| cfg.preds(block).len() == 1, |_| true)
    }

    /// Returns the targets of the switch at the end of a block to which other targets fall through, each once.
    pub fn next_of(&self, block: Block, switch: &InstData) -> Vec<Block> {
        let mut targets = Vec::new();
        switch.for_each_target(|call| {
            targets.extend(self.is_next_of(block, call.block).then_some(call.block));
        });
        targets.sort_unstable();
        targets.dedup();
        targets
    }

    /// Returns the target to which a target falls through.
    pub fn next(&self, target: Block) -> Option<Block> {
        self.next[target].expand()
    }

    /// Returns true for a target to which another target of its switch falls through.
    pub fn is_next(&self, target: Block) -> bool {
        self.switch[target].is_some()
    }

    /// Returns true for a target to which another target of the switch at the end of `block` falls through.
    pub fn is_next_of(&self, block: Block, target: Block) -> bool {
        self.switch[target].expand() == Some(block)
    }

    /// Returns the targets of the switch at the end of a block in an order in which each target comes right after the one
    /// that falls through to it.
    pub fn in_order(&self, block: Block, targets: &[Block]) -> Vec<Block> {
        let mut ordered = Vec::with_capacity(targets.len());
        for &first in targets.iter().filter(|target| !self.is_next_of(block, **target)) {
            ordered.push(first);
            let next = |target: &Block| self.next(*target).filter(|&n| self.is_next_of(block, n));
            ordered.extend(std::iter::successors(next(&first), next));
        }
        ordered
    }
}
