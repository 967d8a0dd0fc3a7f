//! Types of the IR: scalars, vectors, pointers and matrices. A type takes only a few bytes.

use super::matrix::Matrix;
use std::fmt;

pub use crate::syntax::ast::AddressSpace;

/// A scalar type. Integers are signless.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scalar {
    /// One bit: results of comparisons. Has no memory representation.
    Bool,
    I8,
    I16,
    I32,
    I64,
    F16,
    F32,
    F64,
    Ptr(AddressSpace),
    /// A cooperative matrix. Never in a vector.
    Matrix(Matrix),
}

impl Scalar {
    /// Width in bits; 1 for bool.
    pub fn bits(self) -> u32 {
        match self {
            Scalar::Bool => 1,
            Scalar::I8 => 8,
            Scalar::I16 | Scalar::F16 => 16,
            Scalar::I32 | Scalar::F32 => 32,
            Scalar::I64 | Scalar::F64 => 64,
            Scalar::Ptr(AddressSpace::Local | AddressSpace::Private) => 32,
            Scalar::Ptr(_) => 64,
            Scalar::Matrix(_) => 8 * Matrix::BYTES,
        }
    }

    /// Returns the size in memory in bytes. Every pointer takes 8 bytes, as sizeof says; local and private pointers are
    /// zero-extended.
    pub fn bytes(self) -> u32 {
        match self {
            Scalar::Bool => 1,
            Scalar::Ptr(_) => 8,
            _ => self.bits() / 8,
        }
    }

    pub fn is_int(self) -> bool {
        matches!(self, Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64)
    }

    pub fn is_float(self) -> bool {
        matches!(self, Scalar::F16 | Scalar::F32 | Scalar::F64)
    }

    pub fn is_ptr(self) -> bool {
        matches!(self, Scalar::Ptr(_))
    }

    pub fn is_matrix(self) -> bool {
        matches!(self, Scalar::Matrix(_))
    }

    /// Returns the integer type with a width of 8, 16, 32 or 64 bits.
    pub fn int(bits: u32) -> Scalar {
        match bits {
            8 => Scalar::I8,
            16 => Scalar::I16,
            32 => Scalar::I32,
            _ => Scalar::I64,
        }
    }
}

/// A scalar or a vector of 2, 3, 4, 8 or 16 scalars.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Type {
    pub scalar: Scalar,
    /// 1 for a scalar.
    pub lanes: u8,
}

impl Type {
    pub const BOOL: Type = Type::of(Scalar::Bool);
    pub const I8: Type = Type::of(Scalar::I8);
    pub const I16: Type = Type::of(Scalar::I16);
    pub const I32: Type = Type::of(Scalar::I32);
    pub const I64: Type = Type::of(Scalar::I64);
    /// Two words, the low one first: a 64-bit integer on devices that have none.
    pub const PAIR: Type = Type::vector(Scalar::I32, 2);
    /// A bit for each work-item of a sub-group.
    pub const BALLOT: Type = Type::vector(Scalar::I32, 4);
    pub const F16: Type = Type::of(Scalar::F16);
    pub const F32: Type = Type::of(Scalar::F32);
    pub const F64: Type = Type::of(Scalar::F64);

    pub const fn of(scalar: Scalar) -> Type {
        Type { scalar, lanes: 1 }
    }

    pub const fn vector(scalar: Scalar, lanes: u8) -> Type {
        Type { scalar, lanes }
    }

    pub const fn ptr(space: AddressSpace) -> Type {
        Type::of(Scalar::Ptr(space))
    }

    /// Returns the type with the same number of lanes and another scalar.
    pub const fn with_scalar(self, scalar: Scalar) -> Type {
        Type { scalar, lanes: self.lanes }
    }

    /// Returns the type of one lane.
    pub const fn lane(self) -> Type {
        Type::of(self.scalar)
    }

    pub const fn is_vector(self) -> bool {
        self.lanes > 1
    }

    /// Returns the bits of all lanes together (not the size in memory).
    pub fn bits(self) -> u32 {
        self.scalar.bits() * u32::from(self.lanes)
    }

    /// Returns the number of bytes that a load or store accesses: all lanes, without padding (12 for three floats).
    pub fn bytes(self) -> u32 {
        self.scalar.bytes() * u32::from(self.lanes)
    }

    pub fn space(self) -> Option<AddressSpace> {
        match self.scalar {
            Scalar::Ptr(space) => Some(space),
            _ => None,
        }
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Scalar::Bool => "bool",
            Scalar::I8 => "i8",
            Scalar::I16 => "i16",
            Scalar::I32 => "i32",
            Scalar::I64 => "i64",
            Scalar::F16 => "f16",
            Scalar::F32 => "f32",
            Scalar::F64 => "f64",
            Scalar::Ptr(AddressSpace::Private) => "ptr.private",
            Scalar::Ptr(AddressSpace::Global) => "ptr.global",
            Scalar::Ptr(AddressSpace::Local) => "ptr.local",
            Scalar::Ptr(AddressSpace::Constant) => "ptr.constant",
            Scalar::Ptr(AddressSpace::Generic) => "ptr.generic",
            Scalar::Matrix(matrix) => return matrix.fmt(f),
        })
    }
}

impl fmt::Display for Type {
    /// Prints the type as `f32`, `f32x4`, `ptr.global`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.scalar)?;
        if self.lanes > 1 {
            write!(f, "x{}", self.lanes)?;
        }
        Ok(())
    }
}
