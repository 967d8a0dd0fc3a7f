//! Compiles every program of a folder of real programs and prints how it went; `cargo xtask corpus`
//! fetches the programs and runs this.
//!
//! `corpus DIR [--validate] [--time] [--digest] [--only TEXT] [--threads N] [--minimal]
//! [--vector N]`: DIR holds a folder for each project. One line a program: verdict, time, size of the
//! SPIR-V, with `--digest` a hash of it, with `--time` the time of each stage; then the summary.

use hekla_compiler::{compile_timed, Options, Source, Target, Timing};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// A compile that takes longer counts as a failure.
const LIMIT: Duration = Duration::from_secs(30);

/// Without a result for so long the run ends: a compile hangs.
const HANG: Duration = Duration::from_secs(180);

/// What to do.
struct Request {
    folder: PathBuf,
    validate: bool,
    /// Print the time of each stage.
    time: bool,
    /// Print a hash of each program's SPIR-V, to compare builds of the compiler.
    digest: bool,
    only: String,
    threads: usize,
    target: Target,
    /// hashcat's VECT_SIZE.
    vector: u32,
}

/// One program: texts that its host joins, and its build options.
struct Item {
    name: String,
    texts: Vec<PathBuf>,
    options: String,
}

/// How a compile went.
struct Report {
    name: String,
    error: Option<String>,
    time: Duration,
    stages: Timing,
    bytes: usize,
    digest: u64,
    kernels: usize,
}

fn main() -> ExitCode {
    let request = match parse(std::env::args().skip(1)) {
        Ok(request) => request,
        Err(message) => {
            eprintln!("corpus: {message}");
            return ExitCode::FAILURE;
        }
    };
    let mut items = items(&request);
    items.retain(|item| item.name.contains(&request.only));
    items.sort_by(|a, b| a.name.cmp(&b.name));
    let reports = run(request, items);
    summarize(&reports)
}

fn parse(mut args: impl Iterator<Item = String>) -> Result<Request, String> {
    let mut request = Request {
        folder: PathBuf::new(),
        validate: false,
        time: false,
        digest: false,
        only: String::new(),
        threads: 2,
        target: Target::generic(),
        vector: 1,
    };
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or_else(|| format!("{arg} needs a value"));
        match arg.as_str() {
            "--validate" => request.validate = true,
            "--time" => request.time = true,
            "--digest" => request.digest = true,
            "--minimal" => request.target = Target::minimal(),
            "--only" => request.only = value()?,
            "--threads" => request.threads = number(&value()?)?,
            "--vector" => request.vector = number(&value()?)?,
            _ => request.folder = PathBuf::from(arg).canonicalize().unwrap_or_default(),
        }
    }
    match request.folder.is_dir() {
        true => Ok(request),
        false => Err("name the folder that holds the programs".to_string()),
    }
}

fn number<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("'{text}' is not a number"))
}

/// Every program of the folder with its options.
fn items(request: &Request) -> Vec<Item> {
    let mut files = Vec::new();
    find(&request.folder, &mut files);
    let items = files.iter().filter_map(|file| {
        let name = file.strip_prefix(&request.folder).ok()?.to_string_lossy().into_owned();
        let parent = file.parent()?;
        let stem = file.file_name()?.to_str()?;
        if name.contains("hashcat") {
            return hashcat(file, parent, name.clone(), stem, request.vector);
        }
        let (before, options) = match () {
            () if name.contains("darktable") => (vec![], darktable(parent)),
            () if name.contains("silx") => silx(stem)?,
            () if name.contains("pyFAI") => pyfai(stem)?,
            () => ufo(parent, stem)?,
        };
        let mut texts: Vec<PathBuf> =
            before.iter().filter_map(|name| other(&files, file, name)).collect();
        texts.push(file.clone());
        Some(Item { name, texts, options })
    });
    items.collect()
}

fn find(folder: &Path, files: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    for path in entries.map(|entry| entry.path()) {
        match path.is_dir() {
            true => find(&path, files),
            false if path.extension().is_some_and(|e| e == "cl") => files.push(path),
            false => {}
        }
    }
}

/// The file of that name in this project, else (pyFAI uses some of silx's) in another.
fn other(files: &[PathBuf], near: &Path, name: &str) -> Option<PathBuf> {
    let common =
        |file: &Path| file.components().zip(near.components()).take_while(|(a, b)| a == b).count();
    files.iter().filter(|file| file.ends_with(name)).max_by_key(|file| common(file)).cloned()
}

