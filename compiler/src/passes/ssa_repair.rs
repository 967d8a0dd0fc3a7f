//! Restores SSA form after control flow was rearranged: a value whose definition no longer dominates
//! all its uses goes through a private variable, which mem2reg turns into block parameters.

use super::mem2reg;
use crate::ir::cfg::Cfg;
use crate::ir::dominators::DomTree;
use crate::ir::{Block, BlockCall, Function, InstData, MemFlags, Type, Value, ValueDef};
use cranelift_entity::SecondaryMap;
use smallvec::SmallVec;

/// Replaces all block parameters (but the entry's) by private variables: a store on each edge, a
/// load at the start of the block. Edges of two-way branches and switches that pass arguments get a
/// block of their own.
pub fn demote_params(func: &mut Function) {
    let blocks = func.layout.clone();
    let entry = func.entry();
    let mut variables: SecondaryMap<Block, Vec<Value>> = SecondaryMap::new();
    for &block in &blocks {
        if block == entry || func.blocks[block].params.is_empty() {
            continue;
        }
        let params = std::mem::take(&mut func.blocks[block].params);
        let mut loads = Vec::with_capacity(params.len());
        for &param in &params {
            let variable = variable_for(func, func.ty(param));
            variables[block].push(variable);
            let align = func.ty(param).scalar.bytes();
            let data = InstData::Load { ptr: variable, align, flags: MemFlags::empty() };
            // The parameter itself becomes the result of the load.
            let inst = func.make_inst(data, None);
            func.results[inst] = Some(param);
            func.values[param].def = ValueDef::Inst(inst);
            loads.push(inst);
        }
        func.blocks[block].insts.splice(0..0, loads);
    }
    for &block in &blocks {
        let Some(terminator) = func.terminator(block) else { continue };
        let mut data = func.insts[terminator].clone();
        let is_jump = matches!(data, InstData::Jump { .. });
        data.for_each_target_mut(|call| {
            demote_edge(func, block, is_jump, call, &variables[call.block])
        });
        func.insts[terminator] = data;
    }
}

/// Stores the arguments of one edge, in the source block before a jump, else in a new block.
fn demote_edge(
    func: &mut Function,
    source: Block,
    is_jump: bool,
    call: &mut BlockCall,
    variables: &[Value],
) {
    let args = std::mem::take(&mut call.args);
    if args.is_empty() {
        return;
    }
    let mut stores = SmallVec::<[_; 4]>::new();
    for (&value, &ptr) in args.iter().zip(variables) {
        let align = func.ty(value).scalar.bytes();
        let data = InstData::Store { ptr, value, align, flags: MemFlags::empty() };
        stores.push(func.make_inst(data, None));
    }
    if is_jump {
        let end = func.blocks[source].insts.len().saturating_sub(1);
        func.blocks[source].insts.splice(end..end, stores);
    } else {
        let middle = func.add_block();
        func.blocks[middle].insts.extend(stores);
        func.append(middle, InstData::Jump { target: BlockCall::new(call.block) }, None);
        call.block = middle;
    }
}

/// Repairs all values, then promotes every variable that can be.
pub fn run(func: &mut Function) {
    let doms = DomTree::compute(&Cfg::compute(func));
    let mut home: SecondaryMap<Value, Option<Block>> = SecondaryMap::new();
    for &block in &func.layout {
        for &param in &func.blocks[block].params {
            home[param] = Some(block);
        }
        for &inst in &func.blocks[block].insts {
            if let Some(result) = func.result(inst) {
                home[result] = Some(block);
            }
        }
    }
    let mut variables: SecondaryMap<Value, Option<Value>> = SecondaryMap::new();
    let mut broken: Vec<Value> = Vec::new();
    for block in func.layout.clone() {
        repair_block(func, block, &doms, &home, &mut variables, &mut broken);
    }
    for value in broken {
        if let (Some(variable), Some(block)) = (variables[value], home[value]) {
            store_after_definition(func, value, block, variable);
        }
    }
    mem2reg::run(func);
}

/// Loads each operand that its definition does not dominate from its variable.
fn repair_block(
    func: &mut Function,
    block: Block,
    doms: &DomTree,
    home: &SecondaryMap<Value, Option<Block>>,
    variables: &mut SecondaryMap<Value, Option<Value>>,
    broken: &mut Vec<Value>,
) {
    let old = std::mem::take(&mut func.blocks[block].insts);
    let mut new = Vec::with_capacity(old.len());
    let mut loaded: Vec<(Value, Value)> = Vec::new();
    for inst in old {
        let mut wrong = SmallVec::<[Value; 4]>::new();
        func.insts[inst].for_each_arg(|v| {
            let is_wrong = home[v].is_some_and(|def| def != block && !doms.dominates(def, block));
            if is_wrong && !wrong.contains(&v) {
                wrong.push(v);
            }
        });
        for value in wrong {
            if loaded.iter().any(|l| l.0 == value) {
                continue;
            }
            let variable = match variables[value] {
                Some(variable) => variable,
                None => {
                    let variable = variable_for(func, func.ty(value));
                    variables[value] = Some(variable);
                    broken.push(value);
                    variable
                }
            };
            let ty = func.ty(value);
            let data = InstData::Load {
                ptr: variable,
                align: ty.scalar.bytes(),
                flags: MemFlags::empty(),
            };
            let load = func.make_inst(data, Some(ty));
            new.push(load);
            if let Some(result) = func.result(load) {
                loaded.push((value, result));
            }
        }
        func.insts[inst].map_args(|v| loaded.iter().find(|l| l.0 == v).map_or(v, |l| l.1));
        new.push(inst);
    }
    // The entry may have got allocas meanwhile.
    new.splice(0..0, std::mem::take(&mut func.blocks[block].insts));
    func.blocks[block].insts = new;
}

fn store_after_definition(func: &mut Function, value: Value, block: Block, variable: Value) {
    let align = func.ty(value).scalar.bytes();
    let data = InstData::Store { ptr: variable, value, align, flags: MemFlags::empty() };
    let store = func.make_inst(data, None);
    let position = match func.def(value) {
        ValueDef::Inst(def) => {
            func.blocks[block].insts.iter().position(|&i| i == def).map_or(0, |p| p + 1)
        }
        _ => 0,
    };
    func.blocks[block].insts.insert(position, store);
}

/// Returns a variable for one value, at the start of the entry block.
pub(super) fn variable_for(func: &mut Function, ty: Type) -> Value {
    let entry = func.entry();
    let size = u64::from(ty.bytes());
    let ptr = Type::ptr(crate::ir::AddressSpace::Private);
    let data = InstData::Alloca { size, align: ty.scalar.bytes() };
    let inst = func.make_inst(data, Some(ptr));
    func.blocks[entry].insts.insert(0, inst);
    func.result(inst).unwrap_or_else(|| unreachable!("an alloca has a result"))
}
