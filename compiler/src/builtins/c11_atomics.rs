//! The atomic functions of OpenCL C 2.0 (6.15.12), whose orders and scopes become those of the IR.

use super::atomics::{add_op, max_op, min_op};
use super::row::{Check, LowerCall, Names, Row, Synchronization};
use super::signature::TypePattern::{self, Void, G};
use super::signature::{Elements, Scalar as Name, Sig, Spaces, SCALAR};
use super::{Call, Lowerer};
use crate::ir::{
    Addr, AddressSpace, AtomicOp, BinaryOp, IntCC, MemoryOrder, MemoryScope, Scalar, SyncSemantics,
    Type, Value,
};
use crate::options::ClStd;

const OBJECT: TypePattern = TypePattern::Atomic(Spaces::ATOMIC);
const EXPECTED: TypePattern = TypePattern::OutElement(Spaces::WRITABLE);
const BOOL: TypePattern = TypePattern::S(Name::Bool);
const ORDER: TypePattern = TypePattern::S(Name::Int);
const SCOPE: TypePattern = TypePattern::S(Name::Int);

const fn any(ret: TypePattern, params: &'static [TypePattern]) -> Sig {
    Sig::new(Elements::ATOMIC, ret, params).lanes(SCALAR)
}

/// Returns a signature for atomic objects, also of halves.
const fn or_half(ret: TypePattern, params: &'static [TypePattern]) -> Sig {
    Sig::new(Elements::ATOMIC_OR_HALF, ret, params).lanes(SCALAR)
}

const fn integer(params: &'static [TypePattern]) -> Sig {
    Sig::new(Elements::I32_I64, G, params).lanes(SCALAR)
}

const fn flag(ret: TypePattern, params: &'static [TypePattern]) -> Sig {
    Sig::new(Elements::FLAG, ret, params).lanes(SCALAR)
}

const FETCH: &[Sig] = &[integer(&[OBJECT, G])];
const FETCH_EXPLICIT: &[Sig] = &[integer(&[OBJECT, G, ORDER]), integer(&[OBJECT, G, ORDER, SCOPE])];
/// `atomic_fetch_add` and its like on integers and on floats (cl_ext_float_atomics).
const FETCH_NUMBER: &[Sig] = &[or_half(G, &[OBJECT, G])];
const FETCH_NUMBER_EXPLICIT: &[Sig] =
    &[or_half(G, &[OBJECT, G, ORDER]), or_half(G, &[OBJECT, G, ORDER, SCOPE])];

// Values of memory_order.
const ACQUIRE: i128 = 2;
const RELEASE: i128 = 3;
const BOTH: i128 = 4;

/// Describes a function with one order argument, at position `first`, which must not be one of `wrong`.
pub(super) const fn orders(first: usize, wrong: &'static [i128]) -> Synchronization {
    Synchronization { first, orders: 1, is_fence: false, wrong: [wrong, &[]] }
}

const STORE: Synchronization = orders(2, &[ACQUIRE, BOTH]);
const LOAD: Synchronization = orders(1, &[RELEASE, BOTH]);
const UPDATE: Synchronization = orders(2, &[]);
const CLEAR: Synchronization = orders(1, &[ACQUIRE, BOTH]);
const SET: Synchronization = orders(1, &[]);
const EXCHANGE_IF: Synchronization =
    Synchronization { orders: 2, wrong: [&[], &[RELEASE, BOTH]], ..orders(3, &[]) };

const fn c11(
    names: Names,
    sigs: &'static [Sig],
    synchronization: Synchronization,
    lower: LowerCall,
) -> Row {
    let check = Check::Synchronization(synchronization);
    Row::call(names, sigs, lower).since(ClStd::Cl20).check(check)
}

const fn fetch(names: Names, sigs: &'static [Sig], lower: LowerCall) -> Row {
    c11(names, sigs, UPDATE, lower)
}

