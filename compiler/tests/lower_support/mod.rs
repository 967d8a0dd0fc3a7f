//! Lowers OpenCL C to IR and executes it, for the tests of lowering.
#![allow(dead_code)] // Each test file uses its part.

#[path = "../interpreter/mod.rs"]
pub mod interpreter;

use hekla_compiler::ir::verify::verify_module;
use hekla_compiler::ir::Module;
use hekla_compiler::preprocess::{preprocess, Interner};
use hekla_compiler::sema::{self, Origin};
use hekla_compiler::source::{Diagnostics, SourceMap};
use hekla_compiler::{lower, syntax, Options, Source, Target};
use interpreter::Machine;

/// Lowers a program; returns the log if the program has errors.
pub fn try_lower(text: &str, options: &str, target: &Target) -> Result<Module, String> {
    let source = Source { name: "test.cl".into(), text: text.into(), headers: Vec::new() };
    let options = Options::parse(options).unwrap();
    let (mut sources, mut interner) = (SourceMap::default(), Interner::new());
    let mut diags = Diagnostics::new(&options);
    let tokens = preprocess(&source, &options, &[], &mut sources, &mut interner, &mut diags);
    let tree = syntax::parse(&tokens, &mut interner, &mut diags, &options);
    let hir = sema::analyze(&tree, &interner, &options, target, &mut diags, Origin::Program);
    if diags.has_errors() {
        return Err(diags.render(&sources));
    }
    let module = lower::lower(&hir, &options, target, None, &mut diags);
    if diags.has_errors() {
        return Err(diags.render(&sources));
    }
    verify_module(&module).unwrap_or_else(|error| panic!("{error}"));
    Ok(module)
}

/// Lowers a program without errors for the generic target.
pub fn lower_text(text: &str) -> Module {
    try_lower(text, "", &Target::generic()).unwrap_or_else(|log| panic!("{log}"))
}

/// Runs the first kernel of a program, whose only parameter is a global pointer, on one work-item; returns the buffer's bytes
/// afterwards.
pub fn run_on(text: &str, buffer: Vec<u8>) -> Vec<u8> {
    let module = lower_text(text);
    run_module(&module, buffer)
}

pub fn run_module(module: &Module, buffer: Vec<u8>) -> Vec<u8> {
    let mut machine = Machine::new(module);
    let size = buffer.len();
    let address = machine.allocate(buffer);
    machine.args = vec![address.to_le_bytes().to_vec()];
    machine.run_kernel(0);
    machine.global_bytes(address, size)
}

/// Like [`run_on`], with 32-bit words in and out.
pub fn run_words(text: &str, words: &[u32]) -> Vec<u32> {
    let bytes = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    let out = run_on(text, bytes);
    out.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect()
}

/// Like [`run_on`], with floats.
pub fn run_floats(text: &str, values: &[f32]) -> Vec<f32> {
    let words: Vec<u32> = values.iter().map(|v| v.to_bits()).collect();
    run_words(text, &words).into_iter().map(f32::from_bits).collect()
}

/// Like [`run_on`], with doubles.
pub fn run_doubles(text: &str, values: &[f64]) -> Vec<f64> {
    let bytes = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    let out = run_on(text, bytes);
    out.chunks_exact(8).map(|c| f64::from_le_bytes(c.try_into().unwrap())).collect()
}
