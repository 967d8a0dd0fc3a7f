//! SYCL: Intel's runtime with its adapter for OpenCL, and two Python packages whose kernels are SPIR-V that DPC++ made.
//! dpctl's own tests and some of dpnp's run whole; rows of expressions are computed by dpnp and by numpy, linear algebra and
//! Fourier transforms by oneMKL's kernels.

use super::{App, Bench, Check, Measure};
use crate::system::{self, run};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

const SCRIPT: &str = include_str!("sycl.py");

/// The packages of Python, which bring the runtime along: 3 GB.
const WHEELS: [&str; 3] = ["dpctl", "dpnp", "pytest"];

/// Expressions on the script's arrays.
#[rustfmt::skip]
const ROWS: &[(&str, &str)] = &[
    ("vector add", "f + f"),
    ("three kinds of memory", "device(d) + shared(d) * host(d)"),
    ("copies between kinds", "host(shared(device(i))) + 1"),
    ("half", "h + h"),
    ("negative", "-i"),
    ("integer division", "i // 7 + i % 7"),
    ("sine and exponential", "xp.exp(xp.sin(f))"),
    ("complex", "xp.abs(c * c)"),
    ("where", "xp.where(i > 0, i, -i)"),
    ("reduction", "xp.stack([d.sum(), d.prod(), d.max(), d.mean(), d.std()])"),
    ("reduction of char", "xp.stack([b.sum(), b.max(), b.min()])"),
    ("all and any", "xp.stack([(f >= 0).all(), (f > 2).any()])"),
    ("matrix product", "(m[:, :, None] * n[None]).sum(axis=1)"),
    ("matrix product of int", "i.reshape(50, 100) @ i.reshape(100, 50)"),
    ("einsum", "xp.einsum('ij,jk->ki', m, n)"),
    ("scan", "xp.cumsum(d)"),
    ("scan of products", "xp.cumprod(1 + d / 5000)"),
    ("sort", "xp.sort(i)"),
    ("argsort", "k[xp.argsort(k)]"),
    ("unique", "xp.unique(k)"),
    ("median", "xp.median(d)"),
    ("search", "xp.searchsorted(xp.sort(d), f)"),
    ("choice by a mask", "i[i > 0]"),
    ("take", "xp.take(f, k)"),
    ("transpose", "m.T.copy()"),
    ("histogram", "xp.histogram(d, bins=20)[0]"),
    ("bincount", "xp.bincount(k)"),
    ("convolution", "xp.convolve(d[:500], d[:20])"),
    ("covariance", "xp.cov(m)"),
    ("fft", "xp.fft.fft(c)"),
    ("solve", "xp.linalg.solve(s, s[:, 0].copy())"),
    ("inverse", "xp.linalg.inv(s)"),
    ("eigenvalues", "xp.linalg.eigh(s + s.T)[0]"),
    ("singular values", "xp.linalg.svd(s)[1]"),
    ("cholesky", "xp.linalg.cholesky(s @ s.T)"),
];

/// Tests of dpctl that need more than OpenCL offers, or what a device may lack, with the reason.
const LEFT_OUT: &[&str] = &[
    // The test builds a module with Cython, which is not there.
    "test_sycl_queue.py::test_cython_api",
    // The tests need a device that is divided into parts.
    "test_sycl_context.py::test_context_multi_device",
    "test_sycl_usm.py::test_memory_copy_between_contexts",
];

/// Files of dpnp's tests, or folders.
const TESTS: &[&str] = &["test_binary_ufuncs.py", "test_sum.py", "test_bitwise.py", "test_fill.py"];

pub fn app() -> App {
    let mut checks: Vec<Check> = ROWS
        .iter()
        .map(|&(name, expression)| Check::new(name, move |bench: &Bench| check(expression, bench)))
        .collect();
    checks.push(Check::new("dpctl's tests", |bench| {
        let left_out = LEFT_OUT.iter().map(|test| format!("--deselect=dpctl/tests/{test}"));
        let rest = ["--rootdir=.", "--pyargs", "dpctl.tests"].map(str::to_string);
        tests(bench, "dpctl", left_out.chain(rest).collect())
    }));
    checks.extend(TESTS.iter().map(|&file| {
        Check::new(format!("dpnp's {file}"), move |bench: &Bench| {
            tests(bench, "dpnp", vec![format!("dpnp/tests/{file}")])
        })
    }));
    App::new("sycl", &["python3-venv"], checks)
        .what("SYCL programs from PyPI, whose kernels are SPIR-V")
}

