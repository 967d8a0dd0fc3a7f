//! Constants: numbers and composites, and their specialization (SPIR-V 2.12).

use super::types::{Kind, Ty, Types};
use super::words::Inst;
use crate::ir::fold::mask;
use crate::ir::{self, Global};
use rspirv::spirv::Op;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// A constant of the module.
#[derive(Debug, Clone)]
pub(super) struct Constant {
    pub(super) ty: Ty,
    pub(super) value: Const,
}

/// The value of a constant.
#[derive(Debug, Clone)]
pub(super) enum Const {
    /// The bits of a scalar.
    Bits(u64),
    /// Zero of any type.
    Null,
    Undef,
    /// The parts of a vector, struct or array.
    Parts(Rc<[Const]>),
    /// An address: a variable, and a byte offset in it.
    Address {
        variable: Global,
        offset: i64,
    },
}

impl Const {
    /// Returns a part of a composite.
    pub(super) fn part(&self, index: usize) -> Const {
        match self {
            Const::Parts(parts) => parts.get(index).cloned().unwrap_or(Const::Undef),
            Const::Undef => Const::Undef,
            _ => Const::Null,
        }
    }

    /// Returns the bits of a scalar; 0 for an undefined one.
    pub(super) fn bits(&self) -> Option<u64> {
        match self {
            Const::Bits(bits) => Some(*bits),
            Const::Null | Const::Undef => Some(0),
            _ => None,
        }
    }
}

/// The values that the application gives to specialization constants, by SpecId.
pub(super) type Specs = FxHashMap<u32, u64>;

/// Returns the literal of an OpConstant or OpSpecConstant of a type.
pub(super) fn literal(inst: &Inst<'_>, types: &Types) -> Result<u64, String> {
    let ty = types.numeric(types.of(inst.ty)?)?;
    let words = if ty.scalar.bits() == 64 { 2 } else { 1 };
    if ty.lanes != 1 || ty == ir::Type::BOOL || inst.args.len() != words {
        return Err("the literal does not fit its type".to_string());
    }
    let high = inst.args.get(1).copied().unwrap_or(0);
    Ok(mask(ty.scalar.bits(), u64::from(inst.arg(0)?) | u64::from(high) << 32))
}

/// Returns the value of a scalar constant, specialized where it has a SpecId.
pub(super) fn scalar(
    inst: &Inst<'_>,
    types: &Types,
    spec_id: Option<u32>,
    specs: &Specs,
) -> Result<Const, String> {
    let ty = types.numeric(types.of(inst.ty)?)?;
    let given = spec_id.and_then(|id| specs.get(&id).copied());
    let is_bool = ty == ir::Type::BOOL;
    let truth = |value: bool| match is_bool {
        true => Ok(u64::from(value)),
        false => Err("its type is not bool".to_string()),
    };
    let bits = match inst.op {
        Op::ConstantTrue => truth(true)?,
        Op::ConstantFalse => truth(false)?,
        Op::SpecConstantTrue => truth(given.is_none_or(|bits| bits & 0xFF != 0))?,
        Op::SpecConstantFalse => truth(given.is_some_and(|bits| bits & 0xFF != 0))?,
        Op::Constant => literal(inst, types)?,
        _ => {
            let default = literal(inst, types)?;
            given.map_or(default, |bits| mask(ty.scalar.bits(), bits))
        }
    };
    Ok(Const::Bits(bits))
}

/// Returns the value of a composite constant.
pub(super) fn composite(
    inst: &Inst<'_>,
    types: &Types,
    constant: impl Fn(u32) -> Result<Constant, String>,
) -> Result<Const, String> {
    let ty = types.of(inst.ty)?;
    let parts = num_parts(types, ty)?;
    if inst.args.len() as u64 != parts {
        return Err(format!("it has {} parts, its type {parts}", inst.args.len()));
    }
    let mut values = Vec::with_capacity(inst.args.len());
    for (index, &id) in inst.args.iter().enumerate() {
        let part = constant(id)?;
        // For a null pointer clang 22 writes a null constant of another type.
        let is_null = matches!(part.value, Const::Null);
        if !is_null && !fits(types, part.ty, ty, index as u64)? {
            return Err(format!("%{id} is not of the type of part {index}"));
        }
        values.push(part.value);
    }
    Ok(Const::Parts(values.into()))
}

/// Returns the number of parts of a composite type.
pub(super) fn num_parts(types: &Types, ty: Ty) -> Result<u64, String> {
    match types.kind(ty) {
        Kind::Value(vector) if vector.lanes > 1 => Ok(u64::from(vector.lanes)),
        Kind::Array { length, .. } => Ok(*length),
        Kind::Struct { members } => Ok(members.len() as u64),
        // One constant is the value of all elements.
        Kind::Matrix(_) => Ok(1),
        _ => Err("its type is not that of a composite".to_string()),
    }
}

fn fits(types: &Types, part: Ty, composite: Ty, index: u64) -> Result<bool, String> {
    match types.kind(composite) {
        Kind::Value(vector) => Ok(*types.kind(part) == Kind::Value(vector.lane())),
        Kind::Array { element, .. } => Ok(types.alike(*element, part)),
        Kind::Matrix(matrix) => Ok(*types.kind(part) == Kind::Value(matrix.element())),
        Kind::Struct { members } => {
            Ok(members.get(index as usize).is_some_and(|&(member, _)| types.alike(member, part)))
        }
        _ => Ok(false),
    }
}
