//! Work-group collective functions (OpenCL C 6.15.16), through work-group memory with a word for each
//! work-item: reductions are trees, scans double their reach in each step.

use super::integer::{max_op, min_op};
use super::row::{Check, Lower, LowerUnary, Names, Row};
use super::signature::TypePattern::{self, G};
use super::signature::{Elements, Scalar as Name, Sig, SCALAR};
use super::{Call, Lowerer};
use crate::ir::{
    Addr, AddressSpace, BarrierFlags, BinaryOp, Builder, GlobalData, IntCC, Linkage, Scalar,
    SyncSemantics, Type, Value, WorkItemQuery,
};
use crate::options::ClStd;

const INT: TypePattern = TypePattern::S(Name::Int);
const SIZE: TypePattern = TypePattern::S(Name::ULong);
pub(super) const VOTE: &[Sig] = &[Sig::plain(INT, &[INT])];
pub(super) const COMBINE: &[Sig] = &[of_value(&[G])];

const fn of_value(params: &'static [TypePattern]) -> Sig {
    Sig::new(Elements::COLLECTIVE, G, params).lanes(SCALAR)
}

pub(super) const fn collective(names: Names, sigs: &'static [Sig], lower: Lower) -> Row {
    Row::new(names, sigs, lower).since(ClStd::Cl20).check(Check::Collective)
}

/// A reduction or scan.
const fn combine(names: Names, lower: LowerUnary) -> Row {
    collective(names, COMBINE, Lower::Unary(lower))
}

pub(super) const ROWS: &[Row] = &[
    collective(&["work_group_all"], VOTE, Lower::Unary(|l, _, predicate| l.vote(true, predicate))),
    collective(&["work_group_any"], VOTE, Lower::Unary(|l, _, predicate| l.vote(false, predicate))),
    collective(
        &["work_group_broadcast"],
        &[of_value(&[G, SIZE]), of_value(&[G, SIZE, SIZE]), of_value(&[G, SIZE, SIZE, SIZE])],
        Lower::Call(|l, c| match *c.args {
            [value, ref ids @ ..] => Some(l.broadcast(value, ids)),
            _ => None,
        }),
    ),
    combine(&["work_group_reduce_add"], |l, c, x| l.reduce(ADD, c, x)),
    combine(&["work_group_reduce_min"], |l, c, x| l.reduce(MIN, c, x)),
    combine(&["work_group_reduce_max"], |l, c, x| l.reduce(MAX, c, x)),
    combine(&["work_group_scan_inclusive_add"], |l, c, x| l.inclusive_scan(ADD, c, x)),
    combine(&["work_group_scan_inclusive_min"], |l, c, x| l.inclusive_scan(MIN, c, x)),
    combine(&["work_group_scan_inclusive_max"], |l, c, x| l.inclusive_scan(MAX, c, x)),
    combine(&["work_group_scan_exclusive_add"], |l, c, x| l.exclusive_scan(ADD, c, x)),
    combine(&["work_group_scan_exclusive_min"], |l, c, x| l.exclusive_scan(MIN, c, x)),
    combine(&["work_group_scan_exclusive_max"], |l, c, x| l.exclusive_scan(MAX, c, x)),
];

/// The operation of a reduction or scan, and the value that changes nothing, for the type of a call.
#[derive(Clone, Copy)]
pub(super) struct Operation {
    pub(super) op: fn(&Call<'_>) -> BinaryOp,
    pub(super) identity: fn(&mut Builder<'_>, &Call<'_>) -> Value,
}

const ADD: Operation = Operation {
    op: |c| if c.number().is_float() { BinaryOp::FAdd } else { BinaryOp::IAdd },
    identity: |b, c| b.zero(c.result),
};

const MIN: Operation = Operation {
    op: min_op,
    identity: |b, c| match c.number() {
        number if number.is_float() => b.fconst(c.result, f64::INFINITY),
        number => b.iconst(c.result, number.max() as i64),
    },
};

const MAX: Operation = Operation {
    op: max_op,
    identity: |b, c| match c.number() {
        number if number.is_float() => b.fconst(c.result, f64::NEG_INFINITY),
        number => b.iconst(c.result, number.min() as i64),
    },
};

/// The scratch memory of collective functions, as one work-item sees it.
#[derive(Clone, Copy)]
struct Scratch {
    base: Value,
    ty: Type,
    /// Linear local id and number of work-items, I32.
    id: Value,
    count: Value,
}

impl Lowerer<'_, '_> {
    /// Returns a word for each work-item of the largest work-group, all collective functions' of a program.
    fn scratch(&mut self, ty: Type) -> Scratch {
        let bytes = ty.scalar.bytes();
        let size = u64::from(bytes) * u64::from(self.target.max_work_group_size);
        let global = self.front.shared_global(GlobalData {
            name: format!("collective{bytes}"),
            size,
            align: bytes,
            space: AddressSpace::Local,
            is_const: false,
            init: None,
            relocations: Vec::new(),
            linkage: Linkage::Internal,
        });
        let base = self.b.global_addr(global, AddressSpace::Local);
        let (id, count) = (self.local_linear_id(), self.local_count());
        Scratch { base, ty, id, count }
    }

    fn scratch_word(&mut self, scratch: &Scratch, index: Value) -> Addr {
        let bytes = scratch.ty.scalar.bytes();
        self.b.indexed(Addr::new(scratch.base, bytes), index, u64::from(bytes))
    }

