//! Private arrays that are used often, for drivers whose compile time grows with the square of the number of uses
//! ([`Quirks::QUADRATIC_PRIVATE_ARRAYS`]).
//!
//! Work-items are coroutines of LLVM in these drivers. LLVM checks for each pair of uses of an array whether a suspension of
//! the coroutine lies between them, until it finds such a pair. Without a barrier between any uses it checks all pairs, which
//! takes a minute for an S-box with 1,900 accesses, each by 8 lanes. So a kernel begins with a few stores to such arrays,
//! whose contents are not defined yet, and a barrier.
//!
//! [`Quirks::QUADRATIC_PRIVATE_ARRAYS`]: hekla_device::Quirks::QUADRATIC_PRIVATE_ARRAYS

use super::emitter::Emitter;
use super::error::EmitResult;
use super::places::ArrayId;
use crate::analysis::call_graph::calls;
use crate::ir::sparse_map::SparseMap;
use crate::ir::{Func, Module};
use rspirv::spirv::{MemorySemantics, Op, Scope};

/// The fewest accesses at varying indices for which an array counts as used often. With fewer accesses the compilation takes
/// a second or two, and the stores are a greater part of the kernel's work (a tenth and more for 120 accesses that run once).
const OFTEN: u64 = 400;
/// The number of stores to an array at the beginning: one for `ACCESSES_PER_STORE` accesses, within the bounds. The more
/// stores there are, the sooner LLVM's search for a suspension between two accesses meets one.
const ACCESSES_PER_STORE: u64 = 16;
const MIN_STORES: u64 = 32;
const MAX_STORES: u64 = 512;

/// Returns how many copies of each function a kernel's code has once drivers have inlined all calls.
pub(super) fn copies(module: &Module, functions: &[Func]) -> SparseMap<Func, u64> {
    let mut copies: SparseMap<Func, u64> = SparseMap::new();
    if let Some(&kernel) = functions.last() {
        copies[kernel] = 1;
    }
    // Callers come behind their callees.
    for &func in functions.iter().rev() {
        for (callee, _) in calls(&module.functions[func]) {
            copies[callee] = copies[callee].saturating_add(copies[func]);
        }
    }
    copies
}

impl Emitter<'_> {
    /// Notes an access at an index that is not constant.
    pub fn count_use(&mut self, array: ArrayId) {
        match array {
            ArrayId::Local => {}
            ArrayId::Stack => {
                let uses = &mut self.arrays.stack_uses;
                *uses = uses.saturating_add(self.arrays.copies);
            }
            ArrayId::FrameObject(index) => self.arrays.object_uses[index] += 1,
        }
    }

    /// Inserts stores to the arrays that are used often and a barrier at the beginning of the kernel, whose blocks have been
    /// emitted: the arrays are alive across the barrier.
    pub fn keep_arrays_across_a_barrier(&mut self) -> EmitResult<()> {
        let objects = self.arrays.object_uses.iter().enumerate();
        let often = objects.filter(|(_, &uses)| uses >= OFTEN);
        let size = |i: usize| self.frame.accesses.objects[i].size;
        let mut arrays: Vec<(ArrayId, u64, u64)> =
            often.map(|(i, &uses)| (ArrayId::FrameObject(i), uses, size(i))).collect();
        if self.arrays.stack_uses >= OFTEN {
            arrays.push((ArrayId::Stack, self.arrays.stack_uses, self.info.stack_bytes()));
        }
        if arrays.is_empty() {
            return Ok(());
        }
        let code = std::mem::take(&mut self.body);
        for (array, uses, bytes) in arrays {
            let stores = (uses / ACCESSES_PER_STORE).clamp(MIN_STORES, MAX_STORES);
            self.store_some(array, bytes, stores as u32)?;
        }
        let scope = self.const_u32(Scope::Workgroup as u32);
        let semantics = self.const_u32(MemorySemantics::empty().bits());
        self.op_void(Op::ControlBarrier, &[scope, scope, semantics]);
        let first = std::mem::replace(&mut self.body, code);
        self.entry_code.splice(0..0, first);
        Ok(())
    }

    /// Stores about `stores` zeros to elements of a private array, at equal distances.
    fn store_some(&mut self, array: ArrayId, bytes: u64, stores: u32) -> EmitResult<()> {
        let Some(view) = self.arrays.private_view(array) else { return Ok(()) };
        let length = bytes.div_ceil(u64::from(view.elem.bytes())).max(1) as u32;
        let zero = self.zero_of(view.elem)?;
        for index in (0..length).step_by(length.div_ceil(stores) as usize) {
            let index = self.const_u32(index);
            let pointer = self.element_pointer(array, view, index)?;
            self.array_store(array, pointer, zero, false);
        }
        Ok(())
    }
}
