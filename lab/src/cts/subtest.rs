//! One subtest in a process of its own, and its result.

use super::config::Group;
use crate::driver::Installed;
use crate::{artifact, platform, system, Outcome};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The result of a subtest, or of a part of one, the worst last.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Verdict {
    /// Not applicable to the device, according to the subtest itself.
    Skip,
    Pass,
    Fail,
    Timeout,
    Crash,
}

impl Verdict {
    /// Returns the name that cts-config uses.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Pass => "pass",
            Verdict::Skip => "skip",
            Verdict::Fail => "fail",
            Verdict::Crash => "crash",
            Verdict::Timeout => "timeout",
        }
    }
}

/// A subtest that has run.
#[derive(Debug)]
pub struct Done {
    pub verdict: Verdict,
    pub seconds: f64,
    /// The reason that the subtest gives for being skipped; else empty.
    pub why: String,
    /// The device and its driver, by their names in Hekla's log; empty if the subtest looked at no device.
    pub device: String,
}

impl Done {
    /// Adds the result of another part of the subtest: the worst verdict counts, and the seconds add up.
    pub fn add(&mut self, part: Done) {
        self.verdict = self.verdict.max(part.verdict);
        self.seconds += part.seconds;
        if self.why.is_empty() {
            self.why = part.why;
        }
        if self.device.is_empty() {
            self.device = part.device;
        }
    }
}

/// The environment of all subtests.
pub struct Runner<'a> {
    /// Folder of the suite's binaries.
    pub bin: &'a Path,
    pub library: &'a Path,
    pub driver: &'a Installed,
    /// Folder of the subtests' output.
    pub logs: &'a Path,
}

impl Runner<'_> {
    /// Returns the subtests of a group: those that groups.toml names, else the output of the binary for `--list`, one
    /// indented name per line. Listing needs no device.
    pub fn subtests_of(&self, group: &Group) -> Result<Vec<String>, String> {
        let binary = self.binary(group)?;
        if !group.subtests.is_empty() {
            return Ok(group.subtests.clone());
        }
        let output = Command::new(&binary)
            .arg("--list")
            .output()
            .map_err(|e| format!("cannot run {}: {e}", binary.display()))?;
        let names = listed(&String::from_utf8_lossy(&output.stdout));
        match names.is_empty() {
            true => Err(format!("{} lists no subtests", binary.display())),
            false => Ok(names),
        }
    }

    /// Makes the data of a group (folders, and modules of SPIR-V) findable where the driver needs a C library of its
    /// own. The suite looks for the data beside `/proc/self/exe`, which is the dynamic loader then: links the data
    /// there.
    pub fn link_data(&self, group: &Group) -> Outcome {
        let Some(folder) = self.driver.loader.as_deref().and_then(Path::parent) else {
            return Ok(());
        };
        let binary = self.binary(group)?;
        let beside = binary.parent().unwrap_or(self.bin);
        let entries = system::read_folder(beside)?;
        let is_data =
            |path: &PathBuf| path.is_dir() || path.extension().is_some_and(|e| e == "spv");
        for data in entries.flatten().map(|entry| entry.path()).filter(is_data) {
            let link = folder.join(data.file_name().unwrap_or_default());
            // The target of an earlier run's link may have moved.
            if link.is_symlink() {
                let _ = std::fs::remove_file(&link);
            }
            if !link.exists() {
                platform::link(&data, &link).map_err(|e| format!("{}: {e}", link.display()))?;
            }
        }
        Ok(())
    }

    fn binary(&self, group: &Group) -> Result<PathBuf, String> {
        let binary = self.bin.join(&group.binary);
        let missing = || format!("group {}: no binary {}", group.name, binary.display());
        binary.exists().then(|| binary.clone()).ok_or_else(missing)
    }

    /// Runs a subtest, or the part of it that `part` names, on a device of the platform.
    pub fn run(
        &self,
        group: &Group,
        subtest: &str,
        part: &[String],
        device: usize,
    ) -> Result<Done, String> {
        let binary = self.binary(group)?;
        let folder = self.logs.join(&group.name);
        system::make_folder(&folder)?;
        let folder = folder.canonicalize().map_err(|e| e.to_string())?;
        let name = [&[subtest.to_string()], part].concat().join("-");
        let results = folder.join(format!("{name}.json"));
        let _ = std::fs::remove_file(&results);
        let log_path = folder.join(format!("{name}.log"));
        let log = std::fs::File::create(&log_path).map_err(|e| e.to_string())?;
        let same = log.try_clone().map_err(|e| e.to_string())?;

        let mut command = artifact::client_of(self.library, &binary)?;
        command.arg(subtest).args(&group.args).args(part);
        // Some binaries read files beside them.
        command.current_dir(binary.parent().unwrap_or(self.bin));
        command.env("CL_CONFORMANCE_RESULTS_FILENAME", &results).env("HEKLA_LOG", "info");
        command.envs(&group.software_environment);
        if device > 0 {
            // Otherwise the suite asks for the default device, and there is only one.
            command.env("CL_DEVICE_TYPE", "all").env("CL_DEVICE_INDEX", device.to_string());
        }
        self.driver.select(&mut command);
        command.stdin(Stdio::null()).stdout(log).stderr(same);
        let start = Instant::now();
        let verdict = wait(&mut command, Duration::from_secs(group.seconds))?;
        let seconds = start.elapsed().as_secs_f64();

        let text = std::fs::read_to_string(&results).unwrap_or_default();
        let verdict = if verdict == Verdict::Pass { judged(&text) } else { verdict };
        let log = std::fs::read(&log_path).unwrap_or_default();
        let log = String::from_utf8_lossy(&log);
        let why = if verdict == Verdict::Skip { reason(&log) } else { String::new() };
        Ok(Done { verdict, seconds, why, device: device_name(&log) })
    }
}

