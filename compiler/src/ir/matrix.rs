//! Cooperative matrices: values that the work-items of a sub-group hold together (SPV_KHR_cooperative_matrix).

use super::types::{Scalar, Type};
use std::fmt;

/// The role of a matrix in a product `a * b + accumulator`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MatrixUse {
    A,
    B,
    Accumulator,
}

/// The type of a matrix's elements. Integers are signless. No scalar of the IR is a bfloat16: a single one is an I16 with its
/// bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MatrixElement {
    I8,
    I16,
    I32,
    I64,
    F16,
    F32,
    F64,
    BF16,
}

/// The type of a matrix that a sub-group holds. A variable of this type has the nominal size of [`Matrix::BYTES`], which no
/// other type has: such a variable becomes values, or the program is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Matrix {
    pub element: MatrixElement,
    pub usage: MatrixUse,
    pub rows: u8,
    pub columns: u8,
}

/// The elements with their names and scalar types, in their order.
const ELEMENTS: [(MatrixElement, &str, Scalar); 8] = [
    (MatrixElement::I8, "i8", Scalar::I8),
    (MatrixElement::I16, "i16", Scalar::I16),
    (MatrixElement::I32, "i32", Scalar::I32),
    (MatrixElement::I64, "i64", Scalar::I64),
    (MatrixElement::F16, "f16", Scalar::F16),
    (MatrixElement::F32, "f32", Scalar::F32),
    (MatrixElement::F64, "f64", Scalar::F64),
    (MatrixElement::BF16, "bf16", Scalar::I16),
];

const USES: [(MatrixUse, &str); 3] =
    [(MatrixUse::A, "a"), (MatrixUse::B, "b"), (MatrixUse::Accumulator, "acc")];

impl MatrixElement {
    /// Returns the element of a scalar type; `None` for bools and pointers.
    pub fn of(scalar: Scalar) -> Option<MatrixElement> {
        ELEMENTS.iter().find(|row| row.2 == scalar).map(|row| row.0)
    }

    /// Returns the scalar type of a single element.
    pub fn scalar(self) -> Scalar {
        ELEMENTS[self as usize].2
    }

    /// Returns true for floats.
    pub fn is_float(self) -> bool {
        self == MatrixElement::BF16 || self.scalar().is_float()
    }
}

impl fmt::Display for MatrixElement {
    /// Prints the element as `f16`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(ELEMENTS[*self as usize].1)
    }
}

impl MatrixUse {
    /// Returns the use that a number in SPIR-V means.
    pub fn from_number(number: u64) -> Option<MatrixUse> {
        USES.get(usize::try_from(number).ok()?).map(|row| row.0)
    }
}

impl Matrix {
    /// The nominal size of a variable in bytes.
    pub const BYTES: u32 = 16;

    /// Returns the IR type of values of this matrix type.
    pub fn ty(self) -> Type {
        Type::of(Scalar::Matrix(self))
    }

    /// Returns the type of a single element.
    pub fn element(self) -> Type {
        Type::of(self.element.scalar())
    }

    /// Returns true if the elements are floats.
    pub fn is_float(self) -> bool {
        self.element.is_float()
    }

    /// Returns true if another matrix has the same size and use.
    pub fn has_shape_of(self, other: Matrix) -> bool {
        Matrix { element: other.element, ..self } == other
    }

    /// Parses the text that `fmt` writes.
    pub fn from_name(name: &str) -> Option<Matrix> {
        let mut parts = name.strip_prefix("matrix.")?.split('.');
        let (usage, element, size) = (parts.next()?, parts.next()?, parts.next()?);
        let (rows, columns) = size.split_once('x')?;
        let element = ELEMENTS.iter().find(|row| row.1 == element)?.0;
        let usage = USES.iter().find(|row| row.1 == usage)?.0;
        let number = |text: &str| text.parse().ok().filter(|&number: &u8| number > 0);
        let matrix = Matrix { element, usage, rows: number(rows)?, columns: number(columns)? };
        parts.next().is_none().then_some(matrix)
    }
}

impl fmt::Display for Matrix {
    /// Prints the type as `matrix.a.f16.16x8`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Matrix { element, usage, rows, columns } = *self;
        write!(f, "matrix.{}.{element}.{rows}x{columns}", USES[usage as usize].1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for element in ELEMENTS {
            for usage in USES {
                let matrix = Matrix { element: element.0, usage: usage.0, rows: 8, columns: 16 };
                assert_eq!(Matrix::from_name(&matrix.to_string()), Some(matrix));
            }
            let is_scalar = element.0 != MatrixElement::BF16;
            assert_eq!(MatrixElement::of(element.2) == Some(element.0), is_scalar);
        }
        for wrong in ["matrix.a.f16.16", "matrix.c.f16.8x8", "matrix.a.ptr.8x8", "matrix.a.f16.0x8"]
        {
            assert_eq!(Matrix::from_name(wrong), None, "{wrong}");
        }
    }
}
