//! Calls: what is copied into its callers, what stays a function, and the copying.
//!
//! Functions are gone through from callees to callers. Small ones and those that are called once are
//! copied; large ones that are called from several places stay, so that the size of a program's
//! code is about that of its text. What stays gets a [`super::signature`] of scalars.

use super::call_graph::{calls, CallGraph};
use super::cursor::Cursor;
use super::param_alias::ParamAlias;
use super::pointer_bases::has_unknown_access;
use super::signature::{self, Signature};
use crate::ir::*;
use cranelift_entity::{EntityRef, PrimaryMap, SecondaryMap};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// A function of more instructions than this is refused.
pub const MAX_INSTS: usize = 1_000_000;

/// When a function is copied into its callers.
#[derive(Debug, Clone, Copy)]
pub struct Policy {
    /// All calls of a kernel are inlined if it then has at most this number of instructions.
    pub whole: usize,
    /// A function with at most this number of instructions is always inlined.
    pub small: usize,
    /// Functions are inlined while all copies but one have at most this number of instructions together.
    pub growth: usize,
    /// The same, for functions that are the worse for not being copied.
    pub reluctant_growth: usize,
}

impl Policy {
    pub const DEFAULT: Policy =
        Policy { whole: 20_000, small: 80, growth: 2_000, reluctant_growth: 50_000 };
    /// Copies all it may.
    pub const ALL: Policy = Policy { whole: usize::MAX, ..Policy::DEFAULT };
    /// Copies only what it must; for tests.
    pub const NONE: Policy = Policy { whole: 0, small: 0, growth: 0, reluctant_growth: 0 };
}

/// The passes that are applied to a function on the way.
pub struct Steps {
    /// A few cheap passes that pay off before a function is copied into its callers.
    pub clean: fn(&mut Module, Func) -> Result<(), String>,
    /// All passes, for a function that stays one.
    pub optimize: fn(&mut Module, Func) -> Result<(), String>,
}

/// Decides about all calls in what the kernels reach, and optimizes what stays: the kernels'
/// entries, and functions that they call, callees first.
///
/// Errors: recursion, programs that grow beyond [`MAX_INSTS`], and those of the steps.
pub fn run(module: &mut Module, policy: Policy, steps: &Steps) -> Result<(), String> {
    let graph = CallGraph::compute(module)?;
    if is_whole(module, &graph, policy) {
        return inline_all(module, &graph, steps);
    }
    for &func in &graph.order {
        (steps.clean)(module, func)?;
    }
    let alias = ParamAlias::compute(module, &graph);
    let mut fates: SecondaryMap<Func, Fate> = SecondaryMap::new();
    for &func in &graph.order {
        inline_calls(module, func, &fates)?;
        let is_kernel = module.kernels.iter().any(|kernel| kernel.func == func);
        if !is_kernel && graph.sites[func] == 1 && !module.functions[func].noinline {
            continue;
        }
        (steps.optimize)(module, func)?;
        if !is_kernel {
            fates[func] = decide(module, func, &fates, graph.sites[func], policy);
            if let Fate::Stays { signature, unknown } = &mut fates[func] {
                let function = &mut module.functions[func];
                *signature = signature::rewrite(function, func, &alias, *unknown);
                (steps.optimize)(module, func)?;
                signature.tighten(&mut module.functions[func]);
            }
        }
    }
    keep_reachable(module);
    Ok(())
}

/// The decision about a function.
#[derive(Debug, Clone, Default)]
enum Fate {
    #[default]
    Copied,
    Stays {
        signature: Signature,
        /// True if it accesses private memory through pointers of unknown origin, or what it calls does.
        unknown: bool,
    },
}

/// Returns true if the kernels are small with all their calls inlined, and no called function is `noinline`.
fn is_whole(module: &Module, graph: &CallGraph, policy: Policy) -> bool {
    let mut sizes: SecondaryMap<Func, usize> = SecondaryMap::new();
    for &func in &graph.order {
        let function = &module.functions[func];
        let size = calls(function)
            .fold(function.num_insts(), |size, (callee, _)| size.saturating_add(sizes[callee]));
        sizes[func] = size;
        if size > policy.whole || function.noinline && graph.sites[func] > 0 {
            return false;
        }
    }
    true
}

/// Copies everything, and keeps the kernels' entries alone. A function that is called once is not
/// worth cleaning: what it becomes part of is gone through anyway.
fn inline_all(module: &mut Module, graph: &CallGraph, steps: &Steps) -> Result<(), String> {
    let fates = SecondaryMap::new();
    for &func in &graph.order {
        inline_calls(module, func, &fates)?;
        if module.kernels.iter().any(|kernel| kernel.func == func) {
            (steps.optimize)(module, func)?;
        } else if graph.sites[func] != 1 {
            (steps.clean)(module, func)?;
        }
    }
    keep_reachable(module);
    Ok(())
}

