//! A crate's tests on another platform, in an emulator: a line for each test program.

use crate::system::{self, cargo};
use crate::{pool, Outcome};
use std::ffi::OsString;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// A test program that takes longer is ended, and has failed.
const LIMIT: Duration = Duration::from_secs(5400);

/// How programs of a target are linked and run on this machine.
pub struct Emulator {
    pub target: &'static str,
    /// The environment of cargo and of the programs.
    pub environment: Vec<(&'static str, OsString)>,
    /// The words in front of a program's path.
    pub runner: Vec<OsString>,
    /// Tests that are not run, each with the reason.
    pub skipped: &'static [(&'static str, &'static str)],
}

/// The tests of a crate.
pub struct Tests {
    pub package: &'static str,
    /// The folder in which the tests expect to be started.
    pub folder: &'static str,
}

/// A program that cargo has built: `atomics`, and its path.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Program {
    name: String,
    path: PathBuf,
}

/// The result of a program.
struct Ran {
    seconds: f64,
    counts: Option<Counts>,
    log: PathBuf,
}

/// The results of a program's tests, which it prints at its end.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Counts {
    passed: usize,
    failed: usize,
    /// The number of tests that were left out by name.
    filtered: usize,
}

impl Emulator {
    /// Returns a command of cargo for the target.
    pub fn cargo(&self, args: &[&str]) -> Command {
        let mut command = cargo(args);
        command.args(["--target", self.target]);
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Builds the tests, runs each of their programs, as many at once as there are processors, and fails if one of them
    /// has failed. `only`: runs the programs whose name contains this text.
    pub fn test(&self, tests: &Tests, only: &str) -> Outcome {
        let mut build = self.cargo(&["test", "--no-run", "-p", tests.package]);
        let mut programs = programs(&system::capture(&mut build)?);
        programs.retain(|program| program.name.contains(only));
        let jobs = pool::processors();
        let (start, mut all, mut failed, mut done) =
            (Instant::now(), Counts::default(), Vec::new(), 0);
        let each = |program: &Program, ran: Result<Ran, String>| {
            done += 1;
            let Ran { seconds, counts, log } = ran?;
            let place = format!("[{done:>2}/{}] {}", programs.len(), program.name);
            let Some(counts) = counts else {
                println!("{place}: came to no end in {seconds:.0} s; {}", log.display());
                failed.push(program.name.clone());
                return Ok(());
            };
            println!("{place}: {} in {seconds:.0} s", counts.text());
            all.add(counts);
            if counts.failed > 0 {
                failed.push(program.name.clone());
                print!("{}", std::fs::read_to_string(&log).unwrap_or_default());
            }
            Ok(())
        };
        pool::in_order(&programs, jobs, |program| self.run(tests, program), each)?;
        let seconds = start.elapsed().as_secs_f64();
        let Tests { package, .. } = tests;
        println!(
            "{package}: {} in {} test programs and {seconds:.0} s",
            all.text(),
            programs.len()
        );
        for (name, reason) in self.skipped {
            println!("not run: {name}: {reason}");
        }
        match failed.is_empty() && (all.passed > 0 || !only.is_empty()) {
            true => Ok(()),
            false => Err(format!("of the tests of {package} not all pass: {}", failed.join(", "))),
        }
    }

    /// Runs one program to its end.
    fn run(&self, tests: &Tests, program: &Program) -> Result<Ran, String> {
        let folder = system::target().join(self.target).join("logs");
        let log = folder.join(format!("{}-{}.txt", tests.package, program.name));
        let open = || -> std::io::Result<(File, File)> {
            std::fs::create_dir_all(&folder)?;
            let file = File::create(&log)?;
            Ok((file.try_clone()?, file))
        };
        let (out, errors) = open().map_err(|e| format!("{}: {e}", log.display()))?;
        let words = [&self.runner[..], &[program.path.clone().into_os_string()]].concat();
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]);
        command.args(self.skipped.iter().flat_map(|(name, _)| ["--skip", name]));
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command.env("RUST_TEST_THREADS", "1").env("RUST_BACKTRACE", "0");
        command.current_dir(system::root().join(tests.folder)).stdout(out).stderr(errors);
        let start = Instant::now();
        let ended = system::wait(&mut command, LIMIT)?.is_some();
        let text = system::read_bytes(&log)?;
        let counts = Counts::of(&String::from_utf8_lossy(&text)).filter(|_| ended);
        Ok(Ran { seconds: start.elapsed().as_secs_f64(), counts, log })
    }
}

/// Reads the programs from the output of `cargo test --no-run`: `  Executable tests/atomics.rs (PATH)`.
fn programs(said: &str) -> Vec<Program> {
    let program = |line: &str| {
        let (source, path) = line.trim().strip_prefix("Executable ")?.split_once(" (")?;
        let source = Path::new(source.strip_prefix("unittests ").unwrap_or(source));
        let (name, folder) = (source.file_stem()?, source.parent()?);
        // A program of `tests/passes/main.rs` is named after its folder, one of `src/lib.rs` after the file.
        let is_main = name == "main" && !folder.ends_with("src");
        let name = if is_main { folder.file_name()? } else { name };
        let path = system::root().join(path.strip_suffix(')')?);
        Some(Program { name: name.to_string_lossy().into_owned(), path })
    };
    said.lines().filter_map(program).collect()
}

impl Counts {
    /// Reads the counts from a program's last line: `test result: ok. 5 passed; 0 failed; …`. Returns none if there is
    /// no such line.
    fn of(said: &str) -> Option<Counts> {
        let line = said.lines().rev().find(|line| line.starts_with("test result: "))?;
        let number = |what: &str| {
            let before = line.split_once(what)?.0;
            before.rsplit([' ', ';']).next()?.parse().ok()
        };
        let [passed, failed, filtered] = [" passed", " failed", " filtered out"].map(number);
        Some(Counts { passed: passed?, failed: failed?, filtered: filtered? })
    }

    fn add(&mut self, other: Counts) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.filtered += other.filtered;
    }

    fn text(self) -> String {
        let Counts { passed, failed, filtered } = self;
        match filtered {
            0 => format!("{passed} tests pass, {failed} fail"),
            _ => format!("{passed} tests pass, {failed} fail, {filtered} are not run"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_read_from_what_cargo_prints() {
        let said = "   Compiling x\n    Finished `test` profile\n  Executable unittests src/lib.rs (target/t/debug/deps/x-1)\n  \
                    Executable tests/passes/main.rs (target/t/debug/deps/passes-2)\n  \
                    Executable unittests src/main.rs (target/t/debug/deps/y-4)\n  \
                    Executable tests/atomics.rs (/elsewhere/atomics-3.exe)\n";
        let found = programs(said);
        let names: Vec<_> = found.iter().map(|program| program.name.as_str()).collect();
        assert_eq!(names, ["lib", "passes", "main", "atomics"]);
        assert_eq!(found[0].path, system::root().join("target/t/debug/deps/x-1"));
        assert_eq!(found[3].path, Path::new("/elsewhere/atomics-3.exe"));
    }

    #[test]
    fn a_program_that_says_no_result_has_none() {
        let said = "running 3 tests\ntest a ... ok\n\ntest result: FAILED. 11 passed; 2 failed; 0 ignored; 0 measured; \
                    4 filtered out; finished in 5.13s\n\n";
        assert_eq!(Counts::of(said), Some(Counts { passed: 11, failed: 2, filtered: 4 }));
        assert_eq!(Counts::of("running 3 tests\ntest a ... ok\n"), None);
    }
}
