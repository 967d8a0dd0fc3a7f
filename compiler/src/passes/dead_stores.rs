//! Dead store elimination: removes a store that a later store in its block overwrites before anything can read it.

use crate::analysis::alias::{AliasClasses, ClassSet};
use crate::ir::cfg::Cfg;
use crate::ir::*;
use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::SecondaryMap;
use smallvec::SmallVec;

/// A store that overwrites bytes. Earlier stores in the block to the same bytes are not needed.
struct Overwrite {
    ptr: Value,
    bytes: u32,
    classes: ClassSet,
}

/// Eliminates dead stores in a function. `kernel` is given if the function is a kernel's entry. Returns true if any
/// store was removed.
pub fn run(func: &mut Function, kernel: Option<&KernelEntry>) -> bool {
    let mut stored_in: SecondaryMap<Value, PackedOption<Block>> = func.value_map();
    let mut stores_twice = |&block: &Block| {
        func.blocks[block].insts.iter().any(|&inst| match func.insts[inst] {
            InstData::Store { ptr, .. } => {
                std::mem::replace(&mut stored_in[ptr], block.into()) == block.into()
            }
            _ => false,
        })
    };
    let blocks: Vec<Block> = func.layout.iter().copied().filter(|b| stores_twice(b)).collect();
    if blocks.is_empty() {
        return false;
    }
    let classes = AliasClasses::compute(func, kernel, &Cfg::compute(func));
    let mut changed = false;
    for block in blocks {
        let mut insts = std::mem::take(&mut func.blocks[block].insts);
        let before = insts.len();
        let mut overwrites: SmallVec<[Overwrite; 8]> = SmallVec::new();
        let mut live: Vec<Inst> = insts
            .drain(..)
            .rev()
            .filter(|&inst| !is_dead(func, &classes, inst, &mut overwrites))
            .collect();
        live.reverse();
        changed |= live.len() != before;
        func.blocks[block].insts = live;
    }
    changed
}

/// Returns true if an instruction is a store that one of `overwrites` makes unnecessary. Otherwise updates `overwrites`
/// to the state in front of the instruction.
fn is_dead(
    func: &Function,
    classes: &AliasClasses,
    inst: Inst,
    overwrites: &mut SmallVec<[Overwrite; 8]>,
) -> bool {
    match func.insts[inst] {
        InstData::Store { ptr, value, flags, .. } if !flags.contains(MemFlags::VOLATILE) => {
            let bytes = func.ty(value).bytes();
            if overwrites.iter().any(|later| later.ptr == ptr && later.bytes >= bytes) {
                return true;
            }
            overwrites.push(Overwrite { ptr, bytes, classes: classes.written(func, ptr) });
        }
        InstData::Load { ptr, .. } | InstData::MatrixLoad { ptr, .. } => {
            let class = classes.read(func, ptr);
            overwrites.retain(|later| later.classes >> class & 1 == 0);
        }
        InstData::Store { .. } => {}
        _ if classes.clobbered(func, inst) != 0 => overwrites.clear(),
        _ => {}
    }
    false
}
