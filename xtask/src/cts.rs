//! `cargo xtask cts --bin DIR`: runs the Khronos conformance tests found in DIR as cts-config/
//! describes, one process per subtest, so that a crash or a hang costs only that one; then prints
//! what differs from what is expected of the driver.

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
    Fail,
    Crash,
    Timeout,
}

impl Verdict {
    fn name(self) -> &'static str {
        match self {
            Verdict::Pass => "pass",
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
    driver: String,
}

pub fn run(args: &[String]) -> Outcome {
    let request = parse(args)?;
    let groups = read_groups()?;
    let expected = read_expected(&request.driver)?;
    let (mut differences, mut passed, mut total) = (Vec::new(), 0, 0);
    for group in groups.iter().filter(|g| request.group.as_ref().is_none_or(|n| *n == g.name)) {
        let binary = request.bin.join(&group.binary);
        if !binary.exists() {
            println!("{}: no binary {}", group.name, binary.display());
            continue;
        }
        for subtest in subtests_of(group, &binary)? {
            let result = run_subtest(group, &binary, &subtest, &request.driver)?;
            let key = format!("{}.{}", group.name, subtest);
            let expectation = expected.get(&key).map_or("pass", String::as_str);
            total += 1;
            passed += usize::from(result == Verdict::Pass);
            println!("{key}: {}", result.name());
            if result.name() != expectation {
                differences.push(format!("{key}: {} (expected {expectation})", result.name()));
            }
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
    let mut request =
        Request { bin: PathBuf::new(), group: None, driver: LAVAPIPE.name.to_string() };
    let mut words = args.iter();
    while let Some(word) = words.next() {
        let value = words.next().ok_or_else(|| format!("{word} needs a value"))?;
        match word.as_str() {
            "--bin" => request.bin = PathBuf::from(value),
            "--group" => request.group = Some(value.clone()),
            "--driver" => request.driver = value.clone(),
            _ => return Err(format!("unknown option '{word}'")),
        }
    }
    match request.bin.is_dir() {
        true => Ok(request),
        false => Err("usage: cargo xtask cts --bin DIR [--group NAME] [--driver NAME]".to_string()),
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
fn read_expected(driver: &str) -> Result<BTreeMap<String, String>, String> {
    let path = system::root().join(format!("cts-config/expected/{driver}.toml"));
    let mut expected = BTreeMap::new();
    for (group, subtests) in &read_toml(&path)? {
        for (subtest, entry) in subtests.as_table().into_iter().flatten() {
            let text = |key: &str| entry.get(key).and_then(toml::Value::as_str);
            let (Some(result), Some(_why)) = (text("result"), text("why")) else {
                return Err(format!("{group}.{subtest} needs a result and a reason (why)"));
            };
            expected.insert(format!("{group}.{subtest}"), result.to_string());
        }
    }
    Ok(expected)
}

/// The subtests a binary lists with `--list` (one indented name a line after a heading).
fn subtests_of(group: &Group, binary: &Path) -> Result<Vec<String>, String> {
    if !group.subtests.is_empty() {
        return Ok(group.subtests.clone());
    }
    let output = artifact::client(binary)?
        .arg("--help")
        .output()
        .map_err(|e| format!("cannot run {}: {e}", binary.display()))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let names = text.lines().skip_while(|l| !l.starts_with("Test names")).skip(1);
    let names = names.map(str::trim).filter(|l| !l.is_empty() && !l.contains(' '));
    Ok(names.map(str::to_string).collect())
}

fn run_subtest(
    group: &Group,
    binary: &Path,
    subtest: &str,
    driver: &str,
) -> Result<Verdict, String> {
    let log = system::target().join("cts").join(&group.name);
    std::fs::create_dir_all(&log).map_err(|e| e.to_string())?;
    let file =
        std::fs::File::create(log.join(format!("{subtest}.log"))).map_err(|e| e.to_string())?;
    let mut command = artifact::client(binary)?;
    let software: Option<Driver> = [LAVAPIPE, SWIFTSHADER].into_iter().find(|d| d.name == driver);
    if let Some(software) = software {
        software.select(&mut command)?;
    }
    let same = file.try_clone().map_err(|e| e.to_string())?;
    command.arg(subtest).args(&group.args).current_dir(binary.parent().unwrap_or(Path::new(".")));
    command.stdin(Stdio::null()).stdout(file).stderr(same);
    wait(&mut command, Duration::from_secs(group.seconds))
}

fn wait(command: &mut Command, limit: Duration) -> Result<Verdict, String> {
    let mut child = command.spawn().map_err(|e| format!("cannot run {command:?}: {e}"))?;
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().map_err(|e| e.to_string())? {
            return Ok(match status.code() {
                Some(0) => Verdict::Pass,
                Some(_) => Verdict::Fail,
                None => Verdict::Crash,
            });
        }
        if start.elapsed() > limit {
            let _ = child.kill();
            let _ = child.wait();
            return Ok(Verdict::Timeout);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}
