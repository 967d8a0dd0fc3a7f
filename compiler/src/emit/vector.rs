//! Building, taking apart and shuffling vectors.

use super::emitter::Emitter;
use super::error::EmitResult;
use super::repr::Ids;
use crate::ir::{Type, Value};
use rspirv::spirv::Op;

impl Emitter<'_> {
    pub fn build(&mut self, args: &[Value], ty: Type) -> EmitResult<u32> {
        let lanes = args.iter().map(|&arg| self.id(arg)).collect::<EmitResult<Ids>>()?;
        self.join(&lanes, ty)
    }

    pub fn extract_lane(&mut self, arg: Value, lane: u8) -> EmitResult<u32> {
        let id = self.id(arg)?;
        let ty = self.ty(self.func.ty(arg).lane())?;
        Ok(self.extract(ty, id, u32::from(lane)))
    }

    pub fn insert_lane(&mut self, arg: Value, element: Value, lane: u8) -> EmitResult<u32> {
        let (vector, element) = (self.id(arg)?, self.id(element)?);
        let ty = self.ty(self.func.ty(arg))?;
        Ok(self.op(Op::CompositeInsert, ty, &[element, vector, u32::from(lane)]))
    }

    /// Returns an I32 index modulo the number of lanes.
    fn lane_index(&mut self, index: Value, lanes: u8) -> EmitResult<u32> {
        let id = self.id(index)?;
        let lanes = u32::from(lanes);
        Ok(if lanes.is_power_of_two() {
            self.u32_op_const(Op::BitwiseAnd, id, lanes - 1)
        } else {
            self.u32_op_const(Op::UMod, id, lanes)
        })
    }

    pub fn extract_dynamic(&mut self, arg: Value, index: Value) -> EmitResult<u32> {
        let ty = self.func.ty(arg);
        let vector = self.id(arg)?;
        let index = self.lane_index(index, ty.lanes)?;
        let lane_ty = self.ty(ty.lane())?;
        Ok(self.op(Op::VectorExtractDynamic, lane_ty, &[vector, index]))
    }

    pub fn insert_dynamic(&mut self, arg: Value, element: Value, index: Value) -> EmitResult<u32> {
        let ty = self.func.ty(arg);
        let (vector, element) = (self.id(arg)?, self.id(element)?);
        let index = self.lane_index(index, ty.lanes)?;
        let ty = self.ty(ty)?;
        Ok(self.op(Op::VectorInsertDynamic, ty, &[vector, element, index]))
    }

    pub fn shuffle(&mut self, [a, b]: [Value; 2], lanes: &[u8], ty: Type) -> EmitResult<u32> {
        let mut operands = Ids::from_slice(&[self.id(a)?, self.id(b)?]);
        operands.extend(lanes.iter().map(|&lane| u32::from(lane)));
        let ty = self.ty(ty)?;
        Ok(self.op(Op::VectorShuffle, ty, &operands))
    }
}
