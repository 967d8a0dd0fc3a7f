//! `HEKLA_DUMP=DIR`: every program's text or module and options and every kernel's SPIR-V are written to a
//! folder, for validators and bug reports.

use crate::config;
use hekla_compiler::{Program, Source};
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

fn write(path: &Path, bytes: &[u8]) {
    if let Err(error) = std::fs::write(path, bytes) {
        tracing::warn!("{}: {error}", path.display());
    }
}

/// Writes the input of a compilation before it starts: the text as `program-HASH.cl`, the build
/// options as `program-HASH.options`, and headers of clCompileProgram to the folder `program-HASH`,
/// so that `-I` of it finds them.
pub fn source(source: &Source, options: &str) {
    let Some(folder) = folder() else { return };
    let both = [source.text.as_bytes(), &[0], options.as_bytes()].concat();
    let base = folder.join(format!("program-{:016x}", crate::core::cache::digest::hash(&both)));
    write(&base.with_extension("cl"), source.text.as_bytes());
    write(&base.with_extension("options"), options.as_bytes());
    for (name, text) in &source.headers {
        let name = Path::new(name);
        // The name of a header must not lead out of the folder.
        if name.components().all(|part| matches!(part, Component::Normal(_))) {
            let path = base.join(name);
            let _ = path.parent().map(std::fs::create_dir_all);
            write(&path, text.as_bytes());
        }
    }
}

/// Writes a module of clCreateProgramWithIL before it is compiled, as `program-HASH.il`, and the build options.
pub fn il(bytes: &[u8], options: &str) {
    let Some(folder) = folder() else { return };
    let both = [bytes, options.as_bytes()].concat();
    let base = folder.join(format!("program-{:016x}", crate::core::cache::digest::hash(&both)));
    write(&base.with_extension("il"), bytes);
    write(&base.with_extension("options"), options.as_bytes());
}

/// Writes the modules of a program as `NAME-HASH.spv`.
pub fn modules(program: &Program) {
    let Some(folder) = folder() else { return };
    for kernel in &program.kernels {
        let bytes: Vec<u8> = kernel.spirv.iter().flat_map(|word| word.to_le_bytes()).collect();
        // Names are identifiers of any length; file names are not.
        let name: String = kernel.name.chars().take(64).collect();
        write(
            &folder.join(format!("{name}-{:016x}.spv", crate::core::cache::digest::hash(&bytes))),
            &bytes,
        );
    }
}
