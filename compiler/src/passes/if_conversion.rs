//! If-conversion: where both arms of a branch only compute a few values and join again, both are
//! computed speculatively and the results selected.
//!
//! On a device that is cheaper than branching, and the code becomes smaller: a branch costs a merge
//! instruction, labels and phis.

use super::unreachable;
use crate::ir::cfg::Cfg;
use crate::ir::*;
use smallvec::SmallVec;

/// Greatest total cost of the operations in both arms and of the selections.
const MAX_COST: u32 = 16;

/// Returns true if anything changed.
pub fn run(func: &mut Function) -> bool {
    let cfg = Cfg::compute(func);
    let mut changed = false;
    // Inner branches first.
    for &block in cfg.rpo().iter().rev() {
        changed |= convert_branch(func, &cfg, block);
    }
    if changed {
        unreachable::run(func);
    }
    changed
}

/// Converts the branch at the end of a block, if it can be and is cheap. Returns true if it was.
fn convert_branch(func: &mut Function, cfg: &Cfg, block: Block) -> bool {
    let Some(inst) = func.terminator(block) else { return false };
    let InstData::Brif { cond, then, otherwise } = &func.insts[inst] else { return false };
    let (cond, targets) = (*cond, [then.clone(), otherwise.clone()]);
    if func.as_const(cond).is_some() || targets[0].block == targets[1].block {
        return false;
    }
    // Each arm is a block of its own, or the join block.
    let arms = targets.each_ref().map(|target| arm(func, cfg, target));
    let ends = [0, 1].map(|i| arms[i].as_ref().map(|arm| arm.end.block));
    let join = match ends {
        [Some(a), Some(b)] if a == b => a,
        [Some(a), _] if a == targets[1].block => a,
        [_, Some(b)] if b == targets[0].block => b,
        _ => return false,
    };
    if join == block {
        return false;
    }
    let mut cost = 0;
    let mut moved: SmallVec<[Inst; 16]> = SmallVec::new();
    let mut args: [SmallVec<[Value; 2]>; 2] = Default::default();
    for (i, arm) in arms.into_iter().enumerate() {
        match arm {
            Some(arm) if targets[i].block != join => {
                cost += arm.cost;
                let insts = &func.blocks[targets[i].block].insts;
                moved.extend_from_slice(&insts[..insts.len() - 1]);
                args[i] = arm.end.args;
            }
            _ => args[i] = targets[i].args.clone(),
        }
    }
    let [then, otherwise] = args;
    cost += then.iter().zip(&otherwise).filter(|(a, b)| a != b).count() as u32;
    if cost > MAX_COST {
        return false;
    }
    func.blocks[block].insts.pop();
    func.blocks[block].insts.extend(moved);
    let mut args = then;
    for (arg, other) in args.iter_mut().zip(otherwise) {
        if *arg != other {
            let data = InstData::Select { args: [cond, *arg, other] };
            let ty = Some(func.ty(*arg));
            *arg = func.append(block, data, ty).unwrap_or(other);
        }
    }
    func.insts[inst] = InstData::Jump { target: BlockCall { block: join, args } };
    func.blocks[block].insts.push(inst);
    true
}

/// A block that only this branch reaches, with nothing but cheap operations.
struct Arm {
    cost: u32,
    /// The continuation.
    end: BlockCall,
}

/// Returns the arm that a branch target is; `None` if it is not one, or too expensive.
fn arm(func: &Function, cfg: &Cfg, target: &BlockCall) -> Option<Arm> {
    let data = &func.blocks[target.block];
    if cfg.preds(target.block).len() != 1 || !data.params.is_empty() {
        return None;
    }
    let (&last, insts) = data.insts.split_last()?;
    let InstData::Jump { target } = &func.insts[last] else { return None };
    let mut cost = 0;
    for &inst in insts {
        cost += func.insts[inst].speculation().cost_out_of_arm()?;
        if cost > MAX_COST {
            return None;
        }
    }
    Some(Arm { cost, end: target.clone() })
}
