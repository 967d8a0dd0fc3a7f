//! Numbers of bfloat16 (SPV_KHR_bfloat16): 16-bit integers with their bits, which are converted to floats and back where they
//! are numbers. So every device has them; only matrices of them have a type of their own in the emitted module.

use super::function::Translator;
use super::grammar;
use super::words::Inst;
use crate::ir::{BinaryOp, Value};
use rspirv::spirv::Op;

/// Returns true for instructions that values of bfloat16 may be used with, other than constants (SPV_KHR_bfloat16, Validation
/// Rules).
fn takes_bfloat16(op: Op) -> bool {
    use Op::*;
    super::memory::has(op)
        || super::pointers::has(op)
        || super::convert::has(op)
        || super::composite::has(op)
        || super::matrices::has(op)
        || matches!(
            op,
            Line | NoLine
                | Nop
                | Undef
                | FunctionCall
                | Dot
                | Select
                | LifetimeStart
                | LifetimeStop
        )
}

impl Translator<'_, '_, '_> {
    /// Checks that an instruction does not compute with bfloat16.
    pub(super) fn check_bfloat16(&mut self, inst: &Inst<'_>) -> Result<(), String> {
        if takes_bfloat16(inst.op) || !self.m.types.has_bfloat16() {
            return Ok(());
        }
        let types = &self.m.types;
        let mut is_used = types.of(inst.ty).is_ok_and(|ty| types.is_bfloat16(ty));
        grammar::operands(inst, |id| {
            is_used |= self.has_bfloat16(id);
            Ok(())
        })?;
        if matches!(inst.op, Op::ExtInst | Op::ExtInstWithForwardRefsKHR) {
            is_used |= inst.rest(2).iter().any(|&id| self.has_bfloat16(id));
        }
        match is_used {
            true => Err("bfloat16 are not computed with: convert them to float".to_string()),
            false => Ok(()),
        }
    }

    /// Returns true if an id is that of a value of bfloat16.
    fn has_bfloat16(&self, id: u32) -> bool {
        self.known_type(id).is_some_and(|ty| self.m.types.is_bfloat16(ty))
    }

    /// Returns the floats of an operand of bfloat16; other operands are left as they are.
    pub(super) fn widened(&mut self, id: u32, value: Value) -> Value {
        match self.has_bfloat16(id) {
            true => self.with_lowerer(|lowerer| lowerer.float_of_bfloat16(value)),
            false => value,
        }
    }

    /// Returns the bfloat16 that are nearest to floats.
    pub(super) fn narrowed(&mut self, value: Value) -> Value {
        self.with_lowerer(|lowerer| lowerer.bfloat16_of_float(value))
    }

    /// Translates OpDot of bfloat16: the products are summed as floats.
    pub(super) fn bfloat16_dot(&mut self, inst: &Inst<'_>) -> Result<(), String> {
        let ids: [u32; 2] = inst.get()?;
        let [a, b] = self.numbers(ids)?;
        if !ids.iter().all(|&id| self.has_bfloat16(id)) {
            return Err("the operands are not of bfloat16".to_string());
        }
        let [a, b] = [(ids[0], a), (ids[1], b)].map(|(id, value)| self.widened(id, value));
        let products = self.b.binary(BinaryOp::FMul, a, b);
        let lanes = self.lanes(products).into_iter();
        let sum = lanes.reduce(|sum, lane| self.b.binary(BinaryOp::FAdd, sum, lane));
        let sum = self.narrowed(sum.ok_or("it is not of vectors")?);
        self.give(inst, sum)
    }
}
