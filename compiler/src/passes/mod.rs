//! Transformations of the IR, one file each, and the pipeline that runs them.

pub mod argument_alias;
pub mod argument_promotion;
pub mod call_graph;
pub mod cse;
pub mod cursor;
pub mod dce;
pub mod dead_args;
pub mod fold;
pub mod if_conversion;
pub mod infer_address_spaces;
pub mod inline;
pub mod irreducible;
pub mod licm;
pub mod loop_exits;
pub mod mem2reg;
pub mod scalarize;
pub mod sign_merge;
pub mod simplify;
pub mod sroa;
pub mod ssa_repair;
pub mod structurize;
pub mod underlying_objects;
pub mod unreachable;
pub mod unroll;

use crate::ir::verify::{debug_verify, debug_verify_function};
use crate::ir::{Func, Function, Module};

/// The most times that the scalar optimizations are run.
const MAX_ITERATIONS: usize = 3;

/// The most nested loops that are unrolled.
const MAX_UNROLL_DEPTH: usize = 4;

/// Optimizes a module and leaves it ready for structurization: the kernels' entry functions and the
/// functions that they call, reachable blocks only, and scalar except for memory accesses (see
/// [`scalarize`]).
///
/// Errors: recursion, or a kernel that is too large; in debug builds also a pass that breaks a rule
/// of the IR.
pub fn optimize(module: &mut Module) -> Result<(), String> {
    optimize_with(module, inline::Thresholds::DEFAULT)
}

/// As [`optimize`], with other thresholds of inlining.
pub fn optimize_with(module: &mut Module, thresholds: inline::Thresholds) -> Result<(), String> {
    debug_verify(module, "lowering")?;
    inline::run(
        module,
        thresholds,
        &inline::Pipelines { simplify_early, optimize: optimize_function },
    )?;
    debug_verify(module, "inline")?;
    if module.functions.len() > module.kernels.len() {
        dead_args::run(module);
        debug_verify(module, "dead_args")?;
    }
    Ok(())
}

/// Runs all passes on one function, after its calls have been inlined or kept.
fn optimize_function(module: &mut Module, func: Func) -> Result<(), String> {
    run_pass(module, func, "unreachable", |f, _| unreachable::run(f))?;
    run_pass(module, func, "scalarize", |f, _| scalarize::run(f))?;
    run_pass(module, func, "dce", |f, _| dce::run(f))?;
    run_scalar_passes(module, func, true)?;
    if unroll_loops(module, func)? {
        run_scalar_passes(module, func, false)?;
    }
    if run_pass(module, func, "licm", |f, _| licm::run(f))? {
        run_pass(module, func, "cse", |f, _| cse::run(f))?;
    }
    Ok(())
}

/// Runs the scalar optimizations until nothing changes, or [`MAX_ITERATIONS`] times. `is_dce_done`: nothing has changed
/// since `dce` ran.
fn run_scalar_passes(module: &mut Module, func: Func, mut is_dce_done: bool) -> Result<(), String> {
    for _ in 0..MAX_ITERATIONS {
        let mut changed =
            run_pass(module, func, "infer_address_spaces", |f, _| infer_address_spaces::run(f))?;
        changed |= run_pass(module, func, "sroa", |f, _| sroa::run(f))?;
        changed |= run_pass(module, func, "mem2reg", |f, _| mem2reg::run(f))?;
        changed |= run_pass(module, func, "simplify", |f, m| simplify::run(f, &m.globals))?;
        changed |= run_pass(module, func, "if_conversion", |f, _| if_conversion::run(f))?;
        changed |= run_pass(module, func, "cse", |f, _| cse::run(f))?;
        if changed || !is_dce_done {
            changed |= run_pass(module, func, "dce", |f, _| dce::run(f))?;
            is_dce_done = true;
        }
        if !changed {
            break;
        }
    }
    Ok(())
}

/// Unrolls loops from the inside out. Returns true if any was unrolled.
fn unroll_loops(module: &mut Module, func: Func) -> Result<bool, String> {
    for depth in 0..MAX_UNROLL_DEPTH {
        if !run_pass(module, func, "unroll", |f, _| unroll::run(f))? {
            return Ok(depth > 0);
        }
        run_pass(module, func, "simplify", |f, m| simplify::run(f, &m.globals))?;
    }
    Ok(true)
}

/// Rewrites merges of signs by masks, for drivers that take those for a copysign and get it wrong.
pub fn rewrite_sign_merges(module: &mut Module, doubles: bool) -> Result<(), String> {
    let functions: Vec<Func> = module.functions.keys().collect();
    for func in functions {
        if run_pass(module, func, "sign_merge", |f, _| sign_merge::run(f, doubles))? {
            run_pass(module, func, "dce", |f, _| dce::run(f))?;
        }
    }
    Ok(())
}

/// Early simplification: runs the passes that pay off before a function is inlined.
fn simplify_early(module: &mut Module, func: Func) -> Result<(), String> {
    let function = &mut module.functions[func];
    unreachable::run(function);
    infer_address_spaces::run(function);
    sroa::run(function);
    mem2reg::run(function);
    simplify::run(function, &module.globals);
    if if_conversion::run(function) {
        simplify::run(function, &module.globals);
    }
    cse::run(function);
    dce::run(function);
    Ok(())
}

/// Runs one pass on one function and verifies in debug builds.
fn run_pass(
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

/// Pipelines that do nothing, for tests of inlining alone.
const NO_PIPELINES: inline::Pipelines =
    inline::Pipelines { simplify_early: |_, _| Ok(()), optimize: |_, _| Ok(()) };

/// Runs one pass by the name of its file on every function of a module; for file tests and
/// debugging. `None` if there is no such pass.
pub fn run_named(module: &mut Module, name: &str) -> Option<Result<(), String>> {
    let pass: fn(&mut Function) -> bool = match name {
        "optimize" => return Some(optimize(module)),
        "optimize_calls" => return Some(optimize_with(module, inline::Thresholds::NONE)),
        "inline" => return Some(inline::run(module, inline::Thresholds::ALL, &NO_PIPELINES)),
        "calls" => return Some(inline::run(module, inline::Thresholds::NONE, &NO_PIPELINES)),
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
        "if_conversion" => if_conversion::run,
        "infer_address_spaces" => infer_address_spaces::run,
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
