//! Removes the blocks that the entry does not reach.

use crate::ir::cfg::Cfg;
use crate::ir::Function;

/// Removes the unreachable blocks. Returns true if there were any.
pub fn run(func: &mut Function) -> bool {
    remove(func).1
}

/// Like [`run`], and returns the graph of the remaining blocks.
pub fn remove(func: &mut Function) -> (Cfg, bool) {
    let cfg = Cfg::compute(func);
    let all = cfg.rpo().len() == func.layout.len();
    if !all {
        func.layout.retain(|&block| cfg.is_reachable(block));
    }
    (cfg, !all)
}
