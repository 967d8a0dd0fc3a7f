//! Transformations of the IR, one file each.

pub mod unreachable;

use crate::ir::{Function, Module};
use crate::target::Target;

/// Runs one pass by the name of its file on every function of a module; for file tests and
/// debugging. `None` if there is no such pass.
pub fn run_named(module: &mut Module, name: &str, _target: &Target) -> Option<Result<(), String>> {
    match name {
        "unreachable" => for_each(module, |func| {
            unreachable::run(func);
        }),
        _ => return None,
    }
    Some(Ok(()))
}

fn for_each(module: &mut Module, mut pass: impl FnMut(&mut Function)) {
    module.functions.values_mut().for_each(&mut pass);
}
