//! Values as their bytes in memory: little-endian words of 32 bits.

use crate::ir::*;
use crate::passes::cursor::Cursor;
use smallvec::{smallvec, SmallVec};

/// Returns the bytes of a value as words. The last word is zero-extended.
pub fn words_of(c: &mut Cursor<'_>, value: Value) -> SmallVec<[Value; 8]> {
    let ty = c.ty(value);
    let mut words: SmallVec<[Value; 8]> = SmallVec::new();
    for lane in 0..ty.lanes {
        let scalar = c.extract(value, lane);
        let scalar_words = words_of_scalar(c, scalar);
        let shift = u32::from(lane) * ty.scalar.bytes() % 4 * 8;
        match words.last_mut() {
            Some(last) if shift != 0 => {
                let high = c.binary_imm(BinaryOp::Shl, scalar_words[0], i64::from(shift));
                *last = c.binary(BinaryOp::Or, *last, high);
            }
            _ => words.extend(scalar_words),
        }
    }
    words
}

fn words_of_scalar(c: &mut Cursor<'_>, value: Value) -> SmallVec<[Value; 2]> {
    let scalar = c.ty(value).scalar;
    if scalar.bytes() < 8 {
        let int = c.to_memory_int(value);
        return smallvec![c.convert(ConvertOp::ZExt, int, Type::I32)];
    }
    if let Some(bits) = c.func.as_const(value) {
        return [bits, bits >> 32].map(|word| c.iconst(Type::I32, i64::from(word as u32))).into();
    }
    if scalar.is_ptr() && scalar.bits() == 32 {
        // Every pointer takes eight bytes.
        let low = c.convert(ConvertOp::PtrToInt, value, Type::I32);
        return smallvec![low, c.iconst(Type::I32, 0)];
    }
    let wide = if scalar.is_float() { value } else { c.to_memory_int(value) };
    let (low, high) = c.words_of(wide);
    smallvec![low, high]
}

/// Returns the value that consists of the bytes in words. Bytes above its size are ignored.
pub fn value_of_words(c: &mut Cursor<'_>, words: &[Value], ty: Type) -> Value {
    let bytes = ty.scalar.bytes();
    let mut lanes: SmallVec<[Value; 4]> = SmallVec::new();
    for lane in 0..u32::from(ty.lanes) {
        let word = |at: u32| words[(at / 4) as usize];
        let at = lane * bytes;
        lanes.push(match bytes {
            8 => wide_scalar(c, [word(at), word(at + 4)], ty.scalar),
            _ => {
                let low = c.binary_imm(BinaryOp::LShr, word(at), i64::from(at % 4 * 8));
                let int = c.convert(ConvertOp::Trunc, low, Type::of(Scalar::int(bytes * 8)));
                c.from_memory_int(int, ty.scalar)
            }
        });
    }
    c.build(&lanes)
}

fn wide_scalar(c: &mut Cursor<'_>, words: [Value; 2], scalar: Scalar) -> Value {
    let ty = Type::of(scalar);
    if scalar.is_ptr() && scalar.bits() == 32 {
        return c.convert(ConvertOp::IntToPtr, words[0], ty);
    }
    let pair = c.build(&words);
    if scalar.is_float() {
        return c.bitcast(pair, ty);
    }
    let int = c.bitcast(pair, Type::I64);
    c.from_memory_int(int, scalar)
}
