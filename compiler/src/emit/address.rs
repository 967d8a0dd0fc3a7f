//! Addresses of 64 bits: integers, or pairs of 32-bit words on devices without such integers.

use super::emitter::Emitter;
use rspirv::spirv::Op;

/// The words of a pair.
#[derive(Clone, Copy)]
pub(super) struct Words {
    pub lo: u32,
    pub hi: u32,
}

impl Emitter<'_> {
    /// Returns an address of its words, the low one first.
    pub fn address_of_words(&mut self, [lo, hi]: [u32; 2]) -> u32 {
        if !self.target.int64 {
            return self.pair(lo, hi);
        }
        let ty = self.int_type(64);
        let pair = self.pair(lo, hi);
        self.op(Op::Bitcast, ty, &[pair])
    }

    fn pair(&mut self, lo: u32, hi: u32) -> u32 {
        let ty = self.builder.pair();
        self.op(Op::CompositeConstruct, ty, &[lo, hi])
    }

    pub fn pair_const(&mut self, bits: u64) -> u32 {
        let (lo, hi) = (self.const_u32(bits as u32), self.const_u32((bits >> 32) as u32));
        let ty = self.builder.pair();
        self.builder.intern(Op::ConstantComposite, Some(ty), &[lo, hi])
    }

    fn split(&mut self, pair: u32) -> Words {
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
}
