//! Conversions between scalars, and bit casts.

use super::emitter::Emitter;
use super::error::{EmitError, EmitResult};
use super::repr::Repr;
use super::spirv_builder::Glsl;
use crate::ir::{ConvertOp, IntCC, Scalar, Type};
use rspirv::spirv::Op;

impl Emitter<'_> {
    /// Emits a conversion of one scalar (not a bit cast).
    pub fn convert(&mut self, op: ConvertOp, from: Scalar, to: Scalar, a: u32) -> EmitResult<u32> {
        match op {
            ConvertOp::Trunc | ConvertOp::ZExt => self.resize(from, to, a, false),
            ConvertOp::SExt => self.resize(from, to, a, true),
            ConvertOp::FToS => self.float_to_int(from, to, a, true),
            ConvertOp::FToU => self.float_to_int(from, to, a, false),
            ConvertOp::SToF => self.int_to_float(from, to, a, true),
            ConvertOp::UToF => self.int_to_float(from, to, a, false),
            ConvertOp::FConvert => self.float_to_float(from, to, a),
            ConvertOp::PtrToInt | ConvertOp::IntToPtr => {
                let from = if from.is_ptr() { Scalar::int(from.bits()) } else { from };
                let to = if to.is_ptr() { Scalar::int(to.bits()) } else { to };
                self.resize(from, to, a, false)
            }
            ConvertOp::SpaceCast if from.bits() == to.bits() => Ok(a),
            ConvertOp::SpaceCast | ConvertOp::ToSpace => {
                Err(EmitError::malformed("a generic pointer that is not legalized"))
            }
            ConvertOp::Bitcast => self.bitcast(a, Type::of(from), Type::of(to)),
        }
    }

    /// Integer or bool to an integer (or bool: the lowest bit) of any width.
    fn resize(&mut self, from: Scalar, to: Scalar, a: u32, signed: bool) -> EmitResult<u32> {
        if from == to {
            return Ok(a);
        }
        let ty = self.scalar_type(to)?;
        let (source, dest) = (self.repr(from), self.repr(to));
        if from == Scalar::Bool {
            let one = self.constant(to, if signed { u64::MAX >> (64 - to.bits()) } else { 1 })?;
            let zero = self.constant(to, 0)?;
            return Ok(self.select(ty, a, one, zero));
        }
        if to == Scalar::Bool {
            let word = self.as_word(from, a, false)?;
            let bit = self.mask_low(word, 1);
            let zero = self.const_u32(0);
            return Ok(self.bool_op(Op::INotEqual, &[bit, zero]));
        }
        if let (Repr::Int(x), Repr::Int(y)) = (source, dest) {
            let op = if signed && x < y { Op::SConvert } else { Op::UConvert };
            return Ok(if x == y { a } else { self.op(op, ty, &[a]) });
        }
        if source == dest {
            return Ok(a);
        }
        if to.bits() == 64 {
            let word = self.as_word(from, a, signed)?;
            return if signed { self.sign_extend_word(word) } else { self.zero_extend_word(word) };
        }
        let word = self.as_word(from, a, signed)?;
        self.narrowed_word(to, word)
    }

    /// Returns an integer of at most 32 bits extended to a word; of 64 bits, its low word.
    fn as_word(&mut self, from: Scalar, a: u32, signed: bool) -> EmitResult<u32> {
        let word = self.builder.u32;
        Ok(match self.repr(from) {
            Repr::Int(32) => a,
            Repr::Narrow(bits) if signed => self.sign_extend(a, bits),
            Repr::Narrow(_) => a,
            Repr::Int(bits) if signed && bits < 32 => self.op(Op::SConvert, word, &[a]),
            Repr::Int(_) => self.op(Op::UConvert, word, &[a]),
            Repr::Pair => self.extract(word, a, 0),
            _ => return Err(EmitError::malformed("an integer conversion of other types")),
        })
    }

    /// Returns a word cut to an integer of at most 32 bits.
    fn narrowed_word(&mut self, to: Scalar, word: u32) -> EmitResult<u32> {
        Ok(match self.repr(to) {
            Repr::Int(32) => word,
            Repr::Narrow(bits) => self.mask_low(word, bits),
            Repr::Int(_) => {
                let ty = self.scalar_type(to)?;
                self.op(Op::UConvert, ty, &[word])
            }
            _ => return Err(EmitError::malformed("an integer conversion to other types")),
        })
    }

    /// Returns a half that is kept as bits, as F32; other floats as they are.
    fn computable(&mut self, scalar: Scalar, a: u32) -> EmitResult<(Scalar, u32)> {
        if scalar == Scalar::F16 && !self.target.float16 {
            let words = self.words_of(a, Type::F16)?;
            return Ok((Scalar::F32, self.half_bits_to_float(words[0])?));
        }
        Ok((scalar, a))
    }

    fn float_to_int(&mut self, from: Scalar, to: Scalar, a: u32, signed: bool) -> EmitResult<u32> {
        let (from, a) = self.computable(from, a)?;
        let op = if signed { Op::ConvertFToS } else { Op::ConvertFToU };
        match self.repr(to) {
            Repr::Int(bits) if bits >= 32 => {
                let ty = self.scalar_type(to)?;
                Ok(self.op(op, ty, &[a]))
            }
            Repr::Int(_) | Repr::Narrow(_) => {
                let word = self.builder.u32;
                let wide = self.op(op, word, &[a]);
                self.narrowed_word(to, wide)
            }
            Repr::Pair => self.float_to_pair(from, a, signed),
            _ => Err(EmitError::malformed("a conversion to integer of other types")),
        }
    }

    /// Splits the magnitude into two words, exactly: it is less than 2^64, and both the scaling by
    /// 2^-32 and the remainder are exact.
    fn float_to_pair(&mut self, from: Scalar, a: u32, signed: bool) -> EmitResult<u32> {
        let ty = self.scalar_type(from)?;
        let word = self.builder.u32;
        let magnitude = self.glsl(Glsl::FAbs, ty, &[a]);
        let (down, up) = match from {
            Scalar::F64 => (0x3df0_0000_0000_0000, 0x41f0_0000_0000_0000),
            Scalar::F32 => (0x2f80_0000, 0x4f80_0000),
            _ => {
                let wide = self.convert(ConvertOp::FConvert, from, Scalar::F32, a)?;
                return self.float_to_pair(Scalar::F32, wide, signed);
            }
        };
        let (down, up) = (self.constant(from, down)?, self.constant(from, up)?);
        let scaled = self.op(Op::FMul, ty, &[magnitude, down]);
        let high = self.glsl(Glsl::Trunc, ty, &[scaled]);
        let part = self.op(Op::FMul, ty, &[high, up]);
        let low = self.op(Op::FSub, ty, &[magnitude, part]);
        let hi = self.op(Op::ConvertFToU, word, &[high]);
        let lo = self.op(Op::ConvertFToU, word, &[low]);
        let pair = self.pair(lo, hi);
        if !signed {
            return Ok(pair);
        }
        let zero = self.constant(from, 0)?;
        let negative = self.bool_op(Op::FOrdLessThan, &[a, zero]);
        let negated = self.pair_negate(pair);
        let ty = self.builder.pair();
        Ok(self.select(ty, negative, negated, pair))
    }

    fn int_to_float(&mut self, from: Scalar, to: Scalar, a: u32, signed: bool) -> EmitResult<u32> {
        if to == Scalar::F16 && !self.target.float16 {
            let wide = self.int_to_float(from, Scalar::F32, a, signed)?;
            return self.float_to_half(wide);
        }
        let op = if signed { Op::ConvertSToF } else { Op::ConvertUToF };
        let ty = self.scalar_type(to)?;
        if from == Scalar::Bool {
            let word = self.resize(from, Scalar::I32, a, signed)?;
            return Ok(self.op(op, ty, &[word]));
        }
        match self.repr(from) {
            Repr::Pair => self.pair_to_float(to, a, signed),
            Repr::Int(64) => Ok(self.op(op, ty, &[a])),
            Repr::Int(32) if !signed && !self.target.int64 && to == Scalar::F32 => {
                Ok(self.word_to_float(a, ty))
            }
            _ => {
                let word = self.as_word(from, a, signed)?;
                Ok(self.op(op, ty, &[word]))
            }
        }
    }

    /// Returns an unsigned word as F32 through the signed conversion, for weak devices: SwiftShader's
    /// unsigned one rounds twice. Half of a large word, with its last bit sticky, is converted and
    /// doubled.
    fn word_to_float(&mut self, a: u32, ty: u32) -> u32 {
        let zero = self.const_u32(0);
        let large = self.bool_op(Op::SLessThan, &[a, zero]);
        let half = self.u32_op_const(Op::ShiftRightLogical, a, 1);
        let last = self.mask_low(a, 1);
        let half = self.u32_op(Op::BitwiseOr, half, last);
        let word = self.select_u32(large, half, a);
        let float = self.op(Op::ConvertSToF, ty, &[word]);
        let double = self.op(Op::FAdd, ty, &[float, float]);
        self.select(ty, large, double, float)
    }

    /// Normalizes the magnitude so that its top 32 bits, with a sticky bit for the rest, round once.
    fn pair_to_float(&mut self, to: Scalar, a: u32, signed: bool) -> EmitResult<u32> {
        let ty = self.scalar_type(to)?;
        if to == Scalar::F16 {
            let single = self.pair_to_float(Scalar::F32, a, signed)?;
            return Ok(self.op(Op::FConvert, ty, &[single]));
        }
        let zero_pair = self.pair_const(0);
        let pair_ty = self.builder.pair();
        let (mut magnitude, mut negative) = (a, None);
        if signed {
            let sign = self.pair_compare(IntCC::Slt, a, zero_pair);
            let negated = self.pair_negate(a);
            magnitude = self.select(pair_ty, sign, negated, a);
            negative = Some(sign);
        }
        let result = if to == Scalar::F64 {
            // Both words are exact, their sum rounds once.
            let words = self.split(magnitude);
            let hi = self.op(Op::ConvertUToF, ty, &[words.hi]);
            let lo = self.op(Op::ConvertUToF, ty, &[words.lo]);
            let scale = self.constant(to, 0x41f0_0000_0000_0000)?;
            let hi = self.op(Op::FMul, ty, &[hi, scale]);
            self.op(Op::FAdd, ty, &[hi, lo])
        } else {
            let zeros = self.leading_zeros_of_pair(magnitude);
            let zeros = self.u32_op_const(Op::BitwiseAnd, zeros, 63);
            let amount = self.zero_extend_word(zeros)?;
            let shifted = self.pair_binary(crate::ir::BinaryOp::Shl, magnitude, amount)?;
            let words = self.split(shifted);
            let (zero, one) = (self.const_u32(0), self.const_u32(1));
            let any = self.bool_op(Op::INotEqual, &[words.lo, zero]);
            let sticky = self.select_u32(any, one, zero);
            let top = self.u32_op(Op::BitwiseOr, words.hi, sticky);
            let float = self.word_to_float(top, ty);
            // 2^(32 - zeros), from its bits; zero stays zero.
            let limit = self.const_u32(32 + 127);
            let exponent = self.u32_op(Op::ISub, limit, zeros);
            let bits = self.u32_op_const(Op::ShiftLeftLogical, exponent, 23);
            let scale = self.op(Op::Bitcast, ty, &[bits]);
            self.op(Op::FMul, ty, &[float, scale])
        };
        Ok(match negative {
            Some(sign) => {
                let negated = self.op(Op::FNegate, ty, &[result]);
                self.select(ty, sign, negated, result)
            }
            None => result,
        })
    }

    fn float_to_float(&mut self, from: Scalar, to: Scalar, a: u32) -> EmitResult<u32> {
        if from == to {
            return Ok(a);
        }
        if to == Scalar::F16 {
            let single = match from {
                Scalar::F64 => self.round_to_odd(a)?,
                _ => a,
            };
            // Not OpFConvert, not even where there are 16-bit floats: NVIDIA's driver takes a
            // conversion to half and back for nothing at all, and loses the rounding.
            let bits = self.float_to_half(single)?;
            return match self.target.float16 {
                true => self.bitcast(bits, Type::I16, Type::F16),
                false => Ok(bits),
            };
        }
        let (from, a) = self.widenable(from, a)?;
        if from == to {
            return Ok(a);
        }
        let ty = self.scalar_type(to)?;
        Ok(self.op(Op::FConvert, ty, &[a]))
    }

    /// Returns a half as F32 where the device's own conversion would lose its denormals, or there is none.
    fn widenable(&mut self, from: Scalar, a: u32) -> EmitResult<(Scalar, u32)> {
        if from != Scalar::F16 || !self.target.float16 || self.target.floats(from).widens {
            return self.computable(from, a);
        }
        let words = self.words_of(a, Type::F16)?;
        Ok((Scalar::F32, self.half_bits_to_float(words[0])?))
    }

    /// Returns the bits of a half as F32, in integers except for the denormals' own, which count units of 2^-24.
    fn half_bits_to_float(&mut self, bits: u32) -> EmitResult<u32> {
        let single = self.scalar_type(Scalar::F32)?;
        let sign = self.u32_op_const(Op::BitwiseAnd, bits, 0x8000);
        let sign = self.u32_op_const(Op::ShiftLeftLogical, sign, 16);
        let magnitude = self.u32_op_const(Op::BitwiseAnd, bits, 0x7fff);
        let shifted = self.u32_op_const(Op::ShiftLeftLogical, magnitude, 13);
        let normal = self.u32_op_const(Op::IAdd, shifted, 112 << 23);
        let special = self.u32_op_const(Op::IAdd, shifted, 224 << 23);
        let count = self.op(Op::ConvertSToF, single, &[magnitude]);
        let unit = self.constant(Scalar::F32, 0x3380_0000)?;
        let small = self.op(Op::FMul, single, &[count, unit]);
        let word = self.builder.u32;
        let small = self.op(Op::Bitcast, word, &[small]);
        let (least, infinity) = (self.const_u32(0x0400), self.const_u32(0x7c00));
        let is_small = self.bool_op(Op::ULessThan, &[magnitude, least]);
        let is_special = self.bool_op(Op::UGreaterThanEqual, &[magnitude, infinity]);
        let result = self.select_u32(is_special, special, normal);
        let result = self.select_u32(is_small, small, result);
        let result = self.u32_op(Op::BitwiseOr, result, sign);
        Ok(self.op(Op::Bitcast, single, &[result]))
    }

    /// F64 to F32 such that a further rounding to half is correct: cut, with the last bit set if
    /// anything was lost. Numbers that are denormal as F32 become some that are. On the bits, since
    /// drivers take a conversion there and back for nothing.
    fn round_to_odd(&mut self, a: u32) -> EmitResult<u32> {
        let single = self.scalar_type(Scalar::F32)?;
        let words = self.words_of(a, Type::F64)?;
        let (lo, hi) = (words[0], words[1]);
        let (zero, one) = (self.const_u32(0), self.const_u32(1));
        let sign = self.u32_op_const(Op::BitwiseAnd, hi, 0x8000_0000);
        let magnitude = self.u32_op_const(Op::BitwiseAnd, hi, 0x7fff_ffff);
        // Normal: the exponent rebiased (896 less), 3 more bits of the fraction, and a sticky one.
        let rebased = self.u32_op_const(Op::ISub, magnitude, 896 << 20);
        let high = self.u32_op_const(Op::ShiftLeftLogical, rebased, 3);
        let low = self.u32_op_const(Op::ShiftRightLogical, lo, 29);
        let normal = self.u32_op(Op::BitwiseOr, high, low);
        let lost = self.mask_low(lo, 29);
        let inexact = self.bool_op(Op::INotEqual, &[lost, zero]);
        let sticky = self.select_u32(inexact, one, zero);
        let normal = self.u32_op(Op::BitwiseOr, normal, sticky);
        let any = self.u32_op(Op::BitwiseOr, magnitude, lo);
        let any = self.bool_op(Op::INotEqual, &[any, zero]);
        let tiny = self.select_u32(any, one, zero);
        let limit = self.const_u32(897 << 20);
        let is_tiny = self.bool_op(Op::ULessThan, &[magnitude, limit]);
        let finite = self.select_u32(is_tiny, tiny, normal);
        // From 2^128 on: infinity, or a NaN where a bit is set behind that of infinity.
        let low_bits = self.bool_op(Op::INotEqual, &[lo, zero]);
        let low_bits = self.select_u32(low_bits, one, zero);
        let with_low = self.u32_op(Op::BitwiseOr, magnitude, low_bits);
        let limit = self.const_u32(0x7ff0_0000);
        let is_nan = self.bool_op(Op::UGreaterThan, &[with_low, limit]);
        let (nan, infinity) = (self.const_u32(0x7fc0_0000), self.const_u32(0x7f80_0000));
        let special = self.select_u32(is_nan, nan, infinity);
        let limit = self.const_u32(1151 << 20);
        let is_large = self.bool_op(Op::UGreaterThanEqual, &[magnitude, limit]);
        let bits = self.select_u32(is_large, special, finite);
        let bits = self.u32_op(Op::BitwiseOr, bits, sign);
        Ok(self.op(Op::Bitcast, single, &[bits]))
    }

    /// F32 to the bits of a half, to nearest even. PackHalf2x16 is not used, whose rounding is the
    /// device's choice (lavapipe truncates).
    fn float_to_half(&mut self, a: u32) -> EmitResult<u32> {
        let (word, single) = (self.builder.u32, self.scalar_type(Scalar::F32)?);
        let bits = self.op(Op::Bitcast, word, &[a]);
        let magnitude = self.u32_op_const(Op::BitwiseAnd, bits, 0x7fff_ffff);
        let sign = self.u32_op_const(Op::ShiftRightLogical, bits, 16);
        let sign = self.u32_op_const(Op::BitwiseAnd, sign, 0x8000);
        // Normal: rebias the exponent (subtract 112 << 23), add half a unit less one and the odd bit.
        let odd = self.u32_op_const(Op::ShiftRightLogical, magnitude, 13);
        let odd = self.mask_low(odd, 1);
        let rebias = 0x0fffu32.wrapping_sub(112 << 23);
        let normal = self.u32_op_const(Op::IAdd, magnitude, rebias);
        let normal = self.u32_op(Op::IAdd, normal, odd);
        let normal = self.u32_op_const(Op::ShiftRightLogical, normal, 13);
        // Subnormal: adding 0.5 aligns the mantissa so that float addition itself rounds.
        let half = self.constant(Scalar::F32, 0x3f00_0000)?;
        let positive = self.op(Op::Bitcast, single, &[magnitude]);
        let sum = self.op(Op::FAdd, single, &[positive, half]);
        let sum = self.op(Op::Bitcast, word, &[sum]);
        let subnormal = self.u32_op_const(Op::ISub, sum, 0x3f00_0000);
        let limit = self.const_u32(113 << 23);
        let small = self.bool_op(Op::ULessThan, &[magnitude, limit]);
        let finite = self.select_u32(small, subnormal, normal);
        let (infinity, nan) = (self.const_u32(0x7c00), self.const_u32(0x7e00));
        let limit = self.const_u32(0x7f80_0000);
        let is_nan = self.bool_op(Op::UGreaterThan, &[magnitude, limit]);
        let special = self.select_u32(is_nan, nan, infinity);
        let limit = self.const_u32(143 << 23);
        let large = self.bool_op(Op::UGreaterThanEqual, &[magnitude, limit]);
        let result = self.select_u32(large, special, finite);
        let result = self.u32_op(Op::BitwiseOr, result, sign);
        self.narrowed_word(Scalar::I16, result)
    }

    /// Returns the same bits as another type, of other lanes perhaps.
    pub fn bitcast(&mut self, a: u32, from: Type, to: Type) -> EmitResult<u32> {
        let (source, dest) = (self.repr(from.scalar), self.repr(to.scalar));
        if source == dest && from.lanes == to.lanes {
            return Ok(a);
        }
        let is_pair = |repr, ty: Type| match repr {
            Repr::Pair => ty.lanes == 1,
            _ => repr == Repr::Int(32) && ty.lanes == 2,
        };
        if is_pair(source, from) && is_pair(dest, to) {
            return Ok(a);
        }
        let native = |repr, lanes| match repr {
            Repr::Int(_) | Repr::Float(_) => true,
            // A vector of pairs is an array.
            Repr::Pair => lanes == 1,
            _ => false,
        };
        if native(source, from.lanes) && native(dest, to.lanes) {
            let ty = self.ty(to)?;
            return Ok(self.op(Op::Bitcast, ty, &[a]));
        }
        let words = self.words_of(a, from)?;
        self.value_of_words(&words, to)
    }
}
