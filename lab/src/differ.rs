//! `cargo xtask differ`: random programs whose results OpenCL C fixes to the bit (`random-programs/src/exact`), run on
//! Hekla, with and without optimization, and on every other OpenCL platform of the machine. A disagreement is a defect
//! of one of them.
//!
//! Every driver runs in a process of its own, which is started again after a program that crashes it or hangs. `xtask
//! differ --programs DIR --library libhekla.so` needs neither cargo nor the sources.

use crate::bench::cl::{self, Session};
use crate::driver::Driver;
use crate::system::{self, run as run_to_end, step};
use crate::vendors::Vendors;
use crate::{artifact, ingest, options, Outcome};
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

/// Work-items, and how many of them make a work-group: several of each.
const ITEMS: usize = 8;
const GROUP: usize = 4;
/// A program that takes longer to build and run counts as a hang.
const LIMIT: Duration = Duration::from_secs(30);

/// Options of the command: which programs, and on which platforms.
#[derive(clap::Args)]
pub struct Request {
    /// Run the programs of the conformance files and of the Python suite, compiled to SPIR-V by clang, in their place
    #[arg(long)]
    ingest: bool,
    /// The Vulkan driver of --ingest
    #[arg(long, value_name = "NAME", default_value = "lavapipe", requires = "ingest")]
    driver: Driver,
    /// Number of the first program
    #[arg(long, value_name = "N", default_value_t = 0)]
    first: u64,
    /// Number of programs
    #[arg(long, value_name = "N", default_value_t = 200)]
    count: u64,
    /// A folder of programs that were made before
    #[arg(long, value_name = "DIR")]
    programs: Option<PathBuf>,
    /// The library; built when none is given
    #[arg(long, value_name = "FILE")]
    library: Option<PathBuf>,
    /// Folder of the other platforms' .icd files
    #[arg(long, value_name = "DIR", default_value = options::VENDORS)]
    vendors: PathBuf,
    /// Parts of the names of platforms that are left out
    #[arg(long, value_name = "NAME", value_parser = options::lower)]
    skip: Vec<String>,
    /// For the process that runs a driver: the options to build with
    #[arg(long, hide = true, allow_hyphen_values = true)]
    options: Option<String>,
}

/// The outcome of each program: a hash of its results, or the reason why there is none.
type Outcomes = BTreeMap<u64, String>;

/// Runs the command.
pub fn run(request: &Request) -> Outcome {
    if request.ingest {
        return ingest::run(request.driver);
    }
    if let (Some(folder), Some(options)) = (&request.programs, &request.options) {
        return run_driver(folder, request.first..request.first + request.count, options);
    }
    if request.library.is_none() {
        artifact::find_device()?;
    }
    let folder = match &request.programs {
        Some(folder) => folder.clone(),
        None => generate(request)?,
    };
    let library = match &request.library {
        Some(library) => library.clone(),
        None => artifact::build()?,
    };
    let vendors = Vendors::new(&request.vendors, &request.skip, &library)?;
    let mut columns: Vec<(String, Outcomes)> = Vec::new();
    for driver in &vendors.single {
        let name = driver.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let variants: &[&str] = if name == "hekla" { &["", "-cl-opt-disable"] } else { &[""] };
        for options in variants {
            step(&format!("{name} {options}"));
            let outcomes = run_all(driver, &folder, request, options)?;
            let results = outcomes.values().filter(|o| o.starts_with('#')).count();
            println!("{results} results of {}", outcomes.len());
            if results > 0 || name == "hekla" {
                columns.push((format!("{name} {options}").trim().to_string(), outcomes));
            }
        }
    }
    compare(&columns, &folder)
}

/// Returns a folder with the programs asked for, made now.
fn generate(request: &Request) -> Result<PathBuf, String> {
    let folder = system::target().join("differ");
    system::make_folder(&folder)?;
    let mut command = Command::new("cargo");
    command.current_dir(system::root());
    command.args(["run", "--release", "--quiet", "-p", "hekla-random-programs"]);
    command.args(["--example", "exact", "--"]).arg(&folder);
    command.args([request.first.to_string(), request.count.to_string()]);
    run_to_end(&mut command)?;
    Ok(folder)
}

/// Runs all programs on one driver, in as many processes as necessary.
fn run_all(
    driver: &Path,
    folder: &Path,
    request: &Request,
    options: &str,
) -> Result<Outcomes, String> {
    let (mut outcomes, mut next) = (Outcomes::new(), request.first);
    let end = request.first + request.count;
    while next < end {
        let mut child = start(driver, folder, next, end - next, options)?;
        let failed = listen(&mut child, &mut outcomes);
        let _ = child.kill();
        let _ = child.wait();
        next = outcomes.keys().last().map_or(next, |last| (last + 1).max(next));
        if let (Some(why), true) = (failed, next < end) {
            outcomes.insert(next, why.to_string());
            next += 1;
        }
    }
    Ok(outcomes)
}

