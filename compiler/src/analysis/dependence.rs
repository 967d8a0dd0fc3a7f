//! Which values depend on other values: steps that the analyses of divergence and of waiting share.

use crate::ir::cfg::Cfg;
use crate::ir::*;
use cranelift_entity::EntitySet;

/// Returns true if a block ends with a branch whose condition is one of `values`.
pub(super) fn is_decided_by(func: &Function, block: Block, values: &EntitySet<Value>) -> bool {
    match func.terminator(block).map(|inst| &func.insts[inst]) {
        Some(InstData::Brif { cond: value, .. } | InstData::Switch { value, .. }) => {
            values.contains(*value)
        }
        _ => false,
    }
}

/// Adds the block parameters for which a terminator passes one of `values`. Returns true if a parameter is new.
pub(super) fn add_parameters(
    func: &Function,
    data: &InstData,
    values: &mut EntitySet<Value>,
) -> bool {
    let mut is_new = false;
    data.for_each_target(|call| {
        let params = &func.blocks[call.block].params;
        for (&arg, &param) in call.args.iter().zip(params) {
            is_new |= values.contains(arg) && values.insert(param);
        }
    });
    is_new
}

/// Adds the parameters of a block and the results of its instructions.
pub(super) fn add_block(func: &Function, block: Block, values: &mut EntitySet<Value>) {
    let data = &func.blocks[block];
    let results = data.insts.iter().filter_map(|&inst| func.result(inst));
    for value in data.params.iter().copied().chain(results) {
        values.insert(value);
    }
}

/// Returns the blocks that are reachable from a branch without passing `meeting`.
pub(super) fn blocks_between(cfg: &Cfg, branch: Block, meeting: Option<Block>) -> Vec<Block> {
    let mut between = Vec::new();
    let mut seen: EntitySet<Block> = EntitySet::new();
    let mut pending: Vec<Block> = cfg.succs(branch).to_vec();
    while let Some(block) = pending.pop() {
        if Some(block) != meeting && seen.insert(block) {
            between.push(block);
            pending.extend_from_slice(cfg.succs(block));
        }
    }
    between
}
