//! cts-config/results/DRIVER.md: what each subtest of the Khronos conformance tests did when it was
//! last run with `cargo xtask cts --record`. A section per group, a row per subtest.

use crate::driver::Driver;
use crate::Outcome;
use hekla_xtask::results;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// One row: the result of a subtest, and the reason where it is not `pass`.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    pub subtest: String,
    pub result: String,
    pub seconds: f64,
    pub why: String,
}

/// The rows of one group, in the order in which they ran.
#[derive(Debug, PartialEq)]
struct Section {
    group: String,
    rows: Vec<Row>,
}

/// The results of a driver.
pub struct Table {
    path: PathBuf,
    driver: Driver,
    /// The device and its driver as of the last run.
    pub device: String,
    /// Names of all groups.
    order: Vec<String>,
    sections: Vec<Section>,
}

/// The text before the device.
const DEVICE: &str = "Device: ";

impl Table {
    /// Returns the table in a folder, which may not be there yet.
    pub fn open(folder: &Path, driver: Driver, order: Vec<String>) -> Table {
        let path = folder.join(format!("{}.md", driver.name()));
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let device = text.lines().find_map(|line| line.strip_prefix(DEVICE));
        let device = device.unwrap_or_default().to_string();
        Table { sections: read(&text), path, driver, device, order }
    }

    /// Adds rows of a group. `whole`: the rows replace the group's section; else they replace the rows of the same subtests.
    pub fn put(&mut self, group: &str, rows: Vec<Row>, whole: bool) {
        merge(&mut self.sections, group, rows, whole);
        // Groups that no longer exist are removed.
        self.sections.retain(|section| self.order.contains(&section.group));
        let place = |section: &Section| self.order.iter().position(|name| *name == section.group);
        self.sections.sort_by_key(place);
    }

    /// Writes the file.
    pub fn write(&self) -> Outcome {
        let folder = self.path.parent().unwrap_or(&self.path);
        crate::system::make_folder(folder)?;
        let text = write(self.driver.name(), &self.device, &results::stamp()?, &self.sections);
        crate::system::write_file(&self.path, text)
    }
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
        if let (Some(section), ["", subtest, result, seconds, why, ""]) =
            (sections.last_mut(), &cells[..])
        {
            // The lines at the head of a table have no number in this column.
            if let Ok(seconds) = seconds.parse() {
                let [subtest, result, why] = [subtest, result, why].map(|cell| cell.to_string());
                section.rows.push(Row { subtest, result, seconds, why });
            }
        }
    }
    sections
}

fn write(driver: &str, device: &str, stamp: &str, sections: &[Section]) -> String {
    let all = || sections.iter().flat_map(|section| &section.rows);
    let count = |result: &str| all().filter(|row| row.result == result).count();
    let mut text = format!(
        "# The Khronos conformance tests on {driver}\n\nWritten by `cargo xtask cts --record` with \
         the arguments of [groups.toml](../groups.toml); `pass`, `skip` (the subtest says that it \
         does not apply), `fail`, `crash` or `timeout`; seconds as they were beside other subtests.\n"
    );
    // Writing to a String cannot fail.
    let _ = writeln!(text, "\n{stamp}\n\n{DEVICE}{device}");
    let (passed, skipped, total) = (count("pass"), count("skip"), all().count());
    let other = total - passed - skipped;
    let _ =
        writeln!(text, "\n{passed} of {total} pass, {skipped} do not apply, {other} do not pass.");
    for Section { group, rows } in sections {
        let count = |result: &str| rows.iter().filter(|row| row.result == result).count();
        let _ = writeln!(text, "\n## {group}\n");
        let (passed, skipped) = (count("pass"), count("skip"));
        let _ = writeln!(text, "{passed} of {} pass, {skipped} do not apply.\n", rows.len());
        text.push_str("| subtest | result | seconds | reason |\n| --- | --- | ---: | --- |\n");
        for Row { subtest, result, seconds, why } in rows {
            let why = why.replace('|', "/");
            let _ = writeln!(text, "| {subtest} | {result} | {seconds:.1} | {why} |");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(subtest: &str, result: &str, why: &str) -> Row {
        let [subtest, result, why] = [subtest, result, why].map(str::to_string);
        Row { subtest, result, seconds: 1.5, why }
    }

    #[test]
    fn what_is_written_is_read_again() {
        let rows = vec![row("a", "pass", ""), row("b", "skip", "There are no images.")];
        let sections = vec![
            Section { group: "basic".to_string(), rows },
            Section { group: "api".to_string(), rows: vec![row("c", "fail", "Why.")] },
        ];
        let text = write("lavapipe", "llvmpipe (Mesa 25.0.7)", "Recorded.", &sections);
        assert_eq!(read(&text), sections);
        assert!(text.contains("\n1 of 3 pass, 1 do not apply, 1 do not pass.\n"), "{text}");
        assert!(text.contains("\nDevice: llvmpipe (Mesa 25.0.7)\n"), "{text}");
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
