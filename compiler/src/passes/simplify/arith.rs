//! Rules of arithmetic, comparison and selection.

use super::Simplified;
use crate::analysis::known_bits::KnownBits;
use crate::ir::fold;
use crate::ir::*;
use crate::passes::cursor::Cursor;
use Simplified::{Become, Keep};

fn value(v: Value) -> Simplified {
    Simplified::Value(v)
}

fn constant(c: &mut Cursor, ty: Type, bits: u64) -> Simplified {
    Simplified::Value(c.func.constant(ty, bits))
}

/// Returns the operation, operands and flags of a binary instruction.
fn as_binary(c: &Cursor, v: Value) -> Option<(BinaryOp, [Value; 2], OpFlags)> {
    match c.func.def_inst(v)? {
        InstData::Binary { op, args, flags } => Some((*op, *args, *flags)),
        _ => None,
    }
}

/// Returns the operand of a unary instruction with operation `op`.
fn as_unary(c: &Cursor, op: UnaryOp, v: Value) -> Option<Value> {
    match c.func.def_inst(v)? {
        InstData::Unary { op: found, arg, .. } if *found == op => Some(*arg),
        _ => None,
    }
}

pub fn unary(c: &mut Cursor, op: UnaryOp, arg: Value, ty: Type) -> Simplified {
    if let Some(inner) = as_unary(c, op, arg) {
        return value(inner);
    }
    // The negation of a comparison is the opposite comparison.
    if op == UnaryOp::Not && ty.scalar == Scalar::Bool {
        match c.func.def_inst(arg) {
            Some(&InstData::ICmp { cc, args }) => {
                return Become(InstData::ICmp { cc: cc.inverted(), args })
            }
            Some(&InstData::FCmp { cc, args, flags }) => {
                return Become(InstData::FCmp { cc: float_inverse(cc), args, flags })
            }
            _ => {}
        }
    }
    if let (UnaryOp::INeg, Some((BinaryOp::ISub, [a, b], flags))) = (op, as_binary(c, arg)) {
        return Become(InstData::Binary { op: BinaryOp::ISub, args: [b, a], flags });
    }
    Keep
}

pub fn binary(
    c: &mut Cursor,
    op: BinaryOp,
    [a, b]: [Value; 2],
    flags: OpFlags,
    ty: Type,
) -> Simplified {
    use BinaryOp::*;
    let (x, y) = (c.func.as_const(a), c.func.as_const(b));
    if x.is_some() && y.is_some() {
        return Keep;
    }
    if x.is_some() && op.is_commutative() {
        return Become(InstData::Binary { op, args: [b, a], flags });
    }
    if op.is_float() {
        return float_binary(c, op, [a, b], flags, ty);
    }
    if a == b {
        if let Some(outcome) = same_operands(c, op, a, ty) {
            return outcome;
        }
    }
    if let (UDiv | URem | SDiv | SRem, Type::I64) = (op, ty) {
        if let Some(narrow) = narrow_division(c, op, [a, b]) {
            return narrow;
        }
    }
    if let Some(x) = x {
        return int_left_constant(c, op, x, a, b, ty);
    }
    match y {
        Some(y) => int_right_constant(c, op, [a, b], y, flags, ty),
        None => int_variables(c, op, a, b, ty),
    }
}

fn same_operands(c: &mut Cursor, op: BinaryOp, a: Value, ty: Type) -> Option<Simplified> {
    use BinaryOp::*;
    match op {
        And | Or | SMin | SMax | UMin | UMax => Some(value(a)),
        ISub | Xor if ty.lanes == 1 => Some(constant(c, ty, 0)),
        _ => None,
    }
}

fn int_left_constant(
    c: &mut Cursor,
    op: BinaryOp,
    x: u64,
    a: Value,
    b: Value,
    ty: Type,
) -> Simplified {
    use BinaryOp::*;
    match (op, x) {
        (Shl | LShr | AShr | UDiv | URem | SDiv | SRem, 0) => value(a),
        (ISub, 0) => Become(InstData::Unary { op: UnaryOp::INeg, arg: b, flags: c.flags }),
        // c1 - (x + c2) = (c1 - c2) - x
        (ISub, x) => match as_binary(c, b) {
            Some((IAdd, [inner, k], flags)) => match c.func.as_const(k) {
                Some(k) => {
                    let left = c.func.constant(ty, x.wrapping_sub(k));
                    Become(InstData::Binary { op: ISub, args: [left, inner], flags })
                }
                None => Keep,
            },
            _ => Keep,
        },
        _ => Keep,
    }
}

