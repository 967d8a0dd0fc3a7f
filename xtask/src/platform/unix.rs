//! Linux, macOS and their kin.

use crate::Outcome;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

/// The library's name.
pub const LIBRARY: &str =
    if cfg!(target_vendor = "apple") { "libhekla.dylib" } else { "libhekla.so" };

/// The offline compiler's name.
pub const COMPILER: &str = "heklac";

/// True where ICD loaders read `.icd` files, and manuals are pages below `share/man`.
pub const HAS_ICD_FILES: bool = true;

/// The prefix of an installation without `--prefix`.
pub const PREFIX: &str = "/usr";

/// Makes a symbolic link.
pub fn link(to: &Path, path: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(to, path)
}

/// Sets the permissions of a program or of a file that is only read.
pub fn set_executable(path: &Path, is_program: bool) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mode = if is_program { 0o755 } else { 0o644 };
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode))
}

/// Replaces this process by a command. Returns only if that fails, with the reason.
pub fn replace_process(command: &mut Command) -> String {
    command.exec().to_string()
}

/// Does nothing: the loader reads the `.icd` file.
pub fn register(_: &Path) -> Outcome {
    Ok(())
}

/// Returns the status of a process that ended with a code.
pub fn exit_status(code: u8) -> std::process::ExitStatus {
    std::os::unix::process::ExitStatusExt::from_raw(i32::from(code) << 8)
}

/// Returns the signal that ended a process.
pub fn signal(status: std::process::ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}