/// hashcat 6.2.6, as its backend builds a kernel for a GPU that it does not know. The digest's words
/// depend on the hash mode; the widest digest serves all.
fn hashcat(file: &Path, folder: &Path, name: String, stem: &str, vector: u32) -> Option<Item> {
    if stem.starts_with("inc_") {
        return None;
    }
    let attack = ["_a0", "_a1", "_a3"].iter().position(|a| stem.contains(a));
    let (exec, attack) = match attack {
        Some(index) => (11, [0, 1, 3][index]),
        None => (10, 0),
    };
    let own = match stem.get(..6) {
        Some("m08900" | "m15700" | "m22700" | "m27700" | "m28200") => {
            "-D SCRYPT_N=16384 -D SCRYPT_R=8 -D SCRYPT_P=1 -D SCRYPT_TMTO=1 -D SCRYPT_TMP_ELEM=64"
        }
        Some("m01500") => "-D DESCRYPT_SALT=123",
        Some("m03200" | "m09000" | "m18600" | "m25600" | "m25800" | "m28400" | "m30600") => {
            "-D FIXED_LOCAL_SIZE=8"
        }
        Some(
            "m07500" | "m09700" | "m09710" | "m09720" | "m09800" | "m09810" | "m09820" | "m10400"
            | "m10410" | "m10420" | "m10500" | "m13100" | "m18200" | "m20500" | "m20510" | "m25400",
        ) => "-D FIXED_LOCAL_SIZE=32",
        Some("m15500") => "-D FIXED_LOCAL_SIZE=64",
        _ => "",
    };
    let comp = match stem {
        _ if stem.contains("-optimized") => "-D FIXED_LOCAL_SIZE_COMP=64",
        _ => "",
    };
    let options = format!(
        "-D KERNEL_STATIC -D INCLUDE_PATH={0} -I {0} -D XM2S(x)=#x -D M2S(x)=XM2S(x) \
         -D LOCAL_MEM_TYPE=1 -D VENDOR_ID=16 -D CUDA_ARCH=0 -D HAS_ADD=0 -D HAS_ADDC=0 \
         -D HAS_SUB=0 -D HAS_SUBC=0 -D HAS_VADD=0 -D HAS_VADDC=0 -D HAS_VADD_CO=0 \
         -D HAS_VADDC_CO=0 -D HAS_VSUB=0 -D HAS_VSUBB=0 -D HAS_VSUB_CO=0 -D HAS_VSUBB_CO=0 \
         -D HAS_VPERM=0 -D HAS_VADD3=0 -D HAS_VBFE=0 -D HAS_BFE=0 -D HAS_LOP3=0 -D HAS_MOV64=0 \
         -D HAS_PRMT=0 -D VECT_SIZE={vector} -D DEVICE_TYPE=4 -D DGST_R0=0 -D DGST_R1=1 \
         -D DGST_R2=2 -D DGST_R3=3 -D DGST_ELEM=16 -D KERN_TYPE={1} -D ATTACK_EXEC={exec} \
         -D ATTACK_KERN={attack} -D ATTACK_MODE={attack} -D _unroll -w {own} {comp}",
        folder.display(),
        stem.get(1..6).and_then(|n| n.parse::<u32>().ok()).unwrap_or(0),
    );
    Some(Item { name, texts: vec![file.to_path_buf()], options })
}

fn darktable(folder: &Path) -> String {
    format!("-w -DUNKNOWN=1 -DFLT_MAX=3.40282347e+38F -I{} -cl-fast-relaxed-math", folder.display())
}

/// ufo-filters; nothing for a skeleton that its host fills in.
fn ufo(folder: &Path, stem: &str) -> Option<(Vec<&'static str>, String)> {
    if stem == "ocl-1liner-skel.cl" {
        return None;
    }
    let options = "-DMEDIAN_BOX_SIZE=3 -DEDGE=2 -DBOXSIZE=3";
    Some((vec![], format!("-I {} {options}", folder.display())))
}

