//! Floating-point operations on scalars.

use super::emitter::Emitter;
use super::error::{EmitError, EmitResult};
use super::repr::Repr;
use super::spirv_builder::Glsl;
use crate::ir::{BinaryOp, FloatCC, FpFlags, MathOp, Scalar, Type};
use rspirv::spirv::Op;

impl Emitter<'_> {
    /// Returns the type of a float that the device can compute with.
    fn float_type(&mut self, scalar: Scalar) -> EmitResult<u32> {
        match self.repr(scalar) {
            Repr::Float(_) => self.scalar_type(scalar),
            _ if scalar == Scalar::F16 => {
                Err(EmitError::missing("half arithmetic", "16-bit floats (shaderFloat16)"))
            }
            _ => Err(EmitError::malformed("a float operation on integers")),
        }
    }

    pub fn float_negate(&mut self, scalar: Scalar, a: u32) -> EmitResult<u32> {
        let ty = self.float_type(scalar)?;
        match self.target.floats(scalar).sign_alone {
            true => Ok(self.op(Op::FNegate, ty, &[a])),
            false => self.float_sign(scalar, a, Op::BitwiseXor, 0x8000_0000),
        }
    }

    /// Emits an operation on the bits of a float that are those of `mask` where the sign is the top one:
    /// for devices whose own lose denormals or NaNs.
    fn float_sign(&mut self, scalar: Scalar, a: u32, op: Op, mask: u32) -> EmitResult<u32> {
        let ty = Type::of(scalar);
        let mut words = self.words_of(a, ty)?;
        if let Some(top) = words.last_mut() {
            let mask = if scalar == Scalar::F16 { mask >> 16 } else { mask };
            *top = self.u32_op_const(op, *top, mask);
        }
        self.value_of_words(&words, ty)
    }

    pub fn float_binary(
        &mut self,
        op: BinaryOp,
        scalar: Scalar,
        args: [u32; 2],
        flags: FpFlags,
    ) -> EmitResult<u32> {
        use BinaryOp::*;
        let ty = self.float_type(scalar)?;
        let op = match op {
            FAdd => Op::FAdd,
            FSub => Op::FSub,
            FMul => Op::FMul,
            FDiv => Op::FDiv,
            FRem => Op::FRem,
            FMin | FMax if scalar == Scalar::F32 && !self.target.floats(scalar).orders => {
                return self.float_choice(op == FMin, args);
            }
            FMin => return Ok(self.glsl(Glsl::NMin, ty, &args)),
            FMax => return Ok(self.glsl(Glsl::NMax, ty, &args)),
            _ => return Err(EmitError::malformed("an integer operation on floats")),
        };
        self.divides_single |= matches!(op, Op::FDiv | Op::FRem) && scalar == Scalar::F32;
        let id = self.op(op, ty, &args);
        if flags.contains(FpFlags::NO_CONTRACT) && matches!(op, Op::FAdd | Op::FSub | Op::FMul) {
            self.no_contraction(id);
        }
        Ok(id)
    }

    /// Returns the smaller of two F32, or the larger, by their order as integers: what the device takes for
    /// equal zeros is not to be the wrong one of two denormals.
    fn float_choice(&mut self, smaller: bool, [a, b]: [u32; 2]) -> EmitResult<u32> {
        let (word, ty) = (self.builder.u32, self.scalar_type(Scalar::F32)?);
        let [x, y] = [a, b].map(|x| {
            let bits = self.op(Op::Bitcast, word, &[x]);
            let sign = self.u32_op_const(Op::ShiftRightArithmetic, bits, 31);
            let magnitude = self.u32_op_const(Op::BitwiseAnd, bits, 0x7fff_ffff);
            let flipped = self.u32_op(Op::BitwiseXor, magnitude, sign);
            self.u32_op(Op::ISub, flipped, sign)
        });
        let op = if smaller { Op::SLessThan } else { Op::SGreaterThan };
        let first = self.bool_op(op, &[x, y]);
        // NaNs are beyond the infinities: never chosen beside a number.
        let (a_nan, b_nan) =
            (self.float_class(true, Scalar::F32, a)?, self.float_class(true, Scalar::F32, b)?);
        let a_is_number = self.bool_op(Op::LogicalNot, &[a_nan]);
        let first = self.bool_op(Op::LogicalAnd, &[first, a_is_number]);
        let first = self.bool_op(Op::LogicalOr, &[first, b_nan]);
        Ok(self.select(ty, first, a, b))
    }

    /// Emits the float operations of [`MathOp`].
    pub fn float_math(&mut self, op: MathOp, scalar: Scalar, args: &[u32]) -> EmitResult<u32> {
        use MathOp::*;
        if let (IsNan | IsInf, [a]) = (op, args) {
            return self.float_class(op == IsNan, scalar, *a);
        }
        let ty = self.float_type(scalar)?;
        if let (FAbs, [a], false) = (op, args, self.target.floats(scalar).sign_alone) {
            return self.float_sign(scalar, *a, Op::BitwiseAnd, 0x7fff_ffff);
        }
        let (glsl, count) = match op {
            Fma => (Glsl::Fma, 3),
            FAbs => (Glsl::FAbs, 1),
            Floor => (Glsl::Floor, 1),
            Ceil => (Glsl::Ceil, 1),
            Trunc => (Glsl::Trunc, 1),
            Rint => (Glsl::RoundEven, 1),
            Sqrt => (Glsl::Sqrt, 1),
            RSqrt => (Glsl::InverseSqrt, 1),
            Ldexp => (Glsl::Ldexp, 2),
            Sin => (Glsl::Sin, 1),
            Cos => (Glsl::Cos, 1),
            Tan => (Glsl::Tan, 1),
            Exp2 => (Glsl::Exp2, 1),
            Log2 => (Glsl::Log2, 1),
            Pow => (Glsl::Pow, 2),
            _ => return Err(EmitError::malformed(format!("{op:?} of a float"))),
        };
        if scalar == Scalar::F64 && matches!(op, Sin | Cos | Tan | Exp2 | Log2 | Pow) {
            return Err(EmitError::Unsupported(format!(
                "the native instruction for {op:?} exists for float only, not for double"
            )));
        }
        if args.len() != count {
            return Err(EmitError::malformed(format!("{op:?} with {} operands", args.len())));
        }
        Ok(self.glsl(glsl, ty, args))
    }

    /// NaN and infinity tests look at the bits: drivers may fold OpIsNan and x != x to false.
    fn float_class(&mut self, nan: bool, scalar: Scalar, a: u32) -> EmitResult<u32> {
        let repr = self.repr(scalar);
        let (bits, infinity) = match scalar {
            Scalar::F16 => (16, 0x7c00),
            Scalar::F32 => (32, 0x7f80_0000),
            Scalar::F64 => (64, 0x7ff0_0000),
            _ => return Err(EmitError::malformed("a class of integers")),
        };
        if bits == 64 {
            self.scalar_type(scalar)?;
            let word = self.builder.u32;
            let pair = self.as_pair(a, repr);
            let (lo, hi) = (self.extract(word, pair, 0), self.extract(word, pair, 1));
            let hi = self.u32_op_const(Op::BitwiseAnd, hi, 0x7fff_ffff);
            // A bit set in the low word makes the high one differ from that of infinity.
            let (zero, one) = (self.const_u32(0), self.const_u32(1));
            let any = self.bool_op(Op::INotEqual, &[lo, zero]);
            let sticky = self.select_u32(any, one, zero);
            let magnitude = self.u32_op(Op::BitwiseOr, hi, sticky);
            return Ok(self.class_of(nan, magnitude, infinity));
        }
        let word = match repr {
            Repr::Float(16) | Repr::Int(16) => {
                let word = self.builder.u32;
                let half = self.int_type(16);
                let bits = match repr {
                    Repr::Int(_) => a,
                    _ => self.op(Op::Bitcast, half, &[a]),
                };
                self.op(Op::UConvert, word, &[bits])
            }
            Repr::Narrow(_) => a,
            _ => {
                let word = self.builder.u32;
                self.op(Op::Bitcast, word, &[a])
            }
        };
        let magnitude = self.mask_low(word, bits - 1);
        Ok(self.class_of(nan, magnitude, infinity))
    }

    fn class_of(&mut self, nan: bool, magnitude: u32, infinity: u32) -> u32 {
        let infinity = self.const_u32(infinity);
        let op = if nan { Op::UGreaterThan } else { Op::IEqual };
        self.bool_op(op, &[magnitude, infinity])
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
            Ord | Uno => {
                let mut either = self.float_class(true, scalar, a)?;
                if a != b {
                    let second = self.float_class(true, scalar, b)?;
                    either = self.bool_op(Op::LogicalOr, &[either, second]);
                }
                return Ok(match cc {
                    Uno => either,
                    _ => self.bool_op(Op::LogicalNot, &[either]),
                });
            }
        };
        Ok(self.bool_op(op, &[a, b]))
    }
}
