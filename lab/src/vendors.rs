//! The OpenCL drivers of this machine, Hekla first, each alone in a folder for the loader.

use std::path::{Path, PathBuf};

/// The libraries of drivers that come without an .icd file.
const BARE_DRIVERS: [&str; 3] = [
    "/usr/lib/libnvidia-opencl.so.1",
    "/usr/lib/x86_64-linux-gnu/libnvidia-opencl.so.1",
    "/usr/lib64/libnvidia-opencl.so.1",
];

/// Folders of .icd files, which are removed when this object is dropped.
pub struct Vendors {
    pub root: PathBuf,
    /// One folder for each driver, with its .icd file alone.
    pub single: Vec<PathBuf>,
    /// The folder of all drivers that gave a first result.
    pub working: PathBuf,
}

impl Vendors {
    /// Finds Hekla's library and the drivers of a folder, except for drivers whose name contains a text of `skip`.
    pub fn new(others: &Path, skip: &[String], library: &Path) -> Result<Vendors, String> {
        let root = std::env::temp_dir().join(format!("hekla-vendors-{}", std::process::id()));
        let mut drivers = vec![("hekla".to_string(), format!("{}\n", library.display()))];
        let mut files: Vec<PathBuf> = std::fs::read_dir(others)
            .map(|entries| entries.flatten().map(|e| e.path()).collect())
            .unwrap_or_default();
        files.sort();
        for file in files.iter().filter(|f| f.extension().is_some_and(|e| e == "icd")) {
            let name = file.file_stem().unwrap_or_default().to_string_lossy().to_lowercase();
            let left_out = skip.iter().any(|skip| name.contains(skip));
            if name != "hekla" && !left_out {
                let text = crate::system::read_text(file)?;
                drivers.push((name, text));
            }
        }
        let bare = BARE_DRIVERS.iter().find(|path| Path::new(path).exists());
        if let Some(path) = bare.filter(|_| !drivers.iter().any(|d| d.1.contains("nvidia"))) {
            drivers.push(("nvidia".to_string(), format!("{path}\n")));
        }
        let working = root.join("working");
        let single: Vec<PathBuf> = drivers.iter().map(|(name, _)| root.join(name)).collect();
        let write = || -> std::io::Result<()> {
            std::fs::create_dir_all(&working)?;
            for (folder, (name, text)) in single.iter().zip(&drivers) {
                std::fs::create_dir_all(folder)?;
                std::fs::write(folder.join(format!("{name}.icd")), text)?;
            }
            Ok(())
        };
        write().map_err(|e| format!("cannot write {}: {e}", root.display()))?;
        Ok(Vendors { root, single, working })
    }

    /// Makes the loader of this process see some of the drivers.
    pub fn enable<'a>(&self, drivers: impl Iterator<Item = &'a PathBuf>) -> Result<(), String> {
        for folder in drivers {
            let name = folder.file_name().unwrap_or_default().to_string_lossy();
            let file = format!("{name}.icd");
            std::fs::copy(folder.join(&file), self.working.join(&file))
                .map_err(|e| e.to_string())?;
        }
        std::env::set_var("OCL_ICD_VENDORS", &self.working);
        std::env::set_var("OCL_ICD_FILENAMES", "");
        Ok(())
    }
}

impl Drop for Vendors {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.root);
    }
}
