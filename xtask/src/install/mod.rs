//! `cargo xtask install`: copies library, compiler, header and manual pages, and tells the ICD loader of the library.

pub mod files;

use crate::{platform, Outcome};
use files::Places;
use std::path::{Path, PathBuf};

const USAGE: &str = "usage: cargo xtask install [--prefix DIR] [--libdir DIR] [--destdir DIR]";

/// `--destdir`, or DESTDIR in the environment, is put before all paths, as packagers want it.
pub fn run(args: &[String]) -> Outcome {
    let request = parse(args)?;
    let places = Places::new(&request.prefix, request.libraries.as_deref());
    let all = places.files(&files::build()?);
    for path in files::write(&all, &request.destination)? {
        println!("installed {}", path.display());
    }
    if request.destination.as_os_str().is_empty() {
        platform::register(&places.library())?;
    }
    if platform::HAS_ICD_FILES && request.prefix != Path::new(platform::PREFIX) {
        println!("to use it: export OCL_ICD_VENDORS={}", places.vendors.display());
    }
    Ok(())
}

struct Request {
    prefix: PathBuf,
    libraries: Option<PathBuf>,
    destination: PathBuf,
}

fn parse(args: &[String]) -> Result<Request, String> {
    let mut request = Request {
        prefix: PathBuf::from(platform::PREFIX),
        libraries: None,
        destination: std::env::var_os("DESTDIR").map(PathBuf::from).unwrap_or_default(),
    };
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        let (flag, value) = match arg.split_once('=') {
            Some((flag, value)) => (flag, Some(value.to_string())),
            None => (arg.as_str(), rest.next().cloned()),
        };
        let folder = value.map(PathBuf::from).ok_or(USAGE)?;
        match flag {
            "--prefix" => request.prefix = folder,
            "--libdir" => request.libraries = Some(folder),
            "--destdir" => request.destination = folder,
            _ => return Err(USAGE.to_string()),
        }
    }
    let absolute = |folder: &PathBuf| std::path::absolute(folder).map_err(|e| e.to_string());
    request.prefix = absolute(&request.prefix)?;
    request.libraries = request.libraries.as_ref().map(absolute).transpose()?;
    Ok(request)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_given_in_two_forms() {
        let of = |args: &[&str]| parse(&args.iter().map(|arg| arg.to_string()).collect::<Vec<_>>());
        let request = of(&["--prefix", "/opt", "--libdir=/opt/lib64", "--destdir=/tmp/root"]);
        let request = request.unwrap();
        assert_eq!(request.prefix, Path::new("/opt"));
        assert_eq!(request.libraries.as_deref(), Some(Path::new("/opt/lib64")));
        assert_eq!(request.destination, Path::new("/tmp/root"));
        assert!(of(&["--prefix"]).is_err() && of(&["--what", "x"]).is_err());
    }
}
