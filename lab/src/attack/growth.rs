//! `cargo xtask attack growth [--compiler FILE] [--only TEXT] [--bytes N] [--jobs N]`: counts the instructions that
//! `heklac` takes for programs of each shape, and for programs of twice the size, by cachegrind. Unlike times, counts
//! are nearly the same in each run; the counts for the smallest program of the shape are subtracted.

use super::Request;
use crate::system::{ensure_packages, target};
use crate::{artifact, platform, pool, Outcome};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The shapes, which the compiler's tests use too.
#[path = "../../../compiler/tests/growth_support/mod.rs"]
pub mod shapes;

use shapes::{Program, Shape};

/// Size of the smaller program in bytes: large enough that costs which are bounded have reached their bounds.
pub const BYTES: usize = 100_000;
/// The most instructions that twice the text may take, as a multiple.
const MOST: f64 = 2.3;

/// Returns the path of the offline compiler, built now where none was named.
pub fn compiler(request: &Request) -> Result<PathBuf, String> {
    if let Some(compiler) = &request.compiler {
        return Ok(compiler.clone());
    }
    artifact::build()?;
    Ok(target().join("release").join(platform::COMPILER))
}

/// Runs the command. An error names the shapes that grow faster than their text.
pub fn run(request: &Request) -> Outcome {
    let compiler = compiler(request)?;
    ensure_packages(&["valgrind"])?;
    let folder = target().join("attack").join("growth");
    crate::system::make_folder(&folder)?;
    let mut shapes = shapes::shapes();
    shapes.retain(|shape| request.only.as_ref().is_none_or(|text| shape.name.contains(text)));
    let numbered: Vec<(usize, Shape)> = shapes.into_iter().enumerate().collect();
    let mut faults = Vec::new();
    println!("| {:<50} | {:>14} | {:>5} |", "shape", "instructions", "times");
    println!("| {} | {}: | {}: |", "-".repeat(50), "-".repeat(13), "-".repeat(4));
    let measure = |(number, shape): &(usize, Shape)| {
        let file = folder.join(format!("{number}-1"));
        let nothing = instructions(&compiler, &file, &shape.of_count(1))?;
        let count = |bytes: usize| -> Result<u64, String> {
            let file = folder.join(format!("{number}-{bytes}"));
            let count = instructions(&compiler, &file, &shape.of_bytes(bytes))?;
            Ok(count.saturating_sub(nothing).max(1))
        };
        let bytes = request.bytes.max(shape.least());
        Ok((count(bytes)?, count(2 * bytes)?))
    };
    pool::in_order(
        &numbered,
        request.jobs.into(),
        measure,
        |(_, shape), counts: Result<(u64, u64), String>| {
            let (small, large) = counts.map_err(|error| format!("{}: {error}", shape.name))?;
            let times = large as f64 / small as f64;
            println!("| {:<50} | {large:>14} | {times:>5.2} |", shape.name);
            if times > MOST {
                faults.push(format!("{} ({times:.2} times)", shape.name));
            }
            Ok(())
        },
    )?;
    match faults.is_empty() {
        true => Ok(()),
        false => Err(format!("twice as much takes more than {MOST} times: {}", faults.join(", "))),
    }
}

/// Returns the instructions that the compiler takes for a program, which is written to a file first.
fn instructions(compiler: &Path, file: &Path, program: &Program) -> Result<u64, String> {
    let file = file.with_extension(program.extension());
    crate::system::write_file(&file, program.bytes())?;
    let output = Command::new("valgrind")
        .args(["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"])
        // The compiler's thread has a large stack.
        .args(["--main-stacksize=8388608", "--max-stackframe=16777216"])
        .arg(compiler)
        .arg(&file)
        .arg("--emit=metadata")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .output()
        .map_err(|e| format!("cannot run valgrind: {e}"))?;
    let _ = std::fs::remove_file(&file);
    let text = String::from_utf8_lossy(&output.stderr);
    refs(&text).ok_or_else(|| format!("valgrind counted nothing: {text}"))
}

/// Returns the count in cachegrind's output: `==12== I refs: 1,234,567`.
fn refs(text: &str) -> Option<u64> {
    let line = text.lines().find(|line| line.contains("I ") && line.contains("refs:"))?;
    let count = line.rsplit(':').next()?;
    count.chars().filter(char::is_ascii_digit).collect::<String>().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read() {
        let text =
            "==7== Cachegrind, a profiler\nerror: none\n==7== \n==7== I   refs:      1,234,567\n";
        assert_eq!(refs(text), Some(1_234_567));
        assert_eq!(refs("==7== I refs:        12\n"), Some(12));
        assert_eq!(refs("nothing"), None);
    }

    #[test]
    fn shapes_have_the_size_that_is_asked_for() {
        for shape in shapes::shapes() {
            let size = shape.of_bytes(20_000).size();
            assert!((14_000..=20_000).contains(&size), "{}: {size}", shape.name);
        }
    }
}
