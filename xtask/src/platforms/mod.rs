//! `cargo xtask platforms`: builds Hekla for the other platforms, and runs the compiler's tests where there is an emulator.
//!
//! docs/platforms.md has the state of each platform.

mod emulated;
mod wine;

use crate::system::{self, cargo, step};
use crate::Outcome;
use emulated::{Emulator, Tests};
use std::process::Command;

/// A platform other than the one on which this program runs.
struct Platform {
    name: &'static str,
    target: &'static str,
    /// Debian's packages of the platform's linker and emulator.
    packages: &'static [&'static str],
    /// What is done beyond type checking; test programs run if their name contains `only`.
    run: fn(&Platform, only: &str) -> Outcome,
}

const PLATFORMS: [Platform; 5] = [
    Platform {
        name: "linux-aarch64",
        target: "aarch64-unknown-linux-gnu",
        packages: &["gcc-aarch64-linux-gnu", "libc6-dev-arm64-cross", "qemu-user", "spirv-tools"],
        run: linux_aarch64,
    },
    Platform {
        name: "windows",
        target: "x86_64-pc-windows-gnu",
        packages: &["gcc-mingw-w64-x86-64-win32", "spirv-tools", "wine64"],
        run: windows,
    },
    Platform { name: "macos", target: "aarch64-apple-darwin", packages: &[], run: only_checked },
    Platform { name: "android", target: "aarch64-linux-android", packages: &[], run: only_checked },
    Platform { name: "32-bit", target: "i686-unknown-linux-gnu", packages: &[], run: only_checked },
];

/// The beginning of the message that refuses 32-bit targets (`vk-backend/src/platform`).
const REFUSAL: &str = "Hekla needs a 64-bit target";

/// The tests that need no device.
const COMPILER: Tests = Tests { package: "hekla-compiler", folder: "compiler" };

/// Options of the command: which platforms, and what is done for them.
#[derive(clap::Args, Default)]
pub struct Request {
    /// The platforms; without one all
    #[arg(value_parser = PLATFORMS.map(|platform| platform.name))]
    names: Vec<String>,
    /// Do no more than type checking
    #[arg(long)]
    check: bool,
    /// Run those test programs whose name has the text
    #[arg(long, value_name = "TEXT", default_value = "")]
    only: String,
}

/// Runs the command.
pub fn run(Request { names, check: only_check, only }: &Request) -> Outcome {
    let wanted =
        |platform: &&Platform| names.is_empty() || names.iter().any(|name| name == platform.name);
    for platform in PLATFORMS.iter().filter(wanted) {
        step(&format!("{} ({})", platform.name, platform.target));
        if !has_standard_library(platform.target) {
            println!("skipped: rustup brings no standard library for {}", platform.target);
            continue;
        }
        check(platform)?;
        if !only_check {
            system::ensure_packages(platform.packages)?;
            (platform.run)(platform, only)?;
        }
    }
    Ok(())
}

/// Type-checks library and compiler, and developer commands, for every platform, as CI does.
pub fn check_all() -> Outcome {
    run(&Request { check: true, ..Request::default() })
}

/// Makes sure that the target's standard library is installed.
fn has_standard_library(target: &str) -> bool {
    let mut list = Command::new("rustup");
    let listed = system::capture(list.args(["target", "list", "--installed"]));
    if listed.is_ok_and(|text| text.lines().any(|line| line == target)) {
        return true;
    }
    system::capture(Command::new("rustup").args(["target", "add", target])).is_ok()
}

/// Type-checks for a platform. A 32-bit platform must be refused, with a message that gives the reason.
fn check(platform: &Platform) -> Outcome {
    let mut check = cargo(&["check", "--quiet", "--target", platform.target]);
    check.args(["-p", "hekla-icd", "-p", "hekla-compiler"]);
    // Nobody develops on a phone, and the crate with which developer commands load OpenCL does not build there.
    let commands = platform.name != "android";
    if commands {
        check.args(["-p", "xtask", "-p", "hekla-lab"]);
    }
    let result = system::capture(&mut check);
    match (platform.name, result) {
        ("32-bit", result) => refused(result),
        (_, Ok(said)) if said.contains("warning:") => Err(said),
        (_, Ok(_)) => {
            let and_commands = if commands { " and developer commands" } else { "" };
            println!("library and compiler{and_commands} type-check");
            Ok(())
        }
        (_, Err(error)) => Err(error),
    }
}

/// Succeeds if a build failed for the reason that it should.
fn refused(result: Result<String, String>) -> Outcome {
    match result {
        Ok(_) => Err("a 32-bit target is not refused".to_string()),
        Err(said) => match said.lines().find(|line| line.contains(REFUSAL)) {
            Some(line) => {
                println!("refused: {line}");
                Ok(())
            }
            None => Err(format!("a 32-bit target is refused without saying why:\n{said}")),
        },
    }
}

/// Does nothing beyond type checking: this machine has neither a linker nor an emulator for such a platform.
fn only_checked(_: &Platform, _: &str) -> Outcome {
    Ok(())
}

/// Builds for 64-bit ARM, and runs the compiler's tests in QEMU.
fn linux_aarch64(platform: &Platform, only: &str) -> Outcome {
    const RUNNER: [&str; 3] = ["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"];
    let emulator = Emulator {
        target: platform.target,
        environment: vec![
            ("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER", "aarch64-linux-gnu-gcc".into()),
            ("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER", RUNNER.join(" ").into()),
        ],
        runner: RUNNER.map(Into::into).into(),
        skipped: &[],
    };
    build(&emulator, "libhekla.so")?;
    let mut explain = Command::new(RUNNER[0]);
    starts(explain.args(&RUNNER[1..]).arg(built(platform.target, "heklac")))?;
    emulator.test(&COMPILER, only)
}

/// Builds for Windows, and runs the compiler's tests in Wine.
fn windows(platform: &Platform, only: &str) -> Outcome {
    let wine = wine::emulator()?;
    build(&wine, "hekla.dll")?;
    let mut explain = Command::new(&wine.runner[0]);
    explain.arg(built(platform.target, "heklac.exe"));
    starts(explain.envs(wine.environment.iter().map(|(name, value)| (name, value))))?;
    wine.test(&COMPILER, only)
}

/// Builds library and offline compiler.
fn build(emulator: &Emulator, library: &str) -> Outcome {
    system::run(&mut emulator.cargo(&["build", "--quiet", "-p", "hekla-icd"]))?;
    println!("built {}", built(emulator.target, library).display());
    Ok(())
}

/// Fails unless the offline compiler starts and prints its usage.
fn starts(heklac: &mut Command) -> Outcome {
    let output = heklac.arg("--help").output().map_err(|e| format!("heklac: {e}"))?;
    let said = [output.stdout, output.stderr].concat();
    match String::from_utf8_lossy(&said).contains("usage: heklac FILE") {
        true => Ok(()),
        false => Err(format!("heklac does not start: {}", String::from_utf8_lossy(&said))),
    }
}

/// Returns the path of a file that was built for a target.
fn built(target: &str, name: &str) -> std::path::PathBuf {
    system::target().join(target).join("debug").join(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_for_32_bits_must_fail_for_that_reason() {
        assert!(refused(Err(format!("error: {REFUSAL}: device addresses"))).is_ok());
        assert!(refused(Err("error: no linker".to_string())).is_err());
        assert!(refused(Ok(String::new())).is_err());
        let source = system::root().join("vk-backend/src/platform/mod.rs");
        assert!(std::fs::read_to_string(source).unwrap().contains(REFUSAL));
    }
}
