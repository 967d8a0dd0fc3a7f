//! Instructions without side effects, whose results depend on their operands alone.

use crate::error::{Error, Res};
use crate::float::{Floats, BFLOAT16};
use crate::module::{Inst, Module};
use crate::types::Type;
use crate::value::{ones, Bits, Place, Pointer, Value};
use crate::{glsl, integer, matrix};
use rspirv::spirv::{Capability, Op, StorageClass};

/// Returns the operands of an instruction that are values; the others are literals.
pub fn value_operands(op: Op, ids: &[u32]) -> &[u32] {
    let values = match op {
        Op::CompositeExtract => 0..1,
        Op::CompositeInsert | Op::VectorShuffle | Op::SDot | Op::UDot | Op::SUDot => 0..2,
        Op::ExtInst => 2..ids.len(),
        _ => 0..ids.len(),
    };
    ids.get(values).unwrap_or(&[])
}

/// Returns the result of an instruction. `ids` are its operands, `values` the values of [`value_operands`].
///
/// # Errors
/// When the instruction has side effects, or operands do not fit it.
pub fn evaluate(
    module: &Module,
    floats: Floats,
    inst: &Inst,
    ids: &[u32],
    values: &[&Value],
) -> Res<Value> {
    if let Some(value) = composite(module, inst, ids, values)? {
        return Ok(value);
    }
    let unknown = || Error::Unsupported(format!("Op{:?}", inst.op));
    let (Some(first), Some(value)) = (ids.first(), values.first()) else {
        return Err(unknown());
    };
    if inst.op == Op::ExtInst {
        return glsl(module, floats, inst, ids, values);
    }
    let (types, from) = (&module.types, module.type_of(*first)?);
    match inst.op {
        Op::Bitcast => return bitcast(module, from, inst.ty, value),
        Op::ConvertUToPtr => {
            let offset = value.defined("an address")?;
            return Ok(Value::Pointer(Pointer { place: Place::Device, offset }));
        }
        Op::ConvertPtrToU => return Ok(Bits::new(value.pointer()?.offset).into()),
        Op::UMulExtended | Op::SMulExtended | Op::IAddCarry | Op::ISubBorrow => {
            return extended(module, inst, from, values);
        }
        Op::MatrixTimesScalar if values.len() == 2 => {
            return matrix::scale(module, floats, inst.ty, value, values[1]);
        }
        Op::Select => return select(values),
        _ => {}
    }
    let (width, to) = (types.format(from)?, types.format(inst.ty)?);
    check_arithmetic(module, inst.op, width, types.is_float(from)?)?;
    Value::zip(values, &mut |row| component(floats, inst.op, row, width, to).ok_or_else(unknown))
}

/// Computes one component of an instruction from components of `width` bits to one of `to` bits.
fn component(floats: Floats, op: Op, row: &[Bits], width: u32, to: u32) -> Option<Bits> {
    match *row {
        [a] => match op {
            Op::UConvert => Some(integer::convert(a, width, to, false)),
            Op::SConvert => Some(integer::convert(a, width, to, true)),
            Op::FConvert => Some(floats.convert(a, width, to)),
            Op::ConvertFToS => Some(floats.to_int(a, width, to, true)),
            Op::ConvertFToU => Some(floats.to_int(a, width, to, false)),
            Op::ConvertSToF => Some(floats.of_int(a, width, to, true)),
            Op::ConvertUToF => Some(floats.of_int(a, width, to, false)),
            Op::FNegate => Some(floats.negate(a, width)),
            Op::CopyObject => Some(a),
            _ => integer::unary(op, a, width),
        },
        [a, b] => match op {
            Op::ShiftLeftLogical | Op::ShiftRightLogical | Op::ShiftRightArithmetic => {
                Some(integer::shift(op, a, b, width))
            }
            _ => integer::binary(op, a, b, width)
                .or_else(|| integer::compare(op, a, b, width))
                .or_else(|| floats.binary(op, a, b, width))
                .or_else(|| floats.compare(op, a, b, width)),
        },
        _ => None,
    }
}

