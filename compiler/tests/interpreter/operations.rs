//! The effect of single operations of the IR on the bits of one lane.

use half::f16;
use hekla_compiler::ir::{BinaryOp, ConvertOp, FloatCC, IntCC, MathOp, Scalar, UnaryOp};

pub fn mask(bits: u64, width: u32) -> u64 {
    if width >= 64 {
        bits
    } else {
        bits & ((1 << width) - 1)
    }
}

pub fn signed(bits: u64, width: u32) -> i64 {
    let shift = 64 - width;
    ((bits << shift) as i64) >> shift
}

fn float(bits: u64, scalar: Scalar) -> f64 {
    match scalar {
        Scalar::F16 => f16::from_bits(bits as u16).to_f64(),
        Scalar::F32 => f64::from(f32::from_bits(bits as u32)),
        _ => f64::from_bits(bits),
    }
}

/// Rounds a number to a float type. That is right for the results of single operations, since a double has more than twice the
/// digits of the narrower types.
fn float_bits(value: f64, scalar: Scalar) -> u64 {
    match scalar {
        Scalar::F16 => u64::from(f16::from_f64(value).to_bits()),
        Scalar::F32 => u64::from((value as f32).to_bits()),
        _ => value.to_bits(),
    }
}

/// Returns the bits of a float, or the bits of one certain quiet NaN if they encode any NaN.
pub fn one_nan(bits: u64, scalar: Scalar) -> u64 {
    match scalar.is_float() && float(bits, scalar).is_nan() {
        true => float_bits(f64::NAN, scalar),
        false => bits,
    }
}

pub fn unary(op: UnaryOp, a: u64, ty: Scalar) -> u64 {
    let width = ty.bits();
    match op {
        UnaryOp::INeg => mask(a.wrapping_neg(), width),
        UnaryOp::Not => mask(!a, width),
        UnaryOp::FNeg => a ^ (1 << (width - 1)),
    }
}

pub fn binary(op: BinaryOp, a: u64, b: u64, ty: Scalar) -> u64 {
    use BinaryOp::*;
    let width = ty.bits();
    let (x, y) = (signed(a, width), signed(b, width));
    if op.is_float() {
        let (x, y) = (float(a, ty), float(b, ty));
        let result = match op {
            FAdd => x + y,
            FSub => x - y,
            FMul => x * y,
            FDiv => x / y,
            FRem => x % y,
            FMin => x.min(y),
            _ => x.max(y),
        };
        return float_bits(result, ty);
    }
    let result = match op {
        IAdd => a.wrapping_add(b),
        ISub => a.wrapping_sub(b),
        IMul => a.wrapping_mul(b),
        SDiv => {
            if y == 0 {
                0
            } else {
                x.wrapping_div(y) as u64
            }
        }
        UDiv => a.checked_div(b).unwrap_or(0),
        SRem => {
            if y == 0 {
                0
            } else {
                x.wrapping_rem(y) as u64
            }
        }
        URem => a.checked_rem(b).unwrap_or(0),
        Shl | LShr | AShr => {
            assert!(b < u64::from(width), "shift amount out of range");
            match op {
                Shl => a << b,
                LShr => a >> b,
                _ => (x >> b) as u64,
            }
        }
        And => a & b,
        Or => a | b,
        Xor => a ^ b,
        SMin => x.min(y) as u64,
        SMax => x.max(y) as u64,
        UMin => a.min(b),
        UMax => a.max(b),
        SMulHi => ((i128::from(x) * i128::from(y)) >> width) as u64,
        UMulHi => ((u128::from(a) * u128::from(b)) >> width) as u64,
        _ => unreachable!(),
    };
    mask(result, width)
}

