//! The arithmetic types of the programs that are made: a scalar and a number of lanes.

/// An arithmetic scalar type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scalar {
    Char,
    Uchar,
    Short,
    Ushort,
    Int,
    Uint,
    Long,
    Ulong,
    Float,
    Double,
    Half,
}

use Scalar::*;

/// Every scalar; those that a device may lack come last.
pub const SCALARS: [Scalar; 11] =
    [Int, Uint, Float, Char, Uchar, Short, Ushort, Long, Ulong, Double, Half];
pub const LANES: [u32; 5] = [2, 4, 3, 8, 16];

impl Scalar {
    pub fn name(self) -> &'static str {
        match self {
            Char => "char",
            Uchar => "uchar",
            Short => "short",
            Ushort => "ushort",
            Int => "int",
            Uint => "uint",
            Long => "long",
            Ulong => "ulong",
            Float => "float",
            Double => "double",
            Half => "half",
        }
    }

    pub fn bits(self) -> u32 {
        match self {
            Char | Uchar => 8,
            Short | Ushort | Half => 16,
            Int | Uint | Float => 32,
            Long | Ulong | Double => 64,
        }
    }

    pub fn is_float(self) -> bool {
        matches!(self, Float | Double | Half)
    }

    pub fn is_signed(self) -> bool {
        matches!(self, Char | Short | Int | Long)
    }

    /// Returns the signed integer of the same width: what comparisons of vectors give.
    pub fn signed(self) -> Scalar {
        match self.bits() {
            8 => Char,
            16 => Short,
            32 => Int,
            _ => Long,
        }
    }

    /// Returns the unsigned integer of the same width: what selects the elements of a shuffle.
    pub fn unsigned(self) -> Scalar {
        match self.bits() {
            8 => Uchar,
            16 => Ushort,
            32 => Uint,
            _ => Ulong,
        }
    }

    /// Returns the integer of half the width and the same signedness.
    pub fn narrower(self) -> Option<Scalar> {
        Some(match self {
            Short => Char,
            Ushort => Uchar,
            Int => Short,
            Uint => Ushort,
            Long => Int,
            Ulong => Uint,
            _ => return None,
        })
    }
}

/// A scalar, or a vector of 2, 3, 4, 8 or 16.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Type {
    pub scalar: Scalar,
    pub lanes: u32,
}

impl Type {
    pub fn is_vector(self) -> bool {
        self.lanes > 1
    }

    pub fn name(self) -> String {
        match self.lanes {
            1 => self.scalar.name().to_string(),
            lanes => format!("{}{lanes}", self.scalar.name()),
        }
    }

    /// Returns the same number of lanes of another scalar.
    pub fn of(self, scalar: Scalar) -> Type {
        Type { scalar, ..self }
    }
}

impl From<Scalar> for Type {
    fn from(scalar: Scalar) -> Type {
        Type { scalar, lanes: 1 }
    }
}
