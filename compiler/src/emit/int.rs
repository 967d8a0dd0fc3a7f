//! Operations on integers that the device has, and on bools.

use super::emitter::Emitter;
use super::error::{EmitError, EmitResult};
use super::repr::Repr;
use super::spirv_builder::Glsl;
use crate::ir::{BinaryOp, IntCC, MathOp, Scalar, Type, UnaryOp, Value};
use rspirv::spirv::{Capability, Op, PackedVectorFormat};

impl Emitter<'_> {
    /// Negation and complement of integers, logical not of bools.
    pub fn int_unary(&mut self, op: UnaryOp, scalar: Scalar, a: u32) -> EmitResult<u32> {
        let ty = self.scalar_type(scalar)?;
        let op = match (op, self.repr(scalar)) {
            (UnaryOp::Not, Repr::Bool) => Op::LogicalNot,
            (UnaryOp::Not, Repr::Int(_)) => Op::Not,
            (UnaryOp::INeg, Repr::Int(_)) => Op::SNegate,
            _ => return Err(EmitError::malformed(format!("{op:?} of {scalar:?}"))),
        };
        Ok(self.op(op, ty, &[a]))
    }

    /// Binary operations of integers and bools.
    pub fn int_binary(
        &mut self,
        op: BinaryOp,
        scalar: Scalar,
        [a, b]: [u32; 2],
    ) -> EmitResult<u32> {
        use BinaryOp::*;
        match self.repr(scalar) {
            Repr::Int(bits) => self.native_binary(op, bits, [a, b]),
            Repr::Bool => {
                let op = match op {
                    And => Op::LogicalAnd,
                    Or => Op::LogicalOr,
                    Xor => Op::LogicalNotEqual,
                    _ => return Err(EmitError::malformed("arithmetic on bools")),
                };
                Ok(self.bool_op(op, &[a, b]))
            }
            _ => Err(EmitError::malformed(format!("{op:?} of {scalar:?}"))),
        }
    }

    /// Operations on integers that the device has.
    fn native_binary(&mut self, op: BinaryOp, bits: u32, [a, b]: [u32; 2]) -> EmitResult<u32> {
        use BinaryOp::*;
        let ty = self.int_type(bits);
        let plain = match op {
            IAdd => Op::IAdd,
            ISub => Op::ISub,
            IMul => Op::IMul,
            SDiv => Op::SDiv,
            UDiv => Op::UDiv,
            URem => Op::UMod,
            Shl => Op::ShiftLeftLogical,
            LShr => Op::ShiftRightLogical,
            AShr => Op::ShiftRightArithmetic,
            And => Op::BitwiseAnd,
            Or => Op::BitwiseOr,
            Xor => Op::BitwiseXor,
            SMin | SMax | UMin | UMax => return Ok(self.min_max(op, bits, a, b)),
            SMulHi | UMulHi if bits == 32 => return Ok(self.mul_hi(op == SMulHi, a, b)),
            _ => return Err(EmitError::malformed(format!("{op:?} of {bits} bits"))),
        };
        Ok(self.op(plain, ty, &[a, b]))
    }

    /// Emits a minimum or maximum as a comparison and a selection. GLSL.std.450 has operations for it, but
    /// drivers' constant propagation (SPIRV-Tools', in SwiftShader) has a bug: where such an operation has a
    /// constant operand, it may use the values of a loop's first iteration for all iterations.
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

    /// The high half of a product of 32 bits.
    fn mul_hi(&mut self, signed: bool, a: u32, b: u32) -> u32 {
        let op = if signed { Op::SMulExtended } else { Op::UMulExtended };
        let product = self.both_halves(op, a, b);
        self.extract(self.builder.u32, product, 1)
    }

    /// Returns both halves of a product of words, of 32 bits each.
    pub fn both_halves(&mut self, op: Op, a: u32, b: u32) -> u32 {
        let word = self.builder.u32;
        let both = self.builder.result_pair(word);
        self.op(op, both, &[a, b])
    }

    /// Returns a half of a product of words, if the upper half is used in the block and both are computed at once
    /// ([`Quirks::PAIRED_PRODUCTS`](hekla_device::Quirks::PAIRED_PRODUCTS)).
    pub fn half_of_product(&mut self, op: BinaryOp, args: [Value; 2]) -> EmitResult<Option<u32>> {
        let half = match op {
            BinaryOp::IMul => 0,
            BinaryOp::UMulHi => 1,
            _ => return Ok(None),
        };
        if !self.products.is_wanted(args) {
            return Ok(None);
        }
        let [a, b] = [self.id(args[0])?, self.id(args[1])?];
        let mut product = *self.products.place(args);
        if product == 0 {
            product = self.both_halves(Op::UMulExtended, a, b);
            *self.products.place(args) = product;
        }
        Ok(Some(self.extract(self.builder.u32, product, half)))
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
        Ok(match (self.repr(scalar), cc) {
            (Repr::Bool, Eq) => self.bool_op(Op::LogicalEqual, &[a, b]),
            (Repr::Bool, Ne) => self.bool_op(Op::LogicalNotEqual, &[a, b]),
            (Repr::Int(_), _) => self.bool_op(op, &[a, b]),
            _ => return Err(EmitError::malformed("an integer comparison of other types")),
        })
    }

    /// Counts the leading (FindUMsb) or trailing (FindILsb) zeros of a word. For 0, in which no bit is
    /// set, both operations return -1.
    fn count_zeros_32(&mut self, op: Glsl, id: u32) -> u32 {
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
        match op {
            MathOp::SAbs => self.int_abs(scalar, a),
            _ if self.repr(scalar) == Repr::Int(32) => Ok(self.count_bits_32(op, a)),
            _ => Err(EmitError::malformed(format!("a bit operation on {scalar:?}"))),
        }
    }

    /// Emits a dot product of numbers that are packed in words.
    pub fn dot_product(&mut self, signs: [bool; 2], [a, b]: [u32; 2]) -> EmitResult<u32> {
        if !self.target.integer_dot_product {
            return Err(EmitError::missing("a dot product", "shaderIntegerDotProduct"));
        }
        self.builder.extension("SPV_KHR_integer_dot_product");
        self.builder.require_capability(Capability::DotProduct);
        self.builder.require_capability(Capability::DotProductInput4x8BitPacked);
        let op = match signs {
            [true, true] => Op::SDot,
            [false, _] => Op::UDot,
            [true, false] => Op::SUDot,
        };
        let format = PackedVectorFormat::PackedVectorFormat4x8Bit as u32;
        let word = self.builder.u32;
        Ok(self.op(op, word, &[a, b, format]))
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
