//! `cargo xtask bench`: measures Hekla and every other OpenCL platform of the machine, all in one process and in turn,
//! so that disturbances affect all of them alike.
//!
//! `xtask bench --library libhekla.so` needs neither cargo nor the sources: the two files can be carried to another machine.

mod arithmetic;
pub mod cl;
pub mod cl_image;
mod command_buffer;
mod functions;
mod host_math;
mod images;
mod kinds;
mod matrices;
mod measure;
mod overlap;
mod plot;
mod programs;
mod scale;
mod subgroups;
mod table;
mod text;
mod vulkan_alone;

use crate::vendors::Vendors;
use crate::{artifact, options, Outcome};
use cl::Session;
use measure::{Better, DEPENDENT_LAUNCH, METRICS};
use scale::Scale;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use table::{Column, Row};

/// The number of rounds of all measurements; the table shows medians.
const ROUNDS: usize = 3;
/// The number of fresh processes for the time to the first result.
const PROCESSES: usize = 5;
/// The time after which a process is given up, and its platform left out.
const PROCESS_LIMIT: Duration = Duration::from_secs(60);
/// Options of the command: what is measured, and where the result goes.
#[derive(clap::Args)]
pub struct Request {
    /// The file of the table
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// The file of the picture
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,
    /// A table of an earlier run, which is drawn in place of a new one
    #[arg(long, value_name = "TABLE.md", requires = "plot")]
    from: Option<PathBuf>,
    /// The library; built when none is given
    #[arg(long, value_name = "FILE", value_parser = options::existing)]
    library: Option<PathBuf>,
    /// Folder of the other platforms' .icd files
    #[arg(long, value_name = "DIR", default_value = options::VENDORS)]
    vendors: PathBuf,
    /// The program that measures the same by Vulkan alone
    #[arg(long, value_name = "PROGRAM")]
    vulkan: Option<PathBuf>,
    /// Parts of the names of .icd files or platforms that are left out
    #[arg(long, value_name = "NAME", value_parser = options::lower)]
    skip: Vec<String>,
    /// Parts of the names of the measurements within one process that are made; none for all
    #[arg(long, value_name = "TEXT")]
    only: Vec<String>,
    /// The number in the text of the process that measures its time to the first result
    #[arg(long, hide = true)]
    first_result: Option<u32>,
}

/// Runs the command.
pub fn run(request: &Request) -> Outcome {
    let start = Instant::now();
    if let Some(path) = &request.from {
        return draw_table(path, request);
    }
    if let Some(seed) = request.first_result {
        return first_result(seed, start);
    }
    let library = artifact::given_or_built(request.library.as_deref())?;
    let vendors = Vendors::new(&request.vendors, &request.skip, &library)?;
    let first = first_results(&vendors)?;
    // Texts that are built from here on are new: a cache would only be written to.
    std::env::set_var("HEKLA_CACHE", "0");
    std::env::set_var("OCL_ICD_VENDORS", &vendors.working);
    std::env::set_var("OCL_ICD_FILENAMES", "");
    let sessions = open_sessions(&request.skip)?;
    let mut columns: Vec<Column> = sessions.iter().map(column).collect();
    let scale = Scale::of(&sessions);
    let mut rows = rows(&sessions, &first, &scale, request);
    if let Some(program) = &request.vulkan {
        vulkan_alone::add_column(program, PROCESSES, &mut columns, &mut rows)?;
        if let Some(hekla) = (0..).zip(&sessions).find(|(_, session)| session.is_hekla()) {
            matrices::by_turns(hekla, &scale, program, &mut rows);
        }
    }
    let text = report(&sessions, &scale, &columns, &rows)?;
    println!("{text}\n\nmeasured in {:.0} s", start.elapsed().as_secs_f64());
    if let Some(path) = &request.out {
        write(path, format!("{text}\n"))?;
    }
    if let Some(path) = &request.plot {
        write(path, plot::svg(&columns, &rows)?)?;
    }
    Ok(())
}

impl Request {
    /// Returns true if `--only` names a measurement, or nothing.
    fn wants(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|part| name.contains(part.as_str()))
    }
}

/// Draws the lines of a table that `--out` has written, perhaps on another machine.
fn draw_table(path: &Path, request: &Request) -> Outcome {
    let text = std::fs::read_to_string(path)
        .map_err(|e| format!("cannot read {}: {e}", path.display()))?;
    let (columns, mut rows) = table::read(&text)?;
    rows.retain(|row| request.wants(&row.name));
    let plot = request.plot.as_ref().ok_or("--from needs --plot")?;
    write(plot, plot::svg(&columns, &rows)?)?;
    Ok(())
}

