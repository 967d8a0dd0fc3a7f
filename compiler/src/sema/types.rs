//! Types and their layout (OpenCL C 6.3): interned, so that equal types have equal ids.

use crate::ir::{Matrix, MatrixElement, MatrixUse};
use crate::kernel::{ImageAccess, ImageType};
use crate::syntax::ast::{AddressSpace, ScalarName};
use cranelift_entity::{entity_impl, PrimaryMap, SecondaryMap};
use rustc_hash::FxHashMap;

pub use crate::syntax::ast::ScalarName as Scalar;

/// Name of the opaque type of async copies (OpenCL C 6.15.11).
pub const EVENT: &str = "event_t";

/// Name of the opaque type of samplers (OpenCL C 6.15.15.1).
pub const SAMPLER: &str = "sampler_t";

/// Name of the opaque type of reservations of packets (OpenCL C 6.15.18).
pub const RESERVATION: &str = "reserve_id_t";

/// Name of the opaque type of queues on the device (OpenCL C 6.15.17).
pub const QUEUE: &str = "queue_t";

/// Name of the type of matrices' elements that are bfloat16, which nothing else has.
pub const BFLOAT16: &str = "__bf16";

/// Name of the opaque type of events of commands in queues on the device.
pub const CLK_EVENT: &str = "clk_event_t";

/// An interned type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypeId(u32);
entity_impl!(TypeId, "ty");

/// A struct or union; every definition is a type of its own.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RecordId(u32);
entity_impl!(RecordId, "record");

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum TypeKind {
    Void,
    Scalar(ScalarName),
    /// `atomic_int` and its like: an object on which only atomic functions act (OpenCL C 6.15.12).
    Atomic(ScalarName),
    /// A vector of 2, 3, 4, 8 or 16 components.
    Vector(ScalarName, u8),
    Pointer(PointerType),
    /// An array; the length is `None` (`int a[]`) before an initializer completes it.
    Array(TypeId, Option<u64>),
    Record(RecordId),
    Function {
        ret: TypeId,
        params: Vec<TypeId>,
        is_variadic: bool,
    },
    /// A reference to a block (OpenCL C 6.14.2); it has no size.
    Block {
        ret: TypeId,
        params: Vec<TypeId>,
    },
    Image(ImageType),
    /// A matrix that the work-items of a sub-group hold together (cl_khr_cooperative_matrix).
    Matrix(MatrixType),
    /// A pipe of packets of a type (OpenCL C 6.15.18).
    Pipe(TypeId, ImageAccess),
    /// `sampler_t`, `event_t` and their like, by name.
    Opaque(&'static str),
    /// The type of expressions with a reported error; it converts to any type silently.
    Error,
}

/// A type of cooperative matrices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct MatrixType {
    /// The type of a single element.
    pub element: ScalarName,
    /// True if the elements are bfloat16, each of which alone is the integer with its bits.
    pub is_bfloat16: bool,
    pub usage: MatrixUse,
    pub rows: u8,
    pub columns: u8,
}

impl MatrixType {
    /// Returns the IR's element for a scalar type; `None` if no matrix has such elements.
    pub fn element_of(scalar: ScalarName) -> Option<MatrixElement> {
        Some(match scalar {
            ScalarName::Half => MatrixElement::F16,
            ScalarName::Float => MatrixElement::F32,
            ScalarName::Double => MatrixElement::F64,
            ScalarName::Bool | ScalarName::LongLong | ScalarName::ULongLong => return None,
            integer => match integer.size() {
                1 => MatrixElement::I8,
                2 => MatrixElement::I16,
                4 => MatrixElement::I32,
                _ => MatrixElement::I64,
            },
        })
    }

    /// Returns the type in the IR, whose matrices have no signs.
    pub fn plain(self) -> Matrix {
        let element = match self.is_bfloat16 {
            true => MatrixElement::BF16,
            false => MatrixType::element_of(self.element).unwrap_or(MatrixElement::I32),
        };
        Matrix { element, usage: self.usage, rows: self.rows, columns: self.columns }
    }

