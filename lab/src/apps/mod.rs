//! `cargo xtask apps [NAME...]`: programs by others, from Debian, PyPI and public repositories; SYCL programs among
//! them, whose kernels are SPIR-V. Each check runs a program on a driver and judges its results: by the program's own
//! tests (`programs.toml`), or by comparison with PoCL or with the same program without OpenCL.
//!
//! `--prepared FOLDER` takes the programs from a folder, for a machine where nothing can be installed (`prepare.rs`).
//! PoCL is the reference of ffmpeg's frames, and `--vendor pocl` runs everything on it; `--beside pocl` measures PoCL,
//! too. `--jobs 4` checks four programs at once, where processors and devices are many. With PoCL 3.1 (Debian 12)
//! OpenCV's HOG hangs.

mod darktable;
mod dng;
mod ffmpeg;
mod gegl;
mod judge;
pub mod llama;
mod opencv;
mod picture;
mod prepare;
mod programs;
mod record;
mod sycl;
mod vendor;

use crate::driver::Driver;
use crate::{artifact, options, pool, system, Outcome};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use vendor::Vendor;

/// The result of one check in words, or the reason why it failed.
type Measure = Result<String, String>;

/// A picture that agrees with its reference to this peak signal-to-noise ratio passes.
const DECIBELS: f64 = 50.0;

/// An application and its checks.
struct App {
    name: String,
    /// The application and its checks in a few words.
    what: String,
    /// The Debian packages that it needs.
    packages: Vec<String>,
    /// Where the program comes from, unless Debian packages alone install it.
    place: Option<prepare::Installation>,
    checks: Vec<Check>,
    /// The number of its checks that were not selected.
    left_out: usize,
    /// Failures that are not the driver's fault.
    known: Vec<judge::Known>,
}

impl App {
    fn new(name: &str, packages: &[&str], checks: Vec<Check>) -> App {
        App {
            name: name.to_string(),
            what: String::new(),
            packages: packages.iter().map(|package| package.to_string()).collect(),
            place: None,
            checks,
            left_out: 0,
            known: Vec::new(),
        }
    }

    /// Keeps the checks whose names, after the program's, contain one of the words; keeps all without words. A word
    /// that is the name of a program selects that program alone.
    fn pick(&mut self, words: &[String], names: &[String]) {
        let all = self.checks.len();
        self.checks.retain(|check| {
            let name = format!("{} {}", self.name, check.name);
            let is_of = |word: &String| match names.contains(word) {
                true => *word == self.name,
                false => name.contains(word),
            };
            words.is_empty() || words.iter().any(is_of)
        });
        self.left_out = all - self.checks.len();
    }

    fn what(self, what: &str) -> App {
        App { what: what.to_string(), ..self }
    }
}

struct Check {
    name: String,
    run: Box<dyn Fn(&Bench) -> Measure + Send + Sync>,
}

impl Check {
    fn new(
        name: impl Into<String>,
        run: impl Fn(&Bench) -> Measure + Send + Sync + 'static,
    ) -> Check {
        Check { name: name.into(), run: Box::new(run) }
    }
}

/// The environment of checks: folders, drivers and the programs to compare with.
struct Bench {
    vendor: Vendor,
    /// The driver whose frames ffmpeg's frames are compared with, if there is one.
    reference: Result<Vendor, String>,
    /// A folder of this run, empty in the beginning; it is also the programs' home.
    folder: PathBuf,
    limit: Duration,
}

impl Bench {
    /// Returns a command that sees one driver alone, with a fresh trace.
    fn client(&self, vendor: &Vendor, program: &str) -> Result<Command, String> {
        let mut command = vendor.command(program, &self.folder)?;
        command.stdin(Stdio::null());
        Ok(command)
    }

    /// Runs a command to its end, or to the time limit; returns its standard output, unless that is redirected, and
    /// then its standard error.
    fn finish(&self, command: &mut Command) -> Result<String, String> {
        let (status, text) = self.run(command)?;
        match status.success() {
            true => Ok(text),
            false => Err(format!("{status}\n{}", tail(&text))),
        }
    }

    /// Does the same for a command that may fail; also returns its status.
    fn run(&self, command: &mut Command) -> Result<(ExitStatus, String), String> {
        let log = self.folder.join("log");
        let open = || std::fs::File::create(&log).and_then(|file| Ok((file.try_clone()?, file)));
        let (output, errors) = open().map_err(|e| format!("{}: {e}", log.display()))?;
        command.stdout(output).stderr(errors);
        let status = system::wait(command, self.limit)?.ok_or("takes too long")?;
        let text = String::from_utf8_lossy(&std::fs::read(&log).unwrap_or_default()).into_owned();
        Ok((status, text))
    }

    /// Returns how many kernels the last client ran, in words; returns an error if it ran none.
    fn kernels(&self) -> Result<String, String> {
        match self.vendor.kernels(&self.folder) {
            Some(0) => Err("no kernel ran".to_string()),
            Some(count) => Ok(format!("{count} kernels")),
            None => Ok("kernels not counted".to_string()),
        }
    }
}

