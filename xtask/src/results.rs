//! Files with results. Each names the commit of its results. Files that are older than the last change of the code that
//! they measure are listed by `cargo xtask check` (a warning) and `cargo xtask release` (a fault).

use crate::{system, Outcome};
use std::process::Command;

/// Every file with results, and the paths whose changes may change the results.
const FILES: [(&str, &[&str]); 10] = [
    ("cts-config/results/lavapipe.md", &COMPUTING),
    ("cts-config/results/lavapipe-26.md", &COMPUTING),
    ("cts-config/results/nvidia.md", &COMPUTING),
    ("cts-config/results/swiftshader.md", &COMPUTING),
    ("docs/accuracy.md", &["compiler/src/library", "compiler/src/builtins", "lab/src/ulp"]),
    ("docs/gpus.md", &["compiler/src", "lab/src/gpus"]),
    ("docs/programs.md", &["compiler/src", "icd/src", "vk-backend/src", "lab/src/apps"]),
    ("docs/results-h200.md", &["compiler/src", "icd/src", "vk-backend/src", "lab/src/bench"]),
    ("docs/results-lavapipe.md", &["compiler/src", "icd/src", "vk-backend/src", "lab/src/bench"]),
    ("docs/scale.md", &["icd/src", "vk-backend/src", "examples/scale"]),
];
/// The code that computes when an OpenCL program runs.
const COMPUTING: [&str; 4] = ["compiler/src", "device/src", "icd/src", "vk-backend/src"];

/// The beginning of the line that names commit and date.
const BEGIN: &str = "Recorded at commit `";

/// Returns the line that names the commit of results: the commit that is checked out, with `-dirty` if files have
/// changed since.
pub fn stamp() -> Result<String, String> {
    let git = |args: &[&str]| system::capture(Command::new("git").args(args));
    let commit = git(&["describe", "--always", "--dirty", "--abbrev=8", "--exclude=*"])?;
    let date = git(&["show", "--no-patch", "--format=%cs"])?;
    Ok(format!("{BEGIN}{}` ({}).", commit.trim(), date.trim()))
}

/// Replaces a file's line about the commit.
pub fn restamped(text: &str, stamp: &str) -> String {
    let line =
        |line: &str| if line.starts_with(BEGIN) { stamp.to_string() } else { line.to_string() };
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

/// Returns the commit that a file names.
fn commit(text: &str) -> Option<&str> {
    let rest = text.lines().find_map(|line| line.strip_prefix(BEGIN))?;
    let end = rest.find(|c: char| !c.is_ascii_hexdigit())?;
    Some(&rest[..end]).filter(|commit| commit.len() >= 7)
}

/// Returns a line for each file whose results are older than the last change of the code that they measure.
///
/// # Errors
/// For a file that names no commit.
pub fn stale() -> Result<Vec<String>, String> {
    let mut stale = Vec::new();
    for (file, paths) in FILES {
        let text = std::fs::read_to_string(system::root().join(file))
            .map_err(|e| format!("{file}: {e}"))?;
        let commit =
            commit(&text).ok_or_else(|| format!("{file}: no line '{BEGIN}...` (date).'"))?;
        let mut git = Command::new("git");
        git.current_dir(system::root()).args([
            "rev-list",
            "--count",
            &format!("{commit}..HEAD"),
            "--",
        ]);
        match system::capture(git.args(paths)) {
            Ok(count) if count.trim() == "0" => {}
            Ok(count) => {
                let changes =
                    format!("{} commits since changed {}", count.trim(), paths.join(", "));
                stale.push(format!("{file}: recorded at {commit}; {changes}"));
            }
            // A shallow clone, or a source without a repository.
            Err(_) => {
                stale.push(format!("{file}: recorded at {commit}, which is not in this repository"))
            }
        }
    }
    Ok(stale)
}

/// Warns of files whose results are older than the code that they measure.
pub fn warn() -> Outcome {
    stale()?.iter().for_each(|line| println!("warning: {line}"));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_takes_the_place_of_the_old_one() {
        let old = "# A\n\nRecorded at commit `0123abcd` (2026-01-02).\n\nText.\n";
        assert_eq!(commit(old), Some("0123abcd"));
        let new = restamped(old, "Recorded at commit `89abcdef-dirty` (2026-02-03).");
        assert_eq!(new, "# A\n\nRecorded at commit `89abcdef-dirty` (2026-02-03).\n\nText.\n");
        assert_eq!(commit(&new), Some("89abcdef"));
        assert_eq!((commit("text"), commit("Recorded at commit `x`")), (None, None));
    }

    #[test]
    fn every_file_with_results_names_its_commit() {
        for (file, _) in FILES {
            let text = std::fs::read_to_string(system::root().join(file)).unwrap();
            assert!(commit(&text).is_some(), "{file}");
        }
    }
}
