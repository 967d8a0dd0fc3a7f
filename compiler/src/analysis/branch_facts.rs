//! Facts about integers that follow from branches. On one side of a branch the condition holds, on the other it does not:
//! behind `if (x >= w) return;`, w is greater than x.

use crate::ir::cfg::Cfg;
use crate::ir::dominators::DomTree;
use crate::ir::*;
use smallvec::SmallVec;

/// The most dominators of a block whose conditions are used.
const MAX_DOMINATORS: usize = 32;
/// The most conditions that a combined condition is split into.
const MAX_CONDITIONS: usize = 8;

/// A comparison that holds: `cc` of the two integers `args`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fact {
    pub cc: IntCC,
    pub args: [Value; 2],
}

impl Fact {
    /// Returns the comparison with its operands in the other order.
    pub fn swapped(self) -> Fact {
        let [a, b] = self.args;
        Fact { cc: self.cc.swapped(), args: [b, a] }
    }
}

/// The facts that hold in the blocks of a function. They come from blocks that only one side of a branch leads to.
pub struct BranchFacts<'a> {
    func: &'a Function,
    cfg: &'a Cfg,
    doms: DomTree,
}

impl<'a> BranchFacts<'a> {
    pub fn new(func: &'a Function, cfg: &'a Cfg) -> BranchFacts<'a> {
        BranchFacts { func, cfg, doms: DomTree::compute(cfg) }
    }

    /// Returns the comparisons that hold in a block. Their operands are visible in the block.
    pub fn at(&self, block: Block) -> SmallVec<[Fact; 8]> {
        let mut facts = SmallVec::new();
        let mut next = Some(block);
        for _ in 0..MAX_DOMINATORS {
            let Some(block) = next else { break };
            if let Some((cond, holds)) = self.condition(block) {
                self.split(cond, holds, &mut facts);
            }
            next = self.doms.idom(block);
        }
        facts
    }

    /// Returns the condition of the only branch to a block, and whether the condition holds in the block.
    fn condition(&self, block: Block) -> Option<(Value, bool)> {
        let &[pred] = self.cfg.preds(block) else { return None };
        match &self.func.insts[self.func.terminator(pred)?] {
            InstData::Brif { cond, then, otherwise } if then.block != otherwise.block => {
                Some((*cond, then.block == block))
            }
            _ => None,
        }
    }

    /// Adds the comparisons that a condition consists of, where it follows that they hold or do not hold.
    fn split(&self, cond: Value, holds: bool, facts: &mut SmallVec<[Fact; 8]>) {
        let mut work: SmallVec<[(Value, bool); MAX_CONDITIONS]> = SmallVec::new();
        work.push((cond, holds));
        for _ in 0..MAX_CONDITIONS {
            let Some((cond, holds)) = work.pop() else { break };
            match self.func.def_inst(cond) {
                Some(&InstData::ICmp { cc, args }) => {
                    facts.push(Fact { cc: if holds { cc } else { cc.inverted() }, args });
                }
                Some(&InstData::Unary { op: UnaryOp::Not, arg, .. }) => work.push((arg, !holds)),
                Some(&InstData::Binary { op: BinaryOp::And, args, .. }) if holds => {
                    work.extend(args.map(|arg| (arg, true)));
                }
                Some(&InstData::Binary { op: BinaryOp::Or, args, .. }) if !holds => {
                    work.extend(args.map(|arg| (arg, false)));
                }
                _ => {}
            }
        }
    }
}
