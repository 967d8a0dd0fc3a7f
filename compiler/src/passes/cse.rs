//! Common subexpressions: an instruction that a dominating one computed already is replaced by
//! that; so is a load in a block that saw the value loaded or stored before, with no write between.

use super::hash::FastMap;
use crate::ir::cfg::Cfg;
use crate::ir::dominators::DomTree;
use crate::ir::*;
use cranelift_entity::SecondaryMap;

/// What makes two instructions equal: operation and operands, result type, and for loads the state
/// of memory.
type Key = (InstData, Type, u32);

/// Counters of writes: a load is only equal to one of the same count.
#[derive(Clone, Copy)]
struct Memory {
    private: u32,
    local: u32,
    global: u32,
    next: u32,
}

impl Memory {
    fn epoch(&self, space: Option<AddressSpace>) -> u32 {
        match space {
            Some(AddressSpace::Private) => self.private,
            Some(AddressSpace::Local) => self.local,
            _ => self.global,
        }
    }

    /// Notes a write through a pointer; generic pointers reach everything.
    fn write(&mut self, space: Option<AddressSpace>) {
        self.next += 1;
        match space {
            Some(AddressSpace::Private) => self.private = self.next,
            Some(AddressSpace::Local) => self.local = self.next,
            Some(AddressSpace::Global) => self.global = self.next,
            _ => self.all(),
        }
    }

    fn all(&mut self) {
        self.next += 1;
        (self.private, self.local, self.global) = (self.next, self.next, self.next);
    }
}

/// Whether anything was replaced.
pub fn run(func: &mut Function) -> bool {
    let cfg = Cfg::compute(func);
    let dom = DomTree::compute(&cfg);
    let mut table: FastMap<Key, (Value, Block)> = FastMap::default();
    let mut replaced: SecondaryMap<Value, Option<Value>> = SecondaryMap::new();
    let mut changed = false;
    let mut memory = Memory { private: 1, local: 1, global: 1, next: 1 };
    for &block in dom.preorder() {
        // A load does not look beyond its block.
        memory.all();
        let mut insts = std::mem::take(&mut func.blocks[block].insts);
        insts.retain(|&inst| {
            func.insts[inst].map_args(|arg| replaced[arg].unwrap_or(arg));
            note_write(func, inst, &mut memory);
            let Some(result) = func.result(inst) else {
                remember_store(func, inst, block, &memory, &mut table);
                return true;
            };
            let Some(key) = key(func, inst, func.ty(result), &memory) else { return true };
            // In preorder of the tree a leader that does not dominate this block never will
            // dominate a later one.
            if let Some(&(leader, home)) = table.get(&key) {
                if dom.dominates(home, block) {
                    replaced[result] = Some(leader);
                    changed = true;
                    return false;
                }
            }
            table.insert(key, (result, block));
            true
        });
        func.blocks[block].insts = insts;
    }
    if changed {
        // Operands of unreachable blocks, which the walk did not see.
        for &block in &func.layout {
            if cfg.is_reachable(block) {
                continue;
            }
            for &inst in &func.blocks[block].insts {
                func.insts[inst].map_args(|arg| replaced[arg].unwrap_or(arg));
            }
        }
    }
    changed
}

fn note_write(func: &Function, inst: Inst, memory: &mut Memory) {
    match &func.insts[inst] {
        InstData::Store { ptr, .. }
        | InstData::AtomicRmw { ptr, .. }
        | InstData::AtomicCmpXchg { ptr, .. }
        | InstData::AtomicStore { ptr, .. } => memory.write(func.ty(*ptr).space()),
        // An atomic load may be what this work-item waits on.
        InstData::AtomicLoad { .. }
        | InstData::Barrier { .. }
        | InstData::Fence { .. }
        | InstData::Call { .. } => memory.all(),
        _ => {}
    }
}

/// A store makes the value known to loads that follow.
fn remember_store(
    func: &Function,
    inst: Inst,
    block: Block,
    memory: &Memory,
    table: &mut FastMap<Key, (Value, Block)>,
) {
    if let InstData::Store { ptr, value, flags, .. } = func.insts[inst] {
        if !flags.contains(MemFlags::VOLATILE) {
            let epoch = memory.epoch(func.ty(ptr).space());
            table.insert((plain_load(ptr), func.ty(value), epoch), (value, block));
        }
    }
}

/// A load without what does not bear on its value.
fn plain_load(ptr: Value) -> InstData {
    InstData::Load { ptr, align: 1, flags: MemFlags::empty() }
}

fn key(func: &Function, inst: Inst, ty: Type, memory: &Memory) -> Option<Key> {
    let data = &func.insts[inst];
    match *data {
        InstData::Load { ptr, flags, .. } => {
            if flags.contains(MemFlags::VOLATILE) {
                return None;
            }
            let space = func.ty(ptr).space();
            let fixed =
                flags.contains(MemFlags::INVARIANT) || space == Some(AddressSpace::Constant);
            let epoch = if fixed { 0 } else { memory.epoch(space) };
            Some((plain_load(ptr), ty, epoch))
        }
        InstData::Alloca { .. } => None,
        _ if data.has_side_effect() || data.reads_memory() => None,
        InstData::Binary { op, mut args, flags } if op.is_commutative() && args[0] > args[1] => {
            args.swap(0, 1);
            Some((InstData::Binary { op, args, flags }, ty, 0))
        }
        _ => Some((data.clone(), ty, 0)),
    }
}
