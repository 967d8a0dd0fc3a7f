//! The size of the library, which has a budget: every program that uses OpenCL loads the whole library.

use crate::platform::LIBRARY;
use crate::{system, Outcome};
use std::path::Path;
use std::process::Command;

/// The largest size of the library without symbols, in bytes; docs/design/crates.md explains it. Raise it with a reason.
const BUDGET: u64 = 9_450_000;

/// Checks the library of the last release build, if there is one and it is a `.so` file, for which the budget is.
pub fn check_last() -> Outcome {
    let library = system::target().join("release").join(LIBRARY);
    match LIBRARY.ends_with(".so") && library.exists() {
        true => check(&library),
        false => Ok(()),
    }
}

/// Fails if a library is larger than its budget.
pub fn check(library: &Path) -> Outcome {
    let stripped = system::target().join("size").with_extension("so");
    system::capture(Command::new("strip").arg("-o").arg(&stripped).arg(library))?;
    let bytes = std::fs::metadata(&stripped).map_err(|e| format!("{}: {e}", stripped.display()));
    let bytes = bytes?.len();
    let _ = std::fs::remove_file(&stripped);
    judge(bytes)
}

fn judge(bytes: u64) -> Outcome {
    println!("the library without symbols: {bytes} bytes of {BUDGET}");
    match bytes <= BUDGET {
        true => Ok(()),
        false => {
            Err(format!("the library has {bytes} bytes without symbols, of {BUDGET} in its budget"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_beyond_its_budget_is_an_error() {
        assert!(judge(BUDGET).is_ok());
        assert!(judge(BUDGET + 1).unwrap_err().contains("budget"));
    }
}
