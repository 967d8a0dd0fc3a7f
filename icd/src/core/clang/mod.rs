//! Programs in C++ for OpenCL (cl_ext_cxx_for_opencl): clang makes modules of them, if a version is installed that writes
//! SPIR-V. It is found on PATH and run as a process of its own, without a shell. A program that runs with more rights than its
//! user does not run clang.

mod folder;

use crate::config;
use folder::Folder;
use hekla_compiler::options::{CxxStd, Options};
use hekla_compiler::{Source, Target};
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// The oldest version that writes SPIR-V by itself, and the newest version whose numbered name is looked for.
const OLDEST: u32 = 22;
const NEWEST: u32 = 60;
/// The most bytes of a module, and of clang's messages.
const MAX_MODULE: u64 = 1 << 30;
const MAX_LOG: u64 = 1 << 20;

/// A module that clang made, with its warnings.
pub struct Translated {
    pub module: Vec<u8>,
    pub log: String,
}

/// Returns true if there is a clang for programs in C++ for OpenCL.
pub fn is_installed() -> bool {
    program().is_some()
}

/// Returns the path of clang: the newest one with a version in its name, else the one that `clang` is a link to.
fn program() -> Option<&'static Path> {
    static PROGRAM: OnceLock<Option<PathBuf>> = OnceLock::new();
    PROGRAM.get_or_init(|| find(&config::program_folders())).as_deref()
}

fn find(folders: &[PathBuf]) -> Option<PathBuf> {
    let named = |name: &str| {
        let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
        folders.iter().map(|folder| folder.join(&file)).find(|path| path.is_file())
    };
    let numbered = (OLDEST..=NEWEST).rev().find_map(|version| named(&format!("clang-{version}")));
    numbered.or_else(|| {
        let unnumbered = named("clang")?;
        let version = version_of(&unnumbered.canonicalize().ok()?)?;
        (version >= OLDEST).then_some(unnumbered)
    })
}

/// Returns the version that is part of the path of an installed clang: `…/clang-22`, `…/llvm-22/bin/clang`.
fn version_of(path: &Path) -> Option<u32> {
    let names = path.iter().rev().filter_map(|part| part.to_str());
    let number = |name: &str| {
        let rest = name.strip_prefix("clang-").or_else(|| name.strip_prefix("llvm-"))?;
        rest.split('.').next()?.parse().ok()
    };
    names.filter_map(number).next()
}

/// Translates a program for a device; the error is a build log.
pub fn translate(
    source: &Source,
    options: &Options,
    target: &Target,
) -> Result<Translated, String> {
    let Some(program) = program() else {
        return Err(format!(
            "error: C++ for OpenCL is compiled by clang {OLDEST} or newer, which is not on PATH: install \
             clang-{OLDEST}, or give SPIR-V to clCreateProgramWithIL\n"
        ));
    };
    let failed = |error: io::Error| format!("error: {} is not run: {error}\n", program.display());
    run(program, source, options, target).map_err(failed)?
}

fn run(
    program: &Path,
    source: &Source,
    options: &Options,
    target: &Target,
) -> io::Result<Result<Translated, String>> {
    let folder = Folder::new()?;
    folder.write(Path::new("source"), source.text.as_bytes())?;
    for (name, text) in &source.headers {
        folder.write(&Path::new("include").join(name), text.as_bytes())?;
    }
    let [module, log] = ["module", "log"].map(|name| folder.path().join(name));
    let mut command = Command::new(program);
    // The headers that the program passes come before headers on disk.
    command.arg("-I").arg(folder.path().join("include")).args(arguments(options, target));
    command.arg("-o").arg(&module).arg("-");
    command.stdin(File::open(folder.path().join("source"))?).stdout(Stdio::null());
    let status = command.stderr(folder.create(Path::new("log"))?).spawn()?.wait();
    let log = String::from_utf8_lossy(&read(&log, MAX_LOG)?).into_owned();
    let bytes = read(&module, MAX_MODULE).unwrap_or_default();
    // An application that waits for all of its children may have taken the status; a module then means success.
    let succeeded = status.map_or(true, |status| status.success());
    Ok(match succeeded && !bytes.is_empty() {
        true => Ok(Translated { module: bytes, log }),
        false if log.is_empty() => Err("error: clang has written no module\n".to_string()),
        false => Err(log),
    })
}

fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Returns the options of a build as clang knows them, and what the device offers.
fn arguments(options: &Options, target: &Target) -> Vec<OsString> {
    let offered = target.extensions().into_iter().chain(target.features());
    let known = offered.filter(|name| {
        ["cl_khr_", "cl_ext_", "__opencl_c_"].iter().any(|prefix| name.starts_with(prefix))
    });
    let names: Vec<String> = known.map(|name| format!(",+{name}")).collect();
    let std = match options.cxx {
        Some(CxxStd::Cxx2021) => "-cl-std=clc++2021",
        _ => "-cl-std=clc++1.0",
    };
    let fixed = ["--target=spirv64", "-x", "cl", "-c", "-fno-color-diagnostics", std, "-Xclang"];
    let mut all: Vec<OsString> = fixed.map(OsString::from).into();
    all.push(format!("-cl-ext=-all{}", names.concat()).into());
    let flags = [
        (options.no_warnings, "-w"),
        (options.warnings_are_errors, "-Werror"),
        (options.debug_info, "-g"),
        (options.opt_disable, "-cl-opt-disable"),
        (options.kernel_arg_info, "-cl-kernel-arg-info"),
        (options.single_precision_constant, "-cl-single-precision-constant"),
        (options.denorms_are_zero, "-cl-denorms-are-zero"),
        (options.mad_enable, "-cl-mad-enable"),
        (options.no_signed_zeros, "-cl-no-signed-zeros"),
        (options.unsafe_math, "-cl-unsafe-math-optimizations"),
        (options.finite_math_only, "-cl-finite-math-only"),
        (options.fast_relaxed_math, "-cl-fast-relaxed-math"),
        (options.uniform_work_group_size, "-cl-uniform-work-group-size"),
    ];
    all.extend(flags.iter().filter(|(given, _)| *given).map(|(_, flag)| (*flag).into()));
    for (name, value) in &options.macros {
        all.push(match value {
            Some(value) => format!("-D{name}={value}").into(),
            None => format!("-U{name}").into(),
        });
    }
    all.extend(options.include_dirs.iter().map(|folder| format!("-I{folder}").into()));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_tells_the_version() {
        assert_eq!(version_of(Path::new("/usr/lib/llvm-22/bin/clang")), Some(22));
        assert_eq!(version_of(Path::new("/usr/bin/clang-23")), Some(23));
        assert_eq!(version_of(Path::new("/opt/llvm-21.1.0/bin/clang-22.exe")), Some(22));
        assert_eq!(version_of(Path::new("/usr/local/bin/clang")), None);
    }
}
