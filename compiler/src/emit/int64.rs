//! 64-bit integers as pairs of 32-bit words, for devices without them, and helpers for addresses
//! that work either way.

use super::emitter::Emitter;
use super::error::{EmitError, EmitResult};
use super::spirv_builder::Glsl;
use crate::ir::{BinaryOp, IntCC, Type};
use rspirv::spirv::Op;

/// The words of a pair.
#[derive(Clone, Copy)]
pub(super) struct Words {
    pub lo: u32,
    pub hi: u32,
}

impl Emitter<'_> {
    pub fn pair(&mut self, lo: u32, hi: u32) -> u32 {
        let ty = self.builder.pair();
        self.op(Op::CompositeConstruct, ty, &[lo, hi])
    }

    pub fn pair_const(&mut self, bits: u64) -> u32 {
        let (lo, hi) = (self.const_u32(bits as u32), self.const_u32((bits >> 32) as u32));
        let ty = self.builder.pair();
        self.builder.intern(Op::ConstantComposite, Some(ty), &[lo, hi])
    }

    pub fn split(&mut self, pair: u32) -> Words {
        let word = self.builder.u32;
        Words { lo: self.extract(word, pair, 0), hi: self.extract(word, pair, 1) }
    }

    /// Low and high (or carry) part of an extended operation on words.
    fn extended(&mut self, op: Op, a: u32, b: u32) -> Words {
        let ty = self.builder.result_pair(self.builder.u32);
        let both = self.op(op, ty, &[a, b]);
        self.split(both)
    }

    fn add_words(&mut self, a: Words, b: Words) -> Words {
        let low = self.extended(Op::IAddCarry, a.lo, b.lo);
        let hi = self.u32_op(Op::IAdd, a.hi, b.hi);
        Words { lo: low.lo, hi: self.u32_op(Op::IAdd, hi, low.hi) }
    }

    fn sub_words(&mut self, a: Words, b: Words) -> Words {
        let low = self.extended(Op::ISubBorrow, a.lo, b.lo);
        let hi = self.u32_op(Op::ISub, a.hi, b.hi);
        Words { lo: low.lo, hi: self.u32_op(Op::ISub, hi, low.hi) }
    }

    fn mul_words(&mut self, a: Words, b: Words) -> Words {
        let low = self.extended(Op::UMulExtended, a.lo, b.lo);
        let cross = self.u32_op(Op::IMul, a.lo, b.hi);
        let other = self.u32_op(Op::IMul, a.hi, b.lo);
        let cross = self.u32_op(Op::IAdd, cross, other);
        Words { lo: low.lo, hi: self.u32_op(Op::IAdd, low.hi, cross) }
    }

    /// High half of the 128-bit product.
    fn umul_hi_words(&mut self, a: Words, b: Words) -> Words {
        let zero = self.const_u32(0);
        let low = self.extended(Op::UMulExtended, a.lo, b.lo);
        let mid1 = self.extended(Op::UMulExtended, a.lo, b.hi);
        let mid2 = self.extended(Op::UMulExtended, a.hi, b.lo);
        let high = self.extended(Op::UMulExtended, a.hi, b.hi);
        let sum = self.extended(Op::IAddCarry, mid1.lo, mid2.lo);
        let sum2 = self.extended(Op::IAddCarry, sum.lo, low.hi);
        let carries = self.u32_op(Op::IAdd, sum.hi, sum2.hi);
        let result = self.add_words(high, Words { lo: mid1.hi, hi: zero });
        let result = self.add_words(result, Words { lo: mid2.hi, hi: zero });
        self.add_words(result, Words { lo: carries, hi: zero })
    }

    fn select_words(&mut self, cond: u32, a: Words, b: Words) -> Words {
        Words { lo: self.select_u32(cond, a.lo, b.lo), hi: self.select_u32(cond, a.hi, b.hi) }
    }

    /// -1 where the pair is negative, else 0.
    fn sign_word(&mut self, hi: u32) -> u32 {
        self.u32_op_const(Op::ShiftRightArithmetic, hi, 31)
    }

    /// Emits a shift by 0 to 63.
    fn shift_words(&mut self, op: BinaryOp, a: Words, amount: u32) -> Words {
        let zero = self.const_u32(0);
        let thirty_two = self.const_u32(32);
        let near = self.u32_op_const(Op::BitwiseAnd, amount, 31);
        let far = self.bool_op(Op::UGreaterThanEqual, &[amount, thirty_two]);
        let back = self.u32_op(Op::ISub, thirty_two, near);
        // A shift by 32 is undefined: when `near` is 0 nothing crosses between the words.
        let back = self.u32_op_const(Op::BitwiseAnd, back, 31);
        let still = self.bool_op(Op::IEqual, &[near, zero]);
        let cross = |e: &mut Self, op, from| {
            let moved = e.u32_op(op, from, back);
            e.select_u32(still, zero, moved)
        };
        if op == BinaryOp::Shl {
            let lo = self.u32_op(Op::ShiftLeftLogical, a.lo, near);
            let hi = self.u32_op(Op::ShiftLeftLogical, a.hi, near);
            let over = cross(self, Op::ShiftRightLogical, a.lo);
            let hi = self.u32_op(Op::BitwiseOr, hi, over);
            return self.select_words(far, Words { lo: zero, hi: lo }, Words { lo, hi });
        }
        let (shift, fill) = match op {
            BinaryOp::AShr => (Op::ShiftRightArithmetic, self.sign_word(a.hi)),
            _ => (Op::ShiftRightLogical, zero),
        };
        let hi = self.u32_op(shift, a.hi, near);
        let lo = self.u32_op(Op::ShiftRightLogical, a.lo, near);
        let over = cross(self, Op::ShiftLeftLogical, a.hi);
        let lo = self.u32_op(Op::BitwiseOr, lo, over);
        self.select_words(far, Words { lo: hi, hi: fill }, Words { lo, hi })
    }

    /// Integer operations on pairs.
    pub fn pair_binary(&mut self, op: BinaryOp, a: u32, b: u32) -> EmitResult<u32> {
        use BinaryOp::*;
        let ty = self.builder.pair();
        let bitwise = match op {
            And => Some(Op::BitwiseAnd),
            Or => Some(Op::BitwiseOr),
            Xor => Some(Op::BitwiseXor),
            _ => None,
        };
        if let Some(op) = bitwise {
            return Ok(self.op(op, ty, &[a, b]));
        }
        let min_max = match op {
            SMin => Some(IntCC::Slt),
            SMax => Some(IntCC::Sgt),
            UMin => Some(IntCC::Ult),
            UMax => Some(IntCC::Ugt),
            _ => None,
        };
        if let Some(cc) = min_max {
            let first = self.pair_compare(cc, a, b);
            return Ok(self.select(ty, first, a, b));
        }
        let (x, y) = (self.split(a), self.split(b));
        let words = match op {
            IAdd => self.add_words(x, y),
            ISub => self.sub_words(x, y),
            IMul => self.mul_words(x, y),
            Shl | LShr | AShr => self.shift_words(op, x, y.lo),
            UMulHi => self.umul_hi_words(x, y),
            SMulHi => self.smul_hi_words(x, y),
            UDiv => self.udivrem_words(x, y)?.0,
            URem => self.udivrem_words(x, y)?.1,
            SDiv | SRem => self.sdivrem_words(op, x, y)?,
            _ => return Err(EmitError::malformed("a float operation on integers")),
        };
        Ok(self.pair(words.lo, words.hi))
    }

    fn smul_hi_words(&mut self, a: Words, b: Words) -> Words {
        let mut high = self.umul_hi_words(a, b);
        for (sign_of, other) in [(a, b), (b, a)] {
            let sign = self.sign_word(sign_of.hi);
            let lo = self.u32_op(Op::BitwiseAnd, other.lo, sign);
            let hi = self.u32_op(Op::BitwiseAnd, other.hi, sign);
            high = self.sub_words(high, Words { lo, hi });
        }
        high
    }

    /// (a ^ sign) - sign: negates where `sign` is -1.
    fn negate_if(&mut self, a: Words, sign: u32) -> Words {
        let lo = self.u32_op(Op::BitwiseXor, a.lo, sign);
        let hi = self.u32_op(Op::BitwiseXor, a.hi, sign);
        self.sub_words(Words { lo, hi }, Words { lo: sign, hi: sign })
    }

    fn sdivrem_words(&mut self, op: BinaryOp, a: Words, b: Words) -> EmitResult<Words> {
        let (sign_a, sign_b) = (self.sign_word(a.hi), self.sign_word(b.hi));
        let (abs_a, abs_b) = (self.negate_if(a, sign_a), self.negate_if(b, sign_b));
        let (quotient, remainder) = self.udivrem_words(abs_a, abs_b)?;
        Ok(if op == BinaryOp::SDiv {
            let sign = self.u32_op(Op::BitwiseXor, sign_a, sign_b);
            self.negate_if(quotient, sign)
        } else {
            self.negate_if(remainder, sign_a)
        })
    }

    /// Quotient and remainder by long division, one bit a turn of a loop.
    fn udivrem_words(&mut self, a: Words, b: Words) -> EmitResult<(Words, Words)> {
        let zero = self.const_u32(0);
        let start = [zero, a.lo, a.hi, zero, zero];
        let ty = self.builder.u32;
        // State: turn, and the 128-bit register remainder:dividend that is shifted left; quotient
        // bits enter at the right.
        let end = self.emit_loop([ty; 5], start, |e, [turn, lo, hi, rlo, rhi]| {
            let top = e.u32_op_const(Op::ShiftRightLogical, rhi, 31);
            let shl = |e: &mut Self, word, below| {
                let up = e.u32_op_const(Op::ShiftLeftLogical, word, 1);
                let bit = e.u32_op_const(Op::ShiftRightLogical, below, 31);
                e.u32_op(Op::BitwiseOr, up, bit)
            };
            let rem = Words { hi: shl(e, rhi, rlo), lo: shl(e, rlo, hi) };
            let (hi, lo) = (shl(e, hi, lo), e.u32_op_const(Op::ShiftLeftLogical, lo, 1));
            let rem_pair = e.pair(rem.lo, rem.hi);
            let b_pair = e.pair(b.lo, b.hi);
            let fits = e.pair_compare(IntCC::Uge, rem_pair, b_pair);
            let zero = e.const_u32(0);
            let carried = e.bool_op(Op::INotEqual, &[top, zero]);
            let fits = e.bool_op(Op::LogicalOr, &[fits, carried]);
            let less = e.sub_words(rem, b);
            let rem = e.select_words(fits, less, rem);
            let one = e.const_u32(1);
            let bit = e.select_u32(fits, one, zero);
            let lo = e.u32_op(Op::BitwiseOr, lo, bit);
            let turn = e.u32_op(Op::IAdd, turn, one);
            let end = e.const_u32(64);
            let done = e.bool_op(Op::IEqual, &[turn, end]);
            Ok((done, [turn, lo, hi, rem.lo, rem.hi]))
        })?;
        let [_, lo, hi, rlo, rhi] = end;
        Ok((Words { lo, hi }, Words { lo: rlo, hi: rhi }))
    }

    /// Comparison of pairs.
    pub fn pair_compare(&mut self, cc: IntCC, a: u32, b: u32) -> u32 {
        use IntCC::*;
        let (x, y) = (self.split(a), self.split(b));
        if matches!(cc, Eq | Ne) {
            let lo = self.u32_op(Op::BitwiseXor, x.lo, y.lo);
            let hi = self.u32_op(Op::BitwiseXor, x.hi, y.hi);
            let both = self.u32_op(Op::BitwiseOr, lo, hi);
            let zero = self.const_u32(0);
            let op = if cc == Eq { Op::IEqual } else { Op::INotEqual };
            return self.bool_op(op, &[both, zero]);
        }
        let (strict, low) = match cc {
            Slt => (Op::SLessThan, Op::ULessThan),
            Sle => (Op::SLessThan, Op::ULessThanEqual),
            Sgt => (Op::SGreaterThan, Op::UGreaterThan),
            Sge => (Op::SGreaterThan, Op::UGreaterThanEqual),
            Ult => (Op::ULessThan, Op::ULessThan),
            Ule => (Op::ULessThan, Op::ULessThanEqual),
            Ugt => (Op::UGreaterThan, Op::UGreaterThan),
            _ => (Op::UGreaterThan, Op::UGreaterThanEqual),
        };
        let high = self.bool_op(strict, &[x.hi, y.hi]);
        let equal = self.bool_op(Op::IEqual, &[x.hi, y.hi]);
        let low = self.bool_op(low, &[x.lo, y.lo]);
        let tie = self.bool_op(Op::LogicalAnd, &[equal, low]);
        self.bool_op(Op::LogicalOr, &[high, tie])
    }

    pub fn pair_negate(&mut self, a: u32) -> u32 {
        let zero = self.const_u32(0);
        let a = self.split(a);
        let words = self.sub_words(Words { lo: zero, hi: zero }, a);
        self.pair(words.lo, words.hi)
    }

    /// Returns a word as I64, zero-extended.
    pub fn zero_extend_word(&mut self, word: u32) -> EmitResult<u32> {
        if self.target.int64 {
            let ty = self.ty(Type::I64)?;
            return Ok(self.op(Op::UConvert, ty, &[word]));
        }
        let zero = self.const_u32(0);
        Ok(self.pair(word, zero))
    }

    /// Returns a word as I64, sign-extended.
    pub fn sign_extend_word(&mut self, word: u32) -> EmitResult<u32> {
        if self.target.int64 {
            let ty = self.ty(Type::I64)?;
            return Ok(self.op(Op::SConvert, ty, &[word]));
        }
        let hi = self.sign_word(word);
        Ok(self.pair(word, hi))
    }

    /// Low word of an I64 or 64-bit pointer.
    pub fn low_word(&mut self, id: u32) -> u32 {
        let word = self.builder.u32;
        if self.target.int64 {
            self.op(Op::UConvert, word, &[id])
        } else {
            self.extract(word, id, 0)
        }
    }

    /// Sum of two I64.
    pub fn add_64(&mut self, a: u32, b: u32) -> EmitResult<u32> {
        if self.target.int64 {
            let ty = self.ty(Type::I64)?;
            return Ok(self.op(Op::IAdd, ty, &[a, b]));
        }
        self.pair_binary(BinaryOp::IAdd, a, b)
    }

    /// Returns a 64-bit address plus a constant.
    pub fn address_add_const(&mut self, address: u32, offset: u32) -> u32 {
        if offset == 0 {
            return address;
        }
        if self.target.int64 {
            let ty = self.int_type(64);
            let offset = self.builder.constant(ty, 64, u64::from(offset));
            return self.op(Op::IAdd, ty, &[address, offset]);
        }
        let zero = self.const_u32(0);
        let offset = self.const_u32(offset);
        let words = self.split(address);
        let words = self.add_words(words, Words { lo: offset, hi: zero });
        self.pair(words.lo, words.hi)
    }

    /// Returns the leading zeros of a pair, as a word.
    pub fn leading_zeros_of_pair(&mut self, pair: u32) -> u32 {
        let Words { lo, hi } = self.split(pair);
        let zero = self.const_u32(0);
        let near = self.count_zeros_32(Glsl::FindUMsb, hi);
        let far = self.count_zeros_32(Glsl::FindUMsb, lo);
        let far = self.u32_op_const(Op::IAdd, far, 32);
        let use_near = self.bool_op(Op::INotEqual, &[hi, zero]);
        self.select_u32(use_near, near, far)
    }
}
