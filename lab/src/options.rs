//! Parsers for values of options that several commands have.

use std::path::PathBuf;
use std::time::Duration;

/// The folder in which ICD loaders look for .icd files.
pub const VENDORS: &str = "/etc/OpenCL/vendors";

/// Reads the path of an existing file or folder, and makes it absolute: commands run programs in folders of their own.
pub fn existing(path: &str) -> Result<PathBuf, String> {
    std::fs::canonicalize(path).map_err(|error| error.to_string())
}

/// Reads part of a name, to be compared in lower case.
pub fn lower(text: &str) -> Result<String, String> {
    Ok(text.to_lowercase())
}

/// Reads whole seconds.
pub fn seconds(text: &str) -> Result<Duration, String> {
    text.parse().map(Duration::from_secs).map_err(|_| "not a number of seconds".to_string())
}
