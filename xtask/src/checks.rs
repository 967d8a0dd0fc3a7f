//! Checks of the source itself: format, lints, documentation, imports between folders, the C header.

use crate::system::{self, cargo, run};
use crate::Outcome;
use crate::{docs, layering, release, system_code};
use std::path::Path;

/// cargo fmt, clippy and rustdoc without a warning, imports that go one way, one place for what differs between systems, and an up-to-date C header.
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
    for sources in ["icd/src", "vk-backend/src", "compiler/src", "spirv-interp/src", "xtask/src"] {
        system_code::check(&system::root().join(sources))?;
    }
    docs::check()?;
    release::check()?;
    check_header()
}

/// Writes include/hekla.h from the exported functions of icd/.
pub fn write_header() -> Outcome {
    generate_header(&system::root().join("include/hekla.h"))
}

fn check_header() -> Outcome {
    let fresh = system::target().join("hekla.h");
    generate_header(&fresh)?;
    let read = |path: &Path| std::fs::read_to_string(path).unwrap_or_default();
    match read(&fresh) == read(&system::root().join("include/hekla.h")) {
        true => Ok(()),
        false => Err("include/hekla.h is stale: run `cargo xtask header`".to_string()),
    }
}

/// The entry points are declared by a macro, so cbindgen must see the expanded source, which the
/// compiler prints only with RUSTC_BOOTSTRAP; in a target folder of its own, since the variable makes
/// cargo build everything again.
fn generate_header(path: &Path) -> Outcome {
    std::env::set_var("RUSTC_BOOTSTRAP", "1");
    std::env::set_var("CARGO_EXPAND_TARGET_DIR", system::target().join("header"));
    let bindings = cbindgen::Builder::new()
        .with_crate(system::root().join("icd"))
        .with_config(
            cbindgen::Config::from_file(system::root().join("icd/cbindgen.toml"))
                .map_err(|e| format!("icd/cbindgen.toml: {e}"))?,
        )
        .generate()
        .map_err(|e| format!("cbindgen: {e}"));
    std::env::remove_var("RUSTC_BOOTSTRAP");
    let bindings = bindings?;
    bindings.write_to_file(path);
    Ok(())
}
