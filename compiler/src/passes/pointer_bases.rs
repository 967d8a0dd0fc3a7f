//! What the private pointers of a function are made of: which object or parameter they point into,
//! and how far from its start.

use crate::ir::cfg::Cfg;
use crate::ir::*;
use cranelift_entity::SecondaryMap;

/// The object that a private pointer points into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Root {
    /// Nothing seen yet; stays so for undefined pointers and in unreachable code.
    #[default]
    None,
    /// The object of an alloca.
    Object(Inst),
    /// The object that the function's parameter of that number points to.
    Param(u32),
    /// Anything whose address is known elsewhere.
    Unknown,
}

/// A root and the distance from it in bytes, if that is one number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Base {
    pub root: Root,
    pub offset: Option<i64>,
}

impl Base {
    const UNKNOWN: Base = Base { root: Root::Unknown, offset: None };

    fn meet(self, other: Base) -> Base {
        match (self.root, other.root) {
            (Root::None, _) => other,
            (_, Root::None) => self,
            (a, b) if a != b => Base::UNKNOWN,
            _ if self.offset == other.offset => self,
            _ => Base { root: self.root, offset: None },
        }
    }
}

/// The base of each private pointer.
pub struct Bases(SecondaryMap<Value, Base>);

impl Bases {
    /// Iterates over the blocks until nothing changes.
    pub fn compute(func: &Function) -> Bases {
        let cfg = Cfg::compute(func);
        let mut bases = Bases(func.value_map());
        for (i, &param) in func.params().iter().enumerate() {
            if is_private(func, param) {
                bases.0[param] = Base { root: Root::Param(i as u32), offset: Some(0) };
            }
        }
        let mut changed = true;
        while changed {
            changed = false;
            for &block in cfg.rpo() {
                for &inst in &func.blocks[block].insts {
                    changed |= bases.visit(func, inst);
                }
            }
        }
        bases
    }

    /// Returns the base of a private pointer.
    pub fn of(&self, func: &Function, value: Value) -> Base {
        match func.def(value) {
            ValueDef::Const(Constant::Undef) => Base::default(),
            ValueDef::Const(Constant::Bits(_)) => Base::UNKNOWN,
            _ => self.0[value],
        }
    }

    fn visit(&mut self, func: &Function, inst: Inst) -> bool {
        let mut changed = false;
        let data = &func.insts[inst];
        data.for_each_target(|call| {
            for (&param, &arg) in func.blocks[call.block].params.iter().zip(&call.args) {
                if is_private(func, param) {
                    let base = self.of(func, arg);
                    changed |= self.update(param, base);
                }
            }
        });
        let Some(result) = func.result(inst).filter(|&v| is_private(func, v)) else {
            return changed;
        };
        let base = match *data {
            InstData::Alloca { .. } => Base { root: Root::Object(inst), offset: Some(0) },
            InstData::PtrAdd { ptr, offset } => {
                let base = self.of(func, ptr);
                let by = func.as_const(offset).map(|bits| i64::from(bits as u32 as i32));
                let offset = base.offset.zip(by).map(|(a, b)| a + b);
                Base { offset, ..base }
            }
            InstData::Select { args } => self.of(func, args[1]).meet(self.of(func, args[2])),
            _ => Base::UNKNOWN,
        };
        changed | self.update(result, base)
    }

    fn update(&mut self, value: Value, base: Base) -> bool {
        let met = self.0[value].meet(base);
        let changed = met != self.0[value];
        self.0[value] = met;
        changed
    }
}

/// Returns true if a function accesses memory through pointers that may point to any private object. Its callees
/// are not considered.
pub fn has_unknown_access(function: &Function) -> bool {
    let bases = Bases::compute(function);
    let is_unknown = |ptr: Value| match function.ty(ptr).space() {
        Some(AddressSpace::Private) => bases.of(function, ptr).root == Root::Unknown,
        space => space == Some(AddressSpace::Generic),
    };
    let mut insts = function.layout.iter().flat_map(|&block| &function.blocks[block].insts);
    insts.any(|&inst| match function.insts[inst] {
        InstData::Load { ptr, .. }
        | InstData::Store { ptr, .. }
        | InstData::AtomicRmw { ptr, .. }
        | InstData::AtomicCmpXchg { ptr, .. }
        | InstData::AtomicLoad { ptr, .. }
        | InstData::AtomicStore { ptr, .. } => is_unknown(ptr),
        _ => false,
    })
}

/// Returns true if a value is a pointer to private memory.
pub fn is_private(func: &Function, value: Value) -> bool {
    func.ty(value).space() == Some(AddressSpace::Private)
}
