//! Access types: for each array of memory with logical addressing, the common type of the accesses to it. The arrays are
//! private objects, the stack of the private objects whose addresses escape, and work-group memory.

use crate::ir::cfg::Cfg;
use crate::ir::*;
use crate::target::Target;
use cranelift_entity::SecondaryMap;

/// The elements of work-group memory that has 64-bit atomic operations and other accesses, in a block without aliased
/// views (VK_KHR_workgroup_memory_explicit_layout): Vulkan's atomic operations act on whole elements.
pub const CONTAINER: Type = Type::I64;

/// The common type of the accesses to one piece of memory.
#[derive(Debug, Clone, Copy, Default)]
pub struct AccessType {
    /// Bytes of the scalars accessed; 0 when there was no access.
    pub bytes: u32,
    /// True if accesses differ in width or are not naturally aligned.
    pub mixed: bool,
    /// True if some access is of integers (or atomic).
    pub int: bool,
    /// True if some access is a 64-bit atomic operation.
    pub atomic64: bool,
    /// True if some access is of a whole vector of 8 or 16 bytes, aligned to its size.
    pub vectors: bool,
}

impl AccessType {
    /// Adds another access type.
    pub fn merge(&mut self, other: AccessType) {
        if other.bytes == 0 {
            return;
        }
        self.mixed |= other.mixed || (self.bytes != 0 && self.bytes != other.bytes);
        self.bytes = other.bytes;
        self.int |= other.int;
        self.atomic64 |= other.atomic64;
        self.vectors |= other.vectors;
    }

    /// Returns the type of an array's elements; words when accesses differ.
    pub fn element(self, target: &Target) -> Type {
        if self.mixed {
            return Type::I32;
        }
        match (self.bytes, self.int) {
            (1, _) if target.int8 => Type::I8,
            (2, false) if target.float16 => Type::F16,
            (2, _) if target.int16 => Type::I16,
            (4, false) => Type::F32,
            (8, false) if target.has_native_doubles() => Type::F64,
            (8, _) if target.int64 => Type::I64,
            (8, _) => Type::PAIR,
            _ => Type::I32,
        }
    }

    /// Returns how work-group memory with these accesses is laid out.
    pub fn local_layout(self, target: &Target) -> LocalLayout {
        let element = self.element(target);
        let narrow = self.bytes < 4 && element.bytes() != self.bytes;
        let vectors = self.vectors && target.has_whole_local_vectors();
        if target.workgroup_explicit_layout && self.bytes != 0 && (self.mixed || narrow || vectors)
        {
            return LocalLayout::Views;
        }
        let has_atomics = target.int64 && target.atomic_int64_shared;
        match self.mixed && self.atomic64 && has_atomics {
            true => LocalLayout::Array(CONTAINER),
            false => LocalLayout::Array(element),
        }
    }
}

/// The layout of the work-group block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LocalLayout {
    /// One array of elements of this type.
    Array(Type),
    /// Aliased views of several widths.
    Views,
}

impl LocalLayout {
    /// Returns the least alignment of the objects in the block, in bytes. Parts of elements or words are found by their
    /// offset from the start of an object.
    pub fn alignment(self) -> u32 {
        match self {
            LocalLayout::Array(element) => element.bytes(),
            LocalLayout::Views => Type::I32.bytes(),
        }
    }

    /// Returns true if a view has elements of `bytes` bytes.
    pub fn has_view(bytes: u32, target: &Target) -> bool {
        match bytes {
            1 => target.workgroup_explicit_layout_8,
            2 => target.workgroup_explicit_layout_16,
            4 => true,
            // The elements of this view are vectors of words.
            16 => target.has_whole_local_vectors(),
            _ => bytes == 8 && target.int64,
        }
    }
}

/// A private object.
#[derive(Debug, Clone)]
pub struct PrivateObject {
    pub size: u64,
    pub align: u32,
    /// True if the address of the object is stored, compared or passed through a phi. Such an object is in the stack.
    pub escapes: bool,
    pub access_type: AccessType,
}

/// The accesses of a function to memory with logical addressing.
#[derive(Debug, Clone, Default)]
pub struct Accesses {
    pub objects: Vec<PrivateObject>,
    /// By private pointer, the index + 1 of its underlying object; 0 if that is unknown.
    object_of: SecondaryMap<Value, u32>,
    /// Accesses to the stack, including accesses to objects that escape.
    pub stack: AccessType,
    pub local: AccessType,
    /// True if addresses in work-group memory are compared or converted. No variable may be at address 0 in this case.
    pub compares_local_addresses: bool,
}

