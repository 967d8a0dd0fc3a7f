//! The inliner: decides which functions are inlined into their callers, and inlines them.
//!
//! It works bottom-up over the call graph. Small functions and functions that are called once are inlined. Large functions
//! that are called from several places are kept, so that the size of a program's code grows only with its text. The
//! arguments of kept functions are promoted ([`super::argument_promotion`]).
//!
//! The work is bounded for the module as a whole: copies take at most `room_for_copies` instructions; a body is removed as
//! soon as its last call is inlined; and in a chain of functions that are called once, each body is copied directly to the
//! end of the chain.

use super::argument_promotion::{self, PromotedSignature};
use super::cursor::Cursor;
use super::recursion;
use crate::analysis::argument_alias::ArgumentAlias;
use crate::analysis::call_graph::{calls, CallGraph};
use crate::analysis::underlying_objects::has_unknown_access;
use crate::ir::*;
use cranelift_entity::{EntityRef, PrimaryMap, SecondaryMap};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// The most instructions of a function. Larger functions are refused.
pub const MAX_INSTS: usize = 1_000_000;

/// The thresholds of inlining.
#[derive(Debug, Clone, Copy)]
pub struct Thresholds {
    /// All calls of a kernel are inlined if it then has at most this number of instructions.
    pub kernel_size: usize,
    /// A function with at most this number of instructions is always inlined.
    pub always_inline_size: usize,
    /// A function is inlined if all its inlined bodies but one have at most this number of instructions together.
    pub growth: usize,
    /// Like `growth`, for functions with generic pointers among parameters and results.
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
    /// Inlines all calls, except calls of `noinline` functions.
    pub const ALL: Thresholds = Thresholds { kernel_size: usize::MAX, ..Thresholds::DEFAULT };
    /// Inlines only the calls that must be inlined; for tests.
    pub const NONE: Thresholds =
        Thresholds { kernel_size: 0, always_inline_size: 0, growth: 0, generic_pointer_growth: 0 };
}

/// The passes that the inliner runs on functions.
pub trait FunctionPasses {
    /// Early simplification: a few cheap passes that pay off before a function is inlined.
    fn simplify_early(&self, module: &mut Module, func: Func) -> Result<(), String>;
    /// Runs all passes on a function that is kept.
    fn optimize(&self, module: &mut Module, func: Func) -> Result<(), String>;
}

