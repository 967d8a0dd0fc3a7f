//! Restores SSA form after control flow was rearranged: a value whose definition no longer dominates all its uses is stored
//! in a private variable, which mem2reg turns into block parameters.

use super::fall_through::FallThroughs;
use super::mem2reg;
use crate::ir::cfg::Cfg;
use crate::ir::dominators::DomTree;
use crate::ir::{Block, BlockCall, Function, Inst, InstData, MemFlags, Type, Value, ValueDef};
use cranelift_entity::SecondaryMap;
use smallvec::SmallVec;

/// Replaces all block parameters (except the entry's) by private variables: a store on each edge, a load at the start
/// of the block. Edges of two-way branches and switches that pass arguments get a new block. Edges to a case to which
/// another case falls through do not, since this case has to be a target of the switch itself.
pub fn demote_params(func: &mut Function, falls: &FallThroughs) {
    let blocks = func.layout.clone();
    let entry = func.entry();
    let mut variables: SecondaryMap<Block, Vec<Value>> = SecondaryMap::new();
    let mut allocas = Vec::new();
    for &block in &blocks {
        if block == entry || func.blocks[block].params.is_empty() {
            continue;
        }
        let params = std::mem::take(&mut func.blocks[block].params);
        let mut loads = Vec::with_capacity(params.len());
        for &param in &params {
            let (alloca, variable) = new_variable(func, func.ty(param));
            allocas.push(alloca);
            variables[block].push(variable);
            // The parameter itself becomes the result of the load.
            let inst = func.make_inst(load(variable, func.ty(param)), None);
            func.results[inst] = Some(param);
            func.values[param].def = ValueDef::Inst(inst);
            loads.push(inst);
        }
        func.blocks[block].insts.splice(0..0, loads);
    }
    // In reverse order, as if each alloca had been inserted at the start of the block.
    func.blocks[entry].insts.splice(0..0, allocas.into_iter().rev());
    for &block in &blocks {
        let Some(terminator) = func.terminator(block) else { continue };
        let mut data = func.insts[terminator].clone();
        let is_jump = matches!(data, InstData::Jump { .. });
        if let InstData::Switch { .. } = data {
            for target in falls.next_of(block, &data) {
                demote_edges(func, block, &mut data, target, &variables[target]);
            }
        }
        data.for_each_target_mut(|call| {
            demote_edge(func, block, is_jump, call, &variables[call.block])
        });
        func.insts[terminator] = data;
    }
}

/// Stores the arguments of all edges of a switch to `target` before the switch, if all edges pass the same arguments. Only
/// the target loads them.
fn demote_edges(
    func: &mut Function,
    source: Block,
    switch: &mut InstData,
    target: Block,
    variables: &[Value],
) {
    let mut passed: Option<SmallVec<[Value; 4]>> = None;
    let mut are_same = true;
    switch.for_each_target(|call| {
        if call.block == target {
            let first = passed.get_or_insert_with(|| call.args.iter().copied().collect());
            are_same &= first[..] == call.args[..];
        }
    });
    let Some(args) = passed.filter(|_| are_same) else { return };
    for (&value, &ptr) in args.iter().zip(variables) {
        let inst = func.make_inst(store(func, ptr, value), None);
        let end = func.blocks[source].insts.len().saturating_sub(1);
        func.blocks[source].insts.insert(end, inst);
    }
    switch.for_each_target_mut(|call| {
        if call.block == target {
            call.args.clear();
        }
    });
}

/// Stores the arguments of one edge: in the source block before a jump, otherwise in a new block.
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
        stores.push(func.make_inst(store(func, ptr, value), None));
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

/// Replaces uses of values in other blocks than their own by loads of variables. `home` returns the block of a value.
pub(super) fn demote(
    func: &mut Function,
    live: &[Value],
    home: impl Fn(&Function, Value) -> Option<Block>,
) {
    let mut variables: SecondaryMap<Value, Option<Value>> = func.value_map();
    for &value in live {
        variables[value] = Some(variable_for(func, func.ty(value)));
    }
    for block in func.layout.clone() {
        let old = std::mem::take(&mut func.blocks[block].insts);
        let mut new = Vec::with_capacity(old.len());
        for inst in old {
            func.stand_at(inst);
            let mut data = func.insts[inst].clone();
            data.map_args(|arg| match variables[arg] {
                Some(ptr) if home(func, arg) != Some(block) => {
                    let ty = func.ty(arg);
                    let load = func.make_inst(load(ptr, ty), Some(ty));
                    new.push(load);
                    func.result(load).unwrap_or(arg)
                }
                _ => arg,
            });
            func.insts[inst] = data;
            new.push(inst);
        }
        func.blocks[block].insts = new;
    }
    for &value in live {
        if let (Some(ptr), Some(home)) = (variables[value], home(func, value)) {
            store_after_definition(func, value, home, ptr);
        }
    }
}

/// Returns the block of each value's definition; `None` for constants.
pub(super) fn homes(func: &Function) -> SecondaryMap<Value, Option<Block>> {
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
    home
}

/// Repairs all values, then promotes their variables. `size`: the function's number of instructions before variables
/// were added.
pub fn run(func: &mut Function, size: usize) {
    let mut repair = Repair {
        doms: DomTree::compute(&Cfg::compute(func)),
        home: homes(func),
        variables: SecondaryMap::new(),
        broken: Vec::new(),
        new: Vec::new(),
        available: Vec::new(),
    };
    for block in func.layout.clone() {
        repair.repair_block(func, block);
    }
    for value in std::mem::take(&mut repair.broken) {
        if let (Some(variable), Some(block)) = (repair.variables[value], repair.home[value]) {
            store_after_definition(func, value, block, variable);
        }
    }
    mem2reg::run_on_legal(func, size);
}

