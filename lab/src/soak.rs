//! `cargo xtask soak [--minutes N] [--threads N] [--seed N] [--scene TEXT] [--devices N] [--losses N] [--driver NAME]
//! [--race]`: many threads create, use and release every kind of object at random (`icd/tests/soak`); first the memory
//! is measured, then they run for the same time under the validation layer with its checks of synchronization. Then N
//! processes (3) lose their device at a random call: all threads end, and a new context computes.
//!
//! `--race` runs the threads under ThreadSanitizer instead, with a standard library built for it (component rust-src);
//! RUSTC_BOOTSTRAP lets the one toolchain take the unstable options.

use crate::driver::{Driver, Installed};
use crate::system::{self, cargo, step};
use crate::Outcome;
use std::process::Command;

/// Functions of drivers, which are not instrumented: races inside a driver are not ours.
///
/// The libraries that a driver calls must be ignored as well: a function of theirs that ends in a jump to
/// pthread_mutex_unlock (in libgcc_s, each registration of JIT code's frames) returns into the driver, so that
/// ThreadSanitizer ignores the unlocking. It then counts one more lock of the mutex every time, and ends with a failed
/// check (TraceSkipGap) when these locks fill a part of the thread's trace.
const SUPPRESSIONS: &str = "\
called_from_lib:libvulkan_lvp.so
called_from_lib:libLLVM
called_from_lib:libgcc_s.so
called_from_lib:libstdc++.so
called_from_lib:libVkLayer_khronos_validation.so
race:libvulkan_lvp.so
race:libLLVM
mutex:libvulkan_lvp.so
deadlock:libvulkan_lvp.so
signal:libvulkan_lvp.so
";

/// Options of the command: how, and for how long.
#[derive(clap::Args)]
pub struct Request {
    /// Minutes of each part
    #[arg(long, value_name = "N", default_value_t = 10.0)]
    minutes: f64,
    /// The Vulkan driver
    #[arg(long, value_name = "NAME", default_value = "lavapipe")]
    driver: Driver,
    /// Under ThreadSanitizer, in place of synchronization validation
    #[arg(long)]
    race: bool,
    /// Number of threads
    #[arg(long, value_name = "N")]
    threads: Option<u64>,
    /// Seed of what the threads do
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Number of devices of the context
    #[arg(long, value_name = "N")]
    devices: Option<u64>,
    /// Number of processes that lose their device
    #[arg(long, value_name = "N")]
    losses: Option<u64>,
    /// Scenes whose names have the text
    #[arg(long, value_name = "TEXT")]
    scene: Option<String>,
}

impl Request {
    /// Returns the environment of the test.
    fn settings(&self) -> impl Iterator<Item = (&'static str, String)> {
        let number = |name, value: Option<u64>| value.map(|value| (name, value.to_string()));
        let scene = self.scene.clone().map(|scene| ("HEKLA_SOAK_SCENE", scene));
        let all = [
            number("HEKLA_SOAK_THREADS", self.threads),
            number("HEKLA_SOAK_SEED", self.seed),
            number("HEKLA_SOAK_DEVICES", self.devices),
            number("HEKLA_SOAK_LOSSES", self.losses),
            scene,
        ];
        all.into_iter().flatten()
    }
}

/// Runs the command.
pub fn run(request: &Request) -> Outcome {
    step(&format!("soaking for {} minutes on {}", request.minutes, request.driver.name()));
    let driver = request.driver.install()?;
    let mut command = if request.race { race(&driver)? } else { calm(&driver) };
    let seconds = (request.minutes * 60.0).ceil() as u64;
    command.env("HEKLA_SOAK_SECONDS", seconds.to_string()).env("HEKLA_SOAK_IMAGES", "10000");
    command.envs(request.settings());
    system::run(&mut command)
}

/// Returns the command for two processes, one after the other: memory, and synchronization validation.
fn calm(driver: &Installed) -> Command {
    driver.cargo_test(&["--package", "hekla-icd", "--test", "soak", "--", "--nocapture"])
}

/// Returns the command for one process in which all of Hekla's code is instrumented.
fn race(driver: &Installed) -> Result<Command, String> {
    let folder = system::target().join("tsan");
    let suppressions = folder.join("suppressions.txt");
    std::fs::create_dir_all(&folder)
        .and_then(|()| std::fs::write(&suppressions, SUPPRESSIONS))
        .map_err(|error| format!("{}: {error}", suppressions.display()))?;
    let mut command = cargo(&["test", "-Zbuild-std", "--target", &system::host()]);
    command.args(["--package", "hekla-icd", "--test", "soak", "--", "--nocapture"]);
    driver.set_environment(&mut command);
    let options = format!(
        "suppressions={} ignore_noninstrumented_modules=1 detect_deadlocks=0",
        suppressions.display()
    );
    command
        .env("RUSTC_BOOTSTRAP", "1")
        .env("RUSTFLAGS", format!("-Zsanitizer=thread {}", driver.rust_flags()))
        .env("CARGO_TARGET_DIR", &folder)
        .env("TSAN_OPTIONS", options)
        .env("HEKLA_SOAK_PLAIN", "1")
        // ThreadSanitizer's malloc cannot report how much memory is in use.
        .env("HEKLA_SOAK_OTHERS", "0");
    Ok(command)
}
