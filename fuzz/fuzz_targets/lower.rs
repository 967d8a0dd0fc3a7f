//! The whole compiler on programs of a grammar.
#![no_main]

use arbitrary::Unstructured;
use hekla_fuzz::{check, grammar};
use libfuzzer_sys::fuzz_target;

const OPTIONS: &[&str] =
    &["", "-cl-std=CL3.0", "-cl-fast-relaxed-math", "-cl-opt-disable", "-cl-denorms-are-zero -g"];

fuzz_target!(|data: &[u8]| {
    let mut u = Unstructured::new(data);
    let Ok(options) = u.choose(OPTIONS) else { return };
    let Ok(text) = grammar::program(&mut u) else { return };
    if std::env::var_os("HEKLA_FUZZ_SHOW").is_some() {
        println!("{text}");
    }
    check::compiles_or_says_why(&text, options);
});