/// Inlines calls in all functions that the kernels reach, and optimizes the functions that remain: the kernels' entries, and
/// functions that they call, callees first.
///
/// Errors: recursion that constants do not end, programs that grow beyond [`MAX_INSTS`], and errors of the passes.
pub fn run(
    module: &mut Module,
    thresholds: Thresholds,
    passes: &impl FunctionPasses,
) -> Result<(), String> {
    recursion::run(module, passes).map_err(|error| error.to_string())?;
    let graph = CallGraph::compute(module)?;
    let mut room = room_for_copies(module, &graph);
    let mut bodies = Bodies::new(module, &graph);
    if should_inline_all(module, &graph, thresholds, room) {
        return inline_all(module, &graph, &mut bodies, passes);
    }
    for &func in &graph.order {
        passes.simplify_early(module, func)?;
    }
    let alias = ArgumentAlias::compute(module, &graph);
    let mut decisions: SecondaryMap<Func, InlineDecision> = SecondaryMap::new();
    for &func in &graph.order {
        if bodies.is_deferred[func] {
            continue;
        }
        inline_calls(module, func, &decisions, &mut bodies)?;
        let is_kernel = bodies.is_kernel[func];
        if !is_kernel && graph.call_sites[func] == 1 && !module.functions[func].noinline {
            continue;
        }
        passes.optimize(module, func)?;
        if !is_kernel {
            let sites = graph.call_sites[func];
            decisions[func] = decide(module, func, &decisions, sites, thresholds, &mut room)?;
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

/// Instructions that copies of bodies may have beyond the bodies themselves, for each instruction of the module. In
/// addition [`MIN_COPIES`] are allowed in any module.
const COPIES: usize = 4;
const MIN_COPIES: usize = 500_000;

/// Returns the number of instructions that all copies of a module's bodies may have together.
fn room_for_copies(module: &Module, graph: &CallGraph) -> usize {
    let sizes = graph.order.iter().map(|&func| module.functions[func].num_insts());
    sizes.sum::<usize>() * COPIES + MIN_COPIES
}

/// The longest chain of functions, each called once by the next, in which each is inlined into the next.
const MAX_CHAIN: u32 = 64;

/// The state of the functions' bodies while calls are inlined.
struct Bodies {
    is_kernel: SecondaryMap<Func, bool>,
    /// By function, its calls that have yet to be inlined or rewritten.
    calls_left: SecondaryMap<Func, u32>,
    /// True if the calls in a body are inlined only when the body itself is inlined, because it is at the top of a long
    /// chain.
    is_deferred: SecondaryMap<Func, bool>,
}

impl Bodies {
    fn new(module: &Module, graph: &CallGraph) -> Bodies {
        let mut is_kernel = SecondaryMap::new();
        module.kernels.iter().for_each(|kernel| is_kernel[kernel.func] = true);
        let mut height: SecondaryMap<Func, u32> = SecondaryMap::new();
        let mut is_deferred = SecondaryMap::new();
        for &func in &graph.order {
            let function = &module.functions[func];
            let is_link = |func: Func| graph.call_sites[func] == 1 && !is_kernel[func];
            let below = calls(function).filter(|&(callee, _)| is_link(callee));
            height[func] = below.map(|(callee, _)| height[callee] + 1).max().unwrap_or(0);
            is_deferred[func] = height[func] > MAX_CHAIN && is_link(func) && !function.noinline;
        }
        Bodies { is_kernel, calls_left: graph.call_sites.clone(), is_deferred }
    }

    /// Notes that a call has been inlined. Returns true if the body is no longer needed.
    fn was_last_call(&mut self, callee: Func) -> bool {
        let left = &mut self.calls_left[callee];
        *left = left.saturating_sub(1);
        *left == 0 && !self.is_kernel[callee]
    }
}

/// Whether a function is inlined into its callers.
#[derive(Debug, Clone, Default)]
enum InlineDecision {
    #[default]
    Inline,
    Keep {
        signature: PromotedSignature,
        /// True if the function, or a callee, accesses private memory through pointers whose underlying object is
        /// unknown.
        has_unknown_access: bool,
    },
    /// The call does not change.
    Leave,
}

/// Returns true if the kernels are small with all their calls inlined, and no called function is `noinline`.
fn should_inline_all(
    module: &Module,
    graph: &CallGraph,
    thresholds: Thresholds,
    room: usize,
) -> bool {
    let mut copied = 0usize;
    let mut sizes: SecondaryMap<Func, usize> = SecondaryMap::new();
    for &func in &graph.order {
        let function = &module.functions[func];
        let size = calls(function)
            .fold(function.num_insts(), |size, (callee, _)| size.saturating_add(sizes[callee]));
        sizes[func] = size;
        if graph.call_sites[func] != 1 {
            copied = copied.saturating_add(size);
        }
        let is_kept = function.noinline && graph.call_sites[func] > 0;
        if size > thresholds.kernel_size || copied > room || is_kept {
            return false;
        }
    }
    true
}

/// Inlines all calls, and keeps only the kernels' entries. Early simplification does not pay for a function that is
/// called once, since its caller is optimized anyway.
fn inline_all(
    module: &mut Module,
    graph: &CallGraph,
    bodies: &mut Bodies,
    passes: &impl FunctionPasses,
) -> Result<(), String> {
    let decisions = SecondaryMap::new();
    for &func in &graph.order {
        if bodies.is_deferred[func] {
            continue;
        }
        inline_calls(module, func, &decisions, bodies)?;
        if bodies.is_kernel[func] {
            passes.optimize(module, func)?;
        } else if graph.call_sites[func] != 1 {
            passes.simplify_early(module, func)?;
        }
    }
    remove_unreachable_functions(module);
    Ok(())
}

/// Decides whether a function that has been optimized is inlined into its callers. Copies of the function reduce `room`.
///
/// Errors: the function has to be inlined, and there is no room.
fn decide(
    module: &Module,
    func: Func,
    decisions: &SecondaryMap<Func, InlineDecision>,
    sites: u32,
    thresholds: Thresholds,
    room: &mut usize,
) -> Result<InlineDecision, String> {
    let function = &module.functions[func];
    let size = function.num_insts();
    let growth = size.saturating_mul(sites.saturating_sub(1) as usize);
    let limit = match has_generic_pointers(function) {
        true => thresholds.generic_pointer_growth,
        false => thresholds.growth,
    };
    let inlines = size <= thresholds.always_inline_size || growth <= limit;
    let left = room.checked_sub(growth);
    let is_bound = is_bound_to_caller(function);
    if inlines && left.is_some() && !function.noinline || is_bound {
        let name = &function.name;
        *room = left.ok_or_else(|| {
            format!("the program is too large with all its calls of '{name}' inlined")
        })?;
        return Ok(InlineDecision::Inline);
    }
    let keeps_unknown_access = |func: Func| {
        matches!(decisions[func], InlineDecision::Keep { has_unknown_access: true, .. })
    };
    let has_unknown_access =
        has_unknown_access(function) || calls(function).any(|(f, _)| keeps_unknown_access(f));
    Ok(InlineDecision::Keep { signature: PromotedSignature::default(), has_unknown_access })
}

/// Returns true if a function has a barrier, or acts on sub-groups. If such a function were kept, the work-items that
/// reach the operation together would depend on how the device's compiler treats calls. The size of sub-groups is also
/// decided by the kernel, not by a function.
fn is_bound_to_caller(func: &Function) -> bool {
    let is_bound = |data: &InstData| data.is_convergent() || data.is_of_subgroup();
    func.layout_insts().any(|inst| is_bound(&func.insts[inst]))
}

/// Returns true if parameters or results are generic pointers. Most of them get a specific address space when the
/// function is inlined.
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
    bodies: &mut Bodies,
) -> Result<(), String> {
    let mut caller = std::mem::replace(&mut module.functions[func], Function::new("", &[], None));
    let result = Inliner::new(&mut caller).run(&mut Work { module, decisions, bodies });
    module.functions[func] = caller;
    result
}

/// Inlines the calls in a function to callees for which `wanted` returns true. The callees must not call the function.
/// Calls in the inlined bodies stay.
pub fn inline_some(
    module: &mut Module,
    func: Func,
    wanted: impl Fn(Func) -> bool,
) -> Result<(), String> {
    let mut decisions = SecondaryMap::with_default(InlineDecision::Leave);
    let callees: Vec<Func> = calls(&module.functions[func]).map(|(callee, _)| callee).collect();
    for callee in callees.into_iter().filter(|&callee| callee != func && wanted(callee)) {
        decisions[callee] = InlineDecision::Inline;
    }
    // No call is known to be the last one, so bodies must be kept.
    let mut bodies = Bodies {
        is_kernel: SecondaryMap::new(),
        calls_left: SecondaryMap::with_default(u32::MAX),
        is_deferred: SecondaryMap::new(),
    };
    inline_calls(module, func, &decisions, &mut bodies)
}

/// The module, the decisions and the bodies that inlining works with.
struct Work<'a> {
    module: &'a mut Module,
    decisions: &'a SecondaryMap<Func, InlineDecision>,
    bodies: &'a mut Bodies,
}

struct Inliner<'a> {
    caller: &'a mut Function,
    /// Number of instructions of the caller, including all inlined bodies.
    size: usize,
    /// Allocas of the callees, which are moved to the caller's entry.
    allocas: Vec<Inst>,
    /// By result of a call, the value that replaces it.
    replaced: SecondaryMap<Value, Option<Value>>,
    any_replaced: bool,
    /// By first result of an inlined call, all its results.
    results: FxHashMap<Value, SmallVec<[Value; 1]>>,
}

