//! Digests: 256 bits that name the entries of the cache and show damage, and a hash of 64 bits; both BLAKE3.

/// The BLAKE3 digest of byte strings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Digest(blake3::Hash);

impl Digest {
    pub const SIZE: usize = blake3::OUT_LEN;

    /// Returns the digest of several byte strings, each preceded by its length.
    pub fn of(parts: &[&[u8]]) -> Digest {
        let mut hasher = blake3::Hasher::new();
        for part in parts {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        Digest(hasher.finalize())
    }

    pub fn bytes(self) -> [u8; Self::SIZE] {
        self.0.into()
    }

    /// Returns the digest as part of a file's name.
    pub fn hex(self) -> String {
        self.0.to_string()
    }
}

/// Returns the first 64 bits of the BLAKE3 digest.
pub fn hash(bytes: &[u8]) -> u64 {
    let digest = blake3::hash(bytes);
    u64::from_le_bytes(*digest.as_bytes().first_chunk().expect("a digest has 32 bytes"))
}
