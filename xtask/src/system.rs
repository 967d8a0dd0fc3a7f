//! The machine: the place of the workspace, running commands, installing Debian packages and the Python environment.

use crate::Outcome;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

/// Returns the root of the workspace: the workspace of the current directory, if this program was carried to another
/// machine, else the workspace that it was built from.
pub fn root() -> PathBuf {
    let here = std::env::current_dir().unwrap_or_default();
    let mut around = here.ancestors();
    let built_from = || {
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
        manifest.parent().unwrap_or(manifest).to_path_buf()
    };
    let found = around.find(|folder| folder.join("cts-config/groups.toml").exists());
    found.map_or_else(built_from, Path::to_path_buf)
}

/// Cargo's target directory.
pub fn target() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(dir) => PathBuf::from(dir),
        None => root().join("target"),
    }
}

/// Prints a heading for the person who watches, with the seconds since the first heading.
pub fn step(what: &str) {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    println!("\n== {what} ({} s)", START.elapsed().as_secs());
}

/// Runs a command in the workspace and shows its output; returns an error unless it succeeds.
pub fn run(command: &mut Command) -> Outcome {
    let shown = format!("{command:?}");
    let status = command
        .current_dir(root())
        .status()
        .map_err(|error| format!("cannot run {shown}: {error}"))?;
    match status.success() {
        true => Ok(()),
        false => Err(format!("{shown} failed: {status}")),
    }
}

/// Runs a command and returns its output, standard error after standard output.
pub fn capture(command: &mut Command) -> Result<String, String> {
    let shown = format!("{command:?}");
    let output = command
        .current_dir(root())
        .output()
        .map_err(|error| format!("cannot run {shown}: {error}"))?;
    let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.push_str(&String::from_utf8_lossy(&output.stderr));
    match output.status.success() {
        true => Ok(text),
        false => Err(format!("{shown} failed: {}\n{text}", output.status)),
    }
}

/// Runs a command with a time limit, beyond which it is killed; returns nothing if it was killed.
pub fn wait(command: &mut Command, limit: Duration) -> Result<Option<ExitStatus>, String> {
    let mut child = command.spawn().map_err(|e| format!("cannot run {command:?}: {e}"))?;
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().map_err(|e| e.to_string())? {
            return Ok(Some(status));
        }
        if start.elapsed() > limit {
            let _ = child.kill();
            let _ = child.wait();
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Returns the text of a file. Errors of this function and of the four below name the path.
pub fn read_text(path: impl AsRef<Path>) -> Result<String, String> {
    named(path.as_ref(), std::fs::read_to_string(path.as_ref()))
}

/// Returns the bytes of a file.
pub fn read_bytes(path: impl AsRef<Path>) -> Result<Vec<u8>, String> {
    named(path.as_ref(), std::fs::read(path.as_ref()))
}

/// Returns the entries of a folder.
pub fn read_folder(path: impl AsRef<Path>) -> Result<std::fs::ReadDir, String> {
    named(path.as_ref(), std::fs::read_dir(path.as_ref()))
}

/// Writes a file.
pub fn write_file(path: impl AsRef<Path>, contents: impl AsRef<[u8]>) -> Outcome {
    named(path.as_ref(), std::fs::write(path.as_ref(), contents))
}

/// Makes a folder, and the folders above it.
pub fn make_folder(path: impl AsRef<Path>) -> Outcome {
    named(path.as_ref(), std::fs::create_dir_all(path.as_ref()))
}

fn named<T>(path: &Path, result: std::io::Result<T>) -> Result<T, String> {
    result.map_err(|error| format!("{}: {error}", path.display()))
}

/// Returns a cargo command in the workspace.
pub fn cargo(args: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(args);
    command
}

/// Returns the target triple that programs for this machine are built for.
pub fn host() -> String {
    format!("{}-unknown-linux-gnu", std::env::consts::ARCH)
}

/// Installs the Debian packages that are missing.
pub fn ensure_packages(packages: &[&str]) -> Outcome {
    let missing: Vec<&str> = packages.iter().copied().filter(|p| !is_installed(p)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    println!("installing {}", missing.join(" "));
    let apt = |args: &[&str]| {
        let mut command = match is_root() {
            true => Command::new("apt-get"),
            false => {
                let mut sudo = Command::new("sudo");
                sudo.arg("apt-get");
                sudo
            }
        };
        command.args(args).env("DEBIAN_FRONTEND", "noninteractive").stdout(Stdio::null());
        run(&mut command)
    };
    apt(&["update"])?;
    let mut args = vec!["install", "-y", "--no-install-recommends"];
    args.extend(missing);
    apt(&args)
}

fn is_installed(package: &str) -> bool {
    let status = Command::new("dpkg-query").args(["-W", "-f=${Status}", package]).output();
    status.is_ok_and(|o| String::from_utf8_lossy(&o.stdout).contains("install ok installed"))
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output();
    id.is_ok_and(|o| o.stdout.starts_with(b"0"))
}

/// Returns the Python of a virtual environment under target/ that has the clients the demo and the tests
/// use; made on first use.
pub fn python() -> Result<PathBuf, String> {
    let venv = target().join("venv");
    let python = venv.join("bin/python3");
    let ready = venv.join("ready");
    let packages = ["pyopencl", "numpy", "mako", "pytest", "pytest-xdist"];
    if std::fs::read_to_string(&ready).ok() != Some(packages.join(" ")) {
        println!("making a Python environment with pyopencl and numpy");
        run(Command::new("python3").args(["-m", "venv"]).arg(&venv))?;
        run(Command::new(&python).args(["-m", "pip", "install", "--quiet"]).args(packages))?;
        std::fs::write(&ready, packages.join(" "))
            .map_err(|e| format!("cannot write {}: {e}", ready.display()))?;
    }
    Ok(python)
}
