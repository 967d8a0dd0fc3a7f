//! Transformations of the IR, one file each, and the pipeline that runs them.

pub mod call_graph;
pub mod cse;
pub mod cursor;
pub mod dce;
pub mod dead_args;
pub mod flatten;
pub mod fold;
pub mod generic;
pub mod inline;
pub mod irreducible;
pub mod licm;
pub mod loop_exits;
pub mod mem2reg;
pub mod param_alias;
pub mod pointer_bases;
pub mod scalarize;
pub mod sign_merge;
pub mod signature;
pub mod simplify;
pub mod sroa;
pub mod ssa_repair;
pub mod structurize;
pub mod unreachable;
pub mod unroll;

use crate::ir::verify::{debug_verify, debug_verify_function};
use crate::ir::{Func, Function, Module};

/// The most times that the scalar optimizations are run.
const ROUNDS: usize = 3;

/// The most nested loops that are unrolled.
const UNROLL_DEPTH: usize = 4;

/// Optimizes a module and leaves it ready for structurization: the kernels' entry functions and the
/// functions that they call, reachable blocks only, and scalar except for memory accesses (see
/// [`scalarize`]).
///
/// Errors: recursion, or a kernel that is too large; in debug builds also a pass that breaks a rule
/// of the IR.
pub fn optimize(module: &mut Module) -> Result<(), String> {
    optimize_with(module, inline::Policy::DEFAULT)
}

/// As [`optimize`], with other bounds on what is inlined.
pub fn optimize_with(module: &mut Module, policy: inline::Policy) -> Result<(), String> {
    debug_verify(module, "lowering")?;
    inline::run(module, policy, &inline::Steps { clean, optimize: optimize_function })?;
    debug_verify(module, "inline")?;
    if module.functions.len() > module.kernels.len() {
        dead_args::run(module);
        debug_verify(module, "dead_args")?;
    }
    Ok(())
}

/// Runs all passes on one function whose calls have been decided about.
fn optimize_function(module: &mut Module, func: Func) -> Result<(), String> {
    step(module, func, "unreachable", |f, _| unreachable::run(f))?;
    step(module, func, "scalarize", |f, _| scalarize::run(f))?;
    step(module, func, "dce", |f, _| dce::run(f))?;
    scalar_rounds(module, func, true)?;
    if unroll_loops(module, func)? {
        scalar_rounds(module, func, false)?;
    }
    if step(module, func, "licm", |f, _| licm::run(f))? {
        step(module, func, "cse", |f, _| cse::run(f))?;
    }
    Ok(())
}

/// Runs the scalar optimizations until nothing changes, or [`ROUNDS`] times. `is_swept`: nothing has changed
/// since `dce` ran.
fn scalar_rounds(module: &mut Module, func: Func, mut is_swept: bool) -> Result<(), String> {
    for _ in 0..ROUNDS {
        let mut changed = step(module, func, "generic", |f, _| generic::run(f))?;
        changed |= step(module, func, "sroa", |f, _| sroa::run(f))?;
        changed |= step(module, func, "mem2reg", |f, _| mem2reg::run(f))?;
        changed |= step(module, func, "simplify", |f, m| simplify::run(f, &m.globals))?;
        changed |= step(module, func, "flatten", |f, _| flatten::run(f))?;
        changed |= step(module, func, "cse", |f, _| cse::run(f))?;
        if changed || !is_swept {
            changed |= step(module, func, "dce", |f, _| dce::run(f))?;
            is_swept = true;
        }
        if !changed {
            break;
        }
    }
    Ok(())
}

/// Unrolls loops from the inside out. Whether there were any to unroll.
fn unroll_loops(module: &mut Module, func: Func) -> Result<bool, String> {
    for depth in 0..UNROLL_DEPTH {
        if !step(module, func, "unroll", |f, _| unroll::run(f))? {
            return Ok(depth > 0);
        }
        step(module, func, "simplify", |f, m| simplify::run(f, &m.globals))?;
    }
    Ok(true)
}

/// Merges signs without masks, for drivers that take the masks for a copysign that they get wrong.
pub fn choose_signs(module: &mut Module, doubles: bool) -> Result<(), String> {
    let functions: Vec<Func> = module.functions.keys().collect();
    for func in functions {
        if step(module, func, "sign_merge", |f, _| sign_merge::run(f, doubles))? {
            step(module, func, "dce", |f, _| dce::run(f))?;
        }
    }
    Ok(())
}

/// Runs the passes that pay off before a function is copied into its callers.
fn clean(module: &mut Module, func: Func) -> Result<(), String> {
    let function = &mut module.functions[func];
    unreachable::run(function);
    generic::run(function);
    sroa::run(function);
    mem2reg::run(function);
    simplify::run(function, &module.globals);
    if flatten::run(function) {
        simplify::run(function, &module.globals);
    }
    cse::run(function);
    dce::run(function);
    Ok(())
}

/// Runs one pass on one function and verifies in debug builds.
fn step(
    module: &mut Module,
    func: Func,
    name: &str,
    pass: impl FnOnce(&mut Function, &Module) -> bool,
) -> Result<bool, String> {
    let empty = Function::new("", &[], None);
    let mut function = std::mem::replace(&mut module.functions[func], empty);
    let changed = pass(&mut function, module);
    module.functions[func] = function;
    debug_verify_function(module, func, name)?;
    Ok(changed)
}

/// For inlining alone.
const NO_STEPS: inline::Steps = inline::Steps { clean: |_, _| Ok(()), optimize: |_, _| Ok(()) };

/// Runs one pass by the name of its file on every function of a module; for file tests and
/// debugging. `None` if there is no such pass.
pub fn run_named(module: &mut Module, name: &str) -> Option<Result<(), String>> {
    let pass: fn(&mut Function) -> bool = match name {
        "optimize" => return Some(optimize(module)),
        "optimize_calls" => return Some(optimize_with(module, inline::Policy::NONE)),
        "inline" => return Some(inline::run(module, inline::Policy::ALL, &NO_STEPS)),
        "calls" => return Some(inline::run(module, inline::Policy::NONE, &NO_STEPS)),
        "dead_args" => {
            dead_args::run(module);
            return Some(Ok(()));
        }
        "simplify" => {
            let Module { functions, globals, .. } = module;
            for func in functions.values_mut() {
                simplify::run(func, globals);
            }
            return Some(Ok(()));
        }
        "cse" => cse::run,
        "dce" => dce::run,
        "flatten" => flatten::run,
        "generic" => generic::run,
        "licm" => licm::run,
        "mem2reg" => mem2reg::run,
        "scalarize" => scalarize::run,
        "sign_merge" => |f| sign_merge::run(f, true),
        "sroa" => sroa::run,
        "structurize" => |f| {
            structurize::run(f);
            true
        },
        "unreachable" => unreachable::run,
        "unroll" => unroll::run,
        _ => return None,
    };
    for func in module.functions.values_mut() {
        pass(func);
    }
    Some(Ok(()))
}
