//! The whole compiler on programs of a grammar, most of them with types that are right.
#![no_main]

use arbitrary::Unstructured;
use hekla_fuzz::{check, grammar, typed};
use libfuzzer_sys::fuzz_target;

const OPTIONS: &[&str] = &[
    "-cl-std=CL3.0",
    "-cl-std=CL3.0 -cl-fast-relaxed-math",
    "-cl-std=CL3.0 -cl-opt-disable",
    "-cl-std=CL3.0 -cl-denorms-are-zero -g",
];

fuzz_target!(|data: &[u8]| {
    let mut u = Unstructured::new(data);
    let Ok(options) = u.choose(OPTIONS) else { return };
    let text = match u.ratio(1, 8) {
        Ok(true) => grammar::program(&mut u),
        _ => typed::program(&mut u).map(|program| program.text),
    };
    let Ok(text) = text else { return };
    check::compiles_or_says_why(&text, options);
});
