//! Math functions through the whole front end, the library and lowering, compared with the host's functions.

mod lower_support;

use hekla_compiler::ir::{BinaryOp, InstData, MathOp, OpFlags};
use hekla_compiler::Target;
use lower_support::{lower_text, run_doubles, run_floats, run_module, try_lower};

/// Returns the distance in units in the last place of the wanted float; infinities and NaN must agree.
fn float_ulps(got: f32, want: f64) -> f64 {
    let rounded = want as f32;
    if rounded.is_nan() || got.is_nan() {
        return if rounded.is_nan() && got.is_nan() { 0.0 } else { f64::INFINITY };
    }
    if got == rounded {
        return 0.0;
    }
    let exponent = want.abs().log2().floor().max(-126.0) as i32;
    (f64::from(got) - want).abs() / 2f64.powi(exponent - 23)
}

fn double_ulps(got: f64, want: f64) -> f64 {
    if want.is_nan() || got.is_nan() {
        return if want.is_nan() && got.is_nan() { 0.0 } else { f64::INFINITY };
    }
    if got == want {
        return 0.0;
    }
    let exponent = want.abs().log2().floor().max(-1022.0) as i32;
    (got - want).abs() / 2f64.powi(exponent - 52)
}

const POINTS: [f64; 20] = [
    0.0,
    -0.0,
    0.25,
    -0.6,
    0.9,
    1.0,
    -1.0,
    1.5,
    2.75,
    -3.3,
    10.0,
    -31.4,
    100.5,
    5000.25,
    -1e7,
    1e30,
    1e-20,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
];

/// Functions of one argument, each with its bound in ulp and the host's counterpart. (In double the host's own error is a few
/// ulp.)
type Case = (&'static str, f64, fn(f64) -> f64);

const CASES: [Case; 22] = [
    ("sin", 4.0, f64::sin),
    ("cos", 4.0, f64::cos),
    ("tan", 5.0, f64::tan),
    ("asin", 4.0, f64::asin),
    ("acos", 4.0, f64::acos),
    ("atan", 5.0, f64::atan),
    ("sinh", 4.0, f64::sinh),
    ("cosh", 4.0, f64::cosh),
    ("tanh", 5.0, f64::tanh),
    ("asinh", 4.0, |x| if x == 0.0 { x } else { x.signum() * (x.abs() / 2.0).asinh_twice() }),
    ("atanh", 5.0, f64::atanh),
    ("exp", 3.0, f64::exp),
    ("exp2", 3.0, f64::exp2),
    ("expm1", 3.0, f64::exp_m1),
    ("log", 3.0, f64::ln),
    ("log2", 3.0, f64::log2),
    ("log10", 3.0, f64::log10),
    ("log1p", 2.0, f64::ln_1p),
    ("cbrt", 2.0, f64::cbrt),
    ("sqrt", 3.0, f64::sqrt),
    ("round", 0.0, f64::round),
    ("rint", 0.0, f64::round_ties_even),
];

trait AsinhTwice {
    fn asinh_twice(self) -> f64;
}

impl AsinhTwice for f64 {
    /// Returns asinh(2x), without the overflow of the host's asinh.
    fn asinh_twice(self) -> f64 {
        let x = 2.0 * self;
        if x > 1e15 {
            x.ln() + std::f64::consts::LN_2
        } else {
            (x + x * x / (1.0 + (1.0 + x * x).sqrt())).ln_1p()
        }
    }
}

#[test]
fn float_functions_keep_their_bounds() {
    for (name, bound, host) in CASES {
        let body = format!(
            "kernel void k(global float *p) {{ for (int i = 0; i < 20; i++) p[i] = {name}(p[i]); }}"
        );
        let input = POINTS.map(|x| x as f32);
        let out = run_floats(&body, &input);
        for (x, got) in input.iter().zip(out) {
            let want = host(f64::from(*x));
            let error = float_ulps(got, want);
            assert!(error <= bound, "{name}({x:e}) = {got:e}, not {want:e}: {error} ulp");
        }
    }
}

#[test]
fn double_functions_keep_their_bounds() {
    for (name, bound, host) in CASES {
        let body = format!(
            "kernel void k(global double *p) {{ for (int i = 0; i < 20; i++) p[i] = {name}(p[i]); }}"
        );
        for (x, got) in POINTS.iter().zip(run_doubles(&body, &POINTS)) {
            let want = host(*x);
            let error = double_ulps(got, want);
            assert!(error <= bound + 4.0, "{name}({x:e}) = {got:e}, not {want:e}: {error} ulp");
        }
    }
}

#[test]
fn powers_and_their_special_values() {
    let text = "kernel void k(global float *p) {
        p[0] = pow(2.0f, 10.0f); p[1] = pow(-2.0f, 3.0f); p[2] = pow(-2.0f, 0.5f);
        p[3] = pow(0.0f, -1.0f); p[4] = pow(1.0f, as_float(0x7fc00000)); p[5] = pown(-3.0f, 3);
        p[6] = rootn(-27.0f, 3); p[7] = powr(9.0f, 0.5f); p[8] = pow(1.0001f, 100000.0f);
        p[9] = hypot(3e30f, 4e30f); p[10] = fma(1.0f + 0x1p-12f, 1.0f + 0x1p-12f, -1.0f - 0x1p-11f);
    }";
    let out = run_floats(text, &[0.0; 11]);
    assert_eq!(out[..2], [1024.0, -8.0]);
    assert!(out[2].is_nan() && out[3] == f32::INFINITY && out[4] == 1.0);
    assert_eq!(out[5..8], [-27.0, -3.0, 3.0]);
    let want = f64::from(1.0001f32).powf(1e5);
    assert!(float_ulps(out[8], want) <= 16.0, "{} {want}", out[8]);
    assert_eq!(out[9..], [5e30, 2f32.powi(-24)]);
}

