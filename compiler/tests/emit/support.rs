//! Emits kernels that are given as IR text, and validates them with spirv-val.

use cranelift_entity::SecondaryMap;
use hekla_compiler::emit::{emit, EmitError};
use hekla_compiler::ir::{parse, verify, Module};
use hekla_compiler::kernel::Kernel;
use hekla_compiler::passes::{legalize, scalarize, structurize};
use hekla_compiler::Quirks;
use hekla_compiler::{Options, Target};
use std::io::Write;
use std::process::{Command, Stdio};

/// Emits the only kernel of a module, structurized where it has several blocks.
pub fn try_emit(text: &str, options: &Options, target: &Target) -> Result<Kernel, EmitError> {
    let mut module = legal(text, target);
    let entry = module.kernels[0].clone();
    let mut structures = SecondaryMap::new();
    if module.functions[entry.func].layout.len() > 1 {
        structures[entry.func] = structurize::run(&mut module.functions[entry.func]);
    }
    emit(&module, &entry, &structures, options, target)
}

/// Structurizes a kernel and the functions of its module, emits it and validates it.
pub fn check_structurized(text: &str, target: &Target) -> Kernel {
    let mut module = legal(text, target);
    let entry = module.kernels[0].clone();
    let mut structures = SecondaryMap::new();
    for (func, function) in module.functions.iter_mut() {
        structures[func] = structurize::run(function);
    }
    let kernel = emit(&module, &entry, &structures, &Options::default(), target)
        .unwrap_or_else(|e| panic!("{e}\n{module}"));
    check_valid(&kernel, &module.to_string());
    kernel
}

/// Returns the module of a text, legalized for a device. Vectors are split first if the device lacks integers of some width.
fn legal(text: &str, target: &Target) -> Module {
    let mut module = parse_text(text);
    if !(target.int64 && target.int16 && target.int8) {
        module.functions.values_mut().for_each(|func| _ = scalarize::run(func));
    }
    legalize::run(&mut module, target, None).unwrap_or_else(|e| panic!("{e}\n{module}"));
    verify::verify_module(&module).unwrap_or_else(|e| panic!("{e}\n{module}"));
    module
}

fn parse_text(text: &str) -> Module {
    let module = parse::parse_module(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    verify::verify_module(&module).unwrap_or_else(|e| panic!("{e}\n{text}"));
    module
}

fn check_valid(kernel: &Kernel, source: &str) {
    if let Err(message) = validate(&kernel.spirv) {
        panic!("{message}\n{source}\n{}", disassemble(&kernel.spirv));
    }
}

/// Emits a kernel and validates it.
pub fn check(text: &str, target: &Target) -> Kernel {
    let kernel =
        try_emit(text, &Options::default(), target).unwrap_or_else(|e| panic!("{e}\n{text}"));
    check_valid(&kernel, text);
    kernel
}

fn pipe(program: &str, args: &[&str], words: &[u32]) -> (bool, String) {
    let mut child = Command::new(program)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|e| panic!("{program} (of spirv-tools) does not run: {e}"));
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let mut stdin = child.stdin.take().expect("a pipe");
    let writer = std::thread::spawn(move || stdin.write_all(&bytes));
    let output = child.wait_with_output().expect("the child's output");
    let _ = writer.join();
    let text = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8_lossy(&text).into_owned())
}

/// Validates a module with spirv-val.
pub fn validate(words: &[u32]) -> Result<(), String> {
    let args = ["--target-env", "vulkan1.2", "--scalar-block-layout", "-"];
    match pipe("spirv-val", &args, words) {
        (true, _) => Ok(()),
        (false, message) => Err(message),
    }
}

/// Returns the module's text.
pub fn disassemble(words: &[u32]) -> String {
    pipe("spirv-dis", &["--no-color", "-"], words).1
}

/// Returns every combination of capabilities that changes how code is emitted.
pub fn targets() -> Vec<(&'static str, Target)> {
    let generic = Target::generic();
    let rich = Target {
        float16: true,
        workgroup_explicit_layout: true,
        workgroup_explicit_layout_8: true,
        workgroup_explicit_layout_16: true,
        vulkan_memory_model: true,
        preserve_signed_zero_inf_nan_16: true,
        denorm_preserve_16: true,
        rounding_rte_16: true,
        denorm_preserve_32: true,
        denorm_preserve_64: true,
        rounding_rte_32: true,
        rounding_rte_64: true,
        quirks: Quirks::SLOW_BUILT_HALVES | Quirks::READ_ONLY_LOADS | Quirks::CHAINED_ADDRESSES,
        ..generic.clone()
    };
    let words = Target {
        float64: true,
        int64: true,
        workgroup_explicit_layout: true,
        push_constant_size: 8,
        quirks: Quirks::READ_ONLY_LOADS,
        ..Target::minimal()
    };
    let pairs = Target { int64: false, ..generic.clone() };
    let no_storage = Target { storage8: false, storage16: false, ..generic.clone() };
    vec![
        ("generic", generic),
        ("rich", rich),
        ("minimal", Target::minimal()),
        ("words", words),
        ("pairs", pairs),
        ("no_storage", no_storage),
        ("narrow", Target { int8: false, int16: false, ..Target::generic() }),
    ]
}