pub(super) const ROWS: &[Row] = &[
    Row::call(&["atomic_init"], &[or_half(Void, &[OBJECT, G])], |l, c| {
        let &[ptr, value] = c.args else { return None };
        let align = l.b.ty(value).scalar.bytes();
        l.b.write(Addr::new(ptr, align), value);
        None
    })
    .since(ClStd::Cl20),
    c11(&["atomic_store"], &[or_half(Void, &[OBJECT, G])], STORE, |l, c| l.atomic_store(c)),
    c11(
        &["atomic_store_explicit"],
        &[or_half(Void, &[OBJECT, G, ORDER]), or_half(Void, &[OBJECT, G, ORDER, SCOPE])],
        STORE,
        |l, c| l.atomic_store(c),
    ),
    c11(&["atomic_load"], &[or_half(G, &[OBJECT])], LOAD, |l, c| l.atomic_load(c)),
    c11(
        &["atomic_load_explicit"],
        &[or_half(G, &[OBJECT, ORDER]), or_half(G, &[OBJECT, ORDER, SCOPE])],
        LOAD,
        |l, c| l.atomic_load(c),
    ),
    c11(&["atomic_exchange"], &[or_half(G, &[OBJECT, G])], UPDATE, |l, c| {
        l.fetch(c, AtomicOp::Xchg)
    }),
    c11(
        &["atomic_exchange_explicit"],
        &[or_half(G, &[OBJECT, G, ORDER]), or_half(G, &[OBJECT, G, ORDER, SCOPE])],
        UPDATE,
        |l, c| l.fetch(c, AtomicOp::Xchg),
    ),
    c11(
        &["atomic_compare_exchange_strong", "atomic_compare_exchange_weak"],
        &[any(BOOL, &[OBJECT, EXPECTED, G])],
        EXCHANGE_IF,
        |l, c| l.compare_exchange(c),
    ),
    c11(
        &["atomic_compare_exchange_strong_explicit", "atomic_compare_exchange_weak_explicit"],
        &[
            any(BOOL, &[OBJECT, EXPECTED, G, ORDER, ORDER]),
            any(BOOL, &[OBJECT, EXPECTED, G, ORDER, ORDER, SCOPE]),
        ],
        EXCHANGE_IF,
        |l, c| l.compare_exchange(c),
    ),
    fetch(&["atomic_fetch_add"], FETCH_NUMBER, |l, c| l.fetch(c, add_op(c))),
    fetch(&["atomic_fetch_add_explicit"], FETCH_NUMBER_EXPLICIT, |l, c| l.fetch(c, add_op(c))),
    fetch(&["atomic_fetch_sub"], FETCH_NUMBER, |l, c| l.fetch_sub(c)),
    fetch(&["atomic_fetch_sub_explicit"], FETCH_NUMBER_EXPLICIT, |l, c| l.fetch_sub(c)),
    fetch(&["atomic_fetch_or"], FETCH, |l, c| l.fetch(c, AtomicOp::Or)),
    fetch(&["atomic_fetch_or_explicit"], FETCH_EXPLICIT, |l, c| l.fetch(c, AtomicOp::Or)),
    fetch(&["atomic_fetch_xor"], FETCH, |l, c| l.fetch(c, AtomicOp::Xor)),
    fetch(&["atomic_fetch_xor_explicit"], FETCH_EXPLICIT, |l, c| l.fetch(c, AtomicOp::Xor)),
    fetch(&["atomic_fetch_and"], FETCH, |l, c| l.fetch(c, AtomicOp::And)),
    fetch(&["atomic_fetch_and_explicit"], FETCH_EXPLICIT, |l, c| l.fetch(c, AtomicOp::And)),
    fetch(&["atomic_fetch_min"], FETCH_NUMBER, |l, c| l.fetch(c, min_op(c))),
    fetch(&["atomic_fetch_min_explicit"], FETCH_NUMBER_EXPLICIT, |l, c| l.fetch(c, min_op(c))),
    fetch(&["atomic_fetch_max"], FETCH_NUMBER, |l, c| l.fetch(c, max_op(c))),
    fetch(&["atomic_fetch_max_explicit"], FETCH_NUMBER_EXPLICIT, |l, c| l.fetch(c, max_op(c))),
    c11(&["atomic_flag_test_and_set"], &[flag(BOOL, &[OBJECT])], SET, |l, c| l.flag_set(c)),
    c11(
        &["atomic_flag_test_and_set_explicit"],
        &[flag(BOOL, &[OBJECT, ORDER]), flag(BOOL, &[OBJECT, ORDER, SCOPE])],
        SET,
        |l, c| l.flag_set(c),
    ),
    c11(&["atomic_flag_clear"], &[flag(Void, &[OBJECT])], CLEAR, |l, c| l.flag_clear(c)),
    c11(
        &["atomic_flag_clear_explicit"],
        &[flag(Void, &[OBJECT, ORDER]), flag(Void, &[OBJECT, ORDER, SCOPE])],
        CLEAR,
        |l, c| l.flag_clear(c),
    ),
];

