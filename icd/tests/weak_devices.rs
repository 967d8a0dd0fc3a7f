//! Code for the devices that the shipped device files describe (vk-backend/devices): every program of the conformance
//! files becomes modules that are valid for the device and need nothing that the device lacks, or is refused.

#[path = "weak_devices/capabilities.rs"]
mod capabilities;
#[path = "../../compiler/tests/conformance_support/mod.rs"]
mod conformance_support;

use capabilities::{asks_for_less, Module};
use conformance_support::{read_folder, Program};
use hekla::core::device::open;
use hekla_compiler::{compile, Compiled, Options, Source, Target};
use hekla_spirv::spirv::{ExecutionMode, Op};
use hekla_spirv::{instructions, Instruction, HEADER};
use hekla_vk_backend::{device_file_names, DeviceFile, Features};
use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;

/// A device that a file describes.
struct Device {
    name: &'static str,
    features: Features,
    target: Target,
    /// The environment's name for spirv-val.
    environment: &'static str,
}

impl Device {
    fn named(name: &'static str) -> Device {
        let device = DeviceFile::find(name).unwrap().device();
        assert_eq!(device.info.refusal, None, "{name}");
        let target = open::target_of_file(&device);
        // Vulkan 1.4 has the SPIR-V of 1.3.
        let environment = match device.info.api_version >> 12 & 0x3ff {
            2 => "vulkan1.2",
            _ => "vulkan1.3",
        };
        Device { name, features: device.info.features, target, environment }
    }
}

#[test]
fn conformance_files_compile_to_what_devices_have() {
    compile_all(&device_file_names().map(Device::named).collect::<Vec<_>>(), |_| true);
}

/// The same for doubles that are computed by integers.
#[test]
fn soft_doubles_compile_to_what_devices_have() {
    let with_doubles = |device: Device| match device.features.float64 {
        true => None,
        false => Some(Device { target: device.target.with_soft_doubles(), ..device }),
    };
    let devices: Vec<Device> =
        device_file_names().map(Device::named).filter_map(with_doubles).collect();
    assert!(devices.len() > 2 && devices.iter().any(|device| !device.features.int64));
    let offer = |device: &Device| device.target.extensions().contains(&"cl_khr_fp64");
    assert!(devices.iter().all(offer));
    compile_all(&devices, |program| program.text.contains("double"));
}

