//! The functions of the tables in OpenCL C 7.4, with their bounds for the full profile.

use super::format::Format;
use super::near;
use super::quad::{self, Quad};
use super::row::Reference::{List, One, Three, Two, Typed};
use super::row::{ulps, Bound, Choice, Row, HALF_PREFIX, NATIVE, ROUNDED};

/// The range of angles for which native functions are measured.
const TURN: Choice = Choice::Range(-std::f64::consts::PI, std::f64::consts::PI);
/// The range of arguments of half_cos, half_sin and half_tan (6.15.2).
const HALF_ANGLES: Choice = Choice::Range(-65536.0, 65536.0);
const UNIT: Choice = Choice::Range(0.0, 1.0);

fn no_nan(v: &[f64], _: Format) -> bool {
    v.iter().all(|x| !x.is_nan())
}

/// Returns true if the squares and their sums are far from overflow.
fn small_squares(v: &[f64], format: Format) -> bool {
    let limit = super::format::scale(1.0, format.max_exponent() / 2 - 2);
    v.iter().all(|x| x.abs() < limit)
}

fn finite(v: &[f64], _: Format) -> bool {
    v.iter().all(|x| x.is_finite())
}

/// The absolute error that dot and cross may have, by the number of operations.
fn tolerance(v: &[f64], operations: f64, format: Format) -> f64 {
    let largest = v.iter().fold(0f64, |largest, x| largest.max(x.abs()));
    largest * largest * operations * format.epsilon()
}

fn sinpi(x: f64) -> Quad {
    match near::sinpi(x) {
        0.0 => Quad::from(near::sinpi(x)),
        _ => quad::sin(quad::mul(quad::pi(), near::sine_turn(x))),
    }
}

fn cospi(x: f64) -> Quad {
    match near::cospi(x) {
        0.0 => Quad::from(0.0),
        _ => quad::sin(quad::mul(quad::pi(), cosine_turn(x))),
    }
}

/// Returns 0.5 - |r|, where r is x less an even integer: a double cannot hold the difference for small r.
fn cosine_turn(x: f64) -> Quad {
    quad::add(0.5, -near::remainder(x, 2.0).abs())
}

fn tanpi(x: f64) -> Quad {
    match near::tanpi_pole(x) {
        Some(value) => Quad::from(value),
        None => {
            // Within a quarter of a turn both functions are far from their poles.
            let r = near::remainder(x, 1.0);
            match r.abs() <= 0.25 {
                true => quad::tan(quad::mul(quad::pi(), r)),
                false => {
                    let other = quad::tan(quad::mul(quad::pi(), quad::add(0.5, -r.abs())));
                    quad::mul(quad::pow(other, -1.0), 1f64.copysign(r))
                }
            }
        }
    }
}

fn rsqrt(x: f64) -> Quad {
    match x == 0.0 {
        // For -0 the result is 1 / sqrt(-0).
        true => Quad::from(1.0 / x),
        false => quad::pow(quad::sqrt(x), -1.0),
    }
}

fn powr(x: f64, y: f64) -> Quad {
    near::powr_edge(x, y).map_or_else(|| quad::pow(x.abs(), y), Quad::from)
}

fn rootn(v: &[f64]) -> Quad {
    let (x, n) = (v[0], v[1]);
    let root = || quad::pow(x.abs(), quad::pow(n, -1.0));
    near::root_sign(x, n).map_or(Quad::from(f64::NAN), |sign| quad::mul(root(), sign))
}

/// The square of the length of a vector.
fn square(v: &[f64]) -> Quad {
    v.iter().fold(Quad::from(0.0), |sum, x| quad::fma(*x, *x, sum))
}

fn length(v: &[f64]) -> Quad {
    quad::sqrt(square(v))
}

fn distance(v: &[f64]) -> Quad {
    let square = (0..4).fold(Quad::from(0.0), |sum, i| {
        let difference = quad::add(v[i], -v[i + 4]);
        quad::fma(difference, difference, sum)
    });
    quad::sqrt(square)
}

