//! The built-in library's special values (C99 F.9, OpenCL C 7.5.1), in both precisions, with and
//! without a fused multiply-add.

mod lower_support;

use hekla_compiler::Target;
use lower_support::{run_module, try_lower};

const INF: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;

/// Calls and their exact results; `T` is the type, `I` infinity, `N` a NaN, `D` the least positive number.
const CASES: [(&str, f64); 137] = [
    ("pow((T)0, (T)-1)", INF),
    ("pow((T)-0.0, (T)-1)", -INF),
    ("pow((T)-0.0, (T)-2)", INF),
    ("pow((T)-0.0, (T)3)", -0.0),
    ("pow((T)0, -I)", INF),
    ("pow((T)-1, I)", 1.0),
    ("pow((T)1, N)", 1.0),
    ("pow(N, (T)0)", 1.0),
    ("pow((T)-8, (T)0.5)", NAN),
    ("pow(-I, (T)-3)", -0.0),
    ("pow(-I, (T)3)", -INF),
    ("pow(-I, (T)0.5)", INF),
    ("pow((T)0.5, -I)", INF),
    ("pow((T)2, (T)10)", 1024.0),
    ("pown(N, 0)", 1.0),
    ("pown((T)-0.0, -3)", -INF),
    ("pown((T)-0.0, 4)", 0.0),
    ("pown(-I, 3)", -INF),
    ("pown((T)-1, 2147483647)", -1.0),
    ("pown((T)1, (int)0x80000000)", 1.0),
    ("powr((T)0, (T)0)", NAN),
    ("powr(I, (T)0)", NAN),
    ("powr((T)1, I)", NAN),
    ("powr((T)-1, (T)2)", NAN),
    ("powr((T)-0.0, (T)-3)", INF),
    ("rootn((T)-0.0, -3)", -INF),
    ("rootn((T)-0.0, 2)", 0.0),
    ("rootn((T)-27, 3)", -3.0),
    ("rootn((T)4, 0)", NAN),
    ("rootn((T)-4, 2)", NAN),
    ("atan2((T)0, (T)-0.0)", std::f64::consts::PI),
    ("atan2((T)-0.0, (T)0)", -0.0),
    ("atan2((T)1, (T)-0.0)", std::f64::consts::FRAC_PI_2),
    ("atan2(I, I)", std::f64::consts::FRAC_PI_4),
    ("atan2((T)-1, I)", -0.0),
    ("atan2((T)1, -I)", std::f64::consts::PI),
    ("atan2(I, N)", NAN),
    ("atan2pi((T)0, (T)-0.0)", 1.0),
    ("atan2pi((T)-0.0, (T)-5)", -1.0),
    ("atan2pi((T)-3, (T)0)", -0.5),
    ("atan2pi(-I, -I)", -0.75),
    ("atan2pi(I, I)", 0.25),
    ("atanpi(-I)", -0.5),
    ("acospi((T)1)", 0.0),
    ("acospi((T)1.5)", NAN),
    ("asinpi((T)-0.0)", -0.0),
    ("sinpi((T)-3)", -0.0),
    ("sinpi((T)2.5)", 1.0),
    ("sinpi(I)", NAN),
    ("cospi((T)0.5)", 0.0),
    ("cospi((T)-1.5)", 0.0),
    ("cospi((T)1e18)", 1.0),
    ("tanpi((T)-1)", 0.0),
    ("tanpi((T)1)", -0.0),
    ("tanpi((T)2)", 0.0),
    ("tanpi((T)0.5)", INF),
    ("tanpi((T)1.5)", -INF),
    ("sin((T)-0.0)", -0.0),
    ("cos(I)", NAN),
    ("tan(-I)", NAN),
    ("exp(-I)", 0.0),
    ("exp((T)1000)", INF),
    ("exp2((T)-3)", 0.125),
    ("exp10((T)2000)", INF),
    ("expm1((T)-0.0)", -0.0),
    ("expm1(-I)", -1.0),
    ("log((T)-0.0)", -INF),
    ("log((T)-1)", NAN),
    ("log2(8 * (T)0.125 * 4)", 2.0),
    ("log10((T)1000)", 3.0),
    ("log1p((T)-1)", -INF),
    ("log1p((T)-0.0)", -0.0),
    ("cbrt((T)-27)", -3.0),
    ("cbrt(-I)", -INF),
    ("hypot(-I, N)", INF),
    ("hypot(D * 3, D * 4)", 5.0),
    ("asinh((T)-0.0)", -0.0),
    ("acosh((T)1)", 0.0),
    ("acosh((T)0.5)", NAN),
    ("atanh((T)-1)", -INF),
    ("tanh(-I)", -1.0),
    ("cosh(-I)", INF),
    ("erf(-I)", -1.0),
    ("erfc(-I)", 2.0),
    ("tgamma((T)-0.0)", -INF),
    ("tgamma((T)-2)", NAN),
    ("tgamma((T)5)", 24.0),
    ("lgamma((T)-3)", INF),
    ("fmod((T)-0.0, (T)3)", -0.0),
    ("fmod((T)3, I)", 3.0),
    ("fmod(I, (T)3)", NAN),
    ("remainder((T)-6, (T)3)", -0.0),
    ("remainder((T)7, (T)2)", -1.0),
    ("fract((T)-1, &t)", 0.0),
    ("fract((T)-0.0, &t)", -0.0),
    ("fract(-I, &t)", -0.0),
    ("asin((T)-1.5)", NAN),
    ("asin(N)", NAN),
    ("acos((T)-1)", std::f64::consts::PI),
    ("acos((T)1)", 0.0),
    ("acos((T)2)", NAN),
    ("atan(-I)", -std::f64::consts::FRAC_PI_2),
    ("atan((T)-0.0)", -0.0),
    ("atanpi((T)1)", 0.25),
    ("sinh(-I)", -INF),
    ("sinh((T)-0.0)", -0.0),
    ("sinh(D)", 1.0),
    ("cosh((T)-1000)", INF),
    ("tanh((T)-0.0)", -0.0),
    ("expm1((T)1000)", INF),
    ("expm1(N)", NAN),
    ("exp2((T)2000)", INF),
    ("exp2(-I)", 0.0),
    ("exp10(-I)", 0.0),
    ("exp(N)", NAN),
    ("log(I)", INF),
    ("log1p((T)-2)", NAN),
    ("sqrt((T)-1)", NAN),
    ("sqrt((T)-0.0)", -0.0),
    ("rsqrt((T)0)", INF),
    ("rsqrt(I)", 0.0),
    ("tanpi((T)-0.5)", -INF),
    ("tgamma((T)0.5)", 1.772453850905516),
    ("tgamma((T)2.5)", 1.329340388179137),
    ("tgamma((T)4)", 6.0),
    ("tgamma((T)7)", 720.0),
    ("tgamma((T)9.5)", 119292.46199460901),
    ("tgamma((T)-1.5)", 2.363271801207355),
    ("lgamma((T)0.75)", 0.2032809514312954),
    ("lgamma((T)1)", 0.0),
    ("lgamma((T)2)", 0.0),
    ("lgamma((T)2.5)", 0.2846828704729192),
    ("lgamma((T)4)", 1.791759469228055),
    ("lgamma((T)7)", 6.579251212010101),
    ("lgamma((T)20)", 39.339884187199495),
    ("lgamma(-I)", INF),
    ("fract(I, &t)", 0.0),
];

