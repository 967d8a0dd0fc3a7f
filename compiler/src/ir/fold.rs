//! Constant folding: the value of each operation on scalar constants, exactly as the device computes it. Operations
//! with an undefined result do not fold.

use super::function::Function;
use super::inst::{BinaryOp, ConvertOp, FloatCC, InstData, IntCC, MathOp, UnaryOp};
use super::types::{Scalar, Type};
use super::Value;
use crate::rounding::half_bits;
use half::f16;
use smallvec::SmallVec;

/// Returns the low `bits` bits of a value.
pub fn mask(bits: u32, value: u64) -> u64 {
    if bits >= 64 {
        value
    } else {
        value & ((1 << bits) - 1)
    }
}

/// Returns an integer of a width as a signed number.
pub fn signed(bits: u32, value: u64) -> i64 {
    let shift = 64 - bits.clamp(1, 64);
    ((value << shift) as i64) >> shift
}

/// Returns a float constant's value, without loss.
pub fn float(scalar: Scalar, bits: u64) -> f64 {
    match scalar {
        Scalar::F16 => f16::from_bits(bits as u16).to_f64(),
        Scalar::F32 => f64::from(f32::from_bits(bits as u32)),
        _ => f64::from_bits(bits),
    }
}

/// Returns the bits of a number rounded to a float type.
pub fn float_bits(scalar: Scalar, value: f64) -> u64 {
    match scalar {
        Scalar::F16 => u64::from(half_bits(value)),
        Scalar::F32 => u64::from((value as f32).to_bits()),
        _ => value.to_bits(),
    }
}

/// Returns the scalar of type `ty` that an instruction computes; `known` returns the bits of its operands.
pub fn inst(
    func: &Function,
    data: &InstData,
    ty: Type,
    known: impl Fn(Value) -> Option<u64>,
) -> Option<u64> {
    let scalar_of = |value: Value| func.ty(value).scalar;
    match *data {
        InstData::Unary { op, arg, .. } => Some(unary(op, ty.scalar, known(arg)?)),
        InstData::Binary { op, args: [a, b], .. } => binary(op, ty.scalar, known(a)?, known(b)?),
        InstData::Math { op, ref args, .. } => {
            let bits: Option<SmallVec<[u64; 3]>> = args.iter().map(|&arg| known(arg)).collect();
            math(op, scalar_of(args[0]), &bits?)
        }
        InstData::ICmp { cc, args: [a, b] } => {
            Some(icmp(cc, scalar_of(a).bits(), known(a)?, known(b)?).into())
        }
        InstData::FCmp { cc, args: [a, b], .. } => {
            Some(fcmp(cc, scalar_of(a), known(a)?, known(b)?).into())
        }
        InstData::Convert { op, arg } if ty.lanes == 1 => {
            convert(op, scalar_of(arg), ty.scalar, known(arg)?)
        }
        _ => None,
    }
}

pub fn unary(op: UnaryOp, scalar: Scalar, a: u64) -> u64 {
    let bits = scalar.bits();
    match op {
        UnaryOp::INeg => mask(bits, a.wrapping_neg()),
        UnaryOp::Not => mask(bits, !a),
        UnaryOp::FNeg => mask(bits, a ^ 1 << (bits - 1)),
    }
}

pub fn binary(op: BinaryOp, scalar: Scalar, a: u64, b: u64) -> Option<u64> {
    if op.is_float() {
        return Some(float_binary(op, scalar, a, b));
    }
    int_binary(op, scalar.bits(), a, b).map(|value| mask(scalar.bits(), value))
}

