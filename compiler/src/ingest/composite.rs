//! Vectors, structs and arrays as values (SPIR-V 3.49.12).

use super::function::Translator;
use super::types::{Kind, Ty};
use super::words::Inst;
use crate::ir::{Type, Value};
use rspirv::spirv::Op;
use smallvec::SmallVec;

/// Returns true for the instructions of this file.
pub(super) fn has(op: Op) -> bool {
    use Op::*;
    matches!(
        op,
        VectorExtractDynamic
            | VectorInsertDynamic
            | VectorShuffle
            | CompositeConstruct
            | CompositeExtract
            | CompositeInsert
    )
}

/// A part of a value: its type, its first leaf and number of leaves, and the lane if it is the component of a vector.
struct Part {
    ty: Type,
    leaf: usize,
    leaves: usize,
    lane: Option<u8>,
}

impl Translator<'_, '_, '_> {
    pub(super) fn composite(&mut self, inst: &Inst<'_>) -> Result<(), String> {
        match inst.op {
            Op::VectorExtractDynamic => {
                let vector = self.vector(inst.arg(0)?)?;
                let index = self.lane_index(inst.arg(1)?)?;
                let value = self.b.extract_dynamic(vector, index);
                self.give(inst, value)
            }
            Op::VectorInsertDynamic => {
                let vector = self.vector(inst.arg(0)?)?;
                let element = self.number(inst.arg(1)?)?;
                let index = self.lane_index(inst.arg(2)?)?;
                if self.b.ty(element) != self.b.ty(vector).lane() {
                    return Err("the component is not of the vector's type".to_string());
                }
                let value = self.b.insert_dynamic(vector, element, index);
                self.give(inst, value)
            }
            Op::VectorShuffle => self.shuffle(inst),
            Op::CompositeConstruct => self.construct(inst),
            Op::CompositeExtract => {
                let whole = inst.arg(0)?;
                let ty = self.val_ref(whole)?.ty;
                let part = self.part(ty, inst.rest(1))?;
                let leaves = &self.val_ref(whole)?.leaves[part.leaf..part.leaf + part.leaves];
                let leaves = SmallVec::<[Value; 1]>::from_slice(leaves);
                match part.lane {
                    Some(lane) => {
                        let value = self.b.extract(leaves[0], lane);
                        self.give(inst, value)
                    }
                    None => self.define(inst, &leaves),
                }
            }
            _ => self.insert(inst),
        }
    }

    fn vector(&mut self, id: u32) -> Result<Value, String> {
        let value = self.number(id)?;
        match self.b.ty(value).is_vector() {
            true => Ok(value),
            false => Err(format!("%{id} is not a vector")),
        }
    }

    fn lane_index(&mut self, id: u32) -> Result<Value, String> {
        let index = self.number(id)?;
        let ty = self.b.ty(index);
        match ty.lanes == 1 && ty.scalar.is_int() {
            true => Ok(self.b.resize(index, Type::I32, false)),
            false => Err(format!("%{id} is not an integer")),
        }
    }

    fn shuffle(&mut self, inst: &Inst<'_>) -> Result<(), String> {
        let (a, b) = (self.vector(inst.arg(0)?)?, self.vector(inst.arg(1)?)?);
        let (a_ty, b_ty) = (self.b.ty(a), self.b.ty(b));
        let result = self.numeric_result(inst)?;
        let numbers = inst.rest(2);
        if a_ty.scalar != b_ty.scalar
            || a_ty.scalar != result.scalar
            || numbers.len() != usize::from(result.lanes)
        {
            return Err("the vectors do not fit the result".to_string());
        }
        let (a_lanes, b_lanes) = (u32::from(a_ty.lanes), u32::from(b_ty.lanes));
        let is_known = |&number: &u32| number < a_lanes + b_lanes;
        if a_ty == b_ty && numbers.iter().all(is_known) {
            let lanes: Vec<u8> = numbers.iter().map(|&number| number as u8).collect();
            let value = match lanes.iter().all(|&lane| u32::from(lane) < a_lanes) {
                true => self.b.swizzle(a, &lanes),
                false => self.b.shuffle(a, b, &lanes),
            };
            return self.give(inst, value);
        }
        let mut lanes = Vec::with_capacity(numbers.len());
        for &number in numbers {
            lanes.push(match number {
                u32::MAX => self.b.undef(result.lane()),
                _ if number < a_lanes => self.b.extract(a, number as u8),
                _ if number - a_lanes < b_lanes => self.b.extract(b, (number - a_lanes) as u8),
                _ => return Err(format!("there is no component number {number}")),
            });
        }
        let value = self.b.build(&lanes);
        self.give(inst, value)
    }

    /// Translates OpCompositeConstruct: vectors are built from scalars and vectors, other composites from their parts.
    fn construct(&mut self, inst: &Inst<'_>) -> Result<(), String> {
        let ty = self.m.types.of(inst.ty)?;
        let mut leaves = Vec::new();
        if let Kind::Value(vector) = *self.m.types.kind(ty) {
            for &id in inst.args {
                let value = self.number(id)?;
                let lanes = self.lanes(value);
                leaves.extend(lanes);
                if leaves.len() > 16 {
                    break;
                }
            }
            let fits = leaves.iter().all(|&lane| self.b.ty(lane) == vector.lane());
            if !fits || leaves.len() != usize::from(vector.lanes) {
                return Err("the parts do not fit the vector".to_string());
            }
            let value = self.b.build(&leaves);
            return self.give(inst, value);
        }
        if self.num_parts(ty)? != inst.args.len() as u64 {
            return Err("the parts are not as many as those of its type".to_string());
        }
        for (index, &id) in inst.args.iter().enumerate() {
            let val = self.val(id)?;
            let (wanted, ..) = self.m.types.part(ty, index as u64)?;
            if !self.m.types.alike(val.ty, wanted) {
                return Err(format!("%{id} is not of the type of part {index}"));
            }
            leaves.extend(val.leaves);
        }
        self.define(inst, &leaves)
    }

    /// Returns the part that indices select in a value of a type.
    fn part(&self, mut ty: Ty, indices: &[u32]) -> Result<Part, String> {
        let mut leaf = 0;
        let mut indices = indices.iter();
        while let Some(&index) = indices.next() {
            if let Kind::Value(vector) = *self.m.types.kind(ty) {
                let is_there = vector.lanes > 1 && index < u32::from(vector.lanes);
                if !is_there || indices.next().is_some() {
                    return Err(format!("there is no part number {index}"));
                }
                let lane = Some(index as u8);
                return Ok(Part { ty: vector.lane(), leaf, leaves: 1, lane });
            }
            let (part, before, _) = self.m.types.part(ty, u64::from(index))?;
            ty = part;
            leaf += before;
        }
        let leaves = self.m.types.num_leaves(ty)?;
        let value = self.m.types.value(ty).unwrap_or(Type::I32);
        Ok(Part { ty: value, leaf, leaves, lane: None })
    }

    fn insert(&mut self, inst: &Inst<'_>) -> Result<(), String> {
        let object = self.val(inst.arg(0)?)?;
        let mut val = self.val(inst.arg(1)?)?;
        let part = self.part(val.ty, inst.rest(2))?;
        let found = object.leaves.iter().map(|&leaf| self.b.ty(leaf));
        match part.lane {
            Some(lane) => {
                if !found.eq([part.ty]) {
                    return Err("the object is not of the part's type".to_string());
                }
                let value = self.b.insert(val.leaves[part.leaf], object.leaves[0], lane);
                val.leaves[part.leaf] = value;
            }
            None => {
                let leaves = &mut val.leaves[part.leaf..part.leaf + part.leaves];
                if !found.eq(leaves.iter().map(|&leaf| self.b.ty(leaf))) {
                    return Err("the object is not of the part's type".to_string());
                }
                leaves.copy_from_slice(&object.leaves);
            }
        }
        self.define(inst, &val.leaves)
    }
}
