//! Atomic operations on halves (cl_ext_float_atomics): loops of compare-and-exchange operations on the word that holds
//! the half.

use super::Lowerer;
use crate::ir::{
    AtomicOp, BinaryOp, ConvertOp, IntCC, MemoryOrder, Scalar, SyncSemantics, Type, UnaryOp, Value,
};

/// The word that holds a half, and how many bits are below the half.
#[derive(Clone, Copy)]
struct Place {
    word: Value,
    shift: Value,
}

impl Lowerer<'_, '_> {
    pub(super) fn load_half(&mut self, ptr: Value, sync: SyncSemantics) -> Value {
        let place = self.half_place(ptr);
        let word = self.b.atomic_load(Type::I32, place.word, sync);
        let bits = self.half_in_word(word, place);
        self.b.bitcast(bits, Type::of(Scalar::F16))
    }

    /// Stores what an operation makes of the old half, which it returns.
    pub(super) fn update_half(
        &mut self,
        op: AtomicOp,
        ptr: Value,
        operand: Value,
        sync: SyncSemantics,
    ) -> Value {
        let half = Type::of(Scalar::F16);
        let place = self.half_place(ptr);
        let relaxed = SyncSemantics { order: MemoryOrder::Relaxed, ..sync };
        let first = self.b.atomic_load(Type::I32, place.word, relaxed);
        let ones = self.b.int(Scalar::I32, 0xffff);
        let mask = self.b.binary(BinaryOp::Shl, ones, place.shift);
        let others = self.b.unary(UnaryOp::Not, mask);
        let (turn, after) = (self.b.new_block(), self.b.new_block());
        let state = self.b.func.add_param(turn, Type::I32);
        self.b.jump(turn, &[first]);
        self.b.switch_to(turn);
        let old = self.half_in_word(state, place);
        let old = self.b.bitcast(old, half);
        let new = match op.arithmetic() {
            Some(op) => self.b.binary(op, old, operand),
            None => operand,
        };
        let new = self.b.bitcast(new, Type::of(Scalar::I16));
        let new = self.b.convert(ConvertOp::ZExt, new, Type::I32);
        let new = self.b.binary(BinaryOp::Shl, new, place.shift);
        let kept = self.b.binary(BinaryOp::And, state, others);
        let desired = self.b.binary(BinaryOp::Or, kept, new);
        let seen = self.b.atomic_cmpxchg(place.word, state, desired, sync);
        let done = self.b.icmp(IntCC::Eq, seen, state);
        self.b.brif_with(done, (after, &[]), (turn, &[seen]));
        self.b.switch_to(after);
        old
    }

    fn half_place(&mut self, ptr: Value) -> Place {
        let address = self.b.address(ptr);
        let above = self.b.and_const(address, 2);
        let back = self.b.unary(UnaryOp::INeg, above);
        let word = self.b.ptr_add(ptr, back);
        let above = self.b.resize_lanes(above, Scalar::I32, false);
        Place { word, shift: self.b.shl_const(above, 3) }
    }

    fn half_in_word(&mut self, word: Value, place: Place) -> Value {
        let moved = self.b.binary(BinaryOp::LShr, word, place.shift);
        self.b.convert(ConvertOp::Trunc, moved, Type::of(Scalar::I16))
    }
}
