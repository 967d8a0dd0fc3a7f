//! Transformations of the IR, one file each, and the pipeline that runs them.

pub mod alignment;
pub mod argument_promotion;
pub mod bytes;
pub mod check;
pub mod cloned_iteration;
pub mod contract;
pub mod cse;
pub mod cursor;
pub mod dce;
pub mod dead_args;
pub mod dead_stores;
pub mod dot_products;
mod fall_through;
mod held_memory;
pub mod if_conversion;
pub mod infer_address_spaces;
pub mod inline;
pub mod invariant_loads;
pub mod irreducible;
pub mod legalize;
pub mod licm;
pub mod long_counters;
pub mod loop_exits;
pub mod loop_promotion;
mod loop_tests;
pub mod matrices;
pub mod matrix_choices;
pub mod mem2reg;
pub mod narrow_offsets;
pub mod nesting;
pub mod partial_unroll;
mod pending_targets;
pub mod products;
pub mod recursion;
pub mod rotate;
pub mod scalarize;
mod select_operands;
pub mod shared_calls;
pub mod simplify;
pub mod sroa;
pub mod ssa_repair;
pub mod store_merging;
pub mod structurize;
pub mod unreachable;
pub mod unroll;
pub mod unswitch;
pub mod vectorize;

use crate::analysis::call_graph::bottom_up;
use crate::ir::verify::{debug_verify, debug_verify_function};
use crate::ir::{Func, Function, KernelEntry, Module, Scalar, Structure};
use crate::target::{CallSharing, DotProducts, Target};
use cranelift_entity::SecondaryMap;
use hekla_device::Quirks;

/// The most times that the scalar optimizations are run.
const MAX_ITERATIONS: usize = 3;

/// The greatest depth of nested loops that are unrolled.
const MAX_UNROLL_DEPTH: usize = 4;

/// Returns the most loops of a function that a pass may transform, if each takes a walk over the whole function.
fn most_searches(func: &Function) -> usize {
    64 + (1 << 22) / (func.num_insts() + func.layout.len() + 1)
}

/// The context of a pass on a function. The function's place in the module is empty while the pass runs.
pub struct PassContext<'a> {
    pub target: &'a Target,
    pub module: &'a Module,
    pub id: Func,
}

impl PassContext<'_> {
    /// Returns the kernel that has the function as its entry, if there is one.
    pub fn kernel(&self) -> Option<&KernelEntry> {
        self.module.kernel_of(self.id)
    }
}

