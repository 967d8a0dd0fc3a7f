//! Work-group collective functions (OpenCL C 6.15.16): which calls are accepted.

use hekla_compiler::{compile, Options, Source, Target};

fn log(text: &str, std: &str) -> String {
    let source = Source { name: "t.cl".into(), text: text.into(), headers: Vec::new() };
    let options = Options::parse(&format!("-cl-std={std}")).unwrap();
    compile(&source, &options, &Target::generic()).log
}

fn body(statement: &str) -> String {
    format!(
        "kernel void k(global int *out) {{ int i = 1; uint u = 2; long l = 3; ulong z = 4; float f = 5;\n\
         double d = 6; int2 v = 7; uchar c = 8; size_t s = 0;\n{statement}\n}}\n"
    )
}

#[test]
fn calls_that_are_accepted() {
    for statement in [
        "*out = work_group_all(i) + work_group_any(u > 1);",
        "i = work_group_broadcast(i, s); u = work_group_broadcast(u, 1, 2); d = work_group_broadcast(d, s, s, s);",
        "l = work_group_reduce_add(l); z = work_group_reduce_min(z); f = work_group_reduce_max(f);",
        "d = work_group_scan_inclusive_add(d); i = work_group_scan_inclusive_min(i); u = work_group_scan_inclusive_max(u);",
        "f = work_group_scan_exclusive_add(f); l = work_group_scan_exclusive_min(l); z = work_group_scan_exclusive_max(z);",
        // Narrow integers are promoted.
        "*out = work_group_reduce_add(c);",
    ] {
        assert_eq!(log(&body(statement), "CL3.0"), "", "{statement}");
    }
}

#[test]
fn calls_that_are_errors() {
    for (statement, message) in [
        ("work_group_all(v);", "error: no matching function for call to 'work_group_all'"),
        (
            "work_group_reduce_add(v);",
            "error: no matching function for call to 'work_group_reduce_add'",
        ),
        (
            "work_group_broadcast(i);",
            "error: no matching function for call to 'work_group_broadcast'",
        ),
        (
            "work_group_broadcast(i, 0, 0, 0, 0);",
            "error: no matching function for call to 'work_group_broadcast'",
        ),
        (
            "work_group_scan_inclusive_add(out);",
            "error: no matching function for call to 'work_group_scan_inclusive_add'",
        ),
        (
            "work_group_reduce_and(1.0f);",
            // The call is ambiguous, since no conversion of the argument is better than another.
            "error: call to 'work_group_reduce_and' is ambiguous",
        ),
    ] {
        let log = log(&body(statement), "CL3.0");
        let first = log.lines().next().unwrap_or_default();
        assert!(first.ends_with(message) && first.starts_with("t.cl:3:1: "), "{statement}: {log}");
    }
    let log = log(&body("work_group_all(i);"), "CL1.2");
    assert!(log.contains("implicit declaration of function 'work_group_all'"), "{log}");
}
