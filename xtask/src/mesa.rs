//! A recent Mesa beside the system's: Debian packages downloaded by apt and unpacked under `target/mesa`.
//! The system, its list of packages and its sources are left as they are, and nobody need be root.

use crate::driver::Installed;
use crate::{platform, system};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The first major version whose lavapipe Hekla takes.
pub const FIRST_GOOD: u32 = 25;

/// Where the packages come from and what they are put beside.
enum Base {
    /// Backports for the system's own release: what is missing there, or too old.
    System,
    /// Another release: with all that its packages need, down to the C library.
    Nothing,
}

/// Major version of the installed Mesa, as its package says.
pub fn installed_version() -> Option<u32> {
    let mut query = Command::new("dpkg-query");
    query.args(["-W", "-f=${Status} ${Version}", "mesa-vulkan-drivers"]);
    let text = system::capture(&mut query).ok()?;
    major(text.trim().strip_prefix("install ok installed ")?)
}

/// Major version in a Debian version: `22.3.6-1+deb12u1`, or `1:25.0.7`.
fn major(version: &str) -> Option<u32> {
    let upstream = version.split_once(':').map_or(version, |(_, rest)| rest);
    upstream.split(['.', '-']).next()?.parse().ok()
}

/// lavapipe of the backports of this release.
pub fn backported() -> Result<Installed, String> {
    let release = codename()?;
    let backports = format!("{release}-backports");
    let folder = unpacked(&[&release, &backports], &Base::System)?;
    Ok(Installed {
        manifest: Some(manifest(&folder)?),
        libraries: Some(libraries(&folder)),
        loader: None,
    })
}

/// lavapipe of Debian unstable, with the C library that it needs. It stays what it was when it was downloaded
/// until `target/mesa/unstable` is removed.
pub fn unstable() -> Result<Installed, String> {
    let folder = unpacked(&["unstable"], &Base::Nothing)?;
    let libraries = libraries(&folder);
    let loader = std::fs::read_dir(&libraries)
        .map_err(|e| format!("{}: {e}", libraries.display()))?
        .flatten()
        .map(|file| file.path())
        .find(|path| path.file_name().is_some_and(|n| n.to_string_lossy().starts_with("ld-linux")));
    let missing = || format!("no dynamic loader in {}", libraries.display());
    Ok(Installed {
        manifest: Some(manifest(&folder)?),
        loader: Some(loader.ok_or_else(missing)?),
        libraries: Some(libraries),
    })
}

/// This release's name.
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

/// Returns where libraries lie, as Debian has it.
fn libraries(folder: &Path) -> PathBuf {
    folder.join(format!("usr/lib/{}-linux-gnu", std::env::consts::ARCH))
}

/// Returns the folder with Mesa of the last of `suites`; downloaded and unpacked on first use.
fn unpacked(suites: &[&str], base: &Base) -> Result<PathBuf, String> {
    let suite = suites.last().copied().unwrap_or_default();
    let folder = system::target().join("mesa").join(suite);
    let (root, apt, ready) = (folder.join("root"), folder.join("apt"), folder.join("ready"));
    if !ready.exists() {
        println!("getting Mesa of {suite} to {}", root.display());
        // What an interrupted run left.
        let _ = std::fs::remove_dir_all(&folder);
        download(&apt, suites, base)?;
        unpack(&apt.join("cache/archives"), &root)?;
        link_for_llvm(&root)?;
        let _ = std::fs::remove_dir_all(&apt);
        std::fs::write(&ready, "").map_err(|e| format!("{}: {e}", ready.display()))?;
    }
    // Each time: the folder may have been moved.
    write_manifest(&root)?;
    root.canonicalize().map_err(|e| format!("{}: {e}", root.display()))
}

/// Downloads Mesa of the last of `suites`, and what it needs beside `base`, by an apt whose lists, sources
/// and cache lie in a folder of their own.
fn download(folder: &Path, suites: &[&str], base: &Base) -> Result<(), String> {
    let write = || -> std::io::Result<PathBuf> {
        std::fs::create_dir_all(folder.join("lists/partial"))?;
        std::fs::create_dir_all(folder.join("cache/archives/partial"))?;
        std::fs::write(folder.join("nothing"), "")?;
        folder.canonicalize()
    };
    let folder = write().map_err(|e| format!("{}: {e}", folder.display()))?;
    let mirror = mirror()?;
    let keyring = "/usr/share/keyrings/debian-archive-keyring.gpg";
    let signed = match Path::new(keyring).exists() {
        true => format!("[signed-by={keyring}] "),
        false => String::new(),
    };
    let sources: String =
        suites.iter().map(|suite| format!("deb {signed}{mirror} {suite} main\n")).collect();
    let list = folder.join("sources.list");
    std::fs::write(&list, sources).map_err(|e| format!("{}: {e}", list.display()))?;

    let apt = |args: &[&str]| {
        let mut command = Command::new("apt-get");
        let mut option = |name: &str, value: &str| {
            command.arg("-o").arg(format!("{name}={value}"));
        };
        option("Dir::Etc::SourceList", &list.display().to_string());
        option("Dir::Etc::SourceParts", "-");
        option("Dir::State::Lists", &folder.join("lists").display().to_string());
        option("Dir::Cache", &folder.join("cache").display().to_string());
        if matches!(base, Base::Nothing) {
            let nothing = folder.join("nothing").display().to_string();
            option("Dir::State::Status", &nothing);
            option("Dir::State::Extended_States", &nothing);
        }
        // Nothing of the system is written, and the user that root's downloads run as cannot write here.
        option("Debug::NoLocking", "1");
        option("APT::Sandbox::User", "root");
        system::capture(command.args(args).env("LC_ALL", "C")).map(|_| ())
    };
    apt(&["update"])?;
    let suite = suites.last().copied().unwrap_or_default();
    let mut install = vec!["install", "--download-only", "--yes", "--no-install-recommends"];
    install.extend(["-t", suite, "mesa-vulkan-drivers"]);
    if matches!(base, Base::Nothing) {
        install.extend(["libvulkan1", "ocl-icd-libopencl1"]);
    }
    apt(&install)
}

