//! Work-group collective functions through work-group memory with a word for each work-item, where sub-groups cannot be
//! used: reductions are trees, and scans double their reach in each step.

use super::scratch::Scratch;
use super::Lowerer;
use crate::ir::{BinaryOp, IntCC, Scalar, SubgroupScan, SyncSemantics, Type, Value};

/// The scratch memory as one work-item sees it.
#[derive(Clone, Copy)]
struct Items {
    scratch: Scratch,
    /// Linear local id and number of work-items, I32.
    id: Value,
    count: Value,
}

impl Lowerer<'_, '_> {
    fn items(&mut self, ty: Type) -> Items {
        let scratch = self.scratch(ty);
        Items { scratch, id: self.local_linear_id(), count: self.local_count() }
    }

    /// Stores every work-item's value in its word, once the work-group is done with the earlier contents.
    fn share(&mut self, items: &Items, value: Value) {
        self.local_barrier();
        self.write_scratch(&items.scratch, items.id, value);
        self.local_barrier();
    }

    /// Returns the result of a vote. One word holds the result that no work-item objects to; a work-item that objects stores
    /// the other one.
    pub(super) fn vote_of_items(&mut self, all: bool, predicate: Value) -> Value {
        let Items { scratch, id, .. } = self.items(Type::I32);
        let (zero, one) = (self.b.int(Scalar::I32, 0), self.b.int(Scalar::I32, 1));
        let (start, other) = if all { (one, zero) } else { (zero, one) };
        self.local_barrier();
        let first = self.b.icmp(IntCC::Eq, id, zero);
        self.when(first, |this| this.write_scratch(&scratch, zero, start));
        self.local_barrier();
        let cc = if all { IntCC::Eq } else { IntCC::Ne };
        let objects = self.b.icmp(cc, predicate, zero);
        self.when(objects, |this| {
            let word = this.scratch_word(&scratch, zero);
            this.b.atomic_store(word.ptr, other, SyncSemantics::RELAXED);
        });
        self.local_barrier();
        self.read_scratch(&scratch, zero)
    }

    /// Reduces or scans.
    pub(super) fn combine_items(
        &mut self,
        scan: SubgroupScan,
        op: BinaryOp,
        value: Value,
    ) -> Value {
        let items = self.items(self.b.ty(value));
        self.share(&items, value);
        match scan {
            SubgroupScan::Reduce => {
                self.reduce_items(&items, op);
                let zero = self.b.int(Scalar::I32, 0);
                self.read_scratch(&items.scratch, zero)
            }
            SubgroupScan::Inclusive => {
                self.scan_items(&items, op);
                self.read_scratch(&items.scratch, items.id)
            }
            SubgroupScan::Exclusive => {
                self.scan_items(&items, op);
                self.word_before(&items, op, self.b.ty(value))
            }
        }
    }

    /// Reduces all words to the first one. In step `d` each word whose number is a multiple of `2 d` is combined with the word
    /// whose number is greater by `d`.
    fn reduce_items(&mut self, items: &Items, op: BinaryOp) {
        let Items { scratch, id, count } = *items;
        let (zero, one) = (self.b.int(Scalar::I32, 0), self.b.int(Scalar::I32, 1));
        self.doubling_loop(count, |this, d| {
            let twice = this.b.binary(BinaryOp::Shl, d, one);
            let mask = this.b.binary(BinaryOp::ISub, twice, one);
            let low = this.b.binary(BinaryOp::And, id, mask);
            let takes = this.b.icmp(IntCC::Eq, low, zero);
            let other = this.b.binary(BinaryOp::IAdd, id, d);
            let there = this.b.icmp(IntCC::Ult, other, count);
            let takes = this.b.binary(BinaryOp::And, takes, there);
            this.when(takes, |this| {
                let (a, b) = (this.read_scratch(&scratch, id), this.read_scratch(&scratch, other));
                let sum = this.b.binary(op, a, b);
                this.write_scratch(&scratch, id, sum);
            });
            this.local_barrier();
        });
    }

    /// Returns the word before the work-item's own; for the first work-item, the identity of the operation.
    fn word_before(&mut self, items: &Items, op: BinaryOp, ty: Type) -> Value {
        let identity = self.b.func.constant(ty, op.identity(ty.scalar));
        let (zero, one) = (self.b.int(Scalar::I32, 0), self.b.int(Scalar::I32, 1));
        let first = self.b.icmp(IntCC::Eq, items.id, zero);
        let before = self.b.binary(BinaryOp::ISub, items.id, one);
        let before = self.b.select(first, zero, before);
        let sum = self.read_scratch(&items.scratch, before);
        self.b.select(first, identity, sum)
    }

    /// Scans the words. After step `d` each word holds the combination of the `2 d` original words up to its own.
    fn scan_items(&mut self, items: &Items, op: BinaryOp) {
        let Items { scratch, id, count } = *items;
        self.doubling_loop(count, |this, d| {
            let reaches = this.b.icmp(IntCC::Uge, id, d);
            let before = this.b.binary(BinaryOp::ISub, id, d);
            let before = this.b.select(reaches, before, id);
            let (a, b) = (this.read_scratch(&scratch, before), this.read_scratch(&scratch, id));
            this.local_barrier();
            this.when(reaches, |this| {
                let sum = this.b.binary(op, a, b);
                this.write_scratch(&scratch, id, sum);
            });
            this.local_barrier();
        });
    }

    /// `for (d = 1; d < n; d *= 2) body(d)`, unsigned I32.
    fn doubling_loop(&mut self, n: Value, body: impl FnOnce(&mut Self, Value)) {
        let one = self.b.int(Scalar::I32, 1);
        let open = self.b.open_loop(one, n);
        body(self, open.counter);
        self.b.close_loop(open, BinaryOp::Shl, one);
    }
}
