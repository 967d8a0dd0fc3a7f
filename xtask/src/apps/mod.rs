//! `cargo xtask apps [NAME...]`: programs that nobody here wrote, from Debian's packages, whose OpenCL kernels make
//! pictures, most of them with images, and SYCL programs from PyPI, whose kernels are SPIR-V and make numbers. Each check
//! runs one on a driver and compares what it makes with what PoCL or the same program without OpenCL makes.
//!
//! PoCL is the reference of ffmpeg's frames, and `--vendor pocl` runs everything on it. Of PoCL 3.1 (Debian 12) all
//! is as it should be but OpenCV's HOG, in which it hangs.

mod darktable;
mod dng;
mod ffmpeg;
mod gegl;
pub mod llama;
mod opencv;
mod picture;
mod sycl;
mod vendor;

use crate::driver::Driver;
use crate::{artifact, system, Outcome};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use vendor::Vendor;

/// What one check measured, or why it failed.
type Measure = Result<String, String>;

/// A picture that agrees with its reference to this peak signal-to-noise ratio passes.
const DECIBELS: f64 = 50.0;

/// An application, and what is checked of it.
struct App {
    name: &'static str,
    packages: &'static [&'static str],
    checks: Vec<Check>,
}

struct Check {
    name: String,
    run: Box<dyn Fn(&Bench) -> Measure>,
}

impl Check {
    fn new(name: impl Into<String>, run: impl Fn(&Bench) -> Measure + 'static) -> Check {
        Check { name: name.into(), run: Box::new(run) }
    }
}

/// What checks run with.
struct Bench {
    vendor: Vendor,
    /// What ffmpeg's frames are compared with.
    reference: Vendor,
    /// A folder of this run's own, empty in the beginning: also the programs' home.
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

    /// Runs a command to its end, or to the time limit; returns what it printed on standard error, after
    /// standard output if that goes nowhere else.
    fn finish(&self, command: &mut Command) -> Result<String, String> {
        let log = self.folder.join("log");
        let open = || std::fs::File::create(&log).and_then(|file| Ok((file.try_clone()?, file)));
        let (output, errors) = open().map_err(|e| format!("{}: {e}", log.display()))?;
        command.stdout(output).stderr(errors);
        let status = system::wait(command, self.limit)?.ok_or("takes too long")?;
        let text = String::from_utf8_lossy(&std::fs::read(&log).unwrap_or_default()).into_owned();
        match status.success() {
            true => Ok(text),
            false => Err(format!("{status}\n{}", tail(&text))),
        }
    }

    /// Returns how many kernels the last client ran, in words; an error if none.
    fn kernels(&self) -> Result<String, String> {
        match self.vendor.kernels(&self.folder) {
            Some(0) => Err("no kernel ran".to_string()),
            Some(count) => Ok(format!("{count} kernels")),
            None => Ok("kernels not counted".to_string()),
        }
    }
}

/// Command line.
struct Request {
    /// Parts of the names of the checks to run; none: all.
    words: Vec<String>,
    vendor: String,
    vendors: PathBuf,
    driver: Option<Driver>,
    library: Option<PathBuf>,
    limit: Duration,
}

/// Runs the command.
pub fn run(args: &[String]) -> Outcome {
    let request = parse(args)?;
    let mut apps = vec![ffmpeg::app(), darktable::app(), opencv::app(), gegl::app()];
    apps.extend([llama::app(), sycl::app()]);
    for app in &mut apps {
        app.checks.retain(|check| {
            let name = format!("{} {}", app.name, check.name);
            request.words.is_empty() || request.words.iter().any(|word| name.contains(word))
        });
    }
    apps.retain(|app| !app.checks.is_empty());
    if apps.is_empty() {
        return Err("no check has such a name".to_string());
    }
    system::ensure_packages(&["clinfo", "pocl-opencl-icd"])?;
    let packages: Vec<&str> = apps.iter().flat_map(|app| app.packages).copied().collect();
    system::ensure_packages(&packages)?;
    let bench = bench(&request)?;
    println!("on {}", bench.vendor.describe());
    let (mut passed, mut failed) = (0, 0);
    for app in &apps {
        for check in &app.checks {
            match report(app, check, &bench) {
                true => passed += 1,
                false => failed += 1,
            }
        }
    }
    println!("\n{passed} passed, {failed} failed");
    match failed {
        0 => Ok(()),
        _ => Err(format!("{failed} checks failed")),
    }
}

/// Runs a check and prints its line; returns true if it passed.
fn report(app: &App, check: &Check, bench: &Bench) -> bool {
    let start = Instant::now();
    let measure = (check.run)(bench);
    let seconds = start.elapsed().as_secs_f64();
    let (word, text) = match &measure {
        Ok(text) => ("ok", text.trim_end()),
        Err(text) => ("FAILED", text.trim_end()),
    };
    println!("{:<10}{:<30}{word:<8}{text} ({seconds:.1} s)", app.name, check.name);
    measure.is_ok()
}

fn bench(request: &Request) -> Result<Bench, String> {
    let folder = std::env::temp_dir().join(format!("hekla-apps-{}", std::process::id()));
    fresh(&folder)?;
    let reference = Vendor::installed("pocl", &request.vendors)?;
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

impl Drop for Bench {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn parse(args: &[String]) -> Result<Request, String> {
    let mut request = Request {
        words: Vec::new(),
        vendor: "hekla".to_string(),
        vendors: "/etc/OpenCL/vendors".into(),
        driver: None,
        library: None,
        limit: Duration::from_secs(300),
    };
    let mut words = args.iter();
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("{word} needs a value"));
        match word.as_str() {
            "--vendor" => request.vendor = value()?.clone(),
            "--vendors" => request.vendors = value()?.into(),
            "--driver" => request.driver = Some(Driver::named(value()?)?),
            "--library" => {
                let path = value()?;
                let full = std::fs::canonicalize(path).map_err(|e| format!("{path}: {e}"))?;
                request.library = Some(full);
            }
            "--seconds" => {
                let seconds = value()?.parse().map_err(|_| "--seconds needs a number")?;
                request.limit = Duration::from_secs(seconds);
            }
            option if option.starts_with('-') => return Err(format!("unknown option '{option}'")),
            part => request.words.push(part.to_string()),
        }
    }
    Ok(request)
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
