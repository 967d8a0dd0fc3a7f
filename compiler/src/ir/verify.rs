//! The rules that the IR obeys between any two passes: types, dominance, and the shape of blocks.
//!
//! - Every block is in the layout at most once and ends in its only terminator. Its branches pass arguments of the types of
//!   their targets' parameters. No branch leads to the entry.
//! - Every operand is a constant, or its definition dominates its use (in reachable blocks).
//! - Operand and result types obey the type rules in the rows of [`super::opcodes`].
//! - A location is in the module's table. In a *located* function ([`Function::is_located`]) every instruction has a
//!   location.
//! - Allocas are in the entry block. `load_arg` is only in functions that are kernel entries, which have neither parameters
//!   nor result.

use super::cfg::Cfg;
use super::dominators::DomTree;
use super::entities::{Block, Func, Global, Inst, Value};
use super::function::{Function, ValueDef};
use super::inst::*;
use super::matrix::{Matrix, MatrixUse};
use super::module::{KernelEntry, Module};
use super::print::print_inst;
use super::types::{AddressSpace, Scalar, Type};
use crate::kernel;
use cranelift_entity::{EntitySet, SecondaryMap};
use std::collections::HashSet;

/// The rule that is broken, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("in @{func}: {message}")]
pub struct VerifyError {
    pub func: String,
    pub message: String,
}

/// The largest sub-group size that a kernel may require. Hardware has fewer lanes; larger sub-groups consist of several
/// of the hardware's.
const MAX_SUBGROUP: u32 = 1024;

/// Checks globals, kernels and every function.
pub fn verify_module(module: &Module) -> Result<(), VerifyError> {
    for (id, data) in module.globals.iter() {
        let error = |message: &str| {
            Err(VerifyError { func: data.name.clone(), message: format!("{id}: {message}") })
        };
        if !data.align.is_power_of_two() {
            return error("alignment is not a power of two");
        }
        if data.init.as_ref().is_some_and(|init| init.len() as u64 != data.size) {
            return error("initializer has another size than the variable");
        }
        if matches!(data.space, AddressSpace::Private | AddressSpace::Generic) {
            return error("variables are constant, global or local");
        }
        for &(offset, target, _) in &data.relocations {
            if !module.globals.is_valid(target) || u64::from(offset) + 8 > data.size {
                return error("relocation out of range");
            }
        }
    }
    for kernel in module.kernels.iter() {
        let error = |message: &str| {
            Err(VerifyError { func: kernel.name.clone(), message: message.to_string() })
        };
        let subgroup = kernel.required_subgroup_size;
        if subgroup.is_some_and(|size| !size.is_power_of_two() || size > MAX_SUBGROUP) {
            return error("sub-groups of an impossible size");
        }
        let sizes = [kernel.required_local_size, kernel.local_size_hint];
        let checked = kernel::check_args(&kernel.args).and_then(|()| kernel::check_sizes(&sizes));
        if let Err(message) = checked {
            return error(message);
        }
        let Some(func) = module.functions.get(kernel.func) else {
            return error("the kernel's function is not there");
        };
        if !func.params().is_empty() || !func.returns.is_empty() {
            return error("a kernel's entry has neither parameters nor result");
        }
    }
    module.locations.verify().map_err(|message| VerifyError { func: String::new(), message })?;
    module.functions.keys().try_for_each(|func| verify_function(module, func))
}

/// Checks one function.
pub fn verify_function(module: &Module, id: Func) -> Result<(), VerifyError> {
    let func = &module.functions[id];
    let error = |message: String| VerifyError { func: func.name.clone(), message };
    check_layout(func).map_err(error)?;
    let entry_of = module.kernel_of(id);
    for &block in &func.layout {
        for &inst in &func.blocks[block].insts {
            let loc = func.location_of(inst);
            if loc.is_some() && module.locations.get(loc).is_none()
                || func.is_located && !loc.is_some()
            {
                let inst = print_inst(func, inst);
                return Err(error(format!("{block}: `{inst}`: it has no location")));
            }
            let result = func.result(inst).map(|value| func.ty(value));
            let checker = Checker { module, func, entry_of, block, result };
            checker.inst(inst).map_err(|message| {
                error(format!("{block}: `{}`: {message}", print_inst(func, inst)))
            })?;
        }
    }
    check_dominance(func).map_err(error)
}

