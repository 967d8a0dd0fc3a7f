//! Rules of control flow: decided branches, chains of blocks, empty blocks, and parameters that always get the same
//! value.

use crate::ir::cfg::Cfg;
use crate::ir::incoming::Incoming;
use crate::ir::*;
use crate::passes::unreachable;
use cranelift_entity::SecondaryMap;
use smallvec::SmallVec;

/// The most differing arguments of a branch whose two sides have the same target, for which the branch becomes
/// selections.
const MAX_SELECTS: usize = 4;

/// Simplifies control flow. Returns true if anything changed, and a graph that still has the order of the blocks.
/// Blocks that are in the graph but no longer in the function are empty.
pub fn run(func: &mut Function) -> (Cfg, bool) {
    let mut changed = false;
    for i in 0..func.layout.len() {
        changed |= simplify_branch(func, func.layout[i]);
    }
    let (mut cfg, removed) = unreachable::remove(func);
    changed |= removed;
    if thread_jumps(func, &cfg) {
        (cfg, _) = unreachable::remove(func);
        changed = true;
    }
    changed |= remove_redundant_params(func, &cfg);
    changed |= merge_chains(func, &cfg);
    (cfg, changed)
}

/// Decides a block's branch if this is possible.
fn simplify_branch(func: &mut Function, block: Block) -> bool {
    let Some(inst) = func.terminator(block) else { return false };
    let new = match &func.insts[inst] {
        InstData::Brif { cond, then, otherwise } => {
            if let Some(bits) = func.as_const(*cond) {
                let target = if bits != 0 { then } else { otherwise };
                InstData::Jump { target: target.clone() }
            } else if func.is_undef(*cond) {
                InstData::Jump { target: otherwise.clone() }
            } else if then == otherwise {
                InstData::Jump { target: then.clone() }
            } else if then.block == otherwise.block {
                let (cond, then, otherwise) = (*cond, then.clone(), otherwise.clone());
                return to_selects(func, block, inst, cond, then, &otherwise);
            } else if let Some(&InstData::Unary { op: UnaryOp::Not, arg, .. }) =
                func.def_inst(*cond)
            {
                let (then, otherwise) = (otherwise.clone(), then.clone());
                InstData::Brif { cond: arg, then, otherwise }
            } else {
                return false;
            }
        }
        InstData::Switch { value, cases, default } => {
            if let Some(bits) = func.as_const(*value) {
                let case = cases.iter().find(|case| case.value == bits);
                InstData::Jump { target: case.map_or(default, |c| &c.target).clone() }
            } else if cases.iter().all(|case| case.target == *default) {
                InstData::Jump { target: default.clone() }
            } else if cases.iter().any(|case| case.target == *default) {
                let kept = cases.iter().filter(|case| case.target != *default).cloned().collect();
                InstData::Switch { value: *value, cases: kept, default: default.clone() }
            } else {
                return false;
            }
        }
        _ => return false,
    };
    func.insts[inst] = new;
    true
}

/// Replaces a branch whose two sides have the same target by selections of the arguments.
fn to_selects(
    func: &mut Function,
    block: Block,
    inst: Inst,
    cond: Value,
    mut target: BlockCall,
    otherwise: &BlockCall,
) -> bool {
    let pairs = || target.args.iter().zip(&otherwise.args);
    let is_matrix = |value: Value| func.ty(value).scalar.is_matrix();
    if pairs().filter(|(a, b)| a != b).count() > MAX_SELECTS
        || pairs().any(|(&a, b)| a != *b && is_matrix(a))
    {
        return false;
    }
    func.blocks[block].insts.pop();
    for (arg, &other) in target.args.iter_mut().zip(&otherwise.args) {
        if *arg != other {
            let data = InstData::Select { args: [cond, *arg, other] };
            let ty = Some(func.ty(*arg));
            *arg = func.append(block, data, ty).unwrap_or(other);
        }
    }
    func.insts[inst] = InstData::Jump { target };
    func.blocks[block].insts.push(inst);
    true
}

/// Redirects branches around blocks that contain only a jump. A block that closes a loop stays, so that loops keep one
/// back edge. A block also stays if removing it would leave a two-way branch with an edge into a block that others
/// reach too, unless the branch itself is removed then.
fn thread_jumps(func: &mut Function, cfg: &Cfg) -> bool {
    let mut changed = false;
    for &block in cfg.rpo() {
        if block == func.entry() || !func.blocks[block].params.is_empty() {
            continue;
        }
        let [only] = func.blocks[block].insts[..] else { continue };
        let InstData::Jump { target } = &func.insts[only] else { continue };
        let target = target.clone();
        if target.block == block || cfg.rpo_index(target.block) <= cfg.rpo_index(block) {
            continue;
        }
        let alone = cfg.preds(target.block).len() == 1;
        for &pred in cfg.preds(block) {
            let Some(inst) = func.terminator(pred) else { continue };
            let ok = match &func.insts[inst] {
                InstData::Jump { .. } => true,
                InstData::Brif { then, otherwise, .. } => {
                    let other = if then.block == block { otherwise } else { then };
                    alone || leads_to(func, other, target.block)
                }
                _ => false,
            };
            if ok {
                func.insts[inst].for_each_target_mut(|call| {
                    if call.block == block {
                        *call = target.clone();
                        changed = true;
                    }
                });
                simplify_branch(func, pred);
            }
        }
    }
    changed
}

