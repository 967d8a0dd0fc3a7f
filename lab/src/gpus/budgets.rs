//! Budgets of the kernels with drivers that do not change: `budgets.toml` has, for each GPU, the number of instructions
//! that each kernel may have. No kernel may spill registers.

use super::report::Report;
use crate::system::root;
use crate::Outcome;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Instructions by GPU and kernel.
type Budgets = BTreeMap<String, BTreeMap<String, u64>>;

fn path() -> PathBuf {
    root().join("lab/src/gpus/budgets.toml")
}

/// Returns the kernels that exceed their budget, or have none.
pub fn exceeded(reports: &[Report]) -> Result<Vec<String>, String> {
    let path = path();
    let text = crate::system::read_text(&path)?;
    let budgets: Budgets = toml::from_str(&text).map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(reports.iter().flat_map(|report| of_report(report, &budgets)).collect())
}

fn of_report(report: &Report, budgets: &Budgets) -> Vec<String> {
    let budgets = budgets.get(report.gpu.name);
    let budget = |kernel: &str| budgets.and_then(|all| all.get(kernel)).copied();
    let exceeds = |(kernel, cost): &(&str, super::report::Cost)| {
        let name = format!("{}: {kernel}", report.gpu.name);
        match budget(kernel) {
            None => Some(format!("{name} has no budget")),
            Some(budget) if cost.instructions > budget => Some(format!(
                "{name} has {} instructions, its budget is {budget}",
                cost.instructions
            )),
            Some(_) if cost.spilled > 0 => {
                Some(format!("{name} keeps {} registers in memory", cost.spilled))
            }
            Some(_) => None,
        }
    };
    report.costs().iter().filter_map(exceeds).collect()
}

/// Writes the budgets anew: the present instructions of each kernel.
pub fn write(reports: &[Report]) -> Outcome {
    let path = path();
    let mut text = "# Instructions of each kernel with the drivers of Debian 13; written by\n\
                    # `cargo xtask gpus --suite trixie --only kernels --bless`.\n"
        .to_string();
    for report in reports {
        text.push_str(&format!("\n[{}]\n", report.gpu.name));
        for (kernel, cost) in report.costs() {
            text.push_str(&format!("{kernel} = {}\n", cost.instructions));
        }
    }
    crate::system::write_file(&path, text)
}

#[cfg(test)]
mod tests {
    use super::super::gpu::Gpu;
    use super::super::report::Row;
    use super::*;

    #[test]
    fn what_exceeds_its_budget_is_named() {
        let statistics = |instructions: f64, spilled: f64| {
            let all = [("Instructions", instructions), ("Spilled VGPRs", spilled)];
            Some(BTreeMap::from(all.map(|(name, value)| (name.to_string(), value))))
        };
        let row = |kernel: &str, instructions, spilled| Row {
            kernel: kernel.to_string(),
            measured: [statistics(instructions, spilled), None, None],
        };
        let mut report = Report::new(Gpu::named("radv-navi31").unwrap(), String::new());
        report.kernels =
            vec![row("a", 10.0, 0.0), row("b", 11.0, 0.0), row("c", 1.0, 2.0), row("d", 1.0, 0.0)];
        let budgets = toml::from_str("[radv-navi31]\na = 10\nb = 10\nc = 10").unwrap();
        assert_eq!(
            of_report(&report, &budgets),
            [
                "radv-navi31: b has 11 instructions, its budget is 10",
                "radv-navi31: c keeps 2 registers in memory",
                "radv-navi31: d has no budget"
            ]
        );
    }
}
