//! Ingestion tests (compiler/tests/ingest), run on devices of several kinds.
//!
//! `HEKLA_INGEST=vector` runs only the files whose names begin with `vector`.

#[path = "../../compiler/tests/ingest_support/mod.rs"]
mod ingest_support;
mod support;

use hekla_compiler::kernel::Kernel;
use hekla_compiler::{compile_il, Il, Options, Program, SpecValue};
use hekla_spirv_interp::Launch;
use ingest_support::{assemble, read_folder, Module};
use std::path::Path;
use support::Device;

#[test]
fn modules_do_what_they_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../compiler/tests/ingest");
    let wanted = std::env::var("HEKLA_INGEST").unwrap_or_default();
    let modules = read_folder(&folder);
    let modules = modules.iter().filter(|module| module.place.starts_with(&wanted));
    let mut devices = vec![support::capable(), support::middling(), support::weak()];
    devices.extend(support::with_soft_doubles());
    let mut failures = Vec::new();
    for module in modules {
        let words = match assemble(&module.text) {
            Ok(words) => words,
            Err(error) => {
                failures.push(format!("{}: {error}", module.place));
                continue;
            }
        };
        for device in &devices {
            if let Err(complaint) = check(module, &words, device) {
                let Module { place, rule, .. } = module;
                let device = device.name;
                failures.push(format!("{place}: {rule}\n    on the {device} device: {complaint}"));
            }
        }
    }
    assert!(failures.is_empty(), "{} failures:\n\n{}", failures.len(), failures.join("\n"));
}

fn check(module: &Module, bytes: &[u8], device: &Device) -> Result<(), String> {
    let target = &device.target;
    let has = |name: &String| match name.as_str() {
        "half" => target.float16,
        "double" => target.float64,
        "int64_atomics" => target.int64_atomics(),
        "images" => target.images,
        "subgroups" => target.subgroups.is_some(),
        _ => panic!("{}: unknown requirement '{name}'", module.place),
    };
    if !module.requires.iter().all(has) {
        return Ok(());
    }
    match (build(module, bytes, device), module.accept) {
        (Ok(program), true) => run(module, &program, device),
        (Err(log), true) => Err(log),
        (Ok(_), false) => Err("it is accepted".to_string()),
        (Err(log), false) if log.contains(&module.error) => Ok(()),
        (Err(log), false) => Err(format!("the log is {log}")),
    }
}

fn build(module: &Module, bytes: &[u8], device: &Device) -> Result<Program, String> {
    let options = Options::parse(&module.options).map_err(|error| error.0)?;
    let il = Il::read(bytes)?;
    let specs: Vec<SpecValue> =
        module.specs.iter().map(|&(id, bits)| SpecValue { id, bits }).collect();
    let compiled = compile_il(&il, &specs, &options, &device.target);
    compiled.program.ok_or(compiled.log)
}

/// Runs kernel `test` and compares the numbers that it writes with the file's.
fn run(module: &Module, program: &Program, device: &Device) -> Result<(), String> {
    let kernel = support::kernel(program, "test")?;
    let subgroups = device.subgroups(kernel);
    let launch = Launch { floats: device.floats, subgroups, ..sizes(module, kernel) };
    let zeros = vec![0; module.expect.len()];
    let got = support::run_on_words(program, kernel, &zeros, launch);
    let got = got.map_err(|error| error.to_string())?;
    match got.iter().zip(&module.expect).position(|(got, expected)| got != expected) {
        None => Ok(()),
        Some(i) => Err(format!("out[{i}] is {:#x}, not {:#x}", got[i], module.expect[i])),
    }
}

/// Returns the launch that a file asks for. If the file gives no local size, all work-items are one work-group.
fn sizes(module: &Module, kernel: &Kernel) -> Launch {
    let mut launch = Launch { dimensions: module.global.len() as u32, ..Launch::default() };
    launch.global[..module.global.len()].copy_from_slice(&module.global);
    launch.local = match (&module.local, kernel.required_local_size) {
        (Some(local), _) => [0, 1, 2].map(|d| local.get(d).copied().unwrap_or(1)),
        (None, Some(required)) => required,
        (None, None) => launch.global.map(|size| size as u32),
    };
    launch
}