/// Returns where apt gets Debian from on this machine.
fn mirror() -> Result<String, String> {
    let mut command = Command::new("apt-get");
    command.args(["indextargets", "--format", "$(REPO_URI) $(COMPONENT)"]);
    let text = system::capture(&mut command)?;
    let found = chosen_mirror(&text).map(str::to_string);
    found.ok_or_else(|| "apt's sources name no mirror of Debian's main".to_string())
}

/// Returns the first line's address that has `main` and is not the one for security updates.
fn chosen_mirror(targets: &str) -> Option<&str> {
    let mut mirrors = targets.lines().filter_map(|line| line.split_once(' '));
    let chosen = mirrors.find(|(uri, component)| {
        *component == "main" && uri.contains("debian") && !uri.contains("security")
    });
    chosen.map(|(uri, _)| uri)
}

/// Unpacks all packages of a folder into one root.
fn unpack(archives: &Path, root: &Path) -> Result<(), String> {
    let files = std::fs::read_dir(archives).map_err(|e| format!("{}: {e}", archives.display()))?;
    let mut packages: Vec<PathBuf> = files.flatten().map(|file| file.path()).collect();
    packages.retain(|path| path.extension().is_some_and(|e| e == "deb"));
    packages.sort();
    if packages.is_empty() {
        return Err("apt downloaded no packages of Mesa: is a newer one installed?".to_string());
    }
    std::fs::create_dir_all(root).map_err(|e| format!("{}: {e}", root.display()))?;
    for package in packages {
        system::capture(Command::new("dpkg").arg("-x").arg(&package).arg(root))?;
    }
    Ok(())
}

/// libLLVM looks for what it needs in `$ORIGIN/../lib` (and, as that is a DT_RUNPATH, not where the program
/// says): makes that the folder of all libraries.
fn link_for_llvm(root: &Path) -> Result<(), String> {
    let folder = libraries(root);
    let link = folder.with_file_name("lib");
    let name = folder.file_name().unwrap_or_default();
    platform::link(Path::new(name), &link).map_err(|e| format!("{}: {e}", link.display()))
}

fn manifest(root: &Path) -> Result<PathBuf, String> {
    let path = root.join("lavapipe.json");
    path.canonicalize().map_err(|e| format!("{}: {e}", path.display()))
}

/// Returns a manifest for the Vulkan loader with the library's place here.
fn write_manifest(root: &Path) -> Result<(), String> {
    let folder = root.join("usr/share/vulkan/icd.d");
    let files = std::fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let original = files
        .flatten()
        .map(|file| file.path())
        .find(|path| path.file_name().is_some_and(|n| n.to_string_lossy().starts_with("lvp_icd")))
        .ok_or_else(|| format!("no lavapipe in {}", folder.display()))?;
    let read = |path: &Path| std::fs::read_to_string(path);
    let text = read(&original).map_err(|e| format!("{}: {e}", original.display()))?;
    let root = root.canonicalize().map_err(|e| format!("{}: {e}", root.display()))?;
    let library = libraries(&root).join("libvulkan_lvp.so");
    let text = relocated(&text, &library)
        .ok_or_else(|| format!("{} names no library", original.display()))?;
    let path = root.join("lavapipe.json");
    std::fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))
}

/// Returns a driver's manifest with another library path.
fn relocated(manifest: &str, library: &Path) -> Option<String> {
    let (before, rest) = manifest.split_once("\"library_path\"")?;
    let (colon, rest) = rest.split_once('"')?;
    let (_, after) = rest.split_once('"')?;
    Some(format!("{before}\"library_path\"{colon}\"{}\"{after}", library.display()))
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

    #[test]
    fn the_mirror_is_that_of_the_release() {
        let text = "http://a.example/debian-security/ main\nhttp://b.example/debian/ contrib\n\
                    http://b.example/debian/ main\n";
        assert_eq!(chosen_mirror(text), Some("http://b.example/debian/"));
        assert_eq!(chosen_mirror("http://a.example/ubuntu main\n"), None);
    }

    #[test]
    fn a_manifest_names_the_unpacked_library() {
        let text =
            "{ \"ICD\": { \"api_version\": \"1.4.1\",\n \"library_path\": \"/usr/lib/x.so\" } }";
        let expected =
            "{ \"ICD\": { \"api_version\": \"1.4.1\",\n \"library_path\": \"/w/y.so\" } }";
        assert_eq!(relocated(text, Path::new("/w/y.so")).unwrap(), expected);
        assert_eq!(relocated("{}", Path::new("/w/y.so")), None);
    }
}
