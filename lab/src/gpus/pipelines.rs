//! Makes pipelines with a GPU's compiler: `pipelines.c`, built for the driver's architecture and run beside the driver's
//! own C library.

use super::gpu::Gpu;
use crate::mesa::{self, Architecture, Drivers};
use crate::{platform, pool, system};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

const SOURCE: &str = include_str!("pipelines.c");

/// Seconds of processor time that a module may take.
pub const LIMIT: u32 = 10;

/// The factor of the time limits where QEMU emulates the driver.
const EMULATED: u32 = 8;

/// The number of modules for one process; where it does not end well, each module gets a process of its own.
const BATCH: usize = 8;

/// The signal for a process that has used its processor time, and the one that follows a second later.
const SIGXCPU: i32 = 24;
const SIGKILL: i32 = 9;

/// The outcome for an entry point of a module.
#[derive(Debug, Clone, PartialEq)]
pub enum End {
    /// The driver made the pipeline; seconds of processor time, and statistics.
    Made(f64, Statistics),
    /// The driver's error code.
    Refused(i32),
    /// The process ended by this signal.
    Crashed(i32),
    /// The process took more than [`LIMIT`] seconds.
    TooLong,
}

/// How a run of the program ended.
enum Ran {
    /// The outcome for each entry point, with its module.
    ToItsEnd(Vec<(PathBuf, End)>),
    UntilSignal(i32),
}

/// The driver's numbers about a pipeline, by the driver's names.
pub type Statistics = BTreeMap<String, f64>;

/// A GPU's compiler, ready to be run.
pub struct Compiler {
    gpu: &'static Gpu,
    drivers: Drivers,
    manifest: PathBuf,
    shim: PathBuf,
    tool: PathBuf,
}

impl Compiler {
    /// Gets the driver from a Debian release, and builds the program that calls it.
    pub fn get(gpu: &'static Gpu, suite: &str) -> Result<Compiler, String> {
        if suite == "trixie" && !gpu.in_trixie {
            return Err(format!("{}: Debian 13 has no shim for it", gpu.name));
        }
        let drivers = mesa::with_c_library(suite, gpu.driver.architecture)?;
        let manifest = drivers.manifest(gpu.driver.library)?;
        let library = format!("lib{}_noop_drm_shim.so", gpu.driver.shim);
        let shim = match gpu.driver.builds_shim() {
            true => mesa::intel_shim::get()?,
            false => drivers.libraries.join(library),
        };
        Ok(Compiler { gpu, drivers, manifest, shim, tool: tool(gpu.driver.architecture)? })
    }

    /// Returns the driver's names for the device and for itself.
    pub fn device(&self) -> Result<String, String> {
        let text = system::capture(&mut self.command(&[]))?;
        let line = text.lines().find(|line| line.contains('\t')).unwrap_or_default();
        Ok(line.split('\t').map(str::trim).collect::<Vec<_>>().join(", "))
    }

    /// Makes all pipelines of some modules. Returns the results of each module's pipelines, in the order of the modules;
    /// a module has more than one only if it has several entry points.
    pub fn make(&self, modules: &[PathBuf]) -> Result<Vec<Vec<End>>, String> {
        let batches: Vec<&[PathBuf]> = modules.chunks(BATCH).collect();
        let mut made = Vec::with_capacity(modules.len());
        pool::in_order(
            &batches,
            pool::processors(),
            |batch| self.make_batch(batch),
            |_, ends| {
                made.extend(ends?);
                Ok(())
            },
        )?;
        Ok(made)
    }

    fn make_batch(&self, modules: &[PathBuf]) -> Result<Vec<Vec<End>>, String> {
        if let Ran::ToItsEnd(ends) = self.run(modules)? {
            let of = |path: &PathBuf| ends.iter().filter(|(p, _)| p == path).cloned().collect();
            let split = |ends: Vec<(PathBuf, End)>| ends.into_iter().map(|(_, end)| end).collect();
            return Ok(modules.iter().map(of).map(split).collect());
        }
        let alone = |path: &PathBuf| {
            Ok(match self.run(std::slice::from_ref(path))? {
                Ran::ToItsEnd(ends) => ends.into_iter().map(|(_, end)| end).collect(),
                Ran::UntilSignal(SIGXCPU | SIGKILL) => vec![End::TooLong],
                Ran::UntilSignal(signal) => vec![End::Crashed(signal)],
            })
        };
        modules.iter().map(alone).collect()
    }

