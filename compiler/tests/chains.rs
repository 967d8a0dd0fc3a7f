//! Long chains of operators, branches and labels: they compile, whatever their length, or end in a diagnostic.

#[allow(dead_code)]
#[path = "emit/support.rs"]
mod support;

use hekla_compiler::{compile, Compiled, Options, Source, Target};

fn compiled(text: String) -> Compiled {
    let source = Source { name: "t.cl".into(), text, headers: Vec::new() };
    compile(&source, &Options::default(), &Target::generic())
}

/// A kind of chain: the text before the links, link number `i`, and the text behind the links.
struct Form(&'static str, fn(usize) -> String, &'static str);

const FORMS: [Form; 11] = [
    Form("p[0] = a", |i| format!(" + p[{i}]"), ";"),
    Form("p[0] = a", |i| format!(" {} p[{i}]", ["&&", "||"][i % 2]), ";"),
    Form("p[0] = a", |i| format!(" - b * {i} % (a + {i})"), ";"),
    Form("p[0] = (a", |i| format!(", p[{i}] = b"), ");"),
    Form("p[0] = ", |i| format!("a == {i} ? p[{i}] : "), "5;"),
    Form("p = ", |i| format!("a == {i} ? p + {i} : "), "0; if (p) *p = 1;"),
    Form(
        "if (b) p[0] = 7;",
        |i| format!(" else if (a == {i}) {{ p[{i}] = b; }}"),
        " else b = 1; p[1] = b;",
    ),
    Form("switch (a) {", |i| format!("case {i}: "), "p[0] = 1; }"),
    Form("switch (a) {", |i| format!("case {i}: p[{i}] = 1; break;"), "}"),
    Form("switch (a + b) { case 1", |_| " + 1".into(), ": p[0] = 1; }"),
    Form("enum { E = 1", |_| " + 1".into(), " }; p[0] = E;"),
];

fn program(Form(first, link, last): &Form, count: usize) -> String {
    let links: String = (1..count).map(link).collect();
    format!("kernel void k(global int *p, int a, int b) {{ {first}{links}{last} }}")
}

#[test]
fn long_chains_compile() {
    for form in &FORMS {
        for count in [30, 130, 1600, 2000, 10_000] {
            let compiled = compiled(program(form, count));
            assert_eq!(compiled.log, "", "{} ... of {count}", form.0);
            let program = compiled.program.unwrap();
            support::validate(&program.kernels[0].spirv).unwrap();
        }
    }
}

#[test]
fn much_longer_ones_compile_or_end_in_a_diagnostic() {
    for form in &FORMS {
        let compiled = compiled(program(form, 25_000));
        let refused = compiled.log.contains("error:") && compiled.log.len() < 10_000;
        assert!(compiled.program.is_some() || refused, "{} ...", form.0);
    }
}

#[test]
fn long_chains_are_constant_expressions() {
    let sum = |count: usize| " + 1".repeat(count - 1);
    let text = format!(
        "constant int a[1{}] = {{ 1{} }}; constant int b = 0{}5; constant char s[] = \"x\"{};
         kernel void k(global int *p) {{
            int t[sizeof(a) == 10000 * 4 && sizeof(s) == 10001 ? 1 : -1]; t[0] = a[0] + b; p[0] = t[0]; }}",
        sum(10_000),
        sum(10_000),
        " ? 1 : 0".repeat(10_000) + " ? 2 : ",
        " \"y\"".repeat(9_999),
    );
    assert_eq!(compiled(text).log, "");
}

#[test]
fn a_long_chain_that_is_no_constant_is_no_initializer() {
    let text = |link: &str, last: &str| {
        let chain = link.repeat(2000);
        format!("constant volatile int v = 1; constant long c = (1{chain}{last});\nkernel void k() {{}}")
    };
    for (link, last) in [(" + v", ""), (", 1", ""), (" ? v : 1", "")] {
        let log = compiled(text(link, last)).log;
        assert!(log.contains("not a compile-time constant") || log.contains("too long"), "{log}");
    }
}

#[test]
fn mistakes_in_long_chains_are_told() {
    let text = format!(
        "kernel void k(global int *p, int a, float4 f) {{\np[0] = 1{};\nif (f) ;{}\n}}",
        " + a".repeat(500) + " + nope" + &" + a".repeat(500),
        " else if (a) ;".repeat(200) + " else if (gone) ;",
    );
    let log = compiled(text).log;
    assert!(log.contains("t.cl:2:2012: error: use of undeclared identifier 'nope'"), "{log}");
    assert!(log.contains("t.cl:3:5: error: statement requires expression of scalar type"), "{log}");
    assert!(log.contains("use of undeclared identifier 'gone'"), "{log}");
}
