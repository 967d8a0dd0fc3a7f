//! Integer operations that SPIR-V does not have for every width, or leaves undefined for some operands.
//!
//! - Signed division: the smallest integer divided by -1 traps in CPU drivers, so the divisor is replaced by 1 (this gives the
//!   right quotient, and the right remainder 0), unless the device has quiet divisions.
//! - Signed remainder: Vulkan leaves OpSRem undefined for negative operands, so it is computed from the quotient.
//! - High halves of products: SPIR-V has them for 32 bits. Narrower ones come from a product of 32 bits, and 64-bit ones from
//!   four products of halves, since drivers rarely have the instruction; in a chain of sums where a device adds to a product.
//! - Counting and reversing bits: SPIR-V has both for 32 bits.
//! - Dot products become arithmetic on the bytes of the words, if the device has none.

use crate::ir::*;
use crate::passes::cursor::{rewrite_insts, Cursor};
use crate::target::Target;
use hekla_device::Quirks;

/// Legalizes a function. Returns true if anything changed.
pub fn run(func: &mut Function, target: &Target) -> bool {
    rewrite_insts(func, |c, inst| legalized(c, inst, target))
}

/// Returns the instruction that replaces an instruction. Inserts the instructions that it needs before.
fn legalized(c: &mut Cursor<'_>, inst: Inst, target: &Target) -> Option<InstData> {
    let ty = c.ty(c.func.result(inst)?);
    // On devices without 64-bit integers, `int64` divides and multiplies word by word.
    let is_native = ty.scalar != Scalar::I64 || target.int64;
    match c.func.insts[inst] {
        InstData::Binary { op, args: [a, b], .. } if ty.lanes == 1 && is_native => match op {
            BinaryOp::SDiv => {
                let divisor = guarded(c, a, b, target)?;
                Some(binary(BinaryOp::SDiv, a, divisor))
            }
            BinaryOp::SRem => {
                let divisor = guarded(c, a, b, target).unwrap_or(b);
                let quotient = c.binary(BinaryOp::SDiv, a, divisor);
                let product = c.binary(BinaryOp::IMul, quotient, divisor);
                Some(binary(BinaryOp::ISub, a, product))
            }
            BinaryOp::SMulHi | BinaryOp::UMulHi => {
                high_product(c, op == BinaryOp::SMulHi, a, b, target)
            }
            _ => None,
        },
        InstData::Math { op, ref args, .. } if ty.lanes == 1 => {
            let arg = *args.first()?;
            match op {
                MathOp::Clz | MathOp::Ctz | MathOp::PopCount | MathOp::BitReverse => {
                    bit_operation(c, op, arg)
                }
                _ if target.integer_dot_product => None,
                _ => {
                    let operands = [arg, *args.get(1)?];
                    Some(dot_product(c, op.signs_of_dot()?, operands))
                }
            }
        }
        _ => None,
    }
}

/// Inserts the instructions of a dot product, and returns the last sum.
fn dot_product(c: &mut Cursor<'_>, signs: [bool; 2], [a, b]: [Value; 2]) -> InstData {
    let mut products = [0, 8, 16, 24].map(|shift| {
        let [x, y] = [(a, signs[0]), (b, signs[1])]
            .map(|(word, signed)| number_in_word(c, word, shift, signed));
        c.binary(BinaryOp::IMul, x, y)
    });
    for (into, from) in [(0, 1), (2, 3)] {
        products[into] = c.binary(BinaryOp::IAdd, products[into], products[from]);
    }
    binary(BinaryOp::IAdd, products[0], products[2])
}

/// Returns the 8-bit number that begins at bit `first` of a word.
fn number_in_word(c: &mut Cursor<'_>, word: Value, first: i64, signed: bool) -> Value {
    let up = c.binary_imm(BinaryOp::Shl, word, 24 - first);
    c.binary_imm(if signed { BinaryOp::AShr } else { BinaryOp::LShr }, up, 24)
}

fn binary(op: BinaryOp, a: Value, b: Value) -> InstData {
    InstData::Binary { op, args: [a, b], flags: OpFlags::empty() }
}

