//! The results for a GPU's modules: printed, and written to docs/gpus.md.

use super::gpu::{Gpu, GPUS};
use super::pipelines::{End, Statistics, LIMIT};
use crate::docs::section;
use crate::system::root;
use crate::Outcome;
use hekla_xtask::results;
use std::fmt;
use std::path::Path;

/// A kernel's statistics: for Hekla's module, for the shader with storage buffers, and for the shader with pointers.
pub struct Row {
    pub kernel: String,
    pub measured: [Option<Statistics>; 3],
}

/// The instructions and spilled registers of a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cost {
    pub instructions: u64,
    /// Spilled registers.
    pub spilled: u64,
}

/// The results for the modules of a GPU.
pub struct Report {
    pub gpu: &'static Gpu,
    /// The driver's names for the device and for itself.
    pub device: String,
    /// Number of programs that need features which the device lacks.
    pub not_offered: usize,
    /// Programs that heklac failed to compile.
    pub failed: Vec<String>,
    /// Number of pipelines.
    pipelines: usize,
    refused: Vec<String>,
    crashed: Vec<String>,
    slow: Vec<String>,
    spilling: Vec<String>,
    pub kernels: Vec<Row>,
}

impl Report {
    pub fn new(gpu: &'static Gpu, device: String) -> Report {
        Report {
            gpu,
            device,
            not_offered: 0,
            failed: Vec::new(),
            pipelines: 0,
            refused: Vec::new(),
            crashed: Vec::new(),
            slow: Vec::new(),
            spilling: Vec::new(),
            kernels: Vec::new(),
        }
    }

    /// Adds a pipeline of a program's module.
    pub fn add(&mut self, program: &str, module: &Path, end: End) {
        self.pipelines += 1;
        let name = format!("{program} ({})", module.display());
        match end {
            End::Made(_, statistics) => {
                let count = |name: &&str| statistics.get(*name).copied().unwrap_or_default();
                let spilled: f64 = self.gpu.driver.spills.iter().map(count).sum();
                if spilled > 0.0 {
                    self.spilling.push(format!("{name}: {spilled}"));
                }
            }
            End::Refused(code) => self.refused.push(format!("{name}: VkResult {code}")),
            End::Crashed(signal) => self.crashed.push(format!("{name}: signal {signal}")),
            End::TooLong => self.slow.push(name),
        }
    }

    /// Returns the failures: programs that did not compile, modules that were refused or crashed the driver.
    pub fn bad(&self) -> Vec<String> {
        let told = |what: &str, list: &[String]| {
            list.iter().map(|one| format!("{}: {what}: {one}", self.gpu.name)).collect::<Vec<_>>()
        };
        [
            told("failed", &self.failed),
            told("refused", &self.refused),
            told("crashed", &self.crashed),
        ]
        .concat()
    }

    /// Returns the row of the table of all GPUs.
    fn row(&self) -> String {
        format!(
            "| `{}` | {} | {} | {} | {} | {} | {} | {} |",
            self.gpu.name,
            self.device,
            self.pipelines,
            self.not_offered,
            self.refused.len() + self.failed.len(),
            self.crashed.len(),
            self.slow.len(),
            self.spilling.len()
        )
    }

    /// Returns the table of the kernels: each statistic for Hekla's module, for the shader with storage buffers, and
    /// for the shader with pointers.
    fn kernel_table(&self) -> String {
        let scores = self.gpu.driver.scores;
        let mut table = format!("| kernel | {} |\n|", scores.join(" | "));
        table.push_str(&" --- |".repeat(1 + scores.len()));
        for row in &self.kernels {
            table.push_str(&format!("\n| {} |", row.kernel));
            for score in scores {
                let of = |statistics: &Option<Statistics>| {
                    let value = statistics.as_ref().and_then(|all| all.get(*score));
                    value.map_or("-".to_string(), |value| value.round().to_string())
                };
                let all: Vec<String> = row.measured.iter().map(of).collect();
                table.push_str(&format!(" {} |", all.join(" / ")));
            }
        }
        table + "\n"
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lists = [
            ("failed", &self.failed),
            ("refused", &self.refused),
            ("crashed", &self.crashed),
            ("too slow", &self.slow),
            ("spills", &self.spilling),
        ];
        for (what, list) in lists {
            for one in list {
                writeln!(f, "{what}: {one}")?;
            }
        }
        writeln!(
            f,
            "{} pipelines: {} refused, {} crashed, {} over {LIMIT} s, {} spill; {} programs not offered, {} failed",
            self.pipelines,
            self.refused.len(),
            self.crashed.len(),
            self.slow.len(),
            self.spilling.len(),
            self.not_offered,
            self.failed.len()
        )?;
        if !self.kernels.is_empty() {
            writeln!(f, "Hekla / GLSL, storage buffers / GLSL, pointers")?;
            write!(f, "{}", self.kernel_table())?;
        }
        Ok(())
    }
}

