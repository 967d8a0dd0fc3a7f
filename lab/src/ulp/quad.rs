//! Numbers of 113 bits and glibc's functions of them: the reference for functions of doubles.
//!
//! glibc has all of `math.h` for `_Float128`, with errors of a few units in the 113th bit: less than 2^-55 ulp of a
//! double. Stable Rust lacks the type, but the ABIs of x86-64 and AArch64 pass it as they pass a vector of 128 bits
//! (System V ABI for x86-64, 3.2.3; AAPCS64, 6.8.2), so the functions are called as functions of such vectors.

// The vector types are Rust's; they belong to the ABI's classes, as the tests show.
#![allow(improper_ctypes_definitions)]

#[cfg(target_arch = "aarch64")]
use std::arch::aarch64::uint8x16_t as Register;
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::__m128i as Register;
use std::mem::transmute;

/// A number of IEEE 754 binary128.
#[derive(Clone, Copy)]
pub struct Quad(Register);

const FRACTION_BITS: u32 = 112;
const BIAS: i32 = 16383;

impl Quad {
    fn bits(self) -> u128 {
        // SAFETY: both are 128 bits without invalid values.
        unsafe { transmute(self.0) }
    }

    fn of_bits(bits: u128) -> Quad {
        // SAFETY: both are 128 bits without invalid values.
        Quad(unsafe { transmute::<u128, Register>(bits) })
    }

    /// Returns the sum of parts, each smaller than the last bit of the part before it: a constant of more than 53 bits.
    pub fn sum(parts: [f64; 3]) -> Quad {
        let [first, second, third] = parts.map(Quad::from);
        add(first, add(second, third))
    }

    pub fn abs(self) -> Quad {
        Quad::of_bits(self.bits() & !(1 << 127))
    }

    pub fn is_negative(self) -> bool {
        self.bits() >> 127 != 0
    }

    pub fn is_zero(self) -> bool {
        self.abs().bits() == 0
    }

    /// Returns true for infinities and NaNs.
    pub fn is_special(self) -> bool {
        self.biased_exponent() == 0x7FFF
    }

    pub fn is_nan(self) -> bool {
        self.is_special() && self.fraction() != 0
    }

    fn biased_exponent(self) -> i32 {
        (self.bits() >> FRACTION_BITS) as i32 & 0x7FFF
    }

    fn fraction(self) -> u128 {
        self.bits() & ((1 << FRACTION_BITS) - 1)
    }

    /// Returns the exponent of the leading bit of a normal number, and true if that bit is the only one.
    pub fn exponent(self) -> (i32, bool) {
        (self.biased_exponent() - BIAS, self.fraction() == 0)
    }
}

impl From<f64> for Quad {
    fn from(x: f64) -> Quad {
        let bits = x.to_bits();
        let (sign, fraction) = (u128::from(bits >> 63) << 127, bits & ((1 << 52) - 1));
        let place = |exponent: i32| ((exponent + BIAS) as u128) << FRACTION_BITS;
        let magnitude = match (bits >> 52 & 0x7FF) as i32 {
            0 if fraction == 0 => 0,
            0 => {
                let leading = fraction.ilog2();
                let rest = u128::from(fraction ^ (1 << leading)) << (FRACTION_BITS - leading);
                place(leading as i32 - 1074) | rest
            }
            0x7FF if fraction == 0 => 0x7FFF << FRACTION_BITS,
            // The NaN is quiet, since functions treat signaling NaNs in another way.
            0x7FF => 0xFFFF << (FRACTION_BITS - 1),
            exponent => place(exponent - 1023) | (u128::from(fraction) << 60),
        };
        Quad::of_bits(sign | magnitude)
    }
}

/// Defines functions of one or two numbers by their names in glibc.
macro_rules! functions {
    ($($name:ident($($argument:ident),*) = $symbol:ident;)*) => { $(
        pub fn $name($($argument: impl Into<Quad>),*) -> Quad {
            #[link(name = "m")]
            extern "C" {
                fn $symbol();
            }
            type Function = extern "C" fn($(functions!(@register $argument)),*) -> Register;
            // SAFETY: the function takes and returns `_Float128`, which is passed as such a vector.
            let function = unsafe { transmute::<unsafe extern "C" fn(), Function>($symbol) };
            Quad(function($($argument.into().0),*))
        }
    )* };
    (@register $argument:ident) => { Register };
}

