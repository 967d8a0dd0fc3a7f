//! Switches in modules that act on sub-groups: they are replaced by chains of comparisons.
//!
//! The work-items that a switch sends to one label are together there (SPV_KHR_maximal_reconvergence). NVIDIA's compiler
//! (driver 580) turns a switch into a tree of comparisons, and copies the code that several of its branches lead to: on an
//! H200, work-items with the values 1 and 3, both `default`, executed the sub-group functions at this label separately.

use crate::ir::*;

/// Returns true if a function acts on sub-groups.
pub fn acts_on_subgroup(func: &Function) -> bool {
    let mut insts = func.layout.iter().flat_map(|&block| &func.blocks[block].insts);
    insts.any(|&inst| func.insts[inst].is_of_subgroup())
}

/// Replaces the switches. Returns true if there were any.
pub fn run(func: &mut Function) -> bool {
    let mut changed = false;
    for block in func.layout.clone() {
        let Some(&last) = func.blocks[block].insts.last() else { continue };
        if let InstData::Switch { value, cases, default } = func.insts[last].clone() {
            func.blocks[block].insts.pop();
            compare(func, block, (value, &cases), default);
            changed = true;
        }
    }
    changed
}

/// Ends a block with a chain of comparisons, one for each case.
fn compare(
    func: &mut Function,
    block: Block,
    (value, cases): (Value, &[SwitchCase]),
    default: BlockCall,
) {
    let ty = func.ty(value);
    let mut b = Builder::new(func);
    b.switch_to(block);
    // Cases with the target of the default need no comparison.
    let cases = cases.iter().filter(|case| case.target != default);
    for case in cases {
        let number = b.iconst(ty, case.value as i64);
        let found = b.icmp(IntCC::Eq, value, number);
        let next = b.new_block();
        b.brif_with(found, (case.target.block, &case.target.args), (next, &[]));
        b.switch_to(next);
    }
    b.jump(default.block, &default.args);
}
