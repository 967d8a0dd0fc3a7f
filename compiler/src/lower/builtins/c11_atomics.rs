//! The atomic functions of OpenCL C 2.0 (6.15.12): order and scope as the IR has them.

use super::{done, BuiltinCall, BuiltinResult};
use crate::ir::Addr;
use crate::ir::{
    AddressSpace, AtomicOp, IntCC, MemoryOrder, MemoryScope, Scalar, SyncSemantics, Type, Value,
};
use crate::lower::function::Lowering;
use crate::sema::types::TypeKind;

impl Lowering<'_, '_> {
    /// `op` is the name without `atomic_`.
    pub(super) fn c11_atomic(&mut self, op: &str, call: &BuiltinCall) -> BuiltinResult {
        let op = op.strip_suffix("_explicit").unwrap_or(op);
        let operands = match op {
            "init" | "store" | "exchange" => 2,
            "load" | "flag_test_and_set" | "flag_clear" => 1,
            "compare_exchange_strong" | "compare_exchange_weak" => 3,
            _ if op.starts_with("fetch_") => 2,
            _ => return None,
        };
        let (args, rest) = call.args.split_at_checked(operands)?;
        if let ("init", &[ptr, value]) = (op, args) {
            let align = self.b.ty(value).scalar.bytes();
            self.b.write(Addr::new(ptr, align), value);
            return Some(None);
        }
        let orders = if operands == 3 { 2 } else { 1 };
        let sync = self.synchronization(rest, orders);
        self.c11_operation(op, args, sync, call)
    }

    /// Returns what order and scope arguments say: one order or, for a compare-and-exchange, that of success
    /// and that of failure, which become one as strong as both. Without arguments it is the strongest.
    fn synchronization(&self, args: &[Value], orders: usize) -> SyncSemantics {
        let (orders, scope) = args.split_at(orders.min(args.len()));
        let order = orders.iter().map(|&order| self.memory_order(order)).reduce(stronger);
        let scope = scope.first().map_or(MemoryScope::Device, |&scope| self.memory_scope(scope));
        SyncSemantics { order: order.unwrap_or(MemoryOrder::SeqCst), scope }
    }

    /// Returns a value of memory_order; the strongest where it is not known here.
    pub(super) fn memory_order(&self, value: Value) -> MemoryOrder {
        match self.b.func.as_const(value) {
            Some(0) => MemoryOrder::Relaxed,
            Some(2) => MemoryOrder::Acquire,
            Some(3) => MemoryOrder::Release,
            Some(4) => MemoryOrder::AcqRel,
            _ => MemoryOrder::SeqCst,
        }
    }

    /// Returns a value of memory_scope; the widest where it is not known here.
    pub(super) fn memory_scope(&self, value: Value) -> MemoryScope {
        match self.b.func.as_const(value) {
            Some(0 | 1) => MemoryScope::WorkGroup,
            _ => MemoryScope::Device,
        }
    }

    fn c11_operation(
        &mut self,
        op: &str,
        args: &[Value],
        sync: SyncSemantics,
        call: &BuiltinCall,
    ) -> BuiltinResult {
        match (op, args) {
            ("store", &[ptr, value]) => {
                let bits = self.b.as_bits(value);
                self.b.atomic_store(ptr, bits, sync);
                Some(None)
            }
            ("load", &[ptr]) => {
                let ty = call.result;
                let bits = Type::of(Scalar::int(ty.scalar.bits()));
                let value = self.b.atomic_load(bits, ptr, sync);
                done(self.b.bitcast(value, ty))
            }
            ("flag_test_and_set", &[ptr]) => {
                let one = self.b.int(Scalar::I32, 1);
                let old = self.b.atomic_rmw(AtomicOp::Xchg, ptr, one, sync);
                done(self.b.is_nonzero(old))
            }
            ("flag_clear", &[ptr]) => {
                let zero = self.b.int(Scalar::I32, 0);
                self.b.atomic_store(ptr, zero, sync);
                Some(None)
            }
            ("compare_exchange_strong" | "compare_exchange_weak", &[ptr, expected, desired]) => {
                let ty = self.b.ty(desired);
                let expected = Addr::new(expected, self.expected_align(call, ty));
                let desired = self.b.as_bits(desired);
                let bits = self.b.ty(desired);
                let wanted = self.b.read(bits, expected);
                let old = self.b.atomic_cmpxchg(ptr, wanted, desired, sync);
                let exchanged = self.b.icmp(IntCC::Eq, old, wanted);
                self.store_unless(exchanged, expected, old);
                done(exchanged)
            }
            (_, &[ptr, value]) => {
                let op = op.strip_prefix("fetch_").unwrap_or(op);
                let op = self.read_modify_write(op, value, self.element(call, 1))?;
                done(self.rmw(op, ptr, value, sync))
            }
            _ => None,
        }
    }

    /// Stores where a condition does not hold. In private memory nobody sees a store of what is there
    /// already.
    fn store_unless(&mut self, cond: Value, addr: Addr, value: Value) {
        if self.b.space(addr.ptr) == AddressSpace::Private {
            return self.b.write(addr, value);
        }
        let (store, join) = (self.b.new_block(), self.b.new_block());
        self.b.brif(cond, join, store);
        self.b.switch_to(store);
        self.b.write(addr, value);
        self.b.jump(join, &[]);
        self.b.switch_to(join);
    }

    fn expected_align(&self, call: &BuiltinCall, ty: Type) -> u32 {
        match call.arg_type(1).map(|ty| self.types().kind(ty)) {
            Some(TypeKind::Pointer(pointer)) => self.types().align(pointer.pointee),
            _ => ty.bytes(),
        }
    }
}

/// Returns the least order as strong as both.
fn stronger(a: MemoryOrder, b: MemoryOrder) -> MemoryOrder {
    if a == MemoryOrder::SeqCst || b == MemoryOrder::SeqCst {
        return MemoryOrder::SeqCst;
    }
    match (a.acquires() || b.acquires(), a.releases() || b.releases()) {
        (true, true) => MemoryOrder::AcqRel,
        (true, false) => MemoryOrder::Acquire,
        (false, true) => MemoryOrder::Release,
        (false, false) => MemoryOrder::Relaxed,
    }
}
