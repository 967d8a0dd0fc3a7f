//! Loads of vectors of bytes that are used as words.

use crate::ir::*;
use crate::passes::cursor::Cursor;
use cranelift_entity::SecondaryMap;

/// For each vector that is used as a word, the type of its lanes.
type Wanted = SecondaryMap<Value, Option<Type>>;

/// Replaces the loads of the given vectors with loads of words, if the address is aligned to the whole vector and only single
/// lanes of the vector are used. Returns true if there were any.
pub fn retype(func: &mut Function, vectors: &[Value]) -> bool {
    let mut wanted: Wanted = func.value_map();
    for &vector in vectors {
        wanted[vector] = is_aligned_load(func, vector).then(|| func.ty(vector).lane());
    }
    for inst in func.layout_insts() {
        let data = &func.insts[inst];
        if !matches!(data, InstData::Extract { .. }) {
            data.for_each_arg(|arg| {
                if wanted[arg].is_some() {
                    wanted[arg] = None;
                }
            });
        }
    }
    let mut changed = false;
    for &vector in vectors {
        if wanted[vector].is_some() && func.ty(vector).is_vector() {
            func.values[vector].ty = Type::of(Scalar::int(func.ty(vector).bits()));
            changed = true;
        }
    }
    if changed {
        for block in func.layout.clone() {
            take_lanes(func, block, &wanted);
        }
    }
    changed
}

/// Shifts lanes out of words instead of extracting them from vectors.
fn take_lanes(func: &mut Function, block: Block, words: &Wanted) {
    let mut c = Cursor::new(func);
    let insts = c.begin(block);
    for &inst in &insts {
        c.func.stand_at(inst);
        if let InstData::Extract { arg: word, lane } = c.func.insts[inst] {
            if let Some(ty) = words[word] {
                let shift = i64::from(lane) * i64::from(ty.bits());
                let arg = match shift {
                    0 => word,
                    _ => c.binary_imm(BinaryOp::LShr, word, shift),
                };
                c.func.replace_inst(inst, InstData::Convert { op: ConvertOp::Trunc, arg });
            }
        }
        c.keep(inst);
    }
    c.finish_in(block, insts);
}

/// Returns true if a value is loaded from an address that is aligned to the value's size.
fn is_aligned_load(func: &Function, value: Value) -> bool {
    let bits = func.ty(value).bits();
    let is_load = |data: &InstData| match *data {
        InstData::Load { align, flags, .. } => {
            align * 8 >= bits && !flags.contains(MemFlags::VOLATILE)
        }
        _ => false,
    };
    matches!(bits, 16 | 32 | 64) && func.def_inst(value).is_some_and(is_load)
}
