//! Tests of loops without selections, on devices with [`Quirks::COSTLY_SELECTIONS`](hekla_device::Quirks::COSTLY_SELECTIONS).
//!
//! ```text
//! selection merge m; if (c) goto body; else goto m; m: break    becomes    if (c) goto body; else break
//! ```
//!
//! A branch with a way out of a loop needs no merge instruction. Those who come to the merge block from the body leave the
//! loop directly, too.

use crate::ir::cfg::Cfg;
use crate::ir::*;
use rustc_hash::FxHashSet;

/// Removes selections from the tests of a function's loops.
pub fn run(func: &mut Function, structure: &mut Structure) {
    let exits: FxHashSet<Block> = func
        .layout
        .iter()
        .filter_map(|&block| match structure.merges[block] {
            Merge::Loop { merge, continue_target, .. } => Some([merge, continue_target]),
            _ => None,
        })
        .flatten()
        .collect();
    if exits.is_empty() {
        return;
    }
    let cfg = Cfg::compute(func);
    let mut removed: FxHashSet<Block> = FxHashSet::default();
    for block in func.layout.clone() {
        let Merge::Selection { merge } = structure.merges[block] else { continue };
        let Some(exit) = exit(func, structure, merge, &exits) else { continue };
        let Some(inst) = func.terminator(block) else { continue };
        let InstData::Brif { then, otherwise, .. } = &func.insts[inst] else { continue };
        let leads_out = [then, otherwise].map(|call| call.block == merge);
        let others = [then, otherwise].map(|call| call.block == exit.block);
        // One way out, and one that stays.
        if leads_out[0] == leads_out[1] || others.contains(&true) {
            continue;
        }
        let preds = cfg.preds(merge).to_vec();
        if preds.iter().any(|&pred| leads_to(func, pred, exit.block)) {
            continue;
        }
        for pred in preds {
            let Some(inst) = func.terminator(pred) else { continue };
            func.insts[inst].for_each_target_mut(|call| {
                if call.block == merge {
                    *call = exit.clone();
                }
            });
        }
        structure.merges[block] = Merge::None;
        removed.insert(merge);
    }
    func.layout.retain(|block| !removed.contains(block));
}

/// Returns the branch of a merge block that does nothing but leave a loop or its iteration.
fn exit(
    func: &Function,
    structure: &Structure,
    merge: Block,
    exits: &FxHashSet<Block>,
) -> Option<BlockCall> {
    let data = &func.blocks[merge];
    let [inst] = data.insts[..] else { return None };
    let InstData::Jump { target } = &func.insts[inst] else { return None };
    let is_plain = data.params.is_empty() && structure.merges[merge] == Merge::None;
    (is_plain && exits.contains(&target.block) && !exits.contains(&merge)).then(|| target.clone())
}

/// Returns true if a block's terminator has a block among its targets.
fn leads_to(func: &Function, block: Block, target: Block) -> bool {
    let mut leads = false;
    if let Some(inst) = func.terminator(block) {
        func.insts[inst].for_each_target(|call| leads |= call.block == target);
    }
    leads
}