/// Returns the Python that has the packages.
fn python() -> Result<PathBuf, String> {
    let folder = system::target().join("venv-sycl");
    let python = folder.join("bin/python3");
    if !folder.join("ready").exists() {
        println!("making a Python environment with {}", WHEELS.join(", "));
        run(Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
        run(Command::new(&python).args(["-m", "pip", "install", "--quiet"]).args(WHEELS))?;
        super::write(&folder.join("ready"), "")?;
    }
    Ok(python)
}

/// Returns the folder of the packages.
fn packages(python: &Path) -> Result<PathBuf, String> {
    let mut command = Command::new(python);
    command.args(["-c", "import sysconfig; print(sysconfig.get_path('platlib'))"]);
    let output = command.output().map_err(|e| format!("{}: {e}", python.display()))?;
    Ok(PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()))
}

/// A profile with which software devices are GPUs: for others oneMKL computes some functions on the host, without a kernel.
/// (It multiplies matrices of floats on no GPU that it does not know, so that no row here is one of its products alone.)
const PROFILE: &str = "[gpu]\nreason = \"oneMKL\"\nprograms = []\ndevice_type = \"gpu\"\n";

/// Returns a Python that sees one OpenCL driver, and whose SYCL takes no other kind of device.
fn client(bench: &Bench, as_gpu: bool) -> Result<Command, String> {
    let python = python()?;
    let mut command = bench.client(&bench.vendor, &python.to_string_lossy())?;
    command.env("PYTHONDONTWRITEBYTECODE", "1").env("ONEAPI_DEVICE_SELECTOR", "opencl:*");
    if as_gpu {
        let settings = bench.folder.join("settings/hekla");
        system::make_folder(&settings)?;
        super::write(&settings.join("profiles.toml"), PROFILE)?;
        command.env("XDG_CONFIG_HOME", bench.folder.join("settings")).env("HEKLA_PROFILE", "gpu");
    }
    // The OpenCL loader in the packages does not find libsvml.so in its own folder. Without ONEAPI_DEVICE_SELECTOR
    // other parts of the runtime load the library earlier.
    let libraries = "LD_LIBRARY_PATH";
    let set = command.get_envs().find(|(name, _)| *name == libraries);
    let before = match set {
        Some((_, value)) => value.map(OsString::from),
        None => std::env::var_os(libraries),
    };
    let own = python.parent().and_then(Path::parent).map(|folder| folder.join("lib"));
    let before = before.unwrap_or_default();
    let all = std::env::split_paths(&before).filter(|path| path != Path::new("")).chain(own);
    command.env(libraries, std::env::join_paths(all).map_err(|e| e.to_string())?);
    Ok(command)
}

fn check(expression: &str, bench: &Bench) -> Measure {
    let compute = |as_gpu| bench.finish(client(bench, as_gpu)?.args(["-c", SCRIPT, expression]));
    let mut output = compute(false)?;
    if bench.kernels().is_err() {
        output = compute(true)?;
    }
    let result = output.lines().find_map(|line| line.strip_prefix("result "));
    let result = result.ok_or_else(|| format!("no result\n{}", super::tail(&output)))?;
    Ok(format!("{result}, {}", bench.kernels()?))
}

/// Runs tests with pytest, in the folder of the packages.
fn tests(bench: &Bench, package: &str, args: Vec<String>) -> Measure {
    let mut command = client(bench, false)?;
    command.args(["-m", "pytest", "-q", "-p", "no:cacheprovider"]).args(args);
    command.current_dir(packages(&python()?)?);
    let output = bench.finish(&mut command)?;
    let summary = output.lines().rev().find(|line| line.contains(" passed"));
    let summary = summary.ok_or_else(|| format!("no test of {package} ran"))?;
    Ok(format!("{}, {}", summary.trim_matches(['=', ' ']), bench.kernels()?))
}