/// What silx puts before a file, and its options; nothing for a file that is only put before others.
fn silx(stem: &str) -> Option<(Vec<&'static str>, String)> {
    let before = match stem {
        "kahan.cl" | "doubleword.cl" | "sift.cl" => return None,
        "medfilt.cl" => vec!["opencl/preprocess.cl", "opencl/bitonic.cl"],
        "statistics.cl" => vec!["opencl/doubleword.cl"],
        "backproj_helper.cl" => vec!["opencl/backproj.cl"],
        "algebra.cl" | "memset.cl" | "matching_cpu.cl" | "matching_gpu.cl"
        | "descriptor_cpu.cl" | "descriptor_gpu1.cl" | "descriptor_gpu2.cl" | "image.cl"
        | "orientation_cpu.cl" | "orientation_gpu.cl" => {
            vec!["sift/sift.cl"]
        }
        _ => vec![],
    };
    let options =
        "-DNB_COLOR=1 -DWORKGROUP_SIZE=128 -DNIMAGE=1000000 -DIMAGE_WIDTH=512 -DDTYPE=float \
                   -DIDX_DTYPE=int -DUSED_CONV_MODE=0 -DIMAGE_DIMS=2 -DFILTER_DIMS=2 \
                   -DX87_VOLATILE=volatile";
    Some((before, options.to_string()))
}

/// The same for pyFAI.
fn pyfai(stem: &str) -> Option<(Vec<&'static str>, String)> {
    const DOUBLEWORD: &str = "silx/opencl/doubleword.cl";
    const PREPROCESS: &str = "openCL/preprocess.cl";
    let before = match stem {
        "kahan.cl" | "deactivate_atomic64.cl" => return None,
        "ocl_histo.cl" | "ocl_azim_CSR.cl" | "ocl_azim_LUT.cl" => {
            vec![DOUBLEWORD, PREPROCESS, "openCL/memset.cl"]
        }
        "sparsify.cl" | "peakfinder.cl" | "sigma_clip.cl" | "medfilt.cl" | "separate.cl" => {
            vec![
                DOUBLEWORD,
                PREPROCESS,
                "openCL/memset.cl",
                "openCL/ocl_azim_CSR.cl",
                "collective/reduction.cl",
                "collective/scan.cl",
                "collective/comb_sort.cl",
            ]
        }
        "comb_sort.cl" => vec![DOUBLEWORD, "collective/reduction.cl", "collective/scan.cl"],
        "scan.cl" | "reduction.cl" => vec![DOUBLEWORD],
        _ => vec![],
    };
    let before = before.into_iter().filter(|name| !name.ends_with(&format!("/{stem}"))).collect();
    let options = "-DNBINS=1000 -DBINS=1000 -DNIMAGE=1000000 -DWORKGROUP_SIZE=128 -DWORKGROUP=128 \
                   -DEPS=1.1920928955078125e-07f -DPOS_SIZE=4 -DSIZE=1000000 -DNLUT=20 -DON_CPU=0 \
                   -DX87_VOLATILE=volatile";
    Some((before, options.to_string()))
}

/// Compiles all, `threads` at a time; a line for each as it ends.
fn run(request: Request, items: Vec<Item>) -> Vec<Report> {
    let (threads, count) = (request.threads, items.len());
    let shared = std::sync::Arc::new((request, items, AtomicUsize::new(0)));
    let (sender, receiver) = mpsc::channel();
    for _ in 0..threads {
        let (shared, sender) = (shared.clone(), sender.clone());
        std::thread::spawn(move || loop {
            let (request, items, next) = &*shared;
            let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) else { return };
            if sender.send(compile_item(item, request)).is_err() {
                return;
            }
        });
    }
    let mut reports = Vec::with_capacity(count);
    while reports.len() < count {
        let Ok(report) = receiver.recv_timeout(HANG) else {
            let done = |item: &&Item| !reports.iter().any(|r: &Report| r.name == item.name);
            let stuck: Vec<&str> =
                shared.1.iter().filter(done).take(threads).map(|i| i.name.as_str()).collect();
            println!("hangs: one of {}", stuck.join(", "));
            break;
        };
        print(&report, &shared.0);
        reports.push(report);
    }
    reports
}

