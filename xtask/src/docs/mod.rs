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

/// What is done with commands.
#[derive(clap::Args)]
pub struct Request {
    /// Run none of the commands
    #[arg(long)]
    check: bool,
}

/// Checks links and commands, and runs those commands that can be run.
pub fn run_all() -> Outcome {
    run(&Request { check: false })
}

/// Runs the command.
pub fn run(request: &Request) -> Outcome {
    let documents = documents()?;
    let faults = faults(&documents)?;
    if !faults.is_empty() {
        return Err(faults.join("\n"));
    }
    let shown: Vec<_> = documents.iter().flat_map(Document::commands).collect();
    println!("{} documents, {} commands in blocks", documents.len(), shown.len());
    match request.check {
        true => Ok(()),
        false => commands::run_all(&shown),
    }
}

/// The part that needs no build: `cargo xtask check` has it, too.
pub fn check() -> Outcome {
    run(&Request { check: true })
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
fn faults(documents: &[Document]) -> Result<Vec<String>, String> {
    let exists = |path: &Path| system::root().join(path).exists();
    let mut faults = links::faults(documents, &exists);
    faults.extend(commands::faults(documents)?);
    Ok(faults)
}
