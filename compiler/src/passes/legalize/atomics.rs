//! Atomic operations that SPIR-V does not have.
//!
//! - Operations on private memory become loads and stores, since only one work-item uses the memory.
//! - Operations on floats act on the bits. A sum, minimum or maximum that the device does not have becomes a loop of
//!   compare-and-exchange operations, which ends when no other work-item has written in between.
//! - Operations on words of work-group memory whose elements are 64-bit containers become such a loop on the container.
//! - Sequentially consistent operations become read-modify-write operations that acquire and release (see
//!   `emit::memory_model`): a load adds 0, a store exchanges, a failed compare-and-exchange is confirmed by adding 0. A fence
//!   becomes such an operation on one word that all kernels share. If the program has fences, a fence comes before each
//!   other sequentially consistent operation.

use super::access::Memories;
use super::split::Splitter;
use super::work_items::{of_words, query};
use crate::analysis::access_types::CONTAINER;
use crate::ir::*;
use crate::passes::cursor::Cursor;
use rustc_hash::FxHashMap;

/// Legalizes a function's operations on memory that work-items share. Returns true if anything changed.
pub fn run(func: &mut Function, memories: &Memories<'_>, has_fences: bool) -> bool {
    let mut changed = false;
    let mut replaced: FxHashMap<Value, Value> = FxHashMap::default();
    for block in func.layout.clone() {
        let is_illegal =
            |func: &Function, inst| Atomic::of(func, inst).filter(|a| a.is_illegal(memories, func));
        let mut insts = func.blocks[block].insts.iter();
        if !insts.any(|&i| is_illegal(func, i).is_some() || is_seq_cst_fence(&func.insts[i])) {
            continue;
        }
        changed = true;
        let mut s = Splitter::new(func, block);
        for inst in s.take_insts() {
            s.c.func.stand_at(inst);
            if is_seq_cst_fence(&s.c.func.insts[inst]) {
                seq_cst_fence(&mut s.c);
                continue;
            }
            let Some(atomic) = is_illegal(s.c.func, inst) else {
                s.c.keep(inst);
                continue;
            };
            if has_fences && atomic.is_seq_cst() {
                seq_cst_fence(&mut s.c);
            }
            let value = atomic.legalize(&mut s, memories);
            if let Some((result, value)) = s.c.func.result(inst).zip(value) {
                replaced.insert(result, value);
            }
        }
        s.finish();
    }
    if !replaced.is_empty() {
        func.replace_uses(|value| replaced.get(&value).copied().unwrap_or(value));
    }
    changed
}

/// Returns true if a program has sequentially consistent fences. All sequentially consistent operations of its kernels
/// must then be ordered with the fences.
pub fn has_seq_cst_fence(module: &Module) -> bool {
    module
        .functions
        .values()
        .any(|func| func.layout_insts().any(|inst| is_seq_cst_fence(&func.insts[inst])))
}

/// Returns true if an instruction is a sequentially consistent fence.
pub fn is_seq_cst_fence(data: &InstData) -> bool {
    matches!(data, InstData::Fence { sync, .. } if sync.order == MemoryOrder::SeqCst)
}

/// Writes a sequentially consistent fence: an operation on the word that all kernels share.
fn seq_cst_fence(c: &mut Cursor<'_>) {
    let words = [0, 1].map(|i| query(c, WorkItemQuery::OrderAddressWord, i));
    let ptr = of_words(c, words, Type::ptr(AddressSpace::Global));
    let zero = c.iconst(Type::I32, 0);
    let sync = SyncSemantics { order: MemoryOrder::SeqCst, scope: MemoryScope::Device };
    c.atomic_rmw(AtomicOp::Add, ptr, zero, sync);
}

/// An atomic operation with its operands.
#[derive(Clone, Copy)]
enum Call {
    Load,
    Store(Value),
    Rmw(AtomicOp, Value),
    CmpXchg { expected: Value, desired: Value },
}