impl Accesses {
    /// Gathers the accesses of a function. After legalization (`is_legal`), an access to two words counts as one of 64
    /// bits.
    pub fn compute(func: &Function, is_legal: bool) -> Accesses {
        let mut accesses = Accesses::default();
        for &block in Cfg::compute(func).rpo() {
            for &inst in &func.blocks[block].insts {
                accesses.visit(func, inst, is_legal);
            }
        }
        for object in accesses.objects.iter().filter(|object| object.escapes) {
            accesses.stack.merge(object.access_type);
        }
        accesses
    }

    /// Returns the index of the underlying object of a private pointer, if the object is known.
    pub fn object_index(&self, ptr: Value) -> Option<usize> {
        (self.object_of[ptr] as usize).checked_sub(1)
    }

    /// Returns the object that a private pointer points into, if the object is an array of its own; `None` for objects
    /// in the stack.
    pub fn own_array(&self, ptr: Value) -> Option<usize> {
        self.object_index(ptr).filter(|&index| !self.objects[index].escapes)
    }

    fn visit(&mut self, func: &Function, inst: Inst, is_legal: bool) {
        use InstData::*;
        let data = &func.insts[inst];
        let result = func.result(inst);
        if let Some((ptr, access_type)) = access(func, inst, is_legal) {
            match (func.ty(ptr).space(), self.object_index(ptr)) {
                (Some(AddressSpace::Local), _) => self.local.merge(access_type),
                (Some(AddressSpace::Private), Some(index)) => {
                    self.objects[index].access_type.merge(access_type)
                }
                (Some(AddressSpace::Private), None) => self.stack.merge(access_type),
                _ => {}
            }
        }
        match *data {
            Alloca { size, align } => {
                let access_type = AccessType::default();
                self.objects.push(PrivateObject { size, align, escapes: false, access_type });
                if let Some(result) = result {
                    self.object_of[result] = self.objects.len() as u32;
                }
            }
            PtrAdd { ptr, .. } | ElementAddr { ptr, .. } => {
                if let Some(result) = result {
                    self.object_of[result] = self.object_of[ptr];
                }
            }
            Load { .. } | AtomicLoad { .. } => {}
            Store { value, .. }
            | AtomicRmw { value, .. }
            | AtomicStore { value, .. }
            | AtomicCmpXchg { expected: value, .. } => self.escape(value),
            ICmp { args: [arg, _], .. } | Convert { arg, .. } => {
                self.compares_local_addresses |= func.ty(arg).space() == Some(AddressSpace::Local);
                data.for_each_arg(|arg| self.escape(arg));
            }
            _ => data.for_each_arg(|arg| self.escape(arg)),
        }
    }

    fn escape(&mut self, value: Value) {
        if let Some(index) = self.object_index(value) {
            self.objects[index].escapes = true;
        }
    }
}

/// Returns the pointer through which an instruction accesses memory, and the type of the access.
fn access(func: &Function, inst: Inst, is_legal: bool) -> Option<(Value, AccessType)> {
    let (ptr, ty) = func.access(inst)?;
    let align = match func.insts[inst] {
        InstData::Load { align, .. } | InstData::Store { align, .. } => Some(align),
        _ => None,
    };
    let bytes = if is_legal && ty == Type::PAIR { 8 } else { ty.scalar.bytes() };
    let access_type = AccessType {
        bytes,
        mixed: align.is_some_and(|align| align < bytes),
        int: align.is_none() || !ty.scalar.is_float(),
        atomic64: align.is_none() && bytes == 8,
        vectors: align.is_some_and(|align| is_whole_vector(ty, align)),
    };
    Some((ptr, access_type))
}

/// Returns true if an access is of a vector of 8 or 16 bytes, aligned to its size, of words or larger numbers.
pub fn is_whole_vector(ty: Type, align: u32) -> bool {
    let has_size = matches!(ty.bytes(), 8 | 16) && ty.scalar.bytes() >= 4;
    ty.lanes > 1 && has_size && align >= ty.bytes() && !ty.scalar.is_ptr()
}
