//! The result as a picture (SVG): Hekla beside each other platform, one bar per row.
//!
//! A bar shows the factor between the two: to the right of the middle Hekla is ahead, to the left the other platform.
//! The scale is logarithmic, so that twice as fast and half as fast are bars of one length.

use super::measure::Better;
use super::table::{Column, Row};
use std::fmt::Write;

/// Widths of the names, of half of the bars, and of the numbers at the ends, in pixels.
const NAMES: f64 = 390.0;
const HALF: f64 = 210.0;
const NUMBERS: f64 = 60.0;
/// Heights of a row, of its bar, and of a title.
const ROW: f64 = 18.0;
const BAR: f64 = 12.0;
const TITLE: f64 = 44.0;
/// The factor at the ends of the scale: longer bars are cut, and their numbers show the factor.
const END: f64 = 16.0;
const AHEAD: &str = "#2a7f62";
const BEHIND: &str = "#b5563c";

/// Returns the picture; an error where there is nothing to compare.
pub fn svg(columns: &[Column], rows: &[Row]) -> Result<String, String> {
    let hekla = columns.iter().position(|column| column.is_hekla);
    let hekla = hekla.ok_or("a picture needs Hekla among the platforms")?;
    let others: Vec<usize> = (0..columns.len()).filter(|index| *index != hekla).collect();
    let panels: Vec<(&str, Vec<(&str, f64)>)> = others
        .iter()
        .map(|other| (columns[*other].title.as_str(), bars(rows, hekla, *other)))
        .filter(|(_, bars)| !bars.is_empty())
        .collect();
    if panels.is_empty() {
        return Err("a picture needs another platform beside Hekla".to_string());
    }
    let height: f64 = panels.iter().map(|(_, bars)| TITLE + ROW * bars.len() as f64).sum();
    let width = NAMES + 2.0 * (HALF + NUMBERS);
    draw(&panels, width, height + ROW).map_err(|e| e.to_string())
}

/// Returns the rows that both platforms have, with the factor by which Hekla is better.
fn bars(rows: &[Row], hekla: usize, other: usize) -> Vec<(&str, f64)> {
    let bar = |row: &'_ Row| {
        let (Ok(ours), Ok(theirs)) = (&row.values[hekla], &row.values[other]) else { return None };
        let factor = match row.better {
            Better::More => ours / theirs,
            Better::Less => theirs / ours,
        };
        (factor.is_finite() && factor > 0.0).then_some(factor)
    };
    rows.iter().filter_map(|row| Some((row.name.as_str(), bar(row)?))).collect()
}

fn draw(
    panels: &[(&str, Vec<(&str, f64)>)],
    width: f64,
    height: f64,
) -> Result<String, std::fmt::Error> {
    let middle = NAMES + NUMBERS + HALF;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    let mut y = 0.0;
    for (title, bars) in panels {
        writeln!(
            svg,
            "<text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\" font-size=\"15\">Hekla beside {}</text>",
            y + 20.0,
            escaped(title)
        )?;
        writeln!(
            svg,
            "<text x=\"{}\" y=\"{at}\" text-anchor=\"end\" fill=\"{BEHIND}\">behind</text>\
             <text x=\"{}\" y=\"{at}\" fill=\"{AHEAD}\">ahead</text>",
            middle - 8.0,
            middle + 8.0,
            at = y + 37.0
        )?;
        y += TITLE;
        let bottom = y + ROW * bars.len() as f64;
        for (name, factor) in bars {
            bar(&mut svg, (middle, y), name, *factor)?;
            y += ROW;
        }
        writeln!(
            svg,
            "<line x1=\"{middle}\" y1=\"{}\" x2=\"{middle}\" y2=\"{bottom}\" stroke=\"#444\"/>",
            bottom - ROW * bars.len() as f64
        )?;
    }
    svg.push_str("</svg>\n");
    Ok(svg)
}

/// Draws one row: its name, its bar, and the factor at the bar's end.
fn bar(svg: &mut String, (middle, y): (f64, f64), name: &str, factor: f64) -> std::fmt::Result {
    let length = HALF * (factor.ln() / END.ln()).clamp(-1.0, 1.0);
    let (start, color) = if length < 0.0 { (middle + length, BEHIND) } else { (middle, AHEAD) };
    let (end, anchor) =
        if length < 0.0 { (start - 4.0, "end") } else { (middle + length + 4.0, "start") };
    let base = y + BAR - 1.5;
    writeln!(
        svg,
        "<text x=\"{}\" y=\"{base}\" text-anchor=\"end\">{}</text>\
         <rect x=\"{start:.1}\" y=\"{y}\" width=\"{:.1}\" height=\"{BAR}\" fill=\"{color}\"/>\
         <text x=\"{end:.1}\" y=\"{base}\" text-anchor=\"{anchor}\">{}</text>",
        NAMES - 6.0,
        escaped(name),
        length.abs(),
        times(factor)
    )
}

/// Returns a factor as people read it: `3.2×`, `120×`, `0.45×`.
fn times(factor: f64) -> String {
    match factor {
        f if f >= 9.95 => format!("{factor:.0}\u{d7}"),
        f if f >= 0.995 => format!("{factor:.1}\u{d7}"),
        _ => format!("{factor:.2}\u{d7}"),
    }
}

/// Returns text in the form that XML needs.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, better: Better, values: [f64; 2]) -> Row {
        let values = values.map(|v| if v > 0.0 { Ok(v) } else { Err("none".to_string()) });
        Row { name: name.to_string(), unit: "x".into(), better, values: values.into() }
    }

    #[test]
    fn bars_tell_who_is_ahead() {
        let column = |title: &str, is_hekla| Column { title: title.to_string(), is_hekla };
        let columns = [column("A & B", false), column("Hekla", true)];
        let rows = [
            row("rate", Better::More, [2.0, 8.0]),
            row("time", Better::Less, [2.0, 8.0]),
            row("only one", Better::More, [0.0, 8.0]),
        ];
        assert_eq!(bars(&rows, 1, 0), [("rate", 4.0), ("time", 0.25)]);
        let picture = svg(&columns, &rows).unwrap();
        assert!(picture.contains("Hekla beside A &amp; B"), "{picture}");
        assert!(picture.contains("4.0\u{d7}") && picture.contains("0.25\u{d7}"), "{picture}");
        // Both bars are half as long as the scale, one to each side.
        let middle = NAMES + NUMBERS + HALF;
        assert!(
            picture.contains(&format!("<rect x=\"{middle:.1}\" y=\"44\" width=\"105.0\"")),
            "{picture}"
        );
        assert!(
            picture
                .contains(&format!("<rect x=\"{:.1}\" y=\"62\" width=\"105.0\"", middle - 105.0)),
            "{picture}"
        );
        assert!(svg(&columns[..1], &rows).is_err() && svg(&columns[1..], &rows).is_err());
    }
}
