//! Gives generic pointers the address space that they are seen to come from.
//!
//! A generic pointer that is made of pointers to one space alone, and of null, by address
//! arithmetic, selection and block parameters, becomes a pointer to that space; where it must stay
//! generic (compared with others, stored) it is cast. Null has the same bits in every space, and no
//! object whose address matters lies there.

use super::cursor::Cursor;
use crate::ir::cfg::Cfg;
use crate::ir::*;
use cranelift_entity::SecondaryMap;

const GENERIC: Type = Type::ptr(AddressSpace::Generic);

/// The origin of a pointer.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Origin {
    /// Nothing seen yet, or only the constants null and undefined, which are in any space.
    #[default]
    None,
    One(AddressSpace),
    Many,
}

impl Origin {
    fn meet(self, other: Origin) -> Origin {
        match (self, other) {
            (Origin::None, x) | (x, Origin::None) => x,
            (a, b) if a == b => a,
            _ => Origin::Many,
        }
    }
}

/// Returns true if any pointer was given a space.
pub fn run(func: &mut Function) -> bool {
    if !func.values.values().any(|v| v.ty == GENERIC) {
        return false;
    }
    let cfg = Cfg::compute(func);
    let origins = find_origins(func, &cfg);
    if !origins.values().any(|o| matches!(o, Origin::One(_))) {
        return false;
    }
    let mut pass = Rewriter { c: Cursor::new(func), origins, known: SecondaryMap::new() };
    for &block in cfg.rpo() {
        pass.params(block);
    }
    for &block in cfg.rpo() {
        let insts = pass.c.begin(block);
        for &inst in &insts {
            pass.inst(inst);
        }
        pass.c.finish_in(block, insts);
    }
    true
}

/// Origins of all generic pointers, by iteration from none.
fn find_origins(func: &Function, cfg: &Cfg) -> SecondaryMap<Value, Origin> {
    let mut origins: SecondaryMap<Value, Origin> = func.value_map();
    for &param in func.params() {
        if func.ty(param) == GENERIC {
            origins[param] = Origin::Many;
        }
    }
    propagate(func, cfg, &mut origins);
    // What comes from constants alone is no object's address; any space will do.
    let mut settled = true;
    for &block in cfg.rpo() {
        let results = func.blocks[block].insts.iter().filter_map(|&inst| func.result(inst));
        for value in results.chain(func.blocks[block].params.iter().copied()) {
            if func.ty(value) == GENERIC && origins[value] == Origin::None {
                origins[value] = Origin::One(AddressSpace::Global);
                settled = false;
            }
        }
    }
    if !settled {
        propagate(func, cfg, &mut origins);
    }
    origins
}

fn propagate(func: &Function, cfg: &Cfg, origins: &mut SecondaryMap<Value, Origin>) {
    let mut changed = true;
    while changed {
        changed = false;
        for &block in cfg.rpo() {
            for &inst in &func.blocks[block].insts {
                changed |= visit(func, inst, origins);
            }
        }
    }
}

/// Returns true if a value is the same constant in every address space.
fn is_anywhere(func: &Function, value: Value) -> bool {
    matches!(func.def(value), ValueDef::Const(Constant::Bits(0) | Constant::Undef))
}

fn visit(func: &Function, inst: Inst, origins: &mut SecondaryMap<Value, Origin>) -> bool {
    let of = |value: Value, origins: &SecondaryMap<Value, Origin>| match func.def(value) {
        ValueDef::Const(_) if is_anywhere(func, value) => Origin::None,
        // An address as a number.
        ValueDef::Const(_) => Origin::Many,
        _ => origins[value],
    };
    let mut changed = false;
    let mut update = |value: Value, origin: Origin, origins: &mut SecondaryMap<Value, Origin>| {
        let met = origins[value].meet(origin);
        changed |= met != origins[value];
        origins[value] = met;
    };
    let data = &func.insts[inst];
    data.for_each_target(|call| {
        for (&param, &arg) in func.blocks[call.block].params.iter().zip(&call.args) {
            if func.ty(param) == GENERIC {
                update(param, of(arg, origins), origins);
            }
        }
    });
    if let Some(result) = func.result(inst).filter(|&v| func.ty(v) == GENERIC) {
        let origin = match *data {
            InstData::Convert { op: ConvertOp::SpaceCast, arg } => {
                func.ty(arg).space().map_or(Origin::Many, Origin::One)
            }
            InstData::PtrAdd { ptr, .. } => of(ptr, origins),
            InstData::Select { args } => of(args[1], origins).meet(of(args[2], origins)),
            _ => Origin::Many,
        };
        update(result, origin, origins);
    }
    changed
}

struct Rewriter<'a> {
    c: Cursor<'a>,
    origins: SecondaryMap<Value, Origin>,
    /// The pointer of a known space that took the place of a generic one.
    known: SecondaryMap<Value, Option<Value>>,
}

