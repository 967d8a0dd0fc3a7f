//! The measured results: files with a line for each function on a device, and the document that is made of them.

use super::format::{hex, Format};
use super::functions;
use super::row::{Bound, Row};
use super::tally::{Call, Tally};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// A function of one type.
pub type Key = (Format, &'static str);

/// A device, and the results on it.
#[derive(Debug, Clone, Default)]
pub struct Device {
    pub platform: String,
    pub name: String,
    pub driver: String,
    pub results: BTreeMap<Key, Outcome>,
}

/// The result of the measurement of a function.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    Measured {
        calls: u64,
        error: f64,
        worst: String,
        failures: u64,
        failure: String,
    },
    /// The program did not build, or did not run.
    Broken(String),
}

impl Outcome {
    pub fn of(tally: Tally) -> Outcome {
        Outcome::Measured {
            calls: tally.calls,
            error: tally.error,
            worst: text(&tally.worst),
            failures: tally.failures,
            failure: text(&tally.failure),
        }
    }

    /// Returns the outcome of a function that does not run, with the reason in one line.
    pub fn broken(why: &str) -> Outcome {
        let why = why.split_whitespace().collect::<Vec<_>>().join(" ");
        Outcome::Broken(why.replace('|', "/").chars().take(300).collect())
    }

    /// Returns true if the results are within a bound.
    pub fn is_within(&self, bound: Bound) -> bool {
        match self {
            Outcome::Measured { error, failures, .. } => {
                matches!(bound, Bound::None) || (*error <= bound.limit() && *failures == 0)
            }
            Outcome::Broken(_) => false,
        }
    }
}

fn text(call: &Call) -> String {
    let values: Vec<String> = call.values.iter().map(|x| hex(*x)).collect();
    match values.is_empty() {
        true => String::new(),
        false => format!("({}) = {}", values.join(", "), hex(call.result)),
    }
}

impl Device {
    pub fn is_hekla(&self) -> bool {
        self.platform.contains("Hekla")
    }

    /// Returns the name of the device's file.
    fn file_name(&self) -> String {
        let name = format!("{} {}", self.platform, self.name).to_lowercase();
        let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { ' ' };
        let words: String = name.chars().map(plain).collect();
        let words: Vec<&str> = words.split_whitespace().take(5).collect();
        format!("{}.tsv", words.join("-"))
    }

    /// Adds results to the device's file in a folder.
    pub fn store(&self, folder: &Path) -> Result<PathBuf, String> {
        let path = folder.join(self.file_name());
        let mut device = self.clone();
        if let Ok(text) = std::fs::read_to_string(&path) {
            let mut results = parse(&text)?.results;
            results.extend(std::mem::take(&mut device.results));
            device.results = results;
        }
        std::fs::create_dir_all(folder).map_err(|e| e.to_string())?;
        std::fs::write(&path, device.to_text()).map_err(|e| e.to_string())?;
        Ok(path)
    }

    fn to_text(&self) -> String {
        let mut text = format!("{}\t{}\t{}\n", self.platform, self.name, self.driver);
        for ((format, name), outcome) in &self.results {
            let _ = match outcome {
                Outcome::Measured { calls, error, worst, failures, failure } => writeln!(
                    text,
                    "{}\t{name}\t{calls}\t{error}\t{worst}\t{failures}\t{failure}",
                    format.name()
                ),
                Outcome::Broken(why) => writeln!(text, "{}\t{name}\t{why}", format.name()),
            };
        }
        text
    }
}

