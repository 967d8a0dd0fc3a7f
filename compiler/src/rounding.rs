//! Rounding of constants to half. The `half` crate rounds a double twice (through float) if the processor
//! has F16C, and otherwise drops the double's low 32 bits.

/// Returns the bits of the half nearest to a number; of two, the even one (IEEE 754 roundTiesToEven).
pub fn half_bits(value: f64) -> u16 {
    let bits = value.to_bits();
    let sign = (bits >> 48) as u16 & 0x8000;
    let magnitude = bits & (u64::MAX >> 1);
    let exponent = (magnitude >> 52) as i32 - 1023;
    match exponent {
        1024 if value.is_nan() => sign | 0x7e00 | (magnitude >> 42) as u16 & 0x03ff,
        16.. => sign | 0x7c00,
        // A carry out of the digits increments the exponent, up to infinity.
        -14..=15 => {
            let rebased = magnitude - ((1023 - 15) << 52);
            sign | shift_to_even(rebased, 42) as u16
        }
        // Denormal: a multiple of 2^-24.
        -25..=-15 => {
            let digits = magnitude & ((1 << 52) - 1) | 1 << 52;
            sign | shift_to_even(digits, (28 - exponent) as u32) as u16
        }
        _ => sign,
    }
}

/// Returns `value / 2^by`, rounded to nearest even; `by` is 1 to 63.
fn shift_to_even(value: u64, by: u32) -> u64 {
    let cut = value & ((1 << by) - 1);
    let kept = value >> by;
    let tie = 1 << (by - 1);
    kept + u64::from(cut > tie || cut == tie && kept & 1 == 1)
}

#[cfg(test)]
mod tests {
    use super::half_bits;
    use half::f16;

    #[test]
    fn every_half_is_itself() {
        for bits in 0..=u16::MAX {
            let value = f16::from_bits(bits);
            match value.is_nan() {
                true => assert!(f16::from_bits(half_bits(value.to_f64())).is_nan()),
                false => assert_eq!(half_bits(value.to_f64()), bits),
            }
        }
    }

    /// Between each half and the next one, the middle is rounded to the even one, and the numbers next to the middle to the
    /// half on their own side.
    #[test]
    fn rounds_once() {
        for bits in 0..0x7c00u16 {
            let low = f16::from_bits(bits).to_f64();
            let high = match bits {
                0x7bff => 65_536.0,
                _ => f16::from_bits(bits + 1).to_f64(),
            };
            let middle = (low + high) / 2.0;
            let (below, above) = (middle.next_down(), middle.next_up());
            for (value, expected) in [(below, bits), (middle, bits + (bits & 1)), (above, bits + 1)]
            {
                assert_eq!(half_bits(value), expected, "{value:e}");
                assert_eq!(half_bits(-value), expected | 0x8000, "{value:e}");
            }
        }
    }

    #[test]
    fn beyond_the_range() {
        assert_eq!(half_bits(1e300), 0x7c00);
        assert_eq!(half_bits(f64::NEG_INFINITY), 0xfc00);
        assert_eq!(half_bits(65_519.999_999), 0x7bff);
        assert_eq!(half_bits(5e-324), 0);
        assert_eq!(half_bits(-1e-300), 0x8000);
        assert_eq!(half_bits(-0.0), 0x8000);
    }
}
