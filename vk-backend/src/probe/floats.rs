//! Finds out how each float operation of a device treats denormal numbers, zeros and NaN, and how it rounds, by executing it.
//!
//! One kernel for each width applies all operations to each row of operands. The host knows the result that IEEE 754 requires,
//! and which property the device lacks if a result is wrong.

use std::sync::Arc;

use crate::asm::{Glsl, KernelBuilder, Op};
use crate::device::Device;
use crate::error::Error;
use crate::physical::found::{Behaviour, FloatControls, FloatOp, FloatTable, FloatWidth};
use crate::physical::Features;
use crate::probe::controls::ask;
use crate::probe::run::{run_from_to, run_in_place};

/// The instructions of a probe's module besides the operations of a width.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Module {
    /// No other instructions.
    OneWidth,
    /// The conversions to or from another width, and the execution modes for that width.
    TwoWidths,
}

/// Executes all operations of the widths that the device has. In modules of one width, conversions are not tried and count as
/// right.
pub(crate) fn run(
    device: &Arc<Device>,
    controls: &FloatControls,
    module: Module,
) -> Result<FloatTable, Error> {
    let mut table = FloatTable::default();
    let f = &device.info().features;
    let offered = [f.float16, true, f.float64];
    for width in FloatWidth::ALL {
        if offered[width as usize] {
            let other = other_width(f, module, width);
            let mut cases = cases(width);
            let converts = |op| matches!(op, FloatOp::Widen | FloatOp::Narrow);
            cases.retain(|case| !converts(case.op) || other.is_some());
            let found = compute(device, controls, (width, other), &cases)?;
            *table.row_mut(width) = Some(judge(width, &cases, &found));
        }
    }
    Ok(table)
}

/// Returns the width that a module converts to or from; `None` for modules of one width.
fn other_width(f: &Features, module: Module, width: FloatWidth) -> Option<FloatWidth> {
    match (module, width) {
        (Module::OneWidth, _) => None,
        (_, FloatWidth::Half | FloatWidth::Double) => Some(FloatWidth::Single),
        (_, FloatWidth::Single) => f.float64.then_some(FloatWidth::Double),
    }
}

/// The property that a case tests.
#[derive(Clone, Copy, PartialEq)]
enum Aspect {
    Input,
    Result,
    Zero,
    Nan,
    Rounding,
}

/// An operation, its operands, and its expected result, all as bits.
struct Case {
    op: FloatOp,
    about: Aspect,
    operands: [u64; 3],
    expected: Expected,
}

#[derive(Clone, Copy)]
enum Expected {
    Bits(u64),
    /// Any NaN of a width.
    Nan(FloatWidth),
}

/// Returns the cases of a width. f64 holds all of their numbers and results exactly.
fn cases(width: FloatWidth) -> Vec<Case> {
    let mut cases = Vec::new();
    arithmetic(width, &mut cases);
    bits_and_order(width, &mut cases);
    conversions(width, &mut cases);
    cases
}

/// Returns a case whose operands and result are numbers of the width.
fn number(width: FloatWidth, op: FloatOp, about: Aspect, operands: &[f64], expected: f64) -> Case {
    let expected = match expected.is_nan() {
        true => Expected::Nan(width),
        false => Expected::Bits(width.encode(expected)),
    };
    Case { op, about, operands: padded(width, operands), expected }
}

/// Returns operands as bits, filled up with ones.
fn padded(width: FloatWidth, operands: &[f64]) -> [u64; 3] {
    let bits = |x: f64| if x.is_nan() { width.nan() } else { width.encode(x) };
    [0, 1, 2].map(|i| bits(operands.get(i).copied().unwrap_or(1.0)))
}