    fn read_scratch(&mut self, scratch: &Scratch, index: Value) -> Value {
        let word = self.scratch_word(scratch, index);
        self.b.read(scratch.ty, word)
    }

    fn write_scratch(&mut self, scratch: &Scratch, index: Value, value: Value) {
        let word = self.scratch_word(scratch, index);
        self.b.write(word, value);
    }

    fn local_barrier(&mut self) {
        self.b.barrier(BarrierFlags::LOCAL);
    }

    /// Stores every work-item's value in its word, once the work-group is done with the earlier contents.
    fn share(&mut self, scratch: &Scratch, value: Value) {
        self.local_barrier();
        self.write_scratch(scratch, scratch.id, value);
        self.local_barrier();
    }

    /// One word holds the answer until a work-item objects.
    fn vote(&mut self, all: bool, predicate: Value) -> Value {
        let scratch = self.scratch(Type::I32);
        let (zero, one) = (self.b.int(Scalar::I32, 0), self.b.int(Scalar::I32, 1));
        let (start, other) = if all { (one, zero) } else { (zero, one) };
        self.local_barrier();
        let first = self.b.icmp(IntCC::Eq, scratch.id, zero);
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

    /// Returns the value of the work-item with these local ids (I64).
    fn broadcast(&mut self, value: Value, ids: &[Value]) -> Value {
        let scratch = self.scratch(self.b.ty(value));
        let mut source: Option<Value> = None;
        for (dim, &id) in ids.iter().enumerate().rev() {
            let id = self.b.resize_lanes(id, Scalar::I32, false);
            source =
                Some(self.horner(source, WorkItemQuery::LocalSize, dim as u8, id, Scalar::I32));
        }
        let zero = self.b.int(Scalar::I32, 0);
        let chosen = self.b.icmp(IntCC::Eq, scratch.id, source.unwrap_or(zero));
        self.local_barrier();
        self.when(chosen, |this| this.write_scratch(&scratch, zero, value));
        self.local_barrier();
        self.read_scratch(&scratch, zero)
    }

    /// In step `d` every word whose number is a multiple of `2 d` takes in the one `d` further on.
    pub(super) fn reduce(&mut self, operation: Operation, call: &Call<'_>, value: Value) -> Value {
        let op = (operation.op)(call);
        let scratch = self.scratch(call.result);
        self.share(&scratch, value);
        let (zero, one) = (self.b.int(Scalar::I32, 0), self.b.int(Scalar::I32, 1));
        self.doubling_loop(scratch.count, |this, d| {
            let twice = this.b.binary(BinaryOp::Shl, d, one);
            let mask = this.b.binary(BinaryOp::ISub, twice, one);
            let low = this.b.binary(BinaryOp::And, scratch.id, mask);
            let takes = this.b.icmp(IntCC::Eq, low, zero);
            let other = this.b.binary(BinaryOp::IAdd, scratch.id, d);
            let there = this.b.icmp(IntCC::Ult, other, scratch.count);
            let takes = this.b.binary(BinaryOp::And, takes, there);
            this.when(takes, |this| {
                let (a, b) =
                    (this.read_scratch(&scratch, scratch.id), this.read_scratch(&scratch, other));
                let sum = this.b.binary(op, a, b);
                this.write_scratch(&scratch, scratch.id, sum);
            });
            this.local_barrier();
        });
        self.read_scratch(&scratch, zero)
    }

    pub(super) fn inclusive_scan(
        &mut self,
        operation: Operation,
        call: &Call<'_>,
        value: Value,
    ) -> Value {
        let scratch = self.scan(operation, call, value);
        self.read_scratch(&scratch, scratch.id)
    }

    pub(super) fn exclusive_scan(
        &mut self,
        operation: Operation,
        call: &Call<'_>,
        value: Value,
    ) -> Value {
        let scratch = self.scan(operation, call, value);
        let identity = (operation.identity)(self.b, call);
        let (zero, one) = (self.b.int(Scalar::I32, 0), self.b.int(Scalar::I32, 1));
        let first = self.b.icmp(IntCC::Eq, scratch.id, zero);
        let before = self.b.binary(BinaryOp::ISub, scratch.id, one);
        let before = self.b.select(first, zero, before);
        let sum = self.read_scratch(&scratch, before);
        self.b.select(first, identity, sum)
    }

    /// After step `d` every word holds what the `2 d` words that end with it held.
    fn scan(&mut self, operation: Operation, call: &Call<'_>, value: Value) -> Scratch {
        let op = (operation.op)(call);
        let scratch = self.scratch(call.result);
        self.share(&scratch, value);
        self.doubling_loop(scratch.count, |this, d| {
            let reaches = this.b.icmp(IntCC::Uge, scratch.id, d);
            let before = this.b.binary(BinaryOp::ISub, scratch.id, d);
            let before = this.b.select(reaches, before, scratch.id);
            let (a, b) =
                (this.read_scratch(&scratch, before), this.read_scratch(&scratch, scratch.id));
            this.local_barrier();
            this.when(reaches, |this| {
                let sum = this.b.binary(op, a, b);
                this.write_scratch(&scratch, scratch.id, sum);
            });
            this.local_barrier();
        });
        scratch
    }

    /// `for (d = 1; d < n; d *= 2) body(d)`, unsigned I32.
    fn doubling_loop(&mut self, n: Value, body: impl FnOnce(&mut Self, Value)) {
        let one = self.b.int(Scalar::I32, 1);
        let open = self.b.open_loop(one, n);
        body(self, open.counter);
        self.b.close_loop(open, BinaryOp::Shl, one);
    }
}
