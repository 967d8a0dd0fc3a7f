//! The actual arithmetic of a device, found out by running it.
//!
//! One small kernel for each width computes the same operations for some thousand difficult operands;
//! the host computes them too, exactly, and compares.

use std::ops::{Add, Div, Mul};
use std::sync::Arc;

use crate::asm::{Glsl, KernelBuilder, Op};
use crate::device::Device;
use crate::error::Error;
use crate::physical::found::{FloatControls, FloatOp, FloatTable, FloatWidth, Probe};
use crate::probe::controls::ask;
use crate::probe::floats::{self, Module};
use crate::probe::run::run_from_to;
use crate::probe::subgroups;

/// Runs the probe on a device.
pub(crate) fn run(device: &Arc<Device>) -> Result<Probe, Error> {
    let info = device.info();
    let controls = FloatControls::offered(&info.features, info.quirks);
    let Floats { table, nearest32_to_divide } = try_controls(device, &controls)?;
    tracing::debug!("what float operations do with {controls:?}:\n{table}");
    let single = probe_width::<f32>(device, &controls)?;
    let double = if device.info().features.float64 {
        probe_width::<f64>(device, &controls)?
    } else {
        Answer::default()
    };
    Ok(Probe {
        controls,
        nearest32_to_divide,
        fma32_fused: single.fused,
        fma64_fused: double.fused,
        div32_exact: single.div_exact,
        div64_exact: double.div_exact,
        sqrt32_exact: single.sqrt_exact,
        sqrt64_exact: double.sqrt_exact,
        exp2_accurate: single.exp2_accurate,
        exp2_wide: single.exp2_wide,
        exp2_denormals: single.exp2_denormals,
        log2_accurate: single.log2_accurate,
        log2_accurate_near_1: single.log2_accurate && single.log2_accurate_near_1,
        log2_denormals: single.log2_denormals,
        nearest32: single.nearest,
        nearest64: double.nearest,
        floats: table,
        merges_signs: floats::merges_signs(device, &controls)?,
        subgroups_in_order: subgroups::are_in_order(device),
        subgroups_progress: subgroups::make_progress(device),
    })
}

/// The results of [`try_controls`].
struct Floats {
    table: FloatTable,
    nearest32_to_divide: bool,
}

/// Returns the behaviour of float operations in modules of one width and of two, with RoundingModeRTE for single and, if some
/// kernels should not ask for that mode, without it.
fn try_controls(device: &Arc<Device>, controls: &FloatControls) -> Result<Floats, Error> {
    let one_width = floats::run(device, controls, Module::OneWidth)?;
    let two_widths = floats::run(device, controls, Module::TwoWidths)?;
    let table = one_width.both(&two_widths);
    let fewer = controls.without_single_rounding(&device.info().features);
    if one_width.is_consistent(FloatWidth::Single) || fewer == *controls {
        return Ok(Floats { table, nearest32_to_divide: false });
    }
    let alone = floats::run(device, &fewer, Module::OneWidth)?;
    let nearest = alone.all(FloatWidth::Single, |op| op != FloatOp::Fma, |b| b.nearest_even);
    if !nearest || !alone.is_consistent(FloatWidth::Single) {
        return Ok(Floats { table, nearest32_to_divide: false });
    }
    let beside = floats::run(device, &fewer, Module::TwoWidths)?;
    Ok(Floats { table: table.both(&alone).both(&beside), nearest32_to_divide: true })
}

/// Operands of one invocation.
type Operands<T> = [T; 3];
/// The number of results that an invocation writes: see [`kernel`].
const RESULTS: usize = 7;
const FMA: usize = 0;
const DIV: usize = 1;
const SQRT: usize = 2;
const SUM: usize = 3;
const PRODUCT: usize = 4;
/// A result for 32 bits alone: no wider type has the instruction.
const EXP2: usize = 5;
const LOG2: usize = 6;