#[test]
fn exact_functions_write_their_outputs() {
    let text = "kernel void k(global float *p) {
        int e; float w;
        p[0] = frexp(24.0f, &e); p[1] = e;
        p[2] = modf(-3.75f, &w); p[3] = w;
        p[4] = fract(-0.25f, p + 5);
        p[6] = remquo(29.0f, 3.0f, &e); p[7] = e;
        p[8] = fmod(5.3f, -2.0f); p[9] = remainder(5.0f, 2.0f); p[10] = ldexp(0.75f, 4);
        p[11] = ilogb(10.0f); p[12] = logb(0.1f); p[13] = nextafter(1.0f, 2.0f);
        int4 e4; float4 f4 = frexp((float4)(1, 2, 4, 8), &e4);
        p[14] = f4.w; p[15] = e4.z;
        float2 c2; float2 s2 = sincos((float2)(0, 1), &c2);
        p[16] = s2.y; p[17] = c2.x;
    }";
    let out = run_floats(text, &[0.0; 18]);
    assert_eq!(out[..8], [0.75, 5.0, -0.75, -3.0, 0.75, -1.0, -1.0, 10.0]);
    assert_eq!(out[8..13], [5.3f32 % 2.0, 1.0, 12.0, 3.0, -4.0]);
    assert_eq!(out[13].to_bits(), 1.0f32.to_bits() + 1);
    assert_eq!(out[14..16], [0.5, 3.0]);
    assert!((out[16] - 1f32.sin()).abs() < 1e-7 && out[17] == 1.0);
}

#[test]
fn relaxed_math_takes_the_devices_functions() {
    let text = "kernel void k(global float *p) { p[0] = sin(p[0]) + pow(p[1], p[2]); }";
    let math = |options: &str| {
        let module = try_lower(text, options, &Target::generic()).unwrap();
        let used = module.functions.len();
        let insts: Vec<_> = module.functions.values().flat_map(|f| f.insts.values()).collect();
        let native = |op: MathOp| {
            insts.iter().any(|inst| matches!(inst, InstData::Math { op: o, .. } if *o == op))
        };
        (used, native(MathOp::Sin), native(MathOp::Exp2))
    };
    let (used, sin, exp2) = math("-cl-fast-relaxed-math");
    assert_eq!((used, sin, exp2), (2, true, true));
    let (used, sin, exp2) = math("");
    assert!(used > 4 && !sin && !exp2);
}

