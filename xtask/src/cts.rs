//! `cargo xtask cts --bin DIR`: runs the Khronos conformance tests found in DIR as cts-config/
//! describes, one process per subtest, so that a crash or a hang costs only that one; then prints
//! what differs from what is expected of the driver.

use crate::cts_table::{record, Row};
use crate::test::{Driver, LAVAPIPE, SWIFTSHADER};
use crate::{artifact, system, Outcome};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// One entry of groups.toml.
struct Group {
    name: String,
    /// Path of the binary under the folder given.
    binary: String,
    args: Vec<String>,
    /// Subtests; empty when the binary's own list is taken.
    subtests: Vec<String>,
    seconds: u64,
}

/// What became of a subtest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Verdict {
    Pass,
    /// Not applicable to the device, as the subtest itself says.
    Skip,
    Fail,
    Crash,
    Timeout,
}

impl Verdict {
    fn name(self) -> &'static str {
        match self {
            Verdict::Pass => "pass",
            Verdict::Skip => "skip",
            Verdict::Fail => "fail",
            Verdict::Crash => "crash",
            Verdict::Timeout => "timeout",
        }
    }
}

/// Command line of `cts`.
struct Request {
    bin: PathBuf,
    group: Option<String>,
    subtest: Option<String>,
    driver: String,
    /// A library to test in place of a fresh release build.
    library: Option<PathBuf>,
    /// Write the results to cts-config/results.
    record: bool,
}

/// What is expected of a subtest, and why it is not to pass.
struct Expectation {
    result: String,
    why: String,
}

pub fn run(args: &[String]) -> Outcome {
    let request = parse(args)?;
    let mut groups = read_groups()?;
    let order: Vec<String> = groups.iter().map(|group| group.name.clone()).collect();
    if let Some(name) = &request.group {
        groups.retain(|g| g.name == *name);
        if groups.is_empty() {
            return Err(format!("cts-config/groups.toml has no group '{name}'"));
        }
    }
    let expected = read_expected(&request.driver)?;
    let (mut differences, mut passed, mut total) = (Vec::new(), 0, 0);
    for group in &groups {
        let binary = request.bin.join(&group.binary);
        if !binary.exists() {
            println!("{}: no binary {}", group.name, binary.display());
            continue;
        }
        let mut rows = Vec::new();
        for subtest in subtests_of(group, &binary)? {
            if request.subtest.as_ref().is_some_and(|only| *only != subtest) {
                continue;
            }
            let start = Instant::now();
            let result = run_subtest(group, &binary, &subtest, &request)?;
            let key = format!("{}.{}", group.name, subtest);
            let listed = expected.get(&key);
            let expectation = listed.map_or("pass", |e| e.result.as_str());
            total += 1;
            passed += usize::from(result == Verdict::Pass);
            println!("{key}: {} ({:.1} s)", result.name(), start.elapsed().as_secs_f64());
            if result.name() != expectation {
                differences.push(format!("{key}: {} (expected {expectation})", result.name()));
            }
            let why = listed.filter(|e| e.result == result.name()).map(|e| e.why.clone());
            let (result, why) = (result.name().to_string(), why.unwrap_or_default());
            rows.push(Row { subtest, result, why });
        }
        if request.record {
            record(&request.driver, &group.name, rows, request.subtest.is_none(), &order)?;
        }
    }
    println!("\n{passed} of {total} subtests pass");
    if differences.is_empty() {
        println!("all as cts-config/expected/{}.toml says", request.driver);
        return Ok(());
    }
    Err(format!("{} differ from expectation:\n{}", differences.len(), differences.join("\n")))
}

fn parse(args: &[String]) -> Result<Request, String> {
    let mut request = Request {
        bin: PathBuf::new(),
        group: None,
        subtest: None,
        driver: LAVAPIPE.name.to_string(),
        library: None,
        record: false,
    };
    // Programs run in folders of their own: paths are made absolute.
    let full = |path: &str| std::fs::canonicalize(path).map_err(|e| format!("{path}: {e}"));
    let mut words = args.iter();
    while let Some(word) = words.next() {
        if word == "--record" {
            request.record = true;
            continue;
        }
        let value = words.next().ok_or_else(|| format!("{word} needs a value"))?;
        match word.as_str() {
            "--bin" => request.bin = full(value)?,
            "--group" => request.group = Some(value.clone()),
            "--subtest" => request.subtest = Some(value.clone()),
            "--driver" => request.driver = value.clone(),
            "--library" => request.library = Some(full(value)?),
            _ => return Err(format!("unknown option '{word}'")),
        }
    }
    match request.bin.is_dir() {
        true => Ok(request),
        false => Err("usage: cargo xtask cts --bin DIR [--group NAME] [--subtest NAME] \
                      [--driver NAME] [--library FILE] [--record]"
            .to_string()),
    }
}

fn read_toml(path: &Path) -> Result<toml::Table, String> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    text.parse().map_err(|e| format!("{}: {e}", path.display()))
}