fn write(path: &Path, text: String) -> Result<(), String> {
    std::fs::write(path, text).map_err(|e| format!("cannot write {}: {e}", path.display()))
}

/// The measurements of a fresh process, in seconds.
#[derive(Debug, Clone, Copy)]
struct Process {
    /// Seconds from the start of the process to the first result.
    first: f64,
    /// Seconds for a build of 200 lines after the first result.
    build: f64,
}

/// Medians by platform: for texts never built before, and for texts that an earlier process has built.
type FirstResults = BTreeMap<String, [Process; 2]>;

/// Measures every driver in processes of its own; drivers that fail there are left out from then on.
fn first_results(vendors: &Vendors) -> Result<FirstResults, String> {
    let mut results = FirstResults::new();
    for folder in &vendors.single {
        let driver = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        eprintln!("time to first result: {driver}");
        let (mut measured, mut platform) = ([Vec::new(), Vec::new()], None);
        for _ in 0..PROCESSES {
            let seed = text::new_seed();
            for times in &mut measured {
                match run_process(vendors, folder, seed) {
                    Ok(Some((name, process))) => {
                        times.push(process);
                        platform = Some(name);
                    }
                    Ok(None) => break,
                    Err(message) => {
                        eprintln!("{driver} is left out: {message}");
                        platform = None;
                        break;
                    }
                }
            }
            if platform.is_none() {
                break;
            }
        }
        if let Some(platform) = platform {
            let file = format!("{driver}.icd");
            std::fs::copy(folder.join(&file), vendors.working.join(&file))
                .map_err(|e| e.to_string())?;
            results.insert(platform, measured.map(|processes| middle(&processes)));
        }
    }
    Ok(results)
}

fn middle(processes: &[Process]) -> Process {
    let median = |of: fn(&Process) -> f64| {
        measure::median(&mut processes.iter().map(of).collect::<Vec<_>>())
    };
    Process { first: median(|p| p.first), build: median(|p| p.build) }
}

