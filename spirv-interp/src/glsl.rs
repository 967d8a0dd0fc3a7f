//! The instructions of GLSL.std.450 that the emitter uses.

use crate::error::{Error, Res};
use crate::float::Floats;
use crate::value::{ones, signed, Bits};
use half::f16;
use hekla_spirv::Glsl;

/// Computes one component of an instruction. `width` is the width of the operands' components.
///
/// # Errors
/// When the instruction or the width is not known.
pub fn component(floats: Floats, number: u32, args: &[Bits], width: u32) -> Res<Bits> {
    let known = match (Glsl::from_u32(number), args) {
        (Some(op), [a]) => integer(op, *a, width)?.or_else(|| float_unary(floats, op, *a, width)),
        (Some(op), [a, b]) => binary(floats, op, *a, *b, width)?,
        (Some(Glsl::Fma), [a, b, c]) => Some(floats.fma(*a, *b, *c, width)?),
        _ => None,
    };
    known.ok_or_else(|| Error::Unsupported(format!("GLSL.std.450 instruction {number}")))
}

/// Returns true for the only instruction here whose result has components of another width than its operand.
pub fn is_unpack_half(number: u32) -> bool {
    number == Glsl::UnpackHalf2x16 as u32
}

/// Evaluates UnpackHalf2x16.
pub fn unpack_half(word: Bits) -> [Bits; 2] {
    [word.bits as u16, (word.bits >> 16) as u16].map(|half| match word.undef {
        0 => Bits::new(u64::from(f16::from_bits(half).to_f32().to_bits())),
        _ => Bits::undefined(32),
    })
}

fn integer(op: Glsl, a: Bits, width: u32) -> Res<Option<Bits>> {
    let bits = match op {
        Glsl::SAbs => signed(a.bits, width).unsigned_abs(),
        Glsl::FindILsb => {
            (a.bits != 0).then(|| a.bits.trailing_zeros()).map_or(u64::MAX, u64::from)
        }
        Glsl::FindUMsb => (a.bits != 0).then(|| a.bits.ilog2()).map_or(u64::MAX, u64::from),
        _ => return Ok(None),
    };
    if op != Glsl::SAbs && width != 32 {
        return Error::invalid(format!("GLSL.std.450 {op:?} of {width} bits"));
    }
    Ok(Some(match a.undef {
        0 => Bits::new(bits & ones(width)),
        _ => Bits::undefined(width),
    }))
}

fn float_unary(floats: Floats, op: Glsl, a: Bits, width: u32) -> Option<Bits> {
    if op == Glsl::FAbs {
        return Some(Bits {
            bits: floats.flushed(a.bits, width) & ones(width - 1),
            undef: a.undef & ones(width - 1),
        });
    }
    let x = floats.number(a.bits, width);
    let result = match op {
        Glsl::RoundEven => x.round_ties_even(),
        Glsl::Trunc => x.trunc(),
        Glsl::Floor => x.floor(),
        Glsl::Ceil => x.ceil(),
        Glsl::Sin => x.sin(),
        Glsl::Cos => x.cos(),
        Glsl::Tan => x.tan(),
        Glsl::Exp2 => x.exp2(),
        Glsl::Log2 => x.log2(),
        Glsl::Sqrt => x.sqrt(),
        Glsl::InverseSqrt => 1.0 / x.sqrt(),
        _ => return None,
    };
    // Roundings keep the operand's sign for a zero and a NaN.
    Some(match a.undef {
        0 => Bits::new(floats.rounded(result, width)),
        _ => Bits::undefined(width),
    })
}

fn binary(floats: Floats, op: Glsl, a: Bits, b: Bits, width: u32) -> Res<Option<Bits>> {
    let undefined = a.undef | b.undef != 0;
    let (x, y) = (floats.number(a.bits, width), floats.number(b.bits, width));
    let result = match op {
        Glsl::Pow => x.powf(y),
        Glsl::UMin => {
            let least = Bits::new(a.bits.min(b.bits));
            return Ok(Some(if undefined { Bits::undefined(width) } else { least }));
        }
        Glsl::Ldexp => ldexp(x, signed(b.bits, 32)),
        // NMin, NMax: the other operand if one is a NaN.
        Glsl::NMin if x.is_nan() || y < x => y,
        Glsl::NMax if x.is_nan() || y > x => y,
        Glsl::NMin | Glsl::NMax => x,
        _ => return Ok(None),
    };
    Ok(Some(match undefined {
        true => Bits::undefined(width),
        false => Bits::new(floats.rounded(result, width)),
    }))
}

/// Returns x * 2^n. The steps in between are exact, so that a result of a narrower format is rounded once; a denormal double
/// may be rounded twice, as on devices.
fn ldexp(mut x: f64, mut n: i64) -> f64 {
    n = n.clamp(-4000, 4000);
    while n > 1000 {
        x *= 2f64.powi(1000);
        n -= 1000;
    }
    while n < -1000 {
        x *= 2f64.powi(-1000);
        n += 1000;
    }
    x * 2f64.powi(n as i32)
}