fn int_right_constant(
    c: &mut Cursor,
    op: BinaryOp,
    [a, b]: [Value; 2],
    y: u64,
    flags: OpFlags,
    ty: Type,
) -> Simplified {
    use BinaryOp::*;
    let bits = ty.scalar.bits();
    let ones = fold::mask(bits, u64::MAX);
    let become_op = |c: &mut Cursor, op: BinaryOp, k: u64| {
        let k = c.func.constant(ty, k);
        Become(InstData::Binary { op, args: [a, k], flags: OpFlags::empty() })
    };
    let power = y.is_power_of_two().then(|| u64::from(y.trailing_zeros()));
    match (op, y, power) {
        (IAdd | ISub | Or | Xor | Shl | LShr | AShr | UMax, 0, _) => return value(a),
        (IMul | And | UMulHi | UMin, 0, _) => return value(b),
        (IMul | UDiv | SDiv, 1, _) => return value(a),
        (URem | SRem | UMulHi, 1, _) => return constant(c, ty, 0),
        (And | UMin, y, _) if y == ones => return value(a),
        (Or | UMax, y, _) if y == ones => return value(b),
        (Xor, 1, _) if ty.scalar == Scalar::Bool => {
            return Become(InstData::Unary { op: UnaryOp::Not, arg: a, flags: OpFlags::empty() })
        }
        (ISub, y, _) => {
            let smallest = 1 << (bits - 1);
            let flags = if y == smallest { OpFlags::empty() } else { exact(flags) };
            let k = c.func.constant(ty, y.wrapping_neg());
            return Become(InstData::Binary { op: IAdd, args: [a, k], flags });
        }
        (IMul, y, _) if y == ones => {
            return Become(InstData::Unary { op: UnaryOp::INeg, arg: a, flags: OpFlags::empty() })
        }
        (IMul, _, Some(k)) => {
            let flags = if k + 1 < bits.into() { exact(flags) } else { OpFlags::empty() };
            let k = c.func.constant(ty, k);
            return Become(InstData::Binary { op: Shl, args: [a, k], flags });
        }
        (UDiv, _, Some(k)) => return become_op(c, LShr, k),
        (URem, y, Some(_)) => return become_op(c, And, y - 1),
        _ => {}
    }
    merge_constants(c, op, a, y, flags, ty)
}

/// Returns the flags that concern overflow.
fn exact(flags: OpFlags) -> OpFlags {
    flags & OpFlags::NO_SIGNED_WRAP
}

