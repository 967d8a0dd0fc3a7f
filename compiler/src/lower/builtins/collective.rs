//! Work-group collective functions (OpenCL C 6.15.16), through work-group memory with a word for each
//! work-item: reductions are trees, scans double their reach in each step.

use super::{done, BuiltinCall, BuiltinResult};
use crate::ir::Addr;
use crate::ir::{
    AddressSpace, BarrierFlags, BinaryOp, Global, GlobalData, IntCC, Linkage, Scalar,
    SyncSemantics, Type, Value,
};
use crate::lower::convert::{max_value, min_value};
use crate::lower::function::Lowering;
use crate::sema::types::Scalar as Name;

/// The operation of a reduction or scan.
#[derive(Clone, Copy)]
struct Operation {
    op: BinaryOp,
    ty: Type,
    identity: Value,
}

/// The scratch memory of collective functions, as one work-item sees it.
#[derive(Clone, Copy)]
struct Scratch {
    base: Value,
    ty: Type,
    /// Linear local id and number of work-items, I32.
    id: Value,
    count: Value,
}

impl Lowering<'_, '_> {
    pub fn collective_builtin(&mut self, call: &BuiltinCall) -> BuiltinResult {
        let name = call.name.strip_prefix("work_group_")?;
        match (name, call.args.as_slice()) {
            ("all" | "any", &[predicate]) => done(self.vote(name == "all", predicate)),
            ("broadcast", &[value, ref ids @ ..]) => done(self.broadcast(value, ids)),
            (_, &[value]) => {
                let (kind, op) = name.rsplit_once('_')?;
                let operation = self.operation(op, self.b.ty(value), self.element(call, 0))?;
                match kind {
                    "reduce" => done(self.reduce(operation, value)),
                    "scan_inclusive" => done(self.scan(operation, value, false)),
                    "scan_exclusive" => done(self.scan(operation, value, true)),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn operation(&mut self, op: &str, ty: Type, name: Name) -> Option<Operation> {
        use BinaryOp::*;
        let (float, signed) = (name.is_float(), name.is_signed());
        let op = match op {
            "add" if float => FAdd,
            "add" => IAdd,
            "min" if float => FMin,
            "min" if signed => SMin,
            "min" => UMin,
            "max" if float => FMax,
            "max" if signed => SMax,
            "max" => UMax,
            _ => return None,
        };
        let identity = match op {
            FMin => self.b.fconst(ty, f64::INFINITY),
            FMax => self.b.fconst(ty, f64::NEG_INFINITY),
            SMin | UMin => self.b.iconst(ty, max_value(name) as i64),
            SMax | UMax => self.b.iconst(ty, min_value(name) as i64),
            _ => self.b.zero(ty),
        };
        Some(Operation { op, ty, identity })
    }

    /// Returns a word for each work-item of the largest work-group, all collective functions' of a program.
    fn scratch(&mut self, ty: Type) -> Scratch {
        let bytes = ty.scalar.bytes();
        let size = u64::from(bytes) * u64::from(self.context.target.max_work_group_size);
        let global = self.context.collective_memory(bytes, size);
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
            let id = self.b.resize(id, Scalar::I32, false);
            source = Some(self.horner(
                source,
                crate::ir::WorkItemQuery::LocalSize,
                dim as u8,
                id,
                Scalar::I32,
            ));
        }
        let zero = self.b.int(Scalar::I32, 0);
        let chosen = self.b.icmp(IntCC::Eq, scratch.id, source.unwrap_or(zero));
        self.local_barrier();
        self.when(chosen, |this| this.write_scratch(&scratch, zero, value));
        self.local_barrier();
        self.read_scratch(&scratch, zero)
    }

    /// In step `d` every word whose number is a multiple of `2 d` takes in the one `d` further on.
    fn reduce(&mut self, operation: Operation, value: Value) -> Value {
        let scratch = self.scratch(operation.ty);
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
                let sum = this.b.binary(operation.op, a, b);
                this.write_scratch(&scratch, scratch.id, sum);
            });
            this.local_barrier();
        });
        self.read_scratch(&scratch, zero)
    }

    /// After step `d` every word holds what the `2 d` words that end with it held.
    fn scan(&mut self, operation: Operation, value: Value, exclusive: bool) -> Value {
        let scratch = self.scratch(operation.ty);
        self.share(&scratch, value);
        self.doubling_loop(scratch.count, |this, d| {
            let reaches = this.b.icmp(IntCC::Uge, scratch.id, d);
            let before = this.b.binary(BinaryOp::ISub, scratch.id, d);
            let before = this.b.select(reaches, before, scratch.id);
            let (a, b) =
                (this.read_scratch(&scratch, before), this.read_scratch(&scratch, scratch.id));
            this.local_barrier();
            this.when(reaches, |this| {
                let sum = this.b.binary(operation.op, a, b);
                this.write_scratch(&scratch, scratch.id, sum);
            });
            this.local_barrier();
        });
        if !exclusive {
            return self.read_scratch(&scratch, scratch.id);
        }
        let (zero, one) = (self.b.int(Scalar::I32, 0), self.b.int(Scalar::I32, 1));
        let first = self.b.icmp(IntCC::Eq, scratch.id, zero);
        let before = self.b.binary(BinaryOp::ISub, scratch.id, one);
        let before = self.b.select(first, zero, before);
        let sum = self.read_scratch(&scratch, before);
        self.b.select(first, operation.identity, sum)
    }

    /// `for (d = 1; d < n; d *= 2) body(d)`, unsigned I32.
    fn doubling_loop(&mut self, n: Value, body: impl FnOnce(&mut Self, Value)) {
        let one = self.b.int(Scalar::I32, 1);
        let open = self.b.open_loop(one, n);
        body(self, open.counter);
        self.b.close_loop(open, BinaryOp::Shl, one);
    }

    /// `if (condition) body()`.
    fn when(&mut self, condition: Value, body: impl FnOnce(&mut Self)) {
        let (then, join) = (self.b.new_block(), self.b.new_block());
        self.b.brif(condition, then, join);
        self.b.switch_to(then);
        body(self);
        self.b.jump(join, &[]);
        self.b.switch_to(join);
    }
}

impl crate::lower::Context<'_> {
    /// Returns the work-group memory of collective functions on words of `bytes` bytes, made on first use.
    fn collective_memory(&mut self, bytes: u32, size: u64) -> Global {
        if let Some(&global) = self.collective.get(&bytes) {
            return global;
        }
        let global = self.out.globals.push(GlobalData {
            name: format!("collective{bytes}"),
            size,
            align: bytes,
            space: AddressSpace::Local,
            is_const: false,
            init: None,
            relocations: Vec::new(),
            linkage: Linkage::Internal,
        });
        self.collective.insert(bytes, global);
        global
    }
}