fn int_binary(op: BinaryOp, bits: u32, a: u64, b: u64) -> Option<u64> {
    use BinaryOp::*;
    let (sa, sb) = (signed(bits, a), signed(bits, b));
    let amount = (b & u64::from(bits - 1)) as u32;
    Some(match op {
        IAdd => a.wrapping_add(b),
        ISub => a.wrapping_sub(b),
        IMul => a.wrapping_mul(b),
        SDiv | SRem | UDiv | URem if b == 0 => return None,
        SDiv => sa.wrapping_div(sb) as u64,
        SRem => sa.wrapping_rem(sb) as u64,
        UDiv => a / b,
        URem => a % b,
        Shl => a << amount,
        LShr => a >> amount,
        AShr => (sa >> amount) as u64,
        And => a & b,
        Or => a | b,
        Xor => a ^ b,
        SMin => sa.min(sb) as u64,
        SMax => sa.max(sb) as u64,
        UMin => a.min(b),
        UMax => a.max(b),
        SMulHi => ((i128::from(sa) * i128::from(sb)) >> bits) as u64,
        UMulHi => ((u128::from(a) * u128::from(b)) >> bits) as u64,
        FAdd | FSub | FMul | FDiv | FRem | FMin | FMax => return None,
    })
}

/// Computes an operation on floats. 16-bit operations are computed in 32 bits, which is exact for these operations (24
/// >= 2 * 11 + 2 bits).
fn float_binary(op: BinaryOp, scalar: Scalar, a: u64, b: u64) -> u64 {
    use BinaryOp::*;
    macro_rules! compute {
        ($a:expr, $b:expr) => {{
            let (a, b) = ($a, $b);
            match op {
                FAdd => a + b,
                FSub => a - b,
                FMul => a * b,
                FDiv => a / b,
                FRem => a % b,
                FMin => a.min(b),
                _ => a.max(b),
            }
        }};
    }
    match scalar {
        Scalar::F64 => compute!(f64::from_bits(a), f64::from_bits(b)).to_bits(),
        Scalar::F32 => {
            u64::from(compute!(f32::from_bits(a as u32), f32::from_bits(b as u32)).to_bits())
        }
        _ => {
            let wide = |bits: u64| f16::from_bits(bits as u16).to_f32();
            u64::from(f16::from_f32(compute!(wide(a), wide(b))).to_bits())
        }
    }
}

/// Computes a math operation. `scalar` is the type of the first operand.
pub fn math(op: MathOp, scalar: Scalar, args: &[u64]) -> Option<u64> {
    let bits = scalar.bits();
    let a = *args.first()?;
    if let Some(signs) = op.signs_of_dot() {
        return dot_product(signs, args);
    }
    if scalar.is_int() {
        return int_math(op, bits, a);
    }
    let x = float(scalar, a);
    let second = || args.get(1).copied();
    let value = match op {
        MathOp::IsNan => return Some(u64::from(x.is_nan())),
        MathOp::IsInf => return Some(u64::from(x.is_infinite())),
        MathOp::FAbs => return Some(a & !(1 << (bits - 1))),
        MathOp::Fma => {
            let (b, c) = (second()?, *args.get(2)?);
            return fma(scalar, a, b, c);
        }
        MathOp::Floor => x.floor(),
        MathOp::Ceil => x.ceil(),
        MathOp::Trunc => x.trunc(),
        MathOp::Rint => x.round_ties_even(),
        // Rounding a 64-bit root to 32 or 16 bits is exact.
        MathOp::Sqrt => x.sqrt(),
        MathOp::RSqrt => 1.0 / x.sqrt(),
        MathOp::Sin => x.sin(),
        MathOp::Cos => x.cos(),
        MathOp::Tan => x.tan(),
        MathOp::Exp2 => x.exp2(),
        MathOp::Log2 => x.log2(),
        MathOp::Pow => x.powf(float(scalar, second()?)),
        MathOp::Ldexp => return ldexp(scalar, x, signed(32, second()?)),
        _ => return None,
    };
    Some(float_bits(scalar, value))
}

fn fma(scalar: Scalar, a: u64, b: u64, c: u64) -> Option<u64> {
    match scalar {
        Scalar::F32 => {
            let [a, b, c] = [a, b, c].map(|bits| f32::from_bits(bits as u32));
            Some(u64::from(a.mul_add(b, c).to_bits()))
        }
        Scalar::F64 => {
            let [a, b, c] = [a, b, c].map(f64::from_bits);
            Some(a.mul_add(b, c).to_bits())
        }
        _ => None,
    }
}

