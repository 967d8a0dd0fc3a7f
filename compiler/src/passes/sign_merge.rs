//! The sign of one number on the magnitude of another, as a choice between two results instead of
//! masks: for drivers whose compiler takes the masks for its own copysign and gets that wrong where
//! the result is chosen beside the number with the sign (`c ? x : copysign(m, x)`; LLVM 22 with
//! AVX-512 does).

use super::cursor::Cursor;
use crate::ir::*;

/// Rewrites every such merge. Whether there were any.
pub fn run(func: &mut Function) -> bool {
    let mut changed = false;
    for block in func.layout.clone() {
        let mut c = Cursor::new(func);
        let insts = c.begin(block);
        for &inst in &insts {
            if let Some(merge) = find(c.func, inst) {
                let bits = c.ty(merge.sign).scalar.bits();
                let sign_bit = 1u64 << (bits - 1);
                let (minus, rest) = (sign_bit as i64, (sign_bit - 1) as i64);
                let negative = c.icmp_imm(IntCC::Slt, merge.sign, 0);
                let below = c.binary_imm(BinaryOp::Or, merge.magnitude, minus);
                let above = c.binary_imm(BinaryOp::And, merge.magnitude, rest);
                c.func.insts[inst] = InstData::Select { args: [negative, below, above] };
                changed = true;
            }
            c.keep(inst);
        }
        c.finish_in(block, insts);
    }
    changed
}

/// The integers whose bits are merged.
struct Merge {
    magnitude: Value,
    sign: Value,
}

fn find(func: &Function, inst: Inst) -> Option<Merge> {
    let InstData::Binary { op, args: [a, b], .. } = func.insts[inst] else { return None };
    match op {
        BinaryOp::Or | BinaryOp::Xor | BinaryOp::IAdd => {
            let merge = of_parts(func, a, b).or_else(|| of_parts(func, b, a));
            let chosen = || of_choice(func, a, b).or_else(|| of_choice(func, b, a));
            merge.or_else(|| if op == BinaryOp::Xor { chosen() } else { None })
        }
        _ => None,
    }
}

/// `magnitude & 0x7f.. | sign & 0x80..`.
fn of_parts(func: &Function, a: Value, b: Value) -> Option<Merge> {
    let sign_bit = 1u64 << (func.ty(a).scalar.bits() - 1);
    let ((magnitude, rest), (sign, bit)) = (masked(func, a)?, masked(func, b)?);
    (rest == sign_bit - 1 && bit == sign_bit).then_some(Merge { magnitude, sign })
}

/// `x ^ ((x ^ y) & mask)`: y's bits where the mask has ones, else x's.
fn of_choice(func: &Function, x: Value, part: Value) -> Option<Merge> {
    let sign_bit = 1u64 << (func.ty(x).scalar.bits() - 1);
    let (differing, mask) = masked(func, part)?;
    let InstData::Binary { op: BinaryOp::Xor, args: [a, b], .. } = *func.def_inst(differing)?
    else {
        return None;
    };
    let y = match x {
        _ if a == x => b,
        _ if b == x => a,
        _ => return None,
    };
    match mask {
        _ if mask == sign_bit => Some(Merge { magnitude: x, sign: y }),
        _ if mask == sign_bit - 1 => Some(Merge { magnitude: y, sign: x }),
        _ => None,
    }
}

/// A value and the constant that it is masked with.
fn masked(func: &Function, value: Value) -> Option<(Value, u64)> {
    let InstData::Binary { op: BinaryOp::And, args: [a, b], .. } = *func.def_inst(value)? else {
        return None;
    };
    match (func.as_const(a), func.as_const(b)) {
        (_, Some(mask)) => Some((a, mask)),
        (Some(mask), _) => Some((b, mask)),
        _ => None,
    }
}