pub fn math(op: MathOp, args: &[u64], ty: Scalar) -> u64 {
    use MathOp::*;
    let width = ty.bits();
    let x = || float(args[0], ty);
    let result = match op {
        Fma => x().mul_add(float(args[1], ty), float(args[2], ty)),
        FAbs => return args[0] & !(1 << (width - 1)),
        Floor => x().floor(),
        Ceil => x().ceil(),
        Trunc => x().trunc(),
        Rint => x().round_ties_even(),
        Sqrt => x().sqrt(),
        RSqrt => 1.0 / x().sqrt(),
        Sin => x().sin(),
        Cos => x().cos(),
        Tan => x().tan(),
        Exp2 => x().exp2(),
        Log2 => x().log2(),
        Pow => x().powf(float(args[1], ty)),
        Ldexp => x() * f64::from(args[1] as i32).exp2(),
        IsNan => return u64::from(x().is_nan()),
        IsInf => return u64::from(x().is_infinite()),
        SAbs => return mask(signed(args[0], width).unsigned_abs(), width),
        Clz => return u64::from(args[0].leading_zeros() - (64 - width)),
        Ctz => return u64::from(args[0].trailing_zeros().min(width)),
        PopCount => return u64::from(args[0].count_ones()),
        BitReverse => return args[0].reverse_bits() >> (64 - width),
        SDot | UDot | SUDot => return dot(op, args),
    };
    float_bits(result, ty)
}

fn dot(op: MathOp, args: &[u64]) -> u64 {
    let number = |word: u64, i: u32, is_signed: bool| match (word >> (8 * i)) as u8 {
        byte if is_signed => i64::from(byte as i8),
        byte => i64::from(byte),
    };
    let (a_signed, b_signed) = (op != MathOp::UDot, op == MathOp::SDot);
    let products = (0..4).map(|i| number(args[0], i, a_signed) * number(args[1], i, b_signed));
    mask(products.sum::<i64>() as u64, 32)
}

pub fn compare_ints(cc: IntCC, a: u64, b: u64, ty: Scalar) -> bool {
    let (x, y) = (signed(a, ty.bits()), signed(b, ty.bits()));
    match cc {
        IntCC::Eq => a == b,
        IntCC::Ne => a != b,
        IntCC::Slt => x < y,
        IntCC::Sle => x <= y,
        IntCC::Sgt => x > y,
        IntCC::Sge => x >= y,
        IntCC::Ult => a < b,
        IntCC::Ule => a <= b,
        IntCC::Ugt => a > b,
        IntCC::Uge => a >= b,
    }
}

pub fn compare_floats(cc: FloatCC, a: u64, b: u64, ty: Scalar) -> bool {
    let (x, y) = (float(a, ty), float(b, ty));
    let unordered = x.is_nan() || y.is_nan();
    match cc {
        FloatCC::Oeq => x == y,
        FloatCC::One => !unordered && x != y,
        FloatCC::Olt => x < y,
        FloatCC::Ole => x <= y,
        FloatCC::Ogt => x > y,
        FloatCC::Oge => x >= y,
        FloatCC::Ueq => unordered || x == y,
        FloatCC::Une => x != y,
        FloatCC::Ult => unordered || x < y,
        FloatCC::Ule => unordered || x <= y,
        FloatCC::Ugt => unordered || x > y,
        FloatCC::Uge => unordered || x >= y,
        FloatCC::Ord => !unordered,
        FloatCC::Uno => unordered,
    }
}

pub fn convert(op: ConvertOp, a: u64, from: Scalar, to: Scalar) -> u64 {
    let width = to.bits();
    match op {
        ConvertOp::SExt => mask(signed(a, from.bits()) as u64, width),
        ConvertOp::FToS => mask(float(a, from) as i64 as u64, width),
        ConvertOp::FToU => mask(float(a, from) as u64, width),
        ConvertOp::SToF => match to {
            Scalar::F32 => u64::from((signed(a, from.bits()) as f32).to_bits()),
            _ => (signed(a, from.bits()) as f64).to_bits(),
        },
        ConvertOp::UToF => match to {
            Scalar::F32 => u64::from((a as f32).to_bits()),
            _ => (a as f64).to_bits(),
        },
        ConvertOp::FConvert => float_bits(float(a, from), to),
        _ => mask(a, width),
    }
}
