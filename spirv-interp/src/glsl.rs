//! The instructions of GLSL.std.450 that the emitter uses.

use crate::error::{Error, Res};
use crate::float::Floats;
use crate::value::{ones, signed, Bits};
use half::f16;

/// Computes one component of an instruction. `width` is the width of the operands' components.
///
/// # Errors
/// For instructions and widths that are not known.
pub fn component(floats: Floats, number: u32, args: &[Bits], width: u32) -> Res<Bits> {
    let known = match args {
        [a] => integer(number, *a, width)?.or_else(|| float_unary(floats, number, *a, width)),
        [a, b] => binary(floats, number, *a, *b, width)?,
        [a, b, c] if number == 50 => Some(floats.fma(*a, *b, *c, width)?),
        _ => None,
    };
    known.ok_or_else(|| Error::Unsupported(format!("GLSL.std.450 instruction {number}")))
}

/// Returns true if the result has components of its own width, as no other instruction here.
pub fn is_unpack_half(number: u32) -> bool {
    number == 62
}

/// UnpackHalf2x16.
pub fn unpack_half(word: Bits) -> [Bits; 2] {
    [word.bits as u16, (word.bits >> 16) as u16].map(|half| match word.undef {
        0 => Bits::new(u64::from(f16::from_bits(half).to_f32().to_bits())),
        _ => Bits::undefined(32),
    })
}

fn integer(number: u32, a: Bits, width: u32) -> Res<Option<Bits>> {
    let bits = match number {
        // SAbs
        5 => signed(a.bits, width).unsigned_abs(),
        // FindILsb
        73 => (a.bits != 0).then(|| a.bits.trailing_zeros()).map_or(u64::MAX, u64::from),
        // FindUMsb
        75 => (a.bits != 0).then(|| a.bits.ilog2()).map_or(u64::MAX, u64::from),
        _ => return Ok(None),
    };
    if number != 5 && width != 32 {
        return Error::invalid(format!("GLSL.std.450 instruction {number} of {width} bits"));
    }
    Ok(Some(match a.undef {
        0 => Bits::new(bits & ones(width)),
        _ => Bits::undefined(width),
    }))
}

fn float_unary(floats: Floats, number: u32, a: Bits, width: u32) -> Option<Bits> {
    if number == 4 {
        // FAbs
        return Some(Bits {
            bits: floats.flushed(a.bits, width) & ones(width - 1),
            undef: a.undef & ones(width - 1),
        });
    }
    let x = floats.number(a.bits, width);
    let result = match number {
        2 => x.round_ties_even(),
        3 => x.trunc(),
        8 => x.floor(),
        9 => x.ceil(),
        13 => x.sin(),
        14 => x.cos(),
        15 => x.tan(),
        29 => x.exp2(),
        30 => x.log2(),
        31 => x.sqrt(),
        32 => 1.0 / x.sqrt(),
        _ => return None,
    };
    // Roundings keep the operand's sign for a zero and a NaN.
    Some(match a.undef {
        0 => Bits::new(floats.rounded(result, width)),
        _ => Bits::undefined(width),
    })
}

fn binary(floats: Floats, number: u32, a: Bits, b: Bits, width: u32) -> Res<Option<Bits>> {
    let undefined = a.undef | b.undef != 0;
    let (x, y) = (floats.number(a.bits, width), floats.number(b.bits, width));
    let result = match number {
        26 => x.powf(y),
        // UMin
        38 => {
            let least = Bits::new(a.bits.min(b.bits));
            return Ok(Some(if undefined { Bits::undefined(width) } else { least }));
        }
        53 => ldexp(x, signed(b.bits, 32)),
        // NMin, NMax: the other operand if one is a NaN.
        79 if x.is_nan() || y < x => y,
        80 if x.is_nan() || y > x => y,
        79 | 80 => x,
        _ => return Ok(None),
    };
    Ok(Some(match undefined {
        true => Bits::undefined(width),
        false => Bits::new(floats.rounded(result, width)),
    }))
}

/// x * 2^n. Exact in between, so that the result of a narrower format rounds once; for doubles it may
/// round twice where it is denormal, as it does on devices.
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
