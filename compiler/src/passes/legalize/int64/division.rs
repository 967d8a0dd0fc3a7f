//! Division of 64-bit integers: a loop that computes one bit of the quotient in each iteration.

use super::words::{self, sign_of, word, Words};
use super::Expansion;
use crate::ir::*;
use crate::passes::cursor::Cursor;

/// A division that has been computed in the block that is being rewritten.
pub struct Division {
    signed: bool,
    operands: [Words; 2],
    quotient: Words,
    remainder: Words,
}

impl Expansion<'_> {
    /// Returns the quotient or the remainder. If both are used, they come from the same loop.
    pub fn divide(&mut self, op: BinaryOp, a: Words, b: Words) -> Words {
        use BinaryOp::{SDiv, SRem, UDiv};
        let signed = matches!(op, SDiv | SRem);
        let same = |d: &&Division| d.signed == signed && d.operands == [a, b];
        let (quotient, remainder) = match self.divisions.iter().find(same) {
            Some(division) => (division.quotient, division.remainder),
            None => {
                let (quotient, remainder) = match signed {
                    true => self.divide_signed(a, b),
                    false => self.divide_unsigned(a, b),
                };
                self.divisions.push(Division { signed, operands: [a, b], quotient, remainder });
                (quotient, remainder)
            }
        };
        if matches!(op, SDiv | UDiv) {
            quotient
        } else {
            remainder
        }
    }

    /// Divides the magnitudes. The remainder has the sign of the dividend.
    fn divide_signed(&mut self, a: Words, b: Words) -> (Words, Words) {
        let (sign_a, sign_b) = (sign_of(&mut self.s.c, a.hi), sign_of(&mut self.s.c, b.hi));
        let a = words::negate_if(&mut self.s.c, a, sign_a);
        let b = words::negate_if(&mut self.s.c, b, sign_b);
        let (quotient, remainder) = self.divide_unsigned(a, b);
        let sign = self.s.c.binary(BinaryOp::Xor, sign_a, sign_b);
        let quotient = words::negate_if(&mut self.s.c, quotient, sign);
        (quotient, words::negate_if(&mut self.s.c, remainder, sign_a))
    }

    /// Ends the current block with a loop. The current block is the one behind the loop afterwards. The loop is left at
    /// its header, whose parameters hold the results: they keep the values with which each invocation leaves. A driver
    /// that runs several invocations in lockstep (SwiftShader) would give all of them the values that the body computes
    /// for the last one.
    fn divide_unsigned(&mut self, a: Words, b: Words) -> (Words, Words) {
        let [header, body, behind] = [(); 3].map(|()| self.s.new_block());
        let [turn, lo, hi, rem_lo, rem_hi] =
            [(); 5].map(|()| self.s.c.func.add_param(header, Type::I32));
        let zero = word(&mut self.s.c, 0);
        let start = [zero, a.lo, a.hi, zero, zero];
        self.s.jump(header, &start);
        self.s.switch_to(header);

        let done = self.s.c.icmp_imm(IntCC::Eq, turn, 64);
        self.s.branch_to(done, behind, body);
        self.s.switch_to(body);

        let dividend = Words { lo, hi };
        let remainder = Words { lo: rem_lo, hi: rem_hi };
        let (next_dividend, next_remainder) = divide_bit(&mut self.s.c, dividend, remainder, b);
        let turn = self.s.c.binary_imm(BinaryOp::IAdd, turn, 1);
        let next = [turn, next_dividend.lo, next_dividend.hi, next_remainder.lo, next_remainder.hi];
        self.s.jump(header, &next);
        self.s.switch_to(behind);
        (dividend, remainder)
    }
}

/// Shifts the 128-bit register remainder:dividend to the left; the bit of the quotient enters at the right.
fn divide_bit(
    c: &mut Cursor<'_>,
    dividend: Words,
    remainder: Words,
    divisor: Words,
) -> (Words, Words) {
    use BinaryOp::*;
    let shifted = |c: &mut Cursor<'_>, word, below| {
        let up = c.binary_imm(Shl, word, 1);
        let bit = c.binary_imm(LShr, below, 31);
        c.binary(Or, up, bit)
    };
    let top = c.binary_imm(LShr, remainder.hi, 31);
    let hi = shifted(c, remainder.hi, remainder.lo);
    let remainder = Words { lo: shifted(c, remainder.lo, dividend.hi), hi };
    let hi = shifted(c, dividend.hi, dividend.lo);
    let lo = c.binary_imm(Shl, dividend.lo, 1);
    let fits = words::compare(c, IntCC::Uge, remainder, divisor);
    let carried = c.icmp_imm(IntCC::Ne, top, 0);
    let fits = c.binary(Or, fits, carried);
    let less = words::sub(c, remainder, divisor);
    let remainder = words::select(c, fits, less, remainder);
    let bit = c.convert(ConvertOp::ZExt, fits, Type::I32);
    (Words { lo: c.binary(Or, lo, bit), hi }, remainder)
}