    /// Runs the program on some modules.
    fn run(&self, modules: &[PathBuf]) -> Result<Ran, String> {
        let mut command = self.command(modules);
        let output = command.output().map_err(|e| format!("cannot run {command:?}: {e}"))?;
        match (output.status.code(), platform::signal(output.status)) {
            (Some(0), _) => {
                let text = String::from_utf8_lossy(&output.stdout);
                Ok(Ran::ToItsEnd(text.lines().filter_map(line).collect()))
            }
            // QEMU passes a signal on as a shell does: as an exit code.
            (Some(code), _) if code > 128 => Ok(Ran::UntilSignal(code - 128)),
            (_, Some(signal)) => Ok(Ran::UntilSignal(signal)),
            _ => {
                let errors = String::from_utf8_lossy(&output.stderr);
                Err(format!("{command:?} failed: {}: {errors}", output.status))
            }
        }
    }

    fn command(&self, modules: &[PathBuf]) -> Command {
        let driver = self.gpu.driver;
        let (libraries, loader) = (&self.drivers.libraries, &self.drivers.loader);
        let emulated = driver.architecture != Architecture::host();
        let limit = if emulated { LIMIT * EMULATED } else { LIMIT };
        let mut command = Command::new("prlimit");
        command.args([format!("--cpu={limit}:{}", limit + 1), "--core=0".to_string()]);
        command.args(emulated.then_some("qemu-aarch64-static"));
        command.arg(loader).arg("--library-path").arg(libraries);
        command.arg("--preload").arg(&self.shim).arg(&self.tool).args(modules);
        command
            .env("VK_DRIVER_FILES", &self.manifest)
            .env("VK_ICD_FILENAMES", &self.manifest)
            .env(driver.variable, self.gpu.id)
            .env("MESA_SHADER_CACHE_DISABLE", "1")
            .env("XDG_RUNTIME_DIR", std::env::temp_dir());
        command
    }
}

/// Reads a line of the program's output about an entry point.
fn line(text: &str) -> Option<(PathBuf, End)> {
    let mut fields = text.split('\t');
    let (path, _entry) = (PathBuf::from(fields.next()?), fields.next()?);
    let (result, seconds) = (fields.next()?.parse::<i32>().ok()?, fields.next()?.parse().ok()?);
    let statistic = |field: &str| {
        let (name, value) = field.split_once('=')?;
        Some((name.to_string(), value.parse().ok()?))
    };
    let end = match result {
        0 => End::Made(seconds, fields.filter_map(statistic).collect()),
        code => End::Refused(code),
    };
    Some((path, end))
}

/// Builds the program for an architecture; returns its path.
fn tool(architecture: Architecture) -> Result<PathBuf, String> {
    let folder = system::target().join("gpus");
    let (source, tool) =
        (folder.join("pipelines.c"), folder.join(format!("pipelines-{}", architecture.debian())));
    let failed = |e: std::io::Error| format!("{}: {e}", folder.display());
    std::fs::create_dir_all(&folder).map_err(failed)?;
    std::fs::write(&source, SOURCE).map_err(failed)?;
    let native = architecture == Architecture::host();
    let (compiler, packages): (_, &[&str]) = match native {
        true => ("cc", &["gcc", "libvulkan-dev"]),
        false => (
            "aarch64-linux-gnu-gcc",
            &[
                "gcc-aarch64-linux-gnu",
                "libc6-dev-arm64-cross",
                "libvulkan-dev",
                "qemu-user-static",
            ],
        ),
    };
    system::ensure_packages(packages)?;
    let mut build = Command::new(compiler);
    if !native {
        build.arg("-I").arg(headers(&folder)?);
    }
    system::run(build.args(["-O1", "-o"]).arg(&tool).arg(&source).arg("-ldl"))?;
    Ok(tool)
}

/// Returns a folder with Vulkan's headers alone: the others in /usr/include belong to this machine's C library.
fn headers(folder: &Path) -> Result<PathBuf, String> {
    let headers = folder.join("include");
    system::make_folder(&headers)?;
    for name in ["vulkan", "vk_video"] {
        let link = headers.join(name);
        if !link.exists() {
            platform::link(&Path::new("/usr/include").join(name), &link)
                .map_err(|e| format!("{}: {e}", link.display()))?;
        }
    }
    Ok(headers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_program_are_read() {
        let statistics = BTreeMap::from([("Spilled VGPRs".to_string(), 2.0)]);
        let made = End::Made(0.25, statistics);
        assert_eq!(
            line("/a b.spv\tmain\t0\t0.250\tSpilled VGPRs=2"),
            Some(("/a b.spv".into(), made))
        );
        assert_eq!(line("/a.spv\tk\t-13\t0"), Some(("/a.spv".into(), End::Refused(-13))));
        assert_eq!(line("AMD Radeon\tradv Mesa 26.2"), None);
    }
}
