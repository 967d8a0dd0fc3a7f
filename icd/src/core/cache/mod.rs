//! The disk cache: programs and pipelines that some process has built before, under
//! `$XDG_CACHE_HOME/hekla` or `~/.cache/hekla` (Windows: `%LOCALAPPDATA%\hekla`, macOS: `~/Library/Caches/hekla`).
//!
//! Each entry is a file of its own, named by a digest of all that went into what it holds, and checked
//! by a digest of its bytes. It is written under another name and then renamed, so that readers
//! see all of it or nothing; nobody waits for anybody. Whatever goes wrong, with the folder, the disk
//! or an entry, costs no more than the entry: it is logged and built again.

pub mod digest;
mod evict;
mod pipelines;

use crate::{config, platform};
use digest::Digest;
use evict::Bound;
use std::fs::File;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::OnceLock;
use std::time::{Duration, SystemTime};

const MAGIC: &[u8; 8] = b"HEKLACH2";
/// An entry that is used is marked as young again when it has become this old.
const MARK_AFTER: Duration = Duration::from_secs(3600);
/// Files that are being written have names that begin so.
const UNFINISHED: &str = "tmp-";

pub struct Cache {
    folder: PathBuf,
    bound: Bound,
}

/// Returns the cache of this process, unless it is off: `HEKLA_CACHE=0`, no home, or a program that runs with
/// more rights than the user who set its environment.
pub fn cache() -> Option<&'static Cache> {
    static CACHE: OnceLock<Option<Cache>> = OnceLock::new();
    CACHE
        .get_or_init(|| {
            if !config::disk_cache() || platform::has_more_rights() {
                return None;
            }
            Some(Cache::new(config::cache_home()?.join("hekla"), config::disk_cache_size()))
        })
        .as_ref()
}

impl Cache {
    fn new(folder: PathBuf, size: u64) -> Cache {
        Cache { folder, bound: Bound::new(size) }
    }

    /// Returns what was stored under a key, if it is still there and whole.
    pub fn load(&self, key: Digest) -> Option<Vec<u8>> {
        let path = self.folder.join(key.hex());
        let mut file = File::open(&path).ok()?;
        let mut bytes = Vec::new();
        // No entry is larger.
        let limit = self.bound.largest_entry() + 1;
        (&mut file).take(limit).read_to_end(&mut bytes).ok()?;
        let Some(content) = checked(&bytes) else {
            tracing::debug!("cache: {} is damaged", path.display());
            let _ = std::fs::remove_file(&path);
            return None;
        };
        mark_used(&file);
        let content_start = bytes.len() - content.len();
        bytes.drain(..content_start);
        Some(bytes)
    }

    /// Stores bytes under a key.
    pub fn store(&self, key: Digest, content: &[u8]) {
        let sum = Digest::of(&[content]).bytes();
        let entry = [&MAGIC[..], &sum, content].concat();
        if entry.len() as u64 > self.bound.largest_entry() {
            tracing::debug!("cache: {} bytes are too many for an entry", entry.len());
            return;
        }
        match self.write(key, &entry) {
            Ok(()) => self.bound.grown(&self.folder, entry.len() as u64),
            Err(error) => tracing::debug!("cache: {}: {error}", self.folder.display()),
        }
    }

    fn write(&self, key: Digest, entry: &[u8]) -> std::io::Result<()> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        platform::check_file_size_limit(entry.len() as u64)?;
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("{UNFINISHED}{}-{number}-{}", std::process::id(), key.hex());
        let unfinished = self.folder.join(name);
        let mut file = match platform::create_private_file(&unfinished) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                platform::create_private_folder(&self.folder)?;
                platform::create_private_file(&unfinished)
            }
            other => other,
        }?;
        let written = file.write_all(entry);
        let done = written.and_then(|()| std::fs::rename(&unfinished, self.folder.join(key.hex())));
        if done.is_err() {
            let _ = std::fs::remove_file(&unfinished);
        }
        done
    }
}

/// Returns the content of an entry whose digest is right.
fn checked(entry: &[u8]) -> Option<&[u8]> {
    let (sum, content) = entry.strip_prefix(MAGIC)?.split_at_checked(Digest::SIZE)?;
    (Digest::of(&[content]).bytes() == sum).then_some(content)
}

/// Sets the time of an entry, so that the oldest files are the least recently used entries.
fn mark_used(file: &File) {
    let modified = file.metadata().and_then(|metadata| metadata.modified());
    let old = modified.is_ok_and(|time| time.elapsed().is_ok_and(|age| age > MARK_AFTER));
    if old {
        // The folder may be read-only.
        let _ = file.set_modified(SystemTime::now());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fresh(name: &str, size: u64) -> Cache {
        let folder =
            std::env::temp_dir().join(format!("hekla-cache-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        Cache::new(folder, size)
    }

    fn key(number: u32) -> Digest {
        Digest::of(&[&number.to_le_bytes()])
    }

    #[test]
    fn what_is_stored_is_loaded() {
        let cache = fresh("load", 1 << 20);
        assert_eq!(cache.load(key(1)), None);
        cache.store(key(1), b"one");
        cache.store(key(2), b"");
        cache.store(key(1), b"another");
        assert_eq!(cache.load(key(1)).unwrap(), b"another");
        assert_eq!(cache.load(key(2)).unwrap(), b"");
        assert_eq!(std::fs::read_dir(&cache.folder).unwrap().count(), 2);
        std::fs::remove_dir_all(&cache.folder).unwrap();
    }

    #[test]
    fn damage_is_noticed() {
        let cache = fresh("damage", 1 << 20);
        let path = cache.folder.join(key(1).hex());
        cache.store(key(1), b"some content");
        let good = std::fs::read(&path).unwrap();
        let cut = (0..good.len()).map(|length| good[..length].to_vec());
        let changed = (0..good.len()).map(|at| {
            let mut bytes = good.clone();
            bytes[at] ^= 0x10;
            bytes
        });
        for bad in cut.chain(changed).chain([[&good[..], b"x"].concat()]) {
            std::fs::write(&path, &bad).unwrap();
            assert_eq!(cache.load(key(1)), None, "{bad:?}");
            assert!(!path.exists(), "a damaged entry is removed");
        }
        std::fs::remove_dir_all(&cache.folder).unwrap();
    }

    #[test]
    fn the_oldest_go_first_when_there_is_too_much() {
        let limit = 1 << 20;
        let cache = fresh("bound", limit);
        let content = vec![7; 20_000];
        for number in 0..200 {
            cache.store(key(number), &content);
            let file = File::options().write(true).open(cache.folder.join(key(number).hex()));
            let age = Duration::from_secs(100_000 - u64::from(number));
            file.unwrap().set_modified(SystemTime::now() - age).unwrap();
            // Entry 0 is used all the time.
            assert!(cache.load(key(0)).is_some(), "after {number}");
        }
        let files = std::fs::read_dir(&cache.folder).unwrap();
        let total: u64 = files.map(|f| f.unwrap().metadata().unwrap().len()).sum();
        assert!(total <= limit + limit / 4, "{total} bytes");
        assert!(total >= limit / 2, "{total} bytes");
        assert!(cache.load(key(199)).is_some() && cache.load(key(1)).is_none());
        // What is too large for the cache is not kept at all.
        cache.store(key(1000), &vec![0; limit as usize]);
        assert_eq!(cache.load(key(1000)), None);
        std::fs::remove_dir_all(&cache.folder).unwrap();
    }
}
