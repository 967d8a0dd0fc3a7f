//! The Vulkan drivers that commands run on, and how a program gets to see one of them alone.

use crate::{mesa, system, Outcome};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A Vulkan driver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Driver {
    /// Mesa's lavapipe of version 25 or newer: the installed one, or else a downloaded one.
    Lavapipe,
    /// lavapipe of Debian unstable.
    LavapipeUnstable,
    /// Chromium's SwiftShader, as weak as the weakest phone.
    SwiftShader,
    /// NVIDIA's own, on a GPU.
    Nvidia,
}

/// The possible paths of the manifest of the installed lavapipe.
const LAVAPIPE: [&str; 3] = [
    "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json",
    "/usr/share/vulkan/icd.d/lvp_icd.aarch64.json",
    "/usr/share/vulkan/icd.d/lvp_icd.json",
];
const SWIFTSHADER: [&str; 1] = ["/usr/lib/chromium/vk_swiftshader_icd.json"];
const NVIDIA: [&str; 2] =
    ["/etc/vulkan/icd.d/nvidia_icd.json", "/usr/share/vulkan/icd.d/nvidia_icd.json"];

impl std::str::FromStr for Driver {
    type Err = String;

    fn from_str(name: &str) -> Result<Driver, String> {
        Driver::named(name)
    }
}

impl Driver {
    pub const ALL: [Driver; 4] =
        [Driver::Lavapipe, Driver::LavapipeUnstable, Driver::SwiftShader, Driver::Nvidia];

    /// Returns the name on the command line and in cts-config.
    pub fn name(self) -> &'static str {
        match self {
            Driver::Lavapipe => "lavapipe",
            Driver::LavapipeUnstable => "lavapipe-26",
            Driver::SwiftShader => "swiftshader",
            Driver::Nvidia => "nvidia",
        }
    }

    /// Returns true if the driver computes on the processor.
    pub fn is_software(self) -> bool {
        !matches!(self, Driver::Nvidia)
    }

    /// Returns the driver of a name.
    pub fn named(name: &str) -> Result<Driver, String> {
        let found = Driver::ALL.into_iter().find(|driver| driver.name() == name);
        let all = Driver::ALL.map(Driver::name).join(", ");
        found.ok_or_else(|| format!("no driver '{name}': one of {all}"))
    }

    /// Finds or downloads the driver. Returns an error if it is missing.
    pub fn install(self) -> Result<Installed, String> {
        match self {
            Driver::Lavapipe if mesa::installed_version() >= Some(mesa::FIRST_GOOD) => {
                Installed::of_system(self, &LAVAPIPE)
            }
            Driver::Lavapipe => mesa::backported(),
            Driver::LavapipeUnstable => mesa::unstable(),
            Driver::SwiftShader => Installed::of_system(self, &SWIFTSHADER),
            // The driver that the environment names, else the one in NVIDIA's place, else the one that Vulkan finds by
            // itself.
            Driver::Nvidia if std::env::var_os("VK_DRIVER_FILES").is_some() => {
                Ok(Installed::default())
            }
            Driver::Nvidia => Ok(Installed::of_system(self, &NVIDIA).unwrap_or_default()),
        }
    }

    /// Makes a command see this driver alone: see [`Installed::select`].
    pub fn select(self, command: &mut Command) -> Outcome {
        self.install()?.select(command);
        Ok(())
    }
}

/// Returns the manifest of the installed lavapipe if that is too old for Hekla.
pub fn refused_lavapipe() -> Option<PathBuf> {
    let old = mesa::installed_version().is_some_and(|version| version < mesa::FIRST_GOOD);
    LAVAPIPE.iter().map(PathBuf::from).find(|path| old && path.exists())
}

/// A driver on this machine.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Installed {
    /// The file for VK_DRIVER_FILES; without it Vulkan finds the driver by itself.
    pub manifest: Option<PathBuf>,
    /// The folder of the libraries that come with the driver.
    pub libraries: Option<PathBuf>,
    /// The dynamic loader of the C library that the driver needs, unless that is the system's.
    pub loader: Option<PathBuf>,
}

impl Installed {
    fn of_system(driver: Driver, manifests: &[&str]) -> Result<Installed, String> {
        let found = manifests.iter().map(Path::new).find(|path| path.exists());
        let manifest = found.ok_or_else(|| format!("{} is not installed", driver.name()))?;
        Ok(Installed { manifest: Some(manifest.to_path_buf()), ..Installed::default() })
    }

