//! If-conversion: if the arms of a branch or a small switch only compute a few values and join again, all arms are computed
//! speculatively and the results selected.
//!
//! On a device this is cheaper than branching, and the code becomes smaller: a branch costs a merge instruction, labels and
//! phis. Drivers compile it faster, too: NVIDIA's compiler took 33 ms for a module with ten small switches, and 26 ms with
//! selections in their place.

use super::unreachable;
use crate::ir::cfg::Cfg;
use crate::ir::*;
use hekla_device::Quirks;
use smallvec::SmallVec;

/// The greatest total cost of the operations in all arms, of the comparisons with case values and of the selections.
const MAX_COST: u32 = 16;

/// The same limit on devices that track the work-items of a branch with masks ([`Quirks::SOFTWARE_MASKS`]).
const MAX_COST_WITH_MASKS: u32 = 32;

/// Converts branches and switches of a function. Returns true if anything changed.
pub fn run(func: &mut Function, quirks: Quirks) -> bool {
    let most = match quirks.contains(Quirks::SOFTWARE_MASKS) {
        true => MAX_COST_WITH_MASKS,
        false => MAX_COST,
    };
    let cfg = Cfg::compute(func);
    let mut changed = false;
    // Inner branches first.
    for &block in cfg.rpo().iter().rev() {
        changed |=
            convert_branch(func, &cfg, block, most) || convert_switch(func, &cfg, block, most);
    }
    if changed {
        unreachable::run(func);
    }
    changed
}

/// Converts the branch at the end of a block, if this is possible and the cost is at most `most`. Returns true if the branch
/// was converted.
fn convert_branch(func: &mut Function, cfg: &Cfg, block: Block, most: u32) -> bool {
    let Some(inst) = func.terminator(block) else { return false };
    let InstData::Brif { cond, then, otherwise } = &func.insts[inst] else { return false };
    let (cond, targets) = (*cond, [then.clone(), otherwise.clone()]);
    if func.as_const(cond).is_some() || targets[0].block == targets[1].block {
        return false;
    }
    // Each target is an arm, which is a block of its own, or the join block.
    let arms = targets.each_ref().map(|target| arm(func, cfg, block, target, most));
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
    if has_matrix(func, &then) {
        return false;
    }
    cost += then.iter().zip(&otherwise).filter(|(a, b)| a != b).count() as u32;
    if cost > most {
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

/// Converts the switch at the end of a block, if this is possible and cheap. Returns true if the switch was converted.
fn convert_switch(func: &mut Function, cfg: &Cfg, block: Block, most: u32) -> bool {
    let Some(inst) = func.terminator(block) else { return false };
    let InstData::Switch { value, cases, default } = &func.insts[inst] else { return false };
    if cases.len() > MAX_COST as usize || func.as_const(*value).is_some() {
        return false;
    }
    let (value, default, cases) = (*value, default.clone(), cases.clone());
    // Returns the block where an arm continues. A target that is not an arm is the join block.
    let next = |target: &BlockCall| match arm(func, cfg, block, target, most) {
        Some(arm) => (arm.end.clone(), Some(arm)),
        None => (target.clone(), None),
    };
    let (end, of_default) = next(&default);
    let mut arms: SmallVec<[(Block, Option<Arm>); 4]> =
        SmallVec::from_iter([(default.block, of_default)]);
    let mut ends: SmallVec<[(u64, BlockCall); 4]> = SmallVec::new();
    for case in &cases {
        let (end, arm) = next(&case.target);
        ends.push((case.value, end));
        if arms.iter().all(|(known, _)| *known != case.target.block) {
            arms.push((case.target.block, arm));
        }
    }
    let join = end.block;
    if join == block || ends.iter().any(|(_, end)| end.block != join) {
        return false;
    }
    if has_matrix(func, &end.args) {
        return false;
    }
    let of_arms: u32 = arms.iter().flat_map(|(_, arm)| arm).map(|arm| arm.cost).sum();
    let selections = |end: &BlockCall, other: &BlockCall| {
        end.args.iter().zip(&other.args).filter(|(a, b)| a != b).count() as u32
    };
    let of_cases: u32 = ends.iter().map(|(_, case)| 1 + selections(case, &end)).sum();
    if of_arms + of_cases > MAX_COST {
        return false;
    }
    func.blocks[block].insts.pop();
    for (target, _) in arms.iter().filter(|(_, arm)| arm.is_some()) {
        let insts = func.blocks[*target].insts.clone();
        func.blocks[block].insts.extend_from_slice(&insts[..insts.len() - 1]);
    }
    let mut args = end.args;
    let ty = func.ty(value);
    for (number, case) in ends.into_iter().rev() {
        let number = func.constant(ty, number);
        let compare = InstData::ICmp { cc: IntCC::Eq, args: [value, number] };
        let Some(cond) = func.append(block, compare, Some(Type::BOOL)) else { continue };
        for (arg, of_case) in args.iter_mut().zip(case.args) {
            if *arg != of_case {
                let data = InstData::Select { args: [cond, of_case, *arg] };
                let ty = Some(func.ty(*arg));
                *arg = func.append(block, data, ty).unwrap_or(of_case);
            }
        }
    }
    func.insts[inst] = InstData::Jump { target: BlockCall { block: join, args } };
    func.blocks[block].insts.push(inst);
    true
}

/// Returns true if a value is a matrix. Matrices cannot be selected.
fn has_matrix(func: &Function, values: &[Value]) -> bool {
    values.iter().any(|&value| func.ty(value).scalar.is_matrix())
}

/// A block that only this branch or switch reaches, and that contains only cheap operations.
struct Arm {
    cost: u32,
    /// The block where the arm continues, with arguments.
    end: BlockCall,
}

/// Returns the arm that a target of a block's terminator is; `None` if the target is not an arm, or too expensive.
fn arm(func: &Function, cfg: &Cfg, block: Block, target: &BlockCall, most: u32) -> Option<Arm> {
    let data = &func.blocks[target.block];
    if cfg.preds(target.block).iter().any(|&pred| pred != block) || !data.params.is_empty() {
        return None;
    }
    let (&last, insts) = data.insts.split_last()?;
    let InstData::Jump { target } = &func.insts[last] else { return None };
    let mut cost = 0;
    for &inst in insts {
        cost += func.insts[inst].speculation().cost_out_of_arm()?;
        if cost > most {
            return None;
        }
    }
    Some(Arm { cost, end: target.clone() })
}
