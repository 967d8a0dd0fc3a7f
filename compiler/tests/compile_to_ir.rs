//! The IR of a program at each place of the pipeline, as `heklac --emit=ir` prints it.

use hekla_compiler::ir::parse::parse_module;
use hekla_compiler::{compile_to_ir, passes, quirks, IrAt, Options, Quirks, Source, Target};

fn ir(text: &str, at: &IrAt) -> Result<String, String> {
    let source = Source { name: "a.cl".into(), text: text.into(), headers: Vec::new() };
    compile_to_ir(&source, &Options::default(), &Target::generic(), at)
}

const SUM: &str = "kernel void sum(global float *p, int n) {
    float s = 0;
    for (int i = 0; i < n; i++) s += p[i];
    p[0] = s;
}";

#[test]
fn the_module_is_printed_as_lowered_and_as_the_passes_leave_it() {
    let lowered = ir(SUM, &IrAt::Lowered).unwrap();
    assert!(lowered.contains("alloca") && lowered.contains("kernel @"), "{lowered}");
    let end = ir(SUM, &IrAt::End).unwrap();
    assert!(!end.contains("alloca") && end.contains("fadd"), "{end}");
    for text in [lowered, end] {
        assert!(parse_module(&text).is_ok(), "{text}");
    }
}

#[test]
fn a_function_is_printed_after_each_run_of_a_pass() {
    let runs = |pass: &str| {
        let text = ir(SUM, &IrAt::Pass(pass.to_string())).unwrap();
        text.matches(&format!("; after {pass}\n")).count()
    };
    assert_eq!((runs("scalarize"), runs("inline"), runs("structurize")), (1, 1, 1));
    assert!(runs("simplify") > 1);
    for pass in passes::names().into_iter().chain(quirks::names()) {
        runs(pass);
    }
}

#[test]
fn passes_of_quirks_run_where_they_are_needed() {
    let source = Source { name: "a.cl".into(), text: SUM.into(), headers: Vec::new() };
    let runs = |pass: &str, target: &Target| {
        let at = IrAt::Pass(pass.to_string());
        let text = compile_to_ir(&source, &Options::default(), target, &at).unwrap();
        text.matches(&format!("; after {pass}\n")).count()
    };
    let plain = Target { float16: true, ..Target::generic() };
    let with = |quirks| Target { quirks, ..plain.clone() };
    for (pass, needing) in [
        ("sign_merge", Target { merges_signs: false, ..plain.clone() }),
        ("switch_trees", with(Quirks::SEQUENTIAL_SWITCHES)),
        ("rotates", with(Quirks::SLOW_LONG_ROTATES)),
        ("packed_halves", with(Quirks::SLOW_BUILT_HALVES)),
        ("loop_values", with(Quirks::UNMASKED_LOOP_VALUES)),
        ("uniform_loads", with(Quirks::UNMASKED_UNIFORM_LOADS)),
    ] {
        assert_eq!((runs(pass, &needing), runs(pass, &plain)), (1, 0), "{pass}");
    }
    // These passes do not run for devices without the types that they work on.
    let words = Target { int64: false, ..with(Quirks::all()) };
    assert_eq!((runs("rotates", &words), runs("uniform_loads", &words)), (0, 0));
    let floats = Target { float16: false, ..with(Quirks::SLOW_BUILT_HALVES) };
    assert_eq!(runs("packed_halves", &floats), 0);
}

#[test]
fn what_cannot_be_printed_is_explained() {
    let error = ir(SUM, &IrAt::Pass("magic".to_string())).unwrap_err();
    assert!(error.starts_with("no pass 'magic': one of alignment, bytes, cse,"), "{error}");
    let error = ir("kernel void k() { x = 1; }", &IrAt::End).unwrap_err();
    assert!(error.starts_with("a.cl:1:19: error: "), "{error}");
}
