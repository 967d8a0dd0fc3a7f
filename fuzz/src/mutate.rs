//! Changes lines of a text as bytes say: what a reader of text is given by those who mean it ill.

use arbitrary::{Result, Unstructured};

/// Most changes made to one text.
const MOST: usize = 8;

/// Exchanges, repeats and deletes lines, and exchanges words between them.
pub fn lines(text: &str, u: &mut Unstructured<'_>) -> Result<String> {
    let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
    for _ in 0..u.int_in_range(0..=MOST)? {
        if lines.is_empty() {
            break;
        }
        let (a, b) = (u.choose_index(lines.len())?, u.choose_index(lines.len())?);
        match u.int_in_range(0..=4)? {
            0 => lines.swap(a, b),
            1 => lines.insert(a, lines[b].clone()),
            2 => drop(lines.remove(a)),
            3 => lines[a] = exchange_word(&lines[a], &lines[b], u)?,
            _ => lines[a] = change_digit(&lines[a], u)?,
        }
    }
    Ok(lines.join("\n"))
}

/// `line` with one of its words replaced by one of `other`'s.
fn exchange_word(line: &str, other: &str, u: &mut Unstructured<'_>) -> Result<String> {
    let mut words: Vec<&str> = line.split(' ').collect();
    let others: Vec<&str> = other.split(' ').collect();
    let (at, from) = (u.choose_index(words.len())?, u.choose_index(others.len())?);
    words[at] = others[from];
    Ok(words.join(" "))
}

fn change_digit(line: &str, u: &mut Unstructured<'_>) -> Result<String> {
    let places: Vec<usize> =
        line.match_indices(|c: char| c.is_ascii_digit()).map(|m| m.0).collect();
    if places.is_empty() {
        return Ok(line.to_string());
    }
    let at = places[u.choose_index(places.len())?];
    let digits = ["0", "1", "7", "64", "4294967295", "-1", "18446744073709551615"];
    Ok(format!("{}{}{}", &line[..at], u.choose(&digits)?, &line[at + 1..]))
}