/// Checks blocks and terminators, and that the definitions recorded for values are true.
fn check_layout(func: &Function) -> Result<(), String> {
    let Some(&entry) = func.layout.first() else { return Err("no block".to_string()) };
    let mut blocks = EntitySet::<Block>::new();
    let mut insts = EntitySet::<Inst>::new();
    for &block in &func.layout {
        if !func.blocks.is_valid(block) || !blocks.insert(block) {
            return Err(format!("{block} is not valid or stands in the layout twice"));
        }
    }
    for &block in &func.layout {
        for (i, &param) in func.blocks[block].params.iter().enumerate() {
            let valid =
                func.values.is_valid(param) && func.def(param) == ValueDef::Param(block, i as u32);
            if !valid {
                return Err(format!("{block}: parameter {param} does not know its place"));
            }
        }
        let list = &func.blocks[block].insts;
        for (i, &inst) in list.iter().enumerate() {
            if !func.insts.is_valid(inst) || !insts.insert(inst) {
                return Err(format!("{block}: {inst} is not valid or stands in a block twice"));
            }
            let data = &func.insts[inst];
            if data.is_terminator() != (i + 1 == list.len()) {
                return Err(format!("{block}: the one terminator is not the last instruction"));
            }
            if let Some(result) = func.result(inst) {
                if !func.values.is_valid(result) || func.def(result) != ValueDef::Inst(inst) {
                    return Err(format!("{block}: {result} does not know its instruction"));
                }
            }
            let mut result = Ok(());
            data.for_each_target(|call| {
                if call.block == entry {
                    result = Err(format!("{block}: a branch leads to the entry"));
                } else if !blocks.contains(call.block) {
                    result = Err(format!("{block}: a branch leads to a dead block"));
                }
            });
            data.for_each_arg(|arg| {
                if !func.values.is_valid(arg) {
                    result = Err(format!("{block}: {arg} does not exist"));
                }
            });
            result?;
        }
        if list.is_empty() {
            return Err(format!("{block} is empty"));
        }
    }
    Ok(())
}

fn check_dominance(func: &Function) -> Result<(), String> {
    let cfg = Cfg::compute(func);
    let dom = DomTree::compute(&cfg);
    // The position of each instruction; (0, 0) for an instruction that is in no block.
    let mut place: SecondaryMap<Inst, (u32, u32)> = SecondaryMap::with_capacity(func.insts.len());
    let mut in_layout = EntitySet::<Block>::new();
    for &block in &func.layout {
        in_layout.insert(block);
        for (i, &inst) in func.blocks[block].insts.iter().enumerate() {
            place[inst] = (block.as_u32(), i as u32 + 1);
        }
    }
    let dominates = |def: Value, block: Block, at: u32| match func.def(def) {
        ValueDef::Const(_) => true,
        ValueDef::Param(home, i) => {
            func.blocks[home].params.get(i as usize) == Some(&def)
                && in_layout.contains(home)
                && dom.dominates(home, block)
        }
        ValueDef::Inst(inst) => {
            let (home, index) = place[inst];
            let home = Block::from_u32(home);
            index != 0 && if home == block { index < at } else { dom.dominates(home, block) }
        }
    };
    for &block in cfg.rpo() {
        for (i, &inst) in func.blocks[block].insts.iter().enumerate() {
            let mut result = Ok(());
            func.insts[inst].for_each_arg(|arg| {
                if !dominates(arg, block, i as u32 + 1) {
                    result = Err(format!(
                        "{block}: `{}`: {arg} does not dominate its use",
                        print_inst(func, inst)
                    ));
                }
            });
            result?;
        }
    }
    Ok(())
}

/// The instruction that is checked and its place, for the rules in [`super::opcodes`].
pub(super) struct Checker<'a> {
    module: &'a Module,
    func: &'a Function,
    /// The kernel that has the function as its entry.
    entry_of: Option<&'a KernelEntry>,
    block: Block,
    result: Option<Type>,
}

pub(super) type Check = Result<(), String>;

pub(super) fn ensure(ok: bool, message: &str) -> Check {
    if ok {
        Ok(())
    } else {
        Err(message.to_string())
    }
}

