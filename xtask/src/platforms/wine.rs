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
        self.select(test.args(which)).env("RUST_BACKTRACE", "0").current_dir(system::root());
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
    /// Reads them from what `cargo test` printed.
    fn of(said: &str) -> Counts {
        let mut counts = Counts::default();
        for line in said.lines() {
            if line.starts_with("test ") && line.ends_with("... ok") {
                counts.passed += 1;
            } else if line.starts_with("test ") && line.ends_with("... FAILED") {
                counts.failed += 1;
            } else if line.starts_with("spirv-") && line.ends_with("program not found") {
                counts.without_tools += 1;
            }
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_for_want_of_tools_are_told_from_others() {
        let said = "running 3 tests\ntest a ... ok\ntest b ... FAILED\ntest c ... FAILED\n\
                    thread 'b' panicked at x.rs:1:2:\nspirv-val (of spirv-tools) does not run: program not found\n\
                    thread 'c' panicked at x.rs:1:2:\nassertion failed\n";
        assert_eq!(Counts::of(said), Counts { passed: 1, failed: 2, without_tools: 1 });
    }
}