/// Returns the kernel that computes all cases of a type. Results of cases with denormal numbers are in units of the least
/// positive number.
fn kernel(ty: &str, least: &str, nan: &str) -> String {
    let infinity = if ty == "float" { "INFINITY" } else { "((double)INFINITY)" };
    let mut text = format!("kernel void k(global {ty} *p) {{ {ty} t;\n");
    for (index, (call, _)) in CASES.iter().enumerate() {
        let unit = if call.contains('D') { format!(" / {least}") } else { String::new() };
        let open = call.find('(').unwrap_or(0);
        let arg = |c: char| match c {
            'T' => ty.to_string(),
            'I' => infinity.to_string(),
            'N' => nan.to_string(),
            'D' => least.to_string(),
            c => c.to_string(),
        };
        let args: String = call[open..].chars().map(arg).collect();
        text += &format!("p[{index}] = {}{args}{unit};\n", &call[..open]);
    }
    text + "}"
}

fn check(got: impl Fn(usize) -> f64, tolerance: f64, what: &str) {
    for (index, (call, want)) in CASES.iter().enumerate() {
        let value = got(index);
        let close = (value - want).abs() <= tolerance * want.abs();
        let same = value == *want && value.is_sign_negative() == want.is_sign_negative();
        let nan = value.is_nan() && want.is_nan();
        assert!(nan || same || (*want != 0.0 && close), "{what}: {call} = {value}, not {want}");
    }
}

