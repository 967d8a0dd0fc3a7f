//! Facts about integers that follow from branches: where control comes by one side of a branch, its condition holds or does
//! not. `if (x >= w) return;` tells behind it that w is greater than x.

use crate::ir::cfg::Cfg;
use crate::ir::dominators::DomTree;
use crate::ir::*;
use smallvec::SmallVec;

/// How many blocks above a block are looked at.
const MAX_DOMINATORS: usize = 32;
/// The most conditions that one is made of.
const MAX_CONDITIONS: usize = 8;

/// A comparison that holds: `cc` of two integers.
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

/// The branches of a function, by the blocks that one of their sides alone leads to.
pub struct BranchFacts<'a> {
    func: &'a Function,
    cfg: &'a Cfg,
    doms: DomTree,
}

impl<'a> BranchFacts<'a> {
    pub fn new(func: &'a Function, cfg: &'a Cfg) -> BranchFacts<'a> {
        BranchFacts { func, cfg, doms: DomTree::compute(cfg) }
    }

    /// Returns what holds in a block, of the values that it and the blocks above it see.
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

    /// Returns the condition of the only branch to a block, and if it holds there.
    fn condition(&self, block: Block) -> Option<(Value, bool)> {
        let &[pred] = self.cfg.preds(block) else { return None };
        match &self.func.insts[self.func.terminator(pred)?] {
            InstData::Brif { cond, then, otherwise } if then.block != otherwise.block => {
                Some((*cond, then.block == block))
            }
            _ => None,
        }
    }

    /// Adds the comparisons that a condition is made of, as far as each of them holds or does not.
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
