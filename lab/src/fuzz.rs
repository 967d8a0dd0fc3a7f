//! `cargo xtask fuzz [TARGET...] [--minutes N]`: runs the fuzz targets of `fuzz/` side by side, each on
//! the programs of the compiler's tests to begin with, until one finds something or the time is over.
//!
//! libFuzzer's instrumentation needs unstable options of rustc; RUSTC_BOOTSTRAP lets the one toolchain
//! take them.

use crate::system::{self, run as run_to_end, step};
use crate::Outcome;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

const TARGETS: [&str; 4] = ["preprocess", "parse", "lower", "ir"];
/// The largest size of an input in bytes, and the most seconds and megabytes that an input may take.
const LIMITS: &[&str] = &["-max_len=4096", "-len_control=0", "-timeout=10", "-rss_limit_mb=2048"];

/// Options of the command: what is fuzzed, and for how long.
#[derive(clap::Args)]
pub struct Request {
    /// The targets; without one all
    #[arg(value_parser = TARGETS)]
    targets: Vec<String>,
    /// Minutes of each
    #[arg(long, value_name = "N", default_value_t = 60)]
    minutes: u32,
}

/// Runs the command.
pub fn run(request: &Request) -> Outcome {
    let minutes = request.minutes;
    let mut targets: Vec<&str> = request.targets.iter().map(String::as_str).collect();
    if targets.is_empty() {
        targets = TARGETS.to_vec();
    }
    build()?;
    let (seeds, binaries) = (seeds()?, binaries()?);
    step(&format!("fuzzing for {minutes} minutes: {}", targets.join(", ")));
    let children: Vec<(&str, Child)> = targets
        .iter()
        .map(|target| Ok((*target, start(target, minutes, &seeds, &binaries)?)))
        .collect::<Result<_, String>>()?;
    let mut failed = Vec::new();
    for (target, mut child) in children {
        match child.wait() {
            Ok(status) if status.success() => println!("{target}: nothing found"),
            Ok(status) => {
                println!("{target}: {status}, see target/fuzz/{target}.log");
                failed.push(target);
            }
            Err(error) => return Err(format!("{target}: {error}")),
        }
    }
    match failed.is_empty() {
        true => Ok(()),
        false => Err(format!("found something: {}", failed.join(", "))),
    }
}

fn build() -> Outcome {
    if Command::new("cargo-fuzz").arg("--version").output().is_err() {
        step("installing cargo-fuzz");
        run_to_end(Command::new("cargo").args(["install", "--locked", "cargo-fuzz"]))?;
    }
    let mut command = Command::new("cargo");
    command.args(["fuzz", "build", "--sanitizer", "none"]).env("RUSTC_BOOTSTRAP", "1");
    run_to_end(command.current_dir(system::root()))
}

/// Returns a folder with the programs of the compiler's tests, one program a file.
fn seeds() -> Result<PathBuf, String> {
    let folder = system::target().join("fuzz/seeds");
    let say = |e: std::io::Error| format!("{}: {e}", folder.display());
    std::fs::create_dir_all(&folder).map_err(say)?;
    let mut texts = Vec::new();
    collect(&system::root().join("compiler/tests"), &mut texts).map_err(say)?;
    for (index, text) in texts.iter().enumerate() {
        std::fs::write(folder.join(format!("{index:05}")), text).map_err(say)?;
    }
    Ok(folder)
}

/// Collects the programs below a folder; files of several are taken apart at their headings (`//# accept:`).
fn collect(folder: &Path, texts: &mut Vec<String>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, texts)?;
        } else if path.extension().is_some_and(|e| e == "cl") {
            let text = std::fs::read_to_string(&path)?;
            texts.extend(text.split("//# accept:").map(str::to_string));
        }
    }
    Ok(())
}

/// Returns a folder with files of random bytes that are long enough for whole programs; libFuzzer would begin with an
/// empty file.
fn bytes() -> std::io::Result<PathBuf> {
    let folder = system::target().join("fuzz/bytes");
    std::fs::create_dir_all(&folder)?;
    let mut state = 1u64;
    for index in 0..200 {
        // Knuth's MMIX generator; its high bits are the better ones.
        let mut next = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 56) as u8
        };
        let all: Vec<u8> = (0..256 + 19 * index).map(|_| next()).collect();
        std::fs::write(folder.join(format!("{index:03}")), all)?;
    }
    Ok(folder)
}

fn start(target: &str, minutes: u32, seeds: &Path, binaries: &Path) -> Result<Child, String> {
    let folder = system::target().join("fuzz").join(target);
    let say = |e: std::io::Error| format!("{target}: {e}");
    std::fs::create_dir_all(&folder).map_err(say)?;
    let log = std::fs::File::create(folder.with_extension("log")).map_err(say)?;
    let mut command = Command::new(binaries.join(target));
    command.args(LIMITS).arg(format!("-max_total_time={}", 60 * minutes));
    command.arg(format!("-artifact_prefix={}/", folder.with_extension("found-").display()));
    command.arg(&folder);
    match target {
        "preprocess" | "parse" => command.arg(seeds),
        // These targets make programs out of the bytes of their input.
        _ => command.arg(bytes().map_err(say)?),
    };
    command.stdout(Stdio::null()).stderr(log).spawn().map_err(say)
}

/// Returns where cargo-fuzz puts its builds: below the host's target triple.
fn binaries() -> Result<PathBuf, String> {
    let about = system::capture(Command::new("rustc").arg("-vV"))?;
    let triple = about.lines().find_map(|line| line.strip_prefix("host: "));
    let triple = triple.ok_or("rustc does not tell its host")?;
    Ok(system::root().join("fuzz/target").join(triple).join("release"))
}
