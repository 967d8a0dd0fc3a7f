//! Arrays of cooperative matrices with indexes that are not constant: each access becomes a branch to accesses to single
//! elements, which [`super::sroa`] and [`super::mem2reg`] then turn into values. Matrices are never in memory, and drivers
//! cannot select between them.

use super::cursor::Cursor;
use super::legalize::split::Splitter;
use crate::ir::*;

/// The most matrices of an array that is accessed by branches.
const MAX_ELEMENTS: u64 = 64;
/// Bytes from one element to the next.
const SIZE: u64 = Matrix::BYTES as u64;

/// Replaces the accesses to arrays of matrices whose indexes are not constant by branches. Returns true if there were
/// any.
pub fn run(func: &mut Function) -> bool {
    if !func.layout_insts().any(|inst| is_access(func, inst)) {
        return false;
    }
    let mut changed = false;
    for block in func.layout.clone() {
        let mut s = Splitter::new(func, block);
        for inst in s.take_insts() {
            s.c.func.stand_at(inst);
            let array = Array::of_access(&mut s.c, inst);
            match array {
                Some(array) => array.access(&mut s, inst),
                None => s.c.keep(inst),
            }
            changed |= array.is_some();
        }
        s.finish();
    }
    changed
}

/// Returns true for loads and stores of matrices in variables.
fn is_access(func: &Function, inst: Inst) -> bool {
    match func.insts[inst] {
        InstData::Load { .. } => func.result(inst).is_some_and(|value| is_matrix(func, value)),
        InstData::Store { value, .. } => is_matrix(func, value),
        _ => false,
    }
}

fn is_matrix(func: &Function, value: Value) -> bool {
    func.ty(value).scalar.is_matrix()
}

/// An array of matrices in a variable, and the byte offset of an access.
#[derive(Clone, Copy)]
struct Array {
    variable: Value,
    elements: u64,
    at: Value,
}

impl Array {
    /// Returns the array of which an instruction accesses an unknown element; `None` for all other instructions.
    fn of_access(c: &mut Cursor<'_>, inst: Inst) -> Option<Array> {
        if !is_access(c.func, inst) {
            return None;
        }
        let (mut variable, mut offsets) = (c.func.insts[inst].address()?, Vec::new());
        let size = loop {
            match *c.func.def_inst(variable)? {
                InstData::PtrAdd { ptr, offset, .. } => {
                    offsets.push(offset);
                    variable = ptr;
                }
                InstData::Alloca { size, .. } => break size,
                _ => return None,
            }
        };
        let elements = size / SIZE;
        let is_known = offsets.iter().all(|&offset| c.func.as_const(offset).is_some());
        if is_known || elements > MAX_ELEMENTS {
            return None;
        }
        let mut at = c.iconst(Type::I32, 0);
        for offset in offsets {
            let offset = c.resize(offset, Type::I32, true);
            at = c.binary(BinaryOp::IAdd, at, offset);
        }
        Some(Array { variable, elements, at })
    }

    /// Writes a branch to accesses to each element.
    fn access(self, s: &mut Splitter<'_>, inst: Inst) {
        let data = s.c.func.insts[inst].clone();
        let ty = s.c.func.result(inst).map(|result| s.c.ty(result));
        let (blocks, join): (Vec<Block>, Block) =
            ((0..self.elements).map(|_| s.new_block()).collect(), s.new_block());
        let case = |(index, &block): (u64, &Block)| SwitchCase {
            value: index * SIZE,
            target: BlockCall::new(block),
        };
        let cases = (0..).zip(&blocks).skip(1).map(case).collect();
        let default = BlockCall::new(blocks[0]);
        s.terminate(InstData::Switch { value: self.at, cases, default });
        for (index, &block) in (0..).zip(&blocks) {
            s.switch_to(block);
            let ptr = s.c.ptr_add_const(self.variable, index * SIZE as i64);
            match data {
                InstData::Store { value, align, flags, .. } => s.c.store(ptr, value, align, flags),
                InstData::Load { align, flags, .. } => {
                    let value = ty.map(|ty| s.c.load(ty, ptr, align, flags));
                    s.jump(join, value.as_slice());
                    continue;
                }
                _ => {}
            }
            s.jump(join, &[]);
        }
        s.become_param(inst, join);
        s.switch_to(join);
    }
}
