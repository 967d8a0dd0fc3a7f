//! Vectors of halves, in a form that NVIDIA's compiler (driver 580) does not scalarize.
//!
//! The compiler packs operations on two halves into one if the operands are packed already: loaded as vectors, or results
//! of packed operations. It scalarizes vectors that are constructed from scalars, especially splats, and everything computed
//! from them. It does not scalarize a vector that is bitcast from an integer, unless it recognizes how the integer is
//! computed: a constant, or `x | x << 16`. It does not recognize `x * 0x10001`. So vectors are built from the bits of two
//! halves.
//!
//! Packed operations go to two pipes of half the rate each. The compiler assigns the loop-carried values to the pipes in
//! the order of their OpPhi. It schedules the pipes best if that order is the reverse of the order in which the loop computes
//! the values, and if the initial values are constructed from scalars. On an H200, compared to floats, mad of half2 runs 1.5
//! times as fast (1.3 in the order of the source, 1.0 if splats are constructed), of half4 1.9 (1.8, 1.0).

use rustc_hash::FxHashSet;

use crate::ir::cfg::Cfg;
use crate::ir::dominators::DomTree;
use crate::ir::loops::{Loop, Loops};
use crate::ir::*;
use crate::passes::cursor::{replace_values, Cursor};
use crate::passes::scalarize;

/// Rewrites a function that computes vectors of halves. Returns true if the function does.
pub fn run(func: &mut Function) -> bool {
    if !scalarize::keeps_vectors(func) {
        return false;
    }
    let cfg = Cfg::compute(func);
    let loops = Loops::compute(&cfg, &DomTree::compute(&cfg)).loops;
    let initial = initial_values(func, &cfg, &loops);
    replace_values(func, |c, inst| replacement(c, inst, &initial));
    loops.iter().for_each(|data| reverse_parameters(func, &cfg, data.header));
    true
}

/// Returns the initial values of loop-carried values that no operation on vectors of halves in a loop uses.
fn initial_values(func: &Function, cfg: &Cfg, loops: &[Loop]) -> FxHashSet<Value> {
    let mut initial: FxHashSet<Value> =
        loops.iter().flat_map(|data| begins_with(func, cfg, data)).collect();
    let in_loops = loops.iter().flat_map(|data| data.insts(func));
    for inst in in_loops.filter(|&inst| scalarize::is_packed_operation(func, inst)) {
        func.insts[inst].for_each_arg(|arg| _ = initial.remove(&arg));
    }
    initial
}

/// Returns the arguments of the branches into a loop.
fn begins_with(func: &Function, cfg: &Cfg, data: &Loop) -> Vec<Value> {
    let mut values = Vec::new();
    for terminator in data.entering(cfg).filter_map(|pred| func.terminator(pred)) {
        func.insts[terminator].for_each_target(|target| {
            if target.block == data.header {
                values.extend_from_slice(&target.args);
            }
        });
    }
    values
}

/// Reverses the order of a block's parameters.
fn reverse_parameters(func: &mut Function, cfg: &Cfg, block: Block) {
    let params = func.blocks[block].params.iter().rev().copied().collect();
    func.set_params(block, params);
    // A conditional branch may lead to the block twice.
    let preds: FxHashSet<Block> = cfg.preds(block).iter().copied().collect();
    for pred in preds {
        let Some(terminator) = func.terminator(pred) else { continue };
        func.insts[terminator].for_each_target_mut(|target| {
            if target.block == block {
                target.args.reverse();
            }
        });
    }
}

/// Returns the vector that an instruction builds, built from its bits instead; `None` for initial values of loops,
/// among others.
fn replacement(c: &mut Cursor<'_>, inst: Inst, initial: &FxHashSet<Value>) -> Option<Value> {
    if initial.contains(&c.func.result(inst)?) {
        return None;
    }
    let InstData::Build { args } = &c.func.insts[inst] else { return None };
    let lanes = args.to_vec();
    if c.ty(lanes[0]).scalar != Scalar::F16 || lanes.len() > 4 || is_permutation(c.func, &lanes) {
        return None;
    }
    let pairs: Vec<Value> = lanes.chunks(2).map(|pair| joined(c, pair)).collect();
    let [low, high] = pairs[..] else { return pairs.first().copied() };
    let count = lanes.len() as u8;
    let lanes = (0..count).collect();
    Some(c.inst(InstData::Shuffle { args: [low, high], lanes }, Type::vector(Scalar::F16, count)))
}

/// Returns true if all lanes are extracted from vectors and are not all the same.
fn is_permutation(func: &Function, lanes: &[Value]) -> bool {
    let is_lane = |&lane: &Value| matches!(func.def_inst(lane), Some(InstData::Extract { .. }));
    lanes.iter().all(is_lane) && lanes.iter().any(|lane| *lane != lanes[0])
}

/// Returns a vector of two halves, or a splat of one half.
fn joined(c: &mut Cursor<'_>, pair: &[Value]) -> Value {
    let word = |c: &mut Cursor<'_>, half| {
        let bits = c.bitcast(half, Type::I16);
        c.convert(ConvertOp::ZExt, bits, Type::I32)
    };
    let low = word(c, pair[0]);
    let both = match pair {
        &[first, second] if first != second => {
            let high = word(c, second);
            let high = c.binary_imm(BinaryOp::Shl, high, 16);
            c.binary(BinaryOp::Or, low, high)
        }
        _ => c.binary_imm(BinaryOp::IMul, low, 0x1_0001),
    };
    c.bitcast(both, Type::vector(Scalar::F16, 2))
}
