//! The inliner: decides which functions are inlined into their callers, and inlines them.
//!
//! It goes bottom-up over the call graph. Small functions and those that are called once are
//! inlined; large ones that are called from several places are kept, so that the size of a program's
//! code is about that of its text. The arguments of those are promoted ([`super::argument_promotion`]).

use super::argument_promotion::{self, PromotedSignature};
use super::cursor::Cursor;
use crate::analysis::argument_alias::ArgumentAlias;
use crate::analysis::call_graph::{calls, CallGraph};
use crate::analysis::underlying_objects::has_unknown_access;
use crate::ir::*;
use cranelift_entity::{EntityRef, PrimaryMap, SecondaryMap};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// A function of more instructions than this is refused.
pub const MAX_INSTS: usize = 1_000_000;

/// The thresholds of inlining.
#[derive(Debug, Clone, Copy)]
pub struct Thresholds {
    /// All calls of a kernel are inlined if it then has at most this number of instructions.
    pub kernel_size: usize,
    /// A function with at most this number of instructions is always inlined.
    pub always_inline_size: usize,
    /// A function is inlined if all inlined bodies but one have at most this number of instructions together.
    pub growth: usize,
    /// As `growth`, for functions with generic pointers among parameters and results.
    pub generic_pointer_growth: usize,
}

impl Default for Thresholds {
    fn default() -> Thresholds {
        Thresholds::DEFAULT
    }
}

impl Thresholds {
    pub const DEFAULT: Thresholds = Thresholds {
        kernel_size: 20_000,
        always_inline_size: 80,
        growth: 2_000,
        generic_pointer_growth: 50_000,
    };
    /// Inlines all calls but those of `noinline` functions.
    pub const ALL: Thresholds = Thresholds { kernel_size: usize::MAX, ..Thresholds::DEFAULT };
    /// Inlines only what must be; for tests.
    pub const NONE: Thresholds =
        Thresholds { kernel_size: 0, always_inline_size: 0, growth: 0, generic_pointer_growth: 0 };
}

/// The passes that are run on functions between inlining.
pub trait FunctionPasses {
    /// Early simplification: a few cheap passes that pay off before a function is inlined.
    fn simplify_early(&self, module: &mut Module, func: Func) -> Result<(), String>;
    /// All passes, for a function that is kept.
    fn optimize(&self, module: &mut Module, func: Func) -> Result<(), String>;
}

/// Inlines calls in all functions that the kernels reach, and optimizes what is kept: the kernels'
/// entries, and functions that they call, callees first.
///
/// Errors: recursion, programs that grow beyond [`MAX_INSTS`], and those of the passes.
pub fn run(
    module: &mut Module,
    thresholds: Thresholds,
    passes: &impl FunctionPasses,
) -> Result<(), String> {
    let graph = CallGraph::compute(module)?;
    if should_inline_all(module, &graph, thresholds) {
        return inline_all(module, &graph, passes);
    }
    for &func in &graph.order {
        passes.simplify_early(module, func)?;
    }
    let alias = ArgumentAlias::compute(module, &graph);
    let mut decisions: SecondaryMap<Func, InlineDecision> = SecondaryMap::new();
    for &func in &graph.order {
        inline_calls(module, func, &decisions)?;
        let is_kernel = module.kernels.iter().any(|kernel| kernel.func == func);
        if !is_kernel && graph.call_sites[func] == 1 && !module.functions[func].noinline {
            continue;
        }
        passes.optimize(module, func)?;
        if !is_kernel {
            decisions[func] = decide(module, func, &decisions, graph.call_sites[func], thresholds);
            if let InlineDecision::Keep { signature, has_unknown_access } = &mut decisions[func] {
                let function = &mut module.functions[func];
                *signature = argument_promotion::promote_arguments(
                    function,
                    func,
                    &alias,
                    *has_unknown_access,
                );
                passes.optimize(module, func)?;
                signature.prune(&mut module.functions[func]);
            }
        }
    }
    remove_unreachable_functions(module);
    Ok(())
}

/// Whether a function is inlined into its callers.
#[derive(Debug, Clone, Default)]
enum InlineDecision {
    #[default]
    Inline,
    Keep {
        signature: PromotedSignature,
        /// True if it, or a callee, accesses private memory through pointers whose underlying object is unknown.
        has_unknown_access: bool,
    },
}

