//! The release build of libhekla.so, and the environment that makes it a program's only OpenCL
//! platform.

use crate::driver::{Driver, Installed};
use crate::platform;
use crate::system::{cargo, root, run, target};
use crate::Outcome;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// Builds the release library, once per process, and returns its path.
pub fn build() -> Result<PathBuf, String> {
    static BUILT: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    BUILT.get_or_init(build_now).clone()
}

/// Returns a library that was given, else the release build, after making sure that programs find a device.
pub fn given_or_built(library: Option<&Path>) -> Result<PathBuf, String> {
    match library {
        Some(path) => Ok(path.to_path_buf()),
        None => find_device().and_then(|()| build()),
    }
}

fn build_now() -> Result<PathBuf, String> {
    run(&mut cargo(&["build", "--release", "--quiet", "-p", "hekla-icd"]))?;
    let library = target().join("release").join(platform::LIBRARY);
    library.canonicalize().map_err(|e| format!("no library at {}: {e}", library.display()))
}

/// Returns a folder with one `.icd` file that names the library. Both the Khronos loader and ocl-icd accept the folder
/// as OCL_ICD_VENDORS.
pub fn vendors(library: &Path) -> Result<PathBuf, String> {
    let folder = target().join("vendors");
    let (file, text) = (folder.join("hekla.icd"), format!("{}\n", library.display()));
    let write = || -> std::io::Result<()> {
        if std::fs::read_to_string(&file).is_ok_and(|old| old == text) {
            return Ok(());
        }
        std::fs::create_dir_all(&folder)?;
        // Programs that other threads have started read the file: it must exist as a whole or not at all. Loaders
        // ignore files with another ending.
        let thread = std::thread::current().id();
        let new = folder.join(format!("hekla.{}-{thread:?}.new", std::process::id()));
        std::fs::write(&new, &text)?;
        std::fs::rename(&new, &file)
    };
    write().map_err(|e| format!("cannot write {}: {e}", folder.display()))?;
    folder.canonicalize().map_err(|e| e.to_string())
}

/// Returns a command that sees Hekla alone.
pub fn client(program: impl AsRef<std::ffi::OsStr>) -> Result<Command, String> {
    client_of(&build()?, program)
}

/// Returns a command that sees one library alone, without its disk cache, so that tests and measurements compile anew.
pub fn client_of(library: &Path, program: impl AsRef<std::ffi::OsStr>) -> Result<Command, String> {
    let mut command = user_of(library, program)?;
    command.env("HEKLA_CACHE", "0");
    Ok(command)
}

/// Returns a command that sees one library alone, with the settings that users have.
fn user_of(library: &Path, program: impl AsRef<std::ffi::OsStr>) -> Result<Command, String> {
    let vendors = vendors(library)?;
    let mut command = Command::new(program);
    command.env("OCL_ICD_VENDORS", vendors).env_remove("OCL_ICD_FILENAMES").current_dir(root());
    Ok(command)
}

/// Makes sure that programs find a device. If Vulkan has no device that Hekla accepts, and the user chose no driver,
/// this command is started again on a lavapipe that is downloaded. If no device is found, prints the reason to standard
/// error.
pub fn find_device() -> Outcome {
    let mut explain = user_of(&build()?, target().join("release").join(platform::COMPILER))?;
    let output =
        explain.arg("--explain").output().map_err(|e| format!("cannot run heklac: {e}"))?;
    if output.status.success() {
        return Ok(());
    }
    let choices = ["VK_DRIVER_FILES", "VK_ICD_FILENAMES", "HEKLA_DEVICE"];
    if !choices.iter().any(|name| std::env::var_os(name).is_some()) {
        match Driver::Lavapipe.install() {
            Ok(lavapipe) => return Err(start_again_on(&lavapipe)),
            Err(error) => eprintln!("{error}\n"),
        }
    }
    eprintln!("{}", String::from_utf8_lossy(&output.stderr));
    Ok(())
}

/// Replaces this process by the same command on a driver. Returns only if that fails, with the reason.
fn start_again_on(driver: &Installed) -> String {
    let program = match std::env::current_exe() {
        Ok(program) => program,
        Err(error) => return format!("cannot start again: {error}"),
    };
    let mut command = Command::new(program);
    command.args(std::env::args_os().skip(1));
    driver.set_environment(&mut command);
    format!("cannot start again: {}", platform::replace_process(&mut command))
}

/// A program and its arguments.
#[derive(clap::Args)]
pub struct Request {
    program: String,
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    args: Vec<String>,
}

/// `cargo xtask run -- PROGRAM ARGS`: runs a program in the caller's own directory.
pub fn run_program(Request { program, args }: &Request) -> Outcome {
    find_device()?;
    let mut command = user_of(&build()?, program)?;
    if let Ok(here) = std::env::current_dir() {
        command.current_dir(here);
    }
    let status =
        command.args(args).status().map_err(|error| format!("cannot run '{program}': {error}"))?;
    std::process::exit(status.code().unwrap_or(1));
}