impl Lowerer<'_, '_> {
    fn atomic_store(&mut self, call: &Call<'_>) -> Option<Value> {
        let &[ptr, value, ref sync @ ..] = call.args else { return None };
        let sync = self.synchronization(sync, 1);
        self.atomic_set(ptr, value, sync);
        None
    }

    /// Stores a value of any type that atomic objects can have.
    pub(crate) fn atomic_set(&mut self, ptr: Value, value: Value, sync: SyncSemantics) {
        if self.b.ty(value).scalar == Scalar::F16 {
            self.update_half(AtomicOp::Xchg, ptr, value, sync);
            return;
        }
        let bits = self.b.as_bits(value);
        self.b.atomic_store(ptr, bits, sync);
    }

    fn atomic_load(&mut self, call: &Call<'_>) -> Option<Value> {
        let &[ptr, ref sync @ ..] = call.args else { return None };
        let sync = self.synchronization(sync, 1);
        Some(self.atomic_get(call.result, ptr, sync))
    }

    /// Loads a value of any type that atomic objects can have.
    pub(crate) fn atomic_get(&mut self, ty: Type, ptr: Value, sync: SyncSemantics) -> Value {
        if ty.scalar == Scalar::F16 {
            return self.load_half(ptr, sync);
        }
        let bits = Type::of(Scalar::int(ty.scalar.bits()));
        let value = self.b.atomic_load(bits, ptr, sync);
        self.b.bitcast(value, ty)
    }

    fn fetch(&mut self, call: &Call<'_>, op: AtomicOp) -> Option<Value> {
        let &[ptr, value, ref sync @ ..] = call.args else { return None };
        let sync = self.synchronization(sync, 1);
        Some(self.atomic_update(op, ptr, value, sync))
    }

    /// Changes an atomic object of any type by a value of the same type. Returns the old value.
    pub(crate) fn atomic_update(
        &mut self,
        op: AtomicOp,
        ptr: Value,
        value: Value,
        sync: SyncSemantics,
    ) -> Value {
        match self.b.ty(value).scalar {
            Scalar::F16 => self.update_half(op, ptr, value, sync),
            Scalar::F64 if self.makes_own_sums() => match op.arithmetic() {
                Some(arithmetic) => self.update_double(arithmetic, ptr, value, sync),
                None => self.rmw(op, ptr, value, sync),
            },
            _ => self.rmw(op, ptr, value, sync),
        }
    }

    /// Returns true if arithmetic on doubles is emulated.
    fn makes_own_sums(&self) -> bool {
        self.target.soft_float64 || self.target.emulates_denormals(self.options)
    }

    /// Changes a double in a loop, where the device's own arithmetic loses denormal numbers or does not exist: this addition is
    /// emulated like any other ([`crate::quirks::denormals`]). Returns the old value.
    fn update_double(
        &mut self,
        op: BinaryOp,
        ptr: Value,
        operand: Value,
        sync: SyncSemantics,
    ) -> Value {
        let double = self.b.ty(operand);
        let old = self.update_by_exchange(ptr, Type::I64, sync, |this, old| {
            let old = this.b.bitcast(old, double);
            let new = this.b.binary(op, old, operand);
            this.b.bitcast(new, Type::I64)
        });
        self.b.bitcast(old, double)
    }