fn arithmetic(width: FloatWidth, cases: &mut Vec<Case>) {
    use Aspect::*;
    use FloatOp::*;
    // The least normal number, and a denormal one.
    let least = f64::exp2(f64::from(width.least_exponent()));
    let small = least / 2.0;
    // Half a unit in the last place of 1, and the unit.
    let half_unit = f64::exp2(-1.0 - f64::from(width.fraction()));
    let unit = half_unit * 2.0;
    let (nan, infinity) = (f64::NAN, f64::INFINITY);
    let rows: [(FloatOp, Aspect, &[f64], f64); 35] = [
        (Add, Input, &[small, small], least),
        (Add, Result, &[1.5 * least, -least], small),
        (Add, Zero, &[-0.0, -0.0], -0.0),
        (Add, Nan, &[nan, 1.0], nan),
        (Add, Rounding, &[1.0, half_unit], 1.0),
        (Add, Rounding, &[1.0 + unit, half_unit], 1.0 + 2.0 * unit),
        (Subtract, Input, &[small, -small], least),
        (Subtract, Result, &[1.5 * least, least], small),
        (Subtract, Zero, &[-0.0, 0.0], -0.0),
        (Subtract, Nan, &[infinity, infinity], nan),
        (Subtract, Rounding, &[1.0 + unit, -half_unit], 1.0 + 2.0 * unit),
        (Multiply, Input, &[small, 4.0], 2.0 * least),
        (Multiply, Input, &[4.0, small], 2.0 * least),
        (Multiply, Result, &[least, 0.5], small),
        (Multiply, Zero, &[-1.0, 0.0], -0.0),
        (Multiply, Nan, &[infinity, 0.0], nan),
        (Divide, Input, &[small, 0.25], 2.0 * least),
        (Divide, Input, &[least, small], 2.0),
        (Divide, Result, &[least, 2.0], small),
        (Divide, Zero, &[-0.0, 1.0], -0.0),
        (Divide, Nan, &[0.0, 0.0], nan),
        (SquareRoot, Input, &[least / 4.0], f64::exp2(f64::from(width.least_exponent() / 2 - 1))),
        (SquareRoot, Zero, &[-0.0], -0.0),
        (SquareRoot, Nan, &[-1.0], nan),
        (Fma, Input, &[small, 4.0, least], 3.0 * least),
        (Fma, Input, &[least, 1.0, small], 1.5 * least),
        (Fma, Result, &[least, 0.5, 0.0], small),
        (Fma, Zero, &[-0.0, 1.0, -0.0], -0.0),
        (Fma, Nan, &[infinity, 0.0, 1.0], nan),
        // The result is less than the rounding error of the product; then a sum just below a tie, which a wider float would
        // round to the tie.
        (
            Fma,
            Rounding,
            &[16.0 * (1.0 + unit), 16.0 * (1.0 + unit), -256.0 * (1.0 + 2.0 * unit)],
            256.0 * unit * unit,
        ),
        (Fma, Rounding, &[1.0 + unit, (1.0 - unit) * half_unit, 1.0 + unit], 1.0 + unit),
        (Floor, Input, &[-small], -1.0),
        (Floor, Zero, &[-0.0], -0.0),
        (Ceil, Input, &[small], 1.0),
        (Ceil, Zero, &[-0.5], -0.0),
    ];
    cases.extend(
        rows.map(|(op, about, operands, result)| number(width, op, about, operands, result)),
    );
}

/// Adds cases of operations that change the sign bit, choose an operand, or compare.
fn bits_and_order(width: FloatWidth, cases: &mut Vec<Case>) {
    use Aspect::*;
    use FloatOp::*;
    let least = f64::exp2(f64::from(width.least_exponent()));
    let small = least / 2.0;
    let nan = f64::NAN;
    let rows: [(FloatOp, Aspect, &[f64], f64); 10] = [
        (Negate, Input, &[small], -small),
        (Negate, Zero, &[0.0], -0.0),
        (Absolute, Input, &[-small], small),
        (Absolute, Zero, &[-0.0], 0.0),
        (Minimum, Input, &[small, 2.0 * least], small),
        (Minimum, Input, &[small / 2.0, small], small / 2.0),
        (Minimum, Nan, &[nan, 1.0], 1.0),
        (Maximum, Input, &[small, 0.0], small),
        (Maximum, Input, &[small / 2.0, small], small),
        (Maximum, Nan, &[1.0, nan], 1.0),
    ];
    cases.extend(
        rows.map(|(op, about, operands, result)| number(width, op, about, operands, result)),
    );
    let nan_bits = width.nan();
    let negative = nan_bits | width.sign_bit();
    for (op, operand, expected) in
        [(Negate, nan_bits, negative), (Negate, negative, nan_bits), (Absolute, negative, nan_bits)]
    {
        let expected = Expected::Bits(expected);
        cases.push(Case { op, about: Nan, operands: [operand; 3], expected });
    }
    let truths: [(FloatOp, Aspect, [f64; 2], bool); 8] = [
        (Less, Input, [0.0, small], true),
        (Less, Input, [-small, 0.0], true),
        (Less, Input, [small / 2.0, small], true),
        (Less, Nan, [nan, 1.0], false),
        (Equal, Input, [0.0, small], false),
        (Equal, Input, [small / 2.0, small], false),
        (Equal, Zero, [-0.0, 0.0], true),
        (Equal, Nan, [nan, nan], false),
    ];
    cases.extend(truths.map(|(op, about, operands, truth)| Case {
        op,
        about,
        operands: padded(width, &operands),
        expected: Expected::Bits(u64::from(truth)),
    }));
}

