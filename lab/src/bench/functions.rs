//! Measures built-in functions, conversions and divisions: a line for the rate of each, and their geometric means.

use super::cl::{Result, Session};
use super::host_math::{erf, lgamma, remainder, tgamma};
use super::measure::{expect, Better, LOCAL};
use super::scale::Scale;
use super::table::Row;
use std::f64::consts::{LN_2, PI};
use std::time::Instant;

/// Calls per work-item.
const CALLS: usize = 64;
/// The number of samples, of which the fastest counts, and the seconds that the launches of each take together: long
/// enough that the cost of a launch, which has lines of its own, hardly counts.
const SAMPLES: usize = 4;
const SAMPLE_TIME: f64 = 2e-3;
/// The most launches of a sample.
const MAX_LAUNCHES: f64 = 64.0;
/// The largest difference between a sum of results and the host's sum, as a part of the sum of their magnitudes.
const TOLERANCE: f64 = 0.01;

/// An expression of `x`, which runs from `low` almost to `high`, and `y`, which runs from 1.75 to 1.9375. `i` counts
/// the calls from a number that is an argument, so that no compiler that unrolls the loop knows it. The ends are such
/// that all arguments are exact.
struct Function {
    name: &'static str,
    call: &'static str,
    low: f64,
    high: f64,
    host: fn(f64, f64, i32) -> f64,
}

const fn of_x(
    name: &'static str,
    call: &'static str,
    (low, high): (f64, f64),
    host: fn(f64, f64, i32) -> f64,
) -> Function {
    Function { name, call, low, high, host }
}

const WIDE: (f64, f64) = (-8.0, 8.0);
const ANGLES: (f64, f64) = (-32.0, 32.0);
const TURNS: (f64, f64) = (-3.25, 3.25);
const POSITIVE: (f64, f64) = (0.125, 32.125);
const UNIT: (f64, f64) = (-0.9921875, 0.9921875);
const NEAR: (f64, f64) = (0.5, 8.5);
const BYTES: (f64, f64) = (-16.0, 304.0);