/// Returns x * 2^exponent. Exact for 16 and 32 bits; 64-bit results fold only if they are normal.
fn ldexp(scalar: Scalar, x: f64, exponent: i64) -> Option<u64> {
    let power = |e: i64| f64::from_bits(((e + 1023) as u64) << 52);
    if scalar == Scalar::F64 {
        let scaled =
            if (-1022..=1023).contains(&exponent) { x * power(exponent) } else { return None };
        return (scaled.is_normal() || x == 0.0).then(|| scaled.to_bits());
    }
    Some(float_bits(scalar, x * power(exponent.clamp(-600, 600))))
}

fn dot_product(signs: [bool; 2], args: &[u64]) -> Option<u64> {
    let number = |word: u64, signed, i| match signed {
        true => i64::from((word >> (8 * i)) as u8 as i8),
        false => i64::from((word >> (8 * i)) as u8),
    };
    let &[a, b] = args else { return None };
    let product = |i| number(a, signs[0], i) * number(b, signs[1], i);
    Some(mask(32, (0..4).map(product).sum::<i64>() as u64))
}

fn int_math(op: MathOp, bits: u32, a: u64) -> Option<u64> {
    Some(match op {
        MathOp::SAbs => mask(bits, signed(bits, a).wrapping_abs() as u64),
        MathOp::Clz => u64::from(a.leading_zeros()) - u64::from(64 - bits),
        MathOp::Ctz => u64::from(a.trailing_zeros().min(bits)),
        MathOp::PopCount => u64::from(a.count_ones()),
        MathOp::BitReverse => a.reverse_bits() >> (64 - bits),
        _ => return None,
    })
}

/// Compares integers. `bits` is the width of the operands.
pub fn icmp(cc: IntCC, bits: u32, a: u64, b: u64) -> bool {
    let (sa, sb) = (signed(bits, a), signed(bits, b));
    match cc {
        IntCC::Eq => a == b,
        IntCC::Ne => a != b,
        IntCC::Slt => sa < sb,
        IntCC::Sle => sa <= sb,
        IntCC::Sgt => sa > sb,
        IntCC::Sge => sa >= sb,
        IntCC::Ult => a < b,
        IntCC::Ule => a <= b,
        IntCC::Ugt => a > b,
        IntCC::Uge => a >= b,
    }
}

pub fn fcmp(cc: FloatCC, scalar: Scalar, a: u64, b: u64) -> bool {
    let (a, b) = (float(scalar, a), float(scalar, b));
    let unordered = a.is_nan() || b.is_nan();
    match cc {
        FloatCC::Oeq => a == b,
        FloatCC::One => !unordered && a != b,
        FloatCC::Olt => a < b,
        FloatCC::Ole => a <= b,
        FloatCC::Ogt => a > b,
        FloatCC::Oge => a >= b,
        FloatCC::Ueq => unordered || a == b,
        FloatCC::Une => a != b,
        FloatCC::Ult => unordered || a < b,
        FloatCC::Ule => unordered || a <= b,
        FloatCC::Ugt => unordered || a > b,
        FloatCC::Uge => unordered || a >= b,
        FloatCC::Ord => !unordered,
        FloatCC::Uno => unordered,
    }
}