/// Checks arithmetic on narrow types: without Int8, Int16 and Float16, values of those widths may only be loaded, stored and
/// converted.
fn check_arithmetic(module: &Module, op: Op, width: u32, float: bool) -> Res<()> {
    use Capability::{Float16, Int16, Int8};
    let capability = match (width, float) {
        (8, _) => Int8,
        (16, false) => Int16,
        (16, true) => Float16,
        _ => return check_32_bits(op, width),
    };
    let converts = matches!(op, Op::UConvert | Op::SConvert | Op::FConvert | Op::CopyObject);
    if width == BFLOAT16 {
        return match converts || matches!(op, Op::ConvertFToS | Op::ConvertFToU) {
            true => Ok(()),
            false => Error::invalid(format!("Op{op:?} of bfloat16")),
        };
    }
    match converts || module.has(capability) {
        true => check_32_bits(op, width),
        false => Error::invalid(format!("Op{op:?} of {width} bits without {capability:?}")),
    }
}

/// Checks the width of bit counts and bit reversals, which Vulkan knows for 32 bits only (VUID-StandaloneSpirv-Base-04781).
fn check_32_bits(op: Op, width: u32) -> Res<()> {
    match matches!(op, Op::BitCount | Op::BitReverse) && width != 32 {
        true => Error::invalid(format!("Op{op:?} of {width} bits")),
        false => Ok(()),
    }
}

/// Evaluates OpSelect, with one condition for all components or one for each.
fn select(values: &[&Value]) -> Res<Value> {
    let [condition, then, otherwise] = values else {
        return Error::invalid("OpSelect without three operands");
    };
    match (condition, then) {
        (Value::Bits(condition), Value::Composite(_)) => {
            Value::zip(&[*then, *otherwise], &mut |row| {
                Ok(integer::select(*condition, row[0], row[1]))
            })
        }
        _ => Value::zip(values, &mut |row| Ok(integer::select(row[0], row[1], row[2]))),
    }
}

/// Evaluates arithmetic whose result is a structure of low and high part.
fn extended(module: &Module, inst: &Inst, from: u32, values: &[&Value]) -> Res<Value> {
    let width = module.types.width(from)?;
    let half = |index: usize| {
        Value::zip(values, &mut |row| match *row {
            [a, b] => integer::extended(inst.op, a, b, width)
                .map(|both| both[index])
                .ok_or_else(|| Error::Unsupported(format!("Op{:?}", inst.op))),
            _ => Error::invalid("extended arithmetic without two operands"),
        })
    };
    Ok(Value::Composite([half(0)?, half(1)?].into()))
}

/// Returns a value's bits as another type. Device addresses may be cast to pointers.
fn bitcast(module: &Module, from: u32, to: u32, value: &Value) -> Res<Value> {
    let types = &module.types;
    let mut scalars = Vec::new();
    let width = types.width(from)?;
    match value {
        Value::Pointer(Pointer { place: Place::Device, offset }) => {
            scalars.push(Bits::new(*offset));
        }
        _ => value.flatten(&mut scalars)?,
    }
    if let Type::Pointer { class, .. } = types.get(to)? {
        if *class != StorageClass::PhysicalStorageBuffer {
            return Error::invalid("OpBitcast to a logical pointer");
        }
        let address = regroup(&scalars, width, 64);
        let [address] = address[..] else { return Error::invalid("OpBitcast of other widths") };
        let offset = address.defined("an address")?;
        return Ok(Value::Pointer(Pointer { place: Place::Device, offset }));
    }
    let target = types.width(to)?;
    if !(scalars.len() as u32 * width).is_multiple_of(target) {
        return Error::invalid("OpBitcast of other widths");
    }
    if width != target {
        scalars = regroup(&scalars, width, target);
    }
    types.build(to, &mut scalars.into_iter())
}

/// Returns scalars of one width as scalars of another, the low bits first.
fn regroup(scalars: &[Bits], from: u32, to: u32) -> Vec<Bits> {
    let bytes: Vec<(u8, u8)> = scalars
        .iter()
        .flat_map(|s| {
            (0..from / 8).map(|i| ((s.bits >> (8 * i)) as u8, (s.undef >> (8 * i)) as u8))
        })
        .collect();
    let join = |chunk: &[(u8, u8)]| {
        chunk.iter().rev().fold(Bits::new(0), |all, (bits, undef)| Bits {
            bits: all.bits << 8 | u64::from(*bits),
            undef: all.undef << 8 | u64::from(*undef),
        })
    };
    bytes.chunks(to as usize / 8).map(join).collect()
}