#[test]
fn relaxed_functions_are_the_devices_where_those_are_accurate() {
    let functions = |text: &str, options: &str, accurate: bool| {
        let target =
            Target { exp2_accurate: accurate, log2_accurate: accurate, ..Target::generic() };
        let module = try_lower(text, options, &target).unwrap();
        module.functions.values().map(|f| f.name.clone()).collect::<Vec<_>>()
    };
    let relaxed = "-cl-fast-relaxed-math";
    for (call, options, library) in [
        ("exp(x)", relaxed, "__exp_f32"),
        ("exp2(x)", relaxed, "__exp2_f32"),
        ("log(x)", relaxed, "__log_f32"),
        ("log2(x)", relaxed, "__log2_f32"),
        ("log10(x)", relaxed, "__log10_f32"),
        ("half_exp(x)", "", "__exp_f32"),
        ("half_exp2(x)", "", "__exp2_f32"),
        ("half_exp10(x)", "", "__exp10_f32"),
    ] {
        let text = format!("kernel void k(global float *p) {{ float x = p[0]; p[0] = {call}; }}");
        for accurate in [true, false] {
            let names = functions(&text, options, accurate);
            assert_eq!(names.iter().any(|name| name == library), !accurate, "{call}: {names:?}");
        }
    }
}

/// Returns a target with accurate logarithms, which keeps denormal numbers or takes them for zero.
fn with_logarithms(keeps_denormals: bool) -> Target {
    let mut target =
        Target { log2_accurate: true, log2_accurate_near_1: true, ..Target::generic() };
    target.float_traits[1].keeps_denormals = keeps_denormals;
    target
}

/// The products of some devices take denormal numbers for zero, and their logarithms may read the exponent alone.
#[test]
fn logarithms_by_the_device_are_right_for_denormals_and_special_numbers() {
    let text = "kernel void k(global float *p) { p[0] = log2(p[0]); }";
    for (keeps, options) in
        [(true, ""), (false, ""), (true, "-cl-fast-relaxed-math"), (false, "-cl-fast-relaxed-math")]
    {
        let module = try_lower(text, options, &with_logarithms(keeps)).unwrap();
        let run = |x: f32| run_module(&module, x.to_le_bytes().to_vec());
        let log = |x| f32::from_le_bytes(run(x)[..4].try_into().unwrap());
        for (x, expected) in [
            (f32::from_bits(0x100), -141.0),
            (f32::from_bits(1), -149.0),
            (f32::MIN_POSITIVE, -126.0),
            (8.0, 3.0),
            (1.0, 0.0),
            (0.0, f32::NEG_INFINITY),
            (-0.0, f32::NEG_INFINITY),
            (f32::INFINITY, f32::INFINITY),
        ] {
            assert_eq!(log(x), expected, "{x}, {keeps}");
        }
        assert!([-1e-40, -2.0, f32::NEG_INFINITY, f32::NAN].into_iter().all(|x| log(x).is_nan()));
        let is_product =
            |inst: &InstData| matches!(inst, InstData::Binary { op: BinaryOp::FMul, .. });
        let multiplies = module.functions.values().any(|f| f.insts.values().any(is_product));
        assert_eq!(multiplies, keeps);
    }
}

/// A logarithm is one operation on a device that takes denormal numbers for zero, and whose logarithm does so, too.
#[test]
fn logarithms_of_devices_without_denormals_are_one_operation() {
    let text = "kernel void k(global float *p) { p[0] = log2(p[0]); }";
    let target = Target { log2_denormals: true, ..with_logarithms(false) };
    let module = try_lower(text, "", &target).unwrap();
    let insts = || module.functions.values().flat_map(|f| f.insts.values());
    let is_log = |inst: &InstData| matches!(inst, InstData::Math { op: MathOp::Log2, .. });
    assert_eq!(insts().filter(|inst| is_log(inst)).count(), 1);
    assert!(!insts().any(|inst| matches!(inst, InstData::Select { .. })));
}

