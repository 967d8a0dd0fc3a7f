//! Atomic operations in memory that work-items share: those on integers, and the arithmetic on floats that the device has.
//! Legalization has replaced all other operations by these.

use super::emitter::Emitter;
use super::error::{EmitError, EmitResult};
use super::places::{ArrayId, Elem, Mem};
use crate::ir::{
    AddressSpace, AtomicOp, InstData, MemoryOrder, MemoryScope, SyncSemantics, Type, Value,
};
use rspirv::spirv::{Capability, MemorySemantics, Op, Scope};

/// A location that atomic operations act on, with the type of the object there.
#[derive(Clone, Copy)]
struct AtomicLocation {
    pointer: u32,
    scope: u32,
    ty: u32,
    /// The accesses that the operation orders.
    memory: MemorySemantics,
}

impl Emitter<'_> {
    /// Emits an atomic instruction; returns the old value (nothing for a store).
    pub fn atomic(&mut self, data: &InstData, result: Type) -> EmitResult<u32> {
        match *data {
            InstData::AtomicLoad { ptr, sync } => {
                let location = self.location(ptr, result, sync)?;
                let semantics = self.semantics(read_order(sync), location.memory);
                Ok(self.atomic_op(Op::AtomicLoad, location, &[semantics]))
            }
            InstData::AtomicStore { ptr, value, sync } => {
                let location = self.location(ptr, self.func.ty(value), sync)?;
                let order =
                    if sync.order.releases() { MemoryOrder::Release } else { MemoryOrder::Relaxed };
                let semantics = self.semantics(order, location.memory);
                let value = self.id(value)?;
                let operands = [location.pointer, location.scope, semantics, value];
                self.op_void(Op::AtomicStore, &operands);
                Ok(0)
            }
            InstData::AtomicRmw { op, ptr, value, sync } => {
                let sync = self.rmw_sync(ptr, sync);
                let location = self.location(ptr, result, sync)?;
                let semantics = self.semantics(sync.order, location.memory);
                let value = self.id(value)?;
                self.require_float_atomics(op, result)?;
                Ok(self.atomic_op(rmw_op(op), location, &[semantics, value]))
            }
            InstData::AtomicCmpXchg { ptr, expected, desired, sync } => {
                let sync = self.rmw_sync(ptr, sync);
                let location = self.location(ptr, result, sync)?;
                let equal = self.semantics(sync.order, location.memory);
                // A compare-and-exchange that fails is a load.
                let unequal = self.semantics(read_order(sync), location.memory);
                let operands = [equal, unequal, self.id(desired)?, self.id(expected)?];
                Ok(self.atomic_op(Op::AtomicCompareExchange, location, &operands))
            }
            _ => Err(EmitError::malformed("an atomic of another kind")),
        }
    }

    fn atomic_op(&mut self, op: Op, location: AtomicLocation, operands: &[u32]) -> u32 {
        let mut all = vec![location.pointer, location.scope];
        all.extend(operands);
        self.op(op, location.ty, &all)
    }

    /// Declares the extension and the capability that an atomic operation on floats needs.
    fn require_float_atomics(&mut self, op: AtomicOp, ty: Type) -> EmitResult<()> {
        let (extension, capability) = match (op, ty) {
            (AtomicOp::FAdd, Type::F32) => {
                ("SPV_EXT_shader_atomic_float_add", Capability::AtomicFloat32AddEXT)
            }
            (AtomicOp::FAdd, _) => {
                ("SPV_EXT_shader_atomic_float_add", Capability::AtomicFloat64AddEXT)
            }
            (AtomicOp::FMin | AtomicOp::FMax, Type::F32) => {
                ("SPV_EXT_shader_atomic_float_min_max", Capability::AtomicFloat32MinMaxEXT)
            }
            (AtomicOp::FMin | AtomicOp::FMax, _) => {
                ("SPV_EXT_shader_atomic_float_min_max", Capability::AtomicFloat64MinMaxEXT)
            }
            _ => return Ok(()),
        };
        if !self.target.has_float_atomic(op, ty.scalar) {
            return Err(EmitError::missing("an atomic operation on floats", "shader_atomic_float"));
        }
        self.builder.extension(extension);
        self.builder.require_capability(capability);
        Ok(())
    }

    /// Returns order and scope of an operation that changes memory.
    fn rmw_sync(&self, ptr: Value, sync: SyncSemantics) -> SyncSemantics {
        match self.func.ty(ptr).space() {
            Some(AddressSpace::Global) => self.rmw_order(sync),
            _ => sync,
        }
    }

    fn location(
        &mut self,
        ptr: Value,
        ty: Type,
        sync: SyncSemantics,
    ) -> EmitResult<AtomicLocation> {
        let bits = match ty {
            Type::I32 | Type::F32 => 32,
            Type::I64 | Type::F64 => 64,
            _ => return Err(EmitError::malformed(format!("an atomic operation on {ty}"))),
        };
        let mem = self.mem(ptr, bits / 8)?;
        let local = matches!(mem, Mem::Array(..));
        let is_float = ty.scalar.is_float();
        if is_float && local {
            return Err(EmitError::malformed("an atomic operation on floats in local memory"));
        }
        if bits == 64 && !is_float {
            let (allowed, feature) = match local {
                true => (self.target.atomic_int64_shared, "shaderSharedInt64Atomics"),
                false => (self.target.atomic_int64_buffer, "shaderBufferInt64Atomics"),
            };
            if !allowed || !self.target.int64 {
                return Err(EmitError::missing("a 64-bit atomic operation", feature));
            }
            self.builder.require_capability(Capability::Int64Atomics);
        }
        let ty = if is_float { self.ty(ty)? } else { self.int_type(bits) };
        // An operation that orders nothing may have the widest scope.
        let narrow = sync.scope == MemoryScope::WorkGroup && sync.orders();
        let scope = if local || narrow { Scope::Workgroup } else { Scope::Device };
        let scope = self.const_u32(scope as u32);
        let memory = ordered_memory(local, sync.order);
        let pointer = match mem {
            Mem::Physical(address) => self.physical_pointer(address, ty),
            Mem::Array(ArrayId::Local, pointer) => {
                if self.element_view(ArrayId::Local, bits / 8)?.elem != Elem::Int(bits) {
                    return Err(EmitError::malformed("an atomic operation on no element"));
                }
                pointer
            }
            _ => return Err(EmitError::malformed("an atomic operation on private memory")),
        };
        Ok(AtomicLocation { pointer, scope, ty, memory })
    }
}

/// Returns the order of an operation's load.
fn read_order(sync: SyncSemantics) -> MemoryOrder {
    match sync.order.acquires() {
        true => MemoryOrder::Acquire,
        false => MemoryOrder::Relaxed,
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
        AtomicOp::Xchg => Op::AtomicExchange,
        AtomicOp::Add => Op::AtomicIAdd,
        AtomicOp::Sub => Op::AtomicISub,
        AtomicOp::And => Op::AtomicAnd,
        AtomicOp::Or => Op::AtomicOr,
        AtomicOp::Xor => Op::AtomicXor,
        AtomicOp::SMin => Op::AtomicSMin,
        AtomicOp::SMax => Op::AtomicSMax,
        AtomicOp::UMin => Op::AtomicUMin,
        AtomicOp::UMax => Op::AtomicUMax,
        AtomicOp::FAdd => Op::AtomicFAddEXT,
        AtomicOp::FMin => Op::AtomicFMinEXT,
        AtomicOp::FMax => Op::AtomicFMaxEXT,
    }
}
