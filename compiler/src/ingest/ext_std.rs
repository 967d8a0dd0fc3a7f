//! The extended instruction set OpenCL.std: the built-in function of each instruction, and the types of its operands.
//!
//! The instructions correspond to OpenCL C's functions, whose rows hold the types that they take and their lowering
//! ([`crate::builtins`]). In contrast to OpenCL C, instructions have the signs of integers in their names, and numbers
//! of components and rounding modes not in their names, but as literals.

use super::function::Translator;
use super::types::Kind;
use super::words::Inst;
use crate::builtins::signature::{Scalar as Name, Shape, Sig, TypePattern};
use crate::builtins::{ArgType, Builtin, Call, Number};
use crate::ir::{AddressSpace, ConvertOp, Scalar, Type, Value};
use rspirv::spirv::{FPRoundingMode, OpenclStd100Op};

/// The name of the set.
const NAME: &str = "OpenCL.std";

/// Instructions whose functions have other names in OpenCL C.
const RENAMED: &[(&str, &str)] =
    &[("fclamp", "clamp"), ("fmax_common", "max"), ("fmin_common", "min")];

/// The most arguments of `printf`.
const MAX_PRINTF_ARGS: usize = 256;

/// An instruction's operands: the types of the operands that are values, and the literal behind them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Operands<'a> {
    pub(super) types: &'a [Type],
    pub(super) literal: Option<u32>,
    /// Type of the result; `None` for void.
    pub(super) result: Option<Type>,
}

/// The kind of an instruction's operands, according to its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OperandKinds {
    Nothing,
    /// The operands are floats.
    Floats,
    Signed,
    Unsigned,
}

/// The built-in function that an instruction calls.
#[derive(Debug, Clone)]
pub(super) struct Function {
    pub(super) builtin: Builtin,
    /// The type of each argument.
    pub(super) types: Vec<ArgType>,
}

/// Returns the name of an instruction.
pub fn name(number: u32) -> Option<String> {
    OpenclStd100Op::from_u32(number).map(|op| format!("{op:?}"))
}

/// Returns true if the last operand of an instruction is a literal, not an id.
fn ends_in_literal(name: &str) -> bool {
    ends_in_count(name) || name.starts_with("vstore") && name.ends_with("_r")
}

/// Returns the function that an instruction calls, or the reason why no function takes its operands.
fn function(name: &str, operands: Operands<'_>) -> Result<Function, String> {
    let (spelling, told) = spelling(name, operands)?;
    let missing = || format!("{name} of {NAME} is not there for {} components", lanes(operands));
    let builtin = Builtin::named(&spelling).ok_or_else(missing)?;
    let types = match name {
        "printf" => printf_types(operands),
        "shuffle" | "shuffle2" => shuffle_types(operands),
        _ => builtin.sigs().iter().find_map(|sig| instance(sig, told, operands)),
    };
    match types {
        Some(types) => Ok(Function { builtin, types }),
        None => Err(format!("{name} of {NAME} does not take operands of these types")),
    }
}

/// Returns the function's name in OpenCL C, and the kind of operands according to the instruction's name.
fn spelling(name: &str, operands: Operands<'_>) -> Result<(String, OperandKinds), String> {
    if let Some((_, renamed)) = RENAMED.iter().find(|(theirs, _)| *theirs == name) {
        return Ok(((*renamed).to_string(), OperandKinds::Floats));
    }
    if let Some(rest) = name.strip_prefix("s_") {
        return Ok((rest.to_string(), OperandKinds::Signed));
    }
    if let Some(rest) = name.strip_prefix("u_") {
        return Ok((rest.to_string(), OperandKinds::Unsigned));
    }
    if !name.starts_with('v') {
        return Ok((name.to_string(), OperandKinds::Nothing));
    }
    let rounding = match name.strip_suffix("_r") {
        Some(_) => suffix(operands.literal)?,
        None => "",
    };
    let stem = name.strip_suffix("_r").unwrap_or(name);
    let spelling = match stem.strip_suffix('n') {
        Some(stem) => {
            let lanes = lanes(operands);
            if ends_in_count(name) && operands.literal != Some(u32::from(lanes)) {
                return Err(format!("{name} of {NAME} loads another number of components"));
            }
            format!("{stem}{lanes}{rounding}")
        }
        None => format!("{stem}{rounding}"),
    };
    Ok((spelling, OperandKinds::Nothing))
}

/// Returns true for the instructions whose literal is the number of components.
fn ends_in_count(name: &str) -> bool {
    matches!(name, "vloadn" | "vload_halfn" | "vloada_halfn")
}

