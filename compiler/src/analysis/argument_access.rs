//! What a kernel does with the memory that its pointer arguments point to: for a runtime that keeps that memory on several
//! devices.

use crate::analysis::call_graph::bottom_up;
use crate::analysis::underlying_objects::{UnderlyingObject, UnderlyingObjects};
use crate::ir::cfg::Cfg;
use crate::ir::*;
use crate::kernel::{ArgAccess, ArgAddress, ArgKind};

/// Returns, for each argument of a kernel, how its memory is accessed through it, as far as the kernel itself shows: nothing
/// is said of addresses that it finds elsewhere. To be asked before legalization, which takes arguments apart.
///
/// A store through an address of which nothing is known may be one through any argument, but those that are declared to
/// point to what is `const`.
///
/// Errors: recursion.
pub fn argument_access(module: &Module, kernel: &KernelEntry) -> Result<Vec<ArgAccess>, String> {
    let mut all = vec![ArgAccess::default(); kernel.args.len()];
    for id in bottom_up(module, [kernel.func])? {
        let func = &module.functions[id];
        let cfg = Cfg::compute(func);
        let objects = UnderlyingObjects::compute(func, &cfg);
        let mut accesses = Accesses {
            func,
            objects: &objects,
            kernel,
            is_entry: id == kernel.func,
            all: &mut all,
        };
        func.layout_insts().for_each(|inst| accesses.add(&func.insts[inst]));
        if id == kernel.func {
            accesses.add_covered(func.entry());
        }
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

struct Accesses<'a> {
    func: &'a Function,
    objects: &'a UnderlyingObjects,
    kernel: &'a KernelEntry,
    is_entry: bool,
    all: &'a mut [ArgAccess],
}

impl Accesses<'_> {
    /// Adds what an instruction does.
    fn add(&mut self, data: &InstData) {
        let (reads, writes) = match data {
            InstData::Load { .. } | InstData::AtomicLoad { .. } => (true, false),
            InstData::Store { .. } | InstData::AtomicStore { .. } => (false, true),
            _ => (true, true),
        };
        if let Some(ptr) = data.address() {
            self.access(ptr, reads, writes);
        }
        match data {
            // The result is an address in the same object.
            InstData::PtrAdd { .. } | InstData::Select { .. } => {}
            InstData::ICmp { .. } => {}
            // What is stored may be found by anybody.
            InstData::Store { value, .. } => self.escape(*value),
            _ if data.address().is_some() => {}
            // Parameters of blocks point where all that they are given points, if that is one object.
            _ if data.is_terminator() => {}
            _ => data.for_each_arg(|arg| self.escape(arg)),
        }
    }

    fn access(&mut self, ptr: Value, reads: bool, writes: bool) {
        if matches!(self.func.ty(ptr).space(), Some(AddressSpace::Private | AddressSpace::Local)) {
            return;
        }
        match self.objects.of(self.func, ptr).object {
            UnderlyingObject::KernelArgument(arg) if self.is_entry => self.note(arg, reads, writes),
            UnderlyingObject::Alloca(_) | UnderlyingObject::Variable(_) => {}
            UnderlyingObject::Undefined => {}
            _ => {
                for (number, arg) in (0..).zip(&self.kernel.args) {
                    let is_const = arg.is_const || arg.address == ArgAddress::Constant;
                    self.note(number, reads, writes && !is_const);
                }
            }
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

    /// Finds the stores that all work-items execute, in the block where they begin, each to the element of an array that its
    /// global id in x counts.
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

    /// Returns the array, and the bytes of an element, if an address is that of an element that the global id in x counts.
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
