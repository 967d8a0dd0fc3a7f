//! Growth: a source of twice the size becomes at most about twice as much code, whichever construct it repeats.

use hekla_compiler::{compile, Options, Source, Target};
use std::fmt::Write;

/// Returns the number of words of SPIR-V that a kernel with a body becomes.
fn words(body: &str) -> usize {
    let text = format!("kernel void k(global int *p, int n) {{\n{body}\n}}");
    let source = Source { name: "k.cl".into(), text, headers: Vec::new() };
    let compiled = compile(&source, &Options::default(), &Target::generic());
    compiled.program.unwrap_or_else(|| panic!("{}", compiled.log)).kernels[0].spirv.len()
}

/// Returns a line for each number below `count`.
fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).fold(String::new(), |mut text, i| {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{}", line(i));
        text
    })
}

fn check(what: &str, body: impl Fn(usize) -> String) {
    let [small, large] = [100, 400].map(|count| words(&body(count)));
    let growth = large as f64 / small as f64;
    assert!(
        growth < 4.4,
        "four times as many {what} are {growth:.1} times as many words: {small}, {large}"
    );
}

#[test]
fn code_grows_as_its_source() {
    check("breaks", |count| {
        let breaks = lines(count, |i| format!("if (v == {}) {{ r = {i}; break; }}", 7 * i));
        format!("int r = -1; for (int i = 0; i < n; i++) {{ int v = p[i];\n{breaks} }} p[0] = r;")
    });
    check("gotos out of a loop", |count| {
        let jumps = lines(count, |i| format!("if (p[i] == {i}) goto l{i};"));
        let labels = lines(count, |i| format!("l{i}: p[{i}] += {i};"));
        format!("for (int i = 0; i < n; i++) {{\n{jumps} }}\n{labels}")
    });
    check("gotos forward", |count| {
        lines(count, |i| format!("if (p[{i}] > n) goto l{i}; p[{i}] = {i}; l{i}: ;"))
    });
    check("else-ifs", |count| {
        format!(
            "if (n < 0) p[0] = 1;\n{}",
            lines(count, |i| format!("else if (n == {}) p[{i}] = n;", 3 * i))
        )
    });
    check("cases", |count| {
        format!(
            "switch (n) {{\n{}}}",
            lines(count, |i| format!("case {}: p[{i}] = n; break;", 3 * i))
        )
    });
    check("returns", |count| lines(count, |i| format!("if (p[{i}] == n) return; p[{i}] = {i};")));
    check("terms", |count| format!("p[0] = 0{};", lines(count, |i| format!("+ p[{}] * n", i + 1))));
    check("conditional expressions", |count| {
        format!("p[0] = {}0;", lines(count, |i| format!("p[{}] == n ? {i} :", i + 1)))
    });
    check("conditions joined", |count| {
        format!("if (1{}) p[0] = 1;", lines(count, |i| format!("&& p[{}] != n", i + 1)))
    });
    check("loops", |count| lines(count, |i| format!("for (int i = {i}; i < n; i++) p[i] += {i};")));
}
