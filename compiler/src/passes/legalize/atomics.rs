//! Atomic operations that SPIR-V does not have.

use crate::ir::*;
use crate::passes::cursor::Cursor;

/// Writes an atomic operation on private memory: load, compute, store, since there is one user. Returns the old value,
/// if the operation gives one.
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

/// Returns what an operation makes of the old value.
fn updated(c: &mut Cursor<'_>, op: AtomicOp, old: Value, value: Value) -> Value {
    let op = match op {
        AtomicOp::Xchg => return value,
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
    };
    c.binary(op, old, value)
}
