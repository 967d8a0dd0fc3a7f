//! `docs/programs.md`: a table for each device, between lines that name the device, with a row for each program; and
//! the list of failures with their causes, from the programs' own table.

use super::App;
use crate::docs::section;
use crate::system::root;
use crate::Outcome;
use hekla_xtask::results;
use std::collections::BTreeMap;

/// The text for a driver beside that was not measured.
const UNKNOWN: &str = "not run";

/// The outcome of a program's checks.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Tally {
    pub passed: usize,
    pub failed: usize,
    pub seconds: f64,
    /// On the driver beside: seconds of the checks that pass, and the number of the other checks.
    pub beside: Option<(f64, usize)>,
}

impl Tally {
    /// Returns a program's row of the table.
    fn row(&self, app: &App) -> String {
        let all = self.passed + self.failed;
        let beside = match self.beside {
            None => UNKNOWN.to_string(),
            Some((_, missing)) if missing == all => "fails".to_string(),
            Some((seconds, 0)) => format!("{seconds:.1}"),
            Some((seconds, missing)) => format!("{seconds:.1}, {missing} fail"),
        };
        let Tally { passed, seconds, .. } = self;
        format!("| {} | {} | {passed} of {all} | {seconds:.1} | {beside} |", app.name, app.what)
    }
}

/// Writes a program's row into the table of a device, and the list of causes. The entry of an old row for the driver
/// beside is kept if that driver is not measured now.
pub fn write(device: &str, beside: &str, app: &App, tally: &Tally) -> Outcome {
    let path = root().join("docs/programs.md");
    let text = crate::system::read_text(&path)?;
    let text = with_section(text, device, beside);
    let text = with_rows(&text, device, &[tally.row(app)])?;
    let (before, _, after) = section(&text, "causes")?;
    let list = causes(&super::programs::apps()?);
    let text = results::restamped(&format!("{before}\n{list}\n{after}"), &results::stamp()?);
    super::write(&path, text)
}

/// Adds the table of a device that has none, before the first heading after the tables.
fn with_section(text: String, device: &str, beside: &str) -> String {
    let after = "## Programs that cannot be run here";
    if section(&text, device).is_ok() {
        return text;
    }
    let head = format!("| program | what | passed | seconds | {beside} |");
    let lines = format!(
        "## {device}\n\n<!-- begin {device} -->\n\n{head}\n| --- | --- | --- | --- | --- |\n\
         <!-- end {device} -->\n\n{after}"
    );
    text.replacen(after, &lines, 1)
}

fn with_rows(text: &str, device: &str, rows: &[String]) -> Result<String, String> {
    let (before, old, after) = section(text, device)?;
    let name = |row: &str| row.split('|').nth(1).unwrap_or_default().trim().to_lowercase();
    let lines = || old.lines().filter(|line| line.starts_with("| "));
    let mut table: BTreeMap<String, String> =
        lines().skip(2).map(|row| (name(row), row.to_string())).collect();
    for row in rows {
        let last = table.get(&name(row)).and_then(|old| old.rsplit("| ").next());
        let row = match (row.strip_suffix(&format!("{UNKNOWN} |")), last) {
            (Some(start), Some(last)) => format!("{start}{last}"),
            _ => row.clone(),
        };
        table.insert(name(&row), row);
    }
    let head = lines().take(2).collect::<Vec<_>>().join("\n");
    let rows: Vec<String> = table.into_values().collect();
    Ok(format!("{before}\n{head}\n{}\n{after}", rows.join("\n")))
}

/// Returns the list of known failures.
fn causes(apps: &[App]) -> String {
    let of = |app: &App| {
        let line = |known: &super::judge::Known| {
            format!("* {}, `{}`: {}\n", app.name, known.test, known.why)
        };
        app.known.iter().map(line).collect::<String>()
    };
    apps.iter().map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "a\n<!-- begin x -->\n\n| program | what | passed | seconds | PoCL |\n\
                        | --- | --- | --- | --- | --- |\n| b | B | 1 of 1 | 2.0 | 3.0 |\n\
                        | d | D | 1 of 1 | 2.0 | 3.0 |\n<!-- end x -->\nz\n";

    #[test]
    fn rows_take_the_place_of_those_of_the_same_program() {
        let app = |name: &str| App { what: "W".to_string(), ..App::new(name, &[], Vec::new()) };
        let tally = Tally { passed: 1, failed: 1, seconds: 4.0, beside: Some((5.0, 1)) };
        let rows = [tally.row(&app("b")), Tally::default().row(&app("C"))];
        assert_eq!(rows[0], "| b | W | 1 of 2 | 4.0 | 5.0, 1 fail |");
        let text = with_rows(TEXT, "x", &rows).unwrap();
        let places: Vec<_> = ["| b | W", "| C | W", "| d | D", "<!-- end x -->\nz"]
            .iter()
            .map(|part| text.find(part).unwrap())
            .collect();
        assert!(places.is_sorted() && !text.contains("| b | B"), "{text}");
        assert_eq!(with_rows(&text, "x", &rows).unwrap(), text);
        assert!(with_rows(TEXT, "y", &rows).is_err());
    }

    #[test]
    fn a_device_without_a_table_gets_one() {
        let text = format!("{TEXT}\n## Programs that cannot be run here\n");
        let new = with_section(text.clone(), "y", "its maker's");
        let app = App { what: "B".to_string(), ..App::new("b", &[], Vec::new()) };
        let new = with_rows(&new, "y", &[Tally::default().row(&app)]).unwrap();
        assert!(new.contains("| seconds | its maker's |\n| --- "), "{new}");
        assert!(new.contains("| b | B | 0 of 0 |") && new.contains("| b | B | 1 of 1 |"), "{new}");
        assert_eq!(with_section(text.clone(), "x", ""), text);
    }

    #[test]
    fn what_is_not_measured_again_stays() {
        let app = App { what: "B".to_string(), ..App::new("b", &[], Vec::new()) };
        let tally = Tally { passed: 2, failed: 0, seconds: 4.0, beside: None };
        let text = with_rows(TEXT, "x", &[tally.row(&app)]).unwrap();
        assert!(text.contains("| b | B | 2 of 2 | 4.0 | 3.0 |"), "{text}");
    }

    #[test]
    fn the_document_has_the_causes_of_the_table() {
        let text = std::fs::read_to_string(root().join("docs/programs.md")).unwrap();
        let apps = super::super::programs::apps().unwrap();
        let (_, list, _) = section(&text, "causes").unwrap();
        assert_eq!(
            list.trim(),
            causes(&apps).trim(),
            "docs/programs.md lacks what programs.toml says"
        );
    }
}
