//! Address-space inference: gives generic pointers the specific address space that they point to.
//!
//! A generic pointer that is computed only from pointers to one space and null, by address arithmetic, selection and block
//! parameters, becomes a pointer to that space. If it must stay generic (compared with other pointers, stored) it is cast.
//! Null has the same bits in every space, and no object whose address matters has this address.

use super::cursor::Cursor;
use crate::ir::cfg::Cfg;
use crate::ir::*;
use cranelift_entity::SecondaryMap;

const GENERIC: Type = Type::ptr(AddressSpace::Generic);

/// The inferred address space of a pointer: a lattice, from its top to its bottom.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum InferredSpace {
    /// No pointer has been seen yet, or only the constants null and undefined, which are in any space.
    #[default]
    Uninitialized,
    Known(AddressSpace),
    Generic,
}

impl InferredSpace {
    fn meet(self, other: InferredSpace) -> InferredSpace {
        match (self, other) {
            (InferredSpace::Uninitialized, x) | (x, InferredSpace::Uninitialized) => x,
            (a, b) if a == b => a,
            _ => InferredSpace::Generic,
        }
    }
}

/// Infers the address spaces of a function's pointers. Returns true if any pointer was given a specific space.
pub fn run(func: &mut Function) -> bool {
    if !func.values.values().any(|v| v.ty == GENERIC) {
        return false;
    }
    let cfg = Cfg::compute(func);
    let spaces = infer_spaces(func, &cfg);
    if !spaces.values().any(|space| matches!(space, InferredSpace::Known(_))) {
        return false;
    }
    let mut pass = Rewriter { c: Cursor::new(func), spaces, specific: SecondaryMap::new() };
    for &block in cfg.rpo() {
        pass.rewrite_params(block);
    }
    for &block in cfg.rpo() {
        let insts = pass.c.begin(block);
        for &inst in &insts {
            pass.c.func.stand_at(inst);
            pass.rewrite_inst(inst);
        }
        pass.c.finish_in(block, insts);
    }
    true
}

/// Returns the spaces of all generic pointers, found by iteration to a fixed point.
fn infer_spaces(func: &Function, cfg: &Cfg) -> SecondaryMap<Value, InferredSpace> {
    let mut spaces: SecondaryMap<Value, InferredSpace> = func.value_map();
    for &param in func.params() {
        if func.ty(param) == GENERIC {
            spaces[param] = InferredSpace::Generic;
        }
    }
    propagate(func, cfg, &mut spaces);
    // A value that is computed from constants alone is not the address of an object, so any space will do.
    let mut is_complete = true;
    for &block in cfg.rpo() {
        let results = func.blocks[block].insts.iter().filter_map(|&inst| func.result(inst));
        for value in results.chain(func.blocks[block].params.iter().copied()) {
            if func.ty(value) == GENERIC && spaces[value] == InferredSpace::Uninitialized {
                spaces[value] = InferredSpace::Known(AddressSpace::Global);
                is_complete = false;
            }
        }
    }
    if !is_complete {
        propagate(func, cfg, &mut spaces);
    }
    spaces
}

fn propagate(func: &Function, cfg: &Cfg, spaces: &mut SecondaryMap<Value, InferredSpace>) {
    let mut changed = true;
    while changed {
        changed = false;
        for &block in cfg.rpo() {
            for &inst in &func.blocks[block].insts {
                changed |= visit(func, inst, spaces);
            }
        }
    }
}

/// Returns true if a value is a constant that is the same in every address space.
fn is_null_or_undef(func: &Function, value: Value) -> bool {
    matches!(func.def(value), ValueDef::Const(Constant::Bits(0) | Constant::Undef))
}

