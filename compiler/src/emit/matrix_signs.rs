//! The signs of matrices of integers. Matrices of the IR have no sign, but Vulkan's do: a device lists products of signed and
//! of unsigned components, and a matrix type must be in one of these products
//! (VUID-RuntimeSpirv-OpTypeCooperativeMatrixKHR-10163).

use crate::ir::{Function, InstData, Matrix, Scalar, Value};
use crate::matrices::{self, MatrixOperands};
use crate::target::Target;
use rustc_hash::FxHashMap;

/// The signs with which the products of a kernel use matrices of each type.
#[derive(Debug, Default)]
pub(super) struct MatrixSigns {
    /// For each type: true if a product uses it without a sign, and true if a product uses it with a sign.
    taken: FxHashMap<Matrix, [bool; 2]>,
}

impl MatrixSigns {
    /// Notes the types of a product; other instructions take either sign.
    pub fn visit(&mut self, func: &Function, data: &InstData, result: Option<Value>) {
        let InstData::MatrixProduct { args, operands } = *data else { return };
        let sides = args.into_iter().chain(result).zip(MatrixOperands::SIGNED);
        for (value, signed) in sides {
            if let Scalar::Matrix(matrix) = func.ty(value).scalar {
                let taken = self.taken.entry(matrix).or_default();
                taken[usize::from(operands & signed != 0)] = true;
            }
        }
    }

    /// Returns true if matrices of a type have signed elements: if all products use it with a sign, or the device has it only
    /// so. A product that uses the other sign converts the matrix.
    pub fn is_signed(&self, matrix: Matrix, target: &Target) -> bool {
        match self.taken.get(&matrix) {
            _ if matrix.is_float() => false,
            Some([unsigned, signed]) => *signed && !*unsigned,
            None => matrices::is_signed_alone(target, matrix),
        }
    }
}
