//! Types of the typed tree as types of the IR.

use crate::ir::{AddressSpace, Scalar, Type};
use crate::sema::types::{Scalar as Name, TypeId, TypeKind, Types, SAMPLER};

/// Returns the IR's scalar for a scalar type. Signs are dropped.
pub fn scalar(name: Name) -> Scalar {
    match name {
        Name::Bool => Scalar::Bool,
        Name::Char | Name::UChar => Scalar::I8,
        Name::Short | Name::UShort => Scalar::I16,
        Name::Int | Name::UInt => Scalar::I32,
        Name::Long | Name::ULong | Name::LongLong | Name::ULongLong => Scalar::I64,
        Name::Half => Scalar::F16,
        Name::Float => Scalar::F32,
        Name::Double => Scalar::F64,
    }
}

/// Returns the IR type of values of a type: `None` for void, records, arrays and functions. Images and
/// samplers are words ([`crate::kernel`]); other opaque types (events) are 64-bit integers.
pub fn value_type(types: &Types, ty: TypeId) -> Option<Type> {
    match *types.kind(ty) {
        TypeKind::Scalar(name) | TypeKind::Atomic(name) => Some(Type::of(scalar(name))),
        TypeKind::Vector(name, lanes) => Some(Type::vector(scalar(name), lanes)),
        TypeKind::Pointer(pointer) => Some(Type::ptr(pointer.space)),
        TypeKind::Matrix(matrix) => Some(matrix.plain().ty()),
        TypeKind::Pipe(..) => Some(Type::ptr(AddressSpace::Global)),
        TypeKind::Image(_) | TypeKind::Opaque(SAMPLER) => Some(Type::I32),
        TypeKind::Opaque(_) => Some(Type::I64),
        // Sema resolves blocks; their values have no meaning here.
        TypeKind::Block { .. } => Some(Type::I32),
        _ => None,
    }
}

/// Returns true if values of the type are represented by memory: structs and unions (arrays have no values).
pub fn is_record(types: &Types, ty: TypeId) -> bool {
    matches!(types.kind(ty), TypeKind::Record(_) | TypeKind::Array(..))
}

/// Returns size and alignment in bytes of an object of the type; other opaque objects take 8.
pub fn layout(types: &Types, ty: TypeId) -> (u64, u32) {
    match types.kind(ty) {
        TypeKind::Image(_) | TypeKind::Opaque(SAMPLER) => (4, 4),
        TypeKind::Opaque(_) | TypeKind::Pipe(..) => (8, 8),
        TypeKind::Array(element, Some(n)) => {
            let (size, align) = layout(types, *element);
            (size.saturating_mul(*n), align)
        }
        _ => (types.size(ty).unwrap_or(0), types.align(ty)),
    }
}
