//! Windows: the ICD loader finds drivers in the registry.

use crate::{system, Outcome};
use std::io;
use std::path::Path;
use std::process::Command;

/// The library's name.
pub const LIBRARY: &str = "hekla.dll";

/// The offline compiler's name.
pub const COMPILER: &str = "heklac.exe";

/// True where ICD loaders read `.icd` files, and manuals are pages below `share/man`.
pub const HAS_ICD_FILES: bool = false;

/// The prefix of an installation without `--prefix`.
pub const PREFIX: &str = r"C:\Program Files\Hekla";

/// Copies the file: links need rights that users do not have.
pub fn link(to: &Path, path: &Path) -> io::Result<()> {
    let from = path.parent().map_or_else(|| to.to_path_buf(), |folder| folder.join(to));
    std::fs::copy(from, path).map(drop)
}

/// Does nothing: a file's name says whether it is a program.
pub fn set_executable(_: &Path, _: bool) -> io::Result<()> {
    Ok(())
}

/// Runs a command and ends this process with its status. Returns only if that fails, with the reason.
pub fn replace_process(command: &mut Command) -> String {
    match command.status() {
        Ok(status) => std::process::exit(status.code().unwrap_or(1)),
        Err(error) => error.to_string(),
    }
}

/// Registers the library with the ICD loader: a value with the library's path for its name and 0 for its data, as the
/// loader's documentation has it. It needs an administrator's rights.
pub fn register(library: &Path) -> Outcome {
    register_in(r"HKEY_LOCAL_MACHINE\SOFTWARE\Khronos\OpenCL\Vendors", library)
}

fn register_in(key: &str, library: &Path) -> Outcome {
    let mut add = Command::new("reg");
    add.args(["add", key, "/v"]).arg(library).args(["/t", "REG_DWORD", "/d", "0", "/f"]);
    system::capture(&mut add).map(drop)
}

/// Returns the status of a process that ended with a code.
pub fn exit_status(code: u8) -> std::process::ExitStatus {
    std::os::windows::process::ExitStatusExt::from_raw(u32::from(code))
}

/// Returns the signal that ended a process: there are none.
pub fn signal(_: std::process::ExitStatus) -> Option<i32> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_registry_has_the_library_with_the_value_zero() {
        let key = r"HKEY_CURRENT_USER\SOFTWARE\Hekla\Test";
        let library = Path::new(r"C:\Program Files\Hekla\bin\hekla.dll");
        register_in(key, library).unwrap();
        let told = system::capture(Command::new("reg").args(["query", key])).unwrap();
        let _ = system::capture(Command::new("reg").args(["delete", key, "/f"]));
        let line = told.lines().find(|line| line.contains("hekla.dll")).unwrap_or_default();
        assert!(line.contains(&*library.display().to_string()), "{told}");
        assert!(line.contains("REG_DWORD") && line.trim_end().ends_with("0x0"), "{told}");
    }
}
