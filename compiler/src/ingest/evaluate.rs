//! The values of constant expressions, which are straight-line IR on constants.

use super::constants::Const;
use super::types::{Kind, Ty, Types};
use crate::ir::{fold, BinaryOp, ConvertOp, Function, Global, InstData, Type, Value, ValueDef};
use smallvec::SmallVec;
use std::rc::Rc;

/// The deepest nesting of a constant expression, in instructions of the module.
const MAX_DEPTH: u32 = 64;

/// Returns the constant of a type that consists of leaves, if all leaves are constant.
pub(super) fn composite(
    func: &Function,
    types: &Types,
    ty: Ty,
    leaves: &mut impl Iterator<Item = Value>,
) -> Result<Option<Const>, String> {
    if types.num_leaves(ty)? == 0 {
        return Ok(Some(Const::Null));
    }
    match types.kind(ty) {
        Kind::Struct { members } => {
            let parts = members.iter().map(|&(member, _)| composite(func, types, member, leaves));
            let parts: Option<Rc<[Const]>> = parts.collect::<Result<_, String>>()?;
            Ok(parts.map(Const::Parts))
        }
        Kind::Array { element, length } => {
            let parts = (0..*length).map(|_| composite(func, types, *element, leaves));
            let parts: Option<Rc<[Const]>> = parts.collect::<Result<_, String>>()?;
            Ok(parts.map(Const::Parts))
        }
        _ => {
            let leaf = leaves.next().ok_or("a part is missing")?;
            Ok(leaf_value(func, leaf))
        }
    }
}

/// Returns the variable that a pointer points into, and the byte offset there, if the function shows it.
pub(super) fn address(func: &Function, pointer: Value) -> Option<(Global, i64)> {
    match lane_value(func, pointer, 0, MAX_DEPTH)? {
        Const::Address { variable, offset } => Some((variable, offset)),
        _ => None,
    }
}

fn leaf_value(func: &Function, value: Value) -> Option<Const> {
    let lanes = func.ty(value).lanes;
    let lane = |lane| lane_value(func, value, lane, MAX_DEPTH);
    match lanes {
        1 => lane(0),
        _ => Some(Const::Parts((0..lanes).map(lane).collect::<Option<_>>()?)),
    }
}

/// Evaluates a lane of a value.
fn lane_value(func: &Function, value: Value, lane: u8, depth: u32) -> Option<Const> {
    let depth = depth.checked_sub(1)?;
    let inst = match func.def(value) {
        ValueDef::Const(crate::ir::Constant::Bits(bits)) => return Some(Const::Bits(bits)),
        ValueDef::Const(crate::ir::Constant::Undef) => return Some(Const::Undef),
        ValueDef::Inst(inst) => inst,
        ValueDef::Param(..) => return None,
    };
    let ty = func.ty(value);
    match &func.insts[inst] {
        InstData::Build { args } => lane_value(func, args[usize::from(lane)], 0, depth),
        InstData::Extract { arg, lane } => lane_value(func, *arg, *lane, depth),
        InstData::Shuffle { args: [a, b], lanes } => {
            let (lane, count) = (lanes[usize::from(lane)], func.ty(*a).lanes);
            match lane < count {
                true => lane_value(func, *a, lane, depth),
                false => lane_value(func, *b, lane - count, depth),
            }
        }
        InstData::Insert { arg, element, lane: at } => match *at == lane {
            true => lane_value(func, *element, 0, depth),
            false => lane_value(func, *arg, lane, depth),
        },
        InstData::Select { args: [cond, then, otherwise] } => {
            let at = if func.ty(*cond).lanes == 1 { 0 } else { lane };
            let truth = lane_value(func, *cond, at, depth)?.bits()?;
            lane_value(func, if truth != 0 { *then } else { *otherwise }, lane, depth)
        }
        InstData::GlobalAddr { global } => Some(Const::Address { variable: *global, offset: 0 }),
        InstData::PtrAdd { ptr, offset, .. } => {
            let by = lane_value(func, *offset, 0, depth)?.bits()?;
            let by = fold::signed(func.ty(*offset).scalar.bits(), by);
            match lane_value(func, *ptr, 0, depth)? {
                Const::Address { variable, offset } => {
                    Some(Const::Address { variable, offset: offset.wrapping_add(by) })
                }
                base => Some(Const::Bits(base.bits()?.wrapping_add(by as u64))),
            }
        }
        InstData::Convert { op, arg } => convert(func, *op, *arg, ty, lane, depth),
        data => lanewise(func, data, ty, lane, depth),
    }
}

/// Evaluates a lane of a conversion. Casts leave addresses unchanged; for other constants a bit cast may combine or split
/// lanes.
fn convert(
    func: &Function,
    op: ConvertOp,
    arg: Value,
    ty: Type,
    lane: u8,
    depth: u32,
) -> Option<Const> {
    let from = func.ty(arg);
    if matches!(op, ConvertOp::PtrToInt | ConvertOp::IntToPtr | ConvertOp::SpaceCast) {
        return lane_value(func, arg, 0, depth);
    }
    if op == ConvertOp::Bitcast && (from.lanes != 1 || ty.lanes != 1) {
        // Takes the lane's bits from the bits of all source lanes, which are up to 16 numbers of 64 bits.
        let (width, wanted) = (from.scalar.bits(), ty.scalar.bits());
        let first = u32::from(lane) * wanted;
        let mut bits = 0u128;
        for (shift, at) in (first / width..).take((wanted / width).max(1) as usize).enumerate() {
            let part = lane_value(func, arg, at as u8, depth)?.bits()?;
            bits |= u128::from(part) << (shift as u32 * width);
        }
        let bits = bits >> (first % width);
        return Some(Const::Bits(fold::mask(wanted, bits as u64)));
    }
    let value = lane_value(func, arg, lane, depth)?;
    if let (Const::Address { .. }, true) = (&value, from.scalar.bits() == ty.scalar.bits()) {
        return Some(value);
    }
    let bits = value.bits()?;
    let folded = fold::convert(op, from.scalar, ty.scalar, bits);
    Some(folded.map_or(Const::Undef, Const::Bits))
}

/// Folds an operation on scalars, or on a lane of vectors.
fn lanewise(func: &Function, data: &InstData, ty: Type, lane: u8, depth: u32) -> Option<Const> {
    if !data.is_lanewise() {
        return None;
    }
    if let InstData::Binary { op: BinaryOp::IAdd, args: [a, b], .. } = data {
        // A sum with an address that was converted to an integer.
        let values = [lane_value(func, *a, lane, depth)?, lane_value(func, *b, lane, depth)?];
        if let [Const::Address { variable, offset }, by]
        | [by, Const::Address { variable, offset }] = &values
        {
            let offset = offset.wrapping_add(by.bits()? as i64);
            return Some(Const::Address { variable: *variable, offset });
        }
    }
    let mut operands: SmallVec<[(Value, Option<u64>); 3]> = SmallVec::new();
    data.for_each_arg(|arg| {
        let bits = lane_value(func, arg, lane, depth).and_then(|value| value.bits());
        operands.push((arg, bits));
    });
    if operands.iter().any(|(_, bits)| bits.is_none()) {
        return None;
    }
    let known = |arg| operands.iter().find(|(value, _)| *value == arg)?.1;
    // Undefined operations (a division by zero) may have any value.
    let folded = fold::inst(func, data, ty.lane(), known);
    Some(folded.map_or(Const::Undef, Const::Bits))
}