fn decide(
    module: &Module,
    func: Func,
    fates: &SecondaryMap<Func, Fate>,
    sites: u32,
    policy: Policy,
) -> Fate {
    let function = &module.functions[func];
    let size = function.num_insts();
    let growth = size.saturating_mul(sites.saturating_sub(1) as usize);
    let limit = match is_reluctant(function) {
        true => policy.reluctant_growth,
        false => policy.growth,
    };
    let copied = size <= policy.small || growth <= limit;
    if copied && !function.noinline || has_barrier(function) {
        return Fate::Copied;
    }
    let is_unknown = |func: Func| matches!(fates[func], Fate::Stays { unknown: true, .. });
    let unknown = has_unknown_access(function) || calls(function).any(|(f, _)| is_unknown(f));
    Fate::Stays { signature: Signature::default(), unknown }
}

/// A barrier must be reached by all work-items together. Inside a function that would hang on how
/// the device's compiler treats calls.
fn has_barrier(func: &Function) -> bool {
    let mut insts = func.layout.iter().flat_map(|&block| &func.blocks[block].insts);
    insts.any(|&inst| matches!(func.insts[inst], InstData::Barrier { .. }))
}

/// Generic pointers are seldom generic once it is seen where they come from.
fn is_reluctant(func: &Function) -> bool {
    let generic = |ty: Type| ty.space() == Some(AddressSpace::Generic);
    func.params().iter().any(|&param| generic(func.ty(param)))
        || func.returns.iter().any(|&ty| generic(ty))
}

/// Copies, or adjusts, the calls of a function whose callees have been decided about.
fn inline_calls(
    module: &mut Module,
    func: Func,
    fates: &SecondaryMap<Func, Fate>,
) -> Result<(), String> {
    let mut caller = std::mem::replace(&mut module.functions[func], Function::new("", &[], None));
    let result = Inliner::new(&mut caller).run(module, fates);
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
    /// All results of copied calls, by the first.
    results: FxHashMap<Value, SmallVec<[Value; 1]>>,
}

