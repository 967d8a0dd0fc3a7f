//! `cargo xtask instructions [--library FILE] [--driver NAME]`: counts the host's instructions in one call of the
//! functions that programs call most, by callgrind: instructions of Hekla, the ICD loader and the C library on the one
//! hand, of the Vulkan driver on the other. Unlike times, counts are nearly the same in each run.

mod callgrind;
mod scenes;

use crate::driver::Driver;
use crate::{artifact, options, system, Outcome};
use callgrind::Cost;
use scenes::{MEASURED, SCENES};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Options of the command: what is counted, and on which driver.
#[derive(clap::Args)]
pub struct Request {
    /// The library; built when none is given
    #[arg(long, value_name = "FILE", value_parser = options::existing)]
    library: Option<PathBuf>,
    /// The Vulkan driver
    #[arg(long, value_name = "NAME", default_value = "lavapipe")]
    driver: Driver,
    /// The number of the scene that a process of its own plays
    #[arg(long, hide = true)]
    scene: Option<usize>,
}

/// Runs the command.
pub fn run(request: &Request) -> Outcome {
    if let Some(scene) = request.scene {
        return scenes::run(scene);
    }
    let library = request.library.clone().map_or_else(artifact::build, Ok)?;
    system::ensure_packages(&["valgrind"])?;
    println!("| {:<40} | {:>12} | {:>12} |", "one call", "not driver's", "driver's");
    println!("| {} | {}: | {}: |", "-".repeat(40), "-".repeat(11), "-".repeat(11));
    for (index, scene) in SCENES.iter().enumerate() {
        let (own, of_driver) = match count(&library, request.driver, index) {
            Ok(cost) => {
                let per_call = |count: u64| (count / u64::from(scene.calls)).to_string();
                (per_call(cost.total - cost.driver - cost.client), per_call(cost.driver))
            }
            Err(message) => {
                eprintln!("{}: {message}", scene.name);
                ("-".to_string(), "-".to_string())
            }
        };
        println!("| {:<40} | {own:>12} | {of_driver:>12} |", scene.name);
    }
    Ok(())
}

/// Runs a scene in a process of its own, and counts.
fn count(library: &Path, driver: Driver, scene: usize) -> Result<Cost, String> {
    let client = std::env::current_exe().map_err(|e| e.to_string())?;
    let profile = std::env::temp_dir().join(format!("hekla-callgrind-{}", std::process::id()));
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--fair-sched=yes", "--collect-atstart=no"]);
    command.arg(format!("--toggle-collect=*{MEASURED}*"));
    command.arg(format!("--callgrind-out-file={}", profile.display()));
    command.arg(&client).args(["instructions", "--scene", &scene.to_string()]);
    driver.select(&mut command)?;
    let vendors = artifact::vendors(library)?;
    command.env("OCL_ICD_VENDORS", vendors).env_remove("OCL_ICD_FILENAMES");
    command.env("HEKLA_CACHE", "0").env("HEKLA_VALIDATE", "0").stdin(Stdio::null());
    let output = command.output().map_err(|e| format!("cannot run valgrind: {e}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let text = std::fs::read_to_string(&profile).map_err(|e| e.to_string())?;
    let _ = std::fs::remove_file(&profile);
    Ok(callgrind::cost(&text, &client))
}
