//! The floating-point types: their ranges, their bits, and their names in OpenCL C.

/// A floating-point type of OpenCL C.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum)]
pub enum Format {
    Half,
    Float,
    Double,
}

use Format::{Double, Float, Half};

impl Format {
    pub const ALL: [Format; 3] = [Float, Double, Half];

    pub fn name(self) -> &'static str {
        match self {
            Half => "half",
            Float => "float",
            Double => "double",
        }
    }

    /// Returns the unsigned integer type of the same width.
    pub fn bits_name(self) -> &'static str {
        match self {
            Half => "ushort",
            Float => "uint",
            Double => "ulong",
        }
    }

    pub fn bytes(self) -> usize {
        match self {
            Half => 2,
            Float => 4,
            Double => 8,
        }
    }

    pub fn width(self) -> u32 {
        self.bytes() as u32 * 8
    }

    /// Returns the bits of the significand, with the leading one.
    pub fn precision(self) -> i32 {
        match self {
            Half => 11,
            Float => 24,
            Double => 53,
        }
    }

    /// Returns the exponent of the largest number.
    pub fn max_exponent(self) -> i32 {
        match self {
            Half => 15,
            Float => 127,
            Double => 1023,
        }
    }

    /// Returns the exponent of the least normal number.
    pub fn min_exponent(self) -> i32 {
        1 - self.max_exponent()
    }

    /// Returns the largest finite number.
    pub fn max(self) -> f64 {
        self.number(self.infinity_bits() - 1)
    }

    /// Returns the least normal number.
    pub fn min_normal(self) -> f64 {
        scale(1.0, self.min_exponent())
    }

    /// Returns the difference between 1 and the next number.
    pub fn epsilon(self) -> f64 {
        scale(1.0, 1 - self.precision())
    }

    pub fn is_subnormal(self, x: f64) -> bool {
        x != 0.0 && x.abs() < self.min_normal()
    }

    /// Returns the bits of positive infinity.
    pub fn infinity_bits(self) -> u64 {
        let exponent_bits = self.width() as i32 - self.precision();
        ((1 << exponent_bits) - 1) << (self.precision() - 1)
    }

    /// Returns the number that has these bits.
    pub fn number(self, bits: u64) -> f64 {
        match self {
            Half => half_number(bits as u16),
            Float => f64::from(f32::from_bits(bits as u32)),
            Double => f64::from_bits(bits),
        }
    }

    /// Returns the bits of the nearest number, ties to even.
    pub fn bits(self, x: f64) -> u64 {
        match self {
            Half => u64::from(half_bits(x)),
            Float => u64::from((x as f32).to_bits()),
            Double => x.to_bits(),
        }
    }

    /// Returns the nearest number, ties to even.
    pub fn round(self, x: f64) -> f64 {
        self.number(self.bits(x))
    }

    /// Returns the next number after `x` in the direction of `y`.
    pub fn next_after(self, x: f64, y: f64) -> f64 {
        if x.is_nan() || y.is_nan() {
            return f64::NAN;
        }
        if x == y {
            return y;
        }
        let sign = 1 << (self.width() - 1);
        let bits = self.bits(x);
        self.number(match bits & !sign {
            0 => 1 | if y < 0.0 { sign } else { 0 },
            _ if (y > x) == (x > 0.0) => bits + 1,
            _ => bits - 1,
        })
    }

    /// Returns the number at an index of an array.
    pub fn get(self, bytes: &[u8], index: usize) -> f64 {
        let mut word = [0; 8];
        let size = self.bytes();
        word[..size].copy_from_slice(&bytes[index * size..][..size]);
        self.number(u64::from_le_bytes(word))
    }

    /// Writes bits at an index of an array.
    pub fn put(self, bytes: &mut [u8], index: usize, bits: u64) {
        let size = self.bytes();
        bytes[index * size..][..size].copy_from_slice(&bits.to_le_bytes()[..size]);
    }
}

