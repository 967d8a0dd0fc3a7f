//! Derives the compiler's build id from its sources, so that no build takes a program that another build compiled for its own.

use std::fs;
use std::path::{Path, PathBuf};

fn main() {
    println!("cargo:rerun-if-changed=src");
    println!("cargo:rerun-if-changed=../device/src");
    println!("cargo:rerun-if-changed=build.rs");
    let mut files = Vec::new();
    collect(Path::new("src"), &mut files);
    collect(Path::new("../device/src"), &mut files);
    files.sort();
    let mut hash = 0xcbf2_9ce4_8422_2325;
    for file in &files {
        let bytes = fs::read(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        hash = fnv(hash, file.to_string_lossy().as_bytes());
        hash = fnv(hash, &(bytes.len() as u64).to_le_bytes());
        hash = fnv(hash, &bytes);
    }
    println!("cargo:rustc-env=HEKLA_COMPILER_BUILD_ID={hash:016x}");
}

/// Returns the regular files of a folder and its subfolders.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    for entry in entries.flatten() {
        let path = entry.path();
        match path.is_dir() {
            true => collect(&path, files),
            false => files.push(path),
        }
    }
}

/// Continues a 64-bit FNV-1a hash with some bytes.
fn fnv(hash: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(hash, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}
