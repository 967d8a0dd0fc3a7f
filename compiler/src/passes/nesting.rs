//! The depth to which control flow is nested, and a form of control flow that is nested less deeply, for drivers that have
//! room for a limited number of levels ([`Quirks::BOUNDED_NESTING`](hekla_device::Quirks::BOUNDED_NESTING)).
//!
//! Blocks that are nested too deeply are entered from a dispatch block near the beginning of the function. Each work-item
//! that reaches one of them runs one more iteration of the dispatch loop.

use super::irreducible::dispatch;
use crate::ir::cfg::Cfg;
use crate::ir::dominators::DomTree;
use crate::ir::sparse_map::SparseMap;
use crate::ir::{Block, BlockCall, Func, Function, InstData, Merge, Module, Structure};
use cranelift_entity::SecondaryMap;

/// The most levels of a function's control flow that are not cut. Cutting costs much: selectors, variables, iterations
/// of a loop.
const MOST: u32 = 64;

/// Levels of branches in each part of control flow that is cut.
const PART: u32 = 16;

/// The most levels of control flow that is cut: of too many parts, such a driver makes a deep nest again.
const MOST_CUT: u32 = 256;

/// Levels for which such a driver has room, including the levels of called functions.
pub const LIMIT: u32 = 72;

/// Returns the number of levels of control flow in a kernel, including the levels of the functions that it calls. `functions`
/// lists callees first.
pub fn depth_with_calls(
    module: &Module,
    functions: &[Func],
    structures: &SecondaryMap<Func, Structure>,
) -> u32 {
    let mut all: SparseMap<Func, u32> = SparseMap::new();
    for &id in functions {
        let func = &module.functions[id];
        let depths = depths(func, &structures[id]);
        let of_block = |&block: &Block| {
            let callees = func.blocks[block].insts.iter().map(|&inst| match func.insts[inst] {
                InstData::Call { func: callee, .. } => all[callee],
                _ => 0,
            });
            depths[block] + callees.max().unwrap_or(0)
        };
        let deepest = func.layout.iter().map(of_block).max().unwrap_or(0);
        all[id] = deepest;
    }
    functions.last().map_or(0, |&kernel| all[kernel])
}

/// Returns the levels of control flow around each block that was laid out by the structurizer.
fn depths(func: &Function, structure: &Structure) -> SecondaryMap<Block, u32> {
    let mut depths: SecondaryMap<Block, Option<u32>> = SecondaryMap::new();
    let mut found = SecondaryMap::new();
    // In the layout, a construct comes before its merge block, and each block behind a block that leads to it.
    for &block in &func.layout {
        let depth = depths[block].unwrap_or(0);
        found[block] = depth;
        let (merge, inner) = match structure.merges[block] {
            Merge::None => (None, depth),
            Merge::Selection { merge } | Merge::Loop { merge, .. } => (Some(merge), depth + 1),
        };
        if let Some(merge) = merge {
            depths[merge] = Some(depth);
        }
        for succ in func.successors(block) {
            depths[succ].get_or_insert(inner);
        }
    }
    found
}

/// Returns true if a structured function is nested too deeply and has to be cut.
pub fn is_too_deep(func: &Function, structure: &Structure) -> bool {
    let depths = depths(func, structure);
    let depth = func.layout.iter().map(|&block| depths[block]).max();
    depth.is_some_and(|depth| (MOST + 1..=MOST_CUT).contains(&depth))
}

/// Returns true if a function may be nested too deeply, because it has enough branches. A function in which work-items act
/// together is never cut: they would reach the end of the cut part one after the other.
pub fn may_be_cut(func: &Function) -> bool {
    let splits = |&&block: &&Block| {
        let terminator = func.terminator(block).map(|inst| &func.insts[inst]);
        matches!(terminator, Some(InstData::Brif { .. } | InstData::Switch { .. }))
    };
    let branches = func.layout.iter().filter(splits).count();
    branches > MOST as usize && !func.layout_insts().any(|inst| func.insts[inst].is_convergent())
}

/// Cuts every path of branches into parts with few levels. Block parameters must have been demoted before.
pub fn cut(func: &mut Function) {
    let cfg = Cfg::compute(func);
    let doms = DomTree::compute(&cfg);
    let mut levels: SecondaryMap<Block, u32> = SecondaryMap::new();
    let mut parts = Vec::new();
    for &block in cfg.rpo() {
        let Some(idom) = doms.idom(block) else { continue };
        let is_arm = cfg.preds(block) == [idom] && cfg.succs(idom).len() > 1;
        levels[block] = levels[idom] + u32::from(is_arm);
        if is_arm && levels[block].is_multiple_of(PART) {
            parts.push(block);
        }
    }
    parts.insert(0, split_entry(func));
    dispatch(func, &parts);
}

/// Moves the entry's instructions, except variables, to a new block. Returns the new block.
fn split_entry(func: &mut Function) -> Block {
    let entry = func.entry();
    let first = func.add_block();
    let insts = std::mem::take(&mut func.blocks[entry].insts);
    let is_alloca = |func: &Function, inst| matches!(func.insts[inst], InstData::Alloca { .. });
    let (allocas, rest) = insts.into_iter().partition(|&inst| is_alloca(func, inst));
    func.blocks[entry].insts = allocas;
    func.blocks[first].insts = rest;
    func.append(entry, InstData::Jump { target: BlockCall::new(first) }, None);
    first
}