/// Returns the number of components that an instruction loads or stores.
fn lanes(operands: Operands<'_>) -> u8 {
    let ty = operands.result.or(operands.types.first().copied());
    ty.map_or(1, |ty| ty.lanes)
}

/// Returns the suffix of a rounding mode.
fn suffix(mode: Option<u32>) -> Result<&'static str, String> {
    let known = mode.and_then(FPRoundingMode::from_u32);
    Ok(match known.ok_or("unknown rounding mode")? {
        FPRoundingMode::RTE => "_rte",
        FPRoundingMode::RTZ => "_rtz",
        FPRoundingMode::RTP => "_rtp",
        FPRoundingMode::RTN => "_rtn",
    })
}

/// Returns the arguments' types in the instance of a signature that fits the operands, if there is one.
pub(super) fn instance(
    sig: &Sig,
    told: OperandKinds,
    operands: Operands<'_>,
) -> Option<Vec<ArgType>> {
    if sig.params.len() != operands.types.len() {
        return None;
    }
    let fits = |shape: Shape| {
        let (element, _) = shape;
        let is_told = match told {
            OperandKinds::Nothing => true,
            OperandKinds::Floats => scalar(element).is_float(),
            OperandKinds::Signed => scalar(element).is_int() && element.is_signed(),
            OperandKinds::Unsigned => scalar(element).is_int() && !element.is_signed(),
        };
        let mut params = sig.params.iter().zip(operands.types);
        is_told
            && returns(sig.ret, shape, operands.result)
            && params.all(|(&pattern, &ty)| takes(pattern, shape, ty))
    };
    let shape = sig.shapes().find(|&shape| fits(shape))?;
    Some(sig.params.iter().map(|&pattern| arg_type(pattern, shape)).collect())
}

fn returns(pattern: TypePattern, shape: Shape, result: Option<Type>) -> bool {
    match pattern {
        TypePattern::Void => result.is_none(),
        _ => pattern.number(shape).map(value_type) == result,
    }
}

fn takes(pattern: TypePattern, shape: Shape, ty: Type) -> bool {
    use TypePattern::*;
    match pattern {
        Out(spaces)
        | OutElement(spaces)
        | OutLike(spaces, _)
        | In(spaces)
        | InElement(spaces)
        | InHalf(spaces)
        | OutHalf(spaces)
        | Atomic(spaces) => {
            let bit = |space: AddressSpace| match space {
                AddressSpace::Private => 1,
                AddressSpace::Global => 2,
                AddressSpace::Local => 4,
                AddressSpace::Constant => 8,
                AddressSpace::Generic => 16,
            };
            ty.lanes == 1 && ty.space().is_some_and(|space| spaces.0 & bit(space) != 0)
        }
        _ => pattern.number(shape).is_some_and(|number| value_type(number) == ty),
    }
}

/// Returns an argument's type for lowering; for a pointer, the type that it points to according to the pattern.
fn arg_type(pattern: TypePattern, shape: Shape) -> ArgType {
    use TypePattern::*;
    let (element, lanes) = match pattern {
        Out(_) | In(_) => shape,
        OutElement(_) | InElement(_) | Atomic(_) => (shape.0, 1),
        OutLike(_, element) => (element, shape.1),
        InHalf(_) | OutHalf(_) => (Name::Half, 1),
        _ => pattern.number(shape).unwrap_or(shape),
    };
    let number = Number { scalar: scalar(element), signed: element.is_signed() };
    ArgType { number, lanes, image: None }
}

/// Returns the types of `printf`'s arguments: the format, in constant memory, and any numbers and pointers. SPIR-V's integers
/// have no sign: those that are narrower than an int count as signed, like OpenCL C's char.
fn printf_types(operands: Operands<'_>) -> Option<Vec<ArgType>> {
    let (format, rest) = operands.types.split_first()?;
    let is_printed =
        |ty: &Type| ty.scalar != Scalar::Bool && (ty.lanes == 1 || !ty.scalar.is_ptr());
    let fits = format.space() == Some(AddressSpace::Constant)
        && rest.len() < MAX_PRINTF_ARGS
        && rest.iter().all(is_printed)
        && operands.result == Some(Type::I32);
    let told = |ty: &Type| ArgType {
        number: Number { scalar: ty.scalar, signed: true },
        lanes: ty.lanes,
        image: None,
    };
    fits.then(|| operands.types.iter().map(told).collect())
}

