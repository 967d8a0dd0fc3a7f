//! llama.cpp's OpenCL back end: its own test compares each operation with the code for processors, and models of a few
//! layers with random weights must give the same numbers on both. The sources come with a Python package, which is not
//! installed; only the programs that the checks need are built.
//!
//! The back end accepts a device by its name; the identity profile `llama` gives the name that it looks for.

use super::{fresh, tail, App, Bench, Check, Measure};
use crate::system::{self, run, step};
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

/// The Python package that has llama.cpp's sources, its version, and the folder of the sources in it.
const PACKAGE: &str = "llama-cpp-python";
const VERSION: &str = "0.3.36";
const INSIDE: &str = "vendor/llama.cpp";

/// The name of the device in llama.cpp.
const DEVICE: &str = "GPUOpenCL";

/// Groups of operations, out of the list that `test-backend-ops --list-ops` prints. SIGMOID is left out: for mixed
/// types it ends in an assertion of the back end. The last four groups use sub-groups of 32 (lockstep: the back end has
/// no barrier where other sizes need one).
const OPERATIONS: &[(&str, &str)] = &[
    ("elementwise", "ADD,SUB,MUL,DIV,ADD_ID,ADD1,SCALE,SQR,SQRT,CLAMP,FILL,TRI,DIAG"),
    (
        "unary",
        "ABS,SGN,NEG,STEP,TANH,ELU,RELU,GELU,GELU_QUICK,GELU_ERF,SILU,HARDSWISH,HARDSIGMOID,EXP,EXPM1,SOFTPLUS",
    ),
    ("gated units", "REGLU,GEGLU,SWIGLU,SWIGLU_OAI,GEGLU_ERF,GEGLU_QUICK"),
    ("norms", "NORM,RMS_NORM,RMS_NORM_MUL_ADD,GROUP_NORM"),
    ("softmax", "SOFT_MAX,DIAG_MASK_INF"),
    ("rope", "ROPE"),
    ("rows", "GET_ROWS,SET_ROWS,SUM_ROWS,MEAN,ARGSORT"),
    ("copies", "CPY,CONT,DUP,CONCAT,REPEAT,PAD,TRANSPOSE,PERMUTE"),
    ("pictures", "IM2COL,CONV_2D,UPSCALE,TIMESTEP_EMBEDDING"),
    ("states", "SSM_CONV,SSM_SCAN,GATED_DELTA_NET,SOLVE_TRI"),
    ("lockstep", "CUMSUM,L2_NORM"),
    ("matrix products", "MUL_MAT"),
    ("experts", "MUL_MAT_ID"),
    ("attention", "FLASH_ATTN_EXT"),
];

/// Failures of the back end's own kernels, by texts in the rows that the test prints: vectors of four floats in rows of
/// other lengths, which some GPUs read at other addresses (NVIDIA's; undefined in OpenCL C); and a kernel that relies
/// on sub-groups of 16 without asking for them.
const EXCUSED: &[(&str, &[&str])] = &[
    ("MUL_MAT(type_a=f32", &["k=129,", "k=1057,", "k=2051,"]),
    ("RMS_NORM(", &["ne=[33,", "ne=[1025,"]),
    ("MUL_MAT_ID(", &["type_a=mxfp4"]),
];

/// The architectures of the models that are made.
const MODELS: &[&str] = &["llama", "qwen2", "gemma2", "phi3", "gpt2"];

const OPTIONS: &[&str] = &[
    "-DCMAKE_BUILD_TYPE=Release",
    "-DGGML_OPENCL=ON",
    "-DGGML_OPENCL_USE_ADRENO_KERNELS=OFF",
    "-DGGML_OPENMP=OFF",
    "-DLLAMA_OPENSSL=OFF",
    "-DLLAMA_BUILD_SERVER=OFF",
    "-DLLAMA_BUILD_APP=OFF",
    "-DLLAMA_BUILD_TOOLS=OFF",
];
const PROGRAMS: &[&str] = &["test-backend-ops", "test-llama-archs"];