#[test]
fn logarithms_are_the_devices_where_those_are_accurate_near_1() {
    for (call, library) in [
        ("log(x)", "__log_f32"),
        ("log2(x)", "__log2_f32"),
        ("log10(x)", "__log10_f32"),
        ("half_log(x)", "__log_f32"),
        ("half_log2(x)", "__log2_f32"),
        ("half_log10(x)", "__log10_f32"),
    ] {
        let text = format!("kernel void k(global float *p) {{ float x = p[0]; p[0] = {call}; }}");
        let vector =
            format!("kernel void k(global float4 *p) {{ float4 x = p[0]; p[0] = {call}; }}");
        for text in [text, vector] {
            let uses = |target: &Target| {
                let module = try_lower(&text, "", target).unwrap();
                module.functions.values().any(|f| f.name == library)
            };
            assert!(!uses(&with_logarithms(true)), "{call}");
            let elsewhere = Target { log2_accurate_near_1: false, ..with_logarithms(true) };
            assert!(uses(&elsewhere), "{call}");
        }
    }
}

#[test]
fn only_used_library_functions_are_lowered() {
    let module = lower_text("kernel void k(global float *p) { p[0] = exp(p[0]); }");
    let names: Vec<_> = module.functions.values().map(|f| f.name.as_str()).collect();
    assert!(names.contains(&"__exp_f32") && !names.iter().any(|n| n.contains("sin")));
}

#[test]
fn quotients_ask_for_a_rounding_mode_only_where_they_are_to_be_exact() {
    let target = Target {
        rounding_rte_32_to_divide: true,
        div32_exact: true,
        rounding_rte_32: true,
        ..Target::generic()
    };
    let native = |text: &str, options: &str| {
        let module = try_lower(text, options, &target).unwrap();
        let flags: Vec<bool> = module
            .functions
            .values()
            .flat_map(|f| f.insts.values())
            .filter_map(|inst| match inst {
                InstData::Binary { op: BinaryOp::FDiv, flags, .. } => {
                    Some(flags.contains(OpFlags::NATIVE))
                }
                _ => None,
            })
            .collect();
        (flags, module)
    };
    let text = "kernel void k(global float *p) { p[0] = p[1] / p[2]; }";
    assert_eq!(native(text, "-cl-fp32-correctly-rounded-divide-sqrt").0, [false]);
    let (flags, module) = native(text, "");
    assert_eq!(flags, [true]);
    // The device's own division is good for divisors up to 2^126.
    let divide = |x: f32, y: f32| {
        let bytes = [0.0, x, y].iter().flat_map(|v| v.to_le_bytes()).collect();
        f32::from_le_bytes(run_module(&module, bytes)[..4].try_into().unwrap())
    };
    assert_eq!(divide(1e38, 2e38), 0.5);
    assert_eq!(divide(3.0, -8.0), -0.375);
    assert_eq!(divide(f32::INFINITY, 2e38), f32::INFINITY);
    assert_eq!(divide(1.0, f32::INFINITY), 0.0);
    assert!(divide(0.0, 0.0).is_nan());
    let is_product = |inst: &InstData| matches!(inst, InstData::Binary { op: BinaryOp::FMul, .. });
    let native_divide = "kernel void k(global float *p) { p[0] = native_divide(p[1], p[2]); }";
    for (text, options) in [(native_divide, ""), (text, "-cl-fast-relaxed-math")] {
        let (flags, module) = native(text, options);
        assert_eq!(flags, [true]);
        assert!(!module.functions.values().any(|f| f.insts.values().any(is_product)));
    }
}

#[test]
fn correctly_rounded_division_and_root() {
    let text = "kernel void k(global float *p) { p[0] = p[0] / p[1]; p[1] = sqrt(p[1]); }";
    let target = Target::generic();
    let options = "-cl-fp32-correctly-rounded-divide-sqrt";
    let module = try_lower(text, options, &target).unwrap();
    let names: Vec<_> = module.functions.values().map(|f| f.name.as_str()).collect();
    assert!(names.contains(&"__divide_f32") && names.contains(&"__sqrt_f32"));
    for (x, y) in [(1.0f32, 3.0f32), (7.5, 0.1), (1e-38, 3e3), (3e38, 0.1), (2.0, 2.0)] {
        let bytes = [x, y].iter().flat_map(|v| v.to_le_bytes()).collect();
        let out = run_module(&module, bytes);
        let word = |i: usize| f32::from_le_bytes(out[i..i + 4].try_into().unwrap());
        assert_eq!(word(0), x / y);
        assert_eq!(word(4), y.sqrt());
    }
}
