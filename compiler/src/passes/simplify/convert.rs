//! Rules of conversions, and of splitting and building vectors.

use super::Simplified;
use crate::analysis::known_bits::KnownBits;
use crate::ir::fold;
use crate::ir::*;
use crate::passes::cursor::Cursor;
use Simplified::{Become, Keep};

pub fn convert(c: &mut Cursor, op: ConvertOp, arg: Value, ty: Type) -> Simplified {
    let from = c.ty(arg);
    if from == ty {
        return Simplified::Value(arg);
    }
    if c.func.is_undef(arg) {
        // The address space of a null pointer has one defined result, so that get_fence returns a fence.
        return Simplified::Value(match op {
            ConvertOp::ToSpace => c.func.constant(ty, 0),
            _ => c.func.undef(ty),
        });
    }
    match c.func.def_inst(arg) {
        Some(&InstData::Convert { op: first, arg: source }) => {
            convert_of_convert(c, first, op, source, from, ty)
        }
        // A selection between constants is converted at compile time.
        Some(&InstData::Select { args: [cond, then, otherwise] }) if ty.lanes == 1 => {
            let fold = |c: &Cursor, v: Value| {
                fold::convert(op, from.scalar, ty.scalar, c.func.as_const(v)?)
            };
            let (Some(p), Some(q)) = (fold(c, then), fold(c, otherwise)) else { return Keep };
            let (p, q) = (c.func.constant(ty, p), c.func.constant(ty, q));
            Become(InstData::Select { args: [cond, p, q] })
        }
        _ => Keep,
    }
}

/// Simplifies conversion `second` of conversion `first` of `source` to one conversion, if there is an equivalent one.
fn convert_of_convert(
    c: &mut Cursor,
    first: ConvertOp,
    second: ConvertOp,
    source: Value,
    middle: Type,
    ty: Type,
) -> Simplified {
    use ConvertOp::*;
    let from = c.ty(source);
    let single = |op: ConvertOp| Become(InstData::Convert { op, arg: source });
    match (first, second) {
        (Bitcast, Bitcast) => single(Bitcast),
        (ZExt, ZExt) | (SExt, SExt) | (Trunc, Trunc) => single(second),
        // The result of a zero extension is not negative.
        (ZExt, SExt) => single(ZExt),
        (ZExt | SExt, Trunc) if from == ty => Simplified::Value(source),
        (ZExt | SExt, Trunc) if from.scalar.bits() > ty.scalar.bits() => single(Trunc),
        (ZExt | SExt, Trunc) => single(first),
        // Truncation loses no bits if the number is known to fit, as saturated numbers do.
        (Trunc, ZExt) if from == ty && fits(c, source, middle, false) => Simplified::Value(source),
        (Trunc, SExt) if from == ty && fits(c, source, middle, true) => Simplified::Value(source),
        (Trunc, UToF) if fits(c, source, middle, false) => single(SToF),
        (Trunc, SToF) if fits(c, source, middle, true) => single(SToF),
        // A small integer has the same value after its extension.
        (ZExt, SToF | UToF) if from.scalar.is_int() => single(UToF),
        (SExt, SToF) if from.scalar.is_int() => single(SToF),
        (PtrToInt, IntToPtr) | (IntToPtr, PtrToInt) if from == ty => Simplified::Value(source),
        (SpaceCast, SpaceCast) if from == ty && middle.space() == Some(AddressSpace::Generic) => {
            Simplified::Value(source)
        }
        (SpaceCast, ToSpace) if from == ty => Simplified::Value(source),
        (SpaceCast, ToSpace) => Simplified::Value(c.func.constant(ty, 0)),
        _ => Keep,
    }
}

/// Returns true if a value fits in a narrower integer type.
fn fits(c: &Cursor, value: Value, narrow: Type, signed: bool) -> bool {
    let bits = narrow.scalar.bits();
    if narrow.lanes != 1 || !narrow.scalar.is_int() || bits > 16 {
        return false;
    }
    let (low, high) = match signed {
        true => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        false => (0, (1 << bits) - 1),
    };
    let range = KnownBits::new(c.func, None).range(value);
    range.is_some_and(|range| *range.start() >= low && *range.end() <= high)
}

/// Replaces a build of all lanes of one vector in their order by the vector.
pub fn build(c: &mut Cursor, args: &[Value], ty: Type) -> Simplified {
    if args.iter().all(|&a| c.func.is_undef(a)) {
        return Simplified::Value(c.func.undef(ty));
    }
    let mut source = None;
    for (i, &arg) in args.iter().enumerate() {
        match c.func.def_inst(arg) {
            Some(&InstData::Extract { arg, lane }) if usize::from(lane) == i => {
                if *source.get_or_insert(arg) != arg {
                    return Keep;
                }
            }
            _ => return Keep,
        }
    }
    match source {
        Some(vector) if c.ty(vector) == ty => Simplified::Value(vector),
        _ => Keep,
    }
}

pub fn extract(c: &mut Cursor, arg: Value, lane: u8, ty: Type) -> Simplified {
    if c.func.is_undef(arg) {
        return Simplified::Value(c.func.undef(ty));
    }
    match c.func.def_inst(arg) {
        Some(InstData::Build { args }) => match args.get(usize::from(lane)) {
            Some(&value) => Simplified::Value(value),
            None => Keep,
        },
        Some(&InstData::Insert { arg, element, lane: inserted }) => {
            if inserted == lane {
                Simplified::Value(element)
            } else {
                Become(InstData::Extract { arg, lane })
            }
        }
        Some(InstData::Shuffle { args, lanes }) => {
            let from = lanes.get(usize::from(lane)).copied().unwrap_or(0);
            let width = c.ty(args[0]).lanes;
            let (arg, lane) = if from < width { (args[0], from) } else { (args[1], from - width) };
            Become(InstData::Extract { arg, lane })
        }
        _ => Keep,
    }
}

/// Removes a shuffle that changes nothing.
pub fn shuffle(c: &mut Cursor, args: [Value; 2], lanes: &[u8], ty: Type) -> Simplified {
    let identity = lanes.iter().enumerate().all(|(i, &lane)| usize::from(lane) == i);
    if identity && c.ty(args[0]) == ty {
        return Simplified::Value(args[0]);
    }
    Keep
}