    /// Returns the name of the elements' type.
    pub fn spelling(self) -> &'static str {
        if self.is_bfloat16 {
            BFLOAT16
        } else {
            self.element.spelling()
        }
    }

    /// Returns true for elements that are integers with a sign.
    pub fn is_signed(self) -> bool {
        self.element.is_signed() && !self.element.is_float()
    }

    /// Returns true if another type has the same size and use.
    pub fn has_shape_of(self, other: MatrixType) -> bool {
        self.plain().has_shape_of(other.plain())
    }
}

/// A pointer type: the pointee's type and qualifiers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PointerType {
    pub pointee: TypeId,
    pub space: AddressSpace,
    pub is_const: bool,
    pub is_volatile: bool,
}

#[derive(Debug, Default)]
pub struct Record {
    /// The tag; empty without one.
    pub name: String,
    /// The first typedef of a record without a tag, which is its name in diagnostics and for linkage, as in C++ and clang.
    pub typedef_name: String,
    pub is_union: bool,
    pub fields: Vec<Field>,
    /// Bytes; `None` while incomplete.
    pub size: Option<u64>,
    pub align: u32,
    /// Height of the deepest member's type; 0 while incomplete.
    pub depth: u32,
    /// True if a member, at any depth, is bool or has a type whose size is the implementation's choice
    /// (`size_t`): the record cannot be an argument of a kernel (OpenCL C 6.11).
    pub has_host_sized: bool,
    /// The number of each member's field; for a member of an anonymous member, that of the anonymous field.
    pub names: FxHashMap<String, u32>,
}

impl Record {
    /// Notes a typedef of the record: the first one names a record without a tag.
    pub fn name_by_typedef(&mut self, name: String) {
        if self.name.is_empty() && self.typedef_name.is_empty() {
            self.typedef_name = name;
        }
    }

    /// Returns true if the record has a name, by which several programs can refer to the same record.
    pub fn has_linkage(&self) -> bool {
        !(self.name.is_empty() && self.typedef_name.is_empty())
    }
}

#[derive(Debug)]
pub struct Field {
    /// Empty for an anonymous struct or union, whose members are reached through it.
    pub name: String,
    pub ty: TypeId,
    /// Bytes from the record's start.
    pub offset: u32,
    pub is_const: bool,
    pub is_volatile: bool,
    /// The member's own alignment in bytes (1 in packed records).
    pub align: u32,
}

/// All types of one program.
#[derive(Debug, Default)]
pub struct Types {
    kinds: PrimaryMap<TypeId, TypeKind>,
    ids: FxHashMap<TypeKind, TypeId>,
    /// Height of each type's structure: 1 for a scalar, one more for a pointer to it.
    depths: SecondaryMap<TypeId, u32>,
    pub records: PrimaryMap<RecordId, Record>,
}

impl Types {
    /// Returns true if several programs can refer to the same type: if all records in it have names.
    pub fn has_linkage(&self, ty: TypeId) -> bool {
        match self.kind(ty) {
            TypeKind::Record(id) => self.records[*id].has_linkage(),
            TypeKind::Pointer(pointer) => self.has_linkage(pointer.pointee),
            TypeKind::Array(element, _) => self.has_linkage(*element),
            TypeKind::Pipe(packet, _) => self.has_linkage(*packet),
            _ => true,
        }
    }

    /// Returns the id of a type.
    pub fn intern(&mut self, kind: TypeKind) -> TypeId {
        if let Some(&id) = self.ids.get(&kind) {
            return id;
        }
        let depth = 1 + match &kind {
            TypeKind::Pointer(p) => self.depth(p.pointee),
            TypeKind::Array(element, _) | TypeKind::Pipe(element, _) => self.depth(*element),
            TypeKind::Function { ret, params, .. } | TypeKind::Block { ret, params } => {
                params.iter().chain([ret]).map(|&ty| self.depth(ty)).max().unwrap_or(0)
            }
            _ => 0,
        };
        let id = self.kinds.push(kind.clone());
        self.depths[id] = depth;
        self.ids.insert(kind, id);
        id
    }

