//! Operations on floats, as IEEE 754 has them: correctly rounded to nearest even, denormals kept
//! unless the device is one that flushes them.

use crate::error::{Error, Res};
use crate::value::{ones, signed, Bits};
use half::f16;
use rspirv::spirv::Op;

/// The format of bfloat16, where other formats are told by their widths. No width is as great.
pub const BFLOAT16: u32 = 1 << 16 | 16;

/// Returns the width of a format in bits.
fn width_of(format: u32) -> u32 {
    format & 0xffff
}

/// Returns the nearest bfloat16, the even one in the middle; a NaN stays one, and becomes quiet.
fn bfloat16(number: f32) -> u16 {
    let bits = number.to_bits();
    match number.is_nan() {
        true => (bits >> 16) as u16 | 0x40,
        false => ((bits + 0x7fff + (bits >> 16 & 1)) >> 16) as u16,
    }
}

/// The differences of devices in float arithmetic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Floats {
    /// True if operations on 32-bit floats take denormal operands and results for zero.
    pub flush_32: bool,
    /// Like `flush_32`, for 64-bit floats.
    pub flush_64: bool,
    /// True if GLSL.std.450 Fma rounds the product before the sum.
    pub fma_rounds_twice: bool,
}

impl Floats {
    /// Returns the number that a bit pattern is for the device.
    pub fn number(self, bits: u64, width: u32) -> f64 {
        match width {
            BFLOAT16 => f64::from(f32::from_bits((bits as u32) << 16)),
            16 => f16::from_bits(bits as u16).to_f64(),
            32 => f64::from(f32::from_bits(self.flushed(bits, width) as u32)),
            _ => f64::from_bits(self.flushed(bits, width)),
        }
    }

    /// Returns a bit pattern, or zero for a denormal if the device flushes denormals.
    pub fn flushed(self, bits: u64, width: u32) -> u64 {
        let (flush, exponent, sign) = match width {
            32 => (self.flush_32, 0x7f80_0000, 1 << 31),
            64 => (self.flush_64, 0x7ff0_0000_0000_0000, 1 << 63),
            _ => return bits,
        };
        match flush && bits & exponent == 0 {
            true => bits & sign,
            false => bits,
        }
    }

    /// Returns the bit pattern of an exact number, rounded once.
    pub fn rounded(self, number: f64, width: u32) -> u64 {
        let bits = match width {
            // Rounded to a float first (SPV_KHR_bfloat16, conversions).
            BFLOAT16 => u64::from(bfloat16(number as f32)),
            16 => u64::from(f16::from_f64(number).to_bits()),
            32 => u64::from((number as f32).to_bits()),
            _ => number.to_bits(),
        };
        self.flushed(bits, width)
    }

    /// Evaluates an operation with two operands; `None` if it is not an operation on floats.
    pub fn binary(self, op: Op, a: Bits, b: Bits, width: u32) -> Option<Bits> {
        let known = matches!(op, Op::FAdd | Op::FSub | Op::FMul | Op::FDiv | Op::FRem);
        if known && a.undef | b.undef != 0 {
            return Some(Bits::undefined(width));
        }
        let (x, y) = (self.number(a.bits, width), self.number(b.bits, width));
        // If the sum, difference, product or quotient of two floats is computed in a format of more than twice the bits,
        // rounding it gives the same as rounding the exact result.
        let number = match op {
            Op::FAdd => x + y,
            Op::FSub => x - y,
            Op::FMul => x * y,
            Op::FDiv => x / y,
            // Exact in every format.
            Op::FRem => x % y,
            _ => return None,
        };
        Some(Bits::new(self.rounded(number, width)))
    }

