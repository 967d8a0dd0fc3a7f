//! The release build of libhekla.so, and the environment that makes it a program's only OpenCL
//! platform.

use crate::system::{cargo, root, run, target};
use crate::Outcome;
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

/// Builds the release library, once a process, and gives its path.
pub fn build() -> Result<PathBuf, String> {
    static BUILT: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    BUILT.get_or_init(build_now).clone()
}

fn build_now() -> Result<PathBuf, String> {
    run(&mut cargo(&["build", "--release", "--quiet", "-p", "hekla-icd"]))?;
    let library = target().join("release/libhekla.so");
    library.canonicalize().map_err(|e| format!("no library at {}: {e}", library.display()))
}

/// A folder with one `.icd` file that names the library. Both the Khronos loader and ocl-icd take it
/// as OCL_ICD_VENDORS.
pub fn vendors(library: &std::path::Path) -> Result<PathBuf, String> {
    let folder = target().join("vendors");
    let write = || -> std::io::Result<()> {
        std::fs::create_dir_all(&folder)?;
        std::fs::write(folder.join("hekla.icd"), format!("{}\n", library.display()))
    };
    write().map_err(|e| format!("cannot write {}: {e}", folder.display()))?;
    folder.canonicalize().map_err(|e| e.to_string())
}

/// A command that sees Hekla alone.
pub fn client(program: impl AsRef<std::ffi::OsStr>) -> Result<Command, String> {
    client_of(&build()?, program)
}

/// A command that sees one library alone, without its disk cache: tests and measurements are of what
/// is compiled now.
pub fn client_of(
    library: &std::path::Path,
    program: impl AsRef<std::ffi::OsStr>,
) -> Result<Command, String> {
    let mut command = user_of(library, program)?;
    command.env("HEKLA_CACHE", "0");
    Ok(command)
}

/// A command that sees one library alone, as for its users.
fn user_of(
    library: &std::path::Path,
    program: impl AsRef<std::ffi::OsStr>,
) -> Result<Command, String> {
    let vendors = vendors(library)?;
    let mut command = Command::new(program);
    command.env("OCL_ICD_VENDORS", vendors).env_remove("OCL_ICD_FILENAMES").current_dir(root());
    Ok(command)
}

/// Says on standard error why there is no device, if there is none.
pub fn explain_if_no_device() -> Outcome {
    let mut explain = user_of(&build()?, target().join("release/heklac"))?;
    let output =
        explain.arg("--explain").output().map_err(|e| format!("cannot run heklac: {e}"))?;
    if !output.status.success() {
        eprintln!("{}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(())
}

/// `cargo xtask run -- PROGRAM ARGS`: in the caller's own directory.
pub fn run_program(args: &[String]) -> Outcome {
    let args = args.strip_prefix(&["--".to_string()]).unwrap_or(args);
    let Some((program, rest)) = args.split_first() else {
        return Err("run needs a program: cargo xtask run -- PROGRAM ARGS".to_string());
    };
    explain_if_no_device()?;
    let mut command = user_of(&build()?, program)?;
    if let Ok(here) = std::env::current_dir() {
        command.current_dir(here);
    }
    let status =
        command.args(rest).status().map_err(|error| format!("cannot run '{program}': {error}"))?;
    std::process::exit(status.code().unwrap_or(1));
}