fn strings(value: Option<&toml::Value>) -> Vec<String> {
    let array = value.and_then(toml::Value::as_array);
    array.into_iter().flatten().filter_map(|v| v.as_str().map(str::to_string)).collect()
}

/// cts-config/groups.toml: `[name] binary, args, subtests, seconds`.
fn read_groups() -> Result<Vec<Group>, String> {
    let table = read_toml(&system::root().join("cts-config/groups.toml"))?;
    let group = |(name, value): (&String, &toml::Value)| {
        let text = |key: &str| value.get(key).and_then(toml::Value::as_str).map(str::to_string);
        Ok(Group {
            name: name.clone(),
            binary: text("binary").ok_or_else(|| format!("group {name} names no binary"))?,
            args: strings(value.get("args")),
            subtests: strings(value.get("subtests")),
            seconds: value.get("seconds").and_then(toml::Value::as_integer).unwrap_or(120) as u64,
        })
    };
    table.iter().map(group).collect()
}

/// cts-config/expected/DRIVER.toml: `[group] subtest = { result = "fail", why = "..." }`. What is not
/// listed is expected to pass.
fn read_expected(driver: &str) -> Result<BTreeMap<String, Expectation>, String> {
    let path = system::root().join(format!("cts-config/expected/{driver}.toml"));
    let mut expected = BTreeMap::new();
    for (group, subtests) in &read_toml(&path)? {
        for (subtest, entry) in subtests.as_table().into_iter().flatten() {
            let text = |key: &str| entry.get(key).and_then(toml::Value::as_str).map(str::to_string);
            let (Some(result), Some(why)) = (text("result"), text("why")) else {
                return Err(format!("{group}.{subtest} needs a result and a reason (why)"));
            };
            expected.insert(format!("{group}.{subtest}"), Expectation { result, why });
        }
    }
    Ok(expected)
}

/// The subtests of a group: those groups.toml names, else what the binary prints with `--list`, one
/// indented name a line. Listing needs no device.
fn subtests_of(group: &Group, binary: &Path) -> Result<Vec<String>, String> {
    if !group.subtests.is_empty() {
        return Ok(group.subtests.clone());
    }
    let output = Command::new(binary)
        .arg("--list")
        .output()
        .map_err(|e| format!("cannot run {}: {e}", binary.display()))?;
    let names = listed(&String::from_utf8_lossy(&output.stdout));
    match names.is_empty() {
        true => Err(format!("{} lists no subtests", binary.display())),
        false => Ok(names),
    }
}

fn listed(text: &str) -> Vec<String> {
    let names = text.lines().filter(|l| l.starts_with(char::is_whitespace)).map(str::trim);
    names.filter(|n| !n.is_empty() && !n.contains(' ')).map(str::to_string).collect()
}

fn run_subtest(
    group: &Group,
    binary: &Path,
    subtest: &str,
    request: &Request,
) -> Result<Verdict, String> {
    let folder = system::target().join("cts").join(&request.driver).join(&group.name);
    std::fs::create_dir_all(&folder).map_err(|e| e.to_string())?;
    let folder = folder.canonicalize().map_err(|e| e.to_string())?;
    let results = folder.join(format!("{subtest}.json"));
    let _ = std::fs::remove_file(&results);
    let log =
        std::fs::File::create(folder.join(format!("{subtest}.log"))).map_err(|e| e.to_string())?;
    let same = log.try_clone().map_err(|e| e.to_string())?;
    let mut command = match &request.library {
        Some(library) => artifact::client_of(library, binary)?,
        None => artifact::client(binary)?,
    };
    let software: Option<Driver> =
        [LAVAPIPE, SWIFTSHADER].into_iter().find(|d| d.name == request.driver);
    if let Some(software) = software {
        software.select(&mut command)?;
    }
    command.arg(subtest).args(&group.args).current_dir(binary.parent().unwrap_or(Path::new(".")));
    command.env("CL_CONFORMANCE_RESULTS_FILENAME", &results);
    command.stdin(Stdio::null()).stdout(log).stderr(same);
    let verdict = wait(&mut command, Duration::from_secs(group.seconds))?;
    let text = std::fs::read_to_string(&results).unwrap_or_default();
    Ok(if verdict == Verdict::Pass { judged(&text) } else { verdict })
}

/// What the results file of a run that ended well says. Without one the exit status stands, which
/// does not tell apart what was left out.
fn judged(results: &str) -> Verdict {
    let says = |what: &str| results.contains(&format!("\": \"{what}\""));
    match () {
        () if says("fail") => Verdict::Fail,
        () if says("skip") && !says("pass") => Verdict::Skip,
        () => Verdict::Pass,
    }
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

    #[test]
    fn the_configuration_is_readable() {
        assert!(!read_groups().unwrap().is_empty());
        for driver in [LAVAPIPE, SWIFTSHADER] {
            read_expected(driver.name).unwrap();
        }
    }
}
