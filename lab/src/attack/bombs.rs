//! `cargo xtask attack bombs [--compiler FILE] [--only TEXT] [--jobs N]`: compiles small programs that ask for much, and
//! programs of each shape of just below 1 MB, each with a limit on address space and on the processor's time. Each ends
//! with a module or with a diagnostic.

use super::growth::{compiler, shapes};
use super::Request;
use crate::system::target;
use crate::{pool, Outcome};
use shapes::Program;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

/// Size of the programs of each shape, in bytes.
const BYTES: usize = 999_000;
/// Address space in KiB: 1 GiB, and the compiler's own needs: its file, the stack of its thread, arenas of malloc.
const ADDRESS_SPACE: u64 = (1024 + 256 + 160) * 1024;
/// Seconds of processor time, for the slowest machine: no program takes 5 on a fast one.
const SECONDS: u64 = 60;

/// A program by name.
enum Bomb {
    Small(&'static str, Program),
    Shape(shapes::Shape),
}

impl Bomb {
    fn name(&self) -> &'static str {
        match self {
            Bomb::Small(name, _) => name,
            Bomb::Shape(shape) => shape.name,
        }
    }
}

/// Runs the command. An error names the programs that did not end well.
pub fn run(request: &Request) -> Outcome {
    let heklac = compiler(request)?;
    let folder = target().join("attack").join("bombs");
    crate::system::make_folder(&folder)?;
    let small =
        shapes::bombs::bombs().into_iter().map(|(name, program)| Bomb::Small(name, program));
    let mut bombs: Vec<Bomb> = small.chain(shapes::shapes().into_iter().map(Bomb::Shape)).collect();
    bombs.retain(|bomb| request.only.as_ref().is_none_or(|text| bomb.name().contains(text)));
    let numbered: Vec<(usize, Bomb)> = bombs.into_iter().enumerate().collect();
    let mut faults = Vec::new();
    let explode = |(number, bomb): &(usize, Bomb)| {
        let file = folder.join(number.to_string());
        match bomb {
            Bomb::Small(_, program) => compile(&heklac, &file, program),
            Bomb::Shape(shape) => compile(&heklac, &file, &shape.of_bytes(BYTES)),
        }
    };
    pool::in_order(
        &numbered,
        request.jobs.into(),
        explode,
        |(_, bomb), result: Result<(f64, String), String>| {
            let name = bomb.name();
            match result {
                Ok((seconds, said)) => println!("{name:<50} {seconds:>6.2} s  {said}"),
                Err(error) => {
                    println!("{name:<50} FAILED    {error}");
                    faults.push(format!("{name}: {error}"));
                }
            }
            Ok(())
        },
    )?;
    match faults.is_empty() {
        true => Ok(()),
        false => Err(format!("{} programs ended badly:\n{}", faults.len(), faults.join("\n"))),
    }
}

/// Compiles a program within the limits. Returns the seconds that it took and the first line of the compiler's output.
fn compile(heklac: &Path, file: &Path, program: &Program) -> Result<(f64, String), String> {
    let file = file.with_extension(program.extension());
    crate::system::write_file(&file, program.bytes())?;
    let limits = format!("ulimit -v {ADDRESS_SPACE}; ulimit -t {SECONDS}; exec \"$@\"");
    let start = Instant::now();
    let output = Command::new("sh")
        .args(["-c", &limits, "sh"])
        .arg(heklac)
        .arg(&file)
        .arg("--emit=metadata")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .output()
        .map_err(|e| format!("cannot run the compiler: {e}"))?;
    let seconds = start.elapsed().as_secs_f64();
    let _ = std::fs::remove_file(&file);
    let said = String::from_utf8_lossy(&output.stderr);
    let bad = ["internal error", "panicked", "memory allocation"];
    let line = |text: &str| text.lines().next().unwrap_or_default().chars().take(160).collect();
    match output.status.code() {
        _ if bad.iter().any(|text| said.contains(text)) => Err(line(&said)),
        Some(0) => Ok((seconds, String::new())),
        // A diagnostic, or a message about the file.
        Some(1) if said.contains("error") || said.starts_with("heklac: ") => {
            Ok((seconds, line(&said)))
        }
        _ => Err(format!("{}: {}", output.status, line(&said))),
    }
}
