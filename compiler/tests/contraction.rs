//! Contraction: which products and sums of a program become one Fma, and which must not.

use hekla_compiler::Quirks;
use hekla_compiler::{compile_to_ir, FloatTraits, IrAt, Options, Source, Target};

/// Returns the number of each kind of operation at the end of the pipeline, in a kernel with this body: Fma, sums that
/// may be contracted, and other sums.
fn count_with(body: &str, options: &str, target: &Target) -> [usize; 3] {
    let text = format!(
        "float product(float a, float b) {{ return a * b; }}
         kernel void k(global float *p, float a, float b, float c, float4 v, global float4 *q) {{
             float r = c;
             {body}
             p[0] = r;
         }}"
    );
    let source = Source { name: "a.cl".into(), text, headers: Vec::new() };
    let options = Options::parse(options).unwrap();
    let ir = compile_to_ir(&source, &options, target, &IrAt::End).unwrap();
    let count = |ops: &[&str]| ops.iter().map(|op| ir.matches(&format!(" = {op} ")).count()).sum();
    [
        count(&["fma", "fma.fast"]),
        count(&["fadd", "fsub", "fadd.fast", "fsub.fast"]),
        count(&["fadd.nc", "fsub.nc"]),
    ]
}

fn fused() -> Target {
    Target { fma32_fused: true, ..Target::generic() }
}

fn count(body: &str) -> [usize; 3] {
    count_with(body, "", &fused())
}

#[test]
fn a_product_and_a_sum_of_one_expression_are_one_operation() {
    for body in [
        "r = a * b + c;",
        "r = c + a * b;",
        "r = a * b - c;",
        "r = c - a * b;",
        "r = -(a * b) + c;",
        "r = c + -a * b;",
        "r += a * b;",
        "r -= a * b;",
        "r = (a * b + c);",
        "r = a * b + b * c;",
    ] {
        assert_eq!(count(body), [1, 0, 0], "{body}");
    }
    assert_eq!(count("r = a * b + c * r + a * c;"), [2, 0, 0]);
    assert_eq!(count("q[0] = v * a + c;"), [4, 0, 0]);
    assert_eq!(count("q[0] += v * v;"), [4, 0, 0]);
}

#[test]
fn what_is_rounded_in_between_is_not() {
    for body in [
        "float t = a * b; r = t + c;",
        "r = (float)(a * b) + c;",
        "r = product(a, b) + c;",
        "float t; r = (t = a * b) + c;",
        "r = a * b; r += c;",
        "float t = a; t *= b; r = t - c;",
        "r = (c > 0 ? a * b : a) + c;",
    ] {
        assert_eq!(count(body), [0, 0, 1], "{body}");
    }
}

#[test]
fn the_pragma_forbids_it() {
    let off = "#pragma OPENCL FP_CONTRACT OFF\n";
    assert_eq!(count(&format!("{off} r = a * b + c;")), [0, 0, 1]);
    assert_eq!(count_with(&format!("{off} r += a * b;"), "-cl-mad-enable", &fused()), [0, 0, 1]);
}

#[test]
fn options_allow_it_across_statements() {
    let body = "float t = a * b; r = t + c; r = product(r, b) - c;";
    assert_eq!(count(body), [0, 0, 2]);
    for option in ["-cl-mad-enable", "-cl-unsafe-math-optimizations", "-cl-fast-relaxed-math"] {
        assert_eq!(count_with(body, option, &fused()), [2, 0, 0], "{option}");
    }
    for option in ["-cl-no-signed-zeros", "-cl-finite-math-only", "-cl-denorms-are-zero"] {
        assert_eq!(count_with(body, option, &fused()), [0, 0, 2], "{option}");
    }
}

#[test]
fn devices_without_such_an_operation_may_do_as_they_please() {
    let body = "r = a * b + c; float t = a * c; r = r + t;";
    assert_eq!(count_with(body, "", &Target::generic()), [0, 1, 1]);
}

#[test]
fn halves_are_multiplied_and_added_two_at_a_time() {
    let text = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable
        kernel void k(global half2 *p, global half8 *q, half s) {
            half2 x = p[1];
            for (int i = 0; i < 1000; i++) x = mad(x, p[2], (half2)(s));
            p[0] = min(x, p[3]);
            q[0] = q[1] * s + q[2];
        }";
    let source = Source { name: "a.cl".into(), text: text.into(), headers: Vec::new() };
    let ir = |fma16_fused: bool| {
        let target = Target { float16: true, fma16_fused, ..Target::generic() };
        compile_to_ir(&source, &Options::default(), &target, &IrAt::End).unwrap()
    };
    let native = ir(true);
    assert_eq!(native.matches(":f16x4 = fma ").count(), 2, "{native}");
    assert!(native.contains(":f16x2 = fma ") && !native.contains("fconvert"), "{native}");
    assert!(native.contains(":f16x2 = fmin ") && !native.contains(":f16 = f"), "{native}");
    let other = ir(false);
    assert!(other.contains(":f16x2 = fmul ") && other.contains(":f16x2 = fadd "), "{other}");
}

#[test]
fn fma_of_floats_is_computed_in_double_on_processors_without_one() {
    let text = "kernel void k(global float *p) { p[0] = fma(p[1], p[2], p[3]); }";
    let source = Source { name: "a.cl".into(), text: text.into(), headers: Vec::new() };
    let products = |target: &Target| {
        let ir = compile_to_ir(&source, &Options::default(), target, &IrAt::End).unwrap();
        ir.matches(":f64 = fmul.nc ").count()
    };
    let processor = Target { float64: true, quirks: Quirks::FAST_DOUBLES, ..Target::generic() };
    assert_eq!(products(&processor), 1);
    let flushing = FloatTraits { keeps_denormals: false, ..FloatTraits::IEEE };
    assert_eq!(products(&Target { float_traits: [flushing; 3], ..processor.clone() }), 0);
    assert_eq!(products(&Target { fma32_fused: true, ..processor.clone() }), 0);
    assert_eq!(products(&Target { quirks: Quirks::empty(), ..processor }), 0);
}