/// Returns the types of a shuffle's arguments: one or two vectors, and a mask of integers of the same width, one for each
/// component of the result.
fn shuffle_types(operands: Operands<'_>) -> Option<Vec<ArgType>> {
    let (&mask, sources) = operands.types.split_last()?;
    let (&first, result) = (sources.first()?, operands.result?);
    let is_vector = |ty: Type| matches!(ty.lanes, 2 | 4 | 8 | 16);
    let fits = sources.iter().all(|&ty| ty == first)
        && is_vector(first)
        && is_vector(mask)
        && (first.scalar.is_int() || first.scalar.is_float())
        && mask.scalar.is_int()
        && mask.scalar.bits() == first.scalar.bits()
        && result == Type::vector(first.scalar, mask.lanes);
    let told = |ty: &Type| {
        let signed = ty.scalar.is_float();
        ArgType { number: Number { scalar: ty.scalar, signed }, lanes: ty.lanes, image: None }
    };
    fits.then(|| operands.types.iter().map(told).collect())
}

fn value_type((element, lanes): Shape) -> Type {
    Type::vector(scalar(element), lanes)
}

pub(super) fn scalar(name: Name) -> Scalar {
    match name {
        Name::Bool => Scalar::Bool,
        Name::Char | Name::UChar => Scalar::I8,
        Name::Short | Name::UShort => Scalar::I16,
        Name::Int | Name::UInt => Scalar::I32,
        Name::Long | Name::ULong | Name::LongLong | Name::ULongLong => Scalar::I64,
        Name::Half => Scalar::F16,
        Name::Float => Scalar::F32,
        Name::Double => Scalar::F64,
    }
}

/// Translates an instruction of the set. `operands` are the words behind its number.
pub(super) fn instruction(
    this: &mut Translator<'_, '_, '_>,
    inst: &Inst<'_>,
    number: u32,
    operands: &[u32],
) -> Result<(), String> {
    let name = name(number).ok_or_else(|| format!("{NAME} has no instruction {number}"))?;
    let (literal, ids) = match operands.split_last() {
        Some((&literal, ids)) if ends_in_literal(&name) => (Some(literal), ids),
        _ => (None, operands),
    };
    let mut args: Vec<Value> = ids.iter().map(|&id| this.one(id)).collect::<Result<_, _>>()?;
    if let ("printf", Some(format)) = (name.as_str(), args.first_mut()) {
        *format = constant_format(this, *format)?;
    }
    let types: Vec<Type> = args.iter().map(|&arg| this.b.ty(arg)).collect();
    let result = match this.m.types.kind(this.m.types.of(inst.ty)?) {
        Kind::Void => None,
        _ => Some(this.result(inst)?),
    };
    let function = function(&name, Operands { types: &types, literal, result })?;
    call(this, inst, &function, &args, result)
}

/// Returns a format as a pointer to constant memory. A format in other memory must be a known constant variable
/// (SPV_EXT_relaxed_printf_string_address_space), since the host reads its bytes from the program.
fn constant_format(this: &mut Translator<'_, '_, '_>, format: Value) -> Result<Value, String> {
    let space = this.b.ty(format).space();
    if space.is_none() || space == Some(AddressSpace::Constant) {
        return Ok(format);
    }
    let place = super::evaluate::address(this.b.func, format);
    let place = place.filter(|&(variable, _)| this.m.out.module().globals[variable].is_const);
    let (variable, offset) = place.ok_or("the format of printf is not known to be a constant")?;
    let space = this.m.out.module().globals[variable].space;
    let pointer = this.b.global_addr(variable, space);
    let pointer = this.b.ptr_add_const(pointer, offset);
    let address = this.b.address(pointer);
    Ok(this.b.convert(ConvertOp::IntToPtr, address, Type::ptr(AddressSpace::Constant)))
}

/// Lowers a call of a built-in function.
pub(super) fn call(
    this: &mut Translator<'_, '_, '_>,
    inst: &Inst<'_>,
    function: &Function,
    args: &[Value],
    result: Option<Type>,
) -> Result<(), String> {
    let Function { builtin, types } = function;
    let (builtin, ty) = (*builtin, result.unwrap_or(Type::I32));
    let call = Call { builtin, args, types, result: ty };
    let value =
        this.with_float_flags(inst, |this| this.with_lowerer(|lowerer| lowerer.call(&call)));
    match (value, result) {
        (Some(value), Some(_)) => this.give(inst, value),
        (_, None) => Ok(()),
        (None, Some(_)) => Err(format!("{} is not supported for these types", builtin.name())),
    }
}
