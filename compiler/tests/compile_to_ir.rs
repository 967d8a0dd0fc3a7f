//! The IR of a program at each place of the pipeline, as `heklac --emit=ir` prints it.

use hekla_compiler::ir::parse::parse_module;
use hekla_compiler::{compile_to_ir, passes, quirks, IrAt, Options, Source, Target};

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
    for pass in passes::names().into_iter().chain(quirks::NAMES) {
        runs(pass);
    }
}

#[test]
fn what_cannot_be_printed_is_explained() {
    let error = ir(SUM, &IrAt::Pass("magic".to_string())).unwrap_err();
    assert!(error.starts_with("no pass 'magic': one of alignment, bytes, cse,"), "{error}");
    let error = ir("kernel void k() { x = 1; }", &IrAt::End).unwrap_err();
    assert!(error.starts_with("a.cl:1:19: error: "), "{error}");
}
