//! `HEKLA_DUMP=DIR`: every program's text or module and options and every kernel's SPIR-V are written to a
//! folder, for validators and bug reports.

use crate::config;
use crate::core::cache::digest::hash;
use hekla_compiler::{Program, Source};
use std::fs::File;
use std::io::{ErrorKind, Write};
use std::path::{Component, Path, PathBuf};

/// Returns the folder, created if necessary; `None` without `HEKLA_DUMP`.
fn folder() -> Option<PathBuf> {
    let folder = config::dump_folder()?;
    match std::fs::create_dir_all(&folder) {
        Ok(()) => Some(folder),
        Err(error) => {
            tracing::warn!("HEKLA_DUMP={}: {error}", folder.display());
            None
        }
    }
}

/// Writes a file unless it exists. The name contains a digest of the content, so an existing file has the same content.
fn write(path: &Path, bytes: &[u8]) {
    let made = File::create_new(path);
    let written = made.and_then(|mut file| {
        file.write_all(bytes).inspect_err(|_| {
            // A partly written file must not remain in the place of a whole one.
            let _ = std::fs::remove_file(path);
        })
    });
    match written {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => {
            tracing::warn!("{}: {error}", path.display());
        }
        _ => {}
    }
}

/// Makes a folder and, in it, the nested folders of a header's name. Fails if one of them is a link.
fn make_folders(base: &Path, name: &Path) -> std::io::Result<()> {
    let make = |folder: &Path| match std::fs::create_dir(folder) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(error),
        _ if std::fs::symlink_metadata(folder)?.is_dir() => Ok(()),
        _ => Err(ErrorKind::NotADirectory.into()),
    };
    make(base)?;
    let mut folder = base.to_path_buf();
    for part in name.parent().into_iter().flat_map(Path::components) {
        folder.push(part);
        make(&folder)?;
    }
    Ok(())
}

/// Waits while a test stops the compilation: in debug builds, as long as the file `program-HASH.hold` exists in the folder.
fn wait_while_held(base: &Path) {
    while cfg!(debug_assertions) && base.with_extension("hold").exists() {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
}

/// Writes the input of a compilation before it starts: the text as `program-HASH.cl`, the build
/// options as `program-HASH.options`, and headers of clCompileProgram to the folder `program-HASH`,
/// so that `-I` of it finds them.
pub fn source(source: &Source, options: &str) {
    let Some(folder) = folder() else { return };
    let headers = source.headers.iter().flat_map(|(name, text)| [name.as_str(), text.as_str()]);
    let parts: Vec<&str> = [source.text.as_str(), options].into_iter().chain(headers).collect();
    let base = folder.join(format!("program-{:016x}", hash(parts.join("\0").as_bytes())));
    wait_while_held(&base);
    write(&base.with_extension("cl"), source.text.as_bytes());
    write(&base.with_extension("options"), options.as_bytes());
    for (name, text) in &source.headers {
        let name = Path::new(name);
        // The name of a header must not lead out of the folder.
        if name.components().all(|part| matches!(part, Component::Normal(_))) {
            match make_folders(&base, name) {
                Ok(()) => write(&base.join(name), text.as_bytes()),
                Err(error) => tracing::warn!("{}: {error}", base.display()),
            }
        }
    }
}

/// Writes a module of clCreateProgramWithIL before it is compiled, as `program-HASH.il`, and the build options.
pub fn il(bytes: &[u8], options: &str) {
    let Some(folder) = folder() else { return };
    let both = [bytes, options.as_bytes()].concat();
    let base = folder.join(format!("program-{:016x}", hash(&both)));
    write(&base.with_extension("il"), bytes);
    write(&base.with_extension("options"), options.as_bytes());
}

/// Writes the modules of a program as `NAME-HASH.spv`.
pub fn modules(program: &Program) {
    let Some(folder) = folder() else { return };
    for kernel in &program.kernels {
        let bytes: Vec<u8> = kernel.spirv.iter().flat_map(|word| word.to_le_bytes()).collect();
        // Names of kernels may have any length, names of files may not.
        let name: String = kernel.name.chars().take(64).collect();
        write(&folder.join(format!("{name}-{:016x}.spv", hash(&bytes))), &bytes);
    }
}
