//! The conformance files' programs (compiler/tests/conformance), as tests of the interpreter run them.
//!
//! `HEKLA_CONFORMANCE=6.3` runs only programs of files whose names begin with `6.3`.

#[path = "../../../compiler/tests/conformance_support/mod.rs"]
mod conformance_support;

pub use conformance_support::Program;

use crate::support::{self, Device};
use conformance_support::read_folder;
use hekla_compiler::kernel::Kernel;
use hekla_spirv_interp::Launch;
use std::path::Path;

/// Returns the programs that a device can run.
pub fn of_device(device: &Device) -> Vec<Program> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../compiler/tests/conformance");
    let programs = read_folder(&folder).unwrap_or_else(|error| panic!("{error}"));
    let offered = [device.target.extensions(), device.target.features()].concat();
    let wanted = wanted();
    let can_run = |program: &Program| {
        program.accept && program.place.starts_with(&wanted) && program.runs_with(&offered)
    };
    programs.into_iter().filter(can_run).collect()
}

/// Returns the beginning of the names of the files to run; empty for all files.
pub fn wanted() -> String {
    std::env::var("HEKLA_CONFORMANCE").unwrap_or_default()
}

/// Runs a program and compares the numbers that it writes with the file's.
pub fn run(
    program: &Program,
    built: &hekla_compiler::Program,
    device: &Device,
) -> Result<(), String> {
    let kernel = support::kernel(built, "test")?;
    let subgroups = device.subgroups(kernel);
    let mut launch = Launch { floats: device.floats, subgroups, ..sizes(program, kernel) };
    if device.target.soft_float64 {
        launch.limit *= 10;
    }
    let zeros = vec![0; program.expect.len()];
    let got = support::run_on_words(built, kernel, &zeros, launch);
    let got = got.map_err(|error| error.to_string())?;
    match got.iter().zip(&program.expect).position(|(got, expected)| got != expected) {
        None => Ok(()),
        Some(i) => Err(format!("out[{i}] is {:#x}, not {:#x}", got[i], program.expect[i])),
    }
}

/// Returns the launch that a file asks for. If the file gives no local size, all work-items are one work-group.
fn sizes(program: &Program, kernel: &Kernel) -> Launch {
    let mut launch = Launch { dimensions: program.global.len() as u32, ..Launch::default() };
    launch.global[..program.global.len()].copy_from_slice(&program.global);
    launch.local = match (&program.local, kernel.required_local_size) {
        (Some(local), _) => [0, 1, 2].map(|d| local.get(d).copied().unwrap_or(1)),
        (None, Some(required)) => required,
        (None, None) => launch.global.map(|size| size as u32),
    };
    launch
}
