//! Atomic operations on halves (cl_ext_float_atomics): loops of compare-and-exchange operations on the word that holds
//! the half.

use super::Lowerer;
use crate::ir::{
    AtomicOp, BinaryOp, ConvertOp, IntCC, Scalar, SyncSemantics, Type, UnaryOp, Value,
};

/// The word that holds a half, and how many bits are below the half.
#[derive(Clone, Copy)]
struct HalfInWord {
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

    /// Replaces a half by the result of an operation on it. Returns the old half.
    pub(super) fn update_half(
        &mut self,
        op: AtomicOp,
        ptr: Value,
        operand: Value,
        sync: SyncSemantics,
    ) -> Value {
        let half = Type::of(Scalar::F16);
        let place = self.half_place(ptr);
        let ones = self.b.int(Scalar::I32, 0xffff);
        let mask = self.b.binary(BinaryOp::Shl, ones, place.shift);
        let others = self.b.unary(UnaryOp::Not, mask);
        let old_of = |this: &mut Self, word| {
            let bits = this.half_in_word(word, place);
            this.b.bitcast(bits, half)
        };
        let old = self.update_by_exchange(place.word, Type::I32, sync, |this, word| {
            let old = old_of(this, word);
            let new = match op.arithmetic() {
                Some(op) => this.half_arithmetic(op, old, operand),
                None => this.b.bitcast(operand, Type::of(Scalar::I16)),
            };
            let new = this.b.convert(ConvertOp::ZExt, new, Type::I32);
            let new = this.b.binary(BinaryOp::Shl, new, place.shift);
            let kept = this.b.binary(BinaryOp::And, word, others);
            this.b.binary(BinaryOp::Or, kept, new)
        });
        old_of(self, old)
    }

    /// Returns the bits of the result of an operation on two halves. In sums and differences an operand that is NaN keeps its
    /// bits, as IEEE 754 6.2.3 advises and the conformance tests want; devices would return a NaN of their own.
    fn half_arithmetic(&mut self, op: BinaryOp, old: Value, operand: Value) -> Value {
        const QUIET: i64 = 0x200;
        const NAN: i64 = 0xfe00;
        let int = Type::of(Scalar::I16);
        let new = self.b.binary(op, old, operand);
        let [old, operand, new] = [old, operand, new].map(|half| self.b.bitcast(half, int));
        if !matches!(op, BinaryOp::FAdd | BinaryOp::FSub) {
            return new;
        }
        let mut nan = self.b.int(Scalar::I16, NAN);
        for from in [operand, old] {
            let quiet = self.b.int(Scalar::I16, QUIET);
            let quiet = self.b.binary(BinaryOp::Or, from, quiet);
            let is_nan = self.is_half_nan(from);
            nan = self.b.select(is_nan, quiet, nan);
        }
        let is_nan = self.is_half_nan(new);
        self.b.select(is_nan, nan, new)
    }

    /// Returns whether bits encode a NaN. (Devices may flush or ignore NaNs where they compare numbers.)
    fn is_half_nan(&mut self, bits: Value) -> Value {
        let magnitude = self.b.and_const(bits, 0x7fff);
        let infinity = self.b.int(Scalar::I16, 0x7c00);
        self.b.icmp(IntCC::Ugt, magnitude, infinity)
    }

    fn half_place(&mut self, ptr: Value) -> HalfInWord {
        let address = self.b.address(ptr);
        let above = self.b.and_const(address, 2);
        let back = self.b.unary(UnaryOp::INeg, above);
        let word = self.b.ptr_add(ptr, back);
        let above = self.b.resize_lanes(above, Scalar::I32, false);
        HalfInWord { word, shift: self.b.shl_const(above, 3) }
    }

    fn half_in_word(&mut self, word: Value, place: HalfInWord) -> Value {
        let moved = self.b.binary(BinaryOp::LShr, word, place.shift);
        self.b.convert(ConvertOp::Trunc, moved, Type::of(Scalar::I16))
    }
}
