//! Functions that no kernel uses: they are checked like other functions, each time, even if the process has checked them
//! before.

use hekla_compiler::preprocess::{preprocess, Interner};
use hekla_compiler::source::{Diagnostics, SourceMap};
use hekla_compiler::syntax::unused::{unused_bodies, UnusedBody};
use hekla_compiler::{compile, Options, Source, Target};

fn source(text: &str) -> Source {
    Source { name: "test.cl".to_string(), text: text.to_string(), headers: Vec::new() }
}

fn log(text: &str) -> String {
    let compiled = compile(&source(text), &Options::default(), &Target::generic());
    assert_eq!(compiled.program.is_none(), compiled.log.contains("error"), "{}", compiled.log);
    compiled.log
}

/// Returns the texts of a program's unused bodies, with their keys.
fn unused(text: &str) -> Vec<(String, u64)> {
    let options = Options::default();
    let (mut sources, mut names) = (SourceMap::new(), Interner::new());
    let mut diags = Diagnostics::new(&options);
    let tokens = preprocess(&source(text), &options, &[], &mut sources, &mut names, &mut diags);
    let body = |body: UnusedBody| {
        let (first, last) = (tokens[body.tokens.start].span, tokens[body.tokens.end - 1].span);
        (text[first.start as usize..last.end as usize].to_string(), body.key)
    };
    unused_bodies(&tokens, &names, 1).into_iter().map(body).collect()
}

fn bodies(text: &str) -> Vec<String> {
    unused(text).into_iter().map(|(body, _)| body).collect()
}

const KERNEL: &str = "kernel void k(global int *p) { *p = 1; }\n";

#[test]
fn errors_are_reported_each_time() {
    let text = format!("int f(int a) {{ return b; }}\n{KERNEL}");
    for _ in 0..2 {
        assert!(log(&text).contains("1:23: error: use of undeclared identifier 'b'"));
    }
}

#[test]
fn warnings_are_reported_each_time() {
    let text = format!("int f(int a) {{ if (a) return 1; }}\n{KERNEL}");
    for _ in 0..2 {
        assert!(log(&text).contains("warning: non-void function"));
    }
}

#[test]
fn a_body_is_good_only_after_the_declarations_that_it_was_checked_with() {
    let body = "int f(T x) { return x.y; }\n";
    assert_eq!(log(&format!("typedef int2 T;\n{body}{KERNEL}")), "");
    assert_eq!(log(&format!("typedef int2 T;\n{body}{KERNEL}")), "");
    assert!(log(&format!("typedef int T;\n{body}{KERNEL}")).contains("2:23: error:"));
    assert!(log(&format!("struct T {{ int x; }};\ntypedef struct T T;\n{body}{KERNEL}"))
        .contains("3:23: error: no member named 'y'"));
}

#[test]
fn a_body_is_good_only_under_the_options_that_it_was_checked_with() {
    let text = format!("float f(float x) {{ int generic = 1; return x; }}\n{KERNEL}");
    assert_eq!(log(&text), "");
    let options = Options::parse("-cl-std=CL2.0").expect("options");
    let compiled = compile(&source(&text), &options, &Target::generic());
    assert!(compiled.log.contains("error"), "{}", compiled.log);
}

#[test]
fn definitions_of_unused_functions_count() {
    let text = format!("int f(int a) {{ return a; }}\n{KERNEL}");
    assert_eq!(log(&text), "");
    let twice = format!("int f(int a) {{ return a; }}\nint f(int a) {{ return a; }}\n{KERNEL}");
    assert!(log(&twice).contains("2:5: error: redefinition of 'f'"));
}

#[test]
fn recursion_through_a_body_checked_before_is_found() {
    let first = "int g(int);\nint f(int a) { return g(a); }\n";
    assert_eq!(log(&format!("{first}int g(int a) {{ return a; }}\n{KERNEL}")), "");
    let rest =
        "int g(int a) { return f(a); }\nkernel void other(global int *p) { p[0] = f(p[0]); }\n";
    assert!(log(&format!("{first}{rest}{KERNEL}")).contains("2:23: error: recursive call to 'g'"));
}

#[test]
fn a_function_checked_as_unused_can_be_used_later() {
    let function = "int f(int a) { return a + 41; }\n";
    assert_eq!(log(&format!("{function}{KERNEL}")), "");
    let using = format!("{function}kernel void k(global int *p) {{ *p = f(*p); }}\n");
    let compiled = compile(&source(&using), &Options::default(), &Target::generic());
    let program = compiled.program.expect("a program");
    assert!(program.kernels[0].spirv.contains(&41));
}

#[test]
fn unused_is_what_no_kernel_reaches() {
    let text = "\
        int a(int x) { return x; }\n\
        inline __attribute__((always_inline)) int b(int x) { return a(x); }\n\
        static int c(int a) { return b(a); }\n\
        int d(int x) { return c(x); }\n\
        kernel __attribute__((reqd_work_group_size(1, 1, 1))) void k(global int *p) { *p = b(1); }\n";
    assert_eq!(bodies(text), ["{ return b(a); }", "{ return c(x); }"]);
}

#[test]
fn what_is_not_clear_is_used() {
    let text = "\
        int a(void) { return 1; }\n\
        int b(void) { return 2; }\n\
        int c(void) { return 3; }\n\
        int (d)(void) { return a(); }\n\
        struct s { int x; } e(void) { struct s r; return r; }\n\
        constant int f[] = { sizeof(b()) };\n\
        struct __attribute__((packed)) t { int x; };\n\
        struct __attribute__((packed)) { int x; } u(struct t v) { return v; }\n";
    assert_eq!(bodies(text), ["{ return 3; }", "{ struct s r; return r; }", "{ return v; }"]);
    // Texts that end too early, or have too many brackets.
    assert_eq!(bodies("int a(void) { return"), ["{ return"]);
    assert_eq!(bodies("int a(void)) { return 1; }"), [""; 0]);
    assert_eq!(bodies("} } int a(void) { return 1; }"), [""; 0]);
}

#[test]
fn pack_pragmas_reach_beyond_a_body() {
    let text = "int a(void) {\n#pragma pack(1)\nreturn 1; }\nint b(void) { return 1; }\n";
    assert_eq!(bodies(text), ["{ return 1; }"]);
}

#[test]
fn keys_tell_bodies_and_what_is_before_them() {
    let key = |text: &str| unused(text).last().expect("a body").1;
    let one = key("int f(int a) { return 1; }");
    assert_eq!(one, key("int f ( int a )\n{ return 1 ; }"));
    for other in [
        "int f(int b) { return 1; }",
        "int f(int a) { return 2; }",
        "int f(int a) { return 1u; }",
        "int f(int a) { return 1.0f; }",
        "int f(int a) { return '1'; }",
        "typedef int t; int f(int a) { return 1; }",
        "#pragma OPENCL FP_CONTRACT OFF\nint f(int a) { return 1; }",
        "int g(int a) { return 1; } int f(int a) { return 1; }",
    ] {
        assert_ne!(one, key(other), "{other}");
    }
    let string = |text: &str| key(&format!("void f(void) {{ constant char *s = {text}; }}"));
    assert_ne!(string("\"ab\""), string("\"ac\""));
    // The bodies of other functions do not change the key.
    let before =
        |body: &str| key(&format!("int g(int a) {{ {body} }} int f(int a) {{ return 1; }}"));
    assert_eq!(before("return 1;"), before("return 2;"));
    // Calls of functions that are defined later do matter: a body with such a call has the key 0.
    assert_eq!(
        unused("int g(int); int f(int a) { return g(a); } int g(int a) { return a; }")[0].1,
        0
    );
}
