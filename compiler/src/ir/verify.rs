//! The rules that IR keeps between any two passes: types, dominance, and the shape of blocks.
//!
//! - Every block of the layout stands there once, ends in its only terminator, and its branches
//!   pass arguments of the types of their targets' parameters. No branch leads to the entry.
//! - Every operand is a constant, or its definition dominates its use (in reachable blocks).
//! - Operand and result types are those that [`super::inst`] asks for.
//! - Allocas stand in the entry block. `load_arg` stands in functions that are kernel entries, which
//!   have neither parameters nor result.

use super::cfg::Cfg;
use super::dominators::DomTree;
use super::entities::{Block, Func, Inst, Value};
use super::function::{Function, ValueDef};
use super::inst::*;
use super::module::Module;
use super::print::print_inst;
use super::types::{AddressSpace, Scalar, Type};
use cranelift_entity::{EntitySet, SecondaryMap};
use std::collections::HashSet;

/// The rule that is broken, and the place.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("in @{func}: {message}")]
pub struct VerifyError {
    pub func: String,
    pub message: String,
}

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
    for kernel in &module.kernels {
        let error = |message: &str| {
            Err(VerifyError { func: kernel.name.clone(), message: message.to_string() })
        };
        let Some(func) = module.functions.get(kernel.func) else {
            return error("the kernel's function is not there");
        };
        if !func.params().is_empty() || !func.returns.is_empty() {
            return error("a kernel's entry has neither parameters nor result");
        }
    }
    module.functions.keys().try_for_each(|func| verify_function(module, func))
}

/// Checks one function.
pub fn verify_function(module: &Module, id: Func) -> Result<(), VerifyError> {
    let func = &module.functions[id];
    let error = |message: String| VerifyError { func: func.name.clone(), message };
    check_layout(func).map_err(error)?;
    let is_entry = module.kernels.iter().any(|k| k.func == id);
    let checker = Checker { module, func, is_entry };
    for &block in &func.layout {
        for &inst in &func.blocks[block].insts {
            checker.inst(block, inst).map_err(|message| {
                error(format!("{block}: `{}`: {message}", print_inst(func, inst)))
            })?;
        }
    }
    check_dominance(func).map_err(error)
}

/// Blocks, terminators, and that values know their definitions.
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
    // Where each instruction stands; (0, 0) where it does not.
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

struct Checker<'a> {
    module: &'a Module,
    func: &'a Function,
    is_entry: bool,
}

type Check = Result<(), String>;

fn ensure(ok: bool, message: &str) -> Check {
    if ok {
        Ok(())
    } else {
        Err(message.to_string())
    }
}

/// Returns true if a type is an integer of the width of a pointer's address.
fn is_address(ty: Type, pointer: Type) -> bool {
    ty == Type::of(Scalar::int(pointer.scalar.bits()))
}

