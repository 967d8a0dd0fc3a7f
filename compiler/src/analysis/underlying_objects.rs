//! Underlying objects of pointers: the alloca, variable or argument that each points into, and the offset in it.

use crate::ir::cfg::Cfg;
use crate::ir::*;
use cranelift_entity::SecondaryMap;

/// The object that a pointer points into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, PartialOrd, Ord, Hash)]
pub enum UnderlyingObject {
    /// No pointer has been seen yet. Remains for undefined pointers and in unreachable code.
    #[default]
    Undefined,
    /// The object of an alloca.
    Alloca(Inst),
    /// The object that the function's parameter with this number points to.
    Argument(u32),
    /// A global variable, of any address space.
    Variable(Global),
    /// The object that the kernel's argument with this number points to.
    KernelArgument(u32),
    /// Any object whose address is known outside of the function.
    Unknown,
}

/// A pointer as its underlying object and the offset from the start of the object in bytes, if the offset is constant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DecomposedPointer {
    pub object: UnderlyingObject,
    pub offset: Option<i64>,
}

impl DecomposedPointer {
    const UNKNOWN: DecomposedPointer =
        DecomposedPointer { object: UnderlyingObject::Unknown, offset: None };

    fn meet(self, other: DecomposedPointer) -> DecomposedPointer {
        match (self.object, other.object) {
            (UnderlyingObject::Undefined, _) => other,
            (_, UnderlyingObject::Undefined) => self,
            (a, b) if a != b => DecomposedPointer::UNKNOWN,
            _ if self.offset == other.offset => self,
            _ => DecomposedPointer { object: self.object, offset: None },
        }
    }
}

/// The underlying object and offset of each pointer.
pub struct UnderlyingObjects(SecondaryMap<Value, DecomposedPointer>);

impl UnderlyingObjects {
    /// Iterates over the blocks until a round changes no block parameter.
    pub fn compute(func: &Function, cfg: &Cfg) -> UnderlyingObjects {
        let mut objects = UnderlyingObjects(func.value_map());
        for (i, &param) in func.params().iter().enumerate() {
            if is_pointer(func, param) {
                objects.0[param] = DecomposedPointer {
                    object: UnderlyingObject::Argument(i as u32),
                    offset: Some(0),
                };
            }
        }
        while objects.visit_blocks(func, cfg) {}
        objects
    }

    /// Visits all blocks. Returns true if a parameter of a block that was visited before has changed.
    fn visit_blocks(&mut self, func: &Function, cfg: &Cfg) -> bool {
        let mut again = false;
        for &block in cfg.rpo() {
            func.blocks[block].insts.iter().for_each(|&inst| self.visit(func, inst));
            let Some(inst) = func.terminator(block) else { continue };
            func.insts[inst].for_each_target(|call| {
                let changed = self.visit_branch(func, call);
                again |= changed && cfg.rpo_index(call.block) <= cfg.rpo_index(block);
            });
        }
        again
    }

    /// Returns true if a parameter of the block has changed.
    fn visit_branch(&mut self, func: &Function, call: &BlockCall) -> bool {
        let mut changed = false;
        for (&param, &arg) in func.blocks[call.block].params.iter().zip(&call.args) {
            if is_pointer(func, param) {
                let pointer = self.of(func, arg);
                changed |= self.update(param, pointer);
            }
        }
        changed
    }

    /// Returns the underlying object and offset of a pointer.
    pub fn of(&self, func: &Function, value: Value) -> DecomposedPointer {
        match func.def(value) {
            ValueDef::Const(Constant::Undef) => DecomposedPointer::default(),
            ValueDef::Const(Constant::Bits(_)) => DecomposedPointer::UNKNOWN,
            _ => self.0[value],
        }
    }

    fn visit(&mut self, func: &Function, inst: Inst) {
        let data = &func.insts[inst];
        if data.is_arithmetic() {
            return;
        }
        let Some(result) = func.result(inst).filter(|&v| is_pointer(func, v)) else { return };
        let start_of = |object| DecomposedPointer { object, offset: Some(0) };
        let pointer = match *data {
            InstData::Alloca { .. } => start_of(UnderlyingObject::Alloca(inst)),
            InstData::GlobalAddr { global } => start_of(UnderlyingObject::Variable(global)),
            InstData::LoadArg { arg, offset: 0 } => start_of(UnderlyingObject::KernelArgument(arg)),
            InstData::PtrAdd { ptr, offset, .. } => {
                let pointer = self.of(func, ptr);
                let by = func.as_signed_const(offset);
                let offset = pointer.offset.zip(by).and_then(|(a, b)| a.checked_add(b));
                DecomposedPointer { offset, ..pointer }
            }
            InstData::ElementAddr { ptr, .. } => {
                DecomposedPointer { offset: None, ..self.of(func, ptr) }
            }
            InstData::Select { args } => self.of(func, args[1]).meet(self.of(func, args[2])),
            _ => DecomposedPointer::UNKNOWN,
        };
        self.update(result, pointer);
    }

    fn update(&mut self, value: Value, pointer: DecomposedPointer) -> bool {
        let met = self.0[value].meet(pointer);
        let changed = met != self.0[value];
        self.0[value] = met;
        changed
    }
}

/// Returns true if a function accesses memory through pointers that may point to any private object. Its callees
/// are not considered.
pub fn has_unknown_access(function: &Function) -> bool {
    let objects = UnderlyingObjects::compute(function, &Cfg::compute(function));
    let is_unknown = |ptr: Value| match function.ty(ptr).space() {
        Some(AddressSpace::Private) => {
            objects.of(function, ptr).object == UnderlyingObject::Unknown
        }
        space => space == Some(AddressSpace::Generic),
    };
    function.layout_insts().any(|inst| function.insts[inst].address().is_some_and(is_unknown))
}

fn is_pointer(func: &Function, value: Value) -> bool {
    func.ty(value).scalar.is_ptr()
}

/// Returns true if a value is a pointer to private memory.
pub fn is_private(func: &Function, value: Value) -> bool {
    func.ty(value).space() == Some(AddressSpace::Private)
}
