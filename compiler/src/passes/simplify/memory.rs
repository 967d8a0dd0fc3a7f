//! Rules of addresses, and of loads of constants in the program's variables.

use super::Simplified;
use crate::analysis::known_bits::KnownBits;
use crate::ir::fold;
use crate::ir::*;
use crate::passes::cursor::Cursor;
use cranelift_entity::PrimaryMap;
use smallvec::SmallVec;
use Simplified::{Become, Keep};

/// Simplifies an address. Constants move to the outer end of a chain: (p + x) + c, so that equal p + x become equal
/// values.
pub fn ptr_add(c: &mut Cursor, ptr: Value, offset: Value, within: Within, ty: Type) -> Simplified {
    let by_constant = |ptr: Value, offset: Value| {
        Become(InstData::PtrAdd { ptr, offset, within: Within::ANYWHERE })
    };
    let constant = c.func.as_signed_const(offset);
    if constant == Some(0) {
        return Simplified::Value(ptr);
    }
    if let Some(&InstData::PtrAdd { ptr: base, offset: inner, .. }) = c.func.def_inst(ptr) {
        if let Some(k) = c.func.as_signed_const(inner) {
            if let Some(y) = constant {
                let sum = c.ptr_add_const(base, k.wrapping_add(y));
                return Simplified::Value(sum);
            }
            // (p + k) + x = (p + x) + k
            let moved = c.ptr_add_within(base, offset, within.moved(k));
            return by_constant(moved, inner);
        }
    }
    // A 64-bit constant that fits in 32 bits.
    if let (Some(k), true) = (constant, c.ty(offset) == Type::I64) {
        if i32::try_from(k).is_ok() {
            let offset = c.func.constant(Type::I32, k as u64);
            return by_constant(ptr, offset);
        }
    }
    // p + (x + k) = (p + x) + k, where the offset wraps at the address's width.
    let exact = c.ty(offset).scalar.bits() == ty.scalar.bits();
    if !exact || constant.is_some() {
        return Keep;
    }
    match split_constant(c, offset) {
        Some((x, k)) => {
            let moved = c.ptr_add_within(ptr, x, within);
            let width = c.ty(offset);
            let k = match i32::try_from(fold::signed(width.scalar.bits(), k)) {
                Ok(small) => c.func.constant(Type::I32, i64::from(small) as u64),
                Err(_) => c.func.constant(width, k),
            };
            by_constant(moved, k)
        }
        None => Keep,
    }
}

/// The most nested sums that are searched for a constant part.
const MAX_DEPTH: u32 = 3;

/// Splits an offset into a variable part x and a constant part k. The offset is x + k, (x + k) << s, or the extension of a
/// sum that does not overflow.
fn split_constant(c: &mut Cursor, offset: Value) -> Option<(Value, u64)> {
    match *c.func.def_inst(offset)? {
        InstData::Binary { op: BinaryOp::IAdd, args: [x, k], .. } => Some((x, c.func.as_const(k)?)),
        InstData::Binary {
            op: op @ (BinaryOp::Shl | BinaryOp::IMul),
            args: [inner, by],
            flags,
        } => {
            let factor = c.func.as_const(by)?;
            let (x, k) = split_constant(c, inner)?;
            let scaled = fold::binary(op, c.ty(offset).scalar, k, factor)?;
            // The address with the whole offset is in an object, so its part counts as exact too.
            let (data, ty) = (InstData::Binary { op, args: [x, by], flags }, c.ty(offset));
            Some((c.inst(data, ty), scaled))
        }
        InstData::Convert { op: ConvertOp::SExt, arg } => {
            let (x, k) = split_extended(c, arg, c.ty(offset), MAX_DEPTH)?;
            Some((x, k as u64))
        }
        InstData::Convert { op: ConvertOp::ZExt, arg } => {
            let (x, k) = split_disjoint(c, arg)?;
            Some((c.convert(ConvertOp::ZExt, x, c.ty(offset)), k))
        }
        _ => None,
    }
}