fn visit(func: &Function, inst: Inst, spaces: &mut SecondaryMap<Value, InferredSpace>) -> bool {
    let inferred_of =
        |value: Value, spaces: &SecondaryMap<Value, InferredSpace>| match func.def(value) {
            ValueDef::Const(_) if is_null_or_undef(func, value) => InferredSpace::Uninitialized,
            // An address as a number.
            ValueDef::Const(_) => InferredSpace::Generic,
            _ => spaces[value],
        };
    let mut changed = false;
    let mut update =
        |value: Value, inferred: InferredSpace, spaces: &mut SecondaryMap<Value, InferredSpace>| {
            let met = spaces[value].meet(inferred);
            changed |= met != spaces[value];
            spaces[value] = met;
        };
    let data = &func.insts[inst];
    data.for_each_target(|call| {
        for (&param, &arg) in func.blocks[call.block].params.iter().zip(&call.args) {
            if func.ty(param) == GENERIC {
                update(param, inferred_of(arg, spaces), spaces);
            }
        }
    });
    if let Some(result) = func.result(inst).filter(|&v| func.ty(v) == GENERIC) {
        let inferred = match *data {
            InstData::Convert { op: ConvertOp::SpaceCast, arg } => {
                func.ty(arg).space().map_or(InferredSpace::Generic, InferredSpace::Known)
            }
            InstData::PtrAdd { ptr, .. } => inferred_of(ptr, spaces),
            InstData::Select { args } => {
                inferred_of(args[1], spaces).meet(inferred_of(args[2], spaces))
            }
            _ => InferredSpace::Generic,
        };
        update(result, inferred, spaces);
    }
    changed
}

struct Rewriter<'a> {
    c: Cursor<'a>,
    spaces: SecondaryMap<Value, InferredSpace>,
    /// By generic pointer, the pointer to a specific space that replaces it.
    specific: SecondaryMap<Value, Option<Value>>,
}