/// The most instructions of an address's computation that are repeated.
const MAX_STEPS: u32 = 8;

/// The state of repairing a function.
struct Repair {
    doms: DomTree,
    /// The block of each value's definition.
    home: SecondaryMap<Value, Option<Block>>,
    variables: SecondaryMap<Value, Option<Value>>,
    /// Values that have variables.
    broken: Vec<Value>,
    /// The current block's new instructions, and for broken values the value that replaces each in this block.
    new: Vec<Inst>,
    available: Vec<(Value, Value)>,
}

impl Repair {
    /// Replaces each operand that its definition does not dominate by a value that is available in the block.
    fn repair_block(&mut self, func: &mut Function, block: Block) {
        let old = std::mem::take(&mut func.blocks[block].insts);
        self.new.reserve(old.len());
        self.available.clear();
        for inst in old {
            func.stand_at(inst);
            let mut wrong = SmallVec::<[Value; 4]>::new();
            func.insts[inst].for_each_arg(|v| {
                if self.is_wrong(v, block) && !wrong.contains(&v) {
                    wrong.push(v);
                }
            });
            if !wrong.is_empty() {
                for value in wrong {
                    self.make_available(func, block, value, MAX_STEPS);
                }
                let available = &self.available;
                func.insts[inst]
                    .map_args(|v| available.iter().find(|l| l.0 == v).map_or(v, |l| l.1));
            }
            self.new.push(inst);
        }
        // Allocas may have been added to the entry meanwhile.
        self.new.splice(0..0, std::mem::take(&mut func.blocks[block].insts));
        func.blocks[block].insts = std::mem::take(&mut self.new);
    }

    fn is_wrong(&self, value: Value, block: Block) -> bool {
        self.home[value].is_some_and(|def| def != block && !self.doms.dominates(def, block))
    }

    /// Returns a value that can be used in the block: the value itself, or a load of its variable. An address in a
    /// private object is computed again, so that its object is still known.
    fn make_available(
        &mut self,
        func: &mut Function,
        block: Block,
        value: Value,
        steps: u32,
    ) -> Value {
        if !self.is_wrong(value, block) {
            return value;
        }
        if let Some(&(_, known)) = self.available.iter().find(|l| l.0 == value) {
            return known;
        }
        let data = match func.def_inst(value) {
            Some(&InstData::PtrAdd { ptr, offset, within }) if is_in_object(func, value, steps) => {
                let ptr = self.make_available(func, block, ptr, steps - 1);
                let offset = self.make_available(func, block, offset, steps - 1);
                InstData::PtrAdd { ptr, offset, within }
            }
            // SPIR-V has no variables for such pointers either, so they are computed again.
            Some(&InstData::ElementAddr { ptr, index, skipped, bytes }) => {
                let ptr = self.make_available(func, block, ptr, steps);
                let index = self.make_available(func, block, index, steps);
                InstData::ElementAddr { ptr, index, skipped, bytes }
            }
            _ => load(self.variable(func, value), func.ty(value)),
        };
        let inst = func.make_inst(data, Some(func.ty(value)));
        self.new.push(inst);
        let result = func.result(inst).unwrap_or(value);
        self.available.push((value, result));
        result
    }

    fn variable(&mut self, func: &mut Function, value: Value) -> Value {
        if let Some(variable) = self.variables[value] {
            return variable;
        }
        let variable = variable_for(func, func.ty(value));
        self.variables[value] = Some(variable);
        self.broken.push(value);
        variable
    }
}

/// Returns true if a value is computed from the address of a private object in at most `steps` steps.
fn is_in_object(func: &Function, mut value: Value, steps: u32) -> bool {
    for _ in 0..steps {
        match func.def_inst(value) {
            Some(InstData::Alloca { .. }) => return true,
            Some(&InstData::PtrAdd { ptr, .. }) => value = ptr,
            _ => return false,
        }
    }
    false
}

/// Stores a value in a variable, after its definition in `block`.
fn store_after_definition(func: &mut Function, value: Value, block: Block, variable: Value) {
    let store = func.make_inst(store(func, variable, value), None);
    let position = match func.def(value) {
        ValueDef::Inst(def) => {
            func.blocks[block].insts.iter().position(|&i| i == def).map_or(0, |p| p + 1)
        }
        _ => 0,
    };
    func.blocks[block].insts.insert(position, store);
}

/// Returns a variable for one value, at the start of the entry block.
pub(crate) fn variable_for(func: &mut Function, ty: Type) -> Value {
    let entry = func.entry();
    let (alloca, variable) = new_variable(func, ty);
    func.blocks[entry].insts.insert(0, alloca);
    variable
}

/// Returns the instruction and the address of a variable for one value. The instruction is not yet in a block.
fn new_variable(func: &mut Function, ty: Type) -> (Inst, Value) {
    let size = u64::from(ty.bytes());
    let ptr = Type::ptr(crate::ir::AddressSpace::Private);
    let data = InstData::Alloca { size, align: ty.scalar.bytes() };
    let inst = func.make_inst(data, Some(ptr));
    let address = func.result(inst).unwrap_or_else(|| unreachable!("an alloca has a result"));
    (inst, address)
}

/// Reads a variable of type `ty`.
pub(super) fn load(variable: Value, ty: Type) -> InstData {
    InstData::Load { ptr: variable, align: ty.scalar.bytes(), flags: MemFlags::empty() }
}

/// Writes a variable.
pub(super) fn store(func: &Function, variable: Value, value: Value) -> InstData {
    let align = func.ty(value).scalar.bytes();
    InstData::Store { ptr: variable, value, align, flags: MemFlags::empty() }
}
