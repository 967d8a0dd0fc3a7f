//! `cargo xtask sample`: comments and names of the source, drawn at random, for a reader who has not seen the code. A
//! comment or name that the reader has to read twice should be rewritten.

use crate::random::SplitMix;
use crate::{system, Outcome};
use std::path::{Path, PathBuf};

/// The crates whose source is drawn from.
const CRATES: [&str; 8] =
    ["compiler", "icd", "vk-backend", "device", "spirv-words", "lab", "xtask", "spirv-interp"];

/// Options of the command: what is drawn.
#[derive(clap::Args)]
pub struct Request {
    /// Number that the draw follows from: the same seed draws the same from the same source
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Comments to draw
    #[arg(long, default_value_t = 100)]
    comments: usize,
    /// Names to draw
    #[arg(long, default_value_t = 50)]
    names: usize,
}

/// Prints the drawn comments, then the drawn names with their declarations, each with file and line.
pub fn run(request: &Request) -> Outcome {
    let mut files = Vec::new();
    for name in CRATES {
        rust_files(&system::root().join(name), &mut files)?;
    }
    files.sort();
    let (mut comments, mut names) = (Vec::new(), Vec::new());
    for file in &files {
        let text = system::read_text(file)?;
        let place = file.strip_prefix(system::root()).unwrap_or(file).display().to_string();
        comments.extend(
            comments_of(&text).into_iter().map(|(line, it)| format!("{place}:{line}\n{it}")),
        );
        names.extend(names_of(&text).into_iter().map(|(line, it)| format!("{place}:{line}: {it}")));
    }
    let mut random = Random(SplitMix(request.seed));
    println!("{} of {} comments\n", request.comments, comments.len());
    random.draw(&comments, request.comments).iter().for_each(|it| println!("{it}\n"));
    println!("{} of {} names\n", request.names, names.len());
    random.draw(&names, request.names).iter().for_each(|it| println!("{it}"));
    Ok(())
}

/// Adds the Rust files below a folder.
fn rust_files(folder: &Path, files: &mut Vec<PathBuf>) -> Outcome {
    let entries = system::read_folder(folder)?;
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() && !path.ends_with("target") {
            rust_files(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    Ok(())
}

/// Returns each comment with the number of its first line. Adjacent lines of one kind (`///`, `//!`, `//`) are one comment.
fn comments_of(text: &str) -> Vec<(usize, String)> {
    let kind = |line: &str| {
        ["///", "//!", "//"].into_iter().find(|marker| line.trim_start().starts_with(*marker))
    };
    let mut comments: Vec<(usize, String)> = Vec::new();
    let mut previous = None;
    for (number, line) in (1..).zip(text.lines()) {
        let this = kind(line);
        match comments.last_mut() {
            Some((_, comment)) if this.is_some() && this == previous => {
                comment.push('\n');
                comment.push_str(line.trim());
            }
            _ if this.is_some() => comments.push((number, line.trim().to_string())),
            _ => {}
        }
        previous = this;
    }
    comments
}

/// Returns the lines that declare a type, a function, a constant, a field or a variant, with their numbers.
fn names_of(text: &str) -> Vec<(usize, &str)> {
    let mut names = Vec::new();
    // The indentation of the type whose fields or variants follow.
    let mut body = None;
    for (number, line) in (1..).zip(text.lines()) {
        let code = line.trim_start();
        let indent = line.len() - code.len();
        let keyword = keyword(code);
        if body == Some(indent) && code.starts_with('}') {
            body = None;
        }
        let is_member = body.is_some_and(|outer| indent == outer + 4)
            && code.starts_with(|c: char| c.is_alphanumeric() || c == '_');
        if keyword.is_some() || is_member {
            names.push((number, code));
        }
        if matches!(keyword, Some("struct" | "enum" | "union")) && code.ends_with('{') {
            body = Some(indent);
        }
    }
    names
}

/// Returns the keyword of a line that begins a declaration.
fn keyword(code: &str) -> Option<&str> {
    const KEYWORDS: [&str; 8] =
        ["struct", "enum", "union", "trait", "type", "fn", "const", "static"];
    let mut words = code.split(' ').filter(|word| {
        !(word.starts_with("pub") || ["unsafe", "extern", "\"C\"", "\"system\""].contains(word))
    });
    let word = words.next().filter(|word| KEYWORDS.contains(word))?;
    if word == "const" && words.next() == Some("fn") {
        Some("fn")
    } else {
        Some(word)
    }
}

/// Draws at random.
struct Random(SplitMix);

impl Random {
    /// Returns `count` different items, or all if there are fewer.
    fn draw<'a>(&mut self, items: &'a [String], count: usize) -> Vec<&'a String> {
        let mut items: Vec<&String> = items.iter().collect();
        for at in 0..count.min(items.len()) {
            let rest = (items.len() - at) as u64;
            items.swap(at, at + (self.0.bits() % rest) as usize);
        }
        items.truncate(count);
        items
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "//! A file.\n\n/// A pair.\n/// Of two.\npub struct Pair {\n    /// One.\n    pub a: u8,\n    \
        // Hidden.\n    b: u8,\n}\n\nimpl Pair {\n    pub const fn sum(self) -> u8 {\n        let x = Pair { a: 1 };\n    }\n}\n";

    #[test]
    fn comments_are_blocks_and_names_are_declarations() {
        let lines =
            |of: Vec<(usize, String)>| of.into_iter().map(|(line, _)| line).collect::<Vec<_>>();
        assert_eq!(lines(comments_of(TEXT)), [1, 3, 6, 8]);
        assert_eq!(comments_of(TEXT)[1].1, "/// A pair.\n/// Of two.");
        let names: Vec<usize> = names_of(TEXT).into_iter().map(|(line, _)| line).collect();
        assert_eq!(names, [5, 7, 9, 13]);
    }

    #[test]
    fn a_seed_draws_the_same_again_and_nothing_twice() {
        let items: Vec<String> = (0..100).map(|n| n.to_string()).collect();
        let drawn = Random(SplitMix(7)).draw(&items, 50);
        assert_eq!(drawn, Random(SplitMix(7)).draw(&items, 50));
        assert_ne!(drawn, Random(SplitMix(8)).draw(&items, 50));
        let different: std::collections::HashSet<_> = drawn.iter().collect();
        assert_eq!(different.len(), 50);
        assert_eq!(Random(SplitMix(7)).draw(&items, 200).len(), 100);
    }
}