    /// Evaluates a fused multiply-add.
    pub fn fma(self, a: Bits, b: Bits, c: Bits, width: u32) -> Res<Bits> {
        if a.undef | b.undef | c.undef != 0 {
            return Ok(Bits::undefined(width));
        }
        let operand = |x: Bits| self.flushed(x.bits, width);
        let (a, b, c) = (operand(a), operand(b), operand(c));
        let bits = match width {
            16 => {
                let number = |bits: u64| f16::from_bits(bits as u16).to_f64();
                let product = number(a) * number(b);
                let product = match self.fma_rounds_twice {
                    true => f16::from_f64(product).to_f64(),
                    false => product,
                };
                // The product is exact. If a double cannot hold the sum, the sum is far from any midpoint between two halves.
                u64::from(f16::from_f64(product + number(c)).to_bits())
            }
            32 => {
                let number = |bits: u64| f32::from_bits(bits as u32);
                let (a, b, c) = (number(a), number(b), number(c));
                let sum = if self.fma_rounds_twice { a * b + c } else { a.mul_add(b, c) };
                u64::from(sum.to_bits())
            }
            64 => {
                let (a, b, c) = (f64::from_bits(a), f64::from_bits(b), f64::from_bits(c));
                let sum = if self.fma_rounds_twice { a * b + c } else { a.mul_add(b, c) };
                sum.to_bits()
            }
            _ => return Err(Error::Unsupported(format!("Fma of {width} bits"))),
        };
        Ok(Bits::new(self.flushed(bits, width)))
    }

    /// Evaluates a comparison; `None` if it is not an operation on floats.
    pub fn compare(self, op: Op, a: Bits, b: Bits, width: u32) -> Option<Bits> {
        let (x, y) = (self.number(a.bits, width), self.number(b.bits, width));
        let unordered = x.is_nan() || y.is_nan();
        let value = match op {
            Op::FOrdEqual => x == y,
            Op::FOrdNotEqual => !unordered && x != y,
            Op::FOrdLessThan => x < y,
            Op::FOrdLessThanEqual => x <= y,
            Op::FOrdGreaterThan => x > y,
            Op::FOrdGreaterThanEqual => x >= y,
            Op::FUnordEqual => unordered || x == y,
            Op::FUnordNotEqual => x != y,
            Op::FUnordLessThan => unordered || x < y,
            Op::FUnordLessThanEqual => unordered || x <= y,
            Op::FUnordGreaterThan => unordered || x > y,
            Op::FUnordGreaterThanEqual => unordered || x >= y,
            Op::IsNan | Op::IsInf => return None,
            _ => return None,
        };
        Some(match a.undef | b.undef {
            0 => Bits::new(u64::from(value)),
            _ => Bits::undefined(1),
        })
    }

    /// Evaluates FNegate. The sign of a NaN changes, too.
    pub fn negate(self, a: Bits, width: u32) -> Bits {
        Bits { bits: self.flushed(a.bits, width) ^ 1 << (width - 1), ..a }
    }

    /// Returns a float in another width.
    pub fn convert(self, a: Bits, from: u32, to: u32) -> Bits {
        match a.undef {
            0 => Bits::new(self.rounded(self.number(a.bits, from), to)),
            _ => Bits::undefined(width_of(to)),
        }
    }

    /// Evaluates ConvertFToS and ConvertFToU. Numbers that do not fit have no defined result (SPIR-V 3.49.11).
    pub fn to_int(self, a: Bits, from: u32, to: u32, is_signed: bool) -> Bits {
        let number = self.number(a.bits, from).trunc();
        // Both limits are powers of two, so exact.
        let limit = 2f64.powi(if is_signed { to as i32 - 1 } else { to as i32 });
        let least = if is_signed { -limit } else { 0.0 };
        if a.undef != 0 || number.is_nan() || number < least || number >= limit {
            return Bits::undefined(to);
        }
        let bits = if is_signed { number as i64 as u64 } else { number as u64 };
        Bits::new(bits & ones(to))
    }

    /// Evaluates ConvertSToF and ConvertUToF.
    pub fn of_int(self, a: Bits, from: u32, to: u32, is_signed: bool) -> Bits {
        if a.undef != 0 {
            return Bits::undefined(width_of(to));
        }
        let integer = signed(a.bits, from);
        let bits = match (to, is_signed) {
            (32, true) => u64::from((integer as f32).to_bits()),
            (32, false) => u64::from((a.bits as f32).to_bits()),
            (_, true) => self.rounded(integer as f64, to),
            (_, false) => self.rounded(a.bits as f64, to),
        };
        Bits::new(bits)
    }
}
