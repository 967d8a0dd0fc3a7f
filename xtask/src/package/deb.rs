//! The Debian packages: `hekla`, and `hekla-dbgsym` with its debug information.

use super::{empty, write, HOMEPAGE, SUMMARY, VERSION};
use crate::install::files::{self, Places};
use crate::{system, Outcome};
use std::path::{Path, PathBuf};
use std::process::Command;

const MAINTAINER: &str = "Hekla maintainers <hekla-cl@users.noreply.github.com>";
/// The Debian revision among the packages of one version.
const REVISION: &str = "-1";
const DESCRIPTION: &str =
    " Hekla is a library that the OpenCL ICD loader picks up. It compiles OpenCL C to
 Vulkan SPIR-V with its own compiler and runs it through Vulkan compute, so that
 OpenCL programs run unchanged wherever there is a good Vulkan driver.
 .
 The package has the driver, the offline compiler heklac, and a C header for
 programs that use its compiler without OpenCL.";

/// Makes both packages in a folder.
pub fn make(library: &Path, folder: &Path) -> Result<Vec<PathBuf>, String> {
    system::ensure_packages(&["dpkg-dev", "binutils"])?;
    let architecture = architecture()?;
    let root = empty(folder.join("deb"))?;
    let libraries = PathBuf::from("/usr/lib").join(files::multiarch());
    let places = Places::new(Path::new("/usr"), Some(&libraries));
    files::write(&places.files(library), &root)?;
    documents(&root)?;
    let depends = dependencies(&root, &places)?;
    let control = format!(
        "Package: hekla\nVersion: {VERSION}{REVISION}\nArchitecture: {architecture}\nMaintainer: {MAINTAINER}\n\
         Section: libs\nPriority: optional\nHomepage: {HOMEPAGE}\nDepends: {depends}, libvulkan1\n\
         Recommends: ocl-icd-libopencl1 | libopencl1, mesa-vulkan-drivers | vulkan-icd\n\
         Suggests: opencl-c-headers\n\
         Provides: opencl-icd\nDescription: {SUMMARY}\n{DESCRIPTION}\n"
    );
    write(&root.join("DEBIAN/control"), &control)?;
    write(&root.join("DEBIAN/conffiles"), "/etc/OpenCL/vendors/hekla.icd\n")?;
    let package = packed(&root, folder, &file_name("hekla", &architecture))?;
    let symbols = debug_symbols(library, folder, &architecture)?;
    Ok(vec![package, symbols])
}

/// Puts licence and changelogs in Debian's places, and compresses the files that Debian compresses.
fn documents(root: &Path) -> Outcome {
    let folder = root.join("usr/share/doc/hekla");
    let read = |name: &str| {
        let text = std::fs::read_to_string(system::root().join(name));
        text.map_err(|e| format!("{name}: {e}"))
    };
    let copyright = format!(
        "Source: {HOMEPAGE}\nLicense: Apache-2.0 or MIT\n\nOn Debian systems the Apache License is \
         /usr/share/common-licenses/Apache-2.0.\n\n{}",
        read("LICENSE-MIT")?
    );
    write(&folder.join("copyright"), &copyright)?;
    write(&folder.join("changelog"), &read("CHANGELOG.md")?)?;
    let date = system::capture(Command::new("date").arg("-R"))?;
    let entry = format!(
        "hekla ({VERSION}{REVISION}) unstable; urgency=medium\n\n  * Package of version {VERSION}.\n\n \
         -- {MAINTAINER}  {date}"
    );
    write(&folder.join("changelog.Debian"), &entry)?;
    let man = root.join("usr/share/man");
    let texts = [
        folder.join("changelog"),
        folder.join("changelog.Debian"),
        man.join("man1/heklac.1"),
        man.join("man7/hekla.7"),
    ];
    system::run(Command::new("gzip").args(["-9", "-n", "-f"]).args(texts))
}

/// Returns the packages of the libraries that library and compiler need.
fn dependencies(root: &Path, places: &Places) -> Result<String, String> {
    let below = |path: &Path| root.join(path.strip_prefix("/").unwrap_or(path));
    // dpkg-shlibdeps needs a source package around the files.
    write(&root.join("debian/control"), "Source: hekla\n\nPackage: hekla\nArchitecture: any\n")?;
    let mut find = Command::new("dpkg-shlibdeps");
    find.args(["-O", "--ignore-missing-info"]);
    find.arg(below(&places.library())).arg(below(&places.prefix.join("bin/heklac")));
    let output = find.current_dir(root).output().map_err(|e| format!("dpkg-shlibdeps: {e}"))?;
    let _ = std::fs::remove_dir_all(root.join("debian"));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let depends = text.lines().find_map(|line| line.strip_prefix("shlibs:Depends="));
    let said = || format!("dpkg-shlibdeps says {}", String::from_utf8_lossy(&output.stderr));
    depends.map(str::to_string).ok_or_else(said)
}

/// Makes the package of the library's debug information, which debuggers find by the build id.
fn debug_symbols(library: &Path, folder: &Path, architecture: &str) -> Result<PathBuf, String> {
    let notes = system::capture(Command::new("readelf").arg("-n").arg(library))?;
    let id = notes.lines().find_map(|line| line.trim().strip_prefix("Build ID: "));
    let (first, rest) =
        id.and_then(|id| id.split_at_checked(2)).ok_or("no build id in the library")?;
    let root = empty(folder.join("dbgsym"))?;
    let place = root.join("usr/lib/debug/.build-id").join(first);
    std::fs::create_dir_all(&place).map_err(|e| e.to_string())?;
    let mut copy = Command::new("objcopy");
    copy.args(["--only-keep-debug", "--compress-debug-sections"]);
    system::run(copy.arg(library).arg(place.join(format!("{rest}.debug"))))?;
    let control = format!(
        "Package: hekla-dbgsym\nVersion: {VERSION}{REVISION}\nArchitecture: {architecture}\nMaintainer: {MAINTAINER}\n\
         Section: debug\nPriority: optional\nDepends: hekla (= {VERSION}{REVISION})\nAuto-Built-Package: debug-symbols\n\
         Build-Ids: {first}{rest}\nDescription: debug symbols for hekla\n"
    );
    write(&root.join("DEBIAN/control"), &control)?;
    packed(&root, folder, &file_name("hekla-dbgsym", architecture))
}

/// Packs a tree of files.
fn packed(root: &Path, folder: &Path, name: &str) -> Result<PathBuf, String> {
    let package = folder.join(name);
    let mut pack = Command::new("dpkg-deb");
    pack.args(["--build", "--root-owner-group", "-Zxz"]).arg(root).arg(&package);
    system::capture(&mut pack)?;
    std::fs::remove_dir_all(root).map_err(|e| e.to_string())?;
    Ok(package)
}

/// Returns the name of a package's file.
pub fn file_name(package: &str, architecture: &str) -> String {
    format!("{package}_{VERSION}{REVISION}_{architecture}.deb")
}

/// Returns Debian's name of this machine's architecture: `amd64`.
pub fn architecture() -> Result<String, String> {
    let text = system::capture(Command::new("dpkg").arg("--print-architecture"))?;
    Ok(text.trim().to_string())
}
