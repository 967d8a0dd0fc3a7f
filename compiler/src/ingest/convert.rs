//! Conversions of numbers (SPIR-V 3.49.11).

use super::function::{unsupported, Translator};
use super::words::Inst;
use crate::builtins::{Number, Rounding};
use crate::ir::{ConvertOp, Scalar, ScalarKinds, Type, Value};
use rspirv::spirv::{Decoration, FPRoundingMode, Op};

/// Returns true for the instructions of this file.
pub(super) fn has(op: Op) -> bool {
    use Op::*;
    matches!(
        op,
        ConvertFToU
            | ConvertFToS
            | ConvertSToF
            | ConvertUToF
            | UConvert
            | SConvert
            | FConvert
            | SatConvertSToU
            | SatConvertUToS
            | Bitcast
            | QuantizeToF16
            | ConvertFToBF16INTEL
            | ConvertBF16ToFINTEL
    )
}

impl Translator<'_, '_, '_> {
    pub(super) fn conversion(&mut self, inst: &Inst<'_>) -> Result<(), String> {
        if inst.op == Op::Bitcast {
            return self.bitcast(inst);
        }
        if matches!(inst.op, Op::ConvertFToBF16INTEL | Op::ConvertBF16ToFINTEL) {
            return self.bfloat16(inst);
        }
        let (float, int) = (ScalarKinds::FLOAT, ScalarKinds::INT);
        // The kind of source and result, each with true if it is signed.
        let ((from, from_signed), (to, to_signed)) = match inst.op {
            Op::ConvertFToU => ((float, true), (int, false)),
            Op::ConvertFToS => ((float, true), (int, true)),
            Op::ConvertSToF => ((int, true), (float, true)),
            Op::ConvertUToF => ((int, false), (float, true)),
            Op::UConvert => ((int, false), (int, false)),
            Op::SConvert => ((int, true), (int, true)),
            Op::FConvert => ((float, true), (float, true)),
            Op::SatConvertSToU => ((int, true), (int, false)),
            Op::SatConvertUToS => ((int, false), (int, true)),
            _ => return unsupported(),
        };
        let value = self.number(inst.arg(0)?)?;
        let value = self.widened(inst.arg(0)?, value);
        self.check_kind(value, from)?;
        let narrows = self.m.types.is_bfloat16(self.m.types.of(inst.ty)?);
        let result = self.numeric_result(inst)?;
        let result = if narrows { result.with_scalar(Scalar::F32) } else { result };
        if !to.has(result.scalar) {
            return Err("its type is of the wrong kind".to_string());
        }
        let saturates = self.decorations().has(inst.id, Decoration::SaturatedConversion)
            || matches!(inst.op, Op::SatConvertSToU | Op::SatConvertUToS);
        let rounding = self.rounding(inst)?;
        if narrows && !matches!(rounding, None | Some(Rounding::NearestEven)) {
            return Err("bfloat16 are rounded to the nearest even alone".to_string());
        }
        let from = Number { scalar: self.b.ty(value).scalar, signed: from_signed };
        let to = Number { scalar: result.scalar, signed: to_signed };
        let value = self.b.convert_number(value, (from, to), rounding, saturates);
        let value = if narrows { self.narrowed(value) } else { value };
        self.give(inst, value)
    }

    /// A conversion from or to the upper half of a float, as an integer (SPV_INTEL_bfloat16_conversion).
    fn bfloat16(&mut self, inst: &Inst<'_>) -> Result<(), String> {
        let narrows = inst.op == Op::ConvertFToBF16INTEL;
        let value = self.number(inst.arg(0)?)?;
        let from = if narrows { Scalar::F32 } else { Scalar::I16 };
        if self.b.ty(value).scalar != from {
            return Err("the operand is of the wrong type".to_string());
        }
        let value = self.with_lowerer(|lowerer| match narrows {
            true => lowerer.bfloat16_of_float(value),
            false => lowerer.float_of_bfloat16(value),
        });
        self.give(inst, value)
    }

    fn rounding(&self, inst: &Inst<'_>) -> Result<Option<Rounding>, String> {
        let mode = self.decorations().operand(inst.id, Decoration::FPRoundingMode);
        Ok(match mode.map(FPRoundingMode::from_u32) {
            None => None,
            Some(Some(FPRoundingMode::RTE)) => Some(Rounding::NearestEven),
            Some(Some(FPRoundingMode::RTZ)) => Some(Rounding::TowardZero),
            Some(Some(FPRoundingMode::RTP)) => Some(Rounding::TowardPositive),
            Some(Some(FPRoundingMode::RTN)) => Some(Rounding::TowardNegative),
            Some(None) => return Err("unknown rounding mode".to_string()),
        })
    }

    /// Translates OpBitcast: bits become another type, pointers become pointers of the same storage class or integers.
    fn bitcast(&mut self, inst: &Inst<'_>) -> Result<(), String> {
        let value = self.one(inst.arg(0)?)?;
        let (from, to) = (self.b.ty(value), self.result(inst)?);
        let value = match (from.scalar.is_ptr(), to.scalar.is_ptr()) {
            (true, true) if from == to => value,
            (true, true) => return Err("the pointers differ in storage class".to_string()),
            (true, false) => {
                let address = self.b.address(value);
                let address = self.b.resize(address, Type::I64, false);
                self.bits(address, to)?
            }
            (false, true) => {
                let address = self.bits(value, Type::I64)?;
                self.int_to_pointer(address, inst)?
            }
            (false, false) => {
                self.m.types.numeric(self.m.types.of(inst.ty)?)?;
                self.bits(value, to)?
            }
        };
        self.give(inst, value)
    }

    fn bits(&mut self, value: Value, to: Type) -> Result<Value, String> {
        let from = self.b.ty(value);
        let fits = from.scalar != Scalar::Bool && to.scalar != Scalar::Bool;
        match from == to || fits && ConvertOp::Bitcast.converts(from, to) {
            true => Ok(self.b.bitcast(value, to)),
            false => Err("the types differ in size".to_string()),
        }
    }
}
