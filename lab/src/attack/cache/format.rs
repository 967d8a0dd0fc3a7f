//! The format of the disk cache's entries, as far as a forger must know it (`icd/src/core/cache/mod.rs`). No other file
//! knows the format.

use std::ops::Range;

/// "HEKLACH3" | digest of key and content | content. The key is the file's name, in hexadecimal digits.
const DIGEST: Range<usize> = 8..40;
/// The first byte of the content.
pub const CONTENT: usize = DIGEST.end;
/// The folder of the entries below the user's caches.
pub const FOLDER: &str = "hekla";

/// Makes the digest of an entry right for its content and its name.
pub fn repair(entry: &mut [u8], name: &str) {
    if entry.len() < CONTENT {
        return;
    }
    let mut hasher = blake3::Hasher::new();
    for part in [&key(name)[..], &entry[CONTENT..]] {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    entry[DIGEST].copy_from_slice(hasher.finalize().as_bytes());
}

/// Returns the bytes of a name in hexadecimal digits.
fn key(name: &str) -> Vec<u8> {
    let digit = |c: char| c.to_digit(16).unwrap_or_default() as u8;
    let digits: Vec<u8> = name.chars().map(digit).collect();
    digits.chunks(2).map(|pair| pair.iter().fold(0, |byte, digit| byte << 4 | digit)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_depends_on_the_content_and_on_the_name() {
        assert_eq!(key("00ff1a"), [0, 255, 26]);
        let mut entry: Vec<u8> = (0..60).collect();
        repair(&mut entry, "01");
        let first = entry.clone();
        repair(&mut entry, "01");
        assert_eq!(entry, first);
        repair(&mut entry, "02");
        assert_ne!(entry[DIGEST], first[DIGEST]);
        entry[50] ^= 1;
        repair(&mut entry, "01");
        assert_ne!(entry[DIGEST], first[DIGEST]);
        assert_eq!(entry[..8], first[..8]);
        repair(&mut [0; 12], "01");
    }
}