/// A pass on one function.
pub struct FunctionPass {
    /// The name of the pass's file.
    pub name: &'static str,
    /// Returns true for a module and a device that need the pass.
    pub is_needed: fn(&Module, &Target) -> bool,
    /// Runs the pass. Returns true if it changed anything.
    pub run: fn(&mut Function, &PassContext<'_>) -> bool,
}

/// The name of a pass on a module, and the pass.
type ModulePass = (&'static str, fn(&mut Module) -> Result<(), String>);

/// Defines a constant for each pass on functions, and a list of the passes. A pass that only some devices need has its
/// condition behind `when`.
macro_rules! function_passes {
    ($(#[$doc:meta])+ $list:ident:
     $($pass:ident = $name:literal $(when $condition:expr)?, $run:expr;)*) => {
        $(const $pass: $crate::passes::FunctionPass = $crate::passes::FunctionPass {
            name: $name,
            is_needed: $crate::passes::function_passes!(@condition $($condition)?),
            run: $run,
        };)*
        $(#[$doc])+
        const $list: &[$crate::passes::FunctionPass] = &[$($pass),*];
    };
    (@condition) => { |_, _| true };
    (@condition $condition:expr) => { $condition };
}
pub(crate) use function_passes;

function_passes! {
    /// The passes on single functions that the pipeline runs.
    FUNCTION_PASSES:
    ALIGNMENT = "alignment", |func, _| alignment::run(func);
    BYTES = "bytes", |func, _| bytes::run(func);
    CSE = "cse", |func, c| cse::run(func, c.kernel());
    DCE = "dce", |func, _| dce::run(func);
    DEAD_STORES = "dead_stores", |func, c| dead_stores::run(func, c.kernel());
    IF_CONVERSION = "if_conversion", |func, c| if_conversion::run(func, c.target.quirks);
    INFER_ADDRESS_SPACES = "infer_address_spaces", |func, _| infer_address_spaces::run(func);
    LICM = "licm", |func, c| licm::run(func, c.kernel(), c.target.has(Quirks::ROWS_FIRST));
    LONG_COUNTERS = "long_counters", |func, c| long_counters::run(func, c.kernel());
    LOOP_PROMOTION = "loop_promotion", |func, c| loop_promotion::run(func, c.kernel());
    MATRIX_CHOICES = "matrix_choices", |func, _| matrix_choices::run(func);
    MEM2REG = "mem2reg", |func, _| mem2reg::run(func);
    PARTIAL_UNROLL = "partial_unroll", |func, c| partial_unroll::run(func, c.target.quirks);
    PRODUCTS = "products" when |_, target| target.has(Quirks::SLOW_PRODUCTS),
        |func, _| products::run(func);
    ROTATE = "rotate", |func, c| rotate::run(func, c.kernel());
    SCALARIZE = "scalarize", |func, _| scalarize::run(func);
    SELECT_OPERANDS = "select_operands", |func, c| select_operands::run(func, c.kernel());
    SIMPLIFY = "simplify", |func, c| simplify::run(func, &c.module.globals, c.kernel());
    SROA = "sroa", |func, _| sroa::run(func);
    STORE_MERGING = "store_merging", |func, _| store_merging::run(func);
    UNREACHABLE = "unreachable", |func, _| unreachable::run(func);
    UNROLL = "unroll", |func, c| unroll::run(func, c.target.quirks);
    UNSWITCH = "unswitch", |func, _| unswitch::run(func);
    VECTORIZE = "vectorize", |func, c| vectorize::run(func, c.kernel(), c.target);
}

/// The passes that the pipeline runs in other ways, in the form in which file tests run them.
const OTHER_PASSES: &[ModulePass] = &[
    ("contract", |module| on_each(module, |func| contract::run(func, Scalar::is_float))),
    ("dead_args", |module| {
        dead_args::run(module);
        Ok(())
    }),
    ("dot_products", |module| on_each(module, |func| dot_products::run(func, DotProducts::ALL))),
    ("inline", |module| inline::run(module, inline::Thresholds::ALL, &NoPasses)),
    ("invariant_loads", |module| invariant_loads::run(module).map(|_| ())),
    ("legalize", |module| legalize::run(module, &Target::generic(), None).map(|_| ())),
    ("narrow_offsets", |module| {
        for id in module.functions.keys() {
            run_on(module, id, &Target::generic(), |func, c| {
                narrow_offsets::run(func, c.kernel(), (1 << 32) - 4)
            });
        }
        Ok(())
    }),
    ("recursion", |module| {
        Pipeline::new(&Target::generic()).unfold_recursion(module).map_err(|e| e.to_string())
    }),
    ("structurize", |module| on_each(module, structurize::run)),
    ("vectorize_local", |module| {
        vectorize::run_on_local(module, &Target::generic());
        Ok(())
    }),
];

/// Combinations of passes, and passes in other circumstances, for file tests.
const VARIANTS: &[ModulePass] = &[
    ("alignment_of_objects", |module| {
        on_each(module, |func| {
            func.exact_objects = true;
            alignment::run(func)
        })
    }),
    ("alignment_of_called", |module| {
        module.functions.values_mut().for_each(|func| func.exact_objects = true);
        alignment::run_on_called(module).map(|_| ())
    }),
    ("calls", |module| inline::run(module, inline::Thresholds::NONE, &NoPasses)),
    ("shared_calls", shared_calls::run),
    ("optimize", |module| Pipeline::new(&Target::generic()).optimize_module(module)),
    ("optimize_calls", |module| {
        let target = Target::generic();
        let pipeline = Pipeline::new(&target).with_thresholds(inline::Thresholds::NONE);
        pipeline.optimize_module(module)
    }),
];

/// Returns the names of the passes that a [`Pipeline`] runs.
pub fn names() -> Vec<&'static str> {
    let function_passes = FUNCTION_PASSES.iter().map(|pass| pass.name);
    function_passes.chain(OTHER_PASSES.iter().map(|pass| pass.0)).collect()
}

/// Runs the pass with the name of its file on every function of a module; for file tests and debugging. The name may be
/// followed by `@` and the name of a quirk, which the device then has. `None` if there is no such pass.
pub fn run_named(module: &mut Module, name: &str) -> Option<Result<(), String>> {
    if let Some(device) = name.strip_prefix("legalize_") {
        return Some(legalize::run(module, &legalize::device(device)?, None).map(|_| ()));
    }
    if run_function_pass(FUNCTION_PASSES, module, name).is_some() {
        return Some(Ok(()));
    }
    let (_, pass) = OTHER_PASSES.iter().chain(VARIANTS).find(|pass| pass.0 == name)?;
    Some(pass(module))
}

/// Runs a pass of `list` as [`run_named`] does, even if the device does not need it.
pub(crate) fn run_function_pass(
    list: &[FunctionPass],
    module: &mut Module,
    name: &str,
) -> Option<()> {
    let (name, quirk) = name.split_once('@').unwrap_or((name, ""));
    let quirks = if quirk.is_empty() { Quirks::empty() } else { Quirks::from_name(quirk)? };
    let target = Target { quirks, ..Target::generic() };
    let pass = list.iter().find(|pass| pass.name == name)?;
    for id in module.functions.keys() {
        run_on(module, id, &target, pass.run);
    }
    Some(())
}

/// Runs a pass on every function, and ignores its results.
fn on_each<T>(module: &mut Module, pass: impl Fn(&mut Function) -> T) -> Result<(), String> {
    module.functions.values_mut().for_each(|func| _ = pass(func));
    Ok(())
}

/// Runs a pass on one function.
fn run_on(
    module: &mut Module,
    id: Func,
    target: &Target,
    pass: impl FnOnce(&mut Function, &PassContext<'_>) -> bool,
) -> bool {
    let empty = Function::new("", &[], None);
    let mut function = std::mem::replace(&mut module.functions[id], empty);
    let changed = pass(&mut function, &PassContext { target, module, id });
    module.functions[id] = function;
    changed
}

/// Called after each pass with the pass's name, the module, and the function, if the pass ran on a single one.
pub type Observer<'a> = dyn Fn(&'static str, &Module, Option<Func>) + 'a;

/// The passes for a device, in the order in which they run.
pub struct Pipeline<'a> {
    target: &'a Target,
    thresholds: inline::Thresholds,
    observer: Option<&'a Observer<'a>>,
}

impl<'a> Pipeline<'a> {
    /// Returns the pipeline for a device.
    pub fn new(target: &'a Target) -> Pipeline<'a> {
        Pipeline { target, thresholds: inline::Thresholds::default(), observer: None }
    }

    /// Returns the pipeline with other thresholds for inlining.
    pub fn with_thresholds(self, thresholds: inline::Thresholds) -> Pipeline<'a> {
        Pipeline { thresholds, ..self }
    }

    /// Returns the pipeline for a device, which calls `observer` after each pass.
    pub fn observed(target: &'a Target, observer: &'a Observer<'a>) -> Pipeline<'a> {
        Pipeline { observer: Some(observer), ..Pipeline::new(target) }
    }

    /// Removes recursion that ends by constants from a module. [`Pipeline::optimize_module`] does this, too.
    ///
    /// Errors: other recursion.
    pub fn unfold_recursion(&self, module: &mut Module) -> Result<(), recursion::Error> {
        recursion::run(module, self)?;
        self.observe("recursion", module, None);
        Ok(())
    }

    /// Optimizes a module and prepares it for structurization: only the kernels' entry functions and the functions that they
    /// call remain, with reachable blocks only, and scalar except for memory accesses (see [`scalarize`]).
    ///
    /// Errors: recursion that constants do not end, or a kernel that is too large; in debug builds also a pass that breaks a
    /// rule of the IR.
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

    /// Fuses products and sums that may be contracted, if the device has a fused Fma.
    pub fn contract(&self, module: &mut Module, target: &Target) -> Result<(), String> {
        self.run_on_all(module, "contract", |func| {
            contract::run(func, |scalar| contract::is_fused(target, scalar))
        })
    }

    /// Replaces sums of products by dot products of the kinds that a device accelerates.
    pub fn dot_products(&self, module: &mut Module, target: &Target) -> Result<(), String> {
        self.run_on_all(module, "dot_products", |func| {
            dot_products::run(func, target.accelerated_dot_products)
        })
    }

    /// Lowers the alignments of accesses in called functions, if the device is a processor.
    pub fn align_called(&self, module: &mut Module, target: &Target) -> Result<(), String> {
        if target.exact_objects && alignment::run_on_called(module)? {
            self.observe("alignment", module, None);
            debug_verify(module, "alignment")?;
        }
        Ok(())
    }

    /// Marks loads of memory that nothing writes, if the device's driver makes use of it. Must run before legalization, which
    /// splits the arguments that the analysis needs.
    pub fn mark_invariant_loads(&self, module: &mut Module, target: &Target) -> Result<(), String> {
        if target.has(Quirks::READ_ONLY_LOADS) && invariant_loads::run(module)? {
            self.observe("invariant_loads", module, None);
            debug_verify(module, "invariant_loads")?;
        }
        Ok(())
    }

    /// Vectorizes accesses to work-group memory, if the device's driver makes use of it.
    pub fn vectorize_local(&self, module: &mut Module, target: &Target) -> Result<(), String> {
        if !target.has_whole_local_vectors() {
            return Ok(());
        }
        let changed = vectorize::run_on_local(module, target);
        self.observe("vectorize_local", module, None);
        debug_verify(module, "vectorize_local")?;
        changed.into_iter().try_for_each(|func| self.pass(module, func, DCE).map(|_| ()))
    }

    /// Narrows counters of loops, if the device's driver makes use of it.
    pub fn narrow_counters(&self, module: &mut Module, target: &Target) -> Result<(), String> {
        if !(target.has(Quirks::SLOW_LONG_COUNTERS) && target.int64) {
            return Ok(());
        }
        let functions: Vec<Func> = module.functions.keys().collect();
        for id in functions {
            if self.pass(module, id, LONG_COUNTERS)? {
                self.pass(module, id, CSE)?;
                self.pass(module, id, DCE)?;
            }
        }
        Ok(())
    }

    /// Narrows the offsets of addresses, if the device's driver makes use of it. Must run before legalization, which splits
    /// launch values and their low words.
    pub fn narrow_offsets(&self, module: &mut Module, target: &Target) -> Result<(), String> {
        let Some(largest) = target.narrow_offsets.filter(|_| target.int64) else { return Ok(()) };
        let functions: Vec<Func> = module.functions.keys().collect();
        for id in functions {
            let narrow = |func: &mut Function, c: &PassContext<'_>| {
                narrow_offsets::run(func, c.kernel(), largest.into())
            };
            if self.run(module, id, "narrow_offsets", narrow)? {
                self.pass(module, id, CSE)?;
                self.pass(module, id, DCE)?;
            }
        }
        Ok(())
    }

    /// Inlines all calls in the functions of a module without kernels, and optimizes them.
    pub fn optimize_library(&self, module: &mut Module) -> Result<(), String> {
        let all: Vec<Func> = module.functions.keys().collect();
        for func in bottom_up(module, all)? {
            inline::inline_some(module, func, |_| true)?;
            inline::FunctionPasses::optimize(self, module, func)?;
        }
        Ok(())
    }

    /// Legalizes all functions for a device. The module `doubles` contains the arithmetic of doubles, if the device has
    /// none.
    pub fn legalize(
        &self,
        module: &mut Module,
        target: &Target,
        doubles: Option<&Module>,
    ) -> Result<(), String> {
        let changed = legalize::run(module, target, doubles)?;
        self.observe("legalize", module, None);
        debug_verify(module, "legalize")?;
        for func in changed {
            self.pass(module, func, CSE)?;
            self.pass(module, func, DCE)?;
        }
        self.run_needed(module, &[PRODUCTS])?;
        legalize::debug_check(module, target)
    }

    /// Runs the passes of a list that the module and the device need, on all functions.
    pub fn run_needed(&self, module: &mut Module, list: &[FunctionPass]) -> Result<(), String> {
        for pass in list {
            if !(pass.is_needed)(module, self.target) {
                continue;
            }
            let functions: Vec<Func> = module.functions.keys().collect();
            for func in functions {
                if self.run(module, func, pass.name, pass.run)? {
                    self.pass(module, func, DCE)?;
                }
            }
        }
        Ok(())
    }

    /// Runs a pass that is not in the table on all functions.
    fn run_on_all(
        &self,
        module: &mut Module,
        name: &'static str,
        pass: impl Fn(&mut Function) -> bool,
    ) -> Result<(), String> {
        let functions: Vec<Func> = module.functions.keys().collect();
        for func in functions {
            if self.run(module, func, name, |f, _| pass(f))? {
                self.pass(module, func, DCE)?;
            }
        }
        Ok(())
    }

    /// Structures each function's control flow. No pass may change it afterwards. Within the bounds of `sharing`, calls of
    /// large functions share call sites.
    ///
    /// Errors: recursion.
    pub fn structurize(
        &self,
        module: &mut Module,
        sharing: Option<CallSharing>,
    ) -> Result<SecondaryMap<Func, Structure>, String> {
        let shared = shared_calls::choose(module, sharing)?;
        let mut structures = SecondaryMap::new();
        let functions: Vec<Func> = module.functions.keys().collect();
        for func in functions {
            let function = &mut module.functions[func];
            structures[func] =
                structurize::run_and_share(function, &shared[func], self.target.quirks);
            self.observe("structurize", module, Some(func));
        }
        Ok(structures)
    }

    /// Runs the scalar optimizations until only CSE and DCE change anything, or [`MAX_ITERATIONS`] times. `is_dce_done`:
    /// nothing has changed since `dce` ran.
    fn run_scalar_passes(
        &self,
        module: &mut Module,
        func: Func,
        mut is_dce_done: bool,
    ) -> Result<(), String> {
        for iteration in 0..MAX_ITERATIONS {
            let mut changed = self.pass(module, func, INFER_ADDRESS_SPACES)?;
            if changed {
                // Splits vectors that are now known to be in private or work-group memory.
                self.pass(module, func, SCALARIZE)?;
            }
            changed |= self.pass(module, func, SROA)?;
            changed |= self.pass(module, func, MEM2REG)?;
            changed |= self.pass(module, func, SIMPLIFY)?;
            changed |= self.pass(module, func, IF_CONVERSION)?;
            changed |= self.pass(module, func, SELECT_OPERANDS)?;
            if iteration > 0 && !changed {
                // CSE and DCE have processed the current code already.
                break;
            }
            changed |= self.pass(module, func, CSE)?;
            if changed || !is_dce_done {
                changed |= self.pass(module, func, DCE)?;
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
            if !self.pass(module, func, UNROLL)? {
                return Ok(depth > 0);
            }
            self.pass(module, func, SIMPLIFY)?;
        }
        Ok(true)
    }

    /// Hoists invariant computations out of loops, and loads that are certain to run once the loop is rotated.
    fn hoist_out_of_loops(&self, module: &mut Module, func: Func) -> Result<(), String> {
        let mut changed = self.pass(module, func, LICM)?;
        if self.pass(module, func, ROTATE)? {
            self.pass(module, func, SIMPLIFY)?;
            self.pass(module, func, LICM)?;
            changed = true;
        }
        if self.pass(module, func, LOOP_PROMOTION)? {
            self.pass(module, func, MEM2REG)?;
            self.pass(module, func, SIMPLIFY)?;
            changed = true;
        }
        if changed {
            self.pass(module, func, CSE)?;
        }
        Ok(())
    }

    /// Runs a pass of the table on one function.
    fn pass(&self, module: &mut Module, func: Func, pass: FunctionPass) -> Result<bool, String> {
        self.run(module, func, pass.name, pass.run)
    }

    /// Runs one pass on one function and verifies in debug builds.
    fn run(
        &self,
        module: &mut Module,
        func: Func,
        name: &'static str,
        pass: impl FnOnce(&mut Function, &PassContext<'_>) -> bool,
    ) -> Result<bool, String> {
        let changed = run_on(module, func, self.target, pass);
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
        self.pass(module, func, UNREACHABLE)?;
        self.pass(module, func, INFER_ADDRESS_SPACES)?;
        self.pass(module, func, SROA)?;
        self.pass(module, func, MEM2REG)?;
        self.pass(module, func, SIMPLIFY)?;
        if self.pass(module, func, IF_CONVERSION)? {
            self.pass(module, func, SIMPLIFY)?;
        }
        self.pass(module, func, CSE)?;
        self.pass(module, func, DCE)?;
        Ok(())
    }

    fn optimize(&self, module: &mut Module, func: Func) -> Result<(), String> {
        self.pass(module, func, UNREACHABLE)?;
        if scalarize::keeps_vectors(&module.functions[func]) {
            self.pass(module, func, SROA)?;
            self.pass(module, func, MEM2REG)?;
        }
        self.pass(module, func, SCALARIZE)?;
        self.pass(module, func, DCE)?;
        self.run_scalar_passes(module, func, true)?;
        if self.pass(module, func, BYTES)? {
            self.run_scalar_passes(module, func, false)?;
        }
        let unswitched = self.pass(module, func, UNSWITCH)?;
        if unswitched {
            self.pass(module, func, SIMPLIFY)?;
        }
        if self.unroll_loops(module, func)? || unswitched {
            self.run_scalar_passes(module, func, false)?;
        }
        if self.pass(module, func, MATRIX_CHOICES)? {
            self.pass(module, func, SROA)?;
            self.pass(module, func, MEM2REG)?;
            self.run_scalar_passes(module, func, false)?;
        }
        self.hoist_out_of_loops(module, func)?;
        // Functions that are not kernels may be unrolled better after they have been inlined.
        if module.kernel_of(func).is_some() && self.pass(module, func, PARTIAL_UNROLL)? {
            self.pass(module, func, SIMPLIFY)?;
            self.pass(module, func, CSE)?;
            self.pass(module, func, DCE)?;
        }
        self.pass(module, func, DEAD_STORES)?;
        self.pass(module, func, ALIGNMENT)?;
        if self.pass(module, func, STORE_MERGING)? | self.pass(module, func, VECTORIZE)? {
            self.pass(module, func, DCE)?;
        }
        Ok(())
    }
}

/// Runs no passes between inlining, for tests of inlining alone.
struct NoPasses;

impl inline::FunctionPasses for NoPasses {
    fn simplify_early(&self, _: &mut Module, _: Func) -> Result<(), String> {
        Ok(())
    }

    fn optimize(&self, _: &mut Module, _: Func) -> Result<(), String> {
        Ok(())
    }
}
