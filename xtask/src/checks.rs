//! Checks of the source itself: format, lints, documentation, imports between folders, the C header.

use crate::system::{self, cargo, run};
use crate::Outcome;
use crate::{docs, header, heard, layering, release, results, size, system_code};

/// Checks that cargo fmt, clippy and rustdoc give no warning, imports go one way, code for single systems is in one
/// place, skips are reported, the library is within its budget, and the C header is up to date.
pub fn run_all() -> Outcome {
    run(&mut cargo(&["fmt", "--all", "--check"]))?;
    run(&mut cargo(&[
        "clippy",
        "--quiet",
        "--workspace",
        "--all-targets",
        "--",
        "-D",
        "warnings",
    ]))?;
    let mut doc = cargo(&["doc", "--quiet", "--workspace", "--no-deps"]);
    run(doc.env("RUSTDOCFLAGS", "-D warnings"))?;
    layering::check(&system::root().join("icd/src"), &["core"])?;
    layering::check(&system::root().join("vk-backend/src"), &[])?;
    layering::check(&system::root().join("compiler/src"), &["emit", "preprocess"])?;
    for sources in [
        "icd/src",
        "vk-backend/src",
        "compiler/src",
        "device/src",
        "spirv-words/src",
        "spirv-interp/src",
        "xtask/src",
        "lab/src",
    ] {
        system_code::check(&system::root().join(sources))?;
    }
    heard::check_sources()?;
    docs::check()?;
    release::check()?;
    results::warn()?;
    size::check_last()?;
    header::check()
}