fn conversions(width: FloatWidth, cases: &mut Vec<Case>) {
    use Aspect::*;
    let small = f64::exp2(f64::from(width.least_exponent() - 1));
    if width != FloatWidth::Double {
        let wider = width.wider();
        let row = |about, x: f64| {
            let expected = number(wider, FloatOp::Widen, about, &[], x).expected;
            Case { op: FloatOp::Widen, about, operands: padded(width, &[x]), expected }
        };
        cases.extend([row(Input, small), row(Zero, -0.0), row(Nan, f64::NAN)]);
    } else {
        let row = |about, x: f64, result: f64| {
            let expected = number(FloatWidth::Single, FloatOp::Narrow, about, &[], result).expected;
            Case { op: FloatOp::Narrow, about, operands: padded(width, &[x]), expected }
        };
        let tie = 1.0 + f64::exp2(-24.0);
        cases.extend([
            row(Result, f64::exp2(-127.0), f64::exp2(-127.0)),
            row(Zero, -0.0, -0.0),
            row(Nan, f64::NAN, f64::NAN),
            row(Rounding, tie, 1.0),
            row(Rounding, tie + f64::exp2(-50.0), 1.0 + f64::exp2(-23.0)),
        ]);
    }
    if width == FloatWidth::Half {
        let row = |about, x: f64, result: f64| Case {
            operands: padded(FloatWidth::Single, &[x]),
            ..number(width, FloatOp::Narrow, about, &[], result)
        };
        let unit = f64::exp2(-10.0);
        let least = f64::exp2(-24.0);
        cases.extend([
            row(Result, f64::exp2(-15.0), f64::exp2(-15.0)),
            row(Result, 1.5 * least, 2.0 * least),
            row(Result, 0.5 * least, 0.0),
            row(Zero, -0.0, -0.0),
            row(Nan, f64::NAN, f64::NAN),
            row(Rounding, 1.0 + unit / 2.0, 1.0),
            row(Rounding, 1.0 + 1.5 * unit, 1.0 + 2.0 * unit),
            row(Rounding, 1.0 + unit * 0.501, 1.0 + unit),
            row(Rounding, 65519.0, 65504.0),
            row(Rounding, 65520.0, f64::INFINITY),
        ]);
    }
    // An integer that is a tie, if it has more digits than the width.
    let digits = width.fraction().min(29);
    for last in [1, 3] {
        let integer = (2u64 << digits) + last;
        let even =
            if digits < 29 { integer / 4 * 4 + if last == 3 { 4 } else { 0 } } else { integer };
        cases.push(Case {
            op: FloatOp::FromInt,
            about: Rounding,
            operands: [integer; 3],
            expected: Expected::Bits(width.encode(even as f64)),
        });
    }
}

/// Returns the behaviour of each operation that the results show.
fn judge(
    width: FloatWidth,
    cases: &[Case],
    found: &[[u64; FloatOp::ALL.len()]],
) -> [Behaviour; FloatOp::ALL.len()] {
    let mut row = [Behaviour::RIGHT; FloatOp::ALL.len()];
    for (case, results) in cases.iter().zip(found) {
        let result = results[case.op as usize];
        let right = match case.expected {
            Expected::Bits(bits) => result == bits,
            Expected::Nan(of) => of.is_nan(result),
        };
        if right {
            continue;
        }
        tracing::debug!("{width:?} {:?} of {:x?} gives {result:#x}", case.op, case.operands);
        let behaviour = &mut row[case.op as usize];
        match case.about {
            Aspect::Input => behaviour.keeps_inputs = false,
            Aspect::Result => behaviour.keeps_results = false,
            Aspect::Zero => behaviour.signed_zeros = false,
            Aspect::Nan => behaviour.nans = false,
            Aspect::Rounding => behaviour.nearest_even = false,
        }
    }
    row
}