/// Evaluates instructions that make composites or take them apart.
fn composite(module: &Module, inst: &Inst, ids: &[u32], values: &[&Value]) -> Res<Option<Value>> {
    let value = |index: usize| match values.get(index) {
        Some(value) => Ok(*value),
        None => Error::invalid("an operand is missing"),
    };
    Ok(Some(match inst.op {
        Op::CompositeConstruct => construct(module, inst, values)?,
        Op::CompositeExtract => {
            let mut part = value(0)?;
            for index in &ids[1..] {
                part = member(part, *index)?;
            }
            part.clone()
        }
        Op::CompositeInsert => insert(value(1)?, &ids[2..], value(0)?)?,
        Op::VectorShuffle => {
            let all = [&value(0)?.members()?[..], &value(1)?.members()?[..]].concat();
            let undefined = Value::Bits(Bits::undefined(module.types.width(inst.ty)?));
            let pick = |index: &u32| match (all.get(*index as usize), *index) {
                (Some(value), _) => Ok(value.clone()),
                (None, u32::MAX) => Ok(undefined.clone()),
                _ => Error::invalid("a shuffle of components that do not exist"),
            };
            let members: Res<Vec<Value>> = ids[2..].iter().map(pick).collect();
            Value::Composite(members?.into())
        }
        Op::Any => {
            let lanes = value(0)?.members()?.iter().map(Value::scalar).collect::<Res<Vec<_>>>()?;
            match lanes.iter().any(|lane| lane.undef != 0) {
                true => Value::Bits(Bits::undefined(1)),
                false => Bits::new(u64::from(lanes.iter().any(|lane| lane.bits != 0))).into(),
            }
        }
        // An index out of bounds has no defined result.
        Op::VectorExtractDynamic => {
            let (members, index) = (value(0)?.members()?, value(1)?.scalar()?);
            let undefined = Value::Bits(Bits::undefined(module.types.width(inst.ty)?));
            match (index.undef, members.get(index.bits as usize)) {
                (0, Some(member)) => member.clone(),
                _ => undefined,
            }
        }
        Op::VectorInsertDynamic => {
            let (members, index) = (value(0)?.members()?, value(2)?.scalar()?);
            match index.undef == 0 && index.bits < members.len() as u64 {
                true => insert(value(0)?, &[index.bits as u32], value(1)?)?,
                false => module.types.fill(inst.ty, &Bits::undefined)?,
            }
        }
        _ => return Ok(None),
    }))
}

/// Returns a composite of members; vectors may be made of vectors.
fn construct(module: &Module, inst: &Inst, values: &[&Value]) -> Res<Value> {
    if let Type::Vector { count, .. } = module.types.get(inst.ty)? {
        let mut lanes = Vec::new();
        values.iter().try_for_each(|value| value.flatten(&mut lanes))?;
        if lanes.len() != *count as usize {
            return Error::invalid("a vector of the wrong number of components");
        }
        return Ok(Value::Composite(lanes.into_iter().map(Value::Bits).collect()));
    }
    if let (Type::Matrix(held), [element]) = (module.types.get(inst.ty)?, values) {
        return Ok(matrix::splat(*held, element));
    }
    Ok(Value::Composite(values.iter().map(|value| (*value).clone()).collect()))
}

fn member(value: &Value, index: u32) -> Res<&Value> {
    match value.members()?.get(index as usize) {
        Some(member) => Ok(member),
        None => Error::invalid(format!("member {index} of a composite with fewer")),
    }
}

fn insert(into: &Value, path: &[u32], value: &Value) -> Res<Value> {
    let Some((index, rest)) = path.split_first() else { return Ok(value.clone()) };
    let inner = insert(member(into, *index)?, rest, value)?;
    let mut members = into.members()?.to_vec();
    members[*index as usize] = inner;
    Ok(Value::Composite(members.into()))
}

/// Evaluates an instruction of GLSL.std.450.
fn glsl(
    module: &Module,
    floats: Floats,
    inst: &Inst,
    ids: &[u32],
    values: &[&Value],
) -> Res<Value> {
    let (Some(&number), Some(&first)) = (ids.get(1), ids.get(2)) else {
        return Error::invalid("OpExtInst without operands");
    };
    if ids[0] != module.glsl {
        return Err(Error::Unsupported("another extended instruction set".into()));
    }
    if glsl::is_unpack_half(number) {
        let both = glsl::unpack_half(values[0].scalar()?);
        return Ok(Value::Composite(both.map(Value::Bits).into()));
    }
    let width = module.types.format(module.type_of(first)?)?;
    if width == BFLOAT16 {
        return Error::invalid("OpExtInst of bfloat16");
    }
    let value = Value::zip(values, &mut |row| glsl::component(floats, number, row, width))?;
    let most = ones(module.types.width(inst.ty)?);
    value.map(&mut |bits| Ok(Bits { bits: bits.bits & most, undef: bits.undef & most }))
}
