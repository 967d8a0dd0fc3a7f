//! Atomic operations.

use super::array::ArrayId;
use super::emitter::{Emitter, Res};
use super::memory::{Elem, Mem};
use super::repr::Repr;
use super::EmitError;
use crate::ir::{
    AtomicOp, BinaryOp, FpFlags, InstData, IntCC, Order, Scalar, Sync, SyncScope, Type,
};
use rspirv::spirv::{Capability, MemorySemantics, Op, Scope};

/// An atomic operation with the ids of its operands.
#[derive(Clone, Copy)]
pub(super) enum Call {
    Load,
    Store(u32),
    Rmw(AtomicOp, u32),
    CmpXchg { expected: u32, desired: u32 },
}

/// A place that atomics act on, with the integer type they see there.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub pointer: u32,
    pub scope: u32,
    pub ty: u32,
    /// The accesses that the operation orders.
    memory: MemorySemantics,
    pub order: Order,
}

impl Emitter<'_> {
    /// Emits an atomic instruction; returns the old value (nothing for a store).
    pub fn atomic(&mut self, data: &InstData, result: Type) -> Res<u32> {
        let (ptr, call, ty, sync) = match *data {
            InstData::AtomicLoad { ptr, sync } => (ptr, Call::Load, result, sync),
            InstData::AtomicStore { ptr, value, sync } => {
                (ptr, Call::Store(self.id(value)?), self.func.ty(value), sync)
            }
            InstData::AtomicRmw { op, ptr, value, sync } => {
                (ptr, Call::Rmw(op, self.id(value)?), self.func.ty(value), sync)
            }
            InstData::AtomicCmpXchg { ptr, expected, desired, sync } => {
                let call =
                    Call::CmpXchg { expected: self.id(expected)?, desired: self.id(desired)? };
                (ptr, call, self.func.ty(expected), sync)
            }
            _ => return Err(EmitError::malformed("an atomic of another kind")),
        };
        if ty.lanes != 1 || !matches!(ty.scalar.bits(), 32 | 64) {
            return Err(EmitError::malformed(format!("an atomic operation on {ty}")));
        }
        let scalar = ty.scalar;
        let ty = self.ty(ty)?;
        let ty = (!matches!(call, Call::Store(_))).then_some(ty);
        if sync.order == Order::SeqCst {
            self.touch_order_word()?;
        }
        self.with_mem(ptr, ty, &mut |e, mem| match mem {
            Mem::Array(ArrayId::Stack | ArrayId::Slot(_), _) => e.private_atomic(mem, call, scalar),
            _ => e.shared_atomic(mem, call, scalar, sync),
        })
    }

    fn place(&mut self, mem: Mem, bits: u32, sync: Sync) -> Res<Place> {
        let local = matches!(mem, Mem::Array(..));
        if bits == 64 {
            let (allowed, feature) = match local {
                true => (self.target.atomic_int64_shared, "shaderSharedInt64Atomics"),
                false => (self.target.atomic_int64_buffer, "shaderBufferInt64Atomics"),
            };
            if !allowed || !self.target.int64 {
                return Err(EmitError::missing("a 64-bit atomic operation", feature));
            }
            self.asm.need(Capability::Int64Atomics);
        }
        let ty = self.int_type(bits);
        // What orders nothing may as well be atomic for all.
        let narrow = sync.scope == SyncScope::WorkGroup && sync.orders();
        let scope = if local || narrow { Scope::Workgroup } else { Scope::Device };
        let scope = self.c32(scope as u32);
        let memory = ordered_memory(local, sync.order);
        let pointer = match mem {
            Mem::Physical(address) => self.physical_pointer(address, 0, ty),
            Mem::Array(array, offset) => {
                let elem = self.view(array, bits / 8)?.map(|view| view.elem);
                if elem != Some(Elem::Int(bits)) {
                    return Err(EmitError::malformed("an atomic operation on no element"));
                }
                self.array_pointer(array, offset, 0, bits / 8)?
            }
        };
        Ok(Place { pointer, scope, ty, memory, order: sync.order })
    }

    /// Returns the bits of a scalar as the integer that atomics act on.
    fn as_bits(&mut self, id: u32, scalar: Scalar, ty: u32) -> u32 {
        match self.repr(scalar) {
            Repr::Float(_) => self.op(Op::Bitcast, ty, &[id]),
            _ => id,
        }
    }

    fn shared_atomic(&mut self, mem: Mem, call: Call, scalar: Scalar, sync: Sync) -> Res<u32> {
        match mem {
            Mem::Array(array, offset) if scalar.bits() == 32 && self.has_cells(array) => {
                let (pointer, shift) = self.cell_at(array, offset, 0)?;
                return self.part_atomic(pointer, shift, call, scalar, sync);
            }
            _ => {}
        }
        let sync = match (mem, call) {
            (Mem::Physical(_), Call::Rmw(..) | Call::CmpXchg { .. }) => self.update_order(sync),
            _ => sync,
        };
        let place = self.place(mem, scalar.bits(), sync)?;
        let (ty, seq_cst) = (place.ty, sync.order == Order::SeqCst);
        let old = match call {
            Call::Load if seq_cst => self.confirm(place, scalar.bits())?,
            Call::Load => {
                let order = if sync.order.acquires() { Order::Acquire } else { Order::Relaxed };
                let semantics = self.semantics(order, place.memory);
                self.op(Op::AtomicLoad, ty, &[place.pointer, place.scope, semantics])
            }
            Call::Store(value) => {
                let bits = self.as_bits(value, scalar, ty);
                if seq_cst {
                    self.update(Op::AtomicExchange, place, bits);
                    return Ok(0);
                }
                let order = if sync.order.releases() { Order::Release } else { Order::Relaxed };
                let semantics = self.semantics(order, place.memory);
                self.op_void(Op::AtomicStore, &[place.pointer, place.scope, semantics, bits]);
                return Ok(0);
            }
            Call::Rmw(AtomicOp::FAdd, value) => self.atomic_float_add(place, value, scalar)?,
            Call::Rmw(op, value) => {
                let bits = self.as_bits(value, scalar, ty);
                self.update(rmw_op(op), place, bits)
            }
            Call::CmpXchg { expected, desired } => {
                let expected = self.as_bits(expected, scalar, ty);
                let desired = self.as_bits(desired, scalar, ty);
                match seq_cst {
                    true => self.seq_cst_exchange(place, expected, desired, scalar.bits())?,
                    false => self.compare_exchange(place, expected, desired),
                }
            }
        };
        self.of_bits(old, scalar)
    }

    /// Inverts [`Emitter::as_bits`].
    fn of_bits(&mut self, bits: u32, scalar: Scalar) -> Res<u32> {
        Ok(match self.repr(scalar) {
            Repr::Float(_) => {
                let ty = self.scalar_type(scalar)?;
                self.op(Op::Bitcast, ty, &[bits])
            }
            _ => bits,
        })
    }

    /// Emits a 32-bit operation on part of a 64-bit cell.
    fn part_atomic(
        &mut self,
        pointer: u32,
        shift: u32,
        call: Call,
        scalar: Scalar,
        sync: Sync,
    ) -> Res<u32> {
        self.asm.need(Capability::Int64Atomics);
        let word = self.int_type(32);
        let call = match call {
            Call::Load | Call::Rmw(AtomicOp::FAdd, _) => call,
            Call::Store(value) => Call::Store(self.as_bits(value, scalar, word)),
            Call::Rmw(op, value) => Call::Rmw(op, self.as_bits(value, scalar, word)),
            Call::CmpXchg { expected, desired } => Call::CmpXchg {
                expected: self.as_bits(expected, scalar, word),
                desired: self.as_bits(desired, scalar, word),
            },
        };
        let place = Place {
            pointer,
            scope: self.c32(Scope::Workgroup as u32),
            ty: self.int_type(64),
            memory: ordered_memory(true, sync.order),
            order: sync.order,
        };
        let old = self.cell_atomic(place, shift, call, scalar)?;
        self.of_bits(old, scalar)
    }

    /// Emits a read-modify-write operation; returns the old bits.
    fn update(&mut self, op: Op, place: Place, bits: u32) -> u32 {
        let semantics = self.semantics(place.order, place.memory);
        self.op(op, place.ty, &[place.pointer, place.scope, semantics, bits])
    }

    /// Reads by a read-modify-write operation, which takes its place among all others.
    fn confirm(&mut self, place: Place, bits: u32) -> Res<u32> {
        let zero = self.constant(Scalar::int(bits), 0)?;
        Ok(self.update(Op::AtomicIAdd, place, zero))
    }

    /// Emits one compare-and-exchange; returns the old bits. One that fails is a load.
    pub fn compare_exchange(&mut self, place: Place, expected: u32, desired: u32) -> u32 {
        let failure = if place.order.acquires() { Order::Acquire } else { Order::Relaxed };
        let equal = self.semantics(place.order, place.memory);
        let unequal = self.semantics(failure, place.memory);
        let operands = [place.pointer, place.scope, equal, unequal, desired, expected];
        self.op(Op::AtomicCompareExchange, place.ty, &operands)
    }

    /// Emits a sequentially consistent compare-and-exchange: a failure counts once a read-modify-write
    /// operation has seen another value, too.
    fn seq_cst_exchange(
        &mut self,
        place: Place,
        expected: u32,
        desired: u32,
        bits: u32,
    ) -> Res<u32> {
        let [old] = self.emit_loop([place.ty], [expected], |e, _| {
            let seen = e.compare_exchange(place, expected, desired);
            let now = e.confirm(place, bits)?;
            let exchanged = e.bool_op(Op::IEqual, &[seen, expected]);
            let differs = e.bool_op(Op::INotEqual, &[now, expected]);
            let done = e.bool_op(Op::LogicalOr, &[exchanged, differs]);
            Ok((done, [e.select(place.ty, exchanged, seen, now)]))
        })?;
        Ok(old)
    }

    /// Adds by compare-and-exchange until no other work-item came between; returns the old bits.
    fn atomic_float_add(&mut self, place: Place, value: u32, scalar: Scalar) -> Res<u32> {
        let Place { pointer, scope, ty, .. } = place;
        let float = self.scalar_type(scalar)?;
        let relaxed = self.c32(MemorySemantics::RELAXED.bits());
        let first = self.op(Op::AtomicLoad, ty, &[pointer, scope, relaxed]);
        let [old] = self.emit_loop([ty], [first], |e, [old]| {
            let number = e.op(Op::Bitcast, float, &[old]);
            let sum = e.float_binary(BinaryOp::FAdd, scalar, [number, value], FpFlags::empty())?;
            let bits = e.op(Op::Bitcast, ty, &[sum]);
            let seen = e.compare_exchange(place, old, bits);
            Ok((e.bool_op(Op::IEqual, &[seen, old]), [seen]))
        })?;
        Ok(old)
    }

    /// Private memory has one user: load, compute, store.
    fn private_atomic(&mut self, mem: Mem, call: Call, scalar: Scalar) -> Res<u32> {
        let ty = Type::of(scalar);
        let align = scalar.bytes();
        let old = match call {
            Call::Store(_) => 0,
            _ => self.load_from(mem, ty, align, false)?,
        };
        let new = match call {
            Call::Load => return Ok(old),
            Call::Store(value) => value,
            Call::Rmw(AtomicOp::FAdd, value) => {
                self.float_binary(BinaryOp::FAdd, scalar, [old, value], FpFlags::empty())?
            }
            Call::Rmw(op, value) => match binary_op(op) {
                Some(op) => self.int_binary(op, scalar, [old, value], None)?,
                None => value,
            },
            Call::CmpXchg { expected, desired } => {
                let int = Scalar::int(scalar.bits());
                let (a, b) = (
                    self.bitcast(old, ty, Type::of(int))?,
                    self.bitcast(expected, ty, Type::of(int))?,
                );
                let same = self.int_compare(IntCC::Eq, int, a, b)?;
                let ty = self.ty(ty)?;
                self.select(ty, same, desired, old)
            }
        };
        self.store_to(mem, new, ty, align, false)?;
        Ok(old)
    }
}

