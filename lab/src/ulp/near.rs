//! Reference functions in doubles: those that Rust's library lacks, and those that OpenCL C defines in another way (7.5).

use super::format::Format;
use std::f64::consts::{FRAC_1_PI, PI};
use std::ffi::c_int;

mod c {
    use std::ffi::c_int;

    #[link(name = "m")]
    extern "C" {
        pub fn exp10(x: f64) -> f64;
        pub fn acosh(x: f64) -> f64;
        pub fn asinh(x: f64) -> f64;
        pub fn atanh(x: f64) -> f64;
        pub fn erf(x: f64) -> f64;
        pub fn erfc(x: f64) -> f64;
        pub fn tgamma(x: f64) -> f64;
        pub fn lgamma(x: f64) -> f64;
        pub fn logb(x: f64) -> f64;
        pub fn remainder(x: f64, y: f64) -> f64;
        pub fn fdim(x: f64, y: f64) -> f64;
        pub fn frexp(x: f64, exponent: *mut c_int) -> f64;
    }
}

/// Makes functions of the C library callable from safe code.
macro_rules! of_c {
    ($($name:ident($($argument:ident),*);)*) => { $(
        pub fn $name($($argument: f64),*) -> f64 {
            // SAFETY: the function takes any numbers.
            unsafe { c::$name($($argument),*) }
        }
    )* };
}

of_c! {
    exp10(x);
    acosh(x);
    asinh(x);
    atanh(x);
    erf(x);
    erfc(x);
    tgamma(x);
    lgamma(x);
    logb(x);
    remainder(x, y);
    fdim(x, y);
}

/// Returns fraction and exponent; the exponent of zero, infinities and NaN is 0.
pub fn frexp(x: f64) -> (f64, f64) {
    let mut exponent: c_int = 0;
    // SAFETY: the place is a variable.
    let fraction = unsafe { c::frexp(x, &mut exponent) };
    (fraction, if x.is_finite() { f64::from(exponent) } else { 0.0 })
}

/// Returns seven bits of the quotient, with its sign.
pub fn quotient(x: f64, y: f64) -> f64 {
    if remainder(x, y).is_nan() || y.is_infinite() {
        return 0.0;
    }
    let (x_abs, y_abs) = (x.abs(), y.abs());
    let low = if y_abs > f64::MAX / 128.0 { x_abs } else { x_abs % (128.0 * y_abs) };
    let mut bits = 0.0;
    let mut rest = low;
    for power in (0..7).rev() {
        let part = y_abs * f64::from(1 << power);
        if rest >= part {
            rest -= part;
            bits += f64::from(1 << power);
        }
    }
    // Rounds to the nearest, ties to even.
    let twice = rest - (y_abs - rest);
    if twice > 0.0 || (twice == 0.0 && bits % 2.0 == 1.0) {
        bits += 1.0;
    }
    let bits = bits % 128.0;
    if x.is_sign_negative() != y.is_sign_negative() {
        0.0 - bits
    } else {
        bits
    }
}

/// Returns x less an even integer, from -1 to 1.
fn less_even(x: f64) -> f64 {
    remainder(x, 2.0)
}

/// Returns r such that sin(pi x) = sin(pi r), from -0.5 to 0.5.
pub fn sine_turn(x: f64) -> f64 {
    let r = less_even(x);
    match r.abs() > 0.5 {
        true => (1.0 - r.abs()).copysign(r),
        false => r,
    }
}

pub fn sinpi(x: f64) -> f64 {
    let r = sine_turn(x);
    if r == 0.0 {
        r.abs().copysign(x)
    } else {
        (PI * r).sin()
    }
}

/// Returns r such that cos(pi x) = sin(pi r).
pub fn cosine_turn(x: f64) -> f64 {
    0.5 - less_even(x).abs()
}

pub fn cospi(x: f64) -> f64 {
    let r = cosine_turn(x);
    if r == 0.0 {
        0.0
    } else {
        (PI * r).sin()
    }
}

/// Returns tan(pi x) from a sine and a cosine of pi x that are exact where they are zero (7.5.1).
pub fn tanpi_pole(x: f64) -> Option<f64> {
    let turns = less_even(x);
    match turns.abs() {
        0.0 => Some(0.0f64.copysign(x)),
        1.0 => Some(0.0f64.copysign(-x)),
        0.5 => Some(f64::INFINITY.copysign(turns)),
        _ => None,
    }
}

pub fn tanpi(x: f64) -> f64 {
    tanpi_pole(x).unwrap_or_else(|| sinpi(x) / cospi(x))
}

pub fn asinpi(x: f64) -> f64 {
    x.asin() * FRAC_1_PI
}

pub fn acospi(x: f64) -> f64 {
    x.acos() * FRAC_1_PI
}

pub fn atanpi(x: f64) -> f64 {
    x.atan() * FRAC_1_PI
}

pub fn atan2pi(y: f64, x: f64) -> f64 {
    y.atan2(x) * FRAC_1_PI
}