/// Simplifies (x op c1) op c2 to one operation with both constants.
fn merge_constants(
    c: &mut Cursor,
    op: BinaryOp,
    a: Value,
    y: u64,
    flags: OpFlags,
    ty: Type,
) -> Simplified {
    use BinaryOp::*;
    let bits = ty.scalar.bits();
    let become_op = |c: &mut Cursor, op: BinaryOp, arg: Value, k: u64| {
        let k = c.func.constant(ty, k);
        Become(InstData::Binary { op, args: [arg, k], flags: OpFlags::empty() })
    };
    if let (Shl, Some(&InstData::Convert { op: ConvertOp::SExt, arg })) = (op, c.func.def_inst(a)) {
        // A multiple that does not overflow is extended as what it is a multiple of.
        let Some((Shl, [x, k], inner_flags)) = as_binary(c, arg) else { return Keep };
        let k = c.func.as_const(k).filter(|_| !exact(inner_flags).is_empty());
        let Some(k) = k.filter(|k| k + y < u64::from(bits)) else { return Keep };
        let (x, k) = (c.convert(ConvertOp::SExt, x, ty), c.func.constant(ty, k + y));
        return Become(InstData::Binary { op, args: [x, k], flags: exact(flags) });
    }
    let Some((inner_op, [x, k], inner_flags)) = as_binary(c, a) else { return Keep };
    if let (IAdd, ISub, Some(k)) = (op, inner_op, c.func.as_const(x)) {
        // (c1 - x) + c2
        let left = c.func.constant(ty, k.wrapping_add(y));
        let args = [left, self_operand(c, a, 1)];
        return Become(InstData::Binary { op: ISub, args, flags: OpFlags::empty() });
    }
    let Some(k) = c.func.as_const(k) else { return Keep };
    // If both products with a constant are exact, so is the product with the product of the constants.
    let product = |c: &mut Cursor, op: BinaryOp, k: u64| {
        let k = c.func.constant(ty, k);
        Become(InstData::Binary { op, args: [x, k], flags: exact(flags & inner_flags) })
    };
    match (op, inner_op) {
        (IAdd, IAdd) => {
            let (k, y) = (fold::signed(bits, k), fold::signed(bits, y));
            let sum = k.wrapping_add(y);
            let is_exact = fold::signed(bits, sum as u64) == sum && k.checked_add(y).is_some();
            let flags = if is_exact { exact(flags & inner_flags) } else { OpFlags::empty() };
            let k = c.func.constant(ty, sum as u64);
            Become(InstData::Binary { op, args: [x, k], flags })
        }
        (IMul, IMul) => product(c, IMul, k.wrapping_mul(y)),
        (Shl, Shl) if k + y + 1 < u64::from(bits) => product(c, Shl, k + y),
        (IAdd | And | Or | Xor | UMin | UMax | SMin | SMax, _) if op == inner_op => {
            match fold::binary(op, ty.scalar, k, y) {
                Some(k) => become_op(c, op, x, k),
                None => Keep,
            }
        }
        (Shl | LShr, _) if op == inner_op => {
            if k + y < u64::from(bits) {
                become_op(c, op, x, k + y)
            } else {
                constant(c, ty, 0)
            }
        }
        (AShr, AShr) => become_op(c, AShr, x, (k + y).min(u64::from(bits - 1))),
        // (x << k) >> k keeps the low bits; (x >> k) << k the high ones.
        (LShr, Shl) if k == y => become_op(c, And, x, fold::mask(bits, u64::MAX) >> k),
        (Shl, LShr | AShr) if k == y => become_op(c, And, x, u64::MAX << k),
        (IMul, Shl) => product(c, IMul, y.wrapping_shl(k as u32)),
        (Shl, IMul) if is_scale(fold::signed(bits, k)) => {
            product(c, IMul, k.wrapping_shl(y as u32))
        }
        _ => Keep,
    }
}

/// Returns true for factors as those of indices. The products of hash functions have larger ones, and other uses, too: their
/// rotation is two shifts of one product.
fn is_scale(factor: i64) -> bool {
    factor.unsigned_abs() < 1 << 16
}

/// Returns operand `index` of the binary instruction that defines `v`; `v` itself if no such instruction does.
fn self_operand(c: &Cursor, v: Value, index: usize) -> Value {
    as_binary(c, v).map_or(v, |(_, args, _)| args[index])
}

/// Returns a division or remainder of 64-bit integers computed in 32 bits. Both operands are known to fit in 32 bits,
/// so neither is negative.
fn narrow_division(c: &mut Cursor, op: BinaryOp, operands: [Value; 2]) -> Option<Simplified> {
    let known = KnownBits::new(c.func, None);
    if operands.iter().any(|&value| known.max(value) > u64::from(u32::MAX)) {
        return None;
    }
    let [a, b] = operands.map(|value| c.convert(ConvertOp::Trunc, value, Type::I32));
    let narrow = c.binary(op.unsigned(), a, b);
    Some(Become(InstData::Convert { op: ConvertOp::ZExt, arg: narrow }))
}

fn int_variables(c: &mut Cursor, op: BinaryOp, a: Value, b: Value, ty: Type) -> Simplified {
    use BinaryOp::*;
    let none = OpFlags::empty();
    match op {
        IAdd => {
            // a + (-b) = a - b, and the like.
            if let Some(b) = as_unary(c, UnaryOp::INeg, b) {
                return Become(InstData::Binary { op: ISub, args: [a, b], flags: none });
            }
            if let Some(a) = as_unary(c, UnaryOp::INeg, a) {
                return Become(InstData::Binary { op: ISub, args: [b, a], flags: none });
            }
            // (x - b) + b
            match (as_binary(c, a), as_binary(c, b)) {
                (Some((ISub, [x, y], _)), _) if y == b => value(x),
                (_, Some((ISub, [x, y], _))) if y == a => value(x),
                _ => Keep,
            }
        }
        ISub => {
            if let Some(b) = as_unary(c, UnaryOp::INeg, b) {
                return Become(InstData::Binary { op: IAdd, args: [a, b], flags: none });
            }
            match (as_binary(c, a), as_binary(c, b)) {
                (Some((IAdd, [x, y], _)), _) if y == b => value(x),
                (Some((IAdd, [x, y], _)), _) if x == b => value(y),
                (_, Some((ISub, [x, y], _))) if x == a => value(y),
                _ => Keep,
            }
        }
        And | Or => {
            // x and not x.
            let inverse =
                as_unary(c, UnaryOp::Not, a) == Some(b) || as_unary(c, UnaryOp::Not, b) == Some(a);
            match (inverse && ty.lanes == 1, op) {
                (true, And) => constant(c, ty, 0),
                (true, _) => constant(c, ty, u64::MAX),
                _ => of_conditions(c, op, [a, b]),
            }
        }
        Xor => of_conditions(c, op, [a, b]),
        _ => Keep,
    }
}

