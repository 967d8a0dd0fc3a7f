//! The stand-in for Intel's DRM driver, which no package of Debian has: it is built from Debian's source package of Mesa.
//! The drivers that it is preloaded for may be newer.

use super::packages;
use crate::{system, Outcome};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The release whose sources are built.
const RELEASE: &str = "trixie";

/// The library, from the folder of the build.
const LIBRARY: &str = "src/intel/tools/libintel_noop_drm_shim.so";

/// Packages that the build needs.
const PACKAGES: [&str; 11] = [
    "gcc",
    "g++",
    "ninja-build",
    "pkg-config",
    "bison",
    "flex",
    "python3-venv",
    "libdrm-dev",
    "libexpat1-dev",
    "zlib1g-dev",
    "glslang-tools",
];

/// Python's packages that the build needs.
const MODULES: [&str; 4] = ["meson", "mako", "pyyaml", "packaging"];

/// Programs that compile shaders of OpenCL for the driver. The shim has none, but the configuration asks for them.
const UNUSED: [&str; 3] = ["mesa_clc", "vtn_bindgen", "vtn_bindgen2"];

/// What is built: the tools alone.
const OPTIONS: [&str; 15] = [
    "-Db_ndebug=true",
    "-Dvulkan-drivers=intel",
    "-Dgallium-drivers=",
    "-Dtools=drm-shim,intel",
    "-Dplatforms=",
    "-Dllvm=disabled",
    "-Dmesa-clc=system",
    "-Dintel-rt=disabled",
    "-Dopengl=false",
    "-Degl=disabled",
    "-Dgbm=disabled",
    "-Dglx=disabled",
    "-Dzstd=disabled",
    "-Dvideo-codecs=",
    "-Dvalgrind=disabled",
];

/// Returns the library's path; builds it on first use, which takes some minutes.
pub fn get() -> Result<PathBuf, String> {
    let folder = system::target().join("mesa/intel-shim");
    let library = folder.join("build").join(LIBRARY);
    if !library.exists() {
        println!("building {} from Mesa's sources", library.display());
        let _ = std::fs::remove_dir_all(&folder);
        build(&folder)?;
    }
    library.canonicalize().map_err(|e| format!("{}: {e}", library.display()))
}

fn build(folder: &Path) -> Outcome {
    system::ensure_packages(&PACKAGES)?;
    system::make_folder(folder)?;
    let folder = folder.canonicalize().map_err(|e| format!("{}: {e}", folder.display()))?;
    let folder = &folder;
    packages::download_source(RELEASE, "mesa", folder)?;
    let (source, python, tools) =
        (folder.join("source"), folder.join("python"), folder.join("tools"));
    system::make_folder(&source)?;
    let mut unpack = Command::new("tar");
    unpack.arg("xf").arg(original(folder)?).arg("-C").arg(&source).arg("--strip-components=1");
    system::capture(&mut unpack)?;
    system::capture(Command::new("python3").args(["-m", "venv"]).arg(&python))?;
    system::capture(Command::new(python.join("bin/pip")).args(["-q", "install"]).args(MODULES))?;
    system::make_folder(&tools)?;
    for name in UNUSED {
        let tool = tools.join(name);
        system::write_file(&tool, "#!/bin/sh\nexit 0\n")?;
        system::capture(Command::new("chmod").arg("+x").arg(&tool))?;
    }
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{}:{path}", python.join("bin").display(), tools.display());
    let mut setup = Command::new(python.join("bin/meson"));
    setup.args(["setup", "../build"]).args(OPTIONS).current_dir(&source).env("PATH", &path);
    system::capture(&mut setup)?;
    let mut ninja = Command::new("ninja");
    ninja.arg("-C").arg(folder.join("build")).arg(LIBRARY).env("PATH", &path);
    system::capture(&mut ninja).map(|_| ())
}

/// Returns the archive of the sources as their makers published them.
fn original(folder: &Path) -> Result<PathBuf, String> {
    let mut files = system::read_folder(folder)?.flatten().map(|file| file.path());
    let is_original = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.contains(".orig.tar.") && !name.ends_with(".asc")
    };
    files.find(is_original).ok_or_else(|| format!("no sources in {}", folder.display()))
}
