//! `cargo xtask package`: a Debian package, a Python wheel and a tarball under `target/packages`, and a test of each in a
//! clean place.

mod clean_root;
mod deb;
mod newcomer;
mod recipes;
mod tarball;
mod wheel;

use crate::install::files;
use crate::system::{self, step};
use crate::Outcome;
use std::path::{Path, PathBuf};

/// The version of the workspace, which all packages have.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
/// A description of Hekla in one line.
pub const SUMMARY: &str = "OpenCL on Vulkan: an OpenCL driver for every GPU that has Vulkan";
pub const HOMEPAGE: &str = env!("CARGO_PKG_REPOSITORY");

/// A kind of package.
struct Kind {
    name: &'static str,
    /// True if the package contains the library.
    has_library: bool,
    /// Makes the packages from the library in a folder, and returns their paths.
    make: fn(library: &Path, folder: &Path) -> Result<Vec<PathBuf>, String>,
    /// Installs the first package in a place without Hekla, and runs programs there.
    test: fn(package: &Path) -> Outcome,
}

const KINDS: [Kind; 4] = [
    Kind { name: "deb", has_library: true, make: deb::make, test: clean_root::test_deb },
    Kind { name: "wheel", has_library: true, make: wheel::make, test: clean_root::test_wheel },
    Kind {
        name: "tarball",
        has_library: true,
        make: tarball::make,
        test: clean_root::test_tarball,
    },
    Kind { name: "recipes", has_library: false, make: recipes::make, test: recipes::test },
];

/// Options of the command: which packages.
#[derive(clap::Args)]
pub struct Request {
    /// The kinds of packages; without one all
    #[arg(value_parser = KINDS.map(|kind| kind.name))]
    names: Vec<String>,
    /// Install each in a clean place and run clinfo and a kernel there
    #[arg(long)]
    test: bool,
    /// Follow README in a fresh Debian, with two of them, and time it
    #[arg(long, conflicts_with = "test")]
    newcomer: bool,
}

/// Makes packages.
pub fn run(request: &Request) -> Outcome {
    let (wants_test, is_newcomer) = (request.test, request.newcomer);
    let names: Vec<&str> = match is_newcomer {
        true => vec!["deb", "wheel"],
        false => request.names.iter().map(String::as_str).collect(),
    };
    let folder = system::target().join("packages");
    std::fs::create_dir_all(&folder)
        .map_err(|e| format!("cannot make {}: {e}", folder.display()))?;
    let wanted = |kind: &&Kind| names.is_empty() || names.contains(&kind.name);
    let mut library = PathBuf::new();
    if KINDS.iter().filter(wanted).any(|kind| kind.has_library) {
        step("building libhekla.so (release)");
        library = files::build()?;
    }
    let mut packages = Vec::new();
    for kind in KINDS.iter().filter(wanted) {
        step(kind.name);
        let made = (kind.make)(&library, &folder)?;
        for package in &made {
            let bytes = package.metadata().map_err(|e| e.to_string())?.len();
            println!("{} ({:.1} MB)", package.display(), bytes as f64 / 1e6);
        }
        if let Some(package) = made.first().filter(|_| wants_test) {
            step(&format!("{} in a clean place", kind.name));
            (kind.test)(package)?;
        }
        packages.extend(made.into_iter().next());
    }
    match &packages[..] {
        [deb, wheel] if is_newcomer => newcomer::run(deb, wheel),
        _ => Ok(()),
    }
}

/// Returns the names of the packages of this version that are made on this machine, and of the recipes from which
/// others make packages.
pub fn names() -> Result<Vec<String>, String> {
    let debian = deb::architecture()?;
    Ok(vec![
        deb::file_name("hekla", &debian),
        deb::file_name("hekla-dbgsym", &debian),
        format!("hekla_opencl-{VERSION}-py3-none-manylinux_*_{}.whl", std::env::consts::ARCH),
        format!("{}.tar.xz", tarball::name()),
        "packaging/arch/PKGBUILD".to_string(),
        "packaging/nix/default.nix".to_string(),
    ])
}

/// Returns an empty folder.
fn empty(folder: PathBuf) -> Result<PathBuf, String> {
    let make = || -> std::io::Result<()> {
        if folder.exists() {
            std::fs::remove_dir_all(&folder)?;
        }
        std::fs::create_dir_all(&folder)
    };
    make().map_err(|e| format!("cannot make {}: {e}", folder.display()))?;
    Ok(folder)
}

/// Writes a file and the folders above it.
fn write(path: &Path, text: &str) -> Outcome {
    let write = || -> std::io::Result<()> {
        std::fs::create_dir_all(path.parent().unwrap_or(Path::new("/")))?;
        std::fs::write(path, text)
    };
    write().map_err(|e| format!("cannot write {}: {e}", path.display()))
}

/// Returns the text of both licences, one after the other.
fn licences() -> Result<String, String> {
    let read = |name: &str| {
        let path = system::root().join(name);
        system::read_text(&path)
    };
    Ok(format!("{}\n{}", read("LICENSE-MIT")?, read("LICENSE-APACHE")?))
}
