//! `cargo xtask cts --bin DIR`: runs the Khronos conformance tests found in DIR as cts-config/ describes, one process
//! per subtest, so that a crash or a hang costs only one subtest; then prints the results that differ from those
//! expected of the driver.
//!
//! `xtask cts --bin DIR --library libhekla.so` needs no cargo: xtask itself, cts-config, the library and the suite's
//! binaries can be carried to another machine.

mod config;
mod subtest;
mod table;

use crate::driver::Driver;
use crate::{artifact, options, pool, system, Outcome};
use config::{Expectations, Group};
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Instant;
use subtest::{Done, Runner, Verdict};
use table::{Row, Table};

/// Options of the command: what is run, and how.
#[derive(clap::Args)]
pub struct Request {
    /// The folder of the built tests; they run in folders of their own
    #[arg(long, value_name = "DIR", value_parser = options::existing)]
    bin: PathBuf,
    /// The groups to run; all without
    #[arg(long = "group", value_name = "NAME")]
    groups: Vec<String>,
    /// The subtest to run; all without
    #[arg(long, value_name = "NAME")]
    subtest: Option<String>,
    /// The Vulkan driver
    #[arg(long, value_name = "NAME", default_value = "lavapipe")]
    driver: Driver,
    /// A library to test in place of a fresh release build
    #[arg(long, value_name = "FILE", value_parser = options::existing)]
    library: Option<PathBuf>,
    /// The number of subtests that run at once
    #[arg(long, value_name = "N", default_value_t = 1)]
    jobs: usize,
    /// The number of the platform's devices over which they are spread
    #[arg(long, value_name = "N", default_value_t = 1)]
    devices: usize,
    /// The most seconds of any subtest, whatever its group allows
    #[arg(long, value_name = "SECONDS")]
    limit: Option<u64>,
    /// Write the results
    #[arg(long)]
    record: bool,
    /// Folder of the results
    #[arg(long, value_name = "DIR", default_value_os_t = system::root().join("cts-config/results"))]
    results: PathBuf,
}

/// A process that is to run: a subtest, or a part of one.
struct Task<'a> {
    group: &'a Group,
    subtest: String,
    /// Number of the part within the group.
    part: usize,
}

/// Runs the command.
pub fn run(request: &Request) -> Outcome {
    let mut all = config::read_groups()?;
    if let Some(limit) = request.limit {
        all.iter_mut().for_each(|group| group.seconds = group.seconds.min(limit));
    }
    match request.driver.is_software() {
        true => all.iter_mut().for_each(|group| group.args.append(&mut group.software_args)),
        false => all.iter_mut().for_each(|group| group.software_environment.clear()),
    }
    let mut report = Report::new(request, &all)?;
    let library = match &request.library {
        Some(library) => library.clone(),
        None => artifact::build()?,
    };
    let logs = system::target().join("cts").join(request.driver.name());
    let driver = request.driver.install()?;
    let runner = Runner { bin: &request.bin, library: &library, driver: &driver, logs: &logs };
    let tasks = tasks(&all, request, &runner)?;

    let start = Instant::now();
    // Groups that need the machine for themselves come last.
    let (together, alone) = tasks.split_at(tasks.partition_point(|task| !task.group.alone));
    // Each device is listed as often as there may be processes on it at once.
    let free: Vec<usize> =
        (0..request.jobs.max(1)).map(|job| job % request.devices.max(1)).collect();
    let free = Mutex::new(free);
    for (tasks, jobs) in [(together, request.jobs), (alone, 1)] {
        let run = |task: &Task<'_>| {
            let device = free.lock().map_or(None, |mut free| free.pop()).unwrap_or(0);
            let part = &task.group.parts[task.part];
            let done = runner.run(task.group, &task.subtest, part, device);
            if let Ok(mut free) = free.lock() {
                free.push(device);
            }
            done
        };
        pool::in_order(tasks, jobs, run, |task, done| report.add(task, done?))?;
    }
    report.record()?;
    println!("\n{:.0} s", start.elapsed().as_secs_f64());
    report.finish()
}

