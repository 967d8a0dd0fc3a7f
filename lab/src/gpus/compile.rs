//! Compiles programs for a GPU's device file with the workspace's heklac, each in a process of its own.

use super::gpu::Gpu;
use super::programs::Program;
use crate::{pool, system};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Seconds of processor time that a program may take.
const LIMIT: u32 = 120;

/// The output of heklac for a program.
pub enum Compiled {
    /// A module for each kernel.
    Modules(Vec<PathBuf>),
    /// The device lacks what the program needs.
    NotOffered,
    /// The first error of the build log, or the way in which heklac ended.
    Failed(String),
}

/// Builds heklac and returns its path.
pub fn heklac() -> Result<PathBuf, String> {
    crate::artifact::build()?;
    Ok(system::target().join("release").join(crate::platform::COMPILER))
}

/// Compiles programs for a GPU into folders of `folder`, as many at once as there are processors.
pub fn all(
    heklac: &Path,
    gpu: &Gpu,
    programs: &[Program],
    folder: &Path,
) -> Result<Vec<Compiled>, String> {
    let numbered: Vec<(usize, &Program)> = programs.iter().enumerate().collect();
    let mut compiled = Vec::with_capacity(programs.len());
    let compile = |(number, program): &(usize, &Program)| {
        one(heklac, gpu, program, &folder.join(number.to_string()))
    };
    pool::in_order(&numbered, pool::processors(), compile, |_, one| {
        compiled.push(one?);
        Ok(())
    })?;
    Ok(compiled)
}

fn one(heklac: &Path, gpu: &Gpu, program: &Program, folder: &Path) -> Result<Compiled, String> {
    let _ = std::fs::remove_dir_all(folder);
    let failed = |e: std::io::Error| format!("{}: {e}", folder.display());
    std::fs::create_dir_all(folder).map_err(failed)?;
    let mut command = Command::new("prlimit");
    command.args([format!("--cpu={LIMIT}"), "--core=0".to_string()]);
    command.arg(heklac).arg(&program.file).args(&program.options);
    command.args(["--limit-to", gpu.name, "-o"]).arg(folder.join("m.spv"));
    let output = command.output().map_err(|e| format!("cannot run {command:?}: {e}"))?;
    if !output.status.success() {
        return Ok(without_program(program, &output));
    }
    let files = std::fs::read_dir(folder).map_err(failed)?;
    let mut modules: Vec<PathBuf> = files.flatten().map(|file| file.path()).collect();
    modules.sort();
    Ok(Compiled::Modules(modules))
}

fn without_program(program: &Program, output: &Output) -> Compiled {
    let log = String::from_utf8_lossy(&output.stderr);
    let error = log.lines().find(|line| line.contains("error: ")).unwrap_or_default();
    match output.status.code() {
        Some(1) if program.optional && !error.is_empty() => Compiled::NotOffered,
        _ => Compiled::Failed(format!("{} {error}", output.status)),
    }
}