    pub fn kind(&self, ty: TypeId) -> &TypeKind {
        &self.kinds[ty]
    }

    /// Returns the height of a type's structure. Sema limits it, so that other code may recurse over types.
    pub fn depth(&self, ty: TypeId) -> u32 {
        let record = match self.kind(ty) {
            TypeKind::Record(id) => self.records[*id].depth,
            _ => 0,
        };
        self.depths[ty].max(1) + record
    }

    /// Returns the type of pointers to a type without qualifiers.
    pub fn pointer(&mut self, pointee: TypeId, space: AddressSpace) -> TypeId {
        let pointer = PointerType { pointee, space, is_const: false, is_volatile: false };
        self.intern(TypeKind::Pointer(pointer))
    }

    /// Returns the pointer type's parts.
    pub fn as_pointer(&self, ty: TypeId) -> Option<PointerType> {
        match self.kind(ty) {
            TypeKind::Pointer(pointer) => Some(*pointer),
            _ => None,
        }
    }

    /// Returns true for images, samplers and pipes, which can only be passed to functions (OpenCL C 6.11).
    pub fn is_image_or_sampler(&self, ty: TypeId) -> bool {
        matches!(self.kind(ty), TypeKind::Image(_) | TypeKind::Pipe(..) | TypeKind::Opaque(SAMPLER))
    }

    pub fn is_array(&self, ty: TypeId) -> bool {
        matches!(self.kind(ty), TypeKind::Array(..))
    }

    pub fn is_void(&self, ty: TypeId) -> bool {
        matches!(self.kind(ty), TypeKind::Void)
    }

    /// Returns the type of the result of comparing values of `ty`: int for scalars and pointers, a vector of
    /// signed integers of equal width for vectors (OpenCL C 6.4.4).
    pub fn comparison_result(&mut self, ty: TypeId) -> TypeId {
        match *self.kind(ty) {
            TypeKind::Vector(s, n) => self.vector(s.signed_of_width(), n),
            _ => self.scalar(ScalarName::Int),
        }
    }

    pub fn scalar(&mut self, name: ScalarName) -> TypeId {
        self.intern(TypeKind::Scalar(name))
    }

    /// Returns a vector type; for one component, the scalar type.
    pub fn vector(&mut self, name: ScalarName, lanes: u8) -> TypeId {
        match lanes {
            1 => self.scalar(name),
            _ => self.intern(TypeKind::Vector(name, lanes)),
        }
    }

    /// Returns the element and the number of components of a vector type, or of a scalar type, which has 1.
    pub fn numeric(&self, ty: TypeId) -> Option<(ScalarName, u8)> {
        match *self.kind(ty) {
            TypeKind::Scalar(s) => Some((s, 1)),
            TypeKind::Vector(s, n) => Some((s, n)),
            _ => None,
        }
    }

    /// Returns true if a type is an integer scalar, bool among them.
    pub fn is_integer(&self, ty: TypeId) -> bool {
        matches!(*self.kind(ty), TypeKind::Scalar(scalar) if !scalar.is_float())
    }

    /// Returns the innermost element type of an array of arrays; for any other type, the type itself.
    pub fn innermost_element(&self, mut ty: TypeId) -> TypeId {
        while let TypeKind::Array(element, _) = *self.kind(ty) {
            ty = element;
        }
        ty
    }

