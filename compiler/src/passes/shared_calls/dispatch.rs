//! The dispatch block, and the calls and edges that go through it.

use super::SharedCallee;
use crate::analysis::call_graph;
use crate::ir::cfg::Cfg;
use crate::ir::dominators::DomTree;
use crate::ir::{Block, BlockCall, Func, Function, Inst, InstData, IntCC, Type, UnrollHint, Value};
use crate::passes::ssa_repair::{load, store, variable_for};
use crate::passes::structurize::switch_to;
use cranelift_entity::EntitySet;
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;

/// The most searches for joins: each join that goes through the dispatch block may create others.
const MAX_ROUNDS: usize = 16;

/// The most arguments that are set to undefined, for each instruction of the function.
const FORGOTTEN: usize = 4;

/// Makes the calls of each of the given functions share a call site. Block parameters must have been demoted before
/// ([`crate::passes::ssa_repair::demote_params`]). SSA form is broken afterwards.
pub fn share(func: &mut Function, callees: &[SharedCallee]) {
    let called = call_graph::callees(func);
    let callees: Vec<&SharedCallee> =
        callees.iter().filter(|callee| called.binary_search(&callee.func).is_ok()).collect();
    if callees.is_empty() {
        return;
    }
    let mut dispatch = Dispatch::new(func, &callees);
    dispatch.cut_at_calls();
    dispatch.find_joins();
    dispatch.write();
}

/// The source of a call's argument: a value that is the same at all call sites, or a variable.
#[derive(Clone, Copy)]
enum Argument {
    Same(Value),
    Variable(Value, Type),
}

/// The calls of one function.
struct SharedCall {
    callee: Func,
    args: Vec<Argument>,
    /// The type of each result, and the variable that it is stored in.
    results: Vec<(Type, Value)>,
    /// The states in which the callers continue, and the blocks where they do.
    states: Range<usize>,
    continuations: Vec<Block>,
}

struct Dispatch<'a> {
    func: &'a mut Function,
    dispatcher: Block,
    /// The variable that holds the state.
    state: Value,
    calls: Vec<SharedCall>,
    call_of: FxHashMap<Func, usize>,
    /// Other blocks that are entered from the dispatch block. Their states are numbered after those of calls.
    joins: Vec<Block>,
    first_join: usize,
    /// True if arguments of other calls are set to undefined.
    forgets: bool,
}

