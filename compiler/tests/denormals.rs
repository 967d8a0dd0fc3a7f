//! Doubles on devices that flush denormal numbers: what programs compute there is what IEEE 754 has,
//! tried on an interpreter that flushes them.

mod lower_support;

use hekla_compiler::ir::Module;
use hekla_compiler::{FloatTraits, Target};
use lower_support::interpreter::Machine;
use lower_support::try_lower;

/// A device whose doubles (and floats) lose denormals, with a fused fma or without.
fn flushing(fused: bool) -> Target {
    let traits = FloatTraits { keeps_denormals: false, ..FloatTraits::IEEE };
    Target {
        float_traits: [FloatTraits::IEEE, traits, traits],
        fma32_fused: fused,
        fma64_fused: fused,
        ..Target::generic()
    }
}

/// Operands: every kind of number about the denormal range, its multiples and its reciprocals.
fn operands() -> Vec<f64> {
    let least = f64::MIN_POSITIVE;
    let tiny = f64::from_bits(1);
    let mut values = vec![
        0.0,
        tiny,
        3.0 * tiny,
        least / 2.0,
        least - tiny,
        least,
        least + tiny,
        1.5 * least,
        least / 3.0,
        f64::exp2(-700.0) / 3.0,
        f64::exp2(-540.0) / 7.0,
        f64::exp2(-511.0),
        0.5,
        1.0,
        1.0 - f64::EPSILON / 2.0,
        2.0 / 3.0,
        1e10,
        f64::exp2(600.0) * 1.1,
        f64::MAX,
        f64::INFINITY,
        f64::NAN,
    ];
    values.extend(values.clone().into_iter().map(|x| -x));
    // xorshift64 (G. Marsaglia, "Xorshift RNGs", 2003), with exponents where things happen.
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    for i in 0..40u64 {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let exponent = [0, 1, 2, 300, 500, 511, 512, 700, 1022, 1023, 1100][i as usize % 11];
        values.push(f64::from_bits(state & !(0x7ff << 52) | exponent << 52));
    }
    values
}

fn run(module: &Module, words: &[u64]) -> Vec<u64> {
    let mut machine = Machine::new(module);
    machine.flushes = true;
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let address = machine.allocate(bytes);
    machine.args = vec![address.to_le_bytes().to_vec()];
    machine.run_kernel(0);
    let out = machine.global_bytes(address, words.len() * 8);
    out.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word)).collect()
}

/// The result of `expression` of a, b and c, as bits.
fn compute(expression: &str, target: &Target, rows: &[[f64; 3]], options: &str) -> Vec<u64> {
    let text = format!(
        "kernel void test(global double *p) {{\n\
         double a = p[0], b = p[1], c = p[2];\n\
         ((global ulong *)p)[0] = {expression}; }}"
    );
    let module = try_lower(&text, options, target).unwrap_or_else(|log| panic!("{log}"));
    rows.iter().map(|row| run(&module, &row.map(f64::to_bits))[0]).collect()
}

type Binary = fn(f64, f64) -> f64;
type Compare = fn(f64, f64) -> bool;
type Narrowing = fn(f64) -> f32;

fn pairs() -> Vec<[f64; 3]> {
    let values = operands();
    values.iter().flat_map(|&a| values.iter().map(move |&b| [a, b, 0.0])).collect()
}

fn same(got: u64, want: f64) -> bool {
    got == want.to_bits() || want.is_nan() && f64::from_bits(got).is_nan()
}

#[test]
fn arithmetic_is_that_of_ieee_754() {
    let cases: [(&str, Binary); 6] = [
        ("a + b", |a, b| a + b),
        ("a - b", |a, b| a - b),
        ("a * b", |a, b| a * b),
        ("a / b", |a, b| a / b),
        ("fma(a, b, -1.0)", |a, b| a.mul_add(b, -1.0)),
        ("sqrt(a)", |a, _| a.sqrt()),
    ];
    let rows = pairs();
    for fused in [false, true] {
        for (expression, want) in cases {
            let text = format!("as_ulong({expression})");
            let found = compute(&text, &flushing(fused), &rows, "");
            for ([a, b, _], got) in rows.iter().zip(found) {
                let want = want(*a, *b);
                assert!(
                    same(got, want),
                    "{expression} of {a:e} ({:#x}) and {b:e} ({:#x}): {got:#x}, not {:#x}",
                    a.to_bits(),
                    b.to_bits(),
                    want.to_bits()
                );
            }
        }
    }
}

#[test]
fn fma_rounds_once() {
    let values: Vec<f64> = operands().into_iter().step_by(3).collect();
    let mut rows = Vec::new();
    for &a in &values {
        for &b in &values {
            rows.extend(values.iter().map(|&c| [a, b, c]));
        }
    }
    let found = compute("as_ulong(fma(a, b, c))", &flushing(true), &rows, "");
    for ([a, b, c], got) in rows.iter().zip(found) {
        let want = a.mul_add(*b, *c);
        assert!(same(got, want), "fma({a:e}, {b:e}, {c:e}): {got:#x}, not {:#x}", want.to_bits());
    }
}

