//! Digests: 128 bits that name the entries of the cache and show damage, and a hash of 64 bits.

use std::collections::hash_map::DefaultHasher;
use std::hash::Hasher;

/// Two SipHashes of the same bytes. Programs that differ by chance never share one; there is no
/// defence against somebody who may write to the user's own cache anyway.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Digest([u64; 2]);

impl Digest {
    pub const SIZE: usize = 16;

    /// Returns the digest of several byte strings, each preceded by its length.
    pub fn of(parts: &[&[u8]]) -> Digest {
        Digest([0x68, 0x6b].map(|seed| {
            // `DefaultHasher::new` has fixed keys. A new version of its algorithm makes old entries
            // look damaged, that is all.
            let mut hasher = DefaultHasher::new();
            hasher.write_u64(seed);
            for part in parts {
                hasher.write_u64(part.len() as u64);
                hasher.write(part);
            }
            hasher.finish()
        }))
    }

    pub fn bytes(self) -> [u8; Self::SIZE] {
        let mut bytes = [0; Self::SIZE];
        for (place, half) in bytes.chunks_exact_mut(8).zip(self.0) {
            place.copy_from_slice(&half.to_le_bytes());
        }
        bytes
    }

    /// Returns the digest as part of a file's name.
    pub fn hex(self) -> String {
        format!("{:016x}{:016x}", self.0[0], self.0[1])
    }
}

/// Returns the FNV-1a hash of 64 bits.
pub fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
