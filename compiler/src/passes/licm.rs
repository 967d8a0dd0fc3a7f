//! Moves computations out of loops that give the same value in every round.
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
    // Inner loops first: what leaves one may go on out of the next.
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
    let Some(before) = preheader(func, cfg, data) else { return false };
    let mut moved = Vec::new();
    for &block in &data.blocks {
        let mut insts = std::mem::take(&mut func.blocks[block].insts);
        insts.retain(|&inst| {
            let mut stays = !may_move(&func.insts[inst]);
            if !stays {
                func.insts[inst].for_each_arg(|arg| {
                    stays |= match func.def(arg) {
                        ValueDef::Const(_) => false,
                        ValueDef::Param(at, _) => loops.contains(index, at),
                        ValueDef::Inst(def) => loops.contains(index, home[def]),
                    };
                });
            }
            if !stays {
                home[inst] = before;
                moved.push(inst);
            }
            stays
        });
        func.blocks[block].insts = insts;
    }
    let list = &mut func.blocks[before].insts;
    let end = list.len().saturating_sub(1);
    let changed = !moved.is_empty();
    list.splice(end..end, moved);
    changed
}

/// Returns the only block that enters a loop, if it goes nowhere else.
fn preheader(func: &Function, cfg: &Cfg, data: &Loop) -> Option<Block> {
    let mut entering = cfg.preds(data.header).iter().filter(|p| !data.latches.contains(p));
    let (&before, None) = (entering.next()?, entering.next()) else { return None };
    let jumps = matches!(func.insts[func.terminator(before)?], InstData::Jump { .. });
    jumps.then_some(before)
}

fn may_move(data: &InstData) -> bool {
    use InstData::*;
    match data {
        Binary { op, .. } => !matches!(
            op,
            BinaryOp::SDiv | BinaryOp::UDiv | BinaryOp::SRem | BinaryOp::URem | BinaryOp::FRem
        ),
        Math { op, .. } => matches!(op, MathOp::FAbs | MathOp::Fma | MathOp::SAbs),
        Unary { .. }
        | ICmp { .. }
        | FCmp { .. }
        | Select { .. }
        | Convert { .. }
        | Extract { .. }
        | GlobalAddr { .. }
        | PtrAdd { .. }
        | WorkItem { .. }
        | LoadArg { .. } => true,
        _ => false,
    }
}