functions! {
    sqrt(x) = sqrtf128;
    cbrt(x) = cbrtf128;
    sin(x) = sinf128;
    cos(x) = cosf128;
    tan(x) = tanf128;
    asin(x) = asinf128;
    acos(x) = acosf128;
    atan(x) = atanf128;
    atan2(y, x) = atan2f128;
    sinh(x) = sinhf128;
    cosh(x) = coshf128;
    tanh(x) = tanhf128;
    asinh(x) = asinhf128;
    acosh(x) = acoshf128;
    atanh(x) = atanhf128;
    exp(x) = expf128;
    exp2(x) = exp2f128;
    exp10(x) = exp10f128;
    expm1(x) = expm1f128;
    log(x) = logf128;
    log2(x) = log2f128;
    log10(x) = log10f128;
    log1p(x) = log1pf128;
    pow(x, y) = powf128;
    hypot(x, y) = hypotf128;
    erf(x) = erff128;
    erfc(x) = erfcf128;
    tgamma(x) = tgammaf128;
    lgamma(x) = lgammaf128;
    fma(x, y, z) = fmaf128;
}

pub fn add(x: impl Into<Quad>, y: impl Into<Quad>) -> Quad {
    fma(x, 1.0, y)
}

pub fn mul(x: impl Into<Quad>, y: impl Into<Quad>) -> Quad {
    fma(x, y, -0.0)
}

/// Returns `x * 2^exponent`, rounded to a double.
pub fn scaled(x: Quad, exponent: i32) -> f64 {
    #[link(name = "m")]
    extern "C" {
        fn scalbnf128();
        fn f64addf128();
    }
    type Scale = extern "C" fn(Register, i32) -> Register;
    type Narrow = extern "C" fn(Register, Register) -> f64;
    // SAFETY: these are their types, with `_Float128` passed as such a vector.
    let (scale, narrow) = unsafe {
        (
            transmute::<unsafe extern "C" fn(), Scale>(scalbnf128),
            transmute::<unsafe extern "C" fn(), Narrow>(f64addf128),
        )
    };
    narrow(scale(x.0, exponent), Quad::from(-0.0).0)
}

/// 159 bits of pi.
pub fn pi() -> Quad {
    Quad::sum([std::f64::consts::PI, 1.2246467991473532e-16, -2.9947698097183397e-33])
}

/// 159 bits of 1 / pi.
pub fn inverse_pi() -> Quad {
    Quad::sum([std::f64::consts::FRAC_1_PI, -1.9678676675182486e-17, -1.0721436282893004e-33])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn difference(x: Quad, y: Quad) -> f64 {
        scaled(add(x, mul(y, -1.0)), 0)
    }

    #[test]
    fn doubles_become_quads_and_back() {
        for x in [0.0, 1.0, -1.5, 0.1, f64::MAX, f64::MIN_POSITIVE, 5e-324, 3e-310, -2.5e300] {
            assert_eq!(scaled(x.into(), 0).to_bits(), x.to_bits());
        }
        assert_eq!(scaled(Quad::from(-0.0), 0).to_bits(), (-0.0f64).to_bits());
        assert!(Quad::from(f64::NAN).is_nan() && !Quad::from(f64::INFINITY).is_nan());
        assert!(Quad::from(f64::INFINITY).is_special());
        assert_eq!(Quad::from(0.25).exponent(), (-2, true));
        assert_eq!(Quad::from(5e-324).exponent(), (-1074, true));
        assert_eq!(Quad::from(-3.0).exponent(), (1, false));
    }

    #[test]
    fn constants_and_functions_have_113_bits() {
        let last_bits = 2f64.powi(-110);
        assert!(difference(mul(atan(1.0), 4.0), pi()).abs() < last_bits);
        assert!(difference(mul(pi(), inverse_pi()), 1.0.into()).abs() < last_bits);
        let root = sqrt(2.0);
        assert!(difference(mul(root, root), 2.0.into()).abs() < last_bits);
        let (sine, cosine) = (sin(0.7), cos(0.7));
        assert!(
            difference(add(mul(sine, sine), mul(cosine, cosine)), 1.0.into()).abs() < last_bits
        );
        assert!(difference(log(exp(2.5)), 2.5.into()).abs() < 4.0 * last_bits);
        assert!(difference(pow(3.0, 0.5), sqrt(3.0)).abs() < last_bits);
        // Gamma(1/2)^2 = pi, erf + erfc = 1.
        assert!(difference(mul(tgamma(0.5), tgamma(0.5)), pi()).abs() < 64.0 * last_bits);
        assert!(difference(add(erf(0.3), erfc(0.3)), 1.0.into()).abs() < 4.0 * last_bits);
    }
}
