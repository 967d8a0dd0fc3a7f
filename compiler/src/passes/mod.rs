//! Transformations of the IR, one file each, and the pipeline that runs them.

pub mod argument_promotion;
pub mod cse;
pub mod cursor;
pub mod dce;
pub mod dead_args;
pub mod fold;
pub mod if_conversion;
pub mod infer_address_spaces;
pub mod inline;
pub mod irreducible;
pub mod legalize;
pub mod licm;
pub mod loop_exits;
pub mod mem2reg;
pub mod scalarize;
pub mod simplify;
pub mod sroa;
pub mod ssa_repair;
pub mod structurize;
pub mod unreachable;
pub mod unroll;

use crate::ir::verify::{debug_verify, debug_verify_function};
use crate::ir::{Func, Function, Module, Structure};
use crate::target::Target;
use cranelift_entity::SecondaryMap;

/// The most times that the scalar optimizations are run.
const MAX_ITERATIONS: usize = 3;

/// The most nested loops that are unrolled.
const MAX_UNROLL_DEPTH: usize = 4;

/// The names of the passes that a [`Pipeline`] runs.
pub const NAMES: [&str; 15] = [
    "cse",
    "dce",
    "dead_args",
    "if_conversion",
    "infer_address_spaces",
    "inline",
    "legalize",
    "licm",
    "mem2reg",
    "scalarize",
    "simplify",
    "sroa",
    "structurize",
    "unreachable",
    "unroll",
];

/// Called after each pass with its name, the module, and the function that it ran on, if it ran on a single one.
pub type Observer<'a> = dyn Fn(&'static str, &Module, Option<Func>) + 'a;

/// The passes in their order.
#[derive(Default)]
pub struct Pipeline<'a> {
    thresholds: inline::Thresholds,
    observer: Option<&'a Observer<'a>>,
}

impl<'a> Pipeline<'a> {
    /// Returns the pipeline with other thresholds of inlining.
    pub fn with_thresholds(thresholds: inline::Thresholds) -> Pipeline<'a> {
        Pipeline { thresholds, observer: None }
    }

    /// Returns the pipeline that tells `observer` of each pass.
    pub fn observed(observer: &'a Observer<'a>) -> Pipeline<'a> {
        Pipeline { observer: Some(observer), ..Pipeline::default() }
    }

    /// Optimizes a module and leaves it ready for structurization: the kernels' entry functions and the
    /// functions that they call, reachable blocks only, and scalar except for memory accesses (see
    /// [`scalarize`]).
    ///
    /// Errors: recursion, or a kernel that is too large; in debug builds also a pass that breaks a rule
    /// of the IR.
    pub fn optimize_module(&self, module: &mut Module) -> Result<(), String> {
        debug_verify(module, "lowering")?;
        inline::run(module, self.thresholds, self)?;
        self.observe("inline", module, None);
        debug_verify(module, "inline")?;
        if module.functions.len() > module.kernels.len() {
            dead_args::run(module);
            self.observe("dead_args", module, None);
            debug_verify(module, "dead_args")?;
        }
        Ok(())
    }

    /// Legalizes all functions for a device.
    pub fn legalize(&self, module: &mut Module, target: &Target) -> Result<(), String> {
        let functions: Vec<Func> = module.functions.keys().collect();
        for func in functions {
            if self.run(module, func, "legalize", |f, _| legalize::run(f, target))? {
                self.run(module, func, "cse", |f, m| cse::run(f, m.kernel_of(func)))?;
                self.run(module, func, "dce", |f, _| dce::run(f))?;
            }
        }
        Ok(())
    }

    /// Runs a pass of another room on all functions.
    pub fn run_on_all(
        &self,
        module: &mut Module,
        name: &'static str,
        pass: impl Fn(&mut Function) -> bool,
    ) -> Result<(), String> {
        let functions: Vec<Func> = module.functions.keys().collect();
        for func in functions {
            if self.run(module, func, name, |f, _| pass(f))? {
                self.run(module, func, "dce", |f, _| dce::run(f))?;
            }
        }
        Ok(())
    }

    /// Structures each function's control flow, which no pass may change any more.
    pub fn structurize(&self, module: &mut Module) -> SecondaryMap<Func, Structure> {
        let mut structures = SecondaryMap::new();
        let functions: Vec<Func> = module.functions.keys().collect();
        for func in functions {
            structures[func] = structurize::run(&mut module.functions[func]);
            self.observe("structurize", module, Some(func));
        }
        structures
    }

    /// Runs the scalar optimizations until nothing changes, or [`MAX_ITERATIONS`] times. `is_dce_done`: nothing has
    /// changed since `dce` ran.
    fn run_scalar_passes(
        &self,
        module: &mut Module,
        func: Func,
        mut is_dce_done: bool,
    ) -> Result<(), String> {
        for _ in 0..MAX_ITERATIONS {
            let mut changed = self
                .run(module, func, "infer_address_spaces", |f, _| infer_address_spaces::run(f))?;
            changed |= self.run(module, func, "sroa", |f, _| sroa::run(f))?;
            changed |= self.run(module, func, "mem2reg", |f, _| mem2reg::run(f))?;
            changed |= self.run(module, func, "simplify", |f, m| simplify::run(f, &m.globals))?;
            changed |= self.run(module, func, "if_conversion", |f, _| if_conversion::run(f))?;
            changed |= self.run(module, func, "cse", |f, m| cse::run(f, m.kernel_of(func)))?;
            if changed || !is_dce_done {
                changed |= self.run(module, func, "dce", |f, _| dce::run(f))?;
                is_dce_done = true;
            }
            if !changed {
                break;
            }
        }
        Ok(())
    }

    /// Unrolls loops from the inside out. Returns true if any was unrolled.
    fn unroll_loops(&self, module: &mut Module, func: Func) -> Result<bool, String> {
        for depth in 0..MAX_UNROLL_DEPTH {
            if !self.run(module, func, "unroll", |f, _| unroll::run(f))? {
                return Ok(depth > 0);
            }
            self.run(module, func, "simplify", |f, m| simplify::run(f, &m.globals))?;
        }
        Ok(true)
    }

    /// Runs one pass on one function and verifies in debug builds.
    fn run(
        &self,
        module: &mut Module,
        func: Func,
        name: &'static str,
        pass: impl FnOnce(&mut Function, &Module) -> bool,
    ) -> Result<bool, String> {
        let empty = Function::new("", &[], None);
        let mut function = std::mem::replace(&mut module.functions[func], empty);
        let changed = pass(&mut function, module);
        module.functions[func] = function;
        self.observe(name, module, Some(func));
        debug_verify_function(module, func, name)?;
        Ok(changed)
    }

    fn observe(&self, name: &'static str, module: &Module, func: Option<Func>) {
        if let Some(observer) = self.observer {
            observer(name, module, func);
        }
    }
}

