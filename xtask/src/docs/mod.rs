//! `cargo xtask docs`: checks that the links of README and the documents lead to something, and that the commands in
//! them work.

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

/// Options of the command: whether commands are run.
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

/// Makes the checks that need no build, as `cargo xtask check` does.
pub fn check() -> Outcome {
    run(&Request { check: true })
}

/// Reads the Markdown files in the git repository.
fn documents() -> Result<Vec<Document>, String> {
    let list = system::capture(Command::new("git").args(["ls-files", "*.md"]))?;
    let read = |name: &str| {
        let text = std::fs::read_to_string(system::root().join(name));
        Ok(Document::new(name, &text.map_err(|e| format!("{name}: {e}"))?))
    };
    list.lines().map(read).collect()
}

/// Returns all faults, one per line.
fn faults(documents: &[Document]) -> Result<Vec<String>, String> {
    let exists = |path: &Path| system::root().join(path).exists();
    let mut faults = links::faults(documents, &exists);
    faults.extend(commands::faults(documents)?);
    Ok(faults)
}
