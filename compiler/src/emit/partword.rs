//! Atomic operations on words of work-group memory whose elements are 64-bit containers: for kernels with 64-bit
//! atomic operations on it and others besides, where the block has no aliased views
//! (VK_KHR_workgroup_memory_explicit_layout).

use super::atomics::{AtomicCall, AtomicLocation};
use super::emitter::Emitter;
use super::error::EmitResult;
use super::places::ArrayId;
use crate::analysis::access_types::CONTAINER;
use crate::ir::{AtomicOp, BinaryOp, FpFlags, IntCC, Scalar, Value};
use rspirv::spirv::{MemorySemantics, Op};

impl Emitter<'_> {
    /// Returns a pointer to the container that holds a word, and the word's bit position in it.
    pub fn container_of(&mut self, array: ArrayId, ptr: Value) -> EmitResult<(u32, u32)> {
        let byte = self.id(ptr)?;
        let bytes = CONTAINER.bytes();
        let view = self.element_view(array, bytes)?;
        let index = self.u32_op_const(Op::ShiftRightLogical, byte, bytes.ilog2());
        let pointer = self.element_pointer(array, view, index)?;
        let within = self.u32_op_const(Op::BitwiseAnd, byte, bytes - 1);
        Ok((pointer, self.u32_op_const(Op::ShiftLeftLogical, within, 3)))
    }

    /// Returns the word that begins at a bit of a container's value.
    pub fn word_of_container(&mut self, container: u32, shift: u32) -> u32 {
        let (long, word) = (self.int_type(64), self.builder.u32);
        let moved = self.op(Op::ShiftRightLogical, long, &[container, shift]);
        self.op(Op::UConvert, word, &[moved])
    }

    /// Returns a word moved to a bit of a container.
    fn word_in_container(&mut self, word: u32, shift: u32) -> u32 {
        let long = self.int_type(64);
        let wide = self.op(Op::UConvert, long, &[word]);
        self.op(Op::ShiftLeftLogical, long, &[wide, shift])
    }

    /// Returns all bits of a container but `bits` of them from a position on.
    fn container_mask_without(&mut self, bits: u32, shift: u32) -> u32 {
        let long = self.int_type(64);
        let ones = self.const_u32(u32::MAX >> (32 - bits));
        let mask = self.word_in_container(ones, shift);
        self.op(Op::Not, long, &[mask])
    }

    /// Emits an atomic operation on the word that begins at a bit of the container at `location`: a compare-and-exchange of
    /// the container until no other work-item came between. Gives the old word.
    pub fn partword_atomic(
        &mut self,
        location: AtomicLocation,
        shift: u32,
        call: AtomicCall,
        scalar: Scalar,
    ) -> EmitResult<u32> {
        let relaxed = self.const_u32(MemorySemantics::RELAXED.bits());
        let first =
            self.op(Op::AtomicLoad, location.ty, &[location.pointer, location.scope, relaxed]);
        if matches!(call, AtomicCall::Load) && !location.order.acquires() {
            return Ok(self.word_of_container(first, shift));
        }
        let others = self.container_mask_without(32, shift);
        let [old] = self.emit_loop([location.ty], [first], |e, [old]| {
            let word = e.word_of_container(old, shift);
            let new = e.updated_word(call, scalar, word)?;
            let new = e.word_in_container(new, shift);
            let kept = e.op(Op::BitwiseAnd, location.ty, &[old, others]);
            let new = e.op(Op::BitwiseOr, location.ty, &[kept, new]);
            let seen = e.compare_exchange(location, old, new);
            Ok((e.bool_op(Op::IEqual, &[seen, old]), [seen]))
        })?;
        Ok(self.word_of_container(old, shift))
    }

    /// Returns what an operation on a word makes of its old bits. Operands other than a sum's are bits, too.
    fn updated_word(&mut self, call: AtomicCall, scalar: Scalar, old: u32) -> EmitResult<u32> {
        Ok(match call {
            AtomicCall::Load => old,
            AtomicCall::Store(value) => value,
            AtomicCall::Rmw(AtomicOp::FAdd, value) => {
                let float = self.scalar_type(scalar)?;
                let number = self.op(Op::Bitcast, float, &[old]);
                let operands = [number, value];
                let sum = self.float_binary(BinaryOp::FAdd, scalar, operands, FpFlags::empty())?;
                let word = self.builder.u32;
                self.op(Op::Bitcast, word, &[sum])
            }
            AtomicCall::Rmw(op, value) => match super::atomics::binary_op(op) {
                Some(op) => self.int_binary(op, Scalar::I32, [old, value])?,
                None => value,
            },
            AtomicCall::CmpXchg { expected, desired } => {
                let same = self.int_compare(IntCC::Eq, Scalar::I32, old, expected)?;
                let word = self.builder.u32;
                self.select(word, same, desired, old)
            }
        })
    }
}
