//! How a kernel accesses the memory that its pointer arguments point to. A runtime that keeps the memory on several devices
//! needs to know.

use crate::analysis::call_graph::bottom_up;
use crate::analysis::underlying_objects::{UnderlyingObject, UnderlyingObjects};
use crate::ir::cfg::Cfg;
use crate::ir::*;
use crate::kernel::{ArgAccess, ArgAddress, ArgKind};

/// Returns for each argument of a kernel how memory is accessed through the argument, as far as the kernel itself shows:
/// accesses through addresses that the kernel loads from memory do not count. Must be called before legalization, which
/// splits arguments.
///
/// A store through an unknown address counts as a store through every argument that is not declared as a pointer to
/// `const`.
///
/// Errors: recursion.
pub fn argument_access(module: &Module, kernel: &KernelEntry) -> Result<Vec<ArgAccess>, String> {
    let func = &module.functions[kernel.func];
    let objects = UnderlyingObjects::compute(func, &Cfg::compute(func));
    let mut all = vec![ArgAccess::default(); kernel.args.len()];
    let mut accesses = Accesses { func, objects: &objects, kernel, all: &mut all };
    func.layout_insts().for_each(|inst| accesses.add(&func.insts[inst]));
    accesses.add_covered(func.entry());
    for id in bottom_up(module, [kernel.func])?.into_iter().filter(|id| *id != kernel.func) {
        let called = &module.functions[id];
        called.layout_insts().for_each(|inst| accesses.add_called(called, &called.insts[inst]));
    }
    for (access, arg) in all.iter_mut().zip(&kernel.args) {
        if !matches!(arg.kind, ArgKind::Buffer) {
            *access = ArgAccess::ALL;
        }
        if access.reads {
            access.covers = 0;
        }
    }
    Ok(all)
}

/// Returns the address that an instruction accesses, unless it is in private or local memory.
fn device_address(func: &Function, data: &InstData) -> Option<Value> {
    let is_own = |ptr: Value| {
        matches!(func.ty(ptr).space(), Some(AddressSpace::Private | AddressSpace::Local))
    };
    data.address().filter(|ptr| !is_own(*ptr))
}

/// Returns whether an access reads, and whether it writes.
fn directions(data: &InstData) -> (bool, bool) {
    match data {
        InstData::Load { .. } | InstData::AtomicLoad { .. } | InstData::MatrixLoad { .. } => {
            (true, false)
        }
        InstData::Store { .. } | InstData::AtomicStore { .. } | InstData::MatrixStore { .. } => {
            (false, true)
        }
        _ => (true, true),
    }
}

/// The accesses of a kernel that were found so far, and the objects that pointers of its entry function point to.
struct Accesses<'a> {
    func: &'a Function,
    objects: &'a UnderlyingObjects,
    kernel: &'a KernelEntry,
    all: &'a mut [ArgAccess],
}

impl Accesses<'_> {
    /// Adds the accesses of an instruction of the kernel's entry function.
    fn add(&mut self, data: &InstData) {
        if let Some(ptr) = device_address(self.func, data) {
            let (reads, writes) = directions(data);
            match self.objects.of(self.func, ptr).object {
                UnderlyingObject::KernelArgument(arg) => self.note(arg, reads, writes),
                UnderlyingObject::Alloca(_)
                | UnderlyingObject::Variable(_)
                | UnderlyingObject::Undefined => {}
                _ => self.note_all(reads, writes),
            }
        }
        match data {
            // The result is an address in the same object.
            InstData::PtrAdd { .. } | InstData::Select { .. } => {}
            InstData::ICmp { .. } => {}
            // Anybody may load the stored address.
            InstData::Store { value, .. } => self.escape(*value),
            _ if data.address().is_some() => {}
            // A block parameter points into the object that all arguments for it point into, if there is only one such
            // object.
            _ if data.is_terminator() => {}
            _ => data.for_each_arg(|arg| self.escape(arg)),
        }
    }

    /// Adds the accesses of an instruction in a called function. Any address in a called function may be derived from
    /// any argument.
    fn add_called(&mut self, func: &Function, data: &InstData) {
        if device_address(func, data).is_some() {
            let (reads, writes) = directions(data);
            self.note_all(reads, writes);
        }
    }

    fn note_all(&mut self, reads: bool, writes: bool) {
        for (number, arg) in (0..).zip(&self.kernel.args) {
            let is_const = arg.is_const || arg.address == ArgAddress::Constant;
            self.note(number, reads, writes && !is_const);
        }
    }

    fn note(&mut self, arg: u32, reads: bool, writes: bool) {
        if let Some(access) = self.all.get_mut(arg as usize) {
            access.reads |= reads;
            access.writes |= writes;
        }
    }

    fn escape(&mut self, value: Value) {
        if !self.func.ty(value).scalar.is_ptr() {
            return;
        }
        if let UnderlyingObject::KernelArgument(arg) = self.objects.of(self.func, value).object {
            self.note(arg, true, true);
        }
    }

    /// Finds the stores in `block` that all work-items execute, each to the array element whose index is the work-item's
    /// global id in x.
    fn add_covered(&mut self, block: Block) {
        for &inst in &self.func.blocks[block].insts {
            let InstData::Store { ptr, value, .. } = self.func.insts[inst] else { continue };
            let Some((base, stride)) = self.element(ptr) else { continue };
            let object = self.objects.of(self.func, base);
            let bytes = self.func.ty(value).bytes();
            if let (UnderlyingObject::KernelArgument(arg), Some(0)) = (object.object, object.offset)
            {
                if stride == bytes {
                    if let Some(access) = self.all.get_mut(arg as usize) {
                        access.covers = bytes;
                    }
                }
            }
        }
    }

    /// Returns the array and the size of its elements in bytes, if an address is that of element `get_global_id(0)`.
    fn element(&self, ptr: Value) -> Option<(Value, u32)> {
        let &InstData::PtrAdd { ptr: base, offset, .. } = self.inst(ptr)? else { return None };
        let scaled = |index: Value, stride: u64| {
            self.is_global_id(index).then_some((base, u32::try_from(stride).ok()?))
        };
        match *self.inst(offset)? {
            InstData::Binary { op: BinaryOp::Shl, args: [index, by], .. } => {
                scaled(index, 1u64.checked_shl(u32::try_from(self.func.as_const(by)?).ok()?)?)
            }
            InstData::Binary { op: BinaryOp::IMul, args: [index, by], .. } => {
                scaled(index, self.func.as_const(by)?)
            }
            _ => scaled(offset, 1),
        }
    }

    /// Returns true if a value is the global id in x, or its low word.
    fn is_global_id(&self, value: Value) -> bool {
        match self.inst(value) {
            Some(InstData::WorkItem { query: WorkItemQuery::GlobalId, dim: 0 }) => true,
            Some(&InstData::Convert { op, arg }) => {
                let is_wide = self.func.ty(value).scalar.bits() >= 32;
                let keeps = matches!(op, ConvertOp::Trunc | ConvertOp::SExt | ConvertOp::ZExt);
                is_wide && keeps && self.is_global_id(arg)
            }
            _ => false,
        }
    }

    fn inst(&self, value: Value) -> Option<&InstData> {
        match self.func.def(value) {
            ValueDef::Inst(inst) => Some(&self.func.insts[inst]),
            _ => None,
        }
    }
}