/// Returns `x * 2^exponent`.
pub fn scale(x: f64, exponent: i32) -> f64 {
    let power = |e: i32| f64::from_bits(((e + 1023) as u64) << 52);
    let (mut x, mut exponent) = (x, exponent);
    while exponent > 1023 {
        (x, exponent) = (x * power(1023), exponent - 1023);
    }
    while exponent < -1022 {
        // Only the last product may be subnormal, and be rounded.
        (x, exponent) = (x * power(-969), exponent + 969);
    }
    x * power(exponent)
}

fn half_number(bits: u16) -> f64 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023));
    let magnitude = match exponent {
        0 => scale(fraction, -24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => scale(1024.0 + fraction, exponent - 25),
    };
    if bits >> 15 != 0 {
        -magnitude
    } else {
        magnitude
    }
}

fn half_bits(x: f64) -> u16 {
    let sign = if x.is_sign_negative() { 0x8000 } else { 0 };
    let x = x.abs();
    if x.is_nan() {
        return sign | 0x7E00;
    }
    // Numbers of an interval between powers of two have equal distances, which follow from the exponent, or from the least
    // exponent.
    let exponent = ((x.to_bits() >> 52) as i32 - 1023).clamp(-14, 16);
    if exponent > 15 {
        return sign | 0x7C00;
    }
    let steps = scale(x, 10 - exponent).round_ties_even() as u16;
    // A carry changes the exponent.
    sign | ((exponent + 14) as u16 * 1024 + steps)
}

/// Returns a number as C writes it in base 16.
pub fn hex(x: f64) -> String {
    if !x.is_finite() {
        return x.to_string().to_lowercase();
    }
    let sign = if x.is_sign_negative() { "-" } else { "" };
    let bits = x.abs().to_bits();
    if bits == 0 {
        return format!("{sign}0");
    }
    let normal = if bits >> 52 == 0 { scale(x.abs(), 1022) } else { x.abs() };
    let shift = if bits >> 52 == 0 { -1022 } else { 0 };
    let exponent = (normal.to_bits() >> 52) as i32 - 1023 + shift;
    let digits = format!("{:013x}", normal.to_bits() & ((1 << 52) - 1));
    let digits = digits.trim_end_matches('0');
    let point = if digits.is_empty() { "" } else { "." };
    format!("{sign}0x1{point}{digits}p{exponent}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_have_their_bits() {
        for bits in 0..=u16::MAX {
            let x = half_number(bits);
            let nan = bits & 0x7FFF > 0x7C00;
            assert_eq!(x.is_nan(), nan);
            assert!(nan || half_bits(x) == bits, "{bits:x}");
        }
        assert_eq!(half_bits(65519.0), 0x7BFF);
        assert_eq!(half_bits(65520.0), 0x7C00);
        assert_eq!(half_bits(scale(1.0, -25)), 0);
        assert_eq!(half_bits(scale(1.5, -25)), 1);
        assert_eq!(half_bits(1.0 + scale(1.0, -11)), 0x3C00);
        assert_eq!(Half.max(), 65504.0);
    }

    #[test]
    fn scaling_rounds_once() {
        let x = f64::from_bits(0x3F7C_8CC0_B631_7D2A);
        assert_eq!(scale(x, -1023).to_bits(), 0xE46_605B_18BF);
        assert_eq!(scale(f64::MAX, -2098), 5e-324);
        assert_eq!(scale(scale(1.0, -1074), 2000), 2f64.powi(926));
    }

    #[test]
    fn neighbours() {
        assert_eq!(Float.next_after(0.0, -1.0), -scale(1.0, -149));
        assert_eq!(Double.next_after(-1.0, -2.0), -1.0 - f64::EPSILON);
        assert_eq!(Half.next_after(f64::INFINITY, 0.0), 65504.0);
        assert!(Half.next_after(0.0, f64::NAN).is_nan());
    }

    #[test]
    fn base_sixteen() {
        assert_eq!(hex(1.0), "0x1p0");
        assert_eq!(hex(-0.1), "-0x1.999999999999ap-4");
        assert_eq!(hex(5e-324), "0x1p-1074");
        assert_eq!(hex(f64::NEG_INFINITY), "-inf");
        assert_eq!(hex(-0.0), "-0");
    }
}
