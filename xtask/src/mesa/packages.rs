//! Debian packages of any release, downloaded by apt and unpacked into a folder of their own. The system, its list of
//! packages and its sources are not changed, and the user need not be root.

use crate::{platform, system, Outcome};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The base that the packages are added to.
#[derive(PartialEq)]
pub(super) enum Base {
    /// The system's own release: unpack packages that are missing there, or too old.
    System,
    /// An empty system: unpack everything that the packages need, down to the C library.
    Nothing,
}

/// An architecture of Debian.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Architecture {
    Amd64,
    Arm64,
}

impl Architecture {
    /// Returns this machine's architecture.
    pub fn host() -> Architecture {
        match std::env::consts::ARCH {
            "aarch64" => Architecture::Arm64,
            _ => Architecture::Amd64,
        }
    }

    /// Returns Debian's name of the architecture.
    pub fn debian(self) -> &'static str {
        match self {
            Architecture::Amd64 => "amd64",
            Architecture::Arm64 => "arm64",
        }
    }

    /// Returns the name of the folder of the architecture's libraries.
    pub fn triple(self) -> &'static str {
        match self {
            Architecture::Amd64 => "x86_64-linux-gnu",
            Architecture::Arm64 => "aarch64-linux-gnu",
        }
    }
}

/// A set of packages that are unpacked in a folder.
pub(super) struct Tree<'a> {
    /// The releases that the packages come from; the last one is preferred.
    pub suites: &'a [&'a str],
    pub base: Base,
    pub architecture: Architecture,
    pub packages: &'a [&'a str],
}

impl Tree<'_> {
    /// Returns the root of the unpacked files; downloads and unpacks them on first use. The files do not change until
    /// the folder of the release under `target/mesa` is removed.
    pub fn root(&self) -> Result<PathBuf, String> {
        let suite = self.suites.last().copied().unwrap_or_default();
        let name = match self.architecture == Architecture::host() {
            true => suite.to_string(),
            false => format!("{suite}-{}", self.architecture.debian()),
        };
        let folder = system::target().join("mesa").join(&name);
        let (root, apt, ready) = (folder.join("root"), folder.join("apt"), folder.join("ready"));
        let packages = self.packages.join(" ");
        if std::fs::read_to_string(&ready).ok().as_ref() != Some(&packages) {
            println!("getting {packages} of {name} to {}", root.display());
            // Removes the files that an interrupted run left.
            let _ = std::fs::remove_dir_all(&folder);
            self.download(&apt)?;
            unpack(&apt.join("cache/archives"), &root)?;
            link_for_llvm(&self.libraries(&root))?;
            let _ = std::fs::remove_dir_all(&apt);
            system::write_file(&ready, &packages)?;
        }
        root.canonicalize().map_err(|e| format!("{}: {e}", root.display()))
    }

    /// Returns Debian's folder of libraries.
    pub fn libraries(&self, root: &Path) -> PathBuf {
        root.join("usr/lib").join(self.architecture.triple())
    }

    /// Downloads the packages, and the packages that they need beside the base, by an apt whose lists, sources and
    /// cache are in a folder of their own.
    fn download(&self, folder: &Path) -> Outcome {
        let write = || -> std::io::Result<PathBuf> {
            std::fs::create_dir_all(folder.join("lists/partial"))?;
            std::fs::create_dir_all(folder.join("cache/archives/partial"))?;
            std::fs::write(folder.join("nothing"), "")?;
            folder.canonicalize()
        };
        let folder = write().map_err(|e| format!("{}: {e}", folder.display()))?;
        let list = folder.join("sources.list");
        system::write_file(&list, self.sources()?)?;

        let apt = |args: &[&str]| {
            let mut command = Command::new("apt-get");
            let mut option = |name: &str, value: &str| {
                command.arg("-o").arg(format!("{name}={value}"));
            };
            option("Dir::Etc::SourceList", &list.display().to_string());
            option("Dir::Etc::SourceParts", "-");
            option("Dir::State::Lists", &folder.join("lists").display().to_string());
            option("Dir::Cache", &folder.join("cache").display().to_string());
            if self.base == Base::Nothing {
                let nothing = folder.join("nothing").display().to_string();
                option("Dir::State::Status", &nothing);
                option("Dir::State::Extended_States", &nothing);
                option("APT::Architecture", self.architecture.debian());
                option("APT::Architectures", self.architecture.debian());
            }
            // The system's own files are not touched. The user as whom root's downloads run cannot write here.
            option("Debug::NoLocking", "1");
            option("APT::Sandbox::User", "root");
            system::capture(command.args(args).env("LC_ALL", "C")).map(|_| ())
        };
        apt(&["update"])?;
        let suite = self.suites.last().copied().unwrap_or_default();
        let mut install = vec!["install", "--download-only", "--yes", "--no-install-recommends"];
        install.extend(["-t", suite]);
        install.extend(self.packages);
        apt(&install)
    }

    /// Returns apt's list of sources.
    fn sources(&self) -> Result<String, String> {
        let mirror = mirror()?;
        let keyring = "/usr/share/keyrings/debian-archive-keyring.gpg";
        let signed = match Path::new(keyring).exists() {
            true => format!("[signed-by={keyring}] "),
            false => String::new(),
        };
        let line = |suite: &&str| format!("deb {signed}{mirror} {suite} main\n");
        Ok(self.suites.iter().map(line).collect())
    }
}

