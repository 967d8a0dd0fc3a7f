//! Rules that depend on the range of integers: signed operations on numbers that are never negative, and shifts and
//! masks of sums. `get_local_id(0) / 16` and `% 16` become a shift and a mask, although both are signed in C.

use super::Simplified;
use crate::analysis::known_bits::KnownBits;
use crate::ir::fold;
use crate::ir::*;
use crate::passes::cursor::Cursor;
use Simplified::{Become, Keep};

/// Simplifies an operation on integers. `kernel` is given if the function is a kernel's entry.
pub fn binary(
    c: &mut Cursor,
    op: BinaryOp,
    [a, b]: [Value; 2],
    kernel: Option<&KernelEntry>,
) -> Simplified {
    use BinaryOp::*;
    let ty = c.ty(a);
    if ty.lanes != 1 || !ty.scalar.is_int() {
        return Keep;
    }
    match (op, c.func.as_const(b)) {
        (SDiv | SRem, _) if [b, a].iter().all(|&v| is_never_negative(c, v, kernel)) => {
            Become(InstData::Binary { op: op.unsigned(), args: [a, b], flags: OpFlags::empty() })
        }
        (AShr, _) if is_never_negative(c, a, kernel) => {
            Become(InstData::Binary { op: LShr, args: [a, b], flags: OpFlags::empty() })
        }
        (LShr, Some(by)) if (1..ty.scalar.bits().into()).contains(&by) => {
            shifted_sum(c, a, b, by as u32, kernel)
        }
        (And, Some(mask)) => masked(c, a, mask, kernel),
        _ => Keep,
    }
}

/// Returns true if the sign bit of an integer is never set.
fn is_never_negative(c: &Cursor, value: Value, kernel: Option<&KernelEntry>) -> bool {
    let bits = c.ty(value).scalar.bits();
    KnownBits::new(c.func, kernel).max(value) <= fold::mask(bits, u64::MAX) >> 1
}

/// Returns the operands of a sum.
fn sum_of(c: &Cursor, value: Value) -> Option<[Value; 2]> {
    match c.func.def_inst(value)? {
        &InstData::Binary { op: BinaryOp::IAdd, args, .. } => Some(args),
        _ => None,
    }
}

/// Simplifies `(high + low) >> by`, if the low bits of `high` are zero and the sum does not overflow: to `high >> by`
/// if `low` is below `1 << by`, to `(low >> by) + constant` if `high` is a constant.
fn shifted_sum(
    c: &mut Cursor,
    sum: Value,
    shift: Value,
    by: u32,
    kernel: Option<&KernelEntry>,
) -> Simplified {
    let Some([a, b]) = sum_of(c, sum) else { return Keep };
    let known = KnownBits::new(c.func, kernel);
    let all = fold::mask(c.ty(sum).scalar.bits(), u64::MAX);
    let max = [a, b].map(|value| known.max(value));
    if max[0].checked_add(max[1]).is_none_or(|most| most > all) {
        return Keep;
    }
    let shifted = |arg: Value| InstData::Binary {
        op: BinaryOp::LShr,
        args: [arg, shift],
        flags: OpFlags::empty(),
    };
    for (high, low, most) in [(a, b, max[1]), (b, a, max[0])] {
        if known.trailing_zeros(high) < by {
            continue;
        }
        if most >> by == 0 {
            return Become(shifted(high));
        }
        if let Some(constant) = c.func.as_const(high) {
            let ty = c.ty(sum);
            let low = c.binary(BinaryOp::LShr, low, shift);
            let high = c.func.constant(ty, constant >> by);
            // The shifted numbers have a clear sign bit, so the sum does not overflow.
            let flags = OpFlags::NO_SIGNED_WRAP;
            return Become(InstData::Binary { op: BinaryOp::IAdd, args: [low, high], flags });
        }
    }
    Keep
}

/// Simplifies `value & mask`: to the value if the mask clears no bit that may be set; to `low & mask` if the value is a sum
/// `high + low`, all set bits of the mask are low ones, and `high` has none of them set.
fn masked(c: &mut Cursor, value: Value, mask: u64, kernel: Option<&KernelEntry>) -> Simplified {
    let known = KnownBits::new(c.func, kernel);
    let bits = mask.trailing_ones();
    if known.max(value).leading_zeros() >= u64::BITS - bits {
        return Simplified::Value(value);
    }
    if !mask.wrapping_add(1).is_power_of_two() {
        return Keep;
    }
    let Some([a, b]) = sum_of(c, value) else { return Keep };
    let low = match [a, b].map(|summand| known.trailing_zeros(summand) >= bits) {
        [true, _] => b,
        [_, true] => a,
        _ => return Keep,
    };
    let mask = c.func.constant(c.ty(value), mask);
    let flags = OpFlags::empty();
    Become(InstData::Binary { op: BinaryOp::And, args: [low, mask], flags })
}