impl Rewriter<'_> {
    fn space(&self, value: Value) -> Option<AddressSpace> {
        match self.origins[value] {
            Origin::One(space) => Some(space),
            _ => None,
        }
    }

    fn params(&mut self, block: Block) {
        let func = &mut *self.c.func;
        let origins = &self.origins;
        let known = |v: Value| matches!(origins[v], Origin::One(_));
        if block == func.entry() || !func.blocks[block].params.iter().any(|&p| known(p)) {
            return;
        }
        for param in std::mem::take(&mut func.blocks[block].params) {
            if let Origin::One(space) = self.origins[param] {
                self.known[param] = Some(func.add_param(block, Type::ptr(space)));
            } else {
                let index = func.blocks[block].params.len() as u32;
                func.values[param].def = ValueDef::Param(block, index);
                func.blocks[block].params.push(param);
            }
        }
    }

    /// Returns a pointer as one to `space`, which it is known to be.
    fn in_space(&mut self, value: Value, space: AddressSpace) -> Value {
        let ty = Type::ptr(space);
        match self.c.func.def(value) {
            ValueDef::Const(Constant::Bits(bits)) => self.c.func.constant(ty, bits),
            ValueDef::Const(Constant::Undef) => self.c.func.undef(ty),
            _ => self.known[value].unwrap_or(value),
        }
    }

    /// Returns a pointer as generic again.
    fn generic(&mut self, value: Value) -> Value {
        match self.known[value] {
            Some(known) => self.c.convert(ConvertOp::SpaceCast, known, GENERIC),
            None => value,
        }
    }

    fn inst(&mut self, inst: Inst) {
        let result = self.c.func.result(inst);
        if let Some((result, space)) = result.and_then(|v| Some((v, self.space(v)?))) {
            self.known[result] = self.pointer(inst, space);
            return;
        }
        let mut data = std::mem::replace(&mut self.c.func.insts[inst], InstData::Unreachable);
        match &mut data {
            InstData::Load { ptr, .. } => *ptr = self.known[*ptr].unwrap_or(*ptr),
            InstData::Store { ptr, value, .. } => {
                *ptr = self.known[*ptr].unwrap_or(*ptr);
                *value = self.generic(*value);
            }
            InstData::AtomicRmw { ptr, .. }
            | InstData::AtomicCmpXchg { ptr, .. }
            | InstData::AtomicLoad { ptr, .. }
            | InstData::AtomicStore { ptr, .. } => {
                *ptr = match self.space(*ptr) {
                    Some(AddressSpace::Global | AddressSpace::Local) => {
                        self.known[*ptr].unwrap_or(*ptr)
                    }
                    _ => self.generic(*ptr),
                }
            }
            &mut InstData::Convert {
                op: op @ (ConvertOp::SpaceCast | ConvertOp::ToSpace),
                ref mut arg,
            } => {
                let to = result.map(|v| self.c.ty(v));
                match self.known[*arg] {
                    // Back to where it comes from: the uses take the pointer itself.
                    Some(known) if Some(self.c.ty(known)) == to => {
                        data = InstData::PtrAdd { ptr: known, offset: self.zero() };
                    }
                    // Elsewhere: null.
                    Some(_) if op == ConvertOp::ToSpace => data = self.null(to),
                    _ => *arg = self.generic(*arg),
                }
            }
            InstData::ICmp { args, .. } => {
                let space = self.common_space(*args);
                for arg in args {
                    *arg = match space {
                        Some(space) => self.in_space(*arg, space),
                        None => self.generic(*arg),
                    };
                }
            }
            other if other.is_terminator() => self.branch(other),
            other => other.map_args(|arg| self.generic(arg)),
        }
        self.c.func.insts[inst] = data;
        self.c.keep(inst);
    }

    fn zero(&mut self) -> Value {
        self.c.iconst(Type::I32, 0)
    }

    /// Returns an instruction whose result is the null pointer of a type.
    fn null(&mut self, ty: Option<Type>) -> InstData {
        let bits = ty.map_or(64, |ty| ty.scalar.bits());
        let arg = self.c.iconst(Type::of(Scalar::int(bits)), 0);
        InstData::Convert { op: ConvertOp::IntToPtr, arg }
    }

    /// Returns the space that both of two pointers are known to point to, if there is one.
    fn common_space(&self, args: [Value; 2]) -> Option<AddressSpace> {
        let [a, b] = args.map(|arg| self.space(arg));
        match a.or(b) {
            space if a == b => space,
            space if args.iter().any(|&arg| is_anywhere(self.c.func, arg)) => space,
            _ => None,
        }
    }

    /// Returns the pointer to `space` in place of an instruction's generic result.
    fn pointer(&mut self, inst: Inst, space: AddressSpace) -> Option<Value> {
        match self.c.func.insts[inst] {
            InstData::Convert { arg, .. } => Some(arg),
            InstData::PtrAdd { ptr, mut offset } => {
                let ptr = self.in_space(ptr, space);
                if Scalar::Ptr(space).bits() == 32 && self.c.ty(offset) == Type::I64 {
                    offset = self.c.convert(ConvertOp::Trunc, offset, Type::I32);
                }
                Some(self.c.ptr_add(ptr, offset))
            }
            InstData::Select { args: [cond, then, otherwise] } => {
                let (then, otherwise) =
                    (self.in_space(then, space), self.in_space(otherwise, space));
                Some(self.c.select(cond, then, otherwise))
            }
            _ => None,
        }
    }

    fn branch(&mut self, data: &mut InstData) {
        if let InstData::Return { values } = data {
            for value in values {
                *value = self.generic(*value);
            }
        }
        // Parameters that changed are no longer in the blocks' lists: go by what the list has now.
        data.for_each_target_mut(|call| {
            for (i, arg) in call.args.iter_mut().enumerate() {
                let param = self.c.func.blocks[call.block].params.get(i).copied();
                let to = param.and_then(|p| self.c.ty(p).space());
                *arg = match to {
                    Some(space) if self.c.ty(*arg) == GENERIC && space != AddressSpace::Generic => {
                        self.in_space(*arg, space)
                    }
                    _ => self.generic(*arg),
                };
            }
        });
    }
}
