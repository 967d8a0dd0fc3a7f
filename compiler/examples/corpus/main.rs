//! Compiles every program of a folder of real programs and prints the outcomes; `cargo xtask corpus` fetches the programs and
//! runs this example.
//!
//! `corpus DIR [--validate] [--time] [--digest] [--only TEXT] [--threads N] [--minimal] [--half] [--vector N] [--list FOLDER]`:
//! DIR holds a folder for each project. The output has a line for each program, with verdict, time, size of the SPIR-V, with
//! `--digest` a hash of it, with `--time` the time of each stage; then a summary. Programs that are refused because the device
//! lacks something that they need are not failures: they are counted by what they need. Programs that no OpenCL compiler
//! accepts are counted apart, too. Programs are OpenCL C (`.cl`) or modules of SPIR-V (`.il`).

mod projects;

use hekla_compiler::{compile_il, compile_timed, Compiled, Il, Options, Source, Target, Timing};
use projects::{items, Item};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// A compile that takes longer counts as a failure.
const LIMIT: Duration = Duration::from_secs(30);

/// The run ends when no program has ended for this long: a compile hangs.
const HANG: Duration = Duration::from_secs(180);

/// The words before and after the feature's name in the compiler's message about a program that needs an optional feature or a
/// version.
const REFUSAL: ([&str; 2], &str) = (["requires ", "needs "], " which this device does not offer");

/// The end of the compiler's message about a capability, extension or instruction that modules may not have.
const NOT_TAKEN: &str = " is not supported";

/// A header of silx and pyFAI that only editors need; the projects' hosts drop the line that includes it.
const EDITOR_HEADER: &str = "for_eclipse.h";

/// Files that are not OpenCL C, each with the reason. Their projects do not use them.
const BROKEN: &[(&str, &str)] = &[
    ("pyFAI/openCL/ocl_bispev.cl", "it says __kernel__"),
    ("pyFAI/openCL/ocl_lut_pixelsplit.cl", "it has a parenthesis too many"),
    ("pyFAI/openCL/reduction_test.cl", "it uses an undeclared variable"),
];

/// The command line's requests.
struct Request {
    folder: PathBuf,
    validate: bool,
    /// True to print the time of each stage.
    time: bool,
    /// True to print a hash of each program's SPIR-V, to compare builds of the compiler.
    digest: bool,
    only: String,
    threads: usize,
    target: Target,
    /// hashcat's VECT_SIZE.
    vector: u32,
    /// The folder to which programs are written, if they are to be listed and not compiled.
    list: Option<PathBuf>,
}

/// The outcome of a compilation.
enum Verdict {
    Good,
    /// The compiler is right to refuse the program: holds what the program needs, or what is wrong with it.
    Refused(String),
    Failed(String),
}

/// The report on one program's compilation.
struct Report {
    name: String,
    verdict: Verdict,
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
    let mut items = items(&request.folder, request.vector);
    items.retain(|item| item.name.contains(&request.only));
    items.sort_by(|a, b| a.name.cmp(&b.name));
    if let Some(folder) = &request.list {
        return list(&items, folder);
    }
    let reports = run(request, items);
    summarize(&reports)
}

/// Writes each program to a file of a folder, and the headers beside them. Prints a line for each: its name, the file and its
/// options, separated by tabs.
fn list(items: &[Item], folder: &Path) -> ExitCode {
    if let Err(error) = std::fs::write(folder.join(EDITOR_HEADER), "") {
        eprintln!("corpus: {}: {error}", folder.display());
        return ExitCode::FAILURE;
    }
    for (number, item) in items.iter().enumerate() {
        let file = match item.module() {
            Some(module) => module.to_path_buf(),
            None => folder.join(format!("{number}.cl")),
        };
        if item.module().is_none() {
            if let Err(error) = std::fs::write(&file, text(item)) {
                eprintln!("corpus: {}: {error}", file.display());
                return ExitCode::FAILURE;
            }
        }
        let options = item.options.split_whitespace().collect::<Vec<_>>().join("\t");
        println!("{}\t{}\t{options}", item.name, file.display());
    }
    ExitCode::SUCCESS
}