    /// Writes a loop of compare-and-exchange operations on an integer, which ends when no other work-item has changed it in
    /// between. `new` computes the new bits from the old bits, without branches. Returns the old bits.
    pub(super) fn update_by_exchange(
        &mut self,
        ptr: Value,
        int: Type,
        sync: SyncSemantics,
        new: impl FnOnce(&mut Self, Value) -> Value,
    ) -> Value {
        let relaxed = SyncSemantics { order: MemoryOrder::Relaxed, ..sync };
        let first = self.b.atomic_load(int, ptr, relaxed);
        let (turn, after) = (self.b.new_block(), self.b.new_block());
        let state = self.b.func.add_param(turn, int);
        self.b.jump(turn, &[first]);
        self.b.switch_to(turn);
        let desired = new(self, state);
        let seen = self.b.atomic_cmpxchg(ptr, state, desired, sync);
        let done = self.b.icmp(IntCC::Eq, seen, state);
        self.b.brif_with(done, (after, &[]), (turn, &[seen]));
        self.b.switch_to(after);
        state
    }

    /// `atomic_fetch_sub`. Floats are subtracted by adding the negated value.
    fn fetch_sub(&mut self, call: &Call<'_>) -> Option<Value> {
        if !call.number().is_float() {
            return self.fetch(call, AtomicOp::Sub);
        }
        let &[ptr, value, ref sync @ ..] = call.args else { return None };
        let value = self.b.negate(value);
        let args = [&[ptr, value], sync].concat();
        self.fetch(&Call { args: &args, ..*call }, AtomicOp::FAdd)
    }

    fn flag_set(&mut self, call: &Call<'_>) -> Option<Value> {
        let &[ptr, ref sync @ ..] = call.args else { return None };
        let sync = self.synchronization(sync, 1);
        let one = self.b.int(Scalar::I32, 1);
        let old = self.b.atomic_rmw(AtomicOp::Xchg, ptr, one, sync);
        Some(self.b.is_nonzero(old))
    }

    fn flag_clear(&mut self, call: &Call<'_>) -> Option<Value> {
        let &[ptr, ref sync @ ..] = call.args else { return None };
        let sync = self.synchronization(sync, 1);
        let zero = self.b.int(Scalar::I32, 0);
        self.b.atomic_store(ptr, zero, sync);
        None
    }

    fn compare_exchange(&mut self, call: &Call<'_>) -> Option<Value> {
        let &[ptr, expected, desired, ref sync @ ..] = call.args else { return None };
        let sync = self.synchronization(sync, 2);
        let desired = self.b.as_bits(desired);
        let bits = self.b.ty(desired);
        let expected = Addr::new(expected, bits.bytes());
        let wanted = self.b.read(bits, expected);
        let old = self.b.atomic_cmpxchg(ptr, wanted, desired, sync);
        let exchanged = self.b.icmp(IntCC::Eq, old, wanted);
        self.store_unless(exchanged, expected, old);
        Some(exchanged)
    }

    /// Returns the order and scope that arguments ask for: one order or, for a compare-and-exchange, the orders of success and
    /// of failure, which become one order as strong as both. Without arguments the order is the strongest.
    fn synchronization(&self, args: &[Value], orders: usize) -> SyncSemantics {
        let (orders, scope) = args.split_at(orders.min(args.len()));
        let order =
            orders.iter().map(|&order| self.memory_order(order)).reduce(MemoryOrder::as_strong_as);
        let scope = scope.first().map_or(MemoryScope::Device, |&scope| self.memory_scope(scope));
        SyncSemantics { order: order.unwrap_or(MemoryOrder::SeqCst), scope }
    }

    /// Returns the memory order that a value of memory_order means; the strongest if the value is not a constant.
    pub(super) fn memory_order(&self, value: Value) -> MemoryOrder {
        match self.b.func.as_const(value) {
            Some(0) => MemoryOrder::Relaxed,
            Some(2) => MemoryOrder::Acquire,
            Some(3) => MemoryOrder::Release,
            Some(4) => MemoryOrder::AcqRel,
            _ => MemoryOrder::SeqCst,
        }
    }

    /// Returns the memory scope that a value of memory_scope means; the widest if the value is not a constant.
    pub(super) fn memory_scope(&self, value: Value) -> MemoryScope {
        match self.b.func.as_const(value) {
            // The scopes of a work-item, a work-group, a sub-group.
            Some(0 | 1 | 4) => MemoryScope::WorkGroup,
            _ => MemoryScope::Device,
        }
    }

    /// Stores a value unless a condition holds. In private memory the store is made in any case, since no other work-item sees
    /// a store that does not change the value.
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
}