impl<'a> Dispatch<'a> {
    fn new(func: &'a mut Function, callees: &[&SharedCallee]) -> Dispatch<'a> {
        let call_of: FxHashMap<Func, usize> =
            callees.iter().enumerate().map(|(index, callee)| (callee.func, index)).collect();
        let mut sites: Vec<Vec<Inst>> = vec![Vec::new(); callees.len()];
        for inst in func.layout_insts() {
            if let InstData::Call { func: callee, .. } = func.insts[inst] {
                call_of.get(&callee).into_iter().for_each(|&index| sites[index].push(inst));
            }
        }
        let mut calls = Vec::with_capacity(callees.len());
        let mut first_state = 0;
        for (callee, sites) in callees.iter().zip(sites) {
            let results = callee.returns.iter().map(|&ty| (ty, variable_for(func, ty))).collect();
            let args = shared_arguments(func, &sites);
            let continuations = Vec::with_capacity(sites.len());
            let states = first_state..first_state + sites.len();
            first_state = states.end;
            calls.push(SharedCall { callee: callee.func, args, results, states, continuations });
        }
        let state = variable_for(func, Type::I32);
        let dispatcher = func.add_block();
        func.blocks[dispatcher].unroll = Some(UnrollHint::Disable);
        // At most, each block ends with stores for the arguments of all calls but one.
        let most = func.layout.len() * calls.iter().map(|call| call.args.len()).sum::<usize>();
        let forgets = !func.undefined_is_zero && most <= FORGOTTEN * func.num_insts();
        let (joins, first_join) = (Vec::new(), first_state);
        Dispatch { func, dispatcher, state, calls, call_of, joins, first_join, forgets }
    }

    /// Ends a block at each call with a jump to the dispatch block. The instructions behind the call become a new
    /// block.
    fn cut_at_calls(&mut self) {
        let mut results = self.results_of_calls();
        let mut moved: EntitySet<Inst> = EntitySet::new();
        results.values().flatten().for_each(|&(inst, _)| _ = moved.insert(inst));
        for block in self.func.layout.clone() {
            let insts = std::mem::take(&mut self.func.blocks[block].insts);
            let mut current = block;
            for inst in insts {
                self.func.stand_at(inst);
                let call = match &self.func.insts[inst] {
                    InstData::Call { func, .. } => self.call_of.get(func).copied(),
                    _ => None,
                };
                match call {
                    Some(index) => current = self.cut(current, inst, index, &mut results),
                    None if moved.contains(inst) => {}
                    None => self.func.blocks[current].insts.push(inst),
                }
            }
        }
    }

    /// Returns the instructions that read further results of calls, by the call's first result.
    fn results_of_calls(&self) -> FxHashMap<Value, Vec<(Inst, usize)>> {
        let mut results: FxHashMap<Value, Vec<(Inst, usize)>> = FxHashMap::default();
        for inst in self.func.layout_insts() {
            let InstData::CallResult { call, index } = self.func.insts[inst] else { continue };
            let callee = match self.func.def_inst(call) {
                Some(InstData::Call { func, .. }) => func,
                _ => continue,
            };
            if self.call_of.contains_key(callee) {
                results.entry(call).or_default().push((inst, index as usize));
            }
        }
        results
    }

    /// Ends a block at a call. Returns the block that continues behind the call.
    fn cut(
        &mut self,
        block: Block,
        inst: Inst,
        index: usize,
        results: &mut FxHashMap<Value, Vec<(Inst, usize)>>,
    ) -> Block {
        let call = &mut self.calls[index];
        if let InstData::Call { args, .. } = self.func.insts[inst].clone() {
            for (&value, argument) in args.iter().zip(&call.args) {
                if let Argument::Variable(variable, _) = *argument {
                    let data = store(self.func, variable, value);
                    self.func.append(block, data, None);
                }
            }
        }
        let next = self.func.add_block();
        let state = call.states.start + call.continuations.len();
        call.continuations.push(next);
        if let Some(first) = self.func.result(inst) {
            let others = results.remove(&first).unwrap_or_default();
            for (inst, index) in std::iter::once((inst, 0)).chain(others) {
                let (ty, variable) = call.results[index];
                self.func.replace_inst(inst, load(variable, ty));
                self.func.blocks[next].insts.push(inst);
            }
        }
        self.go_to_dispatcher(block, state);
        next
    }

    /// Ends a block with a jump to the dispatch block, which continues in `state`.
    fn go_to_dispatcher(&mut self, block: Block, state: usize) {
        self.forget_other_arguments(block, state);
        let state = self.func.constant(Type::I32, state as u64);
        let data = store(self.func, self.state, state);
        self.func.append(block, data, None);
        let target = BlockCall::new(self.dispatcher);
        self.func.append(block, InstData::Jump { target }, None);
    }

    /// Sets the arguments of all calls except that of `state` to undefined, so that their values need not be kept.
    fn forget_other_arguments(&mut self, block: Block, state: usize) {
        if !self.forgets {
            return;
        }
        let others = self.calls.iter().filter(|call| !call.states.contains(&state));
        for argument in others.flat_map(|call| &call.args) {
            if let Argument::Variable(variable, ty) = *argument {
                let anything = self.func.undef(ty);
                let data = store(self.func, variable, anything);
                self.func.append(block, data, None);
            }
        }
    }

    /// Finds blocks that must also be entered from the dispatch block, and redirects the edges to them through it. These are
    /// blocks where paths from several targets of the dispatch block meet, so that the code of the targets is separate, and
    /// blocks where a path that bypasses the dispatch block enters a cycle through it, which is then entered only at the
    /// dispatch block.
    fn find_joins(&mut self) {
        for _ in 0..MAX_ROUNDS {
            self.write_targets();
            let cfg = Cfg::compute(self.func);
            let doms = DomTree::compute(&cfg);
            let mut joins = joins(&cfg, &doms, self.dispatcher);
            let targets: FxHashSet<Block> = self.targets().collect();
            joins.retain(|join| !targets.contains(join));
            if joins.is_empty() {
                break;
            }
            for join in joins {
                self.redirect(join, &cfg, &doms);
            }
        }
    }

    /// Returns all blocks that are entered from the dispatch block, in the order of their states.
    fn targets(&self) -> impl Iterator<Item = Block> + '_ {
        let calls = self.calls.iter().flat_map(|call| &call.continuations);
        calls.chain(&self.joins).copied()
    }

