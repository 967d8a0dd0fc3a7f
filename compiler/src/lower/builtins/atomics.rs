//! Atomic functions: those of OpenCL C 1.x (6.15.12.8) and the C11 ones (6.15.12).

use super::{done, Call, Outcome};
use crate::ir::{AtomicOp, BarrierFlags, IntCC, Scalar, Type, Value};
use crate::lower::function::Lowering;
use crate::lower::memory::Addr;
use crate::sema::types::{Scalar as Name, TypeKind};

impl Lowering<'_, '_> {
    pub fn atomic_builtin(&mut self, call: &Call) -> Outcome {
        if let Some(op) = call.name.strip_prefix("atom_") {
            return self.old_atomic(op, call);
        }
        let op = call.name.strip_prefix("atomic_")?;
        self.old_atomic(op, call).or_else(|| self.c11_atomic(op, call))
    }

    /// `atomic_add(p, v)` and its like: relaxed, the old value results.
    fn old_atomic(&mut self, op: &str, call: &Call) -> Outcome {
        match (op, call.args.as_slice()) {
            ("inc" | "dec", &[ptr]) => {
                let one = self.b.iconst(call.result, 1);
                let op = if op == "inc" { AtomicOp::Add } else { AtomicOp::Sub };
                done(self.b.atomic_rmw(op, ptr, one))
            }
            ("cmpxchg", &[ptr, expected, desired]) => {
                done(self.b.atomic_cmpxchg(ptr, expected, desired))
            }
            (_, &[ptr, value]) => {
                let op = self.read_modify_write(op, value, self.element(call, 1))?;
                done(self.rmw(op, ptr, value))
            }
            _ => None,
        }
    }

    fn read_modify_write(&self, op: &str, value: Value, name: Name) -> Option<AtomicOp> {
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
    fn rmw(&mut self, op: AtomicOp, ptr: Value, value: Value) -> Value {
        let ty = self.b.ty(value);
        if op == AtomicOp::Xchg && ty.scalar.is_float() {
            let bits = self.b.bitcast(value, self.bits_type(value));
            let old = self.b.atomic_rmw(op, ptr, bits);
            return self.b.bitcast(old, ty);
        }
        self.b.atomic_rmw(op, ptr, value)
    }

    fn c11_atomic(&mut self, op: &str, call: &Call) -> Outcome {
        let (op, explicit) = match op.strip_suffix("_explicit") {
            Some(op) => (op, true),
            None => (op, false),
        };
        let operands = match op {
            "init" | "store" | "exchange" => 2,
            "load" | "flag_test_and_set" | "flag_clear" => 1,
            "compare_exchange_strong" | "compare_exchange_weak" => 3,
            _ if op.starts_with("fetch_") => 2,
            _ => return None,
        };
        if op == "init" {
            let &[ptr, value] = call.args.as_slice() else { return None };
            let align = self.b.ty(value).scalar.bytes();
            self.store(Addr::new(ptr, align), value);
            return Some(None);
        }
        // memory_order_relaxed is 0; without an order it is sequentially consistent.
        let order = call.args.get(operands).and_then(|&order| self.b.func.as_const(order));
        let relaxed = explicit && order == Some(0);
        if !relaxed {
            self.b.fence(BarrierFlags::all());
        }
        let outcome = self.c11_operation(op, &call.args[..operands.min(call.args.len())], call);
        if !relaxed {
            self.b.fence(BarrierFlags::all());
        }
        outcome
    }

    fn c11_operation(&mut self, op: &str, args: &[Value], call: &Call) -> Outcome {
        match (op, args) {
            ("store", &[ptr, value]) => {
                let bits = self.as_bits(value);
                self.b.atomic_store(ptr, bits);
                Some(None)
            }
            ("load", &[ptr]) => {
                let ty = call.result;
                let bits = Type::of(Scalar::int(ty.scalar.bits()));
                let value = self.b.atomic_load(bits, ptr);
                done(self.b.bitcast(value, ty))
            }
            ("flag_test_and_set", &[ptr]) => {
                let one = self.int(Scalar::I32, 1);
                let old = self.b.atomic_rmw(AtomicOp::Xchg, ptr, one);
                let set = self.is_nonzero(old);
                done(self.bool_result(set, call))
            }
            ("flag_clear", &[ptr]) => {
                let zero = self.int(Scalar::I32, 0);
                self.b.atomic_store(ptr, zero);
                Some(None)
            }
            ("compare_exchange_strong" | "compare_exchange_weak", &[ptr, expected, desired]) => {
                let ty = self.b.ty(desired);
                let align = self.expected_align(call, ty);
                let expected = Addr::new(expected, align);
                let desired = self.as_bits(desired);
                let bits = self.b.ty(desired);
                let wanted = self.load(bits, expected);
                let old = self.b.atomic_cmpxchg(ptr, wanted, desired);
                self.store(expected, old);
                let same = self.b.icmp(IntCC::Eq, old, wanted);
                done(self.bool_result(same, call))
            }
            (_, &[ptr, value]) => {
                let op = op.strip_prefix("fetch_").unwrap_or(op);
                let op = self.read_modify_write(op, value, self.element(call, 1))?;
                done(self.rmw(op, ptr, value))
            }
            _ => None,
        }
    }

    fn as_bits(&mut self, value: Value) -> Value {
        self.b.bitcast(value, self.bits_type(value))
    }

    fn bool_result(&mut self, value: Value, call: &Call) -> Value {
        self.b.convert(crate::ir::ConvertOp::ZExt, value, call.result)
    }

    fn expected_align(&self, call: &Call, ty: Type) -> u32 {
        match call.arg_type(1).map(|ty| self.types().kind(ty)) {
            Some(TypeKind::Pointer(pointer)) => self.types().align(pointer.pointee),
            _ => ty.bytes(),
        }
    }
}
