//! The atomic functions of OpenCL C 1.x (6.15.12.8), which are relaxed and return the old value.

use super::row::{Check, Lower, Names, Row};
use super::signature::TypePattern::{self, E, G};
use super::signature::{Elements, Sig, Spaces, SCALAR};
use super::{Call, Lowerer};
use crate::ir::{AtomicOp, SyncSemantics, Value};
use crate::options::ClStd;

/// The parameter that points to the object.
const OBJECT: TypePattern = TypePattern::Out(Spaces::SHARED);
const I32: Elements = Elements::I32;
const I64: Elements = Elements::I32_I64;
const RELAXED: SyncSemantics = SyncSemantics::RELAXED;

const fn update(elements: Elements) -> Sig {
    Sig::new(elements, G, &[OBJECT, G]).lanes(SCALAR)
}

const fn step(elements: Elements) -> Sig {
    Sig::new(elements, E, &[OBJECT]).lanes(SCALAR)
}

const fn exchange_if(elements: Elements) -> Sig {
    Sig::new(elements, G, &[OBJECT, G, G]).lanes(SCALAR)
}

/// `atomic_` functions, of 32 bits.
const fn atomic(names: Names, sigs: &'static [Sig], lower: Lower) -> Row {
    Row::new(names, sigs, lower).since(ClStd::Cl11)
}

/// `atom_` functions, of 64 bits too.
const fn atom(names: Names, sigs: &'static [Sig], lower: Lower) -> Row {
    Row::new(names, sigs, lower).check(Check::Atomic64)
}

const ADD: Lower = Lower::Binary(|l, _, ptr, x| l.rmw(AtomicOp::Add, ptr, x, RELAXED));
const SUB: Lower = Lower::Binary(|l, _, ptr, x| l.rmw(AtomicOp::Sub, ptr, x, RELAXED));
const AND: Lower = Lower::Binary(|l, _, ptr, x| l.rmw(AtomicOp::And, ptr, x, RELAXED));
const OR: Lower = Lower::Binary(|l, _, ptr, x| l.rmw(AtomicOp::Or, ptr, x, RELAXED));
const XOR: Lower = Lower::Binary(|l, _, ptr, x| l.rmw(AtomicOp::Xor, ptr, x, RELAXED));
const MIN: Lower = Lower::Binary(|l, c, ptr, x| l.rmw(min_op(c), ptr, x, RELAXED));
const MAX: Lower = Lower::Binary(|l, c, ptr, x| l.rmw(max_op(c), ptr, x, RELAXED));
const EXCHANGE: Lower = Lower::Binary(|l, _, ptr, x| l.rmw(AtomicOp::Xchg, ptr, x, RELAXED));
const INCREMENT: Lower = Lower::Unary(|l, c, ptr| l.step_by_one(c, AtomicOp::Add, ptr));
const DECREMENT: Lower = Lower::Unary(|l, c, ptr| l.step_by_one(c, AtomicOp::Sub, ptr));
const EXCHANGE_IF: Lower =
    Lower::Ternary(|l, _, ptr, old, new| l.b.atomic_cmpxchg(ptr, old, new, RELAXED));

pub(super) const ROWS: &[Row] = &[
    atomic(&["atomic_add"], &[update(I32)], ADD),
    atomic(&["atomic_sub"], &[update(I32)], SUB),
    atomic(&["atomic_and"], &[update(I32)], AND),
    atomic(&["atomic_or"], &[update(I32)], OR),
    atomic(&["atomic_xor"], &[update(I32)], XOR),
    atomic(&["atomic_min"], &[update(I32)], MIN),
    atomic(&["atomic_max"], &[update(I32)], MAX),
    atomic(&["atomic_xchg"], &[update(I32), update(Elements::F32)], EXCHANGE),
    atomic(&["atomic_inc"], &[step(I32)], INCREMENT),
    atomic(&["atomic_dec"], &[step(I32)], DECREMENT),
    atomic(&["atomic_cmpxchg"], &[exchange_if(I32)], EXCHANGE_IF),
    atom(&["atom_add"], &[update(I64)], ADD),
    atom(&["atom_sub"], &[update(I64)], SUB),
    atom(&["atom_and"], &[update(I64)], AND),
    atom(&["atom_or"], &[update(I64)], OR),
    atom(&["atom_xor"], &[update(I64)], XOR),
    atom(&["atom_min"], &[update(I64)], MIN),
    atom(&["atom_max"], &[update(I64)], MAX),
    atom(&["atom_xchg"], &[update(I64)], EXCHANGE),
    atom(&["atom_inc"], &[step(I64)], INCREMENT),
    atom(&["atom_dec"], &[step(I64)], DECREMENT),
    atom(&["atom_cmpxchg"], &[exchange_if(I64)], EXCHANGE_IF),
];

/// Returns the addition for the object's type.
pub(super) fn add_op(call: &Call<'_>) -> AtomicOp {
    if call.number().is_float() {
        return AtomicOp::FAdd;
    }
    AtomicOp::Add
}

/// Returns the minimum operation for the object's type.
pub(super) fn min_op(call: &Call<'_>) -> AtomicOp {
    if call.number().is_float() {
        return AtomicOp::FMin;
    }
    call.by_sign(AtomicOp::SMin, AtomicOp::UMin)
}

/// Returns the maximum operation for the object's type.
pub(super) fn max_op(call: &Call<'_>) -> AtomicOp {
    if call.number().is_float() {
        return AtomicOp::FMax;
    }
    call.by_sign(AtomicOp::SMax, AtomicOp::UMax)
}

impl Lowerer<'_, '_> {
    /// Adds or subtracts 1.
    fn step_by_one(&mut self, call: &Call<'_>, op: AtomicOp, ptr: Value) -> Value {
        let one = self.b.iconst(call.result, 1);
        self.b.atomic_rmw(op, ptr, one, RELAXED)
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
            let bits = self.b.as_bits(value);
            let old = self.b.atomic_rmw(op, ptr, bits, sync);
            return self.b.bitcast(old, ty);
        }
        self.b.atomic_rmw(op, ptr, value, sync)
    }
}
