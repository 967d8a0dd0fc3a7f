//! Alias classes: sets of memory that pointers of different classes do not share.
//!
//! These have a class of their own: private objects whose address does not leave the function, variables and arguments of
//! work-group memory, variables of program scope, and memory that the program reaches only through a `restrict` argument
//! of a kernel (C99 6.7.3.1). All other memory of an address space is in one class.

use super::underlying_objects::{UnderlyingObject, UnderlyingObjects};
use crate::ir::cfg::Cfg;
use crate::ir::*;
use cranelift_entity::SecondaryMap;
use smallvec::SmallVec;

/// A set of alias classes, by bit.
pub type ClassSet = u64;

/// The memory that any pointer of an address space may reach. A load through such a pointer depends on writes to all
/// memory of the address space, so these writes count as writes of this class too.
const ANY: ClassSet = 1;
const ANY_GLOBAL: ClassSet = 2;
const ANY_LOCAL: ClassSet = 4;
const ANY_PRIVATE: ClassSet = 8;
/// Number of the first class that belongs to an object. All further classes of the set are of objects.
const FIRST_OBJECT: usize = 4;
const MAX_OBJECTS: usize = ClassSet::BITS as usize - FIRST_OBJECT;

/// An object that may have an alias class of its own.
struct Object {
    base: UnderlyingObject,
    space: Option<AddressSpace>,
    /// True if the address of the object is stored, passed on or mixed with other addresses.
    escapes: bool,
}

/// The alias classes of a function.
pub struct AliasClasses {
    objects: SmallVec<[Object; 8]>,
    /// By pointer, the number + 1 of the object that it points into; 0 if the object has no class of its own.
    object_of: SecondaryMap<Value, u8>,
    /// By address space, the classes of objects that unknown pointers may reach.
    variables: ClassSet,
    locals: ClassSet,
    /// Classes that nothing outside the function reaches.
    own: ClassSet,
    /// Classes that no pointer to another object reaches: the classes of `own`, and those of `restrict` arguments.
    isolated: ClassSet,
}

impl AliasClasses {
    /// Finds the classes of a function. `kernel` is given if the function is a kernel's entry.
    pub fn compute(func: &Function, kernel: Option<&KernelEntry>, cfg: &Cfg) -> AliasClasses {
        let mut classes = AliasClasses {
            objects: SmallVec::new(),
            object_of: func.value_map(),
            variables: 0,
            locals: 0,
            own: 0,
            isolated: 0,
        };
        let underlying = UnderlyingObjects::compute(func, cfg);
        for (value, data) in func.values.iter() {
            if data.ty.scalar.is_ptr() {
                let object = underlying.of(func, value).object;
                classes.object_of[value] = classes.number(object, data.ty.space(), kernel);
            }
        }
        if !classes.objects.is_empty() {
            func.layout_insts().for_each(|inst| classes.find_escapes(func, inst));
        }
        for (index, object) in classes.objects.iter().enumerate() {
            let class = 1 << (FIRST_OBJECT + index);
            match object.base {
                _ if object.space == Some(AddressSpace::Local) => classes.locals |= class,
                UnderlyingObject::Alloca(_) => classes.own |= class,
                UnderlyingObject::Variable(_) => classes.variables |= class,
                _ => classes.isolated |= class,
            }
        }
        classes.isolated |= classes.own;
        classes
    }

    /// Returns the number + 1 of an object; 0 if the object has no class of its own, or if all numbers are taken.
    fn number(
        &mut self,
        base: UnderlyingObject,
        space: Option<AddressSpace>,
        kernel: Option<&KernelEntry>,
    ) -> u8 {
        let is_restrict = |arg: u32| {
            let args = kernel.map_or(&[][..], |kernel| &kernel.args);
            args.get(arg as usize).is_some_and(|arg| arg.is_restrict)
        };
        let has_class = match base {
            UnderlyingObject::Alloca(_) | UnderlyingObject::Variable(_) => true,
            UnderlyingObject::KernelArgument(arg) => {
                space == Some(AddressSpace::Local) || is_restrict(arg)
            }
            _ => false,
        };
        if !has_class {
            return 0;
        }
        let known = self.objects.iter().position(|object| object.base == base);
        let index = known.unwrap_or(self.objects.len());
        if index == self.objects.len() {
            if index == MAX_OBJECTS {
                return 0;
            }
            self.objects.push(Object { base, space, escapes: false });
        }
        index as u8 + 1
    }

