//! `cargo xtask release`: prints what a release of this version would be, and whether all files agree on the version.
//! It changes nothing: the tag that it prints makes the release.

use crate::package::{self, VERSION};
use crate::{results, system, Outcome};
use std::process::Command;

/// Files that contain the version, with the text in front of it.
const PLACES: [(&str, &str); 6] = [
    ("CHANGELOG.md", "\n## "),
    ("packaging/arch/PKGBUILD", "\npkgver="),
    ("packaging/nix/default.nix", "version = \""),
    ("docs/man/heklac.1", "\"Hekla "),
    ("docs/man/hekla.7", "\"Hekla "),
    ("Cargo.toml", "\nversion = \""),
];

/// Options of the command: what is printed.
#[derive(clap::Args)]
pub struct Request {
    /// Print the section of the changelog alone
    #[arg(long)]
    notes: bool,
}

/// Runs the command.
pub fn run(request: &Request) -> Outcome {
    let changelog = read("CHANGELOG.md")?;
    let notes = section(&changelog, VERSION)
        .ok_or_else(|| format!("CHANGELOG.md has no section '## {VERSION}'"))?;
    if request.notes {
        println!("{notes}");
        return Ok(());
    }
    let mut faults = Vec::new();
    for (file, before) in PLACES {
        if let Some(fault) = disagreement(&read(file)?, before) {
            faults.push(format!("{file} {fault}"));
        }
    }
    let tag = format!("v{VERSION}");
    let git = |args: &[&str]| system::capture(Command::new("git").args(args));
    if !git(&["tag", "--list", &tag])?.trim().is_empty() {
        faults.push(format!("there is a tag {tag}: raise the version in Cargo.toml"));
    }
    if !git(&["status", "--porcelain"])?.trim().is_empty() {
        faults.push("the tree has changes that are not committed".to_string());
    }
    if changelog.contains(&format!("## {VERSION} (not yet released)")) {
        faults.push("CHANGELOG.md says 'not yet released': put the date there".to_string());
    }
    faults.extend(results::stale()?);
    println!("version   {VERSION}\ntag       {tag}\ntag text  Hekla {VERSION}\n\n{notes}\n");
    println!("packages");
    for name in package::names()? {
        println!("  {name}");
    }
    println!("\nto release it: git tag -a {tag} -m 'Hekla {VERSION}' && git push origin {tag}");
    if !faults.is_empty() {
        println!("\nbefore that:");
        faults.iter().for_each(|fault| println!("  {fault}"));
    }
    Ok(())
}

/// Fails where files disagree about the version: a part of `cargo xtask check`.
pub fn check() -> Outcome {
    for (file, before) in PLACES {
        if let Some(fault) = disagreement(&read(file)?, before) {
            return Err(format!("{file} {fault}"));
        }
    }
    Ok(())
}

fn read(file: &str) -> Result<String, String> {
    std::fs::read_to_string(system::root().join(file)).map_err(|e| format!("{file}: {e}"))
}

/// Returns the fault if the first version behind `before` in a text is not the workspace's.
fn disagreement(text: &str, before: &str) -> Option<String> {
    let Some((_, rest)) = text.split_once(before) else {
        return Some("says no version".to_string());
    };
    let version: String =
        rest.chars().take_while(|c| c.is_ascii_alphanumeric() || "-.+".contains(*c)).collect();
    (version != VERSION).then(|| format!("says {version}, Cargo.toml {VERSION}"))
}

/// Returns the text below the heading of a version.
fn section<'a>(changelog: &'a str, version: &str) -> Option<&'a str> {
    let mut rest = changelog;
    loop {
        let at = rest.find("\n## ")?;
        rest = &rest[at + 4..];
        let heading = rest.lines().next()?;
        if heading.split_whitespace().next() == Some(version) {
            let body = &rest[heading.len()..];
            return Some(body[..body.find("\n## ").unwrap_or(body.len())].trim());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_has_its_section() {
        let changelog = "# Changes\n\n## 1.1.0 (2027-01-02)\n\n- b\n\n## 1.0.0\n\n- a\n";
        assert_eq!(section(changelog, "1.1.0"), Some("- b"));
        assert_eq!(section(changelog, "1.0.0"), Some("- a"));
        assert_eq!(section(changelog, "1.0"), None);
    }

    #[test]
    fn files_that_say_another_version_are_told() {
        assert_eq!(disagreement(&format!("x\npkgver={VERSION}\n"), "\npkgver="), None);
        let fault = disagreement("x\npkgver=9.9.9\n", "\npkgver=").unwrap();
        assert!(fault.contains("9.9.9") && fault.contains(VERSION), "{fault}");
        assert!(disagreement("x", "\npkgver=").is_some());
        check().unwrap();
    }
}