/// Compiles the programs of the conformance files that are `wanted` for each device.
fn compile_all(devices: &[Device], wanted: impl Fn(&Program) -> bool) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../compiler/tests/conformance");
    let mut programs = read_folder(&folder).unwrap_or_else(|error| panic!("{error}"));
    programs.retain(wanted);
    let next = Mutex::new(programs.iter());
    let (failures, seen) = (Mutex::new(Vec::new()), Mutex::new(HashSet::new()));
    let hasher = RandomState::new();
    let is_new = |key: &(&[u32], bool)| seen.lock().unwrap().insert(hasher.hash_one(key));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| loop {
                let Some(program) = next.lock().unwrap().next() else { return };
                for device in devices {
                    if let Err(complaint) = check(program, device, &is_new) {
                        let Program { place, rule, .. } = program;
                        let text = format!("{place}: {rule}\n  for {}: {complaint}", device.name);
                        failures.lock().unwrap().push(text);
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().unwrap();
    assert!(failures.is_empty(), "{}:\n\n{}", failures.len(), failures.join("\n\n"));
}

/// Returns true for a module, with or without scalarBlockLayout, that was not seen before.
type IsNew<'a> = &'a dyn Fn(&(&[u32], bool)) -> bool;

/// Compiles a program; a device that has all the features that the program needs must accept it.
fn check(program: &Program, device: &Device, is_new: IsNew<'_>) -> Result<(), String> {
    let Ok(options) = Options::parse(&program.options) else { return Ok(()) };
    let source = Source { name: "test.cl".into(), text: program.text.clone(), headers: Vec::new() };
    let Compiled { program: compiled, log, .. } = compile(&source, &options, &device.target);
    let offered = [device.target.extensions(), device.target.features()].concat();
    let Some(compiled) = compiled else {
        let may_refuse = !program.accept || !program.runs_with(&offered);
        return match log.contains("error: ") && may_refuse {
            true => Ok(()),
            false => Err(format!("refused:\n{log}")),
        };
    };
    for kernel in &compiled.kernels {
        asks_for_less(&Module::read(&kernel.spirv), &device.features)?;
        let scalar = device.features.scalar_block_layout;
        if is_new(&(&kernel.spirv, scalar)) {
            validate(&kernel.spirv, device)?;
        }
    }
    Ok(())
}

/// Passes a module to spirv-val.
fn validate(words: &[u32], device: &Device) -> Result<(), String> {
    let mut command = Command::new("spirv-val");
    command.args(["--target-env", device.environment]);
    if device.features.scalar_block_layout {
        command.arg("--scalar-block-layout");
    }
    let piped = || Stdio::piped();
    let mut child = command
        .arg("-")
        .stdin(piped())
        .stdout(piped())
        .stderr(piped())
        .spawn()
        .map_err(|error| format!("spirv-val (package spirv-tools): {error}"))?;
    let words = without_maximal_reconvergence(words);
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let written = child.stdin.take().map(|mut input| input.write_all(&bytes));
    let done = child.wait_with_output().map_err(|error| error.to_string())?;
    match (written, done.status.success()) {
        (Some(Ok(())), true) => Ok(()),
        _ => Err(format!(
            "spirv-val: {}{}",
            String::from_utf8_lossy(&done.stdout),
            String::from_utf8_lossy(&done.stderr)
        )),
    }
}

/// Leaves out `OpExecutionMode %f MaximallyReconvergesKHR`, which older validators do not know and which does not
/// change what else is valid.
fn without_maximal_reconvergence(words: &[u32]) -> Vec<u32> {
    let is_mode = |instruction: &Instruction<'_>| {
        let mode = ExecutionMode::MaximallyReconvergesKHR as u32;
        instruction.op() == Some(Op::ExecutionMode) && instruction.operands.get(1) == Some(&mode)
    };
    let found = instructions(words, HEADER).flatten().find(is_mode);
    let range = found.map_or(words.len()..words.len(), |instruction| instruction.range());
    [&words[..range.start], &words[range.end..]].concat()
}

/// A vector that is not aligned to its size is accessed in parts where the device has no scalarBlockLayout.
#[test]
fn unaligned_vectors_are_taken_apart() {
    let text = "kernel void k(global float *p, global const float *q) {
                    size_t i = get_global_id(0); vstore4(vload4(i, q + 1), i, p + 3); }";
    let accesses = |name| {
        let source = Source { name: "k.cl".into(), text: text.into(), headers: Vec::new() };
        let compiled = compile(&source, &Options::default(), &Device::named(name).target);
        Module::read(&compiled.program.unwrap().kernels[0].spirv).vector_accesses()
    };
    assert_eq!((accesses("pi4-v3dv"), accesses("pi5-v3dv")), (0, 2));
}

/// Where all widths of floats must treat denormals alike, `-cl-denorms-are-zero` keeps them alike.
#[test]
fn denormals_of_widths_that_depend_on_each_other_are_declared_alike() {
    let text = "#pragma OPENCL EXTENSION cl_khr_fp16: enable
                kernel void k(global float *p, global half *q) { *p += *p; *q += *q; }";
    let options = Options::parse("-cl-denorms-are-zero").unwrap();
    for name in ["mali-panvk", "pi5-v3dv"] {
        let device = Device::named(name);
        let source = Source { name: "k.cl".into(), text: text.into(), headers: Vec::new() };
        let Some(program) = compile(&source, &options, &device.target).program else { continue };
        let module = Module::read(&program.kernels[0].spirv);
        assert_eq!(asks_for_less(&module, &device.features), Ok(()), "{name}");
    }
}
