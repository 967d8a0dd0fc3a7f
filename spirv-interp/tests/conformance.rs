//! The conformance files' programs (compiler/tests/conformance), run on devices of several kinds: the results that the files
//! expect do not depend on what the compiler emulates.

mod programs;
mod support;

use programs::Program;
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
fn on_devices_that_compute_doubles_by_integers() {
    support::with_soft_doubles().iter().for_each(|device| check(device, 600));
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

#[test]
fn on_devices_with_matrices() {
    for device in support::with_matrices() {
        let mut programs = programs::of_device(&device);
        programs.retain(|program| program.place.starts_with("cl_khr_cooperative_matrix"));
        assert!(programs.len() >= 10 || !programs::wanted().is_empty());
        for program in programs {
            let done = run(&program, &device);
            assert!(done.is_ok(), "{}: {}\n    {done:?}", program.place, program.rule);
        }
    }
}

/// Runs all programs that can run on a device, of which there must be at least `least`.
fn check(device: &Device, least: usize) {
    let (mut ran, mut failures) = (0, Vec::new());
    for program in programs::of_device(device) {
        ran += 1;
        if let Err(complaint) = run(&program, device) {
            failures.push(format!("{}: {}\n    {complaint}", program.place, program.rule));
        }
    }
    let device = device.name;
    let count = failures.len();
    assert!(count == 0, "{count} of {ran} on the {device} device:\n\n{}", failures.join("\n"));
    let all = programs::wanted().is_empty();
    assert!(ran >= least || !all, "only {ran} programs on the {device} device");
}

fn run(program: &Program, device: &Device) -> Result<(), String> {
    let built = support::build(&program.text, &program.options, &device.target)?;
    programs::run(program, &built, device)
}
