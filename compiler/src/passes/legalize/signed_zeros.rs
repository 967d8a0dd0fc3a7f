//! Products and sums with a constant zero, on devices whose compiler need not keep the signs of zeros (they do not have
//! SignedZeroInfNanPreserve): the compiler may replace `x * 0` by the constant, and `x + 0` and `0 - x` by `x` and `-x`.

use crate::ir::*;
use crate::passes::cursor::{replace_values, Cursor};
use crate::target::Target;

/// The kind of an operation with a constant zero. `x` is the other operand.
#[derive(Clone, Copy)]
enum Kind {
    /// `x` times a zero with these bits.
    Product(u64),
    /// `x + 0` or `x - -0`.
    Sum,
    /// `0 - x`.
    Difference,
}

/// Legalizes a function. Returns true if anything changed.
pub fn run(func: &mut Function, target: &Target) -> bool {
    let candidate = |func: &Function, inst| candidate(func, inst, target);
    if !func.layout_insts().any(|inst| candidate(func, inst).is_some()) {
        return false;
    }
    replace_values(func, |c, inst| {
        let (kind, op, args, x) = candidate(c.func, inst)?;
        let lanes = c.ty(x).lanes;
        if lanes == 1 {
            return Some(legalized(c, kind, op, args, x));
        }
        let lanes: Vec<Value> = (0..lanes)
            .map(|lane| {
                let args = args.map(|arg| c.extract(arg, lane));
                let x = c.extract(x, lane);
                legalized(c, kind, op, args, x)
            })
            .collect();
        Some(c.build(&lanes))
    })
}

/// Returns the kind of an instruction, its operation, its operands, and the operand that is not zero; `None` if the
/// instruction stays.
fn candidate(
    func: &Function,
    inst: Inst,
    target: &Target,
) -> Option<(Kind, BinaryOp, [Value; 2], Value)> {
    let InstData::Binary { op, args, flags } = func.insts[inst] else { return None };
    if !matches!(op, BinaryOp::FMul | BinaryOp::FAdd | BinaryOp::FSub)
        || flags.contains(OpFlags::FAST)
        || target.keeps_signed_zeros(func.ty(args[0]).scalar)
    {
        return None;
    }
    let zeros = args.map(|arg| zero_bits(func, arg));
    let is_left = zeros[0].is_some();
    let zero = zeros[0].or(zeros[1])?;
    let kind = match (op, zero != 0) {
        (BinaryOp::FMul, _) => Kind::Product(zero),
        (BinaryOp::FAdd, false) => Kind::Sum,
        (BinaryOp::FSub, true) if !is_left => Kind::Sum,
        (BinaryOp::FSub, false) if is_left => Kind::Difference,
        _ => return None,
    };
    Some((kind, op, args, args[usize::from(is_left)]))
}

/// Returns the bits of a constant zero, or of each lane of a constant zero vector.
fn zero_bits(func: &Function, value: Value) -> Option<u64> {
    let bits = match func.def_inst(value) {
        Some(InstData::Build { args }) => {
            let bits = func.as_const(*args.first()?)?;
            args.iter().all(|&arg| func.as_const(arg) == Some(bits)).then_some(bits)?
        }
        _ => func.as_const(value)?,
    };
    let unused = 64 - func.ty(value).scalar.bits();
    (bits << unused << 1 == 0).then_some(bits)
}

/// Inserts the legal instructions for one number. Returns the value that replaces the result.
fn legalized(c: &mut Cursor<'_>, kind: Kind, op: BinaryOp, args: [Value; 2], x: Value) -> Value {
    let ty = c.ty(x);
    let sign = i64::MIN >> (64 - ty.scalar.bits());
    let bits = c.bitcast(x, Type::of(Scalar::int(ty.scalar.bits())));
    match kind {
        Kind::Product(zero) => {
            let signed = c.binary_imm(BinaryOp::Xor, bits, zero as i64);
            let signed = c.binary_imm(BinaryOp::And, signed, sign);
            let signed = c.bitcast(signed, ty);
            let nan = c.func.float_const(ty.scalar, f64::NAN);
            let infinity = c.func.float_const(ty.scalar, f64::INFINITY);
            let infinity = c.func.as_const(infinity).unwrap_or_default();
            let magnitude = c.binary_imm(BinaryOp::And, bits, !sign);
            let is_finite = c.icmp_imm(IntCC::Ult, magnitude, infinity as i64);
            c.select(is_finite, signed, nan)
        }
        Kind::Sum | Kind::Difference => {
            let result = c.binary_alone(op, args[0], args[1]);
            let cancelled = if matches!(kind, Kind::Sum) { sign } else { 0 };
            let cancels = c.icmp_imm(IntCC::Eq, bits, cancelled);
            let zero = c.func.constant(ty, 0);
            c.select(cancels, zero, result)
        }
    }
}
