//! A recent Mesa beside the system's: Debian packages unpacked under `target/mesa`.

pub mod intel_shim;
mod manifest;
mod packages;

pub use packages::Architecture;

use crate::driver::Installed;
use crate::system;
use packages::{Base, Tree};
use std::path::PathBuf;
use std::process::Command;

/// The first major version whose lavapipe Hekla accepts.
pub const FIRST_GOOD: u32 = 25;

/// The packages to unpack of a release with a C library of its own: the drivers, the loaders of Vulkan and OpenCL, and
/// stand-ins for the DRM drivers of GPUs.
const WITH_C_LIBRARY: [&str; 4] =
    ["mesa-vulkan-drivers", "libvulkan1", "ocl-icd-libopencl1", "mesa-drm-shim"];

/// Returns the major version of the installed Mesa, according to its package.
pub fn installed_version() -> Option<u32> {
    let mut query = Command::new("dpkg-query");
    query.args(["-W", "-f=${Status} ${Version}", "mesa-vulkan-drivers"]);
    let text = system::capture(&mut query).ok()?;
    major(text.trim().strip_prefix("install ok installed ")?)
}

/// Returns the major version in a Debian version: `22.3.6-1+deb12u1`, or `1:25.0.7`.
fn major(version: &str) -> Option<u32> {
    let upstream = version.split_once(':').map_or(version, |(_, rest)| rest);
    upstream.split(['.', '-']).next()?.parse().ok()
}

/// Returns lavapipe of this release's backports.
pub fn backported() -> Result<Installed, String> {
    let release = codename()?;
    let backports = format!("{release}-backports");
    let tree = Tree {
        suites: &[&release, &backports],
        base: Base::System,
        architecture: Architecture::host(),
        packages: &["mesa-vulkan-drivers"],
    };
    let root = tree.root()?;
    let libraries = tree.libraries(&root);
    Ok(Installed {
        manifest: Some(manifest::write(&root, &libraries, "lvp")?),
        libraries: Some(libraries),
        loader: None,
    })
}

/// Returns lavapipe of Debian unstable, with the C library that it needs.
pub fn unstable() -> Result<Installed, String> {
    let drivers = with_c_library("unstable", Architecture::host())?;
    Ok(Installed {
        manifest: Some(drivers.manifest("lvp")?),
        loader: Some(drivers.loader),
        libraries: Some(drivers.libraries),
    })
}

/// Mesa's Vulkan drivers with the C library that they need.
pub struct Drivers {
    root: PathBuf,
    pub libraries: PathBuf,
    /// The dynamic loader of the C library.
    pub loader: PathBuf,
}

impl Drivers {
    /// Returns the manifest of the driver `libvulkan_NAME.so`.
    pub fn manifest(&self, name: &str) -> Result<PathBuf, String> {
        manifest::write(&self.root, &self.libraries, name)
    }
}

/// Returns the drivers of a Debian release.
pub fn with_c_library(suite: &str, architecture: Architecture) -> Result<Drivers, String> {
    let (suites, base) = ([suite], Base::Nothing);
    let tree = Tree { suites: &suites, base, architecture, packages: &WITH_C_LIBRARY };
    let root = tree.root()?;
    let libraries = tree.libraries(&root);
    let loader = system::read_folder(&libraries)?
        .flatten()
        .map(|file| file.path())
        .find(|path| path.file_name().is_some_and(|n| n.to_string_lossy().starts_with("ld-linux")))
        .ok_or_else(|| format!("no dynamic loader in {}", libraries.display()))?;
    Ok(Drivers { root, libraries, loader })
}

/// Returns the name of this machine's Debian release.
fn codename() -> Result<String, String> {
    let text = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VERSION_CODENAME="));
    let name = line.map(|name| name.trim_matches('"').to_string());
    name.ok_or_else(|| {
        format!(
            "lavapipe of Mesa {FIRST_GOOD} or newer is needed; this system's is older, and only \
             for Debian is it known where to get a newer one"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_packages() {
        assert_eq!(major("22.3.6-1+deb12u1"), Some(22));
        assert_eq!(major("25.0.7-2~bpo12+1"), Some(25));
        assert_eq!(major("1:26.2.6-1"), Some(26));
        assert_eq!(major("git"), None);
    }
}
