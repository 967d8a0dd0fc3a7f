//! Reports of tests to `cargo xtask test` beyond success and failure: that a test does not run here, and that it provokes a
//! message of the validation layer. Each is a line on standard error, which libtest does not capture, unlike printed output.
#![allow(dead_code)]

use std::fmt::Display;
use std::io::Write;

/// Reports that the calling test, or the rest of it, does not run on this machine or device. `cargo xtask test` counts such
/// tests and fails on unexpected ones.
pub fn skip(why: impl Display) {
    let program = std::env::current_exe().unwrap_or_default();
    let program = program.file_stem().unwrap_or_default().to_string_lossy();
    // Cargo appends a hash to the names of test programs.
    let name = program.rsplit_once('-').map_or(&*program, |(name, _)| name);
    let thread = std::thread::current();
    report(&format!("skipped {name}::{}: {why}", thread.name().unwrap_or("main")));
}

/// Runs a function for which the validation layer must report a message with this identifier. `cargo xtask test` excuses the
/// message here alone, and fails if it is missing.
pub fn provoke<T>(identifier: &str, f: impl FnOnce() -> T) -> T {
    report(&format!("provokes {identifier}"));
    let result = f();
    report(&format!("provoked {identifier}"));
    result
}

fn report(what: &str) {
    let _ = std::io::stderr().write_all(format!("hekla-test: {what}\n").as_bytes());
}
