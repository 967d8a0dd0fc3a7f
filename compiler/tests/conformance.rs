//! Conformance files: for every rule of the OpenCL C specification, programs that follow the rule and programs that break it.
//! Here each program is compiled, for a capable and for a weak device. The results of the programs that run are checked by
//! spirv-interp/tests/conformance.rs and, on a device, by icd/tests/python/test_conformance.py.
//!
//! `HEKLA_CONFORMANCE=6.3` checks only the files whose name begins so.

mod conformance_support;

use conformance_support::{read_folder, Message, Program};
use hekla_compiler::{compile, Compiled, MatrixComponent, MatrixProduct, Options, Source, Target};
use std::path::Path;

#[test]
fn programs_conform() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance");
    let programs = read_folder(&folder).unwrap_or_else(|error| panic!("{error}"));
    let wanted = std::env::var("HEKLA_CONFORMANCE").unwrap_or_default();
    let mut failures = Vec::new();
    let halfs = Target { float16: true, ..Target::generic() };
    let narrow = Target { int8: false, int16: false, subgroups: None, ..Target::generic() };
    let product =
        |a, c| MatrixProduct { m: 8, n: 8, k: 8, a, b: a, c, result: c, saturates: false };
    use MatrixComponent::{F16, F32, I32, I8, U32, U8};
    let matrices = [(F16, F32), (F16, F16), (I8, I32), (U8, U32)].map(|(a, c)| product(a, c));
    let matrices = Target {
        matrices: matrices.to_vec(),
        workgroup_explicit_layout: true,
        workgroup_explicit_layout_8: true,
        workgroup_explicit_layout_16: true,
        ..halfs.clone()
    };
    let devices = [
        ("matrix", matrices),
        ("generic", Target::generic()),
        ("half", halfs),
        ("minimal", Target::minimal()),
        ("narrow", narrow),
    ];
    for program in programs.iter().filter(|program| program.place.starts_with(&wanted)) {
        for (device, target) in &devices {
            if let Err(complaint) = check(program, target) {
                let Program { place, rule, .. } = program;
                failures.push(format!("{place}: {rule}\n  for a {device} device: {complaint}"));
                break;
            }
        }
    }
    assert!(failures.is_empty(), "{} programs:\n\n{}", failures.len(), failures.join("\n\n"));
}

/// Compiles a program, if the device has what it requires, and compares the outcome with the file's expectations.
fn check(program: &Program, target: &Target) -> Result<(), String> {
    let offered = [target.extensions(), target.features()].concat();
    if !program.runs_with(&offered) {
        return Ok(());
    }
    let options = match (Options::parse(&program.options), &program.invalid) {
        (Ok(options), None) => options,
        (Ok(_), Some(_)) => return Err("the options are accepted".to_string()),
        (Err(error), Some(message)) if error.0.contains(message) => return Ok(()),
        (Err(error), _) => return Err(error.0),
    };
    let source = Source { name: "test.cl".into(), text: program.text.clone(), headers: Vec::new() };
    let compiled = compile(&source, &options, target);
    let shown = |complaint: String| format!("{complaint}\n{}", indented(&compiled.log));
    compare("error", &program.errors, &compiled.log, true).map_err(shown)?;
    compare("warning", &program.warnings, &compiled.log, program.accept).map_err(shown)?;
    match program.accept {
        true => has_test_kernel(&compiled),
        false => Ok(()),
    }
}

/// Checks that the program has a kernel `test` with one argument, which the tests on devices run.
fn has_test_kernel(compiled: &Compiled) -> Result<(), String> {
    let kernels = compiled.program.iter().flat_map(|program| &program.kernels);
    match kernels.into_iter().find(|kernel| kernel.name == "test").map(|kernel| kernel.args.len()) {
        Some(1) => Ok(()),
        Some(n) => Err(format!("kernel 'test' has {n} arguments instead of one")),
        None => Err("there is no kernel 'test'".to_string()),
    }
}

/// Checks that every expected message is in the log and, if `complete` is true, that the log has no other message.
fn compare(kind: &str, expected: &[Message], log: &str, complete: bool) -> Result<(), String> {
    let got = messages(kind, log);
    let said = |a: &Message, b: &Message| a.line == b.line && b.substring.contains(&a.substring);
    if let Some(missing) = expected.iter().find(|e| !got.iter().any(|g| said(e, g))) {
        let Message { line, substring } = missing;
        return Err(format!("expected on line {line} the {kind} '{substring}'; the log is"));
    }
    match got.iter().find(|g| complete && !expected.iter().any(|e| said(e, g))) {
        Some(Message { line, .. }) => Err(format!("unexpected {kind} on line {line}; the log is")),
        None => Ok(()),
    }
}

/// Returns the errors or the warnings of a build log, whose lines have the form `test.cl:3:7: error: text` or lack the place.
fn messages(kind: &str, log: &str) -> Vec<Message> {
    let mut found = Vec::new();
    // The text of the message before this line, if it is of the wanted kind.
    let mut last: Option<&str> = None;
    for entry in log.lines() {
        if let (Some(lines), Some(text)) = (more_lines(entry), last) {
            let again = |line| Message { line, substring: text.to_string() };
            found.extend(lines.into_iter().map(again));
        }
        let mark = format!("{kind}: ");
        let Some((place, text)) = entry.split_once(&mark) else {
            let is_other = entry.contains("warning: ") || entry.contains("error: ");
            last = last.filter(|_| !is_other);
            continue;
        };
        last = Some(text);
        let place = place.strip_suffix("fatal ").unwrap_or(place);
        let line = match place.strip_prefix("test.cl:") {
            Some(rest) => rest.split(':').next().and_then(|line| line.parse().ok()),
            None => place.is_empty().then_some(0),
        };
        found.extend(line.map(|line| Message { line, substring: text.to_string() }));
    }
    found
}

/// Returns the lines of further occurrences of the message above, from a note such as `note: 2 more of these, in lines 3, 4`.
fn more_lines(entry: &str) -> Option<Vec<u32>> {
    let (_, lines) = entry.strip_prefix("note: ")?.split_once(" more of these, in line")?;
    lines.trim_start_matches('s').split(',').map(|line| line.trim().parse().ok()).collect()
}

fn indented(log: &str) -> String {
    log.lines().map(|line| format!("    {line}\n")).collect()
}