fn start(
    driver: &Path,
    folder: &Path,
    first: u64,
    count: u64,
    options: &str,
) -> Result<Child, String> {
    let mut command = Command::new(std::env::current_exe().map_err(|e| e.to_string())?);
    command.args(["differ", "--first", &first.to_string(), "--count", &count.to_string()]);
    command.arg("--programs").arg(folder).args(["--options", options]);
    command.env("OCL_ICD_VENDORS", driver).env_remove("OCL_ICD_FILENAMES").env("HEKLA_CACHE", "0");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    command.spawn().map_err(|e| format!("no process: {e}"))
}

/// Notes the reports of a process until its end; returns the reason if it ended before it had run all programs.
fn listen(child: &mut Child, outcomes: &mut Outcomes) -> Option<&'static str> {
    let (send, lines) = mpsc::channel();
    let output = child.stdout.take()?;
    std::thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            if send.send(line).is_err() {
                return;
            }
        }
    });
    loop {
        let line = match lines.recv_timeout(LIMIT) {
            Ok(line) => line,
            Err(mpsc::RecvTimeoutError::Timeout) => return Some("hangs"),
            Err(mpsc::RecvTimeoutError::Disconnected) => return Some("crashes"),
        };
        let mut words = line.splitn(3, '\t');
        match (words.next(), words.next().map(str::parse), words.next()) {
            (Some("differ"), Some(Ok(number)), Some(outcome)) => {
                outcomes.insert(number, outcome.to_string());
            }
            (Some("differ-done"), ..) => return None,
            _ => {}
        }
    }
}

/// Builds and runs the programs in the process of one driver, and prints a line for each.
fn run_driver(folder: &Path, numbers: std::ops::Range<u64>, options: &str) -> Outcome {
    let mut sessions = cl::platforms()?.into_iter().map(Session::open);
    let session = sessions.find_map(Result::transpose).ok_or("no device")??;
    for number in numbers {
        let path = folder.join(format!("{number}.cl"));
        let text = system::read_text(&path)?;
        let outcome = match result(&session, &text, options) {
            Ok(hash) => format!("#{hash:016x}"),
            Err(message) => {
                message.lines().find(|l| l.contains("error")).unwrap_or("refused").to_string()
            }
        };
        println!("differ\t{number}\t{outcome}");
    }
    println!("differ-done");
    Ok(())
}

/// Returns a hash of everything that a program writes.
fn result(session: &Session, text: &str, options: &str) -> Result<u64, String> {
    let kernel = session.build(text, "k", &format!("-cl-std=CL1.2 {options}"))?;
    // The numbers include small and large ones, zero, and one with all bits set.
    let input: Vec<u32> = (0..4 * ITEMS as u32)
        .map(|n| match n % 7 {
            0 => 0,
            1 => u32::MAX,
            2 => n,
            _ => n.wrapping_mul(0x9e37_79b9),
        })
        .collect();
    let mut words: Vec<u64> =
        input.iter().rev().map(|n| u64::from(*n).wrapping_mul(0x1_0000_0801)).collect();
    let mut out = vec![0u32; ITEMS];
    let (read, written, hashes) =
        (session.buffer_of(&input)?, session.buffer_of(&words)?, session.buffer_of(&out)?);
    kernel.set_buffer(0, &read)?;
    kernel.set_buffer(1, &written)?;
    kernel.set_local(2, 4 * 4 * GROUP)?;
    kernel.set_buffer(3, &hashes)?;
    session.launch(&kernel, &[ITEMS], &[GROUP])?;
    session.read(&written, 0, &mut words)?;
    session.read(&hashes, 0, &mut out)?;
    let mut hasher = DefaultHasher::new();
    (words, out).hash(&mut hasher);
    Ok(hasher.finish())
}

/// Prints the programs on which the drivers disagree; returns an error if Hekla disagrees with any result.
fn compare(columns: &[(String, Outcomes)], folder: &Path) -> Outcome {
    let mut wrong = 0;
    for number in columns.first().map_or(&Outcomes::new(), |(_, first)| first).keys() {
        let all: Vec<(&str, &str)> = columns
            .iter()
            .filter_map(|(name, outcomes)| Some((name.as_str(), outcomes.get(number)?.as_str())))
            .collect();
        if all.iter().all(|(_, outcome)| *outcome == all[0].1) {
            continue;
        }
        // A driver without a result does not count against the others; Hekla must give a result.
        let mut results =
            all.iter().filter(|(name, outcome)| outcome.starts_with('#') || name.contains("hekla"));
        let first = results.next();
        let differs = results.any(|(_, outcome)| first.is_some_and(|(_, f)| f != outcome));
        wrong += u32::from(differs);
        println!(
            "{} {}:",
            folder.join(format!("{number}.cl")).display(),
            if differs { "DIFFERS" } else { "" }
        );
        for (name, outcome) in all {
            println!("    {name}: {outcome}");
        }
    }
    if wrong > 0 {
        return Err(format!("{wrong} programs have different results"));
    }
    println!("all results agree");
    Ok(())
}