impl Checker<'_> {
    fn ty(&self, value: Value) -> Type {
        self.func.ty(value)
    }

    fn inst(&self, block: Block, inst: Inst) -> Check {
        use InstData::*;
        let data = &self.func.insts[inst];
        let result = self.func.result(inst).map(|v| self.ty(v));
        let void = match data {
            Store { .. } | AtomicStore { .. } | Barrier { .. } | Fence { .. } => true,
            Call { func, args } => return self.call(*func, args, result),
            _ => data.is_terminator(),
        };
        match result {
            None => ensure(void, "a result is missing")?,
            Some(_) => ensure(!void, "has no result")?,
        }
        match result {
            Some(ty) => self.value_inst(block, data, ty),
            None => self.void_inst(data),
        }
    }

    fn value_inst(&self, block: Block, data: &InstData, ty: Type) -> Check {
        use InstData::*;
        match data {
            Unary { op, arg, .. } => {
                ensure(self.ty(*arg) == ty, "operand and result differ in type")?;
                ensure(
                    match op {
                        UnaryOp::INeg => ty.scalar.is_int(),
                        UnaryOp::Not => ty.scalar.is_int() || ty.scalar == Scalar::Bool,
                        UnaryOp::FNeg => ty.scalar.is_float(),
                    },
                    "wrong operand type",
                )
            }
            Binary { op, args, .. } => {
                let same = args.iter().all(|&a| self.ty(a) == ty);
                ensure(same, "operands and result differ in type")?;
                let logical = matches!(op, BinaryOp::And | BinaryOp::Or | BinaryOp::Xor);
                let ok = match op.is_float() {
                    true => ty.scalar.is_float(),
                    false => ty.scalar.is_int() || logical && ty.scalar == Scalar::Bool,
                };
                ensure(ok, "wrong operand type")
            }
            Math { op, args, .. } => self.math(*op, args, ty),
            ICmp { args, .. } => self.compare(args, ty, |s| !s.is_float()),
            FCmp { args, .. } => self.compare(args, ty, Scalar::is_float),
            Select { args } => {
                let cond = self.ty(args[0]);
                let lanes = cond.lanes == 1 || cond.lanes == ty.lanes;
                ensure(cond.scalar == Scalar::Bool && lanes, "condition is not bool")?;
                ensure(args[1..].iter().all(|&a| self.ty(a) == ty), "operands differ in type")
            }
            Convert { op, arg } => self.convert(*op, self.ty(*arg), ty),
            Build { .. }
            | Extract { .. }
            | ExtractDynamic { .. }
            | Insert { .. }
            | InsertDynamic { .. }
            | Shuffle { .. } => self.vector_inst(data, ty),
            Alloca { align, .. } => {
                ensure(ty == Type::ptr(AddressSpace::Private), "gives ptr.private")?;
                ensure(align.is_power_of_two(), "alignment is not a power of two")?;
                ensure(block == self.func.entry(), "is not in the entry block")
            }
            GlobalAddr { global } => {
                let Some(data) = self.module.globals.get(*global) else {
                    return Err("no such global".to_string());
                };
                let local = data.space == AddressSpace::Local;
                let ok = ty.scalar.is_ptr() && local == (ty.space() == Some(AddressSpace::Local));
                ensure(ok && ty.space() != Some(AddressSpace::Private), "wrong address space")
            }
            PtrAdd { ptr, offset } => {
                ensure(ty.scalar.is_ptr() && ty.lanes == 1, "gives a pointer")?;
                ensure(self.ty(*ptr) == ty, "operand and result differ in type")?;
                let offset = self.ty(*offset);
                ensure(offset == Type::I32 || is_address(offset, ty), "wrong offset type")
            }
            Load { ptr, align, .. } => self.access(*ptr, ty, *align),
            CallResult { call, index } => self.call_result(block, *call, *index, ty),
            AtomicRmw { op, ptr, value, .. } => {
                ensure(self.ty(*value) == ty, "operand and result differ in type")?;
                let float = *op == AtomicOp::FAdd;
                let ok = *op == AtomicOp::Xchg || float == ty.scalar.is_float();
                ensure(ok, "wrong operand type")?;
                self.atomic(*ptr, ty)
            }
            AtomicCmpXchg { ptr, expected, desired, .. } => {
                let same = self.ty(*expected) == ty && self.ty(*desired) == ty;
                ensure(same, "operands and result differ in type")?;
                self.atomic(*ptr, ty)
            }
            AtomicLoad { ptr, .. } => self.atomic(*ptr, ty),
            WorkItem { query, dim } => {
                ensure(query.ty() == ty, "wrong result type")?;
                ensure(*dim < 3, "dimension is not 0, 1 or 2")
            }
            LoadArg { .. } => {
                ensure(self.is_entry, "is not in a kernel's entry")?;
                ensure(ty.scalar != Scalar::Bool, "bool has no memory form")
            }
            _ => Err("has no result".to_string()),
        }
    }

    fn math(&self, op: MathOp, args: &[Value], ty: Type) -> Check {
        use MathOp::*;
        let count = match op {
            Fma => 3,
            Pow | Ldexp => 2,
            _ => 1,
        };
        ensure(args.len() == count, "wrong number of operands")?;
        let first = self.ty(args[0]);
        if matches!(op, IsNan | IsInf) {
            return ensure(
                first.scalar.is_float() && ty == first.with_scalar(Scalar::Bool),
                "wrong operand type",
            );
        }
        let second = match op {
            Ldexp => first.with_scalar(Scalar::I32),
            _ => first,
        };
        let same = first == ty && args[1..].iter().all(|&a| self.ty(a) == second);
        ensure(same, "operands and result differ in type")?;
        let int = matches!(op, SAbs | Clz | Ctz | PopCount | BitReverse);
        let ok = if int { ty.scalar.is_int() } else { ty.scalar.is_float() };
        ensure(ok, "wrong operand type")
    }

    fn compare(&self, args: &[Value; 2], ty: Type, ok: impl Fn(Scalar) -> bool) -> Check {
        let arg = self.ty(args[0]);
        ensure(arg == self.ty(args[1]), "operands differ in type")?;
        ensure(ok(arg.scalar), "wrong operand type")?;
        ensure(ty == arg.with_scalar(Scalar::Bool), "gives bool")
    }

    fn convert(&self, op: ConvertOp, from: Type, to: Type) -> Check {
        use ConvertOp::*;
        let (a, b) = (from.scalar, to.scalar);
        match op {
            Bitcast => {
                let plain = |s: Scalar| s != Scalar::Bool && !s.is_ptr();
                ensure(plain(a) && plain(b), "bitcast is between integers and floats")?;
                return ensure(from.bits() == to.bits(), "bitcast keeps the number of bits");
            }
            PtrToInt => return ensure(a.is_ptr() && is_address(to, from), "wrong types"),
            IntToPtr => return ensure(b.is_ptr() && is_address(from, to), "wrong types"),
            _ => {}
        }
        ensure(from.lanes == to.lanes, "conversions keep lanes")?;
        let widens = (a.is_int() || a == Scalar::Bool) && b.is_int() && a.bits() < b.bits();
        let int = |s: Scalar| s.is_int();
        ensure(
            match op {
                Trunc => int(a) && int(b) && a.bits() > b.bits(),
                ZExt | SExt => widens,
                FToS | FToU => a.is_float() && int(b),
                SToF | UToF => int(a) && b.is_float(),
                FConvert => a.is_float() && b.is_float() && a != b,
                SpaceCast => a.is_ptr() && b.is_ptr() && a != b,
                ToSpace => {
                    let named = !matches!(
                        to.space(),
                        None | Some(AddressSpace::Generic | AddressSpace::Constant)
                    );
                    from.space() == Some(AddressSpace::Generic) && named
                }
                Bitcast | PtrToInt | IntToPtr => true,
            },
            "wrong types",
        )
    }

    fn vector_inst(&self, data: &InstData, ty: Type) -> Check {
        use InstData::*;
        let vector = |t: Type| matches!(t.lanes, 2 | 3 | 4 | 8 | 16);
        match data {
            Build { args } => {
                let same = args.iter().all(|&a| self.ty(a) == ty.lane());
                ensure(vector(ty) && usize::from(ty.lanes) == args.len(), "wrong lanes")?;
                ensure(same, "operand is not of the lanes' type")
            }
            Extract { arg, lane } => {
                let from = self.ty(*arg);
                ensure(vector(from) && *lane < from.lanes, "no such lane")?;
                ensure(from.lane() == ty, "result is not of the lanes' type")
            }
            ExtractDynamic { arg, index } => {
                let from = self.ty(*arg);
                ensure(vector(from) && from.lane() == ty, "result is not of the lanes' type")?;
                ensure(self.ty(*index) == Type::I32, "index is not i32")
            }
            Insert { arg, element, lane } => {
                ensure(vector(ty) && *lane < ty.lanes, "no such lane")?;
                let ok = self.ty(*arg) == ty && self.ty(*element) == ty.lane();
                ensure(ok, "operands do not fit the result")
            }
            InsertDynamic { arg, element, index } => {
                let ok = self.ty(*arg) == ty && self.ty(*element) == ty.lane();
                ensure(vector(ty) && ok, "operands do not fit the result")?;
                ensure(self.ty(*index) == Type::I32, "index is not i32")
            }
            Shuffle { args, lanes } => {
                let from = self.ty(args[0]);
                ensure(from == self.ty(args[1]), "operands differ in type")?;
                ensure(from.scalar == ty.scalar, "operands do not fit the result")?;
                let count = usize::from(ty.lanes) == lanes.len() && vector(ty);
                ensure(count && vector(from), "wrong lanes")?;
                let total = u32::from(from.lanes) * 2;
                ensure(lanes.iter().all(|&l| u32::from(l) < total), "no such lane")
            }
            _ => Ok(()),
        }
    }

    fn access(&self, ptr: Value, ty: Type, align: u32) -> Check {
        ensure(self.ty(ptr).space().is_some() && self.ty(ptr).lanes == 1, "not a pointer")?;
        ensure(ty.scalar != Scalar::Bool, "bool has no memory form")?;
        ensure(align.is_power_of_two(), "alignment is not a power of two")
    }

    fn atomic(&self, ptr: Value, ty: Type) -> Check {
        let space = self.ty(ptr).space();
        let shared = matches!(
            space,
            Some(AddressSpace::Global | AddressSpace::Local | AddressSpace::Generic)
        );
        ensure(shared, "atomics act on global, local or generic pointers")?;
        let ok = matches!(ty.scalar, Scalar::I32 | Scalar::I64 | Scalar::F32 | Scalar::F64);
        ensure(ok && ty.lanes == 1, "wrong type")
    }

    fn call(&self, func: Func, args: &[Value], result: Option<Type>) -> Check {
        let Some(callee) = self.module.functions.get(func) else {
            return Err("no such function".to_string());
        };
        ensure(callee.ret() == result, "result is not what the callee gives")?;
        let params = callee.params();
        let same = params.len() == args.len()
            && params.iter().zip(args).all(|(&p, &a)| callee.ty(p) == self.ty(a));
        ensure(same, "arguments do not fit the callee's parameters")
    }

    fn call_result(&self, block: Block, call: Value, index: u32, ty: Type) -> Check {
        let ValueDef::Inst(inst) = self.func.def(call) else { return ensure(false, "not a call") };
        let InstData::Call { func, .. } = self.func.insts[inst] else {
            return ensure(false, "not a call");
        };
        ensure(self.func.blocks[block].insts.contains(&inst), "the call is in another block")?;
        let callee = self.module.functions.get(func);
        let result = callee.and_then(|callee| callee.returns.get(index as usize));
        ensure(index > 0 && result == Some(&ty), "result is not what the callee gives")
    }

    fn void_inst(&self, data: &InstData) -> Check {
        use InstData::*;
        match data {
            Store { ptr, value, align, .. } => self.access(*ptr, self.ty(*value), *align),
            AtomicStore { ptr, value, .. } => self.atomic(*ptr, self.ty(*value)),
            Return { values } => {
                let same = values.len() == self.func.returns.len()
                    && values.iter().zip(&self.func.returns).all(|(&v, &ty)| self.ty(v) == ty);
                ensure(same, "values are not of the function's types")
            }
            Brif { cond, .. } => {
                ensure(self.ty(*cond) == Type::BOOL, "condition is not bool")?;
                self.targets(data)
            }
            Switch { value, cases, .. } => {
                let ty = self.ty(*value);
                ensure(ty.scalar.is_int() && ty.lanes == 1, "value is not an integer")?;
                let bits = ty.scalar.bits();
                let mut seen = HashSet::with_capacity(cases.len());
                for case in cases {
                    ensure(bits == 64 || case.value >> bits == 0, "case is wider than the value")?;
                    ensure(seen.insert(case.value), "case stands there twice")?;
                }
                self.targets(data)
            }
            Jump { .. } => self.targets(data),
            _ => Ok(()),
        }
    }

    fn targets(&self, data: &InstData) -> Check {
        let mut result = Ok(());
        data.for_each_target(|call| {
            let params = &self.func.blocks[call.block].params;
            let same = params.len() == call.args.len()
                && params.iter().zip(&call.args).all(|(&p, &a)| self.ty(p) == self.ty(a));
            if !same {
                result = Err("arguments do not fit the target's parameters".to_string());
            }
        });
        result
    }
}

/// In debug builds, returns an error that names the pass after which a rule is broken.
pub fn debug_verify(module: &Module, pass: &str) -> Result<(), String> {
    if cfg!(debug_assertions) {
        verify_module(module).map_err(|e| format!("internal error after {pass}: {e}\n{module}"))?;
    }
    Ok(())
}

/// As [`debug_verify`], of one function.
pub fn debug_verify_function(module: &Module, func: Func, pass: &str) -> Result<(), String> {
    if cfg!(debug_assertions) {
        let text = || &module.functions[func];
        verify_function(module, func)
            .map_err(|e| format!("internal error after {pass}: {e}\n{}", text()))?;
    }
    Ok(())
}