/// Returns the text of a program in OpenCL C.
fn text(item: &Item) -> String {
    let text = item.texts.iter().map(|file| std::fs::read(file).unwrap_or_default());
    let text = text.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    text.collect::<Vec<_>>().join("\n")
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
        list: None,
    };
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or_else(|| format!("{arg} needs a value"));
        match arg.as_str() {
            "--validate" => request.validate = true,
            "--time" => request.time = true,
            "--digest" => request.digest = true,
            "--minimal" => request.target = Target::minimal(),
            "--half" => request.target.float16 = true,
            "--only" => request.only = value()?,
            "--threads" => request.threads = number(&value()?)?,
            "--vector" => request.vector = number(&value()?)?,
            "--list" => request.list = Some(PathBuf::from(value()?)),
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

/// Compiles all programs, `threads` of them at a time, and prints a line for each as it ends.
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

/// Compiles a program. The times of the stages are known only for programs in OpenCL C.
fn compile(item: &Item, options: &Options, target: &Target) -> (Compiled, Timing) {
    if let Some(module) = item.module() {
        let bytes = std::fs::read(module).unwrap_or_default();
        let compiled = match Il::read(&bytes) {
            Ok(il) => compile_il(&il, &[], options, target),
            Err(error) => failed(&error),
        };
        return (compiled, Timing::default());
    }
    let headers = vec![(EDITOR_HEADER.to_string(), String::new())];
    let source = Source { name: item.name.clone(), text: text(item), headers };
    compile_timed(&source, options, target)
}

/// Returns the result for a program that fails before the compiler sees it.
fn failed(error: &str) -> Compiled {
    Compiled { log: format!("error: {error}"), ..Compiled::default() }
}

fn compile_item(item: &Item, request: &Request) -> Report {
    let start = Instant::now();
    let (compiled, stages) = match Options::parse(&item.options) {
        Ok(options) => compile(item, &options, &item.target(&request.target)),
        Err(error) => (failed(&error.to_string()), Timing::default()),
    };
    let time = start.elapsed();
    let name = item.name.clone();
    let Some(program) = compiled.program else {
        let verdict = no_program(item, &compiled.log);
        return Report { name, verdict, time, stages, bytes: 0, digest: 0, kernels: 0 };
    };
    let problem = match time > LIMIT {
        true => Some("takes too long".to_string()),
        false if request.validate => program.kernels.iter().find_map(|k| validate(&k.spirv)),
        false => None,
    };
    let words = program.kernels.iter().flat_map(|kernel| &kernel.spirv);
    Report {
        name,
        verdict: problem.map_or(Verdict::Good, Verdict::Failed),
        time,
        stages,
        bytes: program.kernels.iter().map(|kernel| 4 * kernel.spirv.len()).sum(),
        digest: words.fold(0xcbf2_9ce4_8422_2325, |hash: u64, &word| {
            (hash ^ u64::from(word)).wrapping_mul(0x0100_0000_01b3)
        }),
        kernels: program.kernels.len(),
    }
}

/// Returns the verdict on a program that was not compiled: refused for a good reason, or failed.
fn no_program(item: &Item, log: &str) -> Verdict {
    if let Some((_, why)) = BROKEN.iter().find(|(name, _)| item.name.ends_with(name)) {
        return Verdict::Refused(format!("broken: {why}"));
    }
    // Later errors may follow from the first.
    let Some(error) = log.lines().find(|line| line.contains("error: ")) else {
        return Verdict::Failed("no program and no error".to_string());
    };
    let after = REFUSAL.0.iter().find_map(|words| Some(error.split_once(words)?.1));
    let needs = after.and_then(|rest| rest.split_once(REFUSAL.1));
    let lacks = error.rsplit_once("): ").filter(|_| error.ends_with(NOT_TAKEN));
    match (needs, lacks) {
        (Some((needs, _)), _) => Verdict::Refused(format!("needs {needs}")),
        (None, Some((_, lacks))) => Verdict::Refused(lacks.to_string()),
        _ => Verdict::Failed(error.to_string()),
    }
}

/// Returns spirv-val's message about a module that is not valid.
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
    let verdict = match &report.verdict {
        Verdict::Good => "ok".to_string(),
        Verdict::Refused(why) => why.clone(),
        Verdict::Failed(error) => error.clone(),
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
    let (mut failed, mut reasons) = (0, BTreeMap::new());
    for report in reports {
        match &report.verdict {
            Verdict::Good => {}
            Verdict::Refused(why) => *reasons.entry(why.as_str()).or_insert(0) += 1,
            Verdict::Failed(_) => failed += 1,
        }
    }
    let refused: usize = reasons.values().sum();
    let ok = reports.len() - refused - failed;
    println!("\n{} programs: {ok} ok, {refused} refused, {failed} failed", reports.len());
    for (why, count) in reasons {
        println!("refused: {count}: {why}");
    }
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

/// Returns the peak resident memory of this process; `None` where the system does not report it.
fn peak_memory() -> Option<String> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().skip(1).collect::<Vec<_>>().join(" "))
}
