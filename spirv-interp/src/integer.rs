//! Operations on integers and bools. Exactly the bits that depend on an undefined bit are undefined.

use crate::value::{ones, signed, Bits};
use rspirv::spirv::Op;

/// Returns a bit pattern cut to `width` bits.
fn cut(bits: u64, undef: u64, width: u32) -> Bits {
    Bits { bits: bits & ones(width), undef: undef & ones(width) }
}

/// Returns the bits that a carry out of undefined bits may reach.
fn carried(undef: u64) -> u64 {
    match undef {
        0 => 0,
        _ => !((1 << undef.trailing_zeros()) - 1),
    }
}

/// Returns a bool as bits.
pub fn truth(value: bool) -> Bits {
    Bits::new(u64::from(value))
}

/// Evaluates an operation with one operand; `None` if it is not an operation on integers.
pub fn unary(op: Op, a: Bits, width: u32) -> Option<Bits> {
    Some(match op {
        Op::SNegate => cut(a.bits.wrapping_neg(), carried(a.undef), width),
        Op::Not | Op::LogicalNot => cut(!a.bits, a.undef, width),
        Op::BitReverse if width > 0 => {
            let shift = 64 - width;
            cut(a.bits.reverse_bits() >> shift, a.undef.reverse_bits() >> shift, width)
        }
        Op::BitCount => match a.undef {
            0 => Bits::new(u64::from(a.bits.count_ones())),
            _ => Bits::undefined(width),
        },
        _ => return None,
    })
}

/// Evaluates an operation with two operands and a result of `width` bits; `None` if `op` is another operation.
pub fn binary(op: Op, a: Bits, b: Bits, width: u32) -> Option<Bits> {
    let undef = a.undef | b.undef;
    Some(match op {
        Op::IAdd => cut(a.bits.wrapping_add(b.bits), carried(undef), width),
        Op::ISub => cut(a.bits.wrapping_sub(b.bits), carried(undef), width),
        Op::IMul => {
            // A factor of zero is enough to make the product defined.
            let zero = |x: Bits| x == Bits::new(0);
            let undef = if zero(a) || zero(b) { 0 } else { carried(undef) };
            cut(a.bits.wrapping_mul(b.bits), undef, width)
        }
        Op::BitwiseAnd | Op::LogicalAnd => {
            cut(a.bits & b.bits, undef & (a.bits | a.undef) & (b.bits | b.undef), width)
        }
        Op::BitwiseOr | Op::LogicalOr => {
            let one = a.bits & !a.undef | b.bits & !b.undef;
            cut(a.bits | b.bits, undef & !one, width)
        }
        Op::BitwiseXor | Op::LogicalNotEqual => cut(a.bits ^ b.bits, undef, width),
        Op::LogicalEqual => cut(!(a.bits ^ b.bits), undef, width),
        Op::SDot | Op::UDot | Op::SUDot if width == 32 => packed_dot(op, a, b),
        Op::UDiv | Op::UMod | Op::SDiv | Op::SRem | Op::SMod => divide(op, a, b, width),
        _ => return None,
    })
}

/// Returns the dot product of the four 8-bit numbers in each of two words.
fn packed_dot(op: Op, a: Bits, b: Bits) -> Bits {
    if a.undef | b.undef != 0 {
        return Bits::undefined(32);
    }
    let number = |word: u64, i: u32, is_signed: bool| match is_signed {
        true => signed(word >> (8 * i) & 0xff, 8),
        false => (word >> (8 * i) & 0xff) as i64,
    };
    let product = |i| number(a.bits, i, op != Op::UDot) * number(b.bits, i, op == Op::SDot);
    cut((0..4).map(product).sum::<i64>() as u64, 0, 32)
}

