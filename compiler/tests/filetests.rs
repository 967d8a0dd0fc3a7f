//! File tests of the IR: each file under `filetests/` is a list of passes, a module, and the text
//! that the module has after them.
//!
//! The first line is `; passes: a, b` (none for a test of the reader, verifier and printer); the line `; expect` separates the
//! input from the expectation. The expectation for a module that is refused is `error: ...`. `HEKLA_BLESS=1` writes the actual
//! text as the expectation.

use hekla_compiler::ir::{parse, print, verify};
use hekla_compiler::{passes, quirks};
use std::path::{Path, PathBuf};

const EXPECT: &str = "\n; expect\n";

/// Returns the text that a test's input becomes: the module after the passes, or the error.
fn run(text: &str) -> String {
    let header = |key: &str| {
        let comments = text.lines().take_while(|line| line.starts_with(';'));
        comments.filter_map(|line| line[1..].trim().strip_prefix(key)).next().map(str::trim)
    };
    let mut module = match parse::parse_module(text) {
        Ok(module) => module,
        Err(error) => return format!("error: {error}\n"),
    };
    if let Err(error) = verify::verify_module(&module) {
        return format!("error: {error}\n");
    }
    let passes = header("passes:").unwrap_or("").split(',').map(str::trim);
    for pass in passes.filter(|pass| !pass.is_empty()) {
        let result = passes::run_named(&mut module, pass)
            .or_else(|| quirks::run_named(&mut module, pass).map(Ok));
        match result {
            None => return format!("error: no pass '{pass}'\n"),
            Some(Err(error)) => return format!("error: {error}\n"),
            Some(Ok(())) => {}
        }
        if let Err(error) = verify::verify_module(&module) {
            return format!("error: after {pass}: {error}\n{module}");
        }
    }
    print::print_module(&module, true)
}

fn files(dir: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(dir).expect("the folder of file tests") {
        let path = entry.expect("an entry of it").path();
        if path.is_dir() {
            files(&path, out);
        } else if path.extension().is_some_and(|e| e == "ir") {
            out.push(path);
        }
    }
}

#[test]
fn file_tests() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/filetests");
    let mut paths = Vec::new();
    files(&root, &mut paths);
    paths.sort();
    assert!(!paths.is_empty());
    let bless = std::env::var_os("HEKLA_BLESS").is_some();
    let mut failed = Vec::new();
    for path in paths {
        let text = std::fs::read_to_string(&path).expect("a readable test");
        let (input, expected) = text.split_once(EXPECT).unwrap_or((text.trim_end(), ""));
        let output = run(input);
        if output == expected {
            continue;
        }
        if bless {
            let blessed = format!("{}{EXPECT}{output}", input.trim_end_matches('\n'));
            std::fs::write(&path, blessed).expect("a writable test");
        } else {
            let name = path.strip_prefix(&root).unwrap_or(&path).display();
            failed.push(format!("==== {name}\n---- expected\n{expected}---- got\n{output}"));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// Texts that the printer writes are read back to the same text.
#[test]
fn texts_read_back() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/filetests");
    let mut paths = Vec::new();
    files(&root, &mut paths);
    for path in paths {
        let text = std::fs::read_to_string(&path).expect("a readable test");
        for part in text.splitn(2, EXPECT) {
            let Ok(module) = parse::parse_module(part) else { continue };
            let once = print::print_module(&module, true);
            let again = parse::parse_module(&once).expect("printed text reads back");
            assert_eq!(once, print::print_module(&again, true), "{}", path.display());
        }
    }
}

/// The reader returns a module or an error for any text.
#[test]
fn damaged_texts_give_errors() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/filetests/roundtrip");
    let mut paths = Vec::new();
    files(&root, &mut paths);
    for path in paths {
        let text = std::fs::read_to_string(&path).expect("a readable test");
        for cut in (0..text.len()).filter(|&i| text.is_char_boundary(i)) {
            let _ = parse::parse_module(&text[..cut]);
            let without = format!("{}{}", &text[..cut], &text[(cut + 1).min(text.len())..]);
            if let Ok(module) = parse::parse_module(&without) {
                let _ = verify::verify_module(&module);
            }
        }
    }
}
