//! The key of this user's seals. A seal distinguishes program binaries that this user's Hekla wrote from all others.
//!
//! The key is a file in the cache's folder, which this user alone may read; it is made when a process first asks for the key. A
//! process without a cache has a key of its own: it compiles binaries of other and of earlier processes again.

use super::{cache, Cache};
use crate::platform;
use hekla_vk_backend::files;
use std::io::{Error, ErrorKind, Result, Write};
use std::sync::OnceLock;

/// A key of BLAKE3's keyed mode.
pub type Key = [u8; blake3::KEY_LEN];

/// The name of the key's file. Entries have other names: the digests of their keys.
pub(super) const FILE: &str = "binary.key";

/// Returns the key of this process.
pub fn key() -> &'static Key {
    static KEY: OnceLock<Key> = OnceLock::new();
    KEY.get_or_init(|| {
        let kept = cache().map(Cache::binary_key).transpose();
        kept.unwrap_or_else(|error| {
            tracing::debug!("cache: no key of binaries is kept: {error}");
            None
        })
        .unwrap_or_else(random)
    })
}

/// Returns a key that nobody else knows. If the system has no random numbers, it is made from the seeds of hash tables.
fn random() -> Key {
    use std::hash::{BuildHasher, RandomState};
    let mut key = [0; blake3::KEY_LEN];
    if getrandom::fill(&mut key).is_err() {
        let state = RandomState::new();
        for (index, piece) in key.chunks_mut(8).enumerate() {
            piece.copy_from_slice(&state.hash_one(index).to_le_bytes());
        }
    }
    key
}

impl Cache {
    /// Returns the key that is kept in the folder; makes one where there is none.
    ///
    /// # Errors
    /// Errors of the system; `PermissionDenied` for a folder that is not the user's alone.
    fn binary_key(&self) -> Result<Key> {
        self.prepare()?;
        match self.read_key() {
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            other => return other,
        }
        // The key is written under another name first, so that readers never see a part of it. If several processes make a key,
        // all of them use the key that was linked first.
        let unfinished = self.folder.join(self.unfinished_name(FILE));
        let mut file = platform::create_private_file(&unfinished)?;
        let written = file.write_all(&random());
        let linked = written.and_then(|()| std::fs::hard_link(&unfinished, self.folder.join(FILE)));
        let _ = std::fs::remove_file(&unfinished);
        match linked {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(error),
            _ => self.read_key(),
        }
    }

    fn read_key(&self) -> Result<Key> {
        let bytes = files::read(&self.folder.join(FILE), blake3::KEY_LEN as u64)?;
        bytes.try_into().map_err(|_| Error::new(ErrorKind::InvalidData, "the key is cut short"))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::fresh;
    use super::*;

    #[test]
    fn a_key_is_made_once() {
        let cache = fresh("key", 1 << 20);
        let made = cache.binary_key().unwrap();
        assert_eq!(cache.binary_key().unwrap(), made);
        assert_ne!(random(), made);
        // Unfinished files are removed; the key stays.
        assert_eq!(std::fs::read_dir(&cache.folder).unwrap().count(), 1);
        std::fs::remove_dir_all(&cache.folder).unwrap();
    }
}
