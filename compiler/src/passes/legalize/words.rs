//! Access to parts of 32-bit words of global memory, for devices that can only access whole ones.
//!
//! A store of a part is an atomic And that clears it and an atomic Or that sets it, so that
//! neighbours that other work-items write meanwhile are not lost.

use crate::ir::*;
use crate::passes::cursor::{align_at, Cursor};
use smallvec::SmallVec;
use BinaryOp::*;

/// The bits of a scalar as I32 values, the low word first. What a narrow scalar leaves of its word
/// is arbitrary.
pub type Words = SmallVec<[Value; 2]>;

/// A part of a word in memory.
struct Word {
    /// Address of the word.
    ptr: Value,
    /// Bit position of the part in it.
    shift: Value,
}

/// The word around an address, and where in it the address is.
fn locate(c: &mut Cursor, ptr: Value, align: u32) -> Word {
    if align >= 4 {
        return Word { ptr, shift: c.iconst(Type::I32, 0) };
    }
    let address = c.convert(ConvertOp::PtrToInt, ptr, Type::I64);
    let low = c.convert(ConvertOp::Trunc, address, Type::I32);
    let byte = c.binary_imm(And, low, 3);
    let back = c.unary(UnaryOp::INeg, byte);
    Word { ptr: c.ptr_add(ptr, back), shift: c.binary_imm(Shl, byte, 3) }
}

/// Loads the bits of a scalar of `bytes` (1, 2, 4 or 8) at an address of any alignment.
fn load_scalar(c: &mut Cursor, ptr: Value, bytes: u32, align: u32, flags: MemFlags) -> Words {
    let piece = bytes.min(align).min(4);
    let mut words = Words::new();
    for word in (0..bytes).step_by(4) {
        let mut all = None;
        for offset in (word..bytes.min(word + 4)).step_by(piece as usize) {
            let at = c.ptr_add_const(ptr, offset.into());
            let place = locate(c, at, align_at(align, offset.into()));
            let loaded = c.load(Type::I32, place.ptr, 4, flags);
            let mut value = c.binary(LShr, loaded, place.shift);
            if piece < bytes && piece < 4 {
                value = c.binary_imm(And, value, (1 << (piece * 8)) - 1);
                value = c.binary_imm(Shl, value, i64::from(offset - word) * 8);
            }
            all = Some(all.map_or(value, |all| c.binary(Or, all, value)));
        }
        words.extend(all);
    }
    words
}

/// The inverse of [`load_scalar`].
fn store_scalar(
    c: &mut Cursor,
    ptr: Value,
    words: &[Value],
    bytes: u32,
    align: u32,
    flags: MemFlags,
) {
    let piece = bytes.min(align).min(4);
    for offset in (0..bytes).step_by(piece as usize) {
        let Some(&word) = words.get(offset as usize / 4) else { return };
        let value = c.binary_imm(LShr, word, i64::from(offset % 4) * 8);
        let at = c.ptr_add_const(ptr, offset.into());
        if piece == 4 {
            c.store(at, value, 4, flags);
        } else {
            let place = locate(c, at, align_at(align, offset.into()));
            let mask = c.iconst(Type::I32, (1 << (piece * 8)) - 1);
            set_bits(c, &place, mask, value);
        }
    }
}

/// Puts the bits of `value` that `mask` has (both from bit 0) at a place.
fn set_bits(c: &mut Cursor, place: &Word, mask: Value, value: Value) {
    let value = c.binary(And, value, mask);
    let value = c.binary(Shl, value, place.shift);
    let hole = c.binary(Shl, mask, place.shift);
    let hole = c.unary(UnaryOp::Not, hole);
    c.inst(InstData::AtomicRmw { op: AtomicOp::And, ptr: place.ptr, value: hole }, Type::I32);
    c.inst(InstData::AtomicRmw { op: AtomicOp::Or, ptr: place.ptr, value }, Type::I32);
}

/// Loads scalars one after the other; the words of each as [`load_scalar`] gives them.
pub fn load(c: &mut Cursor, ptr: Value, ty: Type, align: u32, flags: MemFlags) -> Vec<Words> {
    let bytes = ty.scalar.bytes();
    if align >= 4 && bytes < 4 {
        return load_packed(c, ptr, ty, flags);
    }
    (0..u32::from(ty.lanes))
        .map(|lane| {
            let offset = lane * bytes;
            let at = c.ptr_add_const(ptr, offset.into());
            load_scalar(c, at, bytes, align_at(align, offset.into()), flags)
        })
        .collect()
}

/// Narrow lanes from whole words.
fn load_packed(c: &mut Cursor, ptr: Value, ty: Type, flags: MemFlags) -> Vec<Words> {
    let bytes = ty.scalar.bytes();
    let words: Vec<Value> = (0..ty.bytes())
        .step_by(4)
        .map(|offset| {
            let at = c.ptr_add_const(ptr, offset.into());
            c.load(Type::I32, at, 4, flags)
        })
        .collect();
    (0..u32::from(ty.lanes))
        .map(|lane| {
            let offset = lane * bytes;
            let word = words[offset as usize / 4];
            Words::from_slice(&[c.binary_imm(LShr, word, i64::from(offset % 4) * 8)])
        })
        .collect()
}

/// Stores scalars one after the other, given by their words.
pub fn store(c: &mut Cursor, ptr: Value, lanes: &[Words], bytes: u32, align: u32, flags: MemFlags) {
    let per_word = (4 / bytes.min(4)) as usize;
    for (i, part) in lanes.chunks(per_word).enumerate() {
        let offset = (i * per_word) as u64 * u64::from(bytes);
        let at = c.ptr_add_const(ptr, offset as i64);
        if align >= 4 && bytes < 4 && part.len() == per_word {
            let word = pack(c, part, bytes);
            c.store(at, word, 4, flags);
            continue;
        }
        for (j, words) in part.iter().enumerate() {
            let offset = offset + j as u64 * u64::from(bytes);
            let at = c.ptr_add_const(ptr, offset as i64);
            store_scalar(c, at, words, bytes, align_at(align, offset), flags);
        }
    }
}

/// Narrow lanes in one word.
fn pack(c: &mut Cursor, lanes: &[Words], bytes: u32) -> Value {
    let mut all = c.iconst(Type::I32, 0);
    for (i, words) in lanes.iter().enumerate() {
        let Some(&word) = words.first() else { continue };
        let part = c.binary_imm(And, word, (1 << (bytes * 8)) - 1);
        let part = c.binary_imm(Shl, part, i as i64 * i64::from(bytes) * 8);
        all = c.binary(Or, all, part);
    }
    all
}