impl Checker<'_> {
    fn inst(&self, inst: Inst) -> Check {
        let data = &self.func.insts[inst];
        let properties = data.properties();
        if !properties.contains(Properties::CALL) {
            match self.result {
                None => ensure(properties.contains(Properties::VOID), "a result is missing")?,
                Some(_) => ensure(!properties.contains(Properties::VOID), "has no result")?,
            }
        }
        data.check_types(self, self.result.unwrap_or(Type::I32))
    }

    pub(super) fn ty(&self, value: Value) -> Type {
        self.func.ty(value)
    }

    /// Returns true if all values have the type.
    pub(super) fn are(&self, values: &[Value], ty: Type) -> bool {
        values.iter().all(|&value| self.ty(value) == ty)
    }

    pub(super) fn is_vector(&self, ty: Type) -> bool {
        matches!(ty.lanes, 2 | 3 | 4 | 8 | 16)
    }

    pub(super) fn is_in_entry(&self) -> bool {
        self.block == self.func.entry()
    }

    /// Checks that an argument has the bytes that a load of a type at an offset reads. A local pointer must be loaded
    /// as a whole. A narrow number may be loaded as the word into which legalization widens it.
    pub(super) fn argument(&self, arg: u32, offset: u32, ty: Type) -> Check {
        let Some(entry) = self.entry_of else { return Err("is not in a kernel's entry".into()) };
        let Some(arg) = entry.args.get(arg as usize) else {
            return Err("there is no such argument".into());
        };
        match arg.kind.field_size() {
            Some(size) => {
                let end = offset.checked_add(ty.bytes());
                ensure(
                    end.is_some_and(|end| end <= size.next_multiple_of(4)),
                    "reaches beyond the argument",
                )
            }
            None => {
                let is_whole = offset == 0 && ty == Type::ptr(AddressSpace::Local);
                ensure(is_whole, "a local argument is a pointer")
            }
        }
    }

    fn matrix(&self, ty: Type) -> Result<Matrix, String> {
        match ty.scalar {
            Scalar::Matrix(matrix) if ty.lanes == 1 => Ok(matrix),
            _ => Err("is not of a matrix".to_string()),
        }
    }

    /// Checks a load or store of a matrix with type `ty`, in global or local memory.
    pub(super) fn matrix_access(&self, ptr: Value, stride: Value, align: u32, ty: Type) -> Check {
        self.matrix(ty)?;
        use AddressSpace::{Constant, Global, Local};
        let is_shared = matches!(self.ty(ptr).space(), Some(Global | Constant | Local));
        ensure(is_shared && self.ty(ptr).lanes == 1, "matrices are in global or local memory")?;
        ensure(self.ty(stride) == Type::I32, "stride is not i32")?;
        ensure(align.is_power_of_two(), "alignment is not a power of two")
    }

    pub(super) fn matrix_product(&self, args: &[Value; 3], operands: u32, ty: Type) -> Check {
        let [a, b, c] = [
            self.matrix(self.ty(args[0]))?,
            self.matrix(self.ty(args[1]))?,
            self.matrix(self.ty(args[2]))?,
        ];
        let result = self.matrix(ty)?;
        let uses = [a.usage, b.usage, c.usage];
        ensure(uses == [MatrixUse::A, MatrixUse::B, MatrixUse::Accumulator], "wrong uses")?;
        let fits = a.columns == b.rows && a.rows == c.rows && b.columns == c.columns;
        ensure(fits && result.has_shape_of(c), "the sizes do not fit")?;
        ensure(operands < 32, "unknown operands")
    }

    pub(super) fn matrix_operation(&self, op: MatrixOp, args: &[Value], ty: Type) -> Check {
        ensure(args.len() == op.operands().len(), "wrong number of operands")?;
        let first = self.ty(args[0]).scalar;
        let of = match op {
            MatrixOp::Splat => self.matrix(ty)?,
            _ => self.matrix(self.ty(args[0]))?,
        };
        let result = match op {
            MatrixOp::Length => {
                ensure(ty == Type::I32, "length is an i32")?;
                of
            }
            MatrixOp::Extract => {
                ensure(ty == of.element(), "result is no element")?;
                of
            }
            _ => self.matrix(ty)?,
        };
        ensure(op.takes(of.element, result.element), "wrong elements")?;
        let widths = op != MatrixOp::Bitcast || of.element().bits() == result.element().bits();
        ensure(widths, "the elements differ in width")?;
        for (&arg, operand) in args.iter().zip(op.operands()) {
            let arg = self.ty(arg);
            let fits = match operand {
                MatrixOperand::Same => arg == ty,
                MatrixOperand::Shape => self.matrix(arg)?.has_shape_of(result),
                MatrixOperand::Element => arg == result.element(),
                MatrixOperand::Any => first.is_matrix(),
                MatrixOperand::Index => arg == Type::I32,
            };
            ensure(fits, "wrong operand type")?;
        }
        Ok(())
    }

    pub(super) fn compare(&self, args: &[Value; 2], ty: Type, takes: ScalarKinds) -> Check {
        let arg = self.ty(args[0]);
        ensure(self.are(args, arg), "operands differ in type")?;
        ensure(takes.has(arg.scalar), "wrong operand type")?;
        ensure(ty == arg.with_scalar(Scalar::Bool), "gives bool")
    }

    pub(super) fn insertion(&self, arg: Value, element: Value, ty: Type) -> Check {
        let fits = self.ty(arg) == ty && self.ty(element) == ty.lane();
        ensure(self.is_vector(ty) && fits, "operands do not fit the result")
    }

    pub(super) fn global_addr(&self, global: Global, ty: Type) -> Check {
        let Some(data) = self.module.globals.get(global) else {
            return Err("no such global".to_string());
        };
        let local = data.space == AddressSpace::Local;
        let ok = ty.scalar.is_ptr() && local == (ty.space() == Some(AddressSpace::Local));
        ensure(ok && ty.space() != Some(AddressSpace::Private), "wrong address space")
    }

    pub(super) fn access(&self, ptr: Value, ty: Type, align: u32) -> Check {
        ensure(self.ty(ptr).space().is_some() && self.ty(ptr).lanes == 1, "not a pointer")?;
        ensure(ty.scalar != Scalar::Bool, "bool has no memory form")?;
        ensure(align.is_power_of_two(), "alignment is not a power of two")
    }

    pub(super) fn atomic(&self, ptr: Value, ty: Type) -> Check {
        let space = self.ty(ptr).space();
        let shared = matches!(
            space,
            Some(AddressSpace::Global | AddressSpace::Local | AddressSpace::Generic)
        );
        ensure(shared, "atomics act on global, local or generic pointers")?;
        let ok = matches!(ty.scalar, Scalar::I32 | Scalar::I64 | Scalar::F32 | Scalar::F64);
        ensure(ok && ty.lanes == 1, "wrong type")
    }

    /// Checks the operands that select a texel.
    pub(super) fn texel(&self, view: ImageView, slot: Value, coords: Value) -> Check {
        ensure(self.ty(slot) == Type::I32, "slot is not i32")?;
        ensure(self.ty(coords) == view.coordinates(), "wrong type of coordinates")
    }

    /// Checks that a type is one that work-items can exchange: a number.
    pub(super) fn is_exchanged(&self, ty: Type) -> Check {
        let is_number = ty.scalar.is_int() || ty.scalar.is_float();
        ensure(is_number && ty.lanes == 1, "is not a number")
    }

    pub(super) fn exchange(&self, args: &[Value; 2], ty: Type) -> Check {
        ensure(self.ty(args[0]) == ty, "operand and result differ in type")?;
        ensure(self.ty(args[1]) == Type::I32, "second operand is not i32")?;
        self.is_exchanged(ty)
    }

    pub(super) fn call(&self, func: Func, args: &[Value]) -> Check {
        let Some(callee) = self.module.functions.get(func) else {
            return Err("no such function".to_string());
        };
        ensure(callee.ret() == self.result, "result is not what the callee gives")?;
        let params = callee.params().iter().map(|&param| callee.ty(param));
        ensure(self.fit(args, params), "arguments do not fit the callee's parameters")
    }

    /// Returns true if the values have the given types, in order.
    fn fit(&self, values: &[Value], types: impl Iterator<Item = Type>) -> bool {
        values.iter().map(|&value| self.ty(value)).eq(types)
    }

    pub(super) fn call_result(&self, call: Value, index: u32, ty: Type) -> Check {
        let ValueDef::Inst(inst) = self.func.def(call) else { return ensure(false, "not a call") };
        let InstData::Call { func, .. } = self.func.insts[inst] else {
            return ensure(false, "not a call");
        };
        let is_near = self.func.blocks[self.block].insts.contains(&inst);
        ensure(is_near, "the call is in another block")?;
        let callee = self.module.functions.get(func);
        let result = callee.and_then(|callee| callee.returns.get(index as usize));
        ensure(index > 0 && result == Some(&ty), "result is not what the callee gives")
    }

    pub(super) fn returned(&self, values: &[Value]) -> Check {
        let fit = self.fit(values, self.func.returns.iter().copied());
        ensure(fit, "values are not of the function's types")
    }

    pub(super) fn cases(&self, ty: Type, cases: &[SwitchCase]) -> Check {
        ensure(ty.scalar.is_int() && ty.lanes == 1, "value is not an integer")?;
        let bits = ty.scalar.bits();
        let mut seen = HashSet::with_capacity(cases.len());
        for case in cases {
            ensure(bits == 64 || case.value >> bits == 0, "case is wider than the value")?;
            ensure(seen.insert(case.value), "case stands there twice")?;
            self.target(&case.target)?;
        }
        Ok(())
    }

    pub(super) fn target(&self, call: &BlockCall) -> Check {
        let params = self.func.blocks[call.block].params.iter().map(|&param| self.ty(param));
        ensure(self.fit(&call.args, params), "arguments do not fit the target's parameters")
    }
}

/// In debug builds, returns an error that names the pass after which a rule is broken.
pub fn debug_verify(module: &Module, pass: &str) -> Result<(), String> {
    if cfg!(debug_assertions) {
        verify_module(module).map_err(|e| format!("internal error after {pass}: {e}\n{module}"))?;
    }
    Ok(())
}

/// Like [`debug_verify`], for one function.
pub fn debug_verify_function(module: &Module, func: Func, pass: &str) -> Result<(), String> {
    if cfg!(debug_assertions) {
        let text = || &module.functions[func];
        verify_function(module, func)
            .map_err(|e| format!("internal error after {pass}: {e}\n{}", text()))?;
    }
    Ok(())
}
