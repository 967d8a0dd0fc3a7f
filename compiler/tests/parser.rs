//! Parser tests: each `parser/NAME.cl` must give the tree in `parser/NAME.ast`, and each wrong text in `parser/errors.txt` the
//! messages below it. `HEKLA_BLESS=1` rewrites the expectations.

#[path = "parser_support/mod.rs"]
mod support;

use std::path::Path;
use support::parse;

#[test]
fn trees() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/parser");
    let mut wrong = Vec::new();
    let mut files: Vec<_> = std::fs::read_dir(&dir).unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    for path in files.iter().filter(|path| path.extension().is_some_and(|e| e == "cl")) {
        let text = std::fs::read_to_string(path).unwrap();
        let parsed = parse(&text, "-cl-std=CL3.0");
        assert_eq!(parsed.log, "", "{}", path.display());
        let expected = path.with_extension("ast");
        if std::env::var_os("HEKLA_BLESS").is_some() {
            std::fs::write(&expected, &parsed.tree).unwrap();
        } else if std::fs::read_to_string(&expected).unwrap_or_default() != parsed.tree {
            wrong.push(format!("{}:\n{}", path.display(), parsed.tree));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Returns `! line:column: severity: message` for every message of a log.
fn messages(log: &str) -> String {
    let lines = log.lines().filter_map(|line| line.strip_prefix("t.cl:"));
    lines.map(|line| format!("! {line}\n")).collect()
}

#[test]
fn errors() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/parser/errors.txt");
    let expected = std::fs::read_to_string(&path).unwrap();
    let mut actual = String::new();
    for case in expected.split("\n\n") {
        let source: Vec<_> = case.lines().filter(|line| !line.starts_with("! ")).collect();
        let source = source.join("\n") + "\n";
        if !actual.is_empty() {
            actual.push('\n');
        }
        actual.push_str(&source);
        actual.push_str(&messages(&parse(&source, "-cl-std=CL3.0").log));
    }
    if std::env::var_os("HEKLA_BLESS").is_some() {
        return std::fs::write(&path, &actual).unwrap();
    }
    for (actual, expected) in actual.split("\n\n").zip(expected.split("\n\n")) {
        assert_eq!(actual.trim_end(), expected.trim_end());
    }
}

/// The log shows a text's mistakes with carets, as clang does.
#[test]
fn log_of_an_error() {
    let log = parse("kernel void f() {\n  g(1, 2;\n}\n", "").log;
    let expected = "t.cl:2:9: error: expected ')'\n  g(1, 2;\n        ^\n\
                    t.cl:2:4: note: to match this '('\n  g(1, 2;\n   ^\n1 error generated.\n";
    assert_eq!(log, expected);
}

/// `generic` and `pipe` are ordinary names before OpenCL C 2.0 (6.1.9).
#[test]
fn keywords_of_later_versions() {
    let text = "void f(int generic) { int pipe = generic; }";
    assert_eq!(parse(text, "-cl-std=CL1.2").log, "");
    assert!(parse(text, "-cl-std=CL2.0").log.contains("error:"));
}
