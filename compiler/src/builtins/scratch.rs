//! The scratch memory of work-group collective functions: words of work-group memory, which all calls in a program share.

use super::Lowerer;
use crate::ir::{Addr, AddressSpace, BarrierFlags, GlobalData, Linkage, Type, Value};

/// Scratch memory for numbers of one type.
#[derive(Clone, Copy)]
pub(super) struct Scratch {
    base: Value,
    ty: Type,
}

impl Scratch {
    pub(super) fn ty(&self) -> Type {
        self.ty
    }
}

impl Lowerer<'_, '_> {
    /// Returns scratch memory with a word for each work-item of the largest work-group, or for each of its sub-groups if
    /// sub-groups combine numbers of the type.
    pub(super) fn scratch(&mut self, ty: Type) -> Scratch {
        let bytes = ty.scalar.bytes();
        let words = match self.combines_in_subgroups(ty.scalar) {
            true => self.target.most_subgroups(),
            false => self.target.max_work_group_size,
        };
        let global = self.front.shared_global(GlobalData {
            name: format!("collective{bytes}"),
            size: u64::from(bytes) * u64::from(words),
            align: bytes,
            space: AddressSpace::Local,
            is_const: false,
            init: None,
            relocations: Vec::new(),
            linkage: Linkage::Internal,
        });
        let base = self.b.global_addr(global, AddressSpace::Local);
        Scratch { base, ty }
    }

    pub(super) fn scratch_word(&mut self, scratch: &Scratch, index: Value) -> Addr {
        let bytes = scratch.ty.scalar.bytes();
        self.b.indexed(Addr::new(scratch.base, bytes), index, u64::from(bytes))
    }

    pub(super) fn read_scratch(&mut self, scratch: &Scratch, index: Value) -> Value {
        let word = self.scratch_word(scratch, index);
        self.b.read(scratch.ty, word)
    }

    pub(super) fn write_scratch(&mut self, scratch: &Scratch, index: Value, value: Value) {
        let word = self.scratch_word(scratch, index);
        self.b.write(word, value);
    }

    pub(super) fn local_barrier(&mut self) {
        self.b.barrier(BarrierFlags::LOCAL);
    }
}
