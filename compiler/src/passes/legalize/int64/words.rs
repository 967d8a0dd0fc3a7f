//! Arithmetic on 64-bit integers in two words of 32 bits.

use crate::ir::*;
use crate::passes::cursor::Cursor;

/// The words of a 64-bit integer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Words {
    pub lo: Value,
    pub hi: Value,
}

impl Words {
    pub fn constant(c: &mut Cursor<'_>, bits: u64) -> Words {
        Words { lo: word(c, bits as u32), hi: word(c, (bits >> 32) as u32) }
    }

    /// Zero-extends a word.
    pub fn zero_extended(c: &mut Cursor<'_>, lo: Value) -> Words {
        Words { lo, hi: word(c, 0) }
    }

    /// Sign-extends a word.
    pub fn sign_extended(c: &mut Cursor<'_>, lo: Value) -> Words {
        Words { lo, hi: sign_of(c, lo) }
    }

    /// Returns a vector of the low word and the high word.
    pub fn joined(self, c: &mut Cursor<'_>) -> Value {
        c.build(&[self.lo, self.hi])
    }

    /// Inverts [`Words::joined`].
    pub fn of_vector(c: &mut Cursor<'_>, vector: Value) -> Words {
        Words { lo: c.extract(vector, 0), hi: c.extract(vector, 1) }
    }
}

pub fn word(c: &mut Cursor<'_>, value: u32) -> Value {
    c.func.constant(Type::I32, value.into())
}

/// Returns -1 if the number with the high word `hi` is negative, otherwise 0.
pub fn sign_of(c: &mut Cursor<'_>, hi: Value) -> Value {
    c.binary_imm(BinaryOp::AShr, hi, 31)
}

fn bit_of(c: &mut Cursor<'_>, condition: Value) -> Value {
    c.convert(ConvertOp::ZExt, condition, Type::I32)
}

pub fn add(c: &mut Cursor<'_>, a: Words, b: Words) -> Words {
    let lo = c.binary(BinaryOp::IAdd, a.lo, b.lo);
    let hi = c.binary(BinaryOp::IAdd, a.hi, b.hi);
    // The sum has wrapped around if it is less than an addend. Adding zero never wraps around.
    if lo == a.lo || lo == b.lo {
        return Words { lo, hi };
    }
    let carries = c.icmp(IntCC::Ult, lo, b.lo);
    let carry = bit_of(c, carries);
    Words { lo, hi: c.binary(BinaryOp::IAdd, hi, carry) }
}

pub fn sub(c: &mut Cursor<'_>, a: Words, b: Words) -> Words {
    let lo = c.binary(BinaryOp::ISub, a.lo, b.lo);
    let hi = c.binary(BinaryOp::ISub, a.hi, b.hi);
    let borrows = c.icmp(IntCC::Ult, a.lo, b.lo);
    let borrow = bit_of(c, borrows);
    Words { lo, hi: c.binary(BinaryOp::ISub, hi, borrow) }
}

pub fn negate(c: &mut Cursor<'_>, a: Words) -> Words {
    let zero = Words::constant(c, 0);
    sub(c, zero, a)
}

/// Returns (a ^ sign) - sign: negates `a` if `sign` is -1.
pub fn negate_if(c: &mut Cursor<'_>, a: Words, sign: Value) -> Words {
    let flipped = bitwise(c, BinaryOp::Xor, a, Words { lo: sign, hi: sign });
    sub(c, flipped, Words { lo: sign, hi: sign })
}

pub fn bitwise(c: &mut Cursor<'_>, op: BinaryOp, a: Words, b: Words) -> Words {
    Words { lo: c.binary(op, a.lo, b.lo), hi: c.binary(op, a.hi, b.hi) }
}

/// Returns both words of the product of two words.
fn product(c: &mut Cursor<'_>, a: Value, b: Value) -> Words {
    Words { lo: c.binary(BinaryOp::IMul, a, b), hi: c.binary(BinaryOp::UMulHi, a, b) }
}

fn multiply(c: &mut Cursor<'_>, a: Words, b: Words) -> Words {
    let low = product(c, a.lo, b.lo);
    let cross = c.binary(BinaryOp::IMul, a.lo, b.hi);
    let other = c.binary(BinaryOp::IMul, a.hi, b.lo);
    let cross = c.binary(BinaryOp::IAdd, cross, other);
    Words { lo: low.lo, hi: c.binary(BinaryOp::IAdd, low.hi, cross) }
}

