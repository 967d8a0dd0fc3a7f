//! Eviction: the cache stays within its size by removing the least recently used entries.

use crate::core::cache::key::FILE;
use crate::core::cache::UNFINISHED;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

/// The age at which an unfinished file counts as abandoned, because its process must have ended.
const ABANDONED: Duration = Duration::from_secs(3600);

/// The bound on the size of the cache's folder.
pub struct Bound {
    size: u64,
    /// Bytes that this process may add before it checks the folder again.
    allowance: AtomicU64,
}

impl Bound {
    pub fn new(size: u64) -> Bound {
        Bound { size, allowance: AtomicU64::new(0) }
    }

    /// Returns the size in bytes of the largest entry that is kept.
    pub fn largest_entry(&self) -> u64 {
        self.size / 8
    }

    /// Notes a new entry of `bytes` bytes. Checks the whole folder at first, and whenever this process has added a
    /// sixteenth of the size.
    // Rust 1.95 deprecates `fetch_update` in favour of a name that older versions lack.
    #[allow(deprecated)]
    pub fn grown(&self, folder: &Path, bytes: u64) {
        let less = |left: u64| left.checked_sub(bytes);
        if self.allowance.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_err() {
            self.allowance.store(self.size / 16, Ordering::Relaxed);
            self.shrink(folder);
        }
    }

    /// Removes the oldest entries until three quarters of the size are left, if the entries together are larger than the size.
    /// Other processes may do the same at the same time.
    fn shrink(&self, folder: &Path) {
        let mut entries = entries(folder);
        let mut total: u64 = entries.iter().map(|entry| entry.size).sum();
        if total <= self.size {
            return;
        }
        entries.sort_by_key(|entry| entry.used);
        for entry in entries {
            if total <= self.size / 4 * 3 {
                break;
            }
            if std::fs::remove_file(&entry.path).is_ok() {
                total -= entry.size;
            }
        }
    }
}

struct Entry {
    path: PathBuf,
    size: u64,
    used: SystemTime,
}

/// Returns the entries among the files of the folder; removes abandoned ones.
fn entries(folder: &Path) -> Vec<Entry> {
    let Ok(files) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut entries = Vec::new();
    for file in files.flatten() {
        let Ok(metadata) = file.metadata() else { continue };
        let Ok(used) = metadata.modified() else { continue };
        if file.file_name() == FILE {
            continue;
        }
        let unfinished = file.file_name().to_string_lossy().starts_with(UNFINISHED);
        let abandoned = unfinished && used.elapsed().is_ok_and(|age| age > ABANDONED);
        if !metadata.is_file() || (abandoned && std::fs::remove_file(file.path()).is_ok()) {
            continue;
        }
        entries.push(Entry { path: file.path(), size: metadata.len(), used });
    }
    entries
}
