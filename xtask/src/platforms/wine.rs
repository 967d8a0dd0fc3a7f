//! Wine as it is in Debian: what programs of Rust need there, and tests that cannot run in it.

use crate::system::{self, cargo};
use crate::Outcome;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Wine's program, where Debian's package has it.
const PROGRAM: &str = "/usr/lib/wine/wine64";

/// Rust's standard library takes random numbers from a library that Wine 8 does not have: a stand-in.
const RANDOM_NUMBERS: &str = r#"
__declspec(dllimport) unsigned char SystemFunction036(void *buffer, unsigned long size);

__declspec(dllexport) int ProcessPrng(unsigned char *data, unsigned long long size) {
    while (size > 0) {
        unsigned long part = size > 65536 ? 65536 : (unsigned long)size;
        if (!SystemFunction036(data, part)) return 0;
        data += part;
        size -= part;
    }
    return 1;
}
"#;

/// Tests that take the C library's functions for the truth: Windows' own are off for large arguments.
const SKIPPED: [&str; 3] = [
    "errors_are_within_the_bounds",
    "double_functions_keep_their_bounds",
    "float_functions_keep_their_bounds",
];

/// A Windows of its own below `target/`, with the stand-in.
pub struct Wine {
    folder: PathBuf,
}

impl Wine {
    pub fn new() -> Result<Wine, String> {
        if !Path::new(PROGRAM).exists() {
            return Err(format!("no Wine at {PROGRAM}"));
        }
        let target = std::path::absolute(system::target()).map_err(|e| e.to_string())?;
        let folder = target.join("wine");
        std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        let source = folder.join("bcryptprimitives.c");
        std::fs::write(&source, RANDOM_NUMBERS).map_err(|e| e.to_string())?;
        let mut compile = Command::new("x86_64-w64-mingw32-gcc");
        compile.args(["-shared", "-O2", "-o"]).arg(folder.join("bcryptprimitives.dll"));
        system::run(compile.arg(&source).arg("-ladvapi32"))?;
        Ok(Wine { folder })
    }

    /// Makes a command of cargo link and run programs for Windows.
    pub fn select<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        let path = format!("Z:{}", self.folder.display()).replace('/', "\\");
        command
            .env("CARGO_TARGET_X86_64_PC_WINDOWS_GNU_LINKER", "x86_64-w64-mingw32-gcc")
            .env("CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER", PROGRAM)
            .env("WINEPREFIX", self.folder.join("prefix"))
            .env("WINEPATH", path)
            .env("WINEDEBUG", "-all")
    }

    /// Runs tests; those alone may fail that need a program of SPIRV-Tools, which Wine does not find.
    pub fn test(&self, target: &str, which: &[&str]) -> Outcome {
        let mut test = cargo(&["test", "--no-fail-fast", "--target", target]);
        test.args(which).arg("--").args(SKIPPED.iter().flat_map(|name| ["--skip", name]));
        self.select(&mut test).env("RUST_BACKTRACE", "0").current_dir(system::root());
        let output = test.output().map_err(|e| format!("cannot run {test:?}: {e}"))?;
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said).into_owned();
        let counts = Counts::of(&said);
        if counts.passed == 0 {
            return Err(format!("no test ran in Wine:\n{said}"));
        }
        if counts.failed > counts.without_tools {
            return Err(format!("tests failed in Wine:\n{said}"));
        }
        let Counts { passed, without_tools, .. } = counts;
        println!("{}: {passed} tests pass in Wine; {without_tools} need SPIRV-Tools", which[1]);
        Ok(())
    }
}

/// What became of tests.
#[derive(Debug, Default, PartialEq, Eq)]
struct Counts {
    passed: usize,
    failed: usize,
    /// Of those that failed, the ones that found no program of SPIRV-Tools.
    without_tools: usize,
}

impl Counts {
    /// Reads them from what `cargo test` printed: of each failure there is a section.
    fn of(said: &str) -> Counts {
        let is_ok = |line: &&str| line.starts_with("test ") && line.ends_with("... ok");
        let passed = said.lines().filter(is_ok).count();
        let sections = said.split("\n---- ").skip(1).map(|rest| {
            // The list of names after the last section is none of it.
            rest.split("\nfailures:\n").next().unwrap_or_default()
        });
        let missing = |text: &&str| text.contains("spirv-") && text.contains("program not found");
        let failures: Vec<&str> = sections.collect();
        let without_tools = failures.iter().copied().filter(missing).count();
        Counts { passed, failed: failures.len(), without_tools }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_for_want_of_tools_are_told_from_others() {
        let said = "running 3 tests\ntest a ... ok\ntest b ... FAILED\ntest c ... FAILED\n\nfailures:\n\n\
                    ---- b stdout ----\n\nspirv-val (of spirv-tools) does not run: program not found\n\n\
                    ---- c stdout ----\n\nassertion failed\n\nfailures:\n    b\n    c\n";
        assert_eq!(Counts::of(said), Counts { passed: 1, failed: 2, without_tools: 1 });
    }
}
