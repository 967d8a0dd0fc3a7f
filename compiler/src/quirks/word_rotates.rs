//! Rotations of words by constants, whose distances a driver learns late:
//! [`Quirks::SUBTRACTED_ROTATES`](hekla_device::Quirks::SUBTRACTED_ROTATES).
//!
//! NIR makes a rotation of `x << n | x >> (32 - n)` if the difference is written out. It folds constants before it looks, but
//! not what is loaded from a variable. So each distance is stored to a variable at the start of the function, and loaded again;
//! volatile, since else the structurizer would make a constant of it.

use super::rotates::rotation;
use crate::ir::*;
use crate::passes::cursor::{rewrite_insts, Cursor};
use crate::passes::ssa_repair::variable_for;
use rustc_hash::FxHashMap;

/// The bits of a word.
const BITS: i64 = 32;

/// A distance to the left, and the one to the right that makes a rotation of it.
type Distances = [Value; 2];

/// Rewrites the rotations. Returns true if there were any.
pub fn run(func: &mut Function) -> bool {
    let found = func.layout_insts().filter_map(|inst| rotation(func, inst, Type::I32));
    let mut lefts: Vec<i64> = found.map(|(_, right)| BITS - right).collect();
    lefts.sort_unstable();
    lefts.dedup();
    if lefts.is_empty() {
        return false;
    }
    let distances = hide(func, &lefts);
    rewrite_insts(func, |c, inst| {
        let (x, right) = rotation(c.func, inst, Type::I32)?;
        let [left, right] = *distances.get(&(BITS - right))?;
        let args = [c.binary(BinaryOp::Shl, x, left), c.binary(BinaryOp::LShr, x, right)];
        Some(InstData::Binary { op: BinaryOp::Or, args, flags: OpFlags::empty() })
    })
}

/// Makes numbers, at the start of a function, that its text does not show to be constant.
fn hide(func: &mut Function, lefts: &[i64]) -> FxHashMap<i64, Distances> {
    let entry = func.entry();
    let align = Type::I32.bytes();
    let variables: Vec<Value> = lefts.iter().map(|_| variable_for(func, Type::I32)).collect();
    let mut c = Cursor::new(func);
    // The variables are in front.
    let mut old = c.begin(entry);
    let rest = old.split_off(lefts.len());
    c.out = old;
    let word = c.iconst(Type::I32, BITS);
    let distances = lefts.iter().zip(variables).map(|(&left, variable)| {
        let constant = c.iconst(Type::I32, left);
        c.store(variable, constant, align, MemFlags::VOLATILE);
        let loaded = c.load(Type::I32, variable, align, MemFlags::VOLATILE);
        (left, [loaded, c.binary(BinaryOp::ISub, word, loaded)])
    });
    let distances = distances.collect();
    c.out.extend_from_slice(&rest);
    c.finish(entry);
    distances
}