/// Functions of float and double.
const FUNCTIONS: &[Function] = &[
    of_x("acos", "acos(x)", UNIT, |x, _, _| x.acos()),
    of_x("acosh", "acosh(x)", (1.0625, 33.0625), |x, _, _| x.acosh()),
    of_x("acospi", "acospi(x)", UNIT, |x, _, _| x.acos() / PI),
    of_x("asin", "asin(x)", UNIT, |x, _, _| x.asin()),
    of_x("asinh", "asinh(x)", WIDE, |x, _, _| x.asinh()),
    of_x("asinpi", "asinpi(x)", UNIT, |x, _, _| x.asin() / PI),
    of_x("atan", "atan(x)", WIDE, |x, _, _| x.atan()),
    of_x("atan2", "atan2(x, y)", WIDE, |x, y, _| x.atan2(y)),
    of_x("atan2pi", "atan2pi(x, y)", WIDE, |x, y, _| x.atan2(y) / PI),
    of_x("atanh", "atanh(x)", UNIT, |x, _, _| x.atanh()),
    of_x("atanpi", "atanpi(x)", WIDE, |x, _, _| x.atan() / PI),
    of_x("cbrt", "cbrt(x)", WIDE, |x, _, _| x.cbrt()),
    of_x("ceil", "ceil(x)", WIDE, |x, _, _| x.ceil()),
    of_x("copysign", "copysign(y, x)", WIDE, |x, y, _| y.copysign(x)),
    of_x("cos", "cos(x)", ANGLES, |x, _, _| x.cos()),
    of_x("cos near 30000", "cos(x)", (30000.0, 30064.0), |x, _, _| x.cos()),
    of_x("cosh", "cosh(x)", WIDE, |x, _, _| x.cosh()),
    of_x("cospi", "cospi(x)", TURNS, |x, _, _| (x * PI).cos()),
    of_x("erf", "erf(x)", WIDE, |x, _, _| erf(x)),
    of_x("erfc", "erfc(x)", WIDE, |x, _, _| 1.0 - erf(x)),
    of_x("exp", "exp(x)", WIDE, |x, _, _| x.exp()),
    of_x("exp10", "exp10(x)", WIDE, |x, _, _| 10f64.powf(x)),
    of_x("exp2", "exp2(x)", WIDE, |x, _, _| x.exp2()),
    of_x("expm1", "expm1(x)", WIDE, |x, _, _| x.exp_m1()),
    of_x("fabs", "fabs(x)", WIDE, |x, _, _| x.abs()),
    of_x("fdim", "fdim(x, y)", WIDE, |x, y, _| (x - y).max(0.0)),
    of_x("floor", "floor(x)", WIDE, |x, _, _| x.floor()),
    of_x("fma", "fma(x, y, x)", WIDE, |x, y, _| x * y + x),
    of_x("fmax", "fmax(x, y)", WIDE, |x, y, _| x.max(y)),
    of_x("fmin", "fmin(x, y)", WIDE, |x, y, _| x.min(y)),
    of_x("fmod", "fmod(x, y)", NEAR, |x, y, _| x % y),
    of_x("fract", "fract(x, &o)", WIDE, |x, _, _| x - x.floor()),
    of_x("frexp", "frexp(x, &e) + e", POSITIVE, |x, _, _| {
        let e = x.log2().floor() + 1.0;
        x / e.exp2() + e
    }),
    of_x("hypot", "hypot(x, y)", WIDE, |x, y, _| x.hypot(y)),
    of_x("ilogb", "ilogb(x)", POSITIVE, |x, _, _| x.log2().floor()),
    of_x("ldexp", "ldexp(x, i - 60)", POSITIVE, |x, _, i| x * f64::from(i - 60).exp2()),
    of_x("lgamma", "lgamma(x)", NEAR, |x, _, _| lgamma(x)),
    of_x("lgamma_r", "lgamma_r(x, &e)", NEAR, |x, _, _| lgamma(x)),
    of_x("log", "log(x)", POSITIVE, |x, _, _| x.ln()),
    of_x("log10", "log10(x)", POSITIVE, |x, _, _| x.log10()),
    of_x("log1p", "log1p(x)", (-0.75, 7.25), |x, _, _| x.ln_1p()),
    of_x("log2", "log2(x)", POSITIVE, |x, _, _| x.log2()),
    of_x("logb", "logb(x)", POSITIVE, |x, _, _| x.log2().floor()),
    of_x("mad", "mad(x, y, x)", WIDE, |x, y, _| x * y + x),
    of_x("maxmag", "maxmag(x, y)", WIDE, |x, y, _| if x.abs() > y { x } else { y }),
    of_x("minmag", "minmag(x, y)", WIDE, |x, y, _| if x.abs() <= y { x } else { y }),
    of_x("modf", "modf(x, &o)", WIDE, |x, _, _| x.fract()),
    of_x("nextafter", "nextafter(x, y)", NEAR, |x, _, _| x),
    of_x("pow", "pow(x, y)", NEAR, |x, y, _| x.powf(y)),
    of_x("pown", "pown(x, i & 7)", NEAR, |x, _, i| x.powi(i & 7)),
    of_x("powr", "powr(x, y)", NEAR, |x, y, _| x.powf(y)),
    of_x("remainder", "remainder(x, y)", NEAR, |x, y, _| remainder(x, y)),
    of_x("remquo", "remquo(x, y, &e)", NEAR, |x, y, _| remainder(x, y)),
    of_x("rint", "rint(x)", WIDE, |x, _, _| x.round_ties_even()),
    of_x("rootn", "rootn(x, (i & 7) + 1)", NEAR, |x, _, i| x.powf(1.0 / f64::from((i & 7) + 1))),
    of_x("round", "round(x)", WIDE, |x, _, _| x.round()),
    of_x("rsqrt", "rsqrt(x)", POSITIVE, |x, _, _| 1.0 / x.sqrt()),
    of_x("sin", "sin(x)", ANGLES, |x, _, _| x.sin()),
    of_x("sin near 30000", "sin(x)", (30000.0, 30064.0), |x, _, _| x.sin()),
    of_x("sincos", "sincos(x, &o) + o", ANGLES, |x, _, _| x.sin() + x.cos()),
    of_x("sinh", "sinh(x)", WIDE, |x, _, _| x.sinh()),
    of_x("sinpi", "sinpi(x)", TURNS, |x, _, _| (x * PI).sin()),
    of_x("sqrt", "sqrt(x)", POSITIVE, |x, _, _| x.sqrt()),
    of_x("tan", "tan(x)", (-1.25, 1.25), |x, _, _| x.tan()),
    of_x("tanh", "tanh(x)", WIDE, |x, _, _| x.tanh()),
    of_x("tanpi", "tanpi(x)", (-0.375, 0.375), |x, _, _| (x * PI).tan()),
    of_x("tgamma", "tgamma(x)", NEAR, |x, _, _| tgamma(x)),
    of_x("trunc", "trunc(x)", WIDE, |x, _, _| x.trunc()),
    of_x("1 / x", "1 / x", POSITIVE, |x, _, _| 1.0 / x),
    of_x("y / x", "y / x", POSITIVE, |x, y, _| y / x),
    of_x("convert_int", "convert_int(x)", BYTES, |x, _, _| x.trunc()),
    of_x("convert_int_rte", "convert_int_rte(x)", BYTES, |x, _, _| x.round_ties_even()),
    of_x("convert_int_sat", "convert_int_sat(x)", BYTES, |x, _, _| x.trunc()),
    of_x("convert_uchar_sat", "convert_uchar_sat(x)", BYTES, |x, _, _| x.trunc().clamp(0.0, 255.0)),
    of_x("convert_short_sat_rte", "convert_short_sat_rte(x)", BYTES, |x, _, _| x.round_ties_even()),
    of_x("convert_long", "convert_long(x)", BYTES, |x, _, _| x.trunc()),
    of_x("conversion of int", "(T)i", WIDE, |_, _, i| f64::from(i)),
    of_x("conversion of long", "(T)((long)i << 20)", WIDE, |_, _, i| f64::from(i << 20)),
];