/// Runs the kernel on all cases; returns the results of all operations for each case.
fn compute(
    device: &Arc<Device>,
    controls: &FloatControls,
    widths: (FloatWidth, Option<FloatWidth>),
    cases: &[Case],
) -> Result<Vec<[u64; FloatOp::ALL.len()]>, Error> {
    let words = |bits: u64| [bits as u32, (bits >> 32) as u32];
    let input: Vec<u8> = cases
        .iter()
        .flat_map(|case| case.operands)
        .flat_map(words)
        .flat_map(u32::to_le_bytes)
        .collect();
    let size = cases.len() * FloatOp::ALL.len() * 8;
    let spirv = kernel(controls, widths);
    let found = run_from_to(device, &spirv, &input, size, cases.len() as u32)?;
    let numbers: Vec<u64> = found.as_chunks().0.iter().map(|b| u64::from_le_bytes(*b)).collect();
    Ok(numbers.as_chunks().0.to_vec())
}

/// Makes the kernel, which reads three operands as words, and writes all results as pairs of words.
fn kernel(controls: &FloatControls, (width, other): (FloatWidth, Option<FloatWidth>)) -> Vec<u32> {
    let mut k = KernelBuilder::new(2);
    k.local_size([1, 1, 1]);
    for width in [Some(width), other].into_iter().flatten() {
        ask(controls, &mut k, width.bits());
    }
    let (row, uint, float) = (k.global_id_x(), k.uint(), k.float(width.bits()));
    let mut words = [[0; 2]; 3];
    for (n, pair) in words.iter_mut().enumerate() {
        for (w, word) in pair.iter_mut().enumerate() {
            let index = element(&mut k, row, 6, (2 * n + w) as u32);
            *word = k.load(0, uint, index);
        }
    }
    let [a, b, c] = words.map(|[lo, hi]| from_words(&mut k, width, lo, hi));
    for (n, what) in FloatOp::ALL.into_iter().enumerate() {
        let (result, of) = match what {
            FloatOp::Less => (compare(&mut k, Op::FOrdLessThan, a, b), None),
            FloatOp::Equal => (compare(&mut k, Op::FOrdEqual, a, b), None),
            FloatOp::FromInt => (k.unary(Op::ConvertSToF, float, words[0][0]), Some(width)),
            FloatOp::Narrow if width == FloatWidth::Half && other.is_some() => {
                let [lo, hi] = words[0];
                let single = from_words(&mut k, FloatWidth::Single, lo, hi);
                (k.unary(Op::FConvert, float, single), Some(width))
            }
            FloatOp::Widen | FloatOp::Narrow => {
                let narrows = what == FloatOp::Narrow;
                let Some(other) = other.filter(|_| narrows == (width == FloatWidth::Double)) else {
                    continue;
                };
                let ty = k.float(other.bits());
                (k.unary(Op::FConvert, ty, a), Some(other))
            }
            _ => (arithmetic_op(&mut k, what, float, [a, b, c]), Some(width)),
        };
        let result = match of {
            Some(width) => to_words(&mut k, width, result),
            None => [result, k.constant(0)],
        };
        for (w, word) in result.into_iter().enumerate() {
            let index = element(&mut k, row, 2 * FloatOp::ALL.len() as u32, (2 * n + w) as u32);
            k.store(1, uint, index, word);
        }
    }
    k.finish()
}

/// Emits the index of an element of a row.
fn element(k: &mut KernelBuilder, row: u32, stride: u32, n: u32) -> u32 {
    let uint = k.uint();
    let (stride, n) = (k.constant(stride), k.constant(n));
    let start = k.binary(Op::IMul, uint, row, stride);
    k.binary(Op::IAdd, uint, start, n)
}

fn arithmetic_op(k: &mut KernelBuilder, what: FloatOp, float: u32, [a, b, c]: [u32; 3]) -> u32 {
    match what {
        FloatOp::Add => k.binary(Op::FAdd, float, a, b),
        FloatOp::Subtract => k.binary(Op::FSub, float, a, b),
        FloatOp::Multiply => k.binary(Op::FMul, float, a, b),
        FloatOp::Divide => k.binary(Op::FDiv, float, a, b),
        FloatOp::Negate => k.unary(Op::FNegate, float, a),
        FloatOp::SquareRoot => k.extended(Glsl::Sqrt, float, &[a]),
        FloatOp::Absolute => k.extended(Glsl::FAbs, float, &[a]),
        FloatOp::Minimum => k.extended(Glsl::NMin, float, &[a, b]),
        FloatOp::Maximum => k.extended(Glsl::NMax, float, &[a, b]),
        FloatOp::Floor => k.extended(Glsl::Floor, float, &[a]),
        FloatOp::Ceil => k.extended(Glsl::Ceil, float, &[a]),
        _ => k.extended(Glsl::Fma, float, &[a, b, c]),
    }
}

