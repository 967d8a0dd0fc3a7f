//! Work-group collective functions (OpenCL C 6.15.16), through work-group memory with a word for each
//! work-item: reductions are trees, scans double their reach in each step.

use super::{done, Call, Outcome};
use crate::ir::{
    AddressSpace, BarrierFlags, BinaryOp, Global, GlobalData, IntCC, Linkage, Scalar,
    SyncSemantics, Type, Value,
};
use crate::lower::convert::{max_value, min_value};
use crate::lower::function::Lowering;
use crate::lower::memory::Addr;
use crate::sema::types::Scalar as Name;

/// The operation of a reduction or scan.
#[derive(Clone, Copy)]
struct Operation {
    op: BinaryOp,
    ty: Type,
    identity: Value,
}

/// The collective memory as one work-item sees it.
#[derive(Clone, Copy)]
struct Room {
    base: Value,
    ty: Type,
    /// Linear local id and number of work-items, I32.
    id: Value,
    count: Value,
}

impl Lowering<'_, '_> {
    pub fn collective_builtin(&mut self, call: &Call) -> Outcome {
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
            _ => self.zero(ty),
        };
        Some(Operation { op, ty, identity })
    }

    /// Returns a word for each work-item of the largest work-group, all collective functions' of a program.
    fn room(&mut self, ty: Type) -> Room {
        let bytes = ty.scalar.bytes();
        let size = u64::from(bytes) * u64::from(self.context.target.max_work_group_size);
        let global = self.context.collective_memory(bytes, size);
        let base = self.b.global_addr(global, AddressSpace::Local);
        let (id, count) = (self.local_linear_id(), self.local_count());
        Room { base, ty, id, count }
    }

    fn cell(&mut self, room: &Room, index: Value) -> Addr {
        let bytes = room.ty.scalar.bytes();
        self.indexed(Addr::new(room.base, bytes), index, u64::from(bytes))
    }

    fn read_cell(&mut self, room: &Room, index: Value) -> Value {
        let cell = self.cell(room, index);
        self.load(room.ty, cell)
    }

    fn write_cell(&mut self, room: &Room, index: Value, value: Value) {
        let cell = self.cell(room, index);
        self.store(cell, value);
    }

    fn local_barrier(&mut self) {
        self.b.barrier(BarrierFlags::LOCAL);
    }

    /// Stores every work-item's value in its cell, once the work-group is done with the earlier contents.
    fn share(&mut self, room: &Room, value: Value) {
        self.local_barrier();
        self.write_cell(room, room.id, value);
        self.local_barrier();
    }

    /// One cell holds the answer until a work-item objects.
    fn vote(&mut self, all: bool, predicate: Value) -> Value {
        let room = self.room(Type::I32);
        let (zero, one) = (self.int(Scalar::I32, 0), self.int(Scalar::I32, 1));
        let (start, other) = if all { (one, zero) } else { (zero, one) };
        self.local_barrier();
        let first = self.b.icmp(IntCC::Eq, room.id, zero);
        self.when(first, |this| this.write_cell(&room, zero, start));
        self.local_barrier();
        let cc = if all { IntCC::Eq } else { IntCC::Ne };
        let objects = self.b.icmp(cc, predicate, zero);
        self.when(objects, |this| {
            let cell = this.cell(&room, zero);
            this.b.atomic_store(cell.ptr, other, SyncSemantics::RELAXED);
        });
        self.local_barrier();
        self.read_cell(&room, zero)
    }

    /// Returns the value of the work-item with these local ids (I64).
    fn broadcast(&mut self, value: Value, ids: &[Value]) -> Value {
        let room = self.room(self.b.ty(value));
        let mut source: Option<Value> = None;
        for (dim, &id) in ids.iter().enumerate().rev() {
            let id = self.resize(id, Scalar::I32, false);
            source = Some(self.horner(
                source,
                crate::ir::WorkItemQuery::LocalSize,
                dim as u8,
                id,
                Scalar::I32,
            ));
        }
        let zero = self.int(Scalar::I32, 0);
        let chosen = self.b.icmp(IntCC::Eq, room.id, source.unwrap_or(zero));
        self.local_barrier();
        self.when(chosen, |this| this.write_cell(&room, zero, value));
        self.local_barrier();
        self.read_cell(&room, zero)
    }

    /// In step `d` every cell whose number is a multiple of `2 d` takes in the one `d` further on.
    fn reduce(&mut self, operation: Operation, value: Value) -> Value {
        let room = self.room(operation.ty);
        self.share(&room, value);
        let (zero, one) = (self.int(Scalar::I32, 0), self.int(Scalar::I32, 1));
        self.doubling_loop(room.count, |this, d| {
            let twice = this.b.binary(BinaryOp::Shl, d, one);
            let mask = this.b.binary(BinaryOp::ISub, twice, one);
            let low = this.b.binary(BinaryOp::And, room.id, mask);
            let takes = this.b.icmp(IntCC::Eq, low, zero);
            let other = this.b.binary(BinaryOp::IAdd, room.id, d);
            let there = this.b.icmp(IntCC::Ult, other, room.count);
            let takes = this.b.binary(BinaryOp::And, takes, there);
            this.when(takes, |this| {
                let (a, b) = (this.read_cell(&room, room.id), this.read_cell(&room, other));
                let sum = this.b.binary(operation.op, a, b);
                this.write_cell(&room, room.id, sum);
            });
            this.local_barrier();
        });
        self.read_cell(&room, zero)
    }

    /// After step `d` every cell holds what the `2 d` cells that end with it held.
    fn scan(&mut self, operation: Operation, value: Value, exclusive: bool) -> Value {
        let room = self.room(operation.ty);
        self.share(&room, value);
        self.doubling_loop(room.count, |this, d| {
            let reaches = this.b.icmp(IntCC::Uge, room.id, d);
            let before = this.b.binary(BinaryOp::ISub, room.id, d);
            let before = this.b.select(reaches, before, room.id);
            let (a, b) = (this.read_cell(&room, before), this.read_cell(&room, room.id));
            this.local_barrier();
            this.when(reaches, |this| {
                let sum = this.b.binary(operation.op, a, b);
                this.write_cell(&room, room.id, sum);
            });
            this.local_barrier();
        });
        if !exclusive {
            return self.read_cell(&room, room.id);
        }
        let (zero, one) = (self.int(Scalar::I32, 0), self.int(Scalar::I32, 1));
        let first = self.b.icmp(IntCC::Eq, room.id, zero);
        let before = self.b.binary(BinaryOp::ISub, room.id, one);
        let before = self.b.select(first, zero, before);
        let sum = self.read_cell(&room, before);
        self.b.select(first, operation.identity, sum)
    }

    /// `for (d = 1; d < n; d *= 2) body(d)`, unsigned I32.
    fn doubling_loop(&mut self, n: Value, body: impl FnOnce(&mut Self, Value)) {
        let one = self.int(Scalar::I32, 1);
        self.stepping_loop(one, n, (BinaryOp::Shl, one), body);
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
