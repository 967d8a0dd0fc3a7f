//! Cooperative matrices: which products of matrices the work-items of a sub-group compute together
//! (VK_KHR_cooperative_matrix).

use std::fmt;

/// The type of a matrix's elements. The values are those of VkComponentTypeKHR.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum MatrixComponent {
    F16 = 0,
    F32 = 1,
    F64 = 2,
    I8 = 3,
    I16 = 4,
    I32 = 5,
    I64 = 6,
    U8 = 7,
    U16 = 8,
    U32 = 9,
    U64 = 10,
    /// The upper half of a float (VK_KHR_shader_bfloat16).
    BF16 = 1_000_141_000,
}

impl MatrixComponent {
    /// Returns the component type for a VkComponentTypeKHR; `None` for types that are not known here.
    pub fn from_number(number: i32) -> Option<MatrixComponent> {
        use MatrixComponent::*;
        let all = [F16, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64, BF16];
        all.into_iter().find(|component| *component as i32 == number)
    }

    /// Returns the width in bits.
    pub fn bits(self) -> u32 {
        use MatrixComponent::*;
        match self {
            I8 | U8 => 8,
            F16 | BF16 | I16 | U16 => 16,
            F32 | I32 | U32 => 32,
            F64 | I64 | U64 => 64,
        }
    }

    /// Returns true for floats.
    pub fn is_float(self) -> bool {
        use MatrixComponent::*;
        matches!(self, F16 | BF16 | F32 | F64)
    }

    /// Returns true for integers with a sign.
    pub fn is_signed(self) -> bool {
        use MatrixComponent::*;
        matches!(self, I8 | I16 | I32 | I64)
    }
}

impl fmt::Display for MatrixComponent {
    /// Returns the type's name in OpenCL C, where it has one.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use MatrixComponent::*;
        f.write_str(match self {
            F16 => "half",
            F32 => "float",
            F64 => "double",
            I8 => "char",
            I16 => "short",
            I32 => "int",
            I64 => "long",
            U8 => "uchar",
            U16 => "ushort",
            U32 => "uint",
            U64 => "ulong",
            BF16 => "bfloat16",
        })
    }
}

/// A product that a device computes: of `m` x `k` elements by `k` x `n`, added to `m` x `n`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct MatrixProduct {
    /// Rows of the first factor and of the sum.
    pub m: u32,
    /// Columns of the second factor and of the sum.
    pub n: u32,
    /// Columns of the first factor, and rows of the second.
    pub k: u32,
    /// Type of the first factor's elements.
    pub a: MatrixComponent,
    /// Type of the second factor's elements.
    pub b: MatrixComponent,
    /// Type of the summand's elements.
    pub c: MatrixComponent,
    /// Elements of the sum.
    pub result: MatrixComponent,
    /// True if the sum saturates, and false if it wraps.
    pub saturates: bool,
}

impl fmt::Display for MatrixProduct {
    /// Writes the product as `half 16x16 * half 16x16 + float -> float`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let MatrixProduct { m, n, k, a, b, c, result, saturates } = self;
        write!(f, "{a} {m}x{k} * {b} {k}x{n} + {c} -> {result}")?;
        f.write_str(if *saturates { " (saturating)" } else { "" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_have_the_numbers_of_vulkan() {
        // The last is VK_COMPONENT_TYPE_BFLOAT16_KHR.
        for number in (0..11).chain([1_000_141_000]) {
            assert_eq!(MatrixComponent::from_number(number).map(|c| c as i32), Some(number));
        }
        // VK_COMPONENT_TYPE_FLOAT8_E4M3_EXT is not supported.
        assert_eq!(MatrixComponent::from_number(1_000_491_002), None);
    }

    #[test]
    fn products_are_told_as_a_formula() {
        let (a, c) = (MatrixComponent::F16, MatrixComponent::F32);
        let product = MatrixProduct { m: 16, n: 8, k: 32, a, b: a, c, result: c, saturates: false };
        assert_eq!(product.to_string(), "half 16x32 * half 32x8 + float -> float");
        let product = MatrixProduct { b: MatrixComponent::BF16, ..product };
        assert_eq!(product.to_string(), "half 16x32 * bfloat16 32x8 + float -> float");
    }
}