/// Returns true if the kernels are small with all their calls inlined, and no called function is `noinline`.
fn should_inline_all(module: &Module, graph: &CallGraph, thresholds: Thresholds) -> bool {
    let mut sizes: SecondaryMap<Func, usize> = SecondaryMap::new();
    for &func in &graph.order {
        let function = &module.functions[func];
        let size = calls(function)
            .fold(function.num_insts(), |size, (callee, _)| size.saturating_add(sizes[callee]));
        sizes[func] = size;
        if size > thresholds.kernel_size || function.noinline && graph.call_sites[func] > 0 {
            return false;
        }
    }
    true
}

/// Inlines all calls, and keeps the kernels' entries alone. Early simplification does not pay for a function
/// that is called once: its caller is optimized anyway.
fn inline_all(
    module: &mut Module,
    graph: &CallGraph,
    passes: &impl FunctionPasses,
) -> Result<(), String> {
    let decisions = SecondaryMap::new();
    for &func in &graph.order {
        inline_calls(module, func, &decisions)?;
        if module.kernels.iter().any(|kernel| kernel.func == func) {
            passes.optimize(module, func)?;
        } else if graph.call_sites[func] != 1 {
            passes.simplify_early(module, func)?;
        }
    }
    remove_unreachable_functions(module);
    Ok(())
}

/// Decides whether a function that has been optimized is inlined into its callers.
fn decide(
    module: &Module,
    func: Func,
    decisions: &SecondaryMap<Func, InlineDecision>,
    sites: u32,
    thresholds: Thresholds,
) -> InlineDecision {
    let function = &module.functions[func];
    let size = function.num_insts();
    let growth = size.saturating_mul(sites.saturating_sub(1) as usize);
    let limit = match has_generic_pointers(function) {
        true => thresholds.generic_pointer_growth,
        false => thresholds.growth,
    };
    let inlines = size <= thresholds.always_inline_size || growth <= limit;
    if inlines && !function.noinline || is_bound_to_caller(function) {
        return InlineDecision::Inline;
    }
    let keeps_unknown_access = |func: Func| {
        matches!(decisions[func], InlineDecision::Keep { has_unknown_access: true, .. })
    };
    let has_unknown_access =
        has_unknown_access(function) || calls(function).any(|(f, _)| keeps_unknown_access(f));
    InlineDecision::Keep { signature: PromotedSignature::default(), has_unknown_access }
}

/// Returns true if a function has a barrier, or acts on sub-groups. Which work-items reach that together
/// would depend on how the device's compiler treats calls, and sizes of sub-groups are those of kernels.
fn is_bound_to_caller(func: &Function) -> bool {
    let is_bound = |data: &InstData| data.is_convergent() || data.is_of_subgroup();
    func.layout_insts().any(|inst| is_bound(&func.insts[inst]))
}

/// Returns true if parameters or results are generic pointers. Inlined, most get a specific address space.
fn has_generic_pointers(func: &Function) -> bool {
    let generic = |ty: Type| ty.space() == Some(AddressSpace::Generic);
    func.params().iter().any(|&param| generic(func.ty(param)))
        || func.returns.iter().any(|&ty| generic(ty))
}

/// Inlines or rewrites the calls of a function, according to the decisions about its callees.
fn inline_calls(
    module: &mut Module,
    func: Func,
    decisions: &SecondaryMap<Func, InlineDecision>,
) -> Result<(), String> {
    let mut caller = std::mem::replace(&mut module.functions[func], Function::new("", &[], None));
    let result = Inliner::new(&mut caller).run(module, decisions);
    module.functions[func] = caller;
    result
}

struct Inliner<'a> {
    caller: &'a mut Function,
    /// Objects of the callees, to go into the caller's entry.
    allocas: Vec<Inst>,
    /// The values that replace the results of calls.
    replaced: SecondaryMap<Value, Option<Value>>,
    any_replaced: bool,
    /// All results of inlined calls, by the first.
    results: FxHashMap<Value, SmallVec<[Value; 1]>>,
}

/// A callee's body while it is cloned: maps its values and blocks to the caller's.
struct ClonedBody<'a> {
    callee: &'a Function,
    values: Vec<Option<Value>>,
    blocks: FxHashMap<Block, Block>,
}

