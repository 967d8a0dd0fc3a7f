//! The atomic functions of OpenCL C 1.x (6.15.12.8).

use super::{done, BuiltinCall, BuiltinResult};
use crate::ir::{AtomicOp, SyncSemantics, Value};
use crate::lower::function::Lowering;
use crate::sema::types::Scalar as Name;

impl Lowering<'_, '_> {
    pub fn atomic_builtin(&mut self, call: &BuiltinCall) -> BuiltinResult {
        if let Some(op) = call.name.strip_prefix("atom_") {
            return self.old_atomic(op, call);
        }
        let op = call.name.strip_prefix("atomic_")?;
        self.old_atomic(op, call).or_else(|| self.c11_atomic(op, call))
    }

    /// `atomic_add(p, v)` and its like: relaxed, the old value results.
    fn old_atomic(&mut self, op: &str, call: &BuiltinCall) -> BuiltinResult {
        match (op, call.args.as_slice()) {
            ("inc" | "dec", &[ptr]) => {
                let one = self.b.iconst(call.result, 1);
                let op = if op == "inc" { AtomicOp::Add } else { AtomicOp::Sub };
                done(self.b.atomic_rmw(op, ptr, one, SyncSemantics::RELAXED))
            }
            ("cmpxchg", &[ptr, expected, desired]) => {
                done(self.b.atomic_cmpxchg(ptr, expected, desired, SyncSemantics::RELAXED))
            }
            (_, &[ptr, value]) => {
                let op = self.read_modify_write(op, value, self.element(call, 1))?;
                done(self.rmw(op, ptr, value, SyncSemantics::RELAXED))
            }
            _ => None,
        }
    }

    /// Returns what a function's name says, for operands of a type.
    pub(super) fn read_modify_write(&self, op: &str, value: Value, name: Name) -> Option<AtomicOp> {
        let float = self.b.ty(value).scalar.is_float();
        let signed = name.is_signed();
        Some(match op {
            "xchg" | "exchange" => AtomicOp::Xchg,
            "add" if float => AtomicOp::FAdd,
            "add" => AtomicOp::Add,
            _ if float => return None,
            "sub" => AtomicOp::Sub,
            "and" => AtomicOp::And,
            "or" => AtomicOp::Or,
            "xor" => AtomicOp::Xor,
            "min" if signed => AtomicOp::SMin,
            "min" => AtomicOp::UMin,
            "max" if signed => AtomicOp::SMax,
            "max" => AtomicOp::UMax,
            _ => return None,
        })
    }

    /// Floats are exchanged as integers.
    pub(super) fn rmw(
        &mut self,
        op: AtomicOp,
        ptr: Value,
        value: Value,
        sync: SyncSemantics,
    ) -> Value {
        let ty = self.b.ty(value);
        if op == AtomicOp::Xchg && ty.scalar.is_float() {
            let bits = self.b.bitcast(value, self.b.bits_type(value));
            let old = self.b.atomic_rmw(op, ptr, bits, sync);
            return self.b.bitcast(old, ty);
        }
        self.b.atomic_rmw(op, ptr, value, sync)
    }
}