/// Functions of float alone.
const FLOAT_FUNCTIONS: &[Function] = &[
    of_x("native_cos", "native_cos(x)", UNIT, |x, _, _| x.cos()),
    of_x("native_divide", "native_divide(y, x)", POSITIVE, |x, y, _| y / x),
    of_x("native_exp", "native_exp(x)", WIDE, |x, _, _| x.exp()),
    of_x("native_exp10", "native_exp10(x)", WIDE, |x, _, _| 10f64.powf(x)),
    of_x("native_exp2", "native_exp2(x)", WIDE, |x, _, _| x.exp2()),
    of_x("native_log", "native_log(x)", POSITIVE, |x, _, _| x.ln()),
    of_x("native_log10", "native_log10(x)", POSITIVE, |x, _, _| x.log10()),
    of_x("native_log2", "native_log2(x)", POSITIVE, |x, _, _| x.log2()),
    of_x("native_powr", "native_powr(x, y)", NEAR, |x, y, _| x.powf(y)),
    of_x("native_recip", "native_recip(x)", POSITIVE, |x, _, _| 1.0 / x),
    of_x("native_rsqrt", "native_rsqrt(x)", POSITIVE, |x, _, _| 1.0 / x.sqrt()),
    of_x("native_sin", "native_sin(x)", UNIT, |x, _, _| x.sin()),
    of_x("native_sqrt", "native_sqrt(x)", POSITIVE, |x, _, _| x.sqrt()),
    of_x("native_tan", "native_tan(x)", UNIT, |x, _, _| x.tan()),
    of_x("half_cos", "half_cos(x)", UNIT, |x, _, _| x.cos()),
    of_x("half_divide", "half_divide(y, x)", POSITIVE, |x, y, _| y / x),
    of_x("half_exp", "half_exp(x)", WIDE, |x, _, _| x.exp()),
    of_x("half_exp10", "half_exp10(x)", WIDE, |x, _, _| 10f64.powf(x)),
    of_x("half_exp2", "half_exp2(x)", WIDE, |x, _, _| x.exp2()),
    of_x("half_log", "half_log(x)", POSITIVE, |x, _, _| x.ln()),
    of_x("half_log10", "half_log10(x)", POSITIVE, |x, _, _| x.log10()),
    of_x("half_log2", "half_log2(x)", POSITIVE, |x, _, _| x.ln() / LN_2),
    of_x("half_powr", "half_powr(x, y)", NEAR, |x, y, _| x.powf(y)),
    of_x("half_recip", "half_recip(x)", POSITIVE, |x, _, _| 1.0 / x),
    of_x("half_rsqrt", "half_rsqrt(x)", POSITIVE, |x, _, _| 1.0 / x.sqrt()),
    of_x("half_sin", "half_sin(x)", UNIT, |x, _, _| x.sin()),
    of_x("half_sqrt", "half_sqrt(x)", POSITIVE, |x, _, _| x.sqrt()),
    of_x("half_tan", "half_tan(x)", UNIT, |x, _, _| x.tan()),
];

/// Sums have the type of the function.
const SOURCE: &str = "
kernel void sums(global T *out, T low, T width, int i)
{
    int g = get_global_id(0) & 1023;
    T x = low + width * (T)g / 65536, y = (T)1.75f + (T)0.0625f * (T)(g & 3), sum = 0, o;
    int e;
    for (int n = 0; n < CALLS; n++) {
        sum += CALL;
        x += width / CALLS;
        i++;
    }
    out[get_global_id(0)] = sum;
}";