/// Returns true if a branch goes to `target`, directly or through an empty block.
fn leads_to(func: &Function, call: &BlockCall, target: Block) -> bool {
    if call.block == target {
        return true;
    }
    let data = &func.blocks[call.block];
    match data.insts[..] {
        [only] if data.params.is_empty() => {
            matches!(&func.insts[only], InstData::Jump { target: t } if t.block == target)
        }
        _ => false,
    }
}

/// Removes parameters for which every branch passes the same value (or the parameter itself).
fn remove_redundant_params(func: &mut Function, cfg: &Cfg) -> bool {
    let entry = func.entry();
    // The value that replaces each removed parameter.
    let mut replaced: SecondaryMap<Value, Option<Value>> = func.value_map();
    let mut dead: SecondaryMap<Block, SmallVec<[bool; 4]>> = SecondaryMap::new();
    let mut changed = false;
    let incoming = Incoming::find(func, cfg.rpo());
    for &block in cfg.rpo() {
        if block == entry || func.blocks[block].params.is_empty() {
            continue;
        }
        let mut unique: SmallVec<[UniqueArg; 4]> =
            func.blocks[block].params.iter().map(|_| UniqueArg::None).collect();
        for call in incoming.calls(block) {
            for (i, &arg) in call.args.iter().enumerate() {
                let param = func.blocks[block].params[i];
                unique[i].meet(param, resolve(&replaced, arg));
            }
        }
        let gone: SmallVec<[bool; 4]> =
            unique.iter().map(|s| matches!(s, UniqueArg::One(_))).collect();
        if !gone.contains(&true) {
            continue;
        }
        changed = true;
        for (&param, unique) in func.blocks[block].params.iter().zip(unique) {
            if let UniqueArg::One(value) = unique {
                replaced[param] = Some(value);
            }
        }
        dead[block] = gone;
    }
    drop(incoming);
    if changed {
        for &block in cfg.rpo() {
            if let Some(gone) = dead.get(block).filter(|gone| !gone.is_empty()) {
                let params = func.blocks[block].params.iter().zip(gone);
                let kept = params.filter(|(_, &gone)| !gone).map(|(&param, _)| param).collect();
                func.set_params(block, kept);
            }
        }
        for &block in &func.layout {
            let Some(inst) = func.terminator(block) else { continue };
            func.insts[inst].for_each_target_mut(|call| {
                let gone = &dead[call.block];
                let mut index = 0;
                call.args.retain(|_| {
                    index += 1;
                    !gone.get(index - 1).copied().unwrap_or(false)
                });
            });
        }
        func.replace_uses(|value| resolve(&replaced, value));
    }
    changed
}

/// The argument that all branches pass for a parameter, if there is only one.
#[derive(Clone, Copy)]
enum UniqueArg {
    /// No argument has been seen yet.
    None,
    One(Value),
    Many,
}

impl UniqueArg {
    fn meet(&mut self, param: Value, arg: Value) {
        *self = match *self {
            _ if arg == param => return,
            UniqueArg::None => UniqueArg::One(arg),
            UniqueArg::One(value) if value == arg => return,
            _ => UniqueArg::Many,
        };
    }
}

/// Returns the end of a chain of replacements. Only in dead code a chain may lead back to itself.
fn resolve(replaced: &SecondaryMap<Value, Option<Value>>, mut value: Value) -> Value {
    for _ in 0..1_000_000 {
        match replaced[value] {
            Some(next) if next != value => value = next,
            _ => break,
        }
    }
    value
}

/// Joins a block with its only successor if the block is the successor's only predecessor.
fn merge_chains(func: &mut Function, cfg: &Cfg) -> bool {
    let mut replaced: SecondaryMap<Value, Option<Value>> = func.value_map();
    let mut gone: SecondaryMap<Block, bool> = func.block_map();
    let mut changed = false;
    for &block in cfg.rpo() {
        if gone[block] {
            continue;
        }
        while let Some(inst) = func.terminator(block) {
            let InstData::Jump { target } = &func.insts[inst] else { break };
            let next = target.block;
            if next == block || next == func.entry() || cfg.preds(next).len() != 1 {
                break;
            }
            let args = target.args.clone();
            let data = std::mem::take(&mut func.blocks[next]);
            for (param, arg) in data.params.into_iter().zip(args) {
                replaced[param] = Some(arg);
            }
            let insts = &mut func.blocks[block].insts;
            insts.pop();
            insts.extend(data.insts);
            gone[next] = true;
            changed = true;
        }
    }
    if changed {
        func.layout.retain(|&block| !gone[block]);
        func.replace_uses(|value| resolve(&replaced, value));
    }
    changed
}