    /// Returns the size in bytes: 3-component vectors have the size of 4-component ones (6.3.3), pointers 8. An event, a queue
    /// or a reservation is an 8-byte handle, a sampler a word; a matrix has its nominal size in the IR. `None` for incomplete
    /// types, void, functions and other opaque types.
    pub fn size(&self, ty: TypeId) -> Option<u64> {
        match self.kind(ty) {
            TypeKind::Scalar(s) | TypeKind::Atomic(s) => Some(u64::from(s.size())),
            TypeKind::Vector(s, 3) => Some(4 * u64::from(s.size())),
            TypeKind::Vector(s, n) => Some(u64::from(*n) * u64::from(s.size())),
            TypeKind::Pointer(_) => Some(8),
            TypeKind::Array(element, Some(n)) => self.size(*element)?.checked_mul(*n),
            TypeKind::Record(id) => self.records[*id].size,
            TypeKind::Opaque(EVENT | RESERVATION | QUEUE | CLK_EVENT) => Some(8),
            TypeKind::Opaque(SAMPLER) => Some(4),
            TypeKind::Matrix(_) => Some(u64::from(Matrix::BYTES)),
            _ => None,
        }
    }

    /// Returns the alignment in bytes; 1 for types without a size.
    pub fn align(&self, ty: TypeId) -> u32 {
        match self.kind(ty) {
            TypeKind::Scalar(_)
            | TypeKind::Atomic(_)
            | TypeKind::Vector(..)
            | TypeKind::Pointer(_) => self.size(ty).unwrap_or(1) as u32,
            TypeKind::Array(element, _) => self.align(*element),
            TypeKind::Record(id) => self.records[*id].align.max(1),
            TypeKind::Opaque(EVENT | RESERVATION | QUEUE | CLK_EVENT) => 8,
            TypeKind::Opaque(SAMPLER) => 4,
            TypeKind::Matrix(_) => Matrix::BYTES,
            _ => 1,
        }
    }
}

impl ScalarName {
    /// Returns the size in bytes (OpenCL C table 1); bool takes one.
    pub fn size(self) -> u32 {
        match self {
            ScalarName::Bool | ScalarName::Char | ScalarName::UChar => 1,
            ScalarName::Short | ScalarName::UShort | ScalarName::Half => 2,
            ScalarName::Int | ScalarName::UInt | ScalarName::Float => 4,
            ScalarName::Long
            | ScalarName::ULong
            | ScalarName::LongLong
            | ScalarName::ULongLong
            | ScalarName::Double => 8,
        }
    }

    pub fn is_float(self) -> bool {
        matches!(self, ScalarName::Half | ScalarName::Float | ScalarName::Double)
    }

    pub fn is_signed(self) -> bool {
        use ScalarName::*;
        matches!(self, Char | Short | Int | Long | LongLong | Half | Float | Double)
    }

    /// Returns the signed integer of the same size.
    pub fn signed_of_width(self) -> ScalarName {
        match self.size() {
            1 => ScalarName::Char,
            2 => ScalarName::Short,
            4 => ScalarName::Int,
            _ => ScalarName::Long,
        }
    }

    /// Returns the unsigned integer of the same size.
    pub fn unsigned_of_width(self) -> ScalarName {
        match self.size() {
            1 => ScalarName::UChar,
            2 => ScalarName::UShort,
            4 => ScalarName::UInt,
            _ => ScalarName::ULong,
        }
    }

    /// Returns the scalar of an OpenCL C name: `uchar`.
    pub fn from_spelling(name: &str) -> Option<ScalarName> {
        ScalarName::ALL.into_iter().find(|scalar| scalar.spelling() == name)
    }

    /// Returns the OpenCL C spelling: `uchar`.
    pub fn spelling(self) -> &'static str {
        match self {
            ScalarName::Bool => "bool",
            ScalarName::Char => "char",
            ScalarName::UChar => "uchar",
            ScalarName::Short => "short",
            ScalarName::UShort => "ushort",
            ScalarName::Int => "int",
            ScalarName::UInt => "uint",
            ScalarName::Long => "long",
            ScalarName::ULong => "ulong",
            ScalarName::LongLong => "long long",
            ScalarName::ULongLong => "unsigned long long",
            ScalarName::Half => "half",
            ScalarName::Float => "float",
            ScalarName::Double => "double",
        }
    }
}
