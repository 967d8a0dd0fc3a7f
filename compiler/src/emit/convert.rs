//! Conversions between scalars, and bit casts.

use super::emitter::Emitter;
use super::error::{EmitError, EmitResult};
use super::repr::Repr;
use crate::ir::{ConvertOp, Scalar, Type};
use rspirv::spirv::Op;

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
            ConvertOp::SpaceCast if from.bits() == to.bits() => Ok(a),
            ConvertOp::SpaceCast | ConvertOp::ToSpace => {
                Err(EmitError::malformed("a generic pointer that is not legalized"))
            }
            ConvertOp::Bitcast => self.bitcast(a, Type::of(from), Type::of(to)),
        }
    }

    /// Converts an integer or bool to an integer of any width. Integers of widths that the device does not compute with are
    /// converted only to and from words.
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
            (Repr::Narrow(_), Repr::Int(32)) if !signed => Ok(self.op(Op::UConvert, ty, &[a])),
            (Repr::Int(32), Repr::Narrow(_)) => Ok(self.op(Op::UConvert, ty, &[a])),
            _ => Err(EmitError::malformed(format!("a conversion of {from} to {to}"))),
        }
    }

    /// Converts between numbers of types that the device has; integers have at least 32 bits.
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

    /// Returns the same bits as a value of another type, which may have another number of lanes.
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
            Repr::Pair => lanes == 1,
            _ => false,
        };
        if native(source, from.lanes) && native(dest, to.lanes) {
            let ty = self.ty(to)?;
            return Ok(self.op(Op::Bitcast, ty, &[a]));
        }
        Err(EmitError::malformed(format!("a bit cast of {from} to {to}")))
    }
}
