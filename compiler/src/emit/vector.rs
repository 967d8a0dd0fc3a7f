//! Building, taking apart and shuffling vectors.

use super::emitter::Emitter;
use super::error::{EmitError, EmitResult};
use super::repr::Ids;
use crate::ir::{Type, Value};
use rspirv::spirv::Op;

impl Emitter<'_> {
    pub fn build(&mut self, args: &[Value], ty: Type) -> EmitResult<u32> {
        let mut lanes = Ids::new();
        for &arg in args {
            lanes.push(self.id(arg)?);
        }
        if lanes.len() != usize::from(ty.lanes) {
            return Err(EmitError::malformed("a vector of the wrong number of lanes"));
        }
        self.join(&lanes, ty)
    }

    fn check_lane(&self, lane: u8, ty: Type) -> EmitResult<()> {
        if lane < ty.lanes {
            return Ok(());
        }
        Err(EmitError::malformed(format!("lane {lane} of {ty}")))
    }

    pub fn extract_lane(&mut self, arg: Value, lane: u8) -> EmitResult<u32> {
        let ty = self.func.ty(arg);
        self.check_lane(lane, ty)?;
        let id = self.id(arg)?;
        if ty.lanes == 1 {
            return Ok(id);
        }
        let lane_ty = self.ty(ty.lane())?;
        Ok(self.extract(lane_ty, id, u32::from(lane)))
    }

    pub fn insert_lane(&mut self, arg: Value, element: Value, lane: u8) -> EmitResult<u32> {
        let ty = self.func.ty(arg);
        self.check_lane(lane, ty)?;
        let (vector, element) = (self.id(arg)?, self.id(element)?);
        if ty.lanes == 1 {
            return Ok(element);
        }
        let ty = self.ty(ty)?;
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
        if ty.lanes == 1 {
            return Ok(vector);
        }
        let index = self.lane_index(index, ty.lanes)?;
        let lane_ty = self.ty(ty.lane())?;
        Ok(self.op(Op::VectorExtractDynamic, lane_ty, &[vector, index]))
    }

    pub fn insert_dynamic(&mut self, arg: Value, element: Value, index: Value) -> EmitResult<u32> {
        let ty = self.func.ty(arg);
        let (vector, element) = (self.id(arg)?, self.id(element)?);
        if ty.lanes == 1 {
            return Ok(element);
        }
        let index = self.lane_index(index, ty.lanes)?;
        let ty = self.ty(ty)?;
        Ok(self.op(Op::VectorInsertDynamic, ty, &[vector, element, index]))
    }

    pub fn shuffle(&mut self, [a, b]: [Value; 2], lanes: &[u8], ty: Type) -> EmitResult<u32> {
        let source = self.func.ty(a);
        let vectors = [self.id(a)?, self.id(b)?];
        let total = source.lanes * 2;
        if let Some(lane) = lanes.iter().find(|&&lane| lane >= total) {
            return Err(EmitError::malformed(format!("lane {lane} of result_pair {source}")));
        }
        if source.lanes > 1 && lanes.len() > 1 {
            let ty = self.ty(ty)?;
            let mut operands = Ids::from_slice(&vectors);
            operands.extend(lanes.iter().map(|&lane| u32::from(lane)));
            return Ok(self.op(Op::VectorShuffle, ty, &operands));
        }
        let mut all = self.lanes(vectors[0], source)?;
        all.extend(self.lanes(vectors[1], source)?);
        let chosen: Ids = lanes.iter().map(|&lane| all[usize::from(lane)]).collect();
        self.join(&chosen, ty)
    }
}
