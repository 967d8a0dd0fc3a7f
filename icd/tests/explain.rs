//! `heklac --explain` and the log explain why there is a device or none. Each test starts processes, since the
//! environment holds for a process.
// Nearly every call of the API is unsafe, for the reason that the C specification gives.
#![allow(clippy::undocumented_unsafe_blocks)]

mod common;
use common::*;
use std::process::Command;
use std::ptr::{null, null_mut};

/// The output of a process, and whether it found a device.
struct Said {
    found: bool,
    text: String,
}

fn run(command: &mut Command, variables: &[(&str, &str)]) -> Said {
    let output = command.envs(variables.iter().copied()).output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    Said { found: output.status.success(), text: String::from_utf8(text).unwrap() }
}

fn explain(variables: &[(&str, &str)]) -> Said {
    run(Command::new(env!("CARGO_BIN_EXE_heklac")).arg("--explain"), variables)
}

/// Runs this binary again, which enumerates devices with a log.
fn enumerate(variables: &[(&str, &str)]) -> Said {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "role", "--nocapture"]).env("HEKLA_TEST_ROLE", "1");
    run(command.env("HEKLA_LOG", "info"), variables)
}

#[test]
fn role() {
    if std::env::var_os("HEKLA_TEST_ROLE").is_none() {
        return;
    }
    let (cl, mut platform, mut device, mut count) = (cl(), null_mut(), null_mut(), 0);
    unsafe {
        check((cl.clGetPlatformIDs)(1, &mut platform, null_mut()));
        let all = CL_DEVICE_TYPE_ALL;
        let code = (cl.clGetDeviceIDs)(platform, all, 1, &mut device, &mut count);
        assert_eq!((code, count > 0), (CL_SUCCESS, true));
        let mut code = 1;
        let context = (cl.clCreateContext)(null(), 1, &device, None, null_mut(), &mut code);
        if code == CL_SUCCESS {
            (cl.clCreateCommandQueue)(context, device, 0, &mut code);
        }
        // Fails once more: the log has each message once.
        if code != CL_SUCCESS {
            (cl.clCreateContext)(null(), 1, &device, None, null_mut(), &mut code);
        }
        println!("\ncode {code}");
    }
}

#[test]
fn a_device_that_is_offered() {
    let said = explain(&[]);
    assert!(said.found, "{}", said.text);
    assert!(
        said.text.starts_with("[0] ") && said.text.contains("\n    is offered\n"),
        "{}",
        said.text
    );
    assert!(said.text.contains(", Vulkan 1."), "{}", said.text);
    let logged = enumerate(&[]);
    assert!(logged.found && logged.text.contains(" is offered"), "{}", logged.text);
}

#[test]
fn a_request_for_another() {
    let request = [("HEKLA_DEVICE", "voodoo")];
    for said in [explain(&request), enumerate(&request)] {
        assert!(!said.found);
        let reason = "is not offered: HEKLA_DEVICE=voodoo asks for others";
        assert!(said.text.contains(reason), "{}", said.text);
    }
    assert!(explain(&[("HEKLA_DEVICE", "voodoo, 0")]).found);
    assert!(explain(&request).text.contains("Hekla offers no device to OpenCL programs"));
}

/// A device that computes wrong results is found when it is opened, and used only if named.
#[test]
fn a_driver_that_computes_wrong_results() {
    let lines = |said: &Said| said.text.lines().filter(|l| l.contains("long loops early")).count();
    // Without a log there is one line.
    let fault = ("HEKLA_FAULT", "defect");
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "role", "--nocapture"]).env("HEKLA_TEST_ROLE", "1");
    let silent = run(command.env_remove("HEKLA_LOG"), &[fault]);
    assert!(
        silent.text.contains(&format!("\ncode {CL_DEVICE_NOT_AVAILABLE}\n")),
        "{}",
        silent.text
    );
    assert_eq!(lines(&silent), 1, "{}", silent.text);
    assert!(
        silent.text.contains("hekla: ") && silent.text.contains(": install "),
        "{}",
        silent.text
    );
    let logged = enumerate(&[fault]);
    assert_eq!(lines(&logged), 1, "{}", logged.text);
    let named = enumerate(&[fault, ("HEKLA_DEVICE", "0")]);
    assert!(named.text.contains(&format!("\ncode {CL_SUCCESS}\n")), "{}", named.text);
    assert!(named.text.contains("WARN"), "{}", named.text);
}

#[test]
fn no_driver_at_all() {
    let none = [("VK_DRIVER_FILES", "/nowhere.json"), ("VK_ICD_FILENAMES", "/nowhere.json")];
    let said = explain(&none);
    assert!(!said.found);
    let expected = [
        "There is no Vulkan: no Vulkan driver is installed.",
        "VK_DRIVER_FILES lets Vulkan see /nowhere.json alone, which is not there.",
        "apt install mesa-vulkan-drivers",
    ];
    for part in expected {
        assert!(said.text.contains(part), "{part}\n{}", said.text);
    }
    let logged = enumerate(&none);
    assert!(!logged.found);
    assert!(
        logged.text.contains("There is no Vulkan: no Vulkan driver is installed"),
        "{}",
        logged.text
    );
}
