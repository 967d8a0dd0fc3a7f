//! cts-config/results/DRIVER.md: what each subtest of the Khronos conformance tests did when it was
//! last run with `cargo xtask cts --record`. A section per group, a row per subtest.

use crate::{system, Outcome};
use std::fmt::Write;
use std::path::PathBuf;

/// One row: what became of a subtest, and why where it is not `pass`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    pub subtest: String,
    pub result: String,
    pub why: String,
}

/// The rows of one group, in the order in which they ran.
#[derive(Debug, PartialEq, Eq)]
struct Section {
    group: String,
    rows: Vec<Row>,
}

/// Puts rows of a group into a driver's table. `whole` replaces the group's section; else the
/// subtests told are replaced and the others stay. `groups` is the order of sections.
pub fn record(
    driver: &str,
    group: &str,
    rows: Vec<Row>,
    whole: bool,
    groups: &[String],
) -> Outcome {
    let path = path(driver);
    let mut sections = read(&std::fs::read_to_string(&path).unwrap_or_default());
    merge(&mut sections, group, rows, whole);
    sections.sort_by_key(|section| groups.iter().position(|name| *name == section.group));
    let folder = path.parent().unwrap_or(&path);
    std::fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    std::fs::write(&path, write(driver, &sections)).map_err(|e| format!("{}: {e}", path.display()))
}

fn path(driver: &str) -> PathBuf {
    system::root().join(format!("cts-config/results/{driver}.md"))
}

fn merge(sections: &mut Vec<Section>, group: &str, rows: Vec<Row>, whole: bool) {
    let Some(section) = sections.iter_mut().find(|section| section.group == group) else {
        return sections.push(Section { group: group.to_string(), rows });
    };
    if whole {
        section.rows.clear();
    }
    for row in rows {
        match section.rows.iter_mut().find(|old| old.subtest == row.subtest) {
            Some(old) => *old = row,
            None => section.rows.push(row),
        }
    }
}

fn read(text: &str) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    for line in text.lines() {
        if let Some(group) = line.strip_prefix("## ") {
            sections.push(Section { group: group.to_string(), rows: Vec::new() });
        }
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        if let (Some(section), ["", subtest, result, why, ""]) = (sections.last_mut(), &cells[..]) {
            if !matches!(*subtest, "subtest" | "---") {
                let [subtest, result, why] = [subtest, result, why].map(|cell| cell.to_string());
                section.rows.push(Row { subtest, result, why });
            }
        }
    }
    sections
}

fn write(driver: &str, sections: &[Section]) -> String {
    let mut text = format!(
        "# The Khronos conformance tests on {driver}\n\nWritten by `cargo xtask cts --record` with \
         the arguments of [groups.toml](../groups.toml); `pass`, `skip` (the subtest says that it \
         does not apply), `fail`, `crash` or `timeout`.\n"
    );
    for Section { group, rows } in sections {
        let count = |result: &str| rows.iter().filter(|row| row.result == result).count();
        let _ = writeln!(text, "\n## {group}\n");
        let (passed, skipped) = (count("pass"), count("skip"));
        let _ = writeln!(text, "{passed} of {} pass, {skipped} do not apply.\n", rows.len());
        text.push_str("| subtest | result | reason |\n| --- | --- | --- |\n");
        for Row { subtest, result, why } in rows {
            let _ = writeln!(text, "| {subtest} | {result} | {} |", why.replace('|', "/"));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(subtest: &str, result: &str, why: &str) -> Row {
        let [subtest, result, why] = [subtest, result, why].map(str::to_string);
        Row { subtest, result, why }
    }

    #[test]
    fn what_is_written_is_read_again() {
        let rows = vec![row("a", "pass", ""), row("b", "skip", "There are no images.")];
        let sections = vec![
            Section { group: "basic".to_string(), rows },
            Section { group: "api".to_string(), rows: vec![row("c", "fail", "Why.")] },
        ];
        assert_eq!(read(&write("lavapipe", &sections)), sections);
    }

    #[test]
    fn one_subtest_replaces_its_row_and_a_group_its_section() {
        let mut sections = Vec::new();
        merge(&mut sections, "basic", vec![row("a", "pass", ""), row("b", "fail", "x")], true);
        merge(&mut sections, "basic", vec![row("b", "pass", "")], false);
        assert_eq!(sections[0].rows, [row("a", "pass", ""), row("b", "pass", "")]);
        merge(&mut sections, "basic", vec![row("b", "crash", "y")], true);
        assert_eq!(sections[0].rows, [row("b", "crash", "y")]);
    }
}
