//! Checks that imports between the folders of a crate go one way: no import cycle spans two of them.
//!
//! Imports are read from the text: `use` declarations, and paths that begin with `crate`, `super` or `self`.
//! Modules for tests inside of files do not count.

use crate::Outcome;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The imports between folders: for each folder, the folders that it imports from, with a file that does.
type Imports = BTreeMap<String, BTreeMap<String, String>>;

/// Fails if an import cycle spans two folders of a crate's sources. The folders are the crate's top-level ones; of
/// those in `nested`, the folders inside them count instead.
pub fn check(sources: &Path, nested: &[&str]) -> Outcome {
    let mut files = Vec::new();
    collect(sources, &mut Vec::new(), &mut files)?;
    let modules: BTreeSet<Vec<String>> = files.iter().map(|(module, _)| module.clone()).collect();
    let mut imports = Imports::new();
    for (module, text) in &files {
        let own = folder(module, nested);
        for path in paths(&without_tests(text)) {
            let Some(target) = resolve(&path, module, &modules) else { continue };
            let target = folder(&target, nested);
            if !target.is_empty() && !own.is_empty() && target != own {
                let entry = imports.entry(own.clone()).or_default();
                entry.entry(target).or_insert_with(|| module.join("::"));
            }
        }
    }
    match cycle(&imports) {
        None => Ok(()),
        Some(cycle) => Err(format!("{}: folders import each other: {cycle}", sources.display())),
    }
}

/// Reads the sources with their modules' paths.
fn collect(
    folder: &Path,
    module: &mut Vec<String>,
    files: &mut Vec<(Vec<String>, String)>,
) -> Outcome {
    let error = |e: std::io::Error| format!("{}: {e}", folder.display());
    for entry in std::fs::read_dir(folder).map_err(error)?.flatten() {
        let path = entry.path();
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() && name != "bin" {
            module.push(name);
            collect(&path, module, files)?;
            module.pop();
        } else if path.extension().is_some_and(|e| e == "rs") {
            let text = std::fs::read_to_string(&path).map_err(error)?;
            let mut own = module.clone();
            if name != "mod" && name != "lib" {
                own.push(name);
            }
            files.push((own, text));
        }
    }
    Ok(())
}

/// Returns the folder of a module.
fn folder(module: &[String], nested: &[&str]) -> String {
    let length = match module.first() {
        Some(first) if nested.contains(&first.as_str()) => 2,
        _ => 1,
    };
    module[..length.min(module.len())].join("::")
}

/// Returns a source without its comments and tests.
fn without_tests(text: &str) -> String {
    let end = text.find("#[cfg(test)]\nmod tests {").unwrap_or(text.len());
    text[..end]
        .lines()
        .map(|line| line.split("//").next().unwrap_or(""))
        .collect::<Vec<_>>()
        .join("\n")
}

/// Returns the paths in a source that may lead to modules of its crate.
fn paths(text: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for (start, word) in text.match_indices("use ") {
        let line = text[..start].rsplit('\n').next().unwrap_or("").trim();
        // A word within a string does not count.
        if line.is_empty() || line.starts_with("pub") {
            let after = &text[start + word.len()..];
            expand(&after[..after.find(';').unwrap_or(after.len())], &[], &mut found);
        }
    }
    for root in ["crate::", "super::"] {
        for (at, _) in text.match_indices(root) {
            let word = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
            let path: String = text[at..].chars().take_while(|c| word(*c)).collect();
            // A visibility is not an import.
            if !text[..at].ends_with(word) && !text[..at].ends_with("(in ") {
                found.push(split(&path));
            }
        }
    }
    found
}

fn split(path: &str) -> Vec<String> {
    let parts = path.split("::").map(|part| part.split_whitespace().next().unwrap_or(""));
    parts.filter(|part| !part.is_empty()).map(str::to_string).collect()
}

