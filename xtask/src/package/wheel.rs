//! The wheel `hekla-opencl`: the driver inside a Python package.
//!
//! pyopencl's own wheels bring an ICD loader that looks for `.icd` files in `pyopencl/.libs`, and for the libraries
//! that they name in the same folder: this wheel puts both there, as PoCL's wheel does. For other loaders
//! `hekla_opencl.library()` returns the path.

use super::{empty, licences, write, HOMEPAGE, SUMMARY, VERSION};
use crate::install::files::{self, Content, File};
use crate::{system, Outcome};
use std::path::{Path, PathBuf};
use std::process::Command;

const LIBRARY: &str = "libhekla-opencl.so";

/// Makes the wheel in a folder.
pub fn make(library: &Path, folder: &Path) -> Result<Vec<PathBuf>, String> {
    let python = system::python()?;
    let root = empty(folder.join("wheel"))?;
    let installed = File {
        path: format!("/pyopencl/.libs/{LIBRARY}").into(),
        content: Content::Stripped(library.to_path_buf()),
        is_program: false,
    };
    files::write(&[installed], &root)?;
    write(&root.join("pyopencl/.libs/hekla.icd"), LIBRARY)?;
    write(&root.join("hekla_opencl/__init__.py"), &module())?;
    write_metadata(&root, &tag(library)?)?;
    system::capture(Command::new(&python).args(["-m", "pip", "install", "--quiet", "wheel"]))?;
    let mut pack = Command::new(&python);
    let packed =
        system::capture(pack.args(["-m", "wheel", "pack"]).arg(&root).arg("-d").arg(folder))?;
    std::fs::remove_dir_all(&root).map_err(|e| e.to_string())?;
    let name = packed.split_whitespace().find(|word| word.contains(".whl"));
    let name = name.and_then(|path| path.trim_end_matches("...OK").rsplit('/').next());
    Ok(vec![folder.join(name.ok_or_else(|| format!("no wheel was made:\n{packed}"))?)])
}

fn module() -> String {
    format!(
        "\"\"\"{SUMMARY}.\n\npyopencl finds the driver by itself. Other programs: OCL_ICD_VENDORS=library() with the loader\n\
         ocl-icd, OCL_ICD_FILENAMES=library() with that of Khronos.\n\"\"\"\n\n\
         from pathlib import Path\n\n__version__ = \"{VERSION}\"\n\n\n\
         def library():\n    \"\"\"Returns the path of the driver.\"\"\"\n    \
         return str(Path(__file__).parent.parent / \"pyopencl\" / \".libs\" / \"{LIBRARY}\")\n"
    )
}

fn write_metadata(root: &Path, tag: &str) -> Outcome {
    let info = root.join(format!("hekla_opencl-{VERSION}.dist-info"));
    let wheel = format!(
        "Wheel-Version: 1.0\nGenerator: xtask\nRoot-Is-Purelib: false\nTag: py3-none-{tag}\n"
    );
    write(&info.join("WHEEL"), &wheel)?;
    let metadata = format!(
        "Metadata-Version: 2.1\nName: hekla-opencl\nVersion: {VERSION}\nSummary: {SUMMARY}\nHome-page: {HOMEPAGE}\n\
         License: MIT OR Apache-2.0\nRequires-Python: >=3.8\nDescription-Content-Type: text/plain\n\n\
         Install it beside pyopencl: its platform is there, on every Vulkan device.\n"
    );
    write(&info.join("METADATA"), &metadata)?;
    write(&info.join("LICENSE"), &licences()?)
}

/// Returns the platform tag (PEP 600): it has the newest version of the C library whose symbols the driver uses.
fn tag(library: &Path) -> Result<String, String> {
    let symbols = system::capture(Command::new("objdump").arg("-T").arg(library))?;
    let versions = symbols.split("GLIBC_").skip(1).filter_map(|rest| {
        let version = rest.split(')').next()?;
        let mut numbers = version.split('.').map(|number| number.parse::<u32>().ok());
        Some((numbers.next()??, numbers.next()??))
    });
    let (major, minor) = versions.max().ok_or("the library uses no C library")?;
    Ok(format!("manylinux_{major}_{minor}_{}", std::env::consts::ARCH))
}
