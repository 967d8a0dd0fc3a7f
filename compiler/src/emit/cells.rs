//! Work-group memory in 64-bit cells: what a kernel has that makes 64-bit atomic operations on it and other
//! accesses besides, where the block has no aliased views (VK_KHR_workgroup_memory_explicit_layout).
//!
//! Vulkan's atomic operations act on whole elements, so the elements are 64 bits wide. What is narrower is a
//! part of a cell: read by a shift, written by atomic operations on the cell, which leave its other bytes to
//! other work-items.

use super::array::ArrayId;
use super::atomics::{Call, Place};
use super::emitter::{Emitter, Res};
use super::memory::Offset;
use crate::ir::{AtomicOp, BinaryOp, FpFlags, IntCC, Scalar};
use rspirv::spirv::{MemorySemantics, Op, Scope};

/// Bytes of a cell.
pub(super) const CELL: u32 = 8;

impl Emitter<'_> {
    /// Pointer to the cell that holds byte `offset + at`, and that byte's bit position in it.
    pub fn cell_at(&mut self, array: ArrayId, offset: Offset, at: u32) -> Res<(u32, u32)> {
        let base = self.offset_id(offset)?;
        let byte = match at {
            0 => base,
            _ => self.u32_op_const(Op::IAdd, base, at),
        };
        let pointer = self.array_pointer(array, Offset::Id(byte), 0, CELL)?;
        let within = self.u32_op_const(Op::BitwiseAnd, byte, CELL - 1);
        Ok((pointer, self.u32_op_const(Op::ShiftLeftLogical, within, 3)))
    }

    /// Returns the word that begins at a bit of a cell's value.
    pub fn word_of_cell(&mut self, cell: u32, shift: u32) -> u32 {
        let (long, word) = (self.int_type(64), self.asm.u32);
        let moved = self.op(Op::ShiftRightLogical, long, &[cell, shift]);
        self.op(Op::UConvert, word, &[moved])
    }

    /// Returns a word moved to a bit of a cell.
    fn word_in_cell(&mut self, word: u32, shift: u32) -> u32 {
        let long = self.int_type(64);
        let wide = self.op(Op::UConvert, long, &[word]);
        self.op(Op::ShiftLeftLogical, long, &[wide, shift])
    }

    /// Returns all bits of a cell but `bits` of them from a position on.
    fn cell_without(&mut self, bits: u32, shift: u32) -> u32 {
        let long = self.int_type(64);
        let ones = self.c32(u32::MAX >> (32 - bits));
        let mask = self.word_in_cell(ones, shift);
        self.op(Op::Not, long, &[mask])
    }

    /// Replaces the low `unit` bytes of a word in a cell by two atomic operations.
    pub fn insert_in_cell(&mut self, pointer: u32, shift: u32, unit: u32, id: u32) {
        let long = self.int_type(64);
        self.asm.need(rspirv::spirv::Capability::Int64Atomics);
        let low = self.mask_low(id, unit * 8);
        let value = self.word_in_cell(low, shift);
        let others = self.cell_without(unit * 8, shift);
        let keep = self.op(Op::BitwiseOr, long, &[others, value]);
        let scope = self.c32(Scope::Workgroup as u32);
        let relaxed = self.c32(MemorySemantics::RELAXED.bits());
        for (op, bits) in [(Op::AtomicOr, value), (Op::AtomicAnd, keep)] {
            self.op(op, long, &[pointer, scope, relaxed, bits]);
        }
    }

    /// Emits an atomic operation on the word that begins at a bit of the cell `place`: a compare-and-exchange of
    /// the cell until no other work-item came between. Gives the old word.
    pub fn cell_atomic(
        &mut self,
        place: Place,
        shift: u32,
        call: Call,
        scalar: Scalar,
    ) -> Res<u32> {
        let relaxed = self.c32(MemorySemantics::RELAXED.bits());
        let first = self.op(Op::AtomicLoad, place.ty, &[place.pointer, place.scope, relaxed]);
        if matches!(call, Call::Load) && !place.order.acquires() {
            return Ok(self.word_of_cell(first, shift));
        }
        let others = self.cell_without(32, shift);
        let [old] = self.emit_loop([place.ty], [first], |e, [old]| {
            let word = e.word_of_cell(old, shift);
            let new = e.updated_word(call, scalar, word)?;
            let new = e.word_in_cell(new, shift);
            let kept = e.op(Op::BitwiseAnd, place.ty, &[old, others]);
            let new = e.op(Op::BitwiseOr, place.ty, &[kept, new]);
            let seen = e.compare_exchange(place, old, new);
            Ok((e.bool_op(Op::IEqual, &[seen, old]), [seen]))
        })?;
        Ok(self.word_of_cell(old, shift))
    }

    /// Returns what an operation on a word makes of its old bits. Operands other than a sum's are bits, too.
    fn updated_word(&mut self, call: Call, scalar: Scalar, old: u32) -> Res<u32> {
        Ok(match call {
            Call::Load => old,
            Call::Store(value) => value,
            Call::Rmw(AtomicOp::FAdd, value) => {
                let float = self.scalar_type(scalar)?;
                let number = self.op(Op::Bitcast, float, &[old]);
                let operands = [number, value];
                let sum = self.float_binary(BinaryOp::FAdd, scalar, operands, FpFlags::empty())?;
                let word = self.asm.u32;
                self.op(Op::Bitcast, word, &[sum])
            }
            Call::Rmw(op, value) => match super::atomics::binary_op(op) {
                Some(op) => self.int_binary(op, Scalar::I32, [old, value], None)?,
                None => value,
            },
            Call::CmpXchg { expected, desired } => {
                let same = self.int_compare(IntCC::Eq, Scalar::I32, old, expected)?;
                let word = self.asm.u32;
                self.select(word, same, desired, old)
            }
        })
    }
}
