//! Integer and bool operations on scalars, whatever their representation.

use super::emitter::Emitter;
use super::error::{EmitError, EmitResult};
use super::repr::Repr;
use super::spirv_builder::Glsl;
use crate::ir::{BinaryOp, IntCC, MathOp, Scalar, Type, UnaryOp};
use rspirv::spirv::Op;

impl Emitter<'_> {
    /// Negation and complement of integers, logical not of bools.
    pub fn int_unary(&mut self, op: UnaryOp, scalar: Scalar, a: u32) -> EmitResult<u32> {
        let ty = self.scalar_type(scalar)?;
        let repr = self.repr(scalar);
        let op = match (op, repr) {
            (UnaryOp::Not, Repr::Bool) => Op::LogicalNot,
            (UnaryOp::Not, _) => Op::Not,
            (UnaryOp::INeg, Repr::Pair) => return Ok(self.pair_negate(a)),
            (UnaryOp::INeg, _) => Op::SNegate,
            (UnaryOp::FNeg, _) => return Err(EmitError::malformed("fneg of integers")),
        };
        let id = self.op(op, ty, &[a]);
        Ok(match repr {
            Repr::Narrow(bits) => self.mask_low(id, bits),
            _ => id,
        })
    }

    /// Binary operations of integers and bools. `known` is `b` when it is a constant.
    pub fn int_binary(
        &mut self,
        op: BinaryOp,
        scalar: Scalar,
        [a, b]: [u32; 2],
        known: Option<u64>,
    ) -> EmitResult<u32> {
        use BinaryOp::*;
        match self.repr(scalar) {
            Repr::Int(bits) => self.native_binary(op, bits, [a, b], known),
            Repr::Pair => self.pair_binary(op, a, b),
            Repr::Narrow(bits) => {
                let (mut a, mut b) = (a, b);
                if matches!(op, SDiv | SRem | AShr | SMin | SMax | SMulHi) {
                    a = self.sign_extend(a, bits);
                }
                if matches!(op, SDiv | SRem | SMin | SMax | SMulHi) {
                    b = self.sign_extend(b, bits);
                }
                let id = match op {
                    SMulHi | UMulHi => {
                        let product = self.u32_op(Op::IMul, a, b);
                        self.u32_op_const(Op::ShiftRightLogical, product, bits)
                    }
                    _ => self.native_binary(op, 32, [a, b], None)?,
                };
                let exact = matches!(op, And | Or | Xor | UDiv | URem | LShr | UMin | UMax);
                Ok(if exact { id } else { self.mask_low(id, bits) })
            }
            Repr::Bool => {
                let op = match op {
                    And => Op::LogicalAnd,
                    Or => Op::LogicalOr,
                    Xor => Op::LogicalNotEqual,
                    _ => return Err(EmitError::malformed("arithmetic on bools")),
                };
                Ok(self.bool_op(op, &[a, b]))
            }
            Repr::Float(_) => Err(EmitError::malformed("an integer operation on floats")),
        }
    }

    /// Operations on integers that the device has.
    fn native_binary(
        &mut self,
        op: BinaryOp,
        bits: u32,
        [a, b]: [u32; 2],
        known: Option<u64>,
    ) -> EmitResult<u32> {
        use BinaryOp::*;
        let ty = self.int_type(bits);
        let plain = match op {
            IAdd => Op::IAdd,
            ISub => Op::ISub,
            IMul => Op::IMul,
            UDiv => Op::UDiv,
            URem => Op::UMod,
            Shl => Op::ShiftLeftLogical,
            LShr => Op::ShiftRightLogical,
            AShr => Op::ShiftRightArithmetic,
            And => Op::BitwiseAnd,
            Or => Op::BitwiseOr,
            Xor => Op::BitwiseXor,
            SDiv | SRem => return Ok(self.signed_division(op, bits, [a, b], known)),
            SMin | SMax | UMin | UMax => return Ok(self.min_max(op, bits, a, b)),
            SMulHi | UMulHi => return Ok(self.mul_hi(op == SMulHi, bits, a, b)),
            _ => return Err(EmitError::malformed("a float operation on integers")),
        };
        Ok(self.op(plain, ty, &[a, b]))
    }

    /// Signed division and remainder. The smallest integer divided by -1 traps in CPU drivers, so
    /// the divisor is then 1 (the quotient is right, as is the remainder 0). The remainder is not
    /// OpSRem, whose result Vulkan leaves undefined for negative operands.
    fn signed_division(
        &mut self,
        op: BinaryOp,
        bits: u32,
        [a, b]: [u32; 2],
        known: Option<u64>,
    ) -> u32 {
        let ty = self.int_type(bits);
        let ones = u64::MAX >> (64 - bits);
        let divisor = if known.is_some_and(|b| b != ones) {
            b
        } else {
            let smallest = self.builder.constant(ty, bits, 1 << (bits - 1));
            let minus_one = self.builder.constant(ty, bits, ones);
            let one = self.builder.constant(ty, bits, 1);
            let first = self.bool_op(Op::IEqual, &[a, smallest]);
            let second = self.bool_op(Op::IEqual, &[b, minus_one]);
            let overflow = self.bool_op(Op::LogicalAnd, &[first, second]);
            self.select(ty, overflow, one, b)
        };
        let quotient = self.op(Op::SDiv, ty, &[a, divisor]);
        if op == BinaryOp::SDiv {
            return quotient;
        }
        let product = self.op(Op::IMul, ty, &[quotient, divisor]);
        self.op(Op::ISub, ty, &[a, product])
    }

    /// Not the operations of GLSL.std.450, of which there are 32-bit ones: where they meet constants,
    /// the constant propagation in drivers (SPIRV-Tools', in SwiftShader) may take the first values of a
    /// loop for all.
    fn min_max(&mut self, op: BinaryOp, bits: u32, a: u32, b: u32) -> u32 {
        use BinaryOp::*;
        let ty = self.int_type(bits);
        let compare = match op {
            SMin => Op::SLessThan,
            SMax => Op::SGreaterThan,
            UMin => Op::ULessThan,
            _ => Op::UGreaterThan,
        };
        let first = self.bool_op(compare, &[a, b]);
        self.select(ty, first, a, b)
    }

    fn mul_hi(&mut self, signed: bool, bits: u32, a: u32, b: u32) -> u32 {
        let ty = self.int_type(bits);
        match bits {
            64 => self.mul_hi_64(signed, a, b),
            32 => {
                let op = if signed { Op::SMulExtended } else { Op::UMulExtended };
                let both = self.builder.result_pair(ty);
                let product = self.op(op, both, &[a, b]);
                self.extract(ty, product, 1)
            }
            _ => {
                let word = self.builder.u32;
                let widen = if signed { Op::SConvert } else { Op::UConvert };
                let (a, b) = (self.op(widen, word, &[a]), self.op(widen, word, &[b]));
                let product = self.u32_op(Op::IMul, a, b);
                let high = self.u32_op_const(Op::ShiftRightLogical, product, bits);
                self.op(Op::UConvert, ty, &[high])
            }
        }
    }

    /// Computes the high half from the four products of 32-bit halves, since drivers rarely have the 64-bit instruction.
    fn mul_hi_64(&mut self, signed: bool, a: u32, b: u32) -> u32 {
        let ty = self.int_type(64);
        let mask = self.builder.constant(ty, 64, 0xffff_ffff);
        let half = self.builder.constant(ty, 64, 32);
        let low = |e: &mut Self, x| e.op(Op::BitwiseAnd, ty, &[x, mask]);
        let high = |e: &mut Self, x| e.op(Op::ShiftRightLogical, ty, &[x, half]);
        let add = |e: &mut Self, x, y| e.op(Op::IAdd, ty, &[x, y]);
        let (a_lo, a_hi) = (low(self, a), high(self, a));
        let (b_lo, b_hi) = (low(self, b), high(self, b));
        let mut products = [0; 4];
        for (i, (x, y)) in
            [(a_lo, b_lo), (a_lo, b_hi), (a_hi, b_lo), (a_hi, b_hi)].into_iter().enumerate()
        {
            products[i] = self.op(Op::IMul, ty, &[x, y]);
        }
        let [lo_lo, lo_hi, hi_lo, hi_hi] = products;
        let mut middle = high(self, lo_lo);
        for product in [lo_hi, hi_lo] {
            let part = low(self, product);
            middle = add(self, middle, part);
        }
        let mut result = hi_hi;
        for part in [lo_hi, hi_lo, middle] {
            let part = high(self, part);
            result = add(self, result, part);
        }
        if signed {
            let sign_shift = self.builder.constant(ty, 64, 63);
            for (sign_of, other) in [(a, b), (b, a)] {
                let sign = self.op(Op::ShiftRightArithmetic, ty, &[sign_of, sign_shift]);
                let part = self.op(Op::BitwiseAnd, ty, &[other, sign]);
                result = self.op(Op::ISub, ty, &[result, part]);
            }
        }
        result
    }

    /// Comparison of integers, pointers or bools.
    pub fn int_compare(&mut self, cc: IntCC, scalar: Scalar, a: u32, b: u32) -> EmitResult<u32> {
        use IntCC::*;
        let op = match cc {
            Eq => Op::IEqual,
            Ne => Op::INotEqual,
            Slt => Op::SLessThan,
            Sle => Op::SLessThanEqual,
            Sgt => Op::SGreaterThan,
            Sge => Op::SGreaterThanEqual,
            Ult => Op::ULessThan,
            Ule => Op::ULessThanEqual,
            Ugt => Op::UGreaterThan,
            Uge => Op::UGreaterThanEqual,
        };
        let signed = matches!(cc, Slt | Sle | Sgt | Sge);
        Ok(match (self.repr(scalar), cc) {
            (Repr::Pair, _) => self.pair_compare(cc, a, b),
            (Repr::Bool, Eq) => self.bool_op(Op::LogicalEqual, &[a, b]),
            (Repr::Bool, Ne) => self.bool_op(Op::LogicalNotEqual, &[a, b]),
            (Repr::Narrow(bits), _) if signed => {
                let (a, b) = (self.sign_extend(a, bits), self.sign_extend(b, bits));
                self.bool_op(op, &[a, b])
            }
            (Repr::Int(_) | Repr::Narrow(_), _) => self.bool_op(op, &[a, b]),
            _ => return Err(EmitError::malformed("an integer comparison of other types")),
        })
    }

    /// Leading (FindUMsb) or trailing (FindILsb) zeros of a word; set bits are not found in 0,
    /// where both give -1.
    pub fn count_zeros_32(&mut self, op: Glsl, id: u32) -> u32 {
        let word = self.builder.u32;
        let found = self.glsl(op, word, &[id]);
        let limit = self.const_u32(if op == Glsl::FindUMsb { 31 } else { 32 });
        if op == Glsl::FindUMsb {
            self.u32_op(Op::ISub, limit, found)
        } else {
            self.glsl(Glsl::UMin, word, &[found, limit])
        }
    }

    /// Emits the integer operations of [`MathOp`].
    pub fn int_math(&mut self, op: MathOp, scalar: Scalar, a: u32) -> EmitResult<u32> {
        let repr = self.repr(scalar);
        if op == MathOp::SAbs {
            return self.int_abs(scalar, a);
        }
        match repr {
            Repr::Int(32) => Ok(self.count_bits_32(op, a)),
            Repr::Int(64) | Repr::Pair => self.int_math_64(op, a),
            Repr::Int(bits) | Repr::Narrow(bits) => {
                let word = self.builder.u32;
                let wide = match repr {
                    Repr::Int(_) => self.op(Op::UConvert, word, &[a]),
                    _ => a,
                };
                let result = match op {
                    MathOp::Ctz => {
                        // A bit above the top stops the search.
                        let stopped = self.u32_op_const(Op::BitwiseOr, wide, 1 << bits);
                        self.count_bits_32(op, stopped)
                    }
                    MathOp::Clz => {
                        let zeros = self.count_bits_32(op, wide);
                        self.u32_op_const(Op::ISub, zeros, 32 - bits)
                    }
                    MathOp::BitReverse => {
                        let reversed = self.count_bits_32(op, wide);
                        self.u32_op_const(Op::ShiftRightLogical, reversed, 32 - bits)
                    }
                    _ => self.count_bits_32(op, wide),
                };
                let ty = self.scalar_type(scalar)?;
                Ok(match repr {
                    Repr::Int(_) => self.op(Op::UConvert, ty, &[result]),
                    _ => result,
                })
            }
            _ => Err(EmitError::malformed("a bit operation on other types")),
        }
    }

    fn count_bits_32(&mut self, op: MathOp, a: u32) -> u32 {
        let word = self.builder.u32;
        match op {
            MathOp::Clz => self.count_zeros_32(Glsl::FindUMsb, a),
            MathOp::Ctz => self.count_zeros_32(Glsl::FindILsb, a),
            MathOp::PopCount => self.op(Op::BitCount, word, &[a]),
            _ => self.op(Op::BitReverse, word, &[a]),
        }
    }

    fn int_math_64(&mut self, op: MathOp, a: u32) -> EmitResult<u32> {
        let count = match op {
            MathOp::Clz => self.count_bits_64(Glsl::FindUMsb, a),
            MathOp::Ctz => self.count_bits_64(Glsl::FindILsb, a),
            _ => {
                let (lo, hi) = (self.low_word(a), self.high_word(a));
                let (lo, hi) = (self.count_bits_32(op, lo), self.count_bits_32(op, hi));
                if op == MathOp::BitReverse {
                    return self.wide_from_words(hi, lo);
                }
                self.u32_op(Op::IAdd, lo, hi)
            }
        };
        self.zero_extend_word(count)
    }

    fn int_abs(&mut self, scalar: Scalar, a: u32) -> EmitResult<u32> {
        let ty = self.ty(Type::of(scalar))?;
        if self.repr(scalar) == Repr::Int(32) {
            return Ok(self.glsl(Glsl::SAbs, ty, &[a]));
        }
        let zero = self.constant(scalar, 0)?;
        let negative = self.int_compare(IntCC::Slt, scalar, a, zero)?;
        let negated = self.int_unary(UnaryOp::INeg, scalar, a)?;
        Ok(self.select(ty, negative, negated, a))
    }
}
