//! Arithmetic of 64-bit integers as pairs of 32-bit words.

use crate::ir::*;
use crate::passes::cursor::Cursor;
use BinaryOp::*;

/// The words of a 64-bit integer, the low one first.
pub type Pair = [Value; 2];

/// Emits operations on pairs.
pub struct Pairs<'c, 'f> {
    pub c: &'c mut Cursor<'f>,
}

impl Pairs<'_, '_> {
    pub fn constant(&mut self, bits: u64) -> Pair {
        [bits, bits >> 32].map(|word| self.c.func.constant(Type::I32, word))
    }

    fn word(&mut self, value: i64) -> Value {
        self.c.iconst(Type::I32, value)
    }

    /// The bits of a pair that is constant.
    pub fn as_const(&self, [lo, hi]: Pair) -> Option<u64> {
        Some(self.c.func.as_const(lo)? | self.c.func.as_const(hi)? << 32)
    }

    fn bin(&mut self, op: BinaryOp, a: Value, b: Value) -> Value {
        self.c.binary(op, a, b)
    }

    fn bit(&mut self, condition: Value) -> Value {
        self.c.convert(ConvertOp::ZExt, condition, Type::I32)
    }

    pub fn add(&mut self, a: Pair, b: Pair) -> Pair {
        let lo = self.bin(IAdd, a[0], b[0]);
        let hi = self.bin(IAdd, a[1], b[1]);
        if self.c.func.as_const(b[0]) == Some(0) || self.c.func.as_const(a[0]) == Some(0) {
            return [lo, hi];
        }
        let carry = self.c.icmp(IntCC::Ult, lo, b[0]);
        let carry = self.bit(carry);
        [lo, self.bin(IAdd, hi, carry)]
    }

    pub fn sub(&mut self, a: Pair, b: Pair) -> Pair {
        let lo = self.bin(ISub, a[0], b[0]);
        let hi = self.bin(ISub, a[1], b[1]);
        let borrow = self.c.icmp(IntCC::Ult, a[0], b[0]);
        let borrow = self.bit(borrow);
        [lo, self.bin(ISub, hi, borrow)]
    }

    pub fn neg(&mut self, a: Pair) -> Pair {
        let zero = self.constant(0);
        self.sub(zero, a)
    }

    /// Each word by itself.
    pub fn wordwise(&mut self, op: BinaryOp, a: Pair, b: Pair) -> Pair {
        [self.bin(op, a[0], b[0]), self.bin(op, a[1], b[1])]
    }

    pub fn select(&mut self, cond: Value, a: Pair, b: Pair) -> Pair {
        [self.c.select(cond, a[0], b[0]), self.c.select(cond, a[1], b[1])]
    }

    /// Product of two words.
    fn wide_mul(&mut self, a: Value, b: Value) -> Pair {
        [self.bin(IMul, a, b), self.bin(UMulHi, a, b)]
    }

    pub fn mul(&mut self, a: Pair, b: Pair) -> Pair {
        let [lo, high] = self.wide_mul(a[0], b[0]);
        let x = self.bin(IMul, a[0], b[1]);
        let y = self.bin(IMul, a[1], b[0]);
        let cross = self.bin(IAdd, x, y);
        [lo, self.bin(IAdd, high, cross)]
    }

    /// High half of the unsigned product: schoolbook multiplication by words.
    pub fn umulhi(&mut self, a: Pair, b: Pair) -> Pair {
        let zero = self.word(0);
        let [_, low] = self.wide_mul(a[0], b[0]);
        let first = self.wide_mul(a[0], b[1]);
        let second = self.wide_mul(a[1], b[0]);
        let high = self.wide_mul(a[1], b[1]);
        // No sum here overflows: each is below 2^64 by the size of its parts.
        let middle = self.add(first, [low, zero]);
        let middle_low = self.add(second, [middle[0], zero]);
        let carry = self.add(high, [middle[1], zero]);
        self.add(carry, [middle_low[1], zero])
    }

    pub fn smulhi(&mut self, a: Pair, b: Pair) -> Pair {
        let high = self.umulhi(a, b);
        let (a_sign, b_sign) = (self.sign(a), self.sign(b));
        let x = self.wordwise(And, b, [a_sign, a_sign]);
        let y = self.wordwise(And, a, [b_sign, b_sign]);
        let high = self.sub(high, x);
        self.sub(high, y)
    }

    /// All bits equal to the sign.
    pub fn sign(&mut self, a: Pair) -> Value {
        self.c.binary_imm(AShr, a[1], 31)
    }