fn normalize(v: &[f64]) -> Quad {
    let length = length(v);
    match length.is_zero() {
        true => Quad::from(v[0]),
        false => quad::mul(v[0], quad::pow(length, -1.0)),
    }
}

fn near_distance(v: &[f64]) -> f64 {
    (0..4).map(|i| (v[i] - v[i + 4]).powi(2)).sum::<f64>().sqrt()
}

fn near_length(v: &[f64]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

fn near_normalize(v: &[f64]) -> f64 {
    if near_length(v) == 0.0 {
        v[0]
    } else {
        v[0] / near_length(v)
    }
}

fn near_dot(v: &[f64]) -> f64 {
    (0..4).map(|i| v[i] * v[i + 4]).sum()
}

fn dot(v: &[f64]) -> Quad {
    (0..4).fold(Quad::from(0.0), |sum, i| quad::fma(v[i], v[i + 4], sum))
}

fn near_cross(v: &[f64]) -> f64 {
    v[1].mul_add(v[5], -(v[2] * v[4]))
}

fn cross(v: &[f64]) -> Quad {
    quad::fma(v[1], v[5], quad::mul(-v[2], v[4]))
}

/// The operators.
const OPERATORS: [Row; 5] = [
    Row::exact("x + y", "r = x + y;", Two(|x, y| x + y)),
    Row::exact("x - y", "r = x - y;", Two(|x, y| x - y)),
    Row::exact("x * y", "r = x * y;", Two(|x, y| x * y)),
    Row::exact("1 / x", "r = 1 / x;", One(|x| 1.0 / x)).bounds([
        Bound::Ulp(1.0),
        Bound::Ulp(2.5),
        Bound::Rounded,
    ]),
    Row::exact("x / y", "r = x / y;", Two(|x, y| x / y)).bounds([
        Bound::Ulp(1.0),
        Bound::Ulp(2.5),
        Bound::Rounded,
    ]),
];

/// Functions of angles and their inverses.
#[rustfmt::skip]
const ANGLES: [Row; 18] = [
    Row::rounded("acos", "r = acos(x);", One(f64::acos), One(quad::acos), ulps(2.0, 4.0, 4.0)),
    Row::rounded("acospi", "r = acospi(x);", One(near::acospi), One(|x| quad::mul(quad::acos(x), quad::inverse_pi())), ulps(2.0, 5.0, 5.0)),
    Row::rounded("asin", "r = asin(x);", One(f64::asin), One(quad::asin), ulps(2.0, 4.0, 4.0)),
    Row::rounded("asinpi", "r = asinpi(x);", One(near::asinpi), One(|x| quad::mul(quad::asin(x), quad::inverse_pi())), ulps(2.0, 5.0, 5.0)),
    Row::rounded("atan", "r = atan(x);", One(f64::atan), One(quad::atan), ulps(2.0, 5.0, 5.0)),
    Row::rounded("atan2", "r = atan2(x, y);", Two(f64::atan2), Two(quad::atan2), ulps(2.0, 6.0, 6.0)),
    Row::rounded("atanpi", "r = atanpi(x);", One(near::atanpi), One(|x| quad::mul(quad::atan(x), quad::inverse_pi())), ulps(2.0, 5.0, 5.0)),
    Row::rounded("atan2pi", "r = atan2pi(x, y);", Two(near::atan2pi), Two(|x, y| quad::mul(quad::atan2(x, y), quad::inverse_pi())), ulps(2.0, 6.0, 6.0)),
    Row::rounded("cos", "r = cos(x);", One(f64::cos), One(quad::cos), ulps(2.0, 4.0, 4.0)),
    Row::rounded("cospi", "r = cospi(x);", One(near::cospi), One(cospi), ulps(2.0, 4.0, 4.0)),
    Row::rounded("sin", "r = sin(x);", One(f64::sin), One(quad::sin), ulps(2.0, 4.0, 4.0)),
    Row::rounded("sincos, sine", "r = sincos(x, &p);", One(f64::sin), One(quad::sin), ulps(2.0, 4.0, 4.0)),
    Row::rounded("sincos, cosine", "p = sincos(x, &r);", One(f64::cos), One(quad::cos), ulps(2.0, 4.0, 4.0)),
    Row::rounded("sinpi", "r = sinpi(x);", One(near::sinpi), One(sinpi), ulps(2.0, 4.0, 4.0)),
    Row::rounded("tan", "r = tan(x);", One(f64::tan), One(quad::tan), ulps(2.5, 5.0, 5.0)),
    Row::rounded("tanpi", "r = tanpi(x);", One(near::tanpi), One(tanpi), ulps(2.0, 6.0, 6.0)),
    Row::exact("degrees", "r = degrees(x);", One(f64::to_degrees)).bounds(ulps(2.0, 2.0, 2.0)).defined(no_nan),
    Row::exact("radians", "r = radians(x);", One(f64::to_radians)).bounds(ulps(2.0, 2.0, 2.0)).defined(no_nan),
];

/// Exponentials, logarithms, powers, and functions that are made of them.
#[rustfmt::skip]
const EXPONENTIALS: [Row; 27] = [
    Row::rounded("acosh", "r = acosh(x);", One(near::acosh), One(quad::acosh), ulps(2.0, 4.0, 4.0)).near_error(3.0),
    Row::rounded("asinh", "r = asinh(x);", One(near::asinh), One(quad::asinh), ulps(2.0, 4.0, 4.0)).near_error(3.0),
    Row::rounded("atanh", "r = atanh(x);", One(near::atanh), One(quad::atanh), ulps(2.0, 5.0, 5.0)).near_error(3.0),
    Row::rounded("cbrt", "r = cbrt(x);", One(f64::cbrt), One(quad::cbrt), ulps(2.0, 2.0, 2.0)),
    Row::rounded("cosh", "r = cosh(x);", One(f64::cosh), One(quad::cosh), ulps(2.0, 4.0, 4.0)),
    Row::rounded("erfc", "r = erfc(x);", One(near::erfc), One(quad::erfc), ulps(4.0, 16.0, 16.0)).near_error(8.0),
    Row::rounded("erf", "r = erf(x);", One(near::erf), One(quad::erf), ulps(4.0, 16.0, 16.0)).near_error(2.0),
    Row::rounded("exp", "r = exp(x);", One(f64::exp), One(quad::exp), ulps(2.0, 3.0, 3.0)),
    Row::rounded("exp2", "r = exp2(x);", One(f64::exp2), One(quad::exp2), ulps(2.0, 3.0, 3.0)),
    Row::rounded("exp10", "r = exp10(x);", One(near::exp10), One(quad::exp10), ulps(2.0, 3.0, 3.0)).near_error(3.0),
    Row::rounded("expm1", "r = expm1(x);", One(f64::exp_m1), One(quad::expm1), ulps(2.0, 3.0, 3.0)),
    Row::rounded("hypot", "r = hypot(x, y);", Two(f64::hypot), Two(quad::hypot), ulps(2.0, 4.0, 4.0)),
    Row::rounded("lgamma", "r = lgamma(x);", One(near::lgamma), One(quad::lgamma), [Bound::None; 3]).near_error(1e9),
    Row::rounded("lgamma_r", "r = lgamma_r(x, &q);", One(near::lgamma), One(quad::lgamma), [Bound::None; 3]).near_error(1e9),
    Row::rounded("log", "r = log(x);", One(f64::ln), One(quad::log), ulps(2.0, 3.0, 3.0)),
    Row::rounded("log2", "r = log2(x);", One(f64::log2), One(quad::log2), ulps(2.0, 3.0, 3.0)),
    Row::rounded("log10", "r = log10(x);", One(f64::log10), One(quad::log10), ulps(2.0, 3.0, 3.0)).near_error(2.0),
    Row::rounded("log1p", "r = log1p(x);", One(f64::ln_1p), One(quad::log1p), ulps(2.0, 2.0, 2.0)),
    Row::rounded("pow", "r = pow(x, y);", Two(f64::powf), Two(quad::pow), ulps(4.0, 16.0, 16.0)).choice(Choice::Power),
    Row::rounded("pown", "r = pown(x, n);", Two(f64::powf), Two(quad::pow), ulps(4.0, 16.0, 16.0)).integer().choice(Choice::Power),
    Row::rounded("powr", "r = powr(x, y);", Two(near::powr), Two(powr), ulps(4.0, 16.0, 16.0)).choice(Choice::Power),
    Row::rounded("rootn", "r = rootn(x, n);", List(near::rootn), List(rootn), ulps(4.0, 16.0, 16.0)).integer().near_error(1e3),
    Row::rounded("rsqrt", "r = rsqrt(x);", One(|x| 1.0 / x.sqrt()), One(rsqrt), ulps(1.0, 2.0, 2.0)).near_error(2.0),
    Row::rounded("sinh", "r = sinh(x);", One(f64::sinh), One(quad::sinh), ulps(2.0, 4.0, 4.0)).near_error(3.0),
    Row::exact("sqrt", "r = sqrt(x);", One(f64::sqrt)).bounds([Bound::Ulp(1.5), Bound::Ulp(3.0), Bound::Rounded]),
    Row::rounded("tanh", "r = tanh(x);", One(f64::tanh), One(quad::tanh), ulps(2.0, 5.0, 5.0)).near_error(3.0),
    Row::rounded("tgamma", "r = tgamma(x);", One(near::tgamma), One(quad::tgamma), ulps(4.0, 16.0, 16.0)).near_error(12.0),
];

/// Functions whose results are exact or rounded once.
#[rustfmt::skip]
const EXACT: [Row; 36] = [
    Row::exact("ceil", "r = ceil(x);", One(f64::ceil)),
    Row::exact("clamp", "r = clamp(x, y, z);", Three(|x, low, high| x.max(low).min(high)))
        .defined(|v, f| no_nan(v, f) && v[1] <= v[2]).either_zero(),
    Row::exact("copysign", "r = copysign(x, y);", Two(f64::copysign)).defined(no_nan),
    Row::exact("fabs", "r = fabs(x);", One(f64::abs)),
    Row::exact("fdim", "r = fdim(x, y);", Two(near::fdim)),
    Row::exact("floor", "r = floor(x);", One(f64::floor)),
    Row::rounded("fma", "r = fma(x, y, z);", Three(f64::mul_add), Three(quad::fma), ROUNDED).always_wide(),
    Row::exact("fmax", "r = fmax(x, y);", Two(f64::max)).either_zero(),
    Row::exact("fmin", "r = fmin(x, y);", Two(f64::min)).either_zero(),
    Row::exact("fmod", "r = fmod(x, y);", Two(|x, y| x % y)),
    Row::exact("fract", "r = fract(x, &p);", Typed(near::fract)).values(1),
    Row::exact("fract, floor", "fract(x, &r);", One(f64::floor)),
    Row::exact("frexp", "r = frexp(x, &q);", One(|x| near::frexp(x).0)),
    Row::exact("frexp, exponent", "frexp(x, &q); r = q;", One(|x| near::frexp(x).1)),
    Row::exact("ilogb", "r = ilogb(x);", One(near::ilogb)).defined(no_nan),
    Row::exact("ldexp", "r = ldexp(x, n);", Two(|x, n| super::format::scale(x, n.clamp(-5000.0, 5000.0) as i32))).integer(),
    Row::exact("lgamma_r, sign", "lgamma_r(x, &q); r = q;", One(near::gamma_sign)).defined(finite),
    Row::exact("logb", "r = logb(x);", One(near::logb)),
    Row::exact("mad", "r = mad(x, y, z);", Three(f64::mul_add)).bounds([Bound::None; 3]),
    Row::exact("max", "r = max(x, y);", Two(f64::max)).defined(no_nan).either_zero(),
    Row::exact("maxmag", "r = maxmag(x, y);", Two(near::maxmag)).either_zero(),
    Row::exact("min", "r = min(x, y);", Two(f64::min)).defined(no_nan).either_zero(),
    Row::exact("minmag", "r = minmag(x, y);", Two(near::minmag)).either_zero(),
    Row::exact("modf", "r = modf(x, &p);", One(near::modf)),
    Row::exact("modf, whole part", "modf(x, &r);", One(f64::trunc)),
    Row::exact("nan", "r = nan(AS_BITS(x));", One(|_| f64::NAN)),
    Row::exact("nextafter", "r = nextafter(x, y);", Typed(|v, format| format.next_after(v[0], v[1]))),
    Row::exact("remainder", "r = remainder(x, y);", Two(near::remainder)),
    Row::exact("remquo", "r = remquo(x, y, &q);", Two(near::remainder)),
    Row::exact("remquo, quotient", "remquo(x, y, &q); r = q < 0 ? -(-q & 127) : q & 127;", Two(near::quotient)),
    Row::exact("rint", "r = rint(x);", One(f64::round_ties_even)),
    Row::exact("round", "r = round(x);", One(f64::round)),
    Row::exact("sign", "r = sign(x);", One(near::sign)).either_zero(),
    Row::exact("step", "r = step(x, y);", Two(|edge, x| if x < edge { 0.0 } else { 1.0 })).defined(no_nan),
    Row::exact("trunc", "r = trunc(x);", One(f64::trunc)),
    Row::exact("-x", "r = -x;", One(|x| -x)),
];

/// Common and geometric functions; functions of vectors for the widest vectors.
#[rustfmt::skip]
const VECTORS: [Row; 7] = [
    Row::rounded("cross", "r = cross((T3)(x, y, z), (T3)(w, x2, y2)).x;", List(near_cross), List(cross), [Bound::Absolute(|v, f| tolerance(v, 3.0, f)); 3])
        .values(6).defined(small_squares),
    Row::rounded("distance of T4", "r = distance((T4)(x, y, z, w), (T4)(x2, y2, z2, w2));", List(near_distance), List(distance), ulps(8.0, 10.5, 13.5))
        .values(8).defined(finite).near_error(4.0),
    Row::rounded("dot of T4", "r = dot((T4)(x, y, z, w), (T4)(x2, y2, z2, w2));", List(near_dot), List(dot), [Bound::Absolute(|v, f| tolerance(v, 7.0, f)); 3])
        .values(8).defined(small_squares),
    Row::rounded("length of T4", "r = length((T4)(x, y, z, w));", List(near_length), List(length), ulps(2.25, 4.75, 9.5))
        .values(4).defined(finite).near_error(4.0),
    Row::exact("mix", "r = mix(x, y, z);", Three(|x, y, a| x + (y - x) * a)).choice(UNIT)
        .bounds([Bound::None, Bound::Absolute(|_, _| 1e-3), Bound::None]),
    Row::rounded("normalize of T4", "r = normalize((T4)(x, y, z, w)).x;", List(near_normalize), List(normalize), ulps(5.0, 6.0, 8.5))
        .values(4).defined(finite).near_error(6.0),
    Row::exact("smoothstep", "r = smoothstep(x, y, z);", List(near::smoothstep)).values(3).choice(UNIT)
        .bounds([Bound::None, Bound::Absolute(|_, _| 1e-5), Bound::None]).defined(|v, _| v[0] < v[1]),
];

/// Functions of floats that need less accuracy.
#[rustfmt::skip]
const HALF_AND_FAST: [Row; 17] = [
    Row::of_float("half_cos", "r = half_cos(x);", One(f64::cos), HALF_PREFIX).choice(HALF_ANGLES),
    Row::of_float("half_divide", "r = half_divide(x, y);", Two(|x, y| x / y), HALF_PREFIX),
    Row::of_float("half_exp", "r = half_exp(x);", One(f64::exp), HALF_PREFIX),
    Row::of_float("half_exp2", "r = half_exp2(x);", One(f64::exp2), HALF_PREFIX),
    Row::of_float("half_exp10", "r = half_exp10(x);", One(near::exp10), HALF_PREFIX),
    Row::of_float("half_log", "r = half_log(x);", One(f64::ln), HALF_PREFIX),
    Row::of_float("half_log2", "r = half_log2(x);", One(f64::log2), HALF_PREFIX),
    Row::of_float("half_log10", "r = half_log10(x);", One(f64::log10), HALF_PREFIX),
    Row::of_float("half_powr", "r = half_powr(x, y);", Two(near::powr), HALF_PREFIX).choice(Choice::Power),
    Row::of_float("half_recip", "r = half_recip(x);", One(|x| 1.0 / x), HALF_PREFIX),
    Row::of_float("half_rsqrt", "r = half_rsqrt(x);", One(|x| 1.0 / x.sqrt()), HALF_PREFIX),
    Row::of_float("half_sin", "r = half_sin(x);", One(f64::sin), HALF_PREFIX).choice(HALF_ANGLES),
    Row::of_float("half_sqrt", "r = half_sqrt(x);", One(f64::sqrt), HALF_PREFIX),
    Row::of_float("half_tan", "r = half_tan(x);", One(f64::tan), HALF_PREFIX).choice(HALF_ANGLES),
    Row::of_float("fast_distance of T4", "r = fast_distance((T4)(x, y, z, w), (T4)(x2, y2, z2, w2));", List(near_distance), [Bound::Absent, Bound::Ulp(8199.5), Bound::Absent])
        .values(8).defined(fast),
    Row::of_float("fast_length of T4", "r = fast_length((T4)(x, y, z, w));", List(near_length), [Bound::Absent, Bound::Ulp(8195.5), Bound::Absent])
        .values(4).defined(fast),
    Row::of_float("fast_normalize of T4", "r = fast_normalize((T4)(x, y, z, w)).x;", List(near_normalize), [Bound::Absent, Bound::Ulp(8196.0), Bound::Absent])
        .values(4).defined(fast),
];

/// Returns true if neither the squares nor their sum overflow or lose bits by underflow: fast functions compute them.
fn fast(v: &[f64], format: Format) -> bool {
    let least = super::format::scale(1.0, format.min_exponent() / 2 + 16);
    small_squares(v, format) && v.iter().all(|x| *x == 0.0 || x.abs() > least)
}

/// Functions of floats whose error is the implementation's own.
#[rustfmt::skip]
const NATIVE_FUNCTIONS: [Row; 14] = [
    Row::of_float("native_cos", "r = native_cos(x);", One(f64::cos), NATIVE).choice(TURN),
    Row::of_float("native_divide", "r = native_divide(x, y);", Two(|x, y| x / y), NATIVE),
    Row::of_float("native_exp", "r = native_exp(x);", One(f64::exp), NATIVE),
    Row::of_float("native_exp2", "r = native_exp2(x);", One(f64::exp2), NATIVE),
    Row::of_float("native_exp10", "r = native_exp10(x);", One(near::exp10), NATIVE),
    Row::of_float("native_log", "r = native_log(x);", One(f64::ln), NATIVE),
    Row::of_float("native_log2", "r = native_log2(x);", One(f64::log2), NATIVE),
    Row::of_float("native_log10", "r = native_log10(x);", One(f64::log10), NATIVE),
    Row::of_float("native_powr", "r = native_powr(x, y);", Two(near::powr), NATIVE).choice(Choice::Power),
    Row::of_float("native_recip", "r = native_recip(x);", One(|x| 1.0 / x), NATIVE),
    Row::of_float("native_rsqrt", "r = native_rsqrt(x);", One(|x| 1.0 / x.sqrt()), NATIVE),
    Row::of_float("native_sin", "r = native_sin(x);", One(f64::sin), NATIVE).choice(TURN),
    Row::of_float("native_sqrt", "r = native_sqrt(x);", One(f64::sqrt), NATIVE),
    Row::of_float("native_tan", "r = native_tan(x);", One(f64::tan), NATIVE).choice(TURN),
];

/// Returns all functions, in the order of the document.
pub fn all() -> impl Iterator<Item = &'static Row> {
    static GROUPS: [&[Row]; 7] =
        [&OPERATORS, &ANGLES, &EXPONENTIALS, &EXACT, &VECTORS, &HALF_AND_FAST, &NATIVE_FUNCTIONS];
    GROUPS.into_iter().flatten()
}