/// Downloads the files of a source package of a release into a folder, by an apt whose lists, sources and cache are there.
pub(super) fn download_source(suite: &str, package: &str, folder: &Path) -> Outcome {
    let (lists, cache) = (folder.join("lists"), folder.join("cache"));
    for made in [lists.join("partial"), cache.join("archives/partial")] {
        system::make_folder(&made)?;
    }
    let keyring = "/usr/share/keyrings/debian-archive-keyring.gpg";
    let signed =
        if Path::new(keyring).exists() { format!("[signed-by={keyring}] ") } else { String::new() };
    let list = folder.join("sources.list");
    system::write_file(&list, format!("deb-src {signed}{} {suite} main\n", mirror()?))?;
    for args in [&["update"][..], &["source", "--download-only", package]] {
        let mut command = Command::new("apt-get");
        let mut option = |name: &str, value: &Path| {
            command.arg("-o").arg(format!("{name}={}", value.display()));
        };
        option("Dir::Etc::SourceList", &list);
        option("Dir::Etc::SourceParts", Path::new("-"));
        option("Dir::State::Lists", &lists);
        option("Dir::Cache", &cache);
        option("Debug::NoLocking", Path::new("1"));
        option("APT::Sandbox::User", Path::new("root"));
        system::capture(command.args(args).current_dir(folder).env("LC_ALL", "C"))?;
    }
    Ok(())
}

/// Returns the address from which apt gets Debian on this machine.
fn mirror() -> Result<String, String> {
    let mut command = Command::new("apt-get");
    command.args(["indextargets", "--format", "$(REPO_URI) $(COMPONENT)"]);
    let text = system::capture(&mut command)?;
    let found = chosen_mirror(&text).map(str::to_string);
    found.ok_or_else(|| "apt's sources name no mirror of Debian's main".to_string())
}

/// Returns the address in the first line that has `main` and is not for security updates.
fn chosen_mirror(targets: &str) -> Option<&str> {
    let mut mirrors = targets.lines().filter_map(|line| line.split_once(' '));
    let chosen = mirrors.find(|(uri, component)| {
        *component == "main" && uri.contains("debian") && !uri.contains("security")
    });
    chosen.map(|(uri, _)| uri)
}

/// Unpacks all packages of a folder into one root.
fn unpack(archives: &Path, root: &Path) -> Outcome {
    let files = system::read_folder(archives)?;
    let mut packages: Vec<PathBuf> = files.flatten().map(|file| file.path()).collect();
    packages.retain(|path| path.extension().is_some_and(|e| e == "deb"));
    packages.sort();
    if packages.is_empty() {
        return Err("apt downloaded no packages: are newer ones installed?".to_string());
    }
    system::make_folder(root)?;
    for package in packages {
        system::capture(Command::new("dpkg").arg("-x").arg(&package).arg(root))?;
    }
    Ok(())
}

/// libLLVM looks for libraries that it needs in `$ORIGIN/../lib` (and, as that is a DT_RUNPATH, not in the program's
/// paths): makes that the folder of all libraries.
fn link_for_llvm(libraries: &Path) -> Outcome {
    let link = libraries.with_file_name("lib");
    let name = libraries.file_name().unwrap_or_default();
    platform::link(Path::new(name), &link).map_err(|e| format!("{}: {e}", link.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mirror_is_that_of_the_release() {
        let text = "http://a.example/debian-security/ main\nhttp://b.example/debian/ contrib\n\
                    http://b.example/debian/ main\n";
        assert_eq!(chosen_mirror(text), Some("http://b.example/debian/"));
        assert_eq!(chosen_mirror("http://a.example/ubuntu main\n"), None);
    }
}
