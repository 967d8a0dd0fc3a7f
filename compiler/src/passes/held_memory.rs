//! What memory is known to hold, for stores that change nothing: `body b = p[i]; b.x += 1; p[i] = b;` stores the other members
//! as they were loaded.
//!
//! Unlike in [`MemoryVersions`], a store leaves what lies beside it, at another constant offset from the same address.

use crate::analysis::memory_versions::MemoryVersions;
use crate::ir::dominators::DomTree;
use crate::ir::*;
use std::collections::VecDeque;

/// The most places that are known at a time: the ones that were accessed last.
const MOST: usize = 16;

/// A place that holds a value, while the version of its memory is this one.
struct Held {
    ptr: Value,
    value: Value,
    version: u32,
    /// The block of the load or store that tells it.
    home: Block,
}

/// The places that hold known values.
#[derive(Default)]
pub struct HeldMemory(VecDeque<Held>);

impl HeldMemory {
    /// Returns true if an instruction stores what its memory holds.
    pub fn is_idle_store(
        &self,
        func: &Function,
        inst: Inst,
        block: Block,
        versions: &MemoryVersions,
        dom: &DomTree,
    ) -> bool {
        let InstData::Store { ptr, value, flags, .. } = func.insts[inst] else { return false };
        let holds = |held: &Held| held.ptr == ptr && held.value == value;
        !flags.contains(MemFlags::VOLATILE)
            && self.0.iter().any(|held| {
                holds(held)
                    && held.version == versions.of(func, ptr, flags)
                    && dom.dominates(held.home, block)
            })
    }

    /// Moves the current point of `versions` past an instruction. What it does not write stays known.
    pub fn pass(&mut self, func: &Function, inst: Inst, versions: &mut MemoryVersions) {
        let version = |versions: &MemoryVersions, ptr| versions.of(func, ptr, MemFlags::empty());
        let mut beside = Vec::new();
        if let InstData::Store { ptr, value, .. } = func.insts[inst] {
            let of_store = Place::new(func, ptr, value);
            let stays = |held: &&mut Held| {
                held.version == version(versions, held.ptr)
                    && of_store.is_beside(&Place::new(func, held.ptr, held.value))
            };
            beside.extend(self.0.iter_mut().filter(stays));
        }
        versions.pass(func, inst);
        for held in beside {
            held.version = version(versions, held.ptr);
        }
    }

    /// Notes the value that a load has got, or a store has put.
    pub fn note(&mut self, func: &Function, inst: Inst, home: Block, versions: &MemoryVersions) {
        let (ptr, value, flags) = match func.insts[inst] {
            InstData::Load { ptr, flags, .. } => (ptr, func.result(inst), flags),
            InstData::Store { ptr, value, flags, .. } => (ptr, Some(value), flags),
            _ => return,
        };
        let Some(value) = value.filter(|_| flags.is_empty()) else { return };
        if self.0.len() == MOST {
            self.0.pop_front();
        }
        let version = versions.of(func, ptr, flags);
        self.0.push_back(Held { ptr, value, version, home });
    }
}

/// Bytes at a constant offset from an address.
struct Place {
    base: Value,
    first: i64,
    bytes: i64,
}

impl Place {
    /// Returns the place of a value in memory.
    fn new(func: &Function, ptr: Value, value: Value) -> Place {
        let (base, first) = func.base_and_offset(ptr);
        Place { base, first, bytes: func.ty(value).bytes().into() }
    }

    /// Returns true if two places have no byte in common.
    fn is_beside(&self, other: &Place) -> bool {
        let ends_before =
            |a: &Place, b: &Place| a.first.checked_add(a.bytes).is_some_and(|end| end <= b.first);
        self.base == other.base && (ends_before(self, other) || ends_before(other, self))
    }
}
