//! `cargo xtask ulp`: the largest errors of the built-in math functions on a device, for `docs/accuracy.md`.
//!
//! `xtask ulp --library libhekla.so --results DIR` needs neither cargo nor the sources: the two files can be carried to
//! another machine, and the files that it writes to `docs/accuracy/` here.

mod arguments;
mod error;
mod format;
mod functions;
mod measure;
mod near;
mod quad;
mod results;
mod row;
mod tally;

use crate::bench::cl::{self, Session};
use crate::vendors::Vendors;
use crate::{artifact, options, system, Outcome};
use format::Format;
use measure::Support;
use results::Device;
use row::{Bound, Row};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Options of the command: which functions are measured.
#[derive(clap::Args)]
pub struct Request {
    /// Calls of each function, as 1000 or 2^20
    #[arg(long = "arguments", value_name = "N", default_value = "2^20", value_parser = number)]
    calls: u64,
    /// Call functions with everything there is, if that is not more than 2^32 calls
    #[arg(long)]
    exhaustive: bool,
    /// Parts of the names of functions; without one all
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
    /// half, float or double; without it all
    #[arg(long = "type", value_name = "TYPE")]
    format: Option<Format>,
    /// The library; built when none is given
    #[arg(long, value_name = "FILE", value_parser = options::existing)]
    library: Option<PathBuf>,
    /// Folder of the other platforms' .icd files; none are measured without
    #[arg(long, value_name = "DIR")]
    vendors: Option<PathBuf>,
    /// Parts of the names of platforms that are left out
    #[arg(long, value_name = "NAME", value_parser = options::lower)]
    skip: Vec<String>,
    /// Folder of what is measured
    #[arg(long, value_name = "DIR")]
    results: Option<PathBuf>,
    /// No function is begun after that
    #[arg(long = "seconds", value_name = "N", value_parser = options::seconds)]
    limit: Option<Duration>,
    /// Write the document of what was measured before
    #[arg(long)]
    render: bool,
}

/// Runs the command.
pub fn run(request: &Request) -> Outcome {
    let start = Instant::now();
    let docs = || system::root().join("docs");
    if !request.render {
        let folder = request.results.clone().unwrap_or_else(|| docs().join("accuracy"));
        let beyond = measure_all(request, start, &folder)?;
        println!("measured in {:.0} s", start.elapsed().as_secs_f64());
        if request.results.is_none() {
            render(&docs())?;
        }
        return match beyond {
            0 => Ok(()),
            _ => Err(format!("{beyond} functions of Hekla's are beyond their bounds")),
        };
    }
    render(&docs())
}

/// Writes `accuracy.md` from the files in `accuracy/`.
fn render(docs: &std::path::Path) -> Outcome {
    let devices = results::load(&docs.join("accuracy"))?;
    let path = docs.join("accuracy.md");
    std::fs::write(&path, results::document(&devices, &hekla_xtask::results::stamp()?))
        .map_err(|e| format!("cannot write {}: {e}", path.display()))
}

/// Returns the number of a text like `1000` or `2^20`.
fn number(text: &str) -> Result<u64, String> {
    let parsed = match text.split_once('^') {
        Some((base, exponent)) => base.parse::<u64>().ok().zip(exponent.parse().ok()),
        None => text.parse().ok().map(|number| (number, 1)),
    };
    let power = parsed.and_then(|(base, exponent)| base.checked_pow(exponent));
    power.ok_or_else(|| format!("no number: {text}"))
}

/// Measures all platforms, writes their files, and returns how many of Hekla's functions exceed their bounds.
fn measure_all(
    request: &Request,
    start: Instant,
    folder: &std::path::Path,
) -> Result<usize, String> {
    let library = artifact::given_or_built(request.library.as_deref())?;
    let none = PathBuf::new();
    let others = request.vendors.as_ref().unwrap_or(&none);
    let vendors = Vendors::new(others, &request.skip, &library)?;
    let alone = if request.vendors.is_some() { usize::MAX } else { 1 };
    vendors.enable(vendors.single.iter().take(alone))?;
    std::env::set_var("HEKLA_CACHE", "0");
    let mut beyond = 0;
    let mut sessions = Vec::new();
    for platform in cl::platforms()? {
        sessions.extend(Session::open(platform)?);
    }
    let mut devices: Vec<Device> = sessions.iter().map(device).collect();
    for format in
        Format::ALL.iter().filter(|format| request.format.is_none_or(|only| only == **format))
    {
        for row in functions::all().filter(|row| is_wanted(row, *format, request)) {
            for (session, device) in sessions.iter().zip(&mut devices) {
                if measure::support(session, *format) == Support::Absent
                    || request.limit.is_some_and(|limit| start.elapsed() > limit)
                {
                    continue;
                }
                let all = row.all_calls(*format).filter(|_| request.exhaustive);
                let calls = all.unwrap_or(request.calls);
                let within = measure_one(session, device, row, *format, calls);
                beyond += usize::from(session.is_hekla() && !within);
            }
        }
    }
    for device in &devices {
        println!("{}", device.store(folder)?.display());
    }
    Ok(beyond)
}

fn device(session: &Session) -> Device {
    Device {
        platform: session.platform.clone(),
        name: session.device.clone(),
        driver: session.driver.clone(),
        ..Device::default()
    }
}

fn is_wanted(row: &Row, format: Format, request: &Request) -> bool {
    let named = request.only.is_empty() || request.only.iter().any(|name| name == row.name);
    named && !matches!(row.bound(format), Bound::Absent)
}

/// Measures a function, reports its error, and returns true if it is within its bound.
fn measure_one(
    session: &Session,
    device: &mut Device,
    row: &Row,
    format: Format,
    calls: u64,
) -> bool {
    let start = Instant::now();
    let outcome = match measure::measure(session, row, format, calls) {
        Ok(tally) => results::Outcome::of(tally),
        Err(message) => results::Outcome::broken(&message),
    };
    let within = outcome.is_within(row.bound(format));
    let mark = if within { "" } else { "  BEYOND ITS BOUND" };
    let (platform, seconds) = (&session.platform, start.elapsed().as_secs_f64());
    println!("{platform}, {} of {}: {seconds:.1} s, {outcome:?}{mark}", row.name, format.name());
    device.results.insert((format, row.name), outcome);
    within
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_may_be_powers() {
        assert_eq!(number("2^20"), Ok(1 << 20));
        assert_eq!(number("77"), Ok(77));
        assert!(number("2^64").is_err() && number("x").is_err());
    }
}
