//! The conformance files' programs (compiler/tests/conformance), run on devices of several kinds: what
//! the files expect holds whether the emitter emulates or not.
//!
//! `HEKLA_CONFORMANCE=6.3` runs only the files whose name begins so.

#[path = "../../compiler/tests/conformance_support/mod.rs"]
mod conformance_support;
mod support;

use conformance_support::{read_folder, Program};
use hekla_compiler::kernel::Kernel;
use hekla_spirv_interp::{Error, Launch};
use std::path::Path;
use support::Device;

#[test]
fn on_a_capable_device() {
    check(&support::capable(), 700);
}

#[test]
fn on_a_middling_device() {
    check(&support::middling(), 700);
}

#[test]
fn on_a_weak_device() {
    check(&support::weak(), 600);
}

#[test]
fn on_the_weakest_device() {
    check(&support::weakest(), 600);
}

#[test]
fn on_a_device_that_flushes_denormals() {
    check(&support::flushing(), 700);
}

#[test]
fn on_devices_with_a_mix_of_capabilities() {
    support::mixed().iter().for_each(|device| check(device, 600));
}

/// Runs all programs that a device can have, of which there must be at least `least`.
fn check(device: &Device, least: usize) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../compiler/tests/conformance");
    let programs = read_folder(&folder).unwrap_or_else(|error| panic!("{error}"));
    let wanted = std::env::var("HEKLA_CONFORMANCE").unwrap_or_default();
    let offered = [device.target.extensions(), device.target.features()].concat();
    let (mut ran, mut failures) = (0, Vec::new());
    for program in programs.iter().filter(|program| program.place.starts_with(&wanted)) {
        if program.accept && program.runs_with(&offered) {
            ran += 1;
            if let Err(complaint) = run(program, device) {
                failures.push(format!("{}: {}\n    {complaint}", program.place, program.rule));
            }
        }
    }
    let device = device.name;
    let count = failures.len();
    assert!(count == 0, "{count} of {ran} on the {device} device:\n\n{}", failures.join("\n"));
    assert!(ran >= least || !wanted.is_empty(), "only {ran} programs on the {device} device");
}

/// Runs a program and compares what it writes with what the file says.
fn run(program: &Program, device: &Device) -> Result<(), String> {
    let built = support::build(&program.text, &program.options, &device.target)?;
    let kernel = support::kernel(&built, "test")?;
    let subgroups = device.subgroups(kernel);
    let launch = Launch { floats: device.floats, subgroups, ..sizes(program, kernel) };
    let zeros = vec![0; program.expect.len()];
    let got =
        support::run_on_words(&built, kernel, &zeros, launch).map_err(|e: Error| e.to_string())?;
    match got.iter().zip(&program.expect).position(|(got, expected)| got != expected) {
        None => Ok(()),
        Some(i) => Err(format!("out[{i}] is {:#x}, not {:#x}", got[i], program.expect[i])),
    }
}

/// Returns the launch that a file asks for. Where it leaves the local size open, all are one work-group.
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
