//! Checks that code for single operating systems is in the folders `platform` alone.

use crate::Outcome;
use std::path::Path;

/// Texts that only code for one system has. `target_arch` is not among them: processors are not systems.
const SIGNS: [&str; 9] = [
    "std::os::",
    "libc::",
    "cfg(unix",
    "cfg(windows",
    "cfg(not(unix",
    "cfg(not(windows",
    "target_os",
    "target_env",
    "target_vendor",
];

/// Fails if a source of a crate outside of its folder `platform` has such a text, apart from tests.
pub fn check(sources: &Path) -> Outcome {
    let entries = crate::system::read_folder(sources)?;
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            if !path.ends_with("platform") {
                check(&path)?;
            }
        } else if path.extension().is_some_and(|e| e == "rs") && !path.ends_with("system_code.rs") {
            let text = crate::system::read_text(&path)?;
            if let Some((line, sign)) = first_sign(&text) {
                return Err(format!(
                    "{}:{line}: `{sign}` is code for one operating system, which belongs into `platform`",
                    path.display()
                ));
            }
        }
    }
    Ok(())
}

/// Returns the number of the first line with one of the texts, counted from 1, and the text.
fn first_sign(text: &str) -> Option<(usize, &'static str)> {
    let end = text.find("#[cfg(test)]\nmod tests {").unwrap_or(text.len());
    for (number, line) in text[..end].lines().enumerate() {
        let code = line.split("//").next().unwrap_or("");
        if let Some(sign) = SIGNS.iter().find(|sign| code.contains(**sign)) {
            return Some((number + 1, sign));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_for_one_system_is_found_outside_of_tests_and_comments() {
        assert_eq!(first_sign("fn f() {}\nuse std::os::fd::OwnedFd;"), Some((2, "std::os::")));
        assert_eq!(first_sign("#[cfg(target_os = \"linux\")]"), Some((1, "target_os")));
        assert_eq!(first_sign("// libc::mmap\n#[cfg(target_arch = \"x86_64\")]"), None);
        assert_eq!(first_sign("#[cfg(test)]\nmod tests {\nuse libc::fork;"), None);
    }
}