/// Emits a comparison; its result is 1 or 0.
fn compare(k: &mut KernelBuilder, op: Op, a: u32, b: u32) -> u32 {
    let (boolean, uint) = (k.boolean(), k.uint());
    let (one, zero) = (k.constant(1), k.constant(0));
    let truth = k.binary(op, boolean, a, b);
    k.select(uint, truth, one, zero)
}

fn from_words(k: &mut KernelBuilder, width: FloatWidth, lo: u32, hi: u32) -> u32 {
    let float = k.float(width.bits());
    match width {
        FloatWidth::Half => {
            let both = k.vector(float, 2);
            let both = k.unary(Op::Bitcast, both, lo);
            k.binary_literal(Op::CompositeExtract, float, both, 0)
        }
        FloatWidth::Single => k.unary(Op::Bitcast, float, lo),
        FloatWidth::Double => {
            let pair = k.uints(2);
            let pair = k.binary(Op::CompositeConstruct, pair, lo, hi);
            k.unary(Op::Bitcast, float, pair)
        }
    }
}

fn to_words(k: &mut KernelBuilder, width: FloatWidth, x: u32) -> [u32; 2] {
    let (uint, zero) = (k.uint(), k.constant(0));
    match width {
        FloatWidth::Half => {
            let half = k.float(16);
            let (both, nothing) = (k.vector(half, 2), k.float_constant(half, &[0]));
            let both = k.binary(Op::CompositeConstruct, both, x, nothing);
            [k.unary(Op::Bitcast, uint, both), zero]
        }
        FloatWidth::Single => [k.unary(Op::Bitcast, uint, x), zero],
        FloatWidth::Double => {
            let pair = k.uints(2);
            let pair = k.unary(Op::Bitcast, pair, x);
            [0, 1].map(|n| k.binary_literal(Op::CompositeExtract, uint, pair, n))
        }
    }
}

/// Returns true if the device merges the sign of one number with the magnitude of another correctly where the result is one of
/// two (see `sign_merge` among the compiler's quirks).
pub(crate) fn merges_signs(device: &Arc<Device>, controls: &FloatControls) -> Result<bool, Error> {
    let mut k = KernelBuilder::new(1);
    k.local_size([GROUP, 1, 1]);
    ask(controls, &mut k, 32);
    let (i, uint, float, boolean) = (k.global_id_x(), k.uint(), k.float(32), k.boolean());
    let group = k.constant(GROUP);
    let next = k.binary(Op::IAdd, uint, i, group);
    // The order of the instructions matters: in this order LLVM miscompiles them.
    let (m, x) = (k.load(0, float, next), k.load(0, float, i));
    let (x_bits, m_bits) = (k.unary(Op::Bitcast, uint, x), k.unary(Op::Bitcast, uint, m));
    let (rest, sign) = (k.constant(!SIGN), k.constant(SIGN));
    let magnitude = k.binary(Op::BitwiseAnd, uint, m_bits, rest);
    let sign = k.binary(Op::BitwiseAnd, uint, x_bits, sign);
    let merged = k.binary(Op::BitwiseOr, uint, magnitude, sign);
    let merged = k.unary(Op::Bitcast, float, merged);
    let limit = k.float_constant(float, &[LIMIT.to_bits()]);
    let below = k.binary(Op::FOrdLessThan, boolean, x, limit);
    let result = k.select(float, below, x, merged);
    k.store(0, float, i, result);

    // The numbers are around the limit; the magnitudes have no bits in common with them.
    let numbers = (0..GROUP).map(|i| i as f32 - 27.0);
    let magnitudes = (0..GROUP).map(|i| f32::from_bits(0x2a55_5555 ^ i << 20));
    let words: Vec<u32> = numbers.clone().chain(magnitudes.clone()).map(f32::to_bits).collect();
    let found = run_in_place(device, &k.finish(), &words, 1)?;
    let expected = numbers.zip(magnitudes).map(|(x, m)| if x < LIMIT { x } else { m.copysign(x) });
    Ok(expected.zip(&found).all(|(expected, &found)| expected.to_bits() == found))
}

const SIGN: u32 = 0x8000_0000;
/// Numbers below this limit must stay unchanged.
const LIMIT: f32 = -4.0;
/// Invocations of the kernel of [`merges_signs`]: more than the lanes of a processor's vector.
const GROUP: u32 = 64;