/// Reads a device's file. Lines of functions that are no longer known are left out.
fn parse(text: &str) -> Result<Device, String> {
    let mut lines = text.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let Some([platform, name, driver]) = lines
        .next()
        .as_deref()
        .map(|p| p.to_vec())
        .and_then(|parts| <[&str; 3]>::try_from(parts).ok())
    else {
        return Err("the first line does not name a device".to_string());
    };
    let [platform, name, driver] = [platform, name, driver].map(str::to_string);
    let mut results = BTreeMap::new();
    for parts in lines {
        let [format, name, rest @ ..] = parts.as_slice() else { continue };
        let format = Format::ALL.into_iter().find(|f| f.name() == *format);
        let row = functions::all().find(|row| row.name == *name);
        let (Some(format), Some(row)) = (format, row) else { continue };
        let outcome = match rest {
            [calls, error, worst, failures, failure] => Outcome::Measured {
                calls: calls.parse().map_err(|_| format!("no number: {calls}"))?,
                error: error.parse().map_err(|_| format!("no number: {error}"))?,
                worst: worst.to_string(),
                failures: failures.parse().map_err(|_| format!("no number: {failures}"))?,
                failure: failure.to_string(),
            },
            _ => Outcome::Broken(rest.join(" ")),
        };
        results.insert((format, row.name), outcome);
    }
    Ok(Device { platform, name, driver, results })
}

/// Reads all devices' files of a folder: Hekla's first.
pub fn load(folder: &Path) -> Result<Vec<Device>, String> {
    let entries = crate::system::read_folder(folder)?;
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|file| file.extension().is_some_and(|e| e == "tsv"));
    files.sort();
    let mut devices = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).map_err(|e| e.to_string())?;
        devices.push(parse(&text).map_err(|e| format!("{}: {e}", file.display()))?);
    }
    devices.sort_by_key(|device| !device.is_hekla());
    Ok(devices)
}

const INTRODUCTION: &str = "\
# Accuracy

The largest errors of the built-in math functions that were found, in ulp as OpenCL C 7.4 defines them, beside its
bounds for the full profile. `cargo xtask ulp` measures and writes this page; `docs/accuracy/` holds what it measured.

- *rounded*: the nearest number is demanded, \"correctly rounded\" or \"0 ulp\": an error of 0.5 at most.
- *absolute*: the error is in parts of the absolute error that is allowed, 1 at most.
- *none*: nothing is demanded. Of `native_` functions of angles, those from -pi to pi are measured.
- **Bold** is beyond the bound; *failures* are NaN, infinity or a zero of the wrong sign where 7.5 prescribes something else.
- References are glibc's functions of doubles for halves and floats (good to 1e-8 ulp), of 113 bits for doubles.
- Devices without subnormal numbers may flush values and results (7.5.3).
- *all*: every number, or every pair of numbers, was tried. Of the other functions, special values in all combinations
  and samples that are denser where functions are hard; how many, the list of devices says.
";

/// Returns the document.
pub fn document(devices: &[Device], stamp: &str) -> String {
    let mut text = INTRODUCTION.replacen("# Accuracy\n", &format!("# Accuracy\n\n{stamp}\n"), 1);
    text.push_str("\n## Devices\n\n");
    for (index, device) in devices.iter().enumerate() {
        let Device { platform, name, driver, .. } = device;
        let samples = samples(device);
        let _ = writeln!(
            text,
            "{}. {platform}: {name}, driver {driver}; {samples} calls of a function",
            index + 1
        );
    }
    for format in Format::ALL {
        if !devices.iter().any(|device| device.results.keys().any(|key| key.0 == format)) {
            continue;
        }
        let _ = write!(text, "\n## {}\n\n", format.name());
        table(&mut text, devices, format);
    }
    text
}

/// Returns the smallest and the largest number of calls of the functions that were not called with all arguments.
fn samples(device: &Device) -> String {
    let calls = device.results.iter().filter_map(|((format, name), outcome)| {
        let row = functions::all().find(|row| row.name == *name)?;
        match outcome {
            Outcome::Measured { calls, .. } if row.all_calls(*format) != Some(*calls) => {
                Some(*calls)
            }
            _ => None,
        }
    });
    let (least, most) = calls.fold((u64::MAX, 0), |(a, b), calls| (a.min(calls), b.max(calls)));
    match most {
        0 => "all".to_string(),
        _ => format!("{:.1e} to {:.1e}", least as f64, most as f64),
    }
}

