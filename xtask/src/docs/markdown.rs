//! The parts of a Markdown file that can be checked: headings, links, code.

use std::path::PathBuf;

/// A file.
pub struct Document {
    pub path: PathBuf,
    /// The anchors of the file's headings, as forges make them.
    pub anchors: Vec<String>,
    /// Targets of links, with the numbers of their lines.
    pub links: Vec<(usize, String)>,
    /// Code within a line, with the line's number.
    pub spans: Vec<(usize, String)>,
    /// Blocks of code, with the name of the language and the number of the block's first line.
    pub blocks: Vec<Block>,
}

pub struct Block {
    pub line: usize,
    pub language: String,
    pub lines: Vec<String>,
}

/// A command in a block, in one line, without its comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// `FILE:LINE`.
    pub place: String,
    pub text: String,
}

impl Document {
    pub fn new(path: &str, text: &str) -> Document {
        let mut document = Document {
            path: path.into(),
            anchors: Vec::new(),
            links: Vec::new(),
            spans: Vec::new(),
            blocks: Vec::new(),
        };
        let mut block: Option<Block> = None;
        for (number, line) in text.lines().enumerate().map(|(index, line)| (index + 1, line)) {
            if let Some(language) = line.trim_start().strip_prefix("```") {
                match block.take() {
                    Some(done) => document.blocks.push(done),
                    None => {
                        let language = language.trim().to_string();
                        block = Some(Block { line: number + 1, language, lines: Vec::new() });
                    }
                }
            } else if let Some(block) = &mut block {
                block.lines.push(line.to_string());
            } else {
                document.add_line(number, line);
            }
        }
        document
    }

    fn add_line(&mut self, number: usize, line: &str) {
        if let Some(heading) = line.strip_prefix('#') {
            let anchor = slug(heading.trim_start_matches('#').trim());
            let same = |known: &&String| {
                known.trim_end_matches(|c: char| c.is_ascii_digit() || c == '-') == anchor
            };
            self.anchors.push(match self.anchors.iter().filter(same).count() {
                0 => anchor,
                count => format!("{anchor}-{count}"),
            });
        }
        let mut prose = String::new();
        for (index, part) in line.split('`').enumerate() {
            match index % 2 {
                0 => prose.push_str(part),
                _ => self.spans.push((number, part.to_string())),
            }
        }
        for after in prose.split("](").skip(1) {
            if let Some((target, _)) = after.split_once(')') {
                self.links.push((number, target.to_string()));
            }
        }
    }

    /// Returns the commands in the file's blocks of shell.
    pub fn commands(&self) -> Vec<Shown> {
        let mut commands = Vec::new();
        for block in self.blocks.iter().filter(|block| block.language == "sh") {
            let mut whole = String::new();
            for (index, line) in block.lines.iter().enumerate() {
                let line = without_comment(line);
                match line.strip_suffix('\\') {
                    Some(first) => whole.push_str(first),
                    None => {
                        whole.push_str(line);
                        let text = whole.split_whitespace().collect::<Vec<_>>().join(" ");
                        whole.clear();
                        if !text.is_empty() {
                            let place = format!("{}:{}", self.path.display(), block.line + index);
                            commands.push(Shown { place, text });
                        }
                    }
                }
            }
        }
        commands
    }
}

/// Returns a line of shell without its comment.
fn without_comment(line: &str) -> &str {
    match line.find(" #") {
        _ if line.trim_start().starts_with('#') => "",
        Some(at) => line[..at].trim_end(),
        None => line.trim_end(),
    }
}

/// Returns the anchor of a heading: lower case, words joined by `-`, no other signs.
fn slug(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_links_and_code_are_told_apart() {
        let text = "# What `it` is, really\n[a](b.md#c) `[no](link)`\n\n```sh\none --x \\\n    two  # why\n# no\n```\n\
                    ## Twice\n## Twice\n";
        let document = Document::new("x.md", text);
        assert_eq!(document.anchors, ["what-it-is-really", "twice", "twice-1"]);
        assert_eq!(document.links, [(2, "b.md#c".to_string())]);
        assert_eq!(document.spans, [(1, "it".to_string()), (2, "[no](link)".to_string())]);
        let command = Shown { place: "x.md:6".to_string(), text: "one --x two".to_string() };
        assert_eq!(document.commands(), [command]);
    }
}