/// Returns which accesses an operation on local or global memory orders.
fn ordered_memory(local: bool, order: Order) -> MemorySemantics {
    match (order, local) {
        (Order::SeqCst, _) => MemorySemantics::WORKGROUP_MEMORY | MemorySemantics::UNIFORM_MEMORY,
        (_, true) => MemorySemantics::WORKGROUP_MEMORY,
        (_, false) => MemorySemantics::UNIFORM_MEMORY,
    }
}

fn rmw_op(op: AtomicOp) -> Op {
    match op {
        AtomicOp::Xchg | AtomicOp::FAdd => Op::AtomicExchange,
        AtomicOp::Add => Op::AtomicIAdd,
        AtomicOp::Sub => Op::AtomicISub,
        AtomicOp::And => Op::AtomicAnd,
        AtomicOp::Or => Op::AtomicOr,
        AtomicOp::Xor => Op::AtomicXor,
        AtomicOp::SMin => Op::AtomicSMin,
        AtomicOp::SMax => Op::AtomicSMax,
        AtomicOp::UMin => Op::AtomicUMin,
        AtomicOp::UMax => Op::AtomicUMax,
    }
}

/// Returns what an atomic operation computes; `None` for an exchange.
pub(super) fn binary_op(op: AtomicOp) -> Option<BinaryOp> {
    Some(match op {
        AtomicOp::Xchg => return None,
        AtomicOp::Add => BinaryOp::IAdd,
        AtomicOp::FAdd => BinaryOp::FAdd,
        AtomicOp::Sub => BinaryOp::ISub,
        AtomicOp::And => BinaryOp::And,
        AtomicOp::Or => BinaryOp::Or,
        AtomicOp::Xor => BinaryOp::Xor,
        AtomicOp::SMin => BinaryOp::SMin,
        AtomicOp::SMax => BinaryOp::SMax,
        AtomicOp::UMin => BinaryOp::UMin,
        AtomicOp::UMax => BinaryOp::UMax,
    })
}
