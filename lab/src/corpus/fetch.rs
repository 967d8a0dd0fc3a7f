//! The sources of the corpus. Packages are unpacked, not installed; programs that contain the texts of their kernels
//! are run, and the programs that they build are dumped. What is there already is left alone.

use super::modules;
use crate::apps::llama;
use crate::artifact;
use crate::driver::Driver;
use crate::system::{self, step};
use crate::Outcome;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Debian packages that contain programs: the folder to make of each, and the programs' folder in the package.
const PACKAGES: &[(&str, &str, &str)] = &[
    ("hashcat", "hashcat-data", "usr/share/hashcat/OpenCL"),
    ("darktable", "darktable", "usr/share/darktable/kernels"),
    ("ufo", "ufo-filters-data", "usr/share/ufo"),
];

/// Python packages that contain programs; the folders have the packages' names.
const WHEELS: &[&str] = &["silx", "pyFAI"];

/// Python packages whose libraries hold modules of SPIR-V that DPC++ made.
const SYCL: &[&str] = &["dpctl", "dpnp"];

/// Dumps of the kernels of some conformance tests, with their options.
const CTS: &str = "https://github.com/KhronosGroup/OpenCL-CTS-Kernel-Dumps";

/// A script that builds all programs of CLBlast.
const CLBLAST: &str = include_str!("clblast.py");

/// Fetches missing programs into a folder; returns the folder of all programs in it.
pub fn all(folder: &Path) -> Result<PathBuf, String> {
    make(folder)?;
    let folder = folder.canonicalize().map_err(|e| e.to_string())?;
    let programs = folder.join("programs");
    make(&programs)?;
    for (name, package, inside) in PACKAGES {
        if is_missing(&programs, name) {
            move_to(&unpacked(&folder, package)?.join(inside), &programs.join(name))?;
        }
    }
    for name in WHEELS {
        if is_missing(&programs, name) {
            wheel(&folder, name, &programs.join(name))?;
        }
    }
    if is_missing(&programs, "clpeak") {
        let clpeak = unpacked(&folder, "clpeak")?.join("usr/bin/clpeak");
        let commands = [dumping(&folder, &clpeak, &["--kernel-latency"])?];
        dump(&folder, commands, &programs.join("clpeak"))?;
    }
    if is_missing(&programs, "clblast") {
        dump(&folder, clblast(&folder)?, &programs.join("clblast"))?;
    }
    for name in SYCL {
        if is_missing(&programs, name) {
            let place = programs.join(name);
            make(&place)?;
            modules::extract(&unpacked_wheel(&folder, name)?, &place)?;
        }
    }
    if is_missing(&programs, "llama") {
        let kernels = llama::sources(&folder.join("llama-sources"))?;
        move_to(&kernels.join("ggml/src/ggml-opencl/kernels"), &programs.join("llama"))?;
    }
    if is_missing(&programs, "cts") {
        let cts = programs.join("cts");
        shell(&folder, &format!("git clone --quiet --depth 1 {CTS} cts"))
            .and_then(|()| move_to(&folder.join("cts"), &cts))
            .map_err(|e| format!("{e}\na copy of the repository at {} does", cts.display()))?;
    }
    Ok(programs)
}

fn is_missing(programs: &Path, name: &str) -> bool {
    let is_missing = !programs.join(name).exists();
    if is_missing {
        step(&format!("fetching {name}"));
    }
    is_missing
}

/// Returns a Debian package's files.
fn unpacked(folder: &Path, package: &str) -> Result<PathBuf, String> {
    let place = folder.join(package);
    make(&place)?;
    shell(&place, &format!("apt-get download {package} && dpkg -x {package}_*.deb ."))?;
    Ok(place)
}

fn wheel(folder: &Path, name: &str, place: &Path) -> Outcome {
    move_to(&unpacked_wheel(folder, name)?.join(name).join("resources"), place)
}

/// Returns a Python package's files.
fn unpacked_wheel(folder: &Path, name: &str) -> Result<PathBuf, String> {
    let unpacked = folder.join(format!("{name}-wheel"));
    make(&unpacked)?;
    let python = system::python()?;
    let pip = format!(
        "{0} -m pip download --quiet --no-deps --only-binary :all: {name} && \
         {0} -m zipfile -e *.whl .",
        python.canonicalize().unwrap_or(python).display()
    );
    shell(&unpacked, &pip)?;
    Ok(unpacked)
}

/// Returns two commands that build CLBlast's programs: it chooses parameters by the type of the device.
fn clblast(folder: &Path) -> Result<[Command; 2], String> {
    let library = unpacked(folder, "libclblast1")?.join("usr/lib");
    let script = folder.join("clblast.py");
    system::write_file(&script, CLBLAST)?;
    let (script, library) = (script.to_string_lossy(), library.to_string_lossy());
    let python = system::python()?;
    let cpu = dumping(folder, &python, &[&script, &library])?;
    let mut gpu = dumping(folder, &python, &[&script, &library])?;
    gpu.env("HEKLA_DEVICE_TYPE", "gpu");
    Ok([cpu, gpu])
}

fn dump_folder(folder: &Path) -> PathBuf {
    folder.join("dump")
}

/// Returns a command that runs a program on Hekla on lavapipe and dumps what it builds.
fn dumping(folder: &Path, program: &Path, args: &[&str]) -> Result<Command, String> {
    let mut command = artifact::client(program)?;
    Driver::Lavapipe.select(&mut command)?;
    command.args(args).env("HEKLA_DUMP", dump_folder(folder));
    Ok(command)
}

/// Runs programs and moves the texts that they built to a place. A program that fails has dumped the text at which it
/// failed, as the corpus shows.
fn dump(folder: &Path, commands: impl IntoIterator<Item = Command>, place: &Path) -> Outcome {
    let from = dump_folder(folder);
    let _ = std::fs::remove_dir_all(&from);
    for mut command in commands {
        if let Err(error) = system::run(&mut command) {
            println!("{error}");
        }
    }
    shell(folder, &format!("rm -f {}/*.spv", from.display()))?;
    move_to(&from, place)
}

fn make(path: &Path) -> Outcome {
    std::fs::create_dir_all(path).map_err(|e| format!("cannot make {}: {e}", path.display()))
}

fn shell(folder: &Path, line: &str) -> Outcome {
    let status = Command::new("sh").args(["-c", line]).current_dir(folder).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("'{line}' failed: {status}")),
        Err(error) => Err(format!("cannot run '{line}': {error}")),
    }
}

fn move_to(from: &Path, to: &Path) -> Outcome {
    std::fs::rename(from, to)
        .map_err(|e| format!("cannot move {} to {}: {e}", from.display(), to.display()))
}