/// A callee's body that is being cloned. Maps its values and blocks to the caller's.
struct ClonedBody<'a> {
    callee: &'a Function,
    values: Vec<Option<Value>>,
    blocks: FxHashMap<Block, Block>,
    /// The location of the call, and, by the callee's locations, the locations of clones.
    call: Loc,
    locations: FxHashMap<Loc, Loc>,
}

impl<'a> Inliner<'a> {
    fn new(caller: &'a mut Function) -> Inliner<'a> {
        Inliner {
            caller,
            size: 0,
            allocas: Vec::new(),
            replaced: SecondaryMap::new(),
            any_replaced: false,
            results: FxHashMap::default(),
        }
    }

    fn run(mut self, work: &mut Work) -> Result<(), String> {
        self.size = self.caller.num_insts();
        self.reserve(work);
        for block in std::mem::take(&mut self.caller.layout) {
            self.caller.layout.push(block);
            let insts = std::mem::take(&mut self.caller.blocks[block].insts);
            let mut insert_block = block;
            for inst in insts {
                insert_block = self.place(work, insert_block, inst)?;
            }
        }
        self.finish();
        Ok(())
    }

    /// Appends an instruction to a block. A call is inlined or rewritten first. Returns the block where the caller
    /// continues.
    fn place(&mut self, work: &mut Work, block: Block, inst: Inst) -> Result<Block, String> {
        if let InstData::CallResult { call, index } = self.caller.insts[inst] {
            if let Some(values) = self.results.get(&call) {
                let value = values[index as usize];
                self.caller.result(inst).into_iter().for_each(|v| self.replace(v, value));
                return Ok(block);
            }
        }
        let InstData::Call { func: callee, args } = &mut self.caller.insts[inst] else {
            self.caller.blocks[block].insts.push(inst);
            return Ok(block);
        };
        if matches!(work.decisions[*callee], InlineDecision::Leave) {
            self.caller.blocks[block].insts.push(inst);
            return Ok(block);
        }
        let (callee, args) = (*callee, std::mem::take(args));
        self.caller.stand_at(inst);
        if let InlineDecision::Keep { signature, .. } = &work.decisions[callee] {
            self.rewrite_call(block, inst, callee, signature, &args);
            return Ok(block);
        }
        let empty = Function::new("", &[], None);
        let function = std::mem::replace(&mut work.module.functions[callee], empty);
        self.size += function.num_insts();
        if self.size > MAX_INSTS {
            let name = &self.caller.name;
            return Err(format!("'{name}' is too large with all its calls inlined"));
        }
        let next = self.inline_call(work, block, inst, callee, &function, &args)?;
        if !work.bodies.was_last_call(callee) {
            work.module.functions[callee] = function;
        }
        Ok(next)
    }

    /// Reserves memory for the bodies that will be inlined.
    fn reserve(&mut self, work: &Work) {
        let Work { module, decisions, .. } = work;
        let (mut insts, mut values) = (0, 0);
        for (callee, _) in calls(self.caller) {
            if matches!(decisions[callee], InlineDecision::Inline) {
                insts += module.functions[callee].num_insts();
                values += module.functions[callee].values.len();
            }
        }
        // A callee larger than this is not inlined.
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
        work: &mut Work,
        insert_block: Block,
        call: Inst,
        id: Func,
        callee: &Function,
        args: &[Value],
    ) -> Result<Block, String> {
        let is_deferred = work.bodies.is_deferred[id];
        let returns = callee.layout.iter().filter(|&&block| {
            let last = callee.terminator(block).map(|inst| &callee.insts[inst]);
            matches!(last, Some(InstData::Return { .. }))
        });
        let single = returns.clone().count() == 1;
        let mut clone = ClonedBody {
            callee,
            values: vec![None; callee.values.len()],
            blocks: FxHashMap::with_capacity_and_hasher(callee.layout.len(), Default::default()),
            call: self.caller.location_of(call),
            locations: FxHashMap::default(),
        };
        for (&param, &arg) in callee.params().iter().zip(args) {
            clone.values[param.index()] = Some(arg);
        }
        // The callee's entry is appended to the current block.
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
        // If there is one return, the caller continues in its block. Otherwise all returns jump to a new block, whose
        // parameters are the results.
        let after = if single { None } else { Some(self.caller.add_block()) };
        if let Some(after) = after {
            let params = callee.returns.iter().map(|&ty| self.caller.add_param(after, ty));
            let params: SmallVec<[Value; 1]> = params.collect();
            self.bind_results(result, params);
        }
        let mut rest = insert_block;
        for &block in &callee.layout {
            let mut into = clone.blocks[&block];
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
                    (data, _) => {
                        let is_alloca = matches!(data, InstData::Alloca { .. });
                        let new = self.clone_inst(&mut clone, inst, &mut work.module.locations);
                        match is_alloca {
                            true => self.allocas.push(new),
                            false if is_deferred => into = self.place(work, into, new)?,
                            false => self.caller.blocks[into].insts.push(new),
                        }
                    }
                }
            }
        }
        Ok(after.unwrap_or(rest))
    }

    /// Replaces the results of an inlined call with values. `result` is the call's first result.
    fn bind_results(&mut self, result: Option<Value>, values: SmallVec<[Value; 1]>) {
        if let Some(result) = result {
            self.replace(result, values[0]);
            self.results.insert(result, values);
        }
    }

    /// Returns the caller's value for a value of the callee. Creates it at the first use.
    fn map_value(&mut self, clone: &mut ClonedBody, value: Value) -> Value {
        if let Some(known) = clone.values[value.index()] {
            return known;
        }
        let data = &clone.callee.values[value];
        let new = match data.def {
            ValueDef::Const(Constant::Undef) => self.caller.undef(data.ty),
            ValueDef::Const(Constant::Bits(bits)) => self.caller.constant(data.ty, bits),
            // The definition is filled in when the clone reaches it.
            _ => self.caller.values.push(data.clone()),
        };
        clone.values[value.index()] = Some(new);
        new
    }

    /// Clones an instruction. The clone is not yet in a block.
    fn clone_inst(
        &mut self,
        clone: &mut ClonedBody,
        inst: Inst,
        locations: &mut Locations,
    ) -> Inst {
        let mut data = clone.callee.insts[inst].clone();
        data.map_args(|arg| self.map_value(clone, arg));
        data.for_each_target_mut(|call| call.block = clone.blocks[&call.block]);
        let new = self.caller.insts.push(data);
        let loc = clone.callee.location_of(inst);
        if loc.is_some() || clone.call.is_some() {
            let loc = locations.inlined(loc, clone.call, &mut clone.locations);
            self.caller.set_location(new, loc);
        }
        if let Some(result) = clone.callee.result(inst) {
            let value = self.map_value(clone, result);
            self.caller.values[value].def = ValueDef::Inst(new);
            self.caller.results[new] = Some(value);
        }
        new
    }

    fn finish(mut self) {
        let entry = self.caller.entry();
        self.caller.blocks[entry].insts.splice(0..0, self.allocas);
        if self.any_replaced {
            let replaced = &mut self.replaced;
            self.caller.replace_uses(|value| {
                // The value that replaces a call's result may itself be the result of another inlined call.
                let mut last = value;
                while let Some(next) = replaced[last] {
                    last = next;
                }
                let mut at = value;
                while let Some(next) = replaced[at] {
                    replaced[at] = Some(last);
                    at = next;
                }
                last
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
    module.kernels.renumber(new);
    for function in reachable.values_mut() {
        for &inst in function.layout.iter().flat_map(|&block| &function.blocks[block].insts) {
            if let InstData::Call { func, .. } | InstData::KernelNumber { kernel: func } =
                &mut function.insts[inst]
            {
                *func = new(*func);
            }
        }
    }
    module.functions = reachable;
}
