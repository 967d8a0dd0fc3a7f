//! A folder of this user's alone for the files of one run of another program.

use crate::{config, platform};
use std::fs::File;
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// The folder, which is removed with its files on drop.
pub struct Folder(PathBuf);

impl Folder {
    /// Makes an empty folder.
    ///
    /// # Errors
    /// Errors of the system; `PermissionDenied` where others could change what is in it.
    pub fn new() -> io::Result<Folder> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("hekla-clang-{}-{number}", std::process::id());
        let folder = Folder(config::temporary_folder().join(name));
        // An earlier process with the same number may have left its folder behind.
        let _ = std::fs::remove_dir_all(&folder.0);
        platform::create_private_folder(&folder.0)?;
        match platform::is_own_folder(&folder.0)? {
            true => Ok(folder),
            false => {
                let path = folder.0.display().to_string();
                Err(io::Error::new(io::ErrorKind::PermissionDenied, path))
            }
        }
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Creates a file, and the folders in its name.
    ///
    /// # Errors
    /// Errors of the system; `InvalidInput` for a name that leads out of the folder.
    pub fn create(&self, name: &Path) -> io::Result<File> {
        if !name.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir)) {
            let message = format!("the header name '{}' leads elsewhere", name.display());
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        let path = self.0.join(name);
        if let Some(parent) = path.parent() {
            platform::create_private_folder(parent)?;
        }
        platform::create_private_file(&path)
    }

    pub fn write(&self, name: &Path, bytes: &[u8]) -> io::Result<()> {
        self.create(name)?.write_all(bytes)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_dir_all(&self.0) {
            tracing::warn!("{} is left behind: {error}", self.0.display());
        }
    }
}