#[test]
fn comparisons_tell_denormals_apart() {
    let cases: [(&str, Compare); 8] = [
        ("a < b", |a, b| a < b),
        ("a <= b", |a, b| a <= b),
        ("a > b", |a, b| a > b),
        ("a >= b", |a, b| a >= b),
        ("a == b", |a, b| a == b),
        ("a != b", |a, b| a != b),
        ("islessgreater(a, b)", |a, b| a != b && !a.is_nan() && !b.is_nan()),
        ("isunordered(a, b)", |a, b| a.is_nan() || b.is_nan()),
    ];
    let rows = pairs();
    for (expression, want) in cases {
        let found = compute(expression, &flushing(false), &rows, "");
        for ([a, b, _], got) in rows.iter().zip(found) {
            assert_eq!(got != 0, want(*a, *b), "{expression} of {a:e} and {b:e}");
        }
    }
}

#[test]
fn numbers_are_chosen_and_rounded_whole() {
    let cases: [(&str, Binary); 8] = [
        ("fmin(a, b)", |a, b| if a == b { a } else { a.min(b) }),
        ("fmax(a, b)", |a, b| if a == b { a } else { a.max(b) }),
        ("fabs(a)", |a, _| a.abs()),
        ("copysign(a, b)", |a, b| a.copysign(b)),
        ("floor(a)", |a, _| a.floor()),
        ("ceil(a)", |a, _| a.ceil()),
        ("trunc(a)", |a, _| a.trunc()),
        ("rint(a)", |a, _| a.round_ties_even()),
    ];
    let rows = pairs();
    for (expression, want) in cases {
        let text = format!("as_ulong({expression})");
        let found = compute(&text, &flushing(false), &rows, "");
        for ([a, b, _], got) in rows.iter().zip(found) {
            let want = want(*a, *b);
            // Either zero may come out of fmin and fmax of two.
            let zeros = *a == 0.0 && *b == 0.0 && want == 0.0 && got << 1 == 0;
            assert!(same(got, want) || zeros, "{expression} of {a:e} and {b:e}: {got:#x}");
        }
    }
}

#[test]
fn vectors_are_done_by_component() {
    let rows = [[f64::MIN_POSITIVE / 2.0, 4.0, 0.0]];
    let text = "as_ulong(((double2)(b, a) * (double2)(b, b)).y)";
    let found = compute(text, &flushing(false), &rows, "");
    assert_eq!(f64::from_bits(found[0]), 2.0 * f64::MIN_POSITIVE);
    let text = "((double2)(0.0, 0.0) < (double2)(-b, a)).y";
    assert_ne!(compute(text, &flushing(false), &rows, "")[0], 0);
}

/// Narrowing is right in every mode whatever becomes of denormals: the bits of the result by those of
/// the argument.
#[test]
fn narrowing_is_exact_in_every_mode() {
    let rows: Vec<[f64; 3]> = [
        1.5 * f64::exp2(-127.0),
        f64::exp2(-127.0) * (1.0 + f64::exp2(-40.0)),
        -f64::exp2(-149.0) * 1.25,
        f64::exp2(-150.0),
        f64::exp2(-1074.0),
        -1.0 - f64::exp2(-30.0),
        f64::from(f32::MAX) * (1.0 + f64::exp2(-26.0)),
        -f64::MAX,
        f64::INFINITY,
        -0.0,
    ]
    .map(|x| [x, 0.0, 0.0])
    .to_vec();
    let directed: [(&str, Narrowing); 3] = [
        ("rtz", |x| toward(x, |near| f64::from(near.abs()) > x.abs())),
        ("rtp", |x| toward(x, |near| near.is_sign_negative() && f64::from(near) < x)),
        ("rtn", |x| toward(x, |near| near.is_sign_positive() && f64::from(near) > x)),
    ];
    for (mode, want) in directed {
        let text = format!("as_uint(convert_float_{mode}(a))");
        for ([x, ..], got) in rows.iter().zip(compute(&text, &flushing(false), &rows, "")) {
            let mut want = want(*x);
            // The steps away from zero.
            let (up, down) =
                (mode == "rtp" && f64::from(want) < *x, mode == "rtn" && f64::from(want) > *x);
            if (up && *x > 0.0) || (down && *x < 0.0) {
                want = f32::from_bits(want.to_bits() + 1);
            }
            assert_eq!(got as u32, want.to_bits(), "{mode} of {x:e}");
        }
    }
}

/// The nearest float, one step toward zero where that is too far.
fn toward(x: f64, too_far: impl Fn(f32) -> bool) -> f32 {
    let near = x as f32;
    if too_far(near) {
        f32::from_bits(near.to_bits() - 1)
    } else {
        near
    }
}

#[test]
fn who_allows_zeros_gets_the_devices_operations() {
    let rows = [[f64::MIN_POSITIVE / 2.0, 4.0, 0.0]];
    for options in
        ["-cl-denorms-are-zero", "-cl-unsafe-math-optimizations", "-cl-fast-relaxed-math"]
    {
        assert_eq!(compute("as_ulong(a * b)", &flushing(false), &rows, options)[0], 0, "{options}");
    }
    let keeping = Target::generic();
    assert_eq!(
        compute("as_ulong(a * b)", &keeping, &rows, "")[0],
        0,
        "what is kept is not emulated"
    );
}
