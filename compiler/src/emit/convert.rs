//! Conversions between scalars, bit casts, and pointers of different address spaces.

use super::emitter::Emitter;
use super::error::{EmitError, EmitResult};
use super::repr::Repr;
use crate::ir::{AddressSpace, ConvertOp, Scalar, Type};
use rspirv::spirv::Op;

/// Bits 61 and up of a generic pointer: the space it points to. Device addresses have all of them
/// equal, so these patterns are free.
pub(super) const TAG_PRIVATE: u32 = 0x2000_0000;
pub(super) const TAG_LOCAL: u32 = 0x4000_0000;
pub(super) const TAG_MASK: u32 = 0xe000_0000;

impl Emitter<'_> {
    /// Emits a conversion of one scalar (not a bit cast).
    pub fn convert(&mut self, op: ConvertOp, from: Scalar, to: Scalar, a: u32) -> EmitResult<u32> {
        match op {
            ConvertOp::Trunc | ConvertOp::ZExt => self.resize(from, to, a, false),
            ConvertOp::SExt => self.resize(from, to, a, true),
            ConvertOp::FToS => self.number(Op::ConvertFToS, from, to, a),
            ConvertOp::FToU => self.number(Op::ConvertFToU, from, to, a),
            ConvertOp::SToF => self.number(Op::ConvertSToF, from, to, a),
            ConvertOp::UToF => self.number(Op::ConvertUToF, from, to, a),
            ConvertOp::FConvert => self.number(Op::FConvert, from, to, a),
            ConvertOp::PtrToInt | ConvertOp::IntToPtr => {
                let from = if from.is_ptr() { Scalar::int(from.bits()) } else { from };
                let to = if to.is_ptr() { Scalar::int(to.bits()) } else { to };
                self.resize(from, to, a, false)
            }
            ConvertOp::SpaceCast => self.space_cast(from, to, a),
            ConvertOp::ToSpace => self.space_test(to, a),
            ConvertOp::Bitcast => self.bitcast(a, Type::of(from), Type::of(to)),
        }
    }

    /// Integer or bool to an integer of any width. Integers that the device does not have are those of its memory:
    /// words whose upper bits are zero.
    fn resize(&mut self, from: Scalar, to: Scalar, a: u32, signed: bool) -> EmitResult<u32> {
        let ty = self.scalar_type(to)?;
        match (self.repr(from), self.repr(to)) {
            (Repr::Bool, Repr::Int(bits)) => {
                let one = self.constant(to, if signed { u64::MAX >> (64 - bits) } else { 1 })?;
                let zero = self.constant(to, 0)?;
                Ok(self.select(ty, a, one, zero))
            }
            (Repr::Int(x), Repr::Int(y)) if x == y => Ok(a),
            (Repr::Int(x), Repr::Int(y)) => {
                let op = if signed && x < y { Op::SConvert } else { Op::UConvert };
                Ok(self.op(op, ty, &[a]))
            }
            (Repr::Narrow(_), Repr::Int(32)) if !signed => Ok(a),
            (Repr::Int(32), Repr::Narrow(bits)) => Ok(self.mask_low(a, bits)),
            _ => Err(EmitError::malformed(format!("a conversion of {from} to {to}"))),
        }
    }

    /// Converts between numbers whose types the device has, integers of at least 32 bits.
    fn number(&mut self, op: Op, from: Scalar, to: Scalar, a: u32) -> EmitResult<u32> {
        if [from, to]
            .iter()
            .any(|s| matches!(self.repr(*s), Repr::Int(8 | 16) | Repr::Narrow(_) | Repr::Pair))
        {
            return Err(EmitError::malformed(
                "a conversion of integers of another width to or from floats",
            ));
        }
        let ty = self.scalar_type(to)?;
        Ok(self.op(op, ty, &[a]))
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

    /// Pointers between address spaces. The null pointer stays null.
    fn space_cast(&mut self, from: Scalar, to: Scalar, a: u32) -> EmitResult<u32> {
        use AddressSpace::*;
        let (Scalar::Ptr(source), Scalar::Ptr(dest)) = (from, to) else {
            return Err(EmitError::malformed("a space cast of no pointer"));
        };
        let tag = match (source, dest) {
            (Local, Generic) => TAG_LOCAL,
            (Private, Generic) => TAG_PRIVATE,
            (Generic, Local | Private) => return Ok(self.low_word(a)),
            (Local | Private, _) | (_, Local | Private) if source != dest => {
                return Err(EmitError::malformed("a cast between disjoint address spaces"))
            }
            _ => return Ok(a),
        };
        let (zero, tag) = (self.const_u32(0), self.const_u32(tag));
        let null = self.bool_op(Op::IEqual, &[a, zero]);
        let high = self.select_u32(null, zero, tag);
        self.wide_from_words(a, high)
    }
    /// Returns a generic pointer to the space that its tag must tell; else null.
    fn space_test(&mut self, to: Scalar, a: u32) -> EmitResult<u32> {
        let high = self.high_word(a);
        let bits = self.u32_op_const(Op::BitwiseAnd, high, TAG_MASK);
        let zero = self.const_u32(0);
        let (private, local) = (self.const_u32(TAG_PRIVATE), self.const_u32(TAG_LOCAL));
        match to {
            Scalar::Ptr(AddressSpace::Local | AddressSpace::Private) => {
                let is_local = to == Scalar::Ptr(AddressSpace::Local);
                let tag = if is_local { local } else { private };
                let here = self.bool_op(Op::IEqual, &[bits, tag]);
                let offset = self.low_word(a);
                Ok(self.select_u32(here, offset, zero))
            }
            Scalar::Ptr(AddressSpace::Global) => {
                let is_local = self.bool_op(Op::IEqual, &[bits, local]);
                let is_private = self.bool_op(Op::IEqual, &[bits, private]);
                let elsewhere = self.bool_op(Op::LogicalOr, &[is_local, is_private]);
                let (ty, null) = (self.scalar_type(to)?, self.constant(to, 0)?);
                Ok(self.select(ty, elsewhere, null, a))
            }
            _ => Err(EmitError::malformed("a question for a space that generic pointers have not")),
        }
    }
}
