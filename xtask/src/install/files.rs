//! The files of an installation and their places: one list for `install` and for all packages.

use crate::{artifact, platform, system};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folders of an installation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    /// The folder that contains `bin`, `include` and `share`.
    pub prefix: PathBuf,
    /// The folder of libraries.
    pub libraries: PathBuf,
    /// The folder in which the ICD loader looks for `.icd` files.
    pub vendors: PathBuf,
}

/// The content of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// The text of a file in the source tree.
    Of(PathBuf),
    /// A program or library of the build, without its debug information.
    Stripped(PathBuf),
    Text(String),
    /// A symbolic link.
    Link(PathBuf),
}

/// A file of an installation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    pub path: PathBuf,
    pub content: Content,
    pub is_program: bool,
}

impl Places {
    /// Returns the folders below a prefix. Under /usr `.icd` files go to the loader's own folder; under another prefix
    /// they go to PREFIX/etc/OpenCL/vendors, for OCL_ICD_VENDORS.
    pub fn new(prefix: &Path, libraries: Option<&Path>) -> Places {
        let vendors = match prefix == Path::new("/usr") {
            true => PathBuf::from("/etc/OpenCL/vendors"),
            false => prefix.join("etc/OpenCL/vendors"),
        };
        let libraries =
            libraries.map_or_else(|| prefix.join(library_folder(prefix)), PathBuf::from);
        Places { prefix: prefix.to_path_buf(), libraries, vendors }
    }

    /// Returns the library's path.
    pub fn library(&self) -> PathBuf {
        match platform::HAS_ICD_FILES {
            true => self.libraries.join("hekla").join(platform::LIBRARY),
            false => self.prefix.join("bin").join(platform::LIBRARY),
        }
    }

    /// Returns all files, with their paths after the installation; `library` is the library that was built.
    ///
    /// The library has a folder of its own, since it has no version in its name; the link beside it is for programs
    /// that link to it directly.
    pub fn files(&self, library: &Path) -> Vec<File> {
        let plain = |path: PathBuf, content| File { path, content, is_program: false };
        let source = |name: &str| Content::Of(system::root().join(name));
        let man = self.prefix.join("share/man");
        let built = Content::Stripped(library.to_path_buf());
        let header = plain(self.prefix.join("include/hekla.h"), source("include/hekla.h"));
        let compiler = File {
            path: self.prefix.join("bin").join(platform::COMPILER),
            content: Content::Stripped(library.with_file_name(platform::COMPILER)),
            is_program: true,
        };
        if !platform::HAS_ICD_FILES {
            return vec![plain(self.library(), built), compiler, header];
        }
        let icd = Content::Text(format!("{}\n", self.library().display()));
        let link = Path::new("hekla").join(platform::LIBRARY);
        vec![
            plain(self.library(), built),
            plain(self.libraries.join(platform::LIBRARY), Content::Link(link)),
            plain(self.vendors.join("hekla.icd"), icd),
            compiler,
            header,
            plain(man.join("man1/heklac.1"), source("docs/man/heklac.1")),
            plain(man.join("man7/hekla.7"), source("docs/man/hekla.7")),
        ]
    }
}

/// Returns the folder of libraries below a prefix: `lib/x86_64-linux-gnu` on Debian, `lib64` on Fedora and its kin,
/// else `lib`. Under prefixes other than /usr it is always `lib`.
fn library_folder(prefix: &Path) -> PathBuf {
    let multiarch = PathBuf::from(format!("lib/{}", multiarch()));
    let is_there = |folder: &Path| prefix.join(folder).is_dir();
    if prefix != Path::new("/usr") {
        "lib".into()
    } else if is_there(&multiarch) {
        multiarch
    } else if is_there(Path::new("lib64")) {
        "lib64".into()
    } else {
        "lib".into()
    }
}

/// Returns Debian's name of this machine's architecture in paths, like `x86_64-linux-gnu`.
pub fn multiarch() -> String {
    format!("{}-linux-gnu", std::env::consts::ARCH)
}

/// Builds library and compiler, and returns the path of the library; the compiler is beside it.
pub fn build() -> Result<PathBuf, String> {
    artifact::build()
}

/// Writes files below a folder (`DESTDIR`): empty or `/` for the machine itself. A running program keeps the old file
/// if its file is replaced.
pub fn write(files: &[File], below: &Path) -> Result<Vec<PathBuf>, String> {
    files.iter().map(|file| write_one(file, below)).collect()
}

fn write_one(file: &File, below: &Path) -> Result<PathBuf, String> {
    let relative = file.path.strip_prefix("/").unwrap_or(&file.path);
    let path = match below.as_os_str().is_empty() {
        true => file.path.clone(),
        false => below.join(relative),
    };
    let fresh = path.with_extension("new");
    let write = || -> std::io::Result<()> {
        std::fs::create_dir_all(path.parent().unwrap_or(Path::new("/")))?;
        let _ = std::fs::remove_file(&fresh);
        match &file.content {
            Content::Of(source) | Content::Stripped(source) => {
                std::fs::copy(source, &fresh)?;
            }
            Content::Text(text) => std::fs::write(&fresh, text)?,
            Content::Link(to) => platform::link(to, &fresh)?,
        }
        Ok(())
    };
    let failed = |e: std::io::Error| format!("cannot write {}: {e}", path.display());
    write().map_err(failed)?;
    // On Windows debug information is in files of its own.
    if platform::HAS_ICD_FILES && matches!(file.content, Content::Stripped(_)) {
        system::run(Command::new("strip").arg("--strip-unneeded").arg(&fresh))?;
    }
    if !matches!(file.content, Content::Link(_)) {
        platform::set_executable(&fresh, file.is_program).map_err(failed)?;
    }
    std::fs::rename(&fresh, &path).map_err(failed)?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_icd_file_names_the_library_where_it_will_be() {
        let places = Places::new(Path::new("/opt/hekla"), Some(Path::new("/opt/hekla/lib64")));
        let files = places.files(Path::new("target/release/libhekla.so"));
        let icd = files.iter().find(|file| file.path.ends_with("hekla.icd")).unwrap();
        assert_eq!(icd.path, Path::new("/opt/hekla/etc/OpenCL/vendors/hekla.icd"));
        assert_eq!(icd.content, Content::Text("/opt/hekla/lib64/hekla/libhekla.so\n".to_string()));
        assert_eq!(Places::new(Path::new("/usr"), None).vendors, Path::new("/etc/OpenCL/vendors"));
        assert_eq!(Places::new(Path::new("/opt"), None).libraries, Path::new("/opt/lib"));
    }
}
