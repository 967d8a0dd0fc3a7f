//! `cargo xtask gpus`: compiles programs for GPUs that this machine does not have, and makes their pipelines with those
//! GPUs' own compilers.

mod budgets;
mod compile;
mod gpu;
mod pipelines;
mod programs;
mod report;

use crate::system::{self, step};
use crate::{options, Outcome};
use compile::Compiled;
use gpu::{Gpu, GPUS};
use pipelines::{Compiler, End};
use programs::Program;
use report::{Report, Row};
use std::path::{Path, PathBuf};

/// The GPUs of `cargo xtask test`, with drivers that do not change.
const TESTED: [&str; 3] = ["radv-navi31", "radeon-radv", "nvk-ampere"];

/// Options of the command: which programs, and for which GPUs.
#[derive(clap::Args)]
pub struct Request {
    /// The GPUs; without one all
    #[arg(value_name = "NAME", value_parser = Gpu::named)]
    gpus: Vec<&'static Gpu>,
    /// The Debian release that drivers come from
    #[arg(long, default_value = "unstable", value_parser = ["unstable", "trixie"])]
    suite: String,
    /// Leave out the others
    #[arg(long)]
    only: Option<Kind>,
    /// Parts of names of programs of the corpus
    #[arg(long, value_name = "TEXT")]
    corpus: Vec<String>,
    /// The heklac that compiles; by default the one of the tree, which is built
    #[arg(long, value_name = "FILE", value_parser = options::existing)]
    compiler: Option<PathBuf>,
    /// Write docs/gpus.md
    #[arg(long)]
    record: bool,
    /// Write budgets anew, of drivers that do not change: --suite trixie
    #[arg(long, conflicts_with = "record")]
    bless: bool,
    /// The part of `cargo xtask test`: conformance programs, and kernels within their budgets, with drivers of Debian 13
    #[arg(long, conflicts_with_all = ["gpus", "suite", "only", "corpus", "record", "bless"])]
    check: bool,
}

/// The kinds of programs, apart from the corpus.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Kind {
    Kernels,
    Conformance,
}

impl Request {
    /// Returns true if programs of a kind are compiled.
    fn wants(&self, kind: Kind) -> bool {
        self.only.is_none_or(|only| only == kind)
    }

    /// Returns the release that drivers come from.
    fn suite(&self) -> &str {
        if self.check {
            "trixie"
        } else {
            &self.suite
        }
    }

    /// Returns the GPUs that were asked for.
    fn gpus(&self) -> Result<Vec<&'static Gpu>, String> {
        if self.gpus.is_empty() && (self.bless || self.check) {
            return tested();
        }
        if self.gpus.is_empty() {
            let there = |gpu: &&Gpu| self.suite != "trixie" || gpu.in_trixie;
            return Ok(GPUS.iter().filter(there).collect());
        }
        Ok(self.gpus.clone())
    }
}

/// Returns the GPUs of [`TESTED`].
fn tested() -> Result<Vec<&'static Gpu>, String> {
    TESTED.into_iter().map(Gpu::named).collect()
}

