//! Links: files and anchors must exist; of addresses elsewhere only the form is checked, since CI does not use the network.

use super::markdown::Document;
use std::path::{Component, Path, PathBuf};

/// Returns the broken links, one per line.
pub fn faults(documents: &[Document], exists: &dyn Fn(&Path) -> bool) -> Vec<String> {
    let mut faults = Vec::new();
    for document in documents {
        for (line, target) in &document.links {
            if let Some(reason) = fault(document, target, documents, exists) {
                faults.push(format!("{}:{line}: {target}: {reason}", document.path.display()));
            }
        }
    }
    faults
}

/// Returns the reason why a link is broken.
fn fault(
    from: &Document,
    target: &str,
    documents: &[Document],
    exists: &dyn Fn(&Path) -> bool,
) -> Option<&'static str> {
    if let Some((scheme, rest)) = target.split_once("://") {
        let host = rest.split('/').next().unwrap_or_default();
        let is_address = host.contains('.') && !rest.contains(char::is_whitespace);
        return match (scheme, is_address) {
            ("https", true) => None,
            ("https", false) => Some("is no address"),
            _ => Some("addresses begin with https"),
        };
    }
    let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
    let path = match file {
        "" => from.path.clone(),
        _ => normal(&from.path.parent().unwrap_or(Path::new("")).join(file))?,
    };
    if !exists(&path) {
        return Some("there is no such file");
    }
    if anchor.is_empty() {
        return None;
    }
    let to = documents.iter().find(|document| document.path == path);
    match to.is_some_and(|to| to.anchors.iter().any(|known| known == anchor)) {
        true => None,
        false => Some("no heading has this anchor"),
    }
}

/// Returns a path without `..`; `None` for one that leaves the workspace, which no check can follow.
fn normal(path: &Path) -> Option<PathBuf> {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                if !normal.pop() {
                    return None;
                }
            }
            Component::CurDir => {}
            part => normal.push(part),
        }
    }
    Some(normal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_that_lead_nowhere_are_told() {
        let documents = [
            Document::new(
                "README.md",
                "# One\n[a](docs/x.md#two) [b](#one) [c](https://a.example/b)",
            ),
            Document::new(
                "docs/x.md",
                "# Two\n[a](../README.md#three)\n[b](y.md)\n[c](http://a.b)\n[d](https://a)",
            ),
        ];
        let exists = |path: &Path| ["README.md", "docs/x.md"].contains(&path.to_str().unwrap());
        let faults = faults(&documents, &exists);
        assert_eq!(
            faults,
            [
                "docs/x.md:2: ../README.md#three: no heading has this anchor",
                "docs/x.md:3: y.md: there is no such file",
                "docs/x.md:4: http://a.b: addresses begin with https",
                "docs/x.md:5: https://a: is no address",
            ]
        );
    }
}