pub(super) fn app() -> App {
    let operations = OPERATIONS.iter().map(|(name, operations)| {
        Check::new(*name, move |bench: &Bench| check_operations(bench, operations))
    });
    let models = MODELS.iter().map(|model| {
        Check::new(format!("model {model}"), move |bench: &Bench| check_model(bench, model))
    });
    let packages = ["cmake", "ninja-build", "g++", "ocl-icd-opencl-dev", "opencl-headers"];
    App::new("llama", &packages, operations.chain(models).collect())
        .what("llama.cpp's operations and small models, against its code for processors")
}

/// Runs the back end's own test; it has to find the device, and no operation may differ.
fn check_operations(bench: &Bench, operations: &str) -> Measure {
    let mut command = client(bench, "test-backend-ops")?;
    let log = bench.finish(command.args(["test", "-b", DEVICE, "-o", operations]))?;
    judge_operations(&log)
}

/// Judges what test-backend-ops printed.
fn judge_operations(log: &str) -> Measure {
    if !log.lines().any(|line| line.starts_with("Backend ") && line.ends_with(DEVICE)) {
        return Err(format!("it does not take the device\n{}", tail(log)));
    }
    let count = |verdict: &str| log.lines().filter(|line| line.contains(verdict)).count();
    let passed = log.lines().find_map(|line| line.trim().strip_suffix(" tests passed"));
    let (passed, all) = passed.and_then(|text| text.split_once('/')).ok_or_else(|| tail(log))?;
    let failed = log.lines().filter(|line| line.contains("FAIL") && line.contains('('));
    let (excused, failed): (Vec<_>, Vec<_>) = failed.partition(|line| is_excused(line));
    let is_complete = parse(passed)? + excused.len() == parse(all)? && failed.is_empty();
    match (is_complete, all) {
        (true, "0") => Err("no operation is supported".to_string()),
        (true, _) => {
            let excused = match excused.len() {
                0 => String::new(),
                number => format!(", {number} excused"),
            };
            Ok(format!("{passed} tests, {} not supported{excused}", count("not supported")))
        }
        (false, _) => {
            let some = failed.iter().take(5).map(|line| line.trim()).collect::<Vec<_>>().join("\n");
            Err(format!("{passed} of {all} tests passed\n{some}"))
        }
    }
}

/// Returns true if a row of the test is one of the failures of the back end's own kernels.
fn is_excused(row: &str) -> bool {
    let has = |text: &&str| row.contains(*text);
    EXCUSED.iter().any(|(operation, shapes)| has(operation) && shapes.iter().any(has))
}

fn parse(number: &str) -> Result<usize, String> {
    number.trim().parse().map_err(|_| format!("'{number}' is no number"))
}

/// Makes models of an architecture; their results on the device have to equal the processor's.
fn check_model(bench: &Bench, model: &str) -> Measure {
    let mut command = client(bench, "test-llama-archs")?;
    command.args(["-a", model, "-b", DEVICE, "-s", "1"]);
    judge_model(&bench.finish(&mut command)?, model)
}

/// Judges what test-llama-archs printed: a table with the error beside the processor, squared and normalized.
fn judge_model(log: &str, model: &str) -> Measure {
    let rows = log.lines().filter_map(|line| {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        (cells.len() == 5 && cells[0] == model)
            .then(|| (cells[2].to_string(), cells[3].to_string()))
    });
    let mut results = Vec::new();
    for (kind, error) in rows {
        let is_good = error.contains("OK");
        let number = error.split_once('(').map_or("?", |(_, rest)| rest.trim_end_matches(')'));
        if !is_good {
            return Err(format!("{kind}: {number} off"));
        }
        results.push(format!("{kind} {number} off"));
    }
    match results.is_empty() {
        true => Err(format!("no model ran\n{}", tail(log))),
        false => Ok(results.join(", ")),
    }
}

