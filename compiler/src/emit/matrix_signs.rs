//! The signs of matrices of integers. The IR's have none, but Vulkan's do: a device lists products of signed and of unsigned
//! components, and a type must be one of a product that it lists (VUID-RuntimeSpirv-OpTypeCooperativeMatrixKHR-10163).

use crate::ir::{Function, InstData, Matrix, Scalar, Value};
use crate::matrices::{self, MatrixOperands};
use crate::target::Target;
use rustc_hash::FxHashMap;

/// How the products of a kernel take matrices of each type.
#[derive(Debug, Default)]
pub(super) struct MatrixSigns {
    /// True of a type if a product takes it without a sign, and with one.
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

    /// Returns true if values of a type are of signed elements: if all products take it so, or the device has no others.
    /// A product that takes one otherwise converts it.
    pub fn is_signed(&self, matrix: Matrix, target: &Target) -> bool {
        match self.taken.get(&matrix) {
            _ if matrix.is_float() => false,
            Some([unsigned, signed]) => *signed && !*unsigned,
            None => matrices::is_signed_alone(target, matrix),
        }
    }
}
