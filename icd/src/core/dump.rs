//! `HEKLA_DUMP=DIR`: every kernel's SPIR-V is written to a folder, for validators and the curious.

use hekla_compiler::Program;
use std::path::PathBuf;

/// Writes the modules of a program as `NAME-HASH.spv`.
pub fn modules(program: &Program) {
    let Some(folder) = std::env::var_os("HEKLA_DUMP").map(PathBuf::from) else { return };
    if let Err(error) = std::fs::create_dir_all(&folder) {
        tracing::warn!("HEKLA_DUMP={}: {error}", folder.display());
        return;
    }
    for kernel in &program.kernels {
        let bytes: Vec<u8> = kernel.spirv.iter().flat_map(|word| word.to_le_bytes()).collect();
        // Names are identifiers of any length; file names are not.
        let name: String = kernel.name.chars().take(64).collect();
        let path = folder.join(format!("{name}-{:016x}.spv", super::binary::hash(&bytes)));
        if let Err(error) = std::fs::write(&path, bytes) {
            tracing::warn!("{}: {error}", path.display());
        }
    }
}