/// Splits a sum x + k whose constant has only bits that are zero in x, as of `i * 16 + 3`: it never carries.
fn split_disjoint(c: &Cursor, sum: Value) -> Option<(Value, u64)> {
    let &InstData::Binary { op: BinaryOp::IAdd, args: [x, k], .. } = c.func.def_inst(sum)? else {
        return None;
    };
    let k = c.func.as_const(k)?;
    let zeros = KnownBits::new(c.func, None).trailing_zeros(x);
    (c.ty(x).lanes == 1 && k.checked_shr(zeros).unwrap_or(0) == 0).then_some((x, k))
}

/// Splits a sum that does not overflow as a signed number into x and k, both extended to a wider type. The sum is x +
/// k, a sum of such sums, or a multiple of one by a power of two.
fn split_extended(c: &mut Cursor, sum: Value, ty: Type, depth: u32) -> Option<(Value, i64)> {
    let depth = depth.checked_sub(1)?;
    let &InstData::Binary { op, args: [a, b], flags } = c.func.def_inst(sum)? else { return None };
    if !flags.contains(OpFlags::NO_SIGNED_WRAP) {
        return None;
    }
    if op == BinaryOp::Shl {
        let by = c.func.as_const(b).filter(|&by| by < 32)?;
        let (x, k) = split_extended(c, a, ty, depth)?;
        let wide = c.func.constant(ty, by);
        return Some((c.binary(op, x, wide), k << by));
    }
    if op != BinaryOp::IAdd {
        return None;
    }
    let extended = |c: &mut Cursor, value| c.convert(ConvertOp::SExt, value, ty);
    if let Some(k) = c.func.as_signed_const(b) {
        return Some((extended(c, a), k));
    }
    let (rest, k, other) = match split_extended(c, b, ty, depth) {
        Some((rest, k)) => (rest, k, a),
        None => {
            let (rest, k) = split_extended(c, a, ty, depth)?;
            (rest, k, b)
        }
    };
    let other = extended(c, other);
    Some((c.binary(BinaryOp::IAdd, other, rest), k))
}

/// Replaces a load from a constant variable at a known offset by the variable's initial value.
pub fn load(
    c: &mut Cursor,
    globals: &PrimaryMap<Global, GlobalData>,
    ptr: Value,
    ty: Type,
) -> Simplified {
    let (mut at, mut offset) = (ptr, 0i64);
    let global = loop {
        match c.func.def_inst(at) {
            Some(&InstData::GlobalAddr { global }) => break global,
            Some(&InstData::PtrAdd { ptr, offset: by, .. }) => {
                let Some(by) = c.func.as_signed_const(by) else { return Keep };
                offset = offset.wrapping_add(by);
                at = ptr;
            }
            _ => return Keep,
        }
    };
    let Some(data) = globals.get(global) else { return Keep };
    let size = u64::from(ty.bytes());
    let inside = offset >= 0 && (offset as u64).checked_add(size).is_some_and(|e| e <= data.size);
    let constant = data.is_const && data.space != AddressSpace::Local;
    if !inside || !constant || ty.scalar.is_ptr() {
        return Keep;
    }
    let start = offset as u64;
    let overlaps = |&(at, _, _): &(u32, Global, i64)| {
        u64::from(at) < start + size && start < u64::from(at) + 8
    };
    if data.relocations.iter().any(overlaps) {
        return Keep;
    }
    let bytes = data.init.as_deref();
    let width = u64::from(ty.scalar.bytes());
    let lanes: SmallVec<[Value; 4]> = (0..u64::from(ty.lanes))
        .map(|lane| {
            let from = (start + lane * width) as usize;
            let bits = (0..width as usize).rev().fold(0u64, |bits, i| {
                let byte = bytes.and_then(|b| b.get(from + i)).copied().unwrap_or(0);
                bits << 8 | u64::from(byte)
            });
            c.func.constant(ty.lane(), bits)
        })
        .collect();
    match lanes.as_slice() {
        [single] => Simplified::Value(*single),
        _ => Become(InstData::Build { args: lanes }),
    }
}
