//! Kernel inputs in parts that a device has: arguments and launch values as words of the kernel-argument buffer, and ids as
//! the sum of a built-in variable and the start of the dispatch.

use crate::ir::*;
use crate::passes::cursor::{replace_values, Cursor};
use rustc_hash::{FxHashMap, FxHashSet};

/// Legalizes a function. Returns true if anything changed.
pub fn run(func: &mut Function) -> bool {
    let narrowed = narrowed_values(func);
    let mut low_words: FxHashMap<Value, Value> = FxHashMap::default();
    replace_values(func, |c, inst| {
        let result = c.func.result(inst)?;
        let ty = c.ty(result);
        match c.func.insts[inst] {
            InstData::WorkItem { query, dim } => {
                let parts = parts(query)?;
                if narrowed.contains(&result) {
                    low_words.insert(result, low_word(c, &parts, dim));
                }
                Some(launch_value(c, &parts, dim, ty))
            }
            InstData::LoadArg { arg, offset } if !is_word(ty, offset) => {
                Some(argument(c, arg, offset, ty))
            }
            InstData::Convert { op: ConvertOp::Trunc, arg } => {
                let word = *low_words.get(&arg)?;
                Some(c.resize(word, ty, false))
            }
            _ => None,
        }
    })
}

/// Returns the launch values that are truncated to the low word or less.
fn narrowed_values(func: &Function) -> FxHashSet<Value> {
    let narrowed = func.layout_insts().filter_map(|inst| match func.insts[inst] {
        InstData::Convert { op: ConvertOp::Trunc, arg } => Some(arg),
        _ => None,
    });
    narrowed.filter(|&v| matches!(func.def_inst(v), Some(InstData::WorkItem { .. }))).collect()
}

/// Returns true if an argument is a word of the kernel-argument buffer, or not in the buffer, as local pointers are
/// not.
fn is_word(ty: Type, offset: u32) -> bool {
    let is_local = ty.space() == Some(AddressSpace::Local);
    is_local || matches!(ty, Type::I32 | Type::F32) && offset.is_multiple_of(4)
}

fn argument(c: &mut Cursor<'_>, arg: u32, offset: u32, ty: Type) -> Value {
    if ty.is_vector() {
        let offsets = (0..u32::from(ty.lanes)).map(|lane| offset + lane * ty.scalar.bytes());
        let lanes: Vec<Value> = offsets.map(|at| argument(c, arg, at, ty.lane())).collect();
        return c.build(&lanes);
    }
    let low = argument_word(c, arg, offset, ty.bytes().min(4));
    match ty.bytes() {
        8 => {
            let high = argument_word(c, arg, offset + 4, 4);
            of_words(c, [low, high], ty)
        }
        bytes => {
            let int = c.resize(low, Type::of(Scalar::int(8 * bytes)), false);
            c.bitcast(int, ty)
        }
    }
}

/// Returns the `bytes` bytes, at most 4, at an offset in an argument; the bits above them are arbitrary.
fn argument_word(c: &mut Cursor<'_>, arg: u32, offset: u32, bytes: u32) -> Value {
    let (first, skipped) = (offset / 4 * 4, offset % 4);
    let word = |c: &mut Cursor<'_>, offset| c.inst(InstData::LoadArg { arg, offset }, Type::I32);
    let low = word(c, first);
    let low = c.binary_imm(BinaryOp::LShr, low, i64::from(8 * skipped));
    if skipped + bytes <= 4 {
        return low;
    }
    let high = word(c, first + 4);
    let high = c.binary_imm(BinaryOp::Shl, high, i64::from(32 - 8 * skipped));
    c.binary(BinaryOp::Or, low, high)
}

/// Returns a number or pointer of 64 bits that consists of two words.
pub fn of_words(c: &mut Cursor<'_>, words: [Value; 2], ty: Type) -> Value {
    let words = c.build(&words);
    if !ty.scalar.is_ptr() {
        return c.bitcast(words, ty);
    }
    let address = c.bitcast(words, Type::I64);
    c.convert(ConvertOp::IntToPtr, address, ty)
}

/// Reads a launch value.
pub fn query(c: &mut Cursor<'_>, query: WorkItemQuery, dim: u8) -> Value {
    c.inst(InstData::WorkItem { query, dim }, query.ty())
}

/// The built-in variable that a launch value starts from, if any, and the 64-bit field that is added to it.
/// `is_offset`: the field is zero in most dispatches.
struct Parts {
    builtin: Option<WorkItemQuery>,
    field: WorkItemQuery,
    is_offset: bool,
}

fn parts(query: WorkItemQuery) -> Option<Parts> {
    use WorkItemQuery::*;
    let (builtin, field, is_offset) = match query {
        GlobalId => (Some(InvocationId), GlobalBaseWord, true),
        GroupId => (Some(WorkGroupId), GroupBaseWord, true),
        GlobalOffset => (None, GlobalOffsetWord, true),
        GlobalSize => (None, GlobalSizeWord, false),
        NumGroups => (None, NumGroupsWord, false),
        PrintfBuffer => (None, PrintfBufferWord, false),
        QueueContext => (None, QueueContextWord, false),
        _ => return None,
    };
    Some(Parts { builtin, field, is_offset })
}

/// Returns a launch value of 64 bits.
fn launch_value(c: &mut Cursor<'_>, parts: &Parts, dim: u8, ty: Type) -> Value {
    let words = [0, 1].map(|i| query(c, parts.field, 2 * dim + i));
    let value = of_words(c, words, ty);
    sum(c, parts, dim, value)
}

/// Returns the low word of a launch value, computed from low words alone.
fn low_word(c: &mut Cursor<'_>, parts: &Parts, dim: u8) -> Value {
    let word = query(c, parts.field, 2 * dim);
    sum(c, parts, dim, word)
}

/// Returns the sum of the built-in variable, if there is one, and the field's value.
fn sum(c: &mut Cursor<'_>, parts: &Parts, dim: u8, mut value: Value) -> Value {
    let ty = c.ty(value);
    if parts.is_offset {
        let (flag, zero) = (query(c, WorkItemQuery::HasOffset, 0), c.iconst(ty, 0));
        value = c.select(flag, value, zero);
    }
    let Some(builtin) = parts.builtin else { return value };
    let id = query(c, builtin, dim);
    let id = c.resize(id, ty, false);
    c.binary(BinaryOp::IAdd, id, value)
}
