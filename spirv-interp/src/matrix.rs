//! Cooperative matrices (SPV_KHR_cooperative_matrix): each work-item of a sub-group holds a part of the matrix ([`Held`]).

use crate::error::{Error, Res};
use crate::float::{Floats, BFLOAT16};
use crate::module::{Inst, Module};
use crate::types::{Held, Type};
use crate::value::{ones, signed, Bits, Value};
use rspirv::spirv::{CooperativeMatrixOperands as Operands, Op};

/// Returns how the elements of a matrix type are distributed over work-items.
pub fn held(module: &Module, ty: u32) -> Res<Held> {
    match module.types.get(ty)? {
        Type::Matrix(held) => Ok(*held),
        _ => Error::invalid(format!("%{ty} is no type of matrices")),
    }
}

/// Returns the number of elements of a matrix that a work-item holds.
pub fn length(module: &Module, ty: u32, item: u32) -> Res<Value> {
    let held = held(module, ty)?;
    let indices = 0..held.count();
    let count = indices.filter(|&index| held.place(u64::from(item), index).is_some()).count();
    Ok(Bits::new(count as u64).into())
}

/// Returns a matrix all elements of which have the same value.
pub fn splat(held: Held, element: &Value) -> Value {
    Value::Composite((0..held.count()).map(|_| element.clone()).collect())
}

/// Returns a matrix whose elements are multiplied by a number.
pub fn scale(module: &Module, floats: Floats, ty: u32, matrix: &Value, by: &Value) -> Res<Value> {
    let (width, by) = (module.types.width(ty)?, by.scalar()?);
    if module.types.format(ty)? == BFLOAT16 {
        return Error::invalid("OpMatrixTimesScalar of bfloat16");
    }
    matrix.map(&mut |element| {
        let product = match module.types.is_float(ty)? {
            true => floats.binary(Op::FMul, element, by, width),
            false => crate::integer::binary(Op::IMul, element, by, width),
        };
        product.ok_or_else(|| Error::Unsupported("OpMatrixTimesScalar".into()))
    })
}

/// A factor or summand of a product, with the parts that all work-items hold.
struct Side<'a> {
    held: Held,
    width: u32,
    format: u32,
    is_signed: bool,
    /// The part that each work-item holds.
    parts: Vec<&'a Value>,
}

impl Side<'_> {
    fn element(&self, row: u64, column: u64) -> Res<Bits> {
        let [item, index] = self.held.holder(row, column);
        let part = self.parts.get(item as usize).map(|part| part.members()).transpose()?;
        match part.and_then(|part| part.get(index as usize)) {
            Some(element) => element.scalar(),
            None => Error::invalid("a matrix without an element"),
        }
    }

    /// Returns an integer; `None` where the value is undefined.
    fn integer(&self, row: u64, column: u64) -> Res<Option<i128>> {
        let element = self.element(row, column)?;
        let number = match self.is_signed {
            true => i128::from(signed(element.bits, self.width)),
            false => i128::from(element.bits),
        };
        Ok((element.undef == 0).then_some(number))
    }
}

/// Returns a work-item's part of the result of OpCooperativeMatrixMulAddKHR; `values` are the three operands of all work-items.
pub fn product(
    module: &Module,
    floats: Floats,
    inst: &Inst,
    place: usize,
    values: &[Vec<Value>],
) -> Res<Value> {
    let operands = module.operands(inst).get(3).copied().unwrap_or(0);
    let side = |number: usize, ty: u32| {
        let parts = values.iter().filter_map(|operands| operands.get(number)).collect();
        let (held, width) = (held(module, ty)?, module.types.width(ty)?);
        let format = module.types.format(ty)?;
        Ok(Side { held, width, format, is_signed: operands >> number & 1 != 0, parts })
    };
    let operand = |number: usize| side(number, module.type_of(module.operand(inst, number)?)?);
    let sides = [operand(0)?, operand(1)?, operand(2)?];
    let result = side(3, inst.ty)?;
    let saturates = operands & Operands::SATURATING_ACCUMULATION_KHR.bits() != 0;
    let is_float = module.types.is_float(inst.ty)?;
    let mut elements = Vec::new();
    for index in 0..result.held.count() {
        let element = match result.held.place(place as u64, index) {
            None => Bits::undefined(result.width),
            Some(at) if is_float => float_sum(floats, &sides, result.format, at)?,
            Some(at) => match integer_sum(&sides, at)? {
                Some(sum) => cut(sum, result.width, result.is_signed, saturates),
                None => Bits::undefined(result.width),
            },
        };
        elements.push(element.into());
    }
    Ok(Value::Composite(elements.into()))
}

/// The sum is computed in the format of the result (of bfloat16: in float), in order; devices may use any order.
fn float_sum(floats: Floats, sides: &[Side<'_>; 3], format: u32, [i, j]: [u64; 2]) -> Res<Bits> {
    let [a, b, c] = sides;
    let width = if format == BFLOAT16 { 32 } else { format };
    let missing = || Error::Unsupported("floats of that width".into());
    let mut sum = floats.convert(c.element(i, j)?, c.format, width);
    for k in 0..a.held.columns {
        let x = floats.convert(a.element(i, k)?, a.format, width);
        let y = floats.convert(b.element(k, j)?, b.format, width);
        let product = floats.binary(Op::FMul, x, y, width).ok_or_else(missing)?;
        sum = floats.binary(Op::FAdd, sum, product, width).ok_or_else(missing)?;
    }
    Ok(floats.convert(sum, width, format))
}

fn integer_sum(sides: &[Side<'_>; 3], [i, j]: [u64; 2]) -> Res<Option<i128>> {
    let [a, b, c] = sides;
    let mut sum = c.integer(i, j)?;
    for k in 0..a.held.columns {
        let (x, y) = (a.integer(i, k)?, b.integer(k, j)?);
        sum = sum.zip(x.zip(y)).map(|(sum, (x, y))| sum.wrapping_add(x.wrapping_mul(y)));
    }
    Ok(sum)
}

/// Returns an exact sum in `width` bits, wrapped or saturated.
fn cut(sum: i128, width: u32, is_signed: bool, saturates: bool) -> Bits {
    let [least, most] = match is_signed {
        true => [-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1],
        false => [0, (1i128 << width) - 1],
    };
    let sum = if saturates { sum.clamp(least, most) } else { sum };
    Bits::new(sum as u64 & ones(width))
}
