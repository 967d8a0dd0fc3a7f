//! The places of memory accesses: memories, offsets in them, and their elements.

use crate::ir::sparse_map::SparseMap;
use crate::ir::{Func, Type};
use smallvec::SmallVec;

/// The memory that an access goes to.
#[derive(Debug, Clone, Copy)]
pub(super) enum Mem {
    Physical(Address),
    /// A pointer of SPIR-V to an element of work-group or private memory.
    Array(ArrayId, u32),
}

/// A device address.
#[derive(Debug, Clone, Copy)]
pub(super) struct Address {
    /// A number of 64 bits.
    pub base: u32,
    /// The element at the address, if the address is that of an element of an array at `base`.
    pub element: Option<Element>,
}

/// A place in an element of an array in device memory.
#[derive(Debug, Clone, Copy)]
pub(super) struct Element {
    /// A number of 64 bits.
    pub index: u32,
    /// The bytes from one element to the next.
    pub stride: u32,
    /// The offset in the element in bytes.
    pub offset: u32,
    /// The bytes that are accessed.
    pub bytes: u32,
}

/// The type of one element in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Elem {
    Int(u32),
    Float(u32),
    /// Eight bytes as two words.
    Pair,
    /// Sixteen bytes as four words.
    Quad,
}

impl Elem {
    /// Returns the element for a type of array elements in the IR.
    pub fn of(ty: Type) -> Elem {
        match ty {
            Type::PAIR => Elem::Pair,
            _ if ty.scalar.is_float() => Elem::Float(ty.bits()),
            _ => Elem::Int(ty.bits()),
        }
    }

    pub fn bytes(self) -> u32 {
        match self {
            Elem::Int(bits) | Elem::Float(bits) => bits / 8,
            Elem::Pair => 8,
            Elem::Quad => 16,
        }
    }
}

/// The kind of array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ArrayId {
    /// The work-group block.
    Local,
    /// The private objects whose addresses escape.
    Stack,
    /// A private object that is an array of its own, by its number.
    FrameObject(usize),
}

/// One way to look at an array's bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct View {
    pub elem: Elem,
    pub variable: u32,
    /// True if the array is the only member of a block.
    pub in_block: bool,
}

/// The views of the arrays, made at first use.
#[derive(Default)]
pub(super) struct Arrays {
    pub local: SmallVec<[View; 4]>,
    pub local_length: Option<u32>,
    /// Pairs of an element's size in bytes and the index of the first such element of the own work-group's local memory,
    /// computed at the current function's entry.
    pub local_bases: SmallVec<[(u32, u32); 4]>,
    pub stack: Option<View>,
    pub objects: Vec<Option<View>>,
    /// Accesses of the stack at indices that are not constant, in all copies of functions.
    pub stack_uses: u64,
    /// Accesses at indices that are not constant, for each private object of the current function.
    pub object_uses: Vec<u64>,
    /// The copies of each function in the kernel's code, where they matter, and those of the current function.
    pub all_copies: SparseMap<Func, u64>,
    pub copies: u64,
}

impl Arrays {
    /// Prepares for a function with this number of private objects.
    pub fn begin_function(&mut self, id: Func, objects: usize) {
        self.copies = self.all_copies[id];
        self.object_uses.clear();
        self.object_uses.resize(objects, 0);
        self.local_bases.clear();
        self.objects.clear();
        self.objects.resize(objects, None);
    }

    /// Returns the view of an array in private memory, if it is accessed.
    pub fn private_view(&self, array: ArrayId) -> Option<View> {
        match array {
            ArrayId::Stack => self.stack,
            ArrayId::FrameObject(index) => self.objects.get(index).copied().flatten(),
            ArrayId::Local => None,
        }
    }
}
