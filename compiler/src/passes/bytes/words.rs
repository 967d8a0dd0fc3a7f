//! Joins of neighbouring bits of one word: `(word & 0xff) | (word & 0xff00)` is `word & 0xffff`.

use super::field::Field;
use crate::ir::*;
use crate::passes::cursor::Cursor;
use smallvec::SmallVec;

/// The most parts that are joined to one word.
const MAX_PARTS: usize = 8;

/// Replaces joins in a function. Returns true if any was replaced.
pub fn run(func: &mut Function) -> bool {
    let mut replaced = func.value_map::<Option<Value>>();
    let mut any_replaced = false;
    for block in func.layout.clone() {
        let mut c = Cursor::new(func);
        let insts = c.begin(block);
        for &inst in &insts {
            c.func.stand_at(inst);
            if any_replaced {
                // The operands of a join may be joins that were replaced. `replace_values` would change these operands only
                // for later passes.
                c.func.insts[inst].map_args(|arg| replaced[arg].unwrap_or(arg));
            }
            let part = joined(c.func, inst).and_then(|(joined, ty)| part(&mut c, joined, ty));
            match (part, c.func.result(inst)) {
                (Some(value), Some(result)) => {
                    replaced[result] = Some(value);
                    any_replaced = true;
                }
                _ => c.keep(inst),
            }
        }
        c.finish_in(block, insts);
    }
    if any_replaced {
        func.replace_uses(|value| replaced[value].unwrap_or(value));
    }
    any_replaced
}

/// Returns the field that an instruction joins from two adjacent fields of one word, and the instruction's type. The two
/// fields keep their positions relative to each other.
fn joined(func: &Function, inst: Inst) -> Option<(Field, Type)> {
    let [a, b] = operands(&func.insts[inst])?;
    let ty = func.ty(func.result(inst)?);
    let (a, b) = (Field::of(func, a)?, Field::of(func, b)?);
    let (low, high) = if a.at < b.at { (a, b) } else { (b, a) };
    let fits = low.word == high.word
        && low.end() == high.at
        && low.low + low.width == high.low
        && !low.signed
        && !high.signed;
    fits.then_some((Field { width: low.width + high.width, ..low }, ty))
}

/// Returns the operands of an instruction that can join fields without common bits.
fn operands(data: &InstData) -> Option<[Value; 2]> {
    match *data {
        InstData::Binary { op: BinaryOp::Or | BinaryOp::Xor | BinaryOp::IAdd, args, .. } => {
            Some(args)
        }
        _ => None,
    }
}

/// Computes a field from its word, as an integer of type `ty`; `None` if the word is a vector or narrower than `ty`.
fn part(c: &mut Cursor<'_>, field: Field, ty: Type) -> Option<Value> {
    let from = c.ty(field.word);
    if from.lanes > 1 || from.bits() < ty.bits() {
        return None;
    }
    let mut value = field.word;
    if field.low > field.at {
        value = c.binary_imm(BinaryOp::LShr, value, i64::from(field.low - field.at));
    }
    value = c.resize(value, ty, false);
    if field.at > field.low {
        value = c.binary_imm(BinaryOp::Shl, value, i64::from(field.at - field.low));
    }
    // Removes the bits beside the field that the shifts brought.
    let (below, above) = (field.low.min(field.at), from.bits() - field.low - field.width);
    if below > 0 || (above > 0 && field.end() < ty.bits()) {
        let mask = (u64::MAX >> (64 - field.width)) << field.at;
        let mask = c.func.constant(ty, mask);
        value = c.binary(BinaryOp::And, value, mask);
    }
    Some(value)
}

/// Returns the vectors of which all bits are joined to words of the vector's size.
pub fn whole_vectors(func: &Function) -> Vec<Value> {
    let mut found = Vec::new();
    if !func.values.values().any(|value| value.ty.is_vector() && value.ty.scalar.bits() < 32) {
        return found;
    }
    for inst in func.layout_insts() {
        let Some(result) = func.result(inst) else { continue };
        if operands(&func.insts[inst]).is_none() || func.ty(result).lanes > 1 {
            continue;
        }
        let mut parts = SmallVec::new();
        if !gather(func, result, &mut parts, MAX_PARTS) {
            continue;
        }
        let word = parts[0].word;
        let bits = func.ty(word).bits();
        let in_place = |part: &Field| part.word == word && part.low == part.at && !part.signed;
        let covered = parts.iter().map(|part| (u64::MAX >> (64 - part.width)) << part.at);
        let is_whole = func.ty(word).lanes > 1
            && bits == func.ty(result).bits()
            && parts.iter().all(in_place)
            && covered.fold(0, |all, part| all | part) == u64::MAX >> (64 - bits);
        if is_whole {
            found.push(word);
        }
    }
    found
}

/// Adds the fields that a tree of joins, at most `depth` deep, consists of. Returns false if there are more than
/// [`MAX_PARTS`].
fn gather(
    func: &Function,
    value: Value,
    parts: &mut SmallVec<[Field; MAX_PARTS]>,
    depth: usize,
) -> bool {
    if let Some(args) = func.def_inst(value).and_then(operands).filter(|_| depth > 0) {
        return args.into_iter().all(|arg| gather(func, arg, parts, depth - 1));
    }
    let field = Field::of(func, value).filter(|_| parts.len() < MAX_PARTS);
    parts.extend(field);
    field.is_some()
}
