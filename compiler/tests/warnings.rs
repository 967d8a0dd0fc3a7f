//! The build log's warnings: each message appears once, with its places, and pragmas mute it.

use hekla_compiler::{compile, Options, Source, Target};

fn log(text: &str, options: &str) -> String {
    let source = Source { name: "k.cl".into(), text: text.into(), headers: Vec::new() };
    compile(&source, &Options::parse(options).unwrap(), &Target::generic()).log
}

/// Returns a kernel with `calls` calls, from line 2 on, each of which widens a scalar.
fn widened(calls: usize) -> String {
    let call = "    p[0] = fma(x, p[0], p[1]);\n";
    format!("kernel void k(global float2 *p, float x) {{\n{}}}\n", call.repeat(calls))
}

const WIDENED: &str =
    "warning: argument of type 'float' is widened to 'float2', which OpenCL C does not do here";

#[test]
fn a_message_comes_once_with_its_places() {
    let one = log(&widened(1), "");
    assert_eq!(one.matches(WIDENED).count(), 1, "{one}");
    assert!(one.ends_with("\n1 warning generated.\n") && !one.contains("more of these"), "{one}");
    let three = log(&widened(3), "");
    assert_eq!(three.matches(WIDENED).count(), 1, "{three}");
    assert!(
        three.contains("\nnote: 2 more of these, in lines 3, 4\n3 warnings generated."),
        "{three}"
    );
    let many = log(&widened(48), "");
    assert_eq!(many.lines().count(), 5, "{many}");
    assert!(
        many.contains("47 more of these, in lines 3, 4, 5, 6, 7, 8, 9, 10 and others\n"),
        "{many}"
    );
    let twice = log(&widened(2).replace(";\n    ", "; "), "");
    assert!(twice.contains("note: 1 more of these, in line 2\n"), "{twice}");
}

#[test]
fn other_messages_are_told_apart() {
    let text = "kernel void k(global int *p) { int a = p[0] / 0, b = p[1] / 0, c = p[2] % 0; }";
    let log = log(text, "");
    assert_eq!(log.matches("division by zero is undefined").count(), 1, "{log}");
    assert_eq!(log.matches("remainder by zero is undefined").count(), 1, "{log}");
    assert!(log.contains("1 more of these, in line 1\n") && log.contains("\n3 warnings"), "{log}");
}

#[test]
fn options_mute_warnings_or_make_them_errors() {
    assert_eq!(log(&widened(3), "-w"), "");
    let errors = log(&widened(3), "-Werror");
    assert_eq!(errors.matches("error: argument of type 'float' is widened").count(), 3, "{errors}");
}

#[test]
fn pragmas_mute_warnings_behind_them() {
    let ignored = "#pragma clang diagnostic ignored \"-Weverything\"\n";
    assert_eq!(log(&format!("{ignored}{}", widened(2)), ""), "");
    let until_pop = format!(
        "#pragma GCC diagnostic push\n{ignored}{}#pragma GCC diagnostic pop\n{}",
        widened(2),
        widened(1).replace("void k", "void l")
    );
    let log_of_pop = log(&until_pop, "");
    assert!(log_of_pop.starts_with("k.cl:9:16: warning: "), "{log_of_pop}");
    assert!(log_of_pop.ends_with("\n1 warning generated.\n"), "{log_of_pop}");
    let again = format!("{ignored}#pragma clang diagnostic warning \"-Wall\"\n{}", widened(1));
    assert!(log(&again, "").contains(WIDENED));
    // A pragma for another group does not mute the warning, and the text without any pragma has the warning again: the process
    // does not remember that it was muted.
    let other = "#pragma clang diagnostic ignored \"-Wunused-variable\"\n";
    assert!(log(&format!("{other}{}", widened(1)), "").contains(WIDENED));
    let unused = "float2 f(float2 a, float x) { return fma(x, a, a); }\n";
    let kernel = "kernel void k(global int *p) { *p = 1; }\n";
    assert_eq!(log(&format!("{ignored}{unused}{kernel}"), ""), "");
    assert!(log(&format!("{unused}{kernel}"), "").contains(WIDENED));
    let wrong = log(&format!("#pragma clang diagnostic mute\n{kernel}"), "");
    assert!(wrong.contains("k.cl:1:1: warning: pragma diagnostic expected 'error'"), "{wrong}");
    assert_eq!(log(&format!("#pragma clang diagnostic pop\n{kernel}"), ""), "");
}
