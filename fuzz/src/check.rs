//! Compiles a text as the driver would and looks at the result. A panic anywhere ends the process
//! (libFuzzer's hook); what else must not be ends it here.

use hekla_compiler::{compile, Compiled, Options, Program, Source, Target};
use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// Of so many modules one is passed to spirv-val: starting it takes longer than a hundred compilations.
const VALIDATED: u32 = 64;

/// A text as a program's source.
pub fn source(text: &str) -> Source {
    Source { name: "fuzz.cl".to_string(), text: text.to_string(), headers: Vec::new() }
}

/// Builds a text for a device with everything and for one with next to nothing.
pub fn compiles_or_says_why(text: &str, options: &str) {
    let Ok(options) = Options::parse(options) else { return };
    for target in [Target::generic(), Target::minimal()] {
        is_sound(&compile(&source(text), &options, &target));
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
