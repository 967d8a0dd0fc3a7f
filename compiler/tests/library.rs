//! The built-in library's special values (C99 F.9, OpenCL C 7.5.1), in both precisions, with and
//! without a fused multiply-add.

mod lower_support;

use hekla_compiler::Target;
use lower_support::{run_module, try_lower};

const INF: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;

/// Calls and what they give, exactly; `T` is the type, `I` infinity, `N` a NaN, `D` the least
/// positive number.
const CASES: [(&str, f64); 96] = [
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
];

/// Returns the kernel that computes all cases of a type; what is denormal counts in units of the least.
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

#[test]
fn special_values() {
    let fused = Target { fma32_fused: true, fma64_fused: true, ..Target::generic() };
    for target in [Target::generic(), fused] {
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