/// Returns devices for which functions are computed in different ways.
fn targets() -> [Target; 3] {
    let fused = Target { fma32_fused: true, fma64_fused: true, ..Target::generic() };
    [Target::generic(), fused.clone(), Target { exp2_wide: true, ..fused }]
}

#[test]
fn special_values() {
    for target in targets() {
        let text = kernel("float", "0x1p-149f", "NAN");
        let module = try_lower(&text, "", &target).unwrap();
        let out = run_module(&module, vec![0; 4 * CASES.len()]);
        let word = |i: usize| f32::from_le_bytes(out[4 * i..4 * i + 4].try_into().unwrap());
        check(|i| f64::from(word(i)), 4e-7, "float");

        let text = kernel("double", "0x1p-1074", "((double)NAN)");
        let module = try_lower(&text, "", &target).unwrap();
        let out = run_module(&module, vec![0; 8 * CASES.len()]);
        let word = |i: usize| f64::from_le_bytes(out[8 * i..8 * i + 8].try_into().unwrap());
        check(word, 1e-15, "double");
    }
}

/// A function, its error bound in ulp (OpenCL C 7.4), an interval of arguments, and the host's function.
type Bound = (&'static str, f64, (f64, f64), fn(f64) -> f64);

const BOUNDS: [Bound; 34] = [
    ("acos(x)", 4.0, (-1.0, 1.0), f64::acos),
    ("acosh(x)", 4.0, (1.0, 9.0), f64::acosh),
    ("asin(x)", 4.0, (-1.0, 1.0), f64::asin),
    ("asinh(x)", 4.0, (-9.0, 9.0), f64::asinh),
    ("atan(x)", 5.0, (-9.0, 9.0), f64::atan),
    ("atan2(x, (T)-2)", 6.0, (-9.0, 9.0), |x| x.atan2(-2.0)),
    ("atan2(x, (T)1e30)", 6.0, (1e29, 9e30), |x| x.atan2(1e30)),
    ("atanh(x)", 5.0, (-1.0, 1.0), f64::atanh),
    ("cbrt(x)", 2.0, (-9.0, 9.0), f64::cbrt),
    ("cbrt(x)", 2.0, (-1e-31, 1e-31), f64::cbrt),
    ("cos(x)", 4.0, (-70.0, 70.0), f64::cos),
    ("cos(x)", 4.0, (1e4, 1e9), f64::cos),
    ("cosh(x)", 4.0, (-9.0, 9.0), f64::cosh),
    ("exp(x)", 3.0, (-80.0, 80.0), f64::exp),
    ("exp10(x)", 3.0, (-30.0, 30.0), |x| 10f64.powf(x)),
    ("exp2(x)", 3.0, (-120.0, 120.0), f64::exp2),
    ("expm1(x)", 3.0, (-3.0, 9.0), f64::exp_m1),
    ("log(x)", 3.0, (0.0, 9.0), f64::ln),
    ("log10(x)", 3.0, (0.0, 9.0), f64::log10),
    ("log1p(x)", 2.0, (-1.0, 9.0), f64::ln_1p),
    ("log2(x)", 3.0, (0.0, 9.0), f64::log2),
    ("pow(x, (T)3.25)", 16.0, (0.0, 9.0), |x| x.powf(3.25)),
    ("pow(x, (T)50)", 16.0, (0.5, 3.0), |x| x.powf(50.0)),
    ("rsqrt(x)", 2.0, (0.0, 9.0), |x| 1.0 / x.sqrt()),
    ("sin(x)", 4.0, (-70.0, 70.0), f64::sin),
    ("sin(x)", 4.0, (1e4, 1e9), f64::sin),
    ("sinh(x)", 4.0, (-9.0, 9.0), f64::sinh),
    ("sinpi(x)", 4.0, (-0.25, 0.25), |x| (x * std::f64::consts::PI).sin()),
    ("sqrt(x)", 3.0, (0.0, 9.0), f64::sqrt),
    ("tan(x)", 5.0, (-9.0, 9.0), f64::tan),
    ("tanh(x)", 5.0, (-9.0, 9.0), f64::tanh),
    ("fmod(x, (T)1.75)", 0.0, (-99.0, 99.0), |x| x % 1.75),
    ("remainder(x, (T)1.75)", 0.0, (0.0, 99.0), |x| x - 1.75 * (x / 1.75).round_ties_even()),
    ("ldexp(x, -20)", 0.0, (-9.0, 9.0), |x| x * f64::exp2(-20.0)),
];
/// The number of arguments for each function.
const ARGUMENTS: usize = 97;

/// Returns the kernel that replaces the arguments of each function by its results.
fn bounds_kernel(ty: &str) -> String {
    let mut text = format!("#define T {ty}\nkernel void k(global T *p) {{\n");
    for (index, (call, ..)) in BOUNDS.iter().enumerate() {
        let (from, to) = (index * ARGUMENTS, (index + 1) * ARGUMENTS);
        text += &format!("for (int i = {from}; i < {to}; i++) {{ T x = p[i]; p[i] = {call}; }}\n");
    }
    text + "}"
}

/// Returns the arguments in the order of the kernel, each of which is a float.
fn arguments() -> impl Iterator<Item = f32> {
    BOUNDS.iter().flat_map(|(_, _, (low, high), _)| {
        // The arguments lie inside the interval, away from both ends.
        (0..ARGUMENTS).map(move |i| (low + (high - low) * (i as f64 + 0.43) / 97.0) as f32)
    })
}

/// Checks that results are near enough to the host's; `digits` is the number of binary digits of the type after the point.
fn check_bounds(results: impl Iterator<Item = f64>, digits: f64, slack: f64) {
    for (index, (result, x)) in results.zip(arguments()).enumerate() {
        let (call, bound, _, host) = BOUNDS[index / ARGUMENTS];
        let exact = host(f64::from(x));
        let unit = (exact.abs().log2().floor() - digits).exp2();
        let error = if result == exact { 0.0 } else { (result - exact).abs() / unit };
        let allowed = if bound == 0.0 { 0.0 } else { bound + slack };
        assert!(error <= allowed, "{call} of {x:e} is {result:e}, not {exact:e}: {error} ulp");
    }
}

#[test]
fn errors_are_within_the_bounds() {
    for target in targets() {
        let module = try_lower(&bounds_kernel("float"), "", &target).unwrap();
        let out = run_module(&module, arguments().flat_map(f32::to_le_bytes).collect());
        let floats = out.chunks_exact(4).map(|c| f32::from_le_bytes(c.try_into().unwrap()));
        check_bounds(floats.map(f64::from), 23.0, 0.0);

        let module = try_lower(&bounds_kernel("double"), "", &target).unwrap();
        let bytes = arguments().flat_map(|x| f64::from(x).to_le_bytes()).collect();
        let out = run_module(&module, bytes);
        let doubles = out.chunks_exact(8).map(|c| f64::from_le_bytes(c.try_into().unwrap()));
        // The host's results are not exact either.
        check_bounds(doubles, 52.0, 1.0);
    }
}

/// Returns doubles over the whole range. Among them are numbers whose roots and inverses are hard to round: with significands
/// of ones, or of one or few digits, denormals, and numbers beyond the range of floats.
fn hard_doubles() -> Vec<f64> {
    let significands =
        [0, 1, 2, (1 << 52) - 1, (1 << 52) - 2, 0xf_ffff_0000_0000, 0x6_a09e_667f_3bcd];
    let mut numbers = Vec::new();
    for exponent in [
        0, 1, 2, 500, 896, 897, 898, 1000, 1021, 1022, 1023, 1024, 1149, 1150, 1151, 1800, 2045,
        2046,
    ] {
        numbers.extend(significands.map(|digits| f64::from_bits(exponent << 52 | digits)));
        let mut digits = exponent.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        for _ in 0..9 {
            digits = digits.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            numbers.push(f64::from_bits(exponent << 52 | digits >> 12));
        }
    }
    numbers
}

#[test]
fn roots_and_inverses_of_doubles_are_correctly_rounded() {
    let text = "kernel void k(global double *p) { double x = p[0]; p[0] = sqrt(x); p[1] = 1 / x; p[2] = 1 / -x; }";
    for target in targets() {
        let module = try_lower(text, "", &target).unwrap();
        for x in hard_doubles() {
            let out =
                run_module(&module, [x, 0.0, 0.0].iter().flat_map(|x| x.to_le_bytes()).collect());
            let result = |i: usize| f64::from_le_bytes(out[8 * i..8 * i + 8].try_into().unwrap());
            assert_eq!(result(0).to_bits(), x.sqrt().to_bits(), "sqrt({x:e})");
            assert_eq!(result(1).to_bits(), (1.0 / x).to_bits(), "1 / {x:e}");
            assert_eq!(result(2).to_bits(), (-1.0 / x).to_bits(), "1 / -{x:e}");
        }
    }
}
