//! Manifests for the Vulkan loader, of drivers that are in other places than their packages say.

use std::path::{Path, PathBuf};

/// Writes a manifest of the driver `libvulkan_NAME.so` into the root of an unpacked tree, with the library's path in
/// that tree, and returns the manifest's path. To be called each time: the tree may have been moved.
pub(super) fn write(root: &Path, libraries: &Path, name: &str) -> Result<PathBuf, String> {
    let folder = root.join("usr/share/vulkan/icd.d");
    let files = crate::system::read_folder(&folder)?;
    let begins = format!("{name}_icd");
    let original = files
        .flatten()
        .map(|file| file.path())
        .find(|path| path.file_name().is_some_and(|n| n.to_string_lossy().starts_with(&begins)))
        .ok_or_else(|| format!("no driver '{name}' in {}", folder.display()))?;
    let text = crate::system::read_text(&original)?;
    let names_no_library = || format!("{} names no library", original.display());
    let library = file_of(&text).ok_or_else(names_no_library)?;
    let text = relocated(&text, &libraries.join(library)).ok_or_else(names_no_library)?;
    let path = root.join(format!("{name}.json"));
    // Commands that run at once write the same text.
    if std::fs::read_to_string(&path).ok().as_ref() != Some(&text) {
        crate::system::write_file(&path, text)?;
    }
    path.canonicalize().map_err(|e| format!("{}: {e}", path.display()))
}

/// Splits a manifest around its library path.
fn parts(manifest: &str) -> Option<(&str, &str, &str, &str)> {
    let (before, rest) = manifest.split_once("\"library_path\"")?;
    let (colon, rest) = rest.split_once('"')?;
    let (path, after) = rest.split_once('"')?;
    Some((before, colon, path, after))
}

/// Returns the name of the library's file.
fn file_of(manifest: &str) -> Option<&str> {
    let (.., path, _) = parts(manifest)?;
    path.rsplit('/').next()
}

/// Returns a driver's manifest with another library path.
fn relocated(manifest: &str, library: &Path) -> Option<String> {
    let (before, colon, _, after) = parts(manifest)?;
    Some(format!("{before}\"library_path\"{colon}\"{}\"{after}", library.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_names_the_unpacked_library() {
        let text =
            "{ \"ICD\": { \"api_version\": \"1.4.1\",\n \"library_path\": \"/usr/lib/x.so\" } }";
        let expected =
            "{ \"ICD\": { \"api_version\": \"1.4.1\",\n \"library_path\": \"/w/y.so\" } }";
        assert_eq!(relocated(text, Path::new("/w/y.so")).unwrap(), expected);
        assert_eq!(file_of(text), Some("x.so"));
        assert_eq!(relocated("{}", Path::new("/w/y.so")), None);
    }
}
