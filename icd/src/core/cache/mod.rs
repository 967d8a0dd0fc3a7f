//! The disk cache: programs and pipelines that some process has built before, under `$XDG_CACHE_HOME/hekla` or `~/.cache/hekla`
//! (Windows: `%LOCALAPPDATA%\hekla`, macOS: `~/Library/Caches/hekla`).
//!
//! Each entry is a file. Its name is the entry's key, a digest of everything that the contents depend on, and it contains a
//! digest of key and contents as a checksum. It is written under another name and then renamed, so that readers see all of it
//! or nothing, and no process waits for another. If anything is wrong with the folder, the disk or an entry, this is logged and
//! the contents are built again.
//!
//! The contents of an entry are run as code. So only the user may be able to change the folder, as ssh requires of its files;
//! otherwise nothing is read from it or written to it.

pub mod digest;
mod evict;
pub mod key;
mod pipelines;

use crate::{config, platform};
use digest::Digest;
use evict::Bound;
use hekla_vk_backend::files;
use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::OnceLock;
use std::time::{Duration, SystemTime};

const MAGIC: &[u8; 8] = b"HEKLACH3";
/// The age at which an entry that is used gets the current time.
const MARK_AFTER: Duration = Duration::from_secs(3600);
/// The beginning of the names of files that are being written.
const UNFINISHED: &str = "tmp-";

pub struct Cache {
    folder: PathBuf,
    bound: Bound,
    /// True if the folder is the user's alone; unset until that is known.
    trusted: OnceLock<bool>,
}

/// Returns the cache of this process. There is none with `HEKLA_CACHE=0`, without a home folder, and in a program that runs
/// with more rights than the user who set its environment.
pub fn cache() -> Option<&'static Cache> {
    static CACHE: OnceLock<Option<Cache>> = OnceLock::new();
    CACHE
        .get_or_init(|| {
            if !config::disk_cache() {
                return None;
            }
            Some(Cache::new(config::cache_home()?.join("hekla"), config::disk_cache_size()))
        })
        .as_ref()
}

impl Cache {
    fn new(folder: PathBuf, size: u64) -> Cache {
        Cache { folder, bound: Bound::new(size), trusted: OnceLock::new() }
    }

    /// Returns true if only the user can have put entries into the folder. A folder that does not exist yet is not trusted, and
    /// is checked again later.
    fn is_trusted(&self) -> bool {
        if let Some(known) = self.trusted.get() {
            return *known;
        }
        let Ok(own) = platform::is_own_folder(&self.folder) else { return false };
        if !own && self.trusted.set(own).is_ok() {
            tracing::warn!(
                "the cache is off: others than its owner may write to {} or a folder above, or it is somebody else's",
                self.folder.display()
            );
        }
        *self.trusted.get_or_init(|| own)
    }

