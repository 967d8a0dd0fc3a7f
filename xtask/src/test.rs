//! `cargo xtask test`: every check and every test, on lavapipe and on SwiftShader, under the Vulkan
//! validation layer. CI calls exactly this.

use crate::driver::{self, Driver, Installed};
use crate::heard::{Heard, Scope};
use crate::system::{self, step};
use crate::{artifact, checks, docs, lab, platforms, pool, size, Outcome};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const PACKAGES: [&str; 11] = [
    "ocl-icd-libopencl1",
    "libvulkan1",
    "mesa-vulkan-drivers",
    "vulkan-validationlayers",
    "spirv-tools",
    "clinfo",
    "clpeak",
    "python3-venv",
    // A program in C++ includes hekla.h behind Khronos' headers.
    "g++",
    "opencl-c-headers",
    // Chromium has SwiftShader, a Vulkan driver as weak as the weakest phone.
    "chromium",
];

/// The kinds of `cargo xtask attack` that are part of the tests, and how long each attacks; longer attacks take hours.
const ATTACKS: [&str; 11] = [
    "attack",
    "sequences",
    "binaries",
    "cache",
    "faults",
    "modules",
    "texts",
    "--minutes",
    "0.1",
    "--driver",
    "lavapipe",
];

/// Options of the command: what is tested.
#[derive(clap::Args)]
pub struct Request {
    /// The drivers: all of them have lavapipe of Debian unstable, too
    #[arg(long, default_value = "default", conflicts_with = "limit_to")]
    drivers: Drivers,
    /// Run the Python suite alone, on lavapipe that is restricted to a device file (vk-backend/devices)
    #[arg(long, value_name = "NAME")]
    limit_to: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Drivers {
    Default,
    All,
}

/// Runs everything.
pub fn run(request: &Request) -> Outcome {
    if let Some(name) = &request.limit_to {
        return run_limited(name);
    }
    let also_unstable = request.drivers == Drivers::All;
    step("packages");
    system::ensure_packages(&PACKAGES)?;
    let python = system::python()?;
    step("Vulkan drivers");
    let lavapipe = found(Driver::Lavapipe)?;
    let swiftshader = found(Driver::SwiftShader)?;
    let unstable = match also_unstable {
        true => Some(found(Driver::LavapipeUnstable)?),
        false => None,
    };
    step("format, lints, documentation, header");
    checks::run_all()?;
    step("other platforms");
    platforms::check_all()?;
    step("cargo test on lavapipe");
    cargo_tests(&lavapipe, Scope::Workspace, &swiftshader)?;
    step("building libhekla.so (release)");
    size::check(&artifact::build()?)?;
    let mut drivers = vec![(Driver::Lavapipe, &lavapipe), (Driver::SwiftShader, &swiftshader)];
    drivers.extend(unstable.iter().map(|unstable| (Driver::LavapipeUnstable, unstable)));
    for (driver, installed) in drivers {
        step(&format!("clinfo on {}", driver.name()));
        check_clinfo(installed)?;
        step(&format!("OpenCL programs through pyopencl on {}", driver.name()));
        python_suite(&python, driver, installed, None)?;
    }
    step("compilers of GPUs that are not here");
    lab::part(&["gpus", "--check"])?;
    step("commands of the documents");
    docs::run_all()?;
    step("clpeak on lavapipe");
    check_clpeak(&lavapipe)?;
    step("attacks on the library");
    lab::part(&ATTACKS)?;
    step("an installed Mesa that is too old");
    check_refusal()?;
    if let Some(unstable) = &unstable {
        step("cargo test on lavapipe of Debian unstable");
        cargo_tests(unstable, Scope::Vulkan, &swiftshader)?;
    }
    Ok(())
}

/// Runs the Python suite through pyopencl on lavapipe that is restricted to the features of the device in a device file
/// (docs/weak-devices.md).
fn run_limited(name: &str) -> Outcome {
    step("packages");
    system::ensure_packages(&PACKAGES)?;
    let python = system::python()?;
    let lavapipe = found(Driver::Lavapipe)?;
    artifact::build()?;
    step(&format!("OpenCL programs through pyopencl on lavapipe restricted to {name}"));
    python_suite(&python, Driver::Lavapipe, &lavapipe, Some(name))
}

/// Returns a driver that must be there; prints its manifest.
fn found(driver: Driver) -> Result<Installed, String> {
    let installed = driver.install()?;
    let manifest = installed.manifest.as_deref().unwrap_or(Path::new("found by Vulkan"));
    println!("{}: {}", driver.name(), manifest.display());
    Ok(installed)
}

/// Runs cargo test on a driver; `other` is the second driver of tests with two devices. The validation layer must
/// report only provoked messages, and the tests that do not run must be the known ones.
fn cargo_tests(driver: &Installed, scope: Scope, other: &Installed) -> Outcome {
    let packages: &[&str] = match scope {
        Scope::Workspace => &["--workspace"],
        Scope::Vulkan => {
            &["-p", "hekla-vk-backend", "-p", "hekla-icd", "--lib", "--bins", "--tests"]
        }
    };
    let mut tests = driver.cargo_test(&[packages, &["--quiet"]].concat());
    if let Some(other) = &other.manifest {
        tests.env("HEKLA_TEST_OTHER_DRIVER", other);
    }
    tests.env("HEKLA_VALIDATE", "1").env("HEKLA_CACHE", "0").stderr(Stdio::piped());
    // With only one thread, tests would run on a thread that does not have their names.
    tests.env("RUST_TEST_THREADS", pool::processors().max(2).to_string());
    let mut tests = tests
        .current_dir(system::root())
        .spawn()
        .map_err(|e| format!("cannot run cargo test: {e}"))?;
    let stderr = tests.stderr.take().into_iter();
    let lines = stderr.flat_map(|stderr| BufReader::new(stderr).split(b'\n'));
    let mut heard = Heard::default();
    for line in lines.map_while(Result::ok) {
        let line = String::from_utf8_lossy(&line).into_owned();
        eprintln!("{line}");
        heard.line(&line);
    }
    let status = tests.wait().map_err(|e| format!("cargo test: {e}"))?;
    match status.success() {
        true => heard.judge(scope),
        false => Err(format!("cargo test: {status}")),
    }
}

/// Checks that a program that finds nothing but the installed lavapipe, if that gives wrong results, gets a message
/// with the reason and with what to do. `HEKLA_DEVICE` shows the device nevertheless.
fn check_refusal() -> Outcome {
    let Some(manifest) = driver::refused_lavapipe() else {
        println!("not tested: the installed Mesa is not too old, or has no lavapipe");
        return Ok(());
    };
    let old = Installed { manifest: Some(manifest), ..Installed::default() };
    let said = |name: Option<&str>| {
        let mut clinfo = artifact::client("clinfo")?;
        old.select(&mut clinfo);
        clinfo.env_remove("HEKLA_LOG").envs(name.map(|name| ("HEKLA_DEVICE", name)));
        let output = clinfo.output().map_err(|e| format!("cannot run clinfo: {e}"))?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Ok::<_, String>((text(&output.stdout), text(&output.stderr)))
    };
    let (list, errors) = said(None)?;
    if has_device(&list) {
        return Err(format!("clinfo shows a device on the old lavapipe:\n{list}"));
    }
    let lines: Vec<&str> = errors.lines().filter(|line| line.starts_with("hekla: ")).collect();
    let told = |line: &str| line.contains("mesa-vulkan-drivers from bookworm-backports");
    match lines[..] {
        [line] if told(line) => println!("{line}"),
        _ => return Err(format!("clinfo does not say in one line what to install:\n{errors}")),
    }
    match said(Some("llvmpipe"))? {
        (list, _) if has_device(&list) => Ok(()),
        (list, errors) => Err(format!("HEKLA_DEVICE shows no device:\n{list}{errors}")),
    }
}

/// Returns true if clinfo's output lists a device.
fn has_device(clinfo: &str) -> bool {
    let is_name = |line: &str| line.trim_start().starts_with("Device Name");
    clinfo.lines().any(is_name)
}

/// Checks that clinfo exits with 0, and that none of its queries fails.
fn check_clinfo(driver: &Installed) -> Outcome {
    let mut clinfo = artifact::client("clinfo")?;
    driver.select(&mut clinfo);
    let text = system::capture(&mut clinfo)?;
    if !text.contains("Hekla") || !has_device(&text) {
        return Err(format!("clinfo shows no device of Hekla:\n{text}"));
    }
    match text.lines().find(|l| l.contains("<error>") || l.contains("<printDeviceInfo")) {
        Some(line) => Err(format!("clinfo: {line}")),
        None => Ok(()),
    }
}

/// Runs icd/tests/python on one driver. Afterwards the modules for the driver must pass spirv-val, and the validation
/// layer must have reported nothing. With a device file the suite is restricted to that device, and prints why it skips
/// tests.
fn python_suite(
    python: &Path,
    driver: Driver,
    installed: &Installed,
    limit_to: Option<&str>,
) -> Outcome {
    let device = limit_to.unwrap_or(driver.name());
    let modules = system::target().join(format!("spirv-{device}"));
    let _ = std::fs::remove_dir_all(&modules);
    let mut suite = artifact::client(python)?;
    installed.select(&mut suite);
    let prefix = installed.prefix().join("\n");
    // pytest starts its workers by Python's own path, without the dynamic loader that a driver with a C library of its
    // own needs.
    let workers = if prefix.is_empty() { pool::processors() } else { 0 };
    suite
        // The library's messages on standard error go to this command, not to pytest.
        .args(["-m", "pytest", "-q", "-p", "no:cacheprovider", "--capture=sys"])
        .args(["-n", &workers.to_string(), "icd/tests/python"])
        .args(limit_to.map(|_| "-rs"))
        .env("HEKLA_VALIDATE", "1")
        .env("HEKLA_DUMP", &modules)
        .env("HEKLA_TEST_DRIVER", driver.name())
        .envs(limit_to.map(|name| ("HEKLA_LIMIT_TO", name)))
        .envs(limit_to.is_none().then_some(("HEKLA_TEST_SKIPS", "check")))
        .env("HEKLA_TEST_PREFIX", prefix)
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
        return Err(format!("the suite failed on {}:\n{errors}", driver.name()));
    }
    if let Some(line) = errors.lines().find(|l| l.contains("hekla: validation:")) {
        return Err(format!("the validation layer on {}: {line}", driver.name()));
    }
    validate_modules(&modules)
}

/// Checks that every dumped module passes spirv-val for Vulkan 1.2. As many checks run at once as there are processors.
fn validate_modules(folder: &Path) -> Outcome {
    let entries = std::fs::read_dir(folder)
        .map_err(|e| format!("no SPIR-V was dumped to {}: {e}", folder.display()))?;
    let paths = entries.flatten().map(|entry| entry.path());
    let modules: Vec<_> = paths.filter(|p| p.extension().is_some_and(|e| e == "spv")).collect();
    if modules.is_empty() {
        return Err(format!("no SPIR-V was dumped to {}", folder.display()));
    }
    let validate = |path: &PathBuf| {
        let mut validator = Command::new("spirv-val");
        validator.args(["--target-env", "vulkan1.2", "--scalar-block-layout"]).arg(path);
        system::capture(&mut validator)
    };
    pool::in_order(&modules, pool::processors(), validate, |_, said| said.map(drop))?;
    println!("spirv-val accepts all {} modules", modules.len());
    Ok(())
}

/// Checks that clpeak runs to its end and leaves nothing out, as it would without double.
fn check_clpeak(driver: &Installed) -> Outcome {
    let mut clpeak = artifact::client("clpeak")?;
    driver.select(&mut clpeak);
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
