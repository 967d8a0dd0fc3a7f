//! `cargo xtask install`: copies library, compiler, header and manual pages, and makes the library known to the ICD loader.

pub mod files;

use crate::{platform, Outcome};
use files::Places;
use std::path::{Path, PathBuf};

/// Options of the command: where the files go.
#[derive(clap::Args)]
pub struct Request {
    /// The folder that all else is in
    #[arg(long, value_name = "DIR", default_value = platform::PREFIX)]
    prefix: PathBuf,
    /// The folder of the library
    #[arg(long = "libdir", value_name = "DIR")]
    libraries: Option<PathBuf>,
    /// What is put before all paths, as packagers want it; DESTDIR in the environment is the same
    #[arg(long, value_name = "DIR")]
    destdir: Option<PathBuf>,
}

/// Builds the files of the installation, and copies them.
pub fn run(request: Request) -> Outcome {
    let request = request.absolute()?;
    let places = Places::new(&request.prefix, request.libraries.as_deref());
    let all = places.files(&files::build()?);
    let from_environment = || std::env::var_os("DESTDIR").map(PathBuf::from);
    let destination = request.destdir.or_else(from_environment).unwrap_or_default();
    for path in files::write(&all, &destination)? {
        println!("installed {}", path.display());
    }
    if destination.as_os_str().is_empty() {
        platform::register(&places.library())?;
    }
    if platform::HAS_ICD_FILES && request.prefix != Path::new(platform::PREFIX) {
        println!("to use it: export OCL_ICD_VENDORS={}", places.vendors.display());
    }
    Ok(())
}

impl Request {
    /// Makes the folders absolute: the library's path is written into a file.
    fn absolute(self) -> Result<Request, String> {
        let absolute = |folder: PathBuf| std::path::absolute(folder).map_err(|e| e.to_string());
        Ok(Request {
            prefix: absolute(self.prefix)?,
            libraries: self.libraries.map(absolute).transpose()?,
            ..self
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        request: Request,
    }

    #[test]
    fn folders_are_given_in_two_forms() {
        let words = ["install", "--prefix", "/opt", "--libdir=/opt/lib64", "--destdir=/tmp/root"];
        let request = Line::try_parse_from(words).unwrap().request.absolute().unwrap();
        assert_eq!(request.prefix, Path::new("/opt"));
        assert_eq!(request.libraries.as_deref(), Some(Path::new("/opt/lib64")));
        assert_eq!(request.destdir.as_deref(), Some(Path::new("/tmp/root")));
    }
}