impl<'a> Inliner<'a> {
    fn new(caller: &'a mut Function) -> Inliner<'a> {
        Inliner {
            caller,
            allocas: Vec::new(),
            replaced: SecondaryMap::new(),
            any_replaced: false,
            results: FxHashMap::default(),
        }
    }

    fn run(
        mut self,
        module: &Module,
        decisions: &SecondaryMap<Func, InlineDecision>,
    ) -> Result<(), String> {
        let mut size = self.caller.num_insts();
        self.reserve(module, decisions);
        for block in std::mem::take(&mut self.caller.layout) {
            self.caller.layout.push(block);
            let insts = std::mem::take(&mut self.caller.blocks[block].insts);
            let mut insert_block = block;
            for inst in insts {
                if let InstData::CallResult { call, index } = self.caller.insts[inst] {
                    if let Some(values) = self.results.get(&call) {
                        let value = values[index as usize];
                        self.caller.result(inst).into_iter().for_each(|v| self.replace(v, value));
                        continue;
                    }
                }
                let InstData::Call { func: callee, args } = &mut self.caller.insts[inst] else {
                    self.caller.blocks[insert_block].insts.push(inst);
                    continue;
                };
                let (callee, args) = (*callee, std::mem::take(args));
                if let InlineDecision::Keep { signature, .. } = &decisions[callee] {
                    self.rewrite_call(insert_block, inst, callee, signature, &args);
                    continue;
                }
                let function = &module.functions[callee];
                size += function.num_insts();
                if size > MAX_INSTS {
                    let name = &self.caller.name;
                    return Err(format!("'{name}' is too large with all its calls inlined"));
                }
                insert_block = self.inline_call(insert_block, inst, function, &args);
            }
        }
        self.finish();
        Ok(())
    }

    /// Reserves memory for what is going to be inlined.
    fn reserve(&mut self, module: &Module, decisions: &SecondaryMap<Func, InlineDecision>) {
        let (mut insts, mut values) = (0, 0);
        for (callee, _) in calls(self.caller) {
            if matches!(decisions[callee], InlineDecision::Inline) {
                insts += module.functions[callee].num_insts();
                values += module.functions[callee].values.len();
            }
        }
        // A callee that is too large is not inlined.
        let Function { insts: own, results, values: own_values, .. } = &mut *self.caller;
        own.reserve(insts.min(MAX_INSTS));
        own_values.reserve(values.min(MAX_INSTS));
        results.resize(own.len() + insts.min(MAX_INSTS));
    }

    fn replace(&mut self, old: Value, new: Value) {
        self.replaced[old] = Some(new);
        self.any_replaced = true;
    }

    /// Rewrites a call of a kept function to the function's promoted signature.
    fn rewrite_call(
        &mut self,
        insert_block: Block,
        call: Inst,
        callee: Func,
        signature: &PromotedSignature,
        args: &[Value],
    ) {
        let mut cursor = Cursor::new(self.caller);
        cursor.out = std::mem::take(&mut cursor.func.blocks[insert_block].insts);
        let value = signature.call(&mut cursor, callee, args);
        cursor.finish(insert_block);
        if let (Some(result), Some(value)) = (self.caller.result(call), value) {
            self.replace(result, value);
        }
    }

    /// Clones a callee's body at the end of `insert_block`; returns the block where the caller continues.
    fn inline_call(
        &mut self,
        insert_block: Block,
        call: Inst,
        callee: &Function,
        args: &[Value],
    ) -> Block {
        let returns = callee.layout.iter().filter(|&&block| {
            let last = callee.terminator(block).map(|inst| &callee.insts[inst]);
            matches!(last, Some(InstData::Return { .. }))
        });
        let single = returns.clone().count() == 1;
        let mut clone = ClonedBody {
            callee,
            values: vec![None; callee.values.len()],
            blocks: FxHashMap::with_capacity_and_hasher(callee.layout.len(), Default::default()),
        };
        for (&param, &arg) in callee.params().iter().zip(args) {
            clone.values[param.index()] = Some(arg);
        }
        // The callee's entry goes on in the current block.
        clone.blocks.insert(callee.entry(), insert_block);
        for &block in &callee.layout[1..] {
            let new = self.caller.add_block();
            self.caller.blocks[new].unroll = callee.blocks[block].unroll;
            clone.blocks.insert(block, new);
            for &param in &callee.blocks[block].params {
                let value = self.map_value(&mut clone, param);
                self.caller.push_param(new, value);
            }
        }
        let result = self.caller.result(call);
        // With one return the caller goes on in its block; else all jump to a new block whose
        // parameters are the results.
        let after = if single { None } else { Some(self.caller.add_block()) };
        if let Some(after) = after {
            let params = callee.returns.iter().map(|&ty| self.caller.add_param(after, ty));
            let params: SmallVec<[Value; 1]> = params.collect();
            self.bind_results(result, params);
        }
        let mut rest = insert_block;
        for &block in &callee.layout {
            let into = clone.blocks[&block];
            for &inst in &callee.blocks[block].insts {
                match (&callee.insts[inst], after) {
                    (InstData::Return { values }, Some(after)) => {
                        let args = values.iter().map(|&v| self.map_value(&mut clone, v)).collect();
                        let target = BlockCall { block: after, args };
                        self.caller.append(into, InstData::Jump { target }, None);
                    }
                    (InstData::Return { values }, None) => {
                        let values =
                            values.iter().map(|&v| self.map_value(&mut clone, v)).collect();
                        self.bind_results(result, values);
                        rest = into;
                    }
                    _ => self.clone_inst(&mut clone, into, inst),
                }
            }
        }
        after.unwrap_or(rest)
    }

    /// Replaces the results of an inlined call, the first of which is `result`, by values.
    fn bind_results(&mut self, result: Option<Value>, values: SmallVec<[Value; 1]>) {
        if let Some(result) = result {
            self.replace(result, values[0]);
            self.results.insert(result, values);
        }
    }

    /// Returns the caller's value for one of the callee's, made on first sight.
    fn map_value(&mut self, clone: &mut ClonedBody, value: Value) -> Value {
        if let Some(known) = clone.values[value.index()] {
            return known;
        }
        let data = &clone.callee.values[value];
        let new = match data.def {
            ValueDef::Const(Constant::Undef) => self.caller.undef(data.ty),
            ValueDef::Const(Constant::Bits(bits)) => self.caller.constant(data.ty, bits),
            // The definition is filled in where it is met.
            _ => self.caller.values.push(data.clone()),
        };
        clone.values[value.index()] = Some(new);
        new
    }

    /// Clones an instruction into a block, or into the caller's entry if it is an alloca.
    fn clone_inst(&mut self, clone: &mut ClonedBody, into: Block, inst: Inst) {
        let mut data = clone.callee.insts[inst].clone();
        data.map_args(|arg| self.map_value(clone, arg));
        data.for_each_target_mut(|call| call.block = clone.blocks[&call.block]);
        let is_alloca = matches!(data, InstData::Alloca { .. });
        let new = self.caller.insts.push(data);
        if let Some(result) = clone.callee.result(inst) {
            let value = self.map_value(clone, result);
            self.caller.values[value].def = ValueDef::Inst(new);
            self.caller.results[new] = Some(value);
        }
        if is_alloca {
            self.allocas.push(new);
        } else {
            self.caller.blocks[into].insts.push(new);
        }
    }

    fn finish(self) {
        let entry = self.caller.entry();
        self.caller.blocks[entry].insts.splice(0..0, self.allocas);
        if self.any_replaced {
            let replaced = &self.replaced;
            self.caller.replace_uses(|mut value| {
                // The result of a call may be that of another.
                while let Some(next) = replaced[value] {
                    value = next;
                }
                value
            });
        }
    }
}

/// Removes the functions that no kernel reaches any more.
fn remove_unreachable_functions(module: &mut Module) {
    let Ok(graph) = CallGraph::compute(module) else { return };
    let mut renumber: SecondaryMap<Func, Option<Func>> = SecondaryMap::new();
    let mut reachable = PrimaryMap::new();
    for &func in &graph.order {
        let function = &mut module.functions[func];
        let function = std::mem::replace(function, Function::new("", &[], None));
        renumber[func] = Some(reachable.push(function));
    }
    let new = |func: Func| renumber[func].unwrap_or(func);
    for kernel in &mut module.kernels {
        kernel.func = new(kernel.func);
    }
    for function in reachable.values_mut() {
        for &inst in function.layout.iter().flat_map(|&block| &function.blocks[block].insts) {
            if let InstData::Call { func, .. } = &mut function.insts[inst] {
                *func = new(*func);
            }
        }
    }
    module.functions = reachable;
}