/// Simplifies a bitwise operation on two booleans that were both zero-extended, or both sign-extended: extends the operation
/// on booleans.
fn of_conditions(c: &mut Cursor, op: BinaryOp, args: [Value; 2]) -> Simplified {
    let condition = |value| match c.func.def_inst(value) {
        Some(&InstData::Convert { op: op @ (ConvertOp::ZExt | ConvertOp::SExt), arg })
            if c.ty(arg).scalar == Scalar::Bool =>
        {
            Some((op, arg))
        }
        _ => None,
    };
    match args.map(condition) {
        [Some((extend, p)), Some((other, q))] if extend == other => {
            let both = c.binary(op, p, q);
            Become(InstData::Convert { op: extend, arg: both })
        }
        _ => Keep,
    }
}

fn float_binary(
    c: &mut Cursor,
    op: BinaryOp,
    [a, b]: [Value; 2],
    flags: OpFlags,
    ty: Type,
) -> Simplified {
    use BinaryOp::*;
    let fast = flags.contains(OpFlags::FAST);
    let sign = 1u64 << (ty.scalar.bits() - 1);
    let one = fold::float_bits(ty.scalar, 1.0);
    let negate = |arg: Value| Become(InstData::Unary { op: UnaryOp::FNeg, arg, flags });
    if let Some(x) = c.func.as_const(a) {
        if op == FSub && (x == sign || fast && x == 0) {
            return negate(b);
        }
        return Keep;
    }
    if let Some(y) = c.func.as_const(b) {
        let minus_one = one | sign;
        return match op {
            FAdd if y == sign || fast && y == 0 => value(a),
            FSub if y == 0 || fast && y == sign => value(a),
            FMul | FDiv if y == one => value(a),
            FMul | FDiv if y == minus_one => negate(a),
            FMul if fast && y & !sign == 0 => value(b),
            FDiv => match exact_reciprocal(ty.scalar, y) {
                Some(reciprocal) => {
                    let k = c.func.constant(ty, reciprocal);
                    Become(InstData::Binary { op: FMul, args: [a, k], flags })
                }
                None => Keep,
            },
            _ => Keep,
        };
    }
    match op {
        FMin | FMax if a == b => value(a),
        FSub if fast && a == b && ty.lanes == 1 => constant(c, ty, 0),
        // Signs move from the operand to the operation: a + -b = a - b, a - -b = a + b.
        FAdd => match as_unary(c, UnaryOp::FNeg, b) {
            Some(b) => Become(InstData::Binary { op: FSub, args: [a, b], flags }),
            None => Keep,
        },
        FSub => match as_unary(c, UnaryOp::FNeg, b) {
            Some(b) => Become(InstData::Binary { op: FAdd, args: [a, b], flags }),
            None => Keep,
        },
        FMul => match (as_unary(c, UnaryOp::FNeg, a), as_unary(c, UnaryOp::FNeg, b)) {
            (Some(a), Some(b)) => Become(InstData::Binary { op: FMul, args: [a, b], flags }),
            _ => Keep,
        },
        _ => Keep,
    }
}

/// Returns 1/y if y is a power of two whose reciprocal is normal.
fn exact_reciprocal(scalar: Scalar, bits: u64) -> Option<u64> {
    let y = fold::float(scalar, bits);
    let mantissa_zero = y.is_normal() && y.to_bits() << 12 == 0;
    let reciprocal = 1.0 / y;
    let limit = match scalar {
        Scalar::F16 => 14,
        Scalar::F32 => 126,
        _ => 1022,
    };
    let power = f64::from_bits((1023 + limit) << 52);
    let in_range = reciprocal.abs() <= power && reciprocal.abs() >= 1.0 / power;
    (mantissa_zero && in_range).then(|| fold::float_bits(scalar, reciprocal))
}

