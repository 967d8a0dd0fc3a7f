//! The result: a Markdown table with a column for each platform and one for each ratio.

use super::measure::Better;
use std::borrow::Cow;
use std::fmt::Write;

/// One line: a value for each platform, or the reason why there is none; the reason is empty where it needs no mention.
pub struct Row {
    pub name: String,
    pub unit: Cow<'static, str>,
    pub better: Better,
    pub values: Vec<Result<f64, String>>,
}

/// A platform's column.
pub struct Column {
    pub title: String,
    pub is_hekla: bool,
}

/// Returns the table, followed by the reasons for missing values.
pub fn render(columns: &[Column], rows: &[Row]) -> Result<String, std::fmt::Error> {
    let hekla = columns.iter().position(|c| c.is_hekla);
    let others = || (0..columns.len()).filter(|i| Some(*i) != hekla);
    let mut text = String::from("| measurement | unit | better |");
    for column in hekla.into_iter().chain(others()) {
        write!(text, " {} |", columns[column].title)?;
    }
    if hekla.is_some() {
        for column in others() {
            write!(text, " Hekla / {} |", columns[column].title)?;
        }
    }
    let cells = columns.len() + if hekla.is_some() { columns.len() - 1 } else { 0 };
    write!(text, "\n| --- | --- | --- |{}", " ---: |".repeat(cells))?;
    let mut reasons = Vec::new();
    for row in rows {
        let better = if row.better == Better::More { "more" } else { "less" };
        write!(text, "\n| {} | {} | {better} |", row.name, row.unit)?;
        for column in hekla.into_iter().chain(others()) {
            match &row.values[column] {
                Ok(value) => write!(text, " {} |", number(*value))?,
                Err(reason) => {
                    text.push_str(" - |");
                    if !reason.is_empty() {
                        reasons.push(format!("{}, {}: {reason}", columns[column].title, row.name));
                    }
                }
            }
        }
        let Some(hekla) = hekla else { continue };
        for column in others() {
            match (&row.values[hekla], &row.values[column]) {
                (Ok(ours), Ok(theirs)) => write!(text, " {} |", number(ours / theirs))?,
                _ => text.push_str(" - |"),
            }
        }
    }
    text.push('\n');
    for reason in reasons {
        write!(text, "\n- {reason}")?;
    }
    Ok(text)
}

/// Reads a table that [`render`] has written; other text and tables may surround it.
///
/// # Errors
/// If the text has no such table.
pub fn read(text: &str) -> Result<(Vec<Column>, Vec<Row>), String> {
    let cells = |line: &str| -> Vec<String> {
        let line = line.trim_matches(['|', ' ']);
        line.split(" | ").map(|cell| cell.trim().to_string()).collect()
    };
    let mut lines = text.lines().skip_while(|line| !line.starts_with("| measurement |"));
    let head = lines.next().map(cells).ok_or("the file has no table of measurements")?;
    let is_platform = |title: &&String| !title.starts_with("Hekla / ");
    let column = |title: &String| Column { title: title.clone(), is_hekla: title == "Hekla" };
    let columns: Vec<Column> = head.iter().skip(3).filter(is_platform).map(column).collect();
    let mut rows = Vec::new();
    for line in lines.skip(1).take_while(|line| line.starts_with('|')) {
        let cells = cells(line);
        let [name, unit, better, numbers @ ..] = &cells[..] else {
            return Err(format!("a line of too few cells: {line}"));
        };
        let value = |cell: &String| cell.parse().map_err(|_| "not measured".to_string());
        let values = numbers.iter().take(columns.len()).map(value).collect();
        let better = if better == "less" { Better::Less } else { Better::More };
        rows.push(Row { name: name.clone(), unit: unit.clone().into(), better, values });
    }
    Ok((columns, rows))
}

/// Returns a number with three or more significant digits.
fn number(value: f64) -> String {
    match value.abs() {
        v if v >= 100.0 => format!("{value:.0}"),
        v if v >= 10.0 => format!("{value:.1}"),
        v if v >= 1.0 => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hekla_comes_first_and_ratios_last() {
        let column = |title: &str, is_hekla| Column { title: title.to_string(), is_hekla };
        let rows = [Row {
            name: "copy".to_string(),
            unit: "GB/s".into(),
            better: Better::More,
            values: vec![Ok(2.0), Ok(5.0), Err("no memory".to_string())],
        }];
        let columns = [column("A", false), column("Hekla", true), column("B", false)];
        let text = render(&columns, &rows).unwrap_or_default();
        assert!(text.contains("| Hekla | A | B | Hekla / A | Hekla / B |"), "{text}");
        assert!(text.contains("| copy | GB/s | more | 5.00 | 2.00 | - | 2.50 | - |"), "{text}");
        assert!(text.ends_with("- B, copy: no memory"), "{text}");

        let other = "| mode | rate |\n| --- | --- |\n| 0 | 1 |\n";
        let (columns, rows) = read(&format!("{other}\n{text}\n\n{other}")).unwrap();
        assert_eq!(rows.len(), 1);
        let titles: Vec<&str> = columns.iter().map(|column| column.title.as_str()).collect();
        assert_eq!(titles, ["Hekla", "A", "B"]);
        assert!(columns[0].is_hekla && !columns[1].is_hekla);
        let row = &rows[0];
        assert_eq!((row.name.as_str(), &*row.unit), ("copy", "GB/s"));
        assert!(row.better == Better::More && row.values[2].is_err());
        assert_eq!(row.values[..2], [Ok(5.0), Ok(2.0)]);
        assert!(read("nothing").is_err());
    }
}
