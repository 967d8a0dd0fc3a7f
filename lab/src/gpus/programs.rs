//! The programs that are compiled: kernels that are also hand-written shaders here, the compiler's conformance
//! programs, and the corpus of real programs.

#[path = "../../../compiler/tests/conformance_support/mod.rs"]
mod conformance_support;

use crate::system::{self, root};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A program in OpenCL C, or a module of SPIR-V.
#[derive(Debug, Clone)]
pub struct Program {
    pub name: String,
    pub file: PathBuf,
    /// Build options, one per element.
    pub options: Vec<String>,
    /// True if some devices cannot support the program.
    pub optional: bool,
}

/// The kernels.
pub const KERNELS: [&str; 14] = [
    "memcpy4",
    "stencil",
    "sgemm",
    "nbody",
    "reduction",
    "histogram",
    "blackscholes",
    "sha256",
    "lattice",
    "convolution",
    "kmeans",
    "chacha",
    "philox",
    "bodies",
];

/// Returns the folder of the kernels.
pub fn kernel_folder() -> PathBuf {
    root().join("lab/src/gpus/kernels")
}

/// Returns the kernels.
pub fn kernels() -> Vec<Program> {
    let kernel = |name: &&str| Program {
        name: name.to_string(),
        file: kernel_folder().join(format!("{name}.cl")),
        options: Vec::new(),
        optional: false,
    };
    KERNELS.iter().map(kernel).collect()
}

/// Writes the conformance programs that compile into a folder, and returns them.
pub fn conformance(folder: &Path) -> Result<Vec<Program>, String> {
    system::make_folder(folder)?;
    let all = conformance_support::read_folder(&root().join("compiler/tests/conformance"))?;
    let valid = all.iter().filter(|program| program.accept && program.invalid.is_none());
    let write = |program: &conformance_support::Program| {
        let file = folder.join(format!("{}.cl", program.place.replace(['.', ':'], "-")));
        system::write_file(&file, &program.text)?;
        Ok(Program {
            name: program.place.clone(),
            file,
            options: program.options.split_whitespace().map(str::to_string).collect(),
            optional: !program.requires.is_empty(),
        })
    };
    valid.map(write).collect()
}

/// Writes the programs of the corpus whose names contain one of some texts into a folder, and returns them.
pub fn corpus(folder: &Path, names: &[String]) -> Result<Vec<Program>, String> {
    system::make_folder(folder)?;
    let corpus = crate::corpus::fetched()?;
    let mut list = crate::corpus::example();
    list.arg(&corpus).arg("--list").arg(folder);
    let text = system::capture(&mut list)?;
    let program = |line: &str| {
        let mut fields = line.split('\t');
        let (name, file) = (fields.next()?.to_string(), PathBuf::from(fields.next()?));
        let options = fields.map(str::to_string).collect();
        Some(Program { name, file, options, optional: true })
    };
    let wanted = |program: &Program| names.iter().any(|text| program.name.contains(text));
    Ok(text.lines().filter_map(program).filter(wanted).collect())
}

/// Compiles a hand-written shader: `KERNEL.comp` or `KERNEL_bda.comp`.
pub fn shader(name: &str, output: &Path) -> Result<(), String> {
    let source = kernel_folder().join(name);
    let mut command = Command::new("glslangValidator");
    command.args(["-V", "--target-env", "vulkan1.3", "-o"]).arg(output).arg(source);
    system::capture(&mut command).map(|_| ())
}
