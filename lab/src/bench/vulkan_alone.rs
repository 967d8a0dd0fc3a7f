//! A column for Vulkan alone: the measurements of `vk-backend/examples/vulkan_alone`, which is run as well.

use super::measure::median;
use super::table::{Column, Row};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};

/// Adds the column, of medians of several new processes.
///
/// # Errors
/// If the program cannot be run, or measures nothing.
pub fn add_column(
    program: &Path,
    processes: usize,
    columns: &mut Vec<Column>,
    rows: &mut [Row],
) -> Result<(), String> {
    eprintln!("Vulkan alone");
    let mut measured: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for _ in 0..processes {
        for (name, value) in read(&run(program, &[])?) {
            measured.entry(name).or_default().push(value);
        }
    }
    if measured.is_empty() {
        return Err(format!("{} measures nothing", program.display()));
    }
    columns.push(Column { title: "Vulkan alone".to_string(), is_hekla: false });
    for row in rows {
        // Most lines have no counterpart in Vulkan, which needs no mention.
        let value = measured.get_mut(&row.name).map(|values| median(values));
        row.values.push(value.ok_or_else(String::new));
    }
    Ok(())
}

/// Runs the program. Returns its output.
///
/// # Errors
/// If it cannot be run or fails; the error has its output.
pub fn run(program: &Path, arguments: &[String]) -> Result<String, String> {
    let output = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|e| format!("{}: {e}", program.display()))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    match output.status.success() {
        true => Ok(text),
        false => Err(format!("{} failed: {}: {}", program.display(), output.status, text.trim())),
    }
}

/// Returns the names and values of a program's output.
fn read(text: &str) -> impl Iterator<Item = (String, f64)> + '_ {
    text.lines().filter_map(|line| {
        let (name, value) = line.split_once('\t')?;
        Some((name.to_string(), value.parse().ok()?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_other_form_are_left_out() {
        let read: Vec<_> = read("a b\t1.5\na driver's words\nc\tnone\n").collect();
        assert_eq!(read, [("a b".to_string(), 1.5)]);
    }
}
