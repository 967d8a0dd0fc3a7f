//! Kernels compiled to SPIR-V, as modules for tests to inspect.

use hekla_compiler::{compile, Options, Source, Target};
use rspirv::binary::parse_words;
use rspirv::dr::{Instruction, Loader, Module};

/// Returns the module of a program's first kernel.
pub fn module(text: &str, target: &Target) -> Module {
    let source = Source { name: "t.cl".into(), text: text.into(), headers: Vec::new() };
    let compiled = compile(&source, &Options::default(), target);
    let program = compiled.program.unwrap_or_else(|| panic!("{}", compiled.log));
    let mut loader = Loader::new();
    parse_words(&program.kernels[0].spirv, &mut loader).expect("SPIR-V");
    loader.module()
}

/// Returns the number of instructions of a module for which a condition is true.
#[allow(dead_code, reason = "not every test that includes this file counts")]
pub fn count(module: &Module, is_meant: impl Fn(&Instruction) -> bool) -> usize {
    module.all_inst_iter().filter(|inst| is_meant(inst)).count()
}
