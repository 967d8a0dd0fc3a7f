//! Programs with more rights than their user ignore the user's environment. Root's setuid program is run by another
//! user, so root alone can run these tests; CI is root.
#![cfg(target_os = "linux")]
// Nearly every call of the API is unsafe, for the reason that the C specification gives.
#![allow(clippy::undocumented_unsafe_blocks)]

mod common;
use common::*;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The user id of `nobody`.
const NOBODY: u32 = 65534;
const KEPT: &str = "root's own";

/// The work of the setuid program: it uses a device, if it finds one. The functions are linked in, so that the loader's
/// own variables do not matter.
#[test]
#[ignore = "runs in a process of its own"]
fn role() {
    std::env::set_var("HEKLA_TEST_LINKED", "1");
    let cl = cl();
    let (mut platform, mut device, mut count) = (std::ptr::null_mut(), std::ptr::null_mut(), 0);
    let found = unsafe {
        check((cl.clGetPlatformIDs)(1, &mut platform, &mut count));
        (cl.clGetDeviceIDs)(platform, CL_DEVICE_TYPE_ALL, 1, &mut device, &mut count)
    };
    println!("\nwho: {} found: {}", unsafe { libc::geteuid() }, found == CL_SUCCESS);
    if found == CL_SUCCESS {
        let s = Setup::new();
        let program = s.program("kernel void k(global int *p) { p[0] = 1; }", "");
        s.kernel(program, "k");
    }
}

/// A folder of files that only root may change, and one where everybody may create files.
struct Place {
    folder: PathBuf,
}

impl Place {
    fn new(name: &str) -> Place {
        let folder = std::env::temp_dir().join(format!("hekla-{name}-{}", std::process::id()));
        std::fs::create_dir(&folder).unwrap();
        for part in ["root", "all"] {
            std::fs::create_dir(folder.join(part)).unwrap();
        }
        let allow = |path: &Path, mode| {
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
        };
        allow(&folder, 0o755);
        allow(&folder.join("root"), 0o700);
        allow(&folder.join("all"), 0o777);
        for file in ["trace", "log"] {
            std::fs::write(folder.join("root").join(file), KEPT).unwrap();
        }
        Place { folder }
    }

    /// Returns a copy of this program that is run with its owner's rights if `setuid`.
    fn program(&self, setuid: bool) -> PathBuf {
        let copy = self.folder.join(if setuid { "setuid" } else { "plain" });
        std::fs::copy(std::env::current_exe().unwrap(), &copy).unwrap();
        let mode = if setuid { 0o4755 } else { 0o755 };
        std::fs::set_permissions(&copy, std::fs::Permissions::from_mode(mode)).unwrap();
        copy
    }

    /// Runs a program as the user `nobody` with every variable that names a place. Returns its output.
    fn run(&self, program: &Path, of: &str) -> String {
        let at = |name: &str| self.folder.join(of).join(name);
        let mut command = Command::new(program);
        command
            .args(["--exact", "role", "--ignored", "--nocapture", "--test-threads=1"])
            .env("HEKLA_TRACE", at("trace"))
            .env("HEKLA_LOG", "trace")
            .env("HEKLA_LOG_FILE", at("log"))
            .env("HEKLA_DUMP", at("dump"))
            .env("HEKLA_CACHE", "1")
            .env("XDG_CACHE_HOME", at("cache"))
            .env("HOME", at("home"))
            .current_dir(&self.folder)
            .uid(NOBODY)
            .gid(NOBODY);
        let output = command.output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{}\n{text}\n{said}", output.status);
        assert!(!said.contains("hekla: TRACE"), "it logs: {said}");
        text
    }

    /// Returns the names in one of the folders.
    fn names(&self, of: &str) -> Vec<String> {
        let files = std::fs::read_dir(self.folder.join(of)).unwrap();
        let mut names: Vec<String> =
            files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

#[test]
fn a_setuid_program_obeys_nobody() {
    if unsafe { libc::geteuid() } != 0 {
        skip("only root can make a setuid program of root's");
        return;
    }
    let place = Place::new("setuid");
    // The same program without the setuid bit writes all of these files: this shows that the test can fail.
    let said = place.run(&place.program(false), "all");
    assert!(said.contains(&format!("who: {NOBODY}")), "{said}");
    let names = place.names("all");
    assert!(names.contains(&"trace".into()) && names.contains(&"log".into()), "{names:?}");

    let said = place.run(&place.program(true), "root");
    assert!(said.contains("who: 0"), "the bit does not count here: {said}");
    assert_eq!(place.names("root"), ["log", "trace"]);
    for file in ["trace", "log"] {
        let text = std::fs::read_to_string(place.folder.join("root").join(file)).unwrap();
        assert_eq!(text, KEPT, "{file}");
    }
}
