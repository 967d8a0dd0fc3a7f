//! Atomic instructions (SPIR-V 3.49.18), and the meaning of scopes and memory semantics.

use super::function::{unsupported, Translator};
use super::words::Inst;
use crate::ir::{
    Addr, AddressSpace, AtomicOp, BarrierFlags, IntCC, MemoryOrder, MemoryScope, Scalar,
    SyncSemantics, Type, Value,
};
use rspirv::spirv::{MemorySemantics, Op, Scope};

/// Returns true for the instructions of this file.
pub(super) fn has(op: Op) -> bool {
    use Op::*;
    matches!(op, AtomicLoad | AtomicStore)
        || matches!(op, AtomicCompareExchange | AtomicCompareExchangeWeak)
        || matches!(op, AtomicIIncrement | AtomicIDecrement)
        || matches!(op, AtomicFlagTestAndSet | AtomicFlagClear)
        || change(op).is_some()
}

/// Returns the operation of an instruction that changes an atomic object by an operand.
fn change(op: Op) -> Option<AtomicOp> {
    Some(match op {
        Op::AtomicIAdd => AtomicOp::Add,
        Op::AtomicISub => AtomicOp::Sub,
        Op::AtomicSMin => AtomicOp::SMin,
        Op::AtomicUMin => AtomicOp::UMin,
        Op::AtomicSMax => AtomicOp::SMax,
        Op::AtomicUMax => AtomicOp::UMax,
        Op::AtomicAnd => AtomicOp::And,
        Op::AtomicOr => AtomicOp::Or,
        Op::AtomicXor => AtomicOp::Xor,
        Op::AtomicExchange => AtomicOp::Xchg,
        Op::AtomicFAddEXT => AtomicOp::FAdd,
        Op::AtomicFMinEXT => AtomicOp::FMin,
        Op::AtomicFMaxEXT => AtomicOp::FMax,
        _ => return None,
    })
}

