//! The front end on any bytes: everything that a build does with a text until it is refused, or
//! compiled.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    hekla_fuzz::check::compiles_or_says_why(text, "-cl-std=CL3.0");
});
