//! Rewrites what a device lacks in terms of what it has.
//!
//! These run after [`super::optimize`] on scalar code, small integers before 64-bit ones, since the
//! former compute addresses. [`run`] runs those that a target asks for.

mod divide;
pub mod int64;
mod pair;
pub mod small_int;
mod words;

use crate::ir::Module;
use crate::target::Target;

/// Legalizes every function for a target.
pub fn run(module: &mut Module, target: &Target) {
    for func in module.functions.values_mut() {
        small_int::run(func, target);
        if !target.int64 {
            int64::run(func);
        }
    }
}
