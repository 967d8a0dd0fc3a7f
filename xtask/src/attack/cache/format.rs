//! The format of the disk cache's entries, as far as a forger must know it (`icd/src/core/cache/mod.rs`). It is all in this
//! file.

use std::ops::Range;

/// "HEKLACH2" | digest | content
const DIGEST: Range<usize> = 8..40;
/// The first byte of the content.
pub const CONTENT: usize = DIGEST.end;
/// The folder of the entries below that of the user's caches.
pub const FOLDER: &str = "hekla";

/// Makes the digest of an entry right for its content.
pub fn repair(entry: &mut [u8]) {
    if entry.len() < CONTENT {
        return;
    }
    let content = &entry[CONTENT..];
    let mut hasher = blake3::Hasher::new();
    hasher.update(&(content.len() as u64).to_le_bytes());
    hasher.update(content);
    let digest = hasher.finalize();
    entry[DIGEST].copy_from_slice(digest.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_depends_on_the_content() {
        let mut entry: Vec<u8> = (0..60).collect();
        repair(&mut entry);
        let first = entry.clone();
        repair(&mut entry);
        assert_eq!(entry, first);
        entry[50] ^= 1;
        repair(&mut entry);
        assert_ne!(entry[DIGEST], first[DIGEST]);
        assert_eq!(entry[..8], first[..8]);
        repair(&mut [0; 12]);
    }
}
