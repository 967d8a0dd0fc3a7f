//! The linked object as text, which a program binary holds to compile the program again. The text must contain all that
//! compiling needs, so that the result is the same, word for word.

mod conformance_support;

use conformance_support::read_folder;
use hekla_compiler::checks::Checks;
use hekla_compiler::ir::Func;
use hekla_compiler::{
    compile, compile_linked, compile_to_linked, Object, Options, Program, Source, Target,
};
use std::path::Path;

/// Returns the properties by which this test distinguishes programs, which are all of them.
fn all_of(program: &Program) -> String {
    format!("{program:?}")
}

/// Compiles a program from the text of its linked object.
fn by_text(source: &Source, options: &Options, target: &Target) -> Program {
    let object = compile_to_linked(source, options, target).object.expect("it compiles");
    let kernels = object.module.kernels.to_vec();
    let read = Object::read(&object.text(), kernels, object.flags);
    let read = read.unwrap_or_else(|error| panic!("{error}\n{}", object.text()));
    let compiled = compile_linked(&read, target);
    compiled.program.unwrap_or_else(|| panic!("{}", compiled.log))
}

#[test]
fn programs_are_the_same_by_way_of_their_text() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance");
    let programs = read_folder(&folder).unwrap_or_else(|error| panic!("{error}"));
    let mut compared = 0;
    for (number, program) in programs.iter().filter(|program| program.accept).enumerate() {
        let Ok(options) = Options::parse(&program.options) else { continue };
        let name = "test.cl".to_string();
        let source = Source { name, text: program.text.clone(), headers: Vec::new() };
        let mut targets = vec![Target::generic(), Target::minimal()];
        // Checks are several times the program.
        if number % 4 == 0 {
            targets.push(Target { checks: Checks::all(), ..Target::generic() });
        }
        for target in targets {
            let Some(direct) = compile(&source, &options, &target).program else { continue };
            let again = by_text(&source, &options, &target);
            assert!(all_of(&direct) == all_of(&again), "{}: {}", program.place, program.rule);
            compared += 1;
        }
    }
    assert!(compared > 1000, "{compared}");
}

/// Names in SPIR-V may contain any characters.
#[test]
fn names_survive() {
    let text =
        "float f(float x) { return x + 1; } kernel void k(global float *p) { p[0] = f(p[1]); }";
    let source = Source { text: text.into(), ..Source::default() };
    let (options, target) = (Options::default(), Target::generic());
    let mut object = compile_to_linked(&source, &options, &target).object.unwrap();
    let names = ["a\"b", "a\\{1}b", "\u{1}", "a\nb", "a b", "été"];
    for name in names {
        let func = object.module.functions.keys().next().unwrap();
        object.module.functions[func].name = name.to_string();
        let kernels = object.module.kernels.to_vec();
        let read = Object::read(&object.text(), kernels, object.flags).unwrap();
        assert_eq!(read.module.functions[func].name, name);
    }
}

/// Internal names may occur several times. The text distinguishes them, and keeps the names themselves: findings tell them.
#[test]
fn names_that_occur_twice_survive() {
    let text = "kernel void k(global int *p) { local int a[4], b[4], c[4]; int i = get_local_id(0);
        a[i] = b[i] = c[i] = i; p[0] = a[3 - i] + b[3 - i] + c[3 - i]; }
        int f(int x) { return x + 1; } int g(int x) { return x + 2; }
        kernel void l(global int *p) { p[0] = f(g(p[1])); }";
    let source = Source { text: text.into(), ..Source::default() };
    let (options, target) = (Options::default(), Target::generic());
    let mut object = compile_to_linked(&source, &options, &target).object.unwrap();
    let (globals, functions) =
        (object.module.globals.keys().collect::<Vec<_>>(), object.module.functions.keys());
    let functions = functions.collect::<Vec<_>>();
    assert!(globals.len() >= 3 && functions.len() >= 3);
    for names in
        [["tile", "tile", "tile"], ["tile", "tile.1", "tile"], ["", "_", ""], ["x.2", "x", "x"]]
    {
        for (at, name) in names.iter().enumerate() {
            object.module.globals[globals[at]].name = name.to_string();
            object.module.functions[functions[at]].name = name.to_string();
        }
        let text = object.text();
        let read = Object::read(&text, object.module.kernels.to_vec(), object.flags);
        let read = read.unwrap_or_else(|error| panic!("{error}\n{text}"));
        for (at, name) in names.iter().enumerate() {
            assert_eq!(read.module.globals[globals[at]].name, *name, "{text}");
            assert_eq!(read.module.functions[functions[at]].name, *name, "{text}");
        }
        assert_eq!(read.text(), text);
    }
}

/// A type may have a larger alignment than every built-in type, and so may an argument that points to it.
#[test]
fn arguments_of_large_alignment_survive() {
    let text = "typedef struct { int x; } __attribute__((aligned(65536))) Wide;
        kernel void k(global int *out, local Wide *scratch) { out[0] = scratch->x; }";
    let source = Source { text: text.into(), ..Source::default() };
    let (options, target) = (Options::default(), Target::generic());
    let direct = compile(&source, &options, &target).program.unwrap();
    assert_eq!(direct.kernels[0].check(), Ok(()));
    assert!(all_of(&direct) == all_of(&by_text(&source, &options, &target)));
}

/// A binary from elsewhere may give any number for a kernel's function: the number does not decide how much memory is
/// allocated, and one without a function is refused.
#[test]
fn functions_that_are_not_there_are_refused() {
    let text = "kernel void k(global int *p) { p[0] = 1; }";
    let source = Source { text: text.into(), ..Source::default() };
    let (options, target) = (Options::default(), Target::generic());
    let object = compile_to_linked(&source, &options, &target).object.unwrap();
    let func = object.module.kernels[0].func.as_u32();
    for number in [func + 1, 0x4000_0000, u32::MAX - 1] {
        let mut kernels = object.module.kernels.to_vec();
        kernels[0].func = Func::from_u32(number);
        assert!(Object::read(&object.text(), kernels, object.flags).is_err(), "{number}");
    }
}
