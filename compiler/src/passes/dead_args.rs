//! Removes unused parameters of functions, and results that no call uses.

use super::dce;
use crate::ir::*;
use cranelift_entity::{EntityRef, SecondaryMap};

/// How often the pass runs again after parameters or results of some function were removed.
const ROUNDS: usize = 4;

/// By function, whether each parameter, or result, stays. Empty if all stay.
type Kept = SecondaryMap<Func, Vec<bool>>;

/// Visits all functions except the entries of kernels, which have neither parameters nor results.
pub fn run(module: &mut Module) {
    for _ in 0..ROUNDS {
        let results = used_results(module);
        let mut params = Kept::new();
        let mut changed = false;
        for (id, func) in module.functions.iter_mut() {
            if results[id].iter().any(|used| !used) {
                keep_results(func, &results[id]);
                dce::run(func);
                changed = true;
            }
            let used = used_params(func);
            if used.iter().any(|used| !used) {
                keep_params(func, &used);
                params[id] = used;
                changed = true;
            }
        }
        if !changed {
            break;
        }
        let returns: Vec<Option<Type>> = module.functions.values().map(Function::ret).collect();
        for func in module.functions.values_mut() {
            adjust_calls(func, &results, &params, &returns);
            dce::run(func);
        }
    }
}

/// Returns, by function, whether some call uses each result.
fn used_results(module: &Module) -> Kept {
    let mut used = Kept::new();
    for (id, func) in module.functions.iter() {
        used[id] = vec![false; func.returns.len()];
    }
    for func in module.functions.values() {
        for inst in func.layout_insts() {
            let callee_of = |value: Value| match func.def_inst(value) {
                Some(InstData::Call { func, .. }) => Some(*func),
                _ => None,
            };
            match func.insts[inst] {
                InstData::CallResult { call, index } => {
                    if let Some(callee) = callee_of(call) {
                        used[callee][index as usize] = true;
                    }
                }
                ref data => data.for_each_arg(|arg| {
                    if let Some(callee) = callee_of(arg) {
                        used[callee][0] = true;
                    }
                }),
            }
        }
    }
    used
}

/// Adjusts a function's calls to functions that have lost parameters or results. `returns` contains the new type of
/// each function's first result.
fn adjust_calls(func: &mut Function, results: &Kept, params: &Kept, returns: &[Option<Type>]) {
    let mut replaced: SecondaryMap<Value, Option<Value>> = SecondaryMap::new();
    let mut any_replaced = false;
    for block in func.layout.clone() {
        let mut insts = std::mem::take(&mut func.blocks[block].insts);
        insts.retain(|&inst| match &mut func.insts[inst] {
            InstData::Call { func: callee, args } => {
                let callee = *callee;
                let mut kept = params[callee].iter();
                args.retain(|_| kept.next().copied().unwrap_or(true));
                if let Some(value) = func.results[inst] {
                    match returns[callee.index()] {
                        Some(ty) => func.values[value].ty = ty,
                        None => func.results[inst] = None,
                    }
                }
                true
            }
            &mut InstData::CallResult { call, index } => {
                let ValueDef::Inst(at) = func.values[call].def else { return true };
                let InstData::Call { func: callee, .. } = func.insts[at] else { return true };
                let before = &results[callee][..index as usize];
                let index = before.iter().filter(|&&kept| kept).count() as u32;
                func.insts[inst] = InstData::CallResult { call, index };
                if index == 0 {
                    // The result is now the call's own result.
                    if let Some(result) = func.results[inst] {
                        replaced[result] = Some(call);
                        any_replaced = true;
                    }
                }
                index > 0
            }
            _ => true,
        });
        func.blocks[block].insts = insts;
    }
    if any_replaced {
        func.replace_uses(|value| replaced[value].unwrap_or(value));
    }
}

/// Returns whether a function uses each of its parameters.
pub fn used_params(func: &Function) -> Vec<bool> {
    let mut used: SecondaryMap<Value, bool> = func.value_map();
    for inst in func.layout_insts() {
        func.insts[inst].for_each_arg(|arg| used[arg] = true);
    }
    func.params().iter().map(|&param| used[param]).collect()
}

/// Removes the parameters of a function for which `kept` is false. The caller changes the calls of the function.
pub fn keep_params(func: &mut Function, kept: &[bool]) {
    let entry = func.entry();
    let mut kept = kept.iter();
    let mut params = std::mem::take(&mut func.blocks[entry].params);
    params.retain(|_| kept.next().copied().unwrap_or(true));
    func.set_params(entry, params);
}

/// Removes the results of a function for which `kept` is false. The caller changes the calls of the function.
pub fn keep_results(func: &mut Function, kept: &[bool]) {
    let mut flags = kept.iter();
    func.returns.retain(|_| flags.next().copied().unwrap_or(true));
    for block in func.layout.clone() {
        let Some(inst) = func.terminator(block) else { continue };
        if let InstData::Return { values } = &mut func.insts[inst] {
            let mut flags = kept.iter();
            values.retain(|_| flags.next().copied().unwrap_or(true));
        }
    }
}

/// Returns for each result the value that all returns pass for it, if that is the same parameter or constant.
pub fn fixed_results(func: &Function) -> Vec<Option<Value>> {
    let mut fixed: Option<Vec<Option<Value>>> = None;
    for &block in &func.layout {
        let Some(inst) = func.terminator(block) else { continue };
        let InstData::Return { values } = &func.insts[inst] else { continue };
        match &mut fixed {
            None => {
                let is_fixed = |value: Value| match func.def(value) {
                    ValueDef::Const(_) => true,
                    ValueDef::Param(block, _) => block == func.entry(),
                    ValueDef::Inst(_) => false,
                };
                fixed = Some(values.iter().map(|&v| Some(v).filter(|&v| is_fixed(v))).collect());
            }
            Some(fixed) => {
                for (known, value) in fixed.iter_mut().zip(values) {
                    *known = known.filter(|known| known == value);
                }
            }
        }
    }
    fixed.unwrap_or_else(|| vec![None; func.returns.len()])
}