/// Evaluates a division. Division by zero, and the one quotient that overflows, have no defined result (SPIR-V 3.49.13).
fn divide(op: Op, a: Bits, b: Bits, width: u32) -> Bits {
    let (x, y) = (signed(a.bits, width), signed(b.bits, width));
    let is_signed = !matches!(op, Op::UDiv | Op::UMod);
    let overflows = is_signed && y == -1 && x == signed(1 << (width - 1), width);
    if a.undef | b.undef != 0 || b.bits == 0 || overflows {
        return Bits::undefined(width);
    }
    let bits = match op {
        Op::UDiv => a.bits / b.bits,
        Op::UMod => a.bits % b.bits,
        Op::SDiv => x.wrapping_div(y) as u64,
        Op::SRem => x.wrapping_rem(y) as u64,
        _ => ((x.wrapping_rem(y)).wrapping_add(y)).wrapping_rem(y) as u64,
    };
    cut(bits, 0, width)
}

/// Evaluates a shift of `width` bits. A shift by `width` bits or more has no defined result.
pub fn shift(op: Op, a: Bits, amount: Bits, width: u32) -> Bits {
    if amount.undef != 0 || amount.bits >= u64::from(width) {
        return Bits::undefined(width);
    }
    let by = amount.bits as u32;
    let arithmetic = |bits: u64| (signed(bits, width) >> by) as u64;
    match op {
        Op::ShiftLeftLogical => cut(a.bits << by, a.undef << by, width),
        Op::ShiftRightLogical => cut(a.bits >> by, a.undef >> by, width),
        _ => cut(arithmetic(a.bits), arithmetic(a.undef), width),
    }
}

/// Evaluates a comparison of integers of `width` bits; `None` if `op` is not such a comparison.
pub fn compare(op: Op, a: Bits, b: Bits, width: u32) -> Option<Bits> {
    let undef = a.undef | b.undef;
    let differ = (a.bits ^ b.bits) & !undef != 0;
    let (x, y) = (signed(a.bits, width), signed(b.bits, width));
    let value = match op {
        Op::IEqual if differ => return Some(truth(false)),
        Op::INotEqual if differ => return Some(truth(true)),
        Op::IEqual => a.bits == b.bits,
        Op::INotEqual => a.bits != b.bits,
        Op::UGreaterThan => a.bits > b.bits,
        Op::UGreaterThanEqual => a.bits >= b.bits,
        Op::ULessThan => a.bits < b.bits,
        Op::ULessThanEqual => a.bits <= b.bits,
        Op::SGreaterThan => x > y,
        Op::SGreaterThanEqual => x >= y,
        Op::SLessThan => x < y,
        Op::SLessThanEqual => x <= y,
        _ => return None,
    };
    Some(if undef == 0 { truth(value) } else { Bits::undefined(1) })
}

/// Returns an integer in another width.
pub fn convert(a: Bits, from: u32, to: u32, sign_extend: bool) -> Bits {
    match sign_extend {
        true => cut(signed(a.bits, from) as u64, signed(a.undef, from) as u64, to),
        false => cut(a.bits, a.undef, to),
    }
}

/// Returns one of two values. If the condition is undefined, the bits that both values share are still defined.
pub fn select(condition: Bits, then: Bits, otherwise: Bits) -> Bits {
    match (condition.undef, condition.bits) {
        (0, 0) => otherwise,
        (0, _) => then,
        _ => Bits {
            bits: then.bits,
            undef: then.undef | otherwise.undef | (then.bits ^ otherwise.bits),
        },
    }
}

/// Returns the low and the high half of a product, or a sum or difference and its carry or borrow; `None` for other operations.
pub fn extended(op: Op, a: Bits, b: Bits, width: u32) -> Option<[Bits; 2]> {
    let undef = a.undef | b.undef;
    let unsigned = |f: fn(u128, u128) -> u128| f(a.bits.into(), b.bits.into());
    let all = match op {
        Op::UMulExtended => unsigned(|x, y| x * y),
        Op::SMulExtended => {
            (i128::from(signed(a.bits, width)) * i128::from(signed(b.bits, width))) as u128
        }
        Op::IAddCarry => unsigned(|x, y| x + y),
        Op::ISubBorrow => {
            let difference = a.bits.wrapping_sub(b.bits) & ones(width);
            u128::from(difference) | u128::from(a.bits < b.bits) << width
        }
        _ => return None,
    };
    let undef = if undef == 0 { 0 } else { u64::MAX };
    Some([cut(all as u64, undef, width), cut((all >> width) as u64, undef, width)])
}