/// Options of the command: which programs, and on which driver.
#[derive(clap::Args)]
pub struct Request {
    /// Parts of the names of the checks to run; without one all
    words: Vec<String>,
    /// The driver that is checked: part of the name of its .icd file
    #[arg(long, value_name = "NAME", default_value = "hekla")]
    vendor: String,
    /// Folder of the other platforms' .icd files
    #[arg(long, value_name = "DIR", default_value = options::VENDORS)]
    vendors: PathBuf,
    /// A driver whose seconds are measured too
    #[arg(long, value_name = "NAME")]
    beside: Option<String>,
    /// The device whose table in docs/programs.md is written
    #[arg(long, value_name = "DEVICE")]
    record: Option<String>,
    /// The Vulkan driver; what the machine has without
    #[arg(long, value_name = "NAME")]
    driver: Option<Driver>,
    /// The library; built when none is given
    #[arg(long, value_name = "FILE", value_parser = options::existing)]
    library: Option<PathBuf>,
    /// Time limit of one check
    #[arg(long = "seconds", value_name = "N", default_value = "600", value_parser = options::seconds)]
    limit: Duration,
    /// How many programs are checked at once
    #[arg(long, value_name = "N", default_value_t = 1)]
    jobs: usize,
    /// A folder with the programs, where nothing can be installed
    #[arg(long, value_name = "FOLDER")]
    prepared: Option<String>,
}

/// Runs the command.
pub fn run(request: &Request) -> Outcome {
    if let Some(folder) = &request.prepared {
        prepare::take_from(folder)?;
    }
    let apps = match prepare::prepared()? {
        Some(names) if request.words.is_empty() => chosen(&names)?,
        _ => chosen(&request.words)?,
    };
    prepare(&apps)?;
    let bench = bench(request)?;
    let beside = request.beside.as_ref().map(|name| bench.beside(name, request)).transpose()?;
    println!("on {}", bench.vendor.describe());
    let mut tallies = Vec::new();
    measure_all(&apps, request.jobs, &bench, beside.as_ref(), |app, tally| {
        match &request.record {
            Some(device) if app.left_out == 0 => {
                let name = beside.as_ref().map_or("PoCL", |beside| beside.vendor.name());
                record::write(device, name, app, &tally)?;
            }
            Some(_) => println!("{}: not recorded, {} checks left out", app.name, app.left_out),
            None => {}
        }
        tallies.push(tally);
        Ok(())
    })?;
    let passed: usize = tallies.iter().map(|tally| tally.passed).sum();
    let failed: usize = tallies.iter().map(|tally| tally.failed).sum();
    let whole = tallies.iter().filter(|tally| tally.failed == 0).count();
    println!("\n{whole} of {} programs; {passed} checks passed, {failed} failed", apps.len());
    match failed {
        0 => Ok(()),
        _ => Err(format!("{failed} checks failed")),
    }
}

/// Returns the programs and checks whose names have one of the words; all without words.
fn chosen(words: &[String]) -> Result<Vec<App>, String> {
    let mut apps = vec![ffmpeg::app(), darktable::app(), opencv::app(), gegl::app()];
    apps.extend([llama::app(), sycl::app()]);
    apps.extend(programs::apps()?);
    let names: Vec<String> = apps.iter().map(|app| app.name.clone()).collect();
    apps.iter_mut().for_each(|app| app.pick(words, &names));
    apps.retain(|app| !app.checks.is_empty());
    match apps.is_empty() {
        true => Err("no check has such a name".to_string()),
        false => Ok(apps),
    }
}

/// Installs missing programs.
fn prepare(apps: &[App]) -> Outcome {
    if prepare::prepared()?.is_some() {
        return Ok(());
    }
    system::ensure_packages(&["clinfo", "pocl-opencl-icd"])?;
    let packages: Vec<&str> =
        apps.iter().flat_map(|app| &app.packages).map(String::as_str).collect();
    system::ensure_packages(&packages)?;
    apps.iter().filter_map(|app| app.place.as_ref()).try_for_each(prepare::Installation::prepare)
}

/// Runs the checks of all programs, `jobs` programs at once, and passes on the outcome of each, in the order of the programs.
fn measure_all(
    apps: &[App],
    jobs: usize,
    bench: &Bench,
    beside: Option<&Bench>,
    mut each: impl FnMut(&App, record::Tally) -> Outcome,
) -> Outcome {
    let run = |app: &App| {
        let beside = beside.map(|beside| beside.of(app)).transpose()?;
        Ok::<_, String>(measure(app, &bench.of(app)?, beside.as_ref()))
    };
    pool::in_order(apps, jobs, run, |app, tally| each(app, tally?))
}