    /// Returns what was stored under a key, if it is still there and whole.
    pub fn load(&self, key: Digest) -> Option<Vec<u8>> {
        if !self.is_trusted() {
            return None;
        }
        let path = self.folder.join(key.hex());
        let mut bytes = Vec::new();
        let read = files::open(&path).and_then(|(mut file, _)| {
            // One byte more than the largest entry, so that a larger file is noticed.
            let limit = self.bound.largest_entry() + 1;
            (&mut file).take(limit).read_to_end(&mut bytes)?;
            Ok(file)
        });
        let file = match read {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return None,
            Err(error) => {
                tracing::debug!("cache: {}: {error}", path.display());
                return None;
            }
        };
        let Some(content) = checked(key, &bytes) else {
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
        let sum = sum(key, content).bytes();
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

    /// Makes the folder, if it is not there. Fails if it is not to be trusted.
    fn prepare(&self) -> std::io::Result<()> {
        if !self.folder.exists() {
            platform::create_private_folder(&self.folder)?;
        }
        match self.is_trusted() {
            true => Ok(()),
            false => Err(ErrorKind::PermissionDenied.into()),
        }
    }

    /// Returns a name that no other file has, for an unfinished file that will be renamed.
    fn unfinished_name(&self, name: &str) -> String {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        format!("{UNFINISHED}{}-{number}-{name}", std::process::id())
    }

    fn write(&self, key: Digest, entry: &[u8]) -> std::io::Result<()> {
        platform::check_file_size_limit(entry.len() as u64)?;
        self.prepare()?;
        let unfinished = self.folder.join(self.unfinished_name(&key.hex()));
        let mut file = platform::create_private_file(&unfinished)?;
        let written = file.write_all(entry);
        let done = written.and_then(|()| std::fs::rename(&unfinished, self.folder.join(key.hex())));
        if done.is_err() {
            let _ = std::fs::remove_file(&unfinished);
        }
        done
    }
}

/// Returns the checksum of an entry. It includes the key, so that an entry under another key's name fails the check.
fn sum(key: Digest, content: &[u8]) -> Digest {
    Digest::of(&[&key.bytes(), content])
}

/// Returns the content of an entry if its checksum is right.
fn checked(key: Digest, entry: &[u8]) -> Option<&[u8]> {
    let (written, content) = entry.strip_prefix(MAGIC)?.split_at_checked(Digest::SIZE)?;
    (sum(key, content).bytes() == written).then_some(content)
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

    pub(super) fn fresh(name: &str, size: u64) -> Cache {
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

    /// A copy of another key's entry, made by hand or by a program that tidies up, does not count as this key's entry.
    #[test]
    fn an_entry_is_bound_to_its_key() {
        let cache = fresh("bound-to-key", 1 << 20);
        cache.store(key(1), b"one");
        cache.store(key(2), b"two");
        let path = |number| cache.folder.join(key(number).hex());
        std::fs::copy(path(1), path(2)).unwrap();
        assert_eq!(cache.load(key(2)), None);
        assert_eq!(cache.load(key(1)).unwrap(), b"one");
        std::fs::remove_dir_all(&cache.folder).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_that_others_may_write_to_is_not_used() {
        use std::os::unix::fs::PermissionsExt;
        let allow = |path: &std::path::Path, mode| {
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
        };
        let above = fresh("others", 1 << 20).folder;
        let of_folder = || Cache::new(above.join("hekla"), 1 << 20);
        of_folder().store(key(1), b"one");
        assert_eq!(of_folder().load(key(1)).unwrap(), b"one");
        for (path, mode, used) in [
            (&above.join("hekla"), 0o777, false),
            (&above.join("hekla"), 0o770, false),
            (&above.join("hekla"), 0o755, true),
            (&above, 0o777, false),
            (&above, 0o1777, true),
        ] {
            allow(path, mode);
            assert_eq!(of_folder().load(key(1)).is_some(), used, "{path:?} {mode:o}");
            let cache = of_folder();
            cache.store(key(2), b"two");
            let stored = cache.folder.join(key(2).hex()).exists();
            assert_eq!(stored, used, "{path:?} {mode:o}");
            let _ = std::fs::remove_file(cache.folder.join(key(2).hex()));
        }
        std::fs::remove_dir_all(&above).unwrap();
    }

    /// Root may give folders to others. Tests of CI run as root.
    #[cfg(unix)]
    #[test]
    fn a_folder_of_somebody_else_is_not_used() {
        let cache = fresh("somebody", 1 << 20);
        cache.store(key(1), b"one");
        if std::os::unix::fs::chown(&cache.folder, Some(1), Some(1)).is_ok() {
            let again = Cache::new(cache.folder.clone(), 1 << 20);
            assert_eq!(again.load(key(1)), None);
        }
        std::fs::remove_dir_all(&cache.folder).unwrap();
    }

    /// Reading a pipe in the place of an entry would never end, and reading a device would fill the memory.
    #[cfg(unix)]
    #[test]
    fn what_is_no_file_is_no_entry() {
        let cache = fresh("pipe", 1 << 20);
        cache.store(key(1), b"one");
        let path = cache.folder.join(key(1).hex());
        std::fs::remove_file(&path).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        assert_eq!(cache.load(key(1)), None);
        std::fs::remove_file(&path).unwrap();
        std::os::unix::fs::symlink("/dev/zero", &path).unwrap();
        assert_eq!(cache.load(key(1)), None);
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
        // An entry that is too large for the cache is not kept at all.
        cache.store(key(1000), &vec![0; limit as usize]);
        assert_eq!(cache.load(key(1000)), None);
        std::fs::remove_dir_all(&cache.folder).unwrap();
    }
}
