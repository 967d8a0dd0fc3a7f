//! Programs that are compiled with checks (`HEKLA_CHECK`): their IR is valid after each pass, and spirv-val accepts their
//! modules, for capable and for weak devices. Programs without checks contain nothing of them.

mod conformance_support;

use conformance_support::read_folder;
use hekla_compiler::checks::{Checks, Description};
use hekla_compiler::kernel::Field;
use hekla_compiler::{
    compile, compile_linked, compile_to_linked, Options, Program, Source, Target,
};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// One in `SAMPLE` programs of the conformance files is compiled, and spirv-val validates one in `VALIDATED` of these.
const SAMPLE: usize = 7;
const VALIDATED: usize = 9;

fn source(text: &str) -> Source {
    Source { name: "a.cl".into(), text: text.into(), headers: Vec::new() }
}

fn checked(target: Target) -> Target {
    Target { checks: Checks::all(), ..target }
}

fn build(text: &str, target: &Target) -> Program {
    let compiled = compile(&source(text), &Options::default(), target);
    compiled.program.unwrap_or_else(|| panic!("{}", compiled.log))
}

fn validate(words: &[u32]) {
    let args = ["--target-env", "vulkan1.2", "--scalar-block-layout", "-"];
    let mut command = Command::new("spirv-val");
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("spirv-val (package spirv-tools)");
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    child.stdin.take().unwrap().write_all(&bytes).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

/// Returns the descriptions of checks that a program's data contains.
fn descriptions(program: &Program) -> Vec<Description> {
    let data = &program.data.bytes;
    let pieces = data.split_inclusive(|&byte| byte == 0);
    pieces.filter_map(Description::decode).filter(|found| !found.places.is_empty()).collect()
}

#[test]
fn a_copy_of_a_vector_whose_load_is_checked_is_valid() {
    let text = "kernel void f(global uint *out, int i) {
        ushort a[40];
        vstore16((ushort16)(1), 1, a);
        ushort16 v = vload16(i, a);
        ushort16 w = v;
        out[0] = w.s3 + ((ushort *)&v)[i];
    }";
    for target in [Target::generic(), Target::minimal()] {
        for kernel in build(text, &checked(target)).kernels {
            validate(&kernel.spirv);
        }
    }
}

#[test]
fn checked_programs_are_valid() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance");
    let programs = read_folder(&folder).unwrap_or_else(|error| panic!("{error}"));
    let devices = [checked(Target::generic()), checked(Target::minimal())];
    let mut count = 0;
    for program in programs.iter().filter(|program| program.accept).step_by(SAMPLE) {
        for target in &devices {
            let offered = [target.extensions(), target.features()].concat();
            let Ok(options) = Options::parse(&program.options) else { continue };
            if !program.runs_with(&offered) {
                continue;
            }
            let compiled = compile(&source(&program.text), &options, target);
            let place = &program.place;
            let kernels = compiled.program.unwrap_or_else(|| panic!("{place}: {}", compiled.log));
            count += 1;
            if count % VALIDATED == 0 {
                kernels.kernels.iter().for_each(|kernel| validate(&kernel.spirv));
            }
        }
    }
    assert!(count > 100, "{count}");
}

const PROGRAM: &str = "\
kernel void k(global int *a, int n) {
    int p[4], x;
    p[n & 3] = a[n] / n;
    if (n > 2)
        x = 3;
    a[0] = p[n] + x;
    barrier(CLK_LOCAL_MEM_FENCE);
}
";

#[test]
fn places_are_described_by_kind() {
    let actions = |checks: Checks| -> Vec<(u32, String)> {
        let program = build(PROGRAM, &Target { checks, ..Target::generic() });
        let mut found: Vec<(u32, String)> = descriptions(&program)
            .into_iter()
            .map(|found| (found.places[0].line, format!("{} {}", found.action, found.object)))
            .collect();
        found.sort();
        found.dedup();
        found
    };
    let named = |lines: &[(u32, &str)]| -> Vec<(u32, String)> {
        lines.iter().map(|&(line, text)| (line, text.to_string())).collect()
    };
    let none = Target::generic();
    assert_eq!(descriptions(&build(PROGRAM, &none)), []);
    let load = "load of 4 bytes argument 'a'";
    // The list may also have a check of the masked index: the compiler need not see that it is in bounds.
    let bounds = actions(Checks::BOUNDS);
    assert!(bounds.contains(&(3, load.to_string())), "{bounds:?}");
    assert!(
        bounds.contains(&(6, "load of 4 bytes private variable 'p'".to_string())),
        "{bounds:?}"
    );
    assert_eq!(actions(Checks::ARITH), named(&[(3, "division of 32 bits ")]));
    let init = ["load of 4 bytes private variable 'p'", "load of 4 bytes private variable 'x'"];
    let init = actions(Checks::INIT).into_iter().filter(|found| init.contains(&&found.1[..]));
    assert_eq!(init.map(|found| found.0).collect::<Vec<_>>(), [6, 6]);
    assert_eq!(actions(Checks::BARRIERS), named(&[(7, "barrier ")]));
}

#[test]
fn only_checked_kernels_have_a_buffer() {
    let prints = |program: &Program| {
        let mut fields = program.kernels[0].argument_fields.iter();
        fields.any(|entry| entry.field == Field::PrintfBuffer)
    };
    assert!(!prints(&build(PROGRAM, &Target::generic())));
    assert!(prints(&build(PROGRAM, &checked(Target::generic()))));
}

#[test]
fn linked_objects_are_checked_and_must_have_been_compiled_for_it() {
    let (plain, target) = (Target::generic(), checked(Target::generic()));
    let object = |target: &Target| {
        let compiled = compile_to_linked(&source(PROGRAM), &Options::default(), target);
        compiled.object.unwrap_or_else(|| panic!("{}", compiled.log))
    };
    let program = compile_linked(&object(&target), &target).program.unwrap();
    assert!(!descriptions(&program).is_empty());
    let mixed = compile_linked(&object(&plain), &target);
    assert!(mixed.log.contains("compiled without checks"), "{}", mixed.log);
}