/// Runs a program's checks and prints a line of each.
fn measure(app: &App, bench: &Bench, beside: Option<&Bench>) -> record::Tally {
    let mut tally = record::Tally { beside: beside.map(|_| (0.0, 0)), ..Default::default() };
    for check in &app.checks {
        let (measure, seconds) = timed(check, bench);
        let (word, text) = match &measure {
            Ok(text) => ("ok", text.trim_end()),
            Err(text) => ("FAILED", text.trim_end()),
        };
        let mut line =
            format!("{:<18}{:<30}{word:<8}{text} ({seconds:.1} s)", app.name, check.name);
        match measure {
            Ok(_) => tally.passed += 1,
            Err(_) => tally.failed += 1,
        }
        tally.seconds += seconds;
        if let (Some(other), Some((sum, missing))) = (beside, &mut tally.beside) {
            match timed(check, other) {
                (Ok(_), seconds) => {
                    line += &format!(", {} {seconds:.1} s", other.vendor.name());
                    *sum += seconds;
                }
                (Err(why), _) => {
                    let first = why.lines().next().unwrap_or_default();
                    line += &format!(", {} fails: {first}", other.vendor.name());
                    *missing += 1;
                }
            }
        }
        // Printed in one piece, since other programs may be checked at the same time.
        println!("{line}");
    }
    tally
}

fn timed(check: &Check, bench: &Bench) -> (Measure, f64) {
    let start = Instant::now();
    let measure = (check.run)(bench);
    (measure, start.elapsed().as_secs_f64())
}

fn bench(request: &Request) -> Result<Bench, String> {
    let folder = std::env::temp_dir().join(format!("hekla-apps-{}", std::process::id()));
    fresh(&folder)?;
    let reference = Vendor::installed("pocl", &request.vendors);
    let mut vendor = match (request.vendor.as_str(), &request.library) {
        ("hekla", Some(library)) => Vendor::hekla(library.clone()),
        ("hekla", None) => {
            if request.driver.is_none() {
                artifact::find_device()?;
            }
            Vendor::hekla(artifact::build()?)
        }
        (name, _) => Vendor::installed(name, &request.vendors)?,
    };
    vendor.driver = request.driver.map(Driver::install).transpose()?;
    vendor.ask_device(&folder)?;
    Ok(Bench { vendor, reference, folder, limit: request.limit })
}

impl Bench {
    /// Returns the environment of a program's checks: a folder of its own, so that other checks can run at the same time.
    fn of(&self, app: &App) -> Result<Bench, String> {
        let folder = self.folder.join(&app.name);
        fresh(&folder)?;
        let Bench { vendor, reference, limit, .. } = self;
        Ok(Bench { vendor: vendor.clone(), reference: reference.clone(), folder, limit: *limit })
    }

    /// Returns the environment of checks on another driver.
    fn beside(&self, name: &str, request: &Request) -> Result<Bench, String> {
        let folder = self.folder.with_extension("beside");
        fresh(&folder)?;
        let reference = Vendor::installed("pocl", &request.vendors);
        let mut vendor = Vendor::installed(name, &request.vendors)?;
        vendor.ask_device(&folder)?;
        Ok(Bench { vendor, reference, folder, limit: self.limit })
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// Makes an empty folder.
fn fresh(folder: &Path) -> Outcome {
    let _ = std::fs::remove_dir_all(folder);
    std::fs::create_dir_all(folder).map_err(|e| format!("cannot make {}: {e}", folder.display()))
}

/// Writes a file that a program is to read.
fn write(path: &Path, bytes: impl AsRef<[u8]>) -> Outcome {
    std::fs::write(path, bytes).map_err(|e| format!("cannot write {}: {e}", path.display()))
}

/// Returns the last lines of a log.
fn tail(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(12)..].join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;

    #[test]
    fn programs_run_at_once_in_folders_of_their_own() {
        let folder = std::env::temp_dir().join(format!("hekla-at-once-{}", std::process::id()));
        fresh(&folder).unwrap();
        let reference = Err("none".to_string());
        let vendor = Vendor::hekla("libhekla.so".into());
        let bench = Bench { vendor, reference, folder, limit: Duration::from_secs(1) };
        // Each check waits for the others, and finds none of their files.
        let meeting: &'static Barrier = Box::leak(Box::new(Barrier::new(3)));
        let check = |bench: &Bench| {
            let files = std::fs::read_dir(&bench.folder).into_iter().flatten().count();
            meeting.wait();
            let written = write(&bench.folder.join("log"), "");
            meeting.wait();
            match files {
                0 => written.map(|()| String::new()),
                _ => Err("the folder is not empty".to_string()),
            }
        };
        let names = ["c", "a", "b"];
        let apps = names.map(|name| App::new(name, &[], vec![Check::new("check", check)]));
        let mut seen = Vec::new();
        let each = |app: &App, tally: record::Tally| {
            seen.push((app.name.clone(), tally.passed, tally.failed));
            Ok(())
        };
        measure_all(&apps, 3, &bench, None, each).unwrap();
        assert_eq!(seen, names.map(|name| (name.to_string(), 1, 0)));
    }

    #[test]
    fn a_word_picks_a_program_whole_or_in_part() {
        let picked = |word: &str| {
            let checks = ["bfs", "sort"].map(|name| Check::new(name, |_| Ok(String::new())));
            let mut app = App::new("graphs", &[], checks.into());
            app.pick(&[word.to_string()], &["graphs".to_string(), "graph".to_string()]);
            (app.checks.len(), app.left_out)
        };
        assert_eq!([picked("graphs"), picked("sort"), picked("graph")], [(2, 0), (1, 1), (0, 2)]);
    }
}
