//! Merges of the sign of one number with the magnitude of another, as a selection between two floats instead of masks. For
//! drivers whose compiler makes one instruction of the masks and computes it wrong if the result is an arm of a selection
//! whose other arm is the number with the sign (`c ? x : (m & 0x7fffffff) | (x & 0x80000000)`). LLVM 15 and 22 do so with
//! AVX-512, and also with a selection between integers.

use crate::ir::*;
use crate::passes::cursor::rewrite_insts;

/// Rewrites every such merge of 32 bits and, if the device has `doubles`, of 64 bits. Returns true if there were any.
pub fn run(func: &mut Function, doubles: bool) -> bool {
    rewrite_insts(func, |c, inst| {
        let merge = find(c.func, inst, doubles)?;
        let int = c.ty(merge.sign);
        let float = int.with_scalar(if int == Type::I32 { Scalar::F32 } else { Scalar::F64 });
        let negative = c.icmp_imm(IntCC::Slt, merge.sign, 0);
        let magnitude = c.bitcast(merge.magnitude, float);
        let above = c.math(MathOp::FAbs, &[magnitude]);
        let below = c.unary(UnaryOp::FNeg, above);
        let arg = c.select(negative, below, above);
        Some(InstData::Convert { op: ConvertOp::Bitcast, arg })
    })
}

/// The integers whose magnitude and sign are merged.
struct Merge {
    magnitude: Value,
    sign: Value,
}

fn find(func: &Function, inst: Inst, doubles: bool) -> Option<Merge> {
    let ty = func.ty(func.result(inst)?);
    if ty != Type::I32 && (ty != Type::I64 || !doubles) {
        return None;
    }
    if let InstData::Select { args: [cond, below, above] } = func.insts[inst] {
        return of_cases(func, cond, below, above);
    }
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

/// Matches `magnitude & 0x7f.. | sign & 0x80..`.
fn of_parts(func: &Function, a: Value, b: Value) -> Option<Merge> {
    let sign_bit = 1u64 << (func.ty(a).scalar.bits() - 1);
    let ((magnitude, rest), (sign, bit)) = (masked(func, a)?, masked(func, b)?);
    (rest == sign_bit - 1 && bit == sign_bit).then_some(Merge { magnitude, sign })
}

/// Matches `x ^ ((x ^ y) & mask)`: the bits of y where the mask has ones, otherwise those of x.
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

/// Matches `sign < 0 ? magnitude | 0x80.. : magnitude & 0x7f..`.
fn of_cases(func: &Function, cond: Value, below: Value, above: Value) -> Option<Merge> {
    let InstData::ICmp { cc: IntCC::Slt, args: [sign, zero] } = *func.def_inst(cond)? else {
        return None;
    };
    let sign_bit = 1u64 << (func.ty(below).scalar.bits() - 1);
    let InstData::Binary { op: BinaryOp::Or, args: [a, b], .. } = *func.def_inst(below)? else {
        return None;
    };
    let (magnitude, rest) = masked(func, above)?;
    let with_sign = match () {
        () if func.as_const(b) == Some(sign_bit) => a,
        () if func.as_const(a) == Some(sign_bit) => b,
        () => return None,
    };
    let same = func.ty(sign) == func.ty(below) && with_sign == magnitude;
    (same && func.as_const(zero) == Some(0) && rest == sign_bit - 1)
        .then_some(Merge { magnitude, sign })
}

/// Returns a value and the constant that it is masked with.
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