pub fn math(c: &mut Cursor, op: MathOp, args: &[Value]) -> Simplified {
    if let (MathOp::Fma, &[a, b, addend]) = (op, args) {
        return fma(c, [a, b], addend);
    }
    if op == MathOp::FAbs {
        match c.func.def_inst(args[0]) {
            Some(InstData::Math { op: MathOp::FAbs, .. }) => return value(args[0]),
            Some(&InstData::Unary { op: UnaryOp::FNeg, arg, flags }) => {
                return Become(InstData::Math { op, args: [arg].as_slice().into(), flags })
            }
            _ => {}
        }
    }
    Keep
}

/// Simplifies a fused product and sum: to a sum if the product is one by 1 or -1, or a constant that is exact.
fn fma(c: &mut Cursor, factors: [Value; 2], addend: Value) -> Simplified {
    let ty = c.ty(addend);
    if ty.lanes != 1 {
        return Keep;
    }
    let one = fold::float_bits(ty.scalar, 1.0);
    let minus_one = one | 1 << (ty.scalar.bits() - 1);
    let sum = |op, args| Become(InstData::Binary { op, args, flags: OpFlags::NO_CONTRACT });
    let constants = factors.map(|factor| c.func.as_const(factor));
    if let ([Some(a), Some(b)], Scalar::F32) = (constants, ty.scalar) {
        let [a, b] = [a, b].map(|bits| f64::from(f32::from_bits(bits as u32)));
        // The product of two numbers of 24 bits is exact in double.
        let product = (a * b) as f32;
        if product.is_normal() && f64::from(product) == a * b {
            let product = c.func.constant(ty, product.to_bits().into());
            return sum(BinaryOp::FAdd, [addend, product]);
        }
    }
    for (constant, other) in [(constants[0], factors[1]), (constants[1], factors[0])] {
        if constant == Some(one) {
            return sum(BinaryOp::FAdd, [other, addend]);
        }
        if constant == Some(minus_one) {
            return sum(BinaryOp::FSub, [addend, other]);
        }
    }
    Keep
}

fn float_inverse(cc: FloatCC) -> FloatCC {
    use FloatCC::*;
    match cc {
        Oeq => Une,
        Une => Oeq,
        One => Ueq,
        Ueq => One,
        Olt => Uge,
        Uge => Olt,
        Ole => Ugt,
        Ugt => Ole,
        Ogt => Ule,
        Ule => Ogt,
        Oge => Ult,
        Ult => Oge,
        Ord => Uno,
        Uno => Ord,
    }
}

pub fn icmp(c: &mut Cursor, cc: IntCC, [a, b]: [Value; 2], ty: Type) -> Simplified {
    let (x, y) = (c.func.as_const(a), c.func.as_const(b));
    let scalar = c.ty(a).scalar;
    let bits = scalar.bits();
    if a == b && ty.lanes == 1 {
        return constant(c, ty, u64::from(fold::icmp(cc, bits, 0, 0)));
    }
    if x.is_some() {
        return Become(InstData::ICmp { cc: cc.swapped(), args: [b, a] });
    }
    let Some(y) = y else { return Keep };
    match (cc, y) {
        (IntCC::Ult, 0) => return constant(c, ty, 0),
        (IntCC::Uge, 0) => return constant(c, ty, 1),
        // An unsigned number is above zero unless it is zero.
        (IntCC::Ugt, 0) => return Become(InstData::ICmp { cc: IntCC::Ne, args: [a, b] }),
        (IntCC::Ule, 0) | (IntCC::Ult, 1) => {
            let zero = c.func.constant(c.func.ty(a), 0);
            return Become(InstData::ICmp { cc: IntCC::Eq, args: [a, zero] });
        }
        _ => {}
    }
    if scalar == Scalar::Bool {
        let invert = match (cc, y) {
            (IntCC::Ne, 0) | (IntCC::Eq, 1) => false,
            (IntCC::Eq, 0) | (IntCC::Ne, 1) => true,
            _ => return Keep,
        };
        return bool_or_not(a, invert);
    }
    icmp_of(c, cc, a, y, ty)
}

