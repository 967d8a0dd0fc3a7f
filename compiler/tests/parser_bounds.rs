//! Texts that are made to exhaust the parser: each ends with a diagnostic or a tree, on a small stack.

#[path = "parser_support/mod.rs"]
mod support;

use support::{parse, Parsed};

const MANY: usize = 100_000;
const NESTING: &str = "bracket nesting level exceeded maximum of 256";
const HEIGHT: &str = "expression or statement nesting exceeded maximum of 1500";

/// Parses a text, and prints and drops its tree, on a stack of 2 MiB.
fn parse_small(text: String) -> Parsed {
    let thread = std::thread::Builder::new().stack_size(2 << 20);
    thread.spawn(move || parse(&text, "-cl-std=CL3.0")).unwrap().join().unwrap()
}

fn in_function(body: String) -> String {
    format!("kernel void f(int a, global int *p) {{ {body} }}")
}

/// Asserts that a text is refused for this reason and no other.
fn refused(text: String, reason: &str) {
    let log = parse_small(text).log;
    assert_eq!(log.matches("error:").count(), 1, "{log}");
    assert!(log.contains(reason), "{log}");
}

fn accepted(text: String) {
    let parsed = parse_small(text);
    assert_eq!(parsed.log, "");
    assert!(!parsed.tree.is_empty());
}

fn repeated(parts: [&str; 3], count: usize) -> String {
    format!("{}{}{}", parts[0].repeat(count), parts[1], parts[2].repeat(count))
}

#[test]
fn nested_brackets_are_bounded() {
    for parts in [
        ["(", "a", ")"],
        ["a[", "0", "]"],
        ["f(", "a", ")"],
        ["({", "a;", ";})"],
        ["sizeof(", "a", ")"],
        ["a ? ", "a", " : a"],
        ["(int[]){", "1", "}[0]"],
        ["(float4)(a, ", "a", ")"],
        ["-(", "a", ")"],
        ["a || a && a | a ^ a & a == a < a << a + a * (", "a", ")"],
        ["a = a ? a : -(int)(", "a", ")"],
        ["__builtin_astype(", "a", ", int)"],
    ] {
        refused(in_function(format!("a = {};", repeated(parts, MANY))), NESTING);
        accepted(in_function(format!("a = {};", repeated(parts, 100))));
    }
}

#[test]
fn nested_statements_are_bounded() {
    for parts in [
        ["{", "", "}"],
        ["if (a) ", ";", ""],
        ["if (a) {", "", "}"],
        ["while (a) ", ";", ""],
        ["for (;;) ", ";", ""],
        ["do ", ";", " while (a);"],
        ["switch (a) ", ";", ""],
        ["if (a) ; else { ", "", "}"],
    ] {
        refused(in_function(repeated(parts, MANY)), NESTING);
        accepted(in_function(repeated(parts, 200)));
    }
}

#[test]
fn nested_declarations_are_bounded() {
    for parts in [
        ["int (*", "x", ")(void);"],
        ["struct { ", "int x;", "} s;"],
        ["int x = {", "1", "};"],
        ["typeof(", "int", ") x;"],
        ["void f(void (*g)(", "int", "));"],
        ["int x[sizeof(int[", "1", "])];"],
        ["int x __attribute__((a(", "1", ")));"],
        ["enum { A = ", "1", "} x;"],
        ["enum { A = sizeof(enum { B = ", "1", "}) } x;"],
    ] {
        let log = parse_small(repeated(parts, MANY)).log;
        assert!(log.contains("error:"), "{log}");
        assert!(log.len() < 10_000, "{log}");
    }
    accepted(format!("int {}x{};", "(*".repeat(100), ")(void)".repeat(100)));
    accepted(format!("{}int x;{};", "struct { ".repeat(200), "} s;".repeat(199) + "} s"));
}

/// Operators that group from the left, and statements after `:` and `else`, do not nest.
#[test]
fn chains_may_have_any_length() {
    for (first, link, last) in [
        ("a", " + a", ""),
        ("a", ", a", ""),
        ("a", " && a", ""),
        ("a", " - a * a", ""),
        ("a + (", "a + ", "a)"),
        ("", "a ? a : ", "a"),
    ] {
        for count in [20, 31, 32, 33, 34, 127, 128, 129, 1600, MANY] {
            accepted(in_function(format!("{first}{}{last};", link.repeat(count))));
        }
    }
    for (link, last) in [("if (a) a = 1; else ", ";"), ("case 1: ", ";"), ("l: ", ";")] {
        for count in [31, 32, 33, 127, 128, 129, 1600, MANY] {
            accepted(in_function(format!("{}{last}", link.repeat(count))));
        }
    }
}

/// The tree of a long chain is the same as if its links were nested.
#[test]
fn long_chains_group_from_the_left() {
    let tree = |count: usize| {
        let text = in_function(format!("1{};", " + a * 2, a".repeat(count)));
        parse_small(text).tree
    };
    for count in [5, 40] {
        // The comma binds least, so each link except the first begins a new operand of the comma.
        let mut parts = vec!["(+ 1 (* a 2))".to_string()];
        parts.extend(vec!["(+ a (* a 2))".to_string(); count - 1]);
        parts.push("a".to_string());
        let nested = parts.into_iter().reduce(|left, part| format!("(, {left} {part})")).unwrap();
        assert!(tree(count).contains(&nested), "{}", tree(count));
    }
    let text = in_function(format!("1{};", " - a".repeat(100)));
    let nested = (0..100).fold("1".to_string(), |left, _| format!("(- {left} a)"));
    assert!(parse_small(text).tree.contains(&nested));
}

