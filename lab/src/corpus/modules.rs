//! Modules of SPIR-V inside the shared libraries of SYCL programs, which contain them as the compiler wrote them.

use crate::Outcome;
use hekla_spirv::{split, Op, HEADER, MAGIC_NUMBER};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// The first word of a module, as bytes.
const MAGIC: [u8; 4] = MAGIC_NUMBER.to_le_bytes();

/// Writes each module of the libraries in a folder to a file in another folder, once.
pub fn extract(folder: &Path, place: &Path) -> Outcome {
    let mut libraries = Vec::new();
    find(folder, &mut libraries);
    libraries.sort();
    let mut seen = HashSet::new();
    for library in libraries {
        let bytes = crate::system::read_bytes(&library)?;
        let name = library.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let name = name.split('.').next().unwrap_or_default();
        let modules = modules(&bytes).into_iter().filter(|module| seen.insert(module.to_vec()));
        for (number, module) in modules.enumerate() {
            let file = place.join(format!("{name}-{number:04}.il"));
            crate::system::write_file(&file, module)?;
        }
    }
    match seen.is_empty() {
        true => Err(format!("{} holds no module of SPIR-V", folder.display())),
        false => Ok(()),
    }
}

fn find(folder: &Path, libraries: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    for path in entries.map(|entry| entry.path()) {
        let is_library = path.file_name().is_some_and(|n| n.to_string_lossy().contains(".so"));
        match path.is_dir() {
            true => find(&path, libraries),
            false if is_library => libraries.push(path),
            false => {}
        }
    }
}

/// Returns the modules in some bytes.
fn modules(bytes: &[u8]) -> Vec<&[u8]> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(step) = bytes[at..].windows(MAGIC.len()).position(|window| window == MAGIC) {
        at += step;
        match length(&bytes[at..]) {
            Some(length) => {
                found.push(&bytes[at..at + length]);
                at += length;
            }
            None => at += MAGIC.len(),
        }
    }
    found
}

/// Returns the size of a module in bytes, which its header does not have: a module ends with a function.
fn length(bytes: &[u8]) -> Option<usize> {
    let word = |index: usize| {
        let bytes = bytes.get(4 * index..4 * index + 4)?;
        Some(u32::from_le_bytes(bytes.try_into().ok()?))
    };
    // 1.0 to 1.6, with the schema 0.
    if word(1)? & !0x0000_0F00 != 0x0001_0000 || word(4)? != 0 {
        return None;
    }
    let (mut at, mut end) = (HEADER, None);
    while let Some(first) = word(at) {
        let (count, opcode) = split(first);
        let op = Op::from_u32(opcode);
        let may_follow = matches!(op, Some(Op::Function | Op::Line | Op::NoLine | Op::ExtInst));
        if count == 0 || end == Some(at) && !may_follow || 4 * (at + count) > bytes.len() {
            break;
        }
        at += count;
        if op == Some(Op::FunctionEnd) {
            end = Some(at);
        }
    }
    end.map(|end| 4 * end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(words: &[u32]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    #[test]
    fn modules_end_with_their_last_function() {
        let header = hekla_spirv::header(4, 9);
        let module = [&header[..], &[0x0002_0011, 6, 0x0001_0036, 0x0001_0038]].concat();
        let two = [&module[..], &[0x0001_0036, 0x0001_0038]].concat();
        let text = [&[0x1234][..], &module, &two, &[0x0001_0011], &header, &[0]].concat();
        assert_eq!(modules(&bytes(&text)), [bytes(&module), bytes(&two)]);
        assert!(modules(&bytes(&header)).is_empty());
        assert!(modules(&MAGIC).is_empty());
    }
}