/// An atomic operation.
#[derive(Clone, Copy)]
struct Atomic {
    call: Call,
    ptr: Value,
    ty: Type,
    sync: SyncSemantics,
}

impl Atomic {
    fn of(func: &Function, inst: Inst) -> Option<Atomic> {
        let (call, ptr, sync) = match func.insts[inst] {
            InstData::AtomicLoad { ptr, sync } => (Call::Load, ptr, sync),
            InstData::AtomicStore { ptr, value, sync } => (Call::Store(value), ptr, sync),
            InstData::AtomicRmw { op, ptr, value, sync } => (Call::Rmw(op, value), ptr, sync),
            InstData::AtomicCmpXchg { ptr, expected, desired, sync } => {
                (Call::CmpXchg { expected, desired }, ptr, sync)
            }
            _ => return None,
        };
        let ty = match call {
            Call::Store(value) => func.ty(value),
            _ => func.ty(func.result(inst)?),
        };
        Some(Atomic { call, ptr, ty, sync })
    }

    fn is_seq_cst(&self) -> bool {
        self.sync.order == MemoryOrder::SeqCst
    }

    fn is_illegal(&self, memories: &Memories<'_>, func: &Function) -> bool {
        let is_float = self.ty.scalar.is_float() && !self.is_native(memories, func);
        is_float || self.is_seq_cst() || self.is_in_container(memories, func)
    }

    /// Returns true for arithmetic on floats in global memory that the device has, and that treats denormals as the
    /// device's other operations do.
    fn is_native(&self, memories: &Memories<'_>, func: &Function) -> bool {
        let Call::Rmw(op, _) = self.call else { return false };
        let is_global = func.ty(self.ptr).space() == Some(AddressSpace::Global);
        is_global && memories.target.has_float_atomic(op, self.ty.scalar)
    }

    fn is_in_container(&self, memories: &Memories<'_>, func: &Function) -> bool {
        self.ty.bits() == 32 && memories.has_containers(func.ty(self.ptr))
    }

    /// Writes the legal instructions for the operation. Returns the value that replaces its result, if it has one.
    fn legalize(self, s: &mut Splitter<'_>, memories: &Memories<'_>) -> Option<Value> {
        let Atomic { ptr, sync, .. } = self;
        let int = self.int();
        if self.is_in_container(memories, s.c.func) {
            let word = self.in_container(s, memories)?;
            return Some(s.c.bitcast(word, self.ty));
        }
        if let Call::Rmw(op, value) = self.call {
            if self.is_native(memories, s.c.func) {
                return Some(s.c.atomic_rmw(op, ptr, value, sync));
            }
        }
        let zero = s.c.iconst(int, 0);
        let data = match self.on_bits(&mut s.c) {
            Call::Rmw(AtomicOp::FAdd | AtomicOp::FMin | AtomicOp::FMax, _) => {
                let old = self.update_float(s);
                return Some(s.c.bitcast(old, self.ty));
            }
            Call::CmpXchg { expected, desired } if self.is_seq_cst() => {
                let old = self.seq_cst_exchange(s, expected, desired);
                return Some(s.c.bitcast(old, self.ty));
            }
            Call::Load if self.is_seq_cst() => {
                InstData::AtomicRmw { op: AtomicOp::Add, ptr, value: zero, sync }
            }
            Call::Store(value) if self.is_seq_cst() => {
                s.c.atomic_rmw(AtomicOp::Xchg, ptr, value, sync);
                return None;
            }
            Call::Store(value) => {
                s.c.void(InstData::AtomicStore { ptr, value, sync });
                return None;
            }
            Call::Load => InstData::AtomicLoad { ptr, sync },
            Call::Rmw(op, value) => InstData::AtomicRmw { op, ptr, value, sync },
            Call::CmpXchg { expected, desired } => {
                InstData::AtomicCmpXchg { ptr, expected, desired, sync }
            }
        };
        let old = s.c.inst(data, int);
        Some(s.c.bitcast(old, self.ty))
    }