#[test]
fn other_chains_are_bounded_by_the_height_of_the_tree() {
    for (first, link, last) in [
        ("", "a = ", "a"),
        ("", "a ?: ", "a"),
        ("", "- ", "a"),
        ("", "(int)", "a"),
        ("", "sizeof ", "a"),
        ("", "*", "p"),
        ("a", "[0]", ""),
        ("a", "(0)", ""),
        ("a", ".x", ""),
        ("a", "++", ""),
    ] {
        let text = |count| in_function(format!("{first}{}{last};", link.repeat(count)));
        refused(text(MANY), HEIGHT);
        accepted(text(1400));
    }
}

#[test]
fn height_counts_across_nesting() {
    // Chains in brackets inside chains: all of them are on the path to the deepest leaf.
    let mut text = "a".to_string();
    for _ in 0..3 {
        text = format!("{}({text})", "- ".repeat(1000));
    }
    refused(in_function(format!("{text};")), HEIGHT);
    let mut text = "a".to_string();
    for _ in 0..100 {
        text = format!("({text}){}", " + a".repeat(20));
    }
    refused(in_function(format!("{text};")), HEIGHT);
    let mut text = "a;".to_string();
    for _ in 0..60 {
        text = format!("{}{{ {text} }}", "if (a) ; else ".repeat(1000));
    }
    refused(in_function(text), HEIGHT);
    let mut text = "a".to_string();
    for _ in 0..60 {
        text = format!("({{ {} {text}; }}){}", "if (a) ; else ".repeat(400), " + a".repeat(400));
    }
    refused(in_function(format!("{text};")), HEIGHT);
}

#[test]
fn derivations_are_bounded() {
    for text in [
        format!("int {}x;", "*".repeat(MANY)),
        format!("int x{};", "[1]".repeat(MANY)),
        format!("int x = sizeof(int {});", "*".repeat(MANY)),
        format!("int x{};", "(int)".repeat(MANY)),
    ] {
        refused(text, "exceed maximum of 256");
    }
    accepted(format!("int {}x{};", "*".repeat(100), "[1]".repeat(100)));
}

#[test]
fn long_lists_are_no_trees() {
    let names: Vec<String> = (0..MANY).map(|i| format!("x{i}")).collect();
    accepted(format!("int {};", names.join(", ")));
    accepted(format!("enum {{ {} }};", names.join(", ")));
    accepted(format!("int x[] = {{ {} }};", "1, ".repeat(MANY)));
    accepted(in_function(format!("f({}1);", "1, ".repeat(MANY))));
    accepted(in_function("a = 1;".repeat(MANY)));
    accepted("int g(int);".repeat(MANY));
    accepted(format!("void g({}int);", "int, ".repeat(MANY)));
    accepted("__attribute__((a)) ".repeat(MANY) + "int x;");
}

#[test]
fn broken_texts_end() {
    for part in [
        "}",
        ")",
        "]",
        "{",
        "(",
        "[",
        "struct {",
        "enum {",
        "typedef ",
        "f(",
        "int a[",
        "if (",
        "else ",
        "case ",
        "? ",
        ": ",
        "; ",
        ", ",
        "= ",
        "1 ",
        "x ",
        "\"s\" ",
        "for (",
        "do ",
        "kernel ",
        "__attribute__((",
        "#pragma unroll\n",
        "^{",
        "sizeof ",
        "(int)",
        "x y; ",
        "int x y; ",
        "f(1; ",
        "= {",
        "struct s ",
        "goto ",
        "asm(\"\"); ",
        "void f(int a { ",
        "void f() { if (x) } ",
        "_Static_assert(",
        "... ",
        "-> ",
        "typeof(",
    ] {
        for text in [part.repeat(MANY), in_function(part.repeat(MANY))] {
            let log = parse_small(text).log;
            assert!(log.len() < 60_000, "{part}: {log}");
        }
    }
}

/// Words of which texts are made: names, numbers and punctuation.
fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let len = match rest.find(|c: char| !c.is_alphanumeric() && c != '_') {
            Some(0) | None => first.len_utf8(),
            Some(len) => len,
        };
        let (word, after) = rest.split_at(len);
        words.push(word);
        rest = after;
    }
    words
}

/// Returns good texts with words deleted, doubled, exchanged and replaced.
#[test]
fn mutated_texts_end() {
    let mut state = 1u64;
    let mut random = move |below: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % below
    };
    for name in ["declarations", "expressions", "scopes", "statements"] {
        let path = format!("{}/tests/parser/{name}.cl", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(path).unwrap();
        let good = words(&text);
        for _ in 0..1000 {
            let mut bad = good.clone();
            for _ in 0..1 + random(6) {
                let (i, j) = (random(bad.len()), random(bad.len()));
                match random(4) {
                    0 => drop(bad.remove(i)),
                    1 => bad.insert(i, bad[j]),
                    2 => bad.swap(i, j),
                    _ => bad[i] = bad[j],
                }
            }
            let log = parse(&bad.concat(), "-cl-std=CL3.0").log;
            assert!(log.len() < 30_000, "{log}");
        }
    }
}

/// The type of old-style parameters is parsed for each of them.
#[test]
fn old_style_parameters_are_bounded() {
    let names = |count: usize| (0..count).map(|n| format!("a{n}")).collect::<Vec<_>>().join(", ");
    let function = |count, ty: &str| {
        format!("int f({names}) {ty} {names}; {{ return 1; }}", names = names(count))
    };
    accepted(function(255, "int"));
    refused(function(MANY, "int"), "old-style definition exceed maximum of 255");
    let members = format!("struct {{ {} }}", "int x; ".repeat(MANY));
    refused(function(2, &members), "type of several old-style parameters exceed maximum of 256");
}
