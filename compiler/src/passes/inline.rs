//! Inlines every call, callees first, and keeps the kernels' entry functions alone.

use crate::ir::*;
use cranelift_entity::{EntityRef, PrimaryMap, SecondaryMap};
use std::collections::HashMap;

/// A function of more instructions than this is refused.
pub const MAX_INSTS: usize = 1_000_000;

/// Inlines all calls in what the kernels reach. `prepare` is run on each function, all its calls
/// inlined, before it is copied into its callers; there it pays to make it small. A function that is
/// called once is not worth it: what it becomes part of is gone through anyway.
///
/// Errors: recursion, and programs that grow beyond [`MAX_INSTS`].
pub fn run(module: &mut Module, mut prepare: impl FnMut(&mut Module, Func)) -> Result<(), String> {
    let order = bottom_up(module)?;
    let calls = count_calls(module, &order);
    for func in order {
        let mut caller =
            std::mem::replace(&mut module.functions[func], Function::new("", &[], None));
        let result = inline_calls(&mut caller, module);
        module.functions[func] = caller;
        result?;
        if calls[func] != 1 || module.kernels.iter().any(|kernel| kernel.func == func) {
            prepare(module, func);
        }
    }
    keep_kernels(module);
    Ok(())
}

fn callees(func: &Function) -> Vec<Func> {
    let insts = func.layout.iter().flat_map(|&block| &func.blocks[block].insts);
    let mut out: Vec<Func> = insts
        .filter_map(|&inst| match func.insts[inst] {
            InstData::Call { func, .. } => Some(func),
            _ => None,
        })
        .collect();
    out.sort_unstable();
    out.dedup();
    out
}

/// How many calls of each function there are in these functions.
fn count_calls(module: &Module, order: &[Func]) -> SecondaryMap<Func, u32> {
    let mut calls = SecondaryMap::new();
    for &func in order {
        let func = &module.functions[func];
        for &inst in func.layout.iter().flat_map(|&block| &func.blocks[block].insts) {
            if let InstData::Call { func, .. } = func.insts[inst] {
                calls[func] += 1;
            }
        }
    }
    calls
}

/// Functions that kernels reach, each after what it calls.
fn bottom_up(module: &Module) -> Result<Vec<Func>, String> {
    #[derive(Clone, Copy, PartialEq, Default)]
    enum State {
        #[default]
        New,
        Open,
        Done,
    }
    let mut state: SecondaryMap<Func, State> = SecondaryMap::new();
    let mut order = Vec::new();
    for kernel in &module.kernels {
        let mut stack = vec![(kernel.func, None::<Vec<Func>>)];
        while let Some((func, pending)) = stack.last_mut() {
            let func = *func;
            let pending = match pending {
                Some(pending) => pending,
                None if state[func] == State::Done => {
                    stack.pop();
                    continue;
                }
                None if state[func] == State::Open => {
                    let name = &module.functions[func].name;
                    return Err(format!("recursion is not supported: '{name}' calls itself"));
                }
                None => {
                    state[func] = State::Open;
                    pending.insert(callees(&module.functions[func]))
                }
            };
            match pending.pop() {
                Some(callee) => stack.push((callee, None)),
                None => {
                    state[func] = State::Done;
                    order.push(func);
                    stack.pop();
                }
            }
        }
    }
    Ok(order)
}

fn inline_calls(caller: &mut Function, module: &Module) -> Result<(), String> {
    let is_call = |f: &Function, inst: Inst| matches!(f.insts[inst], InstData::Call { .. });
    let mut size = caller.num_insts();
    let old_layout = std::mem::take(&mut caller.layout);
    let mut inliner =
        Inliner { caller, allocas: Vec::new(), replaced: SecondaryMap::new(), any_replaced: false };
    for block in old_layout {
        inliner.caller.layout.push(block);
        let insts = std::mem::take(&mut inliner.caller.blocks[block].insts);
        let mut at = block;
        for inst in insts {
            if !is_call(inliner.caller, inst) {
                inliner.caller.blocks[at].insts.push(inst);
                continue;
            }
            let data = std::mem::replace(&mut inliner.caller.insts[inst], InstData::Unreachable);
            if let InstData::Call { func, args } = data {
                let callee = &module.functions[func];
                size += callee.num_insts();
                if size > MAX_INSTS {
                    let name = &inliner.caller.name;
                    return Err(format!("'{name}' is too large with all its calls inlined"));
                }
                at = inliner.call(at, inst, callee, &args);
            }
        }
    }
    inliner.finish();
    Ok(())
}

struct Inliner<'a> {
    caller: &'a mut Function,
    /// Objects of the callees, to go into the caller's entry.
    allocas: Vec<Inst>,
    /// What stands for the results of calls.
    replaced: SecondaryMap<Value, Option<Value>>,
    any_replaced: bool,
}

/// Where a callee's entities went.
struct Copy<'a> {
    callee: &'a Function,
    values: Vec<Option<Value>>,
    blocks: HashMap<Block, Block>,
}

impl Inliner<'_> {
    /// Puts a callee's body behind what block `at` holds; gives the block where the caller goes on.
    fn call(&mut self, at: Block, call: Inst, callee: &Function, args: &[Value]) -> Block {
        let returns = callee.layout.iter().filter(|&&block| {
            let last = callee.terminator(block).map(|inst| &callee.insts[inst]);
            matches!(last, Some(InstData::Return { .. }))
        });
        let single = returns.clone().count() == 1;
        let mut copy = Copy {
            callee,
            values: vec![None; callee.values.len()],
            blocks: HashMap::with_capacity(callee.layout.len()),
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
        // parameter is the result.
        let after = if single { None } else { Some(self.caller.add_block()) };
        if let (Some(after), Some(result)) = (after, result) {
            self.caller.values[result].def = ValueDef::Param(after, 0);
            self.caller.blocks[after].params.push(result);
        }
        let mut rest = at;
        for &block in &callee.layout {
            let to = copy.blocks[&block];
            for &inst in &callee.blocks[block].insts {
                match (&callee.insts[inst], after) {
                    (InstData::Return { value }, Some(after)) => {
                        let value = value.map(|v| self.value(&mut copy, v));
                        let target = BlockCall { block: after, args: value.into_iter().collect() };
                        self.caller.append(to, InstData::Jump { target }, None);
                    }
                    (InstData::Return { value }, None) => {
                        if let (Some(value), Some(result)) = (value, result) {
                            self.replaced[result] = Some(self.value(&mut copy, *value));
                            self.any_replaced = true;
                        }
                        rest = to;
                    }
                    _ => self.inst(&mut copy, to, inst),
                }
            }
        }
        after.unwrap_or(rest)
    }

    /// The caller's value for one of the callee's, made on first sight.
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

/// Drops all functions but the kernels' entries.
fn keep_kernels(module: &mut Module) {
    let mut renumber: SecondaryMap<Func, Option<Func>> = SecondaryMap::new();
    let mut kept = PrimaryMap::new();
    let mut functions: Vec<Option<Function>> =
        std::mem::take(&mut module.functions).into_iter().map(|(_, f)| Some(f)).collect();
    for kernel in &mut module.kernels {
        let old = kernel.func;
        if renumber[old].is_none() {
            if let Some(func) = functions.get_mut(old.index()).and_then(Option::take) {
                renumber[old] = Some(kept.push(func));
            }
        }
        kernel.func = renumber[old].unwrap_or(old);
    }
    module.functions = kept;
}