/// Adds the paths of a `use` tree.
fn expand(tree: &str, prefix: &[String], found: &mut Vec<Vec<String>>) {
    let Some(open) = tree.find('{') else {
        found.push([prefix, &split(tree)].concat());
        return;
    };
    let prefix = [prefix, &split(&tree[..open])].concat();
    let inner = &tree[open + 1..tree.rfind('}').unwrap_or(tree.len())];
    let (mut depth, mut start) = (0, 0);
    for (at, c) in inner.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                expand(&inner[start..at], &prefix, found);
                start = at + 1;
            }
            _ => {}
        }
    }
    if !inner[start..].trim().is_empty() {
        expand(&inner[start..], &prefix, found);
    }
}

/// Returns the module that a path in another one leads to.
fn resolve(
    path: &[String],
    module: &[String],
    modules: &BTreeSet<Vec<String>>,
) -> Option<Vec<String>> {
    let mut base = module.to_vec();
    let mut rest = path;
    match path.first()?.as_str() {
        "crate" => {
            base.clear();
            rest = &path[1..];
        }
        "super" | "self" => {
            while let Some(step) = rest.first().filter(|step| ["super", "self"].contains(&&***step))
            {
                if step == "super" {
                    base.pop();
                }
                rest = &rest[1..];
            }
        }
        child => {
            let child = [module, &[child.to_string()]].concat();
            if !modules.contains(&child) {
                return None;
            }
        }
    }
    base.extend_from_slice(rest);
    while !base.is_empty() && !modules.contains(&base) {
        base.pop();
    }
    Some(base)
}

/// Returns a cycle, if there is one, with a file for each step.
fn cycle(imports: &Imports) -> Option<String> {
    for start in imports.keys() {
        let mut trail = vec![start.clone()];
        let mut seen = BTreeSet::new();
        if let Some(steps) = find(start, start, imports, &mut trail, &mut seen) {
            let step = |pair: &[String]| {
                format!("{} -> {} ({})", pair[0], pair[1], imports[&pair[0]][&pair[1]])
            };
            return Some(steps.windows(2).map(step).collect::<Vec<_>>().join(", "));
        }
    }
    None
}

/// Follows imports from `at` until they lead back to `start`.
fn find(
    start: &String,
    at: &String,
    imports: &Imports,
    trail: &mut Vec<String>,
    seen: &mut BTreeSet<String>,
) -> Option<Vec<String>> {
    for next in imports.get(at)?.keys() {
        trail.push(next.clone());
        if next == start {
            return Some(trail.clone());
        }
        if seen.insert(next.clone()) {
            if let Some(found) = find(start, next, imports, trail, seen) {
                return Some(found);
            }
        }
        trail.pop();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(path: &str) -> Vec<String> {
        split(path)
    }

    #[test]
    fn paths_are_found_in_use_trees_and_in_expressions() {
        let text =
            "use crate::a::{b, c::{self, D}};\nfn f() { super::g::h(); }\nlet x = crate::i::J;\n\
             let s = \"use } of {x\";\n    pub(crate) use crate::k::L;\npub(in crate::m) fn n() {}";
        let found = paths(text);
        assert!(!found.contains(&names("crate::m")), "{found:?}");
        for path in [
            "crate::a::b",
            "crate::a::c::self",
            "crate::a::c::D",
            "super::g::h",
            "crate::i::J",
            "crate::k::L",
        ] {
            assert!(found.contains(&names(path)), "{path}: {found:?}");
        }
    }

    #[test]
    fn a_cycle_is_found_and_told() {
        let import = |to: &str| BTreeMap::from([(to.to_string(), "file".to_string())]);
        let mut imports =
            Imports::from([("a".to_string(), import("b")), ("b".to_string(), import("c"))]);
        assert_eq!(cycle(&imports), None);
        imports.insert("c".to_string(), import("a"));
        assert_eq!(cycle(&imports).unwrap(), "a -> b (file), b -> c (file), c -> a (file)");
    }

    #[test]
    fn modules_are_resolved_from_where_a_path_stands() {
        let modules = BTreeSet::from([names("a"), names("a::b"), names("c")]);
        let resolved = |path: &str| resolve(&names(path), &names("a::b"), &modules);
        assert_eq!(resolved("crate::c::Type"), Some(names("c")));
        assert_eq!(resolved("super::Type"), Some(names("a")));
        assert_eq!(resolved("std::sync::Arc"), None);
    }
}