    /// Ends the dispatch block with a plain switch to all targets, so that the graph can be analysed.
    fn write_targets(&mut self) {
        let targets: Vec<(u64, Block)> =
            self.targets().enumerate().map(|(state, block)| (state as u64, block)).collect();
        self.func.blocks[self.dispatcher].insts.clear();
        let value = self.func.constant(Type::I32, 0);
        switch_to(self.func, self.dispatcher, value, &targets);
    }

    /// Redirects all edges to a block through the dispatch block, except the back edges of a loop of which the block is
    /// the header.
    fn redirect(&mut self, join: Block, cfg: &Cfg, doms: &DomTree) {
        let state = self.first_join + self.joins.len();
        self.joins.push(join);
        let mut sources = cfg.preds(join).to_vec();
        sources.sort_unstable();
        sources.dedup();
        for source in sources {
            if doms.dominates(join, source) {
                continue;
            }
            let edge = self.func.add_block();
            self.go_to_dispatcher(edge, state);
            self.func.redirect(source, join, edge);
        }
    }

    /// Writes the dispatch block.
    fn write(mut self) {
        self.func.blocks[self.dispatcher].insts.clear();
        let data = load(self.state, Type::I32);
        let Some(state) = self.func.append(self.dispatcher, data, Some(Type::I32)) else { return };
        let mut parts: Vec<Part> = Vec::with_capacity(self.calls.len() + 1);
        for call in std::mem::take(&mut self.calls) {
            let (first, targets) = (call.states.start, call.continuations.clone());
            parts.push(Part { call: Some(call), first, targets });
        }
        if !self.joins.is_empty() {
            let targets = std::mem::take(&mut self.joins);
            parts.push(Part { call: None, first: self.first_join, targets });
        }
        self.choose_part(self.dispatcher, state, &parts);
    }

    /// Branches from the end of a block to the part that contains the current state.
    fn choose_part(&mut self, block: Block, state: Value, parts: &[Part]) {
        let [part] = parts else {
            let states = |parts: &[Part]| -> usize { parts.iter().map(|p| p.targets.len()).sum() };
            let all = states(parts);
            let uneven = |&at: &usize| (2 * states(&parts[..at])).abs_diff(all);
            let middle = (1..parts.len()).min_by_key(uneven).unwrap_or(0);
            let (low, high) = parts.split_at(middle);
            let Some(first) = high.first().filter(|_| !low.is_empty()) else { return };
            let (then, otherwise) = (self.func.add_block(), self.func.add_block());
            self.branch_if_below(block, state, first.first, [then, otherwise]);
            self.choose_part(then, state, low);
            return self.choose_part(otherwise, state, high);
        };
        if let Some(call) = &part.call {
            self.call(block, call);
        }
        self.choose_target(block, state, part.first, &part.targets);
    }

    /// Branches from the end of a block to the target of the current state; states are numbered from `first`.
    fn choose_target(&mut self, block: Block, state: Value, first: usize, targets: &[Block]) {
        if let [only] = *targets {
            self.func.append(block, InstData::Jump { target: BlockCall::new(only) }, None);
            return;
        }
        let (low, high) = targets.split_at(targets.len() / 2);
        let middle = first + low.len();
        let sides = [(first, low), (middle, high)].map(|(first, targets)| match *targets {
            [only] => (only, first, None),
            _ => (self.func.add_block(), first, Some(targets)),
        });
        self.branch_if_below(block, state, middle, sides.map(|side| side.0));
        for (block, first, targets) in sides {
            if let Some(targets) = targets {
                self.choose_target(block, state, first, targets);
            }
        }
    }

