//! The error of a result in ulp (OpenCL C 7.4), and the results that devices which flush may return instead (7.5.3).

use super::format::{scale, Format};
use super::quad::{self, Quad};

/// An exact number with which results are compared, of a higher precision than theirs.
pub trait Exact: Copy {
    fn is_nan(self) -> bool;
    fn is_infinite(self) -> bool;
    fn is_zero(self) -> bool;
    fn is_negative(self) -> bool;
    /// Returns the exponent of the leading bit of a finite number, and true if that bit is the only one.
    fn exponent(self) -> (i32, bool);
    /// Returns `(result - self) / 2^exponent`.
    fn distance(self, result: f64, exponent: i32) -> f64;
}

impl Exact for f64 {
    fn is_nan(self) -> bool {
        f64::is_nan(self)
    }

    fn is_infinite(self) -> bool {
        f64::is_infinite(self)
    }

    fn is_zero(self) -> bool {
        self == 0.0
    }

    fn is_negative(self) -> bool {
        self.is_sign_negative()
    }

    fn exponent(self) -> (i32, bool) {
        let bits = self.abs().to_bits();
        match bits >> 52 {
            0 => (bits.ilog2() as i32 - 1074, bits.is_power_of_two()),
            biased => (biased as i32 - 1023, bits << 12 == 0),
        }
    }

    fn distance(self, result: f64, exponent: i32) -> f64 {
        // Halves of both numbers are subtracted, since the difference of the largest numbers overflows.
        match self.abs().max(result.abs()) > 1e300 {
            true => scale(result * 0.5 - self * 0.5, 1 - exponent),
            false => scale(result - self, -exponent),
        }
    }
}

impl Exact for Quad {
    fn is_nan(self) -> bool {
        Quad::is_nan(self)
    }

    fn is_infinite(self) -> bool {
        self.is_special() && !Quad::is_nan(self)
    }

    fn is_zero(self) -> bool {
        Quad::is_zero(self)
    }

    fn is_negative(self) -> bool {
        Quad::is_negative(self)
    }

    fn exponent(self) -> (i32, bool) {
        Quad::exponent(self)
    }

    fn distance(self, result: f64, exponent: i32) -> f64 {
        quad::scaled(quad::add(result, quad::mul(self, -1.0)), -exponent)
    }
}

/// Results that are accepted besides the definition of the ulp.
#[derive(Debug, Clone, Copy)]
pub struct Allowance {
    /// Zeros of either sign.
    pub either_zero: bool,
}

/// Returns the exponent of an ulp of a finite number other than zero: the distance of the numbers around it, or the
/// lesser distance to a neighbour of a number of the format.
fn ulp_exponent(format: Format, exact: impl Exact) -> i32 {
    let (exponent, is_power) = exact.exponent();
    let exponent = exponent - i32::from(is_power);
    exponent.clamp(format.min_exponent(), format.max_exponent()) + 1 - format.precision()
}

/// Returns the error of a result in ulp. It is infinite where no error bound allows the result: for a NaN, an infinity
/// or a zero of a sign that is another value than the exact one.
pub fn ulps<E: Exact>(format: Format, result: f64, exact: E, allowance: Allowance) -> f64 {
    if exact.is_nan() || result.is_nan() {
        return if exact.is_nan() && result.is_nan() { 0.0 } else { f64::INFINITY };
    }
    let same_sign = exact.is_negative() == result.is_sign_negative();
    if exact.is_infinite() {
        return if result.is_infinite() && same_sign { 0.0 } else { f64::INFINITY };
    }
    if exact.is_zero() {
        return match result == 0.0 {
            true if same_sign || allowance.either_zero => 0.0,
            true => f64::INFINITY,
            false => scale(result.abs(), format.precision() - 1 - format.min_exponent()),
        };
    }
    let exponent = ulp_exponent(format, exact);
    if result.is_infinite() {
        // An infinite result stands for the number that would follow the largest one, and for all numbers beyond.
        let largest = format.max().copysign(result);
        let short = -exact.distance(largest, exponent) * result.signum();
        return if same_sign { (1.0 - short).max(0.0) } else { f64::INFINITY };
    }
    exact.distance(result, exponent).abs()
}

