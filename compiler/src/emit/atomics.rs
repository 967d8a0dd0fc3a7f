//! Atomic operations.

use super::emitter::Emitter;
use super::error::{EmitError, EmitResult};
use super::places::{ArrayId, Elem, Mem};
use super::repr::Repr;
use crate::ir::{
    AtomicOp, BinaryOp, FpFlags, InstData, MemoryOrder, MemoryScope, Scalar, SyncSemantics, Type,
};
use rspirv::spirv::{Capability, MemorySemantics, Op, Scope};

/// An atomic operation with the ids of its operands.
#[derive(Clone, Copy)]
pub(super) enum AtomicCall {
    Load,
    Store(u32),
    Rmw(AtomicOp, u32),
    CmpXchg { expected: u32, desired: u32 },
}

/// A location that atomics act on, with the integer type that they see there.
#[derive(Clone, Copy)]
pub(super) struct AtomicLocation {
    pub pointer: u32,
    pub scope: u32,
    pub ty: u32,
    /// The accesses that the operation orders.
    memory: MemorySemantics,
    pub order: MemoryOrder,
}

impl Emitter<'_> {
    /// Emits an atomic instruction; returns the old value (nothing for a store).
    pub fn atomic(&mut self, data: &InstData, result: Type) -> EmitResult<u32> {
        let (ptr, call, ty, sync) = match *data {
            InstData::AtomicLoad { ptr, sync } => (ptr, AtomicCall::Load, result, sync),
            InstData::AtomicStore { ptr, value, sync } => {
                (ptr, AtomicCall::Store(self.id(value)?), self.func.ty(value), sync)
            }
            InstData::AtomicRmw { op, ptr, value, sync } => {
                (ptr, AtomicCall::Rmw(op, self.id(value)?), self.func.ty(value), sync)
            }
            InstData::AtomicCmpXchg { ptr, expected, desired, sync } => {
                let call = AtomicCall::CmpXchg {
                    expected: self.id(expected)?,
                    desired: self.id(desired)?,
                };
                (ptr, call, self.func.ty(expected), sync)
            }
            _ => return Err(EmitError::malformed("an atomic of another kind")),
        };
        if ty.lanes != 1 || !matches!(ty.scalar.bits(), 32 | 64) {
            return Err(EmitError::malformed(format!("an atomic operation on {ty}")));
        }
        let scalar = ty.scalar;
        if sync.order == MemoryOrder::SeqCst {
            self.touch_order_word()?;
        }
        match self.mem(ptr)? {
            Mem::Array(ArrayId::Stack | ArrayId::FrameObject(_), _) => {
                Err(EmitError::malformed("an atomic operation on private memory"))
            }
            mem => self.shared_atomic(mem, call, scalar, sync),
        }
    }

    fn location(&mut self, mem: Mem, bits: u32, sync: SyncSemantics) -> EmitResult<AtomicLocation> {
        let local = matches!(mem, Mem::Array(..));
        if bits == 64 {
            let (allowed, feature) = match local {
                true => (self.target.atomic_int64_shared, "shaderSharedInt64Atomics"),
                false => (self.target.atomic_int64_buffer, "shaderBufferInt64Atomics"),
            };
            if !allowed || !self.target.int64 {
                return Err(EmitError::missing("a 64-bit atomic operation", feature));
            }
            self.builder.require_capability(Capability::Int64Atomics);
        }
        let ty = self.int_type(bits);
        // What orders nothing may as well be atomic for all.
        let narrow = sync.scope == MemoryScope::WorkGroup && sync.orders();
        let scope = if local || narrow { Scope::Workgroup } else { Scope::Device };
        let scope = self.const_u32(scope as u32);
        let memory = ordered_memory(local, sync.order);
        let pointer = match mem {
            Mem::Physical(address) => self.physical_pointer(address, 0, ty),
            Mem::Array(array, ptr) => {
                let elem = self.view(array, bits / 8)?.map(|view| view.elem);
                if elem != Some(Elem::Int(bits)) {
                    return Err(EmitError::malformed("an atomic operation on no element"));
                }
                self.array_pointer(array, ptr, bits / 8)?
            }
        };
        Ok(AtomicLocation { pointer, scope, ty, memory, order: sync.order })
    }

    /// Returns the bits of a scalar as the integer that atomics act on.
    fn as_bits(&mut self, id: u32, scalar: Scalar, ty: u32) -> u32 {
        match self.repr(scalar) {
            Repr::Float(_) => self.op(Op::Bitcast, ty, &[id]),
            _ => id,
        }
    }

    fn shared_atomic(
        &mut self,
        mem: Mem,
        call: AtomicCall,
        scalar: Scalar,
        sync: SyncSemantics,
    ) -> EmitResult<u32> {
        match mem {
            Mem::Array(array, ptr) if scalar.bits() == 32 && self.has_partword_accesses(array) => {
                let (pointer, shift) = self.container_of(array, ptr)?;
                return self.atomic_in_container(pointer, shift, call, scalar, sync);
            }
            _ => {}
        }
        let sync = match (mem, call) {
            (Mem::Physical(_), AtomicCall::Rmw(..) | AtomicCall::CmpXchg { .. }) => {
                self.rmw_order(sync)
            }
            _ => sync,
        };
        let location = self.location(mem, scalar.bits(), sync)?;
        let (ty, seq_cst) = (location.ty, sync.order == MemoryOrder::SeqCst);
        let old = match call {
            AtomicCall::Load if seq_cst => self.load_by_rmw(location, scalar.bits())?,
            AtomicCall::Load => {
                let order =
                    if sync.order.acquires() { MemoryOrder::Acquire } else { MemoryOrder::Relaxed };
                let semantics = self.semantics(order, location.memory);
                self.op(Op::AtomicLoad, ty, &[location.pointer, location.scope, semantics])
            }
            AtomicCall::Store(value) => {
                let bits = self.as_bits(value, scalar, ty);
                if seq_cst {
                    self.emit_rmw(Op::AtomicExchange, location, bits);
                    return Ok(0);
                }
                let order =
                    if sync.order.releases() { MemoryOrder::Release } else { MemoryOrder::Relaxed };
                let semantics = self.semantics(order, location.memory);
                self.op_void(Op::AtomicStore, &[location.pointer, location.scope, semantics, bits]);
                return Ok(0);
            }
            AtomicCall::Rmw(AtomicOp::FAdd, value) => {
                self.atomic_float_add(location, value, scalar)?
            }
            AtomicCall::Rmw(op, value) => {
                let bits = self.as_bits(value, scalar, ty);
                self.emit_rmw(rmw_op(op), location, bits)
            }
            AtomicCall::CmpXchg { expected, desired } => {
                let expected = self.as_bits(expected, scalar, ty);
                let desired = self.as_bits(desired, scalar, ty);
                match seq_cst {
                    true => self.seq_cst_exchange(location, expected, desired, scalar.bits())?,
                    false => self.compare_exchange(location, expected, desired),
                }
            }
        };
        self.scalar_of_bits(old, scalar)
    }

    /// Inverts [`Emitter::as_bits`].
    fn scalar_of_bits(&mut self, bits: u32, scalar: Scalar) -> EmitResult<u32> {
        Ok(match self.repr(scalar) {
            Repr::Float(_) => {
                let ty = self.scalar_type(scalar)?;
                self.op(Op::Bitcast, ty, &[bits])
            }
            _ => bits,
        })
    }

    /// Emits a 32-bit operation on part of a 64-bit container.
    fn atomic_in_container(
        &mut self,
        pointer: u32,
        shift: u32,
        call: AtomicCall,
        scalar: Scalar,
        sync: SyncSemantics,
    ) -> EmitResult<u32> {
        self.builder.require_capability(Capability::Int64Atomics);
        let word = self.int_type(32);
        let call = match call {
            AtomicCall::Load | AtomicCall::Rmw(AtomicOp::FAdd, _) => call,
            AtomicCall::Store(value) => AtomicCall::Store(self.as_bits(value, scalar, word)),
            AtomicCall::Rmw(op, value) => AtomicCall::Rmw(op, self.as_bits(value, scalar, word)),
            AtomicCall::CmpXchg { expected, desired } => AtomicCall::CmpXchg {
                expected: self.as_bits(expected, scalar, word),
                desired: self.as_bits(desired, scalar, word),
            },
        };
        let location = AtomicLocation {
            pointer,
            scope: self.const_u32(Scope::Workgroup as u32),
            ty: self.int_type(64),
            memory: ordered_memory(true, sync.order),
            order: sync.order,
        };
        let old = self.partword_atomic(location, shift, call, scalar)?;
        self.scalar_of_bits(old, scalar)
    }

    /// Emits a read-modify-write operation; returns the old bits.
    fn emit_rmw(&mut self, op: Op, location: AtomicLocation, bits: u32) -> u32 {
        let semantics = self.semantics(location.order, location.memory);
        self.op(op, location.ty, &[location.pointer, location.scope, semantics, bits])
    }

    /// Loads by a read-modify-write operation, which has its place in the modification order.
    fn load_by_rmw(&mut self, location: AtomicLocation, bits: u32) -> EmitResult<u32> {
        let zero = self.constant(Scalar::int(bits), 0)?;
        Ok(self.emit_rmw(Op::AtomicIAdd, location, zero))
    }

    /// Emits one compare-and-exchange; returns the old bits. One that fails is a load.
    pub fn compare_exchange(
        &mut self,
        location: AtomicLocation,
        expected: u32,
        desired: u32,
    ) -> u32 {
        let failure =
            if location.order.acquires() { MemoryOrder::Acquire } else { MemoryOrder::Relaxed };
        let equal = self.semantics(location.order, location.memory);
        let unequal = self.semantics(failure, location.memory);
        let operands = [location.pointer, location.scope, equal, unequal, desired, expected];
        self.op(Op::AtomicCompareExchange, location.ty, &operands)
    }

    /// Emits a sequentially consistent compare-and-exchange: a failure counts once a read-modify-write
    /// operation has seen another value, too.
    fn seq_cst_exchange(
        &mut self,
        location: AtomicLocation,
        expected: u32,
        desired: u32,
        bits: u32,
    ) -> EmitResult<u32> {
        let [old] = self.emit_loop([location.ty], [expected], |e, _| {
            let seen = e.compare_exchange(location, expected, desired);
            let now = e.load_by_rmw(location, bits)?;
            let exchanged = e.bool_op(Op::IEqual, &[seen, expected]);
            let differs = e.bool_op(Op::INotEqual, &[now, expected]);
            let done = e.bool_op(Op::LogicalOr, &[exchanged, differs]);
            Ok((done, [e.select(location.ty, exchanged, seen, now)]))
        })?;
        Ok(old)
    }

    /// Adds by compare-and-exchange until no other work-item came between; returns the old bits.
    fn atomic_float_add(
        &mut self,
        location: AtomicLocation,
        value: u32,
        scalar: Scalar,
    ) -> EmitResult<u32> {
        let AtomicLocation { pointer, scope, ty, .. } = location;
        let float = self.scalar_type(scalar)?;
        let relaxed = self.const_u32(MemorySemantics::RELAXED.bits());
        let first = self.op(Op::AtomicLoad, ty, &[pointer, scope, relaxed]);
        let [old] = self.emit_loop([ty], [first], |e, [old]| {
            let number = e.op(Op::Bitcast, float, &[old]);
            let sum = e.float_binary(BinaryOp::FAdd, scalar, [number, value], FpFlags::empty())?;
            let bits = e.op(Op::Bitcast, ty, &[sum]);
            let seen = e.compare_exchange(location, old, bits);
            Ok((e.bool_op(Op::IEqual, &[seen, old]), [seen]))
        })?;
        Ok(old)
    }
}

/// Returns which accesses an operation on local or global memory orders.
fn ordered_memory(local: bool, order: MemoryOrder) -> MemorySemantics {
    match (order, local) {
        (MemoryOrder::SeqCst, _) => {
            MemorySemantics::WORKGROUP_MEMORY | MemorySemantics::UNIFORM_MEMORY
        }
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