fn bool_or_not(a: Value, invert: bool) -> Simplified {
    if invert {
        Become(InstData::Unary { op: UnaryOp::Not, arg: a, flags: OpFlags::empty() })
    } else {
        value(a)
    }
}

/// Simplifies the comparison of an instruction's result with a constant.
fn icmp_of(c: &mut Cursor, cc: IntCC, a: Value, y: u64, ty: Type) -> Simplified {
    let bits = c.ty(a).scalar.bits();
    let equality = matches!(cc, IntCC::Eq | IntCC::Ne);
    match c.func.def_inst(a) {
        // The operand is extended: compare before the extension, if the constant fits in the narrower type.
        Some(&InstData::Convert { op: op @ (ConvertOp::ZExt | ConvertOp::SExt), arg }) => {
            let from = c.ty(arg);
            let narrow = fold::mask(from.scalar.bits(), y);
            let wide = fold::convert(op, from.scalar, c.ty(a).scalar, narrow);
            if wide != Some(y) {
                return if equality { constant(c, ty, u64::from(cc == IntCC::Ne)) } else { Keep };
            }
            let signed = matches!(cc, IntCC::Slt | IntCC::Sle | IntCC::Sgt | IntCC::Sge);
            if !equality && (signed != (op == ConvertOp::SExt) || from.scalar == Scalar::Bool) {
                return Keep;
            }
            let k = c.func.constant(from, narrow);
            Become(InstData::ICmp { cc, args: [arg, k] })
        }
        // The operand is a selection between constants: the comparison is the condition, or its negation.
        Some(&InstData::Select { args: [cond, then, otherwise] }) if c.ty(cond) == Type::BOOL => {
            let (Some(p), Some(q)) = (c.func.as_const(then), c.func.as_const(otherwise)) else {
                return Keep;
            };
            match (fold::icmp(cc, bits, p, y), fold::icmp(cc, bits, q, y)) {
                (true, false) => value(cond),
                (false, true) => bool_or_not(cond, true),
                (same, _) => constant(c, ty, u64::from(same)),
            }
        }
        // The operand is a sum: move the constant to the other side.
        Some(&InstData::Binary { op: BinaryOp::IAdd, args: [x, k], .. }) if equality => {
            match c.func.as_const(k) {
                Some(k) => {
                    let k = c.func.constant(c.func.ty(x), y.wrapping_sub(k));
                    Become(InstData::ICmp { cc, args: [x, k] })
                }
                None => Keep,
            }
        }
        Some(&InstData::Binary { op: BinaryOp::ISub | BinaryOp::Xor, args, .. })
            if equality && y == 0 =>
        {
            Become(InstData::ICmp { cc, args })
        }
        _ => Keep,
    }
}

pub fn fcmp(cc: FloatCC, [a, b]: [Value; 2], flags: OpFlags) -> Simplified {
    // x == x tests whether x is a number.
    let asks = match cc {
        FloatCC::Oeq => FloatCC::Ord,
        FloatCC::Une => FloatCC::Uno,
        _ => return Keep,
    };
    if a == b {
        return Become(InstData::FCmp { cc: asks, args: [a, b], flags });
    }
    Keep
}

pub fn select(c: &mut Cursor, [cond, then, otherwise]: [Value; 3], ty: Type) -> Simplified {
    if then == otherwise {
        return value(then);
    }
    match c.func.as_const(cond) {
        Some(0) => return value(otherwise),
        Some(_) => return value(then),
        None => {}
    }
    if c.func.is_arbitrary(then) || c.func.is_undef(cond) {
        return value(otherwise);
    }
    if c.func.is_arbitrary(otherwise) {
        return value(then);
    }
    if let Some(inner) = as_unary(c, UnaryOp::Not, cond) {
        return Become(InstData::Select { args: [inner, otherwise, then] });
    }
    if ty != Type::BOOL {
        return Keep;
    }
    let flags = OpFlags::empty();
    match (c.func.as_const(then), c.func.as_const(otherwise)) {
        (Some(p), Some(_)) => bool_or_not(cond, p == 0),
        (None, Some(0)) => {
            Become(InstData::Binary { op: BinaryOp::And, args: [cond, then], flags })
        }
        (Some(1), None) => {
            Become(InstData::Binary { op: BinaryOp::Or, args: [cond, otherwise], flags })
        }
        _ => Keep,
    }
}