    /// Returns the integer type with the bits of the operation's type.
    fn int(&self) -> Type {
        Type::of(Scalar::int(self.ty.scalar.bits()))
    }

    /// Returns the operation with its operands converted to integers.
    fn on_bits(self, c: &mut Cursor<'_>) -> Call {
        let int = self.int();
        let mut bits = |value| c.bitcast(value, int);
        match self.call {
            Call::Load => Call::Load,
            Call::Store(value) => Call::Store(bits(value)),
            Call::Rmw(op, value) => Call::Rmw(op, bits(value)),
            Call::CmpXchg { expected, desired } => {
                Call::CmpXchg { expected: bits(expected), desired: bits(desired) }
            }
        }
    }

    /// Writes a loop of compare-and-exchange operations on an integer. `new` computes the new bits from the old ones.
    /// Returns the old bits.
    fn update_by_exchange(
        self,
        s: &mut Splitter<'_>,
        ptr: Value,
        first: Value,
        new: impl FnOnce(&mut Cursor<'_>, Value) -> Value,
    ) -> Value {
        let lp = Loop::begin(s, first);
        let desired = new(&mut s.c, lp.state);
        let seen = s.c.atomic_cmpxchg(ptr, lp.state, desired, self.sync);
        let done = s.c.icmp(IntCC::Eq, seen, lp.state);
        lp.end(s, seen, done);
        lp.state
    }

    /// Loads the bits in memory before the first iteration of a loop.
    fn first(self, c: &mut Cursor<'_>, ptr: Value, ty: Type) -> Value {
        let sync = SyncSemantics { order: MemoryOrder::Relaxed, ..self.sync };
        c.atomic_load(ty, ptr, sync)
    }

    fn update_float(self, s: &mut Splitter<'_>) -> Value {
        let first = self.first(&mut s.c, self.ptr, self.int());
        self.update_by_exchange(s, self.ptr, first, |c, old| self.updated_bits(c, old))
    }

    /// Writes the loop of a sequentially consistent compare-and-exchange. A failure counts only if a read-modify-write
    /// operation has seen another value than the expected one, too.
    fn seq_cst_exchange(self, s: &mut Splitter<'_>, expected: Value, desired: Value) -> Value {
        let Atomic { ptr, sync, .. } = self;
        let lp = Loop::begin(s, expected);
        let seen = s.c.atomic_cmpxchg(ptr, expected, desired, sync);
        let zero = s.c.iconst(self.int(), 0);
        let now = s.c.atomic_rmw(AtomicOp::Add, ptr, zero, sync);
        let exchanged = s.c.icmp(IntCC::Eq, seen, expected);
        let differs = s.c.icmp(IntCC::Ne, now, expected);
        let done = s.c.binary(BinaryOp::Or, exchanged, differs);
        let next = s.c.select(exchanged, seen, now);
        lp.end(s, next, done);
        lp.state
    }

    /// Writes an operation on a word of a 64-bit container. Returns the old word; `None` for a store.
    fn in_container(self, s: &mut Splitter<'_>, memories: &Memories<'_>) -> Option<Value> {
        let (container, shift) = memories.containing(&mut s.c, self.ptr, CONTAINER);
        let first = self.first(&mut s.c, container, CONTAINER);
        let word_of = |c: &mut Cursor<'_>, container| {
            let moved = c.binary(BinaryOp::LShr, container, shift);
            c.convert(ConvertOp::Trunc, moved, Type::I32)
        };
        let mut old = first;
        if !matches!(self.call, Call::Load) || self.sync.order.acquires() {
            let ones = s.c.iconst(CONTAINER, i64::from(u32::MAX));
            let mask = s.c.binary(BinaryOp::Shl, ones, shift);
            let others = s.c.unary(UnaryOp::Not, mask);
            old = self.update_by_exchange(s, container, first, |c, old| {
                let word = word_of(c, old);
                let new = self.updated_bits(c, word);
                let new = c.convert(ConvertOp::ZExt, new, CONTAINER);
                let new = c.binary(BinaryOp::Shl, new, shift);
                let kept = c.binary(BinaryOp::And, old, others);
                c.binary(BinaryOp::Or, kept, new)
            });
        }
        let is_store = matches!(self.call, Call::Store(_));
        (!is_store).then(|| word_of(&mut s.c, old))
    }