/// Runs the command. An error if a driver refuses a module, or crashes over it.
pub fn run(request: &Request) -> Outcome {
    if request.bless && request.suite != "trixie" {
        return Err("budgets are for drivers that do not change: --suite trixie".to_string());
    }
    let gpus = request.gpus()?;
    let heklac = match &request.compiler {
        Some(file) => file.clone(),
        None => compile::heklac()?,
    };
    system::ensure_packages(&["glslang-tools"])?;
    let folder = system::target().join("gpus");
    let mut programs = Vec::new();
    if request.wants(Kind::Conformance) {
        programs.extend(programs::conformance(&folder.join("conformance"))?);
    }
    if !request.corpus.is_empty() {
        programs.extend(programs::corpus(&folder.join("corpus"), &request.corpus)?);
    }
    let mut reports = Vec::new();
    for gpu in gpus {
        step(gpu.name);
        let compiler = match Compiler::get(gpu, request.suite()) {
            // The shim needs a compiler, PyPI and some minutes; the other GPUs do not.
            Err(error) if gpu.driver.builds_shim() && request.gpus.is_empty() => {
                println!("skipped: {error}");
                continue;
            }
            compiler => compiler?,
        };
        let mut report = Report::new(gpu, compiler.device()?);
        println!("{}", report.device);
        let folder = folder.join(gpu.name);
        make(&compiler, &heklac, &programs, &folder.join("programs"), &mut report)?;
        if request.wants(Kind::Kernels) {
            report.kernels = kernels(&compiler, &heklac, &folder, &mut report)?;
        }
        print!("{report}");
        reports.push(report);
    }
    if request.record {
        report::record(&reports)?;
    }
    if request.bless {
        budgets::write(&reports)?;
    }
    let mut bad = reports.iter().flat_map(Report::bad).collect::<Vec<_>>();
    if request.check {
        bad.extend(budgets::exceeded(&reports)?);
    }
    match bad.is_empty() {
        true => Ok(()),
        false => Err(bad.join("\n")),
    }
}

/// Compiles programs and makes their pipelines.
fn make(
    compiler: &Compiler,
    heklac: &Path,
    programs: &[Program],
    folder: &Path,
    report: &mut Report,
) -> Outcome {
    let compiled = compile::all(heklac, report.gpu, programs, folder)?;
    let mut modules = Vec::new();
    for (program, compiled) in programs.iter().zip(compiled) {
        match compiled {
            Compiled::Modules(files) => {
                modules.extend(files.into_iter().map(|file| (program.name.clone(), file)));
            }
            Compiled::NotOffered => report.not_offered += 1,
            Compiled::Failed(error) => report.failed.push(format!("{}: {error}", program.name)),
        }
    }
    let files: Vec<PathBuf> = modules.iter().map(|(_, file)| file.clone()).collect();
    let ends = compiler.make(&files)?;
    for ((name, file), ends) in modules.into_iter().zip(ends) {
        ends.into_iter().for_each(|end| report.add(&name, &file, end));
    }
    Ok(())
}

/// Compiles the kernels and the hand-written shaders beside them, and measures both.
fn kernels(
    compiler: &Compiler,
    heklac: &Path,
    folder: &Path,
    report: &mut Report,
) -> Result<Vec<Row>, String> {
    let programs = programs::kernels();
    let compiled = compile::all(heklac, report.gpu, &programs, &folder.join("kernels"))?;
    let mut rows = Vec::new();
    for (program, compiled) in programs.iter().zip(compiled) {
        let module = match compiled {
            Compiled::Modules(files) => files.into_iter().next(),
            Compiled::Failed(error) => return Err(format!("{}: {error}", program.name)),
            Compiled::NotOffered => None,
        };
        let mut modules: Vec<PathBuf> = module.into_iter().collect();
        let is_offered = !modules.is_empty();
        for shader in [format!("{}.comp", program.name), format!("{}_bda.comp", program.name)] {
            let file = folder.join("kernels").join(format!("{shader}.spv"));
            programs::shader(&shader, &file)?;
            modules.push(file);
        }
        let ends = compiler.make(&modules)?.into_iter().map(|ends| ends.into_iter().next());
        let mut ends: Vec<Option<End>> = ends.collect();
        if !is_offered {
            ends.insert(0, None);
        }
        // Pipelines that are not made are reported as those of any other program.
        if let Some(end) = ends[0].take_if(|end| !matches!(end, End::Made(..))) {
            report.add(&program.name, &modules[0], end);
        }
        let mut measured = ends.into_iter().map(|end| match end {
            Some(End::Made(_, statistics)) => Some(statistics),
            _ => None,
        });
        let mut next = || measured.next().flatten();
        rows.push(Row { kernel: program.name.clone(), measured: [next(), next(), next()] });
    }
    Ok(rows)
}