impl Rewriter<'_> {
    fn known_space(&self, value: Value) -> Option<AddressSpace> {
        match self.spaces[value] {
            InferredSpace::Known(space) => Some(space),
            _ => None,
        }
    }

    fn rewrite_params(&mut self, block: Block) {
        let func = &mut *self.c.func;
        let spaces = &self.spaces;
        let is_known = |v: Value| matches!(spaces[v], InferredSpace::Known(_));
        if block == func.entry() || !func.blocks[block].params.iter().any(|&p| is_known(p)) {
            return;
        }
        for param in std::mem::take(&mut func.blocks[block].params) {
            if let InferredSpace::Known(space) = self.spaces[param] {
                self.specific[param] = Some(func.add_param(block, Type::ptr(space)));
            } else {
                func.push_param(block, param);
            }
        }
    }

    /// Returns a pointer cast to `space`, which it is known to point to.
    fn cast_to_space(&mut self, value: Value, space: AddressSpace) -> Value {
        let ty = Type::ptr(space);
        match self.c.func.def(value) {
            ValueDef::Const(Constant::Bits(bits)) => self.c.func.constant(ty, bits),
            ValueDef::Const(Constant::Undef) => self.c.func.undef(ty),
            _ => self.specific[value].unwrap_or(value),
        }
    }

    /// Returns a value as a generic pointer. The value may have been replaced by a pointer to a specific space.
    fn cast_to_generic(&mut self, value: Value) -> Value {
        match self.specific[value] {
            Some(specific) => self.c.convert(ConvertOp::SpaceCast, specific, GENERIC),
            None => value,
        }
    }

    fn rewrite_inst(&mut self, inst: Inst) {
        let result = self.c.func.result(inst);
        if let Some((result, space)) = result.and_then(|v| Some((v, self.known_space(v)?))) {
            self.specific[result] = self.specific_pointer(inst, space);
            return;
        }
        let mut data = std::mem::replace(&mut self.c.func.insts[inst], InstData::Unreachable);
        match &mut data {
            InstData::Load { ptr, .. } => *ptr = self.specific[*ptr].unwrap_or(*ptr),
            InstData::Store { ptr, value, .. } => {
                *ptr = self.specific[*ptr].unwrap_or(*ptr);
                *value = self.cast_to_generic(*value);
            }
            InstData::AtomicRmw { ptr, .. }
            | InstData::AtomicCmpXchg { ptr, .. }
            | InstData::AtomicLoad { ptr, .. }
            | InstData::AtomicStore { ptr, .. } => {
                *ptr = match self.known_space(*ptr) {
                    Some(AddressSpace::Global | AddressSpace::Local) => {
                        self.specific[*ptr].unwrap_or(*ptr)
                    }
                    _ => self.cast_to_generic(*ptr),
                }
            }
            &mut InstData::Convert {
                op: op @ (ConvertOp::SpaceCast | ConvertOp::ToSpace),
                ref mut arg,
            } => {
                let to = result.map(|v| self.c.ty(v));
                match self.specific[*arg] {
                    // The pointer is cast back to its original space: uses take the original pointer.
                    Some(specific) if Some(self.c.ty(specific)) == to => {
                        let (offset, within) = (self.zero(), Within::ANYWHERE);
                        data = InstData::PtrAdd { ptr: specific, offset, within };
                    }
                    // A cast to another space gives null.
                    Some(_) if op == ConvertOp::ToSpace => data = self.null_pointer(to),
                    _ => *arg = self.cast_to_generic(*arg),
                }
            }
            InstData::ICmp { args, .. } => {
                let space = self.common_space(*args);
                for arg in args {
                    *arg = match space {
                        Some(space) => self.cast_to_space(*arg, space),
                        None => self.cast_to_generic(*arg),
                    };
                }
            }
            other if other.is_terminator() => self.rewrite_branch(other),
            other => other.map_args(|arg| self.cast_to_generic(arg)),
        }
        self.c.func.insts[inst] = data;
        self.c.keep(inst);
    }

    fn zero(&mut self) -> Value {
        self.c.iconst(Type::I32, 0)
    }

    /// Returns an instruction whose result is the null pointer of type `ty`.
    fn null_pointer(&mut self, ty: Option<Type>) -> InstData {
        let bits = ty.map_or(64, |ty| ty.scalar.bits());
        let arg = self.c.iconst(Type::of(Scalar::int(bits)), 0);
        InstData::Convert { op: ConvertOp::IntToPtr, arg }
    }

    /// Returns the space that two pointers are both known to point to, if there is one.
    fn common_space(&self, args: [Value; 2]) -> Option<AddressSpace> {
        let [a, b] = args.map(|arg| self.known_space(arg));
        match a.or(b) {
            space if a == b => space,
            space if args.iter().any(|&arg| is_null_or_undef(self.c.func, arg)) => space,
            _ => None,
        }
    }

    /// Returns the pointer to `space` that replaces an instruction's generic result.
    fn specific_pointer(&mut self, inst: Inst, space: AddressSpace) -> Option<Value> {
        match self.c.func.insts[inst] {
            InstData::Convert { arg, .. } => Some(arg),
            InstData::PtrAdd { ptr, mut offset, within } => {
                let ptr = self.cast_to_space(ptr, space);
                if Scalar::Ptr(space).bits() == 32 && self.c.ty(offset) == Type::I64 {
                    offset = self.c.convert(ConvertOp::Trunc, offset, Type::I32);
                }
                Some(self.c.ptr_add_within(ptr, offset, within))
            }
            InstData::Select { args: [cond, then, otherwise] } => {
                let (then, otherwise) =
                    (self.cast_to_space(then, space), self.cast_to_space(otherwise, space));
                Some(self.c.select(cond, then, otherwise))
            }
            _ => None,
        }
    }

    fn rewrite_branch(&mut self, data: &mut InstData) {
        if let InstData::Return { values } = data {
            for value in values {
                *value = self.cast_to_generic(*value);
            }
        }
        // Parameters that were replaced are no longer in the blocks' lists, so the current list decides.
        data.for_each_target_mut(|call| {
            for (i, arg) in call.args.iter_mut().enumerate() {
                let param = self.c.func.blocks[call.block].params.get(i).copied();
                let to = param.and_then(|p| self.c.ty(p).space());
                *arg = match to {
                    Some(space) if self.c.ty(*arg) == GENERIC && space != AddressSpace::Generic => {
                        self.cast_to_space(*arg, space)
                    }
                    _ => self.cast_to_generic(*arg),
                };
            }
        });
    }
}