/// Returns a divisor by which `a` can be divided without overflow; `None` if `b` is one.
fn guarded(c: &mut Cursor<'_>, a: Value, b: Value, target: &Target) -> Option<Value> {
    let ty = c.ty(a);
    let bits = ty.scalar.bits();
    // Integers that the device does not have are divided in 32 bits, in which the quotient fits.
    let is_widened = match bits {
        8 => !target.int8,
        16 => !target.int16,
        _ => false,
    };
    let is_not_minus_one = c.func.as_const(b).is_some_and(|b| b != u64::MAX >> (64 - bits));
    if is_widened || is_not_minus_one || target.has(Quirks::QUIET_DIVISIONS) {
        return None;
    }
    let smallest = c.icmp_imm(IntCC::Eq, a, i64::MIN >> (64 - bits));
    let by_minus_one = c.icmp_imm(IntCC::Eq, b, -1);
    let overflows = c.binary(BinaryOp::And, smallest, by_minus_one);
    let one = c.iconst(ty, 1);
    Some(c.select(overflows, one, b))
}

/// Returns the high half of a product; `None` if the device has the instruction.
fn high_product(
    c: &mut Cursor<'_>,
    signed: bool,
    a: Value,
    b: Value,
    target: &Target,
) -> Option<InstData> {
    let ty = c.ty(a);
    match ty.scalar.bits() {
        32 => None,
        64 => Some(high_product_64(c, signed, a, b, target.has(Quirks::SUMMED_PRODUCTS))),
        bits => {
            let a = c.resize(a, Type::I32, signed);
            let b = c.resize(b, Type::I32, signed);
            let product = c.binary(BinaryOp::IMul, a, b);
            let high = c.binary_imm(BinaryOp::LShr, product, i64::from(bits));
            Some(InstData::Convert { op: ConvertOp::Trunc, arg: high })
        }
    }
}

/// Adds up four products of 32-bit halves. A negative operand counts as 2^64 more than its value, so the other operand
/// is subtracted from the high half.
fn high_product_64(
    c: &mut Cursor<'_>,
    signed: bool,
    a: Value,
    b: Value,
    chained: bool,
) -> InstData {
    use BinaryOp::*;
    let (mut result, middle) = if chained { chained_sums(c, a, b) } else { four_products(c, a, b) };
    if signed {
        for (sign_of, other) in [(a, b), (b, a)] {
            let sign = c.binary_imm(AShr, sign_of, 63);
            let part = c.binary(And, other, sign);
            result = c.binary(ISub, result, part);
        }
    }
    let carried = c.binary_imm(LShr, middle, 32);
    binary(IAdd, result, carried)
}

/// Returns two numbers: the one and the high word of the other add up to the high half of an unsigned product. No sum of a
/// product of words and another word overflows, so a sum needs no more than one instruction where a device adds to products.
fn chained_sums(c: &mut Cursor<'_>, a: Value, b: Value) -> (Value, Value) {
    use BinaryOp::*;
    let word = |c: &mut Cursor<'_>, x| c.convert(ConvertOp::Trunc, x, Type::I32);
    let wide = |c: &mut Cursor<'_>, x| c.convert(ConvertOp::ZExt, x, Type::I64);
    let upper = |c: &mut Cursor<'_>, x| c.binary_imm(LShr, x, 32);
    let words = |c: &mut Cursor<'_>, x| {
        let high = upper(c, x);
        [word(c, x), word(c, high)]
    };
    let ([a_lo, a_hi], [b_lo, b_hi]) = (words(c, a), words(c, b));
    let product = |c: &mut Cursor<'_>, x, y| {
        let (x, y) = (wide(c, x), wide(c, y));
        c.binary(IMul, x, y)
    };
    let carried = c.binary(UMulHi, a_lo, b_lo);
    let carried = wide(c, carried);
    let first = product(c, a_hi, b_lo);
    let first = c.binary(IAdd, first, carried);
    let low = word(c, first);
    let low = wide(c, low);
    let second = product(c, a_lo, b_hi);
    let second = c.binary(IAdd, second, low);
    let last = product(c, a_hi, b_hi);
    let first = upper(c, first);
    (c.binary(IAdd, last, first), second)
}