    /// Finds the uses of addresses that the analysis does not follow, and marks their objects as escaping.
    fn find_escapes(&mut self, func: &Function, inst: Inst) {
        let data = &func.insts[inst];
        match data {
            _ if data.is_arithmetic() => {}
            InstData::PtrAdd { .. } | InstData::ElementAddr { .. } | InstData::ICmp { .. } => {}
            InstData::Store { value, .. } => self.escape(*value),
            // The only pointer among the operands of atomic operations and loads is the address.
            _ if data.address().is_some() => {}
            InstData::Select { args } => {
                if let Some(result) = func.result(inst) {
                    self.flow(args[1], result);
                    self.flow(args[2], result);
                }
            }
            _ if data.is_terminator() => {
                let mut passed: SmallVec<[(Value, Value); 4]> = SmallVec::new();
                data.for_each_target(|call| {
                    let params = &func.blocks[call.block].params;
                    passed.extend(call.args.iter().copied().zip(params.iter().copied()));
                });
                passed.into_iter().for_each(|(arg, param)| self.flow(arg, param));
                if let InstData::Return { values } = data {
                    values.iter().for_each(|&value| self.escape(value));
                }
            }
            _ => data.for_each_arg(|arg| self.escape(arg)),
        }
    }

    /// Notes that pointer `to` is derived from pointer `from`.
    fn flow(&mut self, from: Value, to: Value) {
        if self.object_of[from] != self.object_of[to] {
            self.escape(from);
        }
    }

    fn escape(&mut self, value: Value) {
        if let Some(index) = usize::from(self.object_of[value]).checked_sub(1) {
            self.objects[index].escapes = true;
        }
    }

    /// Returns the number of classes.
    pub fn count(&self) -> usize {
        FIRST_OBJECT + self.objects.len()
    }

    fn object(&self, ptr: Value) -> Option<usize> {
        let index = usize::from(self.object_of[ptr]).checked_sub(1)?;
        (!self.objects[index].escapes).then_some(index)
    }

    /// Returns the number of the class that a load through a pointer reads. Writes to any memory that the load may read
    /// are writes of this class.
    pub fn read(&self, func: &Function, ptr: Value) -> usize {
        if let Some(index) = self.object(ptr) {
            return FIRST_OBJECT + index;
        }
        let any = match func.ty(ptr).space() {
            Some(AddressSpace::Private) => ANY_PRIVATE,
            Some(AddressSpace::Local) => ANY_LOCAL,
            Some(AddressSpace::Global | AddressSpace::Constant) => ANY_GLOBAL,
            _ => ANY,
        };
        any.trailing_zeros() as usize
    }

    /// Returns the classes that a store through a pointer writes.
    pub fn written(&self, func: &Function, ptr: Value) -> ClassSet {
        let object = self.object(ptr).map(|index| 1 << (FIRST_OBJECT + index));
        if let Some(class) = object.filter(|class| class & self.isolated != 0) {
            return class;
        }
        ANY | match func.ty(ptr).space() {
            Some(AddressSpace::Private) => ANY_PRIVATE | object.unwrap_or(0),
            Some(AddressSpace::Local) => ANY_LOCAL | object.unwrap_or(self.locals),
            Some(AddressSpace::Global) => ANY_GLOBAL | object.unwrap_or(self.variables),
            _ => ANY_GLOBAL | ANY_LOCAL | ANY_PRIVATE | self.variables | self.locals,
        }
    }

    /// Returns the classes that an instruction itself writes. For a call, the writes of the called function are left
    /// out.
    pub fn stored(&self, func: &Function, inst: Inst) -> ClassSet {
        match func.insts[inst] {
            InstData::Call { .. } | InstData::AtomicLoad { .. } => 0,
            InstData::Barrier { .. }
            | InstData::SubgroupBarrier { .. }
            | InstData::Fence { .. } => 0,
            InstData::ImageRead { .. } => 0,
            InstData::AtomicRmw { ptr, .. }
            | InstData::AtomicCmpXchg { ptr, .. }
            | InstData::AtomicStore { ptr, .. } => self.written(func, ptr),
            _ => self.clobbered(func, inst),
        }
    }

    /// Returns the classes that other functions may reach.
    pub fn reachable(&self) -> ClassSet {
        !self.isolated
    }

    /// Returns the classes that an instruction may write, or of which writes by other work-items may be visible behind
    /// the instruction.
    pub fn clobbered(&self, func: &Function, inst: Inst) -> ClassSet {
        let data = &func.insts[inst];
        match data {
            InstData::AtomicRmw { sync, .. }
            | InstData::AtomicCmpXchg { sync, .. }
            | InstData::AtomicStore { sync, .. }
                if sync.orders() =>
            {
                !self.own
            }
            InstData::Store { ptr, .. }
            | InstData::AtomicRmw { ptr, .. }
            | InstData::AtomicCmpXchg { ptr, .. }
            | InstData::AtomicStore { ptr, .. } => self.written(func, *ptr),
            InstData::Load { .. } => 0,
            // Images have their own memory, except for images that are views of buffers: these may be accessed through
            // pointers.
            InstData::ImageRead { view, .. } | InstData::ImageWrite { view, .. }
                if view.is_buffer() =>
            {
                !self.own
            }
            InstData::ImageRead { .. } | InstData::ImageWrite { .. } => 0,
            // This work-item may wait on the value of an atomic load. Calls may write anything, and barriers let other
            // work-items write.
            _ if data.has_side_effect() && !data.is_terminator() => !self.own,
            _ => 0,
        }
    }
}