/// Returns a command that runs one of the programs, built on first use.
fn client(bench: &Bench, program: &str) -> Result<Command, String> {
    static BUILT: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let folder = BUILT.get_or_init(build).clone()?;
    let program = folder.join("bin").join(program);
    let mut command = bench.client(&bench.vendor, &program.to_string_lossy())?;
    // A trace would have a hundred thousand launches.
    command.env_remove("HEKLA_TRACE");
    // The kernels under test are compiled now, once for all checks.
    command.env("GGML_OPENCL_KERNEL_CACHE_DIR", bench.folder.join("kernels"));
    Ok(command)
}

/// Fetches the sources and builds the programs, unless they exist; returns the folder of the build.
fn build() -> Result<PathBuf, String> {
    let place = system::target().join("llama");
    let sources = sources(&place)?;
    let build = place.join("build");
    let missing = PROGRAMS.iter().any(|program| !build.join("bin").join(program).exists());
    if missing {
        step("building llama.cpp");
        let mut configure = Command::new("cmake");
        configure.args(["-G", "Ninja", "-S"]).arg(sources).arg("-B").arg(&build).args(OPTIONS);
        run(&mut configure)?;
        run(Command::new("ninja").arg("-C").arg(&build).args(PROGRAMS))?;
    }
    Ok(build)
}

/// Returns the folder of llama.cpp's sources.
pub fn sources(place: &std::path::Path) -> Result<PathBuf, String> {
    let unpacked = place.join(format!("{}-{VERSION}", PACKAGE.replace('-', "_")));
    let sources = unpacked.join(INSIDE);
    if !sources.join("CMakeLists.txt").exists() {
        step(&format!("fetching the sources of {PACKAGE} {VERSION}"));
        fresh(&unpacked)?;
        let python = system::python()?;
        let python = python.canonicalize().unwrap_or(python);
        let mut download = Command::new(python);
        download.args([
            "-m",
            "pip",
            "download",
            "--quiet",
            "--no-deps",
            "--no-binary",
            ":all:",
            "-d",
        ]);
        run(download.arg(place).arg(format!("{PACKAGE}=={VERSION}")))?;
        let archive = place.join(format!("{}-{VERSION}.tar.gz", PACKAGE.replace('-', "_")));
        run(Command::new("tar").arg("-xzf").arg(archive).arg("-C").arg(place))?;
    }
    Ok(sources)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_count_where_the_device_was_taken() {
        let log = "Testing 2 devices\n\nBackend 1/2: GPUOpenCL\n  NORM(type=f32): OK\n  NORM(type=f16): not supported \
                   [GPUOpenCL]\n  1/1 tests passed\nBackend 2/2: CPU\n  Skipping\n";
        assert_eq!(judge_operations(log), Ok("1 tests, 1 not supported".to_string()));
        let wrong = log.replace("1/1", "1/2").replace("[GPUOpenCL]", "\n  X(a): FAIL");
        assert_eq!(judge_operations(&wrong).unwrap_err(), "1 of 2 tests passed\nX(a): FAIL");
        let excused = wrong.replace("X(a)", "MUL_MAT_ID(type_a=mxfp4,m=1)");
        assert_eq!(judge_operations(&excused).unwrap(), "1 tests, 1 not supported, 1 excused");
        assert!(judge_operations(&log.replace("1/2: GPUOpenCL", "1/2: CPU")).is_err());
        assert!(judge_operations(&log.replace("1/1", "0/0")).is_err());
    }

    #[test]
    fn models_agree_or_not() {
        let log = "|Model arch.|Device|Config|NMSE vs. CPU|Roundtrip|\n|-----|---|----|---|---|\n\
                   |llama|x|Dense|OK (1.02e-07)|OK|\n|llama|x|MoE|OK (3.00e-06)|OK|\n|llama4|x|MoE|FAIL (1.0)|OK|\n";
        assert_eq!(judge_model(log, "llama").unwrap(), "Dense 1.02e-07 off, MoE 3.00e-06 off");
        assert_eq!(judge_model(log, "llama4").unwrap_err(), "MoE: 1.0 off");
        assert!(judge_model(log, "gpt2").is_err());
    }
}
