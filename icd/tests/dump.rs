//! `HEKLA_DUMP`: the folder has the input and the output of a program's build, ready for `heklac`. The test has a
//! binary of its own, since the variable holds for a whole process.
// Nearly every call of the API is unsafe, for the reason that the C specification gives.
#![allow(clippy::undocumented_unsafe_blocks)]

mod common;
use common::*;
use std::ffi::{c_char, CStr};
use std::path::{Path, PathBuf};
use std::ptr::{null, null_mut};

/// Returns the files of a folder with an extension.
fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> =
        entries.filter(|p| p.extension().is_some_and(|e| e == extension)).collect();
    files.sort();
    files
}

fn source(s: &Setup, text: &CStr) -> cl_program {
    let pointer = text.as_ptr();
    made(|e| unsafe { (s.cl.clCreateProgramWithSource)(s.context, 1, &pointer, null(), e) })
}

#[test]
fn programs_are_dumped() {
    let folder = std::env::temp_dir().join(format!("hekla-dump-{}", std::process::id()));
    std::env::set_var("HEKLA_DUMP", &folder);
    let s = Setup::new();

    let text = c"kernel void fill(global int *data) { data[get_global_id(0)] = VALUE; }";
    s.program(text.to_str().unwrap(), "-DVALUE=7");
    let [program] = &files(&folder, "cl")[..] else { panic!("one program") };
    assert_eq!(std::fs::read(program).unwrap(), text.to_bytes());
    assert_eq!(std::fs::read(program.with_extension("options")).unwrap(), b"-DVALUE=7");
    let modules = files(&folder, "spv");
    assert_eq!(modules.len(), 1);
    assert!(modules[0].file_name().unwrap().to_str().unwrap().starts_with("fill-"));

    // A program that does not build is dumped for bug reports. Its headers are dumped too, but none whose name leads
    // out of the folder.
    let broken = source(&s, c"#include \"a/b.h\"\n#include \"../up.h\"\nbroken");
    let headers = [source(&s, c"int b;"), source(&s, c"int up;")];
    let names: [*const c_char; 2] = [c"a/b.h".as_ptr(), c"../up.h".as_ptr()];
    let (list, none) = (headers.as_ptr(), null_mut());
    let code = unsafe {
        (s.cl.clCompileProgram)(
            broken,
            0,
            null(),
            c"-w".as_ptr(),
            2,
            list,
            names.as_ptr(),
            None,
            none,
        )
    };
    assert_eq!(code, CL_COMPILE_PROGRAM_FAILURE);
    let dumped = files(&folder, "cl");
    assert_eq!(dumped.len(), 2);
    let base = dumped.iter().find(|path| *path != program).unwrap().with_extension("");
    assert_eq!(std::fs::read(base.join("a/b.h")).unwrap(), b"int b;");
    assert!(!folder.join("up.h").exists());
    std::fs::remove_dir_all(&folder).unwrap();
}