/// Returns billions of calls a second.
fn rate(s: &Session, scale: &Scale, function: &Function, is_double: bool) -> Result<f64> {
    let ty = if is_double { "double" } else { "float" };
    let call = function.call;
    let source = format!("#define T {ty}\n#define CALLS {CALLS}\n#define CALL ({call})\n{SOURCE}");
    let kernel = s.build(&source, "sums", "")?;
    let bytes = if is_double { 8 } else { 4 };
    let out = s.buffer(scale.items * bytes)?;
    kernel.set_buffer(0, &out)?;
    let width = function.high - function.low;
    if is_double {
        kernel.set(1, function.low)?;
        kernel.set(2, width)?;
    } else {
        kernel.set(1, function.low as f32)?;
        kernel.set(2, width as f32)?;
    }
    kernel.set(3, 0i32)?;
    let run = |launches: usize| -> Result<f64> {
        let start = Instant::now();
        (0..launches).try_for_each(|_| s.launch(&kernel, &[scale.items], &[LOCAL]))?;
        s.finish()?;
        Ok(start.elapsed().as_secs_f64() / launches as f64)
    };
    run(1)?;
    let mut sums = [0f64; 8];
    if is_double {
        s.read(&out, 0, &mut sums)?;
    } else {
        let mut floats = [0f32; 8];
        s.read(&out, 0, &mut floats)?;
        sums = floats.map(f64::from);
    }
    for (g, sum) in sums.into_iter().enumerate() {
        check(function, g, sum)?;
    }
    let launches = (SAMPLE_TIME / run(1)?).clamp(1.0, MAX_LAUNCHES) as usize;
    let mut best = f64::INFINITY;
    for _ in 0..SAMPLES {
        best = best.min(run(launches)?);
    }
    Ok((scale.items * CALLS) as f64 / best / 1e9)
}

/// Fails unless `sum` is about the sum that one work-item computes.
fn check(function: &Function, item: usize, sum: f64) -> Result<()> {
    let y = 1.75 + 0.0625 * (item & 3) as f64;
    let width = function.high - function.low;
    let (mut expected, mut magnitude) = (0.0, 0.0);
    for i in 0..CALLS {
        let x = function.low + width * (item as f64 / 65536.0 + i as f64 / CALLS as f64);
        let value = (function.host)(x, y, i as i32);
        expected += value;
        magnitude += value.abs();
    }
    let near = (sum - expected).abs() <= TOLERANCE * magnitude;
    expect(near, &format!("{}: {sum}, not {expected}", function.call))
}

/// Returns a line for each function whose name `wanted` accepts, then the geometric mean of the functions that all
/// platforms have.
pub fn rows(sessions: &[Session], scale: &Scale, wanted: impl Fn(&str) -> bool) -> Vec<Row> {
    let mut rows = Vec::new();
    let families = [
        ("float", FUNCTIONS, false),
        ("float, fast", FLOAT_FUNCTIONS, false),
        ("double", FUNCTIONS, true),
    ];
    for (family, functions, is_double) in families {
        let mut measured = Vec::new();
        for function in functions {
            let name = format!("function {family}: {}", function.name);
            if !wanted(&name) {
                continue;
            }
            eprintln!("{name}");
            let value = |s: &Session| match is_double && !s.has_double {
                true => Err("no double".to_string()),
                false => rate(s, scale, function, is_double),
            };
            measured.push(line(name, sessions.iter().map(value).collect()));
        }
        if measured.len() > 1 {
            let name = format!("functions {family}: geometric mean");
            measured.push(line(name, means(&measured, sessions.len())));
        }
        rows.extend(measured);
    }
    rows
}

fn line(name: String, values: Vec<Result<f64>>) -> Row {
    Row { name, unit: "G/s".into(), better: Better::More, values }
}

/// Returns the geometric mean of each platform over the rows in which every platform has a value.
fn means(rows: &[Row], platforms: usize) -> Vec<Result<f64>> {
    let complete: Vec<&Row> = rows.iter().filter(|r| r.values.iter().all(Result::is_ok)).collect();
    let mean = |platform: usize| {
        let values = complete.iter().filter_map(|row| row.values[platform].as_ref().ok());
        let sum: f64 = values.map(|value| value.ln()).sum();
        match complete.len() {
            0 => Err("no function that all platforms have".to_string()),
            count => Ok((sum / count as f64).exp()),
        }
    };
    (0..platforms).map(mean).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_are_those_of_functions_that_all_platforms_have() {
        let missing = || Err("missing".to_string());
        let rows = [
            line("a".to_string(), vec![Ok(2.0), Ok(1.0)]),
            line("b".to_string(), vec![Ok(8.0), Ok(4.0)]),
            line("c".to_string(), vec![Ok(1000.0), missing()]),
        ];
        let means: Vec<f64> = means(&rows, 2).into_iter().flatten().collect();
        assert!((means[0] - 4.0).abs() < 1e-9 && (means[1] - 2.0).abs() < 1e-9, "{means:?}");
    }

    #[test]
    fn arguments_are_exact_and_sums_finite() {
        for function in FUNCTIONS.iter().chain(FLOAT_FUNCTIONS) {
            for x in [function.low, function.high - function.low] {
                assert_eq!(f64::from(x as f32 / 65536.0) * 65536.0, x, "{}", function.name);
            }
            assert!(check(function, 0, f64::NAN).is_err());
            let value = (function.host)(function.low, 1.75, 1);
            assert!(value.is_finite(), "{}", function.name);
        }
    }
}