const LOCAL_SIZE: u32 = 64;
/// The numbers of operands of each kind: random ones, exponents near zero and NaN, operands of logarithms, numbers near 1 and
/// special ones, denormal ones, exponents farther off.
const RANDOM: usize = 4096;
const EXPONENTS: u64 = 4096;
const LOG_OPERANDS: u64 = 8192;
const NEAR_1: u64 = 8192;
const DENORMALS: u64 = 1024;
const WIDE_EXPONENTS: u64 = 16384;
/// The most error of Exp2 near zero in ulp, and the greatest distance from zero for which it holds.
const EXP2_ERROR: f64 = 2.5;
const EXP2_RANGE: f64 = 0.75;
/// The most error of Exp2 anywhere: in ulp, and divided by the result, in ulp of 1.
const WIDE_EXP2_ERROR: f64 = 2.2;
const WIDE_EXP2_PART: f64 = 1.25;
/// The most error of relaxed logarithms: in ulp, with some margin for numbers that were not tried, and as an absolute error in
/// [0.5, 2].
const LOG_ERROR: f64 = 2.75;
const LOG_ERROR_NEAR_1: f64 = 1.0 / (1 << 22) as f64;

/// The probe's answers for one width.
#[derive(Debug, Default)]
struct Answer {
    fused: bool,
    div_exact: bool,
    sqrt_exact: bool,
    exp2_accurate: bool,
    exp2_wide: bool,
    exp2_denormals: bool,
    log2_accurate: bool,
    log2_accurate_near_1: bool,
    log2_denormals: bool,
    nearest: bool,
}

/// A float type that is probed.
trait Real: Copy + PartialEq + Add<Output = Self> + Mul<Output = Self> + Div<Output = Self> {
    const WIDTH: u32;
    /// Bits of the significand after the point, and the exponent of the least normal number.
    const FRACTION: i32;
    const MIN_EXPONENT: i32;
    const NAN: Self;
    /// ± (1 + fraction) times two to `exponent`; `fraction` gives the bits after the point.
    fn scaled(negative: bool, fraction: u64, exponent: i32) -> Self;
    fn fused(self, b: Self, c: Self) -> Self;
    fn root(self) -> Self;
    fn negated(self) -> Self;
    fn magnitude_normal(self) -> bool;
    fn wide(self) -> f64;
    fn put(self, out: &mut Vec<u8>);
    fn get(bytes: &[u8]) -> Self;
}

macro_rules! real {
    ($t:ty, $bits:ty, $width:expr, $fraction:expr, $min:expr) => {
        impl Real for $t {
            const WIDTH: u32 = $width;
            const FRACTION: i32 = $fraction;
            const MIN_EXPONENT: i32 = $min;
            const NAN: $t = <$t>::NAN;
            fn scaled(negative: bool, fraction: u64, exponent: i32) -> $t {
                let biased = (exponent - $min + 1) as $bits;
                let fraction = fraction as $bits & ((1 << $fraction) - 1);
                let sign = (negative as $bits) << ($width - 1);
                <$t>::from_bits(sign | biased << $fraction | fraction)
            }
            fn fused(self, b: $t, c: $t) -> $t {
                self.mul_add(b, c)
            }
            fn root(self) -> $t {
                self.sqrt()
            }
            fn negated(self) -> $t {
                -self
            }
            fn magnitude_normal(self) -> bool {
                self.is_normal()
            }
            fn wide(self) -> f64 {
                f64::from(self)
            }
            fn put(self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_ne_bytes());
            }
            fn get(bytes: &[u8]) -> $t {
                bytes.try_into().map(<$t>::from_ne_bytes).unwrap_or(<$t>::NAN)
            }
        }
    };
}
real!(f32, u32, 32, 23, -126);
real!(f64, u64, 64, 52, -1022);

