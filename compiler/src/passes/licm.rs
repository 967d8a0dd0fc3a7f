//! Loop-invariant code motion: hoists computations that give the same value in every iteration.
//!
//! Only what costs little and cannot fail moves, since it may then run where it did not before: no
//! loads, no divisions.

use crate::ir::cfg::Cfg;
use crate::ir::dominators::DomTree;
use crate::ir::loops::{Loop, Loops};
use crate::ir::*;
use cranelift_entity::SecondaryMap;

/// Returns true if anything moved.
pub fn run(func: &mut Function) -> bool {
    let cfg = Cfg::compute(func);
    let dom = DomTree::compute(&cfg);
    let mut loops = Loops::compute(&cfg, &dom);
    if loops.loops.is_empty() {
        return false;
    }
    // The block of each instruction.
    let mut home: SecondaryMap<Inst, Block> = SecondaryMap::with_default(func.entry());
    for &block in cfg.rpo() {
        for &inst in &func.blocks[block].insts {
            home[inst] = block;
        }
    }
    for data in &mut loops.loops {
        data.blocks.sort_unstable_by_key(|&block| cfg.rpo_index(block));
    }
    // Inner loops first: what is hoisted out of one may be hoisted out of the next.
    let mut changed = false;
    for index in (0..loops.loops.len()).rev() {
        changed |= hoist(func, &cfg, &loops, index, &mut home);
    }
    changed
}

fn hoist(
    func: &mut Function,
    cfg: &Cfg,
    loops: &Loops,
    index: usize,
    home: &mut SecondaryMap<Inst, Block>,
) -> bool {
    let data = &loops.loops[index];
    let Some(preheader) = find_preheader(func, cfg, data) else { return false };
    let mut hoisted = Vec::new();
    for &block in &data.blocks {
        let mut insts = std::mem::take(&mut func.blocks[block].insts);
        insts.retain(|&inst| {
            let mut is_variant = !func.insts[inst].speculation().leaves_loops();
            if !is_variant {
                func.insts[inst].for_each_arg(|arg| {
                    is_variant |= match func.def(arg) {
                        ValueDef::Const(_) => false,
                        ValueDef::Param(at, _) => loops.contains(index, at),
                        ValueDef::Inst(def) => loops.contains(index, home[def]),
                    };
                });
            }
            if !is_variant {
                home[inst] = preheader;
                hoisted.push(inst);
            }
            is_variant
        });
        func.blocks[block].insts = insts;
    }
    let list = &mut func.blocks[preheader].insts;
    let end = list.len().saturating_sub(1);
    let changed = !hoisted.is_empty();
    list.splice(end..end, hoisted);
    changed
}

/// Returns the only block that enters a loop, if it goes nowhere else.
fn find_preheader(func: &Function, cfg: &Cfg, data: &Loop) -> Option<Block> {
    let mut entering = cfg.preds(data.header).iter().filter(|p| !data.latches.contains(p));
    let (&preheader, None) = (entering.next()?, entering.next()) else { return None };
    let jumps = matches!(func.insts[func.terminator(preheader)?], InstData::Jump { .. });
    jumps.then_some(preheader)
}