/// Returns the names in the output of a binary for `--list`.
fn listed(text: &str) -> Vec<String> {
    let names = text.lines().filter(|l| l.starts_with(char::is_whitespace)).map(str::trim);
    names.filter(|n| !n.is_empty() && !n.contains(' ')).map(str::to_string).collect()
}

/// Returns the verdict in the results file of a run that ended well. Without a file the exit status counts, which does
/// not distinguish skipped subtests.
fn judged(results: &str) -> Verdict {
    let says = |what: &str| results.contains(&format!("\": \"{what}\""));
    match () {
        () if says("fail") => Verdict::Fail,
        () if says("skip") && !says("pass") => Verdict::Skip,
        () => Verdict::Pass,
    }
}

/// Returns the last line with a reason for skipping something.
fn reason(log: &str) -> String {
    let says = |line: &&str| {
        let line = line.to_lowercase();
        let words = ["skip", "not support", "unsupported", "does not", "requires"];
        !line.starts_with("hekla:")
            && !line.starts_with("skipped ")
            && words.iter().any(|word| line.contains(word))
    };
    let line = log.lines().map(str::trim).rfind(says).unwrap_or_default();
    line.chars().take(120).collect()
}

/// Returns the name of the device in Hekla's log.
fn device_name(log: &str) -> String {
    let found = log.lines().find_map(|line| {
        line.strip_prefix("hekla: INFO: ").and_then(|line| line.strip_suffix(" is offered"))
    });
    found.unwrap_or_default().to_string()
}

fn wait(command: &mut Command, limit: Duration) -> Result<Verdict, String> {
    let Some(status) = system::wait(command, limit)? else { return Ok(Verdict::Timeout) };
    Ok(match status.code() {
        Some(0) => Verdict::Pass,
        Some(_) => Verdict::Fail,
        None => Verdict::Crash,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_the_indented_lines() {
        let text = "ARCH:\tx86_64\n\tacos\n\tacosh\n\nsystem name = Linux\n\ttwo words\n";
        assert_eq!(listed(text), ["acos", "acosh"]);
    }

    #[test]
    fn results_tell_skips_from_passes() {
        let results =
            |what: &str| format!("{{\n\t\"results\": {{\n\t\t\"a\": \"{what}\"\n\t}}\n}}\n");
        assert_eq!(judged(&results("pass")), Verdict::Pass);
        assert_eq!(judged(&results("skip")), Verdict::Skip);
        assert_eq!(judged(&results("fail")), Verdict::Fail);
        assert_eq!(judged(""), Verdict::Pass);
    }

    #[test]
    fn a_split_subtest_is_as_bad_as_its_worst_part() {
        let part = |verdict, seconds| Done {
            verdict,
            seconds,
            why: String::new(),
            device: "a GPU".to_string(),
        };
        let mut all = part(Verdict::Skip, 1.0);
        all.add(part(Verdict::Pass, 2.0));
        assert_eq!((all.verdict, all.seconds), (Verdict::Pass, 3.0));
        all.add(part(Verdict::Crash, 4.0));
        all.add(part(Verdict::Fail, 5.0));
        assert_eq!((all.verdict, all.seconds), (Verdict::Crash, 12.0));
    }

    #[test]
    fn the_log_tells_reason_and_device() {
        let log = "hekla: INFO: llvmpipe (Mesa 25.0.7) is offered\nDevice does not do images\n\
                   a passed\nskipped 1 of 1 tests.\n";
        assert_eq!(reason(log), "Device does not do images");
        assert_eq!(device_name(log), "llvmpipe (Mesa 25.0.7)");
        assert_eq!(reason("all well\n"), "");
    }

    #[test]
    fn crashes_and_hangs_cost_one_subtest() {
        let run = |script: &str, seconds| {
            let mut command = Command::new("sh");
            wait(command.args(["-c", script]).stdin(Stdio::null()), Duration::from_secs(seconds))
        };
        assert_eq!(run("exit 0", 60), Ok(Verdict::Pass));
        assert_eq!(run("exit 3", 60), Ok(Verdict::Fail));
        assert_eq!(run("kill -SEGV $$", 60), Ok(Verdict::Crash));
        assert_eq!(run("exec sleep 600", 0), Ok(Verdict::Timeout));
    }
}