    pub fn abs(&mut self, a: Pair) -> Pair {
        let sign = self.sign(a);
        self.negate_if(sign, a)
    }

    /// The negation where `sign` (a word of equal bits) is ones.
    pub fn negate_if(&mut self, sign: Value, a: Pair) -> Pair {
        let flipped = self.wordwise(Xor, a, [sign, sign]);
        self.sub(flipped, [sign, sign])
    }

    pub fn icmp(&mut self, cc: IntCC, a: Pair, b: Pair) -> Value {
        use IntCC::*;
        if matches!(cc, Eq | Ne) {
            let lo = self.bin(Xor, a[0], b[0]);
            let hi = self.bin(Xor, a[1], b[1]);
            let any = self.bin(Or, lo, hi);
            return self.c.icmp_imm(cc, any, 0);
        }
        // The high words decide unless they are equal.
        let (strict, low) = match cc {
            Slt => (Slt, Ult),
            Sle => (Slt, Ule),
            Sgt => (Sgt, Ugt),
            Sge => (Sgt, Uge),
            Ult => (Ult, Ult),
            Ule => (Ult, Ule),
            Ugt => (Ugt, Ugt),
            _ => (Ugt, Uge),
        };
        let high = self.c.icmp(strict, a[1], b[1]);
        let equal = self.c.icmp(Eq, a[1], b[1]);
        let low = self.c.icmp(low, a[0], b[0]);
        let low = self.bin(And, equal, low);
        self.bin(Or, high, low)
    }

    /// `Shl`, `LShr` or `AShr` by an amount below 64.
    pub fn shift(&mut self, op: BinaryOp, a: Pair, amount: Pair) -> Pair {
        if let Some(amount) = self.c.func.as_const(amount[0]) {
            return self.shift_const(op, a, amount as i64 & 63);
        }
        let within = self.c.binary_imm(And, amount[0], 31);
        // The other word's bits arrive shifted the other way by 32 - n, in two steps since that may
        // be 32.
        let rest = self.c.binary_imm(Xor, within, 31);
        let high_bit = self.c.binary_imm(And, amount[0], 32);
        let far = self.c.icmp_imm(IntCC::Ne, high_bit, 0);
        let zero = self.word(0);
        if op == Shl {
            let lo = self.bin(Shl, a[0], within);
            let hi = self.bin(Shl, a[1], within);
            let step = self.c.binary_imm(LShr, a[0], 1);
            let over = self.bin(LShr, step, rest);
            let hi = self.bin(Or, hi, over);
            return self.select(far, [zero, lo], [lo, hi]);
        }
        let hi = self.bin(op, a[1], within);
        let lo = self.bin(LShr, a[0], within);
        let step = self.c.binary_imm(Shl, a[1], 1);
        let over = self.bin(Shl, step, rest);
        let lo = self.bin(Or, lo, over);
        let fill = if op == AShr { self.sign(a) } else { zero };
        self.select(far, [hi, fill], [lo, hi])
    }

    fn shift_const(&mut self, op: BinaryOp, a: Pair, amount: i64) -> Pair {
        if amount == 0 {
            return a;
        }
        let fill = if op == AShr { self.sign(a) } else { self.word(0) };
        match (op, amount >= 32) {
            (Shl, true) => [fill, self.c.binary_imm(Shl, a[0], amount - 32)],
            (_, true) => [self.c.binary_imm(op, a[1], amount - 32), fill],
            (Shl, false) => {
                let hi = self.c.binary_imm(Shl, a[1], amount);
                let over = self.c.binary_imm(LShr, a[0], 32 - amount);
                [self.c.binary_imm(Shl, a[0], amount), self.bin(Or, hi, over)]
            }
            (_, false) => {
                let lo = self.c.binary_imm(LShr, a[0], amount);
                let over = self.c.binary_imm(Shl, a[1], 32 - amount);
                [self.bin(Or, lo, over), self.c.binary_imm(op, a[1], amount)]
            }
        }
    }

    fn count(&mut self, op: MathOp, word: Value) -> Value {
        self.c.math(op, &[word], Type::I32)
    }

    /// Leading zeros as a word; 64 for 0.
    pub fn clz(&mut self, a: Pair) -> Value {
        let (lo, hi) = (self.count(MathOp::Clz, a[0]), self.count(MathOp::Clz, a[1]));
        let low = self.c.binary_imm(IAdd, lo, 32);
        let none = self.c.icmp_imm(IntCC::Eq, a[1], 0);
        self.c.select(none, low, hi)
    }

