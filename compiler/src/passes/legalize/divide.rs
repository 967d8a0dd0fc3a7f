//! 64-bit division on pairs: 32-bit division where both operands allow it, else long division in a
//! loop of 64 steps.

use super::pair::{Pair, Pairs};
use crate::ir::*;
use crate::passes::cursor::Cursor;
use BinaryOp::*;

/// Quotient or remainder of two pairs. Ends the list that the cursor holds, which becomes block
/// `at`; the cursor goes on in the block that is returned.
pub fn divide(c: &mut Cursor, at: Block, op: BinaryOp, a: Pair, b: Pair) -> (Block, Pair) {
    let signed = matches!(op, SDiv | SRem);
    let remainder = matches!(op, SRem | URem);
    let mut p = Pairs { c };
    if !signed {
        return unsigned(p.c, at, remainder, a, b);
    }
    let (a_sign, b_sign) = (p.sign(a), p.sign(b));
    let (x, y) = (p.negate_if(a_sign, a), p.negate_if(b_sign, b));
    let (after, result) = unsigned(p.c, at, remainder, x, y);
    // The remainder has the dividend's sign.
    let sign = if remainder { a_sign } else { p.c.binary(Xor, a_sign, b_sign) };
    (after, p.negate_if(sign, result))
}

fn jump(c: &mut Cursor, block: Block, args: &[Value]) {
    c.void(InstData::Jump { target: BlockCall::with_args(block, args) });
}

fn unsigned(c: &mut Cursor, at: Block, remainder: bool, a: Pair, b: Pair) -> (Block, Pair) {
    let [short, long, body, after] = [(); 4].map(|()| c.func.add_block());
    let result = [(); 2].map(|()| c.func.add_param(after, Type::I32));

    let high = c.binary(Or, a[1], b[1]);
    let cond = c.icmp_imm(IntCC::Eq, high, 0);
    let (then, otherwise) = (BlockCall::new(short), BlockCall::new(long));
    c.void(InstData::Brif { cond, then, otherwise });
    c.finish(at);

    let zero = c.iconst(Type::I32, 0);
    let word = c.binary(if remainder { URem } else { UDiv }, a[0], b[0]);
    jump(c, after, &[word, zero]);
    c.finish(short);

    jump(c, body, &[zero, a[0], a[1], zero, zero]);
    c.finish(long);

    step(c, body, after, remainder, b);
    (after, result)
}

/// One step: the dividend moves left into the remainder, and the quotient's bits into its place.
fn step(c: &mut Cursor, body: Block, after: Block, remainder: bool, divisor: Pair) {
    let [count, n0, n1, r0, r1] = [(); 5].map(|()| c.func.add_param(body, Type::I32));
    let one = c.iconst(Type::I32, 1);
    let zero = c.iconst(Type::I32, 0);
    let mut p = Pairs { c };
    let sign = p.c.binary_imm(LShr, n1, 31);
    // No bit is lost: before step n the remainder is below 2^n.
    let moved = p.shift(Shl, [r0, r1], [one, zero]);
    let moved = [p.c.binary(Or, moved[0], sign), moved[1]];
    let fits = p.icmp(IntCC::Uge, moved, divisor);
    let reduced = p.sub(moved, divisor);
    let rest = p.select(fits, reduced, moved);
    let quotient = p.shift(Shl, [n0, n1], [one, zero]);
    let bit = p.c.convert(ConvertOp::ZExt, fits, Type::I32);
    let quotient = [p.c.binary(Or, quotient[0], bit), quotient[1]];
    let count = p.c.binary(IAdd, count, one);
    let cond = p.c.icmp_imm(IntCC::Ult, count, 64);
    let args = [count, quotient[0], quotient[1], rest[0], rest[1]];
    let then = BlockCall::with_args(body, &args);
    let otherwise = BlockCall::with_args(after, if remainder { &rest } else { &quotient });
    c.void(InstData::Brif { cond, then, otherwise });
    c.finish(body);
}