fn table(text: &mut String, devices: &[Device], format: Format) {
    let shown: Vec<(usize, &Device)> = devices
        .iter()
        .enumerate()
        .filter(|(_, device)| device.results.keys().any(|key| key.0 == format))
        .collect();
    text.push_str("| function | bound |");
    for (index, device) in &shown {
        let _ = write!(text, " {}: {} | at |", index + 1, device.platform);
    }
    let _ = writeln!(text, "\n| --- | --- |{}", " ---: | --- |".repeat(shown.len()));
    for row in functions::all().filter(|row| !matches!(row.bound(format), Bound::Absent)) {
        let outcomes: Vec<Option<&Outcome>> =
            shown.iter().map(|(_, device)| device.results.get(&(format, row.name))).collect();
        if outcomes.iter().all(Option::is_none) {
            continue;
        }
        let _ = write!(text, "| `{}` | {} |", row.name, row.bound(format).text());
        for outcome in outcomes {
            text.push_str(&cells(outcome, row, format));
        }
        text.push('\n');
    }
}

/// Returns the cells of a function on a device.
fn cells(outcome: Option<&Outcome>, row: &Row, format: Format) -> String {
    let Some(outcome) = outcome else { return " | |".to_string() };
    let bold = if outcome.is_within(row.bound(format)) { "" } else { "**" };
    match outcome {
        Outcome::Broken(why) => {
            let why: String = why.chars().take(80).collect();
            format!(" {bold}does not run{bold} | {why} |")
        }
        Outcome::Measured { calls, error, worst, failures, failure } => {
            let failed = match failures {
                0 => String::new(),
                _ => format!("; {failures} failures: {failure}"),
            };
            let (error, worst) = (number(*error), if *error > 0.0 { worst } else { "" });
            let all = if row.all_calls(format) == Some(*calls) { ", all" } else { "" };
            format!(" {bold}{error}{bold}{all} | {worst}{failed} |")
        }
    }
}

fn number(error: f64) -> String {
    match error {
        0.0 => "0".to_string(),
        _ if error >= 1e6 => format!("{error:.1e}"),
        _ if error >= 100.0 => format!("{error:.0}"),
        _ => format!("{error:.3}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device() -> Device {
        let measured = Outcome::Measured {
            calls: 1 << 16,
            error: 2.5,
            worst: "(0x1p0) = 0x1p1".to_string(),
            failures: 0,
            failure: String::new(),
        };
        let results = BTreeMap::from([
            ((Format::Half, "sin"), measured),
            ((Format::Half, "cos"), Outcome::broken("clBuildProgram\n gives -11")),
        ]);
        let [platform, name, driver] = ["Hekla", "GPU", "1.2"].map(str::to_string);
        Device { platform, name, driver, results }
    }

    #[test]
    fn files_are_read_as_they_were_written() {
        let read = parse(&device().to_text()).unwrap();
        let sin = (Format::Half, "sin");
        assert_eq!(read.results[&sin], device().results[&sin]);
        assert_eq!(
            read.results[&(Format::Half, "cos")],
            Outcome::Broken("clBuildProgram gives -11".to_string())
        );
        assert_eq!((read.platform.as_str(), read.file_name().as_str()), ("Hekla", "hekla-gpu.tsv"));
    }

    #[test]
    fn what_is_beyond_its_bound_is_bold() {
        let text = document(&[device()], "Recorded.");
        assert!(text.starts_with("# Accuracy\n\nRecorded.\n\nThe largest"), "{text}");
        assert!(text.contains("| `sin` | 2 | **2.500**, all | (0x1p0) = 0x1p1 |"), "{text}");
        assert!(
            text.contains("| `cos` | 2 | **does not run** | clBuildProgram gives -11 |"),
            "{text}"
        );
        assert!(!text.contains("`tan`"));
    }
}