fn probe_width<T: Real>(device: &Arc<Device>, controls: &FloatControls) -> Result<Answer, Error> {
    let mut groups = [
        random_operands::<T>(),
        exponent_operands::<T>(),
        log_operands::<T>().collect(),
        operands_near_1::<T>().collect(),
        denormals::<T>().collect(),
        wide_exponents::<T>().collect(),
    ];
    groups[1].push([T::NAN; 3]);
    let mut operands = groups.concat();
    while !operands.len().is_multiple_of(LOCAL_SIZE as usize) {
        operands.push(operands[0]);
    }
    let results = compute(device, controls, &operands)?;
    let computed = |group: usize| {
        let before: usize = groups[..group].iter().map(Vec::len).sum();
        operands.iter().zip(&results).skip(before).take(groups[group].len())
    };
    let random = || computed(0);
    let function = |group, index: usize| {
        computed(group).map(move |([a, _, _], r)| (a.wide(), r[index].wide()))
    };
    let wide = || function(5, EXP2);
    Ok(Answer {
        // Random operands with a denormal or infinite expected result would test something else, so `same` accepts any result
        // for them.
        fused: random().all(|([a, b, c], r)| same(a.fused(*b, *c), r[FMA])),
        div_exact: random().all(|([a, b, _], r)| same(*a / *b, r[DIV])),
        sqrt_exact: random().all(|([a, _, _], r)| same(a.root(), r[SQRT])),
        exp2_accurate: function(1, EXP2).all(|(x, found)| is_exp2::<T>(x, found)),
        exp2_wide: wide().all(|(x, found)| is_wide_exp2::<T>(x, found)),
        exp2_denormals: wide().all(|(x, found)| is_denormal_exp2::<T>(x, found)),
        log2_accurate: function(2, LOG2).all(|(x, found)| is_log2::<T>(x, found)),
        log2_accurate_near_1: function(3, LOG2).all(|(x, found)| is_log2_near_1::<T>(x, found)),
        log2_denormals: function(4, LOG2).all(|(x, found)| is_denormal_log2::<T>(x, found)),
        nearest: random().all(|([a, b, _], r)| same(*a + *b, r[SUM]) && same(*a * *b, r[PRODUCT])),
    })
}

/// Returns true if the device found the expected result, or if that is not a normal number.
fn same<T: Real>(expected: T, found: T) -> bool {
    !expected.magnitude_normal() || expected == found
}