/// Runs this program as a fresh process with one driver, whose caches are empty at first; returns the
/// platform's name and the times, or nothing where the driver has no device.
fn run_process(
    vendors: &Vendors,
    driver: &Path,
    seed: u32,
) -> Result<Option<(String, Process)>, String> {
    let program = std::env::current_exe().map_err(|e| e.to_string())?;
    let mut command = Command::new(program);
    command.args(["bench", "--first-result", &seed.to_string()]);
    command.env("OCL_ICD_VENDORS", driver).env_remove("OCL_ICD_FILENAMES");
    command.env("XDG_CACHE_HOME", vendors.root.join("cache")).env_remove("HEKLA_CACHE");
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|e| format!("no process: {e}"))?;
    let start = Instant::now();
    while child.try_wait().map_err(|e| e.to_string())?.is_none() {
        if start.elapsed() > PROCESS_LIMIT {
            let _ = child.kill();
            let _ = child.wait();
            return Err(format!("no result after {} s", PROCESS_LIMIT.as_secs()));
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    let output = child.wait_with_output().map_err(|e| e.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if !output.status.success() {
        return Err(format!("its process failed: {}", output.status));
    }
    // Drivers may print messages of their own; the answer is the last line.
    let line = text.lines().rev().find_map(|line| line.strip_prefix("first-result\t"));
    Ok(line.and_then(|line| {
        let mut parts = line.split('\t');
        let name = parts.next()?.to_string();
        let mut seconds = || parts.next()?.parse().ok();
        Some((name, Process { first: seconds()?, build: seconds()? }))
    }))
}

/// Runs in the fresh process: from the start to a one-line kernel's checked result.
fn first_result(seed: u32, start: Instant) -> Outcome {
    for platform in cl::platforms()? {
        let Some(session) = Session::open(platform)? else { continue };
        let kernel = session.build(&text::one_line(seed), "add", "")?;
        let buffer = session.buffer_of(&[7u32; 64])?;
        kernel.set_buffers(&[&buffer])?;
        session.launch(&kernel, &[64], &[64])?;
        let mut out = [0u32; 64];
        session.read(&buffer, 0, &mut out)?;
        let seconds = start.elapsed().as_secs_f64();
        measure::expect(out == [seed.wrapping_add(7); 64], "the first kernel")?;
        let large = text::Large::new(seed);
        let start = Instant::now();
        drop(session.build(&large.source, "large", "")?);
        let build = start.elapsed().as_secs_f64();
        println!("first-result\t{}\t{seconds}\t{build}", session.platform);
        return Ok(());
    }
    Ok(())
}

fn open_sessions(skip: &[String]) -> Result<Vec<Session>, String> {
    let mut sessions = Vec::new();
    for platform in cl::platforms()? {
        let Some(session) = Session::open(platform)? else { continue };
        let name = session.platform.to_lowercase();
        if !skip.iter().any(|part| name.contains(part)) {
            eprintln!("{}: {}", session.platform, session.device);
            sessions.push(session);
        }
    }
    if !sessions.iter().any(Session::is_hekla) {
        eprintln!("Hekla is not among the platforms: there will be no ratios");
    }
    match sessions.is_empty() {
        true => Err("no OpenCL device".to_string()),
        false => Ok(sessions),
    }
}

/// Lines of the time to the first result.
fn first_rows(sessions: &[Session], first: &FirstResults) -> [Row; 4] {
    let pick = |of: fn(&[Process; 2]) -> f64| {
        let time = |s: &Session| first.get(&s.platform).map(|t| of(t) * 1e3);
        let value = |s: &Session| time(s).ok_or_else(|| "not measured".to_string());
        sessions.iter().map(value).collect()
    };
    let less = |name: &str, values| Row {
        name: name.to_string(),
        unit: "ms".into(),
        better: Better::Less,
        values,
    };
    [
        less("first result in a new process, new text", pick(|t| t[0].first)),
        less("first result in a new process, text seen before", pick(|t| t[1].first)),
        less("build, 200 lines, in a new process, new text", pick(|t| t[0].build)),
        less("build, 200 lines, in a new process, text seen before", pick(|t| t[1].build)),
    ]
}

/// Returns the lines of the measurements within this process: medians of rounds in turn.
fn measured_rows(sessions: &[Session], scale: &Scale, wanted: impl Fn(&str) -> bool) -> Vec<Row> {
    let mut rows = Vec::new();
    for metric in METRICS.iter().filter(|metric| wanted(metric.name)) {
        eprintln!("{}", metric.name);
        let mut values: Vec<Result<Vec<f64>, String>> = vec![Ok(Vec::new()); sessions.len()];
        for _ in 0..ROUNDS {
            for (session, so_far) in sessions.iter().zip(&mut values) {
                let Ok(list) = so_far else { continue };
                match (metric.measure)(session, scale) {
                    Ok(value) => list.push(value),
                    Err(message) => *so_far = Err(message),
                }
            }
        }
        let middle = |v: Result<Vec<f64>, String>| v.map(|mut list| measure::median(&mut list));
        let values: Vec<_> = values.into_iter().map(middle).collect();
        let rate = |v: &Result<f64, String>| v.as_ref().map(|us| 1e6 / us).map_err(String::clone);
        let rates: Vec<_> = values.iter().map(rate).collect();
        rows.push(Row {
            name: metric.name.to_string(),
            unit: metric.unit.into(),
            better: metric.better,
            values,
        });
        if metric.name == DEPENDENT_LAUNCH {
            let name = "dependent launches".to_string();
            rows.push(Row { name, unit: "1/s".into(), better: Better::More, values: rates });
        }
    }
    rows
}

/// Returns a platform's column of the table.
fn column(session: &Session) -> Column {
    Column { title: session.platform.clone(), is_hekla: session.is_hekla() }
}

/// Returns the rows of all measurements.
fn rows(sessions: &[Session], first: &FirstResults, scale: &Scale, request: &Request) -> Vec<Row> {
    eprintln!("{scale:?}");
    let wanted = |name: &str| request.wants(name);
    let mut rows: Vec<Row> = first_rows(sessions, first).into();
    rows.extend(measured_rows(sessions, scale, wanted));
    rows.extend(functions::rows(sessions, scale, wanted));
    rows.extend(subgroups::rows(sessions, scale, wanted));
    rows.extend(programs::rows(sessions, wanted));
    rows
}

/// Writes the table.
fn report(
    sessions: &[Session],
    scale: &Scale,
    columns: &[Column],
    rows: &[Row],
) -> Result<String, String> {
    let mut text = String::new();
    for session in sessions {
        let Session { platform, device, driver, .. } = session;
        text.push_str(&format!("- {platform}: {device}, driver {driver}\n"));
    }
    let Scale { stream, transfer, matrix, .. } = scale;
    text.push_str(&format!(
        "- medians of {ROUNDS} rounds in turn in one process ({PROCESSES} new processes for the first \
         result); arrays of {} MiB, transfers of {} MiB, matrices of {matrix} x {matrix}\n\n",
        stream >> 20,
        transfer >> 20
    ));
    text.push_str(&table::render(columns, rows).map_err(|e| e.to_string())?);
    Ok(text)
}