impl inline::FunctionPasses for Pipeline<'_> {
    fn simplify_early(&self, module: &mut Module, func: Func) -> Result<(), String> {
        self.run(module, func, "unreachable", |f, _| unreachable::run(f))?;
        self.run(module, func, "infer_address_spaces", |f, _| infer_address_spaces::run(f))?;
        self.run(module, func, "sroa", |f, _| sroa::run(f))?;
        self.run(module, func, "mem2reg", |f, _| mem2reg::run(f))?;
        self.run(module, func, "simplify", |f, m| simplify::run(f, &m.globals))?;
        if self.run(module, func, "if_conversion", |f, _| if_conversion::run(f))? {
            self.run(module, func, "simplify", |f, m| simplify::run(f, &m.globals))?;
        }
        self.run(module, func, "cse", |f, m| cse::run(f, m.kernel_of(func)))?;
        self.run(module, func, "dce", |f, _| dce::run(f))?;
        Ok(())
    }

    fn optimize(&self, module: &mut Module, func: Func) -> Result<(), String> {
        self.run(module, func, "unreachable", |f, _| unreachable::run(f))?;
        self.run(module, func, "scalarize", |f, _| scalarize::run(f))?;
        self.run(module, func, "dce", |f, _| dce::run(f))?;
        self.run_scalar_passes(module, func, true)?;
        if self.unroll_loops(module, func)? {
            self.run_scalar_passes(module, func, false)?;
        }
        if self.run(module, func, "licm", |f, _| licm::run(f))? {
            self.run(module, func, "cse", |f, m| cse::run(f, m.kernel_of(func)))?;
        }
        Ok(())
    }
}

/// No passes between inlining, for tests of that alone.
struct NoPasses;

impl inline::FunctionPasses for NoPasses {
    fn simplify_early(&self, _: &mut Module, _: Func) -> Result<(), String> {
        Ok(())
    }

    fn optimize(&self, _: &mut Module, _: Func) -> Result<(), String> {
        Ok(())
    }
}

/// Runs one pass by the name of its file on every function of a module; for file tests and
/// debugging. `None` if there is no such pass.
pub fn run_named(module: &mut Module, name: &str) -> Option<Result<(), String>> {
    if let Some(device) = name.strip_prefix("legalize_") {
        let target = legalize::device(device)?;
        module.functions.values_mut().for_each(|func| _ = legalize::run(func, &target));
        return Some(Ok(()));
    }
    let pass: fn(&mut Function) -> bool = match name {
        "optimize" => return Some(Pipeline::default().optimize_module(module)),
        "optimize_calls" => {
            let pipeline = Pipeline::with_thresholds(inline::Thresholds::NONE);
            return Some(pipeline.optimize_module(module));
        }
        "inline" => return Some(inline::run(module, inline::Thresholds::ALL, &NoPasses)),
        "calls" => return Some(inline::run(module, inline::Thresholds::NONE, &NoPasses)),
        "dead_args" => {
            dead_args::run(module);
            return Some(Ok(()));
        }
        "cse" => {
            let Module { functions, kernels, .. } = module;
            for (id, func) in functions.iter_mut() {
                cse::run(func, kernels.iter().find(|kernel| kernel.func == id));
            }
            return Some(Ok(()));
        }
        "simplify" => {
            let Module { functions, globals, .. } = module;
            for func in functions.values_mut() {
                simplify::run(func, globals);
            }
            return Some(Ok(()));
        }
        "dce" => dce::run,
        "if_conversion" => if_conversion::run,
        "infer_address_spaces" => infer_address_spaces::run,
        "legalize" => |f| legalize::run(f, &Target::generic()),
        "licm" => licm::run,
        "mem2reg" => mem2reg::run,
        "scalarize" => scalarize::run,
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