/// Returns the high half of the 128-bit product.
fn multiply_high(c: &mut Cursor<'_>, a: Words, b: Words) -> Words {
    let zero = word(c, 0);
    let below = c.binary(BinaryOp::UMulHi, a.lo, b.lo);
    let (cross, other) = (product(c, a.lo, b.hi), product(c, a.hi, b.lo));
    let high = product(c, a.hi, b.hi);
    // The sum of the second words; its carries are added to the third word.
    let mut column = Words { lo: below, hi: zero };
    for lo in [cross.lo, other.lo] {
        column = add(c, column, Words { lo, hi: zero });
    }
    let mut result = high;
    for lo in [cross.hi, other.hi, column.hi] {
        result = add(c, result, Words { lo, hi: zero });
    }
    result
}

/// Returns the high half of the signed product. A negative operand counts as 2^64 more than its value, so the other
/// operand is subtracted from the high half.
fn multiply_high_signed(c: &mut Cursor<'_>, a: Words, b: Words) -> Words {
    let mut high = multiply_high(c, a, b);
    for (sign_of_one, other) in [(a, b), (b, a)] {
        let sign = sign_of(c, sign_of_one.hi);
        let part = bitwise(c, BinaryOp::And, other, Words { lo: sign, hi: sign });
        high = sub(c, high, part);
    }
    high
}

pub fn select(c: &mut Cursor<'_>, cond: Value, a: Words, b: Words) -> Words {
    Words { lo: c.select(cond, a.lo, b.lo), hi: c.select(cond, a.hi, b.hi) }
}

/// Shifts by 0 to 63.
fn shift(c: &mut Cursor<'_>, op: BinaryOp, a: Words, amount: Value) -> Words {
    use BinaryOp::*;
    let zero = word(c, 0);
    let thirty_two = word(c, 32);
    let near = c.binary_imm(And, amount, 31);
    let far = c.icmp(IntCC::Uge, amount, thirty_two);
    // A shift by 32 is undefined. If `near` is 0, no bits cross between the words.
    let back = c.binary(ISub, thirty_two, near);
    let back = c.binary_imm(And, back, 31);
    let still = c.icmp_imm(IntCC::Eq, near, 0);
    let cross = |c: &mut Cursor<'_>, op, from| {
        let moved = c.binary(op, from, back);
        c.select(still, zero, moved)
    };
    if op == Shl {
        let lo = c.binary(Shl, a.lo, near);
        let hi = c.binary(Shl, a.hi, near);
        let over = cross(c, LShr, a.lo);
        let hi = c.binary(Or, hi, over);
        return select(c, far, Words { lo: zero, hi: lo }, Words { lo, hi });
    }
    let fill = if op == AShr { sign_of(c, a.hi) } else { zero };
    let hi = c.binary(op, a.hi, near);
    let lo = c.binary(LShr, a.lo, near);
    let over = cross(c, Shl, a.hi);
    let lo = c.binary(Or, lo, over);
    select(c, far, Words { lo: hi, hi: fill }, Words { lo, hi })
}

/// Returns the result of an operation that needs no loop; `None` for divisions, and for operations on floats.
pub fn binary(c: &mut Cursor<'_>, op: BinaryOp, a: Words, b: Words) -> Option<Words> {
    use BinaryOp::*;
    let choose = |c: &mut Cursor<'_>, cc| {
        let first = compare(c, cc, a, b);
        select(c, first, a, b)
    };
    Some(match op {
        IAdd => add(c, a, b),
        ISub => sub(c, a, b),
        IMul => multiply(c, a, b),
        UMulHi => multiply_high(c, a, b),
        SMulHi => multiply_high_signed(c, a, b),
        Shl | LShr | AShr => shift(c, op, a, b.lo),
        And | Or | Xor => bitwise(c, op, a, b),
        SMin => choose(c, IntCC::Slt),
        SMax => choose(c, IntCC::Sgt),
        UMin => choose(c, IntCC::Ult),
        UMax => choose(c, IntCC::Ugt),
        _ => return None,
    })
}

pub fn compare(c: &mut Cursor<'_>, cc: IntCC, a: Words, b: Words) -> Value {
    use IntCC::*;
    if matches!(cc, Eq | Ne) {
        let differences = bitwise(c, BinaryOp::Xor, a, b);
        let any = c.binary(BinaryOp::Or, differences.lo, differences.hi);
        return c.icmp_imm(cc, any, 0);
    }
    // The high words decide, unless they are equal.
    let (strict, low) = match cc {
        Slt => (Slt, Ult),
        Sle => (Slt, Ule),
        Sgt => (Sgt, Ugt),
        Sge => (Sgt, Uge),
        Ult | Ule => (Ult, cc),
        _ => (Ugt, cc),
    };
    let high = c.icmp(strict, a.hi, b.hi);
    let equal = c.icmp(Eq, a.hi, b.hi);
    let low = c.icmp(low, a.lo, b.lo);
    let tie = c.binary(BinaryOp::And, equal, low);
    c.binary(BinaryOp::Or, high, tie)
}
