//! The conformance files' programs as clang compiles them to SPIR-V: they give the same results as with Hekla's own front end.
//!
//! Runs where `HEKLA_CLANG` names a clang of version 22 or later, with the options in `HEKLA_CLANG_OPTIONS`.

mod programs;
#[path = "../../vk-backend/tests/common/report.rs"]
mod report;
mod support;

use hekla_compiler::{compile_il, Il, Options};
use programs::Program;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::process::Command;
use support::Device;

/// Programs that clang 22 does not compile to what they say, by file and a part of their rule.
const FAULTS: &[(&str, &str)] = &[
    // clang defines its own macros: other versions and features, no __ROUNDING_MODE__, another largest alignment.
    ("6.12-preprocessor", "is compared with the names of versions"),
    ("6.12-preprocessor", "feature macros are of OpenCL C 3.0"),
    ("6.12-preprocessor", "__ROUNDING_MODE__ is rte"),
    ("6.13.1-", "aligned without a factor"),
    ("6.13.3-", "aligned without a factor"),
    ("6.15.20-", "without sub-groups their macros are not defined"),
    ("6.15.21-", "where they are not offered the macro is not defined"),
    // Blocks take copies of arrays.
    ("6.14.5-", "arrays are captured by reference"),
    // Integers have no sign when conversions are chosen: clang guesses the sign of scalars and loses the sign of vectors.
    ("6.4.3", "_sat clamps integers"),
    ("6.4.3", "examples: short4 to ushort4"),
    ("6.4.3", "vectors with modifiers, component by component"),
    ("6.4.3", "a type converts to itself without effect"),
    ("6.4.3-", "convert_T converts scalars and vectors"),
    ("6.5.9-", "a vector condition of the width"),
    // clang assumes that pointers to work-group memory point to one element.
    ("6.15.11-", "a copy from global to local memory and back"),
    ("6.15.11-", "a strided copy gathers elements"),
    ("6.15.11-", "elements of every type, three components count as four"),
    // Without optimization clang gives -1 as truth in vectors of floats, does not evaluate hints, and does not define inline
    // functions.
    ("6.4.2-", "bool to a floating-point vector"),
    ("clang-hints", "an expected value is the value"),
    ("c99-6.9-functions", "inline with a definition"),
    // clang demands a size of sub-groups where the device has no choice.
    ("6.15.20-", "where there is no choice the attribute is ignored"),
    // clang loses the initializer of a sampler.
    ("6.15.15.1-", "constants of program scope, of functions, and arguments"),
];

#[test]
fn what_clang_compiles_gives_the_same() {
    let Ok(clang) = std::env::var("HEKLA_CLANG") else {
        report::skip("HEKLA_CLANG names no clang");
        return;
    };
    let device = support::capable();
    let (mut ran, mut refused) = (0, 0);
    let mut failures: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for program in &programs::of_device(&device) {
        let is_fault = |(file, rule): &(&str, &str)| {
            program.place.starts_with(file) && program.rule.contains(rule)
        };
        if FAULTS.iter().any(is_fault) {
            continue;
        }
        let Some(module) = compile(&clang, program) else {
            refused += 1;
            continue;
        };
        ran += 1;
        if let Err(complaint) = run(program, &module, &device) {
            let line = format!("{}: {}\n    {complaint}", program.place, program.rule);
            failures.entry(kind(&complaint)).or_default().push(line);
        }
    }
    let count: usize = failures.values().map(Vec::len).sum();
    let text: Vec<String> = failures
        .iter()
        .map(|(kind, lines)| format!("== {} of {kind}\n{}", lines.len(), lines.join("\n")))
        .collect();
    println!("{ran} programs, {refused} that clang does not compile, {count} failures");
    assert!(count == 0, "{count} of {ran}:\n\n{}", text.join("\n"));
}

/// Returns a complaint without its numbers, to group complaints that differ only in these.
fn kind(complaint: &str) -> String {
    let text = complaint.split_once("): ").map_or(complaint, |(_, rest)| rest);
    text.chars().filter(|c| !c.is_ascii_digit()).take(80).collect()
}

/// Compiles a program, or returns the module that an earlier run made; `None` if clang refuses the program.
fn compile(clang: &str, program: &Program) -> Option<Vec<u8>> {
    let more = std::env::var("HEKLA_CLANG_OPTIONS").unwrap_or_else(|_| "-O2".to_string());
    let mut hasher = DefaultHasher::new();
    (clang, &more, &program.options, &program.text).hash(&mut hasher);
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("clang");
    std::fs::create_dir_all(&folder).expect("a folder for modules");
    let source = folder.join(format!("{:016x}.cl", hasher.finish()));
    let module = source.with_extension("spv");
    let refused = source.with_extension("refused");
    if refused.exists() {
        return None;
    }
    if !module.exists() {
        std::fs::write(&source, &program.text).expect("a source file");
        let known = |option: &&str| !option.contains("kernel-arg-info") && *option != "-w";
        let status = Command::new(clang)
            .args(["--target=spirv64", "-c", "-w"])
            .args(more.split_whitespace())
            .args(program.options.split_whitespace().filter(known))
            .args(if program.options.contains("-cl-std") { &[][..] } else { &["-cl-std=CL1.2"] })
            .arg("-o")
            .args([&module, &source])
            .output()
            .expect("clang runs");
        if !status.status.success() {
            std::fs::write(&refused, &status.stderr).expect("a file");
            return None;
        }
    }
    std::fs::read(&module).ok()
}

fn run(program: &Program, module: &[u8], device: &Device) -> Result<(), String> {
    let options = Options::parse(&program.options).map_err(|error| error.0)?;
    let il = Il::read(module)?;
    let compiled = compile_il(&il, &[], &options, &device.target);
    let built = compiled.program.ok_or(compiled.log)?;
    programs::run(program, &built, device)
}