/// Returns operands of any sign and a wide range of exponents: half of them near 1, the other half over the whole range of the
/// type. In a third of them the sum in a fused multiply-add cancels all but the product's rounding error.
fn random_operands<T: Real>() -> Vec<Operands<T>> {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut random = || {
        // xorshift64 (G. Marsaglia, "Xorshift RNGs", 2003).
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let far = -T::MIN_EXPONENT;
    (0..RANDOM)
        .map(|i| {
            let range = if i % 2 == 0 { 20 } else { far };
            let mut next = |signed: bool| {
                let exponent = (random() >> 33) as i32 % (2 * range + 1) - range;
                let fraction = random() >> 12;
                T::scaled(signed && random() >> 63 == 1, fraction, exponent)
            };
            // Square roots need a positive operand.
            let (a, b, c) = (next(false), next(true), next(true));
            let c = if i % 3 == 0 { (a * b).negated() } else { c };
            [a, b, c]
        })
        .collect()
}

/// Returns fraction number `i` of a sequence that fills [0, 1) evenly (multiples of the golden ratio).
fn spread_fraction(i: u64) -> u64 {
    i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 12
}

/// Returns numbers between -1 and 1, evenly distributed in each power of two.
fn exponent_operands<T: Real>() -> Vec<Operands<T>> {
    let number = |i: u64| {
        let fraction = spread_fraction(i / 16);
        T::scaled(i % 2 == 1, fraction, -1 - (i / 2 % 8) as i32)
    };
    let one = T::scaled(false, 0, 0);
    (0..EXPONENTS).map(|i| [number(i), one, one]).collect()
}

/// Returns numbers around 1, where logarithms have few significant bits, evenly distributed in each power of two.
fn log_operands<T: Real>() -> impl Iterator<Item = Operands<T>> {
    let one = T::scaled(false, 0, 0);
    (0..LOG_OPERANDS).map(move |i| {
        let fraction = spread_fraction(i / 8);
        [T::scaled(false, fraction, (i % 8) as i32 - 4), one, one]
    })
}

/// Returns numbers on both sides of 1, spread evenly over the powers of two of their distance from 1, and numbers whose
/// logarithms are NaN or infinite.
fn operands_near_1<T: Real>() -> impl Iterator<Item = Operands<T>> {
    let one = T::scaled(false, 0, 0);
    let near = move |i: u64| {
        let exponent = -1 - (i / 2 % T::FRACTION as u64) as i32;
        one + T::scaled(i % 2 == 1, spread_fraction(i / 2 / T::FRACTION as u64), exponent)
    };
    let infinity = T::scaled(false, 0, 2 - T::MIN_EXPONENT);
    let zero = one + one.negated();
    let special = [one, zero, zero.negated(), infinity, infinity.negated(), one.negated(), T::NAN];
    (0..NEAR_1).map(near).chain(special).map(move |x| [x, one, one])
}

/// Returns denormal numbers of either sign and any size.
fn denormals<T: Real>() -> impl Iterator<Item = Operands<T>> {
    let one = T::scaled(false, 0, 0);
    let number = move |i: u64| {
        let shift = i / 2 % T::FRACTION as u64;
        let fraction = spread_fraction(i) & ((1 << T::FRACTION) - 1);
        [T::scaled(i % 2 == 1, fraction >> shift, T::MIN_EXPONENT - 1), one, one]
    };
    (0..DENORMALS).map(number)
}

/// Returns true if `found` is near enough to two to the power of `x`, which may be NaN.
fn is_exp2<T: Real>(x: f64, found: f64) -> bool {
    let near = || error_in_ulp::<T>(x.exp2(), found) <= EXP2_ERROR;
    if x.is_nan() {
        found.is_nan()
    } else {
        x.abs() > EXP2_RANGE || near()
    }
}

/// Returns numbers of either sign up to 256, evenly distributed in each power of two, and infinities.
fn wide_exponents<T: Real>() -> impl Iterator<Item = Operands<T>> {
    let one = T::scaled(false, 0, 0);
    let infinities = [false, true].map(|sign| [T::scaled(sign, 0, 2 - T::MIN_EXPONENT), one, one]);
    let number = move |i: u64| {
        let exponent = 7 - (i / 2 % 32) as i32;
        [T::scaled(i % 2 == 1, spread_fraction(i / 64), exponent), one, one]
    };
    (0..WIDE_EXPONENTS).map(number).chain(infinities)
}

/// Returns true if `found` is near enough to two to the power of `x` for the library's exponentials, or if any result is good.
fn is_wide_exp2<T: Real>(x: f64, found: f64) -> bool {
    let exact = x.exp2();
    let least = f64::from(T::MIN_EXPONENT);
    if x >= 2.0 - least {
        return found == f64::INFINITY;
    }
    if x < least {
        // Denormal results are tested separately.
        return x > least - f64::from(T::FRACTION) - 2.0 || found == 0.0;
    }
    let part = (found - exact).abs() / exact * f64::exp2(f64::from(T::FRACTION));
    error_in_ulp::<T>(exact, found) <= WIDE_EXP2_ERROR && part <= WIDE_EXP2_PART
}

/// Returns true if two to the power of `x` is not a denormal number, or `found` is near enough to it.
fn is_denormal_exp2<T: Real>(x: f64, found: f64) -> bool {
    let least = f64::from(T::MIN_EXPONENT);
    let unit = f64::exp2(least - f64::from(T::FRACTION));
    x >= least || (found - x.exp2()).abs() <= unit
}

/// Returns true if `found` is near enough to the binary logarithm of `x` > 0 for each of the three logarithms.
fn is_log2<T: Real>(x: f64, found: f64) -> bool {
    let exact = x.log2();
    if (0.5..=2.0).contains(&x) {
        return (found - exact).abs() <= LOG_ERROR_NEAR_1;
    }
    are_logs::<T>(exact, found)
}

/// Returns true if `found` is near enough to the exact binary logarithm for all three logarithms.
fn are_logs<T: Real>(exact: f64, found: f64) -> bool {
    use std::f64::consts::{LN_2, LOG10_2};
    let rounding = |scale| if scale == 1.0 { 0.0 } else { 0.5 };
    let error = |scale| error_in_ulp::<T>(exact * scale, found * scale) + rounding(scale);
    [1.0, LN_2, LOG10_2].into_iter().all(|scale| error(scale) <= LOG_ERROR)
}

/// Returns true if `found` is near enough to the binary logarithm of any number `x` for all three logarithms.
fn is_log2_near_1<T: Real>(x: f64, found: f64) -> bool {
    match x.log2() {
        exact if exact.is_nan() => found.is_nan(),
        exact if exact.is_infinite() || exact == 0.0 => found == exact,
        exact => are_logs::<T>(exact, found),
    }
}

/// Returns true if `found` is near enough to the binary logarithm of a denormal number `x`, or equals the logarithm of zero.
fn is_denormal_log2<T: Real>(x: f64, found: f64) -> bool {
    let is_right = match x.log2() {
        exact if exact.is_nan() => found.is_nan(),
        exact => are_logs::<T>(exact, found),
    };
    is_right || found == f64::NEG_INFINITY
}

/// Returns how far `found` is from `exact` in units of the last place of T.
fn error_in_ulp<T: Real>(exact: f64, found: f64) -> f64 {
    (found - exact).abs() / f64::exp2(exact.abs().log2().floor() - f64::from(T::FRACTION))
}

/// Runs the kernel on all operands; returns the results.
fn compute<T: Real>(
    device: &Arc<Device>,
    controls: &FloatControls,
    operands: &[Operands<T>],
) -> Result<Vec<[T; RESULTS]>, Error> {
    let bytes = T::WIDTH as usize / 8;
    let mut data = Vec::with_capacity(operands.len() * 3 * bytes);
    operands.iter().flatten().for_each(|x| x.put(&mut data));
    let spirv = kernel::<T>(controls);
    let size = operands.len() * RESULTS * bytes;
    let found = run_from_to(device, &spirv, &data, size, operands.len() as u32 / LOCAL_SIZE)?;
    let numbers: Vec<T> = found.chunks_exact(bytes).map(T::get).collect();
    Ok(numbers.chunks_exact(RESULTS).filter_map(|c| c.try_into().ok()).collect())
}

/// Makes the kernel, each invocation of which reads three operands and writes [`RESULTS`] results.
fn kernel<T: Real>(controls: &FloatControls) -> Vec<u32> {
    let mut k = KernelBuilder::new(2);
    k.local_size([LOCAL_SIZE, 1, 1]);
    ask(controls, &mut k, T::WIDTH);
    let float = k.float(T::WIDTH);
    let uint = k.uint();
    let i = k.global_id_x();
    let element = |k: &mut KernelBuilder, stride: u32, n: u32| {
        let (stride, n) = (k.constant(stride), k.constant(n));
        let start = k.binary(Op::IMul, uint, i, stride);
        k.binary(Op::IAdd, uint, start, n)
    };
    let operands = [0, 1, 2].map(|n| {
        let index = element(&mut k, 3, n);
        k.load(0, float, index)
    });
    let [a, b, c] = operands;
    let mut results = [0; RESULTS];
    results[FMA] = k.extended(Glsl::Fma, float, &[a, b, c]);
    results[DIV] = k.binary(Op::FDiv, float, a, b);
    results[SQRT] = k.extended(Glsl::Sqrt, float, &[a]);
    results[SUM] = k.binary(Op::FAdd, float, a, b);
    results[PRODUCT] = k.binary(Op::FMul, float, a, b);
    let mut of_single = |function| match T::WIDTH {
        32 => k.extended(function, float, &[a]),
        _ => a,
    };
    results[EXP2] = of_single(Glsl::Exp2);
    results[LOG2] = of_single(Glsl::Log2);
    for (n, result) in results.into_iter().enumerate() {
        let index = element(&mut k, RESULTS as u32, n as u32);
        k.store(1, float, index, result);
    }
    k.finish()
}
