//! The environment is read in one function, which reads nothing in a setuid program, by one module of each crate; and
//! docs/environment.md lists the variables that are read.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Returns the workspace's folder.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns the names of Hekla's variables that follow `before` in a text.
fn names(text: &str, before: &str) -> BTreeSet<String> {
    let after = text.split(before).skip(1);
    let name = |rest: &str| {
        let is_part = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
        rest.chars().take_while(|c| is_part(*c)).collect::<String>()
    };
    after.map(name).filter(|name| name.starts_with("HEKLA_")).collect()
}

/// Returns the code of a source without its tests.
fn without_tests(text: &str) -> &str {
    text.split("#[cfg(test)]\nmod tests {").next().unwrap_or(text)
}

/// Calls `visit` with each source file under a folder.
fn sources(folder: &Path, visit: &mut dyn FnMut(&Path)) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => sources(&path, visit),
            false if path.extension().is_some_and(|e| e == "rs") => visit(&path),
            false => {}
        }
    }
}

#[test]
fn the_document_lists_the_variables_that_are_read() {
    let mut known = BTreeSet::new();
    for module in ["icd/src/config.rs", "vk-backend/src/config.rs"] {
        known.append(&mut names(without_tests(&read(&root().join(module))), "(\""));
    }
    assert!(known.contains("HEKLA_DEVICE") && known.contains("HEKLA_FAULT"), "{known:?}");
    assert_eq!(names(&read(&root().join("docs/environment.md")), "\n| `"), known);
}

#[test]
fn one_function_reads_the_environment_for_one_module_of_each_crate() {
    let reader = root().join("vk-backend/src/config.rs");
    for folder in ["icd/src", "vk-backend/src", "compiler/src"] {
        let folder = root().join(folder);
        sources(&folder, &mut |path| {
            let text = read(path);
            let code = without_tests(&text);
            let found: usize =
                ["env::var", "getenv("].iter().map(|call| code.matches(call).count()).sum();
            assert_eq!(found, usize::from(path == reader), "{}", path.display());
            let asks = code.contains("vk_backend::variable");
            assert_eq!(asks, path == root().join("icd/src/config.rs"), "{}", path.display());
        });
    }
}