fn compile_item(item: &Item, request: &Request) -> Report {
    let text = item.texts.iter().map(|file| std::fs::read(file).unwrap_or_default());
    let text = text.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).collect::<Vec<_>>();
    // A header of silx and pyFAI that editors need; their hosts drop the line.
    let headers = vec![("for_eclipse.h".to_string(), String::new())];
    let source = Source { name: item.name.clone(), text: text.join("\n"), headers };
    let start = Instant::now();
    let (compiled, stages) = match Options::parse(&item.options) {
        Ok(options) => compile_timed(&source, &options, &request.target),
        Err(error) => {
            let log = format!("error: {error}");
            (hekla_compiler::Compiled { log, program: None }, Timing::default())
        }
    };
    let time = start.elapsed();
    let name = item.name.clone();
    let mut report = Report { name, error: None, time, stages, bytes: 0, digest: 0, kernels: 0 };
    let Some(program) = compiled.program else {
        let first = compiled.log.lines().find(|line| line.contains("error"));
        report.error = Some(first.unwrap_or("no program and no error").to_string());
        return report;
    };
    report.kernels = program.kernels.len();
    report.bytes = program.kernels.iter().map(|kernel| 4 * kernel.spirv.len()).sum();
    let words = program.kernels.iter().flat_map(|kernel| &kernel.spirv);
    report.digest = words.fold(0xcbf2_9ce4_8422_2325, |hash: u64, &word| {
        (hash ^ u64::from(word)).wrapping_mul(0x0100_0000_01b3)
    });
    if time > LIMIT {
        report.error = Some("takes too long".to_string());
    } else if request.validate {
        report.error = program.kernels.iter().find_map(|kernel| validate(&kernel.spirv));
    }
    report
}

/// What spirv-val has against a module.
fn validate(spirv: &[u32]) -> Option<String> {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let file = std::env::temp_dir().join(format!("corpus-{}-{number}.spv", std::process::id()));
    let bytes: Vec<u8> = spirv.iter().flat_map(|word| word.to_le_bytes()).collect();
    if let Err(error) = std::fs::write(&file, bytes) {
        return Some(format!("cannot write {}: {error}", file.display()));
    }
    let output = std::process::Command::new("spirv-val")
        .args(["--target-env", "vulkan1.2", "--scalar-block-layout"])
        .arg(&file)
        .output();
    let _ = std::fs::remove_file(&file);
    match output {
        Ok(output) if output.status.success() => None,
        Ok(output) => {
            let text = String::from_utf8_lossy(&output.stdout).into_owned()
                + &String::from_utf8_lossy(&output.stderr);
            Some(format!("spirv-val: {}", text.lines().next().unwrap_or("no message")))
        }
        Err(error) => Some(format!("cannot run spirv-val: {error}")),
    }
}

fn print(report: &Report, request: &Request) {
    let ms = report.time.as_secs_f64() * 1e3;
    let verdict = match &report.error {
        None => "ok".to_string(),
        Some(error) => error.clone(),
    };
    println!(
        "{}: {verdict} ({ms:.1} ms, {} kernels, {} bytes)",
        report.name, report.kernels, report.bytes
    );
    if request.digest {
        println!("    digest {:016x} {}", report.digest, report.name);
    }
    if request.time {
        println!("    {}", report.stages);
    }
}

fn summarize(reports: &[Report]) -> ExitCode {
    let mut times: Vec<(Duration, &str)> =
        reports.iter().map(|report| (report.time, report.name.as_str())).collect();
    times.sort();
    let failed = reports.iter().filter(|report| report.error.is_some()).count();
    println!("\n{} programs: {} ok, {failed} failed", reports.len(), reports.len() - failed);
    let total: Duration = times.iter().map(|(time, _)| *time).sum();
    if let (Some(median), Some(slowest)) = (times.get(times.len() / 2), times.last()) {
        println!(
            "compile time: total {:.1} s, median {:.1} ms, slowest {:.1} ms ({})",
            total.as_secs_f64(),
            median.0.as_secs_f64() * 1e3,
            slowest.0.as_secs_f64() * 1e3,
            slowest.1
        );
    }
    let mut stages = Timing::default();
    reports.iter().for_each(|report| stages.add(&report.stages));
    println!("stages: {stages}");
    let mut kernels: Vec<Duration> = reports
        .iter()
        .filter_map(|report| report.time.checked_div(u32::try_from(report.kernels).ok()?))
        .collect();
    kernels.sort();
    if let Some(median) = kernels.get(kernels.len() / 2) {
        let ms = median.as_secs_f64() * 1e3;
        println!("time of a program by its number of kernels: median {ms:.1} ms");
    }
    if let Some(peak) = peak_memory() {
        println!("peak memory: {peak}");
    }
    ExitCode::from(u8::from(failed != 0))
}

/// Peak resident memory of this process, where the system tells.
fn peak_memory() -> Option<String> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().skip(1).collect::<Vec<_>>().join(" "))
}
