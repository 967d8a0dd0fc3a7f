//! The symbols of the library: a program may link it in the place of an ICD loader.

use hekla::api::dispatch_table::{self, NAMES};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// Returns the functions of OpenCL that a shared object exports.
fn exported(object: &Path) -> BTreeSet<String> {
    let mut nm = Command::new("nm");
    let output = nm.args(["-D", "--defined-only", "--format=posix"]).arg(object).output().unwrap();
    assert!(output.status.success(), "nm {}: {:?}", object.display(), output);
    let text = String::from_utf8(output.stdout).unwrap();
    // A line is NAME@VERSION TYPE ADDRESS SIZE.
    let names = text.lines().filter_map(|line| line.split([' ', '@']).next());
    names.filter(|name| name.starts_with("cl")).map(str::to_string).collect()
}

fn ours() -> BTreeSet<String> {
    exported(&std::env::current_exe().unwrap().with_file_name("libhekla.so"))
}

fn missing<'a>(wanted: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let ours = ours();
    wanted.into_iter().filter(|name| !ours.contains(*name)).collect()
}

/// Debian's loader exports all of these functions, too; Khronos' loader exports fewer than the table has.
#[test]
fn all_functions_of_the_loaders_table_are_exported() {
    let elsewhere = ["D3D10", "D3D11", "DX9"];
    let here = NAMES.iter().filter(|name| !elsewhere.iter().any(|api| name.contains(api)));
    assert_eq!(missing(here.copied()), [""; 0]);
    assert_eq!(missing(dispatch_table::extension_names()), [""; 0]);
}

#[test]
fn all_functions_that_the_installed_loader_exports_are() {
    let folders =
        ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib"];
    let loaders = folders.map(|folder| Path::new(folder).join("libOpenCL.so.1"));
    let loader = loaders.iter().find(|loader| loader.exists()).expect("an ICD loader");
    let theirs = exported(loader);
    assert!(theirs.contains("clFinish"), "{theirs:?}");
    assert_eq!(missing(theirs.iter().map(String::as_str)), [""; 0]);
}