    /// Makes a command see this driver alone. To be called before the command's standard streams are set.
    pub fn select(&self, command: &mut Command) {
        if let (Some(loader), Some(libraries)) = (&self.loader, &self.libraries) {
            *command = through(loader, libraries, command);
        }
        self.set_environment(command);
    }

    /// Sets the variables by which programs find the driver, if they use the system's C library or are linked for the
    /// driver's.
    pub fn set_environment(&self, command: &mut Command) {
        if let Some(manifest) = &self.manifest {
            // Loaders have two names for the variable.
            command.env("VK_DRIVER_FILES", manifest).env("VK_ICD_FILENAMES", manifest);
        }
        if let (Some(libraries), None) = (&self.libraries, &self.loader) {
            let before = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
            let all = [libraries.clone()].into_iter().chain(std::env::split_paths(&before));
            // Paths that contain the separator were never found anyway.
            if let Ok(all) = std::env::join_paths(all) {
                command.env("LD_LIBRARY_PATH", all);
            }
        }
    }

    /// Returns the words in front of a program's name by which it runs with the driver's C library.
    pub fn prefix(&self) -> Vec<String> {
        match (&self.loader, &self.libraries) {
            (Some(loader), Some(libraries)) => vec![
                loader.display().to_string(),
                "--library-path".to_string(),
                libraries.display().to_string(),
            ],
            _ => Vec::new(),
        }
    }

    /// Returns `cargo test` with the driver as the only one. If the driver needs a C library of its own, the tests are
    /// linked for that library, in a target folder of their own.
    pub fn cargo_test(&self, args: &[&str]) -> Command {
        let mut command = system::cargo(&["test"]);
        if self.loader.is_some() {
            command.args(["--target", &system::host()]);
            command.env("CARGO_TARGET_DIR", system::target().join("other-libc"));
            command.env("RUSTFLAGS", self.rust_flags());
        }
        command.args(args);
        self.set_environment(&mut command);
        command
    }

    /// Returns flags for rustc by which programs, and their own children, run with the driver's C library by themselves.
    pub fn rust_flags(&self) -> String {
        match (&self.loader, &self.libraries) {
            (Some(loader), Some(libraries)) => format!(
                "-Clink-arg=-Wl,--dynamic-linker={} -Clink-arg=-Wl,--disable-new-dtags \
                 -Clink-arg=-Wl,-rpath,{}",
                loader.display(),
                libraries.display()
            ),
            _ => String::new(),
        }
    }
}

/// Returns the same command, started by another dynamic loader.
fn through(loader: &Path, libraries: &Path, command: &Command) -> Command {
    let program = PathBuf::from(command.get_program());
    let mut other = Command::new(loader);
    other.arg("--library-path").arg(libraries).arg(on_path(&program).unwrap_or(program));
    other.args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => other.env(name, value),
            None => other.env_remove(name),
        };
    }
    if let Some(folder) = command.get_current_dir() {
        other.current_dir(folder);
    }
    other
}

/// Returns the path of a program that is named without a folder.
fn on_path(program: &Path) -> Option<PathBuf> {
    if program.components().count() > 1 {
        return None;
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_driver_has_its_name() {
        for driver in Driver::ALL {
            assert_eq!(Driver::named(driver.name()), Ok(driver));
        }
        assert!(Driver::named("radv").unwrap_err().contains("lavapipe-26, swiftshader"));
    }

    #[test]
    fn a_driver_with_a_c_library_of_its_own_starts_programs_by_its_loader() {
        let installed = Installed {
            manifest: Some("/d/lavapipe.json".into()),
            libraries: Some("/d/lib".into()),
            loader: Some("/d/ld.so".into()),
        };
        let mut command = Command::new("sh");
        command.args(["-c", "true"]).env("A", "1").env_remove("B").current_dir("/tmp");
        installed.select(&mut command);
        assert_eq!(command.get_program(), "/d/ld.so");
        let args: Vec<_> = command.get_args().map(|arg| arg.to_string_lossy()).collect();
        assert_eq!(args[..2], ["--library-path", "/d/lib"]);
        assert!(args[2].starts_with('/') && args[2].ends_with("/sh"), "{args:?}");
        assert_eq!(args[3..], ["-c", "true"]);
        assert_eq!(command.get_current_dir(), Some(Path::new("/tmp")));
        let value = |name: &str| command.get_envs().find(|(n, _)| *n == name).map(|(_, v)| v);
        assert_eq!(value("A"), Some(Some("1".as_ref())));
        assert_eq!(value("B"), Some(None));
        assert_eq!(value("VK_DRIVER_FILES"), Some(Some("/d/lavapipe.json".as_ref())));
        assert_eq!(value("LD_LIBRARY_PATH"), None);
    }
}
