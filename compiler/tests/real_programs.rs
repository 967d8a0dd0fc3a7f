//! Constructs that real programs rely on: small texts, each modelled on a construct of a program of the corpus.

use hekla_compiler::{compile, Options, Source, Target};

fn log_of(text: &str) -> String {
    let source = Source { name: "t.cl".into(), text: text.into(), headers: Vec::new() };
    let compiled = compile(&source, &Options::default(), &Target::generic());
    assert_eq!(compiled.program.is_some(), !compiled.log.contains("error"), "{}", compiled.log);
    compiled.log
}

/// Asserts that every condition, evaluated behind the declarations, is true at compile time.
#[track_caller]
fn holds(declarations: &str, conditions: &[&str]) {
    let mut text = format!("{declarations}\nkernel void f(global int *out) {{\n");
    for (i, condition) in conditions.iter().enumerate() {
        text.push_str(&format!("  char a{i}[({condition}) ? 1 : -1]; a{i}[0] = 0;\n"));
    }
    text.push('}');
    assert_eq!(log_of(&text), "");
}

/// hashcat's PKZIP kernels (m17200 and on).
#[test]
fn pragma_pack_bounds_the_alignment_of_members() {
    let text = "
#pragma pack(push, 1)
typedef struct { uchar a; uint b; ulong c; } one_t;
#pragma pack (pop)
typedef struct { uchar a; uint b; ulong c; } natural_t;
#pragma pack(2)
typedef struct { uchar a; uint b; ulong c; } two_t;
typedef struct { uchar a; ushort b; } small_t;
typedef union { uchar a[3]; uint b; } two_u;
#pragma pack()
typedef struct { one_t a; uint b; } natural_again_t;
#pragma pack(push)
#pragma pack(4)
typedef struct { uint a; ulong b; } four_t;
#pragma pack(pop)
typedef struct { uint a; ulong b; } eight_t;";
    holds(
        text,
        &[
            "sizeof(one_t) == 13",
            "sizeof(natural_t) == 16",
            "sizeof(two_t) == 14",
            "sizeof(small_t) == 4",
            "sizeof(two_u) == 4",
            "sizeof(natural_again_t) == 20",
            "sizeof(four_t) == 12",
            "sizeof(eight_t) == 16",
        ],
    );
}

#[test]
fn a_bad_pragma_pack_warns_and_changes_nothing() {
    for (pragma, warning) in [
        ("pack(3)", "expected #pragma pack parameter to be '1', '2', '4', '8', or '16'"),
        ("pack 1", "missing '(' after '#pragma pack' - ignoring"),
        ("pack(", "missing '(' after '#pragma pack' - ignoring"),
        ("pack(pop)", "#pragma pack(pop, ...) failed: stack empty"),
    ] {
        let text = format!(
            "#pragma {pragma}\nstruct s {{ char a; int b; }};\n\
             kernel void f(global int *p) {{ char a[sizeof(struct s) == 8 ? 1 : -1]; a[0] = 0; }}"
        );
        let log = log_of(&text);
        assert!(log.contains(&format!("warning: {warning}")), "{pragma}: {log}");
        assert!(!log.contains("error"), "{pragma}: {log}");
    }
}

/// Types whose size is the device's choice (OpenCL C 6.11).
#[test]
fn kernel_arguments_are_of_types_of_one_size() {
    for ty in ["size_t", "ptrdiff_t", "intptr_t", "uintptr_t"] {
        let message = format!("'{ty}' cannot be used as the type of a kernel parameter");
        let log = log_of(&format!("kernel void f({ty} n, global int *p) {{ *p = n; }}"));
        assert!(log.contains(&message), "{log}");
        let inner = format!("int g({ty} n) {{ {ty} m = n + sizeof({ty}); return ({ty})m; }}");
        assert_eq!(log_of(&format!("{inner} kernel void f(global int *p) {{ *p = g(2); }}")), "");
    }
}
