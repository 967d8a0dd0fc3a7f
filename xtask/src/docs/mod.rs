//! `cargo xtask docs`: what README and the documents link to is there, and the commands that they show work.

mod commands;
mod links;
mod markdown;
mod section;

pub use section::section;

use crate::system;
use crate::Outcome;
use markdown::Document;
use std::path::Path;
use std::process::Command;

const USAGE: &str = "usage: cargo xtask docs [--check]";

/// Checks links and commands, and runs those commands that can be run; `--check`: runs none.
pub fn run(args: &[String]) -> Outcome {
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let only_check = match args[..] {
        [] => false,
        ["--check"] => true,
        _ => return Err(USAGE.to_string()),
    };
    let documents = documents()?;
    let faults = faults(&documents);
    if !faults.is_empty() {
        return Err(faults.join("\n"));
    }
    let shown: Vec<_> = documents.iter().flat_map(Document::commands).collect();
    println!("{} documents, {} commands in blocks", documents.len(), shown.len());
    match only_check {
        true => Ok(()),
        false => commands::run_all(&shown),
    }
}

/// The part that needs no build: `cargo xtask check` has it, too.
pub fn check() -> Outcome {
    run(&["--check".to_string()])
}

/// Reads the Markdown files that git knows.
fn documents() -> Result<Vec<Document>, String> {
    let list = system::capture(Command::new("git").args(["ls-files", "*.md"]))?;
    let read = |name: &str| {
        let text = std::fs::read_to_string(system::root().join(name));
        Ok(Document::new(name, &text.map_err(|e| format!("{name}: {e}"))?))
    };
    list.lines().map(read).collect()
}

/// Returns all that is wrong, a line each.
fn faults(documents: &[Document]) -> Vec<String> {
    let exists = |path: &Path| system::root().join(path).exists();
    let mut faults = links::faults(documents, &exists);
    faults.extend(commands::faults(documents));
    faults
}
