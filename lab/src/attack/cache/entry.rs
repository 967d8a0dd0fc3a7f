//! Replacements for an entry of the cache.

use super::super::batch::random::Random;
use super::super::binaries::mutate;
use super::format::{repair, CONTENT};
use crate::platform::attack as system;
use crate::platform::link;
use std::io;
use std::path::{Path, PathBuf};

/// An entry as the library wrote it.
pub struct Entry {
    pub path: PathBuf,
    pub bytes: Vec<u8>,
}

impl Entry {
    /// Restores the entry, whatever is in its place now.
    pub fn restore(&self) {
        let _ = system::set_mode(&self.path, 0o700);
        remove(&self.path);
        let _ = std::fs::write(&self.path, &self.bytes);
    }
}

/// Removes a file of any kind.
pub fn remove(path: &Path) {
    if std::fs::remove_file(path).is_err() {
        let _ = std::fs::remove_dir_all(path);
    }
}

/// A replacement for an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Damage {
    /// A copy of another entry.
    Copy,
    /// A hard link to another entry.
    HardLink,
    SoftLink,
    /// Another entry, with a digest made right for this place.
    Rebound,
    /// The entry's own content, changed, with a right digest.
    Forged,
    /// The entry's own bytes, changed.
    Changed,
    Cut,
    Extended,
    /// No file at all.
    Removed,
    Empty,
    Fifo,
    /// A link to a FIFO.
    FifoLink,
    /// Zeros without end.
    Zeros,
    /// A device from which nothing can be read.
    Null,
    /// A link to itself.
    Loop,
    Dangling,
    Folder,
    /// A file of 8 GB without content.
    Sparse,
    /// The entry, which other users may change.
    Open,
    /// The entry, which nobody but root may read.
    Closed,
    /// The entry, owned by another user.
    Foreign,
}

impl Damage {
    pub const ALL: [Damage; 21] = [
        Damage::Copy,
        Damage::HardLink,
        Damage::SoftLink,
        Damage::Rebound,
        Damage::Forged,
        Damage::Changed,
        Damage::Cut,
        Damage::Extended,
        Damage::Removed,
        Damage::Empty,
        Damage::Fifo,
        Damage::FifoLink,
        Damage::Zeros,
        Damage::Null,
        Damage::Loop,
        Damage::Dangling,
        Damage::Folder,
        Damage::Sparse,
        Damage::Open,
        Damage::Closed,
        Damage::Foreign,
    ];

    /// Puts the replacement in an entry's place. `others` are entries of other keys. Replacements that this machine or
    /// this user cannot make are skipped.
    pub fn put(self, entry: &Entry, others: &[Entry], random: &mut Random) -> io::Result<()> {
        let other = &others[random.below(others.len())];
        let (path, mut bytes) = (&entry.path, entry.bytes.clone());
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        remove(path);
        match self {
            Damage::Copy => return std::fs::write(path, &other.bytes),
            Damage::HardLink => return std::fs::hard_link(&other.path, path),
            Damage::SoftLink => return link(&other.path, path),
            Damage::Removed => return Ok(()),
            Damage::Fifo => return system::make_fifo(path),
            Damage::FifoLink => {
                let fifo = path.with_extension("fifo");
                if !fifo.exists() {
                    system::make_fifo(&fifo)?;
                }
                return link(&fifo, path);
            }
            Damage::Zeros => return link(Path::new("/dev/zero"), path),
            Damage::Null => return link(Path::new("/dev/null"), path),
            Damage::Loop => return link(path, path),
            Damage::Dangling => return link(&path.with_extension("nowhere"), path),
            Damage::Folder => {
                std::fs::create_dir(path)?;
                return std::fs::write(path.join("x"), b"x");
            }
            Damage::Sparse => {
                std::fs::write(path, &bytes)?;
                return std::fs::File::options().write(true).open(path)?.set_len(8 << 30);
            }
            Damage::Forged => {
                forge(&mut bytes, others, random);
                repair(&mut bytes, &name);
            }
            Damage::Rebound => {
                bytes.clone_from(&other.bytes);
                repair(&mut bytes, &name);
            }
            Damage::Changed => {
                for _ in 0..=random.small(8) {
                    let at = random.below(bytes.len());
                    bytes[at] ^= 1 << random.below(8);
                }
            }
            Damage::Cut => bytes.truncate(random.below(bytes.len())),
            Damage::Extended => bytes.extend(vec![0; 1 + random.small(1 << 16)]),
            Damage::Empty => bytes.clear(),
            Damage::Open | Damage::Closed | Damage::Foreign => {}
        }
        std::fs::write(path, &bytes)?;
        match self {
            Damage::Open => system::set_mode(path, 0o666),
            Damage::Closed => system::set_mode(path, 0),
            Damage::Foreign => system::give(path, 4321),
            _ => Ok(()),
        }
    }

    /// Returns true if a program may do something else with this replacement: the owner of the cache has put other code
    /// into it.
    pub fn may_change(self) -> bool {
        matches!(self, Damage::Forged | Damage::Rebound)
    }
}

/// Changes the content of an entry.
fn forge(bytes: &mut Vec<u8>, others: &[Entry], random: &mut Random) {
    // The mutator of binaries leaves alone a header that is a little shorter than an entry's.
    let mut content = bytes.split_off(CONTENT);
    let others: Vec<Vec<u8>> = others
        .iter()
        .map(|other| other.bytes.get(CONTENT..).unwrap_or_default().to_vec())
        .collect();
    if content.len() > 64 && !random.once_in(8) {
        mutate::change(&mut content, &others, random);
        mutate::repair_within(&mut content);
    } else if !content.is_empty() {
        let at = random.below(content.len());
        content[at] = random.any() as u8;
    }
    bytes.extend(content);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_restored_whatever_was_put_in_its_place() {
        let folder = std::env::temp_dir().join(format!("hekla-attack-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let entry =
            |name: &str| Entry { path: folder.join(name), bytes: vec![name.len() as u8; 100] };
        let (one, others) = (entry("a"), [entry("bb"), entry("ccc")]);
        others.iter().for_each(Entry::restore);
        let mut random = Random::new(3);
        for damage in Damage::ALL {
            one.restore();
            let _ = damage.put(&one, &others, &mut random);
            one.restore();
            assert!(one.path.symlink_metadata().unwrap().is_file(), "{damage:?}");
            assert_eq!(std::fs::read(&one.path).unwrap(), one.bytes, "{damage:?}");
            assert_eq!(std::fs::read(&others[0].path).unwrap(), others[0].bytes, "{damage:?}");
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
