//! The tarball: an installation in one folder that works in any place.

use super::{empty, write, VERSION};
use crate::install::files::{self, Places};
use crate::system;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A script that writes the folder's current path for the loader.
const SETUP: &str = r#"#!/bin/sh
# Prints what makes OpenCL programs of this shell find Hekla: eval "$(./setup.sh)"
here=$(cd "$(dirname "$0")" && pwd) || exit 1
echo "$here/lib/hekla/libhekla.so" > "$here/etc/OpenCL/vendors/hekla.icd" || exit 1
echo "export OCL_ICD_VENDORS='$here/etc/OpenCL/vendors' PATH='$here/bin':\"\$PATH\""
"#;

/// Returns the name of the folder in the tarball.
pub fn name() -> String {
    format!("hekla-{VERSION}-linux-{}", std::env::consts::ARCH)
}

/// Makes the tarball in a folder.
pub fn make(library: &Path, folder: &Path) -> Result<Vec<PathBuf>, String> {
    let name = name();
    let root = empty(folder.join(&name))?;
    let places = Places::new(Path::new("/"), Some(Path::new("/lib")));
    files::write(&places.files(library), &root)?;
    write(&root.join("setup.sh"), SETUP)?;
    for document in ["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"] {
        std::fs::copy(system::root().join(document), root.join(document))
            .map_err(|e| format!("{document}: {e}"))?;
    }
    system::run(Command::new("chmod").arg("755").arg(root.join("setup.sh")))?;
    let package = folder.join(format!("{name}.tar.xz"));
    let mut pack = Command::new("tar");
    pack.args(["--owner=0", "--group=0", "-cJf"]).arg(&package).arg("-C").arg(folder).arg(&name);
    system::run(&mut pack)?;
    std::fs::remove_dir_all(&root).map_err(|e| e.to_string())?;
    Ok(vec![package])
}
