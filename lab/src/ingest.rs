//! `cargo xtask differ --ingest`: the programs of the conformance files and of the Python suite, compiled to SPIR-V by
//! clang, without and with optimization, must give the same results as when Hekla compiles them.

use crate::driver::Driver;
use crate::system::{self, step};
use crate::{artifact, Outcome};
use std::process::Command;

/// The compiler's name, for the Debian package and for the tests.
const CLANG: &str = "clang-22";
/// The compiler's options, one for each run.
const LEVELS: [&str; 2] = ["-O0", "-O2"];

/// Runs the command.
pub fn run(driver: Driver) -> Outcome {
    system::ensure_packages(&[CLANG, "ocl-icd-libopencl1", "spirv-tools"])?;
    let python = system::python()?;
    let installed = driver.install()?;
    artifact::build()?;
    let mut failed = Vec::new();
    for level in LEVELS {
        step(&format!("programs compiled by {CLANG} {level} on {}", driver.name()));
        let mut suite: Command = artifact::client(&python)?;
        installed.select(&mut suite);
        suite
            .args(["-m", "pytest", "-q", "-p", "no:cacheprovider", "icd/tests/python"])
            .env("HEKLA_TEST_BY_CLANG", level)
            .env("HEKLA_VALIDATE", "1")
            .env("HEKLA_TEST_DRIVER", driver.name())
            .env("HEKLA_TEST_PREFIX", installed.prefix().join("\n"))
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .env("PYOPENCL_NO_CACHE", "1")
            .env("XDG_CACHE_HOME", system::target().join("cache"))
            .current_dir(system::root());
        failed.extend(system::run(&mut suite).err().map(|error| format!("{level}: {error}")));
    }
    match failed.is_empty() {
        true => Ok(()),
        false => Err(failed.join("\n")),
    }
}