/// Returns true if a result of zero may be a number that was flushed: `exact` is subnormal before rounding.
pub fn may_be_flushed<E: Exact>(format: Format, result: f64, exact: E) -> bool {
    let tiny = || exact.exponent().0 < format.min_exponent();
    let special = exact.is_nan() || exact.is_infinite() || exact.is_zero();
    result == 0.0 && !special && tiny()
}

#[cfg(test)]
mod tests {
    use super::*;
    use Format::{Double, Float, Half};

    const STRICT: Allowance = Allowance { either_zero: false };

    fn float(result: f64, exact: f64) -> f64 {
        let wide = ulps(Float, result, Quad::from(exact), STRICT);
        assert_eq!(ulps(Float, result, exact, STRICT), wide, "{result:e} for {exact:e}");
        wide
    }

    #[test]
    fn distances_between_numbers() {
        let e = Float.epsilon();
        assert_eq!(float(1.0 + e, 1.0 + e / 4.0), 0.75);
        // A power of two has two neighbours; the nearer one defines the ulp.
        assert_eq!(float(1.0 + e, 1.0), 2.0);
        assert_eq!(float(1.0 - e / 2.0, 1.0), 1.0);
        assert_eq!(float(3.0, 3.0 + e), 0.5);
        // Subnormal numbers have the distances of the least normal one.
        assert_eq!(float(0.0, scale(1.0, -150)), 0.5);
        assert_eq!(float(scale(1.0, -149), scale(1.0, -1000)), 1.0);
        assert_eq!(ulps(Half, 0.0, scale(3.0, -24), STRICT), 3.0);
        assert_eq!(ulps(Double, 5e-324, Quad::from(1.5e-323), STRICT), 2.0);
    }

    #[test]
    fn overflow_is_an_error_like_others() {
        let top = scale(1.0, 128 - 24);
        assert_eq!(float(f64::INFINITY, Float.max()), 1.0);
        assert_eq!(float(f64::INFINITY, Float.max() - 2.0 * top), 3.0);
        assert_eq!(float(f64::INFINITY, Float.max() + top / 2.0), 0.5);
        assert_eq!(float(f64::NEG_INFINITY, -1e300), 0.0);
        assert_eq!(float(f64::INFINITY, -1e300), f64::INFINITY);
        assert_eq!(float(Float.max(), Float.max() + top), 1.0);
        assert_eq!(ulps(Double, f64::INFINITY, Quad::from(f64::MAX), STRICT), 1.0);
        assert_eq!(ulps(Double, f64::INFINITY, f64::MAX, STRICT), 1.0);
        assert_eq!(ulps(Double, f64::MAX, f64::INFINITY, STRICT), f64::INFINITY);
    }

    #[test]
    fn other_values_are_failures() {
        assert_eq!(float(0.0, f64::NAN), f64::INFINITY);
        assert_eq!(float(f64::NAN, 0.0), f64::INFINITY);
        assert_eq!(float(f64::NAN, f64::NAN), 0.0);
        assert_eq!(float(0.0, -0.0), f64::INFINITY);
        assert_eq!(ulps(Float, 0.0, -0.0, Allowance { either_zero: true }), 0.0);
        assert_eq!(float(Float.max(), f64::INFINITY), f64::INFINITY);
        // No sign is prescribed for a zero that comes from rounding.
        assert_eq!(float(0.0, -1e-60), scale(1e-60, 149));
    }

    #[test]
    fn flushed_results() {
        assert!(may_be_flushed(Float, -0.0, 1e-40));
        assert!(!may_be_flushed(Float, 0.0, 1e-37));
        assert!(!may_be_flushed(Float, 1e-45, 1e-40));
        assert!(may_be_flushed(Double, 0.0, Quad::from(1e-310)));
    }
}