impl Translator<'_, '_, '_> {
    pub(super) fn atomic(&mut self, inst: &Inst<'_>) -> Result<(), String> {
        if let Some(op) = change(inst.op) {
            let (ptr, sync) = self.atomic_operands(inst)?;
            let value = self.number(inst.arg(3)?)?;
            let old = self.update(op, ptr, value, sync)?;
            return self.give(inst, old);
        }
        match inst.op {
            Op::AtomicLoad => self.atomic_load(inst),
            Op::AtomicStore => self.atomic_store(inst),
            Op::AtomicIIncrement | Op::AtomicIDecrement => {
                let (ptr, sync) = self.atomic_operands(inst)?;
                let ty = self.numeric_result(inst)?;
                self.check_atomic(ty)?;
                if !ty.scalar.is_int() {
                    return Err("its type is not that of an integer".to_string());
                }
                let one = self.b.iconst(ty, 1);
                let is_add = inst.op == Op::AtomicIIncrement;
                let op = if is_add { AtomicOp::Add } else { AtomicOp::Sub };
                let old = self.update(op, ptr, one, sync)?;
                self.give(inst, old)
            }
            Op::AtomicFlagTestAndSet => {
                let (ptr, sync) = self.atomic_operands(inst)?;
                let one = self.b.int(Scalar::I32, 1);
                let old = self.update(AtomicOp::Xchg, ptr, one, sync)?;
                let was_set = self.b.is_nonzero(old);
                self.give(inst, was_set)
            }
            Op::AtomicFlagClear => {
                let (ptr, sync) = self.atomic_operands(inst)?;
                let zero = self.b.int(Scalar::I32, 0);
                self.update(AtomicOp::Xchg, ptr, zero, sync).map(|_| ())
            }
            Op::AtomicCompareExchange | Op::AtomicCompareExchangeWeak => {
                self.compare_exchange(inst)
            }
            _ => unsupported(),
        }
    }

    fn atomic_load(&mut self, inst: &Inst<'_>) -> Result<(), String> {
        let (ptr, sync) = self.atomic_operands(inst)?;
        let ty = self.numeric_result(inst)?;
        self.check_atomic(ty)?;
        let value = match self.is_private(ptr) {
            true => self.b.read(ty, Addr::new(ptr, ty.bytes())),
            false => self.with_lowerer(|lowerer| lowerer.atomic_get(ty, ptr, sync)),
        };
        self.give(inst, value)
    }

    fn atomic_store(&mut self, inst: &Inst<'_>) -> Result<(), String> {
        let (ptr, sync) = self.atomic_operands(inst)?;
        let value = self.number(inst.arg(3)?)?;
        let ty = self.b.ty(value);
        self.check_atomic(ty)?;
        match self.is_private(ptr) {
            true => self.b.write(Addr::new(ptr, ty.bytes()), value),
            false => self.with_lowerer(|lowerer| lowerer.atomic_set(ptr, value, sync)),
        }
        Ok(())
    }

    /// Reads pointer, scope and semantics, which are the first operands of all atomic instructions.
    fn atomic_operands(&mut self, inst: &Inst<'_>) -> Result<(Value, SyncSemantics), String> {
        let [ptr, scope, semantics] = inst.get()?;
        let (ptr, _) = self.pointer(ptr)?;
        if self.b.space(ptr) == AddressSpace::Constant {
            return Err("constant memory is not written to".to_string());
        }
        let sync = SyncSemantics { order: self.order(semantics)?, scope: self.scope(scope)? };
        Ok((ptr, sync))
    }

    fn is_private(&self, ptr: Value) -> bool {
        self.b.space(ptr) == AddressSpace::Private
    }

    /// Returns an error if there are no atomic objects of a type.
    fn check_atomic(&self, ty: Type) -> Result<(), String> {
        let target = self.m.out.target();
        match (ty.scalar, ty.lanes) {
            (Scalar::I32 | Scalar::F32, 1) => Ok(()),
            (Scalar::I64 | Scalar::F64, 1) if target.int64_atomics() => Ok(()),
            (Scalar::I64 | Scalar::F64, 1) => Err("the device has no 64-bit atomics".to_string()),
            (Scalar::F16, 1) if target.half_arithmetic() => Ok(()),
            _ => Err(format!("atomic operations on {ty} are not supported")),
        }
    }

    /// Changes an atomic object. In private memory, which no other work-item sees, plain loads and stores do it.
    fn update(
        &mut self,
        op: AtomicOp,
        ptr: Value,
        value: Value,
        sync: SyncSemantics,
    ) -> Result<Value, String> {
        let ty = self.b.ty(value);
        self.check_atomic(ty)?;
        if op != AtomicOp::Xchg && !op.takes().has(ty.scalar) {
            return Err("an operand is of the wrong type".to_string());
        }
        if !self.is_private(ptr) {
            return Ok(self.with_lowerer(|lowerer| lowerer.atomic_update(op, ptr, value, sync)));
        }
        let addr = Addr::new(ptr, ty.bytes());
        let old = self.b.read(ty, addr);
        let new = match op.arithmetic() {
            Some(op) => self.b.binary(op, old, value),
            None => value,
        };
        self.b.write(addr, new);
        Ok(old)
    }

    /// Translates a compare-and-exchange. Operands: pointer, scope, semantics if equal and if not, new value, compared value.
    fn compare_exchange(&mut self, inst: &Inst<'_>) -> Result<(), String> {
        let [ptr, scope, equal, unequal, value, comparator] = inst.get()?;
        let (ptr, _) = self.pointer(ptr)?;
        if self.b.space(ptr) == AddressSpace::Constant {
            return Err("constant memory is not written to".to_string());
        }
        let order = self.order(equal)?.as_strong_as(self.order(unequal)?);
        let sync = SyncSemantics { order, scope: self.scope(scope)? };
        let [value, comparator] = self.numbers([value, comparator])?;
        let ty = self.b.ty(value);
        self.check_atomic(ty)?;
        if ty.scalar == Scalar::F16 {
            return Err(format!("comparing and exchanging {ty} is not supported"));
        }
        let (value, comparator) = (self.b.as_bits(value), self.b.as_bits(comparator));
        let old = match self.is_private(ptr) {
            true => {
                let addr = Addr::new(ptr, ty.bytes());
                let old = self.b.read(self.b.ty(value), addr);
                let same = self.b.icmp(IntCC::Eq, old, comparator);
                let new = self.b.select(same, value, old);
                self.b.write(addr, new);
                old
            }
            false => self.b.atomic_cmpxchg(ptr, comparator, value, sync),
        };
        let old = self.b.bitcast(old, ty);
        self.give(inst, old)
    }

    /// Returns the order of memory semantics; the strongest one if they are not constant.
    pub(super) fn order(&mut self, semantics: u32) -> Result<MemoryOrder, String> {
        let Some(bits) = self.known_integer(semantics)? else { return Ok(MemoryOrder::SeqCst) };
        let bits = MemorySemantics::from_bits_truncate(bits as u32);
        let order = match () {
            () if bits.contains(MemorySemantics::SEQUENTIALLY_CONSISTENT) => MemoryOrder::SeqCst,
            () if bits.contains(MemorySemantics::ACQUIRE_RELEASE) => MemoryOrder::AcqRel,
            () if bits.contains(MemorySemantics::ACQUIRE | MemorySemantics::RELEASE) => {
                MemoryOrder::AcqRel
            }
            () if bits.contains(MemorySemantics::ACQUIRE) => MemoryOrder::Acquire,
            () if bits.contains(MemorySemantics::RELEASE) => MemoryOrder::Release,
            () => MemoryOrder::Relaxed,
        };
        Ok(match self.m.out.target().vulkan_memory_model {
            true => order,
            false if order == MemoryOrder::Relaxed => order,
            false => return Err(format!("the device has no {} order", order.name())),
        })
    }

    /// Returns the kinds of memory that memory semantics name; all of them if the semantics are not constant.
    pub(super) fn memory_of(&mut self, semantics: u32) -> Result<BarrierFlags, String> {
        let Some(bits) = self.known_integer(semantics)? else { return Ok(BarrierFlags::all()) };
        let bits = MemorySemantics::from_bits_truncate(bits as u32);
        let mut flags = BarrierFlags::empty();
        flags.set(BarrierFlags::LOCAL, bits.contains(MemorySemantics::WORKGROUP_MEMORY));
        flags.set(BarrierFlags::GLOBAL, bits.contains(MemorySemantics::CROSS_WORKGROUP_MEMORY));
        flags.set(BarrierFlags::IMAGE, bits.contains(MemorySemantics::IMAGE_MEMORY));
        Ok(flags)
    }

    /// Returns a memory scope; the widest one if it is not constant.
    pub(super) fn scope(&mut self, scope: u32) -> Result<MemoryScope, String> {
        let Some(scope) = self.known_integer(scope)? else { return Ok(MemoryScope::Device) };
        let scope = u32::try_from(scope).ok().and_then(Scope::from_u32);
        Ok(match scope.ok_or("unknown scope")? {
            Scope::Workgroup | Scope::Subgroup | Scope::Invocation => MemoryScope::WorkGroup,
            _ => MemoryScope::Device,
        })
    }
}
