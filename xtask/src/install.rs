//! `cargo xtask install [--prefix DIR]`: copies the library and tells the ICD loader of it.

use crate::{artifact, Outcome};
use std::path::{Path, PathBuf};

/// The loader reads /etc/OpenCL/vendors whatever the prefix of the library; under another prefix than
/// /usr the file goes to PREFIX/etc/OpenCL/vendors, for OCL_ICD_VENDORS.
pub fn run(args: &[String]) -> Outcome {
    let prefix = match args {
        [] => PathBuf::from("/usr"),
        [flag, dir] if flag == "--prefix" => PathBuf::from(dir),
        [flag] if flag.starts_with("--prefix=") => PathBuf::from(&flag["--prefix=".len()..]),
        _ => return Err("usage: cargo xtask install [--prefix DIR]".to_string()),
    };
    let built = artifact::build()?;
    let libraries = prefix.join("lib");
    let vendors = match prefix == Path::new("/usr") {
        true => PathBuf::from("/etc/OpenCL/vendors"),
        false => prefix.join("etc/OpenCL/vendors"),
    };
    let installed = libraries.join("libhekla.so");
    let copy = || -> std::io::Result<PathBuf> {
        std::fs::create_dir_all(&libraries)?;
        std::fs::create_dir_all(&vendors)?;
        // A running program keeps the old file: replace it by renaming.
        let fresh = libraries.join(".libhekla.so.new");
        std::fs::copy(&built, &fresh)?;
        std::fs::rename(&fresh, &installed)?;
        let installed = installed.canonicalize()?;
        std::fs::write(vendors.join("hekla.icd"), format!("{}\n", installed.display()))?;
        Ok(installed)
    };
    let installed = copy().map_err(|e| format!("cannot install to {}: {e}", prefix.display()))?;
    println!("installed {}", installed.display());
    println!("installed {}", vendors.join("hekla.icd").display());
    if prefix != Path::new("/usr") {
        println!("to use it: export OCL_ICD_VENDORS={}", vendors.display());
    }
    Ok(())
}
