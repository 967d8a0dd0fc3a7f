//! The names of flags, address spaces and types in the IR's text form, for printing and parsing.

use super::inst::{BarrierFlags, MemFlags, OpFlags};
use super::matrix::Matrix;
use super::module::Linkage;
use super::types::{AddressSpace, Scalar, Type};

/// Names of the flags, in the order in which they are printed.
pub const OP_FLAGS: [(&str, OpFlags); 4] = [
    ("nc", OpFlags::NO_CONTRACT),
    ("fast", OpFlags::FAST),
    ("nsw", OpFlags::NO_SIGNED_WRAP),
    ("native", OpFlags::NATIVE),
];
pub const MEM_FLAGS: [(&str, MemFlags); 3] = [
    ("volatile", MemFlags::VOLATILE),
    ("invariant", MemFlags::INVARIANT),
    ("copy", MemFlags::COPY),
];
pub const BARRIER_FLAGS: [(&str, BarrierFlags); 3] = [
    ("local", BarrierFlags::LOCAL),
    ("global", BarrierFlags::GLOBAL),
    ("image", BarrierFlags::IMAGE),
];

/// Returns the word for a linkage in the text form; `None` for internal linkage.
pub fn linkage_name(linkage: Linkage) -> Option<&'static str> {
    match linkage {
        Linkage::Internal => None,
        Linkage::External => Some("external"),
        Linkage::LinkOnce => Some("linkonce"),
        Linkage::Import => Some("import"),
    }
}

/// Returns the linkage that [`linkage_name`] names so.
pub fn linkage_from_name(name: &str) -> Option<Linkage> {
    match name {
        "external" => Some(Linkage::External),
        "linkonce" => Some(Linkage::LinkOnce),
        "import" => Some(Linkage::Import),
        _ => None,
    }
}

/// Returns the name of an address space in the text form.
pub fn space_name(space: AddressSpace) -> &'static str {
    match space {
        AddressSpace::Private => "private",
        AddressSpace::Global => "global",
        AddressSpace::Local => "local",
        AddressSpace::Constant => "constant",
        AddressSpace::Generic => "generic",
    }
}

/// Returns the address space that [`space_name`] names so.
pub fn space_from_name(name: &str) -> Option<AddressSpace> {
    Some(match name {
        "private" => AddressSpace::Private,
        "global" => AddressSpace::Global,
        "local" => AddressSpace::Local,
        "constant" => AddressSpace::Constant,
        "generic" => AddressSpace::Generic,
        _ => return None,
    })
}

/// Parses a type as [`Type`]'s `Display` writes it: `i32`, `f32x4`, `ptr.global`.
pub fn type_from_name(name: &str) -> Option<Type> {
    if let Some(space) = name.strip_prefix("ptr.") {
        return Some(Type::ptr(space_from_name(space)?));
    }
    if let Some(matrix) = Matrix::from_name(name) {
        return Some(matrix.ty());
    }
    let (scalar, lanes) = match name.split_once('x') {
        Some((scalar, lanes)) => (scalar, lanes.parse::<u8>().ok()?),
        None => (name, 1),
    };
    let scalar = match scalar {
        "bool" => Scalar::Bool,
        "i8" => Scalar::I8,
        "i16" => Scalar::I16,
        "i32" => Scalar::I32,
        "i64" => Scalar::I64,
        "f16" => Scalar::F16,
        "f32" => Scalar::F32,
        "f64" => Scalar::F64,
        _ => return None,
    };
    matches!(lanes, 1 | 2 | 3 | 4 | 8 | 16).then_some(Type::vector(scalar, lanes))
}
