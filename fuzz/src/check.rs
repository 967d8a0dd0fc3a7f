//! Compiles a text as the driver would and looks at the result. A panic anywhere ends the process
//! (libFuzzer's hook); what else must not be ends it here.

use hekla_compiler::{compile, Compiled, Options, Program, Source, Target};
use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// One module of this number is passed to spirv-val: starting it takes as long as a few compilations.
const VALIDATED: u32 = 16;

/// Returns a text as a program's source.
pub fn source(text: &str) -> Source {
    Source { name: "fuzz.cl".to_string(), text: text.to_string(), headers: Vec::new() }
}

/// Builds a text for a device with everything, for a common one and for one with next to nothing. With
/// HEKLA_FUZZ_SHOW in the environment it prints the text and what the builds say.
pub fn compiles_or_says_why(text: &str, options: &str) {
    let Ok(options) = Options::parse(options) else { return };
    let show = std::env::var_os("HEKLA_FUZZ_SHOW").is_some();
    if show {
        println!("{text}");
    }
    for target in [everything(), Target::generic(), Target::minimal()] {
        let compiled = compile(&source(text), &options, &target);
        if show {
            eprintln!("--\n{}", compiled.log);
        }
        is_sound(&compiled);
    }
}

/// Returns a device that offers all that a device may lack.
pub fn everything() -> Target {
    Target {
        float16: true,
        workgroup_explicit_layout: true,
        workgroup_explicit_layout_8: true,
        workgroup_explicit_layout_16: true,
        preserve_signed_zero_inf_nan_16: true,
        denorm_preserve_16: true,
        denorm_preserve_32: true,
        denorm_preserve_64: true,
        rounding_rte_16: true,
        rounding_rte_32: true,
        rounding_rte_64: true,
        fma16_fused: true,
        fma32_fused: true,
        fma64_fused: true,
        div32_exact: true,
        sqrt32_exact: true,
        exp2_accurate: true,
        exp2_wide: true,
        log2_accurate: true,
        log2_accurate_near_1: true,
        log2_denormals: true,
        ..Target::generic()
    }
}

/// A program, or a reason why there is none; and modules that spirv-val accepts.
pub fn is_sound(compiled: &Compiled) {
    assert!(!compiled.log.contains("internal error"), "{}", compiled.log);
    let Some(program) = &compiled.program else {
        assert!(compiled.log.contains("error"), "no program and no error");
        return;
    };
    is_valid(program);
}

/// Modules that spirv-val accepts, by sample.
pub fn is_valid(program: &Program) {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    for kernel in &program.kernels {
        if COUNT.fetch_add(1, Ordering::Relaxed).is_multiple_of(VALIDATED) {
            validate(&kernel.spirv);
        }
    }
}

fn validate(spirv: &[u32]) {
    let bytes: Vec<u8> = spirv.iter().flat_map(|word| word.to_le_bytes()).collect();
    let mut child = Command::new("spirv-val")
        .args(["--target-env", "vulkan1.2", "--scalar-block-layout", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("spirv-val is installed");
    child.stdin.take().unwrap().write_all(&bytes).unwrap();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "spirv-val: {said}");
}