/// The new places of a callee's entities.
struct Copy<'a> {
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

    fn run(mut self, module: &Module, fates: &SecondaryMap<Func, Fate>) -> Result<(), String> {
        let mut size = self.caller.num_insts();
        self.reserve(module, fates);
        for block in std::mem::take(&mut self.caller.layout) {
            self.caller.layout.push(block);
            let insts = std::mem::take(&mut self.caller.blocks[block].insts);
            let mut at = block;
            for inst in insts {
                if let InstData::CallResult { call, index } = self.caller.insts[inst] {
                    if let Some(values) = self.results.get(&call) {
                        let value = values[index as usize];
                        self.caller.result(inst).into_iter().for_each(|v| self.replace(v, value));
                        continue;
                    }
                }
                let InstData::Call { func: callee, args } = &mut self.caller.insts[inst] else {
                    self.caller.blocks[at].insts.push(inst);
                    continue;
                };
                let (callee, args) = (*callee, std::mem::take(args));
                if let Fate::Stays { signature, .. } = &fates[callee] {
                    self.adjust(at, inst, callee, signature, &args);
                    continue;
                }
                let function = &module.functions[callee];
                size += function.num_insts();
                if size > MAX_INSTS {
                    let name = &self.caller.name;
                    return Err(format!("'{name}' is too large with all its calls inlined"));
                }
                at = self.call(at, inst, function, &args);
            }
        }
        self.finish();
        Ok(())
    }

    /// Makes room for what is going to be copied.
    fn reserve(&mut self, module: &Module, fates: &SecondaryMap<Func, Fate>) {
        let (mut insts, mut values) = (0, 0);
        for (callee, _) in calls(self.caller) {
            if matches!(fates[callee], Fate::Copied) {
                insts += module.functions[callee].num_insts();
                values += module.functions[callee].values.len();
            }
        }
        // What is too large is not going to be copied.
        let Function { insts: own, results, values: own_values, .. } = &mut *self.caller;
        own.reserve(insts.min(MAX_INSTS));
        own_values.reserve(values.min(MAX_INSTS));
        results.resize(own.len() + insts.min(MAX_INSTS));
    }

    fn replace(&mut self, old: Value, new: Value) {
        self.replaced[old] = Some(new);
        self.any_replaced = true;
    }

    /// Makes a call of a function that stays fit the function's new signature.
    fn adjust(
        &mut self,
        at: Block,
        call: Inst,
        callee: Func,
        signature: &Signature,
        args: &[Value],
    ) {
        let mut cursor = Cursor::new(self.caller);
        cursor.out = std::mem::take(&mut cursor.func.blocks[at].insts);
        let value = signature.call(&mut cursor, callee, args);
        cursor.finish(at);
        if let (Some(result), Some(value)) = (self.caller.result(call), value) {
            self.replace(result, value);
        }
    }

    /// Puts a callee's body behind what block `at` holds; returns the block where the caller goes on.
    fn call(&mut self, at: Block, call: Inst, callee: &Function, args: &[Value]) -> Block {
        let returns = callee.layout.iter().filter(|&&block| {
            let last = callee.terminator(block).map(|inst| &callee.insts[inst]);
            matches!(last, Some(InstData::Return { .. }))
        });
        let single = returns.clone().count() == 1;
        let mut copy = Copy {
            callee,
            values: vec![None; callee.values.len()],
            blocks: FxHashMap::with_capacity_and_hasher(callee.layout.len(), Default::default()),
        };
        for (&param, &arg) in callee.params().iter().zip(args) {
            copy.values[param.index()] = Some(arg);
        }
        // The callee's entry goes on in the current block.
        copy.blocks.insert(callee.entry(), at);
        for &block in &callee.layout[1..] {
            let new = self.caller.add_block();
            copy.blocks.insert(block, new);
            for (i, &param) in callee.blocks[block].params.iter().enumerate() {
                let value = self.value(&mut copy, param);
                self.caller.values[value].def = ValueDef::Param(new, i as u32);
                self.caller.blocks[new].params.push(value);
            }
        }
        let result = self.caller.result(call);
        // With one return the caller goes on in its block; else all jump to a new block whose
        // parameters are the results.
        let after = if single { None } else { Some(self.caller.add_block()) };
        if let Some(after) = after {
            let params = callee.returns.iter().map(|&ty| self.caller.add_param(after, ty));
            let params: SmallVec<[Value; 1]> = params.collect();
            self.give(result, params);
        }
        let mut rest = at;
        for &block in &callee.layout {
            let to = copy.blocks[&block];
            for &inst in &callee.blocks[block].insts {
                match (&callee.insts[inst], after) {
                    (InstData::Return { values }, Some(after)) => {
                        let args = values.iter().map(|&v| self.value(&mut copy, v)).collect();
                        let target = BlockCall { block: after, args };
                        self.caller.append(to, InstData::Jump { target }, None);
                    }
                    (InstData::Return { values }, None) => {
                        let values = values.iter().map(|&v| self.value(&mut copy, v)).collect();
                        self.give(result, values);
                        rest = to;
                    }
                    _ => self.inst(&mut copy, to, inst),
                }
            }
        }
        after.unwrap_or(rest)
    }

    /// Lets values stand for the results of a call whose first one is `result`.
    fn give(&mut self, result: Option<Value>, values: SmallVec<[Value; 1]>) {
        if let Some(result) = result {
            self.replace(result, values[0]);
            self.results.insert(result, values);
        }
    }

    /// Returns the caller's value for one of the callee's, made on first sight.
    fn value(&mut self, copy: &mut Copy, value: Value) -> Value {
        if let Some(known) = copy.values[value.index()] {
            return known;
        }
        let data = &copy.callee.values[value];
        let new = match data.def {
            ValueDef::Const(Constant::Undef) => self.caller.undef(data.ty),
            ValueDef::Const(Constant::Bits(bits)) => self.caller.constant(data.ty, bits),
            // The definition is filled in where it is met.
            _ => self.caller.values.push(data.clone()),
        };
        copy.values[value.index()] = Some(new);
        new
    }

    fn inst(&mut self, copy: &mut Copy, to: Block, inst: Inst) {
        let mut data = copy.callee.insts[inst].clone();
        data.map_args(|arg| self.value(copy, arg));
        data.for_each_target_mut(|call| call.block = copy.blocks[&call.block]);
        let is_alloca = matches!(data, InstData::Alloca { .. });
        let new = self.caller.insts.push(data);
        if let Some(result) = copy.callee.result(inst) {
            let value = self.value(copy, result);
            self.caller.values[value].def = ValueDef::Inst(new);
            self.caller.results[new] = Some(value);
        }
        if is_alloca {
            self.allocas.push(new);
        } else {
            self.caller.blocks[to].insts.push(new);
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

/// Drops the functions that no kernel reaches any more.
fn keep_reachable(module: &mut Module) {
    let Ok(graph) = CallGraph::compute(module) else { return };
    let mut renumber: SecondaryMap<Func, Option<Func>> = SecondaryMap::new();
    let mut kept = PrimaryMap::new();
    for &func in &graph.order {
        let function = &mut module.functions[func];
        let function = std::mem::replace(function, Function::new("", &[], None));
        renumber[func] = Some(kept.push(function));
    }
    let new = |func: Func| renumber[func].unwrap_or(func);
    for kernel in &mut module.kernels {
        kernel.func = new(kernel.func);
    }
    for function in kept.values_mut() {
        for &inst in function.layout.iter().flat_map(|&block| &function.blocks[block].insts) {
            if let InstData::Call { func, .. } = &mut function.insts[inst] {
                *func = new(*func);
            }
        }
    }
    module.functions = kept;
}