/// Returns powr for values for which it differs from pow.
pub fn powr_edge(x: f64, y: f64) -> Option<f64> {
    let undefined = x < 0.0
        || x.is_nan()
        || y.is_nan()
        || (y == 0.0 && (x == 0.0 || x.is_infinite()))
        || (x == 1.0 && y.is_infinite());
    undefined.then_some(f64::NAN)
}

pub fn powr(x: f64, y: f64) -> f64 {
    powr_edge(x, y).unwrap_or_else(|| x.abs().powf(y))
}

/// Returns the sign of a root; `None` if the root is not defined.
pub fn root_sign(x: f64, n: f64) -> Option<f64> {
    let odd = n % 2.0 != 0.0;
    if n == 0.0 || x.is_nan() || (x < 0.0 && !odd) {
        return None;
    }
    Some(if odd { 1f64.copysign(x) } else { 1.0 })
}

pub fn rootn(v: &[f64]) -> f64 {
    let (x, n) = (v[0], v[1]);
    root_sign(x, n).map_or(f64::NAN, |sign| sign * x.abs().powf(1.0 / n))
}

pub fn fract(v: &[f64], format: Format) -> f64 {
    let x = v[0];
    let below_one = 1.0 - format.epsilon() / 2.0;
    match x {
        _ if x.is_nan() => x,
        _ if x.is_infinite() || x == 0.0 => 0f64.copysign(x),
        _ => (x - x.floor()).min(below_one),
    }
}

/// The fraction of modf (7.5.2).
pub fn modf(x: f64) -> f64 {
    let fraction = if x.is_infinite() { 0.0 } else { x - x.trunc() };
    fraction.copysign(x)
}

pub fn maxmag(x: f64, y: f64) -> f64 {
    match (x.abs() > y.abs(), y.abs() > x.abs()) {
        (true, _) => x,
        (_, true) => y,
        _ => x.max(y),
    }
}

pub fn minmag(x: f64, y: f64) -> f64 {
    match (x.abs() < y.abs(), y.abs() < x.abs()) {
        (true, _) => x,
        (_, true) => y,
        _ => x.min(y),
    }
}

/// The sign of the gamma function; 0 at its poles.
pub fn gamma_sign(x: f64) -> f64 {
    match x {
        _ if x > 0.0 => 1.0,
        _ if x == x.trunc() => 0.0,
        _ if x.floor() % 2.0 == 0.0 => 1.0,
        _ => -1.0,
    }
}

pub fn sign(x: f64) -> f64 {
    match x {
        _ if x.is_nan() => 0.0,
        _ if x == 0.0 => x,
        _ => 1f64.copysign(x),
    }
}

pub fn ilogb(x: f64) -> f64 {
    match x {
        0.0 => f64::from(i32::MIN),
        _ if x.is_infinite() => f64::from(i32::MAX),
        _ => logb(x),
    }
}

pub fn smoothstep(v: &[f64]) -> f64 {
    let t = ((v[2] - v[0]) / (v[1] - v[0])).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns() {
        assert_eq!(sinpi(-0.0).to_bits(), (-0.0f64).to_bits());
        assert_eq!(sinpi(3.0).to_bits(), 0);
        assert_eq!(sinpi(-3.0).to_bits(), (-0.0f64).to_bits());
        assert_eq!(sinpi(2.5), 1.0);
        assert_eq!(cospi(1.5).to_bits(), 0);
        assert_eq!(cospi(1e22), 1.0);
        assert_eq!(tanpi(0.5), f64::INFINITY);
        assert_eq!(tanpi(1.5), f64::NEG_INFINITY);
        assert_eq!(tanpi(-0.5), f64::NEG_INFINITY);
        assert_eq!(tanpi(-1.0).to_bits(), 0);
        assert_eq!(tanpi(1.0).to_bits(), (-0.0f64).to_bits());
        assert!(tanpi(f64::INFINITY).is_nan() && (tanpi(0.25) - 1.0).abs() < 1e-15);
    }

    #[test]
    fn quotients_have_seven_bits() {
        assert_eq!(quotient(1000.0, 1.0), f64::from(1000 % 128));
        assert_eq!(quotient(-7.0, 2.0), -4.0);
        assert_eq!(quotient(5.0, 2.0), 2.0);
        assert_eq!(quotient(127.75, 1.0), 0.0);
        assert_eq!(quotient(3.0, 0.0), 0.0);
        assert_eq!(quotient(f64::MAX, f64::MAX / 3.0), 3.0);
    }

    #[test]
    fn roots_and_powers() {
        assert_eq!(rootn(&[-8.0, 3.0]), -2.0);
        assert!(rootn(&[-8.0, 2.0]).is_nan() && rootn(&[1.0, 0.0]).is_nan());
        assert_eq!(rootn(&[-0.0, -3.0]), f64::NEG_INFINITY);
        assert!(powr(1.0, f64::INFINITY).is_nan() && powr(0.0, 0.0).is_nan());
        assert_eq!(powr(-0.0, 3.0).to_bits(), 0);
        assert_eq!(gamma_sign(-0.5), -1.0);
        assert_eq!(gamma_sign(-1.5), 1.0);
    }
}
