//! Reads files that somebody else may have put in the place of the expected one: a pipe would make the program wait forever,
//! and a device would be read until memory ends.

use crate::platform;
use std::fs::{File, Metadata};
use std::io::{Error, ErrorKind, Read, Result};
use std::path::Path;

/// Opens a regular file for reading. Returns the file with the system's metadata.
///
/// # Errors
/// Errors of the system; `InvalidInput` for anything but a regular file.
pub fn open(path: &Path) -> Result<(File, Metadata)> {
    let file = platform::open_to_read(path)?;
    let metadata = file.metadata()?;
    match metadata.is_file() {
        true => Ok((file, metadata)),
        false => Err(Error::new(ErrorKind::InvalidInput, "not a regular file")),
    }
}

/// Reads a regular file of at most `limit` bytes.
///
/// # Errors
/// Like [`open`]; `InvalidData` for a larger file.
pub fn read(path: &Path, limit: u64) -> Result<Vec<u8>> {
    let (file, _) = open(path)?;
    let mut bytes = Vec::new();
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    match bytes.len() as u64 <= limit {
        true => Ok(bytes),
        false => Err(Error::new(ErrorKind::InvalidData, format!("more than {limit} bytes"))),
    }
}

/// Reads a regular file of text, of at most `limit` bytes.
///
/// # Errors
/// Like [`read`]; `InvalidData` for a text that is not UTF-8.
pub fn read_text(path: &Path, limit: u64) -> Result<String> {
    String::from_utf8(read(path, limit)?).map_err(|error| Error::new(ErrorKind::InvalidData, error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_up_to_its_limit() {
        let path = std::env::temp_dir().join(format!("hekla-files-{}", std::process::id()));
        std::fs::write(&path, "four").unwrap();
        assert_eq!(read_text(&path, 4).unwrap(), "four");
        assert_eq!(read(&path, 3).unwrap_err().kind(), ErrorKind::InvalidData);
        std::fs::remove_file(&path).unwrap();
        assert_eq!(read(&path, 4).unwrap_err().kind(), ErrorKind::NotFound);
    }

    #[cfg(unix)]
    #[test]
    fn what_is_no_file_is_refused_at_once() {
        let path = std::env::temp_dir().join(format!("hekla-fifo-{}", std::process::id()));
        let made = std::process::Command::new("mkfifo").arg(&path).status().unwrap();
        assert!(made.success());
        for path in [&path, Path::new("/dev/zero"), Path::new("/tmp")] {
            assert_eq!(read(path, 100).unwrap_err().kind(), ErrorKind::InvalidInput, "{path:?}");
        }
        std::fs::remove_file(&path).unwrap();
    }
}