    /// SAbs, Clz, Ctz, PopCount, BitReverse.
    pub fn math(&mut self, op: MathOp, a: Pair) -> Pair {
        let zero = self.word(0);
        match op {
            MathOp::SAbs => self.abs(a),
            MathOp::Clz => [self.clz(a), zero],
            MathOp::Ctz => {
                let (lo, hi) = (self.count(op, a[0]), self.count(op, a[1]));
                let high = self.c.binary_imm(IAdd, hi, 32);
                let none = self.c.icmp_imm(IntCC::Eq, a[0], 0);
                [self.c.select(none, high, lo), zero]
            }
            MathOp::PopCount => {
                let (lo, hi) = (self.count(op, a[0]), self.count(op, a[1]));
                [self.bin(IAdd, lo, hi), zero]
            }
            _ => [self.count(op, a[1]), self.count(op, a[0])],
        }
    }

    /// To a float, rounded once, to nearest even.
    pub fn float_of(&mut self, a: Pair, scalar: Scalar, signed: bool) -> Value {
        let ty = Type::of(scalar);
        match scalar {
            Scalar::F64 => self.double_of(a, signed),
            // What 16 bits hold is exact in 32; more is infinite either way.
            Scalar::F16 => {
                let single = self.float_of(a, Scalar::F32, signed);
                self.c.convert(ConvertOp::FConvert, single, ty)
            }
            _ if signed => {
                let sign = self.sign(a);
                let magnitude = self.negate_if(sign, a);
                let value = self.float_of(magnitude, scalar, false);
                let negative = self.c.unary(UnaryOp::FNeg, value);
                let below = self.c.icmp_imm(IntCC::Ne, sign, 0);
                self.c.select(below, negative, value)
            }
            // The leading 32 bits with all that follows in the last one, times a power of two.
            _ => {
                let zeros = self.clz(a);
                let zero = self.word(0);
                let normal = self.shift(Shl, a, [zeros, zero]);
                let sticky = self.c.icmp_imm(IntCC::Ne, normal[0], 0);
                let sticky = self.bit(sticky);
                let leading = self.bin(Or, normal[1], sticky);
                let value = self.c.convert(ConvertOp::UToF, leading, ty);
                let bias = self.word(127 + 32);
                let exponent = self.bin(ISub, bias, zeros);
                let scale = self.c.binary_imm(Shl, exponent, 23);
                let scale = self.c.bitcast(scale, ty);
                self.c.binary(FMul, value, scale)
            }
        }
    }

    /// Both words are exact in 64 bits, so that the sum rounds alone.
    fn double_of(&mut self, a: Pair, signed: bool) -> Value {
        let op = if signed { ConvertOp::SToF } else { ConvertOp::UToF };
        let hi = self.c.convert(op, a[1], Type::F64);
        let lo = self.c.convert(ConvertOp::UToF, a[0], Type::F64);
        let scale = self.c.func.float_const(Scalar::F64, 4294967296.0);
        let hi = self.c.binary(FMul, hi, scale);
        self.c.binary(FAdd, hi, lo)
    }

    /// From a float, toward zero.
    pub fn truncated(&mut self, value: Value, signed: bool) -> Pair {
        let mut value = value;
        if self.c.ty(value) == Type::F16 {
            value = self.c.convert(ConvertOp::FConvert, value, Type::F32);
        }
        let ty = self.c.ty(value);
        if signed {
            let zero = self.c.func.constant(ty, 0);
            let below = self.c.fcmp(FloatCC::Olt, value, zero);
            let magnitude = self.c.math(MathOp::FAbs, &[value], ty);
            let pair = self.truncated(magnitude, false);
            let sign = self.c.convert(ConvertOp::SExt, below, Type::I32);
            return self.negate_if(sign, pair);
        }
        // Powers of two and differences of near numbers: nothing here rounds.
        let down = self.c.func.float_const(ty.scalar, 1.0 / 4294967296.0);
        let up = self.c.func.float_const(ty.scalar, 4294967296.0);
        let high = self.c.binary(FMul, value, down);
        let high = self.c.math(MathOp::Trunc, &[high], ty);
        let taken = self.c.binary(FMul, high, up);
        let low = self.c.binary(FSub, value, taken);
        [low, high].map(|word| self.c.convert(ConvertOp::FToU, word, Type::I32))
    }
}
