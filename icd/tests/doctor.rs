//! `heklac --doctor`: a line for each part of the machine that OpenCL programs need, and what to do about faults.

use std::path::PathBuf;
use std::process::Command;

/// The output of a run, and whether it found no fault.
struct Said {
    fine: bool,
    text: String,
}

impl Said {
    /// Returns the lines about a subject: the first word after the mark, or the first two.
    fn lines(&self, mark: &str, subject: &str) -> Vec<&str> {
        let begins = |line: &&str| {
            line.strip_prefix(mark).is_some_and(|rest| rest.trim_start().starts_with(subject))
        };
        self.text.lines().filter(begins).collect()
    }

    #[track_caller]
    fn has(&self, mark: &str, subject: &str, what: &str) {
        let lines = self.lines(mark, subject);
        let found = lines.iter().any(|line| line.contains(what));
        assert!(found, "no line '{mark} {subject} ... {what}' in\n{}", self.text);
    }
}

/// libhekla.so beside the test binaries, where `cargo test` builds it.
fn library() -> PathBuf {
    std::env::current_exe().unwrap().with_file_name("libhekla.so")
}

/// Makes a folder with these `.icd` files.
fn vendors(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("hekla-doctor-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    for (file, text) in files {
        std::fs::write(folder.join(file), text).unwrap();
    }
    folder
}

fn doctor(vendors: &PathBuf, variables: &[(&str, &str)]) -> Said {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heklac"));
    command.arg("--doctor").env("OCL_ICD_VENDORS", vendors).env_remove("OCL_ICD_FILENAMES");
    command.env_remove("HEKLA_LOG").env_remove("HEKLA_CACHE").env("XDG_CACHE_HOME", vendors);
    let output = command.envs(variables.iter().copied()).output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    Said { fine: output.status.success(), text: String::from_utf8(text).unwrap() }
}

#[test]
fn a_machine_without_faults() {
    let icd = library().display().to_string();
    let folder = vendors("good", &[("hekla.icd", &icd), ("other.icd", "libOther.so")]);
    let said = doctor(&folder, &[]);
    std::fs::remove_dir_all(&folder).unwrap();
    said.has("ok", "icd", &icd);
    said.has("ok", "loader", "Hekla (");
    said.has("ok", "memory", "available");
    said.has("ok", "cache", "entries");
    said.has("ok", "device 0", "is offered");
    said.has("ok", "device 0", "Vulkan 1.");
    said.has("ok", "kernel 0", "right results");
    said.has("ok", "kernel 0", "GB/s");
    assert!(said.lines("FAULT", "").iter().all(|line| line.contains("/dev/dri")), "{}", said.text);
}

#[test]
fn no_vulkan_driver() {
    let folder = vendors("no-vulkan", &[("hekla.icd", &library().display().to_string())]);
    let none = [("VK_DRIVER_FILES", "/nowhere.json"), ("VK_ICD_FILENAMES", "/nowhere.json")];
    let said = doctor(&folder, &none);
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(!said.fine);
    said.has(
        "FAULT",
        "vulkan",
        "VK_DRIVER_FILES names /nowhere.json, which is not there: unset it",
    );
    said.has("FAULT", "vulkan", "apt install mesa-vulkan-drivers");
    // Without a device no kernel runs.
    assert!(said.lines("ok", "kernel").is_empty(), "{}", said.text);
}

#[test]
fn no_icd_file() {
    let folder = vendors("no-icd", &[]);
    let said = doctor(&folder, &[]);
    assert!(!said.fine);
    said.has("FAULT", "icd", "set OCL_ICD_VENDORS to a folder with a hekla.icd");
    said.has("FAULT", "loader", "not Hekla");
    // The kernel gives right results nevertheless.
    said.has("ok", "kernel 0", "right results");
    std::fs::write(folder.join("hekla.icd"), "/nowhere/libhekla.so\n").unwrap();
    let said = doctor(&folder, &[("HEKLA_CACHE", "0")]);
    std::fs::remove_dir_all(&folder).unwrap();
    said.has("FAULT", "icd", "names /nowhere/libhekla.so, which is not there");
    said.has("note", "cache", "HEKLA_CACHE=0");
}

#[test]
fn a_cache_that_cannot_be_written() {
    let folder = vendors("cache", &[("hekla.icd", &library().display().to_string())]);
    // A file in the place of the cache's folder: not even root can write below it.
    std::fs::write(folder.join("hekla"), "").unwrap();
    let said = doctor(&folder, &[]);
    std::fs::remove_dir_all(&folder).unwrap();
    said.has("note", "cache", "make it writable");
}
