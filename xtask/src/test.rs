//! `cargo xtask test`: every check and every test, on lavapipe and on SwiftShader, under the Vulkan
//! validation layer. CI calls exactly this.

use crate::system::{self, cargo, step};
use crate::{artifact, checks, Outcome};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const PACKAGES: [&str; 9] = [
    "ocl-icd-libopencl1",
    "libvulkan1",
    "mesa-vulkan-drivers",
    "vulkan-validationlayers",
    "spirv-tools",
    "clinfo",
    "clpeak",
    "python3-venv",
    // For its SwiftShader, a Vulkan driver as weak as the weakest phone.
    "chromium",
];

/// A Vulkan driver that tests run on.
#[derive(Clone, Copy)]
pub struct Driver {
    pub name: &'static str,
    manifests: &'static [&'static str],
}

pub const LAVAPIPE: Driver = Driver {
    name: "lavapipe",
    manifests: &[
        "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json",
        "/usr/share/vulkan/icd.d/lvp_icd.aarch64.json",
        "/usr/share/vulkan/icd.d/lvp_icd.json",
    ],
};

pub const SWIFTSHADER: Driver =
    Driver { name: "swiftshader", manifests: &["/usr/lib/chromium/vk_swiftshader_icd.json"] };

impl Driver {
    /// One of the software drivers.
    pub fn named(name: &str) -> Result<Driver, String> {
        let found = [LAVAPIPE, SWIFTSHADER].into_iter().find(|driver| driver.name == name);
        found.ok_or_else(|| format!("no driver '{name}': lavapipe or swiftshader"))
    }

    /// The driver's manifest, for VK_DRIVER_FILES.
    fn manifest(&self) -> Result<PathBuf, String> {
        let found = self.manifests.iter().map(Path::new).find(|p| p.exists());
        found.map(Path::to_path_buf).ok_or_else(|| format!("{} is not installed", self.name))
    }

    /// Makes a command see this driver alone, under both names of the loader's variable.
    pub fn select(&self, command: &mut Command) -> Outcome {
        let manifest = self.manifest()?;
        command.env("VK_DRIVER_FILES", &manifest).env("VK_ICD_FILENAMES", &manifest);
        Ok(())
    }
}

/// Runs everything.
pub fn run() -> Outcome {
    step("packages");
    system::ensure_packages(&PACKAGES)?;
    let python = system::python()?;
    step("format, lints, documentation, header");
    checks::run_all()?;
    step("cargo test on lavapipe");
    let mut tests = cargo(&["test", "--workspace", "--quiet"]);
    LAVAPIPE.select(&mut tests)?;
    system::run(tests.env("HEKLA_VALIDATE", "1").env("HEKLA_CACHE", "0"))?;
    step("building libhekla.so (release)");
    artifact::build()?;
    for driver in [LAVAPIPE, SWIFTSHADER] {
        step(&format!("clinfo on {}", driver.name));
        check_clinfo(driver)?;
        step(&format!("OpenCL programs through pyopencl on {}", driver.name));
        python_suite(&python, driver)?;
    }
    step("clpeak on lavapipe");
    check_clpeak()
}

/// clinfo exits with 0 and no query of it fails.
fn check_clinfo(driver: Driver) -> Outcome {
    let mut clinfo = artifact::client("clinfo")?;
    driver.select(&mut clinfo)?;
    let text = system::capture(&mut clinfo)?;
    if !text.contains("Hekla") {
        return Err(format!("clinfo shows no Hekla platform:\n{text}"));
    }
    match text.lines().find(|l| l.contains("<error>") || l.contains("<printDeviceInfo")) {
        Some(line) => Err(format!("clinfo: {line}")),
        None => Ok(()),
    }
}

/// icd/tests/python on one driver; then what the driver was given must pass spirv-val and the
/// validation layer must have said nothing.
fn python_suite(python: &Path, driver: Driver) -> Outcome {
    let modules = system::target().join(format!("spirv-{}", driver.name));
    let _ = std::fs::remove_dir_all(&modules);
    let mut suite = artifact::client(python)?;
    driver.select(&mut suite)?;
    suite
        .args(["-m", "pytest", "-q", "-p", "no:cacheprovider", "icd/tests/python"])
        .env("HEKLA_VALIDATE", "1")
        .env("HEKLA_DUMP", &modules)
        .env("HEKLA_TEST_DRIVER", driver.name)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("PYOPENCL_NO_CACHE", "1")
        .env("XDG_CACHE_HOME", system::target().join("cache"))
        .stderr(Stdio::piped());
    let output = suite
        .current_dir(system::root())
        .stdout(Stdio::inherit())
        .output()
        .map_err(|e| format!("cannot run pytest: {e}"))?;
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    if !output.status.success() {
        return Err(format!("the suite failed on {}:\n{errors}", driver.name));
    }
    if let Some(line) = errors.lines().find(|l| l.contains("hekla: validation:")) {
        return Err(format!("the validation layer on {}: {line}", driver.name));
    }
    validate_modules(&modules)
}

/// Every dumped module passes spirv-val for Vulkan 1.2.
fn validate_modules(folder: &Path) -> Outcome {
    let entries = std::fs::read_dir(folder)
        .map_err(|e| format!("no SPIR-V was dumped to {}: {e}", folder.display()))?;
    let mut count = 0;
    for entry in entries.flatten() {
        let path = entry.path();
        if path.extension().is_some_and(|e| e == "spv") {
            let mut validator = Command::new("spirv-val");
            validator.args(["--target-env", "vulkan1.2", "--scalar-block-layout"]).arg(&path);
            system::capture(&mut validator)?;
            count += 1;
        }
    }
    match count {
        0 => Err(format!("no SPIR-V was dumped to {}", folder.display())),
        _ => {
            println!("spirv-val accepts all {count} modules");
            Ok(())
        }
    }
}

/// clpeak runs to its end and leaves nothing out for want of double.
fn check_clpeak() -> Outcome {
    let mut clpeak = artifact::client("clpeak")?;
    LAVAPIPE.select(&mut clpeak)?;
    let text = system::capture(&mut clpeak)?;
    println!("{text}");
    let sections =
        ["bandwidth", "Single-precision", "Double-precision", "Integer", "Transfer", "latency"];
    for section in sections {
        if !text.contains(section) {
            return Err(format!("clpeak did not get to '{section}'"));
        }
    }
    match text.contains("No double precision support") {
        true => Err("clpeak skipped double precision".to_string()),
        false => Ok(()),
    }
}
