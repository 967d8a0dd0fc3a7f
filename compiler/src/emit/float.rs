//! Floating-point operations on scalars.

use super::emitter::Emitter;
use super::error::{EmitError, EmitResult};
use super::spirv_builder::Glsl;
use crate::ir::{BinaryOp, FloatCC, MathOp, OpFlags, Scalar};
use rspirv::spirv::Op;

impl Emitter<'_> {
    /// Returns the type of a float.
    fn float_type(&mut self, scalar: Scalar) -> EmitResult<u32> {
        match scalar.is_float() {
            true => self.scalar_type(scalar),
            false => Err(EmitError::malformed("a float operation on integers")),
        }
    }

    pub fn float_negate(&mut self, scalar: Scalar, a: u32) -> EmitResult<u32> {
        let ty = self.float_type(scalar)?;
        Ok(self.op(Op::FNegate, ty, &[a]))
    }

    pub fn float_binary(
        &mut self,
        op: BinaryOp,
        scalar: Scalar,
        args: [u32; 2],
        flags: OpFlags,
    ) -> EmitResult<u32> {
        use BinaryOp::*;
        let ty = self.float_type(scalar)?;
        let op = match op {
            FAdd => Op::FAdd,
            FSub => Op::FSub,
            FMul => Op::FMul,
            FDiv => Op::FDiv,
            FRem => Op::FRem,
            FMin => return Ok(self.glsl(Glsl::NMin, ty, &args)),
            FMax => return Ok(self.glsl(Glsl::NMax, ty, &args)),
            _ => return Err(EmitError::malformed("an integer operation on floats")),
        };
        let divides = matches!(op, Op::FDiv | Op::FRem) && !flags.contains(OpFlags::NATIVE);
        self.divides_single |= divides && scalar == Scalar::F32;
        let id = self.op(op, ty, &args);
        if flags.contains(OpFlags::NO_CONTRACT) && matches!(op, Op::FAdd | Op::FSub | Op::FMul) {
            self.no_contraction(id);
        }
        Ok(id)
    }

    /// Emits the float operations of [`MathOp`].
    pub fn float_math(&mut self, op: MathOp, scalar: Scalar, args: &[u32]) -> EmitResult<u32> {
        use MathOp::*;
        let ty = self.float_type(scalar)?;
        let glsl = match op {
            Fma => Glsl::Fma,
            FAbs => Glsl::FAbs,
            Floor => Glsl::Floor,
            Ceil => Glsl::Ceil,
            Trunc => Glsl::Trunc,
            Rint => Glsl::RoundEven,
            Sqrt => Glsl::Sqrt,
            RSqrt => Glsl::InverseSqrt,
            Ldexp => Glsl::Ldexp,
            Sin => Glsl::Sin,
            Cos => Glsl::Cos,
            Tan => Glsl::Tan,
            Exp2 => Glsl::Exp2,
            Log2 => Glsl::Log2,
            Pow => Glsl::Pow,
            _ => return Err(EmitError::malformed(format!("{op:?} of a float"))),
        };
        if scalar == Scalar::F64 && matches!(op, Sin | Cos | Tan | Exp2 | Log2 | Pow) {
            return Err(EmitError::Unsupported(format!(
                "the native instruction for {op:?} exists for float only, not for double"
            )));
        }
        Ok(self.glsl(glsl, ty, args))
    }

    pub fn float_compare(
        &mut self,
        cc: FloatCC,
        scalar: Scalar,
        a: u32,
        b: u32,
    ) -> EmitResult<u32> {
        use FloatCC::*;
        self.float_type(scalar)?;
        let op = match cc {
            Oeq => Op::FOrdEqual,
            One => Op::FOrdNotEqual,
            Olt => Op::FOrdLessThan,
            Ole => Op::FOrdLessThanEqual,
            Ogt => Op::FOrdGreaterThan,
            Oge => Op::FOrdGreaterThanEqual,
            Ueq => Op::FUnordEqual,
            Une => Op::FUnordNotEqual,
            Ult => Op::FUnordLessThan,
            Ule => Op::FUnordLessThanEqual,
            Ugt => Op::FUnordGreaterThan,
            Uge => Op::FUnordGreaterThanEqual,
            Ord | Uno => return Err(EmitError::malformed("a question for NaN")),
        };
        Ok(self.bool_op(op, &[a, b]))
    }
}
