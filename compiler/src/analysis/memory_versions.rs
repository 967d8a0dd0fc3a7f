//! Memory versions: memory in SSA form, by alias class. Two loads from one pointer give the same value if the version
//! of its class is the same for both.
//!
//! A write begins a new version. A block that several versions reach begins one too (where memory SSA has a phi).

use super::alias::{AliasClasses, ClassSet};
use crate::ir::cfg::Cfg;
use crate::ir::dominators::{DomTree, MAX_FRONTIER};
use crate::ir::*;
use cranelift_entity::{EntityRef, SecondaryMap};

/// The version of each alias class at the current point of a walk over the dominator tree.
pub struct MemoryVersions {
    classes: AliasClasses,
    /// Classes that get a new version at the start of a block.
    merged: SecondaryMap<Block, ClassSet>,
    /// The version of each class at the end of each block that was visited.
    at_exit: Vec<u32>,
    current: Vec<u32>,
    last: u32,
}

impl MemoryVersions {
    pub fn compute(
        func: &Function,
        kernel: Option<&KernelEntry>,
        cfg: &Cfg,
        dom: &DomTree,
    ) -> MemoryVersions {
        let classes = AliasClasses::compute(func, kernel, cfg);
        let merged = merged_classes(func, &classes, cfg, dom);
        let (count, last) = (classes.count(), classes.count() as u32);
        let at_exit = vec![0; count * cfg.num_blocks()];
        MemoryVersions { classes, merged, at_exit, current: (1..=last).collect(), last }
    }

    fn exit_of(&self, block: Block) -> std::ops::Range<usize> {
        let count = self.current.len();
        block.index() * count..(block.index() + 1) * count
    }

    /// Goes to the start of a block. The walk must have left its immediate dominator before.
    pub fn enter(&mut self, block: Block, dom: &DomTree) {
        if let Some(idom) = dom.idom(block) {
            let range = self.exit_of(idom);
            self.current.copy_from_slice(&self.at_exit[range]);
        }
        self.begin(self.merged[block]);
    }

    /// Goes to the end of the block.
    pub fn leave(&mut self, block: Block) {
        let range = self.exit_of(block);
        self.at_exit[range].copy_from_slice(&self.current);
    }

    /// Moves the current point past an instruction: begins a new version of each class that the instruction may write.
    pub fn pass(&mut self, func: &Function, inst: Inst) {
        let clobbered = self.classes.clobbered(func, inst);
        self.begin(clobbered);
    }

    fn begin(&mut self, mut classes: ClassSet) {
        classes &= !0 >> (ClassSet::BITS as usize - self.current.len());
        self.last += u32::from(classes != 0);
        while classes != 0 {
            self.current[classes.trailing_zeros() as usize] = self.last;
            classes &= classes - 1;
        }
    }

    /// Returns the version of the memory that a load through a pointer reads; 0 for memory that does not change.
    pub fn of(&self, func: &Function, ptr: Value, flags: MemFlags) -> u32 {
        let is_constant = func.ty(ptr).space() == Some(AddressSpace::Constant);
        match is_constant || flags.contains(MemFlags::INVARIANT) {
            true => 0,
            false => self.current[self.classes.read(func, ptr)],
        }
    }
}

/// Returns for each block the classes of which several versions may reach the start of the block: the block is in the
/// iterated dominance frontier of the blocks that write the class.
fn merged_classes(
    func: &Function,
    classes: &AliasClasses,
    cfg: &Cfg,
    dom: &DomTree,
) -> SecondaryMap<Block, ClassSet> {
    let mut merged: SecondaryMap<Block, ClassSet> = SecondaryMap::new();
    merged.resize(cfg.num_blocks());
    let mut work: Vec<(Block, ClassSet)> = Vec::new();
    for &block in cfg.rpo() {
        let insts = &func.blocks[block].insts;
        let written = insts.iter().fold(0, |set, &inst| set | classes.clobbered(func, inst));
        if written != 0 {
            work.push((block, written));
        }
    }
    if work.is_empty() || cfg.rpo().len() == 1 {
        return merged;
    }
    let Some(frontiers) = dom.frontiers(cfg, MAX_FRONTIER * cfg.rpo().len()) else {
        // If the frontiers would be too large, all classes get new versions in all blocks with several incoming edges.
        for &block in cfg.rpo().iter().filter(|&&block| cfg.preds(block).len() > 1) {
            merged[block] = ClassSet::MAX;
        }
        return merged;
    };
    while let Some((block, written)) = work.pop() {
        for &join in &frontiers[block] {
            let new = written & !merged[join];
            if new != 0 {
                merged[join] |= new;
                work.push((join, new));
            }
        }
    }
    merged
}