    fn branch_if_below(&mut self, block: Block, state: Value, bound: usize, sides: [Block; 2]) {
        let bound = self.func.constant(Type::I32, bound as u64);
        let compare = InstData::ICmp { cc: IntCC::Ult, args: [state, bound] };
        let Some(cond) = self.func.append(block, compare, Some(Type::BOOL)) else { return };
        let [then, otherwise] = sides.map(BlockCall::new);
        self.func.append(block, InstData::Brif { cond, then, otherwise }, None);
    }

    /// Appends the call of a function, with its arguments.
    fn call(&mut self, block: Block, call: &SharedCall) {
        let mut args = smallvec::SmallVec::with_capacity(call.args.len());
        for argument in &call.args {
            let value = match *argument {
                Argument::Same(value) => Some(value),
                Argument::Variable(variable, ty) => {
                    self.func.append(block, load(variable, ty), Some(ty))
                }
            };
            args.extend(value);
        }
        let ty = call.results.first().map(|&(ty, _)| ty);
        let data = InstData::Call { func: call.callee, args };
        let Some(first) = self.func.append(block, data, ty) else { return };
        let mut values = vec![first];
        for (index, &(ty, _)) in call.results.iter().enumerate().skip(1) {
            let data = InstData::CallResult { call: first, index: index as u32 };
            values.extend(self.func.append(block, data, Some(ty)));
        }
        for (value, &(_, variable)) in values.into_iter().zip(&call.results) {
            let data = store(self.func, variable, value);
            self.func.append(block, data, None);
        }
    }
}

/// Consecutive states: those in which callers of one function continue, or those without a call.
struct Part {
    call: Option<SharedCall>,
    /// The number of the first state.
    first: usize,
    /// The block of each state.
    targets: Vec<Block>,
}

/// Returns the sources of the arguments of the given calls.
fn shared_arguments(func: &mut Function, sites: &[Inst]) -> Vec<Argument> {
    let args_of = |func: &Function, inst: Inst| match &func.insts[inst] {
        InstData::Call { args, .. } => args.clone(),
        _ => Default::default(),
    };
    let Some((&first, others)) = sites.split_first() else { return Vec::new() };
    let first = args_of(func, first);
    let others: Vec<_> = others.iter().map(|&inst| args_of(func, inst)).collect();
    let argument = |(place, &value): (usize, &Value)| {
        if others.iter().all(|args| args.get(place) == Some(&value)) {
            return Argument::Same(value);
        }
        let ty = func.ty(value);
        Argument::Variable(variable_for(func, ty), ty)
    };
    first.iter().enumerate().map(argument).collect()
}

/// Returns the blocks of the innermost cycles through `header` where paths from `header` meet, or where paths from elsewhere
/// enter.
fn joins(cfg: &Cfg, doms: &DomTree, header: Block) -> Vec<Block> {
    let is_outside = |block: Block| block != header && doms.dominates(block, header);
    let reach = |next: &dyn Fn(Block) -> Vec<Block>| {
        let mut found: EntitySet<Block> = EntitySet::new();
        let mut work = vec![header];
        while let Some(block) = work.pop() {
            if !is_outside(block) && found.insert(block) {
                work.extend(next(block));
            }
        }
        found
    };
    let after = reach(&|block| cfg.succs(block).to_vec());
    let before = reach(&|block| cfg.preds(block).to_vec());
    let is_in_cycle = |block: Block| after.contains(block) && before.contains(block);
    let is_join = |&block: &Block| {
        let is_side_entry = || {
            !doms.dominates(header, block)
                && cfg.preds(block).iter().any(|&pred| !is_in_cycle(pred))
        };
        is_in_cycle(block) && (doms.idom(block) == Some(header) || is_side_entry())
    };
    cfg.rpo().iter().copied().filter(is_join).collect()
}
