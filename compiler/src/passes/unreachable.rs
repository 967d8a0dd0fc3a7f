//! Removes the blocks that the entry does not reach.

use crate::ir::cfg::Cfg;
use crate::ir::Function;

/// Whether there were any.
pub fn run(func: &mut Function) -> bool {
    let cfg = Cfg::compute(func);
    let before = func.layout.len();
    func.layout.retain(|&block| cfg.is_reachable(block));
    func.layout.len() != before
}