impl Report {
    /// Returns the statistics of each kernel for which there are budgets: instructions, by the driver's name, and
    /// spilled registers.
    pub fn costs(&self) -> Vec<(&str, Cost)> {
        let cost = |statistics: &Statistics| {
            let value = |name: &str| statistics.get(name).map_or(0, |value| *value as u64);
            let instructions = self.gpu.driver.scores.iter().find(|n| n.starts_with("Instruction"));
            Cost {
                instructions: value(instructions.unwrap_or(&"")),
                spilled: self.gpu.driver.spills.iter().map(|name| value(name)).sum(),
            }
        };
        let of = |row: &'_ Row| row.measured[0].as_ref().map(cost);
        self.kernels.iter().filter_map(|row| Some((row.kernel.as_str(), of(row)?))).collect()
    }
}

/// Writes rows and tables of GPUs into docs/gpus.md, in place of their old ones.
pub fn record(reports: &[Report]) -> Outcome {
    let path = root().join("docs/gpus.md");
    let failed = |e: std::io::Error| format!("{}: {e}", path.display());
    let text = std::fs::read_to_string(&path).map_err(failed)?;
    let (before, old, after) = section(&text, "drivers")?;
    let rows = merged(old, "\n", reports, Report::row);
    let head = "| device file | device and driver | pipelines | programs not offered | refused | crashed | over 10 s | spill |\n\
                | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |";
    let text = format!("{before}\n{head}\n{}\n\n{after}", rows.join("\n"));
    let (before, old, after) = section(&text, "kernels")?;
    let heading = |r: &Report| format!("`{}`: {}\n\n{}\n", r.gpu.name, r.device, r.kernel_table());
    let tables = merged(old, "### ", reports, heading);
    let tables: String =
        tables.iter().map(|table| format!("### {}\n\n", table.trim_end())).collect();
    let text = results::restamped(&format!("{before}\n{tables}{after}"), &results::stamp()?);
    std::fs::write(&path, text).map_err(failed)
}

/// Returns the parts of a section, one for each GPU in the order of [`GPUS`]: the part of its report, else the old
/// part. Each old part follows `begin`, and its first name in backticks is the GPU's.
fn merged(
    old: &str,
    begin: &str,
    reports: &[Report],
    new: impl Fn(&Report) -> String,
) -> Vec<String> {
    let name = |part: &str| part.split('`').nth(1).map(str::to_string);
    let part = |gpu: &Gpu| {
        let report = reports.iter().find(|report| report.gpu.name == gpu.name);
        let kept = || old.split(begin).find(|part| name(part).as_deref() == Some(gpu.name));
        report.map(&new).or_else(|| kept().map(str::to_string))
    };
    GPUS.iter().filter_map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_other_gpus_stay() {
        let old = "\n| `radv-navi31` | old |\n| `turnip-a740` | old |\n";
        let report = |name| Report::new(Gpu::named(name).unwrap(), "new".to_string());
        let parts = merged(old, "\n", &[report("nvk-ampere"), report("turnip-a740")], |report| {
            format!("{} {}", report.gpu.name, report.device)
        });
        assert_eq!(parts, ["| `radv-navi31` | old |", "nvk-ampere new", "turnip-a740 new"]);
    }
}