    /// Computes the new bits from the old bits.
    fn updated_bits(self, c: &mut Cursor<'_>, old: Value) -> Value {
        if let Call::Rmw(op @ (AtomicOp::FAdd | AtomicOp::FMin | AtomicOp::FMax), value) = self.call
        {
            let number = c.bitcast(old, self.ty);
            let new = updated(c, op, number, value);
            return c.bitcast(new, self.int());
        }
        match self.on_bits(c) {
            Call::Load => old,
            Call::Store(value) => value,
            Call::Rmw(op, value) => updated(c, op, old, value),
            Call::CmpXchg { expected, desired } => {
                let same = c.icmp(IntCC::Eq, old, expected);
                c.select(same, desired, old)
            }
        }
    }
}

/// A loop that runs its body at least once.
///
/// The loop ends at its header, and its result is the header's parameter, which keeps the value with which each invocation
/// leaves. A driver that runs several invocations in lockstep (SwiftShader) would give all of them the values that the body
/// computes for the last one.
#[derive(Clone, Copy)]
struct Loop {
    header: Block,
    merge: Block,
    /// The state: of this iteration in the body, and of the last iteration after the loop.
    state: Value,
}

impl Loop {
    /// Begins a loop with `first` as the state. The current block is the body afterwards.
    fn begin(s: &mut Splitter<'_>, first: Value) -> Loop {
        let ty = s.c.ty(first);
        let [header, body, merge] = [(); 3].map(|()| s.new_block());
        let state = s.c.func.add_param(header, ty);
        let ended = s.c.func.add_param(header, Type::BOOL);
        let begun = s.c.func.bool_const(false);
        s.jump(header, &[first, begun]);
        s.switch_to(header);
        s.branch_to(ended, merge, body);
        s.switch_to(body);
        Loop { header, merge, state }
    }

    /// Ends the body with the next state. The current block is the one after the loop afterwards.
    fn end(self, s: &mut Splitter<'_>, next: Value, done: Value) {
        s.jump(self.header, &[next, done]);
        s.switch_to(self.merge);
    }
}

/// Writes an atomic operation on private memory. Returns the old value, if the operation has a result.
pub fn on_private_memory(c: &mut Cursor<'_>, atomic: &InstData, ty: Type) -> Option<Value> {
    let (align, flags) = (ty.scalar.bytes(), MemFlags::empty());
    let load = |c: &mut Cursor<'_>, ptr: Value| c.load(ty, ptr, align, flags);
    let (ptr, old, new) = match *atomic {
        InstData::AtomicLoad { ptr, .. } => return Some(load(c, ptr)),
        InstData::AtomicStore { ptr, value, .. } => (ptr, None, value),
        InstData::AtomicRmw { op, ptr, value, .. } => {
            let old = load(c, ptr);
            (ptr, Some(old), updated(c, op, old, value))
        }
        InstData::AtomicCmpXchg { ptr, expected, desired, .. } => {
            let old = load(c, ptr);
            let int = Type::of(Scalar::int(ty.scalar.bits()));
            let (a, b) = (c.bitcast(old, int), c.bitcast(expected, int));
            let same = c.icmp(IntCC::Eq, a, b);
            (ptr, Some(old), c.select(same, desired, old))
        }
        _ => return None,
    };
    c.store(ptr, new, align, flags);
    old
}

/// Computes the new value from the old value.
fn updated(c: &mut Cursor<'_>, op: AtomicOp, old: Value, value: Value) -> Value {
    match op.arithmetic() {
        Some(op) => c.binary(op, old, value),
        None => value,
    }
}