/// Converts a scalar. Pointers fold only if the address itself is the constant (null).
pub fn convert(op: ConvertOp, from: Scalar, to: Scalar, a: u64) -> Option<u64> {
    use ConvertOp::*;
    Some(match op {
        Trunc => mask(to.bits(), a),
        ZExt => a,
        SExt => mask(to.bits(), signed(from.bits(), a) as u64),
        FToS => {
            let x = float(from, a).trunc();
            let limit = (1i128 << (to.bits() - 1)) as f64;
            if !(-limit..limit).contains(&x) {
                return None;
            }
            mask(to.bits(), x as i64 as u64)
        }
        FToU => {
            let x = float(from, a).trunc();
            let limit = (1i128 << to.bits()) as f64;
            if !(0.0..limit).contains(&x) && x != 0.0 {
                return None;
            }
            x as u64
        }
        SToF => int_to_float(to, signed(from.bits(), a).into()),
        UToF => int_to_float(to, a.into()),
        FConvert if from == Scalar::F16 || to == Scalar::F64 => float_bits(to, float(from, a)),
        FConvert if to == Scalar::F32 => u64::from((float(from, a) as f32).to_bits()),
        FConvert if from == Scalar::F32 => {
            u64::from(f16::from_f32(f32::from_bits(a as u32)).to_bits())
        }
        FConvert => u64::from(half_bits(f64::from_bits(a))),
        Bitcast if from.bits() == to.bits() => a,
        PtrToInt | IntToPtr if from.bits() == to.bits() => a,
        SpaceCast | ToSpace if a == 0 => 0,
        Bitcast | PtrToInt | IntToPtr | SpaceCast | ToSpace => return None,
    })
}

/// Converts an integer to a float, rounding once to nearest even.
fn int_to_float(to: Scalar, value: i128) -> u64 {
    match to {
        Scalar::F32 => u64::from((value as f32).to_bits()),
        Scalar::F64 => (value as f64).to_bits(),
        // Integers that 16 bits can hold are exact in 64 bits; larger ones become infinite either way.
        _ => float_bits(to, value as f64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_wrap_at_their_width() {
        assert_eq!(binary(BinaryOp::IAdd, Scalar::I8, 0xff, 2), Some(1));
        assert_eq!(
            binary(BinaryOp::SDiv, Scalar::I32, 0x8000_0000, 0xffff_ffff),
            Some(0x8000_0000)
        );
        assert_eq!(binary(BinaryOp::SMulHi, Scalar::I32, 0xffff_ffff, 1), Some(0xffff_ffff));
        assert_eq!(binary(BinaryOp::UMulHi, Scalar::I64, u64::MAX, u64::MAX), Some(u64::MAX - 1));
        assert_eq!(binary(BinaryOp::AShr, Scalar::I16, 0x8000, 15), Some(0xffff));
        assert_eq!(binary(BinaryOp::URem, Scalar::I32, 1, 0), None);
        assert_eq!(math(MathOp::Clz, Scalar::I8, &[0]), Some(8));
        assert_eq!(math(MathOp::BitReverse, Scalar::I16, &[1]), Some(0x8000));
        let dot = |op, args: &[u64]| math(op, Scalar::I32, args);
        assert_eq!(dot(MathOp::SDot, &[0xff02_0304, 0x0101_0180]), Some(0xffff_fe04));
        assert_eq!(dot(MathOp::UDot, &[0xff02_0304, 0x0101_0180]), Some(255 + 2 + 3 + 512));
        assert_eq!(dot(MathOp::SUDot, &[0xff02_0304, 0x0101_0180]), Some(512 + 4));
    }

    #[test]
    fn floats_follow_their_width() {
        let f = |x: f32| u64::from(x.to_bits());
        assert_eq!(binary(BinaryOp::FAdd, Scalar::F32, f(1e8), f(1.0)), Some(f(1e8)));
        assert_eq!(binary(BinaryOp::FMax, Scalar::F32, f(f32::NAN), f(1.0)), Some(f(1.0)));
        assert!(fcmp(FloatCC::Une, Scalar::F32, f(f32::NAN), f(1.0)));
        assert!(!fcmp(FloatCC::One, Scalar::F32, f(f32::NAN), f(1.0)));
        assert_eq!(convert(ConvertOp::SToF, Scalar::I32, Scalar::F32, 0xffff_ffff), Some(f(-1.0)));
        assert_eq!(convert(ConvertOp::FToU, Scalar::F32, Scalar::I8, f(256.0)), None);
        assert_eq!(convert(ConvertOp::FToS, Scalar::F32, Scalar::I8, f(-128.9)), Some(0x80));
        assert_eq!(math(MathOp::Ldexp, Scalar::F32, &[f(1.5), 3]), Some(f(12.0)));
    }
}