/// Returns the tasks, group after group; groups that run alone come last. A missing binary is an error, unless other
/// groups were asked for.
fn tasks<'a>(
    groups: &'a [Group],
    request: &Request,
    runner: &Runner<'_>,
) -> Result<Vec<Task<'a>>, String> {
    if let Some(name) = request.groups.iter().find(|n| groups.iter().all(|g| g.name != **n)) {
        return Err(format!("cts-config/groups.toml has no group '{name}'"));
    }
    let is_wanted = |g: &&Group| request.groups.is_empty() || request.groups.contains(&g.name);
    let mut wanted: Vec<&Group> = groups.iter().filter(is_wanted).collect();
    wanted.sort_by_key(|group| group.alone);
    let mut tasks = Vec::new();
    for group in wanted {
        runner.link_data(group)?;
        for subtest in runner.subtests_of(group)? {
            if request.subtest.as_ref().is_none_or(|only| *only == subtest) {
                let part = |part| Task { group, subtest: subtest.clone(), part };
                tasks.extend((0..group.parts.len()).map(part));
            }
        }
    }
    Ok(tasks)
}

/// The results so far.
struct Report<'a> {
    request: &'a Request,
    expectations: Expectations,
    table: Table,
    /// The name of the group that is running.
    group: String,
    /// The result of the first parts of the subtest that is running.
    parts: Option<Done>,
    rows: Vec<Row>,
    differences: Vec<String>,
    passed: usize,
    total: usize,
}

impl Report<'_> {
    fn new<'a>(request: &'a Request, groups: &[Group]) -> Result<Report<'a>, String> {
        let order = groups.iter().map(|group| group.name.clone()).collect();
        Ok(Report {
            request,
            expectations: Expectations::read(request.driver)?,
            table: Table::open(&request.results, request.driver, order),
            group: String::new(),
            parts: None,
            rows: Vec::new(),
            differences: Vec::new(),
            passed: 0,
            total: 0,
        })
    }

    /// Prints the result of a subtest once all its parts are done. When the group before it is complete, records that group.
    fn add(&mut self, task: &Task<'_>, part: Done) -> Outcome {
        let done = match self.parts.take() {
            Some(mut done) => {
                done.add(part);
                done
            }
            None => part,
        };
        if task.part + 1 < task.group.parts.len() {
            self.parts = Some(done);
            return Ok(());
        }
        if self.group != task.group.name {
            self.record()?;
            self.group = task.group.name.clone();
        }
        let key = format!("{}.{}", task.group.name, task.subtest);
        let result = done.verdict.name();
        let listed = self.expectations.of(&task.group.name, &task.subtest);
        let expected = listed.map_or("pass", |entry| entry.result.as_str());
        println!("{key}: {result} ({:.1} s)", done.seconds);
        self.total += 1;
        self.passed += usize::from(done.verdict == Verdict::Pass);
        if result != expected {
            self.differences.push(format!("{key}: {result} (expected {expected})"));
        }
        // A reason in the expected results, else the suite's own.
        let why = listed.filter(|entry| entry.result == result).map(|entry| entry.why.clone());
        self.rows.push(Row {
            subtest: task.subtest.clone(),
            result: result.to_string(),
            seconds: done.seconds,
            why: why.unwrap_or(done.why),
        });
        if !done.device.is_empty() {
            self.table.device = done.device;
        }
        Ok(())
    }

    /// Writes the rows of the group that has run, if that was asked for.
    fn record(&mut self) -> Outcome {
        let rows = std::mem::take(&mut self.rows);
        if !self.request.record || rows.is_empty() {
            return Ok(());
        }
        self.table.put(&self.group, rows, self.request.subtest.is_none());
        self.table.write()
    }

    fn finish(self) -> Outcome {
        let driver = self.request.driver.name();
        println!("{} of {} subtests pass", self.passed, self.total);
        if self.differences.is_empty() {
            println!("all as cts-config/expected/{driver}.toml says");
            return Ok(());
        }
        let differences = &self.differences;
        Err(format!("{} differ from expectation:\n{}", differences.len(), differences.join("\n")))
    }
}