/// Returns two numbers: the one and the high word of the other add up to the high half of an unsigned product.
fn four_products(c: &mut Cursor<'_>, a: Value, b: Value) -> (Value, Value) {
    use BinaryOp::*;
    let low = |c: &mut Cursor<'_>, x| c.binary_imm(And, x, 0xffff_ffff);
    let high = |c: &mut Cursor<'_>, x| c.binary_imm(LShr, x, 32);
    let (a_lo, a_hi) = (low(c, a), high(c, a));
    let (b_lo, b_hi) = (low(c, b), high(c, b));
    let lo_lo = c.binary(IMul, a_lo, b_lo);
    let lo_hi = c.binary(IMul, a_lo, b_hi);
    let hi_lo = c.binary(IMul, a_hi, b_lo);
    let hi_hi = c.binary(IMul, a_hi, b_hi);
    let mut middle = high(c, lo_lo);
    for product in [lo_hi, hi_lo] {
        let part = low(c, product);
        middle = c.binary(IAdd, middle, part);
    }
    let mut result = hi_hi;
    for product in [lo_hi, hi_lo] {
        let part = high(c, product);
        result = c.binary(IAdd, result, part);
    }
    (result, middle)
}

/// Returns a count or reversal of bits in terms of the 32-bit operation; `None` if the operand has 32 bits.
fn bit_operation(c: &mut Cursor<'_>, op: MathOp, arg: Value) -> Option<InstData> {
    match c.ty(arg).scalar.bits() {
        32 => None,
        64 => Some(bit_operation_64(c, op, arg)),
        bits => Some(narrow_bit_operation(c, op, arg, i64::from(bits))),
    }
}

fn narrow_bit_operation(c: &mut Cursor<'_>, op: MathOp, arg: Value, bits: i64) -> InstData {
    let wide = c.resize(arg, Type::I32, false);
    let result = match op {
        MathOp::Ctz => {
            // A bit above the top bit ends the search.
            let stopped = c.binary_imm(BinaryOp::Or, wide, 1 << bits);
            c.math(op, &[stopped])
        }
        MathOp::Clz => {
            let zeros = c.math(op, &[wide]);
            c.binary_imm(BinaryOp::ISub, zeros, 32 - bits)
        }
        MathOp::BitReverse => {
            let reversed = c.math(op, &[wide]);
            c.binary_imm(BinaryOp::LShr, reversed, 32 - bits)
        }
        _ => c.math(op, &[wide]),
    };
    InstData::Convert { op: ConvertOp::Trunc, arg: result }
}

fn bit_operation_64(c: &mut Cursor<'_>, op: MathOp, arg: Value) -> InstData {
    let (lo, hi) = c.words_of(arg);
    let count = match op {
        MathOp::Clz => count_zeros_64(c, op, hi, lo),
        MathOp::Ctz => count_zeros_64(c, op, lo, hi),
        _ => {
            let (lo, hi) = (c.math(op, &[lo]), c.math(op, &[hi]));
            if op == MathOp::BitReverse {
                let swapped = c.build(&[hi, lo]);
                return InstData::Convert { op: ConvertOp::Bitcast, arg: swapped };
            }
            c.binary(BinaryOp::IAdd, lo, hi)
        }
    };
    InstData::Convert { op: ConvertOp::ZExt, arg: count }
}

/// Counts zeros from one end: the zeros of the near word or, if it is 0, all of its bits and the zeros of the far word.
pub fn count_zeros_64(c: &mut Cursor<'_>, op: MathOp, near: Value, far: Value) -> Value {
    let near_zeros = c.math(op, &[near]);
    let far_zeros = c.math(op, &[far]);
    let far_zeros = c.binary_imm(BinaryOp::IAdd, far_zeros, 32);
    let ends_near = c.icmp_imm(IntCC::Ne, near, 0);
    c.select(ends_near, near_zeros, far_zeros)
}
